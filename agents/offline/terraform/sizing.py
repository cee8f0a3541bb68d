"""Sizes with the arithmetic behind them: every default in the Terraform can be traced to a figure.

The rates of work a unit can do (queries a vCPU, rows a node) are planning values below what the
products' own pages give, so that a first load test corrects them downwards. They stand here once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from agents.offline.adjustments import Adjustments
from agents.offline.brief import Brief
from agents.offline.facts import Facts, Measure, Workload
from agents.offline.load import Rate, duration, noun_of, number, size
from agents.offline.signals import Signal

CALLS_PER_VCPU = 100  # requests a second that one vCPU of a service answers
QUERIES_PER_CALL = 3
QUERIES_PER_VCPU = 500  # a second, small transactions
HEADROOM = 0.6  # how full a unit runs at the planned peak
BIGTABLE_ROWS = 10_000  # a second and node, rows of 1 kB on SSD
SPANNER_CALLS = 1_500  # mixed reads and writes a second and node
KAFKA_MB = 20  # MB/s that one vCPU of a cluster takes in
STREAM_MB = 10  # MB/s that one streaming worker vCPU processes
_VCPUS = (2, 4, 8, 16, 32, 48, 64, 96)
_GB = 1_000_000_000
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Sized:
    """A size and the sum that gave it."""

    value: int
    why: str


@dataclass(frozen=True, slots=True)
class DatabaseMachine:
    """A database machine: vCPUs, its tier name, edition and storage in GB."""

    vcpus: int
    tier: str
    edition: str
    disk_gb: int
    why: str
    disk_why: str


def _stepped(value: int, step: int) -> int:
    """The vCPU count that holds a demand, moved by the steps that feedback asked for."""
    index = next((i for i, v in enumerate(_VCPUS) if v >= value), len(_VCPUS) - 1)
    return _VCPUS[min(max(index + step, 0), len(_VCPUS) - 1)]


@dataclass(frozen=True)
class Sizing:
    """All sizes of one design."""

    brief: Brief
    adjust: Adjustments

    @property
    def facts(self) -> Facts:
        """The facts behind the sizes."""
        return self.brief.facts

    @cached_property
    def rate(self) -> Rate | None:
        """The highest rate of calls: fan-out, peak, steady, or an estimate."""
        load = self.brief.load
        if load.top:
            return load.top
        figure = self.facts.expected(Measure.THROUGHPUT)
        if figure and figure.value:
            noun = noun_of(figure, "requests")
            return Rate(figure.value, f"{figure.text} (estimated)", noun, figure)
        return None

    @cached_property
    def usual(self) -> Rate | None:
        """The rate of a normal hour, in the same calls as ``rate`` where that can be worked out."""
        load = self.brief.load
        if load.steady and load.fan_out and load.peak and load.peak.value:
            value = load.fan_out.value * load.steady.value / load.peak.value
            shown = (
                f"{load.fan_out.short} x {number(load.steady.value)} / {number(load.peak.value)} = "
                f"{number(value)} a second"
            )
            return Rate(value, shown, load.fan_out.noun, load.steady.figure)
        return load.steady or (None if load.peak else self.rate)

    @cached_property
    def messages(self) -> Rate | None:
        """The highest rate of messages or events, before any fan-out into calls."""
        load = self.brief.load
        rates = [r for r in (load.peak, load.steady, load.devices) if r]
        return max(rates, key=lambda r: r.value, default=None) or self.rate

    @cached_property
    def service_seconds(self) -> tuple[float, str]:
        """How long one call keeps an instance busy, and from what."""
        latency = self.brief.load.latency or self.facts.expected(Measure.LATENCY)
        if self.brief.works(Workload.RAG_ML):
            slow = max(
                (f.value for f in self.facts.figures if f.measure is Measure.LATENCY and f.value),
                default=5.0,
            )
            return min(slow, 60), f"an answer streams for up to {duration(min(slow, 60))}"
        if latency and latency.value:
            seconds = min(max(latency.value / 2, 0.02), 2.0)
            return seconds, f"half of the {latency.text} goal = {duration(seconds)}"
        return 0.2, "an assumed 200 ms a call"

    @cached_property
    def concurrency(self) -> Sized:
        """Requests that one service instance works on at once."""
        if self.brief.works(Workload.RAG_ML):
            return Sized(20, "20 at once: each mostly waits for the model's tokens")
        if self.brief.works(Workload.MEDIA):
            return Sized(4, "4 at once: work on files is bound by CPU and memory")
        latency = self.brief.load.latency
        if latency and latency.value and latency.value <= 0.3:
            return Sized(40, f"40 at once keeps queueing inside an instance below {latency.text}")
        return Sized(80, "80 at once is the default, which holds while calls mostly wait")

    def _instances(self, rate: Rate, vcpus: int) -> tuple[int, str]:
        seconds, why = self.service_seconds
        flight = rate.value * seconds
        by_flight = flight / (self.concurrency.value * HEADROOM)
        by_cpu = rate.value / (CALLS_PER_VCPU * vcpus * HEADROOM)
        count = max(math.ceil(max(by_flight, by_cpu)), 1)
        if by_flight >= by_cpu:
            return count, (
                f"{number(rate.value)} a second x {number(seconds)} s ({why}) = {number(flight)} in "
                f"flight, / ({self.concurrency.value} x {HEADROOM}) = {count}"
            )
        return count, (
            f"{number(rate.value)} a second / ({CALLS_PER_VCPU} a vCPU x {vcpus} x {HEADROOM}) = "
            f"{count}"
        )

    @cached_property
    def service_vcpus(self) -> int:
        """vCPUs of one service instance."""
        base = 1 if self.brief.tiny else 2
        if self.brief.works(Workload.MEDIA):
            base = 4
        step = self.adjust.size_step
        return min(max(base * 2**step if step >= 0 else base // 2**-step, 1), 8)

    def most(self, exposed: bool = True) -> Sized:
        """Upper bound of a service's instances; half as many again as the peak needs.

        What callers reach carries every call; what stands behind it carries the messages.
        """
        if self.adjust.max_instances is not None:
            return Sized(max(self.adjust.max_instances, 1), "as asked for in this Revision")
        rate = self.rate if exposed else self.messages
        if rate is None:
            count = 3 if self.brief.tiny else 20
            return Sized(count, "no rate is stated: a guard against runaway cost")
        count, why = self._instances(rate, self.service_vcpus)
        value = max(math.ceil(count * 1.5), 3)
        return Sized(value, f"{why} instances at peak, and half as many again")

    def warm(self, exposed: bool = True) -> Sized:
        """Instances kept warm."""
        most = self.most(exposed).value
        if self.adjust.min_instances is not None:
            return Sized(min(self.adjust.min_instances, most), "as asked for in this Revision")
        brief = self.brief
        if brief.tiny or brief.has(Signal.IDLE_HOURS):
            return Sized(0, "nothing is kept warm: the use is small or stops outside working hours")
        if not exposed:
            return Sized(1, "one instance takes the first message without a cold start")
        if self.usual is None:
            return Sized(1, "one warm instance, since no normal rate is stated")
        count, why = self._instances(self.usual, self.service_vcpus)
        value = max(min(count, most), 2 if self.available else 1)
        return Sized(value, f"{why} instances carry the normal hour")

    @cached_property
    def available(self) -> bool:
        """Whether a standby in a second zone is wanted."""
        if self.adjust.high_availability is not None:
            return self.adjust.high_availability
        return not (self.brief.tiny or self.brief.has(Signal.NO_HIGH_AVAILABILITY))

    @cached_property
    def disk(self) -> Sized:
        """GB of a database's disk."""
        stored = self.brief.load.stored
        if stored is None or not stored.value or stored.value > 40e12:
            return Sized(20 if self.brief.tiny else 100, "no size of the data is stated; it grows by itself")
        growth = self.facts.figure(Measure.GROWTH) or self.facts.expected(Measure.GROWTH)
        factor, shown = 1.3, "30 % spare"
        if growth and growth.value and 1 < growth.value <= 100 and "%" in growth.text:
            factor = (1 + growth.value / 100) * 1.2
            shown = f"a year at {growth.text} growth and 20 % spare"
        gigabytes = math.ceil(stored.value * factor / _GB / 10) * 10
        value = min(max(gigabytes, 20), 64_000)
        return Sized(value, f"{stored.text} with {shown} = {number(value)} GB")

    @cached_property
    def database(self) -> DatabaseMachine:
        """A relational database machine for the calls."""
        if self.rate is None:
            vcpus, why = (2 if self.brief.tiny else 4), "no rate is stated"
        else:
            queries = self.rate.value * QUERIES_PER_CALL
            needed = math.ceil(queries / (QUERIES_PER_VCPU * HEADROOM))
            vcpus = max(needed, 1 if self.brief.tiny else 2)
            why = (
                f"{number(self.rate.value)} calls a second x {QUERIES_PER_CALL} queries / "
                f"({QUERIES_PER_VCPU} a vCPU x {HEADROOM}) = {needed} vCPU"
            )
        plus = self.plus
        vcpus = _stepped(vcpus, self.adjust.size_step)
        if plus:
            tier = f"db-perf-optimized-N-{vcpus}"
        elif self.brief.tiny and vcpus == 2 and self.adjust.size_step < 0:
            tier = "db-g1-small"
        else:
            tier = f"db-custom-{vcpus}-{vcpus * 3840}"
        if self.adjust.tier and self.adjust.tier.startswith("db-"):
            tier, why = self.adjust.tier, "as asked for in this Revision"
            plus = tier.startswith("db-perf-optimized")
        return DatabaseMachine(
            vcpus, tier, "ENTERPRISE_PLUS" if plus else "ENTERPRISE", self.disk.value, why,
            self.disk.why,
        )

    @cached_property
    def plus(self) -> bool:
        """Whether the database edition with the higher availability is worth its price."""
        load = self.brief.load
        if self.brief.tiny or not self.available:
            return False
        above = bool(load.availability and load.availability.value and load.availability.value > 99.95)
        quick = bool(load.rto and load.rto.value is not None and load.rto.value <= 3600)
        return above or (quick and self.brief.has(Signal.TWO_REGIONS))

    @cached_property
    def processing_units(self) -> Sized:
        """Spanner processing units at the least; 1,000 are one node."""
        if self.rate is None:
            return Sized(100 if self.brief.tiny else 1000, "no rate is stated: the smallest that scales")
        nodes = self.rate.value / (SPANNER_CALLS * HEADROOM)
        value = max(math.ceil(nodes * 10) * 100, 100)
        if value > 1000:
            value = math.ceil(value / 1000) * 1000
        return Sized(
            value,
            f"{number(self.rate.value)} a second / ({number(SPANNER_CALLS)} a node x {HEADROOM}) = "
            f"{number(nodes)} nodes",
        )

    @cached_property
    def bigtable_nodes(self) -> Sized:
        """Bigtable nodes at the least."""
        rate = self.messages
        if rate is None:
            return Sized(1, "no rate is stated: one node, and the autoscaler adds more")
        nodes = rate.value / (BIGTABLE_ROWS * HEADROOM)
        value = max(math.ceil(nodes), 1)
        return Sized(
            value,
            f"{number(rate.value)} rows a second / ({number(BIGTABLE_ROWS)} a node x {HEADROOM}) = "
            f"{number(nodes)}",
        )

    @cached_property
    def ingest_mb(self) -> tuple[float, str] | None:
        """MB a second that stream in at peak."""
        rate = self.messages
        if rate is None:
            return None
        octets, _ = self.brief.load.message_bytes
        return rate.value * octets / 1e6, self.brief.load.bandwidth(rate)

    @cached_property
    def kafka_vcpus(self) -> Sized:
        """vCPUs of a Kafka cluster, at least 3."""
        if self.ingest_mb is None:
            return Sized(3, "no rate is stated: the smallest cluster")
        megabytes, why = self.ingest_mb
        value = max(math.ceil(megabytes / (KAFKA_MB * HEADROOM)), 3)
        return Sized(value, f"{why} / ({KAFKA_MB} MB/s a vCPU x {HEADROOM})")

    @cached_property
    def stream_workers(self) -> Sized:
        """Streaming workers of 2 vCPU at the most."""
        if self.ingest_mb is None:
            return Sized(4, "no rate is stated: a guard against runaway cost")
        megabytes, why = self.ingest_mb
        value = max(math.ceil(megabytes / (STREAM_MB * 2 * HEADROOM) * 1.5), 2)
        return Sized(value, f"{why} / ({STREAM_MB} MB/s a vCPU x 2 x {HEADROOM}), and half again")

    @cached_property
    def cache_gb(self) -> Sized:
        """GB of a cache."""
        stored = self.brief.load.stored
        if stored is None or not stored.value or self.brief.tiny:
            return Sized(1 if self.brief.tiny else 5, "sessions and hot records of a small data set")
        value = min(max(math.ceil(stored.value * 0.02 / _GB), 2), 100)
        return Sized(value, f"2 % of {stored.text}, the part that is read again and again")

    @cached_property
    def slots(self) -> Sized:
        """Most slots that a warehouse may scale to."""
        users = self.brief.load.users
        volume = self.brief.load.nightly or self.brief.load.stored
        analysts = users.value if users and users.value else 10
        value = 100 if self.brief.tiny else min(max(math.ceil(analysts / 20) * 50, 100), 1600)
        basis = users.text if users else (volume.text if volume else "ten assumed users")
        return Sized(value, f"50 slots for each 20 of {basis}, capped so that a month cannot run away")

    @cached_property
    def scan_gb(self) -> Sized:
        """Most GB that one query may scan on demand."""
        stored = self.brief.load.stored
        if stored is None or not stored.value:
            return Sized(100, "no volume is stated")
        value = max(math.ceil(stored.value * 0.1 / _GB), 10)
        return Sized(value, f"a tenth of {stored.text}: a query that needs more names its partitions")

    @cached_property
    def backups(self) -> Sized:
        """Daily backups that are kept."""
        if self.adjust.retention_days:
            return Sized(min(self.adjust.retention_days, 365), "as asked for in this Revision")
        return Sized(7 if self.brief.tiny else 30, "a month of daily backups finds slow corruption" if not
                     self.brief.tiny else "a week of daily backups")

    @cached_property
    def log_days(self) -> Sized:
        """Days that application logs are kept in the log bucket."""
        if self.adjust.log_days:
            return Sized(min(self.adjust.log_days, 3650), "as asked for in this Revision")
        if self.brief.has(Signal.CARDS):
            return Sized(400, "a year of audit logs is what PCI DSS wants, and a month to spare")
        if self.brief.has(Signal.AUDITED, Signal.HEALTH) or self.facts.compliance:
            return Sized(400, f"auditors look back a year ({', '.join(self.facts.compliance[:2]) or 'audit'})")
        return Sized(30, "30 days are included and enough to find a fault")

    @cached_property
    def keep_days(self) -> Sized | None:
        """Days that the workload's own data is kept, where the request says so."""
        if self.adjust.retention_days:
            return Sized(self.adjust.retention_days, "as asked for in this Revision")
        figure = self.brief.load.retention or self.facts.figure(Measure.RETENTION)
        if figure is None or not figure.value:
            return None
        return Sized(max(round(figure.value / _DAY), 1), f"{figure.text} are asked for")

    @cached_property
    def replay_days(self) -> Sized:
        """Days that messages can be read again; the most that a topic keeps is 31."""
        figures = [
            f for f in self.facts.figures
            if f.measure is Measure.RETENTION and f.value and f.value <= 31 * _DAY
            and ("replay" in f.sentence.lower() or "again" in f.sentence.lower())
        ]
        if figures and figures[0].value:
            return Sized(max(round(figures[0].value / _DAY), 1), f"{figures[0].text} can be replayed")
        return Sized(7, "a week covers a fault that is found after a long weekend")

    @cached_property
    def files_gb_a_day(self) -> str:
        """What arrives as files in a day, in words; empty if unknown."""
        load = self.brief.load
        if load.nightly:
            return load.nightly.text
        if load.uploads and load.uploads.value and load.steady:
            return f"{size(load.uploads.value * load.steady.value * _DAY)} a day"
        return ""
