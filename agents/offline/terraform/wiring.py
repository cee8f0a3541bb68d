"""How units find one another: environment variables, service agents that use keys, log filters."""

from __future__ import annotations

from agents.offline.terraform.access import used_by
from agents.offline.terraform.design import Design
from agents.offline.terraform.parts import Unit

ENVIRONMENT: dict[str, tuple[tuple[str, str], ...]] = {
    "cloud_sql": (
        ("CONNECTION", "google_sql_database_instance.{n}.connection_name"),
        ("DATABASE", "google_sql_database.{n}.name"),
    ),
    "alloydb": (("ADDRESS", "google_alloydb_instance.{n}.ip_address"),),
    "spanner": (("DATABASE", "google_spanner_database.{n}.id"),),
    "firestore": (("DATABASE", "google_firestore_database.{n}.name"),),
    "bigtable": (("INSTANCE", "google_bigtable_instance.{n}.name"),),
    "memorystore": (("INSTANCE", "google_memorystore_instance.{n}.id"),),
    "redis": (("CACHE", "{cache}.{n}.id"),),
    "bigquery": (("DATASET", "google_bigquery_dataset.{n}.dataset_id"),),
    "storage": (("BUCKET", "google_storage_bucket.{n}.name"),),
    "pubsub": (("TOPIC", "google_pubsub_topic.{n}.id"),),
    "tasks": (("QUEUE", "google_cloud_tasks_queue.{n}.id"),),
    "kafka": (("CLUSTER", "google_managed_kafka_cluster.{n}.id"),),
    "vector_search": (("INDEX_ENDPOINT", "google_vertex_ai_index_endpoint.{n}.id"),),
    "vertex_endpoint": (("ENDPOINT", "google_vertex_ai_endpoint.{n}.name"),),
    "search": (("ENGINE", "google_discovery_engine_search_engine.{n}.engine_id"),),
    "document_ai": (("PROCESSOR", "google_document_ai_processor.{n}.id"),),
    "model_armor": (("TEMPLATE", "google_model_armor_template.{n}.id"),),
    "healthcare": (("FHIR_STORE", "google_healthcare_fhir_store.{n}.id"),),
    "gemini": (("LOCATION", "var.region"),),
}
"""What a service is told about what it uses: suffix of the variable, and the expression."""

# fmt: off
AGENTS: dict[str, tuple[str, str]] = {
    "aiplatform": ("aiplatform.googleapis.com", "gcp-sa-aiplatform"),
    "alloydb": ("alloydb.googleapis.com", "gcp-sa-alloydb"),
    "artifacts": ("artifactregistry.googleapis.com", "gcp-sa-artifactregistry"),
    "bigquery": ("bigquery.googleapis.com", "bigquery-encryption"),
    "bigtable": ("bigtableadmin.googleapis.com", "gcp-sa-bigtable"),
    "compute": ("compute.googleapis.com", "compute-system"),
    "container": ("container.googleapis.com", "container-engine-robot"),
    "dataflow": ("dataflow.googleapis.com", "dataflow-service-producer-prod"),
    "firestore": ("firestore.googleapis.com", "gcp-sa-firestore"),
    "filestore": ("file.googleapis.com", "cloud-filer"),
    "kafka": ("managedkafka.googleapis.com", "gcp-sa-managedkafka"),
    "memorystore": ("memorystore.googleapis.com", "gcp-sa-memorystore"),
    "pubsub": ("pubsub.googleapis.com", "gcp-sa-pubsub"),
    "redis": ("redis.googleapis.com", "cloud-redis"),
    "run": ("run.googleapis.com", "serverless-robot-prod"),
    "secrets": ("secretmanager.googleapis.com", "gcp-sa-secretmanager"),
    "spanner": ("spanner.googleapis.com", "gcp-sa-spanner"),
    "sql": ("sqladmin.googleapis.com", "gcp-sa-cloud-sql"),
    "storage": ("storage.googleapis.com", "gs-project-accounts"),
}
"""Service agents that encrypt with the keys: the service, and the domain of its agent."""
# fmt: on


def agent(key: str) -> str:
    """The e-mail address of the service agent that uses a key, as Terraform writes it."""
    domain = AGENTS[key][1]
    number = "${data.google_project.this.number}"
    if key == "bigquery":
        return f"bq-{number}@{domain}.iam.gserviceaccount.com"
    return f"service-{number}@{domain}.iam.gserviceaccount.com"


def environment(design: Design, unit: Unit) -> tuple[tuple[str, str], ...]:
    """The environment variables of a unit, by name, with the expressions of their values."""
    found: dict[str, str] = {}
    for other, _ in used_by(design, unit):
        for suffix, expression in ENVIRONMENT.get(other.module.key, ()):
            cache = "cluster" if "Cluster" in other.product else "instance"
            value = expression.format(n=other.name, cache=f"google_redis_{cache}")
            found.setdefault(f"{other.name.upper()}_{suffix}", value)
    return tuple(sorted(found.items()))
