"""Who may call a door: identity tokens against an issuer of our own, over real HTTP.

1. Only a token that the issuer signed, for this door, not expired, with a verified e-mail address
   that is on the list, lets a caller in.
2. Headers of the queue prove nothing.
3. A token without a signature counts only where the platform has checked it.
4. Certificates are fetched once; a failure to fetch is no verdict on the caller.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from functions.callers import (
    REMOVED_SIGNATURE,
    Caller,
    CallerError,
    CallerRules,
    Certificates,
    CertificatesUnavailable,
    Forbidden,
    Unauthenticated,
    verify,
)
from tests.support.http_server import serving
from tests.support.issuer import Issuer
from tests.support.queue_harness import (
    ACCOUNT,
    ATTEMPTS,
    CloudTasksHarness,
    cloud_tasks_harness,
    delegation,
    turn,
)

DOOR = "https://turn.example"
NAME = "https://issuer.example"


@dataclass
class World:
    """An issuer with its certificates on a real port, and a door's rules."""

    issuer: Issuer
    certificates: Certificates
    rules: CallerRules
    fetches: SimpleNamespace

    async def verify(self, token: str, **rules: object) -> Caller:
        changed = replace(self.rules, **rules)  # type: ignore[arg-type]
        return await verify(f"Bearer {token}", changed, self.certificates)


@pytest.fixture(scope="module")
def issuer() -> Issuer:
    return Issuer(NAME)


@pytest.fixture
async def world(issuer: Issuer) -> AsyncIterator[World]:
    fetches = SimpleNamespace(count=0)

    async def certs(request: Request) -> Response:
        fetches.count += 1
        return JSONResponse(issuer.certificates(), headers={"Cache-Control": "max-age=3600"})

    async with serving(Starlette(routes=[Route("/certs", certs)])) as url:
        certificates = Certificates(f"{url}/certs")
        rules = CallerRules(frozenset({DOOR}), frozenset({ACCOUNT}), frozenset({NAME}))
        yield World(issuer, certificates, rules, fetches)
        certificates.close()


# -- Signed tokens -------------------------------------------------------------------------


async def test_the_right_token_opens(world: World) -> None:
    caller = await world.verify(world.issuer.token(ACCOUNT, DOOR))
    assert caller == Caller(ACCOUNT, "tasks", NAME)


async def test_a_door_for_everybody_takes_any_verified_address(world: World) -> None:
    token = world.issuer.token("ann@example.com", DOOR)
    assert (await world.verify(token, emails=None)).email == "ann@example.com"


async def test_a_door_for_nobody_takes_nobody(world: World) -> None:
    with pytest.raises(Forbidden):
        await world.verify(world.issuer.token(ACCOUNT, DOOR), emails=frozenset())


async def test_a_door_may_have_two_names(world: World) -> None:
    both = frozenset({DOOR, "https://turn-2.example"})
    for audience in both:
        await world.verify(world.issuer.token(ACCOUNT, audience), audiences=both)


def test_a_door_without_an_audience_cannot_be_made() -> None:
    for audiences in (frozenset[str](), frozenset({""})):
        with pytest.raises(ValueError, match="needs an audience"):
            CallerRules(audiences, None)


async def test_clocks_may_differ_by_ten_seconds(world: World) -> None:
    await world.verify(world.issuer.token(ACCOUNT, DOOR, age=-7))
    await world.verify(world.issuer.token(ACCOUNT, DOOR, age=3600 + 5))


@pytest.mark.parametrize(
    "claims",
    [
        {"age": 3600 + 20},
        {"age": -30},
        {"aud": "https://delegation.example"},
        {"aud": DOOR + "/"},
        {"aud": None},
        {"aud": [DOOR]},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"iss": [NAME]},
        {"exp": None},
        {"iat": None},
        {"exp": "never"},
    ],
    ids=str,
)
async def test_a_token_that_is_not_for_here_and_now_is_401(
    world: World, claims: dict[str, object]
) -> None:
    token = world.issuer.token(ACCOUNT, DOOR, **claims)  # type: ignore[arg-type]
    with pytest.raises(Unauthenticated) as refused:
        await world.verify(token)
    assert refused.value.status == 401
    assert token not in str(refused.value)


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "other@p.iam.gserviceaccount.com"},
        {"email": ACCOUNT.upper()},
        {"email": None},
        {"email": [ACCOUNT]},
        {"email_verified": False},
        {"email_verified": None},
        {"email_verified": "true"},
    ],
    ids=str,
)
async def test_another_account_is_403(world: World, claims: dict[str, object]) -> None:
    with pytest.raises(Forbidden) as refused:
        await world.verify(world.issuer.token(ACCOUNT, DOOR, **claims))  # type: ignore[arg-type]
    assert refused.value.status == 403


