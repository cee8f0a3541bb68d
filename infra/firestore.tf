resource "google_firestore_database" "ledger" {
  project                           = var.project_id
  name                              = "${var.prefix}-ledger"
  location_id                       = var.firestore_location
  type                              = "FIRESTORE_NATIVE"
  database_edition                  = "STANDARD"
  concurrency_mode                  = "OPTIMISTIC"
  app_engine_integration_mode       = "DISABLED"
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"
  delete_protection_state           = "DELETE_PROTECTION_ENABLED"

  # `terraform destroy` must not take the history with it.
  deletion_policy = "ABANDON"

  depends_on = [google_project_service.api]
}

resource "google_firestore_backup_schedule" "daily" {
  project   = var.project_id
  database  = google_firestore_database.ledger.name
  retention = "${var.backup_retention_days * 86400}s"

  daily_recurrence {}
}

# The lists: newest first, of an owner or of a Session. Firestore joins the two for a list of both.
resource "google_firestore_index" "executions" {
  for_each = toset(["owner", "session_id"])

  project     = var.project_id
  database    = google_firestore_database.ledger.name
  collection  = "executions"
  query_scope = "COLLECTION"

  fields {
    field_path = each.value
    order      = "ASCENDING"
  }

  fields {
    field_path = "updated_at"
    order      = "DESCENDING"
  }
}

# What the sweeper asks for. A query of one field needs a single-field index, no composite one; it
# is stated because the sweeper is lost without it.
resource "google_firestore_field" "stalls_at" {
  project    = var.project_id
  database   = google_firestore_database.ledger.name
  collection = "executions"
  field      = "stalls_at"

  index_config {
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION"
    }
  }
}

# Nobody looks for an Execution by these fields, and every index entry costs a write's time and
# storage; a text would be indexed by its first 1,500 bytes. The exemption of a map holds for all
# that is in it. The layout is engine/stores/layout.py.
#
# There is no time-to-live: no document of this layout is of no use after a while. Waits are expired
# by the sweeper, which also tells the user, and the history stays.
locals {
  unindexed = {
    executions = [
      "closed", "delegations", "extra_revisions", "failure", "inbox", "ledger", "limits",
      "recent_events", "recent_writes", "scripted_answers", "skills", "turn", "usage", "wait",
      "warnings",
    ]
    deliverables = ["attachments", "content"]
    revisions    = ["attachments", "content"]
    attachments  = ["text"]
    events       = ["events"]
    messages     = ["text"]
    pillars      = ["content"]
  }
}

resource "google_firestore_field" "unindexed" {
  for_each = merge([
    for collection, fields in local.unindexed : {
      for field in fields : "${collection}/${field}" => { collection = collection, field = field }
    }
  ]...)

  project    = var.project_id
  database   = google_firestore_database.ledger.name
  collection = each.value.collection
  field      = each.value.field

  index_config {}
}
