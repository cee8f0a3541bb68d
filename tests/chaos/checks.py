"""What must hold after ``make chaos``, for each Execution.

1. it ended as it should: completed, or canceled if somebody canceled it;
2. nine submissions, one of each Deliverable, each with its content, none twice;
3. event numbers are dense, and each event was published;
4. no claim and no wait is left;
5. Approvals come from decisions that a person sent, or from pre-approval.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import grpc
from google.pubsub_v1 import SubscriberAsyncClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcAsyncIOTransport
from google.pubsub_v1.types import Subscription

from engine.deliverables import Kind
from engine.execution import (
    Event,
    EventType,
    Execution,
    ExecutionId,
    Status,
    due_tasks,
    unpublished,
)
from engine.ports import ExecutionStore, UnknownExecution
from functions.emulated import PROJECT, TOPIC

EVENTS = 100_000
QUIET_SECONDS = 10.0


@dataclass
class Expected:
    """What should become of an Execution. ``granted`` are the waits that a person approved."""

    interactive: bool
    cancel_after: int | None = None
    granted: set[str] = field(default_factory=set)


@dataclass
class Listener:
    """A subscriber that takes everything that is published."""

    client: SubscriberAsyncClient
    subscription: str = f"projects/{PROJECT}/subscriptions/chaos"
    heard: dict[str, set[int]] = field(default_factory=dict)
    messages: int = 0

    @classmethod
    async def open(cls, host: str) -> Self:
        """Subscribe to the topic."""
        channel = grpc.aio.insecure_channel(host)
        transport = SubscriberGrpcAsyncIOTransport(channel=channel)
        listener = cls(SubscriberAsyncClient(transport=transport))
        await listener.client.create_subscription(
            request=Subscription(name=listener.subscription, topic=TOPIC, ack_deadline_seconds=600)
        )
        return listener

    async def close(self) -> None:
        """Close the connection."""
        await self.client.transport.close()

    async def hear(self, states: Mapping[ExecutionId, Execution]) -> None:
        """Take messages until every event of these states came, or none come any more."""
        loop = asyncio.get_running_loop()
        last = loop.time()
        while loop.time() - last < QUIET_SECONDS and not self._complete(states):
            answer = await self.client.pull(
                subscription=self.subscription, max_messages=1000, timeout=30
            )
            received = answer.received_messages
            if not received:
                await asyncio.sleep(0.1)
                continue
            last = loop.time()
            self.messages += len(received)
            for one in received:
                attributes = one.message.attributes
                heard = self.heard.setdefault(attributes["execution"], set())
                heard.add(int(attributes["seq"]))
            await self.client.acknowledge(
                subscription=self.subscription, ack_ids=[one.ack_id for one in received]
            )

    def _complete(self, states: Mapping[ExecutionId, Execution]) -> bool:
        return all(len(self.heard.get(id, ())) >= state.last_event for id, state in states.items())


async def violations(
    store: ExecutionStore,
    expected: Mapping[ExecutionId, Expected],
    listener: Listener,
    counts: Counter[str],
) -> list[str]:
    """What does not hold, a sentence each; ``counts`` gets what the histories tell."""
    found = []
    for id, one in expected.items():
        try:
            execution = await store.load(id)
        except UnknownExecution:
            found.append(f"{id} was never started")
            continue
        events = list(await store.events(id, limit=EVENTS))
        counts[f"ended {execution.status}"] += 1
        counts["events"] += len(events)
        for event in events:
            counts["discarded outcomes"] += event.type is EventType.DISCARDED
            counts["redrives"] += event.type is EventType.REDRIVEN
        problems = [
            *_ended(execution, one),
            *_events(execution, events, listener.heard.get(id, set())),
            *_approvals(events, one),
            *await _submissions(store, execution, events),
        ]
        found += [f"{id}: {problem}" for problem in problems]
    counts["messages"] = listener.messages
    return found


def _ended(execution: Execution, expected: Expected) -> list[str]:
    found = []
    meant = {Status.COMPLETED}
    if expected.cancel_after is not None:
        meant = {Status.CANCELED}
    if execution.status not in meant:
        found.append(f"ended as {execution.status}, due {due_tasks(execution)}")
    if execution.turn.claim or any(work.claim for work in execution.work.values()):
        found.append("a claim is left")
    if execution.wait is not None:
        found.append("a wait is left")
    return found


def _events(execution: Execution, events: list[Event], heard: set[int]) -> list[str]:
    found = []
    numbers = [event.seq for event in events]
    if numbers != list(range(1, len(events) + 1)) or len(events) != execution.last_event:
        found.append(f"event numbers are not dense: {numbers}")
    if missing := set(numbers) - heard:
        found.append(f"events were not published: {sorted(missing)}")
    if strange := heard - set(numbers):
        found.append(f"events were published that never happened: {sorted(strange)}")
    if unpublished(execution):
        found.append("it does not know that every event is published")
    return found


def _approvals(events: list[Event], expected: Expected) -> list[str]:
    approved = [event for event in events if event.type is EventType.APPROVED]
    found = []
    for event in approved:
        if expected.interactive and event.wait not in expected.granted:
            found.append(f"the Approval of {event.phase} has no decision")
        if not expected.interactive and event.by != "pre-approved":
            found.append(f"the Approval of {event.phase} is by {event.by}")
    phases = [event.phase for event in approved]
    if len(phases) != len(set(phases)):
        found.append("a Phase was approved twice")
    return found


async def _submissions(
    store: ExecutionStore, execution: Execution, events: list[Event]
) -> list[str]:
    submitted = Counter(e.deliverable for e in events if e.type is EventType.SUBMITTED)
    found = [f"{kind} was submitted {n} times" for kind, n in submitted.items() if n != 1]
    if execution.status is Status.COMPLETED and set(submitted) != set(Kind):
        found.append(f"{len(submitted)} Deliverables were submitted")
    contents = await store.contents(execution.id, list(Kind))
    for kind in Kind:
        if (kind in contents) != (kind in submitted):
            found.append(f"{kind}: submission and content do not agree")
    return found
