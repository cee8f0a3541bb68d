"""Task handler: one Specialist Delegation."""

from __future__ import annotations

from engine.execution import TaskKind
from functions.door import Door
from functions.settings import Settings
from functions.tasks import open_door, prepare
from functions.wiring import Team

__all__ = ["build", "prepare"]


def build(settings: Settings, team: Team) -> Door:
    """The door, in the running event loop."""
    return open_door(TaskKind.DELEGATION, settings, team)
