"""Contract of the Solution guide: the output template's headings over the approved contents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.contracts.base import Code, ContractContext, Report, Submission
from engine.deliverables import SPECS, Kind, Pillar
from engine.documents import Section, bare_title, normalise, section, sections
from engine.markdown import has_content, heading, lines, without_colophon


@dataclass(frozen=True, slots=True)
class GuidePart:
    """Which approved sections stand under a heading of the output template.

    ``title`` is the heading without its number; a heading that ends with these words is meant too,
    since a template may put its provider's name in front.
    """

    title: str
    kind: Kind
    headings: tuple[str, ...]


GUIDE_MAP: tuple[GuidePart, ...] = (
    GuidePart("Executive summary and workload overview", Kind.REQUIREMENTS, ("Workload overview",)),
    GuidePart(
        "Requirements and current state",
        Kind.REQUIREMENTS,
        ("Assumptions", "Contradictions and open questions", "Discovery gaps"),
    ),
    GuidePart("Functional requirements", Kind.REQUIREMENTS, ("Functional requirements",)),
    GuidePart("Non-functional requirements", Kind.REQUIREMENTS, ("Non-functional requirements",)),
    GuidePart("Current state", Kind.REQUIREMENTS, ("Current state",)),
    GuidePart("Dependencies", Kind.REQUIREMENTS, ("Dependencies",)),
    GuidePart(
        "Technical decomposition of the workload",
        Kind.TECHNICAL_DECOMPOSITION,
        SPECS[Kind.TECHNICAL_DECOMPOSITION].headings,
    ),
    GuidePart(
        "products and features mapping",
        Kind.PRODUCT_SELECTION,
        SPECS[Kind.PRODUCT_SELECTION].headings,
    ),
    GuidePart("Architecture diagram", Kind.ARCHITECTURE_DIAGRAM, ("Diagram",)),
    GuidePart(
        "Architecture description",
        Kind.ARCHITECTURE_DESCRIPTION,
        SPECS[Kind.ARCHITECTURE_DESCRIPTION].headings,
    ),
    *(
        GuidePart(pillar.heading, Kind.DESIGN_RECOMMENDATIONS, (pillar.heading,))
        for pillar in Pillar
    ),
    GuidePart("Deployment prerequisites", Kind.DEPLOYMENT_GUIDANCE, ("Prerequisites",)),
    GuidePart("Step-by-step deployment instructions", Kind.DEPLOYMENT_GUIDANCE, ("Steps",)),
    GuidePart("Validation plan", Kind.VALIDATION_RESULTS, SPECS[Kind.VALIDATION_RESULTS].headings),
)
"""What of the approved Deliverables the guide must hold unaltered, by heading of the template.

A section may stand anywhere under its heading, deeper headings included.
"""


@dataclass(frozen=True, slots=True)
class TemplateHeading:
    """A heading of the output template.

    ``key`` is what the guide's heading is compared with; where the template's has a
    ``[placeholder]`` it is ``open``, and ``key`` only what stands in front of that.
    """

    level: int
    title: str
    key: str
    open: bool
    part: GuidePart | None

    def matches(self, title: str) -> bool:
        """Whether a normalised heading of the guide is this one, its level aside."""
        if self.open:
            return title.startswith(self.key) and title != self.key
        return title == self.key

    @property
    def shown(self) -> str:
        """The heading as it is written."""
        return f"{'#' * self.level} {self.title}"


@lru_cache(maxsize=8)
def template_headings(template: str) -> tuple[TemplateHeading, ...]:
    """The headings of an output template, in order.

    A title with a ``[placeholder]`` is open: the guide puts something in its place.
    """
    result = []
    for part in sections(template):
        prefix, bracket, _ = part.title.partition("[")
        result.append(
            TemplateHeading(
                level=part.level,
                title=part.title,
                key=normalise(prefix),
                open=bool(bracket),
                part=_part(part.title),
            )
        )
    return tuple(result)


def _part(title: str) -> GuidePart | None:
    bare = bare_title(title)
    found = [
        part
        for part in GUIDE_MAP
        if bare == normalise(part.title) or bare.endswith(" " + normalise(part.title))
    ]
    return max(found, key=lambda part: len(part.title), default=None)


def solution_guide(submission: Submission, context: ContractContext, report: Report) -> None:
    """Every template heading in order and at its level, none empty, approved contents unaltered."""
    found = sections(without_colophon(submission.content))
    titled = [(normalise(part.title), part) for part in found]
    wanted = template_headings(context.template)
    placed = _in_order(wanted, titled, report)
    _no_others(wanted, titled, {part.line for part in placed.values()}, report)
    for want, part in placed.items():
        if not has_content(part.body):
            report.add(
                Code.HEADING_EMPTY,
                f"line {part.line}: nothing stands under '{want.shown}'; write its content"
                f"{_include_hint(want.part)}.",
                part.title,
            )
        elif want.part is not None:
            _unaltered(want, want.part, part, context, report)


def _include_hint(part: GuidePart | None) -> str:
    return f", such as {{{{include {part.kind}#{part.headings[0]}}}}}" if part else ""


def _no_others(
    wanted: Sequence[TemplateHeading],
    found: Sequence[tuple[str, Section]],
    placed: set[int],
    report: Report,
) -> None:
    """No other headings of the two highest levels, and none of the template's twice."""
    for title, part in found:
        if part.level > 2 or part.line in placed:
            continue
        same = [want for want in wanted if want.matches(title)]
        shown = f"'{'#' * part.level} {part.title}'"
        if not same:
            report.add(
                Code.HEADING_UNEXPECTED,
                f"line {part.line}: {shown} is no heading of the output template; make it a deeper "
                "heading, or remove it.",
                part.title,
            )
        elif any(want.level == part.level for want in same):
            report.add(
                Code.HEADING_REPEATED,
                f"line {part.line}: {shown} stands twice; put it all under one.",
                part.title,
            )


