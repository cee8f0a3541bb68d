"""Configuration notes and sizes, each by stated arithmetic on the request's figures.

What a size assumes (requests at once, transactions a vCPU) is said with it: these are planning
values to be measured, not documented limits.
"""

from __future__ import annotations

import math
import re

from agents.offline.brief import Brief
from agents.offline.facts import Workload
from agents.offline.load import Rate, aim, number, size
from agents.offline.patterns_data import locked
from agents.offline.patterns_industry import clinical_images, egress
from agents.offline.patterns_model import Part
from agents.offline.patterns_outside import old_database
from agents.offline.scoring_data import across_regions
from agents.offline.selection_model import Choice, Group
from agents.offline.selection_needs import legacy
from agents.offline.selection_slots import SLOTS
from agents.offline.signals import Signal
from providers.catalogue import Capability

C = Capability

_TRANSACTIONS_A_VCPU = 100
_CALL_SECONDS = 0.1
_AT_ONCE = 40
_EVENTS_A_VCPU = 4_000
_VCPUS = (2, 4, 8, 16, 32, 64, 96, 128)


def regions_of(b: Brief) -> str:
    """The region or the two regions of the design, as words."""
    regions = b.facts.regions
    if len(regions) > 1 and b.has(Signal.TWO_REGIONS, Signal.GLOBAL_WRITES):
        return " and ".join(regions[: 3 if b.has(Signal.GLOBAL_WRITES) else 2])
    return regions[0] if regions else "the chosen region"


def engine_of(choice: Choice, b: Brief) -> str:
    """The database engine of a relational choice."""
    product = choice.product
    if product.can(C.SQLSERVER) and b.has(Signal.SQL_SERVER):
        return old_database(b) if "SQL Server" in old_database(b) else "SQL Server"
    if product.can(C.MYSQL) and b.has(Signal.MYSQL):
        return "MySQL 8"
    if product.can(C.POSTGRES):
        return "PostgreSQL"
    if product.can(C.RELATIONAL_DB_GLOBAL):
        return "PostgreSQL interface" if b.has(Signal.POSTGRES) else "GoogleSQL"
    return old_database(b)


def note(choice: Choice, b: Brief) -> str:
    """A short configuration note for the "Recommended product" cell; empty if none is needed."""
    group, product = choice.slot.group, choice.product
    where = regions_of(b)
    if group is Group.RELATIONAL:
        engine = engine_of(choice, b)
        if product.can(C.RELATIONAL_DB_GLOBAL):
            if across_regions(b):
                return f"{engine}, multi-region configuration nearest to {where}"
            return f"{engine}, regional, {where}"
        if b.tiny:
            return f"{engine}, smallest shared-core tier, daily backup"
        if b.has(Signal.NO_HIGH_AVAILABILITY):
            return f"{engine}, single zone, {where}"
        away = (
            f", replica in {b.facts.regions[1]}"
            if (b.has(Signal.TWO_REGIONS) and len(b.facts.regions) > 1)
            else ""
        )
        return f"{engine}, standby in a second zone of {b.region}{away}"
    if group is Group.SERVICE and product.can(C.CONTAINER_SERVERLESS):
        if choice.part is Part.EVENT_COLLECTOR:
            return "instance-based billing, minimum instances above zero"
        return f"{choice.slot.role}, {where}"
    if group in (Group.SERVICE, Group.DEVICES):
        if product.can(C.CONTAINER_ORCHESTRATION):
            return f"{choice.slot.role}, regional cluster in {where}"
        return f"{choice.slot.role}, managed group over zones of {where}" + (
            ", Windows images" if b.has(Signal.WINDOWS) and legacy(b) else ""
        )
    if group is Group.KEYS and b.has(Signal.EXTERNAL_KEYS):
        return "Cloud External Key Manager, keys stay in the external HSM over a private network"
    if group is Group.CLINICAL:
        return "FHIR, HL7 v2 and DICOM stores" if clinical_images(b) else "FHIR and HL7 v2 stores"
    if group is Group.OBJECTS and choice.part is Part.ARCHIVE:
        return "retention lock" if locked(b) else "cold class by lifecycle rule"
    if group is Group.MOVE_DATA and product.can(C.ORACLE):
        return "standby fed from the old database, then a change of roles"
    if group is Group.RETRIEVAL and product.can(C.RELATIONAL_DB):
        return "vectors, words and rights in one database"
    if group is Group.WAREHOUSE and choice.part is Part.DASHBOARD:
        return "read by Power BI, which stays"
    if group is Group.ENTRY:
        kind = "TCP" if choice.part is Part.DEVICE_GATEWAY else "HTTPS"
        if re.search(r"\bUDP\b", b.text) and choice.part is Part.PUBLIC_ENTRY:
            kind = "UDP and HTTPS"
        return f"{'internal' if choice.part is Part.PRIVATE_ENTRY else 'external'} {kind} entry"
    alone = len(SLOTS.get(choice.part, ())) < 2
    return "" if alone else choice.slot.role


