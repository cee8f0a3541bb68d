"""Puts the figures of a request in relation: totals, shares of today's cost, twins, weight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agents.offline.facts import Figure, Measure

_LESS = re.compile(r"\b(?:less|cheaper|lower|below|weniger|günstiger|billiger|moins|menos)\b", re.I)
_SIDE = re.compile(
    r"pilot|test|proof|night at|one region|largest|plan\b|firmware|rate limit|erase|export"
    r"|change per|changes?\b"
    r"|backup|limit", re.I,
)  # fmt: skip
_SHARED = (Measure.DATA_VOLUME, Measure.GROWTH, Measure.USERS, Measure.DEVICES, Measure.THROUGHPUT,
           Measure.RETENTION, Measure.DATA_RATE, Measure.ITEM_SIZE, Measure.FREQUENCY,
           Measure.DEADLINE, Measure.TEAM)  # fmt: skip
_BINDING = re.compile(
    r"go[- ]?live|\blive\b|\blaunch|\bout by|\bneed to|\bmust\b|\bready\b|\bmigrat|in production"
    r"|produktiv|fertig|mise en|producción", re.I,
)  # fmt: skip
_FRONT = re.compile(
    r"\bp\s?9\d|percentile|checkout|\bapi\b|portal|\bpage|search|answer|respon|request|antwort"
    r"|répon|respuesta",
    re.I,
)


def settle(found: Sequence[Figure]) -> tuple[Figure, ...]:
    """The figures without repeats, related to each other, grouped by measure, weightiest first."""
    figures = _distinct(found)
    figures = _unit_prices(figures)
    figures = _shares_of_cost(figures)
    figures = _twins(figures)
    figures = _peaks(figures)
    order = {measure: index for index, measure in enumerate(Measure)}
    ranked = sorted(
        enumerate(figures), key=lambda pair: (order[pair[1].measure], _weight(pair[1]), pair[0])
    )
    return tuple(figure for _, figure in ranked)


def _distinct(found: Sequence[Figure]) -> list[Figure]:
    seen: dict[tuple[str, Measure, bool, str], Figure] = {}
    for figure in found:
        seen.setdefault((figure.text.lower(), figure.measure, figure.peak, figure.subject), figure)
    return list(seen.values())


def _unit_prices(figures: list[Figure]) -> list[Figure]:
    """Of the kind “1.20 EUR per unit and month” times the units makes the budget of a month."""
    result = []
    for figure in figures:
        thing = re.fullmatch(r"([A-Z]{3}) per (\w+)", figure.unit)
        if figure.measure is not Measure.BUDGET or thing is None or figure.value is None:
            result.append(figure)
            continue
        stem = thing.group(2).rstrip("s")
        counts = [
            f.value
            for f in figures
            if f.value is not None
            and f.measure in (Measure.DEVICES, Measure.USERS, Measure.ITEMS)
            and re.search(rf"\b{re.escape(stem)}", f.subject + " " + f.unit, re.I)
        ]
        if not counts:
            asked = re.search(r"budget|presupuesto", figure.sentence, re.I)
            change: dict[str, object] = {"value": None, "unit": thing.group(1)}
            result.append(figure.model_copy(update=change if asked else {"measure": Measure.OTHER}))
            continue
        number = min(counts) if figure.current else max(counts)
        total = round(figure.value * number, 2)
        result.append(
            figure.model_copy(
                update={
                    "value": total,
                    "unit": thing.group(1),
                    "subject": f"for {number:,.0f} {stem}s",
                }
            )
        )
    return result


def _shares_of_cost(figures: list[Figure]) -> list[Figure]:
    """Of the kind “at least 25 % less” is a budget where the request says what is paid today."""
    today = next(
        (f for f in figures if f.measure is Measure.BUDGET and f.current and f.value), None
    )
    if today is None or today.value is None:
        return figures
    if any(f.measure is Measure.BUDGET and not f.current for f in figures):
        return figures
    result = []
    for figure in figures:
        share = figure.unit == "%" and figure.measure in (Measure.OTHER, Measure.GROWTH)
        if share and figure.value is not None and _LESS.search(figure.text):
            figure = figure.model_copy(
                update={
                    "measure": Measure.BUDGET,
                    "value": round(today.value * (1 - figure.value / 100), 2),
                    "unit": today.unit,
                    "subject": f"less than today's {today.text}",
                    "current": False,
                }
            )
        result.append(figure)
    return result


def _twins(figures: list[Figure]) -> list[Figure]:
    """Sizes of today hold for the new system too, unless the request gives it one of its own."""
    wanted: dict[tuple[Measure, str], set[str]] = {}
    bare: set[tuple[Measure, str, str]] = set()
    for figure in figures:
        if not figure.current and figure.value is not None:
            wanted.setdefault((figure.measure, figure.unit), set()).update(_stems(figure.subject))
            if not figure.subject:
                # "18,000 units today and 65,000 in three years": the second has no noun of its own
                bare.add((figure.measure, figure.unit, figure.sentence))
    return [
        figure.model_copy(update={"current": False})
        if figure.current
        and figure.measure in _SHARED
        and not (
            figure.unit
            and _stems(figure.subject) & wanted.get((figure.measure, figure.unit), set())
        )
        and (figure.measure, figure.unit, figure.sentence) not in bare
        else figure
        for figure in figures
    ]


@lru_cache(maxsize=4096)
def _stems(subject: str) -> frozenset[str]:
    return frozenset(word.lower().rstrip("s") for word in re.findall(r"[^\W\d_]{3,}", subject))


def _peaks(figures: list[Figure]) -> list[Figure]:
    """Of two rates of the same thing, neither called a peak, the larger is the peak."""
    usual: dict[tuple[str, bool], float] = {}
    for figure in figures:
        if figure.measure is Measure.THROUGHPUT and figure.value and not figure.peak:
            for stem in _stems(figure.subject):
                key = (stem, figure.current)
                usual[key] = min(usual.get(key, figure.value), figure.value)
    return [
        figure.model_copy(update={"peak": True})
        if figure.measure is Measure.THROUGHPUT
        and figure.value
        and not figure.peak
        and any(
            figure.value >= 1.5 * usual.get((stem, figure.current), figure.value)
            for stem in _stems(figure.subject)
        )
        else figure
        for figure in figures
    ]


def _weight(figure: Figure) -> float:
    """Lower comes first. Demands before today's values, then what sizes the design most."""
    value = figure.value or 0.0
    base = 1e30 if figure.current else 0.0
    if _SIDE.search(f"{figure.text} {figure.subject}") or _pilot(figure):
        base += 1e29
    match figure.measure:
        case Measure.THROUGHPUT:
            return base + (1e28 if figure.peak else 0.0) - value
        case Measure.DATA_VOLUME | Measure.USERS | Measure.DEVICES | Measure.DATA_RATE:
            return base - value
        case Measure.AVAILABILITY | Measure.RETENTION:
            return base - value
        case Measure.RTO | Measure.RPO | Measure.FRESHNESS:
            return base + value
        case Measure.LATENCY:
            front = _FRONT.search(f"{figure.subject} {figure.sentence}")
            return base + value + (0.0 if front else 1e6)
        case Measure.DEADLINE:
            return base + (0.0 if _BINDING.search(_before(figure)) else 1.0)
        case _:
            return base
    return base


def _before(figure: Figure) -> str:
    """The words just before the figure, and itself."""
    at = max(figure.sentence.find(figure.text), 0)
    return figure.sentence[max(0, at - 40) : at] + figure.text


def _pilot(figure: Figure) -> bool:
    return bool(re.search(r"\bpilot\b", _before(figure)[: -len(figure.text)][-20:], re.I))
