"""The offline planner's architecture description: purpose of each node, data and control flow."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agents.offline.brief import MARKER, Brief, brief_of, documents_of
from agents.offline.consent import dissenting
from agents.offline.description_control import control_flow
from agents.offline.description_data import data_flow, name_of
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.intents import HISTORY, Intent, history, intents, recorded
from agents.offline.load import aim
from agents.offline.selection_wishes import products_in
from agents.offline.solution_map import Map, Node, map_of
from agents.offline.wording import clip, listed, tokens
from agents.runtime import AgentTask, Question
from engine.deliverables import Kind
from engine.documents import SelectionRow, mermaid_blocks, parse_flowchart, parse_selection
from providers.catalogue import Catalogue

_DETAIL = re.compile(
    r"\b(?:explain|describe|detail|elaborate|clarify|how|why|say more|more (?:about|on|detail))",
    re.I,
)


def draft_description(
    task: AgentTask, facts: Facts, documents: Mapping[Kind, str], catalogue: Catalogue
) -> Draft:
    """Say what each box of the diagram is for, and follow the data and the control through it."""
    b = brief_of(task, facts, documents)
    known = documents_of(task, documents)
    drawn = map_of(known, catalogue)
    shown = _labels(known.get(Kind.ARCHITECTURE_DIAGRAM, ""))
    previous = task.previous.content if task.previous else ""
    notes: dict[str, list[str]] = {}
    extra: list[str] = []
    effects: list[tuple[str, str]] = []
    for ask in intents((*history(previous), *task.feedback, *dissenting(task))):
        effects.append((ask.words, _apply(ask, b, drawn, catalogue, notes, extra)))
    data = data_flow(b, drawn)
    control = [*control_flow(b, drawn), *extra]
    lines = [
        "## Components",
        "",
        *_components(b, drawn, shown, notes, known),
        "",
        "## Data flow",
        "",
        *(f"{n}. {step}" for n, step in enumerate(data, 1)),
        "",
        "## Control flow",
        "",
        *(f"{n}. {step}" for n, step in enumerate(control, 1)),
    ]
    if effects:
        lines += ["", f"{HISTORY}:", "", *(recorded(w, e) for w, e in effects)]
    lines += ["", MARKER, ""]
    quiet = task.answers or not task.interactive or b.tiny
    questions = () if quiet else _questions(b, drawn, data)
    return Draft(content="\n".join(lines), questions=questions)


def _labels(diagram: str) -> Mapping[str, str]:
    """The labels of the nodes that the diagram shows, by id."""
    blocks = mermaid_blocks(diagram)
    return parse_flowchart(blocks[0]).nodes if blocks else {}


def _components(
    b: Brief,
    drawn: Map,
    shown: Mapping[str, str],
    notes: Mapping[str, list[str]],
    known: Mapping[Kind, str],
) -> list[str]:
    selection = parse_selection(known.get(Kind.PRODUCT_SELECTION, ""))
    rows = {(r.component_id, r.product): r for r in selection}
    lines: list[str] = []
    told: set[str] = set()
    for node in drawn.nodes:
        row = rows.get((node.component.id, node.product))
        label = shown.get(node.id, node.label)
        told.add(label)
        lines.append(
            f"- **{' – '.join(label.split(chr(10)))}** ({node.component.id}): "
            f"{_purpose(b, drawn, node, row)}{_asked(drawn, node, row, notes.get(node.id, []))}"
        )
    for name in drawn.outside:
        told.add(name)
        lines.append(f"- **{name}**: {_outside(b, drawn, name)}")
    for label in shown.values():
        if label not in told:
            told.add(label)
            plain = " ".join(label.split())
            lines.append(f"- **{plain}**: shown in the diagram beside the components above.")
    return lines


def _asked(drawn: Map, node: Node, row: SelectionRow | None, asks: Sequence[str]) -> str:
    """What a Revision wants told about a node: more of it, or its words as they stand."""
    said: list[str] = []
    for words in asks:
        if row is None or not _DETAIL.search(words):
            said.append(f" The Revision asks here: “{clip(words, 140)}”.")
            continue
        why = clip(re.sub(r"^[^:]*: ", "", row.justification), 320)
        into = sum(r.target == node.component.id for r in drawn.routes)
        out = sum(r.source == node.component.id for r in drawn.routes)
        said.append(
            f" In more detail (“{clip(words, 80)}”): {why.rstrip('.')}. {into} flows lead to "
            f"{node.component.name} and {out} away from it."
        )
    return "".join(said)


def _purpose(b: Brief, drawn: Map, node: Node, row: SelectionRow | None) -> str:
    duty = node.component.responsibility.rstrip(".")
    duty = duty[:1].lower() + duty[1:]
    first = drawn.of(node.component.id)[0]
    note = row.note if row else ""
    serves = listed(node.component.serves[:3])
    if node is not first:
        role = node.role or "second product"
        return f"{role} beside {first.product} for {node.component.name.lower()}" + (
            f", for {serves}." if serves else "."
        )
    how = f" Set up as: {note}." if note and "," in note else ""
    return f"{duty}" + (f" ({serves})." if serves else ".") + how


def _outside(b: Brief, drawn: Map, name: str) -> str:
    gives = [r for r in drawn.routes if r.source == name]
    takes = [r for r in drawn.routes if r.target == name]
    said: list[str] = []
    if gives:
        said.append(
            "sends " + listed(f"{_bare(r.what)} to {name_of(drawn, r.target)}" for r in gives[:2])
        )
    if takes:
        said.append(
            "receives "
            + listed(f"{_bare(r.what)} from {name_of(drawn, r.source)}" for r in takes[:2])
        )
    return f"outside of the solution; {listed(said) or 'named in the request'}."


def _bare(what: str) -> str:
    return re.sub(r"\s*\(“.*?”\)", "", what)


def _apply(
    ask: Intent,
    b: Brief,
    drawn: Map,
    catalogue: Catalogue,
    notes: dict[str, list[str]],
    extra: list[str],
) -> str:
    topic = ask.words.casefold()
    named = products_in(ask.words, catalogue)
    node = next((n for n in drawn.nodes if any(p.name == n.product for p in named)), None) or _find(
        ask.words, drawn
    )
    for pattern, maker in _TOPICS:
        if re.search(pattern, topic):
            step = maker(b, drawn)
            if step and step not in extra:
                extra.append(step)
                return "a step of its own was added to the control flow."
    if node is not None:
        notes.setdefault(node.id, []).append(ask.words)
        if _DETAIL.search(ask.words):
            return f"{node.product} – {node.component.name} ({node.component.id}) says more now."
        return (
            f"it stands with {node.product} – {node.component.name} ({node.component.id}) "
            "now, word for word."
        )
    if named:
        return (
            f"{listed(p.name for p in named)} is not in the diagram; the description follows "
            "the diagram, so reopen the selection."
        )
    extra.append(f"As the Revision asks: “{clip(ask.words, 160)}”.")
    return "it was added as a step of the control flow, word for word, since it names no component."


def _find(words: str, drawn: Map) -> Node | None:
    wanted = tokens(words)
    for node in drawn.nodes:
        if re.search(rf"\b{re.escape(node.component.id)}\b", words):
            return node
    scored = [(len(wanted & tokens(n.component.name)), n) for n in drawn.nodes]
    best = max(scored, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] else None


def _failover(b: Brief, drawn: Map) -> str:
    load = b.load
    keeps = [n for n in drawn.nodes if n.layer.value == "data"][:4]
    goals = (
        listed(
            [f"RTO {aim(load.rto)}" if load.rto else "", f"RPO {aim(load.rpo)}" if load.rpo else ""]
        )
        or "no stated goal"
    )
    return (
        f"Failure of a zone, step by step ({goals}): health checks take "
        "the instances of "
        f"{drawn.centre.product} out; {listed(dict.fromkeys(n.product for n in keeps))} "
        "switch to their copies; queued work is "
        "delivered again and recognised by its id; an alert tells a person what happened."
    )


def _security(b: Brief, drawn: Map) -> str:
    stores = listed(dict.fromkeys(n.product for n in drawn.nodes if n.layer.value == "data"))
    rules = f" under {b.rules}" if b.rules else ""
    return (
        f"Who may do what{rules}: each service has an identity of its "
        "own with rights on the stores that it "
        f"uses ({stores}); people get rights by group and for a time; nothing has keys in code."
    )


_TOPICS = (
    (r"fail-?over|zone (?:failure|outage)|disaster", _failover),
    (r"\bsecurity\b|identit|permission|access rights|least privilege", _security),
)


def _questions(b: Brief, drawn: Map, data: Sequence[str]) -> tuple[Question, ...]:
    first = clip(re.sub(r"[*]", "", data[0]), 240) if data else ""
    asked = [
        Question(
            text=f"Is this how the {b.subject} works from the user's side? {first}",
            why=(
                "The steps are built from the requirements; an order of steps that is wrong "
                "here leads to wrong interfaces."
            ),
            proposal="Yes.",
        )
    ]
    if b.load.rto or b.load.rpo:
        asked.append(
            Question(
                text=f"Who decides that the {b.subject} changes over after a lasting failure?",
                why=(
                    "An automatic change-over of data can lose what was not copied; a person "
                    "takes part of the "
                    f"{aim(b.load.rto) if b.load.rto and b.load.rto.value else 'time'}."
                ),
                proposal=(
                    "Zones change over by themselves; a region or a restore is decided by the "
                    "person on duty."
                ),
            )
        )
    return tuple(asked[-1:])
