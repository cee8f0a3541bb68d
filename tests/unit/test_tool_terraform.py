"""Formatting and validation with the real terraform program."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from agents.runtime import Attachment
from agents.tools import terraform as module
from agents.tools import terraform_process
from agents.tools.files import BadFiles
from agents.tools.terraform import (
    MISSING,
    FmtState,
    ValidateState,
    terraform_fmt,
    terraform_validate,
)
from agents.tools.terraform_process import TerraformSettings, run, workspace

PINNED = """terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 8.7"
    }
  }
}

resource "google_storage_bucket" "media" {
  name     = "media"
  location = "EU"
}
"""


def files(main: str, others: dict[str, str] | None = None) -> list[Attachment]:
    named = {"main.tf": main, **(others or {})}
    return [Attachment(path=f"terraform/{path}", text=text) for path, text in named.items()]


@pytest.fixture
def settings() -> TerraformSettings:
    assert shutil.which("terraform"), (
        "These tests run the real terraform. Install it (1.11 or later) and put it on the PATH."
    )
    return TerraformSettings.from_environment()


@pytest.fixture
def no_registry(settings: TerraformSettings, monkeypatch: pytest.MonkeyPatch) -> TerraformSettings:
    """Terraform behind a proxy that refuses: the same as a machine without network."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setattr(module, "_unreachable_until", {})
    return settings


async def test_formatted_files(settings: TerraformSettings) -> None:
    report = await terraform_fmt(files(PINNED), settings)
    assert report.state is FmtState.FORMATTED
    assert report.formatted == ()
    assert report.engine.startswith("terraform fmt 1.")


async def test_only_files_that_differ_come_back_formatted(settings: TerraformSettings) -> None:
    ugly = 'variable "x" {\ntype=string\n}\n'
    report = await terraform_fmt(
        files(PINNED, {"variables.tf": ugly, "terraform.tfvars.example": "a=1\nbc=2\n"}), settings
    )
    assert report.state is FmtState.UNFORMATTED
    assert {f.path: f.text for f in report.formatted} == {
        "terraform/variables.tf": 'variable "x" {\n  type = string\n}\n',
        "terraform/terraform.tfvars.example": "a  = 1\nbc = 2\n",
    }
    again = await terraform_fmt(report.formatted, settings)
    assert again.state is FmtState.FORMATTED


async def test_syntax_errors_name_the_attachment_and_the_line(settings: TerraformSettings) -> None:
    broken = files("output {\n", {"modules/net/main.tf": 'x "y" {\n  a = \n}\n'})
    report = await terraform_fmt(broken, settings)
    assert report.state is FmtState.SYNTAX_ERROR
    assert len(report.errors) == 2
    assert "on terraform/modules/net/main.tf line 2" in "\n".join(report.errors)


async def test_without_terraform_nothing_is_claimed() -> None:
    missing = TerraformSettings(program=None)
    fmt = await terraform_fmt(files(PINNED), missing)
    assert (fmt.state, fmt.reason) == (FmtState.UNAVAILABLE, MISSING)
    validate = await terraform_validate(files(PINNED), missing)
    assert (validate.state, validate.reason) == (ValidateState.UNCHECKED, MISSING)


async def test_unsafe_paths_are_refused_before_anything_runs(settings: TerraformSettings) -> None:
    for check in (terraform_fmt, terraform_validate):
        with pytest.raises(BadFiles):
            await check([Attachment(path="terraform/../../x.tf", text="")], settings)


async def test_valid_without_any_provider_to_install(settings: TerraformSettings) -> None:
    text = 'resource "terraform_data" "x" {\n  input = file("${path.module}/x.txt")\n}\n'
    report = await terraform_validate(files(text, {"x.txt": "hello"}), settings)
    assert report.state is ValidateState.VALID, report
    assert report.engine.startswith("terraform validate 1.")


async def test_invalid_names_the_place(settings: TerraformSettings) -> None:
    report = await terraform_validate(
        files('resource "terraform_data" "x" {\n  inptu = 1\n}\n'), settings
    )
    assert report.state is ValidateState.INVALID
    (diagnostic,) = report.diagnostics
    assert (diagnostic.path, diagnostic.line) == ("terraform/main.tf", 2)
    assert diagnostic.summary == "Unsupported argument"
    assert report.reason == ""


async def test_syntax_errors_are_invalid(settings: TerraformSettings) -> None:
    report = await terraform_validate(files('x "y" {\n  a = \n}\n'), settings)
    assert report.state is ValidateState.INVALID
    assert (report.diagnostics[0].path, report.diagnostics[0].line) == ("terraform/main.tf", 2)


async def test_local_modules_are_validated_too(settings: TerraformSettings) -> None:
    use = 'module "net" {\n  source = "./modules/net"\n}\n'
    given = files(use, {"modules/net/main.tf": 'variable "cidr" {}\n'})
    report = await terraform_validate(given, settings)
    assert report.state is ValidateState.INVALID
    assert '"cidr" is required' in report.diagnostics[0].detail


async def test_no_provider_is_unchecked_and_says_so(no_registry: TerraformSettings) -> None:
    report = await terraform_validate(files(PINNED), no_registry)
    assert report.state is ValidateState.UNCHECKED
    assert "registry cannot be reached" in report.reason
    assert "SOLUTION_ARCHITECT_TERRAFORM_PLUGIN_DIR" in report.reason
    assert report.diagnostics == ()


