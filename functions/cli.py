"""The command line. Results on stdout, everything else on stderr (docs/reference.md)."""

from __future__ import annotations

import asyncio
import getpass
import json
import logging
import re
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from engine import lifecycle
from engine.decisions import InvalidDecision, parse_decision
from engine.deliverables import GRAPH, Kind
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
from functions import wiring
from functions.local import Backend
from functions.requests import BadInput, read_answers, read_request
from functions.serving import serve
from functions.settings import Settings, SettingsError, load_settings
from functions.terminal import describe_wait, event_line, overview
from functions.wiring import ConfigurationError, drive_of, open_backend
from functions.work import EXIT_USAGE, Result, Worker, choice_of

app = typer.Typer(
    name="solution-architect",
    help="Turns a request into an approved cloud architecture. It never changes anyone's cloud.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
skills_app = typer.Typer(help="The Agent Skills that the agents follow.", no_args_is_help=True)
app.add_typer(skills_app, name="skills")
app.command()(serve)

ERR = Console(stderr=True)
JsonFlag = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The Execution's id.")]


class Fault(Exception):
    """A sentence for the person, and exit code 2."""


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


def _show(what: Any) -> None:
    """Print on stdout; into a pipe in a width that cuts nothing off."""
    Console(width=None if sys.stdout.isatty() else 160).print(what)


def _tell(text: str) -> None:
    """Tell a person; lines are not broken, so that a command in them can be copied."""
    print(text, file=sys.stderr)


def _print_json(data: object) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=2))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "local-user"


def _with_store(settings: Settings, job: Any) -> Any:
    async def whole() -> Any:
        backend = open_backend(settings)
        try:
            return await job(backend)
        finally:
            await backend.close()

    return asyncio.run(whole())


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
        result: Result = _with_store(settings, job)
    except KeyboardInterrupt:
        where = f"solution-architect resume {current[0]}" if current else "the same command"
        _tell(f"\nInterrupted; nothing is lost. Go on with: {where}")
        sys.exit(130)
    _report(result, as_json)
    sys.exit(result.exit_code)