async def test_another_issuers_key_with_the_same_id_is_401(world: World) -> None:
    with pytest.raises(Unauthenticated):
        await world.verify(Issuer(NAME).token(ACCOUNT, DOOR))


async def test_a_key_that_the_issuer_does_not_have_is_401(world: World) -> None:
    with pytest.raises(Unauthenticated):
        await world.verify(Issuer(NAME, key_id="unknown").token(ACCOUNT, DOOR))


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


async def test_a_token_whose_claims_were_changed_is_401(world: World) -> None:
    head, body, signature = world.issuer.token("ann@example.com", DOOR).split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "==="))
    with pytest.raises(Unauthenticated):
        await world.verify(f"{head}.{_part(claims | {'email': ACCOUNT})}.{signature}")


@pytest.mark.parametrize("algorithm", ["none", "HS256", "", None])
async def test_an_unsigned_token_is_401_whatever_it_says_of_itself(
    world: World, algorithm: str | None
) -> None:
    _, body, _ = world.issuer.token(ACCOUNT, DOOR).split(".")
    head = _part({"alg": algorithm, "kid": world.issuer.key_id, "typ": "JWT"})
    for signature in ("", "c2ln"):
        with pytest.raises(Unauthenticated):
            await world.verify(f"{head}.{body}.{signature}")


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", "Basic YTpi", "bearer a.b.c", "Bearer a.b", "Bearer é.é.é"],
)
async def test_what_is_no_token_is_401(world: World, header: str | None) -> None:
    with pytest.raises(Unauthenticated):
        await verify(header, world.rules, world.certificates)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=80) | st.lists(st.binary(max_size=30), min_size=3, max_size=3))
def test_any_text_is_401(loop_world: World, given: str | list[bytes]) -> None:
    token = (
        given
        if isinstance(given, str)
        else ".".join(base64.urlsafe_b64encode(part).decode() for part in given)
    )
    rules = replace(loop_world.rules, signature_checked=True)
    with pytest.raises(Unauthenticated):
        asyncio.run(verify(f"Bearer {token}", rules, loop_world.certificates))


@pytest.fixture
def loop_world(issuer: Issuer) -> Iterator[World]:
    """A world without a loop of its own; certificates come from a canned session."""

    class Canned(Certificates):
        def __init__(self) -> None:
            super().__init__("https://certs.example")
            data = json.dumps(issuer.certificates()).encode()
            self.request = lambda url, method: SimpleNamespace(status=200, data=data)  # type: ignore[assignment]

    certificates = Canned()
    rules = CallerRules(frozenset({DOOR}), frozenset({ACCOUNT}), frozenset({NAME}))
    yield World(issuer, certificates, rules, SimpleNamespace(count=0))
    certificates.close()


# -- Certificates --------------------------------------------------------------------------


async def test_certificates_are_fetched_once(world: World) -> None:
    for _ in range(5):
        await world.verify(world.issuer.token(ACCOUNT, DOOR))
    with pytest.raises(Unauthenticated):
        await world.verify(Issuer(NAME, key_id="unknown").token(ACCOUNT, DOOR))
    assert world.fetches.count == 1


async def test_certificates_that_cannot_be_had_are_503(world: World) -> None:
    async def broken(request: Request) -> Response:
        return PlainTextResponse("later", status_code=500)

    token = world.issuer.token(ACCOUNT, DOOR)
    async with serving(Starlette(routes=[Route("/certs", broken)])) as url:
        for address in (f"{url}/certs", "http://127.0.0.1:1/certs"):
            certificates = Certificates(address, seconds=1)
            with pytest.raises(CertificatesUnavailable, match="cannot be fetched") as refused:
                await verify(f"Bearer {token}", world.rules, certificates)
            assert refused.value.status == 503
            certificates.close()


# -- Tokens that the platform has checked --------------------------------------------------


def stripped(token: str) -> str:
    """A token as Cloud Run hands it on."""
    return f"{token.rpartition('.')[0]}.{REMOVED_SIGNATURE}"


async def test_without_the_platform_a_stripped_token_is_401(world: World) -> None:
    with pytest.raises(Unauthenticated, match="no signature"):
        await world.verify(stripped(world.issuer.token(ACCOUNT, DOOR)))


async def test_behind_the_platform_the_claims_are_checked(world: World) -> None:
    good = world.issuer.token(ACCOUNT, DOOR)
    assert (await world.verify(stripped(good), signature_checked=True)).email == ACCOUNT
    assert (await world.verify(good, signature_checked=True)).email == ACCOUNT
    assert world.fetches.count == 1


