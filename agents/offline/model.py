"""The offline planner as a model: what a model would be asked comes in, what it would say goes out.

It is no shortcut past the runtime: it reads the same prompt, sees the same tools and their replies,
and can do nothing but call tools. It is deterministic and names itself in all that it writes.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable
from functools import lru_cache
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from agents.offline.planner import Call, Exchange, Move, Say, Script, next_move
from agents.offline.specialists import Specialists
from agents.offline.turns import turn
from agents.prompts import read_task
from agents.runtime import AgentTask
from providers.bundle import Bundle

NAME = "offline-planner"


class OfflineModel(BaseLlm):
    """A deterministic stand-in for a language model (offline; no network, no weights)."""

    _specialists: Callable[[AgentTask], Script] = PrivateAttr()

    @classmethod
    def of(cls, bundle: Bundle) -> OfflineModel:
        """The planner over a provider bundle."""
        model = cls(model=NAME)
        model._specialists = Specialists(bundle)
        return model

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer with the next tool call, or with a last word."""
        task, past = _conversation(llm_request.contents)
        script = turn(task) if task.deliverable is None else self._specialists(task)
        yield _response(next_move(script, past))


def _conversation(contents: Iterable[types.Content]) -> tuple[AgentTask, list[Exchange]]:
    """The task of the first user message, and every call with its reply, in order."""
    task: AgentTask | None = None
    past: list[Exchange] = []
    for content in contents:
        for part in content.parts or ():
            if part.text and task is None and content.role == "user":
                task = _task(part.text)
            elif part.function_response is not None:
                response = part.function_response
                past.append(Exchange(response.name or "", dict(response.response or {})))
    if task is None:
        raise ValueError("the conversation holds no task")
    return task, past


@lru_cache(maxsize=32)
def _task(text: str) -> AgentTask:
    return read_task(text)


def _response(move: Move) -> LlmResponse:
    part: types.Part
    match move:
        case Call(tool, args):
            part = types.Part(function_call=types.FunctionCall(name=tool, args=_plain(dict(args))))
        case Say(text):
            part = types.Part(text=text)
    return LlmResponse(
        content=types.Content(role="model", parts=[part]),
        finish_reason=types.FinishReason.STOP,
    )


def _plain(args: dict[str, Any]) -> dict[str, Any]:
    """Arguments as a model's JSON would give them: no tuples, no enums."""
    plain: dict[str, Any] = json.loads(json.dumps(args))
    return plain
