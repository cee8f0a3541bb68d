"""Checks Terraform against the rules of a safe solution (SPEC: deployment_guidance).

The rules read the text: what a variable without default or a resource's attribute will be is not
known here, and the report says so. ``POLICY_RULES`` is the list that the reference shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from agents.runtime import Attachment, Frozen
from agents.tools import iac_access, iac_secrets, iac_settings
from agents.tools.files import checked, parsed
from agents.tools.iac_module import group
from agents.tools.iac_rules import Check, Hit, Rule, Severity, Solution

ENGINE = "built-in rules over tree-sitter HCL"


class PolicyFinding(Frozen):
    """One place that breaks a rule. ``message`` names the file, the resource and the change."""

    rule: str
    severity: Severity
    path: str
    line: int
    address: str
    message: str


class PolicyReport(Frozen):
    """``passed`` is False where a finding is an error."""

    engine: str
    passed: bool
    rules_run: int
    findings: tuple[PolicyFinding, ...]
    not_checked: tuple[str, ...]


def _error(id_: str, title: str, fix: str, *, eased: bool = False) -> Rule:
    return Rule(id_, Severity.ERROR, title, fix, eased_by_public=eased)


def _warning(id_: str, title: str, fix: str) -> Rule:
    return Rule(id_, Severity.WARNING, title, fix)


def _unreadable(solution: Solution) -> Iterator[Hit]:
    for file in solution.parsed:
        for problem in file.problems[:1]:
            yield Hit(file.path, problem.line, "", "it cannot be read as HCL")
    for attachment in solution.files:
        if attachment.path.endswith(".json") and ".tf" in attachment.path:
            yield Hit(attachment.path, 1, "", "it is Terraform in JSON, which is not checked")


_CHECKS: tuple[tuple[Rule, Check], ...] = (
    (
        _error(
            "file-not-readable",
            "Every Terraform file can be read",
            "Mend the syntax and write HCL, so that the rules can be applied.",
        ),
        _unreadable,
    ),
    (
        _error(
            "provider-not-pinned",
            "Every provider has a version with an upper bound",
            'Declare it in required_providers with a version such as "~> 8.7".',
        ),
        iac_settings.unpinned_providers,
    ),
    (
        _error(
            "plaintext-secret",
            "No secret is written out",
            "Read it from Secret Manager, or take it from a variable that is sensitive and has no "
            "default. If it is only a secret's name, call it …_secret_id.",
        ),
        iac_secrets.plaintext_secrets,
    ),
    (
        _error(
            "basic-role",
            "Neither roles/owner nor roles/editor is granted",
            "Grant the narrowest predefined role that the task needs, on the resource itself.",
        ),
        iac_access.basic_roles,
    ),
    (
        _error(
            "public-access",
            "Nothing is open to allUsers or allAuthenticatedUsers unless a requirement asks for it",
            "Name the callers (service accounts, groups, domains), or put a load balancer with "
            "Identity-Aware Proxy before it.",
            eased=True,
        ),
        iac_access.public_members,
    ),
    (
        _error(
            "sql-public-address",
            "Cloud SQL has no public address",
            "Set ipv4_enabled = false and private_network in settings.ip_configuration, or use "
            "Private Service Connect.",
            eased=True,
        ),
        iac_settings.sql_public_addresses,
    ),
    (
        _error(
            "network-open-to-all",
            "No database or control plane accepts connections from every address",
            "List the networks that really connect.",
        ),
        iac_access.open_networks,
    ),
    (
        _error(
            "admin-port-open",
            "No firewall rule opens a shell's or database's port to every address",
            "Limit source_ranges; for people use 35.235.240.0/20 (Identity-Aware Proxy).",
        ),
        iac_access.open_admin_ports,
    ),
    (
        _error(
            "authoritative-grant",
            "No grant on a project or above replaces those of others",
            "Use google_project_iam_member (or the one for a folder or organization).",
        ),
        iac_access.authoritative_grants,
    ),
    (
        _error(
            "service-account-key",
            "No long-lived service account key is created",
            "Attach the service account, or use Workload Identity Federation.",
        ),
        iac_access.service_account_keys,
    ),
    (
        _error(
            "module-not-pinned",
            "Remote modules are pinned",
            "Give a version with an upper bound, or a ref in the source.",
        ),
        iac_settings.unpinned_modules,
    ),
    (
        _error(
            "runs-commands",
            "Nothing runs commands on the machine of whoever applies",
            "Use a resource, or write the command into the steps that a person carries out.",
        ),
        iac_settings.run_commands,
    ),
    (
        _warning(
            "bucket-access-not-uniform",
            "Buckets use uniform access",
            "Set uniform_bucket_level_access = true.",
        ),
        iac_settings.mixed_bucket_access,
    ),
    (
        _warning(
            "bucket-may-become-public",
            "Buckets cannot be made public by a later grant",
            'Set public_access_prevention = "enforced".',
        ),
        iac_settings.bucket_may_become_public,
    ),
    (
        _warning(
            "deletion-protection-off",
            "Databases and clusters are protected against deletion",
            "Leave the protection on, and say in the steps how to lift it on purpose.",
        ),
        iac_settings.unprotected_data,
    ),
    (
        _warning(
            "sql-tls-not-required",
            "Cloud SQL requires TLS",
            'Set ssl_mode = "ENCRYPTED_ONLY" in settings.ip_configuration.',
        ),
        iac_settings.sql_without_tls,
    ),
    (
        _warning(
            "sql-no-backups",
            "Cloud SQL primaries are backed up",
            "Add settings.backup_configuration with enabled = true and point-in-time recovery.",
        ),
        iac_settings.sql_without_backups,
    ),
    (
        _warning(
            "redis-not-protected",
            "Memorystore asks for authentication and encrypts in transit",
            'Set auth_enabled = true and transit_encryption_mode = "SERVER_AUTHENTICATION".',
        ),
        iac_settings.open_redis,
    ),
    (
        _warning(
            "gke-public-nodes",
            "GKE nodes have no public address",
            "Add private_cluster_config with enable_private_nodes = true.",
        ),
        iac_settings.public_nodes,
    ),
    (
        _warning(
            "kms-key-not-rotated",
            "Symmetric KMS keys are rotated",
            'Set rotation_period, such as "7776000s" (90 days).',
        ),
        iac_settings.keys_without_rotation,
    ),
    (
        _warning(
            "instance-public-address",
            "Machines have no public address",
            "Remove access_config and use Cloud NAT and Identity-Aware Proxy.",
        ),
        iac_access.public_machines,
    ),
    (
        _warning(
            "default-service-account",
            "Every workload runs as a service account of its own",
            "Create a google_service_account and name it in service_account.",
        ),
        iac_access.default_accounts,
    ),
    (
        _warning(
            "wide-impersonation",
            "The right to act as a service account is given on that account only",
            "Use google_service_account_iam_member on the one account.",
        ),
        iac_access.wide_impersonation,
    ),
    (
        _warning(
            "sensitive-not-marked",
            "Variables that carry a secret are marked sensitive",
            "Set sensitive = true.",
        ),
        iac_secrets.unmarked_sensitive,
    ),
    (
        _warning(
            "terraform-version-unset",
            "The root module says which Terraform it needs",
            'Set required_version, such as ">= 1.9".',
        ),
        iac_settings.unset_terraform_version,
    ),
    (
        _warning(
            "state-not-remote",
            "The state is kept in a bucket",
            'Declare backend "gcs" with a versioned bucket in the terraform block.',
        ),
        iac_settings.local_state,
    ),
)

POLICY_RULES: tuple[Rule, ...] = tuple(rule for rule, _ in _CHECKS)
"""All rules in the order in which they are applied."""


def iac_policy_check(files: Sequence[Attachment], *, allow_public: bool = False) -> PolicyReport:
    """Apply all rules to the files below ``terraform/``.

    ``allow_public`` says that a requirement asks for public access: rules about it then only
    warn. Raises BadFiles where the files cannot be used at all.
    """
    all_files = checked(files)
    hcl_files = parsed(all_files)
    solution = Solution(
        all_files, hcl_files, group([f for f in hcl_files if f.path.endswith(".tf")])
    )
    findings = [
        _finding(rule, found, allow_public=allow_public)
        for rule, check in _CHECKS
        for found in check(solution)
    ]
    findings.sort(key=lambda f: (f.severity is Severity.WARNING, f.path, f.line, f.rule))
    return PolicyReport(
        engine=ENGINE,
        passed=all(f.severity is not Severity.ERROR for f in findings),
        rules_run=len(_CHECKS),
        findings=tuple(findings),
        not_checked=tuple(_not_checked(solution)),
    )


def _finding(rule: Rule, found: Hit, *, allow_public: bool) -> PolicyFinding:
    eased = allow_public and rule.eased_by_public
    where = f"{found.path} line {found.line}" + (f", {found.address}" if found.address else "")
    remark = "Allowed, since a requirement asks for public access." if eased else rule.fix
    return PolicyFinding(
        rule=rule.id,
        severity=Severity.WARNING if eased else rule.severity,
        path=found.path,
        line=found.line,
        address=found.address,
        message=f"{where}: {found.what}. {remark}",
    )


def _not_checked(solution: Solution) -> Iterator[str]:
    yield "values known only when Terraform plans: variables without default, other resources"
    for module in solution.modules:
        for name in sorted(module.calls):
            yield f"module.{name}: what it creates"
    if find_spec("checkov") is None:
        yield "the rules of Checkov (it is not installed)"
    else:
        yield "the rules of Checkov (it is installed; this check does not run it)"
