"""Short ways to run a role on ADK with a scripted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.adk_runtime import AdkRuntime
from agents.runtime import (
    AgentTask,
    NeedsInput,
    Outcome,
    Question,
    RoleSpec,
    Submitted,
    ToolReply,
    ToolSpec,
    TurnEnded,
)
from tests.support.scripted_model import Answer, ScriptedModel

_OBJECT = {"type": "object", "additionalProperties": False}


def role(name: str = "cost-analyst", budget: int = 15, **more: Any) -> RoleSpec:
    """A role without a file; its name has a hyphen, as most have."""
    fields = {"deliverable": None, "instructions": "Do it."} | more
    return RoleSpec.model_validate({"role": name, "budget": budget} | fields)


def task(**more: Any) -> AgentTask:
    """A task with the least that it needs."""
    fields = {"execution_id": "e1", "run": "r1", "request": "Move it.", "interactive": True}
    return AgentTask.model_validate(fields | more)


class Desk:
    """Tools that note what really ran, in order, in ``ran``."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []

    def specs(self) -> list[ToolSpec]:
        number = {"type": "integer"}
        text = {"type": "string", "minLength": 1}
        questions = {"type": "array", "minItems": 1, "items": text}
        return [
            self.tool("echo", {"n": number}, self._echo),
            self.tool("submit_deliverable", {"content": text}, self._submit, ending=True),
            self.tool("needs_input", {"questions": questions}, self._ask, ending=True),
            self.tool("delegate", {"kinds": questions}, self._delegate, ending=True),
        ]

    def tool(
        self, name: str, properties: Mapping[str, Any], function: Any, ending: bool = False
    ) -> ToolSpec:
        async def call(args: Mapping[str, Any]) -> ToolReply:
            self.ran.append((name, dict(args)))
            return await function(args)

        schema = {**_OBJECT, "properties": dict(properties), "required": list(properties)}
        return ToolSpec(name, f"The tool {name}.", schema, call, ending=ending)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.ran]

    async def _echo(self, args: Mapping[str, Any]) -> ToolReply:
        return ToolReply({"n": args["n"]})

    async def _submit(self, args: Mapping[str, Any]) -> ToolReply:
        if "bad" in args["content"]:
            return ToolReply.refusal("The contract is not met.", problems=["no heading", "no id"])
        return ToolReply({"accepted": True}, outcome=Submitted(content=args["content"]))

    async def _ask(self, args: Mapping[str, Any]) -> ToolReply:
        questions = tuple(Question(text=text) for text in args["questions"])
        return ToolReply({"asked": len(questions)}, outcome=NeedsInput(questions=questions))

    async def _delegate(self, args: Mapping[str, Any]) -> ToolReply:
        return ToolReply({"delegated": args["kinds"]}, outcome=TurnEnded())


def runtime(model: Any, **more: Any) -> AdkRuntime:
    """A runtime whose roles all have this model."""
    return AdkRuntime(models=lambda _: model, **{"skills": {}, **more})


async def run(
    *answers: Answer,
    tools: Sequence[ToolSpec] | None = None,
    model: ScriptedModel | None = None,
    as_role: RoleSpec | None = None,
    on: AgentTask | None = None,
    **more: Any,
) -> Outcome:
    """One run of a role whose model gives these answers."""
    model = model or ScriptedModel(*answers)
    specs = Desk().specs() if tools is None else tools
    return await runtime(model, **more).run(as_role or role(), on or task(), specs)
