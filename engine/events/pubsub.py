"""Pub/Sub as the event bus: one message an event, in order for one Execution.

The ordering key is the Execution's id; ``execution``, ``seq`` and ``type`` are attributes, so that
a subscription can choose by them; the data is the event as JSON. Order holds for publishers in one
region, and a message may come twice: consumers drop what is not above the highest ``seq`` they saw.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import grpc
from google.api_core import exceptions
from google.api_core.retry import AsyncRetry, if_exception_type
from google.auth.exceptions import GoogleAuthError
from google.pubsub_v1 import PublisherAsyncClient
from google.pubsub_v1.services.publisher.transports import PublisherGrpcAsyncIOTransport
from google.pubsub_v1.types import PublishRequest, PubsubMessage

from engine.execution import Event, ExecutionId
from engine.ports import Unavailable

AT_ONCE = 500
"""Messages of one call; the service takes 1,000 and 10 MB."""

_TOPIC = re.compile(r"projects/[A-Za-z0-9.:-]+/topics/[A-Za-z][A-Za-z0-9._~+%-]{2,254}")
_TRANSIENT = (
    exceptions.ServiceUnavailable,
    exceptions.GatewayTimeout,
    exceptions.InternalServerError,
    exceptions.TooManyRequests,
    exceptions.Aborted,
    exceptions.Unknown,
)


class WrongTopic(ValueError):
    """The topic's name cannot work; the message shows it."""


class PublishApi(Protocol):
    """What the adapter calls of the client; PublisherAsyncClient has it."""

    async def publish(self, request: PublishRequest, *, retry: None, timeout: float) -> object:  # noqa: ASYNC109
        """Publish messages to a topic."""
        ...


def check_topic(topic: str) -> None:
    """Raise WrongTopic unless it is a topic's full name."""
    if not _TOPIC.fullmatch(topic):
        raise WrongTopic(f"{topic!r} is no topic: write projects/…/topics/…")


def connect(emulator: str | None = None) -> PublisherAsyncClient:
    """A client for the running event loop; ``emulator`` is host:port of the Pub/Sub emulator.

    Close it with ``await client.transport.close()``.
    """
    if emulator is None:
        return PublisherAsyncClient()
    channel = grpc.aio.insecure_channel(emulator)
    return PublisherAsyncClient(transport=PublisherGrpcAsyncIOTransport(channel=channel))


class PubSubBus:
    """An EventBus on a topic, given by its full name. ``call`` and ``total`` are in seconds.

    One attempt to publish takes at most ``call``, all of them ``total``. Raises WrongTopic.
    """

    def __init__(
        self, client: PublishApi, topic: str, *, call: float = 3.0, total: float = 8.0
    ) -> None:
        check_topic(topic)
        self._client = client
        self._topic = topic
        self._call = call
        self._retry = AsyncRetry(
            predicate=if_exception_type(*_TRANSIENT), initial=0.1, maximum=1.0, timeout=total
        )

    async def publish(self, execution: ExecutionId, events: Sequence[Event]) -> None:
        """Publish events, in order. Raises Unavailable."""
        for start in range(0, len(events), AT_ONCE):
            messages = [message_of(execution, event) for event in events[start : start + AT_ONCE]]
            await self._publish(PublishRequest(topic=self._topic, messages=messages))

    async def _publish(self, request: PublishRequest) -> None:
        async def call() -> None:
            await self._client.publish(request, retry=None, timeout=self._call)

        try:
            await self._retry(call)()
        except (exceptions.GoogleAPIError, GoogleAuthError) as error:
            cause = getattr(error, "cause", None) or error
            raise Unavailable(
                f"events could not be published to {self._topic} ({type(cause).__name__}: "
                f"{getattr(cause, 'message', cause)})"
            ) from error


def message_of(execution: ExecutionId, event: Event) -> PubsubMessage:
    """An event as a message."""
    return PubsubMessage(
        data=event.model_dump_json(exclude_none=True).encode(),
        ordering_key=execution,
        attributes={"execution": execution, "seq": str(event.seq), "type": event.type.value},
    )


async def make_topic(client: PublisherAsyncClient, topic: str) -> None:
    """Make a topic if there is none; for emulators, real ones come from infrastructure code."""
    try:
        await client.create_topic(name=topic)
    except exceptions.AlreadyExists:
        return
