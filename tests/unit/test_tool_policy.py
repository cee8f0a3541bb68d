"""The policy rules: for each rule a text that breaks it and one that keeps it."""

from __future__ import annotations

import pytest

from agents.runtime import Attachment
from agents.tools.iac_policy import ENGINE, POLICY_RULES, PolicyReport, iac_policy_check
from agents.tools.iac_rules import Severity

TERRAFORM = """terraform {
  required_version = ">= 1.9"
  backend "gcs" {}
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 8.7"
    }
  }
}
"""


def check(text: str, *, allow_public: bool = False, **more: str) -> PolicyReport:
    files = [Attachment(path="terraform/main.tf", text=TERRAFORM + text)] + [
        Attachment(path=f"terraform/{name.replace('__', '.')}", text=t) for name, t in more.items()
    ]
    return iac_policy_check(files, allow_public=allow_public)


def rules(report: PolicyReport) -> set[str]:
    return {finding.rule for finding in report.findings}


def resource(type_name: str, inside: str) -> str:
    return f'resource "{type_name}" "x" {{\n{inside}\n}}\n'


def sql(ip: str = "", *, top: str = "", settings: str = "") -> str:
    return resource(
        "google_sql_database_instance",
        f"{top}\nsettings {{\n backup_configuration {{\n enabled = true\n }}\n{settings}\n"
        f'ip_configuration {{\n ipv4_enabled = false\n ssl_mode = "ENCRYPTED_ONLY"\n{ip}\n}}\n}}',
    )


def bucket(inside: str) -> str:
    return resource("google_storage_bucket", inside)


def firewall(inside: str) -> str:
    return resource("google_compute_firewall", inside)


OPEN_BUCKET = 'public_access_prevention = "enforced"\nuniform_bucket_level_access = true'
EVERYWHERE = 'source_ranges = ["0.0.0.0/0"]'
TCP = 'allow {\n protocol = "tcp"\n ports = ["%s"]\n}'

