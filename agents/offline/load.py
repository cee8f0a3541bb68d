"""What the figures of a request add up to: rates, volumes and budgets, each with its arithmetic.

Every derived number carries the sum that made it, so that a reader can check it and a Revision
can correct the figure it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agents.offline.facts import Facts, Figure, Measure

_PER_SECOND = re.compile(r"(?:/|\bper |\ba |\beach |\bevery )\s*s(?:ec(?:ond)?)?s?\b", re.I)
_PER_TIME = re.compile(
    (
        r"(?:/|\bper |\ban? |\beach |\bevery )\s*(?:s|sec|second|min|minute|h|hour|day|night|"
        r"week|month)s?\b"
    ),
    re.I,
)
_NOUN = re.compile(
    r"^[\s~≈<>]*[\d.,'\u00a0 ]+\s*(?:k|m|mio|million|thousand)?\s+"
    r"(?P<noun>[^\W\d_][^\W\d_]*(?: [^\W\d_]+)?)\s*(?:/| per | an? | each | every )",
    re.I,
)
_MACHINE = re.compile(
    (
        r"message|event|reading|record|position|datagram|sample|rows?\b|metric|document|photo|"
        r"upload|file"
    ),
    re.I,
)
_SENT = re.compile(r"message|event|reading|position|datagram|sample|metric|record", re.I)
_FAN_OUT = re.compile(
    r"(?P<n>\d[\d.,]*)\s+(?P<what>(?:[\w-]+ ){0,4}?(?:calls|requests|queries|reads|views))\s+"
    r"(?:for|per|to) (?:each|every|an?|one)?\s*(?P<of>[\w-]+)",
    re.I,
)
_WINDOW = re.compile(
    r"between\s+(\d{1,2})[:.h](\d{2})\s*(?:and|to|-|–)\s*(\d{1,2})[:.h](\d{2})", re.I
)
_PEAK_FACTOR = re.compile(r"(?P<n>\d+(?:[.,]\d+)?)\s*(?:x|×|times)(?![\w])", re.I)
_CHEAPER = re.compile(r"(?P<n>\d+(?:[.,]\d+)?)\s*%\s*(?:less|cheaper|lower|below|saving)", re.I)
_EACH = re.compile(r"per (unit|device|sensor|vehicle|user|tenant|customer|store|machine)\b", re.I)
_FLOWING = re.compile(
    r"\b(?:per|a|each|every)\s+(?:night|day|hour|week|month)|nightly|daily|/\s*(?:day|night|h)\b|"
    r"\bnight\b",
    re.I,
)
_SMALL_ITEM = re.compile(r"message|event|reading|record|payload|beacon|sample|datagram", re.I)
_SHARE = re.compile(r"\bp\d{2}(?:\.\d+)?\b", re.I)
_FILES = re.compile(
    r"\bDICOM|images?\b|photos?\b|pictures?\b|videos?\b|films?\b|recordings?\b|\bscans?\b|"
    r"\bPDFs?\b|attachments?\b|renditions?\b",
    re.I,
)
_RECORDS = re.compile(r"database|\bDB\b|sql|oracle|records|rows|tables|history", re.I)
_CLAUSES = re.compile(r"[,;:.]\s|\band\b|\bplus\b", re.I)
_NO_THING = frozenset(
    ["million", "millions", "mio", "billion", "thousand", "thousands", "active", "concurrent",
     "simultaneous", "anfragen", "times", "at", "sustained", "peak"]
)  # fmt: skip
HOURS_A_MONTH = 730
_GB = 1_000_000_000
_TB = 1_000_000_000_000


def number(value: float) -> str:
    """A number for people: ``3,000``, ``15.6``, ``0.04``."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}".removesuffix(".0") if value >= 1 else f"{value:.2g}"


def size(octets: float) -> str:
    """Bytes in decimal units: ``140 GB``."""
    for unit, factor in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if octets >= factor:
            return f"{number(octets / factor)} {unit}"
    return f"{number(octets)} B"


def duration(seconds: float) -> str:
    """Seconds in the unit that people would use: ``48 hours``, ``5 minutes``, ``300 ms``."""
    if seconds < 1:
        return f"{number(seconds * 1000)} ms"
    for unit, factor in (("year", 31_536_000), ("day", 86_400), ("hour", 3600), ("minute", 60)):
        count = seconds / factor
        if count >= 1 and abs(count - round(count)) < 0.01 and not (unit == "day" and count < 3):
            return f"{round(count):,} {unit}{'' if round(count) == 1 else 's'}"
    return f"{number(seconds)} second{'' if seconds == 1 else 's'}"


