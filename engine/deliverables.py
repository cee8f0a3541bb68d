"""The dependency graph, declared once as data (SPEC: Deliverables and the dependency graph).

Every list, prompt, card and test of the project derives from this module.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """The four Phases, in order."""

    REQUIREMENTS_DISCOVERY = "requirements_discovery"
    SOLUTION_ARCHITECTURE = "solution_architecture"
    SOLUTION_VALIDATION = "solution_validation"
    PACKAGING = "packaging"

    @property
    def number(self) -> int:
        """Position from 1 to 4."""
        return list(Phase).index(self) + 1


class Kind(StrEnum):
    """The nine Deliverables."""

    REQUIREMENTS = "requirements"
    TECHNICAL_DECOMPOSITION = "technical_decomposition"
    PRODUCT_SELECTION = "product_selection"
    ARCHITECTURE_DIAGRAM = "architecture_diagram"
    ARCHITECTURE_DESCRIPTION = "architecture_description"
    DESIGN_RECOMMENDATIONS = "design_recommendations"
    DEPLOYMENT_GUIDANCE = "deployment_guidance"
    VALIDATION_RESULTS = "validation_results"
    SOLUTION_GUIDE = "solution_guide"


class Pillar(StrEnum):
    """The six Well-Architected pillars; the value ends the name of the pillar's Skill."""

    SECURITY = "security"
    RELIABILITY = "reliability"
    OPERATIONAL_EXCELLENCE = "operational-excellence"
    COST_OPTIMIZATION = "cost-optimization"
    PERFORMANCE_OPTIMIZATION = "performance-optimization"
    SUSTAINABILITY = "sustainability"

    @property
    def heading(self) -> str:
        """The heading of this pillar in design_recommendations and in the Solution guide."""
        return _PILLAR_HEADINGS[self]


_PILLAR_HEADINGS = {
    Pillar.SECURITY: "Security, privacy, and compliance",
    Pillar.RELIABILITY: "Reliability",
    Pillar.OPERATIONAL_EXCELLENCE: "Operational excellence",
    Pillar.COST_OPTIMIZATION: "Cost optimization",
    Pillar.PERFORMANCE_OPTIMIZATION: "Performance efficiency",
    Pillar.SUSTAINABILITY: "Sustainability",
}


