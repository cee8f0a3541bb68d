"""What a document database gives to ``DocumentStore``: reads, queries and one atomic commit.

The store's rules are tried against a database in memory that fails on purpose; Firestore is one
module behind this protocol.
"""

from __future__ import annotations

import asyncio
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from engine.ports import StoreError, Unavailable
from engine.stores.layout import Fields

K = TypeVar("K")
V = TypeVar("V")
_jitter = random.SystemRandom()


class Refused(Exception):
    """The commit was not applied: a precondition did not hold, or others are writing."""


class Exists(Refused):
    """The commit was not applied: a document that it creates exists."""


class Unsure(Exception):
    """No answer came; a commit may have been applied or not."""


class TooLarge(StoreError):
    """A content is larger than the database takes; nothing was written."""


class How(StrEnum):
    """What a write does with its document."""

    CREATE = "create"
    PUT = "put"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """One document of a commit.

    ``what`` says for people what is written. An update changes the given fields alone, and holds
    only while the document has ``version``, if one is given.
    """

    how: How
    path: str
    fields: Fields
    what: str
    version: object | None = None


class Found:
    """A document that was read. ``version`` changes with each write; only the database reads it.

    ``fields`` are decoded when they are first asked for: most reads only find nothing new.
    """

    def __init__(self, path: str, version: object, decode: Callable[[], Fields]) -> None:
        self.path = path
        self.version = version
        self._decode = decode

    @cached_property
    def fields(self) -> Fields:
        """What the document holds."""
        return self._decode()


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on a field; ``op`` is one of ``==``, ``<`` and ``>``."""

    field: str
    op: str
    value: str | int | datetime


@dataclass(frozen=True, slots=True)
class Query:
    """Documents of a collection. ``fields`` limits what is sent, not what is counted as read."""

    collection: str
    where: tuple[Where, ...] = ()
    order_by: str | None = None
    descending: bool = False
    limit: int | None = None
    fields: tuple[str, ...] = ()


class DocumentDatabase(Protocol):
    """Each method makes one attempt. Raises Unsure when no answer came, StoreError for good."""

    async def get(self, paths: Sequence[str]) -> dict[str, Found]:
        """Documents by path, of those that exist."""
        ...

    async def query(self, query: Query) -> list[Found]:
        """The documents that a query finds, in its order."""
        ...

    async def commit(self, writes: Sequence[DocumentWrite]) -> object:
        """All writes or none; the version that they gave. Raises Refused, Exists or TooLarge."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try again, in seconds: in all, for one attempt, the first and longest pause."""

    whole: float = 20.0
    attempt: float = 10.0
    first: float = 0.02
    longest: float = 1.0


class Attempts:
    """Pauses between attempts that grow and differ, until patience ends."""

    def __init__(self, what: str, patience: Patience) -> None:
        self._what = what
        self._patience = patience
        self._begin = asyncio.get_running_loop().time()
        self._made = 0

    async def pause(self, error: Exception) -> None:
        """Wait before the next attempt. Raises Unavailable when it was tried long enough."""
        self._made += 1
        patience = self._patience
        if asyncio.get_running_loop().time() - self._begin >= patience.whole:
            raise Unavailable(
                f"{self._what} did not succeed within {patience.whole:.0f} s and {self._made} "
                f"attempts ({error}); try again later"
            ) from error
        longest = min(patience.longest, patience.first * 2 ** min(self._made, 16))
        await asyncio.sleep(_jitter.uniform(0, longest))


async def patiently(what: str, patience: Patience, call: Callable[[], Awaitable[V]]) -> V:
    """Call until an answer comes. Raises Unavailable."""
    attempts = Attempts(what, patience)
    while True:
        try:
            return await call()
        except (Unsure, Refused) as error:
            await attempts.pause(error)


class Recent(Generic[K, V]):
    """Keeps what was used last, up to a total weight."""

    def __init__(self, most: int, weigh: Callable[[V], int] = lambda value: 1) -> None:
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._held: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """What is kept under a key."""
        value = self._held.get(key)
        if value is not None:
            self._held.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value, and let go of the oldest ones if that is too much."""
        self.drop(key)
        self._held[key] = value
        self._weight += self._weigh(value)
        while self._weight > self._most:
            _, old = self._held.popitem(last=False)
            self._weight -= self._weigh(old)

    def drop(self, key: K) -> None:
        """Forget a key."""
        old = self._held.pop(key, None)
        if old is not None:
            self._weight -= self._weigh(old)
