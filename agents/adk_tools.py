"""Neutral tools under ADK, and the rules that every call of a run is held to.

`RunState` is what one run knows of itself: its calls, its outcome, why it must end. `RunGuard` is
the ADK plugin that holds all calls to it, those of Skills, of remote tools and of names that do not
exist included.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from agents.adk_models import clean, clean_value
from agents.runtime import AgentError, AgentFailed, Outcome, ToolCall, ToolSpec

log = logging.getLogger(__name__)

SAME_CALLS = 2
"""How often a call with the same arguments is carried out before something new must succeed."""
SHOWN_PROBLEMS = 8
RUN_ENDED = "This run has ended already; nothing more is carried out."
RESERVED = frozenset({"transfer_to_agent", "set_model_response", "finish_task"})
"""Names that ADK gives a meaning of its own."""


class ToolClash(AgentFailed):
    """Two tools of a run have the same name; ADK would let the last one win in silence."""

    def __init__(self, names: Iterable[str]) -> None:
        listed = ", ".join(sorted(set(names)))
        super().__init__(
            f"tool names must be unique in a run, and these are not: {listed}; give remote tools "
            "a prefix, and rename or drop the others"
        )


@dataclass
class RunState:
    """One run: its budget in calls, the calls made, and how it ends.

    The first outcome counts. ``failure`` is an error that a tool raised to end the run.
    """

    budget: int
    calls: list[ToolCall] = field(default_factory=list)
    skills: list[str] = field(default_factory=list)
    outcome: Outcome | None = None
    failure: AgentError | None = None
    exhausted: bool = False
    refusal: str = ""
    names: tuple[str, ...] = ()
    ending: asyncio.Lock = field(default_factory=asyncio.Lock)
    _known: set[str] = field(default_factory=set)
    _same: Counter[str] = field(default_factory=Counter)
    _open: dict[int, tuple[int, str]] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether no further call may be carried out."""
        return self.outcome is not None or self.failure is not None or self.exhausted

    def begin(self, name: str, args: Mapping[str, Any], context: ToolContext) -> str | None:
        """Admit a call, or say why it is refused. Every call counts, refused or not."""
        if self.over:
            return RUN_ENDED
        if len(self.calls) >= self.budget:
            self.exhausted = True
            return f"The budget of {self.budget} tool calls is used up."
        key = f"{name} {json.dumps(args, sort_keys=True, default=str)}"
        first = key not in self._known
        self._known.add(key)
        self._same[key] += 1
        repeated = self._same[key] > SAME_CALLS
        if not repeated:
            self._open[id(context)] = (len(self.calls), key if first else "")
        self.calls.append(ToolCall(tool=clean(name)[:100], ok=False))
        if repeated:
            return (
                f"{name} was called with the same arguments {self._same[key] - 1} times already, "
                "and the answer will not change. Use the answers that you have, change the "
                "arguments, or do something else."
            )
        return None

    def end(self, context: ToolContext, result: Any) -> None:
        """Note what became of a call."""
        index, new = self._open.pop(id(context), (-1, ""))
        if index < 0:  # it was not admitted
            return
        failed = isinstance(result, Mapping) and ("error" in result or result.get("isError"))
        if failed:
            self.refusal = _told(result)
            return
        self.calls[index] = self.calls[index].model_copy(update={"ok": True})
        if new:
            # Something new succeeded, so an old question may have a new answer.
            self._same = Counter({new: self._same[new]})

    def summary(self, missing: str) -> str:
        """What was called, how it went, and what is missing, for the user."""
        made = Counter(call.tool for call in self.calls)
        refused = Counter(call.tool for call in self.calls if not call.ok)
        listed = ", ".join(
            f"{name} ×{count}" + (f" ({refused[name]} refused)" if refused[name] else "")
            for name, count in made.items()
        )
        last = f" The last refusal: {self.refusal}" if self.refusal else ""
        return (
            f"All {self.budget} tool calls of the run are used up: {listed}. "
            f"Missing: {missing}.{last}"
        )


def _told(result: Mapping[str, Any]) -> str:
    problems = result.get("problems")
    texts = [str(result.get("error", result.get("content", "")))]
    if isinstance(problems, Sequence) and not isinstance(problems, str):
        texts += [f"- {problem}" for problem in problems[:SHOWN_PROBLEMS]]
    return clean(" ".join(texts))[:1500]


