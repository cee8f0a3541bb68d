"""Contracts of product_selection, architecture_diagram and architecture_description."""

import pytest

from engine.deliverables import Kind
from tests.unit.contracts_samples import (
    DIAGRAM,
    GOOD,
    SELECTION,
    SampleCheckers,
    changed,
    codes,
    problems,
)

SEL, DIA, DES = Kind.PRODUCT_SELECTION, Kind.ARCHITECTURE_DIAGRAM, Kind.ARCHITECTURE_DESCRIPTION
CITATION = "[Topics](https://docs.example.com/topics)"


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        ("| C-2 Order feed |", "| C-1 Order feed |", "component_without_product", "C-2 Order feed"),
        (
            "| C-2 Order",
            "| C-9 x | Run Box | FR-1 " + CITATION + " | a | Pros: x Cons: y |\n| C-2 Order",
            "unknown_component",
            "'C-9' is none of the decomposition",
        ),
        (
            "| C-2 Order",
            "| Extra | Run Box | FR-1 " + CITATION + " | a | Pros: x Cons: y |\n| C-2 Order",
            "unknown_component",
            "'Extra' is none",
        ),
        ("| Topic Bus |", "| |", "product_missing", "(C-2) recommends no product"),
        ("| Topic Bus |", "| Old Store |", "product_retired", "its successor is New Store"),
        ("| Topic Bus |", "| old store — small |", "product_retired", "recommends Old Store"),
        ("| Topic Bus |", "| Fading Queue |", "product_retired", "which is deprecated"),
        ("| Topic Bus |", "| The Fading Queue service |", "product_retired", "Fading Queue"),
        ("| Kafka |", "| Old Store |", "product_retired", "considers Old Store"),
        (", so FR-2 survives a loss", "", "justification", "(C-2): the justification names no"),
        ("so FR-2", "so FR-8", "unknown_requirement", "FR-8: not defined"),
        (CITATION, "", "citation_missing", "official documentation (docs.example.com)"),
        (CITATION, "[x](http://docs.example.com/topics)", "citation_missing", "(C-2)"),
        (CITATION, "[x](https://blog.example.com/topics)", "citation_missing", "(C-2)"),
        (CITATION, "[x](https://docs.example.com.evil.org/t)", "citation_missing", "(C-2)"),
        (CITATION, "[x](https://evil.org/docs.example.com)", "citation_missing", "(C-2)"),
        (CITATION, "[x](https://registry.terraform.io/x)", "citation_missing", "(C-2)"),
        (CITATION, "[x](https://[docs.example.com/t)", "citation_missing", "(C-2)"),
        ("| Kafka |", "| |", "alternative_missing", "considers no alternative to Topic Bus"),
        ("| Kafka |", "| – |", "alternative_missing", "considers no alternative"),
        ("| Kafka |", "| topic bus |", "alternative_missing", "considers no alternative"),
        ("Pros: known by the team.", "Known.", "pros_cons", "missing for Kafka"),
        ("Cons: brokers to run.", "", "pros_cons", "missing for Kafka"),
        ("Cons: brokers to run.", "Cons:", "pros_cons", "missing for Kafka"),
        ("Pros: any port Cons", "Pros: Cons", "pros_cons", "missing for Kube Fleet;"),
        ("<br>**Plain VM** Pros: known Cons: no scaling", "", "pros_cons", "for Plain VM;"),
        (
            "**Plain VM** Pros: known Cons: no scaling",
            "**Plain VM** known",
            "pros_cons",
            "Plain VM",
        ),
        ("| Recommended product |", "| Product |", "column_missing", "Recommended product"),
        ("| Alternatives considered |", "| Others |", "column_missing", "Alternatives considered"),
        ("| :--- | :--- | :--- | :--- | :--- |", "| :--- |", "table_missing", "no table with rows"),
    ],
)
def test_faults_of_the_selection(old: str, new: str, code: str, part: str) -> None:
    found = problems(changed(SEL, old, new))
    assert codes(found) == {code}
    assert any(part in problem.message for problem in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| Topic Bus |", "| Something unknown to the catalogue |"),
        ("Recommended product", "Recommended Example Cloud product/feature"),
        ("Pros: known by the team. Cons: brokers to run.", "**Cons**: x<br>**Pros**: y"),
        ("**Kube Fleet** Pros: any port", "**Kube Fleet (managed)**: Pros: any port"),
        ("Kube Fleet; Plain VM", "Kube Fleet (managed); Plain VM — by hand"),
        ("Kube Fleet; Plain VM", "Kube Fleet<br>Plain VM"),
        ("A managed service", "Unlike Old Store, a managed service"),
        ("| C-2 Order feed |", "| **C-2: Order feed** |"),
        ("Topic Bus | Keeps", "Topic Bus — takes the place of Old Store | Keeps"),
        (
            "| C-2 Order feed |",
            "| C-2 Order feed | Run Box | FR-2 [x](https://docs.example.com) | y | Pros: a "
            "Cons: b |"
            "\n| C-2 Order feed |",
        ),
    ],
)
def test_what_a_selection_may_say(old: str, new: str) -> None:
    assert problems(changed(SEL, old, new)) == ()


