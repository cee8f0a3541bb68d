"""Contract of the Solution guide: the template's headings over the approved contents."""

import pytest

from engine.contracts import GUIDE_MAP, template_headings
from engine.deliverables import SPECS, Kind
from tests.unit.contracts_samples import (
    CONTENTS,
    GOOD,
    REQUIREMENTS,
    SELECTION,
    TEMPLATE,
    changed,
    codes,
    problems,
)

GUIDE = Kind.SOLUTION_GUIDE
HEADINGS = [h for h in template_headings(TEMPLATE) if not h.open]


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        (
            "# Example Cloud solution architecture: Order API\n",
            "",
            "title",
            "begin with '# Example",
        ),
        ("architecture: Order API\n", "architecture:\n", "title", "the title is missing"),
        ("# Example Cloud sol", "# Other Cloud sol", "title", "the title is missing"),
        ("## 8. References\n", "## References\n", "heading_missing", "heading '## 8. References'"),
        ("### 2.3. Current state", "#### 2.3. Current state", "heading_level", "make it '### 2.3."),
        ("## 7. Validation plan", "### 7. Validation plan", "heading_level", "make it '## 7."),
        ("## 8. Ref", "## 9. More\n\nText.\n\n## 8. Ref", "heading_unexpected", "'## 9. More'"),
        ("## 8. Ref", "## 8. References\n\nx\n\n## 8. Ref", "heading_repeated", "stands twice"),
        ("- [Run Box](https://docs.example.com/run)\n", "", "heading_empty", "'## 8. References'"),
        ("- [Run Box](https://docs.example.com/run)\n", "<!-- x -->\n", "heading_empty", "8."),
        ("- [Run Box](https://docs.example.com/run)\n", "[Links]\n", "placeholder", "'[Links]'"),
        (
            "- [Run Box](https://docs.ex",
            "{{include x}}\n- [Run Box](https://docs.ex",
            "include_left",
            "an include is left",
        ),
    ],
)
def test_faults_of_the_guide(old: str, new: str, code: str, part: str) -> None:
    found = problems(changed(GUIDE, old, new))
    # what is renamed at a high level is unknown under its new name
    assert codes(found) - {"heading_unexpected"} == {code} - {"heading_unexpected"}
    assert any(problem.code == code and part in problem.message for problem in found)


@pytest.mark.parametrize("heading", HEADINGS, ids=lambda h: h.title)
def test_every_heading_of_the_template_is_needed(heading: object) -> None:
    shown = heading.shown  # type: ignore[attr-defined]
    found = problems(changed(GUIDE, f"{shown}\n", ""))
    assert "heading_missing" in codes(found)
    assert any(f"heading '{shown}' is missing" in problem.message for problem in found)
    # the text of a heading that is gone falls under the one before
    assert codes(found) <= {"heading_missing", "heading_empty"}


def test_headings_stand_in_the_order_of_the_template() -> None:
    guide = CONTENTS[GUIDE]
    start, middle = guide.index("### 6.1."), guide.index("### 6.2.")
    end = guide.index("## 7.")
    moved = guide[:start] + guide[middle:end] + guide[start:middle] + guide[end:]
    found = problems(changed(GUIDE, guide, moved))
    assert codes(found) == {"heading_order"}
    assert len(found) == 1


def test_one_section_moved_far_is_one_problem() -> None:
    guide = CONTENTS[GUIDE]
    start, end = guide.index("## 1."), guide.index("## 2.")
    moved = guide[:start] + guide[end:] + "\n" + guide[start:end]
    found = problems(changed(GUIDE, guide, moved))
    assert [(p.code.value, p.where) for p in found] == [
        ("heading_order", "1. Executive summary and workload overview")
    ]


PARTS = [(part, title) for part in GUIDE_MAP for title in part.headings]


