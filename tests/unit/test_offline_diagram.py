"""The offline architecture diagram: it parses, shows what was selected and nothing loose."""

from __future__ import annotations

import pytest

from agents.offline.diagram import draft_diagram
from agents.offline.solution_map import EmptySelection, routes_of
from agents.tools.mermaid import check_mermaid
from engine.deliverables import Kind
from engine.documents import mermaid_blocks, parse_flowchart, parse_selection
from tests.support.offline_cases import BY_NAME, CASES, bundle, drafted, problems, redrafted, task

KIND = Kind.ARCHITECTURE_DIAGRAM
NAMES = [case.name for case in CASES]


def block(content: str) -> str:
    """The one Mermaid block of a content."""
    (found,) = mermaid_blocks(content)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_case_keeps_its_contract(name: str) -> None:
    assert problems(name, KIND, drafted(name)[KIND]) == []


@pytest.mark.parametrize("name", NAMES)
def test_mermaid_itself_finds_no_fault_and_no_orphan(name: str) -> None:
    report = check_mermaid(block(drafted(name)[KIND]))
    assert report.valid, report.errors
    assert report.orphans == ()


@pytest.mark.parametrize("name", NAMES)
def test_boxes_are_the_selected_products_and_the_outside_only(name: str) -> None:
    documents = drafted(name)
    nodes = parse_flowchart(block(documents[KIND])).nodes
    products = {row.product for row in parse_selection(documents[Kind.PRODUCT_SELECTION])}
    inside = {label.split("\n")[0] for ident, label in nodes.items() if ident.startswith("c")}
    assert inside == products
    flows = routes_of(documents[Kind.TECHNICAL_DECOMPOSITION])
    outside = {e for r in flows for e in (r.source, r.target) if not e.startswith("C-")}
    assert {label for ident, label in nodes.items() if ident.startswith("x")} == outside
    assert all(len(ident) <= 6 for ident in nodes)


def test_arrows_carry_protocol_and_figure() -> None:
    text = block(drafted("orders")[KIND])
    assert '"synchronous HTTPS, 2,000/s"' in text
    assert '"pooled SQL over TLS, 50 orders/s"' in text
    assert '"MQTT with TLS, 2,167 messages/s"' in block(drafted("telemetry")[KIND])


def test_subgraphs_stand_for_the_layers() -> None:
    chart = parse_flowchart(block(drafted("orders")[KIND]))
    assert [g.id for g in chart.subgraphs] == ["outside", "edge", "app", "data", "ops"]


@pytest.mark.parametrize(
    ("feedback", "present", "absent"),
    [
        ("draw it left to right", "flowchart LR", "flowchart TB"),
        ("without volumes please", '"synchronous HTTPS"', "2,000/s"),
        ("add the tax office as an external system", "Tax office", ""),
        ("rename C-5 to Checkout", "Cloud Run<br/>Checkout", "Order API"),
        ("remove the mail provider", "Customers", "Mail provider"),
        ("one box per product", "Order API", 'c6["Cloud Run'),
        ("the payment path should stand out", "Note: the payment path should stand out", ""),
    ],
)
def test_feedback_changes_the_drawing(feedback: str, present: str, absent: str) -> None:
    content = redrafted("orders", KIND, feedback)
    assert problems("orders", KIND, content) == []
    text = block(content)
    assert present in text
    assert not absent or absent not in text
    assert "Changed in this Revision" in content
    assert check_mermaid(text).valid


def test_too_many_arrows_become_fewer() -> None:
    before = parse_flowchart(block(drafted("telemetry")[KIND])).edges
    after = parse_flowchart(block(redrafted("telemetry", KIND, "too many arrows, simplify"))).edges
    assert len(after) < len(before)


def test_a_product_that_was_not_selected_is_not_drawn_and_one_that_was_stays() -> None:
    content = redrafted("orders", KIND, "show Spanner too")
    assert "Spanner" not in block(content)
    assert "Spanner is not in the selection" in content
    kept = redrafted("orders", KIND, "remove Cloud SQL")
    assert "Cloud SQL" in block(kept)
    assert problems("orders", KIND, kept) == []


def test_labels_from_names_with_special_characters_still_parse() -> None:
    case = BY_NAME["club"]
    documents = dict(drafted("club"))
    documents[Kind.TECHNICAL_DECOMPOSITION] = documents[Kind.TECHNICAL_DECOMPOSITION].replace(
        "- Visitors -> C-1", '- Visitors {of "all" <kinds>; end} -> C-1'
    )
    del documents[KIND]
    content = draft_diagram(task(case, KIND), case.facts, documents, bundle().catalogue).content
    report = check_mermaid(block(content))
    assert report.valid, report.errors


def test_questions_only_where_somebody_can_answer() -> None:
    case = BY_NAME["orders"]
    documents = {k: v for k, v in drafted("orders").items() if k is not KIND}
    catalogue = bundle().catalogue
    asked = draft_diagram(task(case, KIND, interactive=True), case.facts, documents, catalogue)
    assert 1 <= len(asked.questions) <= 3
    silent = draft_diagram(task(case, KIND), case.facts, documents, catalogue)
    assert silent.questions == ()


def test_chains_of_a_decomposition_by_a_model_are_read_too() -> None:
    routes = routes_of(
        "## Interfaces and flows\n\n- On-premises DB -> C-7 -> C-4: change stream, binlog, 2 MB/s\n"
        "- C-2, C-3 -> C-6: secrets, read at start\n"
    )
    assert [(r.source, r.target) for r in routes] == [
        ("On-premises DB", "C-7"), ("C-7", "C-4"), ("C-2", "C-6"), ("C-3", "C-6"),
    ]  # fmt: skip
    assert routes[0].short_volume == "2 MB/s"


def test_without_a_selection_there_is_nothing_to_draw() -> None:
    case = BY_NAME["club"]
    with pytest.raises(EmptySelection, match="submit the selection first"):
        draft_diagram(task(case, KIND), case.facts, {}, bundle().catalogue)
