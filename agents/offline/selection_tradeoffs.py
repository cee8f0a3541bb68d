"""What a selection gives up, what it costs at rest, and what would change it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.brief import Brief
from agents.offline.load import number
from agents.offline.patterns_industry import heavy_video
from agents.offline.patterns_model import Part
from agents.offline.scoring_data import across_regions
from agents.offline.selection_limits import availability, money, region_loss
from agents.offline.selection_model import Choice, Group, Scored, Wishes
from agents.offline.selection_weighing import rival, telling
from agents.offline.signals import Signal
from agents.offline.wording import clip, listed
from agents.runtime import Question
from providers.catalogue import Capability, Catalogue, Status

_CONTESTED = (
    Group.RELATIONAL, Group.SERVICE, Group.EVENTS, Group.SERVING, Group.STREAM, Group.WAREHOUSE,
    Group.RETRIEVAL, Group.DELIVERY, Group.API, Group.DEVICES, Group.DOCUMENT, Group.WORKFLOW,
    Group.SERVE_MODEL, Group.MEDIA, Group.LINK, Group.CACHE,
)  # fmt: skip


_BINDING = {
    Group.RELATIONAL: 5.0, Group.RETRIEVAL: 2.0, Group.EVENTS: 2.0, Group.SERVICE: 1.5,
    Group.SERVING: 1.0, Group.DEVICES: 1.0, Group.WAREHOUSE: 1.0, Group.DELIVERY: 0.0,
    Group.SERVE_MODEL: 0.0, Group.WORKFLOW: 0.0, Group.STREAM: 0.0, Group.DOCUMENT: 0.0,
    Group.API: 0.0,
}  # fmt: skip
"""Choices worth a question, and how much of a lead is forgiven because they bind for years."""


def tradeoffs(
    b: Brief, choices: Sequence[Choice], wishes: Wishes, catalogue: Catalogue
) -> list[str]:
    """The list items of the section."""
    lines = [
        *_ready_made(b),
        *_given_up(b, choices, catalogue),
        *_retired(b, choices, wishes, catalogue),
        *money(b, choices),
        *availability(b, choices),
        *region_loss(b, choices),
        *_contradictions(b),
        *_leaving(b, choices),
        *_turning_points(b, choices),
        *_unmet(b, wishes, choices),
    ]
    preview = [c.product.name for c in choices if c.product.status is Status.PREVIEW]
    if preview:
        lines.append(
            "- In preview, without a service level agreement: "
            f"{listed(dict.fromkeys(preview))}; the {b.subject} must be able to do "
            "without."
        )
    return lines or [
        ("- No choice was close: each component has one product that fits clearly best.")
    ]


def _ready_made(b: Brief) -> list[str]:
    """For a small shop the honest alternative is a rented one."""
    if not b.tiny or not b.says(r"\bshop\b|web ?shop|online store"):
        return []
    now = re.search(r"\b(wix|shopify|squarespace|woocommerce|jimdo|shopware)\b", b.text, re.I)
    today = f" ({now[1].capitalize()} today)" if now else ""
    return [
        f"- Not building at all: a rented shop{today} brings cart, payment, tax and order mails "
        "for a fixed fee, and moving to a faster one is days of work. What is designed here runs "
        "shop software that somebody has to choose, install and keep up to date; it pays off only "
        "where a rented shop cannot do what is wanted."
    ]


def _given_up(b: Brief, choices: Sequence[Choice], catalogue: Catalogue) -> list[str]:
    lines: list[str] = []
    seen: set[tuple[str, str]] = set()
    for choice in sorted(
        choices, key=lambda c: _CONTESTED.index(c.slot.group) if c.slot.group in _CONTESTED else 99
    ):
        other = rival(choice, catalogue)
        if choice.slot.group not in _CONTESTED or other is None or len(lines) >= 5:
            continue
        if (
            choice.slot.group is Group.DELIVERY
            and not heavy_video(b)
            and "Media" in (other.product.name)
        ):
            continue  # nothing is given up where no film is shown
        pair = (choice.product.name, other.product.name)
        if pair in seen:
            continue
        seen.add(pair)
        told = next((a for a in choice.product.alternatives if a.name == other.product.name), None)
        lost = told.pros if told else other.product.good_for
        reason = telling(choice, other)
        why = f"; in exchange for this: {reason}" if reason else "; nothing in the request needs it"
        lines.append(
            f"- {choice.product.name} instead of {other.product.name} for {choice.component.id} "
            f"{choice.component.name} gives up: {lost.rstrip('.')}{why}."
        )
    return lines


def _retired(
    b: Brief, choices: Sequence[Choice], wishes: Wishes, catalogue: Catalogue
) -> list[str]:
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
        said = next(
            (
                line
                for line in b.lines
                if any(m.product.name == old.name for m in catalogue.mentions(line))
            ),
            "",
        )
        since = f" since {old.retired_on}" if old.retired_on else ""
        source = f" ([source]({old.source}))" if old.source else ""
        quoted = f" (“{clip(said, 90)}”)" if said else ""
        where = listed(dict.fromkeys(f"{c.component.id} {c.component.name}" for c in users))
        instead = (
            f"{old.successor} takes its place for {where}"
            if where
            else _instead(b, choices, old.successor)
        )
        if broker is not None and broker in users:
            instead = (
                f"a broker on {broker.product.name} does its device side ({broker.component.id}), "
                + (
                    f"{old.successor} its event side"
                    if len(users) > 1
                    else "the rest of the design its event side"
                )
                + ", so that devices keep their protocol and certificates"
            )
        lines.append(
            f"- {old.name} is asked for{quoted} and is {old.status.value}{since}{source}: "
            f"{instead}."
        )
    return lines


def _instead(b: Brief, choices: Sequence[Choice], successor: str | None) -> str:
    broker = next((c for c in choices if c.part is Part.DEVICE_GATEWAY), None)
    named = f"its named successor is {successor}, but " if successor else ""
    if broker is not None:
        return (
            f"{named}{broker.product.name} does this work here, as the devices of the "
            f"{b.subject} keep their protocol"
        )
    return f"{named}no component needs it any more"


def _contradictions(b: Brief) -> list[str]:
    lines: list[str] = []
    for c in b.facts.contradictions:
        loss = re.search(r"RPO|lost|lose", f"{c.first} {c.second}", re.I)
        stand = "the products stand on this"
        if across_regions(b) and loss and b.load.budget:
            stand = "the selection keeps what must not be lost and leaves the sum to be decided"
        lines.append(
            f"- “{clip(c.first, 90)}” and “{clip(c.second, 90)}” cannot both hold "
            f"({_lower(c.why)}); {stand}: {_lower(c.suggestion)}."
        )
    return lines


def _lower(text: str) -> str:
    text = text.rstrip(". ")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _leaving(b: Brief, choices: Sequence[Choice]) -> list[str]:
    if not b.has(Signal.LEAVABLE):
        return []
    open_tags = {
        Capability.POSTGRES,
        Capability.MYSQL,
        Capability.KAFKA,
        Capability.SPARK,
        Capability.CONTAINER_SERVERLESS,
        Capability.CONTAINER_ORCHESTRATION,
        Capability.CONTAINER_JOBS,
        Capability.OBJECT_STORAGE,
        Capability.VM,
        Capability.IN_MEMORY_CACHE,
    }
    bound = dict.fromkeys(
        c.product.name
        for c in choices
        if c.slot.group in _CONTESTED
        and c.slot.group is not Group.LINK
        and not open_tags & set(c.product.capabilities)
    )
    free = dict.fromkeys(c.product.name for c in choices if open_tags & set(c.product.capabilities))
    held = f"; {listed(bound)} would have to be replaced, behind one module each" if bound else ""
    return [
        (
            f"- Leaving (“{b.quote(Signal.LEAVABLE, limit=90)}”): {listed(list(free)[:6])} "
            f"hold containers, SQL and files that run elsewhere{held}."
        )
    ]


def _turning_points(b: Brief, choices: Sequence[Choice]) -> list[str]:
    lines: list[str] = []
    database = next((c for c in choices if c.slot.group is Group.RELATIONAL), None)
    rate = b.load.front_peak or b.load.front_steady
    if database and rate and not database.product.can(Capability.RELATIONAL_DB_GLOBAL):
        global_db = next(
            (
                s.product.name
                for s in database.others
                if s.product.can(Capability.RELATIONAL_DB_GLOBAL)
            ),
            None,
        )
        if global_db and rate.value >= 0.1:
            lines.append(
                f"- One primary writes for {database.component.id}. At about "
                f"{number(max(10_000, rate.value * 10))} writes a second, or when a lost "
                "region must cost nothing, "
                f"{global_db} becomes the better answer; today it is {rate.short}."
            )
        elif global_db:
            lines.append(
                f"- {database.product.name} is more than {rate.short} need; it was kept "
                "for SQL and backups, and a larger tier is one setting away."
            )
    service = next(
        (
            c
            for c in choices
            if c.part in (Part.API, Part.ANSWER) and c.product.can(Capability.CONTAINER_SERVERLESS)
        ),
        None,
    )
    if service:
        cluster = next(
            (
                s.product.name
                for s in service.others
                if s.product.can(Capability.CONTAINER_ORCHESTRATION)
            ),
            None,
        )
        if cluster and not b.tiny:
            lines.append(
                f"- {service.product.name} fits while {service.component.name} of the "
                f"{b.subject} is stateless and speaks HTTP; node agents, raw sockets or "
                "dozens of services "
                f"in steady use would speak for {cluster}."
            )
    return lines


def _unmet(b: Brief, wishes: Wishes, choices: Sequence[Choice]) -> list[str]:
    used = {c.product.name for c in choices}
    lines = []
    for name, words in wishes.named.items():
        if name not in used:
            lines.append(
                f"- {name}, which the request mentions (“{clip(words, 80)}”), is not part "
                f"of the design: no component scored best with it."
            )
    for ask in b.facts.forbidden_asks:
        lines.append(
            f"- “{clip(ask, 90)}”: nothing is applied from here; a person runs the "
            "commands of the deployment guidance."
        )
    return lines[:4]


def questions(b: Brief, choices: Sequence[Choice], catalogue: Catalogue) -> tuple[Question, ...]:
    """The closest decision that binds for years; without one, the list for objections."""
    if b.tiny:  # nobody who asks for so little can weigh two databases
        return ()
    asked: list[Question] = []
    close: list[tuple[float, Choice, Scored]] = []
    for choice in choices:
        other = rival(choice, catalogue)
        if choice.slot.group in _BINDING and other is not None and other.points > -50:
            lead = choice.winner.points - other.points - _BINDING[choice.slot.group]
            close.append((lead, choice, other))
    close.sort(key=lambda entry: entry[0])
    for lead, choice, other in close[:2]:
        if lead > 3 or (asked and choice.product.name in asked[0].text):
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
    if asked:
        return tuple(asked[:1])
    pairs = dict.fromkeys(f"{c.component.name}: {c.product.name}" for c in choices)
    asked.append(
        Question(
            text=f"Do you object to any of these products? {'; '.join(pairs)}.",
            why="Diagram, sizes, cost and Terraform are built on them.",
            proposal="Keep them all.",
        )
    )
    return tuple(asked)
