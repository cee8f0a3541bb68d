"""The command line. Results on stdout, everything else on stderr (docs/reference.md)."""

from __future__ import annotations

import getpass
import logging
import re
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from engine import lifecycle
from engine.decisions import InvalidDecision, parse_decision
from engine.execution import (
    Execution,
    ExecutionError,
    ExecutionId,
    Limits,
    Mode,
    SessionId,
    WaitKind,
)
from engine.outputs import OutputError
from engine.ports import StoreError
from engine.queues.local import QueueHeld
from functions import reading
from functions.command import Fault, IdArgument, JsonFlag, print_json, with_store
from functions.local import Backend
from functions.requests import BadInput, read_answers, read_request
from functions.serving import serve
from functions.settings import Settings, SettingsError, load_settings
from functions.terminal import describe_wait
from functions.wiring import ConfigurationError, drive_of
from functions.work import EXIT_USAGE, Result, Worker, choice_of

app = typer.Typer(
    name="solution-architect",
    help="Turns a request into an approved cloud architecture. It never changes anyone's cloud.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve)
app.add_typer(reading.app)

ERR = Console(stderr=True)


EXPECTED = (
    BadInput,
    Fault,
    SettingsError,
    ConfigurationError,
    StoreError,
    QueueHeld,
    ExecutionError,
    InvalidDecision,
    OutputError,
)


def main() -> None:
    """Entry point: every expected error is one sentence on stderr and exit code 2."""
    logging.getLogger().addHandler(logging.NullHandler())  # the history is in `events`
    try:
        _check_arguments(sys.argv[1:])
        if sys.stdout is not None:
            sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        app()
    except EXPECTED as error:
        sentence = " ".join(str(error).split())
        print(f"solution-architect: {sentence}", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:  # such as a full disk behind stdout
        print(f"solution-architect: {error.strerror or error}", file=sys.stderr)
        sys.exit(EXIT_USAGE)


def _check_arguments(arguments: list[str]) -> None:
    for argument in arguments:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise Fault("an argument holds bytes that are no UTF-8 text")


def _tell(text: str) -> None:
    """Tell a person; lines are not broken, so that a command in them can be copied."""
    print(text, file=sys.stderr)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "local-user"


def _new_id() -> ExecutionId:
    return ExecutionId(f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}")


def _drive(
    settings: Settings,
    start: Any,
    *,
    as_json: bool,
    answers: Path | None = None,
    out: Path | None = None,
) -> NoReturn:
    """Work on an Execution and end the program with its result."""
    scripted = read_answers(answers) if answers else ()
    interactive = sys.stdin.isatty() and ERR.is_terminal and not as_json
    current: list[ExecutionId] = []

    async def job(backend: Backend) -> Result:
        drive = drive_of(settings, backend)
        execution = await start(backend)
        current.append(execution.id)
        if not as_json:
            _tell(f"Execution {execution.id}: {execution.title}")
        worker = Worker(
            backend, drive, ERR, _user(), interactive, quiet=as_json, answers=scripted, out=out
        )
        return await worker.work(execution.id)

    try:
        result: Result = with_store(settings, job)
    except KeyboardInterrupt:
        where = f"solution-architect resume {current[0]}" if current else "the same command"
        _tell(f"\nInterrupted; nothing is lost. Go on with: {where}")
        sys.exit(130)
    _report(result, as_json)
    sys.exit(result.exit_code)


def _report(result: Result, as_json: bool) -> None:
    if as_json:
        print_json(result.as_json())
        return
    execution = result.execution
    for warning in execution.warnings:
        _tell(f"Warning: {warning}")
    if execution.wait is not None:
        _tell(describe_wait(execution.wait, execution.id))
    elif execution.failure:
        _tell(f"{execution.status.value}: {execution.failure}")
    else:
        _tell(f"Execution {execution.id} is {execution.status.value}.")
    for line in result.closing:
        _tell(line)
    if result.guide:
        print(result.guide)


@app.command()
def run(
    request: Annotated[
        str, typer.Argument(metavar="REQUEST|FILE|-", help="Text, a file, or - for stdin.")
    ],
    pre_approved: Annotated[
        bool, typer.Option("--pre-approved", help="Nothing waits; Approvals are granted at once.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(help="`offline`, `bundle`, or a model name for every role.")
    ] = None,
    allow_cloud_read: Annotated[
        bool, typer.Option("--allow-cloud-read", help="Permit read-only tools on your projects.")
    ] = False,
    session: Annotated[str | None, typer.Option(help="Session that groups Executions.")] = None,
    answers: Annotated[
        Path | None, typer.Option(help="YAML or JSON file: pattern of a question to its answer.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the finished files.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Start an Execution and work on it."""
    settings = load_settings(model=model)
    text = read_request(request)
    if session is not None and not re.fullmatch(r"[\w.-]{1,64}", session):
        raise Fault("a Session's id has up to 64 letters, digits, dots, dashes and underscores")
    id = _new_id()
    start = lifecycle.StartRequest(
        id=id,
        session_id=SessionId(session or f"s-{id}"),
        owner=_user(),
        request=text,
        mode=Mode.PRE_APPROVED if pre_approved else Mode.INTERACTIVE,
        cloud_read=True if allow_cloud_read else None,
        scripted_answers=read_answers(answers) if answers and pre_approved else (),
        limits=Limits(
            max_revisions=settings.max_revisions,
            orchestrator_budget=settings.orchestrator_budget,
            specialist_budget=settings.specialist_budget,
            wait_days=settings.wait_days,
        ),
    )
    _drive(
        settings,
        lambda backend: backend.executions.start(start),
        as_json=as_json,
        answers=answers,
        out=out,
    )


@app.command()
def resume(
    id: IdArgument,
    model: Annotated[str | None, typer.Option(help="As in `run`.")] = None,
    answers: Annotated[Path | None, typer.Option(help="As in `run`.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the finished files.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Go on with an Execution that was interrupted or waits for you."""
    settings = load_settings(model=model)

    async def start(backend: Backend) -> Execution:
        return await backend.resume(ExecutionId(id))

    _drive(settings, start, as_json=as_json, answers=answers, out=out)


@app.command()
def answer(
    id: IdArgument,
    given: Annotated[
        list[str] | None, typer.Argument(metavar="[QUESTION=ANSWER]...", help="Such as q1='EU'.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Answer open questions; without arguments it asks you one by one."""
    answers: dict[str, str] = {}
    for item in given or ():
        key, separator, text = item.partition("=")
        if not separator:
            raise Fault(f"{item!r} is not QUESTION=ANSWER, such as q1='Frankfurt'")
        answers[key.strip()] = text.strip()

    async def job(backend: Backend) -> Execution:
        execution = await backend.store.load(ExecutionId(id))
        if not answers:
            wait = execution.wait
            if wait is None or wait.kind is not WaitKind.QUESTIONS:
                raise Fault(f"Execution {id} has no open questions for you")
            if not sys.stdin.isatty():
                raise Fault("give answers as QUESTION=ANSWER; " + describe_wait(wait, id))
            from functions.terminal import Dialogue

            answers.update(Dialogue(ERR, backend.store).questions(wait))
        return await backend.executions.answer(execution.id, answers, _user())

    _recorded(with_store(load_settings(), job), as_json)


def _recorded(execution: Execution, as_json: bool) -> None:
    if as_json:
        print_json(Result(execution).as_json())
    elif execution.wait is not None:
        print(describe_wait(execution.wait, execution.id))
    elif execution.status.terminal:
        print(f"Execution {execution.id} is {execution.status.value}.")
    else:
        print(f"Recorded. Go on with: solution-architect resume {execution.id}")


@app.command()
def decide(
    id: IdArgument,
    choice: Annotated[
        str,
        typer.Argument(metavar="approve|changes|grant|refuse|revise|accept|retry|continue|stop"),
    ],
    phase: Annotated[str | None, typer.Option(help="The Phase that you decide about.")] = None,
    shown: Annotated[
        str | None, typer.Option(help="Digest of what you read; without it, of what stands now.")
    ] = None,
    feedback: Annotated[str, typer.Option(help="What shall change (with `changes`).")] = "",
    calls: Annotated[int | None, typer.Option(help="Further tool calls (`continue`).")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Decide what an Execution waits for. Nothing else grants an Approval."""

    async def job(backend: Backend) -> Execution:
        execution = await backend.store.load(ExecutionId(id))
        wait = execution.wait
        if wait is None:
            raise Fault(f"Execution {id} waits for no decision; it is {execution.status.value}")
        if wait.kind is WaitKind.QUESTIONS:
            raise Fault(f"Execution {id} waits for answers, not for a decision; use `answer {id}`")
        if choice not in wait.options:
            raise Fault(
                f"{choice!r} is not possible for {wait.kind.value}; "
                f"choose one of: {', '.join(wait.options)}"
            )
        if phase is not None and phase != wait.phase:
            raise Fault(f"Execution {id} waits for {wait.phase or wait.kind.value}, not {phase}")
        if choice == "changes" and not feedback.strip():
            raise Fault("`changes` needs --feedback that says what to change")
        part = choice_of(wait, choice, feedback=feedback, calls=calls)
        decision = parse_decision({"wait": wait.id, "shown": shown or wait.shown, **part})
        return await backend.executions.decide(execution.id, decision, _user())

    _recorded(with_store(load_settings(), job), as_json)


@app.command()
def cancel(id: IdArgument, as_json: JsonFlag = False) -> None:
    """End an Execution; its history stays."""

    async def job(backend: Backend) -> Execution:
        return await backend.executions.cancel(ExecutionId(id), _user())

    _recorded(with_store(load_settings(), job), as_json)


if __name__ == "__main__":
    main()
