"""Policy rules about how single products are set up, and about what is pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.tools.hcl import Block
from agents.tools.iac_module import RESOURCE_KINDS, Module
from agents.tools.iac_rules import Hit, Solution, expression, hit
from agents.tools.versions import parse_constraint

_BUILT_IN = frozenset({"terraform"})
_GIT_REF = re.compile(r"[?&]ref=[^&\s]+")
_REGISTRY_MODULE = re.compile(r"\A(?:[\w.-]+/)?[\w-]+/[\w-]+/[\w-]+(?://.*)?\Z")
_DATABASES = {
    "google_sql_database_instance": ("deletion_protection", False),
    "google_spanner_instance": ("deletion_protection", False),
    "google_spanner_database": ("deletion_protection", False),
    "google_alloydb_cluster": ("deletion_protection", False),
    "google_bigtable_instance": ("deletion_protection", False),
    "google_bigtable_table": ("deletion_protection", "UNPROTECTED"),
    "google_bigquery_table": ("deletion_protection", False),
    "google_firestore_database": ("delete_protection_state", "DELETE_PROTECTION_DISABLED"),
    "google_redis_cluster": ("deletion_protection_enabled", False),
    "google_memorystore_instance": ("deletion_protection_enabled", False),
    "google_container_cluster": ("deletion_protection", False),
}


def unpinned_providers(solution: Solution) -> Iterator[Hit]:
    """Yield providers that are used or required without a version that has an upper bound."""
    for module in solution.modules:
        required: set[str] = set()
        for located in module.of_type("terraform"):
            for providers in located.block.of_type("required_providers"):
                for name, attribute in providers.attributes.items():
                    required.add(name)
                    version = attribute.expr.entry("version") or attribute.expr
                    constraint = parse_constraint(str(version.value))
                    if constraint is None or not constraint.bounded:
                        what = f"the provider {name} has no version with an upper bound"
                        yield hit(located, what, attribute.line)
        for name, example in sorted(_used_providers(module).items()):
            if name not in required:
                what = f"the provider {name} is used but not in required_providers"
                yield Hit(*example, what)


def _used_providers(module: Module) -> dict[str, tuple[str, int, str]]:
    """Map the local name of each provider in use to a place that uses it."""
    used: dict[str, tuple[str, int, str]] = {}
    for located in module.of_type(*RESOURCE_KINDS):
        block = located.block
        if not block.labels:
            continue
        chosen = expression(block, "provider")
        name = (chosen.text if chosen else block.labels[0].partition("_")[0]).strip('"')
        name = name.partition(".")[0]
        if name not in _BUILT_IN:
            used.setdefault(name, (located.path, block.line, block.address))
    return used


def unset_terraform_version(solution: Solution) -> Iterator[Hit]:
    """Yield the root module if it does not say which Terraform it needs."""
    for module in solution.modules:
        if module.folder == "terraform" and module.blocks:
            settings = list(module.of_type("terraform"))
            if not any("required_version" in s.block.attributes for s in settings):
                first = settings[0] if settings else module.blocks[0]
                yield hit(first, "required_version is not set")


def unpinned_modules(solution: Solution) -> Iterator[Hit]:
    """Yield remote modules whose code can change from one run to the next."""
    for module in solution.modules:
        for located in module.of_type("module"):
            source = str(module.constant(expression(located.block, "source")) or "")
            if source.startswith(("./", "../")):
                continue
            if _REGISTRY_MODULE.match(source):
                version = module.constant(expression(located.block, "version"))
                constraint = parse_constraint(str(version))
                if constraint is None or not constraint.bounded:
                    yield hit(located, "its version has no upper bound")
            elif not _GIT_REF.search(source):
                yield hit(located, "its source names no ref")


def run_commands(solution: Solution) -> Iterator[Hit]:
    """Yield what starts programs on the machine of whoever plans or applies."""
    for module in solution.modules:
        for located in module.of_type("resource", "data"):
            block = located.block
            for provisioner in block.of_type("provisioner"):
                name = " ".join(("provisioner", *provisioner.labels))
                yield hit(located, f"{name} runs commands", provisioner.line)
            if block.type == "data" and block.labels[:1] == ("external",):
                yield hit(located, "it runs a program")


def local_state(solution: Solution) -> Iterator[Hit]:
    """Yield the root module if its state would stay on the machine that applies it."""
    for module in solution.modules:
        if module.folder == "terraform" and module.resources:
            settings = list(module.of_type("terraform"))
            if not any(list(s.block.of_type("backend", "cloud")) for s in settings):
                first = settings[0] if settings else module.blocks[0]
                yield hit(first, "no backend is declared, so the state stays on one machine")


def sql_public_addresses(solution: Solution) -> Iterator[Hit]:
    """Yield Cloud SQL instances with a public address, which is the provider's default."""
    for module, located in solution.resources("google_sql_database_instance"):
        block = located.block
        if "clone" in {b.type for b in block.blocks} and not list(block.nested("settings")):
            continue
        configured = list(block.nested("settings", "ip_configuration"))
        enabled = [expression(c, "ipv4_enabled") for c in configured]
        if not configured or any(e is None for e in enabled):
            yield hit(located, "ipv4_enabled is not set, and by default it is true")
        elif any(module.constant(e) is True for e in enabled):
            yield hit(located, "ipv4_enabled gives it a public address")


