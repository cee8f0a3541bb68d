"""Traces requirements to resources: which figure is kept by what in the Terraform, if at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.offline.facts import Figure, Measure
from agents.offline.terraform import places
from agents.offline.terraform.design import Design
from agents.offline.terraform.modules import Role
from agents.offline.terraform.render import addresses
from agents.runtime import Attachment
from engine.deliverables import Kind
from engine.documents import requirement_references

Defaults = Mapping[str, str]
"""Default of each variable as written, without quotes."""

_VARIABLE = re.compile(r'^variable "(\w+)" \{\n(.*?)^\}', re.M | re.S)
_DEFAULT = re.compile(r"^\s+default\s+= (.+)$", re.M)
_KEPT_BY: Mapping[Measure, tuple[str, ...]] = {
    # Addresses, as patterns over "type.name", the most telling first.
    Measure.AVAILABILITY: (r"google_monitoring_slo\.availability",),
    Measure.RTO: (
        r"google_sql_database_instance\.\w+_replica",
        r"google_alloydb_cluster\.\w+_second",
        r"google_spanner_instance\.\w+",
        r"google_sql_database_instance\.\w+",
        r"google_alloydb_instance\.\w+",
        r"google_bigtable_instance\.\w+",
        r"google_firestore_database\.\w+",
        r"google_bigquery_dataset\.\w+",
        r"google_pubsub_topic\.\w+",
    ),
    Measure.RPO: (
        r"google_sql_database_instance\.\w+",
        r"google_alloydb_cluster\.\w+",
        r"google_spanner_database\.\w+",
        r"google_firestore_database\.\w+",
        r"google_bigtable_table\.\w+",
        r"google_bigquery_dataset\.\w+",
        r"google_pubsub_topic\.\w+",
        r"google_managed_kafka_topic\.\w+",
    ),
    Measure.BUDGET: (r"google_billing_budget\.monthly",),
    Measure.FREQUENCY: (r"google_cloud_scheduler_job\.\w+", r"google_composer_environment\.\w+"),
}
_WATCHED = r"google_monitoring_alert_policy\.(?:messages_wait|stream_lag|copy_lag)"
_OTHERS = frozenset(
    {
        Measure.FRESHNESS,
        Measure.LATENCY,
        Measure.THROUGHPUT,
        Measure.DATA_VOLUME,
        Measure.RETENTION,
        Measure.DEVICES,
        Measure.USERS,
        Measure.DATA_RATE,
        Measure.ITEM_SIZE,
    }
)


@dataclass(frozen=True, slots=True)
class Trace:
    """One requirement or figure and what keeps it. ``place`` is prose where no resource does."""

    requirement: str
    what: str
    address: str = ""
    place: str = ""

    @property
    def verb(self) -> str:
        """``watched`` where an alarm only measures it, ``served`` by advice, else ``met``."""
        if not self.address:
            return "served"
        watching = ("google_monitoring", "google_billing_budget")
        return "watched" if self.address.startswith(watching) else "met"

    @property
    def covered(self) -> bool:
        """Whether anything keeps it."""
        return bool(self.address or self.place)


def defaults_of(files: Sequence[Attachment]) -> Defaults:
    """The defaults in variables.tf by variable."""
    text = next((f.text for f in files if f.path == "terraform/variables.tf"), "")
    found: dict[str, str] = {}
    for match in _VARIABLE.finditer(text):
        default = _DEFAULT.search(match[2])
        if default:
            found[match[1]] = default[1].strip().strip('"')
    return found


def traces_of(
    design: Design, files: Sequence[Attachment], documents: Mapping[Kind, str]
) -> tuple[Trace, ...]:
    """A trace for each figure of the new system, and for each other non-functional requirement."""
    declared = tuple(f"{kind}.{name}" for kind, name in addresses(files))
    described = _described(files)
    advice = documents.get(Kind.DESIGN_RECOMMENDATIONS, "")
    steps = documents.get(Kind.DEPLOYMENT_GUIDANCE, "")
    advised = set(requirement_references(advice))
    traces: list[Trace] = []
    seen: set[str] = set()
    for figure in _weighty(design):
        ids = design.brief.ids_of(figure)
        if not ids or f"{ids[0]} {figure.text}" in seen:
            continue
        seen.add(f"{ids[0]} {figure.text}")
        address = _keeper(design, figure, declared, described)
        place = ""
        if not address:
            if figure.text in advice:
                place = "a recommendation of section 5 that names the figure"
            elif figure.text in steps:
                place = "a step of section 6 that names the figure"
            elif ids[0] in advised:
                place = f"a recommendation of section 5 that serves {ids[0]}"
        traces.append(Trace(ids[0], figure.text, address, place))
    told = {t.requirement for t in traces}
    kept = [t.what for t in traces if t.covered]
    for requirement in design.brief.requirements:
        if requirement.functional or requirement.id in told:
            continue
        place = ""
        if requirement.id in advised:
            place = f"a recommendation of section 5 that serves {requirement.id}"
        elif same := next((what for what in kept if what in requirement.text), ""):
            place = f"what keeps {same} above"
        short = requirement.text if len(requirement.text) <= 80 else f"{requirement.text[:77]}..."
        traces.append(Trace(requirement.id, short, place=place))
    return tuple(traces)


def _weighty(design: Design) -> Iterator[Figure]:
    for figure in design.facts.figures:
        if not figure.current and (figure.measure in _KEPT_BY or figure.measure in _OTHERS):
            yield figure
    for estimate in design.facts.estimates:
        if estimate.figure.measure in (Measure.AVAILABILITY, Measure.RTO, Measure.RPO):
            yield estimate.figure


def _described(files: Sequence[Attachment]) -> tuple[tuple[str, str], ...]:
    """The variables with what their descriptions say."""
    text = next((f.text for f in files if f.path == "terraform/variables.tf"), "")
    return tuple((m[1], m[2]) for m in _VARIABLE.finditer(text))


def _keeper(
    design: Design,
    figure: Figure,
    declared: tuple[str, ...],
    described: tuple[tuple[str, str], ...],
) -> str:
    """The address that keeps a figure: by its kind, by a variable that names it, or by a flow."""
    slow, delay = design.size.latency, design.size.delay
    if figure.measure is Measure.LATENCY and slow and slow.value == figure.value:
        return next((a for a in declared if a == "google_monitoring_slo.latency"), "")
    waited = figure.measure in (Measure.FRESHNESS, Measure.LATENCY)
    if waited and delay and delay.value == figure.value:
        watched = re.compile(_WATCHED)
        return next((a for a in declared if watched.fullmatch(a)), "")
    if figure.measure is Measure.RPO and figure.value == 0 and design.second_region:
        wide = places.spanner_config(design.region, design.second_region)[1]
        near = [a for a in declared if a.startswith("google_spanner_database.")]
        return near[0] if near and wide else ""
    for pattern in _KEPT_BY.get(figure.measure, ()):
        compiled = re.compile(pattern)
        found = next((a for a in declared if compiled.fullmatch(a) and _telling(a)), "")
        if found:
            return found
    for variable, words in described:
        if figure.text in words and variable not in ("region", "second_region"):
            owner = _owner(design, variable, declared)
            return f"{owner} (var.{variable})" if owner else f"var.{variable}"
    for flow in design.flows:
        if figure.text in flow.what:
            for unit in design.unit_of(flow.target):
                if unit.module.role is Role.SUPPORT:
                    continue
                if owner := _resource(unit.name, declared):
                    return owner
    return ""


def _telling(address: str) -> bool:
    return not (
        address.endswith(("_dead", "_staging", "function_source"))
        or "_iam_" in address
        or address.startswith(("google_service_account", "google_sql_user"))
    )


def _resource(name: str, declared: tuple[str, ...]) -> str:
    return next((a for a in declared if a.split(".")[1] == name and _telling(a)), "")


def _owner(design: Design, variable: str, declared: tuple[str, ...]) -> str:
    """The resource of the unit whose name begins the variable's, the longest such name first."""
    near = [u.name for u in design.units if variable.startswith(f"{u.name}_")]
    return _resource(max(near, key=len), declared) if near else ""


