"""Requests with the Facts that a careful reader takes from them, to try the offline writers on.

Each case has its requirements Deliverable too, as the requirements-analyst would submit it.
"""

from __future__ import annotations

from functools import cache, lru_cache

from agents.offline.decomposition import draft_decomposition
from agents.offline.description import draft_description
from agents.offline.diagram import draft_diagram
from agents.offline.reading import read as read_request
from agents.offline.requirements import draft_requirements, facts_from_requirements
from agents.offline.selection import draft_selection
from agents.runtime import AgentTask, Answer, Document
from agents.tools.checkers import PreparedCheckers
from engine.contracts import ContractContext, Submission, check
from engine.deliverables import Kind
from providers.bundle import Bundle, load_bundle
from tests.support.offline_examples import EXAMPLE_CASES
from tests.support.offline_facts import Case
from tests.support.offline_requests import FURTHER_CASES


def task(
    case: Case,
    kind: Kind,
    *dependencies: tuple[Kind, str],
    interactive: bool = False,
    feedback: tuple[str, ...] = (),
    previous: str = "",
    answers: tuple[Answer, ...] = (),
) -> AgentTask:
    """An AgentTask for one Specialist run."""
    return AgentTask(
        execution_id="e-1",
        run="r-1",
        request=case.request,
        interactive=interactive,
        deliverable=kind.value,
        dependencies=tuple(Document(kind=k.value, content=c) for k, c in dependencies),
        previous=Document(kind=kind.value, content=previous) if previous else None,
        feedback=feedback,
        answers=answers,
    )


CASES: tuple[Case, ...] = (*EXAMPLE_CASES, *FURTHER_CASES)
BY_NAME = {case.name: case for case in CASES}


@lru_cache(maxsize=1)
def bundle() -> Bundle:
    """The Google Cloud bundle, read once."""
    return load_bundle("gcp")


WRITERS = (
    (Kind.TECHNICAL_DECOMPOSITION, draft_decomposition),
    (Kind.PRODUCT_SELECTION, draft_selection),
    (Kind.ARCHITECTURE_DIAGRAM, draft_diagram),
    (Kind.ARCHITECTURE_DESCRIPTION, draft_description),
)


@cache
def drafted(name: str) -> dict[Kind, str]:
    """Requirements and the four architecture Deliverables of a case, as first submitted."""
    case = BY_NAME[name]
    documents = {Kind.REQUIREMENTS: case.requirements}
    for kind, write in WRITERS:
        draft = write(task(case, kind), case.facts, documents, bundle().catalogue)
        documents[kind] = draft.content
    return documents


def redrafted(name: str, kind: Kind, *feedback: str) -> str:
    """A Deliverable after one Revision for each feedback text, each on top of the last."""
    case = BY_NAME[name]
    write = dict(WRITERS)[kind]
    documents = {k: v for k, v in drafted(name).items() if k is not kind}
    content = drafted(name)[kind]
    for words in feedback:
        run = task(case, kind, feedback=(words,), previous=content)
        content = write(run, case.facts, documents, bundle().catalogue).content
    return content


def problems(name: str, kind: Kind, content: str) -> list[str]:
    """What the contract of a kind finds in a content of this case."""
    documents = {**drafted(name), kind: content}
    return _messages(BY_NAME[name].request, documents, (kind,))


def from_reader(request: str) -> dict[Kind, str]:
    """All five Deliverables of a request as the planner itself reads it, request to description."""
    facts = read_request(request, catalogue=bundle().catalogue, regions=bundle().regions)
    case = Case("read", request, facts)
    documents = {
        Kind.REQUIREMENTS: draft_requirements(task(case, Kind.REQUIREMENTS), facts).content
    }
    again = facts_from_requirements(documents[Kind.REQUIREMENTS], request)
    for kind, write in WRITERS:
        documents[kind] = write(task(case, kind), again, documents, bundle().catalogue).content
    return documents


def problems_of(request: str, documents: dict[Kind, str]) -> list[str]:
    """What the contracts find in Deliverables that were made from a request."""
    return _messages(request, documents, tuple(documents))


def _messages(request: str, documents: dict[Kind, str], kinds: tuple[Kind, ...]) -> list[str]:
    context = ContractContext(
        request=request,
        dependencies={k: Submission(k, v) for k, v in documents.items()},
        catalogue=bundle().catalogue,
        docs_hosts=bundle().docs_hosts,
        template="",
        checkers=PreparedCheckers(),
    )
    found = (check(Submission(kind, documents[kind]), context) for kind in kinds)
    return [problem.message for result in found for problem in result]
