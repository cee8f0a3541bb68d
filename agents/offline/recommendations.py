"""Merges the six pillar sections into design_recommendations and settles what pulls both ways."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agents.offline.adjustments import visible
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.load import aim
from agents.offline.pillars.values import main_service, values_of
from agents.offline.pillars.writer import MARKER, pillar_text
from agents.offline.signals import Signal
from agents.offline.terraform.design import Design
from agents.offline.terraform.places import LOW_CARBON
from agents.offline.terraform.reading import design_of
from agents.offline.wording import listed
from agents.runtime import AgentTask, Question
from engine.deliverables import Kind, Pillar
from engine.markdown import without_colophon
from providers.catalogue import Catalogue

_HEADING = re.compile(r"^#{1,2}\s")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two pillars that ask for opposite things, and which one gives way here.

    ``home`` is the section at whose end it stands; ``other`` the pillar that disagrees.
    """

    home: Pillar
    other: Pillar
    text: str
    requirements: tuple[str, ...]


def draft_recommendations(
    task: AgentTask,
    facts: Facts,
    documents: Mapping[Kind, str],
    pillar_sections: Mapping[Pillar, str],
    catalogue: Catalogue,
) -> Draft:
    """All six sections under their headings, whole, with conflicts resolved at their ends.

    A section that is missing is written here from the same knowledge base, so that a failed
    branch does not lose a pillar.
    """
    design = design_of(task, facts, documents)
    conflicts = tuple(conflicts_of(design))
    parts: list[str] = []
    for pillar in Pillar:
        body = _body(pillar, pillar_sections.get(pillar, "")) or pillar_text(task, design, pillar)
        lines = [f"## {pillar.heading}", "", body]
        for conflict in conflicts:
            if conflict.home is pillar:
                ids = f" ({', '.join(conflict.requirements)})" if conflict.requirements else ""
                other = conflict.other.heading.split(",")[0].lower()
                lines.append(f"- **Against {other}**{ids}: {conflict.text}")
        parts.append("\n".join(lines))
    if task.answers or task.feedback:
        # The sections say what they changed; answers that concern none of them are kept here.
        said = "\n".join(parts)
        notes = [n for n in visible(design.adjust.changes) if n not in said]
        if notes:
            parts[-1] += "\n" + "\n".join(f"- {note}" for note in notes)
    content = "\n\n".join(parts) + f"\n\n{MARKER}\n"
    return Draft(content=content, questions=tuple(_questions(design)))


def _body(pillar: Pillar, section: str) -> str:
    """A section without its marker and without a heading that repeats the pillar's."""
    text = without_colophon(section).replace(MARKER, "").strip()
    lines = text.split("\n")
    while lines and (not lines[0].strip() or _HEADING.match(lines[0])):
        lines.pop(0)
    return "\n".join(lines).strip()


