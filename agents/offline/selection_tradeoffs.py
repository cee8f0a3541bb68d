"""What a selection gives up, what it costs at rest, and what would change it."""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.brief import Brief, clip, listed
from agents.offline.facts import Figure, Measure
from agents.offline.load import HOURS_A_MONTH, aim, number
from agents.offline.patterns_model import Part
from agents.offline.scoring_data import across_regions
from agents.offline.selection_model import Choice, Group, Scored, Wishes
from agents.offline.selection_sizing import regions_of
from agents.offline.selection_weighing import rival, telling
from agents.offline.signals import Signal
from agents.runtime import Question
from providers.catalogue import Capability, Catalogue, FloorCost, Status

_CONTESTED = (
    Group.RELATIONAL, Group.SERVICE, Group.EVENTS, Group.SERVING, Group.STREAM, Group.WAREHOUSE,
    Group.RETRIEVAL, Group.DELIVERY, Group.API, Group.DEVICES, Group.DOCUMENT, Group.WORKFLOW,
    Group.SERVE_MODEL, Group.MEDIA, Group.LINK, Group.CACHE,
)  # fmt: skip
_CALL_PATH = (
    Part.PUBLIC_ENTRY, Part.PRIVATE_ENTRY, Part.API_MANAGEMENT, Part.API, Part.ANSWER, Part.PREDICTION,
    Part.RELATIONAL, Part.DOCUMENT_STORE, Part.RETRIEVAL, Part.INFERENCE,
)  # fmt: skip
_EVENT_PATH = (
    Part.DEVICE_GATEWAY, Part.EVENT_COLLECTOR, Part.EVENT_LOG, Part.ALARM, Part.NOTIFIER,
)  # fmt: skip


def tradeoffs(
    b: Brief, choices: Sequence[Choice], wishes: Wishes, catalogue: Catalogue
) -> list[str]:
    """The list items of the section."""
    lines = [
        *_given_up(b, choices, catalogue),
        *_retired(b, choices, wishes, catalogue),
        *_money(b, choices),
        *_availability(b, choices),
        *_region_loss(b, choices),
        *_contradictions(b),
        *_leaving(b, choices),
        *_turning_points(b, choices),
        *_unmet(b, wishes, choices),
    ]
    preview = [c.product.name for c in choices if c.product.status is Status.PREVIEW]
    if preview:
        lines.append(f"- In preview, without a service level agreement: {listed(dict.fromkeys(preview))}; the {b.subject} must be able to do without.")
    return lines or [f"- No choice for the {b.subject} was close: each component has one product that fits clearly best."]


def _given_up(b: Brief, choices: Sequence[Choice], catalogue: Catalogue) -> list[str]:
    lines: list[str] = []
    seen: set[tuple[str, str]] = set()
    for choice in sorted(choices, key=lambda c: _CONTESTED.index(c.slot.group) if c.slot.group in _CONTESTED else 99):
        other = rival(choice, catalogue)
        if choice.slot.group not in _CONTESTED or other is None or len(lines) >= 5:
            continue
        pair = (choice.product.name, other.product.name)
        if pair in seen:
            continue
        seen.add(pair)
        told = next((a for a in choice.product.alternatives if a.name == other.product.name), None)
        lost = told.pros if told else other.product.good_for
        reason = telling(choice, other)
        why = f"; in exchange for this: {reason}" if reason else f"; the {b.subject} does not need it"
        lines.append(
            f"- {choice.product.name} instead of {other.product.name} for {choice.component.id} "
            f"{choice.component.name} gives up: {lost.rstrip('.')}{why}."
        )
    return lines


def _retired(b: Brief, choices: Sequence[Choice], wishes: Wishes, catalogue: Catalogue) -> list[str]:
    lines: list[str] = []
    names = dict.fromkeys((*wishes.successors.values(), *b.facts.retired_products))
    for name in names:
        old = catalogue.find(name)
        if old is None or old.status.selectable:
            continue
        users = [c for c in choices if old.successor and c.product.name == old.successor]
        broker = next((c for c in choices if c.part is Part.DEVICE_GATEWAY), None)
        if broker is not None and broker.product.name not in {c.product.name for c in users}:
            users = [broker, *users]
        said = next((line for line in b.lines if any(m.product.name == old.name for m in catalogue.mentions(line))), "")
        since = f" since {old.retired_on}" if old.retired_on else ""
        source = f" ([source]({old.source}))" if old.source else ""
        quoted = f" (“{clip(said, 90)}”)" if said else ""
        where = listed(dict.fromkeys(f"{c.component.id} {c.component.name}" for c in users))
        instead = f"{old.successor} takes its place for {where}" if where else _instead(b, choices, old.successor)
        if broker is not None and broker in users:
            instead = (
                f"a broker on {broker.product.name} does its device side ({broker.component.id}), "
                + (f"{old.successor} its event side" if len(users) > 1 else "the rest of the design its event side")
                + f", so that devices of the {b.subject} keep their protocol and certificates"
            )
        lines.append(f"- {old.name} is asked for{quoted} and is {old.status.value}{since}{source}: {instead}.")
    return lines


