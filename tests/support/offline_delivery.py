"""What the offline planner makes of a case after the architecture: pillars to validation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from agents.offline.deployment import draft_deployment
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.pillars import draft_pillar
from agents.offline.recommendations import draft_recommendations
from agents.offline.requirements import facts_from_requirements
from agents.offline.validation import draft_validation
from agents.runtime import AgentTask, Answer, Attachment
from agents.tools.checkers import prepare_checkers
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_schema import iac_schema_check
from engine.contracts import ContractContext, File, Submission, allow_public, check, check_pillar
from engine.deliverables import Kind, Pillar
from tests.support.offline_cases import BY_NAME, bundle, drafted

Results = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Delivery:
    """The Deliverables of a case that follow from its architecture."""

    request: str
    facts: Facts
    documents: Mapping[Kind, str]
    pillars: Mapping[Pillar, str]
    recommendations: Draft
    deployment: Draft
    results: Results
    validation: Draft


def run_of(
    request: str,
    kind: Kind,
    *,
    feedback: tuple[str, ...] = (),
    answers: tuple[str, ...] = (),
    interactive: bool = False,
) -> AgentTask:
    """An AgentTask of one of these Specialists."""
    return AgentTask(
        execution_id="e-1",
        run="r-1",
        request=request,
        interactive=interactive,
        deliverable=kind.value,
        feedback=feedback,
        answers=tuple(Answer(question="", answer=a) for a in answers),
    )


def checked(files: tuple[Attachment, ...], public: bool) -> Results:
    """What the two checks that need no terraform say."""
    schema = iac_schema_check(files)
    policy = iac_policy_check(files, allow_public=public)
    return {
        "iac_schema_check": {
            "passed": schema.passed,
            "engine": schema.engine,
            "blocks_checked": schema.blocks_checked,
            "findings": [f.model_dump(mode="json") for f in schema.findings],
        },
        "iac_policy_check": {
            "passed": policy.passed,
            "engine": policy.engine,
            "rules_run": policy.rules_run,
            "findings": [
                {"rule": f.rule, "severity": f.severity.value, "message": f.message}
                for f in policy.findings
            ],
        },
    }


def deliver(
    request: str,
    documents: Mapping[Kind, str],
    *,
    facts: Facts | None = None,
    feedback: tuple[str, ...] = (),
    answers: tuple[str, ...] = (),
) -> Delivery:
    """Write everything from the pillars on; facts come from the requirements unless given."""
    catalogue = bundle().catalogue
    at_hand = dict(documents)
    if facts is None:
        facts = facts_from_requirements(at_hand[Kind.REQUIREMENTS], request)

    def task(kind: Kind) -> AgentTask:
        return run_of(request, kind, feedback=feedback, answers=answers)

    kind = Kind.DESIGN_RECOMMENDATIONS
    pillars = {p: draft_pillar(task(kind), p, facts, at_hand, catalogue).content for p in Pillar}
    advice = draft_recommendations(task(kind), facts, at_hand, pillars, catalogue)
    at_hand[kind] = advice.content
    deployment = draft_deployment(task(Kind.DEPLOYMENT_GUIDANCE), facts, at_hand, catalogue)
    at_hand[Kind.DEPLOYMENT_GUIDANCE] = deployment.content
    results = checked(deployment.attachments, allow_public(at_hand[Kind.REQUIREMENTS], request))
    validation = draft_validation(
        run_of(request, Kind.VALIDATION_RESULTS), facts, at_hand, deployment.attachments, results
    )
    at_hand[Kind.VALIDATION_RESULTS] = validation.content
    return Delivery(request, facts, at_hand, pillars, advice, deployment, results, validation)


@cache
def delivered(name: str) -> Delivery:
    """The first delivery of a case."""
    case = BY_NAME[name]
    return deliver(case.request, drafted(name), facts=case.facts)


def again(name: str, *, feedback: tuple[str, ...] = (), answers: tuple[str, ...] = ()) -> Delivery:
    """A case delivered once more, with what a person said."""
    case = BY_NAME[name]
    return deliver(
        case.request, drafted(name), facts=case.facts, feedback=feedback, answers=answers
    )


def context(delivery: Delivery) -> ContractContext:
    """What the contracts read for this delivery."""
    drafts = {
        Kind.DESIGN_RECOMMENDATIONS: delivery.recommendations,
        Kind.DEPLOYMENT_GUIDANCE: delivery.deployment,
        Kind.VALIDATION_RESULTS: delivery.validation,
    }
    files = {
        kind: tuple(File(a.path, a.text) for a in draft.attachments)
        for kind, draft in drafts.items()
    }
    checkers = asyncio.run(prepare_checkers((), delivery.deployment.attachments))
    return ContractContext(
        request=delivery.request,
        dependencies={
            kind: Submission(kind, content, files.get(kind, ()))
            for kind, content in delivery.documents.items()
        },
        catalogue=bundle().catalogue,
        docs_hosts=bundle().docs_hosts,
        template="",
        checkers=checkers,
    )


def contract_problems(delivery: Delivery, kind: Kind) -> list[str]:
    """What the contract of a kind finds."""
    at_hand = context(delivery)
    return [p.message for p in check(at_hand.submission(kind), at_hand)]


def pillar_problems(delivery: Delivery, pillar: Pillar) -> list[str]:
    """What the contract of one pillar's section finds."""
    found = check_pillar(pillar, delivery.pillars[pillar], context(delivery))
    return [p.message for p in found]


def file_of(draft: Draft, path: str) -> str:
    """The text of one attachment."""
    return next(a.text for a in draft.attachments if a.path == path)


def terraform_text(draft: Draft) -> str:
    """All Terraform of a draft as one text."""
    return "\n".join(a.text for a in draft.attachments if a.path.endswith(".tf"))
