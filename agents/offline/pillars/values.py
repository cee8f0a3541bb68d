"""The words that a rule's text may use, and the circumstances that it may ask for.

A value that the request does not give is missing, and a rule that uses it does not apply: so no
recommendation speaks of a figure that nobody stated.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agents.offline.facts import Figure, Measure
from agents.offline.load import aim, duration, number
from agents.offline.selection_sla import sla_of
from agents.offline.signals import Signal
from agents.offline.terraform import places
from agents.offline.terraform.design import Design
from agents.offline.terraform.parts import Unit
from agents.offline.terraform.sizing import ServiceSize
from agents.offline.wording import clip, listed
from providers.bundle import load_bundle
from providers.catalogue import Catalogue

_MONTH_HOURS = 730


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_bundle().catalogue


def promise_of(design: Design, unit: Unit) -> float | None:
    """The availability in percent that the catalogue documents for a unit as it is set up here."""
    product = _catalogue().find(unit.product)
    if product is None:
        return None
    plus = unit.module.key == "cloud_sql" and design.size.plus
    wide = (
        unit.module.key == "spanner"
        and places.spanner_config(design.region, design.second_region)[1]
    )
    edition = "Enterprise Plus" if plus else "Enterprise"
    return sla_of(product, edition=edition, regions=2 if wide else 1)


def flags_of(design: Design) -> frozenset[str]:
    """Circumstances by name: signals, kinds of workload, and switches of the design."""
    brief, load = design.brief, design.brief.load
    found = {s.value for s in brief.signals} | {w.value for w in brief.facts.workloads}
    switches = {
        "ha": design.ha,
        "cmek": design.cmek,
        "hsm": design.hsm,
        "audited": design.audited,
        "sealed": design.sealed,
        "two": design.second_region is not None,
        "hosted": design.hosted,
        "runs": bool(design.runners) and not design.hosted,
        "several": len(design.services) > 1,
        "stores": design.stores,
        "tiny": brief.tiny,
        "public": design.public,
        "inside": design.inside,
        "budget": design.budget_units is not None,
        "regulated": bool(brief.facts.compliance),
        "plus": design.size.plus,
        "residency": brief.has(Signal.RESIDENCY) or bool(brief.facts.locations_text),
        "idle": main_service(design).warm.value == 0,
        "low-carbon": design.region in places.LOW_CARBON,
        "rpo-zero": bool(load.rpo and load.rpo.value == 0),
        "beyond": _beyond(design),
        "team": bool(load.team),
        "peaky": bool(load.times),
        "leaves-country": bool(
            design.second_region
            and not places.same_jurisdiction(design.region, design.second_region)
        ),
        "spanner-wide": places.spanner_config(design.region, design.second_region)[1],
    }
    return frozenset(found | {name for name, on in switches.items() if on})


def _beyond(design: Design) -> bool:
    """Whether the availability asked for is above what the parts in series promise."""
    goal = design.brief.load.availability
    if not goal or not goal.value:  # an assumed goal is not argued with
        return False
    chain = 1.0
    for unit in _path(design):
        chain *= (promise_of(design, unit) or 100.0) / 100
    return goal.value / 100 > chain and goal.value > 99.9


def _path(design: Design) -> tuple[Unit, ...]:
    """What a call passes in series: a service, and the first store of records that it needs."""
    service = design.one("cloud_run", "gke", "functions")
    store = design.one("cloud_sql", "alloydb", "spanner", "firestore", "bigtable")
    return tuple(u for u in (service, store) if u is not None)


def busiest(design: Design) -> Unit | None:
    """The service that needs most instances."""
    services = design.of("cloud_run", "functions", "gke") or design.of("compute")
    size = design.size

    def weight(unit: Unit) -> tuple[bool, int]:
        known = bool(size.sum_of(unit)) or size.rate_of(unit) is not None
        return known, size.service(unit).most.value

    return max(services, key=weight, default=None)


def main_service(design: Design) -> ServiceSize:
    """The size of the service that needs most instances."""
    return design.size.service(busiest(design))


def chain_of(design: Design) -> str:
    """The product of the promised availabilities of the parts in series, with its factors."""
    parts = _path(design)
    if len(parts) < 2:
        return ""
    chain = 1.0
    shown = []
    for unit in parts:
        promise = promise_of(design, unit)
        if promise is None:
            return ""
        chain *= promise / 100
        shown.append(f"{unit.product} {promise} %")
    minutes = (1 - chain) * _MONTH_HOURS * 60
    return f"{' x '.join(shown)} = {chain * 100:.3f} %, which is {number(minutes)} minutes a month"


def counted(count: int, noun: str) -> str:
    """``1 node``, ``3 nodes``."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def _goal(design: Design, measure: Measure) -> str | None:
    """A goal as words, marked where the requirements only assume it."""
    figure = design.goal(measure)
    if figure is None or figure.value is None:
        return None
    said = figure.text if measure is Measure.AVAILABILITY else aim(figure)
    return said if figure in design.facts.figures else f"{said} (assumed)"


def _text(figure: Figure | None) -> str | None:
    return figure.text if figure else None


