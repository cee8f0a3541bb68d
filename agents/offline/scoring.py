"""Scores the products of the catalogue for one slot; every point has a reason that can be told."""

from __future__ import annotations

from agents.offline.load import aim, number, size
from agents.offline.patterns import REGISTRY
from agents.offline.patterns_model import Layer, Part
from agents.offline.scoring_rules import RULES
from agents.offline.selection_model import Group, Reason, Scored, Setting
from agents.offline.selection_sla import promised
from agents.offline.signals import Signal
from providers.catalogue import Capability, FloorCost, Product, Status

_FLOOR_WORDS = {
    FloorCost.NONE: "nothing while unused",
    FloorCost.LOW: "tens of US dollars a month",
    FloorCost.MEDIUM: "hundreds of US dollars a month",
    FloorCost.HIGH: "thousands of US dollars a month",
}
_FLOOR_POINTS: tuple[tuple[float, tuple[float, float, float, float]], ...] = (
    # budget a month up to, points for none, low, medium, high
    (100, (1.0, -3, -12, -30)),
    (1_000, (0.5, -0.5, -5, -15)),
    (6_000, (0.3, 0, -1.5, -6)),
    (20_000, (0.2, 0, -0.5, -2)),
    (float("inf"), (0.1, 0, 0, -0.5)),
)
_UNPRICED = (0.3, 0.0, -0.4, -1.5)
_SERVING_GROUPS = frozenset(
    {
        Group.ENTRY, Group.SERVICE, Group.RELATIONAL, Group.DOCUMENT, Group.SERVING, Group.EVENTS,
        Group.STREAM, Group.SERVE_MODEL, Group.QUEUE, Group.IDENTITY, Group.API,
    }
)  # fmt: skip
_KEEPS_DATA = frozenset({Group.RELATIONAL, Group.DOCUMENT, Group.SERVING})


def candidates(setting: Setting) -> tuple[Product, ...]:
    """Products that could fill the slot, in the order of the catalogue; retired ones never."""
    slot = setting.slot
    for tags in (slot.any_of, slot.fallback):
        found = tuple(
            product
            for product in setting.catalogue.products
            if product.status.selectable
            and any(tag in product.capabilities for tag in tags)
            and product.can(*slot.all_of)
        )
        if found:
            return found
    return ()


def rank(setting: Setting) -> tuple[Scored, ...]:
    """All candidates with their points, best first; those avoided by a person come last."""
    scored = [_score(setting, product) for product in candidates(setting)]
    order = {product.name: at for at, product in enumerate(setting.catalogue.products)}
    return tuple(sorted(scored, key=lambda s: (-s.points, order[s.product.name])))


def _score(setting: Setting, product: Product) -> Scored:
    reasons = [
        reason
        for rule in (*_GENERAL, *RULES.get(setting.slot.group, ()))
        if (reason := rule(setting, product)) is not None
    ]
    return Scored(product, sum(r.points for r in reasons), tuple(reasons))


def _first_capability(setting: Setting, product: Product) -> Reason | None:
    """The capability that a slot names first fits it best."""
    tags = setting.slot.any_of
    held = [at for at, tag in enumerate(tags) if tag in product.capabilities]
    if not held:
        return None
    return Reason(1.5 - 0.3 * min(held), "")


def _wishes(setting: Setting, product: Product) -> Reason | None:
    wishes = setting.wishes
    if product.name in wishes.avoided:
        return Reason(-100, f"a person ruled it out: “{wishes.avoided[product.name]}”")
    if product.name in wishes.wanted:
        return Reason(50, f"a person asked for it: “{wishes.wanted[product.name]}”")
    if product.name in wishes.successors:
        old = wishes.successors[product.name]
        return Reason(
            2.5,
            (
                f"it is the named successor of {old}, which the request names and which is no "
                "longer offered"
            ),
        )
    if product.name in wishes.named:
        return Reason(3, f"the request asks for it (“{wishes.named[product.name]}”)")
    return None


def _floor(setting: Setting, product: Product) -> Reason | None:
    cost = product.floor_cost
    if cost is None:
        return None
    b = setting.brief
    budget = b.load.budget
    if budget is None:
        return Reason(_UNPRICED[cost.rank], "")
    points = next(p for limit, p in _FLOOR_POINTS if budget.value <= limit)[cost.rank]
    runs = setting.slot.group in (Group.SERVICE, Group.RELATIONAL, Group.SERVING, Group.DOCUMENT)
    if b.has(Signal.IDLE_HOURS) and cost is FloorCost.NONE and runs:
        return Reason(
            points + 0.7,
            f"it costs nothing while idle, and “{b.quote(Signal.IDLE_HOURS, limit=70)}”",
            b.signal_ids(Signal.IDLE_HOURS),
        )
    text = f"its smallest set-up costs {_FLOOR_WORDS[cost]} against {budget.shown}"
    if points > 0 and cost is FloorCost.NONE:
        text = f"it costs {_FLOOR_WORDS[cost]}, which helps to stay within {budget.shown}"
    return Reason(points, text if abs(points) >= 0.5 else "", b.ids_of(budget.figure))


