"""Following an Execution that another process works on: by polling, from any process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from engine.execution import Event, Execution, ExecutionId, due_tasks
from engine.ports import ExecutionStore

Watch = Callable[[Execution, Sequence[Event]], None]
"""Called with the state and the events since the last call, also when there are none."""

FIRST_POLL, LONGEST_POLL = 0.2, 2.0
"""Seconds between looks; they grow while nothing happens."""


def at_rest(execution: Execution) -> bool:
    """Whether it ended, or waits for a person with nothing in flight."""
    return execution.status.terminal or (execution.wait is not None and not due_tasks(execution))


async def follow(store: ExecutionStore, execution: ExecutionId, watch: Watch) -> Execution:
    """Watch an Execution until it is at rest. A look costs one document read."""
    seen, pause, rev = 0, FIRST_POLL, -1
    while True:
        state = await store.load(execution)
        if state.rev != rev:
            rev, pause = state.rev, FIRST_POLL
            new = await store.events(execution, after=seen) if state.last_event > seen else ()
            seen += len(new)
            watch(state, new)
        if at_rest(state):
            return state
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_POLL)
