"""The argument check: each kind of finding, what it passes, and what it says it left out."""

from __future__ import annotations

import pytest

from agents.runtime import Attachment
from agents.tools.files import BadFiles
from agents.tools.iac_schema import Problem, SchemaReport, iac_schema_check
from agents.tools.schema_table import load_table

GOOD = """
terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 8.7"
    }
  }
}

provider "google" {
  project = var.project_id
  region  = local.region
}

variable "project_id" {
  type = string
}

variable "ranges" {
  type    = list(object({ name = string, value = string }))
  default = []
}

locals {
  region = "europe-west3"
  names  = { for key, net_work in { a = "b" } : key => net_work.id }
}

data "google_project" "this" {}

resource "google_compute_network" "main" {
  name                    = "main"
  auto_create_subnetworks = false
}

resource "google_sql_database_instance" "main" {
  name                = "orders"
  database_version    = "POSTGRES_16"
  deletion_protection = "true"

  settings {
    tier      = "db-custom-4-16384"
    disk_size = "100"
    user_labels = {
      team = "orders"
    }

    ip_configuration {
      ipv4_enabled    = false
      private_network = google_compute_network.main.id

      dynamic "authorized_networks" {
        for_each = var.ranges
        iterator = range_of
        content {
          name  = range_of.value.name
          value = range_of.value.value
        }
      }
    }
  }

  timeouts {
    create = "60m"
  }

  lifecycle {
    ignore_changes = [settings[0].disk_size]
  }

  depends_on = [google_compute_network.main]
}

resource "google_compute_ha_vpn_gateway" "main" {
  count   = 1
  name    = "vpn"
  network = google_compute_network.main.self_link

  vpn_interfaces {
    id = 0
  }
}

output "connection" {
  value = google_sql_database_instance.main.connection_name
}

output "number" {
  value = data.google_project.this.number
}

output "gateways" {
  value = google_compute_ha_vpn_gateway.main[*].id
}
"""


def check(text: str, **more: str) -> SchemaReport:
    files = {"main": text, **more}
    return iac_schema_check(
        [Attachment(path=f"terraform/{name}.tf", text=t) for name, t in files.items()]
    )


def only(report: SchemaReport) -> tuple[Problem, str, str]:
    assert len(report.findings) == 1, report.findings
    (finding,) = report.findings
    return finding.problem, finding.address, finding.message


def test_a_good_solution_passes_and_names_the_provider_version() -> None:
    report = check(GOOD)
    assert report.findings == ()
    assert report.passed
    assert report.blocks_checked == 5
    assert report.provider_version == load_table().version
    assert report.provider_version in report.engine


SQL = """resource "google_sql_database_instance" "main" {
  database_version = "POSTGRES_16"
  %s
}
"""


@pytest.mark.parametrize(
    ("inside", "problem", "words"),
    [
        ('tier = "x"', Problem.UNKNOWN_ARGUMENT, "belongs inside settings"),
        ('rigion = "x"', Problem.UNKNOWN_ARGUMENT, "Did you mean region"),
        ("nonsense {}", Problem.UNKNOWN_ARGUMENT, "no block 'nonsense'"),
        ('connection_name = "x"', Problem.READ_ONLY, "can only be read"),
        ('id = "x"', Problem.READ_ONLY, "can only be read"),
        ("settings {}", Problem.MISSING_ARGUMENT, "'tier' is missing"),
        ('settings = { tier = "x" }', Problem.WRONG_FORM, "settings is a block"),
        ("replica_names {}", Problem.WRONG_FORM, "replica_names is an argument"),
        ('deletion_protection = "no"', Problem.WRONG_TYPE, "takes true or false"),
        ("node_count = true", Problem.WRONG_TYPE, "takes a number"),
        ('node_count = "many"', Problem.WRONG_TYPE, "takes a number"),
        ("name = []", Problem.WRONG_TYPE, "takes a string"),
        ('replica_names = "a"', Problem.WRONG_TYPE, "takes a list"),
        ('name = "a"\n  name = "b"', Problem.DUPLICATE, "name is set twice"),
        ("name = var.none", Problem.UNDECLARED, "no variable 'none'"),
        ("name = local.none", Problem.UNDECLARED, "no local value 'none'"),
        ("name = module.none.x", Problem.UNDECLARED, "no module 'none'"),
        ("name = google_project.none.name", Problem.UNDECLARED, "google_project.none"),
        ('name = "${data.google_project.none.name}"', Problem.UNDECLARED, "google_project.none"),
        ("name = random_id.none.hex", Problem.UNDECLARED, "random_id.none"),
        (
            'settings {\n    tier = "x"\n    user_labels = "x"\n  }',
            Problem.WRONG_TYPE,
            "takes a map",
        ),
        (
            'settings {\n    tier = "x"\n  }\n  settings {\n    tier = "y"\n  }',
            Problem.TOO_MANY_BLOCKS,
            "settings may be given 1 time(s), here 2",
        ),
        (
            'settings {\n    tier = "x"\n    dynamic "database_flags" {\n      for_each = []\n'
            '      content {\n        name = "x"\n      }\n    }\n  }',
            Problem.MISSING_ARGUMENT,
            "'value' is missing",
        ),
        (
            'settings {\n    tier = "x"\n    dynamic "database_flags" {\n      for_each = []\n'
            "    }\n  }",
            Problem.MISSING_BLOCK,
            "no content block",
        ),
    ],
)
def test_findings_inside_a_resource(inside: str, problem: Problem, words: str) -> None:
    found, address, message = only(check(SQL % inside))
    assert found is problem
    assert address.startswith("google_sql_database_instance.main")
    assert words in message


