"""Contract of design_recommendations, whole and pillar by pillar."""

import pytest

from engine.contracts import check_pillar
from engine.deliverables import Kind, Pillar
from tests.unit.contracts_samples import (
    RECOMMENDATIONS,
    changed,
    codes,
    context,
    pillar_text,
    problems,
)

KIND = Kind.DESIGN_RECOMMENDATIONS
FAULTS = [
    (
        "- Turn on `deletion_protection` for what holds orders.\n- Use Topic Bus with its own "
        "retention.\n",
        "",
        "too_few_recommendations",
        "has 2 list items; give at least 3",
    ),
    ("`deletion_protection` for", "protection for", "not_concrete", "'Turn on protection"),
    ("Use Topic Bus with", "Use a topic with", "not_concrete", "'Use a topic with"),
    ("at least 2 instances for NFR-REL-1", "some instances for NFR-REL-1", "not_concrete", "'Set"),
    ("for NFR-REL-1 ", "", "requirement_not_named", "names no requirement"),
    ("for NFR-REL-1 ", "for NFR-REL-1 and FR-77 ", "unknown_requirement", "FR-77"),
    ("https://docs.example.com/", "https://example.org/", "citation_missing", "has no citation"),
    ("docs.example.com/", "registry.terraform.io/", "citation_missing", "(docs.example.com)"),
]


@pytest.mark.parametrize(("old", "new", "code", "part"), FAULTS)
@pytest.mark.parametrize("pillar", list(Pillar))
def test_faults_of_one_pillar(pillar: Pillar, old: str, new: str, code: str, part: str) -> None:
    body = pillar_text(pillar)
    assert old in body
    found = check_pillar(pillar, body.replace(old, new), context(KIND))
    assert codes(found) == {code}
    assert part in found[0].message
    assert found[0].message.startswith(f"pillar {pillar.value}: ")


@pytest.mark.parametrize(("old", "new", "code", "part"), FAULTS)
def test_faults_in_one_of_the_six_sections(old: str, new: str, code: str, part: str) -> None:
    title = Pillar.SUSTAINABILITY.heading
    start = RECOMMENDATIONS.index(f"## {title}")
    whole = RECOMMENDATIONS[start:]
    found = problems(changed(KIND, whole, whole.replace(old, new)))
    assert codes(found) == {code}
    assert part in found[0].message
    if code != "unknown_requirement":
        assert [problem.where for problem in found] == [title]


def test_a_figure_in_a_requirement_id_makes_nothing_concrete() -> None:
    body = (
        "- Be safe, for NFR-SEC-1 ([guide](https://docs.example.com/1)).\n"
        "- Be sound, for FR-1.\n- Be brief, for FR-2.\n"
    )
    assert codes(check_pillar(Pillar.SECURITY, body, context(KIND))) == {"not_concrete"}


@pytest.mark.parametrize("pillar", list(Pillar))
@pytest.mark.parametrize("head", ["", "## {}\n\n", "\n## {}\n", "### {}\n\n"])
@pytest.mark.parametrize("tail", ["", "\n\n_Drafted by a test._\n", "\n\n### Trade-off\n\nSome."])
def test_a_pillar_comes_with_or_without_its_heading(pillar: Pillar, head: str, tail: str) -> None:
    body = head.format(pillar.heading) + pillar_text(pillar) + tail
    assert check_pillar(pillar, body, context(KIND)) == ()


def test_a_pillar_holds_no_heading_that_would_end_its_section() -> None:
    body = pillar_text(Pillar.SECURITY) + "\n\n## Reliability\n\n- More."
    assert codes(check_pillar(Pillar.SECURITY, body, context(KIND))) == {"heading_unexpected"}


@pytest.mark.parametrize("body", ["", "## Security, privacy, and compliance\n\n<!-- x -->"])
def test_an_empty_pillar(body: str) -> None:
    assert codes(check_pillar(Pillar.SECURITY, body, context(KIND))) == {"empty"}


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        ("\ud800", "bad_character"),
        ("\n[To be done]", "placeholder"),
        ("{{include x}}", "include_left"),
    ],
)
def test_a_pillar_has_the_form_of_any_deliverable(extra: str, code: str) -> None:
    body = pillar_text(Pillar.SECURITY) + extra
    assert codes(check_pillar(Pillar.SECURITY, body, context(KIND))) == {code}


def test_tables_and_prose_may_stand_between_the_items() -> None:
    body = "Why it matters.\n\n" + pillar_text(Pillar.RELIABILITY) + "\n\n| A |\n|--|\n| 1 |\n"
    assert check_pillar(Pillar.RELIABILITY, body, context(KIND)) == ()