CASES: list[tuple[str, str, str]] = [
    # rule, breaks it, keeps it
    ("file-not-readable", "x {\n", "locals {}\n"),
    (
        "provider-not-pinned",
        resource("random_id", "byte_length = 4"),
        resource("terraform_data", "input = 1") + bucket(OPEN_BUCKET),
    ),
    (
        "plaintext-secret",
        resource("google_sql_user", 'password = "hunter2"'),
        resource("google_sql_user", "password_wo = ephemeral.random_password.db.result"),
    ),
    (
        "basic-role",
        resource("google_project_iam_member", 'role = "roles/editor"'),
        resource("google_project_iam_member", 'role = "roles/run.editor"'),
    ),
    (
        "basic-role",
        'locals {\n  roles = ["roles/viewer", "roles/owner"]\n}\n',
        'variable "r" {\n  description = "never roles/owner"\n'
        '  validation {\n    condition     = var.r != "roles/owner"\n'
        '    error_message = "not roles/owner"\n  }\n}\n',
    ),
    ("basic-role", 'locals {\n  s = "roles/owne\\u0072"\n}\n', ""),
    (
        "public-access",
        resource("google_cloud_run_v2_service_iam_member", 'member = "allUsers"'),
        resource("google_cloud_run_v2_service_iam_member", 'member = "group:all@example.com"'),
    ),
    (
        "public-access",
        resource("google_storage_bucket_access_control", 'entity = "allAuthenticatedUsers"'),
        resource("google_storage_bucket_access_control", 'entity = "domain-example.com"'),
    ),
    (
        "public-access",
        resource("google_storage_bucket_acl", 'predefined_acl = "publicRead"'),
        resource("google_storage_bucket_acl", 'predefined_acl = "private"'),
    ),
    (
        "public-access",
        resource(
            "google_cloud_run_v2_service",
            "invoker_iam_disabled = var.open\ntemplate {\n service_account = local.sa\n}",
        )
        + 'variable "open" {\n  default = true\n}\n',
        resource("google_cloud_run_v2_service", "invoker_iam_disabled = false"),
    ),
    ("sql-public-address", sql("").replace("ipv4_enabled = false", ""), sql()),
    ("sql-public-address", sql("").replace("= false", "= true"), sql()),
    (
        "network-open-to-all",
        sql('authorized_networks {\n value = "0.0.0.0/0"\n}'),
        sql('authorized_networks {\n value = "203.0.113.0/24"\n}'),
    ),
    (
        "network-open-to-all",
        resource(
            "google_container_cluster",
            'master_authorized_networks_config {\n dynamic "cidr_blocks" {\n for_each = [1]\n'
            ' content {\n cidr_block = "0.0.0.0/0"\n }\n }\n}',
        ),
        resource("google_container_cluster", "master_authorized_networks_config {\n}"),
    ),
    (
        "admin-port-open",
        firewall(f"{EVERYWHERE}\n{TCP % '22'}"),
        firewall(f"{EVERYWHERE}\n{TCP % '443'}"),
    ),
    ("admin-port-open", firewall(TCP % "20-25"), firewall(f'source_tags = ["a"]\n{TCP % "22"}')),
    (
        "admin-port-open",
        firewall(f'{EVERYWHERE}\nallow {{\n protocol = "all"\n}}'),
        firewall(f'{EVERYWHERE}\nallow {{\n protocol = "icmp"\n}}'),
    ),
    (
        "admin-port-open",
        firewall(f"source_ranges = var.from\n{TCP % '3389'}")
        + 'variable "from" {\n  default = ["::/0"]\n}\n',
        firewall(f'direction = "EGRESS"\n{TCP % "3389"}')
        + firewall(f"disabled = true\n{TCP % 22}"),
    ),
    (
        "admin-port-open",
        resource(
            "google_compute_network_firewall_policy_rule",
            'action = "allow"\ndirection = "INGRESS"\nmatch {\n src_ip_ranges = ["0.0.0.0/0"]\n'
            ' layer4_configs {\n ip_protocol = "tcp"\n ports = ["5432"]\n }\n}',
        ),
        resource(
            "google_compute_network_firewall_policy_rule",
            'action = "deny"\ndirection = "INGRESS"\nmatch {\n src_ip_ranges = ["0.0.0.0/0"]\n'
            ' layer4_configs {\n ip_protocol = "all"\n }\n}',
        ),
    ),
    (
        "bucket-access-not-uniform",
        bucket('public_access_prevention = "enforced"'),
        bucket(OPEN_BUCKET),
    ),
    ("bucket-may-become-public", bucket("uniform_bucket_level_access = true"), bucket(OPEN_BUCKET)),
    (
        "deletion-protection-off",
        sql(top="deletion_protection = var.keep") + 'variable "keep" {\n  default = false\n}\n',
        sql(top="deletion_protection = var.keep") + 'variable "keep" {\n  type = bool\n}\n',
    ),
    (
        "deletion-protection-off",
        resource(
            "google_firestore_database",
            'delete_protection_state = "DELETE_PROTECTION_DISABLED"',
        ),
        resource(
            "google_firestore_database", 'delete_protection_state = "DELETE_PROTECTION_ENABLED"'
        ),
    ),
    (
        "sql-tls-not-required",
        sql().replace("ENCRYPTED_ONLY", "ALLOW_UNENCRYPTED_AND_ENCRYPTED"),
        sql(),
    ),
    ("sql-tls-not-required", sql().replace('ssl_mode = "ENCRYPTED_ONLY"', ""), sql()),
    (
        "sql-no-backups",
        sql().replace("enabled = true", "enabled = false", 1),
        sql(top='master_instance_name = "primary"').replace("backup_configuration", "x"),
    ),
    (
        "redis-not-protected",
        resource("google_redis_instance", "auth_enabled = true"),
        resource(
            "google_redis_instance",
            'auth_enabled = true\ntransit_encryption_mode = "SERVER_AUTHENTICATION"',
        ),
    ),
    (
        "gke-public-nodes",
        resource("google_container_cluster", "enable_autopilot = true"),
        resource(
            "google_container_cluster",
            "private_cluster_config {\n enable_private_nodes = true\n}",
        ),
    ),
    (
        "kms-key-not-rotated",
        resource("google_kms_crypto_key", 'name = "x"'),
        resource("google_kms_crypto_key", 'rotation_period = "7776000s"')
        + resource("google_kms_crypto_key", 'purpose = "ASYMMETRIC_SIGN"').replace('"x"', '"y"'),
    ),
    (
        "instance-public-address",
        resource(
            "google_compute_instance",
            "service_account {}\nnetwork_interface {\n access_config {}\n}",
        ),
        resource("google_compute_instance", "service_account {}\nnetwork_interface {}"),
    ),
    (
        "default-service-account",
        resource("google_compute_instance", "network_interface {}"),
        resource("google_compute_instance", "service_account {}\nnetwork_interface {}"),
    ),
    (
        "default-service-account",
        resource("google_cloud_run_v2_job", "template {\n template {}\n}"),
        resource(
            "google_cloud_run_v2_job",
            "template {\n template {\n service_account = local.sa\n }\n}",
        ),
    ),
    (
        "default-service-account",
        resource("google_container_node_pool", "node_config {}"),
        resource("google_container_node_pool", "node_config {\n service_account = local.sa\n}"),
    ),
    (
        "service-account-key",
        resource("google_service_account_key", "service_account_id = local.sa"),
        resource("google_service_account", 'account_id = "api"'),
    ),
    (
        "wide-impersonation",
        resource("google_project_iam_member", 'role = "roles/iam.serviceAccountTokenCreator"'),
        resource(
            "google_service_account_iam_member", 'role = "roles/iam.serviceAccountTokenCreator"'
        ),
    ),
    (
        "authoritative-grant",
        resource("google_project_iam_binding", 'role = "roles/viewer"'),
        resource("google_storage_bucket_iam_binding", 'role = "roles/storage.objectViewer"'),
    ),
    (
        "runs-commands",
        resource("terraform_data", 'provisioner "local-exec" {\n command = "id"\n}'),
        resource("terraform_data", "input = 1"),
    ),
    ("runs-commands", 'data "external" "x" {\n  program = ["id"]\n}\n', "data {}\n"),
    (
        "sensitive-not-marked",
        'variable "db_password" {\n  type = string\n}\n',
        'variable "db_password" {\n  type      = string\n  sensitive = true\n}\n'
        'variable "db_password_secret_id" {\n  type = string\n}\n',
    ),
    (
        "module-not-pinned",
        'module "n" {\n  source  = "terraform-google-modules/network/google"\n}\n'
        'module "g" {\n  source = "git::https://example.com/net.git"\n}\n',
        'module "n" {\n  source  = "terraform-google-modules/network/google"\n'
        '  version = "~> 12.0"\n}\n'
        'module "g" {\n  source = "git::https://example.com/net.git?ref=v1.2.0"\n}\n'
        'module "l" {\n  source = "./modules/net"\n}\n',
    ),
]


