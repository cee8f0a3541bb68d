"""Policy rules about who may do what, and what can be reached from where."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.tools.hcl import Block
from agents.tools.iac_module import Located, Module
from agents.tools.iac_rules import Hit, Solution, expression, hit

_BASIC_ROLE = re.compile(r"(?<![\w/])roles/(?:owner|editor)(?![\w.])")
_PUBLIC = re.compile(r"(?<!\w)(allUsers|allAuthenticatedUsers)(?!\w)")
_PUBLIC_ACL = re.compile(r"\A(?:publicRead|publicReadWrite|authenticatedRead)\Z")
_IMPERSONATION = re.compile(
    r"\Aroles/iam\.(?:serviceAccountTokenCreator|serviceAccountUser"
    r"|serviceAccountKeyAdmin|securityAdmin)\Z"
)
_EVERYWHERE = frozenset({"0.0.0.0/0", "::/0"})
# Shells and remote desktops, and the ports of databases and cluster stores.
ADMIN_PORTS = frozenset(
    {22, 23, 1433, 1521, 2379, 3306, 3389, 5432, 5900, 5985, 5986, 6379, 9200, 11211, 27017}
)
_WIDE_IAM = (
    "google_project_iam_member",
    "google_project_iam_binding",
    "google_folder_iam_member",
    "google_folder_iam_binding",
    "google_organization_iam_member",
    "google_organization_iam_binding",
)
_POLICY_RULES = (
    "google_compute_firewall_policy_rule",
    "google_compute_network_firewall_policy_rule",
    "google_compute_region_network_firewall_policy_rule",
)


def basic_roles(solution: Solution) -> Iterator[Hit]:
    """Yield every place that names the role owner or editor, in whatever resource or variable."""
    for path, line, address, text in _texts(solution):
        if found := _BASIC_ROLE.search(text):
            yield Hit(path, line, address, f"it grants {found[0]}")


def public_members(solution: Solution) -> Iterator[Hit]:
    """Yield every grant to everyone, as a member, an access list or a switched-off check."""
    for path, line, address, text in _texts(solution):
        if found := _PUBLIC.search(text):
            yield Hit(path, line, address, f"it grants access to {found[1]}")
        elif _PUBLIC_ACL.match(text):
            yield Hit(path, line, address, f"it uses the public access list {text}")
    for module, located in solution.resources("google_cloud_run_v2_service"):
        disabled = expression(located.block, "invoker_iam_disabled")
        if module.constant(disabled) is True:
            yield hit(located, "invoker_iam_disabled lets anyone call it")


def wide_impersonation(solution: Solution) -> Iterator[Hit]:
    """Yield grants, on a whole project or above, to act as any service account in it."""
    for module, located in solution.resources(*_WIDE_IAM):
        role = module.constant(expression(located.block, "role"))
        if _IMPERSONATION.match(str(role)):
            yield hit(located, f"it grants {role} on more than one service account")


def authoritative_grants(solution: Solution) -> Iterator[Hit]:
    """Yield grants on a project or above that remove those which are not in the text."""
    for level in ("project", "folder", "organization"):
        types = (f"google_{level}_iam_policy", f"google_{level}_iam_binding")
        for _, located in solution.resources(*types):
            yield hit(located, f"it replaces grants on the whole {level} that others made")


def service_account_keys(solution: Solution) -> Iterator[Hit]:
    """Yield keys of service accounts: they do not expire and end up in the state."""
    for _, located in solution.resources("google_service_account_key"):
        yield hit(located, "it creates a long-lived key")


def default_accounts(solution: Solution) -> Iterator[Hit]:
    """Yield machines and services that would run as the project's default service account."""
    machines = ("google_compute_instance", "google_compute_instance_template")
    for _, located in solution.resources(*machines):
        if not list(located.block.nested("service_account")):
            yield hit(located, "it names no service account of its own")
    for _, located in solution.resources("google_cloud_run_v2_service", "google_cloud_run_v2_job"):
        block = located.block
        inside = ("template",) if "service" in block.labels[0] else ("template", "template")
        if not any("service_account" in t.attributes for t in block.nested(*inside)):
            yield hit(located, "it names no service account of its own")
    for _, located in solution.resources("google_container_node_pool"):
        if not any("service_account" in n.attributes for n in located.block.nested("node_config")):
            yield hit(located, "its nodes have no service account of their own")


