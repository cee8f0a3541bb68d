"""Which parts talk to each other: what moves, in what style, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.offline.brief import Brief
from agents.offline.facts import Measure, Workload
from agents.offline.load import Rate, number, size
from agents.offline.patterns_data import readers_of
from agents.offline.patterns_industry import egress, heavy_video
from agents.offline.patterns_links import LINKS, THROUGH
from agents.offline.patterns_model import Link, Part, Text
from agents.offline.patterns_outside import Outsider, old_database, outsiders
from agents.offline.signals import Signal
from agents.offline.wording import listed

P = Part


def _calls(b: Brief) -> str:
    return b.front


def _items(b: Brief) -> str:
    return f"up to {b.item_short}" if b.load.items else "volume not stated"


def _wide(b: Brief) -> str:
    top = b.load.items
    return b.load.bandwidth(top) if top else "volume not stated"


def _device(b: Brief) -> str:
    load = b.load
    if load.devices:
        octets, shown = load.message_bytes
        return f"{load.devices.shown} x {shown} = {size(load.devices.value * octets)}/s"
    return _wide(b)


def _night(b: Brief) -> str:
    return b.load.nightly.text if b.load.nightly else "each delivery"


def _stored(b: Brief) -> str:
    load = b.load
    if load.stored:
        return f"{size(load.stored.value or 0)} once, then what changes"
    return "all data once, then what changes"


def _kept(b: Brief) -> str:
    records = b.load.records
    if records is None:
        return "all records once, then what changes"
    return f"{size(records.value or 0)} once, then what changes"


def _files(b: Brief) -> str:
    load = b.load
    return f"{size(load.uploads.value or 0)} each" if load.uploads else "files"


def _corpus(b: Brief) -> str:
    found = [f.text for f in (*b.figures(Measure.ITEMS)[:1], *b.figures(Measure.DATA_VOLUME)[:1])]
    changes = next((f.text for f in b.figures(Measure.THROUGHPUT) if "document" in f.text), "")
    return f"{', '.join(found) or 'all documents'} once" + (f", then {changes}" if changes else "")


def _base(b: Brief) -> Rate | None:
    return b.load.fan_out or b.load.front_peak or b.load.front_steady


def _cached(b: Brief) -> str:
    base = _base(b)
    if base is None:
        return "most reads"
    return f"all reads are tried here first, up to {number(base.value)} a second"


def _written(b: Brief) -> str:
    base, core = _base(b), VOLUMES["core"](b)
    if base is None:
        return core
    return (
        f"{core}; if 4 of 5 reads are answered by the cache, {number(base.value)} a second x 0.2 "
        f"= {number(base.value * 0.2)} a second arrive here"
    )


def _pages(b: Brief) -> str:
    return "page views that the edge cache does not answer; their share is to be measured"


def _static(b: Brief) -> str:
    shown = egress(b)[1]
    return shown or "every page view and file; their share of the calls is to be measured"


def _current(b: Brief) -> str:
    if b.works(Workload.STREAMING) and not b.works(Workload.IOT):
        return f"aggregates only and not each of the {b.item_short}"
    return _items(b)


def _readers(b: Brief) -> str:
    found = [f.text for f in readers_of(b)[:2]]
    return f"the queries of {listed(found)}" if found else f"the queries on the {b.subject}"


VOLUMES: Mapping[str, Text] = {
    "calls": _calls,
    "items": _items,
    "current": _current,
    "core": lambda b: b.core_short if b.core_short.startswith("the ") else f"up to {b.core_short}",
    "wide": _wide,
    "device": _device,
    "night": _night,
    "stored": _stored,
    "kept": _kept,
    "files": _files,
    "corpus": _corpus,
    "cached": _cached,
    "written": _written,
    "pages": _pages,
    "static": _static,
    "readers": _readers,
}
_MAIN: tuple[Part, ...] = (
    P.API,
    P.ANSWER,
    P.STREAM,
    P.PREDICTION,
    P.MEDIA_WORK,
    P.TRANSFORM,
    P.WAREHOUSE,
    P.CONTENT_DELIVERY,
    P.EVENT_LOG,
)


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow between two ends, each a part or a name from outside."""

    source: Part | str
    target: Part | str
    what: str
    style: str
    volume: str


