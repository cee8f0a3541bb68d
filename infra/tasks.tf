# Two queues, so that a flood of Delegations never delays a Turn. The dispatch deadline belongs to a
# task, not to a queue: the doors set it from SOLUTION_ARCHITECT_DISPATCH_SECONDS.
locals {
  # The handler compares its RetryCount with this number to know its last attempt, so queue and
  # handler must have the same one. Waits between ten attempts add up to 20 minutes: longer than a
  # claim, so that a duplicate outlives the delivery that it waits for.
  task_attempts = 10
}

resource "google_cloud_tasks_queue" "queue" {
  for_each = { turns = "turn", delegations = "delegation" }

  project  = var.project_id
  name     = "${var.prefix}-${each.key}"
  location = var.region

  rate_limits {
    max_dispatches_per_second = var.dispatches_per_second
    # What the instances can hold; more would only come back as 429.
    max_concurrent_dispatches = min(5000, var.max_instances[each.value] * local.doors[each.value].concurrency)
  }

  retry_config {
    max_attempts = local.task_attempts
    # No time limit: retrying stops only when both limits are reached.
    max_retry_duration = "0s"
    min_backoff        = "5s"
    max_backoff        = "300s"
    max_doublings      = 6
  }

  stackdriver_logging_config {
    sampling_ratio = 1
  }

  depends_on = [google_project_service.api]
}
