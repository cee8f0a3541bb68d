"""What one command writes, as the documents of one atomic commit. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.execution import (
    Change,
    ContentWrite,
    Event,
    Execution,
    ExecutionId,
    MessageWrite,
    PillarWrite,
    Write,
)
from engine.ports import StoreError
from engine.stores import layout
from engine.stores.database import DocumentWrite, How, TooLarge

RECENT_EVENTS = 8
RECENT_EVENT_CHARACTERS = 8_000
"""So many events, or characters of their details, leave the Execution's document together."""
RECENT_MARKS = 16
"""Marks of commits that a document keeps: so many others may write before an answer is missed."""


@dataclass(frozen=True, slots=True)
class Known:
    """An Execution's document as it was read or written; ``sizes`` are the bytes of its fields."""

    execution: Execution
    version: object
    events: tuple[Event, ...]
    marks: tuple[str, ...]
    sizes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Commit:
    """What one command writes, and the document afterwards (without its version)."""

    writes: tuple[DocumentWrite, ...]
    mark: str
    after: Known


def commit_of(known: Known | None, change: Change) -> Commit:
    """All documents of a Change. Raises TooLarge, or StoreError for what no document can hold."""
    after = change.execution
    mark = secrets.token_hex(6)
    marks = (*(known.marks if known else ()), mark)[-RECENT_MARKS:]
    events = (*(known.events if known else ()), *change.events)
    writes = [w for write in change.writes for w in _documents(after.id, write)]
    if _leave(events):
        path = layout.events_path(after.id, events[0].seq)
        what = f"the events from {events[0].seq} on"
        writes.append(DocumentWrite(How.CREATE, path, layout.events_fields(events), what))
        events = ()
    if known is None:
        fields = layout.execution_fields(after)
    else:
        fields = layout.changed_fields(known.execution, after)
    if known is None or change.events:
        fields["recent_events"] = [layout.plain(event) for event in events]
    fields["recent_writes"] = layout.plain(marks)
    state = DocumentWrite(
        How.CREATE if known is None else How.UPDATE,
        layout.execution_path(after.id),
        fields,
        f"the document of Execution {after.id}",
        known.version if known else None,
    )
    for write in writes:
        _check_size(write)
    sizes = _check_size(state, known.sizes if known else {})
    afterwards = Known(after, None, events, marks, sizes)
    return Commit((state, *writes), mark, afterwards)


def _leave(events: Sequence[Event]) -> bool:
    """Whether the newest events have become too many for the Execution's document."""
    details = sum(len(event.detail or "") for event in events)
    return len(events) >= RECENT_EVENTS or details > RECENT_EVENT_CHARACTERS


def _documents(id: ExecutionId, write: Write) -> list[DocumentWrite]:
    match write:
        case ContentWrite():
            what = f"{write.kind} (revision {write.revision})"
            content = DocumentWrite(
                How.PUT,
                layout.content_path(id, write.kind),
                layout.content_fields(write),
                f"the content of {what}",
            )
            # A Revision moves it to a longer path, where it must fit as well.
            _check_size(replace(content, path=layout.content_path(id, write.kind, write.revision)))
            files = [
                DocumentWrite(
                    How.CREATE,
                    layout.attachment_path(id, write.kind, write.revision, path),
                    layout.attachment_fields(write, path, text),
                    f"attachment {path} of {what}",
                )
                for path, text in write.attachments
            ]
            if len({file.path for file in files}) < len(files):
                raise StoreError(f"{what} has two attachments with one path; nothing was written")
            return [content, *files]
        case MessageWrite():
            path = layout.messages_path(id, write.seq)
            fields = layout.message_fields(write)
            what = "the request" if write.seq == 1 else f"message {write.seq}"
            return [DocumentWrite(How.CREATE, path, fields, what)]
        case PillarWrite():
            path = layout.pillar_path(id, write)
            what = f"the section on {write.pillar}"
            return [DocumentWrite(How.PUT, path, layout.pillar_fields(write), what)]


def _check_size(write: DocumentWrite, other: dict[str, int] | None = None) -> dict[str, int]:
    """The bytes of a document's fields, those that stay the same from ``other``."""
    try:
        new = {name: layout.field_bytes(name, value) for name, value in write.fields.items()}
    except UnicodeEncodeError:
        raise StoreError(
            f"{write.what} holds half a character (a lone surrogate); remove it, nothing was "
            "written"
        ) from None
    sizes = {**(other or {}), **new}
    size = layout.path_bytes(write.path) + sum(sizes.values())
    if size > layout.DOCUMENT_BYTES:
        raise TooLarge(
            f"{write.what} takes {size:,} bytes, more than the {layout.DOCUMENT_BYTES:,} that one "
            "document holds; shorten it, or move parts into attachments. Nothing was written"
        )
    return sizes
