# One account a door, and one account a caller. An account has what its door needs and no more; no
# grant on the project where one on the resource will do.

resource "google_service_account" "door" {
  for_each = local.doors

  project      = var.project_id
  account_id   = local.names[each.key]
  display_name = "Door: ${each.key}"

  depends_on = [google_project_service.api]
}

resource "google_service_account" "caller" {
  for_each = toset(flatten(values(local.callers)))

  project      = var.project_id
  account_id   = "${var.prefix}-${each.value}"
  display_name = "Caller: ${each.value}"
  description  = "Its only right is to call one door."

  depends_on = [google_project_service.api]
}

# Who may call whom.

resource "google_cloud_run_v2_service_iam_member" "caller" {
  for_each = merge([
    for door, callers in local.callers : { for caller in callers : "${door}/${caller}" => { door = door, caller = caller } }
  ]...)

  project  = var.project_id
  location = var.region
  name     = google_cloud_run_v2_service.door[each.value.door].name
  role     = "roles/run.invoker"
  member   = google_service_account.caller[each.value.caller].member
}

resource "google_cloud_run_v2_service_iam_member" "client" {
  for_each = {
    for pair in setproduct([for door, spec in local.doors : door if spec.clients], toset(var.client_principals)) :
    "${pair[0]}/${pair[1]}" => { door = pair[0], principal = pair[1] }
  }

  project  = var.project_id
  location = var.region
  name     = google_cloud_run_v2_service.door[each.value.door].name
  role     = "roles/run.invoker"
  member   = each.value.principal
}

# Pub/Sub signs the tokens of its push accounts. Cloud Tasks' and Cloud Scheduler's agents have this
# right from their own service agent roles.
resource "google_service_account_iam_member" "push_tokens" {
  for_each = toset([for subscription in local.subscriptions : subscription.caller])

  service_account_id = google_service_account.caller[each.value].name
  role               = "roles/iam.serviceAccountOpenIdTokenCreator"
  member             = local.pubsub_agent
}

# documents: read and write, never delete: the history stays. Only this database.

resource "google_project_iam_custom_role" "documents" {
  project     = var.project_id
  role_id     = "${replace(var.prefix, "-", "_")}_documents"
  title       = "Solution architect: documents"
  description = "Reads, creates and updates Firestore documents. Cannot delete any."
  permissions = [
    "datastore.databases.get",
    "datastore.entities.allocateIds",
    "datastore.entities.create",
    "datastore.entities.get",
    "datastore.entities.list",
    "datastore.entities.update",
  ]
}

resource "google_project_iam_member" "documents" {
  for_each = local.with["documents"]

  project = var.project_id
  role    = google_project_iam_custom_role.documents.id
  member  = google_service_account.door[each.value].member

  condition {
    title       = "only-the-ledger"
    description = "No other database of this project."
    expression  = "resource.name == \"projects/${var.project_id}/databases/${google_firestore_database.ledger.name}\""
  }
}

# enqueue: whoever commits may find that a Turn or a Delegation is due. A task carries the token of
# the queue's caller account, so its maker must be allowed to act as that account, and as no other.

resource "google_cloud_tasks_queue_iam_member" "enqueue" {
  for_each = {
    for pair in setproduct(local.with["enqueue"], keys(google_cloud_tasks_queue.queue)) :
    "${pair[0]}/${pair[1]}" => { door = pair[0], queue = pair[1] }
  }

  project  = var.project_id
  location = var.region
  name     = google_cloud_tasks_queue.queue[each.value.queue].name
  role     = "roles/cloudtasks.enqueuer"
  member   = google_service_account.door[each.value.door].member
}

resource "google_service_account_iam_member" "enqueue_as" {
  for_each = {
    for pair in setproduct(local.with["enqueue"], ["turn-tasks", "delegation-tasks"]) :
    "${pair[0]}/${pair[1]}" => { door = pair[0], caller = pair[1] }
  }

  service_account_id = google_service_account.caller[each.value.caller].name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.door[each.value.door].member
}

# publish: events only. Batches are started by the scheduler and by var.batch_publishers.

resource "google_pubsub_topic_iam_member" "publish" {
  for_each = local.with["publish"]

  project = var.project_id
  topic   = google_pubsub_topic.topic["events"].name
  role    = "roles/pubsub.publisher"
  member  = google_service_account.door[each.value].member
}

resource "google_pubsub_topic_iam_member" "batches" {
  for_each = toset(var.batch_publishers)

  project = var.project_id
  topic   = google_pubsub_topic.topic["batches"].name
  role    = "roles/pubsub.publisher"
  member  = each.value
}

# telemetry: traces and counters. Logs go to standard output and need no right.

resource "google_project_iam_member" "telemetry" {
  for_each = {
    for pair in setproduct(local.with["telemetry"], ["roles/cloudtrace.agent", "roles/monitoring.metricWriter"]) :
    "${pair[0]}/${pair[1]}" => { door = pair[0], role = pair[1] }
  }

  project = var.project_id
  role    = each.value.role
  member  = google_service_account.door[each.value.door].member
}

# models: ask a model, and read the keys of those that need one.

resource "google_project_iam_custom_role" "models" {
  project     = var.project_id
  role_id     = "${replace(var.prefix, "-", "_")}_models"
  title       = "Solution architect: models"
  description = "Sends prompts to models on Vertex AI. Cannot list, tune or deploy any."
  permissions = ["aiplatform.endpoints.predict"]
}

resource "google_project_iam_member" "models" {
  for_each = var.vertex_ai ? local.with["models"] : toset([])

  project = var.project_id
  role    = google_project_iam_custom_role.models.id
  member  = google_service_account.door[each.value].member
}

# discovery: the Specialists' MCP servers. The own project pays for the calls; the projects looked at
# grant reading and nothing else. The user is asked once per Execution all the same.

resource "google_project_iam_member" "mcp" {
  for_each = {
    for pair in setproduct(local.with["discovery"], ["roles/mcp.toolUser", "roles/serviceusage.serviceUsageConsumer"]) :
    "${pair[0]}/${pair[1]}" => { door = pair[0], role = pair[1] }
  }

  project = var.project_id
  role    = each.value.role
  member  = google_service_account.door[each.value.door].member
}

locals {
  discovery_roles = [
    "roles/browser",
    "roles/cloudasset.viewer",
    "roles/cloudsql.viewer",
    "roles/compute.viewer",
    "roles/container.clusterViewer",
    "roles/iam.securityReviewer",
    "roles/monitoring.viewer",
    "roles/networkmanagement.viewer",
    "roles/pubsub.viewer",
    "roles/run.viewer",
    "roles/storage.bucketViewer",
  ]
}

resource "google_project_iam_member" "discovery" {
  for_each = {
    for triple in setproduct(local.with["discovery"], var.discovery_projects, local.discovery_roles) :
    join("/", triple) => { door = triple[0], project = triple[1], role = triple[2] }
  }

  project = each.value.project
  role    = each.value.role
  member  = google_service_account.door[each.value.door].member
}
