"""The offline planner's technical decomposition: components without products, and their flows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from agents.offline.brief import MARKER, Brief, brief_of
from agents.offline.components import Piece, fresh, locate, numbered, revise
from agents.offline.consent import dissenting
from agents.offline.decomposition_overview import overview
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.intents import HISTORY, Act, Intent, history, intents, recorded
from agents.offline.patterns_flows import Flow, flows, main_part
from agents.offline.patterns_model import Part
from agents.offline.signals import Signal
from agents.offline.wording import clip
from agents.runtime import AgentTask, Question
from engine.deliverables import Kind
from engine.documents import parse_components
from providers.catalogue import Catalogue


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
    asks = intents((*history(previous), *task.feedback, *dissenting(task)))
    first = numbered(fresh(b), ())
    # Words of an earlier round speak of the ids of the first draft, newer ones of the latest.
    known = {c.id: c for c in (*(p.row() for p in first), *earlier)}
    base = fresh(b) if earlier else first
    revised = revise(b, base, asks, tuple(known.values()))
    pieces = numbered(revised.pieces, earlier)
    found = _flows(b, pieces)
    lines = [
        "## Overview",
        "",
        *overview(b, pieces),
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
        for part in (*((piece.part,) if piece.part else ()), *piece.also):
            ids.setdefault(part, []).append(piece.id)
    parts = [p for p in Part if p in ids]
    lines: list[str] = []
    for flow in flows(b, parts):
        for source in _ends(flow.source, ids):
            for target in (t for t in _ends(flow.target, ids) if t != source):
                lines.append(_line(flow, source, target))
    for members in ids.values():  # the halves of a split component follow one another
        for first, second in itertools.pairwise(members):
            lines.append(
                f"- {first} -> {second}: what the first half has accepted, internal "
                f"hand-over, up to {b.top_short}"
            )
    for piece in pieces:
        if piece.part is None:
            centre = ids[piece.near or main_part(parts)][0]
            lines.append(
                f"- {centre} -> {piece.id}: what “{piece.name}” needs, internal call, up "
                f"to {b.top_short}"
            )
    return list(dict.fromkeys(lines))


def _ends(end: Part | str, ids: Mapping[Part, list[str]]) -> list[str]:
    return ids[end] if isinstance(end, Part) else [end]


def _line(flow: Flow, source: str, target: str) -> str:
    return f"- {source} -> {target}: {flow.what}, {flow.style}, {flow.volume}"


_MOST_QUESTIONS = 2


def _questions(b: Brief, pieces: Sequence[Piece]) -> tuple[Question, ...]:
    """What the decomposer would confirm: borders that lead to different systems.

    A small system gets none: its few components are shown with the Deliverable anyway.
    """
    if b.tiny or len(pieces) <= 4:
        return ()
    asked = [q for maker in (_tenancy, _repackaging, _message_size) if (q := maker(b, pieces))]
    listing = "; ".join(f"{p.id} {p.name} ({_purpose(p)})" for p in pieces)
    borders = Question(
        text=f"Does a component lack, is one not needed, or do two belong together? {listing}.",
        why="Every product, cost and piece of configuration that follows hangs on these borders.",
        proposal=f"These {len(pieces)} components.",
    )
    return (*asked[: _MOST_QUESTIONS - 1], borders)


def _purpose(piece: Piece) -> str:
    """What a component does, in a few words for a question."""
    text = re.split(r"[;(,]| so that ", piece.responsibility)[0].strip()
    return clip(text[:1].lower() + text[1:], 70)


def _tenancy(b: Brief, pieces: Sequence[Piece]) -> Question | None:
    if not b.has(Signal.TENANTS):
        return None
    return Question(
        text=(
            "Shall every tenant have a database of its own, or do tenants share one with "
            "row-level separation?"
        ),
        why=(
            f"A database each costs a fixed part per tenant ({b.crowd or 'all tenants'}), a "
            "shared one needs row rules and limits per tenant."
        ),
        proposal=(
            "Shared database with a tenant key on every row; tenants that the law binds to a "
            "country get a separate one there."
        ),
    )


def _repackaging(b: Brief, pieces: Sequence[Piece]) -> Question | None:
    if Part.WORKLOAD_MOVE not in {p.part for p in pieces}:
        return None
    return Question(
        text="Which programs may be repackaged, and which must move as they are?",
        why=(
            "Programs that keep state or are bound to a licence decide whether virtual machines "
            "stay part of the design."
        ),
        proposal=(
            "Stateless programs are repackaged, the rest moves as it is and is looked at again "
            "after the move."
        ),
    )


def _message_size(b: Brief, pieces: Sequence[Piece]) -> Question | None:
    rate = b.load.top
    if Part.EVENT_LOG not in {p.part for p in pieces} or b.load.message or rate is None:
        return None
    return Question(
        text="How large is one message on average?",
        why=(
            f"At {b.top_short} the size decides bandwidth, storage and price: "
            f"{b.load.bandwidth(rate)}."
        ),
        proposal="1 kB a message.",
    )


def is_component_ask(ask: Intent, pieces: Sequence[Piece]) -> bool:
    """Whether an ask concerns a component of this list (used by later Specialists)."""
    return ask.act in (Act.ADD, Act.REMOVE, Act.SPLIT, Act.MERGE) and (
        ask.act is Act.ADD or locate(pieces, ask.target) is not None
    )
