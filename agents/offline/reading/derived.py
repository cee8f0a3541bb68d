"""Figures that follow from stated ones: a fleet's messages, calls for each order, bytes a day."""

from __future__ import annotations

import re

from agents.offline.facts import Estimate, Figure, Measure
from agents.offline.reading.evidence import Evidence, counted, derived, shares_word
from agents.offline.reading.units import DAY, HOUR, MINUTE
from agents.offline.reading.words import bytes_text, number_text


def _rate_of_devices(e: Evidence) -> Estimate | None:
    every = next(
        (f for f in e.figures if f.measure is Measure.FREQUENCY and f.value and f.value < HOUR),
        None,
    )
    if every is None or not every.value:
        return None
    senders = e.figure(Measure.DEVICES) or next(
        (f for f in e.figures if f.measure is Measure.USERS and f.sentence == every.sentence), None
    )
    if senders is None or not senders.value:
        return None
    what = "messages" if senders.measure is Measure.DEVICES else "requests"
    rate = senders.value / every.value
    return derived(
        Measure.THROUGHPUT, f"about {number_text(rate)} {what} a second", rate, "1/s",
        what, f"{counted(senders)}, each every {every.text.lower()}",
        peak=senders.measure is Measure.USERS,
    )  # fmt: skip


def _rush(e: Evidence) -> Estimate | None:
    """People who come at once: "80,000 fans hit us in 10 minutes"."""
    for people in e.figures:
        if people.measure is not Measure.USERS or not people.value or people.value < 100:
            continue
        rush = _AT_ONCE.search(people.sentence)
        if rush is None:
            continue
        span = next(
            (
                f
                for f in e.figures
                if f.sentence == people.sentence and f.unit == "s" and rush.group().endswith(f.text)
            ),
            None,
        )
        length = span.value if span is not None and span.value else MINUTE
        rate = people.value / length
        return derived(
            Measure.THROUGHPUT, f"about {number_text(rate)} arrivals a second", rate, "1/s",
            "arrivals", f"{people.text} within {span.text if span else 'one minute'}", peak=True,
        )  # fmt: skip
    return None


def _fleet(e: Evidence) -> Estimate | None:
    """A rate that holds for each device: "each of our 340 drones … about 4 flights per week"."""
    for rate in e.figures:
        if rate.measure is not Measure.THROUGHPUT or not rate.value:
            continue
        many = next(
            (
                f
                for f in e.figures
                if f.measure is Measure.DEVICES and f.value and f.sentence == rate.sentence
            ),
            None,
        )
        if many is None or many.value is None or not _EACH.search(rate.sentence):
            continue
        value = rate.value * many.value
        return derived(
            Measure.THROUGHPUT, f"about {number_text(value * DAY)} {rate.subject} a day", value,
            "1/s", rate.subject, f"{counted(many)} with {rate.text} each",
        )  # fmt: skip
    return None


def _fan_out(e: Evidence) -> Estimate | None:
    ratio = next((f for f in e.figures if f.unit.startswith("per ") and f.value), None)
    if ratio is None or ratio.value is None:
        return None
    stem = ratio.unit[4:].rstrip("s")
    rates = [
        f for f in e.figures
        if f.measure is Measure.THROUGHPUT and f.value and stem in f.subject.lower()
    ]  # fmt: skip
    if not rates:
        return None
    top = max(rates, key=lambda f: f.value or 0)
    value = (top.value or 0) * ratio.value
    return derived(
        Measure.THROUGHPUT, f"about {number_text(value)} calls a second", value, "1/s",
        ratio.subject, f"{top.text} with {ratio.text}", peak=top.peak,
    )  # fmt: skip


def _rate_of_bytes(e: Evidence) -> Estimate | None:
    size = e.size()
    rate = e.rate()
    if size is None or not size.value or rate is None or not rate.value:
        return None
    others = any(f.measure is Measure.ITEMS and f.sentence == size.sentence for f in e.figures)
    if others and size.sentence != rate.sentence and not shares_word(size, rate):
        return None  # "1,200 requests a minute … 2 million PDFs of 150 kB": not of a request
    fleet = next((x for x in e.made if x.basis.endswith(" each")), None)
    rate = fleet.figure if fleet is not None else rate
    together = size.sentence == rate.sentence or fleet is not None
    if not (size.value < 1e6 or together or shares_word(size, rate)):
        return None
    if e.figure(Measure.DATA_RATE) or rate.value is None:
        return None
    value = size.value * rate.value
    text = f"{bytes_text(value)} a second" if rate.peak else f"{bytes_text(value * DAY)} a day"
    return derived(
        Measure.DATA_RATE, f"about {text}", value, "B/s", "raw data",
        f"{rate.text} at {size.text}", peak=rate.peak,
    )  # fmt: skip


