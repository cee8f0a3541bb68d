"""Who may do what: the narrowest role on the resource itself, derived from the flows.

A flow from A to B lets A write to B; a flow from B to A lets A read from B.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agents.offline.terraform.design import Design
from agents.offline.terraform.parts import Unit


@dataclass(frozen=True, slots=True)
class Binding:
    """One IAM member resource. ``where`` are its arguments that name the resource."""

    type: str
    name: str
    where: tuple[tuple[str, str], ...]
    role: str
    member: str
    condition: tuple[str, str] | None = None
    each_region: bool = False


@dataclass(frozen=True, slots=True)
class Grant:
    """What a module grants to those that use it. ``{n}`` stands for the unit's identifier."""

    type: str
    where: tuple[tuple[str, str], ...]
    writer: str | None
    reader: str | None
    condition: str = ""


def _project(writer: str | None, reader: str | None, condition: str = "") -> Grant:
    return Grant(
        "google_project_iam_member", (("project", "var.project_id"),), writer, reader, condition
    )


# fmt: off
GRANTS: dict[str, tuple[Grant, ...]] = {
    "pubsub": (
        Grant("google_pubsub_topic_iam_member", (("topic", "google_pubsub_topic.{n}.name"),),
              "roles/pubsub.publisher", None),
    ),
    "storage": (
        Grant("google_storage_bucket_iam_member", (("bucket", "google_storage_bucket.{n}.name"),),
              "roles/storage.objectUser", "roles/storage.objectViewer"),
    ),
    "cloud_sql": (
        _project("roles/cloudsql.client", "roles/cloudsql.client",
                 "resource.name == 'projects/${{var.project_id}}/instances/"
                 "${{google_sql_database_instance.{n}.name}}' && "
                 "resource.service == 'sqladmin.googleapis.com'"),
        _project("roles/cloudsql.instanceUser", "roles/cloudsql.instanceUser",
                 "resource.name == 'projects/${{var.project_id}}/instances/"
                 "${{google_sql_database_instance.{n}.name}}' && "
                 "resource.service == 'sqladmin.googleapis.com'"),
    ),
    "alloydb": (
        _project("roles/alloydb.client", "roles/alloydb.client"),
        _project("roles/alloydb.databaseUser", "roles/alloydb.databaseUser"),
        _project("roles/serviceusage.serviceUsageConsumer",
                 "roles/serviceusage.serviceUsageConsumer"),
    ),
    "spanner": (
        Grant("google_spanner_database_iam_member",
              (("instance", "google_spanner_instance.{n}.name"),
               ("database", "google_spanner_database.{n}.name")),
              "roles/spanner.databaseUser", "roles/spanner.databaseReader"),
    ),
    "firestore": (
        _project("roles/datastore.user", "roles/datastore.viewer",
                 "resource.name == 'projects/${{var.project_id}}/databases/"
                 "${{google_firestore_database.{n}.name}}'"),
    ),
    "bigtable": (
        Grant("google_bigtable_table_iam_member",
              (("instance_name", "google_bigtable_instance.{n}.name"),
               ("table", "google_bigtable_table.{n}.name")),
              "roles/bigtable.user", "roles/bigtable.reader"),
    ),
    "bigquery": (
        Grant("google_bigquery_dataset_iam_member",
              (("dataset_id", "google_bigquery_dataset.{n}.dataset_id"),),
              "roles/bigquery.dataEditor", "roles/bigquery.dataViewer"),
        _project("roles/bigquery.jobUser", "roles/bigquery.jobUser"),
    ),
    "memorystore": (
        _project("roles/memorystore.dbConnectionUser", "roles/memorystore.dbConnectionUser"),
    ),
    "redis": (_project("roles/redis.dbConnectionUser", "roles/redis.dbConnectionUser"),),
    "kafka": (_project("roles/managedkafka.client", "roles/managedkafka.client"),),
    "tasks": (
        Grant("google_cloud_tasks_queue_iam_member",
              (("name", "google_cloud_tasks_queue.{n}.name"), ("location", "var.region")),
              "roles/cloudtasks.enqueuer", None),
    ),
    "cloud_run": (
        Grant("google_cloud_run_v2_service_iam_member",
              (("name", "{service}.name"), ("location", "{place}")), "roles/run.invoker", None),
    ),
    "cloud_run_job": (
        Grant("google_cloud_run_v2_job_iam_member",
              (("name", "google_cloud_run_v2_job.{n}.name"), ("location", "var.region")),
              "roles/run.invoker", None),
    ),
    "functions": (
        Grant("google_cloud_run_v2_service_iam_member",
              (("name", "google_cloudfunctions2_function.{n}.service_config[0].service"),
               ("location", "var.region")), "roles/run.invoker", None),
    ),
    "workflows": (_project("roles/workflows.invoker", None),),
    "dataflow": (_project("roles/dataflow.developer", None),),
    "dataproc": (_project("roles/dataproc.editor", None),),
    "dataform": (_project("roles/dataform.editor", None),),
    "gemini": (_project("roles/aiplatform.user", "roles/aiplatform.user"),),
    "vertex_endpoint": (
        Grant("google_project_iam_member", (("project", "var.project_id"),),
              "roles/aiplatform.user", "roles/aiplatform.user"),
    ),
    "vector_search": (_project("roles/aiplatform.user", "roles/aiplatform.user"),),
    "rag": (_project("roles/aiplatform.user", "roles/aiplatform.user"),),
    "search": (_project("roles/discoveryengine.editor", "roles/discoveryengine.user"),),
    "document_ai": (_project("roles/documentai.apiUser", "roles/documentai.apiUser"),),
    "model_armor": (_project("roles/modelarmor.user", "roles/modelarmor.user"),),
    "dlp": (_project("roles/dlp.user", "roles/dlp.user"),),
    "ai_apis": (
        _project("roles/serviceusage.serviceUsageConsumer",
                 "roles/serviceusage.serviceUsageConsumer"),
    ),
    "dialogflow": (_project("roles/dialogflow.client", "roles/dialogflow.client"),),
    "transcoder": (_project("roles/transcoder.admin", None),),
    "live_stream": (_project("roles/livestream.editor", None),),
    "healthcare": (
        Grant("google_healthcare_dataset_iam_member",
              (("dataset_id", "google_healthcare_dataset.{n}.id"),),
              "roles/healthcare.fhirResourceEditor", "roles/healthcare.fhirResourceReader"),
    ),
    "secrets": (),
}
"""What each module grants; a module that is not named grants nothing through IAM."""
# fmt: on

