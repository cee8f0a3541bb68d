"""A rough order of what a selection costs a month: the smallest set-up times its size.

The catalogue knows no prices, only in which order the smallest sensible set-up of a product
lies. Each order is taken at a middle value and multiplied by the steps of size that the figures
of the request ask for. That is an order of magnitude and is always said to be one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agents.offline.brief import Brief
from agents.offline.load import number
from agents.offline.patterns_industry import egress
from agents.offline.scoring_data import across_regions
from agents.offline.selection_model import Choice, Group
from agents.offline.selection_steps import steps_of
from agents.offline.signals import Signal
from agents.offline.wording import listed
from providers.catalogue import FloorCost

_MIDDLE = {FloorCost.LOW: 40.0, FloorCost.MEDIUM: 300.0, FloorCost.HIGH: 2_500.0}
_ACROSS = 3.0  # a copy in each of three places and the traffic between them
_EGRESS_A_GB = 0.02
_LOAD = 0.15
_SHARED = frozenset(
    {Group.ENTRY, Group.FILTER, Group.DELIVERY, Group.NAMES, Group.IDENTITY, Group.KEYS,
     Group.SECRETS, Group.COST, Group.LINK, Group.AUDIT}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A product with its rough monthly amount in US dollars and what the amount comes from."""

    product: str
    amount: float
    shown: str


def rounded(amount: float) -> str:
    """One leading digit, as befits an order of magnitude: ``about 3,000``."""
    if amount < 10:
        return "under 10"
    step = 10 ** math.floor(math.log10(amount))
    return f"about {number(round(amount / step) * step)}"


def items(b: Brief, choices: Sequence[Choice]) -> tuple[Item, ...]:
    """What runs all the time, dearest first; a product once for each size."""
    found: dict[tuple[str, str], Item] = {}
    for choice in choices:
        steps = steps_of(choice, b)
        floor = choice.product.floor_cost
        base = _MIDDLE.get(floor, 0.0) if floor is not None else 0.0
        if steps is None and not base:
            continue
        unit = steps.each if steps and steps.each else base
        count = steps.count if steps else 1.0
        regions, words = _regions(b, choice)
        shown = f"{steps.shown}{words}" if steps else f"smallest set-up{words}"
        item = Item(choice.product.name, max(base, unit * count) * regions, shown)
        key = (item.product, shown if steps else "")
        if key not in found or found[key].amount < item.amount:
            found[key] = item
    rate, said = egress(b)
    if rate:
        amount = rate / 8 * _LOAD * 2.628e6 * _EGRESS_A_GB
        cause = f"{said}, {number(_LOAD * 100)} % of it on average, 0.02 US dollars a GB (assumed)"
        found["traffic", ""] = Item("traffic to viewers", amount, cause)
    return tuple(sorted(found.values(), key=lambda i: -i.amount))


def _regions(b: Brief, choice: Choice) -> tuple[float, str]:
    if choice.slot.group in _SHARED or not b.has(Signal.TWO_REGIONS, Signal.GLOBAL_WRITES):
        return 1.0, ""
    if choice.slot.group is Group.RELATIONAL and across_regions(b):
        return _ACROSS, ", across regions"
    return 2.0, ", in two regions"


def cost_lines(b: Brief, choices: Sequence[Choice]) -> list[str]:
    """The list item of the trade-offs: amounts by order, their sum, and the verdict."""
    found = items(b, choices)
    budget = b.load.budget
    against = f"against {budget.shown}" if budget else "and the request states no limit"
    if not found:
        return [
            "- Rough cost: nothing runs all the time, so what is used is paid, which at this size "
            f"is a few US dollars a month at most {against}; prices were not looked up."
        ]
    total = sum(i.amount for i in found)
    top = listed(f"{i.product} {rounded(i.amount)} ({i.shown})" for i in found[:5])
    rest = sum(i.amount for i in found[5:])
    more = f", and the other {len(found) - 5} together {rounded(rest)}" if found[5:] else ""
    verdict = _verdict(b, total)
    return [
        "- Rough cost in US dollars a month, an order of magnitude only (the catalogue's order of "
        f"the smallest set-up x size; prices were not looked up): {top}{more}. Together "
        f"{rounded(total)} {against}{verdict}; use comes on top, and the price calculator decides."
    ]


def _verdict(b: Brief, total: float) -> str:
    budget = b.load.budget
    if budget is None:
        return ""
    if total > budget.value * 1.2:
        return (
            f": **more than the limit**, by about {number(round(total / budget.value, 1))} times, "
            "so the limit or the goals have to give way"
        )
    if total > budget.value * 0.4:
        return ": near the limit, so the calculator decides"
    return ": within the limit even if the order is too low by half"
