"""What a selection costs at rest, what availability its parts promise, what a lost region costs."""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.brief import Brief
from agents.offline.facts import Figure, Measure
from agents.offline.load import HOURS_A_MONTH, aim, number
from agents.offline.patterns_model import Part
from agents.offline.scoring_data import across_regions
from agents.offline.selection_cost import cost_lines
from agents.offline.selection_model import Choice, Group
from agents.offline.selection_sizing import regions_of
from agents.offline.selection_sla import composite, promised
from agents.offline.signals import Signal
from agents.offline.terraform.places import spanner_config
from agents.offline.wording import listed
from providers.catalogue import Capability, FloorCost

_CALL_PATH: tuple[Part, ...] = (
    Part.PUBLIC_ENTRY, Part.PRIVATE_ENTRY, Part.API_MANAGEMENT, Part.API, Part.ANSWER,
    Part.PREDICTION,
    Part.RELATIONAL, Part.DOCUMENT_STORE, Part.CLINICAL, Part.RETRIEVAL, Part.INFERENCE,
)  # fmt: skip


_EVENT_PATH: tuple[Part, ...] = (
    Part.DEVICE_GATEWAY, Part.EVENT_COLLECTOR, Part.EVENT_LOG, Part.ALARM, Part.NOTIFIER,
)  # fmt: skip


def money(b: Brief, choices: Sequence[Choice]) -> list[str]:
    """What runs all the time, by rough order, and where the budget and the goals pull apart."""
    budget = b.load.budget
    high, medium = _floors(choices, FloorCost.HIGH), _floors(choices, FloorCost.MEDIUM)
    low = _floors(choices, FloorCost.LOW)
    lines = cost_lines(b, choices)
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


def _floors(choices: Sequence[Choice], cost: FloorCost) -> list[str]:
    return list(dict.fromkeys(c.product.name for c in choices if c.product.floor_cost is cost))


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
        if promised(b, choice.product) and choice.product.name not in {
            c.product.name for c in path
        }:
            path.append(choice)
    if len(path) < 2 or goal.value is None:
        return []
    whole = composite(b, path)
    percent = whole.value * 100
    missed = _outage(1 - whole.value)
    allowed = _outage(1 - goal.value / 100)
    text = (
        f"- Availability of {what} through {listed(c.product.name for c in path)}: {whole.shown}, "
        f"that is {missed} a month by the documented agreements; “{goal.text}” allows {allowed}"
    )
    if percent >= goal.value:
        return [f"{text}, so the goal is met on paper and rehearsed recovery has to keep it."]
    ids = listed(b.ids_of(goal))
    weakest = min(path, key=lambda c: promised(b, c.product) or 100.0)
    limit = f"{weakest.product.name} alone promises {promised(b, weakest.product):g} %"
    if (promised(b, weakest.product) or 100.0) >= goal.value:
        limit = "no single part is below the goal, their number is"
    return [
        f"{text}. **Not met on paper**{f' ({ids})' if ids else ''}: {limit}; “{goal.text}” holds "
        "only while the parts do better than they promise, and no agreement stands behind it."
    ]


def _fixed_set(b: Brief) -> str:
    """What a commit in several regions asks of the regions, which come in fixed sets."""
    regions = b.facts.regions[:2]
    said = (
        f"- Writing to {regions_of(b)} before a commit is confirmed adds the way between them to "
        "every write; that is the price of losing nothing."
    )
    if len(regions) == 2:
        name, wide = spanner_config(regions[0], regions[1])
        if wide:
            return f"{said} The fixed set of regions that holds both is {name}."
    ids = listed(b.ids_of(b.load.rpo))
    return (
        f"{said} **Open**{f' ({ids})' if ids else ''}: the regions of such a database come in "
        f"fixed sets, and none holds exactly {regions_of(b)}. Until a set is chosen that "
        "lies where the data may lie, losing a region without losing data is not met."
    )


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
        return [_fixed_set(b)]
    if b.load.zero_loss:
        ids = listed(b.ids_of(b.load.rpo))
        return [
            f"- **Not met**{f' ({ids})' if ids else ''}: “{b.load.rpo.text}” with the loss of a "
            f"region. {database.product.name} copies to a second region with a delay of seconds, "
            "so the last seconds can be lost; only a database that commits in several regions "
            "gives that."
        ]
    loss = aim(b.load.rpo) if b.load.rpo.value else "nothing"
    back = aim(b.load.rto) if b.load.rto and b.load.rto.value else "the goal"
    return [
        "- The copy in the second region follows with a delay of seconds: it keeps a "
        f"loss of at most {loss}, but promoting it is "
        f"a decision of a person with a runbook, to be rehearsed until it takes less than {back}."
    ]
