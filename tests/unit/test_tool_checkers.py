"""The prepared answers that contracts ask for."""

from __future__ import annotations

import shutil

import pytest

from agents.tools.checkers import PreparedCheckers, prepare_checkers
from agents.tools.terraform_process import TerraformSettings
from engine.contracts import Checkers, File

UGLY = File("terraform/main.tf", "locals {\na=1\n}\n")
FINE = File("terraform/main.tf", "locals {\n  a = 1\n}\n")
OTHER = File("validation.json", "{}")


@pytest.fixture(autouse=True)
def _terraform() -> None:
    assert shutil.which("terraform"), "These tests run the real terraform: put it on the PATH."


async def test_they_are_what_contracts_expect() -> None:
    checkers: Checkers = await prepare_checkers()
    assert checkers.mermaid_errors("flowchart LR\n  a --> b") == ()
    assert checkers.mermaid_errors("nonsense")


async def test_formatting_problems_name_the_file() -> None:
    checkers = await prepare_checkers([], [OTHER, UGLY])
    problems = checkers.terraform_fmt_problems([UGLY, OTHER])
    assert problems is not None
    assert problems[0].startswith("terraform/main.tf is not formatted")
    assert (await prepare_checkers([], [FINE])).terraform_fmt_problems([FINE]) == []


async def test_syntax_errors_and_unsafe_paths_are_problems() -> None:
    broken = File("terraform/main.tf", "locals {\n")
    assert (await prepare_checkers([], [broken])).terraform_fmt_problems([broken])
    unsafe = File("terraform/../x.tf", "")
    checkers = await prepare_checkers([], [unsafe])
    assert "cannot be used" in (checkers.terraform_fmt_problems([unsafe]) or [""])[0]
    assert "cannot be used" in checkers.terraform_policy_problems([unsafe], False)[0]


async def test_what_was_not_checked_is_none_and_never_fine() -> None:
    checkers = await prepare_checkers([], [FINE])
    assert checkers.terraform_fmt_problems([UGLY]) is None
    assert PreparedCheckers().terraform_fmt_problems([FINE]) is None
    missing = await prepare_checkers([], [FINE], TerraformSettings(program=None))
    assert missing.terraform_fmt_problems([FINE]) is None


async def test_policy_problems_are_the_errors_only() -> None:
    checkers = await prepare_checkers()
    warned = File("terraform/main.tf", 'variable "db_password" {}\n')
    assert checkers.terraform_policy_problems([warned], False) == []
    public = File("terraform/main.tf", 'locals {\n  members = ["allUsers"]\n}\n')
    assert "allUsers" in checkers.terraform_policy_problems([public], False)[0]
    assert checkers.terraform_policy_problems([public], True) == []
