"""Components of a request: from parts to rows with ids, and what a Revision does to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.offline.brief import Brief
from agents.offline.intents import Act, Intent
from agents.offline.patterns import ALSO, REGISTRY, asked_part, recognise
from agents.offline.patterns_data import locked
from agents.offline.patterns_flows import device_word
from agents.offline.patterns_model import Layer, Part
from agents.offline.patterns_workloads import wanted
from agents.offline.signals import Signal, pattern_of
from agents.offline.wording import clip, tokens
from engine.documents import Component

_AREA_HOME: dict[str, tuple[Part, ...]] = {
    "SEC": (Part.KEYS, Part.MASKING, Part.PERIMETER, Part.SIGN_IN, Part.PUBLIC_ENTRY),
    "REL": (Part.BACKUP, Part.RELATIONAL, Part.EVENT_LOG, Part.OBSERVABILITY),
    "COST": (Part.COST_GUARD, Part.OBSERVABILITY, Part.WAREHOUSE),
    "OPS": (Part.DELIVERY, Part.OBSERVABILITY, Part.PUBLISHING),
    "PERF": (Part.CACHE, Part.API, Part.ANSWER, Part.STREAM, Part.WAREHOUSE, Part.CONTENT_DELIVERY),
    "SUS": (Part.COST_GUARD, Part.OBSERVABILITY, Part.DELIVERY),
}
_MAIN: tuple[Part, ...] = (
    Part.API,
    Part.ANSWER,
    Part.STREAM,
    Part.MEDIA_WORK,
    Part.PREDICTION,
    Part.TRANSFORM,
    Part.WAREHOUSE,
    Part.CONTENT_DELIVERY,
    Part.SITE_FILES,
    Part.EVENT_LOG,
)
_SERVERS_PER_NEED = 4
_GENERIC = {"requests", "request", "calls", "call", "events", "messages", "questions", "files"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A component while it is being made: the part behind it, if any, and its row."""

    part: Part | None
    name: str
    responsibility: str
    serves: tuple[str, ...] = ()
    id: str = ""
    near: Part | None = None  # where to connect a component that no pattern knows
    also: tuple[Part, ...] = ()  # further parts, where a Revision merged components

    def row(self) -> Component:
        """The row of the Deliverable's table."""
        return Component(self.id, self.name, self.responsibility, self.serves)


@dataclass(slots=True)
class Revised:
    """The components after a Revision, with what was altered for each ask."""

    pieces: list[Piece]
    effects: list[tuple[str, str]] = field(default_factory=list)


def serving(b: Brief, parts: Sequence[Part]) -> dict[Part, tuple[str, ...]]:
    """Which requirement ids each part serves; every requirement is served by at least one."""
    serves: dict[Part, list[str]] = {part: [] for part in parts}
    main = next((p for p in _MAIN if p in serves), parts[0])
    device = device_word(b).lower().rstrip("s")
    for requirement in b.requirements:
        if requirement.functional:
            scores = {p: REGISTRY[p].matches(requirement.text) for p in parts}
            best = max(scores.values(), default=0)
            homes = [p for p in parts if scores[p] and scores[p] >= max(1, best - 1)]
            homes.sort(key=lambda p: -scores[p])
            gateway = Part.DEVICE_GATEWAY
            if gateway in serves and device in requirement.text.lower() and gateway not in homes:
                homes.insert(0, gateway)
        else:
            homes = [
                p
                for p in parts
                if requirement.area in REGISTRY[p].areas
                and REGISTRY[p].nfr
                and _bites(p, requirement.text)
            ]
            if not homes:
                homes = [p for p in _AREA_HOME.get(requirement.area, ()) if p in serves][:2]
        homes = homes[:_SERVERS_PER_NEED]
        if requirement.functional and main not in homes and not any(_works(p) for p in homes):
            homes.append(main)  # a store or a pipeline alone fulfils no need of a user
        for part in homes or [main]:
            serves[part].append(requirement.id)
    fallback = [r.id for r in b.requirements if r.functional][:1] or [
        r.id for r in b.requirements[:1]
    ]
    result: dict[Part, tuple[str, ...]] = {}
    for part, ids in serves.items():
        if not ids:
            areas = REGISTRY[part].areas
            ids = [r.id for r in b.requirements if r.area in areas][:2] or fallback
        result[part] = tuple(dict.fromkeys(ids))
    return result


