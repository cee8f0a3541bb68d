"""Scheduled: look after what stalled, expired, or has events left to publish. Imports no agents."""

from __future__ import annotations

import logging
from dataclasses import asdict

from starlette.requests import Request

from engine.ports import Unavailable
from functions import telemetry
from functions.cloud import Cloud, check
from functions.door import Door, Ending, caller_rules
from functions.settings import Settings

log = logging.getLogger(__name__)


def prepare(settings: Settings) -> None:
    """Every wrong setting shows here."""
    check(settings)
    caller_rules(settings)


def build(settings: Settings, prepared: None) -> Door:
    """The door, in the running event loop."""
    cloud = Cloud.open(settings)

    async def handle(request: Request) -> int:
        try:
            swept = await cloud.sweeper().sweep()
        except Unavailable as unavailable:
            log.warning("nothing was swept: %s", unavailable)
            return 503
        counts = asdict(swept)
        for name, number in counts.items():
            telemetry.count(f"swept_{name}", number)
        log.info("swept", extra={"event": "swept", "counts": counts})
        return 200

    return Door.of("sweep", settings, cloud, handle, Ending(settings.grace_seconds))
