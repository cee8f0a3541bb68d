"""Stands between the Firestore adapter and its generated client: counts, and fails on purpose."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from engine.stores.firestore import FirestoreStore

Fault = Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""Gets the real commit as a call, makes it or not, answers or raises."""


class Wire:
    """Counts as Firestore bills: a document that is read, or asked for and not there, is one read.

    A query that finds nothing costs one read too. Refused commits are counted apart. ``faults``
    take one commit each, in order.
    """

    def __init__(self, store: FirestoreStore) -> None:
        self._client = store.database.client
        store.database.client = lambda: self  # type: ignore[assignment, return-value]
        self.reads = 0
        self.writes = 0
        self.requests = 0
        self.refused = 0
        self.faults: list[Fault] = []

    async def commit(self, request: Any, **call: Any) -> Any:
        """Apply writes, unless a fault says otherwise."""
        self.requests += 1

        async def real() -> Any:
            try:
                answer = await self._client().commit(request, **call)
            except Exception:
                self.refused += 1
                raise
            self.writes += len(request.writes)
            return answer

        return await (self.faults.pop(0)(real) if self.faults else real())

    async def batch_get_documents(self, request: Any, **call: Any) -> AsyncIterator[Any]:
        """Read documents by name."""
        self.requests += 1
        self.reads += len(request.documents)
        return await self._client().batch_get_documents(request, **call)

    async def run_query(self, request: Any, **call: Any) -> AsyncIterator[Any]:
        """Read documents that match."""
        self.requests += 1
        answers = [a async for a in await self._client().run_query(request, **call)]
        self.reads += max(1, sum("document" in answer for answer in answers))

        async def again() -> AsyncIterator[Any]:
            for answer in answers:
                yield answer

        return again()


def once(error: Exception) -> Fault:
    """The commit is not made; the error is the answer."""

    async def fault(commit: Callable[[], Awaitable[Any]]) -> Any:
        raise error

    return fault


def lost_answer(error: Exception, then: Callable[[], Awaitable[Any]] | None = None) -> Fault:
    """The commit is made, then something else happens; the error comes instead of an answer."""

    async def fault(commit: Callable[[], Awaitable[Any]]) -> Any:
        await commit()
        if then is not None:
            await then()
        raise error

    return fault
