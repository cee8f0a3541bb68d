output "front_url" {
  description = "Address of the A2A front; its card lies below /.well-known/."
  value       = local.urls["a2a"]
}

output "generate_url" {
  description = "Address of POST /generate."
  value       = local.urls["generate"]
}

output "services" {
  description = "Door to name of its Cloud Run service."
  value       = { for door, service in google_cloud_run_v2_service.door : door => service.name }
}

output "image" {
  description = "The image that every door runs, by digest."
  value       = var.image
}

output "image_repository" {
  description = "Where images are pushed to."
  value       = "${var.region}-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.images.repository_id}"
}

output "database" {
  description = "Name of the Firestore database."
  value       = google_firestore_database.ledger.name
}

output "queues" {
  description = "Names of the queues of Turns and Delegations."
  value       = { for kind, queue in google_cloud_tasks_queue.queue : kind => queue.name }
}

output "topics" {
  description = "Names of the topics of events and batches."
  value       = { for kind, topic in google_pubsub_topic.topic : kind => topic.name }
}

output "door_accounts" {
  description = "Door to the service account that it runs as."
  value       = { for door, account in google_service_account.door : door => account.email }
}

output "caller_accounts" {
  description = "Accounts that call the inner doors."
  value       = { for caller, account in google_service_account.caller : caller => account.email }
}
