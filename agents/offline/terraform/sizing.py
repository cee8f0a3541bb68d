"""Sizes with the arithmetic behind them: every default in the Terraform can be traced to a figure.

Where the product selection states a size for a component, that size holds: it was approved. The
rates of work used otherwise (transactions a vCPU, rows a node) are planning values that a first
load test corrects. They stand here once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agents.offline.facts import Figure, Measure, Workload
from agents.offline.load import Rate, noun_of, number
from agents.offline.signals import Signal
from agents.offline.terraform.parts import Flow, Unit
from agents.offline.terraform.periods import Periods, Sized

CALL_SECONDS = 0.1
AT_ONCE = 40  # calls that one instance works on at once
TRANSACTIONS_PER_VCPU = 100
BIGTABLE_ROWS = 10_000  # a second and node, rows of 1 kB on SSD
SPANNER_WRITES = 2_500  # a second and node
KAFKA_MB = 10  # MB/s that one vCPU of a cluster takes in
EVENTS_PER_VCPU = 4_000  # a second, streaming
HEADROOM = 0.6

_VCPUS = (2, 4, 8, 16, 32, 48, 64, 96, 128)
_GB = 1_000_000_000
_PER_SECOND = re.compile(r"(\d[\d,.]*)(?: [a-z-]+){0,3} (?:a|per) second", re.I)
_PEAK = re.compile(r"that is (\d[\d,]*) instances? at peak(?:, with an upper limit of (\d[\d,]*))?")
_AT = re.compile(r"at (\d+) an instance")
_CPU = re.compile(r"(?:so|is|=) (\d+) vCPU")
_NODES = re.compile(r"(?:=|start with) (\d+)(?: nodes?\b| and let)")
_BROKERS = re.compile(r"= (\d+) brokers?")
_SIZE = re.compile(r"= (\d[\d,.]*) (GB|TB)(?: of vectors)?\b(?!.*= \d[\d,.]* (?:GB|TB)\b)")
_SHARED = (
    r"\b(?:hospitals?|clinics?|offices?|branch(?:es)?|schools?|universit\w+|\d+ stores|"
    r"factor(?:y|ies)|plants?|partners?|tenants?|employees|staff|merchants?|banks?|municipal\w*|Stadtwerke)\b"
)
_OPERATIONS = re.compile(r"metrics and logs|rollout|release|billing export|secret", re.I)


@dataclass(frozen=True, slots=True)
class ServiceSize:
    """A service: vCPU and calls at once of an instance, instances at least and at most."""

    vcpus: int
    concurrency: Sized
    warm: Sized
    most: Sized


@dataclass(frozen=True, slots=True)
class DatabaseMachine:
    """A database machine: vCPUs, its tier name, edition and storage in GB."""

    vcpus: int
    tier: str
    edition: str
    disk_gb: int
    why: str
    disk_why: str


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def _stepped(value: int, step: int) -> int:
    """The vCPU count that holds a demand, moved by the steps that feedback asked for."""
    index = next((i for i, v in enumerate(_VCPUS) if v >= value), len(_VCPUS) - 1)
    return _VCPUS[min(max(index + step, 0), len(_VCPUS) - 1)]


def _first(figures: tuple[Figure, ...]) -> Figure | None:
    return next(iter(figures), None)


@dataclass(frozen=True)
class Sizing(Periods):
    """All sizes of one design. ``stated`` are the selection's own sums, by component id."""

    flows: tuple[Flow, ...] = ()
    stated: Mapping[tuple[str, str], str] | None = None

    def sum_of(self, unit: Unit | None) -> str:
        """What the product selection says of this unit's size; empty if nothing."""
        if unit is None or not self.stated:
            return ""
        return self.stated.get((unit.id, unit.product), "")

    # -- rates -------------------------------------------------------------------------------
    @cached_property
    def rate(self) -> Rate | None:
        """The highest rate of calls from people and programs: fan-out, peak, steady, estimate."""
        load = self.brief.load
        known = load.fan_out or load.front_peak or load.front_steady
        if known:
            return known
        if self.brief.works(Workload.IOT, Workload.STREAMING) and load.top:
            return None  # what is stated counts messages, not calls
        figure = self.facts.expected(Measure.THROUGHPUT)
        if figure and figure.value and load.top is None:
            return Rate(
                figure.value, f"{figure.text} (estimated)", noun_of(figure, "requests"), figure
            )
        return load.top

    @cached_property
    def calm(self) -> float | None:
        """The normal hour as a share of the peak; None if it cannot be told."""
        load = self.brief.load
        if load.steady and load.peak and load.peak.value:
            return min(load.steady.value / load.peak.value, 1.0)
        return 1.0 / load.peak_factor if load.peak_factor else None

    @cached_property
    def messages(self) -> Rate | None:
        """The highest rate of messages, events or records."""
        load = self.brief.load
        return load.items or load.devices or load.peak or load.steady or self.rate

    def rate_of(self, unit: Unit | None) -> Rate | None:
        """The calls or messages a second that reach a unit, from the flows' own volumes."""
        if unit is None:
            return self.rate
        best: Rate | None = None
        for flow in self.flows:
            if flow.target != unit.id or _OPERATIONS.search(flow.what):
                continue
            for found in _PER_SECOND.finditer(flow.what):
                value = float(found[1].replace(",", "").rstrip("."))
                if best is None or value > best.value:
                    best = Rate(value, f"{number(value)} a second", "calls")
        if best or self.flows:
            return best
        return self.rate if unit.module.key in {"cloud_run", "functions", "gke"} else self.messages

    # -- services ----------------------------------------------------------------------------
    def service(self, unit: Unit | None = None) -> ServiceSize:
        """Instances, concurrency and vCPU of a service."""
        said = self.sum_of(unit)
        at_once = _AT.search(said)
        at = int(at_once[1]) if at_once else 4 if self.brief.works(Workload.MEDIA) else AT_ONCE
        why_at = (
            "as the product selection plans"
            if at_once
            else "work on files is bound by CPU and memory"
            if at == 4
            else "a planning value that the load test corrects"
        )
        peak, why, bound = self._peak(unit, said, at)
        return ServiceSize(
            self.service_vcpus,
            Sized(at, why_at),
            self._warm(unit, peak, why),
            self._most(unit, peak, why, bound),
        )

    def _peak(self, unit: Unit | None, said: str, at: int) -> tuple[int | None, str, int | None]:
        """Instances at peak, the sum, and the upper limit that the selection names."""
        stated = _PEAK.search(said)
        if stated:
            bound = _int(stated[2]) if stated[2] else None
            return _int(stated[1]), said.split(";")[0].split(", with an upper")[0], bound
        rate = self.rate_of(unit)
        if rate is None:
            return None, "no rate is stated for it", None
        flight = rate.value * CALL_SECONDS
        count = max(math.ceil(flight / at), 1)
        return (
            count,
            (
                f"{number(rate.value)} a second x {CALL_SECONDS} s / {at} at once = {count} "
                f"instance{'' if count == 1 else 's'} at peak"
            ),
            None,
        )

    @cached_property
    def service_vcpus(self) -> int:
        """VCPUs of one service instance."""
        base = 4 if self.brief.works(Workload.MEDIA) else 1 if self.brief.tiny else 2
        step = self.adjust.size_step
        moved = base << step if step >= 0 else base >> -step
        return min(max(moved, 1), 8)

    def _most(self, unit: Unit | None, peak: int | None, why: str, bound: int | None) -> Sized:
        if self.adjust.max_instances is not None:
            return Sized(max(self.adjust.max_instances, 1), "as asked for in this Revision")
        if peak is None:
            count = 3 if self.brief.tiny else 10
            return Sized(count, f"{why}: a guard against runaway cost")
        value = max(bound or peak * 2, 3)
        return Sized(value, f"{why}, and twice that as limit")

    def _warm(self, unit: Unit | None, peak: int | None, why: str) -> Sized:
        most = self._most(unit, peak, why, None).value
        if self.adjust.min_instances is not None:
            return Sized(min(self.adjust.min_instances, most), "as asked for in this Revision")
        if self.brief.tiny or self.brief.has(Signal.IDLE_HOURS):
            return Sized(0, "nothing is kept warm: use is small or stops outside working hours")
        if peak is None:
            return Sized(1, f"{why}: one answers without a cold start")
        floor = 2 if self.available and peak > 1 else 1
        if self.calm is None:
            return Sized(floor, "the normal hour is not stated, so as few as survive a fault")
        count = max(math.ceil(peak * self.calm), floor)
        return Sized(
            min(count, most), f"{number(self.calm * 100)} % of {peak} at peak carry the normal hour"
        )

    @cached_property
    def available(self) -> bool:
        """Whether a standby in a second zone is wanted."""
        if self.adjust.high_availability is not None:
            return self.adjust.high_availability
        return not (self.brief.tiny or self.brief.has(Signal.NO_HIGH_AVAILABILITY))

    @cached_property
    def address_calls(self) -> Sized:
        """Calls that one address may make in a minute: a whole site can stand behind one."""
        stated = self.brief.says(r"[\d,. ]+ (?:calls|requests) (?:a|per) minute")
        limit = re.search(r"(\d[\d,. ]*) (?:calls|requests)", stated) if stated else None
        if limit and (count := _int(re.sub(r"[. ]", "", limit[1]))) >= 60:
            return Sized(count, f"“{stated.strip()[:80]}”")
        if self.brief.says(_SHARED):
            return Sized(6000, "whole sites call from one shared address, so the limit is high")
        if self.brief.tiny:
            return Sized(600, "ten a second are more than one person makes")
        return Sized(1200, "20 a second leave room for a household or a small office")

    # -- databases ---------------------------------------------------------------------------
    def disk(self, unit: Unit | None = None) -> Sized:
        """GB of a database's disk."""
        stated = _SIZE.search(self.sum_of(unit))
        if stated:
            gigabytes = float(stated[1].replace(",", "")) * (1000 if stated[2] == "TB" else 1)
            value = min(max(math.ceil(gigabytes / 10) * 10, 20), 64_000)
            text = self.sum_of(unit).split("; ")[-1].removeprefix("storage ")
            return Sized(value, f"{text}, as the product selection plans")
        stored = self.brief.load.stored
        if stored is None or not stored.value or stored.value > 40e12:
            small = 20 if self.brief.tiny else 100
            return Sized(small, "no size of the data is stated; it grows by itself")
        gigabytes = math.ceil(stored.value * 1.3 / _GB / 10) * 10
        value = min(max(gigabytes, 20), 64_000)
        return Sized(value, f"{stored.text} with 30 % spare = {number(value)} GB")

    def database(self, unit: Unit | None = None) -> DatabaseMachine:
        """A relational database machine for what reaches it."""
        said = self.sum_of(unit)
        stated = _CPU.search(said)
        rate = self.rate_of(unit)
        if stated:
            vcpus, why = _int(stated[1]), said.split("; storage")[0]
        elif rate is None:
            vcpus, why = (2 if self.brief.tiny else 4), "no rate is stated for it"
        else:
            vcpus = max(math.ceil(rate.value / TRANSACTIONS_PER_VCPU * 2), 2)
            why = (
                f"{number(rate.value)} a second / {TRANSACTIONS_PER_VCPU} transactions a vCPU, "
                f"half "
                f"of it kept free = {vcpus} vCPU"
            )
        plus = self.plus
        vcpus = _stepped(vcpus, self.adjust.size_step)
        if plus:
            tier = f"db-perf-optimized-N-{vcpus}"
        elif self.brief.tiny and vcpus == 2:
            tier = "db-g1-small"
        else:
            vcpus = min(vcpus, 96)
            tier = f"db-custom-{vcpus}-{vcpus * 3840}"
        if self.adjust.tier and self.adjust.tier.startswith("db-"):
            tier, why = self.adjust.tier, "as asked for in this Revision"
            plus = tier.startswith("db-perf-optimized")
        disk = self.disk(unit)
        return DatabaseMachine(
            vcpus, tier, "ENTERPRISE_PLUS" if plus else "ENTERPRISE", disk.value, why, disk.why
        )

    @cached_property
    def plus(self) -> bool:
        """Whether the database edition with the higher availability is worth its price."""
        load = self.brief.load
        if self.brief.tiny or not self.available:
            return False
        goal = load.availability.value if load.availability else None
        quick = load.rto is not None and load.rto.value is not None and load.rto.value <= 3600
        return bool(goal and goal > 99.95) or (quick and self.brief.has(Signal.TWO_REGIONS))

    def processing_units(self, unit: Unit | None = None) -> Sized:
        """Spanner processing units at the least; 1,000 are one node."""
        said = self.sum_of(unit)
        stated = _NODES.search(said)
        if stated:
            return Sized(_int(stated[1]) * 1000, said.split("; storage")[0])
        rate = self.rate_of(unit) or self.rate
        if rate is None:
            small = 100 if self.brief.tiny else 1000
            return Sized(small, "no rate is stated: the smallest that scales")
        nodes = max(math.ceil(rate.value / SPANNER_WRITES), 1)
        return Sized(
            nodes * 1000,
            f"{number(rate.value)} a second / {number(SPANNER_WRITES)} writes a node = {nodes}",
        )

    def bigtable_nodes(self, unit: Unit | None = None) -> Sized:
        """Bigtable nodes of a cluster at the least."""
        said = self.sum_of(unit)
        stated = _NODES.search(said)
        if stated:
            return Sized(_int(stated[1]), said.split(";")[0])
        rate = self.rate_of(unit) or self.messages
        if rate is None:
            return Sized(1, "no rate is stated: one node, and the autoscaler adds more")
        value = max(math.ceil(rate.value / (BIGTABLE_ROWS * HEADROOM)), 1)
        return Sized(
            value,
            f"{number(rate.value)} rows a second / ({number(BIGTABLE_ROWS)} a node x {HEADROOM}) = "
            f"{value}",
        )

    def kafka_vcpus(self, unit: Unit | None = None) -> Sized:
        """VCPUs of a Kafka cluster, at least 3."""
        said = self.sum_of(unit)
        stated = _CPU.search(said)
        if stated:
            return Sized(max(_int(stated[1]), 3), said)
        rate = self.messages
        if rate is None:
            return Sized(3, "no rate is stated: the smallest cluster")
        megabytes = rate.value * self.brief.load.message_bytes[0] / 1e6
        value = max(math.ceil(megabytes / KAFKA_MB), 3)
        return Sized(value, f"{self.brief.load.bandwidth(rate)} / {KAFKA_MB} MB/s a vCPU")

    def stream_workers(self, unit: Unit | None = None) -> Sized:
        """Streaming workers of 2 vCPU at the most."""
        said = self.sum_of(unit)
        stated = _CPU.search(said)
        if stated:
            value = max(math.ceil(_int(stated[1]) * 1.5 / 2), 2)
            return Sized(value, f"{said.split(' at peak')[0]}, half as many again, 2 vCPU a worker")
        rate = self.rate_of(unit) or self.messages
        if rate is None:
            return Sized(4, "no rate is stated: a guard against runaway cost")
        value = max(math.ceil(rate.value / EVENTS_PER_VCPU * 1.5 / 2), 2)
        return Sized(
            value,
            f"{number(rate.value)} a second / {number(EVENTS_PER_VCPU)} a vCPU, half as many "
            f"again, "
            "2 vCPU a worker",
        )

    def machines(self, unit: Unit | None = None) -> Sized | None:
        """Machines of a group where the selection counts them (brokers)."""
        said = self.sum_of(unit)
        stated = _BROKERS.search(said)
        return Sized(_int(stated[1]), said) if stated else None

    @cached_property
    def cache_gb(self) -> Sized:
        """GB of a cache."""
        stored = self.brief.load.stored
        if stored is None or not stored.value or self.brief.tiny:
            small = 1 if self.brief.tiny else 5
            return Sized(small, "sessions and hot records of a small data set")
        value = min(max(math.ceil(stored.value * 0.02 / _GB), 2), 100)
        return Sized(value, f"2 % of {stored.text}, the part that is read again and again")

    # -- warehouse ---------------------------------------------------------------------------
    @cached_property
    def analysts(self) -> Figure | None:
        """How many people query, where a figure says so."""
        people = [f for f in self.facts.figures if f.measure is Measure.USERS and f.value]
        asked = [f for f in people if re.search(r"analyst|SQL|quer", f"{f.text} {f.subject}", re.I)]
        return _first(tuple(asked))

    @cached_property
    def slots(self) -> Sized:
        """Most slots that a warehouse may scale to."""
        people = self.analysts
        count = people.value if people and people.value else 20
        value = 100 if self.brief.tiny else min(max(math.ceil(count / 10) * 50, 100), 1600)
        basis = people.text if people else "an assumed 20 analysts"
        return Sized(value, f"50 slots for each 10 of {basis}, so that a month cannot run away")

    @cached_property
    def scan_gb(self) -> Sized:
        """Most GB that one query may scan on demand."""
        stored = self.brief.load.stored
        if stored is None or not stored.value:
            return Sized(100, "no volume is stated")
        value = max(math.ceil(stored.value * 0.1 / _GB), 10)
        return Sized(value, f"a tenth of {stored.text}: what needs more names its partitions")
