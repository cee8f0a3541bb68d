"""Which services a project needs: by the resource types that are declared and by the products."""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.terraform.design import Design

_APIS: tuple[tuple[str, str], ...] = (
    ("google_access_context_manager", "accesscontextmanager"),
    ("google_alloydb", "alloydb"),
    ("google_apigee", "apigee"),
    ("google_app_engine", "appengine"),
    ("google_artifact_registry", "artifactregistry"),
    ("google_backup_dr", "backupdr"),
    ("google_bigquery_analytics_hub", "analyticshub"),
    ("google_bigquery_connection", "bigqueryconnection"),
    ("google_bigquery_datapolicy", "bigquerydatapolicy"),
    ("google_bigquery_data_transfer", "bigquerydatatransfer"),
    ("google_bigquery_reservation", "bigqueryreservation"),
    ("google_bigquery_bi", "bigqueryreservation"),
    ("google_bigquery", "bigquery"),
    ("google_bigtable", "bigtableadmin"),
    ("google_billing_budget", "billingbudgets"),
    ("google_binary_authorization", "binaryauthorization"),
    ("google_certificate_manager", "certificatemanager"),
    ("google_cloud_ids", "ids"),
    ("google_cloud_run", "run"),
    ("google_cloud_scheduler", "cloudscheduler"),
    ("google_cloud_tasks", "cloudtasks"),
    ("google_cloudbuild", "cloudbuild"),
    ("google_clouddeploy", "clouddeploy"),
    ("google_cloudfunctions2", "cloudfunctions"),
    ("google_composer", "composer"),
    ("google_compute", "compute"),
    ("google_container", "container"),
    ("google_data_catalog", "datacatalog"),
    ("google_data_fusion", "datafusion"),
    ("google_data_loss_prevention", "dlp"),
    ("google_database_migration", "datamigration"),
    ("google_dataflow", "dataflow"),
    ("google_dataform", "dataform"),
    ("google_dataplex", "dataplex"),
    ("google_dataproc", "dataproc"),
    ("google_datastream", "datastream"),
    ("google_discovery_engine", "discoveryengine"),
    ("google_dns", "dns"),
    ("google_document_ai", "documentai"),
    ("google_eventarc", "eventarc"),
    ("google_filestore", "file"),
    ("google_firestore", "firestore"),
    ("google_gke_backup", "gkebackup"),
    ("google_healthcare", "healthcare"),
    ("google_iam", "iam"),
    ("google_iap", "iap"),
    ("google_identity_platform", "identitytoolkit"),
    ("google_integration", "connectors"),
    ("google_kms", "cloudkms"),
    ("google_logging", "logging"),
    ("google_looker", "looker"),
    ("google_lustre", "lustre"),
    ("google_managed_kafka", "managedkafka"),
    ("google_memorystore", "memorystore"),
    ("google_model_armor", "modelarmor"),
    ("google_monitoring", "monitoring"),
    ("google_netapp", "netapp"),
    ("google_network_connectivity", "networkconnectivity"),
    ("google_network_management", "networkmanagement"),
    ("google_network_security", "networksecurity"),
    ("google_network_services", "networkservices"),
    ("google_oracle_database", "oracledatabase"),
    ("google_privateca", "privateca"),
    ("google_pubsub", "pubsub"),
    ("google_recaptcha_enterprise", "recaptchaenterprise"),
    ("google_redis", "redis"),
    ("google_scc", "securitycenter"),
    ("google_secret_manager", "secretmanager"),
    ("google_service_account", "iam"),
    ("google_service_networking", "servicenetworking"),
    ("google_spanner", "spanner"),
    ("google_sql", "sqladmin"),
    ("google_storage_transfer", "storagetransfer"),
    ("google_storage", "storage"),
    ("google_transcoder", "transcoder"),
    ("google_vertex_ai", "aiplatform"),
    ("google_vmwareengine", "vmwareengine"),
    ("google_workflows", "workflows"),
    ("google_project", "cloudresourcemanager"),
)


def services_of(types: Sequence[str], design: Design) -> tuple[str, ...]:
    """The services that these resource types and the selected products need, sorted."""
    found = {"cloudresourcemanager.googleapis.com", "serviceusage.googleapis.com"}
    for name in types:
        api = next((a for p, a in _APIS if name.startswith(p)), None)
        if api:
            found.add(f"{api}.googleapis.com")
        if name.startswith("google_cloudfunctions2"):
            found |= {"run.googleapis.com", "cloudbuild.googleapis.com"}
    for unit in design.units:
        found |= set(unit.module.apis)
    return tuple(sorted(found))