def _vcpus(wanted: float) -> int:
    return next((v for v in _VCPUS if v >= wanted), 128)


def sizing(choice: Choice, b: Brief) -> str:
    """How large a choice has to be, with the sum; empty where no figure decides."""
    maker = {
        Group.SERVICE: _service,
        Group.RELATIONAL: _relational,
        Group.SERVING: _serving,
        Group.EVENTS: _events,
        Group.STREAM: _stream,
        Group.OBJECTS: _objects,
        Group.LLM: _tokens,
        Group.RETRIEVAL: _retrieval,
        Group.LINK: _link,
        Group.DEVICES: _devices,
        Group.WAREHOUSE: _warehouse,
        Group.QUEUE: _queue,
        Group.MEDIA: _media,
        Group.DELIVERY: _delivered,
        Group.CLINICAL: _clinical,
    }.get(choice.slot.group)
    return maker(choice, b) if maker else ""


def _calls_of(choice: Choice, b: Brief) -> tuple[Rate | None, float]:
    """The highest rate that reaches a service, and how long a call takes in seconds (assumed)."""
    load = b.load
    if choice.part is Part.EVENT_COLLECTOR:
        return load.top, 0.02
    rate = load.fan_out or load.front_peak or load.front_steady
    if choice.part is Part.ANSWER:
        return rate, 4.0
    return (rate, _CALL_SECONDS) if choice.part is Part.API else (None, 0.0)


def instances_of(choice: Choice, b: Brief) -> int:
    """Instances of a service at peak; 0 where no rate is stated."""
    rate, seconds = _calls_of(choice, b)
    if rate is None or rate.value < 1:
        return 0
    return max(2, math.ceil(rate.value * seconds / _AT_ONCE))


def _service(choice: Choice, b: Brief) -> str:
    load = b.load
    rate, seconds = _calls_of(choice, b)
    count = instances_of(choice, b)
    if rate is None or not count:
        return ""
    at_once = rate.value * seconds
    text = (
        f"{number(rate.value)} a second x {seconds:g} s a call (assumed) = "
        f"{number(at_once)} calls at once; at "
        f"{_AT_ONCE} an instance that is {count} instances at peak, with an upper limit "
        f"of {count * 2}"
    )
    if choice.part is Part.EVENT_COLLECTOR and load.steady and load.steady.value > 1000:
        month = load.steady.value * 86_400 * 30 / 1e9
        text += (
            f"; {number(load.steady.value)} a second x 86,400 s x 30 = {number(month)} "
            "billion calls a month, so "
            "billing by instance and not by call"
        )
    return text


def _node_parts(choice: Choice, b: Brief) -> tuple[int, int, float]:
    """Nodes by rate, nodes by size, bytes a node."""
    rate = b.load.front_peak or b.load.front_steady
    per_node = choice.product.figures.get("max_storage_bytes_per_node", 10e12)
    by_size = math.ceil(b.load.stored_bytes_later / per_node) if b.load.records else 1
    return math.ceil(rate.value / 2_500) if rate else 0, by_size, per_node


def nodes_of(choice: Choice, b: Brief) -> int:
    """Nodes of a database that spreads its writes; 0 where no rate is stated."""
    by_rate, by_size, _ = _node_parts(choice, b)
    return max(by_rate, by_size, 1) if by_rate else 0


def vcpus_of(choice: Choice, b: Brief) -> int:
    """VCPU of a database with one writer; 0 where no rate is stated."""
    rate = b.load.front_peak or b.load.front_steady
    if rate is None or rate.value < 1:
        return 0
    reads = b.load.fan_out.value * 0.2 if b.load.fan_out else 0.0
    return _vcpus(max(2, (rate.value + reads) / _TRANSACTIONS_A_VCPU * 2))


