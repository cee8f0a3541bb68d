"""What a selection costs at rest, what availability its parts promise, what a lost region costs."""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.brief import Brief
from agents.offline.facts import Figure, Measure
from agents.offline.load import HOURS_A_MONTH, aim, number
from agents.offline.patterns_model import Part
from agents.offline.scoring_data import across_regions
from agents.offline.selection_model import Choice, Group
from agents.offline.selection_sizing import regions_of
from agents.offline.signals import Signal
from agents.offline.wording import listed
from providers.catalogue import Capability, FloorCost

_CALL_PATH: tuple[Part, ...] = (
    Part.PUBLIC_ENTRY, Part.PRIVATE_ENTRY, Part.API_MANAGEMENT, Part.API, Part.ANSWER,
    Part.PREDICTION,
    Part.RELATIONAL, Part.DOCUMENT_STORE, Part.RETRIEVAL, Part.INFERENCE,
)  # fmt: skip


_EVENT_PATH: tuple[Part, ...] = (
    Part.DEVICE_GATEWAY, Part.EVENT_COLLECTOR, Part.EVENT_LOG, Part.ALARM, Part.NOTIFIER,
)  # fmt: skip


def money(b: Brief, choices: Sequence[Choice]) -> list[str]:
    """What runs all the time, by rough order, and where the budget and the goals pull apart."""
    budget = b.load.budget
    floors: dict[FloorCost, list[str]] = {}
    for choice in choices:
        cost = choice.product.floor_cost
        if cost is not None and choice.product.name not in floors.setdefault(cost, []):
            floors[cost].append(choice.product.name)
    high, medium = floors.get(FloorCost.HIGH, []), floors.get(FloorCost.MEDIUM, [])
    low, none = floors.get(FloorCost.LOW, []), floors.get(FloorCost.NONE, [])
    against = f" against {budget.shown}" if budget else f", and the {b.subject} states no limit"
    parts = [
        f"{len(high)} with thousands of US dollars a month ({listed(high)})" if high else "",
        f"{len(medium)} with hundreds ({listed(medium)})" if medium else "",
        f"{len(low)} with tens ({listed(low)})" if low else "",
        f"{len(none)} with nothing while unused" if none else "",
    ]
    doubled = (
        f" Two regions double what runs all the time for the {b.subject}."
        if b.has(Signal.TWO_REGIONS, Signal.GLOBAL_WRITES)
        else ""
    )
    lines = [
        f"- Cost at rest, by rough order from the catalogue: {listed(parts)}{against}; "
        "prices were not looked up, "
        f"so the price calculator with the sizes above comes before the Approval.{doubled}"
    ]
    if budget and _strained(b, len(high), len(medium)):
        goals = [
            g
            for g in (
                f"{b.load.availability.text}"
                if b.load.availability and (b.load.availability.value or 0) >= 99.99
                else "",
                "no loss of committed data" if b.load.zero_loss else "",
                "a second region" if b.has(Signal.TWO_REGIONS) else "",
            )
            if g
        ]
        if goals:
            lines.append(
                f"- {budget.shown} and {listed(goals)} pull against each other: what runs "
                "all the time "
                f"({listed([*high, *medium]) or listed(low)}) runs twice in two regions. "
                "Either the sum is raised, or the goals are lowered to "
                f"one region with 99.95 % ({number(0.05 / 100 * HOURS_A_MONTH * 60)} "
                "minutes a month)."
            )
    if budget and budget.figure.current:
        lines.append(f"- The limit was worked out: {budget.shown}.")
    return lines


def _strained(b: Brief, high: int, medium: int) -> bool:
    budget = b.load.budget
    if budget is None:
        return False
    floor = high * 1500 + medium * 300
    if b.has(Signal.TWO_REGIONS):
        floor *= 2
    return floor > budget.value * 0.3 or bool(
        b.load.availability and (b.load.availability.value or 0) >= 99.99 and budget.value < 10_000
    )


def availability(b: Brief, choices: Sequence[Choice]) -> list[str]:
    """Documented availability of the way of a call and of an event, multiplied."""
    goals = sorted(
        (f for f in b.figures(Measure.AVAILABILITY) if f.value), key=lambda f: f.value or 0
    )
    if not goals:
        return []
    parts = {c.part for c in choices}
    lines: list[str] = []
    paths = [(goals[0] if Part.ALARM in parts else goals[-1], "a call", _CALL_PATH)]
    if not parts & {Part.API, Part.ANSWER, Part.PREDICTION} or Part.ALARM in parts:
        paths.append((goals[-1], "an event", _EVENT_PATH))
    for goal, what, order in paths:
        lines += _in_series(b, goal, what, [c for p in order for c in choices if c.part is p])
    return lines


def _in_series(b: Brief, goal: Figure, what: str, found: Sequence[Choice]) -> list[str]:
    path: list[Choice] = []
    for choice in found:
        if choice.product.availability_sla and choice.product.name not in {
            c.product.name for c in path
        }:
            path.append(choice)
    if len(path) < 2 or goal.value is None:
        return []
    total = 1.0
    for choice in path:
        total *= (choice.product.availability_sla or 100) / 100
    percent = total * 100
    product = " x ".join(f"{c.product.availability_sla:g} %" for c in path)
    missed = _outage(1 - total)
    allowed = _outage(1 - goal.value / 100)
    text = (
        f"- Availability of {what} through {listed(c.product.name for c in path)}: "
        f"{product} = {percent:.3f} %, "
        f"that is {missed} a month by the best documented agreements; “{goal.text}” "
        f"allows {allowed}"
    )
    if percent >= goal.value:
        return [f"{text}, so the goal is met on paper and rehearsed recovery has to keep it."]
    two = (1 - (1 - total) ** 2) * 100
    if b.has(Signal.TWO_REGIONS):
        return [
            f"{text}. One region of the {b.subject} misses the goal on paper; two that do "
            "not fail together give "
            f"1 - (1 - {total:.5f})^2 = {two:.4f} %."
        ]
    return [
        f"{text}. Agreements alone miss the goal of the {b.subject}; it holds only if the "
        "parts do better than they promise, as they "
        f"mostly do, or with a second region ({two:.4f} %)."
    ]


def _outage(share: float) -> str:
    minutes = share * HOURS_A_MONTH * 60
    return f"{number(minutes)} minutes" if minutes >= 1 else f"{number(minutes * 60)} seconds"


def region_loss(b: Brief, choices: Sequence[Choice]) -> list[str]:
    """What surviving the loss of a region costs or leaves open."""
    if not b.has(Signal.TWO_REGIONS) or b.load.rpo is None:
        return []
    database = next((c for c in choices if c.slot.group is Group.RELATIONAL), None)
    if database is None:
        return []
    if database.product.can(Capability.RELATIONAL_DB_GLOBAL) and across_regions(b):
        return [
            f"- Writing to {regions_of(b)} before a commit is confirmed adds the way "
            f"between them to every write of the {b.subject}; "
            "that is the price of losing nothing. The regions of such a database come in "
            "fixed sets, so the set nearest to these is to be "
            f"checked against where the data of the {b.subject} may lie."
        ]
    loss = aim(b.load.rpo) if b.load.rpo.value else "nothing"
    back = aim(b.load.rto) if b.load.rto and b.load.rto.value else "the goal"
    return [
        "- The copy in the second region follows with a delay of seconds: it keeps a "
        f"loss of at most {loss}, but promoting it is "
        f"a decision of a person with a runbook, to be rehearsed until it takes less than {back}."
    ]