@pytest.mark.parametrize(
    ("kind", "title", "old", "new"),
    [
        (Kind.REQUIREMENTS, "Functional requirements", "with a number", "with a mail"),
        (Kind.REQUIREMENTS, "Non-functional requirements", "RTO 1 h", "RTO 4 h"),
        (Kind.REQUIREMENTS, "Assumptions", "Order data is conf", "Order data is not conf"),
        (Kind.REQUIREMENTS, "Discovery gaps", "so nothing was read", "so all was read"),
        (Kind.TECHNICAL_DECOMPOSITION, "Components", "Hands orders on", "Keeps orders"),
        (Kind.PRODUCT_SELECTION, "Product mapping", "for 7 days", "for 9 days"),
        (Kind.PRODUCT_SELECTION, "Trade-offs", "costs more an hour", "costs less an hour"),
        (Kind.ARCHITECTURE_DIAGRAM, "Diagram", "-->|accepted orders|", "-->|orders|"),
        (Kind.ARCHITECTURE_DESCRIPTION, "Data flow", "publishes it", "drops it"),
        (Kind.DEPLOYMENT_GUIDANCE, "Steps", "before anyone applies it", "and apply it"),
        (Kind.VALIDATION_RESULTS, "Verdict", "nothing failed", "all is well"),
    ],
)
def test_approved_contents_stand_unaltered(kind: Kind, title: str, old: str, new: str) -> None:
    found = problems(changed(GUIDE, old, new))
    assert codes(found) == {"content_altered"}
    assert len(found) == 1
    assert f"the line {{{{include {kind}#{title}}}}}" in found[0].message


def test_each_pillar_stands_unaltered_under_its_own_heading() -> None:
    found = problems(changed(GUIDE, "Talk to each other.", "Talk."))
    assert codes(found) == {"content_altered"}
    assert len(found) == 6


def test_a_revision_makes_a_guide_of_the_old_content_wrong() -> None:
    newer = REQUIREMENTS.replace("with a number", "with a number and a mail")
    (problem,) = problems(GOOD[GUIDE], changed={Kind.REQUIREMENTS: newer})
    assert problem.code == "content_altered"


def test_levels_blank_lines_and_line_ends_do_not_matter() -> None:
    deeper = SELECTION.replace("## Trade-offs\n\n", "## Trade-offs\n\n### Cost\n\n")
    guide = CONTENTS[GUIDE].replace("A managed service", "###### Cost\nA managed service")
    submission = changed(GUIDE, CONTENTS[GUIDE], guide.replace("\n", "\r\n"))
    assert problems(submission, changed={Kind.PRODUCT_SELECTION: deeper}) == ()


def test_a_colophon_of_a_deliverable_need_not_be_in_the_guide() -> None:
    drafted = REQUIREMENTS + "\n_Drafted by a test._\n"
    assert problems(GOOD[GUIDE], changed={Kind.REQUIREMENTS: drafted}) == ()


def test_more_text_and_deeper_headings_may_stand_beside_what_is_approved() -> None:
    extra = (
        "### 4.3. Architecture description\n\nIn short: orders in, events out.\n\n#### Why\n\nX.\n"
    )
    assert problems(changed(GUIDE, "### 4.3. Architecture description\n", extra)) == ()


def test_brackets_in_the_user_s_words_are_no_placeholders() -> None:
    text = "An order API [see attached sheet] for a shop"
    newer = REQUIREMENTS.replace("An order API for a shop", text)
    guide = changed(GUIDE, "An order API for a shop", text)
    assert problems(guide, changed={Kind.REQUIREMENTS: newer}) == ()


def test_every_heading_of_the_map_is_one_of_its_kind_and_stands_in_the_template() -> None:
    placed = [h.part for h in template_headings(TEMPLATE) if h.part is not None]
    assert sorted(map(repr, placed)) == sorted(map(repr, GUIDE_MAP))
    for part, title in PARTS:
        assert title in SPECS[part.kind].headings


def test_every_heading_of_every_deliverable_is_in_the_guide() -> None:
    mapped = {(part.kind, title) for part, title in PARTS}
    assert mapped == {(spec.kind, title) for spec in SPECS.values() for title in spec.headings}