def _items_volume(e: Evidence) -> Estimate | None:
    """What counted things take together: "2 million PDFs of 150 kB each"."""
    for items in e.figures:
        if items.measure is not Measure.ITEMS or not items.value or items.value < 2:
            continue
        size = next(
            (
                f
                for f in e.figures
                if f.measure is Measure.ITEM_SIZE
                and f.value
                and f.sentence == items.sentence
                and (shares_word(f, items) or f.subject == "")
            ),
            None,
        )
        if size is None or not size.value:
            continue
        value = items.value * size.value
        return derived(
            Measure.DATA_VOLUME, f"about {bytes_text(value)} of {items.subject or items.unit}",
            value, "B", items.subject or items.unit, f"{counted(items)} of {size.text} each",
        )  # fmt: skip
    return None


def _streams(e: Evidence) -> Estimate | None:
    """What goes out at once: "80,000 concurrent streams at 4 Mbit/s"."""
    each = next((f for f in e.figures if f.subject == "each stream" and f.unit == "B/s"), None)
    if each is None or not each.value:
        return None
    viewers = next(
        (
            f
            for f in e.figures
            if f.measure is Measure.USERS and f.peak and f.value and f.sentence == each.sentence
        ),
        None,
    )
    if viewers is None or viewers.value is None:
        return None
    value = viewers.value * each.value
    bits = f"{number_text(value * 8 / 1e9)} Gbit/s"
    return derived(
        Measure.DATA_RATE, f"about {bits} ({bytes_text(value)} a second) to viewers", value, "B/s",
        "delivery to viewers", f"{viewers.text} at {each.text} each", peak=True,
    )  # fmt: skip


def _horizon(e: Evidence) -> Estimate | None:
    volume, growth = e.figure(Measure.DATA_VOLUME), e.figure(Measure.GROWTH)
    if volume is None or not volume.value or growth is None or growth.unit != "%":
        return None
    periods = 36 if "month" in growth.text.lower() else 3
    value = volume.value * (1 + (growth.value or 0) / 100) ** periods
    if value > 1e18:
        return None
    return derived(
        Measure.DATA_VOLUME, f"about {bytes_text(value)} after three years", value, "B",
        volume.subject, f"{volume.text} growing by {growth.text}",
    )  # fmt: skip


def _kept(e: Evidence) -> Estimate | None:
    """What a flow makes over the time that it is kept."""
    flow = e.figure(Measure.DATA_RATE) or e.estimated(Measure.DATA_RATE)
    keep = e.kept()
    if flow is None or not flow.value or keep is None or not keep.value or flow.peak:
        return None
    value = flow.value * keep.value
    return derived(
        Measure.DATA_VOLUME, f"about {bytes_text(value)} after {_lower(keep.text)}", value, "B",
        "kept data", f"{flow.text} kept for {keep.text}",
    )  # fmt: skip


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _total(e: Evidence) -> Estimate | None:
    """The sum of volumes that one sentence lists ("Teradata, 40TB; Netezza, 12 TB; …")."""
    listed: dict[str, list[Figure]] = {}
    for figure in e.figures:
        if figure.measure is Measure.DATA_VOLUME and figure.value and not figure.current:
            listed.setdefault(figure.sentence, []).append(figure)
    parts = max(listed.values(), key=len, default=[])
    if len(parts) < 3:
        return None
    value = sum(f.value or 0.0 for f in parts)
    return derived(
        Measure.DATA_VOLUME, f"about {bytes_text(value)} in all", value, "B", "data",
        " and ".join(f.text for f in parts),
    )  # fmt: skip


def _size_of_items(e: Evidence) -> Estimate | None:
    volume = e.figure(Measure.DATA_VOLUME)
    items = next(
        (
            f
            for f in e.figures
            if f.measure is Measure.ITEMS and f.value and f.sentence == (volume and volume.sentence)
        ),
        None,
    )
    if volume is None or not volume.value or items is None or not items.value:
        return None
    if e.figure(Measure.ITEM_SIZE) or not _FILES.search(items.text):
        return None
    value = volume.value / items.value
    return derived(
        Measure.ITEM_SIZE, f"about {bytes_text(value)} each", value, "B", items.subject,
        f"{volume.text} in {items.text}",
    )  # fmt: skip


_FILES = re.compile(
    r"document|file|image|photo|video|scan|picture|record|dokument|datei|fichier|archivo"
)

_AT_ONCE = re.compile(
    r"\b(?:hit|arrive|come|log in|order|buy|sit|start|queue|try|book)\b.{0,40}?(?:\b(?:in"
    r"|within) (?:the "
    r"first )?(?:about )?\d+ (?:seconds|minutes)|at the same (?:minute|moment|time))",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|every|per (?:device|drone|unit)|jede[rs]?|chaque|cada)\b", re.I)

DERIVATIONS = (
    _size_of_items,
    _rate_of_devices,
    _rush,
    _fleet,
    _fan_out,
    _rate_of_bytes,
    _kept,
    _total,
    _items_volume,
    _horizon,
    _streams,
)
"""In this order: a later one may build on an earlier one."""
