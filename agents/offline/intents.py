"""What feedback asks for: components to add, remove, split, merge or rename, products to use.

Feedback is free text of a person. What is recognised here is applied; what is not is kept as
words, so that a writer can record it where it belongs instead of dropping it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from agents.offline.signals import sentences


class Act(StrEnum):
    """What is asked of a thing."""

    ADD = "add"
    REMOVE = "remove"
    SPLIT = "split"
    MERGE = "merge"
    RENAME = "rename"
    USE = "use"
    AVOID = "avoid"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Intent:
    """One ask: the act, what it is done to, what with, and the words that asked."""

    act: Act
    target: str
    other: str = ""
    words: str = ""


_LEAD = (
    r"^(?:please|kindly|also|then|and|but|could you|can you|can we|we should|you should|"
    r"let us|let's|i want to|we want to|i would|we would|i'd|we'd|just)\s+"
)
_ARTICLE = r"(?:(?:a|an|the|our|another|one|some|any|more)\s+)?"
_RULES: tuple[tuple[Act, str], ...] = (
    (Act.RENAME, r"\brename\s+(?:the\s+)?(?P<a>.+?)\s+(?:to|into|as)\s+(?P<b>.+)$"),
    (Act.RENAME, r"\bcall\s+(?:the\s+)?(?P<a>.+?)\s+[\"“'](?P<b>[^\"”']+)[\"”']"),
    (
        Act.SPLIT,
        r"\bsplit\s+(?:up\s+)?(?:the\s+)?(?P<a>.+?)(?:\s+(?:up\s+)?(?:into|in)\s+(?P<b>.+))?$",
    ),
    (
        Act.MERGE,
        (
            r"\b(?:merge|combine|join)\s+(?:the\s+)?(?P<a>.+?)\s+(?:and|with|"
            r"into)\s+(?:the\s+)?(?P<b>.+)$"
        ),
    ),
    (Act.USE, r"\breplace\s+(?:the\s+)?(?P<b>.+?)\s+(?:with|by)\s+(?P<a>.+)$"),
    (Act.USE, r"\b(?P<b>[\w /-]+?)\s*(?:->|→|=>)\s*(?P<a>[\w /-]+)$"),
    (Act.USE, r"\bswap\s+(?:the\s+)?(?P<b>.+?)\s+for\s+(?P<a>.+)$"),
    (
        Act.USE,
        r"\b(?:use|prefer|take|choose|pick|select|go (?:for|with)|switch to|move to|"
        r"change to|want)\s+"
        r"(?P<a>.+?)\s+(?:instead of|rather than|over|not|in place of)\s+(?P<b>.+)$",
    ),
    (Act.USE, r"\b(?P<a>.+?)\s+(?:instead of|rather than)\s+(?P<b>.+)$"),
    (
        Act.AVOID,
        r"\b(?:avoid|do not use|don't use|never use|not use|stop using|no longer use|must not use|"
        r"without using)\s+(?P<a>.+)$",
    ),
    (
        Act.REMOVE,
        r"\b(?:remove|drop|delete|leave out|take out|get rid of|omit|skip)\s+"
        + _ARTICLE
        + r"(?P<a>.+)$",
    ),
    (
        Act.REMOVE,
        r"\b(?:do not|don't|does not|doesn't) (?:need|want)\s+" + _ARTICLE + r"(?P<a>.+)$",
    ),
    (
        Act.REMOVE,
        r"^(?:the\s+)?(?P<a>.+?)\s+(?:is|are|seems?)\s+(?:not (?:needed|necessary|required|wanted)|"
        r"unnecessary|superfluous|needless|too much|redundant)\b",
    ),
    (
        Act.REMOVE,
        r"^(?:the\s+)?(?P<a>.+?)\s+(?:isn't|aren't|can go|can be (?:dropped|removed)|should go)\b",
    ),
    (Act.REMOVE, r"^(?:no|without)\s+" + _ARTICLE + r"(?P<a>.+)$"),
    (Act.ADD, r"\b(?:add|include|introduce|insert|put in)\s+" + _ARTICLE + r"(?P<a>.+)$"),
    (
        Act.ADD,
        r"\b(?:there is no|there's no|is missing|lacks?|missing:?)\s+" + _ARTICLE + r"(?P<a>.+)$",
    ),
    (Act.ADD, r"\b(?:the )?(?P<a>.+?)\s+is missing$"),
    (Act.ADD, r"\b(?:we|you|i) (?:also )?need\s+" + _ARTICLE + r"(?P<a>.+)$"),
    (
        Act.USE,
        (
            r"\b(?:use|prefer|take|choose|pick|select|go (?:for|with)|switch to|move to|"
            r"change to)\s+(?P<a>.+)$"
        ),
    ),
)
_COMPILED = tuple((act, re.compile(pattern, re.I)) for act, pattern in _RULES)
_VERBS = (
    r"add|remove|drop|rename|split|merge|combine|use|avoid|replace|include|introduce|prefer|delete|"
    r"don't|do not|no|without|switch|call|leave"
)
_BREAKS = re.compile(
    rf"\s*(?:,|;|\band\b|\bbut\b|\bthen\b)\s+(?=(?:and |also |then |please )?(?:{_VERBS})\b)", re.I
)
_TAIL = re.compile(
    r"\s+(?:because|since|as we|so that|please|in order to|for (?:that|this) reason)\b.*$", re.I
)


def _clean(words: str | None) -> str:
    text = _TAIL.sub("", (words or "").strip())
    text = re.sub(r"^(?:a|an|the|our|another)\s+", "", text, flags=re.I)
    text = re.sub(r"\s+components?$", "", text.strip(" .!\"“”'"), flags=re.I)
    return " ".join(text.split())


def intents(feedback: Iterable[str]) -> tuple[Intent, ...]:
    """Every ask of these feedback texts, in order; what fits no rule becomes a NOTE."""
    found: list[Intent] = []
    for text in feedback:
        for sentence in sentences(text):
            clauses = [c for half in sentence.split("; ") for c in _BREAKS.split(half)]
            for clause in clauses:
                if intent := _one(clause):
                    found.append(intent)
    return tuple(found)


def _one(clause: str) -> Intent | None:
    words = " ".join(clause.split()).strip(" .!,;")
    while (shorter := re.sub(_LEAD, "", words, flags=re.I)) != words:
        words = shorter
    if len(words) < 3:
        return None
    for act, pattern in _COMPILED:
        match = pattern.search(words)
        if match:
            groups = match.groupdict()
            target = _clean(groups.get("a"))
            if target:
                return Intent(act, target, _clean(groups.get("b")), words)
    return Intent(Act.NOTE, words, "", words)


HISTORY = "Changed in this Revision"
_QUOTED = re.compile(r"^- Revision request “(?P<words>.+?)”: ", re.M)


def history(previous: str) -> tuple[str, ...]:
    """The Revision requests that an earlier content of the Deliverable already took up."""
    return tuple(dict.fromkeys(match["words"] for match in _QUOTED.finditer(previous)))


def recorded(words: str, effect: str) -> str:
    """The line that records a Revision request and what was altered for it."""
    flat = " ".join(words.replace("“", "'").replace("”", "'").split())
    return f"- Revision request “{flat}”: {effect}"
