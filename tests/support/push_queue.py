"""One queue of our task server: when a task goes out, when it comes again, when it is dropped.

Modelled on what Cloud Tasks documents: a token bucket and a limit of concurrency, backoff that
doubles ``max_doublings`` times and then grows linearly up to ``max_backoff``, attempts that end
only when both their number and the retry duration are used up, tombstones for names. ``scale``
shortens backoff, deadlines and tombstones alike, so that tests need not wait.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import timedelta

import httpx
from google.cloud import tasks_v2

log = logging.getLogger("task_server")

TOMBSTONE_SECONDS = 3600.0
OWN_HEADERS = ("host", "content-length", "user-agent", "authorization")
OWN_PREFIXES = ("x-google-", "x-appengine-", "x-cloudtasks-")


@dataclass
class Faults:
    """What goes wrong, as probabilities of one delivery. Change them while the server runs.

    ``duplicates``: it goes out twice at once, and which answer is heard is left to chance.
    ``lost_acks``: the answer never arrives. ``delays``: it goes out up to ``delay`` seconds later.
    ``late``: the same request comes once more, up to ``delay`` seconds after it was answered.
    """

    duplicates: float = 0.0
    lost_acks: float = 0.0
    delays: float = 0.0
    late: float = 0.0
    delay: float = 1.0


@dataclass
class Bucket:
    """Tokens for dispatches: ``rate`` a second, at most ``burst`` saved up."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    filled: float | None = None

    def __post_init__(self) -> None:
        self.tokens = self.burst

    def wait(self, now: float) -> float:
        """Take a token: 0, or take none: seconds until there is one."""
        if self.filled is not None:
            self.tokens = min(self.burst, self.tokens + (now - self.filled) * self.rate)
        self.filled = now
        if self.tokens >= 1 - 1e-9:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate


def backoff(config: tasks_v2.RetryConfig, failures: int) -> float:
    """Seconds before the next attempt after so many failures (1 or more)."""
    first, longest = seconds(config.min_backoff), seconds(config.max_backoff)
    doublings = config.max_doublings
    if failures <= doublings + 1:
        return min(float(first * 2 ** (failures - 1)), longest)
    return min(float(first * 2**doublings * (failures - doublings)), longest)


def seconds(duration: timedelta) -> float:
    """A duration as a number."""
    return duration.total_seconds()


@dataclass(eq=False)
class Entry:
    """A task in the queue. ``dispatched`` counts attempts, ``answered`` answers below 500."""

    task: tasks_v2.Task
    due: float
    eta: float
    dispatched: int = 0
    answered: int = 0
    first: float | None = None
    previous: int | None = None
    reason: str | None = None
    running: bool = False


