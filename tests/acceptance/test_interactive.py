"""A whole interactive Execution at a pseudo-terminal: questions, one change, Approvals, guide."""

from __future__ import annotations

import re
from pathlib import Path

import pexpect

from tests.support.command import COMMAND, ROOT, Command

FEEDBACK = "RTO must be 15 minutes"


def test_questions_changes_approvals_guide(tmp_path: Path) -> None:
    command = Command(tmp_path)
    terminal = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], "run", str(ROOT / "examples" / "order-platform-migration.md")],
        cwd=str(tmp_path),
        env=command.environment | {"TERM": "xterm-256color"},
        dimensions=(50, 160),
        encoding="utf-8",
        timeout=90,
    )
    questions = approvals = 0
    changed = False
    while True:
        seen = terminal.expect(
            ["Answer: ", r"\[q\]uit: ", r"What shall change: ", pexpect.EOF], searchwindowsize=4000
        )
        if seen == 0:
            questions += 1
            terminal.sendline("")
        elif seen == 1:
            approvals += 1
            if approvals == 1:
                terminal.sendline("1")  # read the requirements first
            elif approvals == 3 and not changed:
                changed = True
                terminal.sendline("c")
            else:
                terminal.sendline("a")
        elif seen == 2:
            terminal.sendline(FEEDBACK)
        else:
            break
    terminal.close()
    assert terminal.exitstatus == 0, terminal.before
    assert questions >= 5
    id = command.json("list")["executions"][0]["execution_id"]
    events = command.json("events", id)["events"]
    reopened = [e for e in events if e["type"] == "reopened"]
    assert [(e["deliverable"], e["phases"]) for e in reopened] == [
        ("requirements", ["requirements_discovery"])
    ]
    asked = [e["phase"] for e in events if e["type"] == "approval_requested"]
    assert asked.count("requirements_discovery") == 2
    assert [e["by"] for e in events if e["type"] == "approved"].count("pre-approved") == 0
    first, second = (
        command.json("show", id, "requirements", "--revision", n)["content"] for n in "12"
    )
    assert first != second
    assert re.search(r"15 minutes", second)
    assert not re.search(r"RTO[^\n]{0,40}15 minutes", first)
    guides = list(tmp_path.glob("deliverables/executions/*/solution-architecture-guide.md"))
    assert len(guides) == 1
    assert "15 minutes" in guides[0].read_text()