@pytest.mark.parametrize(
    ("claims", "error"),
    [
        ({"age": 3600 + 20}, Unauthenticated),
        ({"age": -30}, Unauthenticated),
        ({"aud": "https://delegation.example"}, Unauthenticated),
        ({"aud": [DOOR]}, Unauthenticated),
        ({"aud": None}, Unauthenticated),
        ({"iss": "https://evil.example"}, Unauthenticated),
        ({"exp": None}, Unauthenticated),
        ({"exp": "never"}, Unauthenticated),
        ({"email": "other@p.iam.gserviceaccount.com"}, Forbidden),
        ({"email_verified": False}, Forbidden),
    ],
    ids=str,
)
async def test_behind_the_platform_wrong_claims_are_refused(
    world: World, claims: dict[str, object], error: type[CallerError]
) -> None:
    token = world.issuer.token(ACCOUNT, DOOR, **claims)  # type: ignore[arg-type]
    with pytest.raises(error):
        await world.verify(stripped(token), signature_checked=True)


async def test_behind_the_platform_a_forged_signature_is_still_401(world: World) -> None:
    head = world.issuer.token(ACCOUNT, DOOR).rpartition(".")[0]
    for signature in ("", "c2ln", REMOVED_SIGNATURE.lower()):
        with pytest.raises(Unauthenticated):
            await world.verify(f"{head}.{signature}", signature_checked=True)


@pytest.mark.parametrize("claims", ["[]", "null", "7", '"x"', "{"])
async def test_behind_the_platform_claims_that_are_no_object_are_401(
    world: World, claims: str
) -> None:
    body = base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=")
    with pytest.raises(Unauthenticated):
        await world.verify(
            f"{_part({'alg': 'RS256'})}.{body}.{REMOVED_SIGNATURE}", signature_checked=True
        )


# -- A door behind the queue ---------------------------------------------------------------


class GuardedHarness:
    """The harness with a guard before its door; ``answers`` are what the queue heard."""

    def __init__(self, harness: CloudTasksHarness) -> None:
        self.harness = harness
        self.answers: list[int] = []
        self.certificates = Certificates(harness.server.certs_url)
        door = harness.app.router.routes.pop()
        assert isinstance(door, Route)
        self._receive = door.endpoint
        harness.app.router.routes.append(Route("/{kind}", self._guarded, methods=["POST"]))

    async def _guarded(self, request: Request) -> Response:
        rules = CallerRules(
            audiences=frozenset({self.harness.settings.turns.audience}),
            emails=frozenset({ACCOUNT}),
            issuers=frozenset({self.harness.server.issuer.name}),
        )
        try:
            await verify(request.headers.get("authorization"), rules, self.certificates)
            answer: Response = await self._receive(request)
        except CallerError as error:
            answer = PlainTextResponse(str(error), status_code=error.status)
        self.answers.append(answer.status_code)
        return answer


@pytest.fixture
async def guarded() -> AsyncIterator[GuardedHarness]:
    async with cloud_tasks_harness() as harness:
        made = GuardedHarness(harness)
        yield made
        made.certificates.close()


async def _accept(delivery: object) -> int:
    return 200


async def test_the_queues_own_token_opens_the_door(guarded: GuardedHarness) -> None:
    await guarded.harness.start(_accept)
    for number in (1, 2):
        await guarded.harness.queue.enqueue([turn(number)])
        await guarded.harness.drained()
    assert guarded.answers == [200, 200]
    assert guarded.harness.server.counts["certificate fetches"] == 1


async def test_a_token_for_another_door_is_refused_and_the_task_stays(
    guarded: GuardedHarness,
) -> None:
    await guarded.harness.start(_accept)
    await guarded.harness.queue.enqueue([delegation(1)])  # its audience is the other door
    await guarded.harness.drained()
    assert guarded.answers == [401] * ATTEMPTS


@pytest.mark.parametrize(
    ("token", "status"),
    [("expired", 401), ("other account", 403), ("forged", 401), ("none", 401)],
)
async def test_forged_headers_of_the_queue_open_nothing(
    guarded: GuardedHarness, token: str, status: int
) -> None:
    issuer, target = guarded.harness.server.issuer, guarded.harness.settings.turns
    tokens = {
        "expired": issuer.token(ACCOUNT, target.audience, age=7200),
        "other account": issuer.token("other@p.iam.gserviceaccount.com", target.audience),
        "forged": Issuer(issuer.name).token(ACCOUNT, target.audience),
    }
    headers = {
        "X-CloudTasks-QueueName": "turns",
        "X-CloudTasks-TaskName": "x",
        "X-CloudTasks-TaskRetryCount": "0",
    }
    if token in tokens:
        headers["Authorization"] = f"Bearer {tokens[token]}"
    await guarded.harness.start(_accept)
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(target.url, headers=headers, content=b"{}")
    assert answer.status_code == status
    assert guarded.harness.requests == []
