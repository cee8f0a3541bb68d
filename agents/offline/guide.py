"""The offline planner as packager: the guide is the template's headings over include lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agents.offline.draft import Draft
from agents.offline.facts import Facts, Measure
from agents.runtime import AgentTask, Question
from engine.contracts import GuidePart, template_headings
from engine.deliverables import Kind
from engine.documents import links, parse_selection, section

MARKER = "_Drafted by the offline planner from the request's words; no language model was used._"
_KEY_MEASURES = (
    Measure.THROUGHPUT,
    Measure.USERS,
    Measure.DEVICES,
    Measure.DATA_VOLUME,
    Measure.LATENCY,
    Measure.AVAILABILITY,
    Measure.RTO,
    Measure.RPO,
    Measure.BUDGET,
    Measure.DEADLINE,
)


def draft_guide(
    task: AgentTask, facts: Facts, documents: Mapping[Kind, str], template: str
) -> Draft:
    """The Solution guide with include lines, which the code expands when it is submitted."""
    lines: list[str] = []
    for heading in template_headings(template):
        title = heading.title
        if heading.open:
            title = title.partition("[")[0] + facts.title
        lines += [f"{'#' * heading.level} {title}", ""]
        lines += _own_words(title, task, facts, documents)
        if heading.part is not None:
            lines += _includes(heading.part)
    lines += [MARKER, ""]
    content = "\n".join(lines)
    questions = () if task.answers or not task.interactive else (_confirm(facts),)
    return Draft(content=content, questions=questions)


def _includes(part: GuidePart) -> list[str]:
    lines = []
    for number, heading in enumerate(part.headings):
        # What is not the heading's own namesake gets a label, so that a reader sees where it ends.
        if len(part.headings) > 1 and (number or heading not in part.title):
            lines += [f"**{heading}**", ""]
        lines += [f"{{{{include {part.kind.value}#{heading}}}}}", ""]
    return lines


def _own_words(
    title: str, task: AgentTask, facts: Facts, documents: Mapping[Kind, str]
) -> list[str]:
    bare = re.sub(r"^[\d.]+\s*", "", title)
    if bare.startswith("Executive summary"):
        return [*_summary(facts, documents), ""]
    if bare.startswith("Proposed solution architecture"):
        count = len({row.product for row in parse_selection(documents[Kind.PRODUCT_SELECTION])})
        return [f"{count} products carry {facts.title}; the diagram shows how they connect.", ""]
    if bare.startswith("Design and configuration"):
        return [
            f"What to set, and why, for {facts.title}: each point names the requirement it serves.",
            "",
        ]
    if bare.startswith("Deployment guidance"):
        return [*_deployment(facts), ""]
    if bare.startswith("References"):
        return [*_references(documents), ""]
    return []


def _summary(facts: Facts, documents: Mapping[Kind, str]) -> list[str]:
    rows = parse_selection(documents[Kind.PRODUCT_SELECTION])
    products = list(dict.fromkeys(row.product for row in rows))
    figures = list(
        dict.fromkeys(
            figure.text
            for measure in _KEY_MEASURES
            for figure in facts.figures
            if figure.measure is measure and not figure.current
        )
    )[:8]
    lines = [
        f"**What is proposed.** {facts.title} on {', '.join(products[:-1])} and {products[-1]}."
        if len(products) > 1
        else f"**What is proposed.** {facts.title} on {products[0]}."
    ]
    if figures:
        lines += ["", f"**What it is built for.** {'; '.join(figures)}."]
    places = ", ".join(facts.regions)
    if places or facts.compliance:
        where = f"It runs in {places}." if places else ""
        law = f" It is designed under {', '.join(facts.compliance)}." if facts.compliance else ""
        lines += ["", f"**Where and under what rules.** {where}{law}".strip()]
    if waiting := _waiting(facts):
        lines += ["", f"**To be settled by you.** {waiting}"]
    lines += ["", f"**State of validation.** {_verdict(documents)}", "", "**The workload.**"]
    if _failed(documents):
        first = "**The validation failed: do not apply this Terraform before it is mended.**"
        lines = [f"{first} {_verdict(documents)}", "", *lines]
    return lines


def _waiting(facts: Facts) -> str:
    """What a person still has to decide, in one or two sentences; empty if nothing is."""
    parts = []
    count = len(facts.contradictions)
    if count:
        noun = "contradiction" if count == 1 else "contradictions"
        parts.append(f"{count} {noun} of the request, each with a proposal in section 2")
    assumed = sum(1 for e in facts.estimates if not e.derived)
    if assumed:
        noun = "figure is" if assumed == 1 else "figures are"
        parts.append(f"{assumed} {noun} assumed and to be confirmed, see section 2")
    return f"{'; '.join(parts)}." if parts else ""


def _failed(documents: Mapping[Kind, str]) -> bool:
    found = section(documents[Kind.VALIDATION_RESULTS], "Verdict")
    return found is not None and found.body.strip().startswith("Failed")


def _verdict(documents: Mapping[Kind, str]) -> str:
    found = section(documents[Kind.VALIDATION_RESULTS], "Verdict")
    if found is None:
        return "See section 7."
    first = re.split(r"(?<=[.!?])\s", found.body.strip(), maxsplit=1)[0]
    return f"{first} Section 7 lists every check."


def _deployment(facts: Facts) -> list[str]:
    lines = [
        "The Terraform lies in `terraform/` beside this guide. Nothing was deployed while it was "
        "made, and no project was changed; a person runs the steps."
    ]
    for ask in facts.forbidden_asks:
        lines += ["", f"The request says: “{ask}”. That is left to you: the steps below do it."]
    return lines


def _references(documents: Mapping[Kind, str]) -> list[str]:
    found: dict[str, str] = {}
    for content in documents.values():
        for link in links(content):
            if link.url.startswith("https://"):
                found.setdefault(link.url, link.text)
    return [f"* [{title}]({url})" for url, title in found.items()] or ["No page is cited."]


def _confirm(facts: Facts) -> Question:
    return Question(
        text=f"Is “{facts.title}” the right title for the guide?",
        why="It stands on the first page, and people will look for it by this name.",
        proposal=facts.title,
    )
