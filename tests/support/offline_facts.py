"""Facts by hand, and the requirements Deliverable that they stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from agents.offline.facts import Constraint, Facts, Figure, Measure, Need, Workload

MIN, HOUR, DAY, YEAR = 60.0, 3600.0, 86_400.0, 31_536_000.0
KB, MB, GB, TB = 1e3, 1e6, 1e9, 1e12

M = Measure


W = Workload


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True)
class Case:
    """A request, its Facts, and the requirements Deliverable made of them."""

    name: str
    request: str
    facts: Facts

    @property
    def requirements(self) -> str:
        """The requirements Deliverable."""
        return requirements_text(self.facts)


def fig(
    text: str,
    measure: Measure,
    value: float | None = None,
    *,
    unit: str = "",
    subject: str = "",
    sentence: str = "",
    peak: bool = False,
    current: bool = False,
) -> Figure:
    """A Figure in one line."""
    return Figure(
        text=text,
        measure=measure,
        value=value,
        unit=unit,
        subject=subject,
        sentence=sentence,
        peak=peak,
        current=current,
    )


def requirements_text(facts: Facts) -> str:
    """A requirements Deliverable of these Facts in the format of the contract."""
    functional = [f"- **FR-{n}**: {need.text}" for n, need in enumerate(facts.needs, 1)]
    areas: dict[str, int] = {}
    other: list[str] = []

    def add(area: str, text: str) -> None:
        areas[area] = areas.get(area, 0) + 1
        other.append(f"- **NFR-{area}-{areas[area]}**: {text}")

    home = {
        M.THROUGHPUT: "PERF",
        M.LATENCY: "PERF",
        M.FRESHNESS: "PERF",
        M.AVAILABILITY: "REL",
        M.RTO: "REL",
        M.RPO: "REL",
        M.BUDGET: "COST",
        M.RETENTION: "SEC",
        M.TEAM: "OPS",
        M.DEADLINE: "OPS",
    }
    for figure in facts.figures:
        if figure.measure in home and not figure.current:
            add(
                home[figure.measure],
                f"{figure.measure.value.capitalize()}: {figure.text}"
                f"{' at peak' if figure.peak else ''}. {figure.sentence}",
            )
    for constraint in facts.constraints:
        add(constraint.area, constraint.text)
    for rule in facts.compliance:
        add("SEC", f"Compliance with {rule}.")
    if not other:
        add("OPS", f"The {facts.title} can be run by the team that has it.")
    state = [f"- {s}" for s in facts.current_state] or ["Nothing runs today."]
    depends = [f"- {s}" for s in facts.dependencies] or ["No other system is named."]
    return "\n".join(
        [
            "## Workload overview",
            "",
            facts.summary or facts.title,
            "",
            "## Functional requirements",
            "",
            *functional,
            "",
            "## Non-functional requirements",
            "",
            *other,
            "",
            "## Current state",
            "",
            *state,
            "",
            "## Dependencies",
            "",
            *depends,
            "",
            "## Assumptions",
            "",
            "- **A-1**: Working hours are those of the primary region.",
            "",
            "## Contradictions and open questions",
            "",
            "There are none.",
            "",
            "## Discovery gaps",
            "",
            "No cloud was read.",
            "",
        ]
    )


def example(name: str) -> str:
    """The text of a request under examples/."""
    return (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")


def _sentence(text: str, part: str) -> str:
    flat = " ".join(text.split())
    at = flat.find(" ".join(part.split()))
    if at < 0:
        return ""
    start = max((m.end() for m in re.finditer(r"[.!?:]\s", flat[:at])), default=0)
    end = next((m.start() + 1 for m in re.finditer(r"[.!?](?:\s|$)", flat[at:])), len(flat) - at)
    return flat[start : at + end]


def read(
    title: str,
    request: str,
    workloads: tuple[Workload, ...],
    figures: tuple[Figure, ...],
    needs: tuple[str, ...],
    **more: object,
) -> Facts:
    """Facts whose figures and needs carry the sentence of the request that they stand in."""
    placed = tuple(
        f if f.sentence else f.model_copy(update={"sentence": _sentence(request, f.text)})
        for f in figures
    )
    constraints = tuple(
        Constraint(area=a, text=t)
        for a, t in more.pop("rules", ())  # type: ignore[attr-defined]
    )
    return Facts.model_validate(
        dict(
            title=title,
            workloads=workloads,
            figures=placed,
            constraints=constraints,
            needs=tuple(Need(text=n) for n in needs),
            summary=more.pop("summary", ""),
            **more,
        )
    )
