"""Events on the Pub/Sub emulator: complete, in order, and a dead letter for what nobody takes."""

from __future__ import annotations

import asyncio
import json

import pytest

from engine.events.pubsub import PubSubBus, WrongTopic, connect
from engine.execution import ExecutionId
from engine.ports import Unavailable
from engine.runs import FaultPoint
from functions.emulators import free_port
from tests.support.pubsub import Desk, desk, pubsub_emulator
from tests.unit.test_publishing import ID, Crash, House

__all__ = ["desk", "pubsub_emulator"]


async def test_an_execution_is_heard_whole_and_in_order(desk: Desk) -> None:
    subscription = await desk.subscribe("all")
    house = await House(PubSubBus(desk.publisher, desk.topic)).start()
    await house.work()
    events = await house.store.events(ID)
    heard: list[int] = []
    first = None
    while not heard or heard[-1] < len(events):
        (message,) = await desk.pull(subscription, 1)
        first = first or message.message
        seq = int(message.message.attributes["seq"])
        if seq > (heard[-1] if heard else 0):
            heard.append(seq)
    assert heard == [event.seq for event in events]
    assert first is not None
    assert first.ordering_key == ID
    assert dict(first.attributes) == {"execution": "e1", "seq": "1", "type": "started"}
    assert json.loads(first.data)["by"] == "ann"


async def test_a_crash_between_commit_and_publishing_loses_nothing(desk: Desk) -> None:
    subscription = await desk.subscribe("all")
    house = await House(PubSubBus(desk.publisher, desk.topic)).start()
    await desk.pull(subscription, 1)

    async def crash(at: FaultPoint, task: object) -> None:
        if at is FaultPoint.AFTER_COMMIT:
            raise Crash

    house.runs.fault = crash
    with pytest.raises(Crash):
        await house.work()
    house.restart()
    await house.work(1)
    missed = await desk.pull(subscription, 2)
    assert [m.message.attributes["type"] for m in missed] == ["started", "delegated"]


async def test_a_message_that_nobody_takes_becomes_a_dead_letter(desk: Desk) -> None:
    dead = f"projects/{desk.project}/topics/dead"
    await desk.publisher.create_topic(name=dead)
    kept = await desk.subscribe("kept", topic=dead)
    subscription = await desk.subscribe("all", dead_letters=dead)
    await House(PubSubBus(desk.publisher, desk.topic)).start()
    letters = asyncio.create_task(desk.pull(kept, 1))
    while not letters.done():
        await desk.refuse(subscription)
    (letter,) = await letters
    assert letter.message.attributes["execution"] == ID


async def test_a_bus_that_cannot_be_reached_is_unavailable_and_the_run_goes_on() -> None:
    client = connect(f"127.0.0.1:{free_port()}")
    bus = PubSubBus(client, "projects/p/topics/events", call=0.3, total=0.5)
    house = await House(bus).start()
    events = await house.store.events(ID)
    with pytest.raises(Unavailable, match="events could not be published to projects/p/topics"):
        await bus.publish(ExecutionId("e1"), events)
    await house.work(1)
    assert (await house.store.load(ID)).published == 0
    await client.transport.close()


def test_a_wrong_topic_is_refused_at_once() -> None:
    with pytest.raises(WrongTopic, match="write projects/"):
        PubSubBus(None, "events")  # type: ignore[arg-type]
