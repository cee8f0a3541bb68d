"""Functional and non-functional requirements as numbered items, and the table of figures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agents.offline.facts import Facts, Figure, Measure, Workload
from agents.offline.reading.compliance import names_in
from agents.offline.reading.estate import systems
from agents.offline.reading.values import value_text
from agents.offline.requirements_estimates import derived_text, estimate_text
from agents.offline.requirements_statements import (
    clause_of,
    constraint_text,
    demands_place,
    joined,
    lead_of,
    main_function,
    need_text,
    quoted,
    sentence,
    shown,
)

_AREAS = ("SEC", "REL", "PERF", "COST", "OPS", "SUS")


_AREA_OF = {
    Measure.BUDGET: "COST", Measure.TEAM: "OPS", Measure.AVAILABILITY: "REL", Measure.RTO: "REL",
    Measure.RPO: "REL", Measure.RETENTION: "SEC", Measure.DEADLINE: "OPS",
}  # fmt: skip


_GENERIC = ("requests", "calls", "queries", "hits", "anfragen", "requêtes", "peticiones")


_SPAN = re.compile(r"\d.*(?:-|–|\bto\b|\band\b|\bbis\b|\bà\b|\ba\b).*\d")
_FEW = re.compile(r"\bonly (?:\d|one|two|three)|may see|\bpilot\b|\bnur \d", re.IGNORECASE)


_MACHINES = (
    "machines",
    "servers",
    "vms",
    "instances",
    "hosts",
    "server",
    "virtual machines",
    "cluster",
)


@dataclass(slots=True)
class _Numbered:
    """Non-functional requirements by area, numbered as they come."""

    lines: dict[str, list[str]] = field(default_factory=lambda: {a: [] for a in _AREAS})

    def add(self, area: str, text: str) -> str:
        """Append a statement and return its id."""
        where = self.lines[area if area in self.lines else "OPS"]
        where.append(text)
        return f"NFR-{area}-{len(where)}"

    def items(self) -> list[str]:
        """List items in the order of areas."""
        return [
            f"- **NFR-{area}-{number}**: {text}"
            for area, texts in self.lines.items()
            for number, text in enumerate(texts, 1)
        ]


def _functions(facts: Facts) -> list[tuple[str, str]]:
    """Functional requirements in order: the text, and the sentence of the request or ""."""
    found = [(need_text(n), n.text) for n in facts.needs]
    rates = [f for f in facts.figures if f.measure is Measure.THROUGHPUT and not f.current]
    named = {n.text for n in facts.needs}
    unsaid = (
        bool(rates)
        and Workload.WEB_API in facts.workloads
        and not any(f.sentence in named for f in rates)
    )
    plain_word = bool(rates) and rates[0].subject.lower() in _GENERIC
    wish_only = facts.workloads[0] is Workload.STATIC_SITE and len(found) == 1
    if not found or wish_only or (unsaid and not plain_word):
        found.insert(0, (main_function(facts), ""))
    return found


def functional(facts: Facts) -> str:
    """The functional requirements as list items."""
    return "\n".join(f"- **FR-{i}**: {text}" for i, (text, _) in enumerate(_functions(facts), 1))


def non_functional(facts: Facts, numbers: dict[Measure, int]) -> str:
    """The rest as list items by area, and the figures; ``numbers`` are those of assumptions."""
    nfr = _Numbered()
    for constraint in facts.constraints:
        nfr.add(constraint.area, constraint_text(constraint, facts))
    _from_elsewhere(facts, nfr)
    _rules(facts, nfr)
    _move(facts, nfr)
    for estimate in facts.estimates:
        if estimate.derived:
            nfr.add(*derived_text(estimate))
        else:
            area, statement = estimate_text(estimate)
            nfr.add(area, f"{statement} (assumed, see A-{numbers[estimate.figure.measure]}).")
    _baseline(facts, nfr)
    return "\n".join(nfr.items()) + "\n\n" + _figures(facts)


def _from_elsewhere(facts: Facts, nfr: _Numbered) -> None:
    """Demands of figures that stand in sentences about functions or the current state."""
    done = {c.text: c.area for c in facts.constraints}
    functions = {source: f"FR-{i}" for i, (_, source) in enumerate(_functions(facts), 1) if source}
    by_sentence: dict[tuple[str, str], list[Figure]] = {}
    for figure in facts.figures:
        area = _AREA_OF.get(figure.measure, "PERF")
        told = done.get(figure.sentence)
        aside = told is not None and (
            told == area
            or figure.measure in (Measure.ITEMS, Measure.ITEM_SIZE, Measure.GROWTH)
            or _FEW.search(figure.sentence)
        )
        portrait = figure.sentence in facts.context and figure.measure is Measure.ITEMS
        if figure.sentence and not (aside or portrait) and not figure.current:
            by_sentence.setdefault((figure.sentence, area), []).append(figure)
    for (text, area), own in by_sentence.items():
        lead = lead_of(own, facts, text, area)
        if lead:
            where = f" ({functions[text]})" if text in functions else ""
            nfr.add(
                area, f"{sentence('; '.join(lead))[:-1]}{where}: {quoted(clause_of(text, own))}"
            )


def _rules(facts: Facts, nfr: _Numbered) -> None:
    """Laws and norms, and places, where no constraint sentence carries them already."""
    said = " ".join(c.text for c in facts.constraints)
    silent = [n for n in facts.compliance if n not in names_in(said)]
    for name in silent:
        source = next((n.text for n in facts.needs if name in names_in(n.text)), "")
        because = f": {quoted(source)}" if source else ", which the request names."
        nfr.add("SEC", f"Meet {name} and be able to show it for the {facts.title}{because}")
    for text in facts.locations_text:
        if text not in said and facts.regions and demands_place(text):
            nfr.add("SEC", f"Keep data and processing in {joined(facts.regions)}: {quoted(text)}")


def _move(facts: Facts, nfr: _Numbered) -> None:
    """What has to be moved, and by when, where something exists."""
    if Workload.MIGRATION not in facts.workloads:
        return
    machines = [f for f in facts.figures if f.measure is Measure.COMPUTE and f.unit in _MACHINES][
        :2
    ]
    volumes = [f for f in facts.figures if f.measure is Measure.DATA_VOLUME][:1]
    names = list(dict.fromkeys(n for text in facts.current_state for n in systems(text)))[:4]
    parts = [f.text for f in machines]
    parts += [f"{f.text} of data" for f in volumes]
    when = next((f for f in facts.figures if f.measure is Measure.DEADLINE), None)
    if names or parts:
        from_what = f" from {joined(names)}" if names else ""
        by = f"; the date is {when.text}" if when else ""
        nfr.add(
            "OPS",
            f"Move {joined(parts) or f'the {facts.title}'}{from_what} with a rehearsal and a way "
            f"back{by}.",
        )


def _baseline(facts: Facts, nfr: _Numbered) -> None:
    """At least one requirement for each area, from the facts of this request."""
    title = facts.title
    people = next((f.text for f in facts.figures if f.measure is Measure.USERS), "its users")
    if not nfr.lines["SEC"]:
        nfr.add(
            "SEC",
            f"Serve the {title} over HTTPS only, with no key or password in code."
            if facts.public_access
            else f"Let {people} reach only what they need of the {title}; no key or password in "
            "code.",
        )
    if not nfr.lines["REL"]:
        nfr.add("REL", f"Keep a copy of what the {title} holds where its failure does not reach.")
    if not nfr.lines["PERF"]:
        nfr.add("PERF", f"Serve {people} of the {title} without a wait that they notice.")
    if not nfr.lines["OPS"]:
        nfr.add("OPS", f"Run the {title} without routine work by hand, from code that is reviewed.")
    if not nfr.lines["COST"]:
        nfr.add(
            "COST", f"Report the cost of the {title} by part each month and warn before it rises."
        )
    if not nfr.lines["SUS"]:
        nfr.add("SUS", _idle(facts))


def _idle(facts: Facts) -> str:
    rates = [f for f in facts.figures if f.measure is Measure.THROUGHPUT and not f.current]
    low = next((f for f in rates if not f.peak), None)
    high = next((f for f in rates if f.peak), None)
    if low and high:
        return (
            f"Follow the load between {low.text} and {shown(high)} instead of standing ready for "
            "the "
            f"peak all year, so that the {facts.title} uses no more energy than it needs."
        )
    clock = next((f for f in facts.figures if f.unit == "clock" and _SPAN.search(f.text)), None)
    if clock:
        return f"Release what the {facts.title} does not need outside its busy time ({clock.text})."
    devices = next((f for f in facts.figures if f.measure is Measure.DEVICES), None)
    if devices:
        return (
            f"Let capacity follow the number of {devices.unit or 'devices'} that report, up to "
            f"{shown(devices)}."
        )
    volume = next((f for f in facts.figures if f.measure is Measure.DATA_VOLUME), None)
    if volume:
        return (
            f"Keep no more copies of the {shown(volume)} of {facts.title} than recovery needs, and "
            "move what is cold to colder storage."
        )
    return f"Hold no capacity for the {facts.title} while nobody uses it."


def _figures(facts: Facts) -> str:
    rows = [
        "Figures of the request as written, with what they were read as:",
        "",
        "| ID | Figure | Measure | Value | Applies to | Source |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    stated = len(facts.figures)
    entries: list[tuple[Figure, str]] = [(f, _source(f)) for f in facts.figures]
    entries += [
        (
            e.figure,
            f"{'derived' if e.derived else 'assumed'}{', peak' if e.figure.peak else ''}: "
            f"{e.basis}",
        )
        for e in facts.estimates
    ]
    for number, (figure, source) in enumerate(entries, 1):
        cells = (
            f"F-{number}", figure.text, figure.measure.value,
            _exact(figure, digits=12 if number <= stated else 6),
            figure.subject or "–", source,
        )  # fmt: skip
        rows.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    if not entries:
        return (
            f"The request on {quoted(facts.title)} contains no figure; all sizes stand under "
            "Assumptions."
        )
    return "\n".join(rows)


def _source(figure: Figure) -> str:
    marks = [m for m, on in (("peak", figure.peak), ("today", figure.current)) if on]
    return ", ".join(["request", *marks])


def _exact(figure: Figure, *, digits: int) -> str:
    if figure.value is None:
        return f"– {figure.unit}".strip()
    return value_text(figure.value, figure.unit, digits)
