"""How an Execution lies in a document database: names, paths, sizes. Pure, no client.

::

    executions/{id}                                 the state; also the newest events
    executions/{id}/events/{000001}                 earlier events, some to a document, by the first
    executions/{id}/messages/{000001}               user and Orchestrator
    executions/{id}/deliverables/{kind}             current content
    executions/{id}/deliverables/{kind}/revisions/{0001}              earlier contents
    executions/{id}/deliverables/{kind}/attachments/{0001-main.tf}    of every revision, by number
    executions/{id}/pillars/{basis}-{pillar}        finished pillar sections

Operators read these documents: names are words, times are timestamps, nested fields that have their
default are left out. A document never holds an array inside an array, which Firestore refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import quote

from engine.deliverables import Kind
from engine.execution import (
    AskedQuestion,
    ContentWrite,
    Event,
    Execution,
    ExecutionId,
    MessageWrite,
    PillarWrite,
    TurnState,
)
from engine.ledger import DeliverableState, PhaseState, Value
from engine.ports import Content, StoreError

Plain: TypeAlias = "bool | int | str | datetime | list[Plain] | dict[str, Plain] | None"
"""What a field can hold."""
Fields: TypeAlias = dict[str, Plain]

DOCUMENT_BYTES = 1_048_576
"""The largest document, as Firestore counts (documentation: Storage size calculations)."""

EXECUTIONS = "executions"
SUMMARY = (
    "id",
    "session_id",
    "owner",
    "title",
    "mode",
    "status",
    "phase",
    "waiting_for",
    "created_at",
    "updated_at",
)
"""The fields of an Execution's document that a list needs."""

_PLACE = re.compile(r"(?!\.{1,2}$)(?!__.*__$)[^/]{1,1000}")


# -- paths -------------------------------------------------------------------------------------


def possible(id: str) -> bool:
    """Whether a document can have this id."""
    return _PLACE.fullmatch(id) is not None


def execution_path(execution: ExecutionId) -> str:
    """The state."""
    return f"{EXECUTIONS}/{execution}"


def events_path(execution: ExecutionId, first: int | None = None) -> str:
    """The earlier events; those of one document by the number of its first."""
    return f"{EXECUTIONS}/{execution}/events" + ("" if first is None else f"/{first:06d}")


def messages_path(execution: ExecutionId, number: int | None = None) -> str:
    """The messages, or one of them."""
    return f"{EXECUTIONS}/{execution}/messages" + ("" if number is None else f"/{number:06d}")


def pillars_path(execution: ExecutionId) -> str:
    """The pillar sections."""
    return f"{EXECUTIONS}/{execution}/pillars"


def pillar_path(execution: ExecutionId, pillar: PillarWrite) -> str:
    """A pillar section."""
    return f"{pillars_path(execution)}/{pillar.basis}-{pillar.pillar}"


def content_path(execution: ExecutionId, kind: Kind, revision: int | None = None) -> str:
    """The current content of a Deliverable, or the place of an earlier one."""
    path = f"{EXECUTIONS}/{execution}/deliverables/{kind.value}"
    return path if revision is None else f"{path}/revisions/{revision:04d}"


def attachment_path(execution: ExecutionId, kind: Kind, revision: int, path: str) -> str:
    """An attachment; a slash cannot stand in an id, so its path is percent-encoded."""
    place = f"{revision:04d}-{quote(path, safe='')}"
    if not possible(place):
        raise StoreError(f"attachment {path[:120]!r} of {kind} has a path that is too long to keep")
    return f"{content_path(execution, kind)}/attachments/{place}"


# -- sizes -------------------------------------------------------------------------------------


def value_bytes(value: Plain) -> int:
    """Bytes that Firestore counts for a value. Raises UnicodeEncodeError for half a character."""
    if value is None or isinstance(value, bool):
        return 1
    if isinstance(value, str):
        return 1 + (len(value) if value.isascii() else len(value.encode()))
    if isinstance(value, list):  # an empty one takes a byte, as the emulator counts
        return sum(map(value_bytes, value)) or 1
    if isinstance(value, dict):
        return sum(field_bytes(name, inner) for name, inner in value.items()) or 1
    return 8