def test_a_name_inside_a_longer_name_needs_its_own_pros_and_cons() -> None:
    submission = changed(
        SEL,
        "| Kafka | Pros: known by the team. Cons: brokers to run. |",
        "| Store; Store Plus | **Store Plus** Pros: fast Cons: dear |",
    )
    (problem,) = problems(submission)
    assert problem.code == "pros_cons"
    assert "missing for Store;" in problem.message


BLOCK = DIAGRAM.split("## Diagram\n\n")[1]


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        (BLOCK, "A picture.\n", "diagram_count", "0 Mermaid blocks"),
        (BLOCK, BLOCK + BLOCK, "diagram_count", "2 Mermaid blocks"),
        ("flowchart LR", "sequenceDiagram", "diagram_syntax", "it is no flowchart"),
        ("[(Topic Bus)]", "[(Feed)]", "diagram_product", "no node for Topic Bus"),
        ('"Run Box<br/>order intake"', '"Order intake"', "diagram_product", "no node for Run Box"),
        ("    end\n", "    end\n    alone[Alone]\n", "diagram_orphan", "no edge at alone"),
        ("customer(", "customer" + "x" * 40 + "(", "diagram_node_id", "longer than 40"),
        (BLOCK, "```mermaid\nflowchart LR\n```\n", "diagram_orphan", "has no nodes"),
    ],
)
def test_faults_of_the_diagram(old: str, new: str, code: str, part: str) -> None:
    found = problems(changed(DIA, old, new))
    # without nodes there is no node for a product either
    assert codes(found) - {"diagram_product"} == {code} - {"diagram_product"}
    assert any(problem.code == code and part in problem.message for problem in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Run Box<br/>order intake"', '"Order intake (RBX)"'),
        ("[(Topic Bus)]", "[(Orders in the topic<br>bus)]"),
        ("customer([Customer])", "customer([Customer]) --> region\n    customer"),
        ("```mermaid", "```text\nnotes\n```\n\n```mermaid"),
    ],
)
def test_what_a_diagram_may_look_like(old: str, new: str) -> None:
    assert problems(changed(DIA, old, new)) == ()


def test_what_the_mermaid_checker_says_is_passed_on() -> None:
    checkers = SampleCheckers(mermaid=("line 3: unexpected\n end", "line 4: more"))
    found = problems(GOOD[DIA], checkers=checkers)
    assert codes(found) == {"diagram_syntax"}
    assert [p.message for p in found] == [
        "architecture_diagram: the Mermaid diagram does not parse: line 3: unexpected end",
        "architecture_diagram: the Mermaid diagram does not parse: line 4: more",
    ]


def test_the_diagram_follows_the_selection_as_it_is_now() -> None:
    other = SELECTION.replace("| Topic Bus |", "| BigQuery — loads |")
    (problem,) = problems(GOOD[DIA], changed={SEL: other})
    assert "no node for BigQuery" in problem.message


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        ("- **Topic Bus**: hands", "- **Mail**: hands", "node_not_described", "Topic Bus"),
        ("- **Customer**: whoever", "- **Run Box**: whoever", "node_not_described", "Customer"),
        (
            "**Customer**: whoever sends an order over the internet.",
            "**Customer**: x",
            "purpose",
            "what Customer is for",
        ),
        (
            "1. The customer sends an order.\n2. The",
            "The customer sends. The",
            "list_missing",
            "'## Data flow' has no numbered list",
        ),
        ("1. A release", "- A release", "list_missing", "'## Control flow' has no numbered"),
        ("keeps no state", "keeps no state (FR-99)", "unknown_requirement", "FR-99"),
        (
            "- **Customer**: whoever sends an order over the internet.\n"
            "- **Run Box**: accepts and confirms orders, keeps no state.\n"
            "- **Topic Bus**: hands accepted orders to the warehouse team.",
            "Customer, Run Box and Topic Bus work together.",
            "list_missing",
            "'## Components' has no list",
        ),
    ],
)
def test_faults_of_the_description(old: str, new: str, code: str, part: str) -> None:
    found = problems(changed(DES, old, new))
    assert codes(found) == {code}
    assert any(part in problem.message for problem in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- **Run Box**: accepts", "- Order intake: accepts"),
        ("- **Run Box**: accepts", "- RBX — accepts"),
        ("- **Run Box**: accepts", "- **Run Box order intake** accepts"),
        ("- **Run Box**: accepts", "- **The order API (run box)**: accepts"),
        ("- **Topic Bus**: hands", "1. **topic bus**: hands"),
    ],
)
def test_how_a_description_may_name_a_node(old: str, new: str) -> None:
    assert problems(changed(DES, old, new)) == ()


def test_an_item_that_only_mentions_a_node_does_not_describe_it() -> None:
    found = problems(
        changed(
            DES,
            "keeps no state.\n- **Topic Bus**: hands accepted orders to the warehouse team.",
            "keeps no state and writes to Topic Bus.",
        )
    )
    assert codes(found) == {"node_not_described"}
