"""Contract of design_recommendations, and of one pillar's section by itself."""

from __future__ import annotations

import re

from engine.contracts.base import (
    Code,
    ContractContext,
    Report,
    Submission,
    check_references,
    design_hosts,
    known_requirements,
    listed,
    official,
    quote,
    section_text,
)
from engine.deliverables import Pillar
from engine.documents import (
    REQUIREMENT_ID,
    bare_title,
    links,
    list_items,
    plain,
    requirement_references,
    sections,
)
from engine.markdown import has_content, without_colophon

MIN_RECOMMENDATIONS = 3
"""Concrete recommendations that each pillar must give."""

_CODE_SPAN = re.compile(r"`[^`]+`")


def design_recommendations(
    submission: Submission, context: ContractContext, report: Report
) -> None:
    """All six pillars, each as its own contract wants it."""
    known = known_requirements(context)
    check_references(submission.content, known, context, report)
    for pillar in Pillar:
        body = section_text(submission, pillar.heading)
        if body:
            _pillar(pillar, body, known, context, report)


def pillar_section(pillar: Pillar, content: str, context: ContractContext, report: Report) -> None:
    """One pillar's section as a pillar-advisor submits it, with or without its own heading."""
    body = pillar_body(pillar, content)
    for part in sections(body):
        if part.level <= 2:
            report.add(
                Code.HEADING_UNEXPECTED,
                f"'{'#' * part.level} {part.title}' stands inside the section of "
                f"'{pillar.heading}'; use list items, or headings from level 3.",
                part.title,
            )
    if not has_content(body):
        report.add(
            Code.EMPTY,
            f"nothing stands under '## {pillar.heading}'; give at least {MIN_RECOMMENDATIONS} "
            "concrete recommendations as list items.",
            pillar.heading,
        )
        return
    known = known_requirements(context)
    check_references(body, known, context, report)
    _pillar(pillar, body, known, context, report)


def pillar_body(pillar: Pillar, content: str) -> str:
    """The section without the pillar's own heading, should it begin with that, and colophon."""
    text = without_colophon(content).strip("\n")
    found = sections(text)
    if found and found[0].line == 1 and bare_title(found[0].title) == bare_title(pillar.heading):
        return text.partition("\n")[2].strip("\n")
    return text


def _pillar(
    pillar: Pillar, body: str, known: frozenset[str], context: ContractContext, report: Report
) -> None:
    title = pillar.heading
    items = list_items(body)
    if len(items) < MIN_RECOMMENDATIONS:
        report.add(
            Code.TOO_FEW_RECOMMENDATIONS,
            f"'{title}' has {len(items)} list items; give at least {MIN_RECOMMENDATIONS} "
            "recommendations, one list item each.",
            title,
        )
    else:
        vague = [item for item in items if not _concrete(item, context)]
        if len(items) - len(vague) < MIN_RECOMMENDATIONS:
            examples = ", ".join(quote(item) for item in vague[:3])
            report.add(
                Code.NOT_CONCRETE,
                f"'{title}' has fewer than {MIN_RECOMMENDATIONS} concrete recommendations; give a "
                f"figure, a setting in `code` or a product's feature instead of {examples}.",
                title,
            )
    if not any(i in known for i in requirement_references(body)):
        report.add(
            Code.REQUIREMENT_NOT_NAMED,
            f"'{title}' names no requirement; say which one each recommendation serves, such as "
            f"{listed(sorted(known), 3)}.",
            title,
        )
    if not official(links(body), context.docs_hosts):
        report.add(
            Code.CITATION_MISSING,
            f"'{title}' has no citation; add a link [title](https://…) to official documentation "
            f"({listed(design_hosts(context.docs_hosts))}).",
            title,
        )


def _concrete(item: str, context: ContractContext) -> bool:
    """Whether a recommendation has a figure, a setting or a product in it."""
    if _CODE_SPAN.search(item):
        return True
    text = REQUIREMENT_ID.sub("", plain(item))
    return any(char.isdigit() for char in text) or bool(context.catalogue.mentions(text))
