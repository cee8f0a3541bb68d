"""Which parts talk to each other: what moves, in what style, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.offline.brief import Brief
from agents.offline.facts import Measure, Workload
from agents.offline.load import number, size
from agents.offline.patterns_data import readers_of
from agents.offline.patterns_links import LINKS, THROUGH
from agents.offline.patterns_model import Link, Part, Text
from agents.offline.patterns_outside import Outsider, old_database, outsiders
from agents.offline.signals import Signal
from agents.offline.wording import listed

P = Part


def _calls(b: Brief) -> str:
    return b.front


def _items(b: Brief) -> str:
    return f"up to {b.item_short}" if b.load.items else f"volume of the {b.subject} not stated"


def _wide(b: Brief) -> str:
    top = b.load.items
    return b.load.bandwidth(top) if top else f"volume of the {b.subject} not stated"


def _device(b: Brief) -> str:
    load = b.load
    if load.devices:
        octets, shown = load.message_bytes
        return f"{load.devices.shown} x {shown} = {size(load.devices.value * octets)}/s"
    return _wide(b)


def _night(b: Brief) -> str:
    return b.load.nightly.text if b.load.nightly else f"each delivery of the {b.subject}"


def _stored(b: Brief) -> str:
    load = b.load
    if load.stored:
        return f"{size(load.stored.value or 0)} once, then what changes"
    return f"all data of the {b.subject} once, then what changes"


def _files(b: Brief) -> str:
    load = b.load
    return f"{size(load.uploads.value or 0)} each" if load.uploads else f"files of the {b.subject}"


def _corpus(b: Brief) -> str:
    found = [f.text for f in (*b.figures(Measure.ITEMS)[:1], *b.figures(Measure.DATA_VOLUME)[:1])]
    changes = next((f.text for f in b.figures(Measure.THROUGHPUT) if "document" in f.text), "")
    return f"{', '.join(found) or 'all documents'} once" + (f", then {changes}" if changes else "")


def _hits(b: Brief) -> str:
    base = b.load.fan_out or b.load.front_peak or b.load.front_steady
    if base is None:
        return f"most reads of the {b.subject}"
    return (
        f"if 4 of 5 reads are answered here, {number(base.value)} a second x 0.2 = "
        f"{number(base.value * 0.2)} a second go on to the database"
    )


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
    "files": _files,
    "corpus": _corpus,
    "hits": _hits,
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
                f"single commands of the {b.subject}",
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
                    f"volume of the {b.subject} not stated",
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
    (P.RELATIONAL, P.FILE_EXCHANGE): r"export|hand(?:ed|s)? out|send|finance",
    (P.WORKER, P.FILE_EXCHANGE): r"export|hand(?:ed|s)? out|send|finance",
    (P.FILE_EXCHANGE, P.RAW): r"deliver|receive|files? from|arrive",
    (P.FILE_EXCHANGE, P.BATCH_LOAD): r"deliver|receive|files? from|arrive",
}


def _fits(b: Brief, ends: tuple[Part, Part]) -> bool:
    pattern = _ONLY_IF.get(ends)
    return pattern is None or bool(b.says(rf"(?:{pattern}).*S?FTP|S?FTP.*(?:{pattern})"))


def _flow(b: Brief, link: Link) -> Flow:
    words = {"s": b.subject, "w": "sessions" if b.says(r"session") else "records"}
    known = VOLUMES.get(link.volume)
    return Flow(
        link.source,
        link.target,
        link.what.format(**words),
        link.style,
        known(b) if known else link.volume.format(**words),
    )


def flows(b: Brief, parts: Sequence[Part]) -> tuple[Flow, ...]:
    """Every flow between these parts and with the outside; no part stays without one."""
    present = set(parts)
    found = [*_person_flows(b, parts), *_outside_flows(b, parts)]
    dropped = {(a, z) for a, z, middle in THROUGH if middle in present}
    for link in LINKS:
        ends = (link.source, link.target)
        if set(ends) <= present and ends not in dropped and _fits(b, ends):
            found.append(_flow(b, link))
    connected = {end for flow in found for end in (flow.source, flow.target)}
    centre = main_part(parts)
    for part in parts:
        if part not in connected and part is not centre:
            found.append(
                Flow(
                    centre, part, f"what the {b.subject} needs from it", "internal call", _items(b)
                )
            )
    return tuple(found)


def names(flow_list: Iterable[Flow]) -> tuple[str, ...]:
    """Names from outside in these flows, each once."""
    ends = [end for f in flow_list for end in (f.source, f.target) if not isinstance(end, Part)]
    return tuple(dict.fromkeys(ends))