def sql_without_tls(solution: Solution) -> Iterator[Hit]:
    """Yield Cloud SQL instances that accept connections without TLS."""
    for module, located in solution.resources("google_sql_database_instance"):
        configured = list(located.block.nested("settings", "ip_configuration"))
        modes = [expression(c, "ssl_mode") for c in configured]
        if not modes or any(m is None for m in modes):
            yield hit(located, "ssl_mode is not set")
        elif any(module.constant(m) == "ALLOW_UNENCRYPTED_AND_ENCRYPTED" for m in modes):
            yield hit(located, "ssl_mode allows unencrypted connections")


def sql_without_backups(solution: Solution) -> Iterator[Hit]:
    """Yield primary Cloud SQL instances whose backups are not switched on."""
    for module, located in solution.resources("google_sql_database_instance"):
        block = located.block
        if "master_instance_name" in block.attributes:
            continue
        backups = list(block.nested("settings", "backup_configuration"))
        values = [expression(b, "enabled") for b in backups]
        if not values or any(v is None or module.constant(v) is False for v in values):
            yield hit(located, "backup_configuration.enabled is not true")


def mixed_bucket_access(solution: Solution) -> Iterator[Hit]:
    """Yield buckets whose objects can have access lists of their own."""
    for module, located in solution.resources("google_storage_bucket"):
        uniform = expression(located.block, "uniform_bucket_level_access")
        if uniform is None or module.constant(uniform) is False:
            yield hit(located, "uniform_bucket_level_access is not true")


def bucket_may_become_public(solution: Solution) -> Iterator[Hit]:
    """Yield buckets on which a public grant would take effect."""
    for module, located in solution.resources("google_storage_bucket"):
        prevention = expression(located.block, "public_access_prevention")
        if prevention is None or module.constant(prevention) == "inherited":
            yield hit(located, "public_access_prevention is not enforced")


def unprotected_data(solution: Solution) -> Iterator[Hit]:
    """Yield databases and clusters whose protection against deletion is switched off."""
    for type_name, (argument, off) in _DATABASES.items():
        for module, located in solution.resources(type_name):
            attribute = located.block.attributes.get(argument)
            if attribute and module.constant(attribute.expr) == off:
                yield hit(located, f"{argument} is {attribute.expr.text}", attribute.line)


def public_nodes(solution: Solution) -> Iterator[Hit]:
    """Yield GKE clusters whose nodes get public addresses."""
    for module, located in solution.resources("google_container_cluster"):
        private = list(located.block.nested("private_cluster_config"))
        if not _all_true(module, private, "enable_private_nodes"):
            yield hit(located, "private_cluster_config.enable_private_nodes is not true")


def open_redis(solution: Solution) -> Iterator[Hit]:
    """Yield Memorystore instances without authentication or encryption in transit."""
    for module, located in solution.resources("google_redis_instance"):
        block = located.block
        if "auth_enabled" not in block.attributes:
            yield hit(located, "auth_enabled is not true")
        elif module.constant(expression(block, "auth_enabled")) is False:
            yield hit(located, "auth_enabled is false")
        if module.constant(expression(block, "transit_encryption_mode")) in (None, "DISABLED"):
            yield hit(located, "transit_encryption_mode is not SERVER_AUTHENTICATION")


def keys_without_rotation(solution: Solution) -> Iterator[Hit]:
    """Yield symmetric KMS keys that are never rotated."""
    for module, located in solution.resources("google_kms_crypto_key"):
        purpose = expression(located.block, "purpose")
        symmetric = purpose is None or module.constant(purpose) == "ENCRYPT_DECRYPT"
        if symmetric and "rotation_period" not in located.block.attributes:
            yield hit(located, "rotation_period is not set")


def _all_true(module: Module, blocks: list[Block], name: str) -> bool:
    """Tell whether each block sets the argument to something that is not plainly false."""
    values = [expression(block, name) for block in blocks]
    return bool(values) and all(
        value is not None and module.constant(value) is not False for value in values
    )
