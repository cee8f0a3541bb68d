"""``serve``: all Executions in one process, and the serverless shape with one command."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command import COMMAND, ROOT, Command

pytestmark = pytest.mark.timeout(600)  # dozens of real processes; machines differ

REQUEST = str(ROOT / "examples" / "order-platform-migration.md")


@contextmanager
def serving(command: Command) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running ``serve`` and its address."""
    process = command.start("serve", "--port", "0")
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        yield process, re.findall(r"http://\S+", said)[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def get(url: str) -> int:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return int(answer.status)


def test_others_commands_are_worked_on_and_followed(tmp_path: Path) -> None:
    command = Command(tmp_path)
    with serving(command) as (process, url):
        assert (get(f"{url}/healthz"), get(f"{url}/readyz")) == (200, 200)
        waiting = command.json("run", REQUEST, code=4)
        id = waiting["execution_id"]
        assert waiting["waiting_for"] == "questions"
        wait = command.json("show", id)["wait"]
        command.json("answer", id, *(f"{q['id']}=as you propose" for q in wait["questions"]))
        assert command.json("resume", id, code=4)["waiting_for"] in ("questions", "approval")
        assert command.json("run", REQUEST, "--pre-approved", "--out", "g")["status"] == "completed"
        assert process.poll() is None
    assert process.returncode == 0


def test_an_execution_left_behind_is_taken_up(tmp_path: Path) -> None:
    command = Command(tmp_path)
    run = command.start("run", REQUEST, "--pre-approved", "--json")
    while command.events_written() < 4 and run.poll() is None:
        time.sleep(0.02)
    run.kill()
    run.communicate()
    (row,) = command.json("list")["executions"]
    with serving(command):
        after = command.json("resume", row["execution_id"])
    assert after["status"] == "completed"


def test_a_missing_emulator_is_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "serve", "--emulators"],
        cwd=tmp_path,
        env=Command(tmp_path).environment | {"CLOUDSDK_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "gcloud components install cloud-firestore-emulator" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_emulators_doors_and_task_server_end_with_ctrl_c(tmp_path: Path) -> None:
    command = Command(tmp_path)
    process = command.start("serve", "--emulators", start_new_session=True)
    assert process.stdout is not None
    ready = process.stdout.readline()
    assert ready.startswith("ready;"), process.communicate()[1]
    text = (tmp_path / "state" / "emulators.env").read_text(encoding="utf-8")
    settings = dict(re.findall(r"export (\w+)=(\S+)", text))
    addresses = [settings["FIRESTORE_EMULATOR_HOST"], settings["PUBSUB_EMULATOR_HOST"]]
    addresses += [settings["SOLUTION_ARCHITECT_TURN_URL"].removeprefix("http://")]
    addresses += [settings["SOLUTION_ARCHITECT_DELEGATION_URL"].removeprefix("http://")]
    addresses += [settings["SOLUTION_ARCHITECT_TASKS_SERVER"]]
    assert [address for address in addresses if not answers(address)] == []
    os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 0
    for name in ("firestore", "pubsub"):
        assert any(line.startswith(f"{name} ") for line in errors.splitlines()), errors
    assert [address for address in addresses if answers(address)] == []


def answers(address: str) -> bool:
    """Whether somebody listens there."""
    host, _, port = address.partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0
