"""Contracts of deployment_guidance and validation_results, and the hash between them."""

import copy
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.contracts import File, Submission, terraform_digest
from engine.deliverables import Kind
from tests.unit.contracts_samples import (
    DIGEST,
    GOOD,
    REQUIREMENTS,
    TERRAFORM,
    VALIDATION_JSON,
    SampleCheckers,
    changed,
    codes,
    problems,
)

DEP, VAL = Kind.DEPLOYMENT_GUIDANCE, Kind.VALIDATION_RESULTS


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        ("- A project", "A project", "list_missing", "'## Prerequisites' has no list"),
        ("1. Init", "Init", "list_missing", "'## Steps' has no numbered list"),
        ("   ```sh\n   terraform init\n   ```\n", "   Do it.\n", "command_missing", "no command"),
    ],
)
def test_faults_of_the_guidance(old: str, new: str, code: str, part: str) -> None:
    submission = changed(DEP, old, new)
    if code == "list_missing" and "Steps" in part:
        submission = replace(submission, content=submission.content.replace("2. Look", "Look"))
    found = problems(submission)
    assert codes(found) == {code}
    assert part in found[0].message


def test_a_command_may_stand_in_the_line() -> None:
    block = "   ```sh\n   terraform init\n   ```\n"
    assert problems(changed(DEP, block, "   Run `terraform init`.\n")) == ()


@pytest.mark.parametrize("path", ["main.tf", "infra/main.tf", "prod.tfvars"])
def test_terraform_elsewhere_would_not_be_validated(path: str) -> None:
    good = GOOD[DEP]
    found = problems(replace(good, attachments=(*good.attachments, File(path, "x = 1\n"))))
    assert codes(found) == {"attachment_path"}
    assert "move it there" in found[0].message


def test_what_the_terraform_checkers_say_is_passed_on() -> None:
    checkers = SampleCheckers(fmt=("main.tf line 3",), policy=("provider x is not pinned",))
    found = problems(GOOD[DEP], checkers=checkers)
    assert [(p.code.value, p.message) for p in found] == [
        ("terraform_format", "deployment_guidance: Terraform format: main.tf line 3"),
        ("terraform_policy", "deployment_guidance: Terraform policy: provider x is not pinned"),
    ]
    assert checkers.files == ["terraform/main.tf", "terraform/variables.tf"]


def test_format_that_could_not_be_checked_is_no_fault_of_the_submission() -> None:
    assert problems(GOOD[DEP], checkers=SampleCheckers(fmt=None)) == ()


@pytest.mark.parametrize(
    ("request_text", "requirements", "public"),
    [
        ("Customers read without signing in.", REQUIREMENTS, True),
        ("Move it.", REQUIREMENTS, False),
        ("Move it.", REQUIREMENTS.replace("over HTTPS", "from a public website"), True),
    ],
)
def test_public_access_is_allowed_where_it_is_asked_for(
    request_text: str, requirements: str, public: bool
) -> None:
    checkers = SampleCheckers()
    problems(
        GOOD[DEP],
        checkers=checkers,
        request=request_text,
        changed={Kind.REQUIREMENTS: requirements},
    )
    assert checkers.public == [public]


def test_the_hash_is_over_paths_and_texts_of_the_terraform_in_order() -> None:
    files = (File("terraform/b.tf", "ü"), File("notes.md", "x"), File("terraform/a.tf", ""))
    plain = b"terraform/a.tf\0\0terraform/b.tf\0" + "ü".encode() + b"\0"
    assert terraform_digest(files) == hashlib.sha256(plain).hexdigest()
    assert terraform_digest(reversed(files)) == terraform_digest(files)
    assert terraform_digest([File("terraform/a.tf", "ü")]) != terraform_digest(files)


@pytest.mark.parametrize(
    ("old", "new", "code", "part"),
    [
        ("| Check | Engine |", "| Check | Tool |", "column_missing", "lacks the column Engine"),
        ("| :--- | :--- | :--- | :--- |", "| :--- |", "table_missing", "no table with rows"),
        (
            "| passed | 2 files |",
            "| fine | 2 files |",
            "validation_row",
            "'fine' is none of passed",
        ),
        ("| passed | 2 files |", "| failed | 2 files |", "validation_row", "make them agree"),
        ("| `terraform_fmt` |", "| format |", "validation_row", "no check with the id 'format'"),
        (
            "| terraform_validate | terraform 1.11 | unchecked | provider unavailable |\n",
            "",
            "validation_row",
            "has no row for 'terraform_validate'",
        ),
        (
            "| terraform_validate | terraform 1.11 |",
            "| terraform_fmt | terraform 1.11 | passed | x "
            "|\n| terraform_validate | terraform 1.11 |",
            "validation_row",
            "given twice",
        ),
        ("- The provider could", "The provider could", "list_missing", "'## Findings' has no list"),
        ("**Passed**: nothing failed.", "It went well.", "validation_verdict", "neither 'Passed'"),
        ("**Passed**: nothing failed.", "**Failed**.", "validation_verdict", "says failed, but"),
        ("**Passed**: nothing failed.", "Not passed.", "validation_verdict", "make them agree"),
        (DIGEST, "0" * 64, "validation_hash", f"validated, {DIGEST}"),
        (DIGEST, DIGEST[:12], "validation_hash", "'## Verdict' does not name the hash"),
        ("1. Run `terraform plan`", "Run `terraform plan`", "list_missing", "'## Validation plan'"),
    ],
)
def test_faults_of_the_results(old: str, new: str, code: str, part: str) -> None:
    found = problems(changed(VAL, old, new))
    assert codes(found) == {code}
    assert any(part in problem.message for problem in found)


