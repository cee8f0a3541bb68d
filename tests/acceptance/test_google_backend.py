"""The serverless shape in real processes: emulators, task server, doors, and the command line.

Two processes each of the turn and the delegation door, one of sweep. Held here:
1. a pre-approved Execution reaches the guide, and an interactive one through the command line;
2. the documents read back as an operator would, and every event was published and marked;
3. a door lets in the right caller only, and a poisoned task is dropped;
4. a door that is told to end while it works gives its claim back, and the work goes on.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from functions.emulated import ACCOUNTS, PROJECT, ROOT, Stack
from functions.emulators import EmulatorMissing
from tests.support.command import COMMAND, Command

pytestmark = pytest.mark.timeout(600)  # dozens of real processes; machines differ

REQUEST = (ROOT / "examples" / "order-platform-migration.md").read_text(encoding="utf-8")


@dataclass
class House:
    """The running stack, what it said, and a command line that reaches it."""

    stack: Stack
    folder: Path
    said: list[tuple[str, str]] = field(default_factory=list)

    def command(self, *arguments: str, code: int | None = 0) -> str:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=Command(self.folder).environment | self.stack.environment,
            input="",
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert code in (None, done.returncode), (done.returncode, done.stdout, done.stderr)
        return done.stdout

    def json(self, *arguments: str, code: int | None = 0) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.command(*arguments, "--json", code=code))
        return found

    def document(self, path: str) -> dict[str, Any]:
        """A document's fields as the database's console shows them."""
        host = self.stack.environment["FIRESTORE_EMULATOR_HOST"]
        url = f"http://{host}/v1/projects/{PROJECT}/databases/(default)/documents/{path}"
        request = urllib.request.Request(url, headers={"Authorization": "Bearer owner"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def lines(self, door: str) -> list[dict[str, Any]]:
        """What a door logged, as JSON."""
        return [json.loads(line) for name, line in self.said if name == door and line[:1] == "{"]

    def post(self, door: str, token: str | None, body: bytes = b"{}", **headers: str) -> int:
        url = self.stack.url(door)
        given = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(url, data=body, headers=given | headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    said: list[tuple[str, str]] = []
    stack = Stack(lambda name, line: said.append((name, line)), workers=2, sweep_seconds=3600)
    try:
        with stack:
            yield House(stack, tmp_path_factory.mktemp("google"), said)
    except EmulatorMissing as missing:
        pytest.fail(str(missing), pytrace=False)


def value(document: dict[str, Any], name: str) -> Any:
    """A field of a document, without its type."""
    (found,) = document["fields"][name].values()
    return found


@pytest.fixture(scope="module")
def finished(house: House) -> dict[str, Any]:
    return house.json("run", REQUEST, "--pre-approved", "--out", "guide")


def test_a_pre_approved_execution_reaches_the_guide(house: House, finished: dict[str, Any]) -> None:
    assert finished["status"] == "completed"
    guide = Path(finished["guide"])
    assert (house.folder / guide).read_text(encoding="utf-8").startswith("# ")
    assert (house.folder / "guide" / "terraform" / "main.tf").is_file()


def test_the_documents_can_be_read_and_every_event_is_published(
    house: House, finished: dict[str, Any]
) -> None:
    id = finished["execution_id"]
    execution = house.document(f"executions/{id}")
    assert value(execution, "status") == "completed"
    events = house.json("events", id)["events"]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert sum(e["type"] == "submitted" for e in events) == 9
    assert value(execution, "published") == str(len(events))
    assert "stalls_at" not in execution["fields"] or value(execution, "stalls_at") is None
    guide = house.document(f"executions/{id}/deliverables/solution_guide")
    assert REQUEST.splitlines()[0].lstrip("# ")[:20] in json.dumps(guide) or guide["fields"]
    listed = house.json("list")["executions"]
    assert id in [row["execution_id"] for row in listed]


def test_log_lines_say_what_they_are_about_and_never_the_request(
    house: House, finished: dict[str, Any]
) -> None:
    lines = house.lines("turn") + house.lines("delegation")
    about = [line for line in lines if line.get("execution") == finished["execution_id"]]
    done = [line for line in about if line.get("event") == "task"]
    assert {line["severity"] for line in done} == {"INFO"}
    assert {line["attempt"] for line in done} >= {1}
    assert all(line["logging.googleapis.com/trace"].startswith("projects/") for line in done)
    assert len({line["logging.googleapis.com/trace"] for line in done}) == 1
    text = "\n".join(line for _, line in house.said)
    for sentence in (s.strip() for s in REQUEST.splitlines() if len(s) > 40):
        assert sentence not in text
    assert "Bearer" not in text
    assert "eyJ" not in text  # how a token begins


def test_an_interactive_execution_through_the_command_line(house: House) -> None:
    state = house.json("run", REQUEST, code=4)
    id = state["execution_id"]
    for _ in range(20):
        if state["waiting_for"] is None:
            break
        if state["waiting_for"] == "questions":
            wait = house.json("show", id)["wait"]
            given = (f"{q['id']}=as you propose" for q in wait["questions"])
            house.json("answer", id, *given)
        else:
            assert state["waiting_for"] == "approval"
            house.json("decide", id, "approve")
        state = house.json("resume", id, code=None)
    assert state["status"] == "completed"
    approved = [e for e in house.json("events", id)["events"] if e["type"] == "approved"]
    assert len(approved) == 4
    assert "pre-approved" not in {e["by"] for e in approved}


def test_cancel_is_final(house: House) -> None:
    id = house.json("run", REQUEST, code=4)["execution_id"]
    assert house.json("cancel", id, code=0)["status"] == "canceled"
    assert (
        "canceled already"
        in subprocess.run(
            [*COMMAND, "cancel", id],
            cwd=house.folder,
            env=Command(house.folder).environment | house.stack.environment,
            capture_output=True,
            text=True,
            check=False,
        ).stderr
    )


@pytest.mark.parametrize("door", list(ACCOUNTS))
def test_a_door_lets_in_the_right_caller_only(house: House, door: str) -> None:
    other = next(name for name in ACCOUNTS if name != door)
    query = f"email={ACCOUNTS[door]}&audience=https://elsewhere.example"
    server = house.stack.environment["SOLUTION_ARCHITECT_ISSUER"]
    with urllib.request.urlopen(f"{server}/token?{query}", timeout=5) as answer:
        elsewhere = answer.read().decode()
    assert house.post(door, None) == 401
    assert house.post(door, "forged.token.here") == 401
    assert house.post(door, elsewhere) == 401
    assert house.post(door, house.stack.token(other)) == 401
    query = f"email=eve@local.invalid&audience={house.stack.url(door)}"
    with urllib.request.urlopen(f"{server}/token?{query}", timeout=5) as answer:
        stranger = answer.read().decode()
    assert house.post(door, stranger) == 403
    assert house.post(door, house.stack.token(door)) == 200
    refused = [line for line in house.lines(door) if line.get("event") == "caller_refused"]
    assert [line["status"] for line in refused][-5:] == [401, 401, 401, 401, 403]


def test_a_poisoned_task_is_dropped_and_an_unknown_execution_changes_nothing(house: House) -> None:
    token = house.stack.token("turn")
    assert house.post("turn", token, b"\xff not json") == 200
    assert house.post("turn", token, b"x" * 100_000) == 200
    body = {"execution": "nobody", "kind": "turn", "number": 1, "redrive": 0}
    assert house.post("turn", token, json.dumps(body).encode()) == 200
    wrong = {**body, "kind": "delegation", "deliverable": "requirements"}
    assert house.post("turn", token, json.dumps(wrong).encode()) == 200
    said = [line for line in house.lines("turn") if line.get("event") == "poisoned_task"]
    assert len(said) >= 3


@pytest.mark.parametrize("door", list(ACCOUNTS))
def test_health_needs_no_caller(house: House, door: str) -> None:
    for path in ("/healthz", "/readyz"):
        with urllib.request.urlopen(house.stack.url(door) + path, timeout=10) as answer:
            assert answer.status == 200


def test_the_sweep_imports_no_agents(house: House) -> None:
    code = (
        "import sys, functions.sweep\n"
        "print([m for m in sys.modules if m.startswith(('google.adk', 'litellm', 'agents'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_door_that_ends_while_it_works_loses_nothing(house: House) -> None:
    run = subprocess.Popen(
        [*COMMAND, "run", REQUEST, "--pre-approved", "--json"],
        cwd=house.folder,
        env=Command(house.folder).environment | house.stack.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    before = len(house.lines("delegation"))
    while len(house.lines("delegation")) == before and run.poll() is None:
        time.sleep(0.02)
    house.stack.parts["delegation"].end()
    house.stack.start_door("delegation")
    house.stack.wait_ready("delegation")
    out, errors = run.communicate(timeout=400)
    assert run.returncode == 0, errors
    id = json.loads(out)["execution_id"]
    events = house.json("events", id)["events"]
    assert sum(e["type"] == "submitted" for e in events) == 9
