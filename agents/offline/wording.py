"""Words: significant ones, clauses cut to length, lists in prose."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CLAUSE = re.compile(r"[,;:(]\s+|\s[-–]\s|\band that\b\s*|\bbut\b\s*|(?<=[.!?])\s")


_WORD = re.compile(r"[^\W_]{3,}")


_COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "from",
        "are",
        "was",
        "our",
        "must",
        "has",
        "have",
        "not",
        "all",
        "any",
        "can",
        "they",
        "them",
        "their",
        "but",
        "which",
        "what",
        "when",
        "where",
        "should",
        "shall",
        "will",
        "would",
        "one",
        "two",
        "per",
        "day",
        "each",
        "every",
        "into",
        "out",
        "its",
        "been",
        "more",
        "than",
        "least",
        "most",
        "only",
        "also",
        "there",
        "about",
        "you",
        "who",
        "use",
        "used",
        "get",
        "got",
    ]
)


def tokens(text: str) -> frozenset[str]:
    """Significant words of a text, lower case, without a plural s."""
    return frozenset(
        word.rstrip("s") for w in _WORD.findall(text) if (word := w.lower()) not in _COMMON
    )


def clip(text: str, limit: int = 110) -> str:
    """The first clause of a sentence, at most ``limit`` characters, without a final full stop."""
    text = " ".join(text.split()).rstrip(".;: ")
    if len(text) <= limit:
        return text
    cut = text[: limit + 1]
    for mark in (". ", "; ", ": ", ", ", " - ", " "):
        at = cut.rfind(mark)
        if at > limit // 2:
            return cut[:at].rstrip(",;:. ") + " …"
    return cut[:limit].rstrip() + " …"


def around(sentence: str, pattern: str, limit: int = 100) -> str:
    """The part of a sentence that holds a match, from the clause in which it begins."""
    match = re.search(pattern, sentence, re.I)
    if match is None or len(sentence) <= limit:
        return clip(sentence, limit)
    starts = [m.end() for m in _CLAUSE.finditer(sentence) if m.end() <= match.start()]
    start = max(starts, default=0)
    if match.end() - start > limit - 10:
        start = sentence.rfind(" ", 0, max(1, match.start() - limit // 3)) + 1
    return ("… " if start else "") + clip(sentence[start:], limit)


class Said(str):
    """A sentence of the request with the pattern that found it, so that it can be cut well."""

    __slots__ = ("pattern",)
    pattern: str

    @classmethod
    def of(cls, sentence: str, pattern: str) -> Said:
        """The sentence as found by the pattern."""
        said = cls(sentence)
        said.pattern = pattern
        return said


def listed(items: Iterable[str]) -> str:
    """``a, b and c``."""
    parts = [i for i in items if i]
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