# fmt: off
WORKER_ROLES: dict[str, tuple[str, ...]] = {
    # What an identity needs to do its own work at all, beside access to data.
    "dataflow": ("roles/dataflow.worker",),
    "dataproc": ("roles/dataproc.worker",),
    "composer": ("roles/composer.worker",),
    "vertex_pipelines": ("roles/aiplatform.user",),
    "gke": ("roles/logging.logWriter", "roles/monitoring.metricWriter", "roles/cloudtrace.agent"),
    "compute": ("roles/logging.logWriter", "roles/monitoring.metricWriter",
                "roles/cloudtrace.agent"),
    "batch": ("roles/batch.agentReporter", "roles/logging.logWriter"),
    "cloud_run": ("roles/cloudtrace.agent",),
    "dataform": ("roles/bigquery.jobUser",),
    "data_fusion": ("roles/datafusion.runner",),
    "eventarc": ("roles/eventarc.eventReceiver",),
    "workflows": ("roles/logging.logWriter",),
}
# fmt: on


def account(unit: Unit) -> str:
    """The member string of a unit's service account."""
    return f"google_service_account.{unit.name}.member"


def service_address(design: Design, unit: Unit) -> str:
    """The address of a Cloud Run service; with two regions, under a ``for_each`` over them."""
    address = f"google_cloud_run_v2_service.{unit.name}"
    return f"{address}[each.value]" if design.second_region else address


def _short(role: str) -> str:
    return role.removeprefix("roles/").replace(".", "_").lower()


def _used(design: Design, runner: Unit) -> Iterator[tuple[Unit, bool]]:
    """What a runner uses: the unit, and whether it writes to it."""
    mine = {u.id for u in design.units if u.name == runner.name}
    named = False
    for unit in design.units:
        if unit.id in mine and unit.module.key != runner.module.key:
            yield unit, True
            continue
        writes = any(f.source in mine and f.target == unit.id for f in design.flows)
        reads = any(f.target in mine and f.source == unit.id for f in design.flows)
        if (writes or reads) and unit.name != runner.name:
            named = True
            yield unit, writes
    if not named and not design.flows:
        # Without a decomposition the only hint is what both serve.
        for unit in design.units:
            if unit.name != runner.name and set(unit.serves) & set(runner.serves):
                yield unit, True


def used_by(design: Design, runner: Unit) -> tuple[tuple[Unit, bool], ...]:
    """What a runner uses, each unit once, with whether it writes to it."""
    return tuple(dict.fromkeys(_used(design, runner)))


def bindings(design: Design) -> tuple[Binding, ...]:
    """Every IAM binding of the design, each once."""
    found: dict[tuple[str, str], Binding] = {}
    for runner in design.runners:
        member = account(runner)
        kinds = [u.module.key for u in design.units if u.name == runner.name and u.runs]
        for role in dict.fromkeys(r for kind in kinds for r in WORKER_ROLES.get(kind, ())):
            binding = Binding(
                "google_project_iam_member",
                f"{runner.name}_{_short(role)}",
                (("project", "var.project_id"),),
                role,
                member,
            )
            found.setdefault((binding.type, binding.name), binding)
        for unit, writes in used_by(design, runner):
            for binding in _granted(design, runner, unit, writes):
                found.setdefault((binding.type, binding.name), binding)
    return tuple(found.values())


def _granted(design: Design, runner: Unit, unit: Unit, writes: bool) -> Iterator[Binding]:
    for grant in GRANTS.get(unit.module.key, ()):
        role = grant.writer if writes else grant.reader
        if role is None:
            continue
        fill = {
            "n": unit.name,
            "service": service_address(design, unit),
            "place": "each.value" if design.second_region else "var.region",
        }
        plain = grant.type == "google_project_iam_member" and not grant.condition
        name = (
            f"{runner.name}_{_short(role)}"
            if plain
            else f"{runner.name}_on_{unit.name}_{_short(role)}"
        )
        condition = None
        if grant.condition:
            condition = (f"only-{unit.slug}", grant.condition.format(**fill))
        yield Binding(
            grant.type,
            name,
            tuple((k, v.format(**fill)) for k, v in grant.where),
            role,
            account(runner),
            condition,
            each_region=design.second_region is not None and unit.module.key == "cloud_run",
        )


def subscribers(design: Design, unit: Unit) -> tuple[Unit, ...]:
    """Who reads a topic: one subscription each."""
    ids = {f.target for f in design.flows if f.source == unit.id}
    found = [u for u in design.runners if u.id in ids]
    if not found and not design.flows:
        found = [u for u in design.runners if set(u.serves) & set(unit.serves)][:1]
    return tuple(found)


def receives_push(unit: Unit) -> bool:
    """Whether messages are pushed to it over HTTPS instead of being pulled."""
    return unit.module.key in {"cloud_run", "functions"}
