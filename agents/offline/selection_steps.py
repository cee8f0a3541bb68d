"""How many steps of size a choice takes, for a rough order of its cost.

Amounts a step are planning values in US dollars a month, of the right order and not a price list.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from agents.offline.brief import Brief
from agents.offline.load import number, size
from agents.offline.patterns_model import Part
from agents.offline.selection_model import Choice, Group
from agents.offline.selection_sizing import brokers_of, instances_of, nodes_of, vcpus_of
from agents.offline.signals import Signal
from providers.catalogue import Capability

C = Capability

_MONTH_SECONDS = 2.628e6
_RENDITIONS = re.compile(r"(\d+)\s+(?:renditions|qualit(?:y|ies)|levels|variants)", re.I)
_MINUTES = re.compile(r"(\d+)\s*min(?:ute)?s?\b(?: each| long| on average)", re.I)
_UPLOADS = re.compile(
    r"([\d.,]+)\s+(?:\w+ )?(?:uploads?|videos?|films?|files?) (?:a|per|each) day", re.I
)


@dataclass(frozen=True, slots=True)
class Steps:
    """``count`` steps at ``each`` US dollars a month; ``shown`` says what they are."""

    count: float
    each: float
    shown: str


def steps_of(choice: Choice, b: Brief) -> Steps | None:
    """The steps of a choice; None where no figure decides and the smallest set-up stands."""
    maker = {
        Group.RELATIONAL: _relational,
        Group.SERVICE: _service,
        Group.SERVING: _serving,
        Group.EVENTS: _events,
        Group.STREAM: _stream,
        Group.DEVICES: _devices,
        Group.WAREHOUSE: _warehouse,
        Group.OBJECTS: _objects,
        Group.CLINICAL: _objects,
        Group.MEDIA: _media,
    }.get(choice.slot.group)
    return maker(choice, b) if maker else None


def _relational(choice: Choice, b: Brief) -> Steps | None:
    later = b.load.stored_bytes_later if b.load.records else 0.0
    if choice.product.can(C.RELATIONAL_DB_GLOBAL):
        nodes = nodes_of(choice, b)
        if not nodes:
            return None
        disk = later / 1e9 * 0.3
        return Steps(1, nodes * 800 + disk, f"{nodes} node{'s' if nodes > 1 else ''}")
    cores = vcpus_of(choice, b)
    if not cores or b.tiny:
        return None
    pair = 1 if b.has(Signal.NO_HIGH_AVAILABILITY) else 2
    kept = f" and {size(later * 1.25)}" if later else ""
    standby = " with a standby" if pair == 2 else ""
    amount = pair * (cores * 50 + later * 1.25 / 1e9 * 0.17)
    return Steps(1, amount, f"{cores} vCPU{standby}{kept}")


def _service(choice: Choice, b: Brief) -> Steps | None:
    count = instances_of(choice, b)
    if not count:
        return None
    return Steps(count * 0.4, 60, f"{number(count)} instances at peak, 40 % of them on average")


def _serving(choice: Choice, b: Brief) -> Steps | None:
    items = b.load.items
    if items is None or not choice.product.can(C.WIDE_COLUMN_DB):
        return None
    node = choice.product.figures.get("writes_per_node_per_s", 10_000)
    nodes = max(1, math.ceil(items.value / node / 0.6))
    return Steps(nodes, 500, f"{number(nodes)} node{'s' if nodes > 1 else ''}")


def _events(choice: Choice, b: Brief) -> Steps | None:
    rate = b.load.steady or b.load.items
    items = b.load.items
    if choice.part is not Part.EVENT_LOG or rate is None or items is None:
        return None
    octets = b.load.message_bytes[0]
    if choice.product.can(C.KAFKA):
        cores = max(3, math.ceil(items.value * octets / 1e7))
        return Steps(cores, 90, f"{cores} vCPU over three zones")
    month = rate.value * octets * _MONTH_SECONDS / 1e12
    return Steps(month, 90, f"{size(month * 1e12)} a month in and out")


def _stream(choice: Choice, b: Brief) -> Steps | None:
    items = b.load.items
    if items is None:
        return None
    base = b.load.steady or items
    cores = max(1, math.ceil(base.value / 4_000))
    return Steps(cores, 75, f"{cores} vCPU at the normal rate")


def _devices(choice: Choice, b: Brief) -> Steps | None:
    count = brokers_of(b)
    return Steps(count, 120, f"{count} brokers") if count else None


def _warehouse(choice: Choice, b: Brief) -> Steps | None:
    if choice.part is not Part.WAREHOUSE or b.load.records is None:
        return None
    tb = b.load.stored_bytes_later / 1e12
    return Steps(tb, 20, f"storage of {size(tb * 1e12)}, queries apart")


def _objects(choice: Choice, b: Brief) -> Steps | None:
    files = b.load.files
    if files is None or not files.value or choice.part not in (Part.OBJECTS, Part.CLINICAL):
        return None
    if choice.part is Part.OBJECTS and b.has(Signal.CLINICAL):
        return None
    return Steps(files.value / 1e12, 22, f"{files.text} of files")


def _media(choice: Choice, b: Brief) -> Steps | None:
    text = b.text
    minutes, uploads = _MINUTES.search(text), _UPLOADS.search(text)
    if not choice.product.can(C.TRANSCODING) or minutes is None or uploads is None:
        return None
    forms = _RENDITIONS.search(text)
    ladder = int(forms[1]) if forms else 1
    month = float(uploads[1].replace(",", "")) * float(minutes[1]) * ladder * 30
    shown = (
        f"{uploads[1]} a day x {minutes[1]} min x {ladder} form{'s' if ladder > 1 else ''} = "
        f"{number(month / 1e6)} million output minutes at 0.02 US dollars (assumed)"
    )
    return Steps(month, 0.02, shown)
