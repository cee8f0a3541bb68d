"""The data flow: the request's own process first, need by need, then what runs besides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.offline.brief import Brief
from agents.offline.description_paths import READ, is_system, path_of
from agents.offline.solution_map import Map, Route
from agents.offline.wording import clip, listed

_WATCHED = re.compile(r"\bpage(?:s|d)? (?:who|the|some)|\balert|monitor\w*", re.I)
_CUT = re.compile(
    r" (?:of|for|with|that|in|to|at|as|from|within|once|by|on|over|behind|and their|a)\b"
)
_PROCESS_STEPS = 12
_ALL_STEPS = 24


def name_of(drawn: Map, end: str, *, leaving: bool = False, source: str = "") -> str:
    """A route's end as the description calls it."""
    node = drawn.exit(end) if leaving else drawn.entry(end, source)
    return f"{node.product} ({node.component.name})" if node is not None else end


def data_flow(b: Brief, drawn: Map) -> list[str]:
    """Numbered steps; every data route of the map is told once."""
    teller = _Teller(drawn, [r for r in drawn.routes if not drawn.controls(r)])
    for requirement in b.requirements:
        wanted = requirement.functional and not _WATCHED.search(requirement.text)
        if wanted and len(teller.steps) < _PROCESS_STEPS:
            teller.need(requirement.id, requirement.text)
    teller.rest()
    if not teller.steps:
        centre = name_of(drawn, drawn.centre.component.id)
        teller.steps.append(f"{b.people[0]} use {centre}, which does the work.")
    return teller.steps


@dataclass(slots=True)
class _Teller:
    """Tells routes in steps, and points at an earlier step instead of repeating one."""

    drawn: Map
    routes: list[Route]
    steps: list[str] = field(default_factory=list)
    told: dict[Route, int] = field(default_factory=dict)
    volumes: set[str] = field(default_factory=set)

    def need(self, ident: str, text: str) -> None:
        """One functional need as a step."""
        path = path_of(ident, text, self.drawn, self.routes)
        if not path:
            return
        head = f"**{clip(text, 130)}** ({ident})"
        if all(r in self.told for r in path):
            self.steps.append(f"{head}: this goes the way of step {self.told[path[-1]]}.")
            return
        self.steps.append(f"{head}: {self._walk(path)}.")
        for route in path:
            self.told.setdefault(route, len(self.steps))

    def rest(self) -> None:
        """Routes that no need led along, a step a source."""
        left = [r for r in self.routes if r not in self.told]
        for source in dict.fromkeys(r.source for r in left):
            if len(self.steps) >= _ALL_STEPS:
                return
            group = [r for r in left if r.source == source]
            sent = listed(
                f"{_bare(r.what)} to {name_of(self.drawn, r.target, source=r.source)}{self._how(r)}"
                for r in group
            )
            who = name_of(self.drawn, source, leaving=True)
            self.steps.append(f"**{who}** {_sending(source)} {sent}.")

    def _walk(self, path: Sequence[Route]) -> str:
        known = 0
        while known < len(path) - 1 and path[known] in self.told:
            known += 1
        said: list[str] = []
        if known:
            last = path[known - 1]
            reached = name_of(self.drawn, last.target, source=last.source)
            said.append(f"as in step {self.told[last]} up to {reached}")
        for at, route in enumerate(path):
            if at < known:
                continue
            target = name_of(self.drawn, route.target, source=route.source)
            inside = route.source.startswith("C-")
            how = self._how(route)
            if not inside and at and self.drawn.part_of(route.target) in READ:
                said.append(f"{route.source} read them there{how}")
            elif at and path[at - 1].target == route.source:
                verb = "go" if _plural(route.what) else "goes"
                said.append(f"from there {_bare(route.what)} {verb} to {target}{how}")
            else:
                source = name_of(self.drawn, route.source, leaving=True)
                verb = _sending(route.source)
                said.append(f"{source} {verb} {_bare(route.what)} to {target}{how}")
        return "; ".join(said)

    def _how(self, route: Route) -> str:
        volume = "" if "not stated" in route.volume else route.volume
        if volume in self.volumes:
            volume = route.short_volume
        elif volume:
            self.volumes.add(volume)
        parts = [p for p in (route.style, volume) if p]
        return f" ({'; '.join(parts)})" if parts else ""


def _sending(source: str) -> str:
    last = source.split()[-1]
    many = last.lower().endswith("s") and not last.isupper()
    return "send" if many and not source.startswith("C-") else "sends"


def _plural(what: str) -> bool:
    head = _CUT.split(_bare(what))[0].split()
    if not head or head[0] in ("what", "which"):
        return False
    return "and" in head or any(w.endswith("s") and not w.endswith("'s") for w in head)


def _bare(what: str) -> str:
    return re.sub(r"\s*\(“.*?”\)", "", what)


__all__ = ["data_flow", "is_system", "name_of"]
