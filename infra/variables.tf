variable "project_id" {
  description = "Id of the project that everything is created in. Use one that holds nothing else."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "Give the project's id (6 to 30 lower-case letters, digits, hyphens), not its name or number."
  }
}

variable "region" {
  description = "Region of the services, queues and images."
  type        = string
  default     = "us-central1"

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "Give a region such as us-central1, not a zone."
  }
}

variable "firestore_location" {
  description = "Location of the database: a region, or a multi-region such as nam5 or eur3. It can never be changed."
  type        = string
  default     = "us-central1"

  validation {
    condition     = can(regex("^(nam[0-9]+|eur[0-9]+|[a-z]+-[a-z]+[0-9]+)$", var.firestore_location))
    error_message = "Give a Firestore location such as us-central1, nam5 or eur3."
  }
}

variable "prefix" {
  description = "First part of the name of every resource."
  type        = string
  default     = "architect"

  validation {
    # A service account's name has at most 30 characters, and the longest ending has 17.
    condition     = can(regex("^[a-z][a-z0-9-]{1,10}[a-z0-9]$", var.prefix))
    error_message = "Use 3 to 12 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "image" {
  description = "The container image of every door, by digest. A tag is refused: it could change after the plan was read."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9.-]+/.+@sha256:[0-9a-f]{64}$", var.image))
    error_message = "Give the image by digest: REGION-docker.pkg.dev/PROJECT/REPOSITORY/NAME@sha256:…"
  }
}

variable "client_principals" {
  description = "Who may call the front and /generate, such as user:…, group:…, serviceAccount:…. Empty: nobody."
  type        = list(string)
  default     = []

  validation {
    condition = alltrue([
      for principal in var.client_principals :
      can(regex("^(user|group|serviceAccount|domain|principal|principalSet):.+", principal))
    ])
    error_message = "Each principal begins with user:, group:, serviceAccount:, domain:, principal: or principalSet:. Access for everybody is not offered."
  }
}

variable "batch_publishers" {
  description = "Who may start batches by publishing to the batches topic. Empty: only the scheduler."
  type        = list(string)
  default     = []

  validation {
    condition = alltrue([
      for principal in var.batch_publishers :
      can(regex("^(user|group|serviceAccount|principal|principalSet):.+", principal))
    ])
    error_message = "Each principal begins with user:, group:, serviceAccount:, principal: or principalSet:."
  }
}

variable "model" {
  description = "Model of every role: bundle (what the provider bundle names), offline, or a model's name."
  type        = string
  default     = "bundle"

  validation {
    condition     = length(trimspace(var.model)) > 0
    error_message = "Give bundle, offline or a model's name."
  }
}

variable "vertex_ai" {
  description = "Whether Gemini is reached through Vertex AI with the door's own identity, so that no key exists."
  type        = bool
  default     = true
}

variable "vertex_location" {
  description = "Location of the model endpoint on Vertex AI."
  type        = string
  default     = "global"

  validation {
    condition     = can(regex("^(global|us|eu|[a-z]+-[a-z]+[0-9]+)$", var.vertex_location))
    error_message = "Give global, us, eu or a region."
  }
}

variable "model_secrets" {
  description = "Model keys: environment variable to secret id, such as { GEMINI_API_KEY = \"gemini-api-key\" }. Terraform makes the secrets; a person adds the versions."
  type        = map(string)
  default     = {}

  validation {
    condition = alltrue([
      for name, id in var.model_secrets :
      can(regex("^[A-Z][A-Z0-9_]*$", name)) && can(regex("^[A-Za-z0-9_-]{1,255}$", id))
    ])
    error_message = "Map environment variables (capitals, digits, underscores) to ids of secrets. Never put a key itself here."
  }
}

variable "discovery_projects" {
  description = "Projects that the discovery tools may read when a user grants cloud_read. Empty: none."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for id in var.discovery_projects : can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", id))])
    error_message = "Give ids of projects."
  }
}

