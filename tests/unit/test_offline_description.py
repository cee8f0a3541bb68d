"""The offline architecture description: every box, the request's own process, and the control."""

from __future__ import annotations

import itertools
import re

import pytest

from agents.offline.brief import MARKER
from agents.offline.description import draft_description
from agents.offline.intents import history
from engine.deliverables import Kind
from engine.documents import body_of, list_items, mermaid_blocks, parse_flowchart
from tests.support.offline_cases import (
    BY_NAME,
    CASES,
    WRITERS,
    bundle,
    drafted,
    problems,
    redrafted,
    task,
)

KIND = Kind.ARCHITECTURE_DESCRIPTION
NAMES = [case.name for case in CASES]


@pytest.mark.parametrize("name", NAMES)
def test_every_case_keeps_its_contract(name: str) -> None:
    assert problems(name, KIND, drafted(name)[KIND]) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_box_of_the_diagram_is_described(name: str) -> None:
    (text,) = mermaid_blocks(drafted(name)[Kind.ARCHITECTURE_DIAGRAM])
    items = list_items(body_of(drafted(name)[KIND], "Components"))
    leads = [item.split("**")[1] for item in items]
    for label in parse_flowchart(text).nodes.values():
        assert " – ".join(label.split("\n")) in leads


@pytest.mark.parametrize("name", NAMES)
def test_the_data_flow_follows_every_functional_requirement(name: str) -> None:
    flow = body_of(drafted(name)[KIND], "Data flow")
    for number, need in enumerate(BY_NAME[name].facts.needs, 1):
        if "page whoever" not in need.text:
            assert f"(FR-{number})" in flow


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("orders", "Customers send requests to the order platform to Cloud Load Balancing"),
        ("orders", "nightly order files go to Finance (SFTP)"),
        ("clicks", "Editors read them there"),
        ("clicks", "the same sessions as a stream go to Recommendation service"),
        ("telemetry", "from there alarms go to Cloud Run (Notification sender)"),
        ("telemetry", "go to Units (MQTT topic a device"),
        ("assistant", "SharePoint sends documents and their permissions"),
        ("mixture", "Ticket system sends deliveries to Compute Engine"),
    ],
)
def test_steps_are_those_of_the_request(name: str, words: str) -> None:
    assert words in body_of(drafted(name)[KIND], "Data flow")


@pytest.mark.parametrize(
    ("name", "topics"),
    [
        ("orders", ("Release", "Secrets and identities", "Scaling", "Failure of a zone",
                    "Loss of a region", "Schedule", "Watching", "Audit", "Backups", "Budget",
                    "Move", "Cut-over")),
        ("club", ("Publishing", "Identities", "Failure")),
        ("assistant", ("Boundary", "Budget", "Scaling")),
        ("warehouse", ("Schedule", "Failure", "Cut-over")),
        ("payments", ("Loss of a region", "Scaling")),
    ],
)  # fmt: skip
def test_the_control_flow_has_what_the_design_has(name: str, topics: tuple[str, ...]) -> None:
    steps = list_items(body_of(drafted(name)[KIND], "Control flow"), ordered=True)
    found = [step.split("**")[1] for step in steps]
    assert [t for t in topics if t not in found] == []


def test_the_control_flow_keeps_the_request_s_own_goals() -> None:
    control = body_of(drafted("orders")[KIND], "Control flow")
    assert "all within 1 hour; at most 5 minutes of data are lost" in control
    assert "warns at 19,000, 30,400 and 38,000 EUR" in control
    assert "has no standby on purpose" in body_of(drafted("warehouse")[KIND], "Control flow")


@pytest.mark.parametrize(
    ("feedback", "where", "words"),
    [
        ("explain the failover in more detail", "Control flow", "Failure of a zone, step by step"),
        ("explain who has access rights", "Control flow", "Who may do what"),
        ("say more about Spanner", "Components", "In more detail (“say more about Spanner”)"),
        ("The webhook sender belongs to the partner team", "Components",
         "The Revision asks here: “The webhook sender belongs to the partner team”"),
        ("Qqq zzz", "Control flow", "“Qqq zzz”"),
    ],
)  # fmt: skip
def test_feedback_changes_the_text(feedback: str, where: str, words: str) -> None:
    content = redrafted("saas", KIND, feedback)
    assert problems("saas", KIND, content) == []
    assert words in body_of(content, where)
    assert history(content) == (feedback,)


def test_questions_only_where_somebody_can_answer() -> None:
    case = BY_NAME["orders"]
    documents = {k: v for k, v in drafted("orders").items() if k is not KIND}
    catalogue = bundle().catalogue
    asked = draft_description(task(case, KIND, interactive=True), case.facts, documents, catalogue)
    assert 1 <= len(asked.questions) <= 3
    assert draft_description(task(case, KIND), case.facts, documents, catalogue).questions == ()


def _sentences(name: str) -> set[str]:
    found: set[str] = set()
    for kind, _ in WRITERS:
        prose = re.sub(r"```.*?```", "", drafted(name)[kind], flags=re.S).replace(MARKER, "")
        for line in prose.splitlines():
            cells = line.split("|") if line.startswith("|") else [line]
            for cell in cells:
                for part in re.split(r"(?<=[.!?])\s+|<br>", cell):
                    sentence = " ".join(part.split()).strip("-* ").lower()
                    if len(sentence) > 25:
                        found.add(sentence)
    return found


def test_two_requests_share_few_sentences() -> None:
    texts = {name: _sentences(name) for name in NAMES}
    for one, two in itertools.combinations(NAMES, 2):
        common = len(texts[one] & texts[two]) / min(len(texts[one]), len(texts[two]))
        assert common < 0.35, (one, two)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [kind for kind, _ in WRITERS])
def test_every_document_says_that_no_model_wrote_it_and_comes_out_the_same_twice(
    name: str, kind: Kind
) -> None:
    content = drafted(name)[kind]
    assert content.rstrip().endswith(MARKER)
    documents = {k: v for k, v in drafted(name).items() if k is not kind}
    case = BY_NAME[name]
    again = dict(WRITERS)[kind](task(case, kind), case.facts, documents, bundle().catalogue)
    assert again.content == content
