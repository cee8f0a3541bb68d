"""The Pub/Sub emulator for tests, and a subscriber that pulls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from uuid import uuid4

import grpc
import pytest
from google.pubsub_v1 import PublisherAsyncClient, SubscriberAsyncClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcAsyncIOTransport
from google.pubsub_v1.types import DeadLetterPolicy, ReceivedMessage, Subscription

from engine.events.pubsub import connect
from functions.emulators import Emulator, EmulatorKind, EmulatorMissing


@pytest.fixture(scope="session")
def pubsub_emulator() -> Iterator[Emulator]:
    """One emulator a test process; a test that needs it fails where it is missing."""
    try:
        emulator = Emulator.launch(EmulatorKind.PUBSUB).wait()
    except EmulatorMissing as missing:
        pytest.fail(str(missing), pytrace=False)
    yield emulator
    emulator.stop()


@dataclass
class Desk:
    """A topic of its own with subscriptions, on the emulator."""

    publisher: PublisherAsyncClient
    subscriber: SubscriberAsyncClient
    project: str

    @property
    def topic(self) -> str:
        return f"projects/{self.project}/topics/events"

    async def subscribe(
        self, name: str, topic: str | None = None, dead_letters: str | None = None
    ) -> str:
        policy = DeadLetterPolicy(dead_letter_topic=dead_letters, max_delivery_attempts=5)
        made = await self.subscriber.create_subscription(
            request=Subscription(
                name=f"projects/{self.project}/subscriptions/{name}",
                topic=topic or self.topic,
                # The emulator moves no message of an ordered subscription to the dead letters.
                enable_message_ordering=dead_letters is None,
                ack_deadline_seconds=10,
                dead_letter_policy=policy if dead_letters else None,
            )
        )
        return made.name

    async def pull(self, subscription: str, count: int) -> list[ReceivedMessage]:
        """The next ``count`` messages, acknowledged."""
        found: list[ReceivedMessage] = []
        async with asyncio.timeout(30):
            while len(found) < count:
                answer = await self.subscriber.pull(
                    subscription=subscription, max_messages=count - len(found)
                )
                found += answer.received_messages
                if answer.received_messages:
                    await self.subscriber.acknowledge(
                        subscription=subscription,
                        ack_ids=[m.ack_id for m in answer.received_messages],
                    )
        return found

    async def refuse(self, subscription: str) -> int:
        """Take what comes and give it back at once; how many came."""
        answer = await self.subscriber.pull(subscription=subscription, max_messages=10)
        if answer.received_messages:
            await self.subscriber.modify_ack_deadline(
                subscription=subscription,
                ack_ids=[m.ack_id for m in answer.received_messages],
                ack_deadline_seconds=0,
            )
        return len(answer.received_messages)


@pytest.fixture
async def desk(pubsub_emulator: Emulator) -> AsyncIterator[Desk]:
    """A topic in a project of its own."""
    publisher = connect(pubsub_emulator.host)
    channel = grpc.aio.insecure_channel(pubsub_emulator.host)
    subscriber = SubscriberAsyncClient(transport=SubscriberGrpcAsyncIOTransport(channel=channel))
    desk = Desk(publisher, subscriber, f"p-{uuid4().hex[:12]}")
    await publisher.create_topic(name=desk.topic)
    yield desk
    await publisher.transport.close()
    await subscriber.transport.close()
