"""Contracts of requirements and technical_decomposition: one change, one fault."""

import pytest

from engine.contracts import allow_public
from engine.deliverables import Kind
from tests.unit.contracts_samples import REQUEST, changed, codes, problems

REQ, DEC = Kind.REQUIREMENTS, Kind.TECHNICAL_DECOMPOSITION
FR_ITEMS = (
    "- **FR-1**: Accept orders over HTTPS and confirm each with a number.\n"
    "- **FR-2**: Publish every accepted order to the warehouse team\n  within one minute."
)
NFR_TABLE = (
    "| ID | Requirement | Source |\n| :--- | :--- | :--- |\n"
    "| NFR-PERF-1 | 3,000 orders a minute at the peak | request |\n"
    "| NFR-REL-1 | Back within 1 hour after the loss of a zone (RTO 1 h) | request |\n"
    "| NFR-SEC-1 | Orders are encrypted at rest and in transit | A-1 |"
)


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        (FR_ITEMS + "\n", "- Accept orders.\n", "requirement_missing", "such as '- **FR-1**: …'"),
        (NFR_TABLE, "It must be fast.", "requirement_missing", "'- **NFR-SEC-1**: …'"),
        ("- **FR-2**: Publish", "- **FR-1**: Publish", "requirement_repeated", "FR-1: defined"),
        ("| NFR-REL-1 | Back", "| NFR-SEC-1 | Back", "requirement_repeated", "NFR-SEC-1"),
        ("| NFR-REL-1 | Back", "| FR-3 | Back", "requirement_place", "FR-3 stand under"),
        ("- **FR-2**: P", "- **FR-2**: x\n- **NFR-OPS-1**: P", "requirement_place", "NFR-OPS-1"),
        ("- **FR-2**: P", "- **FR-2**: x\n- **FR3**: P", "requirement_id", "FR3 under"),
        ("- **FR-2**: P", "- **FR-2**: x\n- fr-3: P", "requirement_id", "fr-3 under"),
        ("| NFR-REL-1 | Back", "| NFR-4 | Back", "requirement_id", "NFR-4 under"),
        ("| NFR-REL-1 | Back", "| NFR-rel-1 | Back", "requirement_id", "NFR-rel-1 under"),
        (
            "Accept orders over HTTPS and confirm each with a number.",
            "",
            "requirement_text",
            "FR-1",
        ),
        ("**A-1**: Order data", "Order data", "note_id", "no list item '- **A-1**"),
        ("- **A-1**: Order", "- **A-1**: x\n- **A-1**: Order", "note_id", "A-1 under"),
        ("No contradictions were found.", "- Is it public?", "note_id", "no list item '- **Q-1**"),
        ("feed, over", "feed (FR-9), over", "unknown_requirement", "FR-9: not defined"),
        ("An order API", "An order API on Run Box", "product_named", "'Run Box' names the product"),
        ("An order API", "An order API on RBX", "product_named", "'RBX' names the product Run Box"),
        ("Order data is", "Topic Bus data is", "product_named", "Topic Bus"),
    ],
)
def test_faults_of_requirements(old: str, new: str, code: str, part: str) -> None:
    found = problems(changed(REQ, old, new))
    assert codes(found) == {code}
    assert any(part in problem.message for problem in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- **FR-2**:", "- **FR-2.**"),
        ("- **FR-2**:", "* FR-2 —"),
        ("- **FR-2**:", "- **FR-2** (must):"),
        ("- **A-1**: Order data is confidential.", "There are none."),
        ("- **A-1**: Order data is confidential.", "| ID | Text |\n|--|--|\n| A-1 | x |"),
        ("No contradictions were found.", "- **Q-1**: Who signs in? It decides who sees what."),
        ("An order API", "An order API that loads BigQuery"),  # the user says "bigquery"
        ("An order API", "An order API beside Old Store"),  # the current state names it
        ("Two VMs", "Two VMs, RBX,"),
        ("An order API", "An order API, see https://docs.example.com/run"),
        ("- **FR-2**: P", "- **FR-10**: Also France-2 counts.\n- **FR-2**: P"),
    ],
)
def test_what_requirements_may_say(old: str, new: str) -> None:
    assert problems(changed(REQ, old, new)) == ()


def test_ids_that_the_user_gave_may_be_named() -> None:
    submission = changed(REQ, "feed, over", "feed (FR-9), over")
    assert problems(submission, request=REQUEST + " as in FR-9 of our paper") == ()


