"""The checking tools as ToolSpecs: what a role lists by name, and a model can call.

Replies are small: findings are capped, and only text that must change is sent back. A check that
finds problems is a successful call; unusable input is a refusal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from agents.runtime import Attachment, ToolReply, ToolSpec
from agents.tools.files import BadFiles, checked, from_arguments
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_schema import iac_schema_check
from agents.tools.mermaid import check_mermaid
from agents.tools.terraform import terraform_fmt, terraform_validate
from agents.tools.terraform_process import TerraformSettings
from engine.contracts import File, terraform_digest

MAX_FINDINGS = 30
MAX_EDGES = 80

Arguments = Mapping[str, Any]
Call = Callable[[Arguments], Awaitable[ToolReply]]
Files = tuple[Attachment, ...]


class UnknownTool(LookupError):
    """A role lists a tool that is not one of the checking tools."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no checking tool {name!r}. Known: {', '.join(sorted(TOOL_NAMES))}."
        )


def tool_specs(
    names: Sequence[str],
    attachments: Sequence[Attachment] = (),
    settings: TerraformSettings | None = None,
) -> tuple[ToolSpec, ...]:
    """Make the named tools, in this order.

    ``attachments`` are the files of the Deliverable at hand: the Terraform tools check those when
    a call gives no ``files``, so that a Specialist need not repeat them. Raises UnknownTool.
    """
    terraform = tuple(a for a in attachments if a.path.startswith("terraform/"))
    makers = _makers(terraform, settings)
    for name in names:
        if name not in makers:
            raise UnknownTool(name)
    return tuple(makers[name]() for name in names)


def _makers(given: Files, settings: TerraformSettings | None) -> dict[str, Callable[[], ToolSpec]]:
    return {
        "mermaid_check": _mermaid_spec,
        "terraform_fmt": lambda: _files_spec(
            "terraform_fmt",
            "Format Terraform files with `terraform fmt`. Returns the text of each file that "
            "differs: take it over as it is. State: formatted, unformatted, syntax_error or "
            "unavailable.",
            given,
            lambda files, _: _fmt(files, settings),
        ),
        "terraform_validate": lambda: _files_spec(
            "terraform_validate",
            "Validate Terraform files with `terraform validate`, without backend and without "
            "touching any cloud. State: valid, invalid, or unchecked with the reason (such as: "
            "provider not available).",
            given,
            lambda files, _: _validate(files, settings),
        ),
        "iac_schema_check": lambda: _files_spec(
            "iac_schema_check",
            "Check that every google resource type, argument and block exists in one version of "
            "the provider, that required ones are present, and that references lead somewhere.",
            given,
            lambda files, _: _schema(files),
        ),
        "iac_policy_check": lambda: _files_spec(
            "iac_policy_check",
            "Check Terraform files against the security rules: pinned providers, no plaintext "
            "secret, no basic role, nothing public, and more. Errors fail, warnings are reported.",
            given,
            lambda files, arguments: _policy(files, bool(arguments.get("allow_public", False))),
            {
                "allow_public": {
                    "type": "boolean",
                    "description": "True only where a requirement asks for public access.",
                }
            },
        ),
    }


def _mermaid_spec() -> ToolSpec:
    async def call(arguments: Arguments) -> ToolReply:
        diagram = arguments.get("diagram")
        if not isinstance(diagram, str):
            return ToolReply.refusal("Give the diagram as a string in 'diagram'.")
        report = await asyncio.to_thread(check_mermaid, diagram)
        if not report.valid:
            return ToolReply({"valid": False, "errors": list(report.errors)})
        edges = [
            f"{e.source} -> {e.target}" + (f": {e.label}" if e.label else "")
            for e in report.edges[:MAX_EDGES]
        ]
        content: dict[str, Any] = {"valid": True, "kind": report.kind, "nodes": report.nodes}
        content |= {"edges": edges, "orphans": list(report.orphans)}
        if report.orphans:
            content["hint"] = "Connect each orphan with an edge, or remove it."
        return ToolReply(content)

    return ToolSpec(
        name="mermaid_check",
        description="Parse a Mermaid diagram with mermaid itself. Returns the errors, or the "
        "nodes with their labels, the edges, and the nodes that no edge reaches.",
        parameters={
            "type": "object",
            "properties": {
                "diagram": {"type": "string", "description": "The Mermaid text, without fence."}
            },
            "required": ["diagram"],
            "additionalProperties": False,
        },
        call=call,
    )