@pytest.mark.parametrize(
    ("text", "problem", "words"),
    [
        (
            'resource "google_sql_databse" "x" {}',
            Problem.UNKNOWN_TYPE,
            "Did you mean google_sql_database",
        ),
        ('data "google_storage_buckt" "x" {}', Problem.UNKNOWN_TYPE, "google_storage_bucket"),
        (
            'resource "google_client_config" "x" {}',
            Problem.UNKNOWN_TYPE,
            "exists as a data block",
        ),
        ('resource "google_project" {}', Problem.WRONG_FORM, "needs two labels"),
        ('provider "google" {\n  regoin = "x"\n}', Problem.UNKNOWN_ARGUMENT, "mean region"),
        ('variable "a" {}\nvariable "a" {}', Problem.DUPLICATE, "terraform/main.tf line 1"),
        ("locals {\n  a = 1\n  a = 2\n}", Problem.DUPLICATE, "a is set twice"),
        ('output "x" {\n  value = \n}', Problem.SYNTAX, "cannot be read"),
        (
            'data "google_project" "p" {}\noutput "x" {\n  value = data.google_project.p.nmber\n}',
            Problem.UNDECLARED,
            "Did you mean number",
        ),
        (
            'resource "google_compute_firewall" "x" {\n  name    = "x"\n}',
            Problem.MISSING_ARGUMENT,
            "'network' is missing",
        ),
        (
            'resource "google_storage_bucket" "x" {\n  name     = "x"\n  location = "EU"\n'
            "  lifecycle_rule {\n    condition {\n      age = 30\n    }\n  }\n}",
            Problem.MISSING_BLOCK,
            "'action' is missing",
        ),
    ],
)
def test_findings_outside_of_one(text: str, problem: Problem, words: str) -> None:
    report = check(text)
    assert not report.passed
    finding = next(f for f in report.findings if f.problem is problem)
    assert words in finding.message


def test_files_of_one_folder_are_one_module_and_others_are_not() -> None:
    use = 'output "x" {\n  value = var.region\n}\n'
    declare = 'variable "region" {}\n'
    assert check(use, variables=declare).passed
    elsewhere = [
        Attachment(path="terraform/main.tf", text=use),
        Attachment(path="terraform/modules/net/variables.tf", text=declare),
    ]
    assert only(iac_schema_check(elsewhere))[0] is Problem.UNDECLARED


def test_lines_are_those_of_the_file() -> None:
    (finding,) = check(SQL % 'tier = "x"').findings
    assert (finding.path, finding.line) == ("terraform/main.tf", 3)


def test_what_cannot_be_judged_is_listed() -> None:
    report = check(
        'terraform {\n  required_providers {\n    google = { version = "~> 6.0" }\n  }\n}\n'
        'resource "random_id" "x" {\n  byte_lenght = 4\n}\n'
        'resource "google_project" "x" {\n  provider = google-beta\n  novel    = 1\n}\n'
        'module "net" {\n  source = "./net"\n  any    = 1\n}\n'
        'output "x" {\n  value = google_project.x.novel_too\n}\n'
    )
    assert report.passed
    listed = "\n".join(report.not_checked)
    for words in ("random_id", "google_project.x: uses google-beta", "module.net", "(~> 6.0)"):
        assert words in listed


def test_a_pin_that_allows_the_tables_version_is_no_remark() -> None:
    assert "pinned" not in "\n".join(check(GOOD).not_checked)


def test_terraform_in_json_is_listed() -> None:
    files = [
        Attachment(path="terraform/main.tf", text=""),
        Attachment(path="terraform/x.tf.json", text="{}"),
    ]
    assert "terraform/x.tf.json: JSON syntax" in iac_schema_check(files).not_checked


def test_unusable_files_raise() -> None:
    with pytest.raises(BadFiles):
        iac_schema_check([Attachment(path="../main.tf", text="")])


def test_an_empty_list_clears_a_block() -> None:
    text = (
        'resource "google_compute_instance" "x" {\n  name = "x"\n  machine_type = "e2-small"\n'
        "  guest_accelerator = []\n  boot_disk {}\n  network_interface {}\n}\n"
    )
    assert check(text).findings == ()


def test_moved_blocks_and_checks_may_name_what_is_gone_or_their_own() -> None:
    text = (
        "moved {\n  from = google_project.old\n  to   = google_project.new\n}\n"
        'check "health" {\n  data "google_project" "c" {}\n  assert {\n'
        '    condition     = data.google_project.c.number != ""\n    error_message = "x"\n  }\n}\n'
    )
    assert check(text).findings == ()
