"""Assumptions for what matters and is not stated, each with a figure and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.offline.facts import Estimate, Measure, Workload
from agents.offline.reading.evidence import Evidence, assumed, counted, round2
from agents.offline.reading.units import CURRENCIES, DAY, HOUR, MINUTE, MONTH, WEEK, YEAR
from agents.offline.reading.words import bytes_text, duration_text, money_text, number_text


def _throughput(e: Evidence) -> Estimate:
    flow = e.figure(Measure.DATA_RATE)
    if flow is not None and flow.value and Workload.STREAMING in e.workloads:
        rate = flow.value / 1000
        return assumed(
            Measure.THROUGHPUT, f"{number_text(rate)} messages a second", rate, "1/s", "messages",
            f"{flow.text} in messages of 1 kB",
        )  # fmt: skip
    users = e.largest(Measure.USERS)
    if users is not None and users.value and users.value >= 10:
        each = 30.0 if Workload.RAG_ML not in e.workloads else 2.0
        rate = max(0.1, users.value * 0.1 * each / HOUR)
        basis = (
            f"{counted(users)}, one in ten of them active in the busiest hour with "
            f"{each:g} requests each"
        )
        return assumed(
            Measure.THROUGHPUT,
            f"{number_text(rate)} requests a second",
            rate,
            "1/s",
            "requests",
            basis,
        )
    rate = 10.0
    return assumed(
        Measure.THROUGHPUT, "10 requests a second", rate, "1/s", "requests",
        f"nothing in the request on “{e.title}” counts its users or calls, so a small "
        "service is taken",
    )  # fmt: skip


def _latency(e: Evidence) -> Estimate:
    if Workload.RAG_ML in e.workloads:
        return assumed(
            Measure.LATENCY, "8 seconds", 8.0, "s", "complete answer",
            "people wait for a generated answer while its first words are already on the screen",
        )  # fmt: skip
    rate = e.figure(Measure.THROUGHPUT)
    who = (
        f"an interactive service that carries {rate.text}"
        if rate
        else f"“{e.title}” is used interactively"
    )
    return assumed(Measure.LATENCY, "500 ms", 0.5, "s", "p95", who)


def _availability(e: Evidence) -> Estimate:
    rto = e.figure(Measure.RTO)
    if rto is not None and rto.value is not None:
        value, text = _availability_for(rto.value)
        return assumed(
            Measure.AVAILABILITY, text, value, "%", "service",
            f"recovery within {rto.text} leaves room for a few outages a year",
        )  # fmt: skip
    if Workload.STATIC_SITE in e.workloads or "no ha" in e.text or "need ha" in e.text:
        return assumed(
            Measure.AVAILABILITY, "99.5 %", 99.5, "%", "service",
            f"“{e.title}” is not said to be critical",
        )  # fmt: skip
    critical = next(
        (w for w in ("payment", "order", "patient", "alarm", "checkout", "bestell", "commande",
                     "pedido") if w in e.text), "",
    )  # fmt: skip
    if critical:
        return assumed(
            Measure.AVAILABILITY, "99.9 %", 99.9, "%", "service",
            f"the request speaks of “{critical}”, where an outage costs at once",
        )  # fmt: skip
    return assumed(
        Measure.AVAILABILITY, "99.9 %", 99.9, "%", "service",
        f"the usual promise for a production service such as “{e.title}”",
    )  # fmt: skip


def _rto(e: Evidence) -> Estimate:
    availability = e.figure(Measure.AVAILABILITY) or e.estimated(Measure.AVAILABILITY)
    if availability is not None and availability.value:
        allowed = (100 - availability.value) / 100 * YEAR
        value = min(
            (s for s in (5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR) if s >= allowed / 4),
            default=8 * HOUR,
        )
        return assumed(
            Measure.RTO, duration_text(value), value, "s", "service",
            f"{availability.text} availability allows {duration_text(allowed)} of downtime a year",
        )  # fmt: skip
    return assumed(
        Measure.RTO, "4 h", 4 * HOUR, "s", "service", "half a working day without the service"
    )


def _rpo(e: Evidence) -> Estimate:
    every = e.figure(Measure.FREQUENCY)
    if e.workloads[0] is Workload.STREAMING:
        keep = e.figure(Measure.RETENTION)
        again = f" and can be read again for {keep.text}" if keep else ""
        return assumed(
            Measure.RPO, "1 minute", MINUTE, "s", "events",
            f"an event that was accepted is stored in several zones{again}; only what a sender had "
            "not handed over is lost",
        )  # fmt: skip
    batch = Workload.WAREHOUSE in e.workloads
    if batch and every is not None and every.value and every.value >= HOUR:
        return assumed(
            Measure.RPO, duration_text(every.value), every.value, "s", "loaded data",
            f"the sources can be read again, so at most one run ({every.text}) is repeated",
        )  # fmt: skip
    rate = e.largest(Measure.THROUGHPUT)
    value = 5 * MINUTE if rate is not None else 15 * MINUTE
    lost = ""
    if rate is not None and rate.value and rate.value * value >= 10:
        count = number_text(rate.value * value)
        lost = f"; at {rate.text} that is up to {count} {rate.subject or 'requests'}"
    return assumed(
        Measure.RPO, duration_text(value), value, "s", "data",
        f"what continuous log backup reaches without a second live copy{lost}",
    )  # fmt: skip


def _volume(e: Evidence) -> Estimate:
    flow = e.figure(Measure.DATA_RATE) or e.estimated(Measure.DATA_RATE)
    keep = e.kept()
    rate, size = e.rate(), e.size() or e.estimated(Measure.ITEM_SIZE)
    length = min(keep.value if keep and keep.value else YEAR, 10 * YEAR)
    kept = keep.text if keep else "one year"
    if flow is not None and flow.value:
        value = flow.value * length
        return assumed(
            Measure.DATA_VOLUME, f"about {bytes_text(value)}", value, "B", "kept data",
            f"{flow.text} kept for {kept}",
        )  # fmt: skip
    users = e.largest(Measure.USERS)
    if Workload.MEDIA in e.workloads and e.figure(Measure.THROUGHPUT) is None and users:
        each = size.value if size and size.value else 3e6
        value = (users.value or 0.0) * 10 * each * length / MONTH
        return assumed(
            Measure.DATA_VOLUME, f"about {bytes_text(value)}", value, "B", "files",
            f"ten files of {bytes_text(each)} a month from each of the {users.text}, kept for "
            f"{kept}",
        )  # fmt: skip
    if rate is not None and rate.value:
        whole = size is not None and e.workloads[0] in _RECORDS
        each = size.value if whole and size and size.value else 200.0
        kept_each = whole or any(w in (rate.subject or "").lower() for w in _WRITTEN)
        if kept_each and not whole:
            each = 5000.0
        leaves = "write 2 kB in one of ten cases"
        if kept_each:
            leaves = f"leave {bytes_text(each)} each"
        value = rate.value * each * length
        return assumed(
            Measure.DATA_VOLUME, f"about {bytes_text(value)}", value, "B", "kept data",
            f"{rate.text} that {leaves}, kept for {kept}",
        )  # fmt: skip
    items = e.largest(Measure.ITEMS)
    if items is not None and items.value:
        each = size.value if size and size.value else 1e6
        value = items.value * each
        return assumed(
            Measure.DATA_VOLUME, f"about {bytes_text(value)}", value, "B", items.subject,
            f"{counted(items)} of {bytes_text(each)} each",
        )  # fmt: skip
    return assumed(
        Measure.DATA_VOLUME, "100 GB", 1e11, "B", "data",
        f"the request on “{e.title}” counts nothing that could be multiplied",
    )  # fmt: skip


_WRITTEN = ("order", "booking", "payment", "transaction", "posting", "reservation", "bestell",
            "commande", "pedido", "buchung")  # fmt: skip
_RECORDS = (Workload.STREAMING, Workload.IOT, Workload.MEDIA)


def _item_size(e: Evidence) -> Estimate:
    photos = next((w for w in ("photo", "picture", "image", "receipt", "foto") if w in e.text), "")
    if Workload.MEDIA in e.workloads and photos and "video" not in e.text:
        article = "an" if photos[0] in "aeiou" else "a"
        return assumed(
            Measure.ITEM_SIZE, "3 MB", 3e6, "B", "files",
            f"{article} {photos} as a phone takes it today, for the {e.title}",
        )  # fmt: skip
    rate, volume = e.figure(Measure.THROUGHPUT), e.figure(Measure.DATA_VOLUME)
    if Workload.MEDIA in e.workloads and Workload.STREAMING not in e.workloads:
        return assumed(
            Measure.ITEM_SIZE,
            "20 MB",
            20e6,
            "B",
            "files",
            f"a mixture of pictures and documents for the {e.title}",
        )
    what = rate.subject if rate and rate.subject else "messages"
    total = ""
    if rate is not None and rate.value:
        total = f"; {rate.text} then make {bytes_text(rate.value * 1000 * DAY)} a day"
    known = f" beside the {volume.text} that exist" if volume else ""
    return assumed(
        Measure.ITEM_SIZE, "1 kB", 1000.0, "B", what,
        f"a compact record with a dozen fields{known}{total}",
    )  # fmt: skip


def _freshness(e: Evidence) -> Estimate:
    every = e.figure(Measure.FREQUENCY)
    if Workload.WAREHOUSE in e.workloads and Workload.STREAMING not in e.workloads:
        value = every.value if every and every.value else DAY
        return assumed(
            Measure.FRESHNESS, duration_text(value), value, "s", "reports",
            f"one load ({every.text if every else 'nightly'}) feeds the reports",
        )  # fmt: skip
    value = 15 * MINUTE if Workload.STREAMING not in e.workloads else MINUTE
    if Workload.MEDIA in e.workloads:
        value = 10 * MINUTE
    return assumed(
        Measure.FRESHNESS, duration_text(value), value, "s", "changes",
        f"people who use “{e.title}” notice a longer delay",
    )  # fmt: skip


def _retention(e: Evidence) -> Estimate:
    for name, text, value in (
        ("pci", "1 year", YEAR), ("hipaa", "6 years", 6 * YEAR), ("gobd", "10 years", 10 * YEAR),
        ("sox", "7 years", 7 * YEAR), ("invoice", "10 years", 10 * YEAR),
    ):  # fmt: skip
        if name in e.text:
            return assumed(
                Measure.RETENTION, text, value, "s", "records",
                f"“{name.upper() if len(name) < 6 else name}” stands in the request and is kept "
                "about that long as a rule",
            )  # fmt: skip
    replay = " and 7 days of raw events for replay" if Workload.STREAMING in e.workloads else ""
    return assumed(
        Measure.RETENTION, "13 months", 13 * MONTH, "s", "data",
        f"allows to compare with the same month of the year before{replay}",
    )  # fmt: skip


def _frequency(e: Evidence) -> Estimate:
    if Workload.IOT in e.workloads:
        return assumed(
            Measure.FREQUENCY, "60 seconds", 60.0, "s", "readings",
            "a reading a minute shows slow changes and keeps radio costs low",
        )  # fmt: skip
    return assumed(
        Measure.FREQUENCY, "once a night", DAY, "s", "load",
        f"the request on “{e.title}” names no rhythm and sources are quiet at night",
    )  # fmt: skip


def _users(e: Evidence) -> Estimate:
    rate = e.largest(Measure.THROUGHPUT)
    if rate is not None and rate.value:
        value = max(10.0, round2(rate.value * HOUR / 30 * 10))
        return assumed(
            Measure.USERS, f"{number_text(value)} users", value, "users", "users",
            f"{rate.text} at 30 calls in the busiest hour, one in ten active",
        )  # fmt: skip
    number = 1000.0 if Workload.STATIC_SITE in e.workloads else 100.0
    return assumed(
        Measure.USERS, f"{number_text(number)} users a month", number, "users", "users",
        f"the request on “{e.title}” does not say who uses it",
    )  # fmt: skip


def _devices(e: Evidence) -> Estimate:
    rate = e.largest(Measure.THROUGHPUT)
    if rate is not None and rate.value:
        value = round2(rate.value * MINUTE)
        return assumed(
            Measure.DEVICES, f"{number_text(value)} devices", value, "devices", "devices",
            f"{rate.text} at one message a minute each",
        )  # fmt: skip
    return assumed(
        Measure.DEVICES, "1,000 devices", 1000.0, "devices", "devices",
        f"a first fleet for “{e.title}”; the number decides most of the cost",
    )  # fmt: skip


def _items(e: Evidence) -> Estimate:
    volume = e.figure(Measure.DATA_VOLUME)
    value = round2(volume.value / 1e6) if volume and volume.value else 10_000.0
    return assumed(
        Measure.ITEMS, f"{number_text(value)} documents", value, "documents", "documents",
        f"{volume.text} at 1 MB a document" if volume else "the corpus is not counted in the "
                "request",
    )  # fmt: skip


def _budget(e: Evidence) -> Estimate:
    today = next((f for f in e.figures if f.measure is Measure.BUDGET and f.current), None)
    if today is not None and today.value:
        return assumed(
            Measure.BUDGET, f"{money_text(today.value, today.unit)} a "
                "month", today.value, today.unit,
            "ceiling", f"the new system should not cost more than today ({today.text})",
        )  # fmt: skip
    rate = e.largest(Measure.THROUGHPUT) or e.estimated(Measure.THROUGHPUT)
    volume = e.largest(Measure.DATA_VOLUME) or e.estimated(Measure.DATA_VOLUME)
    calls = rate.value if rate and rate.value else 0.0
    stored = volume.value if volume and volume.value else 0.0
    small = Workload.STATIC_SITE in e.workloads
    value = round2((20 if small else 400) + 2.5 * min(calls, 20_000) + 30 * stored / 1e12)
    parts = [f.text for f in (rate, volume) if f is not None]
    currency = next((f.unit[:3] for f in e.figures if f.unit[:3] in CURRENCIES), "USD")
    return assumed(
        Measure.BUDGET, f"{money_text(value, currency)} a month", value, currency, "ceiling",
        f"an order of magnitude for {' and '.join(parts) or 'a small service'}, to be replaced "
        "by what was granted",
    )  # fmt: skip


def _team(e: Evidence) -> Estimate:
    return assumed(
        Measure.TEAM, "two people", 2.0, "people", "build and run",
        f"the request on “{e.title}” names nobody who runs it, so as little as possible is "
        "left to run",
    )  # fmt: skip


def _deadline(e: Evidence) -> Estimate:
    machines = e.figure(Measure.COMPUTE)
    volume = e.largest(Measure.DATA_VOLUME)
    months = (
        3
        + (3 if volume and (volume.value or 0) > 5e12 else 0)
        + (3 if machines and (machines.value or 0) > 20 else 0)
    )
    seen = " and ".join(f.text for f in (machines, volume) if f is not None)
    return assumed(
        Measure.DEADLINE, f"{months} months", months * MONTH, "s", "move",
        f"moving {seen or 'what runs today'} in steps, with a rehearsal",
    )  # fmt: skip


def _availability_for(rto: float) -> tuple[float, str]:
    for limit, value in ((5 * MINUTE, 99.99), (HOUR, 99.95), (8 * HOUR, 99.9), (WEEK, 99.5)):
        if rto <= limit:
            return value, f"{value:g} %"
    return 99.0, "99 %"


ASSUMPTIONS: Mapping[Measure, Callable[[Evidence], Estimate | None]] = {
    Measure.THROUGHPUT: _throughput,
    Measure.LATENCY: _latency,
    Measure.AVAILABILITY: _availability,
    Measure.RTO: _rto,
    Measure.RPO: _rpo,
    Measure.DATA_VOLUME: _volume,
    Measure.ITEM_SIZE: _item_size,
    Measure.FRESHNESS: _freshness,
    Measure.RETENTION: _retention,
    Measure.FREQUENCY: _frequency,
    Measure.USERS: _users,
    Measure.DEVICES: _devices,
    Measure.ITEMS: _items,
    Measure.BUDGET: _budget,
    Measure.TEAM: _team,
    Measure.DEADLINE: _deadline,
}
"""One rule for each measure that can be missing."""