def test_the_user_s_own_words_allow_a_product() -> None:
    submission = changed(REQ, "An order API", "An order API on Run Box")
    assert problems(submission, request=REQUEST + " We want run box.") == ()
    assert problems(submission, request=REQUEST + " We want RBX.") == ()
    assert codes(problems(submission, request=REQUEST + " We want runboxes.")) == {"product_named"}


def test_a_discovery_gap_may_name_a_product_and_allows_it_nowhere_else() -> None:
    gap = changed(REQ, "- The Run Box MCP server", "- Kube Fleet: the MCP server")
    assert problems(gap) == ()
    both = changed(REQ, "An order API", "An order API on Run Box")
    assert codes(problems(both)) == {"product_named"}


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        ("| C-2 | Order feed |", "| C2 | Order feed |", "component_id", "'C2' has not the form"),
        ("| C-2 | Order feed |", "| C-2 | |", "component_text", "(C-2) has no name"),
        ("| Hands orders on |", "| |", "component_text", "(C-2) has no responsibility"),
        ("FR-1, NFR-PERF-1, NFR-SEC-1", "NFR-PERF-1", "not_served", "FR-1: no component"),
        ("FR-1, NFR-PERF-1", "FR-1, FR-7", "unknown_requirement", "FR-7: not defined"),
        (
            "| C-2 | Order feed |",
            "| C-1 | Order feed |",
            "component_repeated",
            "C-1: more than one row",
        ),
        (
            "| C-2 | Order feed | Hands",
            "| C-3 | Extra | Waits | none |\n| C-2 | Order feed | Hands",
            "serves_nothing",
            "(C-3) serves no requirement",
        ),
        ("| ID | Component |", "| Nr | Component |", "column_missing", "lacks the column ID"),
        ("| Serves |", "| Needs |", "column_missing", "lacks the column Serves"),
        ("| :--- | :--- | :--- | :--- |", "| :--- | :--- |", "table_missing", "no table with rows"),
        ("- C-1 -> C-2: accepted order", "- C-1 -> C-5: accepted", "unknown_component", "C-5 in"),
        ("Two components", "Two Run Box components", "product_named", "Run Box"),
        (
            "- Customer -> C-1: order, HTTPS, 3,000 a minute\n"
            "- C-1 -> C-2: accepted order, message, 3,000 a minute",
            "Orders go from C-1 to C-2.",
            "flow_missing",
            "'C-1 -> C-2: what",
        ),
    ],
)
def test_faults_of_the_decomposition(old: str, new: str, code: str, part: str) -> None:
    found = problems(changed(DEC, old, new))
    # an id that is not recognised is missed in the flows too
    assert codes(found) - {"unknown_component"} == {code} - {"unknown_component"}
    assert code in codes(found)
    assert any(part in problem.message for problem in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("C-1 -> C-2", "C-1 → C-2"),
        ("| C-1 | Order", "| **C-1** | Order"),
        ("Two components", "Two components, one that loads BigQuery from Old Store"),
    ],
)
def test_what_a_decomposition_may_say(old: str, new: str) -> None:
    assert problems(changed(DEC, old, new)) == ()


REQUIREMENT = "## Functional requirements\n\n- **FR-1**: {}\n"


@pytest.mark.parametrize(
    "text",
    [
        "The catalogue pages are publicly accessible.",
        "Visitors read the pages without signing in.",
        "Pages are open to everyone.",
        "The API allows anonymous read access.",
        "Unauthenticated requests reach the status page.",
        "A public website shows the prices.",
        "Customers reach the shop over the public internet.",
        "No login is required to read.",
        "Prices are not secret. The catalogue is publicly available.",
    ],
)
def test_clear_wording_asks_for_public_access(text: str) -> None:
    assert allow_public(REQUIREMENT.format(text), "")
    assert allow_public("", text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Customers order online.",
        "The public sector client expects an audit.",
        "The API must not be publicly accessible.",
        "The database must not be\npublicly accessible.",
        "No public access; staff only.",
        "Anonymous access is forbidden.",
        "Block unauthenticated requests.",
        "It never serves anonymous users, e.g. publicly available pages.",
        "We don't want a public website.",
    ],
)
def test_doubtful_wording_does_not(text: str) -> None:
    assert not allow_public(REQUIREMENT.format(text), text)


def test_words_outside_the_requirements_do_not_ask_for_public_access() -> None:
    md = REQUIREMENT.format("Orders come in.") + "\n## Assumptions\n\n- A-1: a public website\n"
    assert not allow_public(md, "")
