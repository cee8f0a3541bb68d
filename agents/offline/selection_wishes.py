"""What people want of the selection: products asked for, ruled out, or named though retired."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.offline.brief import Brief
from agents.offline.intents import HISTORY, Act, Intent, recorded
from agents.offline.patterns import asked_part, recognise
from agents.offline.selection_model import Choice, Reason, Scored, Wishes
from agents.offline.signals import Signal
from agents.offline.wording import clip
from providers.catalogue import Capability, Catalogue, Product

_ASKED = re.compile(
    (
        r"\b(?:please use|use|using|prefer|go with|want|would like|should be|must (?:be|run|"
        r"use)|connect|I'd|we'd|like to|on)\b"
    ),
    re.I,
)
_KINDS: tuple[tuple[str, Capability], ...] = (
    (r"kubernetes|k8s|\bclusters?\b", Capability.CONTAINER_ORCHESTRATION),
    (r"virtual machines?|\bVMs?\b|servers?\b", Capability.VM),
    (r"serverless", Capability.CONTAINER_SERVERLESS),
    (r"\bkafka\b", Capability.KAFKA),
    (r"\bspark\b|hadoop", Capability.SPARK),
    (r"\bpostgres\w*", Capability.POSTGRES),
    (r"\bmysql\b", Capability.MYSQL),
    (r"\boracle\b", Capability.ORACLE),
)


def products_in(words: str, catalogue: Catalogue) -> tuple[Product, ...]:
    """Products that some words name, in any case, by name, alias or a generic kind."""
    exact = catalogue.find(words.strip(" ."))
    if exact is not None:
        return (exact,)
    found = [m.product for m in catalogue.mentions(words)]
    flat = f" {' '.join(re.findall(r'[a-z0-9/+.-]+', words.casefold()))} "
    for product in catalogue.products:
        for spelling in product.spellings:
            if f" {spelling.casefold()} " in flat and product not in found:
                found.append(product)
    longest = [
        p
        for p in found
        if not any(
            p is not o and p.name.casefold() in o.name.casefold() and o.name.casefold() in flat
            for o in found
        )
    ]
    return tuple({p.name: p for p in longest}.values())


def _of_kind(words: str, catalogue: Catalogue) -> tuple[Product, ...]:
    for pattern, tag in _KINDS:
        if re.search(pattern, words, re.I):
            return catalogue.with_capability(tag)
    return ()


def wishes_of(b: Brief, asks: Sequence[Intent], catalogue: Catalogue) -> Wishes:
    """Wishes of the request itself, then of feedback and answers, which override it."""
    wanted: dict[str, str] = {}
    avoided: dict[str, str] = {}
    named: dict[str, str] = {}
    successors: dict[str, str] = {}
    for line in b.lines:
        for mention in catalogue.mentions(line):
            product = mention.product
            if not product.status.selectable and product.successor:
                successors.setdefault(_living(product, catalogue).name, product.name)
            elif _ASKED.search(line[: mention.start]) and not b.has(Signal.KUBERNETES):
                named.setdefault(product.name, clip(line, 90))
    for name in b.facts.retired_products:
        retired = catalogue.find(name)
        if retired is not None and retired.successor:
            successors.setdefault(_living(retired, catalogue).name, retired.name)
    for ask in asks:
        if ask.act is Act.USE:
            _want(ask.target, ask.words, wanted, avoided, successors, catalogue)
            meant = {p.name for p in products_in(ask.target, catalogue)}
            for product in products_in(ask.other, catalogue) or _of_kind(ask.other, catalogue):
                if product.name not in meant:
                    avoided[product.name] = ask.words
                    wanted.pop(product.name, None)
        elif ask.act in (Act.AVOID, Act.REMOVE):
            for product in products_in(ask.target, catalogue) or _of_kind(ask.target, catalogue):
                avoided[product.name] = ask.words
                wanted.pop(product.name, None)
        elif ask.act is Act.ADD:
            _want(ask.target, ask.words, wanted, avoided, successors, catalogue)
    return Wishes(wanted, avoided, successors, named)


def _want(
    words: str,
    said: str,
    wanted: dict[str, str],
    avoided: dict[str, str],
    successors: dict[str, str],
    catalogue: Catalogue,
) -> None:
    for product in products_in(words, catalogue):
        if not product.status.selectable:
            living = _living(product, catalogue)
            successors[living.name] = product.name
            wanted[living.name] = said
            continue
        wanted[product.name] = said
        avoided.pop(product.name, None)


def _living(product: Product, catalogue: Catalogue) -> Product:
    """The successor of a retired product, followed to one that may be chosen."""
    seen = {product.name}
    while not product.status.selectable and product.successor and product.successor not in seen:
        seen.add(product.successor)
        product = catalogue[product.successor]
    return product


@dataclass(slots=True)
class Applied:
    """The choices after wishes that scoring alone cannot fulfil, and what was done for each."""

    choices: tuple[Choice, ...]
    effects: list[tuple[str, str]] = field(default_factory=list)
    notes: dict[tuple[str, str], str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The lines that record a Revision; none where nothing was asked."""
        if not self.effects:
            return []
        return ["", f"{HISTORY}:", "", *(recorded(w, e) for w, e in self.effects)]


