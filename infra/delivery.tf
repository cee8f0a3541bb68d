# Continuous delivery, made only where var.source_repository is set (docs/deploy.md: Continuous
# delivery). Two accounts: `build` tests, builds and plans and can change nothing but images and
# plans; `deploy` applies a plan that a person approved.
locals {
  delivery = var.source_repository == "" ? toset([]) : toset(["build", "deploy"])
  build    = var.source_repository == "" ? toset([]) : toset(["build"])
  deploy   = var.source_repository == "" ? toset([]) : toset(["deploy"])

  # To compare the plan with what exists, without reading a document, a message or a key.
  build_roles = [
    "roles/artifactregistry.reader",
    "roles/browser",
    "roles/cloudbuild.builds.viewer",
    "roles/cloudscheduler.viewer",
    "roles/cloudtasks.viewer",
    "roles/iam.securityReviewer",
    "roles/logging.viewer",
    "roles/logging.logWriter",
    "roles/monitoring.viewer",
    "roles/pubsub.viewer",
    "roles/run.viewer",
    "roles/secretmanager.viewer",
    "roles/serviceusage.serviceUsageConsumer",
  ]

  deploy_roles = [
    "roles/artifactregistry.admin",
    "roles/browser",
    "roles/cloudbuild.builds.editor",
    "roles/cloudscheduler.admin",
    "roles/cloudtasks.queueAdmin",
    "roles/iam.roleAdmin",
    "roles/iam.serviceAccountAdmin",
    "roles/logging.configWriter",
    "roles/logging.logWriter",
    "roles/monitoring.editor",
    "roles/pubsub.admin",
    "roles/run.admin",
    "roles/serviceusage.serviceUsageAdmin",
    "roles/storage.admin",
  ]

  schema_reading = [
    "datastore.backupSchedules.get",
    "datastore.backupSchedules.list",
    "datastore.databases.get",
    "datastore.databases.getMetadata",
    "datastore.databases.list",
    "datastore.indexes.get",
    "datastore.indexes.list",
    "datastore.operations.get",
    "datastore.operations.list",
  ]

  # What the deploy account may give to others on the project: what identities.tf gives to doors.
  grantable = concat(
    [
      google_project_iam_custom_role.documents.id,
      google_project_iam_custom_role.models.id,
      "roles/cloudtrace.agent",
      "roles/monitoring.metricWriter",
      "roles/mcp.toolUser",
      "roles/serviceusage.serviceUsageConsumer",
    ],
    local.discovery_roles,
  )
}

resource "google_service_account" "delivery" {
  for_each = local.delivery

  project      = var.project_id
  account_id   = "${var.prefix}-${each.value}"
  display_name = "Delivery: ${each.value}"

  depends_on = [google_project_service.api]
}

resource "google_project_iam_custom_role" "schema_reader" {
  for_each = local.build

  project     = var.project_id
  role_id     = "${replace(var.prefix, "-", "_")}_schema_reader"
  title       = "Solution architect: database settings, reading"
  permissions = local.schema_reading
}

resource "google_project_iam_custom_role" "schema_keeper" {
  for_each = local.deploy

  project     = var.project_id
  role_id     = "${replace(var.prefix, "-", "_")}_schema_keeper"
  title       = "Solution architect: database settings and secret containers"
  description = "Changes databases, indexes, backup schedules and secrets; reads no document and no key."
  permissions = concat(local.schema_reading, [
    "datastore.backupSchedules.create",
    "datastore.backupSchedules.update",
    "datastore.databases.create",
    "datastore.databases.update",
    "datastore.indexes.create",
    "datastore.indexes.delete",
    "datastore.indexes.update",
    "secretmanager.secrets.create",
    "secretmanager.secrets.get",
    "secretmanager.secrets.getIamPolicy",
    "secretmanager.secrets.list",
    "secretmanager.secrets.setIamPolicy",
    "secretmanager.secrets.update",
  ])
}

resource "google_project_iam_member" "build" {
  for_each = length(local.build) == 0 ? toset([]) : toset(local.build_roles)

  project = var.project_id
  role    = each.value
  member  = google_service_account.delivery["build"].member
}

resource "google_project_iam_member" "schema_reader" {
  for_each = local.build

  project = var.project_id
  role    = google_project_iam_custom_role.schema_reader[each.value].id
  member  = google_service_account.delivery[each.value].member
}

resource "google_project_iam_member" "deploy" {
  for_each = length(local.deploy) == 0 ? toset([]) : toset(local.deploy_roles)

  project = var.project_id
  role    = each.value
  member  = google_service_account.delivery["deploy"].member
}

resource "google_project_iam_member" "schema_keeper" {
  for_each = local.deploy

  project = var.project_id
  role    = google_project_iam_custom_role.schema_keeper[each.value].id
  member  = google_service_account.delivery[each.value].member
}

