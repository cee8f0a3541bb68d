"""Hypothesis strategies for the core's values: every field set, whatever the rules would allow."""

from __future__ import annotations

import re
import types
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic import BaseModel

from engine.deliverables import Phase
from engine.execution import Event, Execution, ScriptedAnswer

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
MOMENTS = st.datetimes(
    min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
)
NUMBERS = st.integers(-(2**63), 2**63 - 1)


def of(annotation: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(of, inner))
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return st.lists(of(inner[0]), max_size=2).map(tuple)
        return st.tuples(*map(of, inner))
    if origin is dict and inner[0] is Phase:  # all four are there in every Ledger
        return st.fixed_dictionaries({phase: of(inner[1]) for phase in Phase})
    if origin is dict:
        return st.dictionaries(of(inner[0]), of(inner[1]), max_size=3)
    annotation = getattr(annotation, "__supertype__", annotation)
    known = {str: TEXT, int: NUMBERS, bool: st.booleans(), datetime: MOMENTS, type(None): st.none()}
    if annotation in known:
        return known[annotation]
    if issubclass(annotation, Enum):
        return st.sampled_from(annotation)
    if annotation is ScriptedAnswer:  # its pattern must be one
        return st.builds(ScriptedAnswer, pattern=TEXT.map(re.escape), answer=TEXT)
    if issubclass(annotation, BaseModel):
        hints = get_type_hints(annotation)
        return st.builds(annotation, **{n: of(hints[n]) for n in annotation.model_fields})
    raise TypeError(f"no strategy for {annotation}")


def executions() -> st.SearchStrategy[Execution]:
    """Executions of this version, with any value in every other field."""
    return of(Execution).map(lambda e: e.having(schema_version=1))


def events() -> st.SearchStrategy[Event]:
    """Events."""
    return of(Event)
