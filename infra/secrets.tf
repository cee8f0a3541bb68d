# The containers of the keys. A version is added by a person (docs/operate.md: rotate keys) and never
# passes through Terraform, so no key is ever in a plan or in the state.
resource "google_secret_manager_secret" "model" {
  for_each = var.model_secrets

  project             = var.project_id
  secret_id           = each.value
  labels              = local.labels
  version_destroy_ttl = "604800s"

  replication {
    auto {}
  }

  depends_on = [google_project_service.api]
}

resource "google_secret_manager_secret_iam_member" "model" {
  for_each = {
    for pair in setproduct(local.with["models"], keys(var.model_secrets)) :
    "${pair[0]}/${pair[1]}" => { door = pair[0], name = pair[1] }
  }

  project   = var.project_id
  secret_id = google_secret_manager_secret.model[each.value.name].secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.door[each.value.door].member
}
