"""Finds secrets that are written out in Terraform: by the argument's name and by their shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.tools.hcl import Block, Expr, Kind
from agents.tools.iac_module import Located
from agents.tools.iac_rules import Hit, Solution, hit, settings

_NAME = re.compile(
    r"(?:^|_)(?:password|passwd|pwd|passphrase|secret|token|credentials?|private_?key|api_?key"
    r"|access_?key|secret_?key|client_?secret|shared_?secret|auth_?key|encryption_?key|connection_?string)"
    r"(?:$|_(?:wo|value|data|b64|base64|plain(?:text)?|\d+)$)",
    re.I,
)
# A secret's name, place or lifetime is no secret.
_REFERENCE_VALUE = re.compile(
    r"\A(?:projects/[^/]+/(?:locations/[^/]+/)?(?:secrets|keyRings|serviceAccounts)/"
    r"|(?:gs|https?)://[^@\s]*\Z|sm://|vault:)"
)
_PLACEHOLDER = re.compile(
    r"\A(?:<[^>]*>|\[[^\]]*\]|\$\{?\w+\}?|(?:replace|change|your|todo|example|set|fill)[-_ ].*"
    r"|x{3,}|\.{3}|changeme|placeholder)\Z",
    re.I,
)
_ENV_BLOCKS = frozenset({"env", "environment", "environment_variables"})
_NOT_SETTINGS = frozenset({"labels", "annotations", "tags", "user_labels", "resource_labels"})

_SHAPES = (
    (re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"), "a private key"),
    (re.compile(r"\bAIza[0-9A-Za-z_-]{35}"), "a Google API key"),
    (re.compile(r"\bGOCSPX-[0-9A-Za-z_-]{20,}"), "an OAuth client secret"),
    (re.compile(r"\bya29\.[0-9A-Za-z_-]{20,}"), "a Google access token"),
    (re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"), "an AWS access key"),
    (re.compile(r"\bgh[pousr]_[0-9A-Za-z]{36}"), "a GitHub token"),
    (re.compile(r"\bgithub_pat_[0-9A-Za-z_]{40,}"), "a GitHub token"),
    (re.compile(r"\bglpat-[0-9A-Za-z_-]{20}"), "a GitLab token"),
    (re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{10,}"), "a Slack token"),
    (re.compile(r"\b[rs]k_live_[0-9A-Za-z]{16,}"), "a Stripe key"),
    (re.compile(r"\bsk-(?:proj-|ant-)?[0-9A-Za-z_-]{32,}"), "an API key"),
    (re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"), "a signed token"),
    (re.compile(r"\"private_key\"\s*:\s*\"[^\"$]"), "a service account key"),
    (
        re.compile(r"\b[a-z][a-z0-9+]*://[^/\s:@\"'${}<>]+:[^/\s:@\"'${}<>]+@"),
        "a password in a URL",
    ),
)


def plaintext_secrets(solution: Solution) -> Iterator[Hit]:
    """Yield every secret that stands in the files, once a line."""
    seen: set[tuple[str, int]] = set()
    for found in (*_by_name(solution), *_by_shape(solution)):
        if (found.path, found.line) not in seen:
            seen.add((found.path, found.line))
            yield found


def unmarked_sensitive(solution: Solution) -> Iterator[Hit]:
    """Yield variables that carry a secret by their name and are not marked ``sensitive``."""
    for module in solution.modules:
        for name, located in module.variables.items():
            block = located.block
            if is_secret_name(name) and block.value("sensitive") is not True:
                yield hit(located, f"the variable {name} is not marked sensitive")


def is_secret_name(name: str) -> bool:
    """Tell whether an argument of this name holds a secret itself, not its name or place."""
    return bool(_NAME.search(re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_")))


def _by_name(solution: Solution) -> Iterator[Hit]:
    for path, address, block in solution.units():
        example = path.endswith(".example")
        if block.type == "variable":
            yield from _variable(path, block)
            continue
        for inner in settings(block):
            for name, expr in _named_values(block, inner):
                if _is_secret(name, expr, example=example):
                    what = f"{name} is written in plain text"
                    yield Hit(path, expr.line, address, what)


def _variable(path: str, block: Block) -> Iterator[Hit]:
    default = block.attributes.get("default")
    if default is None or not block.labels:
        return
    for name, expr in ((block.labels[0], default.expr), *_entries(default.expr)):
        if _is_secret(name, expr, example=False):
            yield Hit(path, expr.line, block.address, f"the default of {name} is a secret")


def _named_values(top: Block, block: Block) -> Iterator[tuple[str, Expr]]:
    """Yield each argument, each entry of an object, and each environment variable of a block."""
    names_a_resource = top.type in ("resource", "data", "ephemeral")
    for attribute in block.attributes.values():
        if attribute.name in _NOT_SETTINGS:
            continue
        # The provider's own arguments called just "secret" take a secret's name.
        if not (names_a_resource and attribute.name == "secret"):
            yield attribute.name, attribute.expr
        yield from _entries(attribute.expr)
    name, value = block.value("name"), block.attributes.get("value")
    if block.type in _ENV_BLOCKS and isinstance(name, str) and value is not None:
        yield name, value.expr


def _entries(expr: Expr) -> Iterator[tuple[str, Expr]]:
    for inner in expr.walk():
        yield from inner.pairs


def _is_secret(name: str, expr: Expr, *, example: bool) -> bool:
    value = expr.value
    if expr.kind is not Kind.STRING or not isinstance(value, str) or not value.strip():
        return False
    if not is_secret_name(name) or _REFERENCE_VALUE.match(value):
        return False
    return not (example and _PLACEHOLDER.match(value.strip()))


def _by_shape(solution: Solution) -> Iterator[Hit]:
    for file in solution.files:
        for number, line in enumerate(file.text.splitlines(), start=1):
            for shape, what in _SHAPES:
                if shape.search(line):
                    yield Hit(file.path, number, _around(solution, file.path, number), what)


def _around(solution: Solution, path: str, line: int) -> str:
    """Name the top-level block that a line stands in."""
    blocks = [
        located
        for module in solution.modules
        for located in module.blocks
        if located.path == path and located.block.line <= line
    ]
    nearest: Located | None = max(blocks, key=lambda b: b.block.line, default=None)
    return nearest.block.address if nearest else path.rpartition("/")[2]