@pytest.mark.parametrize(("rule", "bad", "good"), CASES)
def test_each_rule_finds_what_breaks_it_and_passes_what_keeps_it(
    rule: str, bad: str, good: str
) -> None:
    assert rule in rules(check(bad))
    assert rule not in rules(check(good))


def test_every_rule_has_a_case_and_a_name_of_its_own() -> None:
    names = [rule.id for rule in POLICY_RULES]
    assert len(names) == len(set(names))
    # Two have tests of their own below: the cases here all set the version and a backend.
    others = {"terraform-version-unset", "state-not-remote"}
    assert {rule for rule, _, _ in CASES} | others == set(names)
    assert all(rule.title and rule.fix.endswith(".") for rule in POLICY_RULES)


def test_errors_fail_and_warnings_do_not() -> None:
    warned = check(bucket('public_access_prevention = "enforced"'))
    assert warned.passed
    assert rules(warned) == {"bucket-access-not-uniform"}
    failed = check(resource("google_project_iam_member", 'role = "roles/owner"'))
    assert not failed.passed


def test_a_clean_solution_has_no_finding() -> None:
    report = check(sql() + bucket(OPEN_BUCKET).replace('"x"', '"media"'))
    assert report.findings == ()
    assert report.passed
    assert report.engine == ENGINE
    assert report.rules_run == len(POLICY_RULES)


