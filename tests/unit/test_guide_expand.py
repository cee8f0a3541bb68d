"""Include lines of the Solution guide: what they stand for, and what they refuse."""

import pytest

from engine.contracts import MAX_TEXT_BYTES
from engine.deliverables import Kind
from engine.guide import ExpandError, expand

REQUIREMENTS = """## Assumptions

- **A-1**: one

### More

Text with {{include requirements}} in it.

```sh
## a comment
```

## Current state

Nothing.

_Drafted by a test._
"""
DELIVERABLES = {
    Kind.REQUIREMENTS: REQUIREMENTS,
    Kind.PRODUCT_SELECTION: "## Product mapping\n\nrows\n\n### Notes\n\nx\n",
}


def test_a_section_stands_in_for_its_line() -> None:
    guide = "# T\n\n## 1. A\n\n{{include requirements#Current state}}\n\nEnd.\n"
    assert expand(guide, DELIVERABLES) == "# T\n\n## 1. A\n\nNothing.\n\nEnd.\n"


def test_a_section_s_headings_move_below_the_place() -> None:
    guide = "## 2. A\n\n### 2.1. B\n\n{{include requirements#Assumptions}}\n"
    assert expand(guide, DELIVERABLES) == (
        "## 2. A\n\n### 2.1. B\n\n- **A-1**: one\n\n#### More\n\n"
        "Text with {{include requirements}} in it.\n\n```sh\n## a comment\n```\n"
    )


def test_headings_that_are_deep_enough_stay() -> None:
    guide = "## 2. A\n{{include requirements#Assumptions}}"
    assert "\n### More\n" in expand(guide, DELIVERABLES)


def test_a_whole_deliverable_comes_with_its_headings_and_without_its_colophon() -> None:
    guide = "### 4.1. M\n\n{{include product_selection}}\n\n{{include requirements}}"
    text = expand(guide, DELIVERABLES)
    assert text.startswith("### 4.1. M\n\n#### Product mapping\n\nrows\n\n##### Notes\n\nx\n\n")
    assert "#### Current state\n\nNothing." in text
    assert "Drafted" not in text


def test_no_heading_goes_deeper_than_six() -> None:
    text = expand("###### Deep\n{{include product_selection}}", DELIVERABLES)
    assert "\n###### Product mapping\n" in text
    assert "\n###### Notes\n" in text


def test_before_any_heading_nothing_moves() -> None:
    assert expand("{{include product_selection}}", DELIVERABLES).startswith("## Product mapping")


@pytest.mark.parametrize(
    "line",
    [
        "see {{include requirements}}",
        "```\n{{include requirements}}\n```",
        "<!--\n{{include requirements}}\n-->",
        "{{ include requirements }}",
        "{{includes requirements}}",
    ],
)
def test_only_a_line_of_its_own_outside_code_is_an_include(line: str) -> None:
    assert expand(line, DELIVERABLES) == line


@pytest.mark.parametrize(
    "line",
    [
        "  {{include requirements#Current state}}  ",
        "{{include requirements#current  state}}",
        "{{include requirements # Current state }}",
        "{{include requirements#**Current state**}}",
        "{{include requirements#Current state}}\r\n",
    ],
)
def test_spelling_is_taken_kindly(line: str) -> None:
    assert expand(line, DELIVERABLES).strip() == "Nothing."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "{{include nonsense}}",
            "line 3: 'nonsense' is no Deliverable; include one of requirements",
        ),
        ("{{include deployment_guidance#Steps}}", "line 3: deployment_guidance is not approved"),
        (
            "{{include requirements#Costs}}",
            "line 3: requirements has no heading 'Costs'; it has 'Assumptions', 'Current state'.",
        ),
        ("{{include requirements#}}", "line 3: requirements has no heading ''"),
    ],
)
def test_what_cannot_be_included_is_said_with_its_line(line: str, message: str) -> None:
    with pytest.raises(ExpandError) as caught:
        expand(f"# T\n\n{line}\n", DELIVERABLES)
    assert str(caught.value).startswith(message)


def test_includes_cannot_blow_the_guide_up() -> None:
    large = {Kind.REQUIREMENTS: "## A\n\n" + "x" * 100_000}
    with pytest.raises(ExpandError, match=f"more than {MAX_TEXT_BYTES:,} bytes"):
        expand("{{include requirements}}\n" * 30_000, large)


def test_text_without_includes_is_kept() -> None:
    text = "# T\n\n  a  \n```\nb\n```\n\n\n"
    assert expand(text, DELIVERABLES) == text
