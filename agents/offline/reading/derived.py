"""Figures that follow from stated ones: a fleet's messages, calls for each order, bytes a day."""

from __future__ import annotations

import re

from agents.offline.facts import Estimate, Measure
from agents.offline.reading.evidence import Evidence, counted, derived, shares_word
from agents.offline.reading.units import DAY, HOUR
from agents.offline.reading.words import bytes_text, number_text


def _rate_of_devices(e: Evidence) -> Estimate | None:
    devices = e.figure(Measure.DEVICES)
    every = next(
        (f for f in e.figures if f.measure is Measure.FREQUENCY and f.value and f.value < HOUR),
        None,
    )
    if devices is None or not devices.value or every is None or not every.value:
        return None
    rate = devices.value / every.value
    return derived(
        Measure.THROUGHPUT, f"about {number_text(rate)} messages a second", rate, "1/s",
        "messages", f"{counted(devices)} that report every {every.text.lower()}",
    )  # fmt: skip


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
    match = size.value < 1e6 or shares_word(size, rate)
    if not match or e.figure(Measure.DATA_RATE):
        return None
    value = size.value * rate.value
    return derived(
        Measure.DATA_RATE, f"about {bytes_text(value * DAY)} a day", value, "B/s", "raw data",
        f"{rate.text} at {size.text}",
    )  # fmt: skip


def _horizon(e: Evidence) -> Estimate | None:
    volume, growth = e.figure(Measure.DATA_VOLUME), e.figure(Measure.GROWTH)
    if volume is None or not volume.value or growth is None or growth.unit != "%":
        return None
    value = volume.value * (1 + (growth.value or 0) / 100) ** 3
    return derived(
        Measure.DATA_VOLUME, f"about {bytes_text(value)} after three years", value, "B",
        volume.subject, f"{volume.text} growing by {growth.text}",
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

DERIVATIONS = (_size_of_items, _rate_of_devices, _fan_out, _rate_of_bytes, _horizon)
"""In this order: a later one may build on an earlier one."""