def brokers_of(b: Brief) -> int:
    """Brokers that keep the connections of all devices; 0 where none are counted."""
    count = b.load.device_count
    return max(2, math.ceil(count.value / 30_000) + 1) if count and count.value else 0


def _relational(choice: Choice, b: Brief) -> str:
    load = b.load
    product = choice.product
    parts: list[str] = []
    rate = load.front_peak or load.front_steady
    reads = load.fan_out.value * 0.2 if load.fan_out else 0.0
    if rate and rate.value >= 1 and product.can(C.RELATIONAL_DB_GLOBAL):
        nodes_rate, nodes_size, per_node = _node_parts(choice, b)
        by_size = (
            f"by size {size(load.stored_bytes_later)} / {size(per_node)} a node = {nodes_size}; "
            if load.records
            else ""
        )
        parts.append(
            f"{rate.short} / 2,500 writes a second a node (assumed, to be measured) = "
            f"{nodes_rate} node{'' if nodes_rate == 1 else 's'}; {by_size}so start with "
            f"{max(nodes_rate, nodes_size, 1)} and let it scale"
        )
    elif rate and rate.value >= 1:
        total = rate.value + reads
        extra = f" and {number(reads)} reads that no cache answers" if reads else ""
        need = total / _TRANSACTIONS_A_VCPU
        cores = vcpus_of(choice, b)
        parts.append(
            f"{number(rate.value)} {rate.noun}{extra} = {number(total)} transactions a "
            f"second; at {_TRANSACTIONS_A_VCPU} a vCPU "
            "(assumed, to be measured) and half of it kept free that is "
            f"{number(need * 2)}, so {cores} vCPU"
        )
    if load.records and load.records.value:
        later = load.stored_bytes_later
        parts.append(
            f"storage {load.stored_later or load.records.text} x 1.25 for indexes = "
            f"{size(later * 1.25)}"
        )
    return "; ".join(parts)


def _serving(choice: Choice, b: Brief) -> str:
    items = b.load.items
    if items is None or not choice.product.can(C.WIDE_COLUMN_DB):
        return ""
    node = choice.product.figures.get("writes_per_node_per_s", 10_000)
    nodes = max(1, math.ceil(items.value / node / 0.6))
    octets = b.load.message_bytes[0] * items.value * 86_400 * 30
    return (
        f"{items.short} / {number(node)} a node / 60 % load = {nodes} "
        f"node{'s' if nodes > 1 else ''} a cluster, in two zones; 30 days of "
        f"readings at the highest rate are at most {size(octets)}"
    )


def _events(choice: Choice, b: Brief) -> str:
    if choice.part is not Part.EVENT_LOG or b.load.items is None:
        return ""
    load = b.load
    items = load.items
    assert items is not None  # noqa: S101 (checked above)
    text = load.bandwidth(items)
    if choice.product.can(C.KAFKA):
        mb = items.value * load.message_bytes[0] / 1e6
        least = int(choice.product.figures.get("min_vcpu", 3))
        cores = max(least, math.ceil(mb / 10))
        text += (
            f"; at 10 MB/s a vCPU (assumed, to be measured) that is {cores} vCPU over three zones"
        )
        text += ", the smallest cluster" if cores == least else ""
    if b.has(Signal.REPLAY):
        rate = load.steady or items
        text += (
            "; seven days at the normal rate are "
            f"{size(rate.value * load.message_bytes[0] * 7 * 86_400)} retained"
        )
    return text


def _stream(choice: Choice, b: Brief) -> str:
    items = b.load.items
    if items is None:
        return ""
    cores = max(1, math.ceil(items.value / _EVENTS_A_VCPU))
    steady = b.load.steady
    low = (
        max(1, math.ceil(steady.value / _EVENTS_A_VCPU))
        if steady and steady.value < items.value
        else 1
    )
    return (
        f"{items.short} / {number(_EVENTS_A_VCPU)} a second a vCPU (assumed, to be "
        f"measured) = {cores} vCPU at peak, "
        f"{low} at the normal rate, scaled automatically between the two"
    )


