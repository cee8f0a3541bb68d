"""The solution as nodes and routes, read from the selection and the decomposition.

Diagram and description both start here, so that they show the same things under the same names.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from agents.offline.patterns import REGISTRY, recognise
from agents.offline.patterns_flows import main_part
from agents.offline.patterns_model import Layer, Part
from engine.deliverables import Kind
from engine.documents import (
    Component,
    body_of,
    list_items,
    parse_components,
    parse_selection,
    plain,
)
from providers.catalogue import Capability, Catalogue

_FLOW = re.compile(r"^(?P<ends>.+?(?:->|→).+?):\s+(?P<rest>.+)$")
_ARROW = re.compile(r"\s*(?:->|→)\s*")
_ID = re.compile(r"^C-\d+$")
_AMOUNT = re.compile(
    r"(?P<n>\d[\d,.]*k?)\s?(?P<noun>[a-z]+)?\s?(?P<per>(?:a|per) second|/s|(?:a|per) day)\b"
)
_BYTES = re.compile(r"\d[\d,.]*\s?(?:[kKMGTP]B|bytes)(?:/s)?")
LIVE_PAGE = "live page"
_ENTERS_LAST = frozenset({Part.DEVICE_GATEWAY})
_LEAVES_LAST = frozenset({Part.WEBHOOKS})
_CONTROL = frozenset(
    {
        Part.KEYS, Part.OBSERVABILITY, Part.DELIVERY, Part.PUBLISHING, Part.COST_GUARD,
        Part.AUDIT, Part.BACKUP, Part.PERIMETER, Part.CUTOVER, Part.ORCHESTRATION, Part.METADATA,
        Part.WORKLOAD_MOVE,
    }
)  # fmt: skip


class EmptySelection(ValueError):
    """The product selection has no rows: nothing can be drawn; submit the selection first."""

    def __init__(self) -> None:
        super().__init__(" ".join((self.__doc__ or "").split()))


@dataclass(frozen=True, slots=True)
class Node:
    """A product at work for a component; ``role`` is set where it is not the component's first."""

    id: str
    product: str
    component: Component
    part: Part | None
    role: str = ""
    tags: frozenset[Capability] = frozenset()

    @property
    def layer(self) -> Layer:
        """Where it stands in the diagram."""
        return REGISTRY[self.part].layer if self.part is not None else Layer.APPLICATION

    @property
    def label(self) -> str:
        """Product, then what it is here; lines parted by a line feed."""
        second = self.role[:1].upper() + self.role[1:] if self.role else self.component.name
        return f"{self.product}\n{second}"


@dataclass(frozen=True, slots=True)
class Route:
    """A flow between two ends, which are component ids or names from outside."""

    source: str
    target: str
    what: str
    style: str
    volume: str

    @property
    def short_volume(self) -> str:
        """The figure of the volume in a few characters; empty if it has none."""
        found = list(_AMOUNT.finditer(self.volume))
        if found:
            last = found[-1]
            per = "/day" if last["per"].endswith("day") else "/s"
            return f"{last['n'].rstrip('.,')} {(last['noun'] or '').strip()}".strip() + per
        octets = _BYTES.findall(self.volume)
        return octets[-1] if octets else ""


