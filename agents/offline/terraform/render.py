"""Renders a Design to Terraform files: templates, variables, services to enable, formatting."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from agents.offline.load import number
from agents.offline.terraform import access, places, wiring
from agents.offline.terraform.design import Design
from agents.offline.terraform.fmt import formatted
from agents.offline.terraform.parts import Unit
from agents.offline.terraform.services import services_of
from agents.runtime import Attachment

PROVIDER_VERSION = "~> 8.7"
TERRAFORM_VERSION = ">= 1.11.0, < 2.0.0"
"""1.11 is the first that knows write-only arguments, which keep secrets out of the state."""

FILES: Mapping[str, str] = {
    "network.tf": "The network: private addresses only, what may leave it, what may reach it.",
    "security.tf": "Keys, secrets and what guards the data.",
    "data.tf": "What keeps data.",
    "messaging.tf": "What carries messages and work between components.",
    "pipelines.tf": "What moves and transforms data.",
    "ai.tf": "Models, indexes and document understanding.",
    "app.tf": "What runs the application.",
    "edge.tf": "What stands between callers and the application.",
    "delivery.tf": "What builds and releases.",
    "iam.tf": "One identity for each running component, and the narrowest roles on the resources.",
    "observability.tf": "Logs, objectives and alerts, with the figures of the request.",
    "budget.tf": "The budget and when it warns.",
}
_BLOCK = re.compile(r'^(resource|data) "(google_\w+)" "(\w+)" \{$', re.M)
_VARIABLE = re.compile(r'^variable "(\w+)" \{\n(.*?)^\}', re.M | re.S)
_DESCRIPTION = re.compile(r'description\s+= "((?:[^"\\]|\\.)*)"')
_MARK = re.compile(r"^#@ (\S+)[ \t]*$", re.M)
_REFERENCE = re.compile(r"\bgoogle_\w+\.\w+")
_DEFAULTS: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "string"}


def quoted(value: object) -> str:
    """A Terraform string of any text: nothing in it is taken for a template."""
    text = json.dumps(str(value), ensure_ascii=False)
    return text.replace("${", "$${").replace("%{", "%%{")


EPHEMERAL = "ephemeral"
"""Mark of a variable whose value is kept neither in the plan nor in the state."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One input variable. ``default`` None means that a person has to give it."""

    name: str
    type: str
    default: object
    description: str
    check: tuple[str, str] | None = None
    secret: str = ""  # "ephemeral" is never kept; "kept" is an old argument that the state keeps

    @property
    def text(self) -> str:
        """The variable block."""
        lines = [
            f'variable "{self.name}" {{',
            f"description = {quoted(self.description)}",
            f"type = {self.type}",
        ]
        if self.default is not None:
            lines.append(f"default = {literal(self.default)}")
        if self.secret:
            lines.append("sensitive = true")
        if self.secret == EPHEMERAL:
            lines.append("ephemeral = true")
        if self.check:
            lines += [
                "validation {",
                f"condition = {self.check[0]}",
                f"error_message = {quoted(self.check[1])}",
                "}",
            ]
        return "\n".join([*lines, "}"])