def test_messages_name_file_line_resource_and_change() -> None:
    (finding,) = check(resource("google_project_iam_member", 'role = "roles/owner"')).findings
    assert finding.line == TERRAFORM.count("\n") + 2
    assert finding.message.startswith(
        f"terraform/main.tf line {finding.line}, google_project_iam_member.x: "
        "it grants roles/owner. "
    )
    assert "narrowest predefined role" in finding.message


def test_public_access_only_warns_where_a_requirement_asks_for_it() -> None:
    text = resource("google_cloud_run_v2_service_iam_member", 'member = "allUsers"')
    report = check(text, allow_public=True)
    assert report.passed
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("public-access", Severity.WARNING)
    assert "a requirement asks" in finding.message


def test_allowing_public_access_allows_nothing_else() -> None:
    text = resource("google_project_iam_member", 'role   = "roles/owner"\nmember = "allUsers"')
    report = check(text, allow_public=True)
    assert not report.passed
    assert {f.rule for f in report.findings if f.severity is Severity.ERROR} == {"basic-role"}


@pytest.mark.parametrize(
    ("constraint", "pinned"),
    [
        ('{ source = "hashicorp/google", version = "~> 8.7" }', True),
        ('{ source = "hashicorp/google", version = ">= 8.0, < 9.0" }', True),
        ('"~> 8.7"', True),
        ('{ source = "hashicorp/google", version = ">= 8.0" }', False),
        ('{ source = "hashicorp/google", version = "latest" }', False),
        ('{ source = "hashicorp/google" }', False),
    ],
)
def test_pins(constraint: str, pinned: bool) -> None:
    text = f"terraform {{\n  required_providers {{\n    google = {constraint}\n  }}\n}}\n"
    report = iac_policy_check([Attachment(path="terraform/main.tf", text=text)])
    assert ("provider-not-pinned" not in rules(report)) is pinned


def test_a_provider_that_is_used_without_being_required_is_not_pinned() -> None:
    text = 'resource "google_project" "x" {\n  provider = google-beta.eu\n}\n'
    report = iac_policy_check([Attachment(path="terraform/main.tf", text=text)])
    (finding,) = [f for f in report.findings if f.rule == "provider-not-pinned"]
    assert "google-beta is used but not in required_providers" in finding.message


def test_the_root_module_says_which_terraform_it_needs() -> None:
    text = TERRAFORM.replace('required_version = ">= 1.9"', "")
    report = iac_policy_check([Attachment(path="terraform/main.tf", text=text)])
    assert rules(report) == {"terraform-version-unset"}
    assert report.passed


def test_the_state_is_kept_in_a_bucket() -> None:
    text = TERRAFORM.replace('backend "gcs" {}', "") + resource("terraform_data", "input = 1")
    report = iac_policy_check([Attachment(path="terraform/main.tf", text=text)])
    assert rules(report) == {"state-not-remote"}
    assert report.passed


def test_files_that_are_not_hcl_are_read_too() -> None:
    report = check(
        "", policy__json='{"bindings": [{"role": "roles/owner", "members": ["allUsers"]}]}'
    )
    assert {"basic-role", "public-access"} <= rules(report)


def test_terraform_in_json_cannot_slip_by() -> None:
    report = check("", extra__tf__json="{}")
    assert rules(report) == {"file-not-readable"}
    assert not report.passed


def test_what_was_not_checked_is_listed() -> None:
    listed = "\n".join(check('module "net" {\n  source = "./net"\n}\n').not_checked)
    assert "module.net" in listed
    assert "Checkov" in listed
    assert "known only when Terraform plans" in listed
