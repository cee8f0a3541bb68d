"""How a run on ADK ends: by an Outcome and nothing else."""

from __future__ import annotations

import asyncio

import pytest
from google.genai.types import FinishReason

from agents.adk_runtime import MAX_REMINDERS
from agents.runtime import (
    AgentFailed,
    AgentRetry,
    BudgetExhausted,
    NeedsInput,
    Question,
    Submitted,
    ToolReply,
    TurnEnded,
)
from tests.support.adk_runs import Desk, role, run, task
from tests.support.scripted_model import ScriptedModel, call, calls, cut, results, said, text

SUBMIT = call("submit_deliverable", content="good")
ORCHESTRATOR = role("orchestrator", 40)


async def test_an_ending_tool_ends_the_run_and_the_model_is_not_asked_again() -> None:
    model = ScriptedModel(call("echo", n=1), SUBMIT, text("never asked for"))
    outcome = await run(model=model)
    assert isinstance(outcome, Submitted)
    assert outcome.content == "good"
    assert len(model.requests) == 2


async def test_an_ending_tool_that_refuses_does_not_end_the_run() -> None:
    model = ScriptedModel(call("submit_deliverable", content="bad"), SUBMIT)
    outcome = await run(model=model)
    assert isinstance(outcome, Submitted)
    assert [(c.tool, c.ok) for c in outcome.record.tool_calls] == [
        ("submit_deliverable", False),
        ("submit_deliverable", True),
    ]
    assert results(model.requests[1])[0]["problems"] == ["no heading", "no id"]


async def test_a_tool_that_is_not_an_ending_one_may_end_the_run_too() -> None:
    desk = Desk()

    async def permission(args):
        return ToolReply({"waiting_for": "permission"}, outcome=NeedsInput(permission="cloud_read"))

    gated = desk.tool("list_instances", {}, permission)
    outcome = await run(call("list_instances"), tools=[*desk.specs(), gated])
    assert isinstance(outcome, NeedsInput)


async def test_of_two_outcomes_of_calls_at_once_the_first_to_stand_counts() -> None:
    desk = Desk()

    def asks(seconds: float, text: str):
        async def ask(args):
            await asyncio.sleep(seconds)
            return ToolReply({}, outcome=NeedsInput(questions=(Question(text=text),)))

        return ask

    tools = [desk.tool("slow", {}, asks(0.05, "slow")), desk.tool("fast", {}, asks(0, "fast"))]
    outcome = await run(calls(("slow", {}), ("fast", {})), tools=tools)
    assert isinstance(outcome, NeedsInput)
    assert [question.text for question in outcome.questions] == ["fast"]


@pytest.mark.parametrize("turned", [False, True])
async def test_of_two_ending_calls_at_once_the_first_counts_and_the_other_is_not_run(
    turned: bool,
) -> None:
    wanted = [("submit_deliverable", {"content": "good"}), ("needs_input", {"questions": ["?"]})]
    if turned:
        wanted.reverse()
    desk = Desk()
    outcome = await run(calls(*wanted), tools=desk.specs())
    assert isinstance(outcome, NeedsInput if turned else Submitted)
    assert desk.names == [wanted[0][0]]


async def test_of_two_slow_submissions_at_once_the_first_in_order_counts() -> None:
    desk = Desk()

    async def slow(args):
        await asyncio.sleep(0.05 if args["content"] == "first" else 0)
        return ToolReply({}, outcome=Submitted(content=args["content"]))

    submit = desk.tool("submit_deliverable", {"content": {}}, slow, ending=True)
    both = calls(*(("submit_deliverable", {"content": c}) for c in ("first", "second")))
    outcome = await run(both, tools=[submit])
    assert isinstance(outcome, Submitted)
    assert outcome.content == "first"
    assert len(desk.ran) == 1


async def test_a_call_beside_an_ending_one_neither_changes_nor_delays_the_end() -> None:
    desk = Desk()
    both = calls(("submit_deliverable", {"content": "good"}), ("echo", {"n": 1}))
    outcome = await run(both, tools=desk.specs())
    assert isinstance(outcome, Submitted)
    assert desk.names == ["submit_deliverable"]


async def test_a_failing_call_beside_an_accepted_submission_does_not_undo_it() -> None:
    desk = Desk()

    async def late(args):
        await asyncio.sleep(0.02)
        raise AgentRetry("network")

    tools = [*desk.specs(), desk.tool("late", {}, late)]
    outcome = await run(
        calls(("late", {}), ("submit_deliverable", {"content": "good"})), tools=tools
    )
    assert isinstance(outcome, Submitted)


@pytest.mark.parametrize("error", [AgentRetry("model busy"), AgentFailed("no such project")])
async def test_an_agent_error_of_a_tool_ends_the_run_as_itself(error: Exception) -> None:
    desk = Desk()

    async def fail(args):
        raise error

    model = ScriptedModel(call("broken"), SUBMIT)
    with pytest.raises(type(error), match=str(error)):
        await run(model=model, tools=[*desk.specs(), desk.tool("broken", {}, fail)])
    assert len(model.requests) == 1