def _instead(b: Brief, choices: Sequence[Choice], successor: str | None) -> str:
    broker = next((c for c in choices if c.part is Part.DEVICE_GATEWAY), None)
    named = f"its named successor is {successor}, but " if successor else ""
    if broker is not None:
        return f"{named}{broker.product.name} does this work here, as the devices of the {b.subject} keep their protocol"
    return f"{named}no component of the {b.subject} needs it any more"


def _money(b: Brief, choices: Sequence[Choice]) -> list[str]:
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
    doubled = f" Two regions double what runs all the time for the {b.subject}." if b.has(Signal.TWO_REGIONS, Signal.GLOBAL_WRITES) else ""
    lines = [
        f"- Cost at rest, by rough order from the catalogue: {listed(parts)}{against}; prices were not looked up, "
        f"so the price calculator with the sizes above comes before the Approval.{doubled}"
    ]
    if budget and _strained(b, len(high), len(medium)):
        goals = [g for g in (
            f"{b.load.availability.text}" if b.load.availability and (b.load.availability.value or 0) >= 99.99 else "",
            "no loss of committed data" if b.load.zero_loss else "",
            "a second region" if b.has(Signal.TWO_REGIONS) else "",
        ) if g]
        if goals:
            lines.append(
                f"- {budget.shown} and {listed(goals)} pull against each other: what runs all the time "
                f"({listed([*high, *medium]) or listed(low)}) runs twice in two regions. Either the sum is raised, or the goals are lowered to "
                f"one region with 99.95 % ({number(0.05 / 100 * HOURS_A_MONTH * 60)} minutes a month)."
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
        b.load.availability and (b.load.availability.value or 0) >= 99.99 and budget.value < 10_000)


def _availability(b: Brief, choices: Sequence[Choice]) -> list[str]:
    goals = sorted((f for f in b.figures(Measure.AVAILABILITY) if f.value), key=lambda f: f.value or 0)
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
        if choice.product.availability_sla and choice.product.name not in {c.product.name for c in path}:
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
        f"- Availability of {what} through {listed(c.product.name for c in path)}: {product} = {percent:.3f} %, "
        f"that is {missed} a month by the best documented agreements; “{goal.text}” allows {allowed}"
    )
    if percent >= goal.value:
        return [f"{text}, so the goal is met on paper and rehearsed recovery has to keep it."]
    two = (1 - (1 - total) ** 2) * 100
    if b.has(Signal.TWO_REGIONS):
        return [
            f"{text}. One region of the {b.subject} misses the goal on paper; two that do not fail together give "
            f"1 - (1 - {total:.5f})^2 = {two:.4f} %."
        ]
    return [
        f"{text}. Agreements alone miss the goal of the {b.subject}; it holds only if the parts do better than they promise, as they "
        f"mostly do, or with a second region ({two:.4f} %)."
    ]


def _outage(share: float) -> str:
    minutes = share * HOURS_A_MONTH * 60
    return f"{number(minutes)} minutes" if minutes >= 1 else f"{number(minutes * 60)} seconds"


def _region_loss(b: Brief, choices: Sequence[Choice]) -> list[str]:
    if not b.has(Signal.TWO_REGIONS) or b.load.rpo is None:
        return []
    database = next((c for c in choices if c.slot.group is Group.RELATIONAL), None)
    if database is None:
        return []
    if database.product.can(Capability.RELATIONAL_DB_GLOBAL) and across_regions(b):
        return [
            f"- Writing to {regions_of(b)} before a commit is confirmed adds the way between them to every write of the {b.subject}; "
            "that is the price of losing nothing. The regions of such a database come in fixed sets, so the set nearest to these is to be "
            f"checked against where the data of the {b.subject} may lie."
        ]
    loss = aim(b.load.rpo) if b.load.rpo.value else "nothing"
    back = aim(b.load.rto) if b.load.rto and b.load.rto.value else "the goal"
    return [
        f"- The copy in the second region follows with a delay of seconds: it keeps a loss of at most {loss}, but promoting it is "
        f"a decision of a person with a runbook, to be rehearsed until it takes less than {back}."
    ]


def _contradictions(b: Brief) -> list[str]:
    return [
        f"- “{clip(c.first, 90)}” and “{clip(c.second, 90)}” cannot both hold ({c.why.rstrip('.')}); the products stand on this: {c.suggestion.rstrip('.')}."
        for c in b.facts.contradictions
    ]


