"""What a person sees at a terminal: live progress, questions, Approvals. Everything on stderr."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markdown import Markdown
from rich.markup import escape
from rich.prompt import Prompt
from rich.table import Table
from rich.text import Text

from engine.deliverables import GRAPH, PHASE_KINDS, SPECS, Kind, Phase
from engine.documents import list_items, parse_selection, section
from engine.execution import Event, EventType, Execution, Wait, WaitKind
from engine.ledger import State
from engine.ports import ExecutionStore

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_MARK = {State.PENDING: "·", State.IN_PROGRESS: "▸", State.SUBMITTED: "✓"}
_STYLE = {State.PENDING: "dim", State.IN_PROGRESS: "yellow", State.SUBMITTED: "green"}


def event_line(event: Event) -> str:
    """One event as a line: number, what happened, to what, by whom, why."""
    parts = [f"{event.seq:>3}", event.type.value]
    if event.deliverable:
        parts.append(event.deliverable.value)
    if event.phase:
        parts.append(event.phase.value)
    if event.attempt and event.type is EventType.DELEGATED:
        parts.append(f"(attempt {event.attempt})")
    if event.revision and event.type is EventType.SUBMITTED:
        parts.append(f"(revision {event.revision})")
    if event.by:
        parts.append(f"by {event.by}")
    if event.phases:
        parts.append(f"withdraws the Approval of {', '.join(event.phases)}")
    if event.detail:
        detail = " ".join(event.detail.split())
        parts.append(f"— {detail if len(detail) < 160 else detail[:157] + '…'}")
    return " ".join(parts)


class Progress:
    """Live progress on a terminal, or a line an event where there is none."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        self._live: Live | None = None

    def __enter__(self) -> Progress:
        if self._console.is_terminal and not self._quiet:
            self._live = Live(console=self._console, refresh_per_second=8, transient=True)
            self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __call__(self, execution: Execution, events: Sequence[Event]) -> None:
        """Show the state; a Watch of ``functions.local``."""
        if self._quiet:
            return
        if self._live is not None:
            self._live.update(progress_table(execution))
            return
        for event in events:
            self._console.print(event_line(event), highlight=False, markup=False, soft_wrap=True)


def progress_table(execution: Execution) -> RenderableType:
    """Deliverables with their state, who works on each, and what is waited for."""
    table = Table(box=None, pad_edge=False, show_header=False)
    now = datetime.now(UTC)
    for phase in Phase:
        state = execution.ledger.phases[phase].status.value.replace("_", " ")
        table.add_row(f"[bold]{phase.number} {phase.value.replace('_', ' ')}[/bold]", "", state)
        for kind in PHASE_KINDS[phase]:
            table.add_row(*_row(execution, kind, now))
    seconds = int((now - execution.created_at).total_seconds())
    if execution.wait is not None:
        foot = f"waiting for {execution.wait.kind}"
    elif execution.turn.claim is not None:
        foot = "the Orchestrator decides"
    else:
        foot = "working"
    return Group(table, Text(f"{execution.id}  {foot}  {seconds} s", style="dim"))


def _row(execution: Execution, kind: Kind, now: datetime) -> tuple[Text, str, str]:
    entry = execution.ledger.deliverables[kind]
    work = execution.work[kind]
    name = Text(f"  {_MARK[entry.state]} {SPECS[kind].title}", style=_STYLE[entry.state])
    if entry.state is State.IN_PROGRESS:
        return name, SPECS[kind].role, f"attempt {work.attempt}"
    if work.questions:
        return name, SPECS[kind].role, "has a question"
    if entry.revision > 1 or (entry.revision and entry.state is State.PENDING):
        return name, "", f"revision {entry.revision}"
    return name, "", ""


def describe_wait(wait: Wait, execution: str) -> str:
    """What is waited for and how to answer it from the command line, in plain text."""
    lines = [f"Waiting for {wait.kind.value} ({wait.id}): {wait.summary}"]
    match wait.kind:
        case WaitKind.QUESTIONS:
            for question in wait.questions:
                lines.append(f"  {question.id}: {question.text}")
                if question.why:
                    lines.append(f"      why: {question.why}")
                if question.proposal:
                    lines.append(f"      proposal: {question.proposal}")
            lines.append(f"Answer with: solution-architect answer {execution} q1='…'")
        case WaitKind.APPROVAL:
            lines.append(f"Read with: solution-architect show {execution} DELIVERABLE")
            lines.append(
                f"Decide with: solution-architect decide {execution} approve --phase {wait.phase} "
                f"--shown {wait.shown}"
            )
            lines.append(
                f"         or: solution-architect decide {execution} changes --feedback '…'"
            )
        case _:
            for option in wait.options:
                lines.append(f"Decide with: solution-architect decide {execution} {option}")
    lines.append(f"Then: solution-architect resume {execution}")
    return "\n".join(lines)


class Left(Exception):
    """The person ended the dialogue with Ctrl-D; what was not answered stays open."""


@contextmanager
def _asking() -> Iterator[None]:
    """Ask in the foreground: nothing typed ahead counts, Ctrl-C interrupts, Ctrl-D leaves.

    Typed-ahead lines would answer a question that nobody has read yet, an Approval even.
    """
    with contextlib.suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except EOFError:
        raise Left from None
    finally:
        signal.signal(signal.SIGINT, before)


def _ask(prompt: str, console: Console, **more: Any) -> str:
    with _asking():
        answer: str = Prompt.ask(prompt, console=console, **more)
    return _CONTROL.sub(" ", answer).strip()