variable "max_instances" {
  description = "Most instances of each door. Turn and delegation also set how much their queues send at once."
  type = object({
    a2a        = optional(number, 10)
    generate   = optional(number, 10)
    turn       = optional(number, 20)
    delegation = optional(number, 50)
    notify     = optional(number, 5)
    evaluate   = optional(number, 5)
    sweep      = optional(number, 1)
  })
  default = {}

  validation {
    condition     = alltrue([for most in values(var.max_instances) : most >= 1 && most <= 1000 && floor(most) == most])
    error_message = "Each limit is a whole number from 1 to 1000."
  }
}

variable "dispatches_per_second" {
  description = "Most tasks a second that each queue sends. Cloud Tasks allows 500."
  type        = number
  default     = 50

  validation {
    condition     = var.dispatches_per_second >= 1 && var.dispatches_per_second <= 500
    error_message = "Give 1 to 500."
  }
}

variable "run_minutes" {
  description = "Deadline of one Turn or Delegation. The dispatch deadline and the service's time limit follow from it."
  type        = number
  default     = 12

  validation {
    # Dispatch deadline (+ 3) and service limit (+ 4) stay within Cloud Tasks' 30 minutes.
    condition     = var.run_minutes >= 1 && var.run_minutes <= 26 && floor(var.run_minutes) == var.run_minutes
    error_message = "Give whole minutes from 1 to 26."
  }
}

variable "sweep_schedule" {
  description = "When the sweeper looks for stalled Executions, in cron's form, UTC."
  type        = string
  default     = "* * * * *"

  validation {
    condition     = length(split(" ", var.sweep_schedule)) == 5
    error_message = "Give five fields separated by single blanks, such as */5 * * * *."
  }
}

variable "evaluation_schedule" {
  description = "When a batch evaluation starts, in cron's form, UTC. Empty: never."
  type        = string
  default     = ""

  validation {
    condition     = var.evaluation_schedule == "" || length(split(" ", var.evaluation_schedule)) == 5
    error_message = "Give five fields separated by single blanks, or nothing."
  }
}

variable "backup_retention_days" {
  description = "How long daily backups of the database are kept."
  type        = number
  default     = 30

  validation {
    condition     = var.backup_retention_days >= 1 && var.backup_retention_days <= 98
    error_message = "Firestore keeps a backup for 1 to 98 days (14 weeks)."
  }
}

variable "alert_emails" {
  description = "Addresses that alerts go to."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for address in var.alert_emails : can(regex("^[^@ ]+@[^@ ]+$", address))])
    error_message = "Give e-mail addresses."
  }
}

variable "billing_account" {
  description = "Billing account for the budget, such as 000000-AAAAAA-000000. Empty: no budget, and no alert about cost."
  type        = string
  default     = ""

  validation {
    condition     = var.billing_account == "" || can(regex("^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", var.billing_account))
    error_message = "Give the account's id as `gcloud billing accounts list` prints it."
  }
}

variable "monthly_budget" {
  description = "Budget of a month in whole units of the billing account's currency."
  type        = number
  default     = 200

  validation {
    condition     = var.monthly_budget >= 1 && floor(var.monthly_budget) == var.monthly_budget
    error_message = "Give a whole number from 1 on."
  }
}

variable "source_repository" {
  description = "Cloud Build (2nd generation) repository: projects/P/locations/R/connections/C/repositories/N. Empty: no triggers and no delivery accounts."
  type        = string
  default     = ""

  validation {
    condition     = var.source_repository == "" || can(regex("^projects/[^/]+/locations/[^/]+/connections/[^/]+/repositories/[^/]+$", var.source_repository))
    error_message = "Give the full name of a repository that is connected to Cloud Build."
  }
}

variable "state_bucket" {
  description = "Bucket of the Terraform state. Needed with source_repository, for the delivery accounts' rights on it."
  type        = string
  default     = ""

  validation {
    condition     = var.state_bucket != "" || var.source_repository == ""
    error_message = "Give the state's bucket: the delivery accounts need it."
  }
}

variable "base_digests" {
  description = "Digests of the images that infra/Dockerfile builds on, for the build trigger."
  type = object({
    python    = string
    terraform = string
  })
  default = { python = "", terraform = "" }

  validation {
    condition     = alltrue([for digest in values(var.base_digests) : digest == "" || can(regex("^sha256:[0-9a-f]{64}$", digest))])
    error_message = "A digest is sha256: and 64 hexadecimal digits."
  }
}