def _objects(choice: Choice, b: Brief) -> str:
    load = b.load
    if choice.part is Part.RAW and load.nightly and load.nightly.value:
        return (
            f"{load.nightly.text} x 365 = {size(load.nightly_bytes * 365)} a year, in a cold "
            "class after 90 days"
        )
    if choice.part is Part.ARCHIVE and load.retention and load.retention.value:
        items = load.devices or (load.items if b.works(Workload.IOT) else None)
        if items:
            year = items.value * load.message_bytes[0] * 31_536_000
            return (
                f"{number(items.value)} a second x {load.message_bytes[1]} x 31.5 million s = "
                f"{size(year)} a year before compression"
            )
    return ""


def _tokens(choice: Choice, b: Brief) -> str:
    rate = b.load.front_peak or b.load.front_steady
    if rate is None:
        return ""
    minute = rate.value * 60 * 6_400
    return (
        f"{number(rate.value)} a second x 60 x 6,400 tokens (6,000 of passages and 400 of "
        "answer, assumed) = "
        f"{number(minute / 1e6)} million tokens a minute at peak, the quota to ask for"
    )


def _retrieval(choice: Choice, b: Brief) -> str:
    from agents.offline.facts import Measure

    items = next((f for f in b.figures(Measure.ITEMS) if f.value and f.value > 1000), None)
    if items is None or not items.value:
        return ""
    passages = items.value * 20
    return (
        f"{items.text} x 20 passages (assumed) = {number(passages / 1e6)} million; x 768 "
        "numbers x 4 bytes = "
        f"{size(passages * 768 * 4)} of vectors, which should fit in memory"
    )


def _link(choice: Choice, b: Brief) -> str:
    load = b.load
    if not load.stored or not load.stored.value:
        return ""
    hours = load.stored.value * 8 / 1e9 / 3600 / 0.7
    return (
        f"{size(load.stored.value)} x 8 / (1 Gbit/s x 70 %) = {number(hours)} h for the first copy"
    )


def _devices(choice: Choice, b: Brief) -> str:
    count = b.load.device_count
    if count is None or not count.value:
        return ""
    brokers = brokers_of(b)
    return (
        f"{number(count.value)} connections / 30,000 a broker (assumed, to be measured) + 1 "
        f"spare = {brokers} brokers over zones"
    )


def _warehouse(choice: Choice, b: Brief) -> str:
    if choice.part is not Part.WAREHOUSE or not b.load.stored:
        return ""
    return (
        f"{b.load.stored_later or b.load.stored.text} in tables partitioned by day; capacity "
        "with a ceiling, so that a query cannot break the budget"
    )


def _queue(choice: Choice, b: Brief) -> str:
    rate = choice.product.figures.get("max_dispatches_per_s")
    items = b.load.items
    if rate is None or items is None or items.value <= rate:
        return ""
    return (
        f"{items.short} / {number(rate)} a second a queue = {math.ceil(items.value / rate)} queues"
    )


def _media(choice: Choice, b: Brief) -> str:
    if choice.part is Part.LIVE:
        at_once = re.search(r"(\d[\d,]*) live \w+", b.text, re.I)
        many = f"{at_once[1]} channels at once, " if at_once else ""
        return f"{many}each billed while it runs, so a schedule starts and stops them"
    rate = b.load.peak or b.load.steady
    if rate is None:
        return ""
    within = next((aim(f) for f in b.figures_fresh), "")
    uploads = b.load.uploads
    amount = (
        (
            f", {number(rate.value * 86_400)} a day x {size(uploads.value)} = "
            f"{size(rate.value * 86_400 * uploads.value)} a day"
        )
        if uploads and uploads.value
        else ""
    )
    goal = f" within {within}" if within else ""
    return (
        f"{rate.shown}{goal}{amount}; jobs run side by side, so the time of one file counts "
        "and not the queue"
    )


def _delivered(choice: Choice, b: Brief) -> str:
    rate, shown = egress(b)
    if not rate:
        return ""
    month = rate / 8 * 0.15 * 2.628e6  # GB: Gbit/s to GB/s, average load, seconds a month
    return (
        f"{shown}; at 15 % of the peak on average (assumed) about {size(month * 1e9)} leave a "
        "month, the largest part of the cost"
    )


def _clinical(choice: Choice, b: Brief) -> str:
    files = b.load.files
    if not clinical_images(b) or files is None:
        return ""
    return f"{files.text} of images in the DICOM store, older series in a colder storage class"