def _report(result: Result, as_json: bool) -> None:
    if as_json:
        _print_json(result.as_json())
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
def show(
    id: IdArgument,
    kind: Annotated[str | None, typer.Argument(metavar="[DELIVERABLE]")] = None,
    revision: Annotated[
        int | None, typer.Option(min=1, max=10**6, help="An earlier revision.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show where an Execution stands, or one of its Deliverables."""
    wanted = _kind(kind) if kind else None

    async def job(backend: Backend) -> None:
        execution = await backend.store.load(ExecutionId(id))
        if wanted is None:
            if as_json:
                _print_json(execution.model_dump(mode="json"))
                return
            _show(overview(execution))
            if execution.wait:
                print(describe_wait(execution.wait, execution.id))
            return
        found = await backend.store.content(execution.id, wanted, revision)
        if found is None:
            which = f"revision {revision} of {wanted}" if revision else f"content of {wanted}"
            raise Fault(f"Execution {id} has no {which} yet; `show {id}` tells where it stands")
        if as_json:
            files = dict(found.attachments)
            _print_json(
                {
                    "deliverable": wanted.value,
                    "revision": found.revision,
                    "content": found.content,
                    "attachments": files,
                }
            )
            return
        stdout = Console()
        if stdout.is_terminal:
            stdout.print(Markdown(found.content))
        else:
            print(found.content)
        for path, text in found.attachments:
            print(f"\n--- {path}\n{text}")

    _with_store(load_settings(), job)


def _kind(text: str) -> Kind:
    try:
        return Kind(text.replace("-", "_"))
    except ValueError:
        raise Fault(
            f"there is no Deliverable {text!r}; there are: {', '.join(k.value for k in Kind)}"
        ) from None


@app.command("list")
def list_(
    session: Annotated[str | None, typer.Option(help="Only of this Session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: JsonFlag = False,
) -> None:
    """List Executions, the most recently changed first."""

    async def job(backend: Backend) -> None:
        found = await backend.store.list(
            session=SessionId(session) if session else None, limit=limit
        )
        rows = [
            {
                "execution_id": s.id,
                "session_id": s.session_id,
                "title": s.title,
                "mode": s.mode.value,
                "status": s.status.value,
                "phase": s.phase.value,
                "waiting_for": s.waiting_for.value if s.waiting_for else None,
                "created_at": s.created_at.isoformat(),
                "updated_at": s.updated_at.isoformat(),
            }
            for s in found
        ]
        if as_json:
            _print_json({"executions": rows})
            return
        table = Table("Execution", "Status", "Phase", "Waits for", "Changed", "Request")
        for s in found:
            table.add_row(
                s.id,
                s.status.value,
                s.phase.value,
                s.waiting_for.value if s.waiting_for else "",
                f"{s.updated_at:%Y-%m-%d %H:%M}",
                Text(s.title),
            )
        _show(table if found else "No Executions yet; start one with `run`.")

    _with_store(load_settings(), job)


@app.command()
def events(
    id: IdArgument,
    after: Annotated[
        int, typer.Option(min=0, max=10**9, help="Only events after this number.")
    ] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Print the history of an Execution."""

    async def job(backend: Backend) -> None:
        await backend.store.load(ExecutionId(id))
        found = await backend.store.events(ExecutionId(id), after=after, limit=100_000)
        if as_json:
            _print_json({"events": [event.model_dump(mode="json") for event in found]})
            return
        for event in found:
            print(f"{event.at:%H:%M:%S} {event_line(event)}")

    _with_store(load_settings(), job)


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

    _recorded(_with_store(load_settings(), job), as_json)


def _recorded(execution: Execution, as_json: bool) -> None:
    if as_json:
        _print_json(Result(execution).as_json())
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

    _recorded(_with_store(load_settings(), job), as_json)


@app.command()
def cancel(id: IdArgument, as_json: JsonFlag = False) -> None:
    """End an Execution; its history stays."""

    async def job(backend: Backend) -> Execution:
        return await backend.executions.cancel(ExecutionId(id), _user())

    _recorded(_with_store(load_settings(), job), as_json)


@app.command()
def graph(
    as_json: JsonFlag = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="As a Mermaid flowchart.")] = False,
) -> None:
    """Print the dependency graph: Phases, Deliverables, roles, Dependencies."""
    if as_json:
        _print_json(
            {
                "deliverables": [
                    {
                        "deliverable": spec.kind.value,
                        "phase": spec.phase.value,
                        "role": spec.role,
                        "depends_on": [kind.value for kind in spec.depends_on],
                    }
                    for spec in GRAPH
                ]
            }
        )
        return
    if mermaid:
        print("flowchart LR")
        for spec in GRAPH:
            print(f'  {spec.kind.value}["{spec.title}<br/>{spec.role}"]')
            for kind in spec.depends_on:
                print(f"  {kind.value} --> {spec.kind.value}")
        return
    table = Table("Phase", "Deliverable", "Role", "Depends on")
    for spec in GRAPH:
        table.add_row(
            f"{spec.phase.number} {spec.phase.value}",
            spec.kind.value,
            spec.role,
            ", ".join(spec.depends_on),
        )
    _show(table)


@skills_app.command("list")
def skills_list(as_json: JsonFlag = False) -> None:
    """List the Skills in use and where each comes from."""
    rows = wiring.skill_rows(load_settings())
    if as_json:
        _print_json({"skills": [{"name": n, "path": p, "description": d} for n, p, d in rows]})
        return
    table = Table("Skill", "From", "What for")
    for name, path, description in rows:
        table.add_row(name, path, description.split(". ")[0].split(": ")[0])
    _show(table)


@skills_app.command("check")
def skills_check() -> None:
    """Hold every Skill against the Agent Skills specification."""
    problems = wiring.skill_problems(load_settings())
    for problem in problems:
        print(problem)
    if problems:
        raise typer.Exit(1)
    print("All Skills meet the specification.")


if __name__ == "__main__":
    main()
