"""Contracts of deployment_guidance and validation_results, and the hash that ties them together."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from engine.contracts.base import (
    Code,
    ContractContext,
    File,
    Report,
    Submission,
    allow_public,
    listed,
    quote,
    requirements_text,
    says_none,
    section_text,
)
from engine.contracts.form import path_fault
from engine.deliverables import Kind
from engine.documents import fences, list_items, normalise, plain, table_rows

TERRAFORM = "terraform/"
"""The folder of all Terraform in a Deliverable."""

RESULTS = ("passed", "failed", "unchecked")
"""What a check of the validation can say."""

_CODE_SPAN = re.compile(r"`[^`]+`")
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def terraform_files(attachments: Iterable[File]) -> tuple[File, ...]:
    """The attachments under ``terraform/``, by path."""
    found = (file for file in attachments if file.path.startswith(TERRAFORM))
    return tuple(sorted(found, key=lambda file: file.path))


def terraform_digest(attachments: Iterable[File]) -> str:
    """The hash of the Terraform: SHA-256 in hex over path, NUL, text, NUL of each file by path."""
    digest = hashlib.sha256()
    for file in terraform_files(attachments):
        for part in (file.path, file.text):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def deployment_guidance(submission: Submission, context: ContractContext, report: Report) -> None:
    """Prerequisites and steps for a person, and Terraform that is formatted and safe."""
    prerequisites = section_text(submission, "Prerequisites")
    if prerequisites and not list_items(prerequisites):
        report.add(
            Code.LIST_MISSING,
            "'## Prerequisites' has no list; write one list item each.",
            "Prerequisites",
        )
    steps = section_text(submission, "Steps")
    if steps and not list_items(steps, ordered=True):
        report.add(
            Code.LIST_MISSING,
            "'## Steps' has no numbered list; write the steps as '1. …', '2. …'.",
            "Steps",
        )
    elif steps and not fences(steps) and not _CODE_SPAN.search(steps):
        report.add(
            Code.COMMAND_MISSING,
            "'## Steps' shows no command; write the commands that a person runs as code.",
            "Steps",
        )
    for file in submission.attachments:
        outside = not file.path.startswith(TERRAFORM) and not path_fault(file.path)
        if outside and file.path.endswith((".tf", ".tfvars")):
            report.add(
                Code.ATTACHMENT_PATH,
                f"attachment {file.path} is Terraform outside {TERRAFORM}; move it there, so that "
                "it is validated.",
                file.path,
            )
    _terraform(submission, context, report)


def _terraform(submission: Submission, context: ContractContext, report: Report) -> None:
    files = terraform_files(submission.attachments)
    if not any(file.path.endswith(".tf") and file.text.strip() for file in files):
        return  # reported as missing attachments
    for problem in context.checkers.terraform_fmt_problems(files) or ():
        report.add(Code.TERRAFORM_FORMAT, f"Terraform format: {problem}", "terraform")
    public = allow_public(requirements_text(context), context.request)
    for problem in context.checkers.terraform_policy_problems(files, public):
        report.add(Code.TERRAFORM_POLICY, f"Terraform policy: {problem}", "terraform")


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of the validation, from the table or from validation.json."""

    id: str
    result: str


def validation_results(submission: Submission, context: ContractContext, report: Report) -> None:
    """The table, the verdict and validation.json agree with each other and with the Terraform."""
    rows = _table(submission, report)
    findings = section_text(submission, "Findings")
    if findings and not list_items(findings) and not says_none(findings):
        report.add(
            Code.LIST_MISSING,
            "'## Findings' has no list; write one list item a finding, or say that there is none.",
            "Findings",
        )
    plan = section_text(submission, "Validation plan")
    if plan and not list_items(plan, ordered=True):
        report.add(
            Code.LIST_MISSING,
            "'## Validation plan' has no numbered list; write its steps as '1. …', '2. …'.",
            "Validation plan",
        )
    expected = terraform_digest(context.submission(Kind.DEPLOYMENT_GUIDANCE).attachments)
    passed = _json(submission, rows, expected, report)
    _verdict(submission, passed, expected, report)


def _table(submission: Submission, report: Report) -> tuple[CheckResult, ...]:
    body = section_text(submission, "Checks run")
    if not body:
        return ()
    table = table_rows(body)
    wanted = ("Check", "Engine", "Result", "Detail")
    if not table.rows:
        report.add(
            Code.TABLE_MISSING,
            f"'## Checks run' has no table with rows; add '| {' | '.join(wanted)} |', a delimiter "
            "row with as many columns, and one row per check.",
            "Checks run",
        )
        return ()
    check, result = table.column("Check"), table.column("Result")
    lacking = [name for name in wanted if table.column(name) is None]
    if lacking or check is None or result is None:
        report.add(
            Code.COLUMN_MISSING,
            f"the table in '## Checks run' lacks the column {listed(lacking)}; its header is "
            f"'| {' | '.join(wanted)} |'.",
            "Checks run",
        )
        return ()
    rows = tuple(CheckResult(plain(row[check]), normalise(row[result])) for row in table.rows)
    for number, row in enumerate(rows, start=1):
        if not row.id or row.result not in RESULTS:
            report.add(
                Code.VALIDATION_ROW,
                f"row {number} of '## Checks run' ({quote(row.id)}): the result {quote(row.result)}"
                f" is none of {', '.join(RESULTS)}."
                if row.id
                else f"row {number} of '## Checks run' names no check; give it the id that it has "
                "in validation.json.",
                f"Checks run, row {number}",
            )
    return rows


