"""Values of figures for people, such that the exact value can be read back.

``value_text`` writes 0.00231481481481 per second as "200 a day"; ``value_of`` reads it again.
"""

from __future__ import annotations

import re

from agents.offline.reading.units import DAY, HOUR, MINUTE, MONTH, WEEK, YEAR

_SCALES: dict[str, tuple[tuple[str, float], ...]] = {
    "s": (
        ("years", YEAR), ("months", MONTH), ("weeks", WEEK), ("days", DAY), ("hours", HOUR),
        ("minutes", MINUTE), ("seconds", 1.0), ("ms", 1e-3),
    ),
    "B": (
        ("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1.0),
    ),
    "B/s": (
        ("TB a second", 1e12), ("GB a second", 1e9), ("MB a second", 1e6), ("kB a second", 1e3),
        ("TB a day", 1e12 / DAY), ("GB a day", 1e9 / DAY), ("MB a day", 1e6 / DAY),
        ("TB a month", 1e12 / MONTH), ("GB a month", 1e9 / MONTH), ("MB a month", 1e6 / MONTH),
        ("bytes a second", 1.0), ("kB a day", 1e3 / DAY),
    ),
    "1/s": (
        ("a second", 1.0), ("a minute", 1 / MINUTE), ("an hour", 1 / HOUR), ("a day", 1 / DAY),
        ("a week", 1 / WEEK), ("a month", 1 / MONTH), ("a year", 1 / YEAR),
    ),
}  # fmt: skip
_WORDS = {word: (base, factor) for base, scales in _SCALES.items() for word, factor in scales}
_SINGULAR = {
    word[:-1]: scale for word, scale in _WORDS.items() if word.endswith("s") and len(word) > 3
}
_VALUE = re.compile(r"(?P<n>-?[\d.,]+(?:e[+-]?\d+)?)(?: (?P<u>.+))?")


def value_text(value: float, unit: str, digits: int) -> str:
    """``value`` in the largest unit in which it is short, kept to ``digits`` significant digits."""
    fallback = ""
    for word, factor in _SCALES.get(unit, ()):
        count = value / factor
        if abs(count) < 0.9995:
            continue
        written = _short(count)
        if _rounded(float(written) * factor, digits) == value:
            return f"{float(written):,.10g} {_one(word) if float(written) == 1 else word}"
        fallback = fallback or f"{float(f'{count:.{digits}g}'):,.{digits}g} {word}"
    if fallback and _value(fallback, digits) == value:
        return fallback
    plain = f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.{digits}g}"
    return f"{plain} {unit}".strip()


def value_of(text: str, *, counts: bool, digits: int) -> tuple[float | None, str]:
    """The value and base unit of a text of ``value_text``; None where it gives no number.

    ``counts`` is True for measures that count things, whose unit may be any noun ("hours").
    """
    match = _VALUE.fullmatch(text.strip())
    if match is None:
        return None, text.partition(" ")[2]
    unit = match["u"] or ""
    value = _number(match["n"])
    scale = None if counts else (_WORDS.get(unit) or _SINGULAR.get(unit))
    if value is None or scale is None:
        return value, unit
    base, factor = scale
    return _rounded(value * factor, digits), base


def _value(text: str, digits: int) -> float | None:
    return value_of(text, counts=False, digits=digits)[0]


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _short(count: float) -> str:
    """At most six digits for small counts, none lost of whole ones."""
    return f"{round(count)}" if abs(count - round(count)) < 1e-6 * count else f"{count:.6g}"


def _one(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 and word != "bytes" else word


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
