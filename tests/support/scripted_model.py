"""A model without a network: it gives the answers of a script, one for each request.

An answer is an LlmResponse, an exception to raise, or a function of the request that gives either.
After the script's end the last answer is given again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from google.adk.models._capabilities import LlmCapabilities
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

Answer = LlmResponse | Exception | Callable[[LlmRequest], "LlmResponse | Exception"]


class ScriptedModel(BaseLlm):
    """Gives scripted answers and keeps the requests; ``seconds`` is how long each takes."""

    model: str = "scripted"
    seconds: float = 0.0
    _answers: list[Answer] = PrivateAttr()
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    def __init__(self, *answers: Answer, seconds: float = 0.0) -> None:
        super().__init__(seconds=seconds)
        self._answers = list(answers)

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities(output_schema_and_tools=False)

    @property
    def requests(self) -> Sequence[LlmRequest]:
        return self._requests

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        copied = llm_request.model_copy(update={"contents": list(llm_request.contents)})
        self._requests.append(copied)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        answer = self._answers[min(len(self._requests), len(self._answers)) - 1]
        if callable(answer):
            answer = answer(llm_request)
        if isinstance(answer, Exception):
            raise answer
        yield answer.model_copy(deep=True)


def text(words: str, **more: Any) -> LlmResponse:
    """An answer of words."""
    return _answer([types.Part(text=words)], **more)


def call(name: str, /, **args: Any) -> LlmResponse:
    """An answer of one tool call."""
    return calls((name, args))


def calls(*wanted: tuple[str, dict[str, Any] | None], **more: Any) -> LlmResponse:
    """An answer of several tool calls at once."""
    parts = [types.Part(function_call=types.FunctionCall(name=n, args=a)) for n, a in wanted]
    return _answer(parts, **more)


def cut(reason: types.FinishReason, words: str = "") -> LlmResponse:
    """An answer that broke off, as google-genai reports it: with words, or with an error code."""
    if words:
        return text(words, finish_reason=reason)
    return LlmResponse(error_code=reason, error_message="broke off", finish_reason=reason)


def _answer(parts: list[types.Part], **more: Any) -> LlmResponse:
    more.setdefault("finish_reason", types.FinishReason.STOP)
    return LlmResponse(content=types.Content(role="model", parts=parts), **more)


def usage(
    prompt: int, candidates: int, thoughts: int
) -> types.GenerateContentResponseUsageMetadata:
    """Token counts as a provider reports them."""
    return types.GenerateContentResponseUsageMetadata(
        prompt_token_count=prompt,
        candidates_token_count=candidates,
        thoughts_token_count=thoughts,
    )


def system_instruction(request: LlmRequest) -> str:
    """The system instruction of a request, as text."""
    return str(request.config.system_instruction or "")


def declared(request: LlmRequest) -> list[str]:
    """The names of the tools that a request offers."""
    return [
        declaration.name or ""
        for tool in request.config.tools or []
        for declaration in tool.function_declarations or []
    ]


def results(request: LlmRequest) -> list[dict[str, Any]]:
    """All tool results in a request, in order."""
    return [
        part.function_response.response or {}
        for content in request.contents
        for part in content.parts or []
        if part.function_response
    ]


def said(request: LlmRequest) -> list[str]:
    """All user messages in a request."""
    return [
        part.text
        for content in request.contents
        for part in content.parts or []
        if content.role == "user" and part.text
    ]
