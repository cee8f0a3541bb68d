"""Runs the real command in a process of its own, with a state folder of its own."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "functions.cli"]


def hear_interrupts() -> None:
    """A shell that runs the tests in the background makes its children ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Command:
    """The command line with a state folder, run from a working folder below ``folder``."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SOLUTION_ARCHITECT")}
        return kept | {
            "SOLUTION_ARCHITECT_STATE": str(self.folder / "state"),
            "PYTHONPATH": str(ROOT),
        }

    def start(self, *arguments: str, **more: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=hear_interrupts,
            **more,
        )

    def __call__(
        self, *arguments: str, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            input=stdin if stdin is not None else "",
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def json(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        done = self(*arguments, "--json")
        assert done.returncode == code, (done.returncode, done.stderr)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def events_written(self) -> int:
        """How many events the store holds now; 0 while there is no store."""
        path = self.folder / "state" / "executions.sqlite"
        if not path.exists():
            return 0
        try:
            with sqlite3.connect(path, timeout=5) as db:
                count: int = db.execute("SELECT count(*) FROM events").fetchone()[0]
                return count
        except sqlite3.OperationalError:
            return 0
