"""The six pillar sections and their merge.

Contract held here: every case passes the contracts of a pillar and of design_recommendations; no
figure appears that nobody stated; figures of the request stand where they matter; feedback and
answers change the list and the change is visible; the merge loses nothing and names conflicts.
"""

from __future__ import annotations

import itertools
import re

import pytest

from agents.offline.facts import Workload
from agents.offline.pillars.rules import FOLDER, Rule, rules_of
from agents.offline.pillars.values import flags_of, values_of
from agents.offline.pillars.writer import EXTRA, LEAST, MARKER, MOST
from agents.offline.signals import Signal
from agents.offline.terraform.modules import MODULES
from agents.offline.terraform.reading import design_of
from engine.deliverables import Kind, Pillar
from engine.documents import body_of, list_items, requirement_ids, requirement_references
from tests.support.offline_cases import CASES, drafted
from tests.support.offline_delivery import (
    again,
    contract_problems,
    delivered,
    pillar_problems,
    run_of,
)

NAMES = [case.name for case in CASES]
KIND = Kind.DESIGN_RECOMMENDATIONS
SWITCHES = {
    "ha", "cmek", "hsm", "audited", "sealed", "two", "tiny", "public", "inside", "budget",
    "regulated", "plus", "residency", "idle", "low-carbon", "rpo-zero", "beyond", "team", "peaky",
    "leaves-country", "hosted", "runs", "several", "stores", "spanner-wide",
}  # fmt: skip


def design(name: str):
    done = delivered(name)
    return design_of(run_of(done.request, KIND), done.facts, done.documents)


@pytest.mark.parametrize("name", NAMES)
def test_every_section_passes_its_contract(name: str) -> None:
    done = delivered(name)
    assert {p: pillar_problems(done, p) for p in Pillar} == {p: [] for p in Pillar}
    assert contract_problems(done, KIND) == []


@pytest.mark.parametrize("name", NAMES)
def test_each_item_names_known_requirements_a_figure_or_setting_and_a_page(name: str) -> None:
    done = delivered(name)
    known = set(requirement_ids(done.documents[Kind.REQUIREMENTS]))
    for pillar, text in done.pillars.items():
        items = list_items(text.replace(MARKER, ""))
        least = 3 if design(name).brief.tiny else LEAST  # a page needs no nine recommendations
        assert least <= len(items) <= MOST + EXTRA, (pillar, len(items))
        for item in items:
            named = set(requirement_references(item))
            assert named, item
            assert named <= known, item
            assert re.search(
                r"\]\(https://(?:docs\.cloud|firebase|developers)\.google\.com/", item
            ), item
            assert "{" not in item.replace("${", ""), item
        assert text.rstrip().endswith(MARKER)
        assert not re.search(r"^#", text, re.M)


def test_rules_name_modules_flags_and_values_that_exist() -> None:
    modules = {m.key for m in MODULES}
    flags = {s.value for s in Signal} | {w.value for w in Workload} | SWITCHES
    known = set().union(*(values_of(design(n)) for n in NAMES))
    known |= {"names", "name", "product", "slug", "many", "locked_days"}
    said = {f"said_{s.name.lower()}" for s in Signal}
    for pillar in Pillar:
        ids = [r.id for r in rules_of(pillar)]
        assert len(ids) == len(set(ids)), pillar
        for rule in rules_of(pillar):
            assert set(rule.products) <= modules, rule.id
            wanted = {w.lstrip("!") for w in rule.when if "has:" not in w}
            assert wanted <= flags, rule.id
            assert rule.fields <= known | said, (rule.id, rule.fields - known - said)


def test_flags_that_rules_can_ask_for_are_the_ones_that_are_made() -> None:
    made = set().union(*(flags_of(design(n)) for n in NAMES))
    assert made <= {s.value for s in Signal} | {w.value for w in Workload} | SWITCHES


def test_every_rule_says_something_of_the_request_in_each_sentence() -> None:
    """A sentence without any value would stand word for word in every guide."""
    bare = [
        (rule.id, sentence)
        for pillar in Pillar
        for rule in rules_of(pillar)
        for sentence in (*re.split(r"(?<=[.!?])\s", rule.text), rule.tradeoff)
        if sentence and "{" not in sentence
    ]
    assert bare == []


def test_the_knowledge_is_wide_enough_for_any_small_design() -> None:
    for pillar in Pillar:
        general = [r for r in rules_of(pillar) if not r.products]
        assert len(general) >= 4, pillar
        assert (FOLDER / f"{pillar.value}.yaml").exists()


def test_no_rule_speaks_of_a_figure_that_nobody_stated() -> None:
    words = values_of(design("club"))
    for pillar, text in delivered("club").pillars.items():
        for rule in rules_of(pillar):
            if (
                rule.fields
                - set(words)
                - {"names", "name", "product", "slug", "many", "locked_days"}
            ):
                assert _head(rule) not in text, rule.id


def _head(rule: Rule) -> str:
    """The title where it is fixed; a title with values is never found as it stands."""
    return f"**{rule.title}**"