def _files_spec(
    name: str,
    description: str,
    given: Files,
    check: Callable[[Files, Arguments], Awaitable[dict[str, Any]]],
    more: Mapping[str, Any] | None = None,
) -> ToolSpec:
    async def call(arguments: Arguments) -> ToolReply:
        try:
            listed = arguments.get("files")
            files = checked(given) if listed is None and given else from_arguments(listed or ())
            found = await check(files, arguments)
            # The validator puts this digest into validation.json; it cannot compute one itself.
            return ToolReply({**found, "terraform_sha256": digest_of(files)})
        except BadFiles as error:
            return ToolReply.refusal(str(error))

    files_schema: dict[str, Any] = {
        "type": "array",
        "description": "Files with paths under terraform/ and their whole text."
        + (" Leave it out to check the attachments as they were submitted." if given else ""),
        "items": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
            "required": ["path", "text"],
            "additionalProperties": False,
        },
    }
    return ToolSpec(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": {"files": files_schema, **(more or {})},
            "required": [] if given else ["files"],
            "additionalProperties": False,
        },
        call=call,
    )


def digest_of(files: Files) -> str:
    """The digest of the Terraform that was looked at, as the contracts compute it."""
    return terraform_digest(tuple(File(f.path, f.text) for f in files))


async def _fmt(files: Files, settings: TerraformSettings | None) -> dict[str, Any]:
    report = await terraform_fmt(files, settings)
    content: dict[str, Any] = {"state": report.state.value, "engine": report.engine}
    if report.formatted:
        content["formatted"] = [{"path": f.path, "text": f.text} for f in report.formatted]
    if report.errors:
        content["errors"] = list(report.errors[:MAX_FINDINGS])
    if report.reason:
        content["reason"] = report.reason
    return content


async def _validate(files: Files, settings: TerraformSettings | None) -> dict[str, Any]:
    report = await terraform_validate(files, settings)
    content: dict[str, Any] = {"state": report.state.value, "engine": report.engine}
    if report.reason:
        content["reason"] = report.reason
    if report.diagnostics:
        content |= _capped("diagnostics", [d.model_dump() for d in report.diagnostics])
    return content


async def _schema(files: Files) -> dict[str, Any]:
    report = await asyncio.to_thread(iac_schema_check, files)
    findings = [f.model_dump(mode="json") for f in report.findings]
    return {
        "passed": report.passed,
        "engine": report.engine,
        "blocks_checked": report.blocks_checked,
        **_capped("findings", findings),
        "not_checked": list(report.not_checked),
    }


async def _policy(files: Files, allow_public: bool) -> dict[str, Any]:
    report = await asyncio.to_thread(iac_policy_check, files, allow_public=allow_public)
    findings = [
        {"rule": f.rule, "severity": f.severity.value, "message": f.message}
        for f in report.findings
    ]
    return {
        "passed": report.passed,
        "engine": report.engine,
        "rules_run": report.rules_run,
        **_capped("findings", findings),
        "not_checked": list(report.not_checked),
    }


def _capped(name: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Give the first findings and say how many more there are."""
    if len(items) <= MAX_FINDINGS:
        return {name: items}
    return {name: items[:MAX_FINDINGS], "more": len(items) - MAX_FINDINGS}


TOOL_NAMES: frozenset[str] = frozenset(_makers((), None))
"""All names that ``tool_specs`` knows."""
