resource "google_cloud_scheduler_job" "sweep" {
  project          = var.project_id
  region           = var.region
  name             = "${var.prefix}-sweep"
  description      = "Re-drives what stalled, publishes events left behind, expires waits."
  schedule         = var.sweep_schedule
  time_zone        = "Etc/UTC"
  attempt_deadline = "${local.doors.sweep.timeout}s"

  # The next tick comes soon and sweeping is idempotent: no retries of one tick.
  retry_config {
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = local.urls["sweep"]

    oidc_token {
      service_account_email = google_service_account.caller["sweep-clock"].email
      audience              = local.urls["sweep"]
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.caller]
}

resource "google_cloud_scheduler_job" "evaluation" {
  count = var.evaluation_schedule == "" ? 0 : 1

  project     = var.project_id
  region      = var.region
  name        = "${var.prefix}-evaluation"
  description = "Starts a batch evaluation."
  schedule    = var.evaluation_schedule
  time_zone   = "Etc/UTC"

  pubsub_target {
    topic_name = google_pubsub_topic.topic["batches"].id
    data       = base64encode(jsonencode({ evaluation = { cases = "*" } }))
  }
}
