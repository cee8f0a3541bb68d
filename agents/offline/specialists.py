"""The offline planner as Specialist: read, load the Skills, draft, check, ask, submit."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.offline.decomposition import draft_decomposition
from agents.offline.deployment import draft_deployment
from agents.offline.description import draft_description
from agents.offline.diagram import draft_diagram
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.guide import draft_guide
from agents.offline.pillars import draft_pillar
from agents.offline.planner import Call, Move, Reply, Say, Script, refused
from agents.offline.reading import read
from agents.offline.recommendations import draft_recommendations
from agents.offline.requirements import draft_requirements, facts_from_requirements
from agents.offline.selection import draft_selection
from agents.offline.validation import draft_validation
from agents.runtime import AgentTask, Attachment
from engine.deliverables import ANCESTORS, Kind, Pillar
from engine.documents import mermaid_blocks
from providers.bundle import Bundle

_ARCHITECTURE = "google-cloud-solution-architecture"
_IAC = "iac-validation"

PARTS: Mapping[Kind, tuple[tuple[str, str], ...]] = {
    Kind.REQUIREMENTS: (
        (_ARCHITECTURE, "references/requirements-checklist.md"),
        (_ARCHITECTURE, "references/workload-patterns.md"),
    ),
    Kind.TECHNICAL_DECOMPOSITION: ((_ARCHITECTURE, "references/workload-patterns.md"),),
    Kind.PRODUCT_SELECTION: ((_ARCHITECTURE, "references/decision-making-guides.md"),),
    Kind.ARCHITECTURE_DIAGRAM: ((_ARCHITECTURE, ""),),
    Kind.ARCHITECTURE_DESCRIPTION: ((_ARCHITECTURE, "references/architecture-guides.md"),),
    Kind.DESIGN_RECOMMENDATIONS: ((_ARCHITECTURE, "references/best-practices-guides.md"),),
    Kind.DEPLOYMENT_GUIDANCE: ((_IAC, "references/policy-rules.md"),),
    Kind.VALIDATION_RESULTS: ((_IAC, "references/reading-results.md"),),
    Kind.SOLUTION_GUIDE: ((_ARCHITECTURE, "assets/output-template.md"),),
}
"""Which Skill and which part of it each Specialist reads first; the role files say the same."""

_CHECKS = ("terraform_validate", "iac_schema_check", "iac_policy_check")
Talk = Generator[Move, Reply, Any]


@dataclass(frozen=True)
class Specialists:
    """Scripts of all Specialists over one provider bundle."""

    bundle: Bundle

    def __call__(self, task: AgentTask) -> Script:
        """The script of one run."""
        kind = Kind(task.deliverable or "")
        if task.pillar is not None:
            return self._pillar(task, Pillar(task.pillar))
        return self._deliverable(task, kind)

    def _deliverable(self, task: AgentTask, kind: Kind) -> Script:
        parts = yield from _load_skills(PARTS[kind])
        documents = yield from _documents(task, kind)
        facts = self._facts(task, documents)
        draft = yield from self._draft(task, kind, facts, documents, parts)
        if draft is None:
            return
        first = not (task.answers or task.previous)
        if task.interactive and draft.questions and first:
            asked = [question.model_dump() for question in draft.questions]
            yield Call("needs_input", {"questions": asked})
            return
        yield from _submit(draft)

    def _pillar(self, task: AgentTask, pillar: Pillar) -> Script:
        yield from _load_skills(((f"google-cloud-waf-{pillar.value}", ""),))
        documents = yield from _documents(task, Kind.DESIGN_RECOMMENDATIONS)
        facts = self._facts(task, documents)
        yield from _submit(draft_pillar(task, pillar, facts, documents, self.bundle.catalogue))

    def _facts(self, task: AgentTask, documents: Mapping[Kind, str]) -> Facts:
        if Kind.REQUIREMENTS in documents:
            return facts_from_requirements(documents[Kind.REQUIREMENTS], task.request)
        return read(
            task.request,
            answers=task.answers,
            feedback=task.feedback,
            catalogue=self.bundle.catalogue,
            regions=self.bundle.regions,
        )

    def _draft(
        self,
        task: AgentTask,
        kind: Kind,
        facts: Facts,
        documents: Mapping[Kind, str],
        parts: Mapping[str, str],
    ) -> Talk:
        catalogue = self.bundle.catalogue
        match kind:
            case Kind.REQUIREMENTS:
                return draft_requirements(task, facts)
            case Kind.TECHNICAL_DECOMPOSITION:
                return draft_decomposition(task, facts, documents, catalogue)
            case Kind.PRODUCT_SELECTION:
                return draft_selection(task, facts, documents, catalogue)
            case Kind.ARCHITECTURE_DIAGRAM:
                draft = draft_diagram(task, facts, documents, catalogue)
                return (yield from _checked_diagram(draft))
            case Kind.ARCHITECTURE_DESCRIPTION:
                return draft_description(task, facts, documents, catalogue)
            case Kind.DESIGN_RECOMMENDATIONS:
                sections = {
                    Pillar(d.kind.removeprefix("pillar:")): d.content
                    for d in task.dependencies
                    if d.kind.startswith("pillar:")
                }
                return draft_recommendations(task, facts, documents, sections, catalogue)
            case Kind.DEPLOYMENT_GUIDANCE:
                draft = draft_deployment(task, facts, documents, catalogue)
                return (yield from _checked_terraform(draft))
            case Kind.VALIDATION_RESULTS:
                return (yield from _validated(task, facts, documents))
            case Kind.SOLUTION_GUIDE:
                template = parts[f"{_ARCHITECTURE}/assets/output-template.md"]
                return draft_guide(task, facts, documents, template)


def _load_skills(parts: tuple[tuple[str, str], ...]) -> Talk:
    """Load each Skill once, then the parts; what a Skill has not is empty."""
    texts: dict[str, str] = {}
    for name in dict.fromkeys(skill for skill, _ in parts):
        yield Call("load_skill", {"skill_name": name})
    for name, path in parts:
        if path:
            reply = yield Call("load_skill_resource", {"skill_name": name, "file_path": path})
            texts[f"{name}/{path}"] = str(reply.get("content", ""))
    return texts


def _documents(task: AgentTask, kind: Kind) -> Talk:
    """Every Deliverable that this one builds on: the direct ones are given, the rest is read."""
    given = {d.kind: d.content for d in task.dependencies}
    documents: dict[Kind, str] = {}
    for ancestor in ANCESTORS[kind]:
        if ancestor.value in given:
            documents[ancestor] = given[ancestor.value]
            continue
        reply = yield Call("read_deliverable", {"kind": ancestor.value})
        if refused(reply) is None:
            documents[ancestor] = str(reply["content"])
    return documents


def _submit(draft: Draft) -> Talk:
    args: dict[str, Any] = {"content": draft.content}
    if draft.attachments:
        args["attachments"] = [a.model_dump() for a in draft.attachments]
    reply = yield Call("submit_deliverable", args)
    if error := refused(reply):
        problems = "; ".join(str(p) for p in reply.get("problems", ()))
        yield Say(f"The offline planner cannot meet the contract. {error} {problems}".strip())


def _files(attachments: tuple[Attachment, ...]) -> list[dict[str, str]]:
    return [a.model_dump() for a in attachments if a.path.startswith("terraform/")]


def _checked_diagram(draft: Draft) -> Talk:
    blocks = mermaid_blocks(draft.content)
    yield Call("mermaid_check", {"diagram": blocks[0] if blocks else ""})
    return draft


def _checked_terraform(draft: Draft) -> Talk:
    """Take the formatted text where terraform knows better, then run the other checks."""
    reply = yield Call("terraform_fmt", {"files": _files(draft.attachments)})
    formatted = {f["path"]: f["text"] for f in reply.get("formatted", ())}
    if formatted:
        draft = draft.model_copy(
            update={
                "attachments": tuple(
                    Attachment(path=a.path, text=formatted.get(a.path, a.text))
                    for a in draft.attachments
                )
            }
        )
    for check in _CHECKS:
        yield Call(check, {"files": _files(draft.attachments)})
    return draft


def _validated(task: AgentTask, facts: Facts, documents: Mapping[Kind, str]) -> Talk:
    guidance = next(d for d in task.dependencies if d.kind == Kind.DEPLOYMENT_GUIDANCE.value)
    results: dict[str, Reply] = {}
    for check in _CHECKS:
        results[check] = yield Call(check, {"files": _files(guidance.attachments)})
    return draft_validation(task, facts, documents, guidance.attachments, results)