def _with_json(change: Callable[[dict[str, Any]], object]) -> Submission:
    data = copy.deepcopy(dict(VALIDATION_JSON))
    change(data)
    return replace(GOOD[VAL], attachments=(File("validation.json", json.dumps(data)),))


@pytest.mark.parametrize(
    ("change", "code", "part"),
    [
        (lambda d: d.pop("passed"), "validation_json", "'passed' must be true or false"),
        (lambda d: d.update(passed="yes"), "validation_json", "'passed' must be"),
        (lambda d: d.update(passed=1), "validation_json", "'passed' must be"),
        (lambda d: d.pop("terraform_sha256"), "validation_json", "'terraform_sha256' must be"),
        (lambda d: d.pop("checks"), "validation_json", "'checks' must be a list"),
        (lambda d: d.update(checks=[]), "validation_json", "'checks' must be a list"),
        (lambda d: d.update(checks=[1]), "validation_json", "check 1 must have"),
        (lambda d: d["checks"][0].pop("detail"), "validation_json", "check 1 must have"),
        (lambda d: d["checks"][1].update(result="ok"), "validation_json", "check 2 must have"),
        (lambda d: d["checks"][1].update(id=" "), "validation_json", "check 2 must have"),
        (lambda d: d.update(terraform_sha256="0" * 64), "validation_hash", "is not the hash"),
        (
            lambda d: d["checks"].pop(),
            "validation_row",
            "no check with the id 'terraform_validate'",
        ),
        (
            lambda d: d["checks"].append(dict(d["checks"][0], id="extra")),
            "validation_row",
            "no row for 'extra'",
        ),
        (lambda d: d["checks"].append(dict(d["checks"][0])), "validation_row", "given twice"),
    ],
)
def test_faults_of_the_json(
    change: Callable[[dict[str, Any]], object], code: str, part: str
) -> None:
    found = problems(_with_json(change))
    assert codes(found) == {code}
    assert any(part in problem.message for problem in found)


@pytest.mark.parametrize("text", ["{", "[]", "1", "nonsense", "[" * 100_000, "9" * 5000, '"a"'])
def test_what_is_no_validation_json(text: str) -> None:
    found = problems(replace(GOOD[VAL], attachments=(File("validation.json", text),)))
    assert codes(found) == {"validation_json"}


def _results(first: str, second: str, passed: bool, word: str) -> Submission:
    content = (
        GOOD[VAL]
        .content.replace("| passed | 2", f"| {first} | 2")
        .replace("| unchecked | p", f"| {second} | p")
        .replace("**Passed**: nothing failed.", word)
    )

    def change(data: dict[str, Any]) -> None:
        data["passed"] = passed
        data["checks"][0]["result"], data["checks"][1]["result"] = first, second

    return replace(_with_json(change), content=content)


@pytest.mark.parametrize(
    ("first", "second", "passed", "word"),
    [
        ("passed", "passed", True, "**Passed**: 2 passed, 0 failed."),
        ("passed", "unchecked", True, "Passed."),
        ("failed", "passed", False, "**Failed**: 1 passed, 1 failed."),
        ("unchecked", "unchecked", False, "Not passed: nothing could be checked."),
    ],
)
def test_verdicts_that_agree_with_the_checks(
    first: str, second: str, passed: bool, word: str
) -> None:
    assert problems(_results(first, second, passed, word)) == ()


@pytest.mark.parametrize(
    ("first", "second", "passed", "word", "part"),
    [
        ("passed", "failed", True, "Passed.", "terraform_validate failed; set passed to false"),
        ("unchecked", "unchecked", True, "Passed.", "no check passed"),
        ("passed", "passed", False, "Failed.", "every check passed; set passed to true"),
    ],
)
def test_verdicts_that_do_not(first: str, second: str, passed: bool, word: str, part: str) -> None:
    (problem,) = problems(_results(first, second, passed, word))
    assert problem.code == "validation_verdict"
    assert part in problem.message


def test_the_hash_is_that_of_the_terraform_submitted_now() -> None:
    other = (*TERRAFORM, File("terraform/outputs.tf", "x = 1\n"))
    assert terraform_digest(other) != DIGEST
    content = GOOD[VAL].content.replace(DIGEST, DIGEST.upper())
    assert problems(replace(GOOD[VAL], content=content)) == ()


def test_no_findings_may_be_said_in_words() -> None:
    finding = "- The provider could not be fetched, so arguments were not checked."
    assert problems(changed(VAL, finding, "Nothing was found.")) == ()
