"""Log lines in the shape of the log viewer: what they are about, and what they leave out."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from functions import logs

TRACE = f"00-{'ab' * 16}-{'cd' * 8}-01"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    out = io.StringIO()
    logs.set_up("INFO", "my-project", out)
    yield out
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_line_says_what_it_is_about(stream: io.StringIO) -> None:
    with logs.about(execution="e1", task="e1-turn-1-0", attempt=2, traceparent=TRACE):
        logging.getLogger("x").warning("hello %s", "you", extra={"event": "task", "status": 503})
    line = json.loads(stream.getvalue())
    assert line["severity"] == "WARNING"
    assert line["message"] == "hello you"
    assert (line["execution"], line["task"], line["attempt"]) == ("e1", "e1-turn-1-0", 2)
    assert (line["event"], line["status"]) == ("task", 503)
    assert line["logging.googleapis.com/trace"] == f"projects/my-project/traces/{'ab' * 16}"
    assert line["logging.googleapis.com/spanId"] == "cd" * 8
    assert line["logging.googleapis.com/trace_sampled"] is True


def test_facts_end_with_their_block(stream: io.StringIO) -> None:
    with logs.about(execution="e1"):
        pass
    logging.getLogger("x").info("later")
    assert "execution" not in json.loads(stream.getvalue())


def test_an_error_keeps_its_traceback_in_one_line(stream: io.StringIO) -> None:
    try:
        raise ValueError("broken\nin two lines")
    except ValueError:
        logging.getLogger("x").exception("failed")
    (text,) = stream.getvalue().splitlines()
    assert "ValueError: broken" in json.loads(text)["stack_trace"]


def test_debug_lines_and_what_libraries_send_are_left_out(stream: io.StringIO) -> None:
    logging.getLogger("engine.runs").debug("a request's text")
    for name in ("httpx", "google_adk.models", "LiteLLM", "google.auth"):
        logging.getLogger(name).info("a request's text")
    assert stream.getvalue() == ""
