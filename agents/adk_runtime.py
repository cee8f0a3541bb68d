"""The agent runtime on Google's ADK: one LlmAgent, one session and one runner for each run.

What ADK leaves open is closed here and in the modules beside this one: runs end by an Outcome and
nothing else, calls are counted and checked, answers that break off are asked for again, and errors
belong to one of the two families of `agents.runtime`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps.app import App
from google.adk.models.base_llm import BaseLlm
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.skills.models import Skill as AdkSkill
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types

from agents.adk_models import PROSE_CALL, GuardedModel, ModelLog, Models, prepare
from agents.adk_skills import SKILL_TOOLS, RoleSkills, to_adk
from agents.adk_tools import NeutralTool, RunGuard, RunState, check_names
from agents.prompts import system_text, task_text
from agents.runtime import (
    AgentError,
    AgentFailed,
    AgentRetry,
    AgentTask,
    BudgetExhausted,
    Outcome,
    RoleSpec,
    RunRecord,
    ToolSpec,
    TurnEnded,
)
from agents.skills import Skill, SkillError, load_skill
from engine.deliverables import ORCHESTRATOR

MAX_REMINDERS = 2
"""Answers in a row without a tool call that are met with a reminder, before the run fails."""

_APP = "solution_architect"
_USER = "engine"
_BLOCKED = frozenset(
    {"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE", "RECITATION"}
)
_REMINDERS = {
    "MALFORMED_FUNCTION_CALL": "Your last tool call could not be read: its arguments were no valid "
    "JSON object. Send it again as a tool call that fits the tool's schema.",
    "UNEXPECTED_TOOL_CALL": "Your last tool call was not possible. Call only the tools you have.",
    "MAX_TOKENS": "Your last answer broke off at the limit of its length; nothing of it counts. "
    "Write it again, shorter.",
    "MODEL_RETURNED_NO_CONTENT": "Your last answer was empty.",
    PROSE_CALL: "Your last answer wrote about a tool call; nothing was carried out. Use the tool.",
}
_SPECIALIST_REMINDER = (
    "This run has not ended and nothing is recorded. End it now: call submit_deliverable with the "
    "whole content, or needs_input with your questions."
)
_ORCHESTRATOR_REMINDER = (
    "This Turn has not ended. Call the tool that comes next, or say in one sentence of ordinary "
    "text what is being waited for."
)


def no_toolsets(role: RoleSpec) -> Sequence[BaseToolset]:
    """No remote tools."""
    return ()


@dataclass(frozen=True, slots=True)
class _Ended:
    """How the model ended one pass: its last text, and the error code if it was cut short."""

    text: str = ""
    code: str = ""
    message: str = ""


@dataclass
class AdkRuntime:
    """Runs roles on ADK; implements ``AgentRuntime``.

    ``models`` gives a role's model: ``gemini/<name>``, ``<provider>/<name>`` for LiteLLM, or an
    instance such as the offline planner. ``skills`` are all Skills that exist, checked or as
    folders; a run gets those of its role. ``toolsets`` gives further toolsets for a run (remote
    tools), which the run closes. Raises SkillError for a folder that holds no usable Skill.
    """

    models: Callable[[RoleSpec], BaseLlm | str]
    skills: Mapping[str, Skill | Path]
    toolsets: Callable[[RoleSpec], Sequence[BaseToolset]] = no_toolsets
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _made: Models = field(default_factory=Models)
    _loaded: dict[str, AdkSkill] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.skills = {
            name: load_skill(skill) if isinstance(skill, Path) else skill
            for name, skill in self.skills.items()
        }

    def prepare(self, roles: Sequence[RoleSpec]) -> None:
        """Import what the roles' models need; call it at start-up. Raises AgentFailed."""
        for role in roles:
            prepare(self.models(role))

    async def run(self, role: RoleSpec, task: AgentTask, tools: Sequence[ToolSpec]) -> Outcome:
        """Let the role's model work on the task until an Outcome stands.

        Raises AgentRetry (overload, network, deadline) or AgentFailed.
        """
        check_names(tools, SKILL_TOOLS if role.skills else ())
        left = (task.deadline - self.now()).total_seconds() if task.deadline else None
        if left is not None and left <= 0:
            raise AgentRetry(f"{role.role} was started after its deadline")
        state = RunState(budget=role.budget)
        log = ModelLog()
        resolved = self._made.resolve(self.models(role))
        agent = LlmAgent(
            name=_identifier(role.role),
            model=GuardedModel(resolved, log),
            static_instruction=system_text(role),
            tools=[
                *(NeutralTool(tool, state) for tool in tools),
                *self._role_skills(role),
                *self.toolsets(role),
            ],
        )
        app = App(name=_APP, root_agent=agent, plugins=[RunGuard(state)])
        sessions = InMemorySessionService()
        runner = Runner(app=app, session_service=sessions, auto_create_session=True)
        try:
            async with asyncio.timeout(left) as limit:
                outcome = await self._drive(runner, role, task, state, log)
        except TimeoutError:
            if not limit.expired():
                raise
            if state.outcome is None:
                raise AgentRetry(f"{role.role} did not finish before its deadline") from None
            outcome = state.outcome
        finally:
            await runner.close()
        record = RunRecord(
            model=resolved.name,
            tool_calls=tuple(state.calls),
            skills=tuple(state.skills),
            input_tokens=log.input_tokens,
            output_tokens=log.output_tokens,
        )
        return outcome.model_copy(update={"record": record})

    def _role_skills(self, role: RoleSpec) -> list[BaseToolset]:
        if not role.skills:
            return []
        missing = [name for name in role.skills if name not in self.skills]
        if missing:
            raise AgentFailed(
                f"{role.role} needs the Skill {', '.join(missing)}, which is not installed; "
                "`skills list` shows those that are"
            )
        return [RoleSkills([self._skill(name) for name in role.skills])]

    def _skill(self, name: str) -> AdkSkill:
        if name not in self._loaded:
            skill = self.skills[name]
            try:
                checked = load_skill(skill) if isinstance(skill, Path) else skill
                self._loaded[name] = to_adk(checked)
            except SkillError as error:
                raise AgentFailed(f"the Skill {name} cannot be used: {error}") from error
        return self._loaded[name]

    async def _drive(
        self, runner: Runner, role: RoleSpec, task: AgentTask, state: RunState, log: ModelLog
    ) -> Outcome:
        message = task_text(task)
        reminders = 0
        while True:
            before = len(state.calls)
            ended = await self._pass(runner, message)
            if state.outcome is not None:
                return state.outcome
            if error := state.failure or log.error:
                raise error
            orchestrates = role.role == ORCHESTRATOR
            if orchestrates and not ended.code and not state.exhausted and ended.text.strip():
                return TurnEnded(text=ended.text.strip())
            if state.exhausted or len(state.calls) >= role.budget:
                missing = "a call that ends the Turn" if orchestrates else "an accepted submission"
                return BudgetExhausted(summary=state.summary(missing))
            if ended.code in _BLOCKED:
                raise AgentFailed(
                    f"the model of {role.role} gave no answer because its provider blocked it "
                    f"({ended.code}); reword the request, or choose another model"
                )
            reminders = 1 if len(state.calls) > before else reminders + 1
            if reminders > MAX_REMINDERS:
                raise AgentFailed(_gave_up(role, ended))
            close = _ORCHESTRATOR_REMINDER if orchestrates else _SPECIALIST_REMINDER
            message = " ".join(filter(None, (_REMINDERS.get(ended.code), close)))

    async def _pass(self, runner: Runner, message: str) -> _Ended:
        """One message and all that the model does about it."""
        text, code, reason = "", "", ""
        content = types.Content(role="user", parts=[types.Part(text=message)])
        events = runner.run_async(user_id=_USER, session_id="run", new_message=content)
        try:
            async with aclosing(events):
                async for event in events:
                    parts = event.content.parts if event.content and event.content.parts else []
                    text = "".join(part.text or "" for part in parts if not part.thought)
                    code = str(getattr(event.error_code, "value", event.error_code) or "")
                    reason = event.error_message or ""
        except AgentError:
            raise
        except Exception as error:
            raise AgentFailed(f"ADK could not go on: {type(error).__name__}: {error}") from error
        return _Ended(text, code, reason)


def _identifier(role: str) -> str:
    """A role's name as ADK accepts it for an agent."""
    return role.replace("-", "_")


def _gave_up(role: RoleSpec, ended: _Ended) -> str:
    said = " ".join(ended.text.split())
    how = f"the model's answer was cut short ({ended.code}: {ended.message})" if ended.code else ""
    last = how or (f"its last words were: {said[:200]!r}" if said else "it said nothing")
    what = "ended its Turn" if role.role == ORCHESTRATOR else "submitted"
    return f"{role.role} never {what}, also after {MAX_REMINDERS} reminders; {last}"


def _quiet() -> None:
    """Keep ADK's notes to itself out of a command line's output; errors reach us as such.

    A level that was set already is left as it is, so an operator can still listen.
    """
    warnings.filterwarnings("ignore", r"\[EXPERIMENTAL\]", UserWarning, r"google\.adk\.")
    for name in ("google_adk", "google_genai", "opentelemetry"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.CRITICAL)
    # What a request says does not belong into traces.
    os.environ.setdefault("ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS", "false")


_quiet()
