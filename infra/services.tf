locals {
  # Read by functions/settings.py; docs/reference.md lists the meanings.
  settings = {
    SOLUTION_ARCHITECT_BACKEND            = "google"
    SOLUTION_ARCHITECT_DATABASE           = google_firestore_database.ledger.name
    SOLUTION_ARCHITECT_TURN_QUEUE         = google_cloud_tasks_queue.queue["turns"].id
    SOLUTION_ARCHITECT_DELEGATION_QUEUE   = google_cloud_tasks_queue.queue["delegations"].id
    SOLUTION_ARCHITECT_TURN_URL           = local.urls["turn"]
    SOLUTION_ARCHITECT_DELEGATION_URL     = local.urls["delegation"]
    SOLUTION_ARCHITECT_TURN_ACCOUNT       = google_service_account.caller["turn-tasks"].email
    SOLUTION_ARCHITECT_DELEGATION_ACCOUNT = google_service_account.caller["delegation-tasks"].email
    SOLUTION_ARCHITECT_TASK_ATTEMPTS      = tostring(local.task_attempts)
    SOLUTION_ARCHITECT_DISPATCH_SECONDS   = tostring(local.dispatch_seconds)
    SOLUTION_ARCHITECT_RUN_MINUTES        = tostring(var.run_minutes)
    SOLUTION_ARCHITECT_EVENTS_TOPIC       = google_pubsub_topic.topic["events"].id
    # Cloud Run verifies tokens and hands them on without their signature (invoker_iam_disabled).
    SOLUTION_ARCHITECT_BEHIND_IAM = "true"
    GOOGLE_CLOUD_PROJECT          = var.project_id
  }

  # Only the doors that run agents know of models.
  agent_settings = merge(
    { SOLUTION_ARCHITECT_MODEL = var.model },
    var.vertex_ai ? {
      GOOGLE_GENAI_USE_VERTEXAI = "true"
      GOOGLE_CLOUD_LOCATION     = var.vertex_location
    } : {},
  )
}

resource "google_cloud_run_v2_service" "door" {
  for_each = local.doors

  project  = var.project_id
  name     = local.names[each.key]
  location = var.region
  labels   = local.labels
  # Cloud Tasks, Pub/Sub and Cloud Scheduler of the same project count as internal.
  ingress = each.value.clients ? "INGRESS_TRAFFIC_ALL" : "INGRESS_TRAFFIC_INTERNAL_ONLY"
  # A door holds no state: the documents are protected, not the service.
  deletion_protection  = false
  invoker_iam_disabled = false

  template {
    service_account                  = google_service_account.door[each.key].email
    timeout                          = "${each.value.timeout}s"
    max_instance_request_concurrency = each.value.concurrency
    execution_environment            = "EXECUTION_ENVIRONMENT_GEN2"
    labels                           = local.labels

    scaling {
      min_instance_count = 0
      max_instance_count = var.max_instances[each.key]
    }

    containers {
      image = var.image

      ports {
        container_port = 8080
      }

      resources {
        limits            = { cpu = each.value.cpu, memory = each.value.memory }
        cpu_idle          = true
        startup_cpu_boost = true
      }

      dynamic "env" {
        for_each = merge(
          local.settings,
          each.value.agents ? local.agent_settings : {},
          {
            FUNCTION_TARGET             = each.key
            SOLUTION_ARCHITECT_AUDIENCE = local.urls[each.key]
            # The second check of an inner door, in code: the e-mail in the verified token.
            SOLUTION_ARCHITECT_CALLERS = each.value.clients ? "" : join(",", [
              for caller in local.callers[each.key] : google_service_account.caller[caller].email
            ])
          },
        )

        content {
          name  = env.key
          value = env.value
        }
      }

      dynamic "env" {
        for_each = each.value.agents ? var.model_secrets : {}

        content {
          name = env.key

          value_source {
            secret_key_ref {
              secret  = google_secret_manager_secret.model[env.key].secret_id
              version = "latest"
            }
          }
        }
      }

      # /healthz touches nothing. A probe reaches the container itself; from outside Cloud Run keeps
      # paths that end in z to itself.
      startup_probe {
        period_seconds    = 2
        timeout_seconds   = 2
        failure_threshold = 30

        http_get {
          path = "/healthz"
          port = 8080
        }
      }

      liveness_probe {
        period_seconds    = 30
        timeout_seconds   = 10
        failure_threshold = 4

        http_get {
          path = "/healthz"
          port = 8080
        }
      }
    }
  }

  traffic {
    type    = "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST"
    percent = 100
  }

  depends_on = [
    google_project_iam_member.documents,
    google_secret_manager_secret_iam_member.model,
  ]
}
