"""The models behind the ADK runtime: names become models, and one wrapper guards every answer.

Model classes raise errors of a dozen libraries, make calls of what the model only wrote about, and
pass on text that no document can hold. `GuardedModel` makes one kind of thing of all.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import os
import random
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from agents.runtime import AgentError, AgentFailed, AgentRetry

GEMINI_PREFIX = "gemini/"
RETRIED_STATUSES = (429, 500, 502, 503, 504)
PROSE_CALL = "CALL_IN_TEXT"
"""Our error code for an answer whose calls were only written about."""
CALL_FAILED = "MODEL_CALL_FAILED"
"""Our error code for an answer that stands in for an exception."""

_LITELLM_LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")
_SECRET = re.compile(r"(?i)\b(key|token|authorization|bearer)([=:\s]+)[^\s&\"',]{6,}")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A model that is ready to be called in one run.

    ``native_calls`` tells whether the function calls of the last answer came as such, and not out
    of its text. ``adds_thoughts``: whether thinking tokens are missing in the answer's own count.
    ``pauses`` are the seconds to wait before each further attempt, for models that do not retry by
    themselves.
    """

    llm: BaseLlm
    name: str
    native_calls: Callable[[], bool] = lambda: True
    adds_thoughts: bool = False
    pauses: tuple[float, ...] = ()


@dataclass
class ModelLog:
    """What the models of one run reported. Tokens are None while none was reported."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    error: AgentError | None = None

    def count(self, usage: types.GenerateContentResponseUsageMetadata, thoughts: bool) -> None:
        """Add an answer's tokens."""
        output = (usage.candidates_token_count or 0) + (
            usage.thoughts_token_count or 0 if thoughts else 0
        )
        self.input_tokens = (self.input_tokens or 0) + (usage.prompt_token_count or 0)
        self.output_tokens = (self.output_tokens or 0) + output


@dataclass
class Models:
    """Makes models of names. Native Gemini models are kept: each holds a pool of connections."""

    _gemini: dict[str, BaseLlm] = field(default_factory=dict)

    def resolve(self, model: BaseLlm | str) -> Resolved:
        """A model for one run from an instance or a name.

        An instance, such as the offline planner, is taken as it is; ``gemini/<name>`` is called
        natively; every other name (``<provider>/<name>``) goes through LiteLLM. Raises AgentFailed
        if that is missing.
        """
        if isinstance(model, BaseLlm):
            return Resolved(model, model.model)
        if model.startswith(GEMINI_PREFIX):
            if model not in self._gemini:
                self._gemini[model] = _gemini(model.removeprefix(GEMINI_PREFIX))
            return Resolved(self._gemini[model], model, adds_thoughts=True)
        return _lite_llm(model)


def _gemini(name: str) -> BaseLlm:
    from google.adk.models.google_llm import Gemini

    retry = types.HttpRetryOptions(
        attempts=4,
        initial_delay=1,
        exp_base=2,
        jitter=1,
        http_status_codes=list(RETRIED_STATUSES),
    )
    return Gemini(model=name, retry_options=retry)


def prepare(model: BaseLlm | str) -> None:
    """Import at start-up what a model needs, since a later import would block the event loop.

    Raises AgentFailed if LiteLLM is needed and not installed.
    """
    if isinstance(model, str) and not model.startswith(GEMINI_PREFIX):
        _import_litellm(model)


def _import_litellm(model: str) -> None:
    if importlib.util.find_spec("litellm") is None:
        raise AgentFailed(
            f"the model {model!r} needs LiteLLM, which is not installed; install the extra "
            "'models' (pip install 'solution-architect-agent[models]'), or choose a model "
            f"'{GEMINI_PREFIX}<name>', or run with the offline planner"
        )
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # The module has no types of its own that we could rely on, and may be absent.
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    try:
        litellm.get_llm_provider(model)
    except Exception as error:  # its own BadRequestError, which names nothing to do
        raise AgentFailed(
            f"there is no model {model!r}: LiteLLM knows no such provider; write it as "
            "provider/model, such as anthropic/claude-sonnet-4"
        ) from error
    for name in _LITELLM_LOGGERS:
        # LiteLLM brings handlers for the console, and ADK would point them to stdout.
        logging.getLogger(name).handlers[:] = [logging.NullHandler()]


def _lite_llm(model: str) -> Resolved:
    """A LiteLLM model for one run, with a client that sees whether calls came as calls.

    ADK's adapter looks for JSON in an answer's text when the answer holds no call, and runs what
    looks like one. A text can quote anybody, so such a call must not count.
    """
    _import_litellm(model)
    from google.adk.models.lite_llm import LiteLlm, LiteLLMClient

    class WatchedClient(LiteLLMClient):
        native = True

        async def acompletion(self, model: Any, messages: Any, tools: Any, **kwargs: Any) -> Any:
            response = await super().acompletion(model, messages, tools, **kwargs)
            self.native = any(
                choice.message.tool_calls for choice in getattr(response, "choices", ())
            )
            return response

    client = WatchedClient()
    # LiteLLM's own retries come within milliseconds, and multiply with those of its clients.
    llm = LiteLlm(model=model, llm_client=client, num_retries=0, max_retries=0)
    return Resolved(llm, model, native_calls=lambda: client.native, pauses=(1, 2, 4))