def _works(part: Part) -> bool:
    return REGISTRY[part].layer in (Layer.APPLICATION, Layer.EDGE) or part in (
        Part.WAREHOUSE,
        Part.DASHBOARD,
        Part.DATA_MOVE,
        Part.CUTOVER,
        Part.PUBLISHING,
        Part.MASKING,
        Part.OBSERVABILITY,
    )


def _bites(part: Part, text: str) -> bool:
    return re.search(REGISTRY[part].nfr, text, re.I) is not None


def title_of(b: Brief, part: Part) -> str:
    """The usual name of a part, with what it handles where the request names it."""
    name = REGISTRY[part].name
    rate = b.load.front_peak or b.load.front_steady
    if part is Part.API and b.tiny and b.says(r"\bshop\b|web ?site|portal|web ?shop"):
        return "Web application"
    if part is Part.API and rate and rate.noun and rate.noun.split()[-1] not in _GENERIC:
        noun = rate.noun.split()[-1].removesuffix("s")
        return f"{noun[:1].upper()}{noun[1:]} API"
    if part is Part.PREDICTION and b.has(Signal.INLINE_SCORING):
        said = re.search(pattern_of(Signal.INLINE_SCORING), b.signals[Signal.INLINE_SCORING], re.I)
        what = re.split(r"[- ]", said.group(0))[0] if said else "risk"
        return f"{what[:1].upper()}{what[1:].lower()} scoring"
    if part is Part.ARCHIVE and locked(b):
        return "Tamper-proof archive"
    return name


def fresh(b: Brief) -> list[Piece]:
    """The components that the patterns give for a request, without ids."""
    parts = wanted(b)
    serves = serving(b, parts)
    return [
        Piece(
            part,
            title_of(b, part),
            f"{REGISTRY[part].lead} {REGISTRY[part].tail(b)}",
            serves[part],
        )
        for part in parts
    ]


def numbered(pieces: Sequence[Piece], earlier: Sequence[Component]) -> list[Piece]:
    """Give ids: a component of the earlier Revision keeps its own, new ones take the next free.

    A piece that has an id already keeps it, so that an answer may speak of the ids it was shown.
    """
    by_name = {c.name.casefold(): c.id for c in earlier}
    by_part: dict[Part, str] = {}
    for component in earlier:
        part = recognise(component.name, component.responsibility)
        if part is not None:
            by_part.setdefault(part, component.id)
    kept: dict[int, str] = {at: piece.id for at, piece in enumerate(pieces) if piece.id}
    for at, piece in enumerate(pieces):
        if piece.id:
            continue
        ident = by_name.get(piece.name.casefold())
        if ident is None and piece.part is not None:
            ident = by_part.get(piece.part)
        if ident and ident not in kept.values():
            kept[at] = ident
    used = [*(c.id for c in earlier), *kept.values()]
    highest = max((int(i.split("-")[1]) for i in used if "-" in i), default=0)
    result: list[Piece] = []
    for at, piece in enumerate(pieces):
        if at not in kept:
            highest += 1
            kept[at] = f"C-{highest}"
        result.append(replace(piece, id=kept[at]))
    if earlier or any(p.id for p in pieces):
        result.sort(key=lambda p: int(p.id.split("-")[1]))
    return result


