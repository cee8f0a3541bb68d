"""What the rules about contradictions look at: one request, and questions about its words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from agents.offline.facts import Contradiction, Figure, Measure
from agents.offline.reading.negation import negated
from agents.offline.reading.places import Locations
from agents.offline.reading.text import Sentence, at_words
from agents.offline.reading.words import money_text

IN_USD = {"EUR": 1.1, "USD": 1.0, "GBP": 1.25, "CHF": 1.1, "CAD": 0.73, "AUD": 0.65, "INR": 0.012,
           "SEK": 0.095, "NOK": 0.095, "DKK": 0.145, "PLN": 0.25, "JPY": 0.0067, "SGD": 0.75,
           "BRL": 0.18}  # fmt: skip
"""Rough rates; they only tell a small budget from a large one."""


@dataclass(frozen=True, slots=True)
class Named:
    """A product of the catalogue that the request names, and the sentence that names it.

    ``denied`` is True where the words reject it ("instead of …").
    """

    name: str
    status: str
    selectable: bool
    sentence: str
    denied: bool = False


@dataclass(frozen=True)
class Case:
    """What the rules look at."""

    sentences: tuple[Sentence, ...]
    figures: tuple[Figure, ...]
    locations: Locations
    products: tuple[Named, ...] = ()

    def says(self, pattern: str) -> str:
        """The first sentence that matches and does not deny what matched, or ""."""
        for sentence, start, end in self._hits(pattern):
            if not negated(sentence, start, end):
                return sentence
        return ""

    def matches(self, pattern: str, *, but: str = "", unless: str = "") -> str:
        """The first sentence that matches, is not ``but``, and does not match ``unless``."""
        for sentence, _, _ in self._hits(pattern):
            if sentence != but and not (unless and re.search(unless, sentence, re.IGNORECASE)):
                return sentence
        return ""

    def figure(self, measure: Measure, *, largest: bool = False) -> Figure | None:
        """The demand of a measure: the smallest value, or the largest."""
        found = [
            f
            for f in self.figures
            if f.measure is measure and not f.current and f.value is not None
        ]
        if not found:
            return None
        pick = max if largest else min
        return pick(found, key=lambda f: (f.value or 0.0, -len(f.text) if largest else len(f.text)))

    @property
    def budget(self) -> tuple[Figure, float] | None:
        """The budget of a month, and its rough value in US dollars for comparisons."""
        figure = next(
            (f for f in self.figures if f.measure is Measure.BUDGET and not f.current), None
        )
        if figure is None or figure.value is None:
            return None
        return figure, figure.value * IN_USD.get(figure.unit, 1.0)

    @cached_property
    def _whole(self) -> tuple[str, list[int]]:
        """All sentences in one text, a full stop between them, and where each starts."""
        starts, text = [], []
        at = 0
        for sentence in self.sentences:
            starts.append(at)
            text.append(sentence.text)
            at += len(sentence.text) + 3
        return "\n.\n".join(text), starts

    def _hits(self, pattern: str) -> list[tuple[str, int, int]]:
        """Sentences that match, with the span of the match in each."""
        whole, starts = self._whole
        found = []
        for match in _compiled(pattern).finditer(whole):
            index = bisect_right(starts, match.start()) - 1
            sentence, start = self.sentences[index].text, starts[index]
            end = match.end() - start
            if end <= len(sentence):
                found.append((sentence, match.start() - start, end))
        return found


Rule = Callable[[Case], "Contradiction | None"]


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return at_words(pattern)


def cost(money: Figure) -> str:
    """The budget as written, or its amount where the words give only a share of today's."""
    if "%" in money.text and money.value is not None:
        return f"{money_text(money.value, money.unit)} a month"
    return money.text
