"""One process of a door, with a scripted team for agents and faults that the environment names.

It serves the real function target on a socket that its parent listens on, so that several
processes share one address. Only this module reads the CHAOS_ variables:

CHAOS_FD      the listening socket
CHAOS_SEED    of this process
CHAOS_KILL    probability of a SIGKILL at each named fault point
CHAOS_ZOMBIE  ``point:n:file``: at its n-th arrival at this point a process stops (SIGSTOP), the
              first that comes, which makes the file
"""

from __future__ import annotations

import os
import random
import signal
import socket
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import functions_framework.aio
import uvicorn

import engine.execution
from agents.fake_runtime import Calls, FakeRuntime, ScriptedTeam
from agents.runtime import AgentRetry, AgentTask, Outcome, Question, RoleSpec
from engine.execution import Task
from engine.runs import FaultPoint, Runs, RunSettings
from functions.emulated import ROOT
from functions.settings import Settings
from functions.wiring import Team
from tests.support.team import PassingContracts, contents, no_tools, role

STALL_AFTER = timedelta(seconds=8)
RUN, MARGIN = timedelta(seconds=5), timedelta(seconds=3)
"""A claim lasts for both together."""
ASKED = {"requirements": (Question(text="how many users?", proposal="10,000"),)}
RUN_SECONDS = 0.1
OVERLOADED = 0.03


@dataclass
class Faults:
    """Kills or stops this process at a fault point, as it is told."""

    rng: random.Random
    kill: float = 0.0
    zombie: tuple[FaultPoint, int, Path] | None = None
    arrived: Counter[FaultPoint] = field(default_factory=Counter)

    @classmethod
    def of_environment(cls) -> Faults:
        """What the CHAOS_ variables say."""
        point, number, file = (os.environ.get("CHAOS_ZOMBIE") or "::").split(":", 2)
        return cls(
            random.Random(os.environ.get("CHAOS_SEED")),
            float(os.environ.get("CHAOS_KILL", "0")),
            (FaultPoint(point), int(number), Path(file)) if point else None,
        )

    async def __call__(self, point: FaultPoint, task: Task) -> None:
        """A run arrived at a point."""
        self.arrived[point] += 1
        if self._becomes_zombie(point):
            print(f"chaos: zombie at {point} of {task.name}", flush=True)
            os.kill(os.getpid(), signal.SIGSTOP)
            self.kill = 0.0  # a zombie shall show what it still does
        if self.rng.random() < self.kill:
            print(f"chaos: killed at {point} of {task.name}", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

    def _becomes_zombie(self, point: FaultPoint) -> bool:
        if self.zombie is None or self.zombie[:2] != (point, self.arrived[point]):
            return False
        try:
            self.zombie[2].touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


@dataclass(frozen=True)
class BusyTeam(ScriptedTeam):
    """The scripted team; its model is sometimes overloaded."""

    rng: random.Random = field(default_factory=random.Random)

    async def __call__(self, role: RoleSpec, task: AgentTask, calls: Calls) -> Outcome:
        """Play one run of any role."""
        if self.rng.random() < OVERLOADED:
            raise AgentRetry("overloaded")
        return await super().__call__(role, task, calls)


class ChaosTeam(Team):
    """What the doors are given in place of the real team: the same but for whom it has."""

    def runs(self, *given: Any, **more: Any) -> Runs:
        """What carries out tasks."""
        runs = super().runs(*given, **more)
        runs.role = role
        runs.fault = Faults.of_environment()
        return runs


def build_team(settings: Settings) -> Team:
    """The scripted team, contracts that pass, claims that end soon."""
    rng = random.Random(os.environ.get("CHAOS_SEED"))
    team = BusyTeam(contents, questions=ASKED, seconds=RUN_SECONDS, rng=rng)
    return ChaosTeam(
        runtime=FakeRuntime(default=team, keep_runs=False),
        contracts=PassingContracts(),
        roles={},
        extra_tools=no_tools,
        settings=RunSettings(holder=f"pid {os.getpid()}", deadline=RUN, margin=MARGIN),
    )


def main() -> None:
    """Serve the door that FUNCTION_TARGET names."""
    engine.execution.STALL_AFTER = STALL_AFTER
    if os.environ["FUNCTION_TARGET"] != "sweep":
        import functions.tasks

        functions.tasks.build_team = build_team
    app = functions_framework.aio.create_asgi_app(
        os.environ["FUNCTION_TARGET"], str(ROOT / "functions" / "main.py")
    )
    shared = socket.socket(fileno=int(os.environ["CHAOS_FD"]))
    config = uvicorn.Config(app, lifespan="off", ws="none", log_level="warning")
    uvicorn.Server(config).run(sockets=[shared])


if __name__ == "__main__":
    main()
