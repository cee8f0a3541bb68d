"""The processes of ``make chaos``: emulators, task server, and doors that are meant to die."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from functions.emulated import ACCOUNTS, QUEUES, ROOT, Part, Stack, StackError
from functions.emulators import Emulator
from tests.support.http_server import listen

PROCESSES = {"turn": 2, "delegation": 2, "sweep": 1}
SCALE = 0.15
"""Of the queue's backoffs and deadlines: a request is given up after 67 s * 0.15 = 10 s."""
KILL_AT_POINT = 0.004
ZOMBIE = "before_commit:2"
BACKLOG = 256


@dataclass
class Worker:
    """One process of a door. Nobody else harms one that is ``paused``."""

    name: str
    door: str
    process: subprocess.Popen[bytes]
    paused: bool = False


@dataclass
class House(Stack):
    """A Stack whose doors are several processes each, which it starts again when they die."""

    seed: int = 0
    zombie_file: Path = Path("zombie")
    at_once: int = 8
    duplicates: float = 0.08
    lost_acks: float = 0.05
    delays: float = 0.05
    late: float = 0.05
    kill_at_point: float = KILL_AT_POINT
    workers_by_name: dict[str, Worker] = field(default_factory=dict)
    sockets: dict[str, socket.socket] = field(default_factory=dict)
    ended: Counter[str] = field(default_factory=Counter)
    starts: int = 0

    @property
    def firestore(self) -> Emulator:
        """The Firestore emulator."""
        return self._firestore

    @property
    def pubsub(self) -> Emulator:
        """The Pub/Sub emulator."""
        return self._pubsub

    def start_door(self, door: str) -> None:
        """Listen for a door, and start its processes."""
        self.sockets[door] = bound = listen(self.ports[door])
        bound.listen(BACKLOG)
        bound.set_inheritable(True)
        self._stack.callback(bound.close)
        for number in range(PROCESSES[door]):
            name = f"{door}-{number}"
            self._stack.callback(self._end, name)
            self._start_worker(name, door)

    def _start_worker(self, name: str, door: str) -> None:
        self.starts += 1
        environment = os.environ | self.environment | self._of_door(door)
        environment |= {
            "CHAOS_FD": str(self.sockets[door].fileno()),
            "CHAOS_SEED": f"{self.seed}-{self.starts}",
            "CHAOS_KILL": str(self.kill_at_point),
            "CHAOS_ZOMBIE": f"{ZOMBIE}:{self.zombie_file}" if door == "delegation" else "",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.door"],
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[self.sockets[door].fileno()],
            start_new_session=True,
        )
        self.workers_by_name[name] = Worker(name, door, process)
        self._read(name, process.stdout)

    def _of_door(self, door: str) -> Mapping[str, str]:
        return {
            "FUNCTION_TARGET": door,
            "PYTHONPATH": str(ROOT),
            "SOLUTION_ARCHITECT_AUDIENCE": self.url(door),
            "SOLUTION_ARCHITECT_CALLERS": ACCOUNTS[door],
            "SOLUTION_ARCHITECT_LOG_LEVEL": "WARNING",
        }

    def _end(self, name: str) -> None:
        process = self.workers_by_name[name].process
        process.kill()
        process.wait()

    def wait_ready(self, door: str) -> None:
        """Wait until some process of a door answers. Raises StackError."""
        until = time.monotonic() + 90
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{self.url(door)}/healthz", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise StackError(f"the {door} door did not start")

    def _task_server(self) -> dict[str, str]:
        command = [sys.executable, "-m", "tests.support.task_server"]
        command += ["--max-attempts", str(self.attempts), "--scale", str(SCALE)]
        command += ["--seed", str(self.seed), "--concurrency", str(self.at_once)]
        command += ["--api-errors", "0.03", "--delay", "2", "--first-backoff", "1"]
        for fault in ("duplicates", "lost_acks", "delays", "late"):
            command += [f"--{fault.replace('_', '-')}", str(getattr(self, fault))]
        for queue in QUEUES.values():
            command += ["--queue", queue]
        process = subprocess.Popen(
            command,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.parts["tasks"] = part = Part("tasks", process)
        self._stack.callback(part.end)
        for said in process.stdout or ():
            if said.startswith(b"{"):
                self._read("tasks", process.stdout)
                found: dict[str, str] = json.loads(said)
                return found
        raise StackError("the task server did not start")

    def stats(self) -> dict[str, int]:
        """What the task server counted."""
        with urllib.request.urlopen(f"{self._server['http']}/stats", timeout=10) as answer:
            counts: dict[str, int] = json.load(answer)["counts"]
            return counts

    # -- harm ----------------------------------------------------------------------------

    def revive(self) -> None:
        """Start again what has died, and count how it died."""
        for name, worker in list(self.workers_by_name.items()):
            code = worker.process.poll()
            if code is not None:
                killed = code == -signal.SIGKILL
                self.ended["killed" if killed else f"ended with {code}"] += 1
                self._start_worker(name, worker.door)

    def send(self, worker: Worker, number: signal.Signals) -> None:
        """Send a process a signal, if it still runs."""
        if worker.process.poll() is None:
            worker.process.send_signal(number)

    def victim(self, rng: random.Random) -> Worker | None:
        """A process that may be harmed now."""
        able = [
            w for w in self.workers_by_name.values() if not w.paused and w.process.poll() is None
        ]
        return rng.choice(able) if able else None
