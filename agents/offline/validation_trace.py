"""Traces requirements to resources: which figure is kept by what in the Terraform, or by nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.offline.facts import Figure, Measure
from agents.offline.terraform.design import Design
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
    Measure.AVAILABILITY: (r"google_monitoring_slo\.availability", r"google_monitoring_uptime_\w+\.main",
                           r"google_compute_region_instance_group_manager\.\w+"),
    Measure.LATENCY: (r"google_monitoring_slo\.latency", r"google_monitoring_alert_policy\.latency"),
    Measure.RTO: (r"google_sql_database_instance\.\w+_replica", r"google_alloydb_cluster\.\w+_second",
                  r"google_spanner_instance\.\w+", r"google_bigtable_instance\.\w+",
                  r"google_sql_database_instance\.\w+", r"google_alloydb_instance\.\w+",
                  r"google_firestore_database\.\w+", r"google_compute_backend_service\.\w+",
                  r"google_pubsub_subscription\.\w+"),
    Measure.RPO: (r"google_sql_database_instance\.\w+", r"google_alloydb_cluster\.\w+",
                  r"google_spanner_database\.\w+", r"google_firestore_database\.\w+",
                  r"google_bigtable_table\.\w+", r"google_pubsub_topic\.\w+",
                  r"google_managed_kafka_topic\.\w+", r"google_storage_bucket\.\w+",
                  r"google_bigquery_dataset\.\w+"),
    Measure.THROUGHPUT: (r"google_cloud_run_v2_service\.\w+", r"google_compute_region_autoscaler\.\w+",
                         r"google_pubsub_topic\.\w+", r"google_managed_kafka_cluster\.\w+",
                         r"google_bigtable_instance\.\w+", r"google_container_cluster\.\w+",
                         r"google_cloudfunctions2_function\.\w+", r"google_cloud_run_v2_job\.\w+"),
    Measure.DATA_VOLUME: (r"google_sql_database_instance\.\w+", r"google_alloydb_cluster\.\w+",
                          r"google_bigquery_dataset\.\w+", r"google_storage_bucket\.\w+",
                          r"google_spanner_instance\.\w+", r"google_bigtable_instance\.\w+"),
    Measure.RETENTION: (r"google_storage_bucket\.\w+", r"google_logging_project_bucket_config\.main",
                        r"google_bigquery_table\.\w+", r"google_pubsub_topic\.\w+",
                        r"google_bigtable_gc_policy\.\w+"),
    Measure.BUDGET: (r"google_billing_budget\.monthly",),
    Measure.FRESHNESS: (r"google_monitoring_alert_policy\.(?:messages_wait|stream_lag|copy_lag)",
                        r"google_pubsub_subscription\.\w+", r"google_dataflow_job\.\w+"),
    Measure.DEVICES: (r"google_pubsub_topic\.\w+", r"google_managed_kafka_cluster\.\w+",
                      r"google_container_cluster\.\w+", r"google_compute_region_autoscaler\.\w+"),
    Measure.USERS: (r"google_cloud_run_v2_service\.\w+", r"google_bigquery_reservation\.main",
                    r"google_identity_platform_config\.main"),
    Measure.FREQUENCY: (r"google_cloud_scheduler_job\.\w+", r"google_composer_environment\.\w+"),
}


@dataclass(frozen=True, slots=True)
class Trace:
    """One requirement or figure and what keeps it. ``place`` is prose where no resource does."""

    requirement: str
    what: str
    address: str = ""
    place: str = ""

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
    declared = [f"{kind}.{name}" for kind, name in addresses(files)]
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
        address = _keeper(figure, declared)
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
    for requirement in design.brief.requirements:
        if requirement.functional or requirement.id in told:
            continue
        place = f"a recommendation of section 5 that serves {requirement.id}"
        short = requirement.text if len(requirement.text) <= 80 else f"{requirement.text[:77]}..."
        traces.append(
            Trace(requirement.id, short, place=place if requirement.id in advised else "")
        )
    return tuple(traces)


def _weighty(design: Design) -> Iterator[Figure]:
    for figure in design.facts.figures:
        if not figure.current and figure.measure in _KEPT_BY:
            yield figure


def _keeper(figure: Figure, declared: list[str]) -> str:
    for pattern in _KEPT_BY[figure.measure]:
        compiled = re.compile(pattern)
        for address in declared:
            if compiled.fullmatch(address) and not address.endswith(("_dead", "_staging", "fn_source")):
                return address
    return ""


def consistency(
    design: Design, defaults: Defaults, guidance: str
) -> tuple[list[str], list[str]]:
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