@dataclass(frozen=True, slots=True)
class Map:
    """Nodes and routes, and which node stands for a component in a route."""

    nodes: tuple[Node, ...]
    routes: tuple[Route, ...]
    components: Mapping[str, Component]

    def of(self, component_id: str) -> tuple[Node, ...]:
        """The nodes of a component, in the order of the selection."""
        return tuple(n for n in self.nodes if n.component.id == component_id)

    def entry(self, component_id: str, source: str = "") -> Node | None:
        """The node that a route into a component ends at; the source may decide which."""
        found = self.of(component_id)
        if not found:
            return None
        live = next((n for n in found if n.role == LIVE_PAGE), None)
        if live is not None and self.part_of(source) is Part.SERVING:
            return live
        return found[-1] if found[0].part in _ENTERS_LAST else found[0]

    def exit(self, component_id: str) -> Node | None:
        """The node that a route out of a component starts from."""
        found = self.of(component_id)
        if not found:
            return None
        return found[-1] if found[0].part in _LEAVES_LAST else found[0]

    def part_of(self, end: str) -> Part | None:
        """The part behind a component id."""
        found = self.of(end)
        return found[0].part if found else None

    def controls(self, route: Route) -> bool:
        """Whether a route steers or watches rather than carries the workload's own data."""
        return self.part_of(route.source) in _CONTROL or self.part_of(route.target) in _CONTROL

    @property
    def outside(self) -> tuple[str, ...]:
        """People and systems outside, in order of appearance."""
        ends = [e for r in self.routes for e in (r.source, r.target) if not _ID.match(e)]
        return tuple(dict.fromkeys(ends))

    @property
    def centre(self) -> Node:
        """The node that does the work the request is about."""
        if not self.nodes:
            raise EmptySelection()
        parts = [n.part for n in self.nodes if n.part is not None]
        if not parts:
            return self.nodes[0]
        wanted = main_part(parts)
        return next(n for n in self.nodes if n.part is wanted)

    def node(self, part: Part) -> Node | None:
        """The first node of a part."""
        return next((n for n in self.nodes if n.part is part), None)


def _split(text: str) -> list[str]:
    """Cut at commas that stand outside quotation marks."""
    cells: list[str] = [""]
    depth = 0
    for at, char in enumerate(text):
        depth += char == "“"
        depth -= char == "”"
        if char == "," and depth <= 0 and text[at + 1 : at + 2] == " ":
            cells.append("")
            continue
        cells[-1] += char
    return [c.strip() for c in cells]


def routes_of(decomposition: str) -> tuple[Route, ...]:
    """The flows of a decomposition; ``C-1, C-2 -> C-3 -> C-4`` becomes one route a pair."""
    found: list[Route] = []
    for item in list_items(body_of(decomposition, "Interfaces and flows")):
        match = _FLOW.match(plain(item))
        if match is None:
            continue
        cells = _split(match["rest"])
        what = cells[0]
        style = cells[1] if len(cells) > 1 else ""
        volume = ", ".join(cells[2:])
        stops = [
            [e.strip() for e in re.split(r",| and ", stop) if e.strip()]
            if "C-" in stop
            else [stop.strip()]
            for stop in _ARROW.split(match["ends"])
        ]
        for sources, targets in itertools.pairwise(stops):
            found += [Route(s, t, what, style, volume) for s in sources for t in targets]
    return tuple(found)


def map_of(documents: Mapping[Kind, str], catalogue: Catalogue) -> Map:
    """Read selection and decomposition into a Map; unknown components get a node all the same."""
    decomposition = documents.get(Kind.TECHNICAL_DECOMPOSITION, "")
    components = {c.id: c for c in parse_components(decomposition)}
    rows = parse_selection(documents.get(Kind.PRODUCT_SELECTION, ""))
    nodes: list[Node] = []
    taken: dict[str, int] = {}
    for row in rows:
        component = components.get(row.component_id) or Component(
            row.component_id, row.component, row.justification, ()
        )
        nth = taken[row.component_id] = taken.get(row.component_id, 0) + 1
        ident = f"c{row.component_id.removeprefix('C-') or 'x'}" + (
            "" if nth == 1 else "abcdefgh"[nth - 1 :][:1]
        )
        product = catalogue.find(row.product)
        role = row.note.split(",")[0].strip() if nth > 1 else ""
        nodes.append(
            Node(
                ident,
                product.name if product else row.product,
                Component(
                    component.id,
                    row.component or component.name,
                    component.responsibility,
                    component.serves,
                ),
                recognise(component.name, component.responsibility),
                role,
                frozenset(product.capabilities) if product else frozenset(),
            )
        )
    known = {n.component.id for n in nodes}
    routes = tuple(
        r
        for r in routes_of(decomposition)
        if all(e in known or not _ID.match(e) for e in (r.source, r.target))
    )
    return Map(tuple(nodes), routes, components)