def aim(figure: Figure) -> str:
    """A time goal without the words around it: ``300 ms at p95``, ``5 minutes``, ``1 hour``."""
    if figure.value is None:
        return figure.text
    shares = _SHARE.findall(figure.text) or _SHARE.findall(figure.sentence)
    alone = len(set(shares)) == 1 and figure.measure is Measure.LATENCY
    at = f" at {shares[0].lower()}" if alone else ""
    return f"{duration(figure.value)}{at}" if figure.value else "nothing"


@dataclass(frozen=True, slots=True)
class Rate:
    """Something per second; ``shown`` is the user's figure with the arithmetic behind it."""

    value: float
    shown: str
    noun: str
    figure: Figure | None = None

    @property
    def short(self) -> str:
        """``50 orders a second``."""
        if self.value < 0.1:
            return f"{number(self.value * 86_400)} {self.noun} a day"
        return f"{number(self.value)} {self.noun} a second"


@dataclass(frozen=True, slots=True)
class Money:
    """A monthly amount; ``shown`` says how it was worked out."""

    value: float
    unit: str
    shown: str
    figure: Figure


def noun_of(figure: Figure, default: str = "requests") -> str:
    """What a rate counts: ``orders`` of ``3,000 orders a minute``."""
    match = _NOUN.match(figure.text + " ")
    if match and not _NO_THING & set(match["noun"].lower().split()):
        return match["noun"].lower().strip()
    words = figure.subject.lower().split()
    if 0 < len(words) <= 3 and not _NO_THING & set(words):
        return figure.subject.lower()
    return default


def _rate(figure: Figure, default: str) -> Rate:
    assert figure.value is not None  # noqa: S101 (callers filter on it)
    noun = noun_of(figure, default)
    shown = figure.text
    if not _PER_TIME.search(figure.text):
        shown = Rate(figure.value, "", noun).short
    elif figure.value >= 0.1 and not _PER_SECOND.search(figure.text):
        shown = f"{figure.text} = {number(figure.value)} a second"
    return Rate(figure.value, shown, noun, figure)


def _values(figures: Iterable[Figure], measure: Measure) -> list[Figure]:
    return [f for f in figures if f.measure is measure and f.value]


@dataclass(frozen=True, slots=True)
class Load:
    """The figures that size a solution. What the request does not state is None or empty."""

    steady: Rate | None = None
    peak: Rate | None = None
    front_steady: Rate | None = None  # what people and their programs call for
    front_peak: Rate | None = None
    fan_out: Rate | None = None  # calls a second at peak, where a call count per item is given
    devices: Rate | None = None  # messages a second from all devices, where an interval is given
    device_count: Figure | None = None
    interval: Figure | None = None
    message: Figure | None = None
    stored: Figure | None = None
    files: Figure | None = None  # the largest volume that is images, films or documents
    stored_later: str = ""
    growth_factor: float = 1.0
    nightly: Figure | None = None
    window_hours: float | None = None
    peak_factor: float | None = None
    availability: Figure | None = None
    rto: Figure | None = None
    rpo: Figure | None = None
    latency: Figure | None = None
    users: Figure | None = None
    team: float | None = None
    budget: Money | None = None
    retention: Figure | None = None
    uploads: Figure | None = None

    @property
    def top(self) -> Rate | None:
        """The highest rate that the solution has to carry."""
        rates = [r for r in (self.peak, self.steady, self.devices, self.fan_out) if r]
        return max(rates, key=lambda r: r.value, default=None)

    @property
    def items(self) -> Rate | None:
        """The highest rate of what flows through: readings and events, else orders or calls."""
        sent = [r for r in (self.peak, self.steady) if r and _SENT.search(r.noun)]
        rates = [r for r in (*sent, self.devices) if r]
        rates = rates or [r for r in (self.peak, self.steady) if r]
        return max(rates, key=lambda r: r.value, default=None)

    @property
    def records(self) -> Figure | None:
        """What lies in databases: the stored volume where it is not images or other files."""
        return None if self.stored is self.files else self.stored

    @property
    def nightly_bytes(self) -> float:
        """Bytes of one delivery: of a night or a day."""
        if self.nightly is None or not self.nightly.value:
            return 0.0
        return self.nightly.value * (86_400 if self.nightly.measure is Measure.DATA_RATE else 1)

    @property
    def zero_loss(self) -> bool:
        """Whether no committed data may be lost."""
        return self.rpo is not None and self.rpo.value == 0

    @property
    def stored_bytes_later(self) -> float:
        """Bytes at rest in three years, where a growth is stated; else today's."""
        now = self.stored.value if self.stored and self.stored.value else 0.0
        return now * self.growth_factor

    @property
    def times(self) -> str:
        """How far the peak is above the normal load: ``3.3 times``; empty if unknown."""
        if self.steady and self.peak and self.steady.value:
            return f"{number(self.peak.value / self.steady.value)} times"
        return f"{number(self.peak_factor)} times" if self.peak_factor else ""

    @property
    def outage(self) -> str:
        """What the availability figure allows: ``21.9 minutes of outage a month``."""
        if not self.availability or not self.availability.value:
            return ""
        minutes = (100 - self.availability.value) / 100 * HOURS_A_MONTH * 60
        amount = f"{number(minutes)} minutes" if minutes >= 1 else f"{number(minutes * 60)} seconds"
        return f"{amount} of outage in a month of {HOURS_A_MONTH} h"

    @property
    def message_bytes(self) -> tuple[float, str]:
        """Bytes of one message and how they are known."""
        if self.message and self.message.value:
            return self.message.value, self.message.text
        return 1000.0, "an assumed 1 kB"

    def bandwidth(self, rate: Rate) -> str:
        """``180,000 a second x 1 kB = 180 MB/s``."""
        octets, shown = self.message_bytes
        return f"{number(rate.value)} a second x {shown} = {size(rate.value * octets)}/s"


