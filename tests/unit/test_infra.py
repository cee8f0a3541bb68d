"""What ``infra/`` promises, held against itself, the code and the documents.

- It passes the checks that the project applies to the Terraform of others, and ``terraform fmt``.
- Each door has one account, the rights that docs/operate.md lists, and the callers listed there.
- Nobody gets a basic role, nothing is public, inner doors are not reachable from outside.
- Deadlines nest: run < claim < dispatch < service; retries outlast a claim.
- Wrong values of variables are refused with a sentence.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from agents.runtime import Attachment
from agents.tools.hcl import Block, Expr, Kind
from agents.tools.iac_module import Module, modules
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_schema import iac_schema_check
from agents.tools.terraform import FmtState, ValidateState, terraform_fmt, terraform_validate
from engine.runs import RunSettings

ROOT = Path(__file__).parents[2]
INFRA = ROOT / "infra"
CLIENTS = "`client_principals`"
TERRAFORM = shutil.which("terraform")

needs_terraform = pytest.mark.usefixtures("terraform_installed")


@pytest.fixture
def terraform_installed() -> None:
    assert TERRAFORM, "terraform is not on the PATH; install it, these tests do not pass over it"


def files() -> list[Attachment]:
    return [
        Attachment(path=f"terraform/{path.name}", text=path.read_text(encoding="utf-8"))
        for path in sorted(INFRA.iterdir())
        if path.name.endswith((".tf", ".tfvars.example"))
    ]


@cache
def module() -> Module:
    (only,) = modules(files())
    return only


def resources(type_name: str) -> dict[str, Block]:
    return {
        name: located.block
        for (kind, of_type, name), located in module().resources.items()
        if kind == "resource" and of_type == type_name
    }


def value(expr: Expr | None) -> object:
    """Evaluate a constant, a list or an object of them; other expressions as their text."""
    if expr is None:
        return None
    if expr.kind is Kind.LIST:
        return [value(part) for part in expr.parts]
    if expr.kind is Kind.OBJECT:
        return {key: value(part) for key, part in expr.pairs}
    return expr.text if expr.value is None else expr.value


def local(name: str) -> dict[str, dict[str, object]]:
    found = value(module().locals[name])
    assert isinstance(found, dict)
    return found


def table(document: str, heading: str) -> list[dict[str, str]]:
    """Read the first table below a heading of a document in docs/."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    assert f"\n{heading}\n" in text, f"docs/{document} has no heading {heading!r}"
    below = text.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def words(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


def all_roles() -> set[str]:
    return set(re.findall(r'"(roles/[A-Za-z.]+)"', "\n".join(f.text for f in files())))


# -- the project's own checks ------------------------------------------------------------------


def test_every_type_and_argument_exists() -> None:
    report = iac_schema_check(files())
    assert report.findings == ()
    assert report.blocks_checked > 50
    assert not [note for note in report.not_checked if "pinned provider version" in note]


def test_no_policy_is_broken_and_none_warns() -> None:
    assert iac_policy_check(files()).findings == ()


@needs_terraform
async def test_terraform_formats_and_validates_as_far_as_it_can() -> None:
    formatted = await terraform_fmt(files())
    assert formatted.state is FmtState.FORMATTED, [f.path for f in formatted.formatted]
    report = await terraform_validate(files())
    assert report.state is not ValidateState.INVALID, report.diagnostics


def test_every_variable_is_described_typed_and_every_output_described() -> None:
    for name, located in module().variables.items():
        block = located.block
        assert block.value("description"), name
        assert "type" in block.attributes, name
        typed_bool = block.attributes["type"].expr.text == "bool"
        assert typed_bool or list(block.of_type("validation")), f"{name} takes any value"
    for located in module().of_type("output"):
        assert located.block.value("description"), located.block.labels


# -- doors, callers, rights --------------------------------------------------------------------


DOORS: tuple[str, ...] = ast.literal_eval(
    re.search(r"^DOORS = (\(.*\))$", (ROOT / "functions" / "main.py").read_text(), re.M)[1]  # type: ignore[index]
)
NOT_BUILT = {"a2a", "generate", "notify", "evaluate"}
"""Doors that the Terraform prepares and the code does not have yet; docs/deploy.md says so."""


def test_every_door_is_a_target_of_the_code_or_said_to_be_missing() -> None:
    assert set(DOORS) == set(local("doors")) - NOT_BUILT
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    for door in NOT_BUILT:
        assert f"`{door}`" in page.split("## ")[0]


def test_callers_are_those_of_the_document() -> None:
    written = {row["Door"].strip("`"): words(row["Callers"]) for row in callers_table()}
    declared = {door: set(callers) for door, callers in local("callers").items()}
    for door, spec in local("doors").items():
        if spec["clients"] is True:
            declared[door] = {CLIENTS.strip("`")}
    declared["a2a"].add("deploy")  # the smoke test, where delivery is set up
    assert written == declared


def callers_table() -> list[dict[str, str]]:
    return table("operate.md", "## Who may call whom")


def test_rights_are_those_of_the_document() -> None:
    written = {row["Door"].strip("`"): words(row["Rights"]) for row in callers_table()}
    assert written == {door: set(rights) for door, rights in local("rights").items()}
    explained = {row["Right"].strip("`") for row in table("operate.md", "### Rights")}
    assert explained == set().union(*local("rights").values())


def test_nothing_else_lets_anybody_call_a_door() -> None:
    invokers = {
        name
        for name, block in resources("google_cloud_run_v2_service_iam_member").items()
        if block.value("role") == "roles/run.invoker"
    }
    assert invokers == {"caller", "client", "smoke"}
    text = "\n".join(f.text for f in files())
    assert text.count("roles/run.invoker") == len(invokers)
    assert not re.search(r"iam_(policy|binding)", text), "authoritative grants hide others' doors"


def test_each_caller_calls_one_door() -> None:
    callers = [name for names in local("callers").values() for name in names]
    assert len(callers) == len(set(callers))
    for subscription in local("subscriptions").values():
        door = str(subscription["door"])
        assert subscription["caller"] in local("callers")[door]


def test_only_client_doors_are_open_to_the_outside() -> None:
    assert {d for d, spec in local("doors").items() if spec["clients"] is True} == {
        "a2a",
        "generate",
    }
    (service,) = resources("google_cloud_run_v2_service").values()
    ingress = service.attributes["ingress"].expr.text
    assert ingress == (
        'each.value.clients ? "INGRESS_TRAFFIC_ALL" : "INGRESS_TRAFFIC_INTERNAL_ONLY"'
    )
    assert service.value("invoker_iam_disabled") is False


def test_no_wide_role_is_granted() -> None:
    assert not all_roles() & {
        "roles/owner",
        "roles/editor",
        "roles/viewer",
        "roles/iam.serviceAccountTokenCreator",
        "roles/datastore.user",
        "roles/datastore.owner",
        "roles/aiplatform.user",
        "roles/cloudtasks.admin",
    }


def test_a_door_cannot_delete_documents_and_a_specialist_cannot_change_a_cloud() -> None:
    roles = resources("google_project_iam_custom_role")
    permissions = value(roles["documents"].attributes["permissions"].expr)
    assert isinstance(permissions, list)
    assert not [
        p for p in permissions if str(p).endswith(("delete", "create")) and "entities" not in p
    ]
    assert "datastore.entities.delete" not in permissions
    discovery = value(module().locals["discovery_roles"])
    assert isinstance(discovery, list)
    reading = re.compile(r"roles/(browser|iam\.securityReviewer|[a-z]+\.([a-z]+)?[vV]iewer)")
    assert [role for role in discovery if not reading.fullmatch(str(role))] == []


def test_the_doors_that_run_no_agent_reach_no_model() -> None:
    agents = {door for door, spec in local("doors").items() if spec["agents"] is True}
    assert agents == {"turn", "delegation"}
    assert {door for door, rights in local("rights").items() if "models" in rights} == agents


# -- figures that must agree -------------------------------------------------------------------


def minutes_after_run(name: str) -> int:
    found = re.fullmatch(r"\(var\.run_minutes \+ (\d+)\) \* 60", module().locals[name].text)
    assert found, f"local.{name} is written another way"
    return int(found[1])


def test_deadlines_nest() -> None:
    claim = RunSettings(holder="x", deadline=timedelta(minutes=12)).lease - timedelta(minutes=12)
    dispatch = timedelta(minutes=minutes_after_run("dispatch_seconds"))
    service = timedelta(minutes=minutes_after_run("run_seconds"))
    assert claim < dispatch < service
    most = module().variables["run_minutes"].block
    (check,) = most.of_type("validation")
    longest = int(
        re.findall(r"var\.run_minutes <= (\d+)", check.attributes["condition"].expr.text)[0]
    )
    assert timedelta(minutes=longest) + service <= timedelta(minutes=30)
    for door, spec in local("doors").items():
        timeout = spec["timeout"]
        assert timeout == "local.run_seconds" or int(str(timeout)) <= 1800, door


def test_retries_outlast_a_claim() -> None:
    (queue,) = resources("google_cloud_tasks_queue").values()
    (retry,) = queue.of_type("retry_config")
    attempts = module().locals["task_attempts"].value
    assert isinstance(attempts, int)
    assert retry.attributes["max_attempts"].expr.text == "local.task_attempts"
    assert retry.value("max_retry_duration") == "0s", "else attempts alone would not end it"
    first, most = (int(str(retry.value(k)).rstrip("s")) for k in ("min_backoff", "max_backoff"))
    doublings = retry.value("max_doublings")
    assert isinstance(doublings, int)
    waits = [min(most, first * 2 ** min(n, doublings)) for n in range(attempts - 1)]
    assert timedelta(seconds=sum(waits)) > RunSettings(holder="x").lease


def test_a_small_cpu_never_meets_concurrency() -> None:
    for door, spec in local("doors").items():
        assert float(str(spec["cpu"])) >= 1 or spec["concurrency"] == 1, door


def test_no_service_waits_for_instances_and_every_one_is_probed() -> None:
    (service,) = resources("google_cloud_run_v2_service").values()
    (scaling,) = service.nested("template", "scaling")
    assert scaling.value("min_instance_count") == 0
    (container,) = service.nested("template", "containers")
    (resource,) = container.of_type("resources")
    assert resource.value("startup_cpu_boost") is True
    for probe in ("startup_probe", "liveness_probe"):
        (http,) = container.nested(probe, "http_get")
        assert http.value("path") == "/healthz"


def test_settings_exist_in_the_code() -> None:
    text = (ROOT / "functions" / "settings.py").read_text(encoding="utf-8")
    known = set(re.findall(r'"([A-Z][A-Z0-9_]+)"', text))
    ours = re.findall(r"\b(SOLUTION_ARCHITECT_[A-Z_]+)\b", (INFRA / "services.tf").read_text())
    ours += re.findall(r"\b(SOLUTION_ARCHITECT_[A-Z_]+)\b", (INFRA / "Dockerfile").read_text())
    assert set(ours) <= known


def test_fields_without_index_are_fields_of_the_layout() -> None:
    modules = [*(ROOT / "engine" / "stores").glob("*.py"), ROOT / "engine" / "execution.py"]
    text = "\n".join(module.read_text(encoding="utf-8") for module in modules)
    for collection, fields in local("unindexed").items():
        assert collection in text
        for name in fields:
            assert re.search(rf"\b{name}\b", text), f"{collection}.{name}"
    assert "stalls_at" in text


# -- alerts, dashboard, documents --------------------------------------------------------------


def test_every_alert_names_a_section_that_exists() -> None:
    headings = re.findall(
        r"^#+ (.+)$", (ROOT / "docs" / "operate.md").read_text(encoding="utf-8"), re.M
    )
    pointed = re.findall(
        r"docs/operate\.md[,:] ([A-Z][A-Za-z ]+[a-z])", (INFRA / "alerts.tf").read_text()
    )
    pointed += re.findall(
        r"docs/operate\.md: ([A-Z][A-Za-z ]+[a-z])", (INFRA / "budget.tf").read_text()
    )
    assert len(pointed) >= 6
    assert [section for section in pointed if section not in headings] == []


def test_every_log_metric_is_described_to_operators() -> None:
    text = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    events = re.findall(r'jsonPayload\.event=\\"(\w+)\\"', (INFRA / "alerts.tf").read_text())
    assert set(events) == {"redriven", "caller_refused"}
    assert [event for event in events if f"`{event}`" not in text] == []


def test_commands_of_the_documents_name_outputs_and_files_that_exist() -> None:
    outputs = {located.block.labels[0] for located in module().of_type("output")}
    for document in ("deploy.md", "operate.md"):
        text = (ROOT / "docs" / document).read_text(encoding="utf-8")
        for name in re.findall(r"terraform [^\n`]*output (?:-raw |-json )?([a-z_]+)", text):
            assert name in outputs, f"docs/{document}: output {name}"
        for path in re.findall(r"\b(infra/[\w./-]+\w)", text):
            made = path in ("infra/terraform.tfvars", "infra/.terraform.lock.hcl")
            assert made or (ROOT / path).exists(), f"docs/{document}: {path}"
        for path in re.findall(r"\]\(([\w./-]+\.md)", text):
            assert (ROOT / "docs" / path).exists(), f"docs/{document}: {path}"


# -- values, evaluated by terraform itself -----------------------------------------------------

GOOD = {
    "project_id": "my-architect",
    "image": "us-docker.pkg.dev/p/r/doors@sha256:" + "0" * 64,
}


def evaluate(folder: Path, variables: dict[str, object]) -> subprocess.CompletedProcess[str]:
    """Plan the variables and the doors' tables alone: they need no provider and no network."""
    assert TERRAFORM is not None
    doors = (INFRA / "doors.tf").read_text(encoding="utf-8")
    (folder / "doors.tf").write_text(doors.replace("data.google_project.this.number", '"123"'))
    shutil.copy(INFRA / "variables.tf", folder)
    (folder / "out.tf").write_text(
        'output "all" { value = { urls = local.urls, with = local.with, doors = local.doors } }\n'
    )
    (folder / "given.auto.tfvars.json").write_text(json.dumps({**GOOD, **variables}))
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "CHECKPOINT_DISABLE": "1"}
    return subprocess.run(
        [TERRAFORM, "apply", "-auto-approve", "-no-color", "-input=false"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@needs_terraform
def test_tables_evaluate(tmp_path: Path) -> None:
    done = evaluate(tmp_path, {"max_instances": {"turn": 5}})
    assert done.returncode == 0, done.stderr
    state = json.loads((tmp_path / "terraform.tfstate").read_text())
    found = state["outputs"]["all"]["value"]
    assert found["urls"]["turn"] == "https://architect-turn-123.us-central1.run.app"
    assert set(found["with"]["models"]) == {"turn", "delegation"}
    assert found["doors"]["turn"]["timeout"] == 960


@needs_terraform
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("image", "us-docker.pkg.dev/p/r/doors:latest"),
        ("client_principals", ["allUsers"]),
        ("client_principals", ["allAuthenticatedUsers"]),
        ("batch_publishers", ["domain:example.com"]),
        ("prefix", "a-name-that-is-too-long"),
        ("region", "us-central1-a"),
        ("run_minutes", 27),
        ("dispatches_per_second", 501),
        ("max_instances", {"delegation": 0}),
        ("model_secrets", {"GEMINI_API_KEY": "AIza looks like a key"}),
        ("sweep_schedule", "every minute"),
        ("backup_retention_days", 99),
        ("billing_account", "My Billing Account"),
        ("source_repository", "projects/p/locations/r/connections/c/repositories/n"),
    ],
)
def test_wrong_values_are_refused_by_name(tmp_path: Path, name: str, given: object) -> None:
    done = evaluate(tmp_path, {name: given})
    assert done.returncode != 0
    assert "Invalid value for variable" in done.stderr
    (line,) = re.findall(r"validation rule at variables\.tf:(\d+)", done.stderr)
    above = [v for v in module().variables.values() if v.block.line <= int(line)]
    blamed = max(above, key=lambda located: located.block.line).block.labels[0]
    assert blamed == ("state_bucket" if name == "source_repository" else name)
