"""A small ``make chaos``: real processes that are killed, frozen and paused (tests/chaos)."""

from __future__ import annotations

from pathlib import Path

import pytest

from functions.emulators import EmulatorMissing
from tests.chaos.run import play


def test_executions_end_as_they_should_although_processes_die(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    try:
        report = play(executions=4, seconds=20, seed=1, log=log)
    except EmulatorMissing as missing:
        pytest.fail(str(missing), pytrace=False)
    assert report.violations == [], f"what every process said: {log}"
    assert report.counts["ended completed"] == 4
    assert report.counts["zombies"] == 1
