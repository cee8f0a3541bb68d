"""Event buses for one process: none, and one that calls back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.execution import Event, Execution


class LocalBus:
    """Hands events to callbacks of this process; the store stays the history."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Execution, Sequence[Event]], None]] = []

    def listen(self, listener: Callable[[Execution, Sequence[Event]], None]) -> None:
        """Call back with each batch of events from now on."""
        self._listeners.append(listener)

    async def publish(self, execution: Execution, events: Sequence[Event]) -> None:
        """Hand events to every listener, in order."""
        for listener in self._listeners:
            listener(execution, events)
