"""A document database in memory, with Firestore's rules, that fails and dawdles as it is told."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from engine.stores import layout
from engine.stores.database import (
    DocumentWrite,
    Exists,
    Found,
    How,
    Query,
    Refused,
    Unsure,
    Where,
)
from engine.stores.layout import Fields, Plain


class Fault(StrEnum):
    """What can happen to a commit."""

    NONE = "none"
    ABORTED = "aborted"
    NOT_APPLIED = "no answer, and not applied"
    APPLIED = "no answer, though applied"
    LATE = "no answer, and applied when somebody calls next"


class MemoryDatabase:
    """Documents by path. ``faults`` are used up one a commit, ``pauses`` one a call."""

    def __init__(self, faults: Sequence[Fault] = (), pauses: Sequence[int] = ()) -> None:
        self.documents: dict[str, tuple[int, Fields]] = {}
        self.faults = list(faults)
        self.pauses = list(pauses)
        self.late: list[Sequence[DocumentWrite]] = []
        self.time = 0
        self.commits = 0

    async def _arrive(self) -> None:
        for _ in range(self.pauses.pop(0) if self.pauses else 1):
            await asyncio.sleep(0)
        late, self.late = self.late, []
        for writes in late:
            with contextlib.suppress(Refused):  # nobody hears of it
                self._apply(writes)

    def _found(self, path: str) -> Found:
        version, fields = self.documents[path]
        return Found(path, version, lambda: copy.deepcopy(fields))

    async def get(self, paths: Sequence[str]) -> dict[str, Found]:
        """Documents by path."""
        await self._arrive()
        return {path: self._found(path) for path in paths if path in self.documents}

    async def query(self, query: Query) -> list[Found]:
        """Documents of one collection that match."""
        await self._arrive()
        found = [
            self._found(path)
            for path, (_, fields) in self.documents.items()
            if path.rpartition("/")[0] == query.collection
            and all(_matches(fields.get(where.field), where) for where in query.where)
        ]
        if query.order_by:
            field = query.order_by
            found.sort(key=lambda d: d.fields[field], reverse=query.descending)
        return found[: query.limit]

    async def commit(self, writes: Sequence[DocumentWrite]) -> object:
        """All or none."""
        await self._arrive()
        self.commits += 1
        fault = self.faults.pop(0) if self.faults else Fault.NONE
        match fault:
            case Fault.ABORTED:
                raise Refused("too much contention on these documents")
            case Fault.NOT_APPLIED:
                raise Unsure("unavailable")
            case Fault.LATE:
                self.late.append(writes)
                raise Unsure("deadline exceeded")
        version = self._apply(writes)
        if fault is Fault.APPLIED:
            raise Unsure("deadline exceeded")
        return version

    def _apply(self, writes: Sequence[DocumentWrite]) -> int:
        paths = [write.path for write in writes]
        assert len(set(paths)) == len(paths), "a commit may write a document once"
        for write in writes:
            _check(write.fields)
            now = self.documents.get(write.path)
            if write.how is How.CREATE and now is not None:
                raise Exists(f"{write.path} exists")
            if write.how is How.UPDATE and (now is None or now[0] != write.version):
                raise Refused(f"{write.path} is not at {write.version}")
        self.time += 1
        for write in writes:
            old = self.documents[write.path][1] if write.how is How.UPDATE else {}
            fields = {**old, **copy.deepcopy(write.fields)}
            size = layout.path_bytes(write.path)
            size += sum(layout.field_bytes(name, value) for name, value in fields.items())
            assert size <= layout.DOCUMENT_BYTES, "larger than a document may be"
            self.documents[write.path] = (self.time, fields)
        return self.time


def _matches(value: Plain, where: Where) -> bool:
    if type(value) is not type(where.value):
        return False
    match where.op:
        case "==":
            return value == where.value
        case "<":
            return value < where.value  # type: ignore[operator]
        case _:
            return value > where.value  # type: ignore[operator]


def _check(value: Plain, in_array: bool = False) -> None:
    """Hold a value against what Firestore's client and service take."""
    if isinstance(value, dict):
        for name, inner in value.items():
            assert type(name) is str
            _check(inner)
    elif isinstance(value, list):
        assert not in_array, "an array inside an array"
        for inner in value:
            _check(inner, in_array=True)
    else:
        assert type(value) in (str, int, bool, datetime, type(None)), type(value)