def _json(
    submission: Submission, rows: tuple[CheckResult, ...], expected: str, report: Report
) -> bool | None:
    """Check validation.json; its ``passed``, or None where that cannot be told."""
    path = "validation.json"
    file = next((f for f in submission.attachments if f.path == path), None)
    if file is None or not file.text.strip():
        return None  # reported as a missing attachment
    try:
        data = json.loads(file.text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        report.add(Code.VALIDATION_JSON, f"{path} is no valid JSON: {reason}.", path)
        return None
    checks = _entries(data, report)
    if checks is None:
        return None
    passed: bool = data["passed"]
    if data["terraform_sha256"] != expected:
        report.add(
            Code.VALIDATION_HASH,
            f"terraform_sha256 in {path} is not the hash of the submitted Terraform, {expected}; "
            "validate that Terraform and give its hash.",
            path,
        )
    _same_checks(rows, checks, report)
    failed = [check.id for check in checks if check.result == "failed"]
    if passed and (failed or not any(check.result == "passed" for check in checks)):
        why = f"{listed(failed)} failed" if failed else "no check passed"
        report.add(
            Code.VALIDATION_VERDICT, f"{path} says passed, but {why}; set passed to false.", path
        )
    elif not passed and all(check.result == "passed" for check in checks):
        report.add(
            Code.VALIDATION_VERDICT,
            f"{path} says not passed, but every check passed; set passed to true, or give the "
            "check that failed.",
            path,
        )
    return passed


def _entries(data: object, report: Report) -> tuple[CheckResult, ...] | None:
    """The checks of validation.json, or None where its shape is wrong."""
    path = "validation.json"
    if not isinstance(data, dict):
        report.add(Code.VALIDATION_JSON, f"{path} is no JSON object.", path)
        return None
    faults = []
    if not isinstance(data.get("passed"), bool):
        faults.append("'passed' must be true or false")
    if not isinstance(data.get("terraform_sha256"), str):
        faults.append("'terraform_sha256' must be the hash of the Terraform")
    entries = data.get("checks")
    if not isinstance(entries, list) or not entries:
        faults.append("'checks' must be a list with one entry per check")
        entries = []
    checks = []
    for number, entry in enumerate(entries, start=1):
        wanted = ("id", "engine", "result", "detail")
        if not isinstance(entry, dict) or not all(isinstance(entry.get(k), str) for k in wanted):
            faults.append(f"check {number} must have id, engine, result and detail as text")
        elif not entry["id"].strip() or entry["result"] not in RESULTS:
            faults.append(
                f"check {number} must have an id and a result that is one of {', '.join(RESULTS)}"
            )
        else:
            checks.append(CheckResult(entry["id"].strip(), entry["result"]))
    for fault in faults[:5]:
        report.add(Code.VALIDATION_JSON, f"{path}: {fault}.", path)
    return None if faults else tuple(checks)


def _key(ident: str) -> str:
    return re.sub(r"[\s_-]+", " ", normalise(ident))


def _same_checks(
    rows: tuple[CheckResult, ...], checks: tuple[CheckResult, ...], report: Report
) -> None:
    """Every row has its entry and every entry its row, with the same result."""
    if not rows:
        return
    tabled = {_key(row.id): row for row in rows}
    entered = {_key(check.id): check for check in checks}
    repeated = [k for k, n in Counter(_key(c.id) for c in checks).items() if n > 1]
    if repeated or len(tabled) < len(rows):
        twice = repeated or [k for k, n in Counter(_key(r.id) for r in rows).items() if n > 1]
        report.add(
            Code.VALIDATION_ROW, f"{listed(twice)}: given twice; give every check its own id."
        )
    for key in dict.fromkeys((*tabled, *entered)):
        row, check = tabled.get(key), entered.get(key)
        if row is None and check is not None:
            report.add(
                Code.VALIDATION_ROW,
                f"'## Checks run' has no row for {quote(check.id)} of validation.json; add it.",
            )
        elif check is None and row is not None:
            report.add(
                Code.VALIDATION_ROW,
                f"validation.json has no check with the id {quote(row.id)} of '## Checks run'; add "
                "it, or write the id in the table as it is there.",
            )
        elif row and check and row.result in RESULTS and row.result != check.result:
            report.add(
                Code.VALIDATION_ROW,
                f"{quote(row.id)} is {row.result} in '## Checks run' and {check.result} in "
                "validation.json; make them agree.",
            )


_SAYS_PASSED = re.compile(r"(?<!not )\bpassed\b", re.IGNORECASE)
_SAYS_FAILED = re.compile(r"\b(?:failed|not passed)\b", re.IGNORECASE)


def _verdict(submission: Submission, passed: bool | None, expected: str, report: Report) -> None:
    body = section_text(submission, "Verdict")
    if not body:
        return
    text = plain(body)
    says_passed, says_failed = _SAYS_PASSED.search(text), _SAYS_FAILED.search(text)
    first = min((m for m in (says_passed, says_failed) if m), key=lambda m: m.start(), default=None)
    if first is None:
        report.add(
            Code.VALIDATION_VERDICT,
            "'## Verdict' says neither 'Passed' nor 'Failed'; begin with one of them.",
            "Verdict",
        )
    elif passed is not None and (first is says_passed) is not passed:
        report.add(
            Code.VALIDATION_VERDICT,
            f"'## Verdict' says {first.group().lower()}, but validation.json says "
            f"{'passed' if passed else 'not passed'}; make them agree.",
            "Verdict",
        )
    if expected not in _HASH.findall(text.lower()):
        report.add(
            Code.VALIDATION_HASH,
            f"'## Verdict' does not name the hash of the Terraform that was validated, {expected}; "
            "add it.",
            "Verdict",
        )
