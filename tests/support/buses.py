"""Event buses for tests: one that keeps everything, and what a consumer makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.execution import Event, ExecutionId
from engine.ports import Unavailable


class ListBus:
    """Keeps what is published; ``fails`` says for each call whether the bus is down."""

    def __init__(self, fails: Callable[[], bool] = lambda: False) -> None:
        self.fails = fails
        self.published: list[tuple[ExecutionId, int]] = []

    async def publish(self, execution: ExecutionId, events: Sequence[Event]) -> None:
        for event in events:
            if self.fails():
                raise Unavailable("the bus is down")
            self.published.append((execution, event.seq))

    def heard(self, execution: ExecutionId) -> list[int]:
        """What a consumer keeps that drops each number not above the highest it has seen."""
        kept: list[int] = []
        for id, seq in self.published:
            if id == execution and seq > (kept[-1] if kept else 0):
                kept.append(seq)
        return kept
