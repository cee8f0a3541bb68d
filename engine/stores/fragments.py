"""Writes an Execution as JSON, and again only those parts that changed since the last time.

A command shares everything that it does not change with the value that it started from, so a part
that is the very same object has the very same text. A commit changes two or three parts of some
fifty; writing all of them anew was the largest single cost of a commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from engine.execution import Execution
from engine.ledger import Ledger, Value

_DEEP = (Execution, Ledger)
"""What is taken apart into its fields; every other value is written in one piece."""


class Fragment:
    """A value with its text; ``parts`` are the fragments of its fields or entries."""

    __slots__ = ("parts", "text", "value")

    def __init__(self, value: Any, text: str, parts: dict[str, Fragment] | None = None) -> None:
        self.value = value
        self.text = text
        self.parts = parts


def fragment(value: Any, before: Fragment | None) -> Fragment:
    """The fragment of ``value``, taking over from ``before`` what is the same object.

    Fields that have their default are left out, as ``exclude_defaults`` does.
    """
    if before is not None and before.value is value:
        return before
    if isinstance(value, _DEEP):
        fields = type(value).__pydantic_fields__
        entries = {
            name: part
            for name, part in value.__dict__.items()
            if fields[name].default != part or fields[name].default_factory is not None
        }
        return _whole(value, entries, before)
    if isinstance(value, dict):
        return _whole(value, value, before)
    if isinstance(value, Value):
        found = value.__pydantic_serializer__.to_json(value, exclude_defaults=True)
        return Fragment(value, found.decode())
    return Fragment(value, to_json(value).decode())


def _whole(value: Any, entries: Mapping[str, Any], before: Fragment | None) -> Fragment:
    known = (before.parts if before is not None else None) or {}
    parts = {name: fragment(part, known.get(name)) for name, part in entries.items()}
    text = ",".join(f'"{name}":{part.text}' for name, part in parts.items())
    return Fragment(value, f"{{{text}}}", parts)