def values_of(design: Design) -> dict[str, str]:
    """What can be said of the whole design, by name; values that are not known are left out."""
    brief, load, size = design.brief, design.brief.load, design.size
    facts = brief.facts
    money = design.money
    top, service = busiest(design), main_service(design)
    database = size.database(design.one("cloud_sql", "alloydb"))
    keep = size.keep_days()
    found: dict[str, str | None] = {
        "title": design.title,
        "prefix": design.prefix,
        "region": design.region,
        "country": places.country(design.region),
        "second": design.second_region,
        "second_country": places.country(design.second_region) if design.second_region else None,
        "rules": brief.rules or None,
        "rule": facts.compliance[0] if facts.compliance else None,
        "place": facts.locations_text[0] if facts.locations_text else None,
        "traffic": brief.traffic if load.top else None,
        "peak": load.peak.shown if load.peak else None,
        "usual": load.steady.shown if load.steady else None,
        "top": load.top.short if load.top else None,
        "calls": size.rate.shown if size.rate else None,
        "messages": size.messages.shown if size.messages else None,
        "times": load.times or None,
        "latency": aim(size.latency) if size.latency else None,
        "availability": _goal(design, Measure.AVAILABILITY),
        "outage": design.outage or None,
        "rto": _goal(design, Measure.RTO),
        "rpo": _goal(design, Measure.RPO),
        "stored": _text(load.stored),
        "stored_later": load.stored_later or None,
        "nightly": _text(load.nightly),
        "window": number(load.window_hours) if load.window_hours else None,
        "users": _text(load.users),
        "devices": _text(load.device_count),
        "device_rate": load.devices.shown if load.devices else None,
        "message": _text(load.message),
        "upload": _text(load.uploads),
        "budget": money.shown if money else None,
        "retention": _text(next(iter(size.retentions), None)),
        "fresh": aim(size.delay) if size.delay else None,
        "growth": _text(next(iter(brief.figures(Measure.GROWTH)), None)),
        "deadline": _text(next(iter(brief.figures(Measure.DEADLINE)), None)),
        "items": _text(next(iter(brief.figures(Measure.ITEMS)), None)),
        "team": number(load.team) if load.team else None,
        "people": listed(p.lower() for p in brief.people[:2]),
        "warm": counted(service.warm.value, "instance"),
        "warm_why": service.warm.why,
        "most": counted(service.most.value, "instance"),
        "most_why": service.most.why,
        "concurrency": str(service.concurrency.value),
        "concurrency_why": service.concurrency.why,
        "vcpus": str(service.vcpus),
        "tier": database.tier,
        "db_why": database.why,
        "edition": database.edition.replace("_", " ").title(),
        "disk": number(database.disk_gb),
        "disk_why": database.disk_why,
        "log_retention": "14" if size.plus and not brief.tiny else "7",
        "units": number(size.processing_units(design.one("spanner")).value),
        "units_why": size.processing_units(design.one("spanner")).why,
        "nodes": counted(size.bigtable_nodes(design.one("bigtable")).value, "node"),
        "nodes_why": size.bigtable_nodes(design.one("bigtable")).why,
        "kafka": str(size.kafka_vcpus(design.one("kafka")).value),
        "kafka_why": size.kafka_vcpus(design.one("kafka")).why,
        "workers": counted(size.stream_workers(design.one("dataflow")).value, "worker"),
        "workers_why": size.stream_workers(design.one("dataflow")).why,
        "cache": str(size.cache_gb.value),
        "cache_why": size.cache_gb.why,
        "slots": number(size.slots.value),
        "slots_why": size.slots.why,
        "scan": number(size.scan_gb.value),
        "scan_why": size.scan_gb.why,
        "backups": str(size.backups.value),
        "backups_why": size.backups.why,
        "log_days": str(size.log_days.value),
        "log_days_why": size.log_days.why,
        "replay": str(size.replay_days.value),
        "replay_why": size.replay_days.why,
        "keep_days": number(keep.value) if keep else None,
        "chain": chain_of(design) or None,
        "spanner_config": places.spanner_config(design.region, design.second_region)[0],
        "busiest": top.component if top else None,
        "components": str(len({u.id for u in design.units})),
        "runners": str(len(design.runners)),
    }
    if design.budget_units:
        unit = design.adjust.budget_currency or design.currency
        amount = f"{number(design.budget_units)} {unit}"
        said = found["budget"] or ""
        plain = re.sub(r"[^0-9]", "", said.split("=")[-1]) == str(design.budget_units)
        found["budget"] = said if plain else f"{amount} a month" + (f" ({said})" if said else "")
        for share in (50, 80, 100):
            found[f"budget{share}"] = f"{number(round(design.budget_units * share / 100))} {unit}"
    for name, measure in (("rto", Measure.RTO), ("rpo", Measure.RPO)):
        figure = design.goal(measure)
        if figure and figure.value:
            found[f"{name}_half"] = duration(figure.value / 2)
    for signal, words in brief.signals.items():
        found[f"said_{signal.name.lower()}"] = clip(words, 90)
    current = facts.current_state
    found["today"] = clip(current[0], 90) if current else None
    return {name: value for name, value in found.items() if value}


def figure_of(design: Design, name: str) -> Figure | None:
    """The figure behind a name that a rule's ``for`` uses."""
    load = design.brief.load
    peak = load.peak or load.steady or load.devices
    figures: dict[str, Figure | None] = {
        "rto": design.goal(Measure.RTO),
        "rpo": design.goal(Measure.RPO),
        "availability": design.goal(Measure.AVAILABILITY),
        "latency": design.size.latency,
        "stored": load.stored,
        "nightly": load.nightly,
        "users": load.users,
        "devices": load.device_count,
        "message": load.message,
        "retention": next(iter(design.size.retentions), None),
        "peak": peak.figure if peak else None,
        "budget": load.budget.figure if load.budget else None,
        "fresh": design.size.delay,
        "growth": next(iter(design.brief.figures(Measure.GROWTH)), None),
        "deadline": next(iter(design.brief.figures(Measure.DEADLINE)), None),
        "team": next(iter(design.brief.figures(Measure.TEAM)), None),
    }
    return figures.get(name)
