"""``run`` and ``resume``: drive an Execution, and at a terminal talk to the person in between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from engine import outputs
from engine.decisions import parse_decision
from engine.deliverables import Kind
from engine.execution import Execution, ExecutionId, ScriptedAnswer, Status, Wait, WaitKind
from engine.turns import completed
from engine.waits import DecisionRefused
from functions.local import Backend, Drive
from functions.terminal import Dialogue, Left, Progress, closing

EXIT_COMPLETED, EXIT_FAILED, EXIT_USAGE, EXIT_WARNINGS, EXIT_WAITING = 0, 1, 2, 3, 4


@dataclass(frozen=True)
class Result:
    """How a drive ended."""

    execution: Execution
    guide: Path | None = None
    closing: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """The exit code of the command line (docs/reference.md)."""
        match self.execution.status:
            case Status.COMPLETED:
                return EXIT_COMPLETED
            case Status.COMPLETED_WITH_WARNINGS:
                return EXIT_WARNINGS
            case Status.WAITING | Status.WORKING:
                return EXIT_WAITING
            case _:
                return EXIT_FAILED

    def as_json(self) -> dict[str, object]:
        """The one object that ``--json`` prints."""
        execution = self.execution
        return {
            "execution_id": execution.id,
            "session_id": execution.session_id,
            "status": execution.status.value,
            "phase": execution.phase.value,
            "revisions": execution.revisions,
            "waiting_for": execution.wait.kind.value if execution.wait else None,
            "guide": str(self.guide) if self.guide else None,
            "out": str(self.guide.parent) if self.guide else None,
            "warnings": list(execution.warnings),
        }


@dataclass
class Worker:
    """Drives one Execution. ``interactive`` talks to the person; answers may come from a file."""

    backend: Backend
    drive: Drive
    console: Console
    user: str
    interactive: bool
    quiet: bool = False
    answers: Sequence[ScriptedAnswer] = ()
    out: Path | None = None

    async def work(self, execution: ExecutionId) -> Result:
        """Until it is completed, ended, or waits for a person who is not here."""
        while True:
            with Progress(self.console, self.quiet) as progress:
                state = await self.drive(execution, progress)
            if state.status.terminal or state.wait is None:
                break
            try:
                settled = await self._settle(state, state.wait)
            except Left:
                settled = False
            state = await self.backend.store.load(execution)
            if not settled:
                break
        if not completed(state):
            return Result(state)
        contents = await self.backend.store.contents(state.id, list(Kind))
        lines = closing({kind: found.content for kind, found in contents.items()})
        return Result(state, await self._write(state), tuple(lines))

    async def _write(self, state: Execution) -> Path:
        files = await outputs.collect(self.backend.store, state)
        folder = self.out or Path("deliverables") / "executions" / state.id
        return outputs.write(files, folder)

    async def _settle(self, state: Execution, wait: Wait) -> bool:
        """Answer or decide; False when the person (or nobody) leaves it open."""
        if wait.kind is WaitKind.QUESTIONS:
            if known := _known(wait, self.answers):
                await self.backend.executions.answer(state.id, known, self.user)
                return True
            if not self.interactive:
                return False
            # Each answer is recorded at once, so that none is lost if the person leaves.
            for key, text in Dialogue(self.console, self.backend.store).questions(wait):
                await self.backend.executions.answer(state.id, {key: text}, self.user)
            return True
        if not self.interactive:
            return False
        dialogue = Dialogue(self.console, self.backend.store)
        if wait.kind is WaitKind.APPROVAL:
            approval = await dialogue.approval(state, wait)
            choice: dict[str, object] | None = None if approval is None else {"approval": approval}
        else:
            option = dialogue.option(wait)
            choice = None if option is None else choice_of(wait, option)
        if choice is None:
            return False
        decision = parse_decision({"wait": wait.id, "shown": wait.shown, **choice})
        try:
            await self.backend.executions.decide(state.id, decision, self.user)
        except DecisionRefused as refusal:
            self.console.print(f"Not taken: {refusal}")
        return True


def choice_of(
    wait: Wait, option: str, *, feedback: str = "", calls: int | None = None
) -> dict[str, object]:
    """The decision part of the wire form for one of a wait's options."""
    match wait.kind:
        case WaitKind.APPROVAL:
            return {"approval": {"phase": wait.phase, "decision": option, "feedback": feedback}}
        case WaitKind.PERMISSION:
            return {"permission": {"cloud_read": option == "grant"}}
        case WaitKind.ESCALATION:
            return {"escalation": {"decision": option}}
        case _:
            more = {} if calls is None else {"calls": calls}
            return {"budget": {"decision": option, **more}}


def _known(wait: Wait, answers: Sequence[ScriptedAnswer]) -> dict[str, str]:
    known = {}
    for question in wait.questions:
        for entry in answers:
            if re.search(entry.pattern, question.text, re.IGNORECASE):
                known[question.id] = entry.answer
                break
    return known