def _in_order(
    wanted: Sequence[TemplateHeading], found: Sequence[tuple[str, Section]], report: Report
) -> dict[TemplateHeading, Section]:
    """Each template heading with the guide's section, where that stands at its level."""
    placed: dict[TemplateHeading, Section] = {}
    for want in wanted:
        same = [part for title, part in found if want.matches(title)]
        right = next((part for part in same if part.level == want.level), None)
        if right is not None:
            placed[want] = right
        elif same:
            report.add(
                Code.HEADING_LEVEL,
                f"line {same[0].line}: '{same[0].title}' is a level-{same[0].level} heading; make "
                f"it '{want.shown}'.",
                want.title,
            )
        elif want.open:
            report.add(
                Code.TITLE,
                f"the title is missing; begin with '{want.shown}' and put the name of the "
                "workload in the brackets' place.",
                want.title,
            )
        else:
            report.add(
                Code.HEADING_MISSING,
                f"heading '{want.shown}' is missing; add it where the output template has it"
                f"{_include_hint(want.part)}.",
                want.title,
            )
    kept = _longest_rise([part.line for part in placed.values()])
    for want, part in placed.items():
        if part.line not in kept:
            report.add(
                Code.HEADING_ORDER,
                f"line {part.line}: '{want.shown}' stands out of order; keep the order of the "
                "output template.",
                want.title,
            )
    return placed


def _longest_rise(numbers: Sequence[int]) -> set[int]:
    """A longest rising subsequence: what need not move for all to be in order."""
    best: list[list[int]] = []  # the rise of each length that ends lowest
    for number in numbers:
        length = bisect_left([rise[-1] for rise in best], number)
        rise = [*(best[length - 1] if length else ()), number]
        best[length : length + 1] = [rise]
    return set(best[-1]) if best else set()


def _unaltered(
    want: TemplateHeading,
    part: GuidePart,
    found: Section,
    context: ContractContext,
    report: Report,
) -> None:
    held = comparable(found.body)
    for title in part.headings:
        approved = section(context.content(part.kind), title)
        if approved is not None and comparable(approved.body) not in held:
            report.add(
                Code.CONTENT_ALTERED,
                f"'{want.shown}' does not hold '{title}' of {part.kind} as it was approved; put "
                f"the line {{{{include {part.kind}#{title}}}}} there instead of your own words.",
                want.title,
            )


def comparable(body: str) -> str:
    """A body for comparison: heading levels, blank lines and line ends do not matter."""
    kept = []
    for line in lines(body):
        text = line.text.rstrip()
        head = heading(text) if line.prose else None
        if head is not None:
            text = head[1]
        if text:
            kept.append(text)
    return "\n" + "\n".join(kept) + "\n"