class GuardedModel(BaseLlm):
    """A model as one run sees it.

    Errors become an answer with an error code and are kept in the log as AgentRetry or
    AgentFailed; calls that were only text are taken out; lone surrogates are replaced; an answer
    that was cut short says so; tokens are counted.
    """

    _resolved: Resolved = PrivateAttr()
    _log: ModelLog = PrivateAttr()

    def __init__(self, resolved: Resolved, log: ModelLog) -> None:
        super().__init__(model=resolved.llm.model)
        self._resolved = resolved
        self._log = log

    @property
    def capabilities(self) -> Any:
        """Those of the model behind."""
        return self._resolved.llm.capabilities

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The model's answer, guarded. Never streams and never raises an Exception."""
        for pause in (*self._resolved.pauses, None):
            try:
                answers = self._resolved.llm.generate_content_async(llm_request, stream=False)
                async with aclosing(answers):
                    async for answer in answers:
                        yield self._guard(answer)
                return
            except Exception as error:
                failure = as_agent_error(error, self._resolved.name)
            if pause is None or isinstance(failure, AgentFailed):
                self._log.error = failure
                yield LlmResponse(error_code=CALL_FAILED, error_message=str(failure))
                return
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))  # noqa: S311 (spreads load)

    def _guard(self, answer: LlmResponse) -> LlmResponse:
        if answer.usage_metadata is not None:
            self._log.count(answer.usage_metadata, self._resolved.adds_thoughts)
        calls = answer.get_function_calls()
        parts = answer.content.parts if answer.content and answer.content.parts else []
        if calls and not self._resolved.native_calls():
            parts = [part for part in parts if part.function_call is None]
            answer.error_code = PROSE_CALL
            calls = []
        if answer.content is not None:
            answer.content.parts = [_clean_part(part) for part in parts]
        cut = answer.finish_reason is types.FinishReason.MAX_TOKENS
        if cut and not calls and answer.error_code is None:
            answer.error_code = types.FinishReason.MAX_TOKENS.value
        return answer


def as_agent_error(error: Exception, model: str) -> AgentError:
    """The family that an exception of a model call belongs to, with one sentence for people.

    Overload, server errors and network errors may pass: AgentRetry. Everything else is final.
    """
    if isinstance(error, AgentError):
        return error
    status = next(filter(None, map(_status, _chain(error))), None)
    reason = _reason(error)
    result: AgentError
    if status is None:
        if any(map(_is_network, _chain(error))):
            result = AgentRetry(f"the model {model} could not be reached: {reason}")
        else:
            result = AgentFailed(f"the model {model} could not be called: {reason}")
    elif status in (408, 409, 425, 429) or status >= 500:
        result = AgentRetry(f"the model {model} is busy or unavailable ({status}): {reason}")
    elif status in (401, 403):
        result = AgentFailed(
            f"the model {model} refused the credentials ({status}); check the API key or the "
            f"project's permissions: {reason}"
        )
    elif status == 404:
        result = AgentFailed(
            f"the model {model} is not known to its provider ({status}); check its name and "
            f"region: {reason}"
        )
    else:
        result = AgentFailed(f"the model {model} refused the request ({status}): {reason}")
    result.__cause__ = error
    return result


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _status(error: BaseException) -> int | None:
    """The HTTP status of an exception: google-genai's ``code``, others' ``status_code``."""
    response = getattr(error, "response", None)
    for holder, name in ((error, "code"), (error, "status_code"), (response, "status_code")):
        value = getattr(holder, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
            return value
    return None


def _is_network(error: BaseException) -> bool:
    # By name for the HTTP libraries, which are not imported for this alone.
    libraries = ("httpx", "httpcore", "aiohttp", "anyio", "requests", "urllib3")
    network = ("Timeout", "Connect", "Network", "Protocol", "Read", "Write", "Disconnected")
    kind = type(error)
    return isinstance(error, TimeoutError | ConnectionError) or (
        kind.__module__.split(".")[0] in libraries and any(n in kind.__name__ for n in network)
    )


def _reason(error: Exception) -> str:
    """The first line of an exception's message, short, with nothing that looks like a secret."""
    lines = str(error).strip().splitlines() or [""]
    text = _SECRET.sub(r"\1\2…", clean(lines[0]))[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def clean(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced: no store takes those."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_value(value: Any) -> Any:
    """The same for every string of a decoded JSON value; mappings and sequences are copied."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean_value(key): clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value


def _clean_part(part: types.Part) -> types.Part:
    if part.text is not None:
        part.text = clean(part.text)
    if part.function_call is not None:
        part.function_call.name = clean(part.function_call.name or "")
        part.function_call.args = clean_value(part.function_call.args or {})
    return part