def locate(pieces: Sequence[Piece], words: str, earlier: Sequence[Component] = ()) -> int | None:
    """The index of the component that some words mean: by id, by name, then by part."""
    ids = {c.id.casefold(): c.name.casefold() for c in earlier}
    ids |= {p.id.casefold(): p.name.casefold() for p in pieces if p.id}
    for token in words.casefold().replace(",", " ").split():
        if token in ids:
            return next((i for i, p in enumerate(pieces) if p.name.casefold() == ids[token]), None)
    wanted_words = tokens(words)
    scores = [len(wanted_words & tokens(p.name)) * 3 for p in pieces]
    part = asked_part(words)
    for at, piece in enumerate(pieces):
        if part is not None and piece.part is part:
            scores[at] += 2
        scores[at] += len(wanted_words & tokens(piece.responsibility)) // 2
    best = max(range(len(pieces)), key=lambda i: scores[i], default=None)
    return best if best is not None and scores[best] >= 2 else None


def revise(
    b: Brief, pieces: Sequence[Piece], asks: Sequence[Intent], earlier: Sequence[Component] = ()
) -> Revised:
    """Apply what feedback asks of the components, and say for each ask what was altered."""
    state = Revised(list(pieces))
    for ask in asks:
        effect = _APPLY[ask.act](b, state, ask, earlier)
        state.effects.append((ask.words, effect))
    return state


def _add(b: Brief, state: Revised, ask: Intent, earlier: Sequence[Component]) -> str:
    several = [w.strip() for w in re.split(r",|\band\b", ask.target) if w.strip()]
    known = [asked_part(w) for w in several]
    if len(several) > 1 and all(known) and len(set(known)) > 1:
        each = [replace(ask, target=re.sub(r"^(?:a|an|the) ", "", w)) for w in several]
        return " ".join(_add(b, state, one, earlier) for one in each)
    part = asked_part(ask.target)
    if part is not None and any(p.part is part for p in state.pieces):
        existing = next(p for p in state.pieces if p.part is part)
        at = state.pieces.index(existing)
        state.pieces[at] = replace(
            existing,
            responsibility=f"{existing.responsibility}; the Revision asks for it as “{ask.target}”",
        )
        return f"“{existing.name}” is this component already; its responsibility now says so."
    if part is not None:
        entry = REGISTRY[part]
        parts = [p.part for p in state.pieces if p.part is not None]
        serves = serving(b, [*parts, part])[part]
        piece = Piece(part, title_of(b, part), f"{entry.lead} {entry.tail(b)}", serves)
        order = list(Part)
        at = next(
            (
                i
                for i, p in enumerate(state.pieces)
                if p.part is not None and order.index(p.part) > order.index(part)
            ),
            len(state.pieces),
        )
        state.pieces.insert(at, piece)
        return f"Component “{piece.name}” was added with its flows."
    name = ask.target[:1].upper() + ask.target[1:]
    serves = b.ids_for(ask.target) or tuple(r.id for r in b.requirements[:1])
    near = next((p.part for p in state.pieces if p.part in _MAIN), None)
    state.pieces.append(
        Piece(
            None,
            clip(name, 50).rstrip(" …"),
            f"Does what the Revision asks: “{clip(ask.words, 110)}”",
            serves,
            near=near,
        )
    )
    return f"Component “{clip(name, 50)}” was added as asked; no known pattern stands behind it."


def _remove(b: Brief, state: Revised, ask: Intent, earlier: Sequence[Component]) -> str:
    at = locate(state.pieces, ask.target, earlier)
    if at is None:
        return f"not done: no component answers to “{ask.target}”, so nothing was taken out."
    gone = state.pieces.pop(at)
    rest = [p.part for p in state.pieces if p.part is not None]
    served = {i for p in state.pieces for i in p.serves}
    orphaned = [i for i in gone.serves if i not in served]
    if orphaned and rest:
        again = serving(b, rest)
        for index, piece in enumerate(state.pieces):
            extra = [i for i in orphaned if piece.part is not None and i in again[piece.part]]
            if extra:
                state.pieces[index] = replace(piece, serves=(*piece.serves, *extra))
    moved = f"; {', '.join(orphaned)} is served elsewhere now" if orphaned else ""
    return f"Component “{gone.name}” was taken out{moved}."