@dataclass
class PushQueue:
    """A queue that pushes over HTTP. ``rules`` is the Queue as the API shows it."""

    rules: tasks_v2.Queue
    client: httpx.AsyncClient
    token: Callable[[str, str], str]
    faults: Faults
    rng: random.Random
    counts: Counter[str]
    scale: float = 1.0
    entries: dict[str, Entry] = field(default_factory=dict)
    tombstones: dict[str, float] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._changed = asyncio.Event()
        self._jobs: set[asyncio.Task[None]] = set()
        self._running = 0
        self.configure(self.rules)
        self._spawn(self._pump())

    def configure(self, rules: tasks_v2.Queue) -> None:
        """New limits; those left out get the service's defaults."""
        self.rules = rules
        limits = rules.rate_limits
        limits.max_dispatches_per_second = limits.max_dispatches_per_second or 500
        limits.max_concurrent_dispatches = limits.max_concurrent_dispatches or 1000
        limits.max_burst_size = limits.max_burst_size or max(
            1, int(limits.max_dispatches_per_second)
        )
        retry = rules.retry_config
        retry.max_attempts = retry.max_attempts or 100
        retry.min_backoff = retry.min_backoff or timedelta(seconds=0.1)
        retry.max_backoff = retry.max_backoff or timedelta(hours=1)
        retry.max_doublings = retry.max_doublings or 16
        self._bucket = Bucket(limits.max_dispatches_per_second, limits.max_burst_size)
        self._changed.set()

    # -- What the API does ---------------------------------------------------------------

    def add(self, task: tasks_v2.Task, now: float, wall: float) -> bool:
        """Take a task; False if its name is taken or was, not long ago."""
        self.tombstones = {n: until for n, until in self.tombstones.items() if until > now}
        if task.name in self.entries or task.name in self.tombstones:
            return False
        wait = max(task.schedule_time.timestamp() - wall, 0) if task.schedule_time else 0.0
        self.entries[task.name] = Entry(task, now + wait, wall + wait)
        self._changed.set()
        return True

    def remove(self, name: str) -> bool:
        """Delete a task; its name stays as a tombstone."""
        found = self.entries.pop(name, None)
        if found:
            self.tombstones[name] = time.monotonic() + TOMBSTONE_SECONDS * self.scale
            self._changed.set()
        return found is not None

    def run_now(self, name: str) -> None:
        """Make a task due at once."""
        self.entries[name].due = time.monotonic()
        self._changed.set()

    def purge(self) -> None:
        """Delete every task."""
        for name in list(self.entries):
            self.remove(name)

    def set_state(self, state: tasks_v2.Queue.State) -> None:
        """Pause or resume."""
        self.rules.state = state
        self._changed.set()

    @property
    def idle(self) -> bool:
        """Nothing is queued and nothing is on its way, no late copy either."""
        return not self.entries and len(self._jobs) <= 1

    async def close(self) -> None:
        """Stop; deliveries on their way are cut off."""
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)

    # -- What it does by itself ----------------------------------------------------------

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        job = asyncio.create_task(work)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)

    async def _pump(self) -> None:
        while True:
            self._changed.clear()
            wait = self._dispatch(time.monotonic())
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _dispatch(self, now: float) -> float | None:
        """Send out what may go; seconds until there may be more, None if only a change can tell."""
        if self.rules.state == tasks_v2.Queue.State.PAUSED:
            return None
        waiting = sorted((e for e in self.entries.values() if not e.running), key=lambda e: e.due)
        for entry in waiting:
            if entry.due > now:
                return entry.due - now
            if self._running >= self.rules.rate_limits.max_concurrent_dispatches:
                return None
            if wait := self._bucket.wait(now):
                return wait
            entry.running = True
            self._running += 1
            self._spawn(self._attempt(entry))
        return None

    async def _attempt(self, entry: Entry) -> None:
        try:
            if self._happens("delays", self.faults.delays):
                await asyncio.sleep(self.rng.uniform(0, self.faults.delay))
            headers = self._headers(entry)
            entry.first = entry.first or time.monotonic()
            entry.dispatched += 1
            self.counts["deliveries"] += 1
            status, reason = await self._answer(entry, headers)
        finally:
            entry.running = False
            self._running -= 1
            self._changed.set()
        if self.entries.get(entry.task.name) is entry:
            self._settle(entry, status, reason)

    async def _answer(self, entry: Entry, headers: dict[str, str]) -> tuple[int | None, str]:
        answer = asyncio.create_task(self._post(entry.task, headers))
        if self._happens("duplicates", self.faults.duplicates):
            other = asyncio.create_task(self._post(entry.task, headers))
            if self.rng.random() < 0.5:
                answer, other = other, answer
            self._spawn(_outlive(other))
        try:
            status, reason = await answer
        except asyncio.CancelledError:
            answer.cancel()
            raise
        if self._happens("late", self.faults.late):
            self._spawn(self._late(entry.task, headers))
        if self._happens("lost_acks", self.faults.lost_acks):
            return None, "UNAVAILABLE"
        return status, reason

    async def _late(self, task: tasks_v2.Task, headers: dict[str, str]) -> None:
        await asyncio.sleep(self.rng.uniform(0, self.faults.delay))
        await self._post(task, headers)

    def _settle(self, entry: Entry, status: int | None, reason: str) -> None:
        """End the task, or let it come again."""
        name, config = entry.task.name, self.rules.retry_config
        if status is not None and 200 <= status < 300:
            self.remove(name)
            self.counts["done"] += 1
            return
        entry.previous, entry.reason = status, reason
        entry.answered += status is not None and status < 500
        now = time.monotonic()
        age = (now - (entry.first or now)) / self.scale
        if 0 <= config.max_attempts <= entry.dispatched and age >= seconds(
            config.max_retry_duration
        ):
            log.warning("dropped %s after %d attempts", name, entry.dispatched)
            self.remove(name)
            self.dropped.append(name)
            self.counts["dropped"] += 1
            return
        wait = backoff(config, entry.dispatched) * self.scale
        entry.due, entry.eta = now + wait, time.time() + wait
        self.counts["retries"] += 1
        self._changed.set()

    def _happens(self, name: str, probability: float) -> bool:
        happens = probability > 0 and self.rng.random() < probability
        self.counts[name] += happens
        return happens

    def _headers(self, entry: Entry) -> dict[str, str]:
        request = entry.task.http_request
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() not in OWN_HEADERS and not name.lower().startswith(OWN_PREFIXES)
        }
        headers |= {
            "User-Agent": "Google-Cloud-Tasks",
            "X-CloudTasks-QueueName": self.rules.name.rpartition("/")[2],
            "X-CloudTasks-TaskName": entry.task.name.rpartition("/")[2],
            "X-CloudTasks-TaskRetryCount": str(entry.dispatched),
            "X-CloudTasks-TaskExecutionCount": str(entry.answered),
            "X-CloudTasks-TaskETA": f"{entry.eta:.6f}",
        }
        if entry.previous is not None:
            headers["X-CloudTasks-TaskPreviousResponse"] = str(entry.previous)
        if entry.reason:
            headers["X-CloudTasks-TaskRetryReason"] = entry.reason
        if request.oidc_token.service_account_email:
            audience = request.oidc_token.audience or request.url
            token = self.token(request.oidc_token.service_account_email, audience)
            headers["Authorization"] = f"Bearer {token}"
        return headers

    async def _post(self, task: tasks_v2.Task, headers: dict[str, str]) -> tuple[int | None, str]:
        """The answer's status and, if it is a failure, its reason in words of the service."""
        request = task.http_request
        deadline = seconds(task.dispatch_deadline) * self.scale
        try:
            async with asyncio.timeout(deadline):
                response = await self.client.request(
                    request.http_method.name, request.url, headers=headers, content=request.body
                )
        except TimeoutError:
            self.counts["deadlines"] += 1
            return None, "DEADLINE_EXCEEDED"
        except httpx.HTTPError as error:
            log.info("no answer from %s: %r", request.url, error)
            return None, "UNAVAILABLE"
        return response.status_code, f"HTTP_{response.status_code}"


async def _outlive(copy: asyncio.Task[tuple[int | None, str]]) -> None:
    """Wait for the copy whose answer nobody hears."""
    try:
        await copy
    except asyncio.CancelledError:
        copy.cancel()
        raise