class NeutralTool(BaseTool):
    """A ToolSpec as an ADK tool: arguments are checked, errors are answers, an outcome ends it."""

    def __init__(self, spec: ToolSpec, state: RunState) -> None:
        super().__init__(name=spec.name, description=spec.description)
        self._spec = spec
        self._state = state
        self._validator = Draft202012Validator(spec.parameters)
        self._declaration = types.FunctionDeclaration(
            name=spec.name,
            description=spec.description,
            parameters_json_schema=dict(spec.parameters),
        )

    def _get_declaration(self) -> types.FunctionDeclaration:
        return self._declaration

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        """Carry out one call; what comes back is for the model."""
        problems = [_problem(e) for e in self._validator.iter_errors(args)]
        if problems:
            return {
                "error": f"The arguments of {self.name} do not fit its schema; nothing was done.",
                "problems": problems[:SHOWN_PROBLEMS],
            }
        if not self._spec.ending:
            return await self._call(args, tool_context)
        # One after the other, in the order of the calls: the first that is accepted ends the run.
        async with self._state.ending:
            if self._state.over:
                return {"error": RUN_ENDED}
            return await self._call(args, tool_context)

    async def _call(self, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        state = self._state
        try:
            reply = await self._spec.call(args)
        except AgentError as error:
            # Raised further it would cancel the calls made beside it.
            state.failure = state.failure or error
            tool_context.actions.skip_summarization = True
            return {"error": str(error)}
        if reply.outcome is not None and state.outcome is None:
            state.outcome = reply.outcome
            # ADK ends an agent's run for this, and not for `escalate`.
            tool_context.actions.skip_summarization = True
        content = {str(key): clean_value(value) for key, value in reply.content.items()}
        if not reply.ok:
            content.setdefault("error", "refused")
        return content


def _problem(error: ValidationError) -> str:
    """One fault in the arguments, short: a message may quote a whole document."""
    place = error.json_path.removeprefix("$").lstrip(".") or "arguments"
    message = error.message
    if len(message) > 200:
        message = f"must satisfy {error.validator}: {json.dumps(error.validator_value)[:150]}"
    return clean(f"{place}: {message}")


class RunGuard(BasePlugin):
    """Holds every call of one run to its RunState.

    A callback's return value replaces what it is about, an empty dict too; so each returns None
    unless it means to replace.
    """

    def __init__(self, state: RunState) -> None:
        super().__init__(name="run_guard")
        self._state = state

    async def before_model_callback(
        self, *, callback_context: Any, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Refuse to go on if two tools share a name, since the last would win in silence."""
        names = [
            declaration.name or ""
            for tool in llm_request.config.tools or ()
            if isinstance(tool, types.Tool)
            for declaration in tool.function_declarations or ()
        ]
        self._state.names = tuple(names)
        clashes = [name for name, count in Counter(names).items() if count > 1]
        if not clashes:
            return None
        self._state.failure = ToolClash(clashes)
        return LlmResponse(error_code="TOOL_CLASH", error_message=str(self._state.failure))

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Count the call; refuse it when the run is over, the budget used up, or it repeats."""
        refusal = self._state.begin(tool.name, tool_args, tool_context)
        if refusal is None:
            return None
        if self._state.over:
            tool_context.actions.skip_summarization = True
        return {"error": refusal}

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: Any,
    ) -> None:
        """Record how the call went, and a Skill that was loaded."""
        self._state.end(tool_context, result)
        if tool.name == "load_skill" and isinstance(result, Mapping) and "instructions" in result:
            name = str(result.get("skill_name"))
            if name not in self._state.skills:
                self._state.skills.append(name)

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> dict[str, Any] | None:
        """A tool that is not there or that raised: an answer, so that calls beside it live on."""
        if isinstance(error, asyncio.CancelledError):
            return None
        if tool.name not in self._state.names:
            known = ", ".join(self._state.names)
            answer = {"error": f"There is no tool {clean(tool.name)[:100]!r}. The tools: {known}."}
        else:
            log.error("tool %s raised", tool.name, exc_info=error)
            reason = f"{type(error).__name__}: {clean(str(error))[:200]}"
            answer = {
                "error": f"{tool.name} failed ({reason}). Try another way, or go on without it "
                "and say so."
            }
        self._state.end(tool_context, answer)
        return answer


def check_names(tools: Iterable[ToolSpec], others: Iterable[str]) -> None:
    """Raise ToolClash if tools share a name, or have one that is taken."""
    names = Counter([*(tool.name for tool in tools), *others, *RESERVED])
    if clashes := [name for name, count in names.items() if count > 1]:
        raise ToolClash(clashes)
