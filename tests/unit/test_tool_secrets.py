"""Secrets in Terraform: found by name and by shape, and what is none."""

from __future__ import annotations

import pytest

from agents.runtime import Attachment
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_secrets import is_secret_name


def secrets(text: str, path: str = "terraform/main.tf") -> list[tuple[int, str]]:
    report = iac_policy_check([Attachment(path=path, text=text)])
    return [(f.line, f.message) for f in report.findings if f.rule == "plaintext-secret"]


def block(inside: str, head: str = 'resource "google_x" "y"') -> str:
    return f"{head} {{\n{inside}\n}}\n"


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "db_password",
        "DB_PASSWORD",
        "rootPassword",
        "root_password_wo",
        "secret_data",
        "client_secret",
        "api-key",
        "apiKey",
        "private_key",
        "auth_token",
        "connection_string",
        "token",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "secret_id",
        "db_password_secret_id",
        "password_wo_version",
        "token_lifetime",
        "kms_key_name",
        "public_key",
        "password_policy",
        "secretary",
        "tokenizer",
        "key",
    ],
)
def test_names_of_other_things(name: str) -> None:
    assert not is_secret_name(name)


# Put together here, so that this file itself holds nothing that looks like a secret.
SHAPES = [
    "-----BEGIN " + "RSA PRIVATE KEY-----",
    "AIza" + "B" * 35,
    "AKIA" + "ABCDEFGHIJKLMNOP",
    "ghp_" + "a1" * 18,
    "GOCSPX-" + "x" * 24,
    "sk_live_" + "4" * 20,
    "eyJ" + "a" * 12 + ".eyJ" + "b" * 12 + "." + "c" * 12,
    "postgres://app:" + "s3cret" + "@10.0.0.3/orders",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_found_wherever_they_stand(shape: str) -> None:
    assert secrets(block(f'  note = "{shape}"'))[0][0] == 2
    assert secrets(f"# {shape}\n")
    assert secrets(f"echo {shape}\n", "terraform/scripts/start.sh")


def test_a_service_account_key_file_is_found() -> None:
    assert secrets('{\n  "private_key": "abc"\n}\n', "terraform/key.json")


@pytest.mark.parametrize(
    "text",
    [
        block('  password = "hunter2"'),
        block('  settings {\n    auth_token = "x"\n  }'),
        block('  environment_variables = {\n    DB_PASSWORD = "x"\n  }'),
        block('  body = jsonencode({ user = { "password" = "x" } })'),
        block('  template {\n    env {\n      name  = "API_KEY"\n      value = "x"\n    }\n  }'),
        block('  db_password = "x"', "locals"),
        block('  default = "x"', 'variable "db_password"'),
        block('  default = { user = "a", password = "x" }', 'variable "database"'),
        block('  secret = "x"', 'provider "other"'),
    ],
)
def test_plain_text_under_a_secrets_name_is_found(text: str) -> None:
    assert len(secrets(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        block("  password = var.db_password"),
        block('  password = ""'),
        block("  password = null"),
        block("  password = random_password.db.result"),
        block('  password = "${var.a}-${var.b}"'),
        block('  secret = "db-password"'),
        block('  secret_key_ref {\n    secret  = "db-password"\n    version = "latest"\n  }'),
        block('  private_key = "projects/p/secrets/key/versions/1"'),
        block('  encryption_key = "projects/p/locations/eu/keyRings/r/cryptoKeys/k"'),
        block('  labels = {\n    token = "none"\n  }'),
        block('  name  = "DB_PASSWORD"\n  value = "x"'),
        block('  description = "the password comes from Secret Manager"'),
        block("  type      = string\n  sensitive = true", 'variable "db_password"'),
        block('  default = "db-password"', 'variable "db_password_secret_id"'),
        block('  url = "postgres://${var.user}:${var.password}@host/db"'),
    ],
)
def test_references_names_and_empty_values_are_no_secrets(text: str) -> None:
    assert secrets(text) == []


def test_variable_files_are_read() -> None:
    assert secrets('db_password = "hunter2"\n', "terraform/prod.tfvars")
    assert secrets('db_password = "hunter2"\n', "terraform/terraform.tfvars.example")


@pytest.mark.parametrize("value", ["<your password>", "REPLACE_ME", "change-me", "..."])
def test_a_placeholder_is_fine_in_an_example_and_nowhere_else(value: str) -> None:
    text = f'db_password = "{value}"\n'
    assert secrets(text, "terraform/terraform.tfvars.example") == []
    assert secrets(text, "terraform/terraform.tfvars")
    assert secrets(block(f'  default = "{value}"', 'variable "db_password"'))


def test_one_line_is_reported_once_and_the_secret_is_not_repeated() -> None:
    found = secrets(block(f'  password = "{SHAPES[1]}"'))
    assert len(found) == 1
    assert SHAPES[1] not in found[0][1]