def _availability(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    goal = b.load.availability
    if goal is None or goal.value is None or setting.slot.group not in _SERVING_GROUPS:
        return None
    documented = promised(b, product)
    if documented is None or REGISTRY[setting.part].layer is Layer.OPERATIONS:
        return None
    ids = b.ids_of(goal)
    shown = f"{documented:g} %"
    if documented < goal.value:
        weight = -2.0 if setting.part is Part.ALARM or setting.slot.group in _KEEPS_DATA else -0.6
        return Reason(weight, f"its documented {shown} is below the goal of {goal.value:g} %", ids)
    return Reason(0.4, f"its documented {shown} reaches the goal of {goal.value:g} %", ids)


def _size(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if setting.slot.group not in _KEEPS_DATA or not b.load.records or not b.load.records.value:
        return None
    limit = product.figures.get("max_storage_bytes")
    if limit is None:
        return None
    later = b.load.stored_bytes_later
    ids = b.ids_of(b.load.records)
    if later > limit:
        return Reason(
            -12,
            (
                f"one instance ends at {size(limit)}, and "
                f"{b.load.stored_later or b.load.records.text} do not fit"
            ),
            ids,
        )
    if later > limit / 2:
        return Reason(-2, f"{size(later)} would fill more than half of its {size(limit)}", ids)
    return Reason(0.2, f"{size(later)} are far below its {size(limit)}", ids)


def _messages(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if setting.slot.group not in (Group.EVENTS, Group.QUEUE):
        return None
    rate = product.figures.get("max_dispatches_per_s")
    items = b.load.items
    if (
        rate is not None
        and items is not None
        and items.value > rate
        and setting.slot.group is Group.QUEUE
    ):
        return Reason(
            -1, f"one queue sends {number(rate)} a second, so {items.short} need several", ()
        )
    kept = product.figures.get("retention_days")
    if b.has(Signal.REPLAY) and kept is not None:
        return Reason(
            0.5,
            (
                f"it keeps messages up to {number(kept)} days, so "
                f"“{b.quote(Signal.REPLAY, limit=70)}” holds"
            ),
            b.signal_ids(Signal.REPLAY),
        )
    return None


def _familiar(setting: Setting, product: Product) -> Reason | None:
    if product.name not in setting.chosen:
        return None
    few = setting.brief.small_team or setting.brief.tiny
    team = setting.brief.load.team
    who = f"a team of {number(team)}" if team else "whoever runs it"
    return Reason(
        1.0 if few else 0.5, f"it serves another component already, one product fewer for {who}"
    )


def _released(setting: Setting, product: Product) -> Reason | None:
    if product.status is Status.PREVIEW:
        return Reason(-1.5, "it is in preview, without a service level agreement")
    return None


def _superseded(setting: Setting, product: Product) -> Reason | None:
    if product.good_for.startswith("applications that already"):
        return Reason(-3, f"it is not meant for {product.not_for}")
    return None


def _leavable(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if not b.has(Signal.LEAVABLE):
        return None
    open_tags = {
        Capability.POSTGRES,
        Capability.MYSQL,
        Capability.KAFKA,
        Capability.SPARK,
        Capability.CONTAINER_SERVERLESS,
        Capability.CONTAINER_ORCHESTRATION,
    }
    words = b.quote(Signal.LEAVABLE, limit=80)
    ids = b.signal_ids(Signal.LEAVABLE)
    if open_tags & set(product.capabilities):
        return Reason(1.0, f"its interface is an open one that runs elsewhere too (“{words}”)", ids)
    if setting.slot.group in (Group.RELATIONAL, Group.API, Group.DOCUMENT):
        return Reason(-1.0, f"its interface exists here only, against “{words}”", ids)
    return None


def _recovery(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    failover = product.figures.get("failover_s")
    if (
        failover is None
        or not b.load.rto
        or not b.load.rto.value
        or setting.slot.group not in _KEEPS_DATA
    ):
        return None
    if failover <= b.load.rto.value:
        text = (
            f"a standby in another zone takes over in about {number(failover)} s"
            if failover
            else ("losing a zone interrupts nothing")
        )
        return Reason(
            0.3, f"{text}, within the recovery goal of {aim(b.load.rto)}", b.ids_of(b.load.rto)
        )
    return Reason(
        -1,
        f"its change-over takes about {number(failover)} s, the goal is {aim(b.load.rto)}",
        b.ids_of(b.load.rto),
    )


_GENERAL = (
    _first_capability, _wishes, _floor, _availability, _size, _messages, _familiar, _released,
    _superseded, _leavable, _recovery,
)  # fmt: skip
