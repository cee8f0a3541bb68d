"""Reads a Design from the documents at hand: units, flows, sizes and the places that they name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agents.offline.adjustments import adjustments_of
from agents.offline.brief import brief_of, documents_of
from agents.offline.facts import Facts
from agents.offline.terraform.design import Design
from agents.offline.terraform.modules import UnknownProduct, by_key, module_for
from agents.offline.terraform.parts import Flow, Unit, slug
from agents.runtime import AgentTask
from engine import documents as md
from engine.contracts import allow_public
from engine.deliverables import Kind

_FLOW = re.compile(r"^(?P<a>.+?)\s*(?:->|→|-->)\s*(?P<b>[^:]+):\s*(?P<what>.*)$")
_SIZE = re.compile(r"(?P<id>C-\d+), (?P<product>[^:]+): (?P<sum>.+)", re.S)
_REGION = re.compile(
    r"\b(?:africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]+\d{1,2}\b"
)


def _flows(decomposition: str) -> tuple[Flow, ...]:
    found = []
    for item in md.list_items(md.body_of(decomposition, "Interfaces and flows")):
        match = _FLOW.match(md.plain(item))
        if match is None:
            continue
        for target in md.component_ids(match["b"]):
            for source in md.component_ids(match["a"]) or ("",):
                found.append(Flow(source, target, match["what"]))
    return tuple(dict.fromkeys(found))


def _units(selection: str, decomposition: str) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    components = {c.id: c for c in md.parse_components(decomposition)}
    units: list[Unit] = []
    unknown: list[str] = []
    taken: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for row in md.parse_selection(selection):
        try:
            module = module_for(row.product)
        except UnknownProduct:
            unknown.append(row.product)
            continue
        if module.key == "gemini" and (narrower := _model_work(f"{row.component} {row.note}")):
            module = by_key(narrower)
        key = ("" if module.once else row.component_id or row.component, module.key)
        if key in seen:
            continue
        seen.add(key)
        known = components.get(row.component_id)
        label = row.component or (known.name if known else row.product)
        short = slug(label, 14)
        while taken.setdefault(short, row.component_id) != row.component_id:
            digits = re.sub(r"\D", "", row.component_id) or str(len(taken))
            short = f"{short[: 13 - len(digits)].strip('-')}-{digits}"
        serves = known.serves if known else md.requirement_references(row.justification)
        words = " ".join((row.note, row.justification, known.responsibility if known else ""))
        units.append(
            Unit(
                id=row.component_id,
                component=label,
                product=row.product,
                note=row.note,
                module=module,
                name=short.replace("-", "_"),
                slug=short,
                serves=serves,
                words=words,
            )
        )
    return tuple(units), tuple(dict.fromkeys(unknown))


def _model_work(words: str) -> str:
    """The module of a component that trains or serves a model of its own; empty for other uses."""
    if re.search(r"\btrain|pipeline", words, re.I):
        return "vertex_pipelines"
    return "vertex_endpoint" if re.search(r"predict|scor", words, re.I) else ""


def _sizes(selection: str) -> dict[tuple[str, str], str]:
    """The sums that the selection lists under its table, by component id and product."""
    found = {}
    for item in md.list_items(md.body_of(selection, "Product mapping")):
        match = _SIZE.match(md.plain(item))
        if match:
            found[match["id"], match["product"]] = match["sum"].rstrip(".")
    return found


def design_of(task: AgentTask, facts: Facts, documents: Mapping[Kind, str]) -> Design:
    """Read the documents and the task into a Design."""
    at_hand = documents_of(task, documents)
    selection = at_hand.get(Kind.PRODUCT_SELECTION, "")
    decomposition = at_hand.get(Kind.TECHNICAL_DECOMPOSITION, "")
    units, unknown = _units(selection, decomposition)
    brief = brief_of(task, facts, documents)
    named = tuple(dict.fromkeys((*facts.regions, *_REGION.findall(selection))))
    money = brief.load.budget
    return Design(
        brief=brief,
        adjust=adjustments_of(task),
        units=units,
        flows=_flows(decomposition),
        stated=_sizes(selection),
        tcp_fronts=frozenset(
            row.component_id
            for row in md.parse_selection(selection)
            if "load balanc" in row.product.lower() and re.search(r"\bTCP\b", row.note)
        ),
        unknown=unknown,
        regions_named=named,
        currency=money.unit if money and money.unit else "EUR",
        public=allow_public(at_hand.get(Kind.REQUIREMENTS, ""), task.request),
    )
