"""The design as Terraform, pillars and validation see it: units, flows, switches and sizes.

Everything is derived anew from the documents, the facts and the task's answers and feedback.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agents.offline.adjustments import Adjustments, adjustments_of
from agents.offline.brief import Brief, brief_of, documents_of
from agents.offline.facts import Facts, Workload
from agents.offline.load import Money
from agents.offline.signals import Signal
from agents.offline.terraform import places
from agents.offline.terraform.modules import Role, UnknownProduct, by_key, module_for
from agents.offline.terraform.parts import Flow, Unit
from agents.offline.terraform.sizing import Sizing
from agents.runtime import AgentTask
from engine import documents as md
from engine.contracts import allow_public
from engine.deliverables import Kind

_FLOW = re.compile(r"^(?P<a>.+?)\s*(?:->|→|-->)\s*(?P<b>[^:]+):\s*(?P<what>.*)$")
_SIZE = re.compile(r"(?P<id>C-\d+), (?P<product>[^:]+): (?P<sum>.+)", re.S)
_REGION = re.compile(
    r"\b(?:africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]+\d{1,2}\b"
)
_SMALL_WORDS = {
    "and", "the", "of", "for", "to", "a", "an", "in", "on", "with", "from", "by", "its", "our",
    "component", "service", "system",
}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "ø": "o",
                          "å": "a", "ñ": "n", "ç": "c", "á": "a", "ó": "o", "í": "i", "æ": "ae"})
DEFAULT_REGION = "europe-west1"


def slug(text: str, limit: int) -> str:
    """Lower-case words joined by hyphens, at most ``limit`` characters, cut between words."""
    words = re.findall(r"[a-z0-9]+", text.lower().translate(_UMLAUTS))
    kept = [w for w in words if w not in _SMALL_WORDS] or words or ["workload"]
    result = ""
    for word in kept:
        joined = f"{result}-{word}" if result else word[:limit]
        if len(joined) > limit:
            break
        result = joined
    result = result.strip("-")
    return result if result[:1].isalpha() else f"w-{result}"[:limit].strip("-")


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
        named = self.adjust.second_region or next(
            (r for r in self.regions_named if r != self.region), None
        )
        return named or places.partner(self.region)

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
        regulated = any(c.split()[0] in {"PCI", "HIPAA", "DORA", "FINMA"} for c in self.facts.compliance)
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
            u for u in self.of("storage")
            if re.search(r"site|static|web ?page|asset|public", f"{u.component} {u.words}", re.I)
        ]
        return tuple(files[:1]) if fronted else ()

    @cached_property
    def network(self) -> bool:
        """Whether a network is needed: something private, or a service that reaches it."""
        private_entry = self.sealed and self.has("load_balancing")
        return private_entry or any(u.module.private for u in self.units)

    @property
    def inside(self) -> bool:
        """Whether services need a way into the network."""
        return self.network and bool(
            self.of("cloud_sql", "alloydb", "memorystore", "redis", "kafka", "filestore", "vpn",
                    "interconnect", "vector_search", "oracle", "compute", "gke", "nat", "web_proxy",
                    "netapp", "psc")
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


def _flows(decomposition: str) -> tuple[Flow, ...]:
    found = []
    for item in md.list_items(md.body_of(decomposition, "Interfaces and flows")):
        match = _FLOW.match(md.plain(item))
        if match is None:
            continue
        for target in md.component_ids(match["b"]):
            for source in md.component_ids(match["a"]) or ("",):
                found.append(Flow(source, target, match["what"]))
    return tuple(dict.fromkeys(found))


def _units(
    selection: str, decomposition: str
) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    components = {c.id: c for c in md.parse_components(decomposition)}
    units: list[Unit] = []
    unknown: list[str] = []
    taken: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for row in md.parse_selection(selection):
        try:
            module = module_for(row.product)
        except UnknownProduct:
            unknown.append(row.product)
            continue
        if module.key == "gemini" and (narrower := _model_work(f"{row.component} {row.note}")):
            module = by_key(narrower)
        key = ("" if module.once else row.component_id or row.component, module.key)
        if key in seen:
            continue
        seen.add(key)
        known = components.get(row.component_id)
        label = row.component or (known.name if known else row.product)
        short = slug(label, 14)
        while taken.setdefault(short, row.component_id) != row.component_id:
            digits = re.sub(r"\D", "", row.component_id) or str(len(taken))
            short = f"{short[: 13 - len(digits)].strip('-')}-{digits}"
        serves = known.serves if known else md.requirement_references(row.justification)
        words = " ".join((row.note, row.justification, known.responsibility if known else ""))
        units.append(
            Unit(
                id=row.component_id, component=label, product=row.product, note=row.note,
                module=module, name=short.replace("-", "_"), slug=short, serves=serves, words=words,
            )
        )
    return tuple(units), tuple(dict.fromkeys(unknown))


def _model_work(words: str) -> str:
    """The module of a component that trains or serves a model of its own; empty for other uses."""
    if re.search(r"\btrain|pipeline", words, re.I):
        return "vertex_pipelines"
    return "vertex_endpoint" if re.search(r"predict|scor", words, re.I) else ""


def _sizes(selection: str) -> dict[tuple[str, str], str]:
    """The sums that the selection lists under its table, by component id and product."""
    found = {}
    for item in md.list_items(md.body_of(selection, "Product mapping")):
        match = _SIZE.match(md.plain(item))
        if match:
            found[match["id"], match["product"]] = match["sum"].rstrip(".")
    return found


def design_of(task: AgentTask, facts: Facts, documents: Mapping[Kind, str]) -> Design:
    """Read the documents and the task into a Design."""
    at_hand = documents_of(task, documents)
    selection = at_hand.get(Kind.PRODUCT_SELECTION, "")
    decomposition = at_hand.get(Kind.TECHNICAL_DECOMPOSITION, "")
    units, unknown = _units(selection, decomposition)
    brief = brief_of(task, facts, documents)
    named = tuple(dict.fromkeys((*facts.regions, *_REGION.findall(selection))))
    money = brief.load.budget
    return Design(
        brief=brief,
        adjust=adjustments_of(task),
        units=units,
        flows=_flows(decomposition),
        stated=_sizes(selection),
        unknown=unknown,
        regions_named=named,
        currency=money.unit if money and money.unit else "EUR",
        public=allow_public(at_hand.get(Kind.REQUIREMENTS, ""), task.request),
    )
