# Two topics: what happened (events, in order for one Execution) and what to start (batches).
locals {
  topics = toset(["events", "batches"])

  # Every subscriber gets its own copy. Both see every event and drop what is not theirs.
  subscriptions = {
    events-notify    = { topic = "events", door = "notify", caller = "notify-push" }
    events-evaluate  = { topic = "events", door = "evaluate", caller = "evaluate-push" }
    batches-evaluate = { topic = "batches", door = "evaluate", caller = "evaluate-push" }
  }

  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_pubsub_topic" "topic" {
  for_each = local.topics

  project                    = var.project_id
  name                       = "${var.prefix}-${each.key}"
  labels                     = local.labels
  message_retention_duration = "604800s"

  # Order holds within a region only.
  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.api]
}

resource "google_pubsub_topic" "dead" {
  for_each = local.topics

  project                    = var.project_id
  name                       = "${var.prefix}-${each.key}-dead"
  labels                     = local.labels
  message_retention_duration = "604800s"

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.api]
}

resource "google_pubsub_subscription" "push" {
  for_each = local.subscriptions

  project                    = var.project_id
  name                       = "${var.prefix}-${each.key}"
  topic                      = google_pubsub_topic.topic[each.value.topic].id
  labels                     = local.labels
  enable_message_ordering    = true
  ack_deadline_seconds       = min(600, local.doors[each.value.door].timeout)
  message_retention_duration = "604800s"

  push_config {
    push_endpoint = "${local.urls[each.value.door]}/${each.value.topic}"

    oidc_token {
      service_account_email = google_service_account.caller[each.value.caller].email
      audience              = local.urls[each.value.door]
    }
  }

  retry_policy {
    minimum_backoff = "5s"
    maximum_backoff = "600s"
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead[each.value.topic].id
    max_delivery_attempts = 20
  }

  # Never expires, however long nothing is published.
  expiration_policy {
    ttl = ""
  }

  depends_on = [
    google_cloud_run_v2_service_iam_member.caller,
    google_pubsub_topic_iam_member.dead_letters,
  ]
}

# Where a person reads what could not be delivered (docs/operate.md: dead letters).
resource "google_pubsub_subscription" "dead" {
  for_each = local.topics

  project                    = var.project_id
  name                       = "${var.prefix}-${each.key}-dead"
  topic                      = google_pubsub_topic.dead[each.key].id
  labels                     = local.labels
  ack_deadline_seconds       = 60
  message_retention_duration = "2678400s"

  expiration_policy {
    ttl = ""
  }
}

# Pub/Sub's own agent moves a message: it publishes to the dead-letter topic and acknowledges the
# message where it came from.
resource "google_pubsub_topic_iam_member" "dead_letters" {
  for_each = local.topics

  project = var.project_id
  topic   = google_pubsub_topic.dead[each.key].name
  role    = "roles/pubsub.publisher"
  member  = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "dead_letters" {
  for_each = local.subscriptions

  project      = var.project_id
  subscription = google_pubsub_subscription.push[each.key].name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}
