"""The design as Terraform, pillars and validation see it: units, flows, switches and sizes.

Everything is derived anew from the documents, the facts and the task's answers and feedback.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agents.offline.adjustments import Adjustments
from agents.offline.brief import Brief
from agents.offline.facts import Facts, Figure, Measure, Workload
from agents.offline.load import Money, number
from agents.offline.signals import Signal
from agents.offline.terraform import places
from agents.offline.terraform.modules import Role
from agents.offline.terraform.parts import Flow, Unit, slug
from agents.offline.terraform.sizing import Sizing

DEFAULT_REGION = "europe-west1"


@dataclass(frozen=True)
class Design:
    """All that a writer of Terraform, of a pillar or of a validation plan needs to know."""

    brief: Brief
    adjust: Adjustments
    units: tuple[Unit, ...]
    flows: tuple[Flow, ...]
    unknown: tuple[str, ...]
    regions_named: tuple[str, ...]
    currency: str
    stated: Mapping[tuple[str, str], str]
    tcp_fronts: frozenset[str]
    """Components that a load balancer reaches over TCP and not over HTTP."""
    public: bool = False
    """Whether the user's words or a requirement ask for access by anybody."""

    # -- units -------------------------------------------------------------------------------
    def of(self, *keys: str) -> tuple[Unit, ...]:
        """The units of these modules."""
        return tuple(u for u in self.units if u.module.key in keys)

    def one(self, *keys: str) -> Unit | None:
        """The first unit of these modules."""
        return next(iter(self.of(*keys)), None)

    def has(self, *keys: str) -> bool:
        """Whether a product of these modules was selected."""
        return bool(self.of(*keys))

    def unit_of(self, component: str) -> tuple[Unit, ...]:
        """The units of a component."""
        return tuple(u for u in self.units if u.id == component)

    @cached_property
    def runners(self) -> tuple[Unit, ...]:
        """One unit for each component that has an identity of its own."""
        found: dict[str, Unit] = {}
        for unit in self.units:
            if unit.runs:
                found.setdefault(unit.name, unit)
        return tuple(found.values())

    @cached_property
    def services(self) -> tuple[Unit, ...]:
        """What answers HTTP requests and can stand behind a load balancer."""
        return self.of("cloud_run", "functions", "compute", "gke")

    def sends_to(self, unit: Unit) -> tuple[Unit, ...]:
        """Units that send to this one."""
        ids = {f.source for f in self.flows if f.target == unit.id}
        return tuple(u for u in self.units if u.id in ids)

    def gets_from(self, unit: Unit) -> tuple[Unit, ...]:
        """Units that this one sends to."""
        ids = {f.target for f in self.flows if f.source == unit.id}
        return tuple(u for u in self.units if u.id in ids)

    def called_by_services(self, unit: Unit) -> bool:
        """Whether another service calls this one by its own address."""
        return any(u.name != unit.name for u in self.sends_to(unit) if u in self._callers)

    @cached_property
    def _callers(self) -> tuple[Unit, ...]:
        return self.of("cloud_run", "cloud_run_job", "functions")

    @cached_property
    def calls_services(self) -> bool:
        """Whether services call one another, which their entry must let in without a detour."""
        return any(self.called_by_services(u) for u in self.of("cloud_run"))

    @cached_property
    def exposed(self) -> tuple[Unit, ...]:
        """Services that the load balancer reaches: by the flows, else the first service."""
        if not self.has("load_balancing"):
            return ()
        edge = {u.id for u in self.units if u.module.role is Role.EDGE}
        targets = {f.target for f in self.flows if f.source in edge}
        found = tuple(u for u in self.of("cloud_run", "functions", "compute") if u.id in targets)
        return found or self.of("cloud_run", "functions", "compute")[:1]

    # -- names and places --------------------------------------------------------------------
    @cached_property
    def facts(self) -> Facts:
        """The facts behind the design."""
        return self.brief.facts

    @cached_property
    def title(self) -> str:
        """The workload in as few words as still name it, for the middle of a sentence."""
        full = self.brief.subject
        short = re.split(r" (?:for|of|to|with|in|on|at) |, | - |: ", full)[0].strip()
        return short if len(full) > 24 and len(short) >= 5 else full

    def goal(self, measure: Measure) -> Figure | None:
        """What has to be kept: the stated figure, else the one that the requirements assume."""
        load = self.brief.load
        stated = {
            Measure.AVAILABILITY: load.availability,
            Measure.RTO: load.rto,
            Measure.RPO: load.rpo,
        }.get(measure)
        return stated or self.facts.expected(measure)

    @cached_property
    def outage(self) -> str:
        """Minutes a month that the availability goal allows; empty if there is none."""
        goal = self.goal(Measure.AVAILABILITY)
        if goal is None or not goal.value:
            return ""
        minutes = (100 - goal.value) / 100 * 730 * 60
        shown = f"{number(minutes)} minutes" if minutes >= 1 else f"{number(minutes * 60)} seconds"
        return f"{shown} a month"

    @cached_property
    def prefix(self) -> str:
        """What every name begins with."""
        return slug(self.facts.title or "workload", 14)

    @cached_property
    def region(self) -> str:
        """The primary region."""
        return self.adjust.region or (self.regions_named or (DEFAULT_REGION,))[0]

    @cached_property
    def second_region(self) -> str | None:
        """The region that takes over, where the loss of a region has to be survived."""
        if self.adjust.one_region:
            return None
        wanted = self.adjust.second_region is not None or self.brief.has(
            Signal.TWO_REGIONS, Signal.GLOBAL_WRITES
        )
        if not wanted:
            return None
        if self.adjust.second_region:
            return self.adjust.second_region
        named = next((r for r in self.regions_named if r != self.region), None)
        near = places.partner(self.region)
        if self.has("spanner"):
            # Only some pairs of regions have a configuration that loses nothing with a region.
            near = places.spanner_partner(self.region) or near
        if (
            named
            and near
            and self.brief.has(Signal.RESIDENCY)
            and not places.same_jurisdiction(self.region, named)
            and places.same_jurisdiction(self.region, near)
        ):
            return near  # data may not follow to a named region abroad
        return named or near

    def on_windows(self, unit: Unit) -> bool:
        """Whether the machines of a unit run Windows: by its own words, else by the estate."""
        words = f"{unit.component} {unit.words} {unit.note}"
        if re.search(r"\blinux\b|mqtt|broker|kafka", words, re.I):
            return False
        return bool(re.search(r"\bwindows\b|\.NET Framework|\bIIS\b", words, re.I)) or (
            self.brief.has(Signal.WINDOWS)
        )

    @cached_property
    def windows_ids(self) -> tuple[str, ...]:
        """Ids of the components whose machines run Windows."""
        return tuple(u.id for u in self.of("compute") if self.on_windows(u))

    def on_sql_server(self, unit: Unit) -> bool:
        """Whether a relational database runs SQL Server."""
        words = f"{unit.note} {unit.product} {unit.words}".lower()
        other = "postgres" in words or "mysql" in words
        return "sql server" in words or (not other and self.brief.has(Signal.SQL_SERVER))

    def sql_server_version(self, unit: Unit) -> str:
        """The database version: the year that the selection names, else the newest in use."""
        named = re.search(r"SQL Server (20\d\d)", f"{unit.note} {unit.product} {unit.words}", re.I)
        year = named[1] if named and named[1] in {"2017", "2019", "2022"} else "2022"
        edition = "ENTERPRISE" if re.search(r"enterprise edition", self.brief.text, re.I) else ""
        return f"SQLSERVER_{year}_{edition or 'STANDARD'}"

    def writes_table(self, unit: Unit) -> bool:
        """Whether this streaming job writes a topic's events to the table: one job alone does.

        Two jobs on one topic and one table would store each event twice, so of several the last
        in the path writes: the one whose own flow ends in the warehouse.
        """
        topics = {u.id for u in self.of("pubsub")}
        fed = {f.target for f in self.flows if f.source in topics}
        jobs = tuple(j for j in self.of("dataflow") if j.id in fed)
        tables = {u.id for u in self.of("bigquery")}
        ends = [j for j in jobs if any(f.source == j.id and f.target in tables for f in self.flows)]
        careful = re.compile(r"personal|mask|consent|pseudonym", re.I)
        personal = [j for j in ends if careful.search(j.component)]
        first = next(iter(personal or ends or list(jobs)), None)
        return first is not None and first.name == unit.name

    @property
    def spanner_gap(self) -> str:
        """Why the database of this design stands in one region although two are wanted."""
        second = self.second_region
        if not (self.has("spanner") and second):
            return ""
        if places.spanner_config(self.region, second)[1]:
            return ""
        return (
            f"Spanner has no multi-region configuration with {self.region} and {second}, so its "
            f"database stands in {self.region} alone and does not survive the loss of that region"
        )

    @property
    def regions(self) -> tuple[str, ...]:
        """The regions in use, the primary first."""
        return (self.region, self.second_region) if self.second_region else (self.region,)

    # -- switches ----------------------------------------------------------------------------
    @cached_property
    def size(self) -> Sizing:
        """All sizes."""
        return Sizing(self.brief, self.adjust, self.flows, self.stated)

    @property
    def ha(self) -> bool:
        """Whether a zone's failure must not stop the data stores."""
        return self.size.available

    @cached_property
    def cmek(self) -> bool:
        """Whether data is encrypted with keys of the customer's own."""
        if self.adjust.customer_keys is not None:
            return self.adjust.customer_keys
        regulated = any(
            c.split()[0] in {"PCI", "HIPAA", "DORA", "FINMA"} for c in self.facts.compliance
        )
        asked = self.brief.says(r"customer[- ]managed|own (?:encryption )?keys|\bCMEK\b|\bHSM\b")
        return bool(
            not self.brief.tiny
            and (regulated or asked or self.has("kms") or self.brief.has(Signal.CARDS))
        )

    @property
    def hsm(self) -> bool:
        """Whether the keys stand in hardware modules."""
        return self.cmek and (
            self.brief.has(Signal.CARDS, Signal.HEALTH) or bool(self.brief.says(r"\bHSM\b"))
        )

    @property
    def audited(self) -> bool:
        """Whether reads of data are logged."""
        return self.brief.has(Signal.AUDITED, Signal.CARDS, Signal.HEALTH) and not self.brief.tiny

    @property
    def sealed(self) -> bool:
        """Whether nothing may be reached from, or reach, the internet."""
        return self.brief.has(Signal.SEALED)

    @property
    def protect(self) -> bool:
        """Whether stateful resources refuse to be destroyed."""
        return self.adjust.deletion_protection is not False

    @property
    def public_files(self) -> tuple[Unit, ...]:
        """Buckets with a site's files, which the load balancer hands out."""
        if not (self.public or self.brief.works(Workload.STATIC_SITE)):
            return ()
        fronted = self.has("load_balancing", "cdn")
        files = [
            u
            for u in self.of("storage")
            if re.search(r"site|static|web ?page|asset|public", f"{u.component} {u.words}", re.I)
        ]
        return tuple(files[:1]) if fronted else ()

    @property
    def stores(self) -> bool:
        """Whether data is kept that a backup could bring back."""
        return self.has(
            "cloud_sql", "alloydb", "spanner", "firestore", "bigtable", "bigquery", "storage",
            "filestore", "oracle", "netapp", "healthcare",
        )  # fmt: skip

    @property
    def hosted(self) -> bool:
        """Whether a hosting service serves everything: no server, store or entry of one's own."""
        own = self.services or self.stores or self.has("load_balancing", "cloud_run_job")
        return self.has("hosting", "firebase") and not own

    @cached_property
    def network(self) -> bool:
        """Whether a network is needed: something private, or a service that reaches it."""
        private_entry = self.sealed and self.has("load_balancing")
        calls = self.calls_services and not self.brief.tiny
        return private_entry or calls or any(u.module.private for u in self.units)

    @property
    def inside(self) -> bool:
        """Whether services need a way into the network."""
        calls = self.calls_services and not self.brief.tiny
        return self.network and bool(
            calls
            or self.of(
                "cloud_sql",
                "alloydb",
                "memorystore",
                "redis",
                "kafka",
                "filestore",
                "vpn",
                "interconnect",
                "vector_search",
                "oracle",
                "compute",
                "gke",
                "nat",
                "web_proxy",
                "netapp",
                "psc",
            )
        )

    @property
    def money(self) -> Money | None:
        """The budget of the request, unless feedback took it away or changed it."""
        if self.adjust.budget is False:
            return None
        found = self.brief.load.budget
        if self.adjust.budget_amount and self.adjust.budget_currency:
            amount, currency = self.adjust.budget_amount, self.adjust.budget_currency
            if found is not None:
                return Money(amount, currency, f"{amount:,} {currency} a month", found.figure)
        return found

    @property
    def budget_units(self) -> int | None:
        """The whole amount of the monthly budget."""
        if self.adjust.budget is False:
            return None
        if self.adjust.budget_amount:
            return self.adjust.budget_amount
        return round(self.money.value) if self.money else None

    # -- requirement ids ---------------------------------------------------------------------
    def ids(self, *areas: str, unit: Unit | None = None, limit: int = 2) -> tuple[str, ...]:
        """Requirement ids of these areas, else those that the unit serves, else any."""
        found = self.brief.ids_in(*areas)[:limit]
        if not found and unit is not None:
            found = unit.serves[:limit]
        if not found:
            found = tuple(r.id for r in self.brief.requirements)[:1]
        return found
