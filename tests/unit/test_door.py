"""What every door does beside its work: readiness, refusals, and the end of its process."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Awaitable, Callable

import httpx
import pytest
from starlette.requests import Request

from engine.ports import Unavailable
from functions import door as doors
from functions.callers import Caller, CallerRules, Certificates, Forbidden
from functions.door import Door, Ending
from functions.settings import SettingsError, load_settings


class Ready:
    """A backend that can be reached, or not."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    async def ready(self) -> None:
        if self.error is not None:
            raise self.error


async def done(request: Request) -> int:
    return 204


Ask = Callable[[str, str], Awaitable[httpx.Response]]


def make(handle: doors.Handle = done) -> tuple[Door, Ready, Ask]:
    backend = Ready()
    rules = CallerRules(audiences=frozenset({"a"}), emails=frozenset({"queue@x"}))
    door = Door(
        "turn", load_settings(), backend, handle, Ending(60), rules, Certificates("http://x")
    )

    async def app(scope, receive, send) -> None:
        await (await door(Request(scope, receive)))(scope, receive, send)

    async def ask(method: str, path: str) -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
            return await client.request(method, path)

    return door, backend, ask


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    async def verify(*_: object) -> Caller:
        return Caller("queue@x", "1", "i")

    monkeypatch.setattr(doors, "verify", verify)


async def test_work_is_answered_with_the_handlers_status() -> None:
    _, _, ask = make()
    assert (await ask("POST", "/")).status_code == 204
    assert (await ask("POST", "/anything")).status_code == 204
    assert (await ask("GET", "/")).status_code == 405


async def test_ready_means_that_the_store_answers(caplog: pytest.LogCaptureFixture) -> None:
    _, backend, ask = make()
    assert (await ask("GET", "/readyz")).status_code == 200
    backend.error = Unavailable("the store sleeps")
    assert (await ask("GET", "/readyz")).status_code == 503
    assert "the store sleeps" in caplog.text


async def test_a_refused_caller_is_logged_and_does_no_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def verify(*_: object) -> Caller:
        raise Forbidden("eve@x may not call this")

    async def never(request: Request) -> int:
        raise AssertionError

    monkeypatch.setattr(doors, "verify", verify)
    _, _, ask = make(never)
    assert (await ask("POST", "/")).status_code == 403
    assert [getattr(r, "event", None) for r in caplog.records] == ["caller_refused"]


async def test_what_nobody_foresaw_is_a_logged_500(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(request: Request) -> int:
        raise ValueError("broken")

    _, _, ask = make(broken)
    assert (await ask("POST", "/")).status_code == 500
    assert "broken" in caplog.text


async def test_a_door_whose_process_ends_takes_no_work_and_stays_healthy() -> None:
    door, _, ask = make()
    door.ending.begin()
    assert (await ask("POST", "/")).status_code == 503
    assert (await ask("GET", "/readyz")).status_code == 200
    assert not door.ending.stop.is_set()


async def test_sigterm_is_heard_beside_whoever_hears_it_already() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        ending = Ending(0)
        ending.watch()
        os.kill(os.getpid(), signal.SIGTERM)
        await ending.stop.wait()
        assert ending.begun
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_door_without_callers_is_a_start_up_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SOLUTION_ARCHITECT_AUDIENCE", "https://turn.example")
    with pytest.raises(SettingsError, match="SOLUTION_ARCHITECT_CALLERS is missing"):
        doors.caller_rules(load_settings())
    monkeypatch.setenv("SOLUTION_ARCHITECT_CALLERS", "a@x, b@x")
    assert doors.caller_rules(load_settings()).emails == {"a@x", "b@x"}
