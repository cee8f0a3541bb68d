"""Spans carry one trace through tasks; counters count what commits record."""

from __future__ import annotations

import re

import pytest

from engine.execution import Event, EventType, Usage
from functions import telemetry
from tests.support.histories import START

TRACE = f"00-{'ab' * 16}-{'cd' * 8}-01"


@pytest.mark.parametrize("installed", [True, False])
def test_a_span_goes_on_with_its_trace_and_begins_one_without(
    monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    if not installed:
        monkeypatch.setattr(telemetry, "_api", lambda: None)
    with telemetry.span("turn task", TRACE) as after:
        assert after.split("-")[1] == "ab" * 16
    with telemetry.span("command") as first:
        assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", first)
        assert first.split("-")[1] != "0" * 32


def test_a_commit_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: dict[str, int] = {}

    def count(name: str, number: int = 1, **attributes: str | int) -> None:
        key = "/".join([name, *map(str, attributes.values())])
        counted[key] = counted.get(key, 0) + number

    monkeypatch.setattr(telemetry, "count", count)
    events = [Event(seq=1, at=START, type=EventType.DISCARDED)]
    telemetry.observe(events, Usage(runs=1, input_tokens=5), Usage(runs=2, input_tokens=12))
    assert counted == {
        "events/discarded": 1,
        "discarded": 1,
        "runs": 1,
        "tool_calls": 0,
        "tokens/input": 7,
        "tokens/output": 0,
    }