def forced(choice: Choice, product: Product, words: str) -> Choice:
    """The same choice with another product, which a person asked for."""
    old = next((s for s in choice.others if s.product.name == product.name), None)
    reasons = (Reason(50, f"a person asked for it: “{words}”"), *(old.reasons if old else ()))
    scored = Scored(product, 50 + (old.points if old else 0), reasons)
    rest = [choice.winner, *(s for s in choice.others if s.product.name != product.name)]
    return replace(choice, winner=scored, others=tuple(rest))


def apply_wishes(
    b: Brief,
    asks: Sequence[Intent],
    choices: tuple[Choice, ...],
    wishes: Wishes,
    catalogue: Catalogue,
) -> Applied:
    """Record what each ask changed; put a product in place where the words name the component."""
    state = Applied(choices)
    for ask in asks:
        state.effects.append((ask.words, _effect(b, ask, state, wishes, catalogue)))
    return state


def _effect(b: Brief, ask: Intent, state: Applied, wishes: Wishes, catalogue: Catalogue) -> str:
    retired = [p for p in products_in(ask.target, catalogue) if not p.status.selectable]
    if ask.act in (Act.USE, Act.ADD):
        for product in products_in(ask.target, catalogue):
            living = _living(product, catalogue)
            if living.name in wishes.avoided and living.name not in wishes.wanted:
                return f"a later Revision request took {living.name} back."
            used = [c for c in state.choices if c.product.name == living.name]
            if used:
                where = _names(used)
                instead = (
                    f" instead of {product.name}, which is {product.status.value}"
                    if product in retired
                    else ""
                )
                return f"{living.name} is now the product of {where}{instead}."
            at = _place(ask, state.choices, living)
            if at is not None:
                choice = state.choices[at]
                old = choice.product.name
                changed = list(state.choices)
                changed[at] = forced(choice, living, ask.words)
                state.choices = tuple(changed)
                return (
                    f"{living.name} replaces {old} for {_names([choice])}, as asked and "
                    "against the scoring."
                )
            return (
                f"{living.name} fills no component of the decomposition, so nothing changed; "
                "reopen the decomposition with the component that should use it."
            )
    if ask.act in (Act.AVOID, Act.REMOVE, Act.USE):
        gone = products_in(
            ask.target if ask.act is not Act.USE else ask.other, catalogue
        ) or _of_kind(ask.target if ask.act is not Act.USE else ask.other, catalogue)
        if gone:
            names = {p.name for p in gone}
            left = [c for c in state.choices if c.product.name in names]
            moved = [
                c
                for c in state.choices
                if any(s.product.name in names and s.points < -50 for s in c.others)
            ]
            if left:
                return (
                    f"{', '.join(sorted({c.product.name for c in left}))} stays for "
                    f"{_names(left)}: the catalogue has no other product for it."
                )
            if moved:
                now = ", ".join(
                    dict.fromkeys(f"{c.product.name} for {c.component.id}" for c in moved)
                )
                out = sorted(names & {s.product.name for c in moved for s in c.others})
                return f"{', '.join(out)} was ruled out; chosen now: {now}."
            return "no component used it, and none does now."
    return _noted(b, ask, state)


def _place(ask: Intent, choices: Sequence[Choice], product: Product) -> int | None:
    """The choice that a wish means where scoring did not place it: by component, then kind."""
    for at, choice in enumerate(choices):
        if re.search(rf"\b{re.escape(choice.component.id)}\b", ask.words, re.I):
            return at
    part = asked_part(ask.words)
    for at, choice in enumerate(choices):
        if part is not None and choice.part is part:
            return at
    for at, choice in enumerate(choices):
        if any(tag in product.capabilities for tag in choice.slot.any_of):
            return at
    return None


def _noted(b: Brief, ask: Intent, state: Applied) -> str:
    part = asked_part(ask.words) or recognise(ask.words)
    target = next(
        (c for c in state.choices if re.search(rf"\b{c.component.id}\b", ask.words)), None
    )
    target = (
        target
        or next((c for c in state.choices if c.part is part), None)
        or (state.choices[0] if state.choices else None)
    )
    if target is None:
        return "there is no component to change."
    key = (target.component.id, target.product.name)
    state.notes[key] = f"The Revision asks here: “{clip(ask.words, 140)}”"
    return (
        "it names no product of the catalogue; it now stands as a condition in the "
        f"justification of {_names([target])} "
        f"({target.product.name}), and the choice was left as scored."
    )


def _names(choices: Sequence[Choice]) -> str:
    return ", ".join(dict.fromkeys(f"{c.component.id} {c.component.name}" for c in choices))
