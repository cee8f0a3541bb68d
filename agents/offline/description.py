"""The offline planner's architecture description: purpose of each node, data and control flow."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agents.offline.brief import MARKER, Brief, brief_of, clip, documents_of, listed, tokens
from agents.offline.consent import dissenting
from agents.offline.description_control import control_flow
from agents.offline.description_data import data_flow, name_of
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.intents import HISTORY, Intent, history, intents, recorded
from agents.offline.load import aim
from agents.offline.selection_wishes import products_in
from agents.offline.solution_map import Map, Node, map_of
from agents.runtime import AgentTask, Question
from engine.deliverables import Kind
from engine.documents import mermaid_blocks, parse_flowchart, parse_selection
from providers.catalogue import Catalogue

_DETAIL = re.compile(r"explain|describe|detail|elaborate|clarify|more (?:about|on)|how|why|mention|say", re.I)


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
    questions = () if task.answers or not task.interactive else _questions(b, drawn, data)
    return Draft(content="\n".join(lines), questions=questions)


def _labels(diagram: str) -> tuple[str, ...]:
    """The labels of the nodes that the diagram shows."""
    blocks = mermaid_blocks(diagram)
    return tuple(parse_flowchart(blocks[0]).nodes.values()) if blocks else ()


def _components(
    b: Brief, drawn: Map, shown: Sequence[str], notes: Mapping[str, list[str]], known: Mapping[Kind, str]
) -> list[str]:
    reasons = {(r.component_id, r.product): r for r in parse_selection(known.get(Kind.PRODUCT_SELECTION, ""))}
    lines: list[str] = []
    covered: set[str] = set()
    for node in drawn.nodes:
        first, second = node.label.split("\n")
        label = next(
            (s for s in shown if s.startswith(first) and (second in s or s not in covered) and _same(s, node)),
            node.label,
        )
        covered.add(label)
        lines.append(f"- **{' – '.join(label.split(chr(10)))}** ({node.component.id}): {_purpose(b, drawn, node, reasons)}"
                     + "".join(f" The Revision asks here: “{clip(n, 140)}”." for n in notes.get(node.id, ())))
    outside = {o: _outside(b, drawn, o) for o in drawn.outside}
    lines += [f"- **{name}**: {text}" for name, text in outside.items()]
    for label in shown:
        plain = " ".join(label.split())
        if label not in covered and plain not in outside and not any(plain in line for line in lines):
            lines.append(f"- **{plain}**: shown in the diagram for the {b.subject} beside the components above.")
    return lines


def _same(label: str, node: Node) -> bool:
    lines = label.split("\n")
    return len(lines) > 1 and (lines[1] == node.label.split("\n")[1] or node.component.name in lines[1])


def _purpose(b: Brief, drawn: Map, node: Node, reasons: Mapping[tuple[str, str], object]) -> str:
    duty = node.component.responsibility.rstrip(".")
    duty = duty[:1].lower() + duty[1:]
    first = drawn.of(node.component.id)[0]
    row = reasons.get((node.component.id, node.product))
    note = getattr(row, "note", "")
    serves = listed(node.component.serves[:3])
    if node is not first:
        role = node.role or "second product"
        return (
            f"{role} beside {first.product} for {node.component.name.lower()}"
            + (f", for {serves} of the {b.subject}." if serves else f" of the {b.subject}.")
        )
    how = f" Set up as: {note}." if note and "," in note else ""
    return f"{duty}" + (f" ({serves})." if serves else ".") + how


def _outside(b: Brief, drawn: Map, name: str) -> str:
    gives = [r for r in drawn.routes if r.source == name]
    takes = [r for r in drawn.routes if r.target == name]
    said: list[str] = []
    if gives:
        said.append("sends " + listed(f"{_bare(r.what)} to {name_of(drawn, r.target)}" for r in gives[:2]))
    if takes:
        said.append("receives " + listed(f"{_bare(r.what)} from {name_of(drawn, r.source)}" for r in takes[:2]))
    return f"outside of the solution; {listed(said) or f'named in the request for the {b.subject}'}."


def _bare(what: str) -> str:
    return re.sub(r"\s*\(“.*?”\)", "", what)


def _apply(
    ask: Intent, b: Brief, drawn: Map, catalogue: Catalogue, notes: dict[str, list[str]], extra: list[str]
) -> str:
    topic = ask.words.casefold()
    named = products_in(ask.words, catalogue)
    node = next((n for n in drawn.nodes if any(p.name == n.product for p in named)), None) or _find(ask.words, drawn)
    for pattern, maker in _TOPICS:
        if re.search(pattern, topic):
            step = maker(b, drawn)
            if step and step not in extra:
                extra.append(step)
                return "a step of its own was added to the control flow."
    if node is not None:
        notes.setdefault(node.id, []).append(ask.words)
        return f"it stands with {node.product} – {node.component.name} ({node.component.id}) now, word for word."
    if named:
        return f"{listed(p.name for p in named)} is not in the diagram; the description follows the diagram, so reopen the selection."
    extra.append(f"As the Revision asks for the {b.subject}: “{clip(ask.words, 160)}”.")
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
    goals = listed(
        [f"RTO {aim(load.rto)}" if load.rto else "", f"RPO {aim(load.rpo)}" if load.rpo else ""]
    ) or "no stated goal"
    return (
        f"Failure of a zone, step by step for {b.subject} ({goals}): health checks take the instances of "
        f"{drawn.centre.product} out; {listed(dict.fromkeys(n.product for n in keeps))} switch to their copies; queued work is "
        "delivered again and recognised by its id; an alert tells a person what happened."
    )


def _security(b: Brief, drawn: Map) -> str:
    stores = listed(dict.fromkeys(n.product for n in drawn.nodes if n.layer.value == "data"))
    rules = f" under {b.rules}" if b.rules else ""
    return (
        f"Who may do what{rules}: each service of the {b.subject} has an identity of its own with rights on the stores that it "
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
            why="The steps are built from the requirements; an order of steps that is wrong here leads to wrong interfaces.",
            proposal="Yes.",
        )
    ]
    if b.load.rto or b.load.rpo:
        asked.append(
            Question(
                text=f"Who decides that the {b.subject} changes over after a lasting failure?",
                why=f"An automatic change-over of data can lose what was not copied; a person takes part of the {aim(b.load.rto) if b.load.rto and b.load.rto.value else 'time'}.",
                proposal="Zones change over by themselves; a region or a restore is decided by the person on duty.",
            )
        )
    return tuple(asked)