def consistency(design: Design, defaults: Defaults, guidance: str) -> tuple[list[str], list[str]]:
    """Contradictions between code and requirements, and deviations that a Revision asked for."""
    wrong: list[str] = []
    meant: list[str] = []
    revised = "Changed in this Revision" in guidance

    def differs(what: str, code: str, wanted: str) -> None:
        line = f"{what} is {code} in the code and {wanted} in the requirements"
        (meant if revised else wrong).append(line)

    regions = design.facts.regions
    region = defaults.get("region", "")
    if regions and region and region not in regions:
        differs("the region", region, regions[0])
    load = design.brief.load
    units = defaults.get("budget_units")
    if load.budget and units is not None and units != str(round(load.budget.value)):
        differs("the budget", units, str(round(load.budget.value)))
    if load.budget and units is None and "billing_account" not in defaults and not revised:
        wrong.append(f"no budget in the code, but {load.budget.shown} in the requirements")
    goal = defaults.get("availability_goal")
    if load.availability and load.availability.value and goal:
        wanted = round(min(load.availability.value / 100, 0.9999), 5)
        if abs(float(goal) - wanted) > 1e-6:
            differs("the availability objective", goal, str(wanted))
    slow = defaults.get("latency_ms")
    latency = design.size.latency
    if latency and latency.value and slow:
        wanted_ms = str(round(latency.value * 1000))
        if slow != wanted_ms:
            differs("the latency objective in ms", slow, wanted_ms)
    return wrong, meant
