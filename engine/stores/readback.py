"""Documents read back into the core's values (``layout`` says how they were written). Pure."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from engine.deliverables import Kind, Phase
from engine.execution import (
    SCHEMA_VERSION,
    Event,
    Execution,
    ExecutionId,
    MessageWrite,
    Mode,
    SessionId,
    Status,
    TurnState,
    WaitKind,
)
from engine.ledger import Value
from engine.ports import Content, Summary, Unreadable
from engine.stores.layout import NAMES, Fields

_BAD = (ValidationError, KeyError, TypeError, ValueError, AttributeError)
_DERIVED = ("phase", "waiting_for")
_NEEDED = ("schema_version", "rev", "last_event")
"""Fields that the model would fill in, but without which a document is damaged."""


def _unreadable(path: str, error: Exception) -> Unreadable:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    elif isinstance(error, KeyError):
        why = f"{error.args[0]} is missing"
    else:
        why = str(error)
    return Unreadable(
        f"the document {path} cannot be read ({why}); it is damaged, or a newer version of this "
        "program wrote it"
    )


def read_execution(path: str, fields: Fields) -> tuple[Execution, tuple[Event, ...], list[str]]:
    """The state, the newest events and the marks of the latest writes. Raises Unreadable."""
    version = fields.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise Unreadable(
            f"the document {path} has version {version} and this program knows {SCHEMA_VERSION}; "
            "use the version of the program that wrote it"
        )
    try:
        data: dict[str, Any] = dict(fields)
        for name in _DERIVED:
            data.pop(name, None)
        events = tuple(_event(event) for event in data.pop("recent_events"))
        marks = [str(mark) for mark in data.pop("recent_writes")]
        for name in _NEEDED:
            if name not in data:
                raise KeyError(name)
        for attribute, name in NAMES[Execution].items():
            data[attribute] = data.pop(name)
        data["turn"] = _renamed(data["turn"], TurnState)
        if data["wait"] is not None:
            data["wait"] = _wait(data["wait"])
        return Execution.model_validate(data), events, marks
    except _BAD as error:
        raise _unreadable(path, error) from None


def _renamed(fields: dict[str, Any], model: type[Value]) -> dict[str, Any]:
    fields = dict(fields)
    for attribute, name in NAMES[model].items():
        fields[attribute] = fields.pop(name)
    return fields


def _event(fields: dict[str, Any]) -> Event:
    return Event.model_validate(_renamed(fields, Event))


def _wait(fields: dict[str, Any]) -> dict[str, Any]:
    questions = [
        {**q, "sources": [(s["deliverable"], s["question"]) for s in q["sources"]]}
        if "sources" in q
        else q
        for q in fields.get("questions", ())
    ]
    return {**fields, "questions": questions}


def read_events(path: str, fields: dict[str, Any]) -> list[Event]:
    """The events of one document. Raises Unreadable."""
    try:
        return [_event(event) for event in fields["events"]]
    except _BAD as error:
        raise _unreadable(path, error) from None


def read_message(path: str, fields: dict[str, Any]) -> MessageWrite:
    """A message. Raises Unreadable."""
    try:
        return MessageWrite(
            fields["number"], fields["role"], fields["by"], fields["text"], fields["at"]
        )
    except _BAD as error:
        raise _unreadable(path, error) from None


def read_content(path: str, fields: dict[str, Any]) -> tuple[Content, tuple[str, ...]]:
    """A content without its attachments, and their paths. Raises Unreadable."""
    try:
        content = Content(
            Kind(fields["kind"]),
            fields["revision"],
            fields["content"],
            (),
            fields["digest"],
            fields["submitted_at"],
        )
        return content, tuple(fields["attachments"])
    except _BAD as error:
        raise _unreadable(path, error) from None


def read_text(path: str, fields: Fields | None, name: str) -> str:
    """A text that must be there. Raises Unreadable."""
    text = None if fields is None else fields.get(name)
    if not isinstance(text, str):
        raise _unreadable(path, KeyError(name if fields else "the document itself"))
    return text


def read_summary(path: str, fields: dict[str, Any]) -> Summary:
    """One line of a list. Raises Unreadable."""
    try:
        waiting = fields["waiting_for"]
        return Summary(
            ExecutionId(fields["id"]),
            SessionId(fields["session_id"]),
            fields["owner"],
            fields["title"],
            Mode(fields["mode"]),
            Status(fields["status"]),
            Phase(fields["phase"]),
            WaitKind(waiting) if waiting else None,
            fields["created_at"],
            fields["updated_at"],
        )
    except _BAD as error:
        raise _unreadable(path, error) from None
