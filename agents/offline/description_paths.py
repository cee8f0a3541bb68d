"""Finds the way of one need through the solution: from who starts it to what serves it last."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from agents.offline.patterns_model import Layer, Part
from agents.offline.solution_map import Map, Node, Route
from agents.offline.wording import tokens

READ = frozenset({Part.DASHBOARD, Part.WAREHOUSE})
_INTAKE = frozenset(
    {Part.DEVICE_GATEWAY, Part.EVENT_COLLECTOR, Part.BATCH_LOAD, Part.RAW, Part.FILE_EXCHANGE}
)
_FED = frozenset(
    {
        *_INTAKE, Part.ALARM, Part.STREAM, Part.EVENT_LOG, Part.SERVING, Part.PREDICTION,
        Part.TRANSFORM,
    }
)  # fmt: skip
_SYSTEM = re.compile(
    r"system|providers?$|carrier|service|database|server|tills|devices|apps|senders|[A-Z]{2,}|\d"
)
_TO_DEVICES = re.compile(r"send|command|updat|set points?|firmware", re.I)
_DEPTH = {Layer.EDGE: 0.0, Layer.APPLICATION: 1.0, Layer.OPERATIONS: 1.0, Layer.DATA: 2.0}
_SINKS = {
    Part.EVENT_COLLECTOR: 0.5, Part.ARCHIVE: 1.0, Part.NOTIFIER: 3.0, Part.DATA_MOVE: 3.0,
    Part.WAREHOUSE: 3.0, Part.DASHBOARD: 4.0,
}  # fmt: skip


def is_system(name: str) -> bool:
    """Whether a name from outside is that of a system and not of people."""
    return bool(_SYSTEM.search(name)) or not name.lower().endswith(("s", "people"))


def path_of(ident: str, text: str, drawn: Map, routes: Sequence[Route]) -> list[Route]:
    """The routes along which a need is met, in order; empty where none leads there."""
    serving = [n for n in drawn.nodes if ident in n.component.serves]
    if not serving:
        return []
    liked = {n.component.id for n in serving}
    named = [o for o in drawn.outside if _named(o, text, drawn)]
    givers = [o for o in drawn.outside if any(r.source == o for r in routes)]
    feeding = [
        o
        for o in givers
        if any(r.source == o and drawn.part_of(r.target) in _INTAKE for r in routes)
    ]
    for reader in (r for r in routes if r.source in named and drawn.part_of(r.target) in READ):
        others = [o for o in givers if not _reads(o, drawn, routes)]
        tiers = ([o for o in feeding if o in others], [o for o in others if is_system(o)], others)
        found = _best(tiers, {reader.target: 0.0}, routes, liked)
        return [*found, reader] if found else [reader]
    ends = [o for o in named if any(r.target == o for r in routes) and _reached(o, text, drawn)]
    depths = dict.fromkeys(ends, 9.0) or {n.component.id: _depth(n) for n in serving}
    own = [o for o in givers if o in named]
    people = [o for o in givers if not is_system(o) and o not in feeding]
    fed = any(n.part in _FED for n in serving) and feeding
    first = feeding if fed else people
    found = _best((own, first, people, givers), depths, routes, liked)
    if found:
        return _completed(found, drawn, routes)
    ordered = sorted(serving, key=_depth, reverse=True)
    touching = ([r] for n in ordered for r in routes if n.component.id in (r.source, r.target))
    return next(touching, [])


def _named(name: str, text: str, drawn: Map) -> bool:
    """Whether a need names an outsider: in full, or by a first word that no person shares."""
    mine, words = tokens(name), tokens(text)
    if not mine:
        return False
    if mine <= words:
        return True
    first = tokens(name.split()[0])
    people = {t for o in drawn.outside if o != name and not is_system(o) for t in tokens(o)}
    return bool(first) and first <= words and not first & people


def _best(
    tiers: Sequence[Sequence[str]],
    targets: dict[str, float],
    routes: Sequence[Route],
    liked: set[str],
) -> list[Route]:
    """The way that meets most serving components, then the nearest source, then the deepest."""
    best: list[Route] = []
    best_key: tuple[float, ...] | None = None
    for target, depth in targets.items():
        for tier, sources in enumerate(tiers):
            ways = [_shortest(sources, target, routes, liked)]
            ways += [_via(sources, v, target, routes, liked) for v in liked if v != target]
            for way in (w for w in ways if w):
                hit = len({r.target for r in way} & liked)
                key = (-hit, tier, -depth, len(way))
                if best_key is None or key < best_key:
                    best, best_key = way, key
    return best


def _via(
    sources: Sequence[str], via: str, target: str, routes: Sequence[Route], liked: set[str]
) -> list[Route]:
    first = _shortest(sources, via, routes, liked)
    second = _shortest([via], target, routes, liked)
    seen = {r.source for r in first}
    if not first or not second or any(r.target in seen for r in second):
        return []
    return [*first, *second]


def _shortest(
    sources: Sequence[str], target: str, routes: Sequence[Route], liked: set[str]
) -> list[Route]:
    """The shortest way to a target; among equally short ones that through serving components."""
    best: list[Route] = []
    best_key: tuple[int, int] | None = None
    for source in sources:
        queue: deque[tuple[str, tuple[Route, ...]]] = deque([(source, ())])
        seen = {source}
        while queue:
            at, way = queue.popleft()
            if at == target and way:
                key = (len(way), -sum(r.target in liked for r in way))
                if best_key is None or key < best_key:
                    best, best_key = list(way), key
                break
            onward = [r for r in routes if r.source == at and r.target not in seen]
            for route in sorted(onward, key=lambda r: r.target not in liked):
                if route.target not in seen:
                    seen.add(route.target)
                    queue.append((route.target, (*way, route)))
    return best


def _reached(name: str, text: str, drawn: Map) -> bool:
    """Whether a need is about reaching this outsider; devices are reached by commands only."""
    at_devices = any(
        r.target == name and drawn.part_of(r.source) is Part.DEVICE_GATEWAY for r in drawn.routes
    )
    return not at_devices or bool(_TO_DEVICES.search(text))


def _reads(name: str, drawn: Map, routes: Sequence[Route]) -> bool:
    return any(r.source == name and drawn.part_of(r.target) in READ for r in routes)


def _completed(path: list[Route], drawn: Map, routes: Sequence[Route]) -> list[Route]:
    """A way that ends at a mover or an answering part goes on to what that part uses."""
    last = path[-1].target
    part = drawn.part_of(last)
    if part is Part.DATA_MOVE:
        return [*path, *[r for r in routes if r.source == last][:1]]
    if part is Part.ANSWER:
        uses = (Part.RETRIEVAL, Part.INFERENCE)
        return [*path, *(r for r in routes if r.source == last and drawn.part_of(r.target) in uses)]
    return path


def _depth(node: Node) -> float:
    if node.part is None:
        return 1.0
    return _SINKS.get(node.part, _DEPTH[node.layer])