# It may hand out the doors' project roles and take them back, and no other role. Its own rights and
# those of `build` are changed by a person.
resource "google_project_iam_member" "deploy_grants" {
  for_each = local.deploy

  project = var.project_id
  role    = "roles/resourcemanager.projectIamAdmin"
  member  = google_service_account.delivery[each.value].member

  condition {
    title       = "only-what-doors-get"
    description = "Grants and withdraws only the roles that the doors hold on the project."
    expression  = "api.getAttribute(\"iam.googleapis.com/modifiedGrantsByRole\", []).hasOnly([${join(", ", [for role in local.grantable : "\"${role}\""])}])"
  }
}

# To deploy a service or a subscription that runs as an account, one must be allowed to act as it.
resource "google_service_account_iam_member" "deploy_as" {
  for_each = length(local.deploy) == 0 ? {} : merge(google_service_account.door, google_service_account.caller)

  service_account_id = each.value.name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.delivery["deploy"].member
}

# The smoke test calls the front as the deploy account, with a token that it makes for itself.
resource "google_service_account_iam_member" "smoke_token" {
  for_each = local.deploy

  service_account_id = google_service_account.delivery[each.value].name
  role               = "roles/iam.serviceAccountOpenIdTokenCreator"
  member             = google_service_account.delivery[each.value].member
}

resource "google_cloud_run_v2_service_iam_member" "smoke" {
  for_each = local.deploy

  project  = var.project_id
  location = var.region
  name     = google_cloud_run_v2_service.door["a2a"].name
  role     = "roles/run.invoker"
  member   = google_service_account.delivery[each.value].member
}

resource "google_artifact_registry_repository_iam_member" "push" {
  for_each = local.build

  project    = var.project_id
  location   = var.region
  repository = google_artifact_registry_repository.images.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.delivery[each.value].member
}

resource "google_storage_bucket" "plans" {
  for_each = local.build

  project                     = var.project_id
  name                        = "${var.project_id}-${var.prefix}-plans"
  location                    = var.region
  labels                      = local.labels
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  versioning {
    enabled = true
  }

  lifecycle_rule {
    action {
      type = "Delete"
    }

    condition {
      age = 30
    }
  }

  depends_on = [google_project_service.api]
}

# `build` adds plans and cannot replace one; `deploy` only reads them.
resource "google_storage_bucket_iam_member" "plans" {
  for_each = {
    for account, role in { build = "roles/storage.objectCreator", deploy = "roles/storage.objectViewer" } :
    account => role if length(local.delivery) > 0
  }

  bucket = google_storage_bucket.plans["build"].name
  role   = each.value
  member = google_service_account.delivery[each.key].member
}

# `build` reads the state and does not lock it; `deploy` writes it.
resource "google_storage_bucket_iam_member" "state" {
  for_each = {
    for account, role in { build = "roles/storage.objectViewer", deploy = "roles/storage.objectUser" } :
    account => role if length(local.delivery) > 0
  }

  bucket = var.state_bucket
  role   = each.value
  member = google_service_account.delivery[each.key].member
}

resource "google_cloudbuild_trigger" "build" {
  for_each = local.build

  project         = var.project_id
  location        = var.region
  name            = "${var.prefix}-build"
  description     = "Tests, builds, pushes and plans what reached the main branch."
  filename        = "cloudbuild.yaml"
  service_account = google_service_account.delivery[each.value].id

  repository_event_config {
    repository = var.source_repository

    push {
      branch = "^main$"
    }
  }

  substitutions = {
    _IMAGE            = "${var.region}-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.images.repository_id}/doors"
    _PLANS_BUCKET     = google_storage_bucket.plans[each.value].name
    _STATE_BUCKET     = var.state_bucket
    _PYTHON_DIGEST    = var.base_digests.python
    _TERRAFORM_DIGEST = var.base_digests.terraform
    _APPLY_TRIGGER    = "${var.prefix}-apply"
    _REGION           = var.region
  }
}

# Started by hand with the id of a build, and held until somebody with
# roles/cloudbuild.builds.approver has read the plan.
resource "google_cloudbuild_trigger" "apply" {
  for_each = local.deploy

  project         = var.project_id
  location        = var.region
  name            = "${var.prefix}-apply"
  description     = "Applies a plan after a person's approval, then tries the front."
  service_account = google_service_account.delivery[each.value].id

  approval_config {
    approval_required = true
  }

  source_to_build {
    repository = var.source_repository
    ref        = "refs/heads/main"
    repo_type  = "GITHUB"
  }

  git_file_source {
    path       = "infra/apply.cloudbuild.yaml"
    repository = var.source_repository
    revision   = "refs/heads/main"
    repo_type  = "GITHUB"
  }

  substitutions = {
    _PLANS_BUCKET     = google_storage_bucket.plans["build"].name
    _STATE_BUCKET     = var.state_bucket
    _TERRAFORM_DIGEST = var.base_digests.terraform
    _ACCOUNT          = google_service_account.delivery[each.value].email
    _REGION           = var.region
  }
}
