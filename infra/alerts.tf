# Each alert's text says what it means and which part of docs/operate.md helps.
#
# The sweeper writes one line for every Execution that it re-drives, with `event` "redriven", and a
# door one with `event` "caller_refused" for every caller it turns away. docs/operate.md lists them.
locals {
  log_metrics = {
    redriven = {
      description = "Executions that had stalled and were re-driven by the sweeper."
      filter      = "jsonPayload.event=\"redriven\""
    }
    caller_refused = {
      description = "Calls that Cloud Run let through and the door's own check refused."
      filter      = "jsonPayload.event=\"caller_refused\""
    }
    errors = {
      description = "Lines of severity ERROR or above."
      filter      = "severity>=ERROR"
    }
  }

  services_filter = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=starts_with(\"${var.prefix}-\")"

  # What is too much, over which time. `per` is an aligner: a counter's growth, or a gauge's maximum.
  thresholds = {
    tasks-failing = {
      title     = "Tasks are failing"
      filter    = "metric.type=\"run.googleapis.com/request_count\" AND resource.type=\"cloud_run_revision\" AND metric.labels.response_code_class=\"5xx\" AND resource.labels.service_name=one_of(\"${local.names.turn}\", \"${local.names.delegation}\")"
      per       = "ALIGN_DELTA"
      above     = 10
      period    = "300s"
      severity  = "ERROR"
      about     = "Turn or delegation answered 5xx more than ten times in five minutes; the queue retries with backoff. See docs/operate.md, Tasks fail."
      reduce_by = ["resource.label.service_name"]
    }
    tasks-waiting = {
      title     = "Tasks pile up"
      filter    = "metric.type=\"cloudtasks.googleapis.com/queue/depth\" AND resource.type=\"cloud_tasks_queue\" AND resource.labels.queue_id=starts_with(\"${var.prefix}-\")"
      per       = "ALIGN_MIN"
      above     = 500
      period    = "900s"
      severity  = "WARNING"
      about     = "A queue held more than 500 tasks for a quarter of an hour. See docs/operate.md, Tasks pile up."
      reduce_by = ["resource.label.queue_id"]
    }
    executions-stalled = {
      title     = "Executions stalled"
      filter    = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.doors["redriven"].name}\" AND resource.type=\"cloud_run_revision\""
      per       = "ALIGN_DELTA"
      above     = 5
      period    = "900s"
      severity  = "WARNING"
      about     = "The sweeper re-drove more than five Executions in a quarter of an hour. One now and then is a lost instance; many are a fault. See docs/operate.md, An Execution stalls."
      reduce_by = []
    }
    dead-letters = {
      title     = "Messages in a dead-letter topic"
      filter    = "metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=one_of(\"${google_pubsub_subscription.dead["events"].name}\", \"${google_pubsub_subscription.dead["batches"].name}\")"
      per       = "ALIGN_MAX"
      above     = 0
      period    = "300s"
      severity  = "ERROR"
      about     = "An event or a batch could not be delivered in 20 attempts. See docs/operate.md, Dead letters."
      reduce_by = ["resource.label.subscription_id"]
    }
    callers-refused = {
      title     = "Callers refused by a door's own check"
      filter    = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.doors["caller_refused"].name}\" AND resource.type=\"cloud_run_revision\""
      per       = "ALIGN_DELTA"
      above     = 0
      period    = "300s"
      severity  = "ERROR"
      about     = "IAM let a caller through that the door refused: a grant was added outside Terraform, or an account changed. See docs/operate.md, Who may call whom."
      reduce_by = []
    }
  }
}

resource "google_logging_metric" "doors" {
  for_each = local.log_metrics

  project     = var.project_id
  name        = "${var.prefix}/${each.key}"
  description = each.value.description
  filter      = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^${var.prefix}-\" AND ${each.value.filter}"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"
  }

  depends_on = [google_project_service.api]
}

resource "google_monitoring_notification_channel" "email" {
  for_each = var.alert_emails

  project      = var.project_id
  display_name = each.value
  type         = "email"
  labels       = { email_address = each.value }

  depends_on = [google_project_service.api]
}

locals {
  channels = [for channel in google_monitoring_notification_channel.email : channel.id]
}

resource "google_monitoring_alert_policy" "threshold" {
  for_each = local.thresholds

  project               = var.project_id
  display_name          = "${var.prefix}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.channels

  conditions {
    display_name = each.value.title

    condition_threshold {
      filter          = each.value.filter
      comparison      = "COMPARISON_GT"
      threshold_value = each.value.above
      duration        = "0s"

      aggregations {
        alignment_period     = each.value.period
        per_series_aligner   = each.value.per
        cross_series_reducer = "REDUCE_SUM"
        group_by_fields      = each.value.reduce_by
      }
    }
  }

  documentation {
    content   = each.value.about
    mime_type = "text/markdown"
  }

  alert_strategy {
    auto_close = "86400s"
  }
}

# The sweeper is what finds everything else, so its silence is an alert of its own.
resource "google_monitoring_alert_policy" "sweep_silent" {
  project               = var.project_id
  display_name          = "${var.prefix}: The sweeper does not run"
  combiner              = "OR"
  severity              = "CRITICAL"
  notification_channels = local.channels

  conditions {
    display_name = "No answered sweep"

    condition_absent {
      filter   = "metric.type=\"run.googleapis.com/request_count\" AND resource.type=\"cloud_run_revision\" AND metric.labels.response_code_class=\"2xx\" AND resource.labels.service_name=\"${local.names.sweep}\""
      duration = "1800s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    content   = "No sweep was answered for half an hour: nothing re-drives stalled Executions. See docs/operate.md, An Execution stalls."
    mime_type = "text/markdown"
  }

  depends_on = [google_cloud_run_v2_service.door]
}