def main_part(parts: Sequence[Part]) -> Part:
    """The part that does the work the request is about."""
    return next((p for p in _MAIN if p in parts), parts[0])


def device_word(b: Brief) -> str:
    """What the request calls its devices: ``Units``, ``Buses``."""
    for figure in b.figures(Measure.DEVICES):
        match = re.search(r"\d[\d., ]*\s+([a-z]+s)\b", figure.text)
        if match:
            return match[1].capitalize()
    return "Devices"


def _crowd(b: Brief, person: str) -> str:
    """How many of these people there are, where the request says so."""
    word = person.lower().split()[-1].rstrip("s")
    return next(
        (f.text for f in b.figures(Measure.USERS) if word in f.text.lower()), "number not stated"
    )


def _person_flows(b: Brief, parts: Sequence[Part]) -> list[Flow]:
    inside = list(b.insiders())
    readers = next((p for p in (P.DASHBOARD, P.WAREHOUSE) if p in parts), None)
    door = next(
        (
            p
            for p in (
                P.CONTENT_DELIVERY if P.PUBLIC_ENTRY not in parts else P.PUBLIC_ENTRY,
                P.PRIVATE_ENTRY,
                P.WEB_FRONT,
                P.API,
                P.EVENT_COLLECTOR,
                P.MEDIA_INTAKE,
            )
            if p in parts
        ),
        None,
    )
    flows: list[Flow] = []
    for person in b.people[:3]:
        if person in inside and readers and (readers is P.DASHBOARD or _READER.search(person)):
            flows.append(
                Flow(
                    person,
                    readers,
                    "questions and reports",
                    "SQL or browser over TLS",
                    _crowd(b, person),
                )
            )
        elif door:
            flows.append(Flow(person, door, f"requests to the {b.subject}", "HTTPS", _calls(b)))
        elif readers and not inside:
            flows.append(Flow(person, readers, "reports", "browser over TLS", _items(b)))
    if P.DEVICE_GATEWAY in parts:
        count = b.fleet or "all devices"
        style = "MQTT with TLS" if b.has(Signal.MQTT) else "HTTPS or MQTT with TLS"
        flows.insert(
            0, Flow(device_word(b), P.DEVICE_GATEWAY, f"readings of {count}", style, _device(b))
        )
    if P.DEVICE_GATEWAY in parts and P.DEVICE_COMMAND in parts:
        flows.append(
            Flow(
                P.DEVICE_GATEWAY,
                device_word(b),
                "set points and update notices",
                "MQTT topic a device" if b.has(Signal.MQTT) else "answer to the next call",
                "single commands",
            )
        )
    if P.EVENT_COLLECTOR in parts and not any(
        f.target in (P.PUBLIC_ENTRY, P.EVENT_COLLECTOR) for f in flows
    ):
        first = P.PUBLIC_ENTRY if P.PUBLIC_ENTRY in parts else P.EVENT_COLLECTOR
        name = "Sites and apps" if b.says(r"sites? and|apps?\b") else "Event senders"
        flows.insert(0, Flow(name, first, "events", "HTTPS", _wide(b)))
    return flows


def _outside_flows(b: Brief, parts: Sequence[Part]) -> list[Flow]:
    flows: list[Flow] = []
    for outsider in outsiders(b):
        meets = _meeting(outsider, parts)
        if meets is None:
            continue
        words = f"{outsider.what} (“{outsider.evidence}”)"
        live = P.EVENT_LOG in parts and P.STREAM not in parts and b.has(Signal.REAL_TIME_VIEW)
        if live and outsider.what.startswith("sales"):
            flows.append(
                Flow(
                    outsider.name,
                    P.EVENT_LOG,
                    "sales as they happen",
                    "HTTPS push",
                    "volume not stated",
                )
            )
        if outsider.gives:
            flows.append(Flow(outsider.name, meets, words, outsider.style, _amount(b, outsider)))
        else:
            flows.append(Flow(meets, outsider.name, words, outsider.style, _amount(b, outsider)))
    if P.DATA_MOVE in parts and not any(f.target is P.DATA_MOVE for f in flows):
        way = P.HYBRID_LINK if P.HYBRID_LINK in parts else P.DATA_MOVE
        flows.append(
            Flow(
                old_database(b), way, "existing data and its changes", "change capture", _stored(b)
            )
        )
    return flows


