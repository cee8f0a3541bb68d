"""The function targets, one per service; FUNCTION_TARGET says which one this process is.

Only the chosen door is imported, and before a request comes: that is most of a cold start, and a
wrong setting ends the process with a sentence that names it.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
from typing import Any

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from functions import logs, telemetry
from functions.settings import SettingsError, load_settings

DOORS = ("turn", "delegation", "sweep")

log = logging.getLogger(__name__)


class _Target:
    """A door that is prepared at start-up and opened by its first request, in its event loop."""

    def __init__(self, name: str) -> None:
        if name not in DOORS:
            raise SettingsError(
                f"the setting FUNCTION_TARGET is wrong: there is no door {name!r}; "
                f"choose one of {', '.join(DOORS)}"
            )
        self.settings = load_settings()
        logs.set_up(self.settings.log_level, self.settings.project)
        telemetry.set_up(name)
        self.module = importlib.import_module(f"functions.{name}")
        self.prepared = self.module.prepare(self.settings)
        self.door: Any = None

    async def __call__(self, request: Request) -> Response:
        if request.url.path == "/healthz":
            return PlainTextResponse("ok")
        if self.door is None:
            self.door = self.module.build(self.settings, self.prepared)
            self.door.ending.watch()
        answer: Response = await self.door(request)
        return answer


def _start() -> _Target | None:
    name = os.environ.get("FUNCTION_TARGET")
    if name is None:  # imported, not run
        return None
    try:
        return _Target(name)
    except Exception as error:
        sentence = " ".join(str(error).split())
        print(f"solution-architect: {sentence}", file=sys.stderr)
        if not type(error).__module__.startswith(("functions", "engine", "agents", "providers")):
            raise
        sys.exit(2)


_target = _start()


async def _answer(request: Request) -> Response:
    if _target is None:
        raise RuntimeError("FUNCTION_TARGET is not set")
    return await _target(request)


@functions_framework.aio.http
async def turn(request: Request) -> Response:
    """One Orchestrator Turn."""
    return await _answer(request)


@functions_framework.aio.http
async def delegation(request: Request) -> Response:
    """One Specialist Delegation."""
    return await _answer(request)


@functions_framework.aio.http
async def sweep(request: Request) -> Response:
    """Look after stalled Executions."""
    return await _answer(request)