def _budget(facts: Facts, devices: Figure | None, text: str) -> Money | None:
    amounts = _values(facts.figures, Measure.BUDGET)
    wanted = [f for f in amounts if not f.current and "%" not in f.text]
    cut_goal = next((f for f in amounts if "%" in f.text and not f.current), None)
    cheaper = _CHEAPER.search(text)
    stated = len(wanted) > 1 or (wanted and len(amounts) > len(wanted))  # a target beside today's
    cheaper = None if stated or cut_goal else cheaper
    if cheaper and (spent := [f for f in amounts if f.current or len(amounts) == 1]):
        now = spent[0]
        cut = float(cheaper["n"].replace(",", "."))
        assert now.value is not None  # noqa: S101 (_values filters)
        value = now.value * (1 - cut / 100)
        shown = f"{now.text} less {number(cut)} % = {number(value)} {now.unit} a month"
        return Money(value, now.unit, shown, now)
    if not wanted:
        if cut_goal is None or cut_goal.value is None:
            return None
        shown = f"{cut_goal.text} than today = {number(cut_goal.value)} {cut_goal.unit} a month"
        return Money(cut_goal.value, cut_goal.unit, shown, cut_goal)
    figure = min(wanted, key=lambda f: f.value or 0) if len(wanted) > 1 else wanted[0]
    each = _EACH.search(figure.text) or _EACH.search(figure.sentence)
    assert figure.value is not None  # noqa: S101
    if each and figure.value < 200 and devices and devices.value:
        value = figure.value * devices.value
        shown = f"{figure.text} x {number(devices.value)} = {number(value)} {figure.unit} a month"
        return Money(value, figure.unit, shown, figure)
    shown = figure.text
    if each and figure.subject.startswith("for "):  # the reader has multiplied it already
        shown = f"{shown} {figure.subject} = {number(figure.value)} {figure.unit} a month"
    return Money(figure.value, figure.unit, shown, figure)


def _pair(figures: list[Figure]) -> tuple[Rate | None, Rate | None]:
    """Steady and peak load: the largest rates that count the same thing."""
    if not figures:
        return None, None
    named = next(  # "4,000 transactions a second, 12,000 at peak": the peak counts the same
        (
            noun_of(f, "")
            for f in figures[1:]
            if figures[0].peak and f.sentence == figures[0].sentence and noun_of(f, "")
        ),
        "requests",
    )
    top = _rate(figures[0], named)
    kind = top.noun.split()[-1]
    same = [r for f in figures[1:] if (r := _rate(f, top.noun)).noun.split()[-1] == kind]
    lower = [r for r in same if r.value < top.value and r.figure and not r.figure.peak]
    if lower:
        return lower[0], top
    return (None, top) if figures[0].peak else (top, None)


def _rates(facts: Facts, *, front: bool = False) -> tuple[Rate | None, Rate | None]:
    figures = sorted(
        _values(facts.figures, Measure.THROUGHPUT), key=lambda f: f.value or 0, reverse=True
    )
    if front:
        figures = [f for f in figures if not _MACHINE.search(noun_of(f, ""))]
    return _pair(figures)


def _is_files(figure: Figure) -> bool:
    """Whether a volume is one of images, films or other files: by the clause that it stands in."""
    at = figure.sentence.find(figure.text)
    if at < 0:
        near = f"{figure.subject} {figure.text}"
    else:
        before = _CLAUSES.split(figure.sentence[:at])[-1]
        after = _CLAUSES.split(figure.sentence[at + len(figure.text) :])[0]
        near = f"{figure.subject} {before} {after}"
    return bool(_FILES.search(near)) and not _RECORDS.search(near)


