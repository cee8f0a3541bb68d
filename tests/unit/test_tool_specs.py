"""The checking tools as a model calls them."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agents.runtime import Attachment, Tier, ToolReply, ToolSpec
from agents.tools.specs import MAX_FINDINGS, TOOL_NAMES, UnknownTool, tool_specs
from agents.tools.terraform_process import TerraformSettings

OWNER = 'resource "google_project_iam_member" "x" {\n  role = "roles/owner"\n}\n'


def tool(name: str, *attachments: Attachment) -> ToolSpec:
    (spec,) = tool_specs([name], attachments)
    return spec


async def call(name: str, **arguments: Any) -> ToolReply:
    return await tool(name).call(arguments)


def main(text: str) -> list[dict[str, str]]:
    return [{"path": "terraform/main.tf", "text": text}]


def test_all_tools_are_general_end_no_run_and_have_a_sound_schema() -> None:
    specs = tool_specs(sorted(TOOL_NAMES))
    assert [spec.name for spec in specs] == [
        "iac_policy_check",
        "iac_schema_check",
        "mermaid_check",
        "terraform_fmt",
        "terraform_validate",
    ]
    for spec in specs:
        Draft202012Validator.check_schema(spec.parameters)
        assert spec.parameters["additionalProperties"] is False
        assert spec.tier is Tier.GENERAL
        assert not spec.ending


def test_tools_come_in_the_order_asked_for() -> None:
    names = ["terraform_validate", "mermaid_check"]
    assert [spec.name for spec in tool_specs(names)] == names


def test_an_unknown_name_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(UnknownTool, match="terraform_apply.*Known: iac_policy_check"):
        tool_specs(["terraform_apply"])


async def test_mermaid_check() -> None:
    reply = await call("mermaid_check", diagram='flowchart LR\n  a["A"] -->|x| b\n  c\n')
    assert reply.ok
    assert reply.content["nodes"] == {"a": "A", "b": "b", "c": "c"}
    assert reply.content["edges"] == ["a -> b: x"]
    assert reply.content["orphans"] == ["c"]
    wrong = await call("mermaid_check", diagram="hello")
    assert wrong.ok
    assert wrong.content["valid"] is False
    assert wrong.content["errors"]


async def test_terraform_tools() -> None:
    assert shutil.which("terraform"), "This test runs the real terraform: put it on the PATH."
    fmt = await call("terraform_fmt", files=main("locals {\na=1\n}\n"))
    assert fmt.content["state"] == "unformatted"
    assert fmt.content["formatted"] == main("locals {\n  a = 1\n}\n")
    valid = await call("terraform_validate", files=main("locals {\n  a = 1\n}\n"))
    assert valid.content["state"] == "valid"
    broken = await call("terraform_validate", files=main("locals {\n  a = \n}\n"))
    assert broken.content["state"] == "invalid"
    assert broken.content["diagnostics"][0]["line"] == 2


async def test_terraform_that_is_missing_is_said_and_no_failure() -> None:
    for spec in tool_specs(
        ["terraform_fmt", "terraform_validate"], (), TerraformSettings(program=None)
    ):
        reply = await spec.call({"files": main("")})
        assert reply.ok
        assert reply.content["state"] in ("unavailable", "unchecked")
        assert "not installed" in reply.content["reason"]


async def test_schema_check() -> None:
    reply = await call("iac_schema_check", files=main('resource "google_projct" "x" {}\n'))
    assert reply.content["passed"] is False
    (finding,) = reply.content["findings"]
    assert finding["path"] == "terraform/main.tf"
    assert "google_project" in finding["message"]
    assert reply.content["not_checked"]


async def test_policy_check() -> None:
    member = OWNER.replace("roles/owner", "roles/viewer").replace("}", '  member = "allUsers"\n}')
    strict = await call("iac_policy_check", files=main(member))
    assert "public-access" in {
        f["rule"] for f in strict.content["findings"] if f["severity"] == "error"
    }
    eased = await call("iac_policy_check", files=main(member), allow_public=True)
    assert "public-access" in {
        f["rule"] for f in eased.content["findings"] if f["severity"] == "warning"
    }


async def test_many_findings_are_capped_and_counted() -> None:
    many = "".join(OWNER.replace('"x"', f'"x{n}"') for n in range(MAX_FINDINGS + 20))
    reply = await call("iac_policy_check", files=main(many))
    assert len(reply.content["findings"]) == MAX_FINDINGS
    assert reply.content["more"] >= 20
    assert reply.content["findings"][0]["severity"] == "error"


async def test_without_files_the_attachments_are_checked() -> None:
    given = [
        Attachment(path="terraform/main.tf", text=OWNER),
        Attachment(path="validation.json", text="{}"),
    ]
    spec = tool("iac_policy_check", *given)
    assert spec.parameters["required"] == []
    reply = await spec.call({})
    assert "basic-role" in {f["rule"] for f in reply.content["findings"]}
    other = await spec.call({"files": main("locals {}\n")})
    assert "basic-role" not in {f["rule"] for f in other.content["findings"]}


@pytest.mark.parametrize(
    "name", ["terraform_fmt", "terraform_validate", "iac_schema_check", "iac_policy_check"]
)
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"files": []},
        {"files": None},
        {"files": "terraform/main.tf"},
        {"files": [7]},
        {"files": [{"path": "terraform/main.tf"}]},
        {"files": [{"path": "../main.tf", "text": ""}]},
        {"files": [{"path": "/etc/passwd", "text": ""}]},
    ],
)
async def test_unusable_files_are_refused(name: str, arguments: dict[str, Any]) -> None:
    reply = await tool(name).call(arguments)
    assert not reply.ok
    assert reply.content["error"].endswith(".")


async def test_a_diagram_of_another_type_is_refused() -> None:
    reply = await call("mermaid_check", diagram=7)
    assert not reply.ok


async def test_replies_can_be_written_as_json() -> None:
    for name in sorted(TOOL_NAMES - {"mermaid_check"}):
        json.dumps(dict((await call(name, files=main(OWNER))).content))
    json.dumps(dict((await call("mermaid_check", diagram="flowchart LR\n a --> b")).content))
