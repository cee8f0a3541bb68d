"""An ExecutionStore on a document database, which gives atomic commits with preconditions.

A command runs on the state as this process knows it; one commit then writes the document, on the
condition that nobody changed it, with events, contents and messages. What is remembered may be old:
then the commit is refused, and the command runs again on what was read. A command's refusal counts
only when the state that it saw was just read.

Every commit leaves a mark in the document. Where no answer came, the mark tells whether it was
applied, so that nothing is lost or done twice; the same commit can be sent again, since its
condition lets it through once at most.

What costs: a document read or written. The newest events stay in the Execution's document and move
out eight at a time; a content is read once and then only asked whether it is still the newest.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from weakref import WeakValueDictionary

from engine.deliverables import Kind
from engine.execution import (
    Change,
    ContentWrite,
    Event,
    Execution,
    ExecutionId,
    MessageWrite,
    SessionId,
    Write,
)
from engine.ports import (
    AlreadyExists,
    Command,
    Content,
    StoreError,
    Summary,
    Unavailable,
    UnknownExecution,
    Unreadable,
)
from engine.stores import layout, readback
from engine.stores.commits import RECENT_MARKS, Known, commit_of
from engine.stores.database import (
    Attempts,
    DocumentDatabase,
    DocumentWrite,
    Exists,
    Found,
    How,
    Patience,
    Query,
    Recent,
    Refused,
    Unsure,
    Where,
    patiently,
)

log = logging.getLogger(__name__)

PARSED = 64
CONTENT_CHARACTERS = 16_000_000
"""How many Executions, and characters of contents and requests, a process remembers."""


class DocumentStore:
    """Keeps Executions in a document database; for one thread, in any event loop."""

    def __init__(self, database: DocumentDatabase, patience: Patience | None = None) -> None:
        self._database = database
        self._patience = patience or Patience()
        self._known: Recent[ExecutionId, Known] = Recent(PARSED)
        self._contents: Recent[tuple[ExecutionId, Kind], Content] = Recent(
            CONTENT_CHARACTERS, _characters
        )
        self._requests: Recent[ExecutionId, MessageWrite] = Recent(
            CONTENT_CHARACTERS, lambda message: len(message.text)
        )
        self._locks: WeakValueDictionary[ExecutionId, asyncio.Lock] = WeakValueDictionary()

    # -- writing -------------------------------------------------------------------------------

    async def create(self, change: Change) -> None:
        """Store a new Execution. Raises AlreadyExists."""
        id = change.execution.id
        if not layout.possible(id):
            raise StoreError(f"{id[:120]!r} cannot be the id of an Execution; use a short word")
        commit = commit_of(None, change)
        attempts = Attempts(f"creating Execution {id}", self._patience)
        while True:
            try:
                version = await self._database.commit(commit.writes)
            except (Refused, Unsure) as error:
                await attempts.pause(error)
                found = (await self._get([layout.execution_path(id)])).values()
                if not found and isinstance(error, Exists):
                    raise StoreError(
                        f"Execution {id} does not exist, but documents below it do ({error}); "
                        "delete them, or use another id"
                    ) from error
                for document in found:
                    if not _has_mark(document, commit.mark):
                        raise AlreadyExists(f"Execution {id} exists already") from None
                    self._applied(change, self._parse(id, document))
                    return
            else:
                self._applied(change, replace(commit.after, version=version))
                return

    async def transact(self, execution: ExecutionId, command: Command) -> Execution:
        """Run a command and commit its Change, again on a newer state where others were first."""
        lock = self._locks.setdefault(execution, asyncio.Lock())
        async with lock:  # this process's commands need not get in each other's way
            attempts = Attempts(f"writing Execution {execution}", self._patience)
            known, read = self._known.get(execution), False
            while True:
                if known is None:
                    known, read = await self._read(execution), True
                try:
                    change = command(known.execution)
                except Exception:
                    if read:
                        raise
                    known = None
                    continue
                known = await self._write(known, change, attempts)
                if known is None:
                    return change.execution
                read = True

    async def _write(self, known: Known, change: Change, attempts: Attempts) -> Known | None:
        """Commit a Change; the newer state if others wrote before, None when it is done."""
        id = known.execution.id
        commit = commit_of(known, change)
        await self._archive(id, change.writes)
        unsure = False
        while True:
            try:
                version = await self._database.commit(commit.writes)
            except (Refused, Unsure) as error:
                unsure = unsure or isinstance(error, Unsure)
                await attempts.pause(error)
                now = await self._read(id)
                if commit.mark in now.marks:
                    self._applied(change, now)
                    return None
                if now.version != known.version:
                    if unsure and now.execution.rev - known.execution.rev > RECENT_MARKS:
                        raise Unavailable(
                            f"no answer came when Execution {id} was written, and others wrote so "
                            "much since that nobody can tell whether it was; look at it again"
                        ) from error
                    return now
                if isinstance(error, Exists):
                    raise StoreError(
                        f"Execution {id} does not know of a document below it ({error}); parts of "
                        "it were restored from different times: restore it whole"
                    ) from error
            else:
                self._applied(change, replace(commit.after, version=version))
                return None

    async def _archive(self, id: ExecutionId, writes: Iterable[Write]) -> None:
        """Copy a content that is about to be replaced to its revision's place; done twice is fine.

        It is a commit of its own, so that the old content takes no room from the new one.
        """
        for write in writes:
            if not isinstance(write, ContentWrite) or write.revision == 1:
                continue
            kind, revision = write.kind, write.revision - 1
            old = self._contents.get((id, kind))
            if old is not None and old.revision == revision:
                fields = layout.content_fields(old)
            else:
                path = layout.content_path(id, kind)
                found = (await self._get([path])).get(path)
                if found is None or found.fields.get("revision") != revision:
                    continue  # others were first: the commit will be refused
                fields = found.fields
            copy = DocumentWrite(
                How.PUT,
                layout.content_path(id, kind, revision),
                fields,
                f"revision {revision} of {kind}",
            )
            commit = partial(self._database.commit, [copy])
            await patiently(f"keeping {copy.what}", self._patience, commit)

    def _applied(self, change: Change, known: Known) -> None:
        """Remember what was written."""
        id = change.execution.id
        self._known.put(id, known)
        for write in change.writes:
            match write:
                case ContentWrite():
                    self._remember_content(id, _content(write))
                case MessageWrite() if write.seq == 1:
                    self._requests.put(id, write)

    # -- reading -------------------------------------------------------------------------------

    async def _get(self, paths: Sequence[str]) -> dict[str, Found]:
        what = "reading " + ", ".join(paths)
        return await patiently(what, self._patience, lambda: self._database.get(paths))

    async def _query(self, query: Query) -> Sequence[Found]:
        what = f"looking through {query.collection}"
        return await patiently(what, self._patience, lambda: self._database.query(query))

    async def _read(self, id: ExecutionId) -> Known:
        path = layout.execution_path(id)
        found = (await self._get([path])).get(path) if layout.possible(id) else None
        if found is None:
            self._known.drop(id)
            raise UnknownExecution(id)
        return self._parse(id, found)

    def _parse(self, id: ExecutionId, found: Found) -> Known:
        """The state in a document, which is parsed only if it is not the one that is remembered."""
        held = self._known.get(id)
        if held is not None and held.version == found.version:
            return held
        execution, events, marks = readback.read_execution(found.path, found.fields)
        sizes = {name: layout.field_bytes(name, value) for name, value in found.fields.items()}
        known = Known(execution, found.version, events, tuple(marks), sizes)
        if held is None or held.execution.rev < execution.rev:
            self._known.put(id, known)
        return known

    async def load(self, execution: ExecutionId) -> Execution:
        """The current state. Raises UnknownExecution."""
        return (await self._read(execution)).execution

    async def content(
        self, execution: ExecutionId, kind: Kind, revision: int | None = None
    ) -> Content | None:
        """A submitted content, the newest unless a revision is named."""
        if revision is None:
            return (await self.contents(execution, (kind,))).get(kind)
        if not layout.possible(execution):
            return None
        held = self._contents.get((execution, kind))
        if held is not None and held.revision == revision:
            return held
        paths = [layout.content_path(execution, kind, n) for n in (revision, None)]
        found = await self._get(paths)
        match = [f for f in found.values() if f.fields.get("revision") == revision][:1]
        return next(iter(await self._with_attachments(execution, match)), None)

    async def contents(self, execution: ExecutionId, kinds: Sequence[Kind]) -> dict[Kind, Content]:
        """The newest contents. Of those that are remembered, the Execution says if they are old."""
        if not layout.possible(execution):
            return {}
        held = {k: c for k in kinds if (c := self._contents.get((execution, k))) is not None}
        state = layout.execution_path(execution)
        paths = [layout.content_path(execution, kind) for kind in kinds if kind not in held]
        found = await self._get([*paths, state] if held else paths) if paths or held else {}
        if held:
            document = found.pop(state, None)
            if document is None:
                raise UnknownExecution(execution)
            now = self._parse(execution, document).execution.ledger.deliverables
            old = [kind for kind in held if held[kind].revision != now[kind].revision]
            if old:
                found |= await self._get([layout.content_path(execution, kind) for kind in old])
        for content in await self._with_attachments(execution, found.values()):
            self._remember_content(execution, content)
            held[content.kind] = content
        return {kind: held[kind] for kind in kinds if kind in held}

    async def _with_attachments(self, id: ExecutionId, found: Iterable[Found]) -> Sequence[Content]:
        """Contents whole: one further read of documents for the attachments of all."""
        read = [readback.read_content(document.path, document.fields) for document in found]
        places = {
            (content.kind, path): layout.attachment_path(id, content.kind, content.revision, path)
            for content, paths in read
            for path in paths
        }
        files = await self._get(list(places.values())) if places else {}

        def text(place: str) -> str:
            file = files.get(place)
            return readback.read_text(place, file.fields if file else None, "text")

        return [
            replace(
                content,
                attachments=tuple((path, text(places[content.kind, path])) for path in paths),
            )
            for content, paths in read
        ]

    def _remember_content(self, id: ExecutionId, content: Content) -> None:
        held = self._contents.get((id, content.kind))
        if held is None or held.revision < content.revision:
            self._contents.put((id, content.kind), content)

    async def events(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[Event]:
        """The history after a number: one read, where that is among the newest events."""
        recent = (known := await self._read(execution)).events
        first = recent[0].seq if recent else known.execution.last_event + 1
        earlier: list[Event] = []
        if after + 1 < first:
            newer = (Where("last", ">", after),)
            collection = layout.events_path(execution)
            for document in await self._query(Query(collection, newer, "last", limit=limit)):
                earlier.extend(readback.read_events(document.path, document.fields))
        found = [event for event in earlier if after < event.seq < first]
        return [*found, *(event for event in recent if event.seq > after)][:limit]

    async def messages(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[MessageWrite]:
        """What user and Orchestrator said. The request, which never changes, is remembered."""
        if not layout.possible(execution):
            return []
        if (after, limit) == (0, 1) and (request := self._requests.get(execution)) is not None:
            return [request]
        newer = (Where("number", ">", after),)
        query = Query(layout.messages_path(execution), newer, "number", limit=limit)
        found = [readback.read_message(d.path, d.fields) for d in await self._query(query)]
        for message in found[:1]:
            if message.seq == 1:
                self._requests.put(execution, message)
        return found

    async def pillars(self, execution: ExecutionId, basis: int) -> dict[str, str]:
        """Finished pillar sections of a basis."""
        if not layout.possible(execution):
            return {}
        same = (Where("basis", "==", basis),)
        found = await self._query(Query(layout.pillars_path(execution), same))
        return {
            readback.read_text(d.path, d.fields, "pillar"): readback.read_text(
                d.path, d.fields, "content"
            )
            for d in found
        }

    async def list(
        self,
        *,
        owner: str | None = None,
        session: SessionId | None = None,
        limit: int = 100,
    ) -> Sequence[Summary]:
        """Executions, the most recently changed first; one that cannot be read is left out."""
        wanted = (("owner", owner), ("session_id", session))
        where = tuple(Where(name, "==", value) for name, value in wanted if value is not None)
        query = Query(layout.EXECUTIONS, where, "updated_at", True, limit, layout.SUMMARY)
        summaries = []
        for document in await self._query(query):
            try:
                summaries.append(readback.read_summary(document.path, document.fields))
            except Unreadable as error:
                log.warning("left out of a list: %s", error)
        return summaries

    async def stalled(self, before: datetime, limit: int = 100) -> Sequence[ExecutionId]:
        """Executions whose ``stalls_at`` lies before a moment, the longest stalled first."""
        where = (Where("stalls_at", "<", before),)
        query = Query(layout.EXECUTIONS, where, "stalls_at", False, limit, ("stalls_at",))
        return [ExecutionId(d.path.rpartition("/")[2]) for d in await self._query(query)]


def _has_mark(document: Found, mark: str) -> bool:
    marks = document.fields.get("recent_writes")
    return isinstance(marks, list) and mark in marks


def _content(write: ContentWrite) -> Content:
    return Content(
        write.kind, write.revision, write.content, write.attachments, write.digest, write.at
    )


def _characters(content: Content) -> int:
    return len(content.content) + sum(len(text) for _, text in content.attachments)