class Dialogue:
    """Asks a person at the terminal what the Execution waits for."""

    def __init__(self, console: Console, store: ExecutionStore) -> None:
        self._console = console
        self._store = store

    def questions(self, wait: Wait) -> Iterator[tuple[str, str]]:
        """Each question's id and answer, one by one; an empty line takes the proposal.

        Raises Left.
        """
        total = len(wait.questions)
        self._console.print(f"\n[bold]{total} question(s) before the work goes on[/bold]")
        for number, question in enumerate(wait.questions, start=1):
            self._console.print(f"\n[bold]({number}/{total})[/bold] {escape(question.text)}")
            if question.why:
                self._console.print(f"  [dim]Why: {escape(question.why)}[/dim]")
            yield question.id, self._answer(question.proposal)

    def _answer(self, proposal: str) -> str:
        if proposal:
            self._console.print(f"  [dim]Enter takes: {escape(proposal)}[/dim]")
        while True:
            answer = _ask("  Answer", self._console, default="", show_default=False)
            if answer:
                return answer
            if proposal:
                return proposal
            self._console.print("  An answer is needed here.")

    async def approval(self, execution: Execution, wait: Wait) -> dict[str, object] | None:
        """The decision's ``approval`` part, or None when the person leaves."""
        if wait.phase is None:
            raise RuntimeError("an approval wait without a Phase")
        kinds = PHASE_KINDS[wait.phase]
        name = wait.phase.value.replace("_", " ")
        self._console.rule(f"Approval of Phase {wait.phase.number}: {name}")
        self._console.print(Markdown(wait.summary))
        for number, kind in enumerate(kinds, start=1):
            entry = execution.ledger.deliverables[kind]
            self._console.print(f"  {number}. {SPECS[kind].title} (revision {entry.revision})")
        unread = list(kinds)
        while True:
            choice = _ask(
                "\nRead (number, or Enter for the next), [a]pprove, [c]hanges, [q]uit".replace(
                    "[", r"\["
                ),
                self._console,
                default="",
                show_default=False,
            )
            if choice == "" and unread:
                await self._read(execution, unread.pop(0))
            elif choice.isdigit() and 1 <= int(choice) <= len(kinds):
                kind = kinds[int(choice) - 1]
                await self._read(execution, kind)
                if kind in unread:
                    unread.remove(kind)
            elif choice in ("a", "approve"):
                return {"phase": wait.phase.value, "decision": "approve"}
            elif choice in ("c", "changes"):
                feedback = _ask("What shall change", self._console, default="", show_default=False)
                if feedback:
                    return {
                        "phase": wait.phase.value,
                        "decision": "changes",
                        "feedback": feedback,
                    }
            elif choice in ("q", "quit"):
                return None
            elif choice == "":
                self._console.print("You have seen all of them: a approves, c asks for changes.")
            else:
                self._console.print("Please answer with a number, a, c or q.")

    async def _read(self, execution: Execution, kind: Kind) -> None:
        found = await self._store.content(execution.id, kind)
        if found is None:
            return
        self._console.rule(SPECS[kind].title)
        self._console.print(Markdown(found.content))
        for path, text in found.attachments:
            self._console.print(
                f"[dim]attached: {escape(path)} ({len(text.splitlines())} lines)[/]"
            )

    def option(self, wait: Wait) -> str | None:
        """One of the wait's options, or None when the person leaves."""
        self._console.rule(f"Decision needed: {wait.kind.value}")
        self._console.print(escape(wait.summary))
        choice = _ask("Decide", self._console, choices=[*wait.options, "quit"], default="quit")
        return None if choice == "quit" else choice


def closing(contents: Mapping[Kind, str]) -> list[str]:
    """What a reader should know before opening the guide: products, open points, verdict."""
    lines = []
    products = dict.fromkeys(r.product for r in parse_selection(contents[Kind.PRODUCT_SELECTION]))
    lines.append(f"Products: {', '.join(products)}")
    for heading in ("Contradictions and open questions", "Assumptions"):
        found = section(contents[Kind.REQUIREMENTS], heading)
        items = [i for i in list_items(found.body) if i.startswith("**")] if found else []
        if items:
            lines.append(f"{heading}: {len(items)}, see section 2 of the guide")
    verdict = section(contents[Kind.VALIDATION_RESULTS], "Verdict")
    if verdict is not None:
        lines.append(f"Validation: {' '.join(verdict.body.split())}")
    return lines


def overview(execution: Execution) -> RenderableType:
    """The state of an Execution as a table for ``show``."""
    table = Table(title=Text(f"{execution.id}: {execution.title}"), title_justify="left")
    for column in ("Phase", "Deliverable", "State", "Revision", "Approval"):
        table.add_column(column)
    for spec in GRAPH:
        entry = execution.ledger.deliverables[spec.kind]
        phase = execution.ledger.phases[spec.phase]
        approval = phase.status.value.replace("_", " ")
        if phase.approved_by:
            approval = f"approved by {phase.approved_by}"
        table.add_row(
            str(spec.phase.number),
            spec.kind.value,
            entry.state.value.replace("_", " "),
            str(entry.revision),
            approval,
        )
    lines = [f"status: {execution.status.value}", f"revisions: {execution.revisions}"]
    if execution.failure:
        lines.append(f"reason: {execution.failure}")
    lines += [f"warning: {warning}" for warning in execution.warnings]
    return Group(table, Text("\n".join(lines)))
