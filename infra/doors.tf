# The doors: one Cloud Run service each, all from one image. Everything that differs between them
# stands here; tests/unit/test_infra.py holds these tables against docs/operate.md and against each
# other.
locals {
  # Claims last run_minutes + 1. The queue gives a delivery up after that, the service after the queue.
  dispatch_seconds = (var.run_minutes + 3) * 60
  run_seconds      = (var.run_minutes + 4) * 60

  # cpu below 1 would force concurrency 1, so small doors have one vCPU and little memory.
  doors = {
    a2a        = { cpu = "1", memory = "512Mi", concurrency = 80, timeout = 1800, clients = true, agents = false }
    generate   = { cpu = "1", memory = "512Mi", concurrency = 40, timeout = 1800, clients = true, agents = false }
    turn       = { cpu = "1", memory = "1Gi", concurrency = 4, timeout = local.run_seconds, clients = false, agents = true }
    delegation = { cpu = "1", memory = "2Gi", concurrency = 2, timeout = local.run_seconds, clients = false, agents = true }
    notify     = { cpu = "1", memory = "512Mi", concurrency = 40, timeout = 60, clients = false, agents = false }
    evaluate   = { cpu = "1", memory = "512Mi", concurrency = 8, timeout = 300, clients = false, agents = false }
    sweep      = { cpu = "1", memory = "512Mi", concurrency = 1, timeout = 300, clients = false, agents = false }
  }

  # Who may call an inner door: an account whose only right that is. The front and /generate are
  # called by var.client_principals, and by nobody else.
  callers = {
    turn       = ["turn-tasks"]
    delegation = ["delegation-tasks"]
    notify     = ["notify-push"]
    evaluate   = ["evaluate-push"]
    sweep      = ["sweep-clock"]
  }

  # What a door's own account may do; each word is one grant in identities.tf.
  rights = {
    a2a        = ["documents", "enqueue", "publish", "telemetry"]
    generate   = ["documents", "enqueue", "publish", "telemetry"]
    turn       = ["documents", "enqueue", "publish", "telemetry", "models"]
    delegation = ["documents", "enqueue", "publish", "telemetry", "models", "discovery"]
    notify     = ["documents", "telemetry"]
    evaluate   = ["documents", "enqueue", "publish", "telemetry"]
    sweep      = ["documents", "enqueue", "publish", "telemetry"]
  }

  names = { for door, _ in local.doors : door => "${var.prefix}-${door}" }

  # Known before a service exists, so that a door can be told another's address, and its own.
  urls = {
    for door, name in local.names :
    door => "https://${name}-${data.google_project.this.number}.${var.region}.run.app"
  }

  with = {
    for right in toset(flatten(values(local.rights))) :
    right => toset([for door, rights in local.rights : door if contains(rights, right)])
  }

  labels = { application = var.prefix }
}