def open_networks(solution: Solution) -> Iterator[Hit]:
    """Yield databases and control planes that accept connections from any address."""
    places = (
        (
            "google_sql_database_instance",
            "value",
            ("settings", "ip_configuration", "authorized_networks"),
        ),
        (
            "google_container_cluster",
            "cidr_block",
            ("master_authorized_networks_config", "cidr_blocks"),
        ),
    )
    for type_name, argument, below in places:
        for module, located in solution.resources(type_name):
            for network in located.block.nested(*below):
                if module.constant(expression(network, argument)) in _EVERYWHERE:
                    what = f"{below[-1]} lets every address in"
                    yield hit(located, what, network.line)


def open_admin_ports(solution: Solution) -> Iterator[Hit]:
    """Yield firewall rules that open a shell's or a database's port to every address."""
    for module, located in solution.resources("google_compute_firewall"):
        block = located.block
        if module.constant(expression(block, "direction")) == "EGRESS" or _off(module, block):
            continue
        limited = {"source_tags", "source_service_accounts"} & set(block.attributes)
        if "source_ranges" in block.attributes or not limited:
            ranges = _constants(module, block, "source_ranges")
            if "source_ranges" not in block.attributes or _EVERYWHERE & ranges:
                for allow in block.nested("allow"):
                    yield from _ports(module, located, allow, "protocol")
    for module, located in solution.resources(*_POLICY_RULES):
        block = located.block
        if module.constant(expression(block, "direction")) == "EGRESS" or _off(module, block):
            continue
        if module.constant(expression(block, "action")) != "allow":
            continue
        for match in block.nested("match"):
            if _EVERYWHERE & _constants(module, match, "src_ip_ranges"):
                for config in match.nested("layer4_configs"):
                    yield from _ports(module, located, config, "ip_protocol")


def public_machines(solution: Solution) -> Iterator[Hit]:
    """Yield machines with an address of their own on the internet."""
    machines = ("google_compute_instance", "google_compute_instance_template")
    for _, located in solution.resources(*machines):
        for access in located.block.nested("network_interface", "access_config"):
            yield hit(located, "it has a public address (access_config)", access.line)


def _texts(solution: Solution) -> Iterator[tuple[str, int, str, str]]:
    """Yield path, line, address and text of each string setting and of files that are not HCL."""
    for path, address, string in solution.strings():
        yield path, string.line, address, string.text if string.value is None else str(string.value)
    for path, number, line in solution.other_lines():
        yield path, number, "", line


def _off(module: Module, block: Block) -> bool:
    return module.constant(expression(block, "disabled")) is True


def _constants(module: Module, block: Block, name: str) -> set[str]:
    return {str(module.constant(item)) for item in module.items(expression(block, name))}


def _ports(module: Module, located: Located, block: Block, protocol: str) -> Iterator[Hit]:
    name = str(module.constant(expression(block, protocol))).lower()
    if name not in ("tcp", "6", "all"):
        return
    if "ports" not in block.attributes:
        yield hit(located, "it opens every port to every address", block.line)
        return
    opened = sorted(
        port
        for text in _constants(module, block, "ports")
        for port in ADMIN_PORTS
        if _covers(text, port)
    )
    if opened:
        ports = ", ".join(map(str, opened))
        yield hit(located, f"it opens port {ports} to every address", block.line)


def _covers(ports: str, port: int) -> bool:
    first, _, last = ports.partition("-")
    if not first.strip().isdecimal() or not (last or first).strip().isdecimal():
        return False
    return int(first) <= port <= int(last or first)
