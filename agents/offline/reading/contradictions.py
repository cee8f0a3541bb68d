"""Statements of a request that cannot both hold, found by rules; named, never smoothed over.

Each rule looks at the figures and sentences of one request and returns the two statements in the
user's words, why they collide with the request's own numbers, and what the planner suggests.
"""

from __future__ import annotations

import re

from agents.offline.facts import Contradiction
from agents.offline.reading.case import Case, Named
from agents.offline.reading.clashes_figures import FIGURE_RULES
from agents.offline.reading.clashes_words import WORD_RULES

__all__ = ["RULES", "Case", "Named", "contradictions"]

RULES = (*FIGURE_RULES, *WORD_RULES)
"""All rules, in the order in which their findings are named."""

_ALONE = re.compile(
    r"single (?:zone|region|server)|one (?:zone|region|server)|no HA\b|\bon-?call\b|weekend|nightly"
    r"|\ba month\b|[$€£]",
    re.IGNORECASE,
)
_JOINT = re.compile(r",\s|;\s|:\s|\s(?:and|but|und|aber|et|mais|y|pero)\s")
_TOKEN = re.compile(r"\d[\d.,]*\d|\d|\b(?:RTO|RPO)\b")


def contradictions(case: Case) -> tuple[Contradiction, ...]:
    """Everything that the rules find, in their order."""
    found = [rule(case) for rule in RULES]
    return tuple(_apart(c) for c in found if c is not None)


def _apart(c: Contradiction) -> Contradiction:
    """Two clauses where both statements stand in one sentence that has two."""
    parts = [p for part in _JOINT.split(c.first) if len(p := part.strip(" .")) > 5]
    if c.first != c.second or len(parts) < 2:
        return c
    # The explanation speaks of the first statement first: its clause is the one it names earliest.
    first = min(parts, key=lambda p: (_named_at(p, c.why), parts.index(p)))
    rest = [p for p in parts if p != first] or parts[-1:]
    second = next((p for p in reversed(rest) if _ALONE.search(p)), rest[-1])
    return c.model_copy(update={"first": first, "second": second})


def _named_at(part: str, why: str) -> int:
    """Where the explanation first names a number or a name of this clause."""
    places = [m.start() for token in set(_TOKEN.findall(part)) for m in _whole(token).finditer(why)]
    return min(places, default=len(why))


def _whole(token: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,]){re.escape(token)}(?![\w])")