def fleet_of(facts: Facts) -> list[Figure]:
    """Counts of devices by size; what one device consists of is left out."""
    counts = sorted(_values(facts.figures, Measure.DEVICES), key=lambda f: f.value or 0)
    most = counts[-1].value or 0 if counts else 0
    return [f for f in counts if (f.value or 0) >= most * 0.02]


def derive(facts: Facts, text: str) -> Load:
    """Work out the Load of a request; ``text`` is the request's own words."""
    figures = facts.figures
    steady, peak = _rates(facts)
    front_steady, front_peak = _rates(facts, front=True)
    base = peak or steady
    fan = _FAN_OUT.search(text)
    fan_out = None
    if fan and base and base.noun.split()[-1].rstrip("s").startswith(fan["of"].lower().rstrip("s")):
        per = float(fan["n"].replace(",", ""))
        calls = base.value * per
        fan_out = Rate(
            calls,
            f"{number(base.value)} {base.noun} a second x {fan['n']} {fan['what']} = "
            f"{number(calls)} a second",
            "calls",
            base.figure,
        )
    fleet = fleet_of(facts)
    devices = fleet[-1] if fleet else None
    today = fleet[0] if fleet else None
    every = min(
        (f for f in _values(figures, Measure.FREQUENCY) if (f.value or 0) <= 3600),
        key=lambda f: f.value or 0,
        default=None,
    )
    device_rate = None
    if devices and every and devices.value and every.value:
        value = devices.value / every.value
        device_rate = Rate(
            value,
            f"{number(devices.value)} devices / {number(every.value)} s = "
            f"{number(value)} messages a second",
            "messages",
            devices,
        )
    items = _values(figures, Measure.ITEM_SIZE)
    message = next(
        (f for f in items if _SMALL_ITEM.search(f"{f.subject} {f.text} {f.sentence}")),
        next((f for f in items if (f.value or 0) <= 65_536), None),
    )
    volumes = _values(figures, Measure.DATA_VOLUME)
    flows = [f for f in volumes if _FLOWING.search(f.text) or _FLOWING.search(f.subject)]
    flows += list(_values(figures, Measure.DATA_RATE))
    if not flows:
        flows = [f for f in volumes if _FLOWING.search(f.sentence) and (f.value or 0) < _TB]
    nightly = max(flows, key=lambda f: f.value or 0, default=None)
    resting = [f for f in volumes if f is not nightly]
    filed = [f for f in resting if _is_files(f)]
    stored = max(
        [f for f in resting if f not in filed] or filed, key=lambda f: f.value or 0, default=None
    )
    window = _WINDOW.search(text)
    hours = None
    if window:
        start, end = (
            int(window[1]) * 60 + int(window[2]),
            int(window[3]) * 60 + int(window[4]),
        )
        hours = ((end - start) % 1440) / 60
    growth = next((f for f in _values(figures, Measure.GROWTH) if 1 < (f.value or 0) <= 300), None)
    later, factor_later = "", 1.0
    if stored and stored.value and growth and growth.value and "%" in growth.text:
        factor_later = (1 + growth.value / 100) ** 3
        later = (
            f"{size(stored.value)} x {number(1 + growth.value / 100)}^3 = "
            f"{size(stored.value * factor_later)} in three years"
        )
    factor = _PEAK_FACTOR.search(text)
    people = _values(figures, Measure.TEAM)
    uploads = next((f for f in items if f is not message and (f.value or 0) > 65_536), None)
    return Load(
        steady=steady,
        peak=peak,
        front_steady=front_steady,
        front_peak=front_peak,
        fan_out=fan_out,
        devices=device_rate,
        device_count=devices,
        interval=every,
        message=message,
        stored=stored,
        files=max(filed, key=lambda f: f.value or 0, default=None),
        stored_later=later,
        growth_factor=factor_later,
        nightly=nightly,
        window_hours=hours,
        peak_factor=float(factor["n"].replace(",", ".")) if factor and not peak else None,
        availability=max(
            _values(figures, Measure.AVAILABILITY), key=lambda f: f.value or 0, default=None
        ),
        rto=facts.figure(Measure.RTO),
        rpo=facts.figure(Measure.RPO),
        latency=min(
            (f for f in _values(figures, Measure.LATENCY) if not f.current),
            key=lambda f: f.value or 0,
            default=None,
        ),
        users=facts.figure(Measure.USERS) or next(iter(_values(figures, Measure.USERS)), None),
        team=sum(f.value or 0 for f in people) if people else None,
        budget=_budget(facts, today, text),
        retention=max(
            _values(figures, Measure.RETENTION), key=lambda f: f.value or 0, default=None
        ),
        uploads=uploads,
    )
