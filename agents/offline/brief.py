"""What the architecture writers work from: Facts, their arithmetic, signals and requirement ids.

A Brief is made anew for every run from the task and the documents that it was given; nothing is
remembered between runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agents.offline.facts import Facts, Figure, Measure, Workload
from agents.offline.load import Load, aim, derive, fleet_of
from agents.offline.signals import Signal, detect, pattern_of, sentences
from agents.offline.wording import Said, around, clip, listed, tokens
from agents.runtime import AgentTask
from engine.deliverables import Kind
from engine.documents import Requirement, parse_requirements

MARKER = "_Drafted by the offline planner from the request's words; no language model was used._"

_PROJECT = re.compile(
    r"\b(?:migration|moderni[sz]ation|replacement|redesign|rebuild|re-?platforming|"
    r"relaunch|project)\b"
    r"(?: of(?: the)?)?",
    re.I,
)
_PLAIN_WORDS = frozenset(
    [
        "online",
        "video",
        "club",
        "shop",
        "sports",
        "payments",
        "claims",
        "site",
        "global",
        "new",
        "internal",
        "public",
        "private",
        "mobile",
        "web",
        "data",
        "cloud",
        "order",
        "customer",
        "patient",
        "chef",
        "city",
        "rowing",
        "fraud",
        "insurance",
        "mobility",
        "retail",
        "cold",
        "bike",
    ]
)
_SCORE_FLOOR = 2
_FOREIGN = re.compile(r"alarm|\bSMS\b|quer(?:y|ies)|dashboard|report|notif|alert|search", re.I)

_PEOPLE = re.compile(
    r"\b(service technicians|technicians|store managers|claims handlers|API clients|trade "
    r"businesses|"
    r"customers|tenants|editors|analysts|drivers|patients|doctors|nurses|physicians|"
    r"students|teachers|"
    r"pupils|visitors|readers|viewers|listeners|players|guests|citizens|members|suppliers|dealers|"
    r"partners|agents|clerks|planners|employees|photographers|creators|subscribers|"
    r"researchers|scientists|"
    r"shoppers|riders|passengers|farmers|operators|controllers|underwriters|clients|crews|"
    r"Kunden|Kundinnen|clientes|utilisateurs|usuarios|users|people)\b",
    re.I,
)
_INSIDE = re.compile(
    r"analyst|editor|manager|technician|handler|clerk|employee|operator|research|scientist|"
    r"controller|underwriter|planner",
    re.I,
)


def requirements_of(content: str) -> tuple[Requirement, ...]:
    """The requirements that a requirements Deliverable defines, each id once."""
    found: dict[str, Requirement] = {}
    for requirement in parse_requirements(content):
        found.setdefault(requirement.id, requirement)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Brief:
    """Facts with all that follows from them."""

    facts: Facts
    lines: tuple[str, ...]
    load: Load
    signals: Mapping[Signal, str]
    requirements: tuple[Requirement, ...]

    def has(self, *signals: Signal) -> bool:
        """Whether any of these signals was given."""
        return any(s in self.signals for s in signals)

    def works(self, *workloads: Workload) -> bool:
        """Whether the request is of any of these kinds."""
        return any(w in self.facts.workloads for w in workloads)

    def says(self, pattern: str) -> Said:
        """The first sentence of the request that matches, or an empty string."""
        compiled = re.compile(pattern, re.I)
        return Said.of(next((line for line in self.lines if compiled.search(line)), ""), pattern)

    def told(self, said: str, limit: int = 90) -> str:
        """The telling part of a sentence in brackets and quotes; nothing where there is none."""
        return f" (“{self.excerpt(said, limit)}”)" if said else ""

    def excerpt(self, said: str, limit: int = 90) -> str:
        """The telling part of a sentence; the subject where the request has no such sentence."""
        if isinstance(said, Said) and said:
            return around(said, said.pattern, limit)
        return clip(said or self.subject, limit)

    @property
    def text(self) -> str:
        """All sentences of the request."""
        return " ".join(self.lines)

    @property
    def subject(self) -> str:
        """The workload in a few words, for the middle of a sentence."""
        title = clip(_PROJECT.sub("", self.facts.title).strip(" -:") or "workload", 60).rstrip(" …")
        first = title.split()[0]
        common = first[1:].islower() and (
            any(re.search(rf"\b{re.escape(first.lower())}\b", line) for line in self.lines)
            or first.lower() in _PLAIN_WORDS
        )
        return title[:1].lower() + title[1:] if common else title

    @property
    def tiny(self) -> bool:
        """Whether it is so small that every extra part costs more than it gives."""
        budget = self.load.budget
        if budget and budget.value <= 400:
            return True
        large = (Signal.TENANTS, Signal.TWO_REGIONS, Signal.AUDITED, Signal.LIVE_VIDEO,
                 Signal.CLINICAL, Signal.EXTERNAL_KEYS)  # fmt: skip
        if self.facts.compliance or self.has(*large):
            return False
        top = self.load.top
        if top is not None:
            return top.value <= 1 and not (budget and budget.value > 2000)
        users = self.load.users
        return bool(
            users
            and users.value
            and users.value <= 200
            and not (budget and budget.value > 2000)
            and not self.works(Workload.MIGRATION, Workload.WAREHOUSE, Workload.RAG_ML)
        )

    @property
    def small_team(self) -> bool:
        """Whether few people build and run it: ten at most, where the request says how many."""
        return self.load.team is not None and self.load.team <= 10

    @property
    def region(self) -> str:
        """The primary region, or words that say that none was stated."""
        return self.facts.regions[0] if self.facts.regions else "the chosen region"

    @property
    def rules(self) -> str:
        """The compliance regimes as words; empty if none."""
        return listed(self.facts.compliance[:3])

    @property
    def traffic(self) -> str:
        """Normal and peak load in one phrase, with arithmetic."""
        load = self.load
        if load.steady and load.peak:
            return f"{load.steady.shown} normally and {load.peak.shown} at peak"
        if load.top:
            return load.top.shown
        if load.users:
            return f"the calls of {self.crowd}"
        return f"the calls to the {self.subject}, for which no rate was stated"

    @property
    def front(self) -> str:
        """What people and their programs call for, in one phrase with arithmetic."""
        load = self.load
        if load.fan_out:
            return load.fan_out.shown
        if load.front_steady and load.front_peak:
            return f"{load.front_steady.shown} normally and {load.front_peak.shown} at peak"
        if one := load.front_peak or load.front_steady:
            return one.shown
        if self.works(Workload.IOT, Workload.WAREHOUSE, Workload.MEDIA) and load.users:
            return f"the calls of {self.crowd}"
        return self.traffic

    @property
    def _counts_callers(self) -> bool:
        """Whether the front door is better described by who calls than by any stated rate."""
        only_events = self.works(Workload.STREAMING) and not self.works(
            Workload.IOT, Workload.WEB_API
        )
        return self.load.users is not None and not only_events

    @property
    def figures_fresh(self) -> tuple[Figure, ...]:
        """How fresh what people see must be."""
        return self.figures(Measure.FRESHNESS)

    @property
    def crowd(self) -> str:
        """How many users there are, with a word for what they are; empty if not stated."""
        users = self.load.users
        if users is None:
            return ""
        bare = re.sub(
            r"[\d.,'\s]|million|thousand|mio|about|some|up to|[km]\b", "", users.text, flags=re.I
        )
        return (
            users.text
            if len(bare) > 3
            else f"{users.text} {users.subject or self.people[0].lower()}"
        )

    @property
    def fleet(self) -> str:
        """The devices and what they grow to; empty if none are counted."""
        counts = fleet_of(self.facts)
        if not counts:
            return ""
        first = counts[0].text
        return first if len(counts) == 1 else f"{first} growing to {counts[-1].text}"

    def latency(self, pattern: str = "", under: float = 5.0) -> str:
        """The time goal of one kind of call, as words; empty where none fits."""
        goals = [f for f in self.figures(Measure.LATENCY) if f.value and f.value <= under]
        if pattern:
            compiled = re.compile(pattern, re.I)
            named = [f for f in goals if compiled.search(f"{f.subject} {f.sentence} {f.text}")]
            if named:
                return aim(named[0])
        if pattern and under > 5:
            return ""
        plain = [f for f in goals if not _FOREIGN.search(f"{f.subject} {f.sentence}")]
        return aim(plain[0]) if plain else ""

    @property
    def top_short(self) -> str:
        """The highest rate in a few words."""
        load = self.load
        if load.top:
            return load.top.short
        return f"the use by {self.crowd}" if load.users else "an unstated rate"

    @property
    def core_short(self) -> str:
        """The highest rate of business calls in a few words."""
        rate = self.load.front_peak or self.load.front_steady
        if rate:
            return rate.short
        if self._counts_callers:
            assert self.load.users is not None  # noqa: S101 (it is what was asked)
            return f"the calls of {self.crowd}"
        return self.item_short

    @property
    def item_short(self) -> str:
        """The highest rate of what the business counts, in a few words."""
        return self.load.items.short if self.load.items else self.top_short

    @property
    def people(self) -> tuple[str, ...]:
        """Who uses it, as named in the request, outsiders first; never empty."""
        found: dict[str, str] = {}
        for line in self.lines:
            for match in _PEOPLE.finditer(line):
                word = match[1]
                found.setdefault(word.lower(), word[:1].upper() + word[1:])
        plain = {"users", "people", "clients", "partners", "agents", "members"}
        chosen = [v for k, v in found.items() if k not in plain] or list(found.values())
        chosen.sort(key=lambda w: bool(_INSIDE.search(w)))
        return tuple(chosen[:4]) or ("Users",)

    def insiders(self) -> tuple[str, ...]:
        """Those of the people who belong to the organisation itself."""
        return tuple(p for p in self.people if _INSIDE.search(p))

    def ids_for(self, evidence: str, *, limit: int = 2) -> tuple[str, ...]:
        """Requirement ids whose text shares most with some words of the request."""
        wanted = tokens(evidence)
        if not wanted:
            return ()
        scored = [(len(wanted & tokens(r.text)), r) for r in self.requirements]
        best = max((score for score, _ in scored), default=0)
        if best < min(_SCORE_FLOOR, len(wanted)):
            return ()
        near = [r.id for score, r in scored if score >= max(_SCORE_FLOOR, best * 0.75)]
        return tuple(near[:limit])

    def ids_of(self, *figures: Figure | None) -> tuple[str, ...]:
        """Requirement ids that state these figures."""
        found: list[str] = []
        for figure in figures:
            if figure is None:
                continue
            shown = " ".join(figure.text.split()).lower()
            exact = [r.id for r in self.requirements if shown and shown in r.text.lower()]
            found += exact[:1] or self.ids_for(figure.sentence or figure.text, limit=1)
        return tuple(dict.fromkeys(found))

    def ids_in(self, *areas: str) -> tuple[str, ...]:
        """Ids of non-functional requirements of these areas."""
        return tuple(r.id for r in self.requirements if r.area in areas)

    def ids_matching(self, pattern: str, *, limit: int = 2) -> tuple[str, ...]:
        """Ids of requirements whose text matches."""
        compiled = re.compile(pattern, re.I)
        return tuple(r.id for r in self.requirements if compiled.search(r.text))[:limit]

    def signal_ids(self, signal: Signal) -> tuple[str, ...]:
        """Requirement ids behind a signal."""
        return self.ids_for(self.signals[signal], limit=1) if signal in self.signals else ()

    def quote(self, signal: Signal, default: str = "", limit: int = 90) -> str:
        """The words behind a signal, clipped; ``default`` where it was not given."""
        if signal not in self.signals:
            return default
        return around(self.signals[signal], pattern_of(signal), limit)

    def figures(self, measure: Measure) -> tuple[Figure, ...]:
        """All figures of a measure for the new system, else those of the current one."""
        new = tuple(f for f in self.facts.figures if f.measure is measure and not f.current)
        return new or tuple(f for f in self.facts.figures if f.measure is measure)


def documents_of(task: AgentTask, documents: Mapping[Kind, str]) -> dict[Kind, str]:
    """All Deliverables at hand: the task's Dependencies, and what the caller read besides."""
    found = dict(documents)
    for document in task.dependencies:
        if document.kind in set(Kind):
            found.setdefault(Kind(document.kind), document.content)
    return found


def brief_of(task: AgentTask, facts: Facts, documents: Mapping[Kind, str]) -> Brief:
    """Read the task and the documents into a Brief.

    Its lines are words of people only: the request, answers, what a Revision changed. What an
    earlier Specialist wrote is no evidence of what anybody said.
    """
    answered = [a.answer for a in task.answers]
    said = [*sentences(task.request), *facts.overrides, *answered]
    refused = {" ".join(a.split()) for a in facts.forbidden_asks}
    lines = tuple(dict.fromkeys(t for s in said if (t := " ".join(s.split())) and t not in refused))
    content = documents_of(task, documents).get(Kind.REQUIREMENTS, "")
    return Brief(
        facts=facts,
        lines=lines,
        load=derive(facts, " ".join(lines)),
        signals=detect(lines),
        requirements=requirements_of(content),
    )
