"""What every inner door does: health, the caller, the end of the process. Doors stay thin."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Protocol

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from engine.ports import StoreError
from functions.callers import (
    GOOGLE_CERTS,
    GOOGLE_ISSUERS,
    CallerError,
    CallerRules,
    Certificates,
    verify,
)
from functions.settings import Settings

log = logging.getLogger(__name__)

READY_SECONDS = 5.0


class Backend(Protocol):
    """What a door needs of its backend."""

    async def ready(self) -> None:
        """Raise StoreError when the store cannot be reached."""
        ...


def caller_rules(settings: Settings) -> CallerRules:
    """Whom this door lets in. Raises SettingsError."""
    settings.need("audience", "callers")
    emails = frozenset(part.strip() for part in (settings.callers or "").split(",")) - {""}
    return CallerRules(
        audiences=frozenset({settings.audience or ""}),
        emails=emails,
        issuers=frozenset({settings.issuer}) if settings.issuer else GOOGLE_ISSUERS,
        signature_checked=settings.behind_iam,
    )


@dataclass
class Ending:
    """SIGTERM: nothing new is started at once, and what runs is stopped after a grace."""

    grace: float
    begun: bool = False
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def watch(self) -> None:
        """Hear SIGTERM beside whoever hears it already. Call it in the main thread's loop."""
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGTERM)

        def heard(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self.begin)
            if callable(before):
                before(number, frame)

        signal.signal(signal.SIGTERM, heard)

    def begin(self) -> None:
        """Start nothing any more; after the grace, stop what runs."""
        if not self.begun:
            self.begun = True
            log.info("the process ends; what runs has %g s", self.grace)
            asyncio.get_running_loop().call_later(self.grace, self.stop.set)


Handle = Callable[[Request], Awaitable[int]]
"""Takes a request of a verified caller, answers a status."""


@dataclass
class Door:
    """An HTTP handler: ``/healthz`` touches nothing, ``/readyz`` the store, the rest is work."""

    name: str
    settings: Settings
    backend: Backend
    handle: Handle
    ending: Ending
    rules: CallerRules
    certificates: Certificates

    @classmethod
    def of(
        cls, name: str, settings: Settings, backend: Backend, handle: Handle, ending: Ending
    ) -> Door:
        """A door with the caller rules of its settings. Raises SettingsError."""
        certificates = Certificates(settings.certs_url or GOOGLE_CERTS)
        rules = caller_rules(settings)
        return cls(name, settings, backend, handle, ending, rules, certificates)

    async def __call__(self, request: Request) -> Response:
        """Answer a request."""
        match request.url.path:
            case "/readyz":
                return await self._ready()
            case _ if request.method != "POST":
                return PlainTextResponse("only POST", status_code=405)
            case _:
                return await self._work(request)

    async def _ready(self) -> Response:
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self.backend.ready()
        except (StoreError, TimeoutError) as error:
            log.warning("not ready: %s", error or "the store is too slow")
            return PlainTextResponse("not ready", status_code=503)
        return PlainTextResponse("ready")

    async def _work(self, request: Request) -> Response:
        try:
            caller = await verify(
                request.headers.get("authorization"), self.rules, self.certificates
            )
        except CallerError as refused:
            log.warning(
                "caller refused: %s",
                refused,
                extra={"event": "caller_refused", "door": self.name, "status": refused.status},
            )
            return Response(status_code=refused.status)
        if self.ending.begun:
            return PlainTextResponse("the process ends", status_code=503)
        log.debug("called by %s", caller.email)
        try:
            return Response(status_code=await self.handle(request))
        except ClientDisconnect:
            log.info("the caller hung up", extra={"event": "caller_gone", "door": self.name})
            return Response(status_code=503)
        except Exception:
            log.exception("the %s door failed", self.name, extra={"event": "door_failed"})
            return Response(status_code=500)
