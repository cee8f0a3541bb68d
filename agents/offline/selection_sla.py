"""Documented availability: one place for every figure, and what a way through parts adds up to.

Figures come from the catalogue alone. Where it tells editions or one region and several apart,
the words of its availability limit decide; else its one figure stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.offline.brief import Brief
from agents.offline.scoring_data import across_regions
from agents.offline.selection_model import Choice, Group
from agents.offline.signals import Signal
from providers.catalogue import Capability, Product

_FIGURE = re.compile(
    r"(?P<percent>\d\d(?:\.\d+)?) percent(?P<words>.*?)(?=\s+(?:and|or)\s+\d\d[.\d]* percent|$)",
    re.I,
)
_WIDE = re.compile(r"multi-region", re.I)
_PLUS = re.compile(r"\bplus\b", re.I)
_PLUS_FROM = 99.99
_SHARED = frozenset({Group.ENTRY, Group.FILTER, Group.DELIVERY, Group.NAMES, Group.IDENTITY})


def sla_of(product: Product, *, edition: str = "", regions: int = 1) -> float | None:
    """The documented monthly uptime in percent; None where none is published.

    ``edition`` is the edition's name ("Enterprise Plus"), ``regions`` how many regions hold the
    data. Without an edition the first that the catalogue names counts, which is the smaller one.
    """
    told = next((limit.value for limit in product.limits if limit.what == "availability"), "")
    figures = [(float(m["percent"]), m["words"]) for m in _FIGURE.finditer(told)]
    if len(figures) < 2:
        return product.availability_sla
    wide = [f for f in figures if _WIDE.search(f[1])]
    if wide:
        near = [f for f in figures if f not in wide]
        return (wide if regions > 1 else near or wide)[0][0]
    plus = [f for f in figures if _PLUS.search(f[1])]
    if plus:
        rest = [f for f in figures if f not in plus]
        return (plus if _PLUS.search(edition) else rest or plus)[0][0]
    return figures[0][0]


def edition_of(b: Brief, product: Product) -> str:
    """The edition that the goals ask for, where the catalogue tells editions apart."""
    goal = b.load.availability
    told = any(
        limit.what == "availability" and _PLUS.search(limit.value) for limit in product.limits
    )
    if not told:
        return ""
    high = goal is not None and (goal.value or 0) >= _PLUS_FROM
    return "Enterprise Plus" if high and not b.tiny else "Enterprise"


def promised(b: Brief, product: Product) -> float | None:
    """The documented figure of a product as this design would set it up."""
    wide = product.can(Capability.RELATIONAL_DB_GLOBAL) and across_regions(b)
    return sla_of(product, edition=edition_of(b, product), regions=2 if wide else 1)


@dataclass(frozen=True, slots=True)
class Composite:
    """A way through parts: the share of time that it works, 0 to 1, and how that came about."""

    value: float
    shown: str


def composite(b: Brief, path: Sequence[Choice]) -> Composite:
    """The documented availability of a way, multiplied.

    With a second region only what runs in both counts twice: a global entry, its filter and names
    are the same parts for both regions, a database across regions has that in its figure, and a
    database that a person changes over is no parallel part.
    """
    figures = [(c, (promised(b, c.product) or 100.0) / 100) for c in path]
    two = b.has(Signal.TWO_REGIONS)
    both = [(c, p) for c, p in figures if two and _runs_twice(c)]
    once = [(c, p) for c, p in figures if (c, p) not in both]
    single = _product([p for _, p in once])
    pair = _product([p for _, p in both])
    value = single * (1 - (1 - pair) ** 2 if both else 1.0)
    plain = " x ".join(f"{p * 100:g} %" for _, p in figures)
    if not both:
        return Composite(value, f"{plain} = {value * 100:.3f} %")
    names = " and ".join(dict.fromkeys(c.product.name for c, _ in both))
    verb = "s" if len({c.product.name for c, _ in both}) == 1 else ""
    fixed = " x ".join(f"{c.product.name} {p * 100:g} %" for c, p in once)
    times = f"{fixed} x " if fixed else ""
    return Composite(
        value,
        f"{plain} = {single * pair * 100:.3f} % in one region. In two regions {names} "
        f"count{verb} as 1 - (1 - {pair:.5f})^2, the rest once: {times}"
        f"{(1 - (1 - pair) ** 2) * 100:.5f} % = {value * 100:.3f} %",
    )


def _runs_twice(choice: Choice) -> bool:
    """Whether a part stands in both regions and takes over by itself."""
    return choice.slot.group not in _SHARED and choice.slot.group not in (
        Group.RELATIONAL, Group.DOCUMENT, Group.SERVING, Group.RETRIEVAL, Group.CLINICAL, Group.LLM,
    )  # fmt: skip


def _product(shares: Sequence[float]) -> float:
    total = 1.0
    for share in shares:
        total *= share
    return total
