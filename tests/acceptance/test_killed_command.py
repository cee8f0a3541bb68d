"""The real command, killed with SIGKILL at ten moments and resumed each time, loses nothing.

Afterwards there are nine submissions, none twice, and the guide equals an undisturbed run's.
"""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.command import ROOT, Command

REQUEST = ROOT / "examples" / "rag-assistant.md"
MOMENTS = (1, 2, 4, 7, 9, 12, 15, 19, 24, 28)
"""How many events stand when the process is killed."""


def killed_at(job, command: Command, events: int) -> bool:
    """Kill the process once so many events stand; False if it ended before."""
    limit = time.monotonic() + 90
    while job.poll() is None and command.events_written() < events:
        assert time.monotonic() < limit, "nothing happens"
        time.sleep(0.005)
    killed = job.poll() is None
    job.kill()
    job.communicate()
    return killed


def test_ten_kills(tmp_path: Path) -> None:
    calm, harsh = (Command(tmp_path / name) for name in ("calm", "harsh"))
    for command in (calm, harsh):
        command.folder.mkdir()
    expected = calm.json("run", str(REQUEST), "--pre-approved")
    kills = int(killed_at(harsh.start("run", str(REQUEST), "--pre-approved"), harsh, MOMENTS[0]))
    id = harsh.json("list")["executions"][0]["execution_id"]
    for events in MOMENTS[1:]:
        kills += killed_at(harsh.start("resume", id), harsh, events)
    assert kills == len(MOMENTS)
    for path in (harsh.folder / "state").glob("queue.sqlite*"):
        path.unlink()  # the tasks follow from the state
    found = harsh.json("resume", id)
    assert found["status"] == expected["status"] == "completed"
    events = harsh.json("events", id)["events"]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    submitted = [e["deliverable"] for e in events if e["type"] == "submitted"]
    assert len(submitted) == len(set(submitted)) == 9
    texts = [
        Path(f / r["guide"]).read_text()
        for f, r in ((calm.folder, expected), (harsh.folder, found))
    ]
    assert texts[0] == texts[1]