def _meeting(outsider: Outsider, parts: Sequence[Part]) -> Part | None:
    return next((p for p in outsider.meets if p in parts), None)


def _amount(b: Brief, outsider: Outsider) -> str:
    others = [o.name for o in outsiders(b) if o.name != outsider.name]
    named = next(
        (
            f.text
            for f in b.facts.figures
            if f.sentence
            and outsider.name in f.sentence
            and not any(other in f.sentence for other in others)
            and f.measure
            in (Measure.DATA_VOLUME, Measure.DATA_RATE, Measure.ITEMS, Measure.THROUGHPUT)
        ),
        "",
    )
    return named or "volume not stated"


_READER = re.compile(r"analyst|scientist|planner|controller|research", re.I)
_ONLY_IF: Mapping[tuple[Part, Part], str] = {
    (P.RELATIONAL, P.FILE_EXCHANGE): r"export|hand(?:ed|s)? out|send|finance|reconcil|statement",
    (P.WORKER, P.FILE_EXCHANGE): r"export|hand(?:ed|s)? out|send|finance",
    (P.FILE_EXCHANGE, P.RAW): r"deliver|receive|files? from|arrive",
    (P.FILE_EXCHANGE, P.BATCH_LOAD): r"deliver|receive|files? from|arrive",
}


def _fits(b: Brief, ends: tuple[Part, Part]) -> bool:
    pattern = _ONLY_IF.get(ends)
    return pattern is None or bool(b.says(rf"(?:{pattern}).*S?FTP|S?FTP.*(?:{pattern})"))


_WITHOUT: Mapping[str, tuple[Part, str]] = {
    "written": (P.CACHE, "core"),
    "pages": (P.CONTENT_DELIVERY, "calls"),
}
"""Volumes that hold only beside a part, and what holds without it."""


def _flow(b: Brief, link: Link, present: set[Part]) -> Flow:
    volume = link.volume
    if volume in _WITHOUT and _WITHOUT[volume][0] not in present:
        volume = _WITHOUT[volume][1]
    words = {"s": b.subject, "w": "sessions" if b.says(r"session") else "records"}
    known = VOLUMES.get(volume)
    return Flow(
        link.source,
        link.target,
        link.what.format(**words),
        link.style,
        known(b) if known else volume.format(**words),
    )


def flows(b: Brief, parts: Sequence[Part]) -> tuple[Flow, ...]:
    """Every flow between these parts and with the outside; no part stays without one."""
    present = set(parts)
    found = [*_person_flows(b, parts), *_outside_flows(b, parts)]
    dropped = {(a, z) for a, z, middle in THROUGH if middle in present}
    if P.CONTENT_DELIVERY in present and heavy_video(b):
        # A delivery network for video is its own front door and fetches segments from storage.
        dropped.add((P.PUBLIC_ENTRY, P.CONTENT_DELIVERY))
        dropped.add((P.CONTENT_DELIVERY, P.WEB_FRONT))
        dropped.discard((P.CONTENT_DELIVERY, P.OBJECTS))
        dropped.discard((P.PUBLIC_ENTRY, P.WEB_FRONT))
        volume = egress(b)[1] or "rate not stated"
        style = "HTTPS with a signed link"
        found.append(Flow(b.people[0], P.CONTENT_DELIVERY, "video segments", style, volume))
    for link in LINKS:
        ends = (link.source, link.target)
        if set(ends) <= present and ends not in dropped and _fits(b, ends):
            found.append(_flow(b, link, present))
    connected = {end for flow in found for end in (flow.source, flow.target)}
    centre = main_part(parts)
    for part in parts:
        if part not in connected and part is not centre:
            found.append(
                Flow(centre, part, "calls when it is needed", "internal call", "volume not stated")
            )
    return tuple(found)


def names(flow_list: Iterable[Flow]) -> tuple[str, ...]:
    """Names from outside in these flows, each once."""
    ends = [end for f in flow_list for end in (f.source, f.target) if not isinstance(end, Part)]
    return tuple(dict.fromkeys(ends))