def _leaving(b: Brief, choices: Sequence[Choice]) -> list[str]:
    if not b.has(Signal.LEAVABLE):
        return []
    open_tags = {Capability.POSTGRES, Capability.MYSQL, Capability.KAFKA, Capability.SPARK,
                 Capability.CONTAINER_SERVERLESS, Capability.CONTAINER_ORCHESTRATION, Capability.CONTAINER_JOBS,
                 Capability.OBJECT_STORAGE, Capability.VM, Capability.IN_MEMORY_CACHE}
    bound = dict.fromkeys(
        c.product.name for c in choices
        if c.slot.group in _CONTESTED and not open_tags & set(c.product.capabilities)
    )
    free = dict.fromkeys(c.product.name for c in choices if open_tags & set(c.product.capabilities))
    held = f"; {listed(bound)} would have to be replaced, behind one module each" if bound else ""
    return [f"- Leaving (“{b.quote(Signal.LEAVABLE, limit=90)}”): {listed(list(free)[:6])} hold containers, SQL and files that run elsewhere{held}."]


def _turning_points(b: Brief, choices: Sequence[Choice]) -> list[str]:
    lines: list[str] = []
    database = next((c for c in choices if c.slot.group is Group.RELATIONAL), None)
    rate = b.load.front_peak or b.load.front_steady
    if database and rate and not database.product.can(Capability.RELATIONAL_DB_GLOBAL):
        global_db = next((s.product.name for s in database.others if s.product.can(Capability.RELATIONAL_DB_GLOBAL)), None)
        if global_db and rate.value >= 0.1:
            lines.append(
                f"- One primary writes for {database.component.id}. At about {number(max(10_000, rate.value * 10))} writes a second, or when a lost region must cost nothing, "
                f"{global_db} becomes the better answer; today it is {rate.short}."
            )
        elif global_db:
            lines.append(f"- {database.product.name} is more than {rate.short} need; it was kept for SQL and backups, and a larger tier is one setting away.")
    service = next((c for c in choices if c.part in (Part.API, Part.ANSWER) and c.product.can(Capability.CONTAINER_SERVERLESS)), None)
    if service:
        cluster = next((s.product.name for s in service.others if s.product.can(Capability.CONTAINER_ORCHESTRATION)), None)
        if cluster and not b.tiny:
            lines.append(
                f"- {service.product.name} fits while {service.component.name} of the {b.subject} is stateless and speaks HTTP; node agents, raw sockets or dozens of services "
                f"in steady use would speak for {cluster}."
            )
    return lines


def _unmet(b: Brief, wishes: Wishes, choices: Sequence[Choice]) -> list[str]:
    used = {c.product.name for c in choices}
    lines = []
    for name, words in wishes.named.items():
        if name not in used:
            lines.append(f"- {name}, which the request mentions (“{clip(words, 80)}”), is not part of the design: no component of the {b.subject} scored best with it.")
    for ask in b.facts.forbidden_asks:
        lines.append(f"- “{clip(ask, 90)}”: nothing is applied from here; a person runs the commands of the deployment guidance.")
    return lines[:4]


def questions(
    b: Brief, choices: Sequence[Choice], catalogue: Catalogue
) -> tuple[Question, ...]:
    """The closest decisions that bind for years, then the whole list for objections."""
    asked: list[Question] = []
    close: list[tuple[float, Choice, Scored]] = []
    for choice in choices:
        other = rival(choice, catalogue)
        if choice.slot.group in _CONTESTED and other is not None and other.points > -50:
            close.append((choice.winner.points - other.points, choice, other))
    close.sort(key=lambda entry: entry[0])
    for lead, choice, other in close[:2]:
        if lead > 4 or (asked and choice.product.name in asked[0].text):
            continue
        told = next((a for a in choice.product.alternatives if a.name == other.product.name), None)
        gain = (told.pros if told else other.product.good_for).rstrip(".")
        loss = (told.cons if told else f"not for {other.product.not_for}").rstrip(".")
        asked.append(
            Question(
                text=f"{choice.product.name} or {other.product.name} for {choice.component.id} "
                f"{choice.component.name}?",
                why=f"They are close. {other.product.name} brings: {gain}. It costs: {loss}.",
                proposal=f"{choice.product.name}.",
            )
        )
    pairs = dict.fromkeys(f"{c.component.id}: {c.product.name}" for c in choices)
    asked.append(Question(
        text=f"Do you object to any of these products? {'; '.join(pairs)}.",
        why="Diagram, sizes, cost and Terraform are built on them.",
        proposal="Keep them all.",
    ))
    return tuple(asked)
