"""Writes a pillar's section: the rules that apply, the weightiest first, in the design's words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agents.offline.adjustments import visible
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.load import number
from agents.offline.pillars.rules import Rule, rules_of
from agents.offline.pillars.values import figure_of, flags_of, values_of
from agents.offline.terraform.design import Design
from agents.offline.terraform.parts import Unit
from agents.offline.terraform.reading import design_of
from agents.offline.wording import listed
from agents.runtime import AgentTask
from engine import documents as md
from engine.deliverables import Kind, Pillar
from providers.catalogue import Catalogue

MARKER = "_Drafted by the offline planner from the request's words; no language model was used._"
MOST, LEAST, EXTRA = 9, 5, 3
FEW = 5
"""Recommendations of a pillar for a tiny system, whose owner is no specialist."""
_ONE = re.compile(r"(?:each of )?the 1 running components")
_DROP = re.compile(r"\b(?:drop|remove|without|leave out|no|skip|delete)\b", re.I)
_WANT = re.compile(r"\b(?:add|include|more|missing|mention|cover|say something)\b", re.I)
_STOP = {
    "the",
    "and",
    "for",
    "with",
    "from",
    "this",
    "that",
    "please",
    "about",
    "section",
    "more",
    "add",
    "remove",
    "drop",
    "include",
    "without",
    "should",
    "recommendation",
    "recommendations",
    "item",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One recommendation as written."""

    rule: Rule
    text: str


def owned(text: str, title: str) -> str:
    """The possessive of a title that ends in s takes no second one."""
    return text.replace(f"{title}'s", f"{title}'") if title.endswith("s") else text


