"""Workload W: 9 Deliverables, 6 pillars, 4 Approvals, agents that answer at once.

The fake runtime stands in for every agent, so that the engine is what is timed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from agents.fake_runtime import FakeRuntime, ScriptedTeam
from agents.runtime import Attachment
from engine import lifecycle
from engine.decisions import parse_decision
from engine.execution import Execution, ExecutionId, Mode, SessionId, Task, due_tasks
from engine.ports import Delivery, ExecutionStore, SystemClock
from engine.service import Executions
from engine.stores.sqlite import SqliteStore
from tests.support.team import make_runs

Durability = Literal["FULL", "NORMAL", "OFF"]
TEXT = "A sentence of about sixty characters, as Deliverables have. \n" * 32


def contents(kind: str) -> tuple[str, tuple[Attachment, ...]]:
    """About 2 KB for each Deliverable, and a file with the Terraform."""
    files = (Attachment(path="terraform/main.tf", text=TEXT),) if "deploy" in kind else ()
    return TEXT + kind, files


class NoQueue:
    """Takes tasks and forgets them: they are a function of the state."""

    async def enqueue(self, tasks: Iterable[Task]) -> None:
        """Forget the tasks."""


class AnyEngine:
    """The engine on a store, driven delivery by delivery."""

    def __init__(self, store: ExecutionStore) -> None:
        self.store = store
        clock = SystemClock()
        queue = NoQueue()
        self.executions = Executions(self.store, queue, clock)
        team = FakeRuntime(default=ScriptedTeam(contents), keep_runs=False)
        self.runs = make_runs(self.store, queue, clock, team)

    async def start(self, id: str, revisions: int = 5000) -> ExecutionId:
        """Start an interactive Execution."""
        request = lifecycle.StartRequest(
            id=ExecutionId(id),
            session_id=SessionId("s"),
            owner="ann",
            request=TEXT,
            mode=Mode.INTERACTIVE,
            limits=lifecycle.Limits(max_revisions=revisions),
        )
        return (await self.executions.start(request)).id

    async def whole(self, id: str) -> Execution:
        """One Execution from its start to its end."""
        execution = await self.start(id)
        while True:
            state = await self.until_wait(execution)
            if state.wait is None:
                return state
            await self.decide(state, "approve")

    async def until_wait(self, execution: ExecutionId) -> Execution:
        """Deliver what is due until somebody is waited for, or it ended."""
        state = await self.store.load(execution)
        while due := due_tasks(state):
            for task in due:
                await self.runs.handle(Delivery(task, 0))
            state = await self.store.load(execution)
        return state

    async def decide(self, state: Execution, decision: str) -> None:
        """Decide the Approval that is waited for."""
        wait = state.wait
        if wait is None:
            raise RuntimeError("nothing is waited for")
        approval: dict[str, Any] = {"phase": wait.phase, "decision": decision}
        if decision == "changes":
            approval["feedback"] = "please mend technical_decomposition"
        data = {"wait": wait.id, "shown": wait.shown, "approval": approval}
        await self.executions.decide(state.id, parse_decision(data), "ann")

    async def revise(self, execution: ExecutionId) -> None:
        """One Revision of the second Deliverable, from one request for its Approval to the next."""
        await self.decide(await self.until_wait(execution), "changes")
        await self.until_wait(execution)


class Engine(AnyEngine):
    """The engine on a SQLite store."""

    store: SqliteStore

    def __init__(self, path: Path, durability: Durability) -> None:
        super().__init__(SqliteStore(path, durability))


class Recording:
    """A SQLite connection that notes what is written in each transaction."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.transactions: list[list[tuple[str, list[tuple[Any, ...]]]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> Any:
        """Note a write, and carry it out."""
        if statement == "BEGIN IMMEDIATE":
            self.transactions.append([])
        elif statement.startswith(("INSERT", "UPDATE")):
            self.transactions[-1].append((statement, [tuple(values)]))
        return self._connection.execute(statement, values)

    def executemany(self, statement: str, rows: list[tuple[Any, ...]]) -> Any:
        """Note writes, and carry them out."""
        if rows:
            self.transactions[-1].append((statement, [tuple(row) for row in rows]))
        return self._connection.executemany(statement, rows)