@dataclass(frozen=True, slots=True)
class DeliverableSpec:
    """One node of the graph.

    ``headings`` are the level-2 headings that a submission must have, in any order (the Solution
    guide takes its headings from the output template instead, so it declares none here).
    ``attachments`` are the paths that must come with it.
    """

    kind: Kind
    phase: Phase
    role: str
    upstream_task: str
    depends_on: tuple[Kind, ...]
    headings: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The kind as words, for people: ``Product selection``."""
        return self.kind.value.replace("_", " ").capitalize()


GRAPH: tuple[DeliverableSpec, ...] = (
    DeliverableSpec(
        Kind.REQUIREMENTS,
        Phase.REQUIREMENTS_DISCOVERY,
        "requirements-analyst",
        "1.1",
        (),
        (
            "Workload overview",
            "Functional requirements",
            "Non-functional requirements",
            "Current state",
            "Dependencies",
            "Assumptions",
            "Contradictions and open questions",
            "Discovery gaps",
        ),
    ),
    DeliverableSpec(
        Kind.TECHNICAL_DECOMPOSITION,
        Phase.REQUIREMENTS_DISCOVERY,
        "decomposer",
        "1.3",
        (Kind.REQUIREMENTS,),
        ("Overview", "Components", "Interfaces and flows"),
    ),
    DeliverableSpec(
        Kind.PRODUCT_SELECTION,
        Phase.SOLUTION_ARCHITECTURE,
        "product-selector",
        "2.1",
        (Kind.TECHNICAL_DECOMPOSITION,),
        ("Product mapping", "Trade-offs"),
    ),
    DeliverableSpec(
        Kind.ARCHITECTURE_DIAGRAM,
        Phase.SOLUTION_ARCHITECTURE,
        "diagrammer",
        "2.2",
        (Kind.PRODUCT_SELECTION,),
        ("Diagram",),
    ),
    DeliverableSpec(
        Kind.ARCHITECTURE_DESCRIPTION,
        Phase.SOLUTION_ARCHITECTURE,
        "describer",
        "2.3",
        (Kind.ARCHITECTURE_DIAGRAM, Kind.PRODUCT_SELECTION),
        ("Components", "Data flow", "Control flow"),
    ),
    DeliverableSpec(
        Kind.DESIGN_RECOMMENDATIONS,
        Phase.SOLUTION_ARCHITECTURE,
        "design-advisor",
        "2.4",
        (Kind.PRODUCT_SELECTION, Kind.REQUIREMENTS),
        tuple(pillar.heading for pillar in Pillar),
    ),
    DeliverableSpec(
        Kind.DEPLOYMENT_GUIDANCE,
        Phase.SOLUTION_ARCHITECTURE,
        "iac-author",
        "2.5",
        (Kind.PRODUCT_SELECTION, Kind.DESIGN_RECOMMENDATIONS),
        ("Prerequisites", "Steps"),
        ("terraform/main.tf", "terraform/variables.tf"),
    ),
    DeliverableSpec(
        Kind.VALIDATION_RESULTS,
        Phase.SOLUTION_VALIDATION,
        "validator",
        "3.1",
        (Kind.DEPLOYMENT_GUIDANCE,),
        ("Checks run", "Findings", "Verdict", "Validation plan"),
        ("validation.json",),
    ),
    DeliverableSpec(
        Kind.SOLUTION_GUIDE,
        Phase.PACKAGING,
        "packager",
        "4",
        # The guide quotes the diagram and the description, which validation does not read: without
        # these two edges a reopened diagram would leave a finished guide that shows the old one.
        (Kind.VALIDATION_RESULTS, Kind.ARCHITECTURE_DIAGRAM, Kind.ARCHITECTURE_DESCRIPTION),
    ),
)

SPECS: dict[Kind, DeliverableSpec] = {spec.kind: spec for spec in GRAPH}
PHASE_KINDS: dict[Phase, tuple[Kind, ...]] = {
    phase: tuple(spec.kind for spec in GRAPH if spec.phase is phase) for phase in Phase
}

ORCHESTRATOR = "orchestrator"
PILLAR_ADVISOR = "pillar-advisor"
ROLES: tuple[str, ...] = (ORCHESTRATOR, *(spec.role for spec in GRAPH), PILLAR_ADVISOR)


def _closure(step: dict[Kind, tuple[Kind, ...]]) -> dict[Kind, tuple[Kind, ...]]:
    """Everything that can be reached from each kind by ``step``, in the order of GRAPH."""
    reached: dict[Kind, tuple[Kind, ...]] = {}
    for start in step:
        seen: set[Kind] = set()
        todo = list(step[start])
        while todo:
            kind = todo.pop()
            if kind not in seen:
                seen.add(kind)
                todo.extend(step[kind])
        reached[start] = tuple(spec.kind for spec in GRAPH if spec.kind in seen)
    return reached


ANCESTORS: dict[Kind, tuple[Kind, ...]] = _closure({s.kind: s.depends_on for s in GRAPH})
"""Every Deliverable that a kind builds on, directly or not."""

DEPENDENTS: dict[Kind, tuple[Kind, ...]] = _closure(
    {s.kind: tuple(o.kind for o in GRAPH if s.kind in o.depends_on) for s in GRAPH}
)
"""Every Deliverable that builds on a kind, directly or not; a Revision takes these along."""


def fingerprint(graph: tuple[DeliverableSpec, ...] = GRAPH) -> str:
    """A short digest of what decides the order of work: kinds, Phases, roles and Dependencies."""
    text = ";".join(f"{s.kind}/{s.phase}/{s.role}/{','.join(s.depends_on)}" for s in graph)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


FINGERPRINT = fingerprint()
