# The state lies in a versioned bucket that a person makes once (docs/deploy.md); its name is given
# to `terraform init`, so that this text serves every project.
terraform {
  required_version = ">= 1.9, < 2.0"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "8.7.0"
    }
  }

  backend "gcs" {
    prefix = "solution-architect"
  }
}

# Budgets and a few other services need a project to count quota against.
provider "google" {
  project               = var.project_id
  region                = var.region
  user_project_override = true
  billing_project       = var.project_id
}

data "google_project" "this" {
  project_id = var.project_id
}