async def test_no_provider_still_finds_duplicates(no_registry: TerraformSettings) -> None:
    twice = PINNED + PINNED[PINNED.index("resource") :]
    report = await terraform_validate(files(twice), no_registry)
    assert report.state is ValidateState.INVALID
    assert "Duplicate resource" in report.diagnostics[0].summary


async def test_an_unreachable_registry_is_asked_once(
    no_registry: TerraformSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = run

    async def counting(*args: object, **named: object) -> object:
        asked.append(str(args[2]))
        return await real(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run", counting)
    for _ in range(3):
        report = await terraform_validate(files(PINNED), no_registry)
        assert report.state is ValidateState.UNCHECKED
        assert "registry cannot be reached" in report.reason
    assert asked.count("init") == 1
    # A module of one's own is still resolved while the registry is not asked.
    use = 'module "net" {\n  source = "./net"\n}\n'
    given = files(use, {"net/main.tf": 'variable "cidr" {}\n'})
    report = await terraform_validate(given, no_registry)
    assert report.state is ValidateState.INVALID
    assert asked.count("init") == 1


async def test_a_plugin_folder_is_used_instead_of_the_registry(
    settings: TerraformSettings, tmp_path: Path
) -> None:
    empty = replace(settings, plugin_dir=str(tmp_path))
    report = await terraform_validate(files(PINNED), empty)
    assert report.state is ValidateState.UNCHECKED
    assert "could not be installed" in report.reason

    # A stand-in that is no provider: it is installed and started, and cannot answer.
    folder = tmp_path / "registry.terraform.io/hashicorp/google/8.7.0/linux_amd64"
    folder = folder.with_name(f"{os.uname().sysname.lower()}_{_goarch()}")
    folder.mkdir(parents=True)
    program = folder / "terraform-provider-google_v8.7.0"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    report = await terraform_validate(files(PINNED), empty)
    assert report.state is ValidateState.UNCHECKED
    assert "Failed to load plugin schemas" in report.reason


def _goarch() -> str:
    return {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]


async def test_another_terraform_version_is_no_fault_of_the_files(
    settings: TerraformSettings,
) -> None:
    text = 'terraform {\n  required_version = ">= 99.0"\n}\n'
    report = await terraform_validate(files(text), settings)
    assert report.state is ValidateState.UNCHECKED
    assert "Unsupported Terraform Core version" in report.reason


async def test_the_environment_is_not_readable_through_validate(
    settings: TerraformSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_API_KEY", "k-e-y")
    leak = files('locals {\n  a = tonumber(file("/proc/self/environ"))\n}\n')
    report = await terraform_validate(leak, settings)
    assert report.state is ValidateState.UNCHECKED
    assert "may read outside the files" in report.reason
    # And were it read, there would be nothing of the caller's in it.
    with workspace() as space:
        space.write(leak)
        raw = await run(settings, space, "validate", "-json", seconds=20)
    assert "cannot convert" in raw.stdout
    assert "MODEL_API_KEY" not in raw.stdout


async def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    slow = tmp_path / "terraform"
    child = tmp_path / "child.pid"
    slow.write_text(f"#!/bin/sh\nsleep 60 &\necho $! > {child}\nwait\n")
    slow.chmod(0o755)
    settings = TerraformSettings(program=str(slow), run_timeout=0.5)
    report = await terraform_fmt(files(PINNED), settings)
    assert report.state is FmtState.UNAVAILABLE
    assert "did not end within 0.5 s" in report.reason
    await _gone(int(child.read_text()))


async def test_a_cancelled_check_leaves_no_process(tmp_path: Path) -> None:
    slow = tmp_path / "terraform"
    child = tmp_path / "child.pid"
    slow.write_text(f"#!/bin/sh\necho $$ > {child}\nexec sleep 60\n")
    slow.chmod(0o755)
    task = asyncio.create_task(terraform_fmt(files(PINNED), TerraformSettings(program=str(slow))))
    while not child.exists() or not child.read_text():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _gone(int(child.read_text()))


async def _gone(pid: int) -> None:
    for _ in range(500):
        try:
            os.kill(pid, 0)
            # Without an init process an ended orphan stays as a zombie.
            if "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]:
                return
        except (ProcessLookupError, FileNotFoundError):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"process {pid} is still there")


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    config = tmp_path / "terraform.rc"
    config.write_text("")
    found = TerraformSettings.from_environment(
        {
            "PATH": os.environ["PATH"],
            "SOLUTION_ARCHITECT_TERRAFORM_PLUGIN_DIR": "/mirror",
            "TF_CLI_CONFIG_FILE": str(config),
        }
    )
    assert (found.plugin_dir, found.config_file) == ("/mirror", str(config))
    assert found.program == shutil.which("terraform")


def test_a_configuration_file_that_is_missing_is_dropped() -> None:
    found = TerraformSettings.from_environment({"PATH": "", "TF_CLI_CONFIG_FILE": "/nowhere/rc"})
    assert found == TerraformSettings(program=None)


async def test_the_workspace_is_gone_afterwards(
    settings: TerraformSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    real = terraform_process.Workspace.write

    def watching(self: terraform_process.Workspace, given: list[Attachment]) -> None:
        seen.append(self.folder)
        real(self, given)

    monkeypatch.setattr(terraform_process.Workspace, "write", watching)
    await terraform_fmt(files(PINNED), settings)
    assert seen
    assert not seen[0].exists()