def _few(names: tuple[str, ...]) -> str:
    """``A, B and 5 more``: a title stays readable however many components it concerns."""
    if len(names) <= 3:
        return listed(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def _applies(rule: Rule, flags: frozenset[str]) -> bool:
    return all((w[1:] not in flags) if w.startswith("!") else (w in flags) for w in rule.when)


def _concerned(rule: Rule, design: Design) -> tuple[Unit, ...]:
    units = design.of(*rule.products) if rule.products else ()
    match rule.only:
        case "locked":
            return tuple(u for u in units if design.size.locked_days(u))
        case "kept":
            return tuple(u for u in units if design.size.keep_days(u))
        case _:
            return units


def _ids(rule: Rule, design: Design, units: tuple[Unit, ...]) -> tuple[str, ...]:
    """Ids of the requirements that a rule serves, at most three, at least one."""
    found: list[str] = []
    for name in rule.serves:
        if name.isupper():
            if not found:
                found += design.brief.ids_in(name)[:2]
        elif name.startswith("said:"):
            near = design.brief.ids_matching(name.removeprefix("said:"), limit=50)
            # A non-functional requirement says how; a functional one often only shares a word.
            found += sorted(near, key=lambda i: i.startswith("FR-"))[:1]
        elif (figure := figure_of(design, name)) is not None:
            found += design.brief.ids_of(figure)
    if not found and units:
        found += units[0].serves[:2]
    if not found:
        found += design.ids(*(n for n in rule.serves if n.isupper()))
    return tuple(dict.fromkeys(found))[:3]


def written(rule: Rule, design: Design, values: Mapping[str, str]) -> Item | None:
    """The rule in the design's words; None where it needs a value that is not known."""
    units = _concerned(rule, design)
    if rule.products and not units:
        return None
    words = dict(values)
    names: tuple[str, ...] = ()
    if units:
        names = tuple(dict.fromkeys(u.component for u in units))
        words["names"] = _few(names)
        words["name"] = units[0].component
        words["product"] = units[0].product
        words["slug"] = units[0].slug
        if locked := design.size.locked_days(units[0]):
            words["locked_days"] = number(locked.value)
        words["many"] = str(len({u.id for u in units}))
    if not rule.fields <= set(words):
        return None
    ids = _ids(rule, design, units)
    if not ids:
        return None
    title = rule.title.format_map(words)
    if units and len(names) > 2 and "{names}" in rule.title:
        words["names"] = f"these {len(names)} components"
    text = owned(rule.text.format_map(words).strip(), words["title"])
    parts = [f"- **{title}** ({', '.join(ids)}): "]
    body, stop = (text[:-1], text[-1]) if text.endswith((".", "!")) else (text, ".")
    parts.append(f"{body} ([{rule.page}]({rule.url})){stop}")
    if rule.tradeoff:
        price = owned(rule.tradeoff.format_map(words).strip(), words["title"])
        parts.append(f" Trade-off: {price}")
    return Item(rule, _ONE.sub("the one running component", "".join(parts)))


def items_of(design: Design, pillar: Pillar) -> tuple[Item, ...]:
    """Every recommendation that applies, the weightiest first."""
    values = values_of(design)
    flags = flags_of(design) | {f"has:{name}" for name in values}
    found = (written(r, design, values) for r in rules_of(pillar) if _applies(r, flags))
    return tuple(item for item in found if item is not None)


def _topic(text: str) -> set[str]:
    return {w for w in re.findall(r"[a-z]{3,}", text.lower()) if w not in _STOP}


def _steered(
    items: tuple[Item, ...],
    feedback: tuple[str, ...],
    answered: frozenset[str],
    most: int = MOST,
) -> tuple[tuple[Item, ...], list[str]]:
    """Apply what feedback says of single recommendations: which items stay, and what was done."""
    chosen = list(items[:most])
    notes: list[str] = []
    for said in feedback:
        words = _topic(said)
        near = [i for i in items if words & _topic(f"{i.rule.id} {i.rule.title} {i.text[:160]}")]
        quote = said.strip().rstrip(".")
        if near and _DROP.search(said):
            gone = [i for i in chosen if i in near][: max(len(chosen) - 3, 0)]
            chosen = [i for i in chosen if i not in gone]
            spare = [i for i in items[most:] if i not in near][: max(LEAST - len(chosen), 0)]
            chosen += spare
            names = listed(i.rule.title.split(" of {")[0].split(" {")[0] for i in gone) or "nothing"
            notes.append(f'Changed in this Revision: "{quote}": left out {names.lower()}.')
        elif (added := [i for i in near if i not in chosen]) and _WANT.search(said):
            chosen += added[:3]
            notes.append(
                f'Changed in this Revision: "{quote}": {len(added[:3])} recommendations were added '
                "for it at the end of the list."
            )
        elif near and _WANT.search(said):
            chosen.sort(key=lambda i: i not in near)
            notes.append(f'Changed in this Revision: "{quote}": what concerns it now stands first.')
        elif quote not in answered:
            notes.append(
                f'Changed in this Revision: "{quote}": nothing in the list turns on it; it stands '
                "here for the person who decides."
            )
    return tuple(chosen), notes


def draft_pillar(
    task: AgentTask,
    pillar: Pillar,
    facts: Facts,
    documents: Mapping[Kind, str],
    catalogue: Catalogue,
) -> Draft:
    """One pillar's section: list items only, each with ids, a reason and a citation."""
    design = design_of(task, facts, documents)
    return Draft(content=pillar_text(task, design, pillar) + f"\n\n{MARKER}\n")


def pillar_text(task: AgentTask, design: Design, pillar: Pillar) -> str:
    """The list of one pillar, without the offline marker."""
    applied = [c for c in design.adjust.changes if c.applied]
    quotes = frozenset(c.quote for c in applied)
    chosen, notes = _steered(
        items_of(design, pillar),
        _about(task.feedback, pillar),
        quotes,
        FEW if design.brief.tiny else MOST,
    )
    lines = [item.text for item in (*chosen, *_unserved(design, pillar, chosen))]
    lines += [
        f"- {line} ({design.ids()[0]})" if design.ids() else f"- {line}"
        for line in (*visible(tuple(applied)), *notes)
    ]
    return "\n".join(lines)


def _unserved(design: Design, pillar: Pillar, chosen: tuple[Item, ...]) -> tuple[Item, ...]:
    """Lighter items for requirements of the pillar's area that the chosen ones do not name."""
    named = {i for item in chosen for i in md.requirement_references(item.text)}
    open_ones = [i for i in design.brief.ids_in(_AREAS[pillar]) if i not in named]
    found: list[Item] = []
    for item in items_of(design, pillar):
        serves = [i for i in open_ones if i in md.requirement_references(item.text)]
        if serves and item not in chosen and len(found) < EXTRA:
            found.append(item)
            open_ones = [i for i in open_ones if i not in serves]
    return tuple(found)


def _about(feedback: tuple[str, ...], pillar: Pillar) -> tuple[str, ...]:
    """Feedback that names no other pillar than this one."""
    others = [p for p in Pillar if p is not pillar]
    names = {p: re.compile(_PILLAR_WORDS[p], re.I) for p in Pillar}
    return tuple(
        said
        for said in feedback
        if names[pillar].search(said) or not any(names[o].search(said) for o in others)
    )


_AREAS = {
    Pillar.SECURITY: "SEC",
    Pillar.RELIABILITY: "REL",
    Pillar.OPERATIONAL_EXCELLENCE: "OPS",
    Pillar.COST_OPTIMIZATION: "COST",
    Pillar.PERFORMANCE_OPTIMIZATION: "PERF",
    Pillar.SUSTAINABILITY: "SUS",
}
_PILLAR_WORDS = {
    Pillar.SECURITY: r"\bsecurity\b",
    Pillar.RELIABILITY: r"\breliab",
    Pillar.OPERATIONAL_EXCELLENCE: r"\boperation",
    Pillar.COST_OPTIMIZATION: r"\bcosts?\b",
    Pillar.PERFORMANCE_OPTIMIZATION: r"\bperformance\b",
    Pillar.SUSTAINABILITY: r"\bsustainab|\bcarbon\b",
}
