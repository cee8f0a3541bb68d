"""The offline planner's technical decomposition: components without products, and their flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.offline.brief import MARKER, Brief, brief_of, clip, listed
from agents.offline.components import Piece, fresh, locate, numbered, revise
from agents.offline.draft import Draft
from agents.offline.facts import Facts, Measure, Workload
from agents.offline.intents import HISTORY, Act, Intent, history, intents, recorded
from agents.offline.load import aim
from agents.offline.patterns import LAYER_WORDS, REGISTRY
from agents.offline.patterns_flows import Flow, flows, main_part
from agents.offline.patterns_model import Layer, Part
from agents.offline.signals import Signal
from agents.runtime import AgentTask, Question
from engine.deliverables import Kind
from engine.documents import parse_components
from providers.catalogue import Catalogue

_PATTERN_NAMES: Mapping[Workload, str] = {
    Workload.WEB_API: "a transactional web service",
    Workload.MIGRATION: "the move of an existing system",
    Workload.STREAMING: "streaming analytics",
    Workload.WAREHOUSE: "a batch warehouse",
    Workload.IOT: "telemetry of devices",
    Workload.RAG_ML: "answers or scores by a model",
    Workload.MEDIA: "processing of files",
    Workload.STATIC_SITE: "a static site",
}


def draft_decomposition(
    task: AgentTask, facts: Facts, documents: Mapping[Kind, str], catalogue: Catalogue
) -> Draft:
    """Take the request apart into components, flows and the arithmetic behind them.

    A Revision starts from the earlier content: ids stay, and every earlier ask that it records
    is applied again before the new feedback.
    """
    b = brief_of(task, facts, documents)
    previous = task.previous.content if task.previous else ""
    earlier = parse_components(previous) if previous else ()
    asks = intents((*history(previous), *task.feedback, *_answered(task)))
    revised = revise(b, fresh(b), asks, earlier)
    pieces = numbered(revised.pieces, earlier)
    found = _flows(b, pieces)
    lines = [
        "## Overview",
        "",
        *_overview(b, pieces),
        *_changes(b, revised.effects, catalogue),
        "",
        "## Components",
        "",
        "| ID | Component | Responsibility | Serves |",
        "|---|---|---|---|",
        *(
            f"| {p.id} | {_cell(p.name)} | {_cell(p.responsibility)}. | {', '.join(p.serves)} |"
            for p in pieces
        ),
        "",
        "## Interfaces and flows",
        "",
        *found,
        "",
        MARKER,
        "",
    ]
    content = _without_products("\n".join(lines), b, catalogue)
    questions = () if task.answers or not task.interactive else _questions(b, pieces)
    return Draft(content=content, questions=questions)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "/").rstrip(".")


def _answered(task: AgentTask) -> tuple[str, ...]:
    """Answers that ask for something else than the proposal; plain consent changes nothing."""
    return tuple(a.answer for a in task.answers if not _consents(a.answer))


def _consents(answer: str) -> bool:
    import re

    return bool(
        re.match(
            r"\s*(?:yes|ok(?:ay)?|fine|agreed?|correct|sure|right|good|sounds good|go ahead|as proposed|"
            r"the proposal|no user is available|state your assumption|ja|oui|sí|si)\b",
            answer,
            re.I,
        )
    )


def _overview(b: Brief, pieces: Sequence[Piece]) -> list[str]:
    facts = b.facts
    counts = [
        f"{n} {LAYER_WORDS[layer]}"
        for layer in Layer
        if (n := sum(1 for p in pieces if p.part and REGISTRY[p.part].layer is layer))
    ]
    kinds = listed(_PATTERN_NAMES[w] for w in facts.workloads)
    opening = (
        f"{facts.title} ({kinds}) is taken apart into {len(pieces)} components: {listed(counts)}."
    )
    lines = [opening]
    if facts.summary and clip(facts.summary, 200) not in opening:
        lines[0] += f" In the user's words: “{clip(facts.summary, 200)}”."
    lines += ["", *_borders(b, pieces), "", "Figures that shape the borders:", "", *_figures(b)]
    for contradiction in facts.contradictions:
        lines.append(
            f"- “{clip(contradiction.first, 100)}” against “{clip(contradiction.second, 100)}”: "
            f"the components stand on this reading: {contradiction.suggestion.rstrip('.')}."
        )
    for missing in facts.missing:
        lines.append(f"- Not stated for the {b.subject}: {missing.rstrip('.')}; the requirements carry the assumption.")
    for ask in facts.forbidden_asks:
        lines.append(f"- “{clip(ask, 100)}” is no component: a person of the team does that with the guide.")
    return lines


def _borders(b: Brief, pieces: Sequence[Piece]) -> list[str]:
    have = {p.part for p in pieces}
    said: list[str] = []
    if b.tiny:
        budget = f" for {b.load.budget.shown}" if b.load.budget else ""
        said.append(
            f"The {b.subject} is small ({b.top_short}{budget}), so parts that larger systems keep "
            f"apart stay together: {len(pieces)} components, nothing that has to be kept running for its own sake."
        )
    if b.load.times and Part.EVENT_LOG in have:
        said.append(
            f"Intake and processing are apart because the peak of the {b.subject} is {b.load.times} the "
            f"normal load ({b.traffic})."
        )
    elif b.load.times:
        said.append(f"What answers calls keeps no state, since {b.traffic} differ by {b.load.times}.")
    if b.has(Signal.CARDS):
        said.append(
            f"Card data decides one border: “{b.quote(Signal.CARDS, limit=100)}”, so what touches it stays small and apart."
        )
    if Part.MASKING in have:
        said.append(f"Personal data is treated before it is read: “{b.quote(Signal.PERSONAL, limit=100)}”.")
    if b.has(Signal.SEALED):
        exit_ = " and one guarded exit stands beside it" if Part.EGRESS in have else ""
        said.append(f"The closed network is a border of its own: “{b.quote(Signal.SEALED, limit=90)}”{exit_}.")
    if b.has(Signal.PERMISSIONS):
        said.append(
            f"Rights are checked where passages are found, not where answers are shown: “{b.quote(Signal.PERMISSIONS, limit=100)}”."
        )
    if b.has(Signal.TENANTS):
        isolation = b.says(r"logically separated|slow another|isolat|separate")
        said.append(f"Tenants are told apart at the entry and in the data: “{b.excerpt(isolation, 100)}”.")
    if b.has(Signal.RESIDENCY):
        said.append(
            f"Where data may lie binds every component that keeps any: “{b.quote(Signal.RESIDENCY, limit=100)}”."
        )
    if Part.ALARM in have and b.load.availability:
        said.append(
            f"The alarm path stands apart from the rest, as only it must reach {b.load.availability.text}."
        )
    if Part.CUTOVER in have:
        said.append(
            f"Moving is work with components of its own, which end after the switch of the {b.subject}."
        )
    left = []
    if b.has(Signal.ONE_REGION):
        left.append(f"a second region (“{b.quote(Signal.ONE_REGION, limit=80)}”)")
    if b.has(Signal.NO_HIGH_AVAILABILITY):
        left.append(f"a standby (“{b.quote(Signal.NO_HIGH_AVAILABILITY, limit=80)}”)")
    if b.has(Signal.POWER_BI):
        left.append(f"a new reporting tool (“{b.quote(Signal.POWER_BI, limit=80)}”)")
    if b.says(r"PCI scope|no PCI"):
        left.append(f"a card data zone (“{clip(b.says(r'PCI scope|no PCI'), 80)}”)")
    if left:
        said.append(f"Left out on purpose: {listed(left)}.")
    if not said:
        said.append(f"Borders follow what differs in load, data and owner within the {b.subject}: {b.traffic}.")
    return [" ".join(said)]


def _figures(b: Brief) -> list[str]:
    load = b.load
    lines = [f"- Load: {b.traffic}" + (f" ({load.times} the normal load)." if load.times else ".")]
    if load.fan_out:
        lines.append(f"- Calls behind it: {load.fan_out.shown}.")
    if load.devices:
        lines.append(f"- Devices: {load.devices.shown}, {load.bandwidth(load.devices)}.")
    elif load.top and b.works(Workload.STREAMING, Workload.IOT):
        lines.append(f"- Bandwidth: {load.bandwidth(load.top)}.")
    if load.nightly:
        window = f" within {load.window_hours:g} h" if load.window_hours else ""
        lines.append(f"- Each delivery: {load.nightly.text}{window}.")
    if load.stored:
        lines.append(f"- Data kept: {load.stored_later or load.stored.text}.")
    if load.outage and load.availability:
        lines.append(f"- Availability: {load.availability.text} allows {load.outage}.")
    goals = [
        f"{m.value.upper()} {aim(f)}" for m in (Measure.RTO, Measure.RPO) if (f := b.facts.figure(m))
    ]
    if goals:
        lines.append(f"- Recovery of the {b.subject}: {listed(goals)}.")
    latencies = b.figures(Measure.LATENCY)[:3]
    if latencies:
        lines.append(f"- Time to answer: {listed(aim(f) for f in latencies)}.")
    if load.budget:
        lines.append(f"- Money: {load.budget.shown}.")
    kept = [f for f in b.figures(Measure.RETENTION) if f.value][:4]
    if kept:
        lines.append(f"- Kept in the {b.subject}: {listed(aim(f) for f in kept)}.")
    return lines


def _changes(b: Brief, effects: Sequence[tuple[str, str]], catalogue: Catalogue) -> list[str]:
    if not effects:
        return []
    return ["", f"{HISTORY}:", "", *(recorded(_unnamed(w, b, catalogue), e) for w, e in effects)]


def _unnamed(words: str, b: Brief, catalogue: Catalogue) -> str:
    """Feedback words without products that the request does not name: none belongs here yet."""
    allowed = {m.product.name for m in catalogue.mentions(b.text)}
    for mention in reversed(catalogue.mentions(words)):
        if mention.product.name not in allowed:
            words = f"{words[: mention.start]}(a product){words[mention.end :]}"
    return words


def _without_products(content: str, b: Brief, catalogue: Catalogue) -> str:
    """The last guard of the rule that discovery names no product as a solution."""
    allowed = {m.product.name for m in catalogue.mentions(b.text)}
    for mention in reversed(catalogue.mentions(content)):
        if mention.product.name not in allowed:
            content = f"{content[: mention.start]}(a product){content[mention.end :]}"
    return content


def _flows(b: Brief, pieces: Sequence[Piece]) -> list[str]:
    ids: dict[Part, list[str]] = {}
    for piece in pieces:
        if piece.part is not None:
            ids.setdefault(piece.part, []).append(piece.id)
    parts = [p for p in Part if p in ids]
    lines: list[str] = []
    for flow in flows(b, parts):
        for source in _ends(flow.source, ids):
            for target in _ends(flow.target, ids):
                lines.append(_line(flow, source, target))
    for members in ids.values():  # the halves of a split component follow one another
        for first, second in zip(members, members[1:], strict=False):
            lines.append(f"- {first} -> {second}: what the first half has accepted, internal hand-over, up to {b.top_short}")
    for piece in pieces:
        if piece.part is None:
            centre = ids[piece.near or main_part(parts)][0]
            lines.append(f"- {centre} -> {piece.id}: what “{piece.name}” needs, internal call, up to {b.top_short}")
    return list(dict.fromkeys(lines))


def _ends(end: Part | str, ids: Mapping[Part, list[str]]) -> list[str]:
    return ids[end] if isinstance(end, Part) else [end]


def _line(flow: Flow, source: str, target: str) -> str:
    return f"- {source} -> {target}: {flow.what}, {flow.style}, {flow.volume}"


def _questions(b: Brief, pieces: Sequence[Piece]) -> tuple[Question, ...]:
    """What the decomposer would confirm: borders that lead to different systems."""
    have = {p.part: p for p in pieces if p.part}
    names = listed(f"{p.id} {p.name}" for p in pieces)
    asked: list[Question] = []
    if Part.WORKLOAD_MOVE in have:
        asked.append(Question(
            text=f"Which programs of the {b.subject} may be repackaged, and which must move as they are?",
            why="Programs that keep state or are bound to a licence decide whether virtual machines stay part of the design.",
            proposal="Stateless programs are repackaged, the rest moves as it is and is looked at again after the move.",
        ))
    if Part.EVENT_LOG in have and b.load.message is None and b.load.top is not None:
        asked.append(Question(
            text=f"How large is one message of the {b.subject} on average?",
            why=f"At {b.top_short} the size decides bandwidth, storage and price: {b.load.bandwidth(b.load.top)}.",
            proposal="1 kB a message.",
        ))
    if b.has(Signal.TENANTS):
        asked.append(Question(
            text="Shall every tenant have a database of its own, or do tenants share one with row-level separation?",
            why=f"A database each costs a fixed part per tenant ({b.crowd or 'all tenants'}), a shared one needs row rules and limits per tenant.",
            proposal="Shared database with a tenant key on every row; tenants that the law binds to a country get a separate one there.",
        ))
    if Part.ALARM in have and Part.WEB_FRONT in have:
        asked.append(Question(
            text="May the alarm path and the portal be released and scaled apart from each other?",
            why="Apart, a faulty portal release cannot stop alarms; together there is one part fewer to run.",
            proposal="Apart.",
        ))
    asked.append(Question(
        text=f"Are these the right components, and does one lack or belong together with another? {names}.",
        why="Every product, cost and piece of configuration that follows hangs on these borders.",
        proposal=f"These {len(pieces)} components.",
    ))
    return tuple(asked[-3:] if len(asked) > 3 else asked)


def is_component_ask(ask: Intent, pieces: Sequence[Piece]) -> bool:
    """Whether an ask concerns a component of this list (used by later Specialists)."""
    return ask.act in (Act.ADD, Act.REMOVE, Act.SPLIT, Act.MERGE) and (
        ask.act is Act.ADD or locate(pieces, ask.target) is not None
    )