def _rename(b: Brief, state: Revised, ask: Intent, earlier: Sequence[Component]) -> str:
    at = locate(state.pieces, ask.target, earlier)
    if at is None or not ask.other:
        return _note(b, state, ask, earlier)
    old = state.pieces[at]
    name = ask.other[:1].upper() + ask.other[1:]
    state.pieces[at] = replace(old, name=name)
    return f"“{old.name}” is called “{name}” now, here and in what follows."


def _split(b: Brief, state: Revised, ask: Intent, earlier: Sequence[Component]) -> str:
    at = locate(state.pieces, ask.target, earlier)
    if at is None:
        return _note(b, state, ask, earlier)
    old = state.pieces[at]
    names = [n.strip(" .") for n in re.split(r",|\band\b|/|\+", ask.other) if n.strip(" .")]
    if len(names) < 2:
        names = [f"{old.name}: intake", f"{old.name}: processing"]
        how = (
            "accepts and stores what comes in, and answers at once",
            "works through it at its own pace",
        )
        duties = [f"{old.responsibility}; this half {how[i]}" for i in (0, 1)]
    else:
        names = [n[:1].upper() + n[1:] for n in names]
        duties = [f"{old.responsibility}; here only what concerns {n.lower()}" for n in names]
    state.pieces[at : at + 1] = [
        Piece(old.part, name, duty, old.serves, id="" if n else old.id)
        for n, (name, duty) in enumerate(zip(names, duties, strict=True))
    ]
    return (
        f"“{old.name}” was split into {' and '.join(f'“{n}”' for n in names)}, each with the "
        "same requirements."
    )


def _merge(b: Brief, state: Revised, ask: Intent, earlier: Sequence[Component]) -> str:
    first, second = (locate(state.pieces, w, earlier) for w in (ask.target, ask.other))
    if first is None or second is None or first == second:
        missing = ask.target if first is None else ask.other
        why = f"no component answers to “{missing}”"
        if first is not None and first == second:
            why = f"both names mean “{state.pieces[first].name}”"
        return f"not done: {why}, so nothing was merged."
    if re.search(r"\binto\b", ask.words, re.I):
        first, second = second, first
    one, two = state.pieces[first], state.pieces[second]
    merged = replace(
        one,
        name=f"{one.name} and {two.name[:1].lower()}{two.name[1:]}",
        responsibility=f"{one.responsibility}{ALSO}{two.responsibility}",
        also=(*one.also, *((two.part,) if two.part else ()), *two.also),
        serves=tuple(dict.fromkeys((*one.serves, *two.serves))),
    )
    state.pieces[first] = merged
    del state.pieces[second]
    return f"“{one.name}” and “{two.name}” are one component now."


def _note(b: Brief, state: Revised, ask: Intent, earlier: Sequence[Component]) -> str:
    at = locate(state.pieces, ask.words, earlier)
    if at is None:
        at = next((i for i, p in enumerate(state.pieces) if p.part in _MAIN), 0)
    old = state.pieces[at]
    state.pieces[at] = replace(
        old, responsibility=f"{old.responsibility}; the Revision adds: “{clip(ask.words, 140)}”"
    )
    return (
        "no component was added, removed or merged: the words name no such change that could be "
        f"recognised. They now stand in the responsibility of “{old.name}”."
    )


def _product(b: Brief, state: Revised, ask: Intent, earlier: Sequence[Component]) -> str:
    part = asked_part(ask.target)
    if ask.act is Act.USE and part is not None and not any(p.part is part for p in state.pieces):
        return _add(b, state, ask, earlier)
    if ask.act is Act.AVOID and (locate(state.pieces, ask.target, earlier) is not None):
        return _remove(b, state, ask, earlier)
    return "no component changes; which product does the work is decided in Product selection."


_APPLY = {
    Act.ADD: _add,
    Act.REMOVE: _remove,
    Act.RENAME: _rename,
    Act.SPLIT: _split,
    Act.MERGE: _merge,
    Act.NOTE: _note,
    Act.USE: _product,
    Act.AVOID: _product,
}
