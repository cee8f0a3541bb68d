"""The serverless shape on one machine: emulators, a task server, each door in its own process.

``Stack`` starts and ends them, and puts their output into one stream with the door's name before
each line. The task server and its issuer of tokens stand in for the queue service; the sweep door
is called by a timer here, as the scheduler does elsewhere.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

from engine.events.pubsub import connect, make_topic
from functions.emulators import Emulator, EmulatorKind, end_with_parent, free_port

PROJECT = "local"
TOPIC = f"projects/{PROJECT}/topics/events"
QUEUES = {
    door: f"projects/{PROJECT}/locations/local/queues/{door}s" for door in ("turn", "delegation")
}
ACCOUNTS = {
    "turn": "turn-tasks@local.invalid",
    "delegation": "delegation-tasks@local.invalid",
    "sweep": "sweep-clock@local.invalid",
}
READY_SECONDS = 120.0
END_SECONDS = 15.0
ROOT = Path(__file__).parents[1]
TASK_SERVER = "tests.support.task_server"

Line = Callable[[str, str], None]
"""Takes a name and a line of its output."""


class StackError(Exception):
    """A part did not start; the message says which and why."""


def print_line(name: str, line: str) -> None:
    """A line of the one stream."""
    print(f"{name:<12} {line}", file=sys.stderr, flush=True)


@dataclass
class Part:
    """A process of the stack."""

    name: str
    process: subprocess.Popen[bytes]

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End this process and what it started, and no other."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


@dataclass
class Stack:
    """Everything that runs; ``with Stack(...) as stack``. ``workers`` are processes a task door."""

    line: Line = print_line
    workers: int = 1
    sweep_seconds: float = 60.0
    attempts: int = 10
    more: Mapping[str, str] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._stack = stack
            self._start()
            self._all = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._all.close()

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which a command line reaches this backend."""
        return {
            "SOLUTION_ARCHITECT_BACKEND": "google",
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "FIRESTORE_EMULATOR_HOST": self._firestore.host,
            "PUBSUB_EMULATOR_HOST": self._pubsub.host,
            "SOLUTION_ARCHITECT_TASKS_SERVER": self._server["grpc"],
            "SOLUTION_ARCHITECT_TURN_QUEUE": QUEUES["turn"],
            "SOLUTION_ARCHITECT_DELEGATION_QUEUE": QUEUES["delegation"],
            "SOLUTION_ARCHITECT_TURN_URL": self.url("turn"),
            "SOLUTION_ARCHITECT_DELEGATION_URL": self.url("delegation"),
            "SOLUTION_ARCHITECT_TURN_ACCOUNT": ACCOUNTS["turn"],
            "SOLUTION_ARCHITECT_DELEGATION_ACCOUNT": ACCOUNTS["delegation"],
            "SOLUTION_ARCHITECT_TASK_ATTEMPTS": str(self.attempts),
            "SOLUTION_ARCHITECT_EVENTS_TOPIC": TOPIC,
            "SOLUTION_ARCHITECT_ISSUER": self._server["issuer"],
            "SOLUTION_ARCHITECT_CERTS_URL": self._server["certs"],
            **self.more,
        }

    def url(self, door: str) -> str:
        """Where a door listens."""
        return f"http://127.0.0.1:{self.ports[door]}"

    def token(self, door: str) -> str:
        """A token of the account that may call a door."""
        query = urllib.parse.urlencode({"email": ACCOUNTS[door], "audience": self.url(door)})
        return _get(f"{self._server['http']}/token?{query}")

    def sweep(self) -> int:
        """Call the sweep door, as the scheduler does; its status."""
        request = urllib.request.Request(  # noqa: S310
            self.url("sweep"),
            data=b"",
            headers={"Authorization": f"Bearer {self.token('sweep')}"},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def start_door(self, door: str) -> None:
        """Start a door's process; it is not ready yet."""
        environment = (
            os.environ
            | self.environment
            | {
                "FUNCTION_TARGET": door,
                "FUNCTION_SOURCE": str(ROOT / "functions" / "main.py"),
                "HOST": "127.0.0.1",
                "PORT": str(self.ports[door]),
                "WORKERS": str(1 if door == "sweep" else self.workers),
                "PYTHONPATH": str(ROOT),
                "SOLUTION_ARCHITECT_AUDIENCE": self.url(door),
                "SOLUTION_ARCHITECT_CALLERS": ACCOUNTS[door],
            }
        )
        self._launch(door, [sys.executable, "-m", "functions_framework"], environment)

    def wait_ready(self, door: str) -> None:
        """Wait until a door answers. Raises StackError."""
        until = time.monotonic() + READY_SECONDS
        process = self.parts[door].process
        while process.poll() is None and time.monotonic() < until:
            try:
                _get(f"{self.url(door)}/healthz")
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise StackError(f"the {door} door did not start; what it said stands above")

    # -- starting ------------------------------------------------------------------------

    def _start(self) -> None:
        if importlib.util.find_spec("functions_framework") is None:
            raise StackError("functions-framework is missing: pip install '.[cloud]'")
        if not (ROOT / "tests" / "support" / "task_server.py").is_file():
            raise StackError("the task server is in the source tree only: run this from a checkout")
        self._firestore = self._emulator(EmulatorKind.FIRESTORE)
        self._pubsub = self._emulator(EmulatorKind.PUBSUB)
        self._server = self._task_server()
        self.ports = {door: free_port() for door in ACCOUNTS}
        self._firestore.wait()
        self._pubsub.wait()
        asyncio.run(self._topic())
        for door in ACCOUNTS:
            self.start_door(door)
        for door in ACCOUNTS:
            self.wait_ready(door)
        self._clock()

    def _emulator(self, kind: EmulatorKind) -> Emulator:
        emulator = Emulator.launch(kind, subprocess.PIPE)
        self._stack.callback(emulator.stop)
        self._read(kind.value, emulator.process.stdout)
        return emulator

    async def _topic(self) -> None:
        client = connect(self._pubsub.host)
        await make_topic(client, TOPIC)
        await client.transport.close()  # type: ignore[no-untyped-call]

    def _task_server(self) -> dict[str, str]:
        command = [sys.executable, "-m", TASK_SERVER, "--max-attempts", str(self.attempts)]
        for queue in QUEUES.values():
            command += ["--queue", queue]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        part = self._launch("tasks", command, environment, read=False)
        said = b"" if part.process.stdout is None else part.process.stdout.readline()
        self._read("tasks", part.process.stdout)
        try:
            found: dict[str, str] = json.loads(said)
        except ValueError:
            raise StackError("the task server did not start; what it said stands above") from None
        return found

    def _launch(
        self, name: str, command: list[str], environment: Mapping[str, str], *, read: bool = True
    ) -> Part:
        process = subprocess.Popen(  # noqa: S603
            command,
            env=dict(environment),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if read else None,
            start_new_session=True,  # Ctrl-C is for us, who end it in order
            preexec_fn=end_with_parent,
        )
        part = Part(name, process)
        if name not in self.parts:
            self._stack.callback(lambda: self.parts[name].end())
        self.parts[name] = part
        if read:
            self._read(name, process.stdout)
        return part

    def _read(self, name: str, stream: IO[bytes] | None) -> None:
        def read() -> None:
            if stream is not None:
                with stream:
                    for line in stream:
                        self.line(name, line.decode(errors="replace").rstrip())

        threading.Thread(target=read, daemon=True).start()

    def _clock(self) -> None:
        over = threading.Event()
        self._stack.callback(over.set)

        def tick() -> None:
            while not over.wait(self.sweep_seconds):
                try:
                    self.sweep()
                except OSError as error:
                    self.line("clock", f"the sweep door cannot be reached: {error}")

        threading.Thread(target=tick, daemon=True).start()


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
        text: str = answer.read().decode()
        return text
