"""The offline planner's product selection: each component's products, scored and weighed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.offline.brief import MARKER, Brief, brief_of, documents_of
from agents.offline.consent import dissenting
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.intents import history, intents
from agents.offline.patterns import parts_of
from agents.offline.patterns_model import Part
from agents.offline.scoring import rank
from agents.offline.selection_model import Choice, Reason, Scored, Setting, Slot, Wishes
from agents.offline.selection_sizing import note, regions_of, sizing
from agents.offline.selection_slots import SLOTS
from agents.offline.selection_tradeoffs import questions, tradeoffs
from agents.offline.selection_weighing import alternatives, telling
from agents.offline.selection_wishes import Applied, apply_wishes, wishes_of
from agents.offline.wording import listed
from agents.runtime import AgentTask
from engine.deliverables import Kind
from engine.documents import Component, parse_components
from providers.catalogue import Catalogue, Product

_GENERIC_SLOTS = SLOTS[Part.WORKER]


def draft_selection(
    task: AgentTask, facts: Facts, documents: Mapping[Kind, str], catalogue: Catalogue
) -> Draft:
    """Choose a product for each component by score, and show what was not chosen.

    Revision feedback and answers are wishes: a product asked for wins its slots, one ruled out
    leaves them; what names no product is recorded with the component that it concerns.
    """
    b = brief_of(task, facts, documents)
    known = documents_of(task, documents)
    components = parse_components(known.get(Kind.TECHNICAL_DECOMPOSITION, ""))
    previous = task.previous.content if task.previous else ""
    asks = intents((*history(previous), *task.feedback, *dissenting(task)))
    wishes = wishes_of(b, asks, catalogue)
    choices = choose(b, components, wishes, catalogue)
    applied = apply_wishes(b, asks, choices, wishes, catalogue)
    choices = applied.choices
    told: dict[tuple[str, str], str] = {}
    rows = [_row(choice, b, applied, catalogue, told) for choice in choices]
    lines = [
        "## Product mapping",
        "",
        "| Component | Recommended product | Justification and citations | Alternatives considered "
        "| Pros and cons of alternatives |",
        "|---|---|---|---|---|",
        *rows,
        "",
        *_sizes(choices, b),
        "## Trade-offs",
        "",
        *tradeoffs(b, choices, wishes, catalogue),
        *applied.lines(),
        "",
        MARKER,
        "",
    ]
    asked = () if task.answers or not task.interactive else questions(b, choices, catalogue)
    return Draft(content="\n".join(lines), questions=asked)


def choose(
    b: Brief, components: Sequence[Component], wishes: Wishes, catalogue: Catalogue
) -> tuple[Choice, ...]:
    """The choices for all components; a product chosen once is known to the later ones."""
    recognised = [(c, parts_of(c.name, c.responsibility)) for c in components]
    parts = frozenset(p for _, found in recognised for p in found)
    chosen: list[str] = []
    made: list[Choice] = []
    for component, found in recognised:
        taken: list[str] = []
        for part in found or (Part.WORKER,):
            slots = SLOTS[part]
            wanted = [s for s in slots if s.wanted(b, parts)]
            for slot in wanted or list(slots[:1]):
                choice = _choice(b, component, part, slot, parts, chosen, taken, wishes, catalogue)
                if choice is None:
                    continue
                taken.append(choice.product.name)
                chosen.append(choice.product.name)
                made.append(choice)
        if not taken:
            part = found[0] if found else Part.WORKER
            made.append(
                _last_resort(b, component, part, SLOTS[part][0], parts, chosen, wishes, catalogue)
            )
    return tuple(made)


def _choice(
    b: Brief,
    component: Component,
    part: Part,
    slot: Slot,
    parts: frozenset[Part],
    chosen: Sequence[str],
    taken: Sequence[str],
    wishes: Wishes,
    catalogue: Catalogue,
) -> Choice | None:
    setting = Setting(
        b, part, slot, component, parts, tuple(dict.fromkeys(chosen)), wishes, catalogue
    )
    ranked = rank(setting)
    if not ranked:
        return None
    if ranked[0].product.name in taken and slot is not SLOTS.get(part, (slot,))[0]:
        return None  # the same product already stands for this component
    choice = Choice(component, part, slot, ranked[0], ranked[1:])
    from dataclasses import replace

    return replace(choice, note=note(choice, b))


def _last_resort(
    b: Brief,
    component: Component,
    part: Part,
    slot: Slot,
    parts: frozenset[Part],
    chosen: Sequence[str],
    wishes: Wishes,
    catalogue: Catalogue,
) -> Choice:
    """A component that no product of the catalogue fits is carried by a service of our own."""
    service = _GENERIC_SLOTS[0]
    choice = _choice(b, component, part, service, parts, chosen, (), wishes, catalogue)
    if choice is not None:
        return choice
    anything = next(p for p in catalogue.products if p.status.selectable)
    return Choice(component, part, slot, Scored(anything, 0.0, ()), ())


def _ids(choice: Choice, reasons: Sequence[Reason], b: Brief) -> tuple[str, ...]:
    known = {r.id for r in b.requirements}
    found = [i for r in reasons for i in r.ids]
    serves = [i for i in choice.component.serves if i in known or not known]
    return (
        tuple(dict.fromkeys((*serves[:2], *(i for i in found if i in known or not known))))[:5]
        or tuple(serves[:1])
        or tuple(known)[:1]
    )


def _fill(template: str, choice: Choice, b: Brief) -> str:
    return template.format(
        s=b.subject,
        front=b.front,
        core=b.core_short,
        item=b.item_short,
        region=regions_of(b),
        rules=b.rules or "the rules that apply",
        stored=b.load.stored_later or (b.load.stored.text if b.load.stored else "the data"),
        night=b.load.nightly.text if b.load.nightly else "each delivery",
        fleet=b.fleet or "the devices",
        budget=b.load.budget.shown if b.load.budget else "a limit that is still to be set",
        people=listed(p.lower() for p in b.people[:2]),
    )


def _row(
    choice: Choice,
    b: Brief,
    applied: Applied,
    catalogue: Catalogue,
    told: dict[tuple[str, str], str],
) -> str:
    """A row of the table; ``told`` keeps what was said of a product for which component."""
    product = choice.product
    reasons = [r for r in choice.winner.best if r.text and r.points >= 0.3]
    new = [r for r in reasons if (product.name, r.text) not in told]
    known = next(
        (told[product.name, r.text] for r in reasons if (product.name, r.text) in told), ""
    )
    reasons = new[:3]
    for reason in reasons:
        told[product.name, reason.text] = choice.component.id
    against = [r for r in choice.winner.worst if r.text and r.points <= -1.5][:1]
    said = [f"It {_fill(choice.slot.why, choice, b)}"]
    said += [_sentence(r) for r in reasons]
    if known and len(reasons) < 2:
        said.append(f"Chosen for the reasons given at {known}")
    said += [f"Known weakness here: {r.text}{_cited(r)}" for r in against]
    extra = applied.notes.get((choice.component.id, product.name))
    if extra:
        said.append(extra)
    ids = ", ".join(_ids(choice, reasons, b))
    justification = f"{ids}: {'. '.join(said)}. [{product.name} documentation]({product.docs})"
    others = alternatives(choice, catalogue)
    names = "; ".join(p.name for p in others)
    weighed = "<br>".join(_weigh(choice, other, b) for other in others)
    name = f"{product.name} — {choice.note}" if choice.note else product.name
    cells = (f"{choice.component.id} {choice.component.name}", name, justification, names, weighed)
    return f"| {' | '.join(_cell(c) for c in cells)} |"


def _sentence(reason: Reason) -> str:
    text = reason.text[:1].upper() + reason.text[1:]
    return f"{text}{_cited(reason)}"


def _cited(reason: Reason) -> str:
    return f" ({', '.join(reason.ids[:2])})" if reason.ids else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")


def _weigh(choice: Choice, other: Product, b: Brief) -> str:
    """Pros and cons of an alternative: the catalogue's, and what the request adds to them."""
    told = next((a for a in choice.product.alternatives if a.name == other.name), None)
    scored = next((s for s in choice.others if s.product.name == other.name), None)
    pros = (told.pros if told else other.good_for).rstrip(".")
    cons = (told.cons if told else f"not for {other.not_for}").rstrip(".")
    for_it = next((r for r in scored.best if r.text and r.points >= 1), None) if scored else None
    against = next((r for r in scored.worst if r.text), None) if scored else None
    if for_it:
        pros = f"{pros}; here: {for_it.text}"
    if against:
        cons = f"{cons}; here: {against.text}{_cited(against)}"
    elif scored and (ahead := telling(choice, scored)):
        cons = f"{cons}; what it lacks here: {ahead}"
    return f"**{other.name}** Pros: {pros}; Cons: {cons}."


def _sizes(choices: Sequence[Choice], b: Brief) -> list[str]:
    seen: set[str] = set()
    lines: list[str] = []
    for choice in choices:
        text = sizing(choice, b)
        key = f"{choice.product.name}{text}"
        if text and key not in seen:
            seen.add(key)
            lines.append(f"- {choice.component.id}, {choice.product.name}: {text}.")
    if not lines:
        return []
    return ["Sizes that follow from the figures:", "", *lines, ""]