def conflicts_of(design: Design) -> Iterator[Conflict]:
    """Where pillars pull in opposite directions in this design, and how that is settled."""
    brief, load = design.brief, design.brief.load
    words = values_of(design)
    title, budget = words["title"], words.get("budget", "")
    cost = brief.ids_of(load.budget.figure) if load.budget else brief.ids_in("COST")[:1]
    rel = brief.ids_of(load.rto, load.rpo, load.availability)[:2] or brief.ids_in("REL")[:1]
    perf = brief.ids_of(design.size.latency) or brief.ids_in("PERF")[:1]
    if design.second_region:
        yield Conflict(
            Pillar.RELIABILITY,
            Pillar.COST_OPTIMIZATION,
            f"a copy of the {title} in {design.second_region} roughly doubles what data and "
            f"standby "
            f"cost{f', within {budget}' if budget else ''}. Settled for reliability, because "
            f"{_reason(words)} cannot be met from {design.region} alone; cost is served by keeping "
            "compute there at its minimum until a switch.",
            (*rel, *cost),
        )
    elif design.ha and budget:
        yield Conflict(
            Pillar.RELIABILITY,
            Pillar.COST_OPTIMIZATION,
            f"a standby in a second zone doubles the price of the {title}'s data stores within "
            f"{budget}. Settled for the standby and against a second region, since the request "
            f"asks for no more than {design.region} can keep.",
            (*rel, *cost),
        )
    elif not design.ha and not design.hosted:
        yield Conflict(
            Pillar.RELIABILITY,
            Pillar.COST_OPTIMIZATION,
            f"a standby would protect the {title} from the loss of a zone. Settled for cost: the "
            f"need is small, and {words['backups']} backups and a redeploy bring it back.",
            (*rel, *cost),
        )
    warm = main_service(design).warm.value
    slow = design.size.latency
    if slow and design.services:
        if warm:
            text = (
                f"{words['warm']} kept warm for {words['busiest']} cost money and energy while the "
                f"{title} is quiet. Settled for performance within {aim(slow)}, but only for "
                f"what callers wait for; "
                "everything behind a queue may start cold."
            )
        else:
            text = (
                f"without warm instances the first call to the {title} after a pause misses "
                f"{aim(slow)}. Settled for cost, since the pauses are long; a Revision that "
                "says 'minimum instances 1' turns it round."
            )
        yield Conflict(
            Pillar.PERFORMANCE_OPTIMIZATION, Pillar.COST_OPTIMIZATION, text, (*perf, *cost)
        )
    if design.audited:
        yield Conflict(
            Pillar.SECURITY,
            Pillar.COST_OPTIMIZATION,
            f"logging every read of the {title} for {words['log_days']} days is the largest part "
            f"of its log bill. Settled for security, because {words.get('rules') or 'auditors'} "
            "want it; health checks and public static files are exempt.",
            (*brief.ids_in("SEC")[:1], *cost),
        )
    if brief.has(Signal.IMMUTABLE) and brief.has(Signal.PERSONAL):
        yield Conflict(
            Pillar.SECURITY,
            Pillar.RELIABILITY,
            f"records of the {title} may not be deleted, and people may ask for deletion. "
            f"Settled by "
            "keeping personal fields apart from the locked record under a key per person that can "
            "be destroyed.",
            brief.ids_in("SEC")[:2],
        )
    if design.second_region or design.ha:
        clean = "is a low-carbon region" if design.region in LOW_CARBON else "is not"
        yield Conflict(
            Pillar.SUSTAINABILITY,
            Pillar.RELIABILITY,
            f"standby capacity of the {title} uses energy for nothing most of the year, and "
            f"{design.region} {clean}. Settled for reliability where a figure asks for it, and for "
            "sustainability everywhere else: no standby for test environments and batch work.",
            rel or brief.ids_in("SUS")[:1],
        )
    few = load.team is not None and load.team <= 4
    if load.rto and (few or brief.has(Signal.NO_ON_CALL)):
        yield Conflict(
            Pillar.OPERATIONAL_EXCELLENCE,
            Pillar.RELIABILITY,
            f"{aim(load.rto)} of recovery at night needs somebody who is awake, and the team of "
            f"the "
            f"{title} is small. Settled by automatic failover wherever the product has one; for "
            f"the "
            "rest the figure holds in working hours only, which the owner has to accept.",
            brief.ids_of(load.rto),
        )


def _reason(words: Mapping[str, str]) -> str:
    named = [
        f"{name} {words[key]}" for key, name in (("rto", "RTO"), ("rpo", "RPO")) if key in words
    ]
    if "availability" in words:
        named.append(words["availability"])
    return listed(named[:2]) or "the loss of a region"


def _questions(design: Design) -> Iterator[Question]:
    """What only the user can settle between pillars."""
    load, words = design.brief.load, values_of(design)
    title = words["title"]
    if design.second_region and design.budget_units:
        yield Question(
            text=f"If the second region in {design.second_region} does not fit into "
            f"{words['budget']}, which gives way first: the amount, or {_reason(words)}?",
            why=f"The copy roughly doubles data and standby of the {title}, and both are in "
            "the request.",
            proposal=f"Keep the second region in {design.second_region} with minimum compute, and "
            "report the amount after the first month.",
        )
    elif design.ha and design.has("cloud_sql", "alloydb", "bigtable", "memorystore"):
        yield Question(
            text=f"May a failure of one zone in {design.region} stop the {title} for hours if that "
            "halves the price of its data stores?",
            why="A standby in a second zone is included now; nothing else depends on it.",
            proposal="No: keep the standby (high availability).",
        )
    if not load.budget and not design.adjust.budget_amount:
        yield Question(
            text=f"Which monthly amount should warnings for the {title} be set to?",
            why="The request states none, and without one nobody hears of rising cost.",
            proposal="Set it after the first week to 4.3 times its bill plus a fifth.",
        )