def literal(value: object) -> str:
    """A Python value as Terraform writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case list() | tuple():
            return f"[{', '.join(literal(v) for v in value)}]"
        case dict():
            if not value:
                return "{}"
            return "{\n" + "\n".join(f"{k} = {literal(v)}" for k, v in value.items()) + "\n}"
        case _:
            return quoted(value)


@dataclass
class Sheet:
    """What the templates of one design write into."""

    design: Design
    variables: dict[str, Variable] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)
    keys: dict[str, None] = field(default_factory=dict)
    second_keys: dict[str, None] = field(default_factory=dict)

    def key(self, service: str, *, second: bool = False) -> str:
        """Ask for an encryption key of a service and refer to it."""
        (self.second_keys if second else self.keys).setdefault(service)
        return f'local.{"second_keys" if second else "keys"}["{service}"]'

    def var(
        self,
        name: str,
        default: object,
        description: str,
        *,
        type: str = "",
        check: tuple[str, str] | None = None,
        example: str = "",
        secret: bool | str = False,
    ) -> str:
        """Declare a variable once and refer to it."""
        kind = type or _DEFAULTS.get(default.__class__, "list(string)")
        mark = (EPHEMERAL if secret is True else str(secret)) if secret else ""
        self.variables.setdefault(name, Variable(name, kind, default, description, check, mark))
        if example:
            self.examples.setdefault(name, example)
        return f"var.{name}"

    def add(self, text: str) -> None:
        """Sort a rendered template's sections into their files."""
        pieces = _MARK.split(text)
        for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
            if body.strip():
                self.parts.setdefault(name, []).append(body.strip("\n"))

    def part(self, name: str) -> str:
        """What was written into one file so far."""
        return "\n\n".join(self.parts.get(name, ()))


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(  # noqa: S701 (Terraform, not HTML; values go through `q`)
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(q=quoted, lit=literal, num=number)
    return environment


def _values(sheet: Sheet) -> dict[str, Any]:
    design = sheet.design
    return {
        "d": design,
        "b": design.brief,
        "load": design.brief.load,
        "size": design.size,
        "var": sheet.var,
        "key": sheet.key,
        "agent": wiring.agent,
        "sheet": sheet,
        "account": access.account,
        "service": lambda u: access.service_address(design, u),
        "environment": lambda u: wiring.environment(design, u),
        "users": lambda u: [r for r in design.runners if u in dict(access.used_by(design, r))],
        "used": lambda u: access.used_by(design, u),
        "subscribers": lambda u: access.subscribers(design, u),
        "pushed": access.receives_push,
        "places": places,
        "provider_version": PROVIDER_VERSION,
        "terraform_version": TERRAFORM_VERSION,
    }


def _template(sheet: Sheet, name: str, **more: Any) -> None:
    sheet.add(_environment().get_template(f"{name}.tf.j2").render(**_values(sheet), **more))


def _imported(text: str) -> str:
    """Add a dependency on the enabled services to every resource that depends on nothing else."""
    result: list[str] = []
    position = 0
    for match in _BLOCK.finditer(text):
        if match[1] != "resource" or match[2] == "google_project_service":
            continue
        end = text.find("\n}\n", match.start())
        end = len(text) - 1 if end < 0 else end + 1
        body = text[match.end() : end]
        if "depends_on" in body or _REFERENCE.search(body):
            continue
        result += [text[position:end], "\n  depends_on = [google_project_service.enabled]\n"]
        position = end
    return "".join((*result, text[position:]))


def resource_types(files: Sequence[Attachment]) -> tuple[str, ...]:
    """Every resource and data type that the files declare, once each."""
    return tuple(
        dict.fromkeys(
            m[2] for f in files if f.path.endswith(".tf") for m in _BLOCK.finditer(f.text)
        )
    )


def addresses(files: Sequence[Attachment]) -> tuple[tuple[str, str], ...]:
    """Every managed resource as (type, name), in order."""
    return tuple(
        (m[2], m[3])
        for f in files
        if f.path.endswith(".tf")
        for m in _BLOCK.finditer(f.text)
        if m[1] == "resource"
    )


def inputs_of(files: Sequence[Attachment]) -> tuple[tuple[str, str, bool], ...]:
    """Variables without default: name, description, and whether it is a secret."""
    text = next((f.text for f in files if f.path == "terraform/variables.tf"), "")
    found = []
    for match in _VARIABLE.finditer(text):
        name, body = match[1], match[2]
        if re.search(r"^\s+default\s+=", body, re.M):
            continue
        described = _DESCRIPTION.search(body)
        found.append((name, described[1] if described else "", "sensitive" in body))
    return tuple(found)


def _example(sheet: Sheet) -> str:
    lines = ["# Copy to terraform.tfvars and fill in; that file stays out of version control.", ""]
    for variable in sheet.variables.values():
        if variable.secret:
            lines.append(f"# {variable.name} is a secret: export TF_VAR_{variable.name} instead")
        elif variable.default is None:
            lines.append(f"{variable.name} = {sheet.examples.get(variable.name, quoted('...'))}")
    optional = [v for v in sheet.variables.values() if v.default is not None]
    if optional:
        lines += [
            "",
            "# These have defaults that follow from the request; set them to deviate.",
            "",
        ]
        lines += [
            f"# {v.name} = {literal(v.default)}"
            for v in optional
            if not isinstance(v.default, dict)
        ]
    return formatted("\n".join(lines))


def render(design: Design) -> tuple[Attachment, ...]:
    """All files of the Terraform configuration, formatted, main.tf and variables.tf first."""
    sheet = Sheet(design)
    _template(sheet, "base")
    if design.network:
        _template(sheet, "network")
    done: set[tuple[str, str]] = set()
    for unit in design.units:
        if not unit.module.template or unit.module.key == "network":
            continue
        key = ("" if unit.module.once else unit.name, unit.module.key)
        if key not in done:
            done.add(key)
            _unit(sheet, unit)
    _template(sheet, "artifacts_shared")
    _template(sheet, "iam", bindings=access.bindings(design))
    _template(sheet, "observability")
    if design.budget_units:
        _template(sheet, "budget")
    if design.cmek:
        _template(sheet, "keys")
    return _files(sheet)


def _unit(sheet: Sheet, unit: Unit) -> None:
    _template(sheet, unit.module.key, u=unit)


def _files(sheet: Sheet) -> tuple[Attachment, ...]:
    texts: dict[str, str] = {}
    for name, about in FILES.items():
        body = sheet.part(name)
        if body:
            texts[name] = formatted(f"# {about}\n\n{body}")
    # What is declared decides which services have to be enabled, so main.tf comes last.
    files = [Attachment(path=n, text=t) for n, t in texts.items()]
    services = services_of(resource_types(files), sheet.design)
    _template(sheet, "main", services=services)
    outputs = sheet.part("outputs.tf")
    ordered = {
        "main.tf": formatted(sheet.part("main.tf")),
        "variables.tf": formatted("\n\n".join(v.text for v in sheet.variables.values())),
        **{name: _imported(text) for name, text in texts.items()},
    }
    if outputs:
        ordered["outputs.tf"] = formatted(outputs)
    ordered["terraform.tfvars.example"] = _example(sheet)
    return tuple(Attachment(path=f"terraform/{name}", text=text) for name, text in ordered.items())
