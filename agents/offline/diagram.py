"""The offline planner's architecture diagram: one Mermaid flowchart of the selected products."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.offline.brief import MARKER, Brief, brief_of, documents_of
from agents.offline.consent import dissenting
from agents.offline.description_data import is_system
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.intents import HISTORY, Act, Intent, history, intents, recorded
from agents.offline.patterns_model import Layer, Part
from agents.offline.selection_wishes import products_in
from agents.offline.solution_map import LIVE_PAGE, EmptySelection, Map, Node, Route, map_of
from agents.offline.wording import clip, listed, tokens
from agents.runtime import AgentTask, Question
from engine.deliverables import Kind
from providers.catalogue import Catalogue

_GROUPS: tuple[tuple[Layer, str, str], ...] = (
    (Layer.EDGE, "edge", "Edge"),
    (Layer.APPLICATION, "app", "Application"),
    (Layer.DATA, "data", "Data"),
    (Layer.OPERATIONS, "ops", "Moving and operations"),
)
_STORES = frozenset(
    {
        Part.RELATIONAL, Part.DOCUMENT_STORE, Part.SERVING, Part.OBJECTS, Part.RAW, Part.WAREHOUSE,
        Part.ARCHIVE, Part.CACHE, Part.RETRIEVAL, Part.SEARCH, Part.SITE_FILES,
    }
)  # fmt: skip
_UNSAFE = re.compile(r"[\"\[\]{}<>|#;`\\]")
_EDGE_LENGTH = 44


@dataclass(slots=True)
class _Plan:
    """What is to be drawn; Revisions change it before it is written."""

    nodes: list[Node]
    routes: list[Route]
    outside: list[str]
    direction: str = "TB"
    volumes: bool = True
    one_a_product: bool = False
    quiet: bool = False
    renamed: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)  # node id, words
    effects: list[tuple[str, str]] = field(default_factory=list)


def draft_diagram(
    task: AgentTask, facts: Facts, documents: Mapping[Kind, str], catalogue: Catalogue
) -> Draft:
    """Draw the selected products with actors, existing systems and labelled flows."""
    b = brief_of(task, facts, documents)
    drawn = map_of(documents_of(task, documents), catalogue)
    previous = task.previous.content if task.previous else ""
    plan = _Plan(list(drawn.nodes), list(drawn.routes), list(drawn.outside))
    for ask in intents((*history(previous), *task.feedback, *dissenting(task))):
        plan.effects.append((ask.words, _apply(ask, plan, drawn, catalogue)))
    if not drawn.nodes:
        raise EmptySelection()
    text = render(plan, drawn)
    people = [o for o in plan.outside if not is_system(o)]
    products = len({n.product for n in drawn.nodes})
    lines = [
        "## Diagram",
        "",
        "```mermaid",
        text,
        "```",
        "",
        f"How to read it: {len(plan.nodes)} boxes show {products} products at work for "
        f"the {b.subject}, each with the "
        "component that it serves; "
        f"{listed(p.lower() for p in people[:3]) or 'the callers'} stand outside. Full "
        f"arrows carry data with protocol and highest stated volume ({b.top_short}), dotted ones "
        "steer, watch or secure it.",
    ]
    if plan.effects:
        lines += ["", f"{HISTORY}:", "", *(recorded(w, e) for w, e in plan.effects)]
    lines += ["", MARKER, ""]
    quiet = task.answers or not task.interactive or b.tiny
    questions = () if quiet else _questions(b, plan, drawn)
    return Draft(content="\n".join(lines), questions=questions)


def render(plan: _Plan, drawn: Map) -> str:
    """The Mermaid text of a plan."""
    shown, alias = _merged(plan)
    lines = [f"flowchart {plan.direction}"]
    outside = {name: f"x{n}" for n, name in enumerate(plan.outside, 1)}
    if outside:
        lines.append('  subgraph outside["People and other systems"]')
        for name, ident in outside.items():
            text = _safe(plan.renamed.get(ident, name))
            lines.append(
                f'    {ident}[["{text}"]]' if is_system(name) else f'    {ident}(["{text}"])'
            )
        lines.append("  end")
    for layer, ident, title in _GROUPS:
        members = [n for n in shown if n.layer is layer]
        if not members:
            continue
        lines.append(f'  subgraph {ident}["{title}"]')
        lines += [f"    {_shape(n, plan)}" for n in members]
        lines.append("  end")
    for at, (near, words) in enumerate(plan.notes, 1):
        lines.append(f'  note{at}["Note: {_safe(clip(words, 70))}"]')
        lines.append(f"  note{at} -.- {alias.get(near, near)}")
    edges = _edges(plan, drawn, outside, alias)
    return "\n".join([*lines, *edges])


def _merged(plan: _Plan) -> tuple[list[Node], dict[str, str]]:
    """The nodes to show, and for each node the id under which it is shown."""
    if not plan.one_a_product:
        return plan.nodes, {n.id: n.id for n in plan.nodes}
    first: dict[str, Node] = {}
    alias: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    for node in plan.nodes:
        kept = first.setdefault(node.product, node)
        alias[node.id] = kept.id
        names.setdefault(kept.id, []).append(node.component.name)
    for ident, found in names.items():
        if len(found) > 1:
            plan.renamed.setdefault(ident, clip(", ".join(dict.fromkeys(found)), 60))
    return list(first.values()), alias


def _shape(node: Node, plan: _Plan) -> str:
    second = plan.renamed.get(node.id) or node.label.split("\n")[1]
    label = f"{_safe(node.product)}<br/>{_safe(second)}"
    return f'{node.id}[("{label}")]' if node.part in _STORES else f'{node.id}["{label}"]'


def _edges(
    plan: _Plan, drawn: Map, outside: Mapping[str, str], alias: Mapping[str, str]
) -> list[str]:
    found: dict[tuple[str, str], tuple[str, str]] = {}
    watched: set[str] = set()
    for route in plan.routes:
        source = outside.get(route.source) or _end(drawn.exit(route.source), alias)
        target = outside.get(route.target) or _end(drawn.entry(route.target, route.source), alias)
        if source is None or target is None or source == target:
            continue
        control = drawn.controls(route)
        if control and plan.quiet:
            side = (
                target
                if drawn.part_of(route.target) in (Part.OBSERVABILITY, Part.KEYS, Part.AUDIT)
                else source
            )
            if side in watched:
                continue
            watched.add(side)
        found.setdefault(
            (source, target),
            (_label(route, plan.volumes and not control), "-.->" if control else "-->"),
        )
    for node in plan.nodes:
        mates = [m for m in plan.nodes if m.component.id == node.component.id]
        if len(mates) < 2 or node is mates[0]:
            continue
        ends = (_end(node, alias), _end(mates[0], alias))
        if node.part is Part.DEVICE_GATEWAY:
            found.setdefault((str(ends[0]), str(ends[1])), ("passes connections", "-->"))
        elif node.part is Part.WEBHOOKS:
            found.setdefault((str(ends[1]), str(ends[0])), ("push with retries", "-->"))
        elif ends[0] != ends[1] and node.role != LIVE_PAGE:
            found.setdefault((str(ends[1]), str(ends[0])), (_safe(node.role or "uses"), "-.->"))
    linked = {end for pair in found for end in pair}
    centre = alias.get(drawn.centre.id, drawn.centre.id)
    lines = [
        f'  {a} {arrow}|"{label}"| {z}' if label else f"  {a} {arrow} {z}"
        for (a, z), (label, arrow) in found.items()
    ]
    shown = dict.fromkeys(alias[n.id] for n in plan.nodes)
    for ident in [*shown, *outside.values()]:
        if ident not in linked:
            other = centre if ident != centre else next((i for i in shown if i != ident), "")
            if other:
                lines.append(
                    f'  {other} -.->|"supports"| {ident}'
                    if ident in shown
                    else f'  {ident} -->|"uses"| {other}'
                )
    return lines


def _end(node: Node | None, alias: Mapping[str, str]) -> str | None:
    return alias.get(node.id) if node is not None else None


def _label(route: Route, volumes: bool) -> str:
    style = route.style or route.what
    amount = route.short_volume if volumes else ""
    text = f"{style}, {amount}" if amount else style
    return _safe(clip(text, _EDGE_LENGTH).rstrip(" …"))


def _safe(text: str) -> str:
    return " ".join(_UNSAFE.sub(" ", text.replace("“", "'").replace("”", "'")).split())


def _find(words: str, plan: _Plan) -> Node | None:
    """The node that some words mean: by component id, by component name, by product."""
    wanted = tokens(words)
    for node in plan.nodes:
        if re.search(rf"\b{re.escape(node.component.id)}\b", words, re.I):
            return node
    scored = [
        (3 * len(wanted & tokens(n.component.name)) + 2 * len(wanted & tokens(n.product)), n)
        for n in plan.nodes
    ]
    best = max(scored, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] >= 2 else None


def _apply(ask: Intent, plan: _Plan, drawn: Map, catalogue: Catalogue) -> str:
    words = ask.words.casefold()
    if re.search(r"left[- ]to[- ]right|horizontal|\blr\b|landscape", words):
        plan.direction = "LR"
        return "the flow runs from left to right."
    if re.search(r"top[- ](?:to[- ]bottom|down)|vertical|\btb\b|portrait", words):
        plan.direction = "TB"
        return "the flow runs from top to bottom."
    if re.search(
        (
            r"(?:one|single) (?:box|node) (?:a|per|for each) product|merge .*same product|"
            r"group by product"
        ),
        words,
    ):
        plan.one_a_product = True
        return "each product has one box, which names all components that it serves."
    if re.search(r"(?:no|without|remove|hide|drop) (?:the )?(?:volumes?|figures|numbers)", words):
        plan.volumes = False
        return "arrows name the protocol only."
    if re.search(
        r"crowded|clutter|simpl|fewer (?:arrows|edges|lines)|too (?:many|busy|full)", words
    ):
        plan.quiet = True
        return "of the arrows that watch, steer or secure, one a target is left."
    if ask.act is Act.RENAME and ask.other:
        node = _find(ask.target, plan)
        if node is not None:
            plan.renamed[node.id] = ask.other
            return f"the box of {node.component.id} says “{ask.other}”."
    if ask.act is Act.ADD:
        return _added(ask, plan, catalogue)
    if ask.act is Act.REMOVE:
        return _removed(ask, plan, catalogue)
    if ask.act in (Act.USE, Act.AVOID) and products_in(ask.target, catalogue):
        named = listed(p.name for p in products_in(ask.target, catalogue))
        used = {n.product for n in drawn.nodes}
        state = (
            "is drawn where the selection has it"
            if all(p.name in used for p in products_in(ask.target, catalogue))
            else "is not in the selection, so it cannot be drawn; reopen the product selection"
        )
        return f"{named} {state}."
    absent = [
        p.name
        for p in products_in(ask.words, catalogue)
        if p.name not in {n.product for n in drawn.nodes}
    ]
    if absent:
        return (
            f"{listed(absent)} is not in the selection, and a diagram shows only what was "
            "selected; reopen the product selection."
        )
    node = _find(ask.words, plan) or drawn.centre
    plan.notes.append((node.id, ask.words))
    return (
        f"the words hang as a note at the box of {node.component.id} {node.component.name}, "
        "since no box or arrow had to change for them."
    )


def _added(ask: Intent, plan: _Plan, catalogue: Catalogue) -> str:
    named = products_in(ask.target, catalogue)
    if named:
        used = {n.product for n in plan.nodes}
        missing = [p.name for p in named if p.name not in used]
        if missing:
            return (
                f"{listed(missing)} is not in the product selection; a diagram shows only "
                "what was selected, so reopen the selection."
            )
        return f"{listed(p.name for p in named)} is drawn already."
    name = clip(
        re.sub(
            r"\b(?:as an?|box|node|external|actor|system)\b.*$", "", ask.target, flags=re.I
        ).strip()
        or ask.target,
        40,
    )
    name = name[:1].upper() + name[1:]
    door = next((n for n in plan.nodes if n.part in (Part.PUBLIC_ENTRY, Part.PRIVATE_ENTRY)), None)
    centre = door or next(iter(plan.nodes))
    plan.outside.append(name)
    plan.routes.append(Route(name, centre.component.id, "use", "HTTPS", ""))
    return f"“{name}” stands outside now, with an arrow to {centre.component.id}."


def _removed(ask: Intent, plan: _Plan, catalogue: Catalogue) -> str:
    wanted = tokens(ask.target)
    for name in plan.outside:
        if tokens(name) and tokens(name) <= wanted:
            plan.outside.remove(name)
            plan.routes = [r for r in plan.routes if name not in (r.source, r.target)]
            return f"“{name}” is not drawn any more."
    node = _find(ask.target, plan)
    if node is not None:
        others = [n for n in plan.nodes if n.product == node.product and n is not node]
        if others:
            plan.nodes.remove(node)
            return (
                f"the box of {node.component.id} is gone; {node.product} is still drawn for "
                f"{others[0].component.id}."
            )
        return (
            f"{node.product} stays, since every selected product has to be shown; take it out "
            "of the selection first."
        )
    return f"nothing in the diagram answers to “{ask.target}”."


def _questions(b: Brief, plan: _Plan, drawn: Map) -> tuple[Question, ...]:
    products = len({n.product for n in drawn.nodes})
    asked = [
        Question(
            text=(
                f"Shall the diagram show one box a component "
                f"({len(plan.nodes)}) or one a product ({products})?"
            ),
            why=(
                "A box a component shows who does what; a box a product is easier to take in "
                "at a glance."
            ),
            proposal="One box a component.",
        )
    ]
    if len(plan.outside) > 3:
        asked.append(
            Question(
                text=f"Are these all the systems and people outside: {listed(plan.outside)}?",
                why=(
                    "A system that is missing here is missing in network rules and cut-over "
                    "plan too."
                ),
                proposal="These are all.",
            )
        )
    return tuple(asked[-1:])
