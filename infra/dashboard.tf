locals {
  charts = [
    {
      title   = "Requests a second, by door"
      filter  = "metric.type=\"run.googleapis.com/request_count\" AND ${local.services_filter}"
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      by      = ["resource.label.service_name"]
    },
    {
      title   = "Answers 5xx a second, by door"
      filter  = "metric.type=\"run.googleapis.com/request_count\" AND metric.labels.response_code_class=\"5xx\" AND ${local.services_filter}"
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      by      = ["resource.label.service_name"]
    },
    {
      title   = "Time to answer, 95th percentile, by door"
      filter  = "metric.type=\"run.googleapis.com/request_latencies\" AND ${local.services_filter}"
      aligner = "ALIGN_PERCENTILE_95"
      reducer = "REDUCE_MAX"
      by      = ["resource.label.service_name"]
    },
    {
      title   = "Instances, by door"
      filter  = "metric.type=\"run.googleapis.com/container/instance_count\" AND ${local.services_filter}"
      aligner = "ALIGN_MAX"
      reducer = "REDUCE_SUM"
      by      = ["resource.label.service_name"]
    },
    {
      title   = "Memory used, 99th percentile, by door"
      filter  = "metric.type=\"run.googleapis.com/container/memory/utilizations\" AND ${local.services_filter}"
      aligner = "ALIGN_PERCENTILE_99"
      reducer = "REDUCE_MAX"
      by      = ["resource.label.service_name"]
    },
    {
      title   = "Tasks waiting, by queue"
      filter  = "metric.type=\"cloudtasks.googleapis.com/queue/depth\" AND resource.type=\"cloud_tasks_queue\" AND resource.labels.queue_id=starts_with(\"${var.prefix}-\")"
      aligner = "ALIGN_MAX"
      reducer = "REDUCE_SUM"
      by      = ["resource.label.queue_id"]
    },
    {
      title   = "Task attempts a second, by answer"
      filter  = "metric.type=\"cloudtasks.googleapis.com/queue/task_attempt_count\" AND resource.type=\"cloud_tasks_queue\" AND resource.labels.queue_id=starts_with(\"${var.prefix}-\")"
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      by      = ["resource.label.queue_id", "metric.label.response_code"]
    },
    {
      title   = "Executions re-driven by the sweeper"
      filter  = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.doors["redriven"].name}\" AND resource.type=\"cloud_run_revision\""
      aligner = "ALIGN_DELTA"
      reducer = "REDUCE_SUM"
      by      = []
    },
    {
      title   = "Documents written a second"
      filter  = "metric.type=\"firestore.googleapis.com/document/write_ops_count\""
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      by      = []
    },
    {
      title   = "Messages not delivered, by subscription"
      filter  = "metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=starts_with(\"${var.prefix}-\")"
      aligner = "ALIGN_MAX"
      reducer = "REDUCE_SUM"
      by      = ["resource.label.subscription_id"]
    },
  ]
}

resource "google_monitoring_dashboard" "overview" {
  project = var.project_id

  dashboard_json = jsonencode({
    displayName = "${var.prefix}: overview"
    mosaicLayout = {
      columns = 12
      tiles = [
        for index, chart in local.charts : {
          xPos   = (index % 2) * 6
          yPos   = floor(index / 2) * 4
          width  = 6
          height = 4
          widget = {
            title = chart.title
            xyChart = {
              dataSets = [{
                plotType = "LINE"
                timeSeriesQuery = {
                  timeSeriesFilter = {
                    filter = chart.filter
                    aggregation = {
                      alignmentPeriod    = "60s"
                      perSeriesAligner   = chart.aligner
                      crossSeriesReducer = chart.reducer
                      groupByFields      = chart.by
                    }
                  }
                }
              }]
            }
          }
        }
      ]
    }
  })

  depends_on = [google_project_service.api]
}
