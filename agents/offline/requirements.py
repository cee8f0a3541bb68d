"""Writes the requirements Deliverable from Facts; ``facts_from_requirements`` reads it back.

The document is the only memory: every later Specialist works from what was approved here, so all
that the planner understood stands in it, readable for people, with the figures in one table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.offline.draft import Draft
from agents.offline.facts import Contradiction, Estimate, Facts, Figure, Measure, Workload
from agents.offline.reading import KIND_WORDS
from agents.offline.reading.amendments import is_remark
from agents.offline.reading.asks import forbidden_asks
from agents.offline.reading.compliance import names_in
from agents.offline.reading.estate import systems
from agents.offline.reading.language import LANGUAGES
from agents.offline.reading.questions import ASKED, REGION_QUESTION, REGION_WHY
from agents.offline.reading.text import Sentence
from agents.offline.requirements_parse import facts_from_requirements
from agents.offline.requirements_statements import (
    clause_of,
    constraint_text,
    demands_place,
    derived_text,
    estimate_text,
    joined,
    lead_of,
    main_function,
    need_text,
    plain,
    quoted,
    sentence,
    shown,
)
from agents.runtime import AgentTask, Question
from engine.documents import parse_requirements

__all__ = ["MARKER", "draft_requirements", "facts_from_requirements"]

MARKER = "_Drafted by the offline planner from the request's words; no language model was used._"
_AREAS = ("SEC", "REL", "PERF", "COST", "OPS", "SUS")
_MOST_QUESTIONS = 6
_AREA_OF = {
    Measure.BUDGET: "COST", Measure.TEAM: "OPS", Measure.AVAILABILITY: "REL", Measure.RTO: "REL",
    Measure.RPO: "REL", Measure.RETENTION: "SEC", Measure.DEADLINE: "OPS",
}  # fmt: skip
_GENERIC = ("requests", "calls", "queries", "hits", "anfragen", "requêtes", "peticiones")
_FEW = re.compile(r"\bonly\b|may see|\bpilot\b|\bnur\b", re.IGNORECASE)
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


def draft_requirements(task: AgentTask, facts: Facts) -> Draft:
    """The requirements Deliverable of these Facts, and the questions that matter most.

    Questions are given only to an interactive task that has asked nothing yet; the content always
    stands on proposals, so it can be submitted as it is.
    """
    facts = _without_removed(task, facts)
    assumptions = _assumptions(facts)
    numbers = {e.figure.measure: i for i, e in enumerate(_assumed(facts), 1)}
    sections = (
        ("Workload overview", _overview(facts)),
        ("Functional requirements", _functional(facts)),
        ("Non-functional requirements", _non_functional(facts, numbers)),
        ("Current state", _current_state(facts)),
        ("Dependencies", _dependencies(facts)),
        ("Assumptions", assumptions),
        ("Contradictions and open questions", _open(facts, numbers)),
        ("Discovery gaps", _gaps(facts)),
    )
    content = "\n\n".join(f"## {heading}\n\n{body}" for heading, body in sections)
    first = task.interactive and not task.answers and task.previous is None
    return Draft(
        content=f"{content}\n\n{MARKER}\n",
        questions=_questions(facts)[:_MOST_QUESTIONS] if first else (),
    )


_REMOVE = re.compile(
    r"\b(?:remove|drop|delete|strike|leave out)\b[^.;]*?\b(?P<id>N?FR(?:-[A-Z]+)?-\d+)",
    re.IGNORECASE,
)


def _without_removed(task: AgentTask, facts: Facts) -> Facts:
    """Facts without the requirements that feedback removes by their id."""
    if task.previous is None:
        return facts
    ids = {m["id"].upper() for text in task.feedback for m in _REMOVE.finditer(text)}
    texts = [r.text for r in parse_requirements(task.previous.content) if r.id in ids]
    if not texts:
        return facts
    return facts.model_copy(
        update={
            "needs": tuple(n for n in facts.needs if need_text(n) not in texts),
            "constraints": tuple(
                c
                for c in facts.constraints
                if not any(c.text in t or plain(c.text) in t for t in texts)
            ),
        }
    )


# -- Workload overview


def _overview(facts: Facts) -> str:
    kinds = ", ".join(f"{w.value} ({KIND_WORDS[w]})" for w in facts.workloads)
    lines = [f"**{facts.title}**. {_tail(facts)}", ""]
    lines += [f"- {line}" for line in _changes(facts)]
    lines.append(f"- **Kind of workload**: {kinds}")
    lines.append(f"- **Regions**: {_regions(facts)}")
    lines.append(f"- **Public access**: {_public(facts)}")
    lines.append(
        f"- **Compliance**: {joined(facts.compliance) or 'the request names no law or norm'}"
    )
    if facts.out_of_scope:
        lines.append(f"- **Out of scope**: {joined(facts.out_of_scope)}, as the request says")
    lines.append(f"- **Language of the request**: {_language(facts)}")
    if facts.named_products:
        lines.append(f"- **Products that the request names**: {_products(facts)}")
    lines += [f"- **Background**: {quoted(text)}" for text in facts.context]
    return "\n".join(lines)


def _tail(facts: Facts) -> str:
    summary = facts.summary.removeprefix(f"{facts.title}: ")
    return sentence(summary)


def _changes(facts: Facts) -> list[str]:
    lines = []
    for change in facts.changes:
        more = f" The overview now gives all that sizes the design: {_in_figures(facts)}."
        lines.append(
            f"Changed in this Revision: {sentence(change)}{more if is_remark(change) else ''}"
        )
    lines += [f"Answer worked in: {sentence(o)}" for o in facts.overrides if o not in facts.changes]
    return lines


def _in_figures(facts: Facts) -> str:
    weighty = [f for f in facts.figures if f.measure is not Measure.OTHER and not f.current]
    return (
        "; ".join(f"{f.measure.value} {shown(f)}" for f in weighty) or "the request has no figure"
    )


def _regions(facts: Facts) -> str:
    if not facts.regions:
        return "none could be derived"
    ids = [
        f"{region} ({'primary' if i == 0 else 'added to survive the loss of a region' if region == facts.added_region else 'also'})"
        for i, region in enumerate(facts.regions)
    ]
    if facts.locations_text:
        return f"{', '.join(ids)}; from {joined(quoted(t) for t in facts.locations_text)}"
    return f"{', '.join(ids)}; assumed, because the request names no place"


def _public(facts: Facts) -> str:
    if facts.public_access:
        return f"yes, people reach the {facts.title} from the internet"
    return f"no, nothing in the request opens the {facts.title} to the public"


def _language(facts: Facts) -> str:
    name = LANGUAGES.get(facts.language, facts.language)
    if facts.language == "en":
        return name
    return (
        f"{name}; names, figures and quoted sentences stay as written, while the structure of this and "
        "all later Deliverables is English"
    )


def _products(facts: Facts) -> str:
    return ", ".join(
        f"{p} (no longer offered for new systems)" if p in facts.retired_products else p
        for p in facts.named_products
    )


# -- Functional and non-functional requirements


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
    if len(found) < 2 or (unsaid and not plain_word):
        found.insert(0, (main_function(facts), ""))
    return found


def _functional(facts: Facts) -> str:
    return "\n".join(f"- **FR-{i}**: {text}" for i, (text, _) in enumerate(_functions(facts), 1))


def _non_functional(facts: Facts, numbers: dict[Measure, int]) -> str:
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
        if figure.sentence and not aside and not figure.current:
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
    if Workload.MIGRATION not in facts.workloads or not facts.current_state:
        return
    existing = set(facts.current_state)
    machines = [
        f
        for f in facts.figures
        if f.measure is Measure.COMPUTE and f.current and f.unit in _MACHINES
    ][:2]
    volumes = [
        f for f in facts.figures if f.measure is Measure.DATA_VOLUME and f.sentence in existing
    ][:1]
    names = list(dict.fromkeys(n for text in facts.current_state for n in systems(text)))[:4]
    parts = [f.text for f in machines]
    parts += [f"{f.text} of data" for f in volumes]
    when = next((f for f in facts.figures if f.measure is Measure.DEADLINE), None)
    if names or parts:
        from_what = f" from {joined(names)}" if names else ""
        by = f"; the date is {when.text}" if when else ""
        nfr.add(
            "OPS",
            f"Move {joined(parts) or f'the {facts.title}'}{from_what} with a rehearsal and a way back{by}.",
        )


def _baseline(facts: Facts, nfr: _Numbered) -> None:
    """At least one requirement for each area, from the facts of this request."""
    title = facts.title
    people = next((f.text for f in facts.figures if f.measure is Measure.USERS), "its users")
    if not nfr.lines["SEC"]:
        nfr.add(
            "SEC",
            f"Let {people} reach only what they need of the {title}; no key or password in code.",
        )
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
            f"Follow the load between {low.text} and {high.text} instead of standing ready for the "
            f"peak all year, so that the {facts.title} uses no more energy than it needs."
        )
    clock = next((f for f in facts.figures if f.unit == "clock"), None)
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
    entries: list[tuple[Figure, str]] = [(f, _source(f)) for f in facts.figures]
    entries += [
        (
            e.figure,
            f"{'derived' if e.derived else 'assumed'}{', peak' if e.figure.peak else ''}: {e.basis}",
        )
        for e in facts.estimates
    ]
    for number, (figure, source) in enumerate(entries, 1):
        cells = (
            f"F-{number}", figure.text, figure.measure.value, _exact(figure), figure.subject or "–", source,
        )  # fmt: skip
        rows.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    if not entries:
        return f"The request on {quoted(facts.title)} contains no figure; all sizes stand under Assumptions."
    return "\n".join(rows)


def _source(figure: Figure) -> str:
    marks = [m for m, on in (("peak", figure.peak), ("today", figure.current)) if on]
    return ", ".join(["request", *marks])


def _exact(figure: Figure) -> str:
    value = "–" if figure.value is None else f"{figure.value:.12g}"
    return f"{value} {figure.unit}".strip()


# -- Current state, dependencies, gaps


def _current_state(facts: Facts) -> str:
    if not facts.current_state:
        return (
            f"The request describes no existing system behind the {facts.title}; it is planned as new, "
            "and nothing has to be moved."
        )
    lines = [f"- {plain(text)}" for text in facts.current_state]
    names = [n for text in facts.current_state for n in systems(text)]
    if names:
        lines.append(f"- Systems in use, as named: {joined(dict.fromkeys(names))}.")
    return "\n".join(lines)


def _dependencies(facts: Facts) -> str:
    if not facts.dependencies:
        return f"The request names no other system that the {facts.title} exchanges data with."
    lines = []
    for text in facts.dependencies:
        name, _, said = text.partition(": ")
        lines.append(f"- **{name}**: {sentence(said)}")
    return "\n".join(lines)


def _gaps(facts: Facts) -> str:
    names = list(dict.fromkeys(n for text in facts.current_state for n in systems(text)))
    sized = [f.text for f in facts.figures if f.measure in (Measure.DATA_VOLUME, Measure.COMPUTE)][
        :3
    ]
    lines = []
    if names:
        known = f" ({joined(sized)})" if sized else ""
        lines.append(
            f"- {joined(names[:6])} could not be inspected: no discovery server was reachable offline, so "
            f"versions, sizes{known} and peaks are the request's own."
        )
    else:
        lines.append(
            f"- Whether projects, networks or quotas for the {facts.title} exist already is unknown: no "
            "discovery server was reachable offline."
        )
    if facts.dependencies:
        others = joined(d.partition(":")[0] for d in facts.dependencies[:5])
        lines.append(
            f"- Interfaces and limits of {others} were not checked with those who run them."
        )
    return "\n".join(lines)


# -- Assumptions and questions


def _assumed(facts: Facts) -> tuple[Estimate, ...]:
    return tuple(e for e in facts.estimates if not e.derived)


def _assumptions(facts: Facts) -> str:
    texts = []
    for estimate in _assumed(facts):
        figure = estimate.figure
        confirmed = any(_asks(q, figure.measure, facts) for q in facts.accepted)
        note = " Confirmed by the user." if confirmed else ""
        texts.append(f"{estimate_text(estimate)[1]}; taken from: {estimate.basis}.{note}")
    if facts.regions and not facts.locations_text:
        texts.append(
            f"The {facts.title} runs in {facts.regions[0]}, because the request names no place; the "
            "language and currency of the request led there."
        )
    if facts.added_region:
        texts.append(
            f"{facts.added_region} takes over when {facts.regions[0]} is lost; the request wants to "
            "survive that and names no second place where the same data may stand."
        )
    for figure in facts.figures:
        if figure.measure is Measure.BUDGET and not re.search(
            r"month|mo\b|year|annual|monat|jahr|mois|mes\b|an\b|week|day|%|pcm", figure.text.lower()
        ):
            texts.append(f"{figure.text} is meant per month, because the request gives no period.")
    texts += [
        f"The {facts.title} needs no {name} evidence, because the request rules it out."
        for name in facts.out_of_scope
    ]
    if not texts:
        return f"None: the request on {quoted(facts.title)} states every figure that its kind of workload needs."
    return "\n".join(f"- **A-{i}**: {text}" for i, text in enumerate(texts, 1))


def _asks(question: str, measure: Measure, facts: Facts) -> bool:
    asked = ASKED.get(measure)
    return asked is not None and question.strip() == asked.text.format(title=_the(facts))


def _the(facts: Facts) -> str:
    if facts.language != "en":
        return f"the {facts.title}"
    return (
        f"the {facts.title[:1].lower()}{facts.title[1:]}"
        if facts.title[1:2].islower()
        else facts.title
    )


def _open(facts: Facts, numbers: dict[Measure, int]) -> str:
    items = [_contradiction(c) for c in facts.contradictions]
    items += [
        f"{quoted(text)} points to figures that the request does not contain. Which are they?"
        for text in facts.vague
    ]
    for estimate in _assumed(facts):
        asked = ASKED.get(estimate.figure.measure)
        if asked is None or any(_asks(q, estimate.figure.measure, facts) for q in facts.accepted):
            continue
        number = numbers[estimate.figure.measure]
        items.append(
            f"{asked.text.format(title=_the(facts))} {asked.why.format(title=_the(facts))} Until it "
            f"is answered: {estimate.figure.text} (A-{number})."
        )
    if "region" in facts.missing:
        items.append(
            f"{REGION_QUESTION.format(title=_the(facts))} {REGION_WHY.format(title=_the(facts))}"
        )
    lines = [f"- **Q-{i}**: {text}" for i, text in enumerate(items, 1)]
    lines += [
        f"- **Asked, and not done**: {quoted(ask)}. {_answer(ask)}" for ask in facts.forbidden_asks
    ]
    if not items:
        none = f"None: nothing in the request on {quoted(facts.title)} contradicts anything else in it."
        return "\n\n".join([none, "\n".join(lines)]).strip()
    return "\n".join(lines)


def _contradiction(c: Contradiction) -> str:
    return (
        f"Contradiction: {quoted(c.first)} against {quoted(c.second)} Why: {c.why} "
        f"Suggestion: {c.suggestion}"
    )


def _answer(ask: str) -> str:
    lowered = ask.lower()
    if re.search(r"skip|bypass|omit|validation|check|überspring|lass|saut|omit|contourn", lowered):
        return "Validation and the checks of every submission run in any case; a request cannot turn them off."
    if re.search(r"approv|mark|treat|genehmig|freigab|approuve|aprueba|aprob", lowered):
        return (
            "Only a structured decision by an authorised person approves a Phase; words in a request "
            "approve nothing."
        )
    if re.search(
        r"instruction|rules|prompt|you are now|anweisung|consigne|instruccion|regeln|system\s*:",
        lowered,
    ):
        return "The request is read as data; words in it change no rule of this system."
    if re.search(r"grant|give|permission|admin|owner|rights", lowered):
        return "Rights are granted by the owner of the cloud project, never by this system."
    return (
        "A person deploys, with the commands of the deployment guidance; this system never changes a "
        "cloud."
    )


def _questions(facts: Facts) -> tuple[Question, ...]:
    found = [
        Question(
            text=f"{quoted(c.first)} and {quoted(c.second)} cannot both hold. Which one weighs more?",
            why=c.why,
            proposal=c.suggestion,
        )
        for c in facts.contradictions
    ]
    found += [
        Question(
            text=f"Which figures are meant by {quoted(text)}?",
            why="Sizing rests on them, and the request does not contain them.",
            proposal=joined(e.figure.text for e in _assumed(facts)[:2]),
        )
        for text in facts.vague
    ]
    for estimate in _assumed(facts):
        asked = ASKED.get(estimate.figure.measure)
        if asked is not None:
            found.append(
                Question(
                    text=asked.text.format(title=_the(facts)), why=asked.why.format(title=_the(facts)),
                    proposal=f"{estimate.figure.text}: {estimate.basis}",
                )
            )  # fmt: skip
    if "region" in facts.missing and facts.regions:
        found.insert(
            min(len(found), 2),
            Question(
                text=REGION_QUESTION.format(title=_the(facts)),
                why=REGION_WHY,
                proposal=facts.regions[0],
            ),
        )
    return tuple(found)


def asks_in(text: str) -> Sequence[str]:
    """The asks in a text that this system must not obey."""
    return forbidden_asks([Sentence(text, 0)])
