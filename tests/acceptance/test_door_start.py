"""A door that is set up wrongly ends at start-up, with one sentence that names the setting."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from functions.emulators import free_port
from tests.support.command import ROOT
from tests.unit.test_settings import GOOGLE

DOOR = {
    "SOLUTION_ARCHITECT_AUDIENCE": "https://sweep.example",
    "SOLUTION_ARCHITECT_CALLERS": "clock@example.com",
}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"FUNCTION_TARGET": "front-door"}, "FUNCTION_TARGET is wrong"),
        ({"SOLUTION_ARCHITECT_TURN_QUEUE": ""}, "SOLUTION_ARCHITECT_TURN_QUEUE is missing"),
        ({"SOLUTION_ARCHITECT_CALLERS": ""}, "SOLUTION_ARCHITECT_CALLERS is missing"),
        ({"SOLUTION_ARCHITECT_TASK_ATTEMPTS": "many"}, "SOLUTION_ARCHITECT_TASK_ATTEMPTS is wrong"),
    ],
)
def test_a_wrong_setting_ends_the_process(changes: dict[str, str], sentence: str) -> None:
    settings = GOOGLE | DOOR | {"FUNCTION_TARGET": "sweep"} | changes
    done = subprocess.run(
        [sys.executable, "-m", "functions_framework"],
        cwd=ROOT,
        env=os.environ
        | settings
        | {
            "FUNCTION_SOURCE": "functions/main.py",
            "PORT": str(free_port()),
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
