locals {
  apis = toset([
    "aiplatform.googleapis.com",
    "artifactregistry.googleapis.com",
    "billingbudgets.googleapis.com",
    "cloudbuild.googleapis.com",
    "cloudresourcemanager.googleapis.com",
    "cloudscheduler.googleapis.com",
    "cloudtasks.googleapis.com",
    "cloudtrace.googleapis.com",
    "firestore.googleapis.com",
    "iam.googleapis.com",
    "iamcredentials.googleapis.com",
    "logging.googleapis.com",
    "monitoring.googleapis.com",
    "pubsub.googleapis.com",
    "run.googleapis.com",
    "secretmanager.googleapis.com",
    "serviceusage.googleapis.com",
    "storage.googleapis.com",
  ])

  # What the provider bundle's MCP servers are served by; without a discovery project only the
  # documentation server is used.
  discovery_apis = toset(concat(
    ["developerknowledge.googleapis.com"],
    length(var.discovery_projects) == 0 ? [] : [
      "cloudasset.googleapis.com",
      "compute.googleapis.com",
      "container.googleapis.com",
      "networkmanagement.googleapis.com",
      "sqladmin.googleapis.com",
    ],
  ))
}

# An API stays enabled when Terraform lets go of it: disabling one deletes what depends on it.
resource "google_project_service" "api" {
  for_each = setunion(local.apis, local.discovery_apis)

  project            = var.project_id
  service            = each.value
  disable_on_destroy = false
}
