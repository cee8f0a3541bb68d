"""Answers against what was asked: told, accepted, left to the proposal, or kept as not clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.offline.facts import Facts, Measure
from agents.offline.reading import read
from agents.offline.reading.questions import ASKED, REGION_QUESTION
from agents.offline.requirements import draft_requirements
from agents.runtime import AgentTask, Answer
from engine.deliverables import Kind
from engine.documents import body_of
from providers.bundle import load_bundle

BUNDLE = load_bundle("gcp")
SHOP = "hello we need something for our shop, maybe 200 orders a day, wix is slow"


def understood(*answers: tuple[str, str], text: str = SHOP) -> Facts:
    return read(
        text,
        answers=tuple(Answer(question=q, answer=a) for q, a in answers),
        catalogue=BUNDLE.catalogue,
        regions=BUNDLE.regions,
    )


def asked(measure: Measure) -> str:
    return ASKED[measure].text.format(title="the web shop")


def written(*answers: tuple[str, str], text: str = SHOP, interactive: bool = False) -> str:
    facts = understood(*answers, text=text)
    return draft_requirements(task_for(text, interactive=interactive), facts).content


def task_for(text: str, *, interactive: bool) -> AgentTask:
    return AgentTask(
        execution_id="e1",
        run="r1",
        request=text,
        interactive=interactive,
        deliverable=Kind.REQUIREMENTS,
    )


@pytest.mark.parametrize(
    "said",
    ["i dont know", "I don't know", "?", "what do you mean by that?", "as you see fit", "no idea",
     "up to you", "not sure", "keine Ahnung", "whatever", "you decide", "dunno", "???",
     "I have no clue, sorry", "weiß nicht", "doesn't matter"],
)  # fmt: skip
@pytest.mark.parametrize("measure", [Measure.AVAILABILITY, Measure.RTO, Measure.BUDGET])
def test_who_does_not_know_gets_the_proposal(measure: Measure, said: str) -> None:
    facts = understood((asked(measure), said))
    assert facts.left_open == (asked(measure),)
    assert facts.overrides == facts.unclear == ()
    assert not any(said in c.text for c in facts.constraints)
    assert facts.figure(measure) is None
    assert facts.expected(measure) is not None


@pytest.mark.parametrize("said", ["ok", "yes", "sure", "fine by me", "that's fine", "go ahead"])
def test_a_yes_confirms_the_proposal(said: str) -> None:
    facts = understood((asked(Measure.RTO), said))
    assert facts.accepted == (asked(Measure.RTO),)
    assert facts.constraints == understood().constraints


@pytest.mark.parametrize(
    ("measure", "said"),
    [(Measure.RTO, "99.5"), (Measure.RPO, "just me."), (Measure.RTO, "nothing."),
     (Measure.TEAM, "50 euros"), (Measure.AVAILABILITY, "always"), (Measure.BUDGET, "little"),
     (Measure.LATENCY, "fast please"), (Measure.DATA_VOLUME, "not much")],
)  # fmt: skip
def test_what_is_not_understood_is_no_requirement(measure: Measure, said: str) -> None:
    facts = understood((asked(measure), said))
    assert facts.unclear == ((asked(measure), said),)
    assert facts.overrides == ()
    assert facts.figure(measure) is None
    assert facts.constraints == understood().constraints


@pytest.mark.parametrize(
    ("measure", "said", "value"),
    [(Measure.RPO, "nothing", 0), (Measure.RPO, "none", 0), (Measure.RPO, "0", 0),
     (Measure.RPO, "we must not lose anything", 0), (Measure.RPO, "an hour", 3600),
     (Measure.TEAM, "just me", 1), (Measure.BUDGET, "50 euros", 50), (Measure.BUDGET, "50", 50),
     (Measure.RTO, "half a day", 43_200), (Measure.AVAILABILITY, "99.5", 99.5)],
)  # fmt: skip
def test_an_answer_is_parsed_for_what_was_asked(measure: Measure, said: str, value: float) -> None:
    facts = understood((asked(measure), said))
    figure = facts.figure(measure)
    assert figure is not None
    assert figure.value == value
    assert facts.unclear == ()


def test_enter_takes_the_proposal_and_closes_the_question() -> None:
    first = draft_requirements(task_for(SHOP, interactive=True), understood())
    facts = understood(*((q.text, q.proposal) for q in first.questions))
    assert len(facts.accepted) == len(first.questions) >= 3
    assert facts.constraints == understood().constraints
    again = draft_requirements(task_for(SHOP, interactive=False), facts).content
    still = body_of(again, "Contradictions and open questions")
    assert isinstance(still, str)
    assert not any(q.text in still for q in first.questions)
    assert "Confirmed by the user" in again


def test_an_open_answer_is_shown_as_open() -> None:
    content = written((asked(Measure.BUDGET), "little"))
    still = body_of(content, "Contradictions and open questions")
    assert isinstance(still, str)
    assert "The answer “little” gives no value" in still
    assert "Budget a month: little" not in content


def test_what_was_left_to_us_is_an_assumption() -> None:
    content = written((asked(Measure.BUDGET), "i dont know"))
    held = body_of(content, "Assumptions")
    assert isinstance(held, str)
    assert "The user was asked and left it to this proposal." in held
    assert "dont know" not in content


def test_a_region_answer_that_names_no_place_is_open() -> None:
    question = REGION_QUESTION.format(title="the web shop")
    assert understood((question, "at home")).unclear == ((question, "at home"),)
    assert understood((question, "Madrid")).regions == ("europe-southwest1",)
    assert understood((question, "no idea")).left_open == (question,)


def test_a_shop_owner_is_asked_what_is_sold_and_not_for_percentiles() -> None:
    questions = draft_requirements(task_for(SHOP, interactive=True), understood()).questions
    texts = " ".join(f"{q.text} {q.why}" for q in questions)
    assert "sell, and how do people pay" in texts
    assert "cost a month" in texts
    assert "replace what is used today" in texts
    assert not any(
        word in texts for word in ("percentile", "RPO", "RTO", "{title}", "one more nine")
    )


@pytest.mark.parametrize("name", ["order-platform-migration", "rag-assistant"])
def test_the_budget_is_asked_first_where_it_is_missing(name: str) -> None:
    text = (Path(__file__).parents[2] / "examples" / f"{name}.md").read_text()
    bare = "\n".join(line for line in text.splitlines() if "EUR" not in line)
    facts = understood(text=bare)
    questions = draft_requirements(task_for(bare, interactive=True), facts).questions
    assert not any("{title}" in f"{q.text}{q.why}" for q in questions)
    if facts.figure(Measure.BUDGET) is None:
        assert any("cost a month" in q.text for q in questions)