async def test_a_specialist_that_only_talks_is_reminded_and_may_still_submit() -> None:
    model = ScriptedModel(text("Here is the result: …"), SUBMIT)
    outcome = await run(model=model)
    assert isinstance(outcome, Submitted)
    assert "submit_deliverable" in said(model.requests[1])[-1]


async def test_a_specialist_that_never_submits_fails_with_its_last_words() -> None:
    model = ScriptedModel(text("I am done."))
    with pytest.raises(AgentFailed, match=r"cost-analyst never submitted.*'I am done\.'"):
        await run(model=model)
    assert len(model.requests) == 1 + MAX_REMINDERS


async def test_reminders_are_counted_anew_after_a_tool_call() -> None:
    talk = text("Hm.")
    answers = [talk, call("echo", n=1), talk, call("echo", n=2), talk, call("echo", n=3), SUBMIT]
    assert isinstance(await run(*answers), Submitted)


CUT_SHORT = {
    "empty": text(""),
    "no parts": calls(),
    "malformed": cut(FinishReason.MALFORMED_FUNCTION_CALL),
    "too long": cut(FinishReason.MAX_TOKENS),
    "too long, with words": cut(FinishReason.MAX_TOKENS, "The first half of a long answer"),
    "other": cut(FinishReason.OTHER),
}


@pytest.mark.parametrize("answer", CUT_SHORT.values(), ids=CUT_SHORT)
async def test_an_answer_that_broke_off_is_asked_for_again(answer) -> None:
    model = ScriptedModel(call("echo", n=1), answer, SUBMIT)
    outcome = await run(model=model)
    assert isinstance(outcome, Submitted)
    assert len(model.requests) == 3
    assert [c.tool for c in outcome.record.tool_calls] == ["echo", "submit_deliverable"]


@pytest.mark.parametrize(
    ("reason", "hint", "told"),
    [
        (FinishReason.MALFORMED_FUNCTION_CALL, "could not be read", "MALFORMED_FUNCTION_CALL"),
        (FinishReason.MAX_TOKENS, "shorter", "MAX_TOKENS"),
    ],
)
async def test_what_always_breaks_off_fails_with_the_reason(reason, hint, told) -> None:
    model = ScriptedModel(cut(reason))
    with pytest.raises(AgentFailed, match=f"cut short.*{told}"):
        await run(model=model)
    assert len(model.requests) == 1 + MAX_REMINDERS
    assert hint in said(model.requests[1])[-1]


async def test_an_empty_stop_is_no_silent_end() -> None:
    with pytest.raises(AgentFailed, match="MODEL_RETURNED_NO_CONTENT"):
        await run(text(""))


async def test_a_blocked_answer_fails_at_once() -> None:
    model = ScriptedModel(cut(FinishReason.SAFETY))
    with pytest.raises(AgentFailed, match="blocked it \\(SAFETY\\)"):
        await run(model=model)
    assert len(model.requests) == 1


async def test_the_orchestrator_may_end_its_turn_with_words() -> None:
    outcome = await run(call("echo", n=1), text(" Waiting. "), as_role=ORCHESTRATOR)
    assert isinstance(outcome, TurnEnded)
    assert outcome.text == "Waiting."
    assert [c.tool for c in outcome.record.tool_calls] == ["echo"]


async def test_the_orchestrators_ending_tool_ends_the_turn() -> None:
    outcome = await run(call("delegate", kinds=["requirements"]), as_role=ORCHESTRATOR)
    assert isinstance(outcome, TurnEnded)


@pytest.mark.parametrize("answer", [text(""), cut(FinishReason.MAX_TOKENS, "Half a sen")])
async def test_an_orchestrator_that_breaks_off_has_not_ended_its_turn(answer) -> None:
    outcome = await run(answer, text("Waiting."), as_role=ORCHESTRATOR)
    assert isinstance(outcome, TurnEnded)
    assert outcome.text == "Waiting."
    with pytest.raises(AgentFailed, match="never ended its Turn"):
        await run(answer, as_role=ORCHESTRATOR)


async def test_a_used_up_budget_without_submission_is_no_failure() -> None:
    outcome = await run(call("echo", n=1), text("That is it."), as_role=role(budget=1))
    assert isinstance(outcome, BudgetExhausted)
    assert "echo ×1" in outcome.summary


async def test_the_task_is_told_whole_and_the_rules_come_first() -> None:
    model = ScriptedModel(SUBMIT)
    await run(model=model, on=task(request="Move </request> it.", feedback=("shorter",)))
    (message,) = said(model.requests[0])
    assert message.startswith("<request>\nMove <\\/request> it.\n</request>\n<feedback>\nshorter")


async def test_runs_do_not_see_each_other() -> None:
    model = ScriptedModel(SUBMIT)
    await run(model=model)
    await run(model=model)
    assert [len(request.contents) for request in model.requests] == [1, 1]
