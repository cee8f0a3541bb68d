"""What a submission must contain, by kind (SPEC: Contracts).

``check`` is pure and reports every problem it finds, so that a Specialist can mend all of them in
one go. An empty result means that the submission may be recorded.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.contracts import architecture, deployment, discovery, form, guide, recommendations
from engine.contracts.base import (
    MAX_PROBLEMS,
    CatalogueLike,
    Checkers,
    Code,
    ContractContext,
    File,
    MentionLike,
    MissingDependency,
    Problem,
    ProductLike,
    Report,
    Submission,
    allow_public,
)
from engine.contracts.deployment import terraform_digest, terraform_files
from engine.contracts.form import MAX_TEXT_BYTES, MAX_TOTAL_BYTES
from engine.contracts.guide import GUIDE_MAP, GuidePart, template_headings
from engine.deliverables import SPECS, Kind, Pillar

__all__ = [
    "GUIDE_MAP",
    "MAX_PROBLEMS",
    "MAX_TEXT_BYTES",
    "MAX_TOTAL_BYTES",
    "CatalogueLike",
    "Checkers",
    "Code",
    "ContractContext",
    "File",
    "GuidePart",
    "MentionLike",
    "MissingDependency",
    "Problem",
    "ProductLike",
    "Submission",
    "allow_public",
    "check",
    "check_pillar",
    "template_headings",
    "terraform_digest",
    "terraform_files",
]

Rule = Callable[[Submission, ContractContext, Report], None]

RULES: dict[Kind, Rule] = {
    Kind.REQUIREMENTS: discovery.requirements,
    Kind.TECHNICAL_DECOMPOSITION: discovery.technical_decomposition,
    Kind.PRODUCT_SELECTION: architecture.product_selection,
    Kind.ARCHITECTURE_DIAGRAM: architecture.architecture_diagram,
    Kind.ARCHITECTURE_DESCRIPTION: architecture.architecture_description,
    Kind.DESIGN_RECOMMENDATIONS: recommendations.design_recommendations,
    Kind.DEPLOYMENT_GUIDANCE: deployment.deployment_guidance,
    Kind.VALIDATION_RESULTS: deployment.validation_results,
    Kind.SOLUTION_GUIDE: guide.solution_guide,
}


def check(submission: Submission, context: ContractContext) -> tuple[Problem, ...]:
    """Every problem of a submission, the first MAX_PROBLEMS in full; empty where it is accepted.

    A Solution guide is checked after its includes were expanded (``engine/guide.py``). Raises
    MissingDependency where the context lacks a Deliverable that the contract reads.
    """
    report = Report(submission.kind.value)
    if not _sound(submission, report):
        return report.result()
    form.required_attachments(submission, SPECS[submission.kind], report)
    if submission.kind is not Kind.SOLUTION_GUIDE:
        form.heading_problems(submission, report)
    RULES[submission.kind](submission, context, report)
    form.left_over_problems(submission, context, report)
    return report.result()


def check_pillar(pillar: Pillar, body: str, context: ContractContext) -> tuple[Problem, ...]:
    """Every problem of one pillar's section, given with or without its level-2 heading.

    Raises MissingDependency where the context lacks the requirements.
    """
    submission = Submission(Kind.DESIGN_RECOMMENDATIONS, body)
    report = Report(f"pillar {pillar.value}")
    if _sound(submission, report):
        recommendations.pillar_section(pillar, body, context, report)
        form.left_over_problems(submission, context, report)
    return report.result()


def _sound(submission: Submission, report: Report) -> bool:
    """Whether the texts can be stored at all; only then is it worth reading them."""
    sound = form.text_problems("the content", submission.content, report)
    sound = form.attachment_problems(submission.attachments, report) and sound
    form.total_size_problem(submission, report)
    if sound and not submission.content.strip():
        report.add(Code.EMPTY, "the content is empty; write the Deliverable and submit it.")
        return False
    return sound