@pytest.mark.parametrize(
    ("name", "pillar", "wanted"),
    [
        ("orders", Pillar.COST_OPTIMIZATION, "38,000"),
        ("orders", Pillar.RELIABILITY, "1 hour"),
        ("orders", Pillar.PERFORMANCE_OPTIMIZATION, "300 ms"),
        ("orders", Pillar.PERFORMANCE_OPTIMIZATION, "2,000 a second"),
        ("clicks", Pillar.RELIABILITY, "7 days"),
        ("saas", Pillar.PERFORMANCE_OPTIMIZATION, "250 ms"),
        ("warehouse", Pillar.PERFORMANCE_OPTIMIZATION, "140 GB"),
        ("telemetry", Pillar.PERFORMANCE_OPTIMIZATION, "65,000"),
        ("assistant", Pillar.COST_OPTIMIZATION, "14,000"),
        ("orders", Pillar.SECURITY, "Frankfurt"),
    ],
)
def test_figures_stand_where_they_matter(name: str, pillar: Pillar, wanted: str) -> None:
    text = delivered(name).pillars[pillar]
    if wanted == "Frankfurt":
        assert "europe-west3" in text
        assert "PCI DSS" in text
    else:
        assert wanted in text


def test_a_budget_gives_its_thresholds_in_money() -> None:
    text = delivered("orders").pillars[Pillar.COST_OPTIMIZATION]
    for amount in ("19,000 EUR", "30,400 EUR", "38,000 EUR"):
        assert amount in text


def test_the_merge_keeps_every_line_of_every_section() -> None:
    for name in NAMES:
        done = delivered(name)
        for pillar in Pillar:
            body = body_of(done.recommendations.content, pillar.heading)
            for line in done.pillars[pillar].replace(MARKER, "").strip().split("\n"):
                assert line.strip() in body, (name, pillar)


def test_conflicts_are_named_and_settled_at_the_end_of_their_section() -> None:
    done = delivered("orders")
    body = body_of(done.recommendations.content, Pillar.RELIABILITY.heading)
    last = list_items(body)[-1]
    assert last.startswith("**Against cost optimization**")
    assert "Settled for reliability" in last
    cheap = body_of(delivered("club").recommendations.content, Pillar.RELIABILITY.heading)
    assert "Settled for cost" in cheap


def test_a_missing_section_is_written_in_its_place() -> None:
    from agents.offline.recommendations import draft_recommendations
    from tests.support.offline_cases import bundle

    done = delivered("orders")
    some = {p: t for p, t in done.pillars.items() if p is not Pillar.SECURITY}
    draft = draft_recommendations(
        run_of(done.request, KIND), done.facts, drafted("orders"), some, bundle().catalogue
    )
    assert len(list_items(body_of(draft.content, Pillar.SECURITY.heading))) >= 5


def test_what_cannot_be_kept_is_said_first() -> None:
    text = delivered("saas").pillars[Pillar.RELIABILITY]
    assert "99.999" in text.split("\n")[0] + text.split("\n")[1]


def test_feedback_drops_adds_and_keeps_what_it_cannot_apply() -> None:
    before = delivered("orders").pillars[Pillar.SECURITY]
    done = again(
        "orders",
        feedback=(
            "Security: drop the recommendation about the record of who looked at what",
            "Security: the tone should be friendlier",
        ),
    )
    after = done.pillars[Pillar.SECURITY]
    assert "A record of who looked at what" in before
    assert "**A record of who looked at what" not in after
    assert 'Changed in this Revision: "Security: drop the recommendation about' in after
    assert 'Changed in this Revision: "Security: the tone should be friendlier"' in after
    other = done.pillars[Pillar.SUSTAINABILITY]
    assert "Changed in this Revision" not in other
    assert contract_problems(done, KIND) == []


def test_an_answer_changes_the_figures_of_every_section() -> None:
    done = again(
        "orders",
        answers=("The budget is 20,000 EUR a month.", "Use europe-west4."),
    )
    cost = done.pillars[Pillar.COST_OPTIMIZATION]
    assert "20,000 EUR" in cost
    assert "10,000 EUR" in cost
    assert "europe-west4" in done.pillars[Pillar.SECURITY]
    assert "Changed in this Revision" in done.recommendations.content
    assert contract_problems(done, KIND) == []


def test_two_requests_share_few_sentences() -> None:
    texts = {n: _sentences(delivered(n).recommendations.content) for n in NAMES}
    for first, second in itertools.combinations(NAMES, 2):
        shared = texts[first] & texts[second]
        share = len(shared) / min(len(texts[first]), len(texts[second]))
        assert share < 0.35, (first, second, share, sorted(shared)[:5])


def _sentences(text: str) -> set[str]:
    lines = [line.strip("- ") for line in text.split("\n") if line.startswith("- ")]
    return {s for line in lines for s in re.split(r"(?<=[.!?])\s+", line) if len(s) > 20}


def test_questions_are_real_and_carry_a_proposal() -> None:
    for name in NAMES:
        for question in delivered(name).recommendations.questions:
            assert question.text.endswith("?"), question
            assert question.why, question
            assert question.proposal, question
    assert delivered("orders").recommendations.questions