def field_bytes(name: str, value: Plain) -> int:
    """Bytes of a field with its name."""
    return len(name.encode()) + 1 + value_bytes(value)


def path_bytes(path: str) -> int:
    """Bytes that count for a document whatever it holds."""
    return len(path.encode()) + 1 + 16 + 32


# -- writing -----------------------------------------------------------------------------------

NAMES: dict[type[Value], dict[str, str]] = {
    Execution: {"graph": "graph_fingerprint", "work": "delegations"},
    TurnState: {"n": "number"},
    Event: {"seq": "number"},
}
_SHOWN = {
    DeliverableState: ("state", "revision"),
    PhaseState: ("status",),
    TurnState: ("n", "due"),
}
"""Nested fields that are written although they have their default."""
_NO_DEFAULT = object()


def _sources(value: tuple[tuple[Kind, str], ...]) -> Plain:
    return [{"deliverable": kind.value, "question": question} for kind, question in value]


@cache
def _plan(model: type[Value]) -> tuple[tuple[str, str, object, Callable[[Any], Plain]], ...]:
    """For each field: attribute, name in the document, the default to leave out, how to write."""
    names = NAMES.get(model, {})
    shown = tuple(model.model_fields) if model is Execution else _SHOWN.get(model, ())
    return tuple(
        (
            attribute,
            names.get(attribute, attribute),
            _NO_DEFAULT
            if attribute in shown or info.is_required()
            else info.get_default(call_default_factory=True),
            _sources if model is AskedQuestion and attribute == "sources" else plain,
        )
        for attribute, info in model.model_fields.items()
    )


def plain(value: Any) -> Plain:
    """A value of the core as fields: models and dicts as maps, enums as their words."""
    if value is None or type(value) in (str, int, bool):
        return value  # type: ignore[no-any-return]
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Value):
        return _fields(value)
    if isinstance(value, datetime):
        return value
    if isinstance(value, dict):
        return {str(plain(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_element(inner) for inner in value]
    raise TypeError(f"{type(value).__name__} has no form in a document")


def _element(value: Any) -> Plain:
    if isinstance(value, list | tuple):
        raise TypeError("an array inside an array has no form in a document")
    return plain(value)


def _fields(value: Value) -> Fields:
    held = value.__dict__
    return {
        name: write(held[attribute])
        for attribute, name, default, write in _plan(type(value))
        if default is _NO_DEFAULT or held[attribute] != default
    }


def execution_fields(execution: Execution) -> Fields:
    """All fields of an Execution, and the two that are derived so that one can look for them."""
    return {**_fields(execution), **_derived(execution)}


def changed_fields(before: Execution, after: Execution) -> Fields:
    """The fields in which an Execution's document changes."""
    old, new = before.__dict__, after.__dict__
    patch = {
        name: write(new[attribute])
        for attribute, name, _, write in _plan(Execution)
        if new[attribute] is not old[attribute] and new[attribute] != old[attribute]
    }
    derived = _derived(before)
    patch.update((k, v) for k, v in _derived(after).items() if v != derived[k])
    return patch


def _derived(execution: Execution) -> Fields:
    return {
        "phase": execution.phase.value,
        "waiting_for": execution.wait.kind.value if execution.wait else None,
    }


def events_fields(events: Sequence[Event]) -> Fields:
    """Several events in one document."""
    return {"first": events[0].seq, "last": events[-1].seq, "events": [_fields(e) for e in events]}


def message_fields(message: MessageWrite) -> Fields:
    """A message."""
    return {
        "number": message.seq,
        "role": message.role,
        "by": message.by,
        "text": message.text,
        "at": message.at,
    }


def content_fields(content: Content | ContentWrite) -> Fields:
    """A content; of its attachments the paths, in order."""
    return {
        "kind": content.kind.value,
        "revision": content.revision,
        "content": content.content,
        "attachments": [path for path, _ in content.attachments],
        "digest": content.digest,
        "submitted_at": content.at,
    }


def attachment_fields(content: ContentWrite, path: str, text: str) -> Fields:
    """An attachment."""
    return {"path": path, "revision": content.revision, "text": text}


def pillar_fields(pillar: PillarWrite) -> Fields:
    """A finished pillar section."""
    return {"basis": pillar.basis, "pillar": plain(pillar.pillar), "content": pillar.content}
