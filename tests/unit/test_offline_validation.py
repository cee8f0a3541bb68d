"""Validation results.

Contract held here: table, verdict and validation.json agree and carry the hash of the very files;
a failed check fails the verdict and an unchecked one never passes for a passed one; figures are
traced to what keeps them or listed as open; the plan names real resources and the request's
targets.
"""

from __future__ import annotations

import json
import re

import pytest

from agents.offline.terraform.reading import design_of
from agents.offline.validation import draft_validation
from agents.offline.validation_trace import consistency, defaults_of, traces_of
from agents.runtime import Attachment
from engine.contracts import File, terraform_digest
from engine.deliverables import Kind
from engine.documents import body_of, fences, list_items, table_rows
from tests.support.offline_cases import CASES
from tests.support.offline_delivery import (
    Delivery,
    again,
    contract_problems,
    delivered,
    file_of,
    run_of,
)

NAMES = [case.name for case in CASES]
KIND = Kind.VALIDATION_RESULTS
UNREACHABLE = {
    "state": "unchecked",
    "engine": "terraform validate 1.11.4",
    "reason": "The provider registry cannot be reached from here.",
}


def report(done: Delivery) -> dict[str, object]:
    return json.loads(file_of(done.validation, "validation.json"))


def redone(name: str, results: dict[str, dict[str, object]], **more: object):
    done = delivered(name)
    files = more.get("files", done.deployment.attachments)
    return draft_validation(
        run_of(done.request, KIND, answers=more.get("answers", ())),  # type: ignore[arg-type]
        done.facts, done.documents, files, results,  # type: ignore[arg-type]
    )  # fmt: skip


def verdict(content: str) -> str:
    return re.split(r"\W", body_of(content, "Verdict"), maxsplit=1)[0]


def results(content: str) -> dict[str, str]:
    return {row[0]: row[2] for row in table_rows(body_of(content, "Checks run")).rows}


@pytest.mark.parametrize("name", NAMES)
def test_every_case_passes_its_contract(name: str) -> None:
    done = delivered(name)
    assert contract_problems(done, KIND) == []
    assert report(done)["passed"] is True
    assert verdict(done.validation.content).startswith("Passed")


@pytest.mark.parametrize("name", NAMES)
def test_the_hash_is_that_of_the_files(name: str) -> None:
    done = delivered(name)
    files = [File(a.path, a.text) for a in done.deployment.attachments]
    assert report(done)["terraform_sha256"] == terraform_digest(files)
    assert terraform_digest(files) in body_of(done.validation.content, "Verdict")


def test_a_check_that_could_not_be_made_is_unchecked_and_says_what_to_run() -> None:
    draft = redone("orders", {"terraform_validate": UNREACHABLE})
    found = results(draft.content)
    assert found["terraform_validate"] == "unchecked"
    assert found["iac_schema_check"] == "unchecked"  # not given: never taken for granted
    findings = body_of(draft.content, "Findings")
    assert "registry cannot be reached" in findings
    assert "terraform init -backend=false && terraform validate" in findings
    assert "terraform_validate" in body_of(draft.content, "Verdict")


@pytest.mark.parametrize(
    "reply",
    [
        {"passed": False, "engine": "rules", "findings": [{"message": "x is public", "rule": "r"}]},
        {"state": "invalid", "engine": "t", "diagnostics": [{"summary": "bad", "path": "a.tf",
                                                             "line": 3}]},
    ],
)  # fmt: skip
def test_one_failed_check_fails_the_verdict_and_its_findings_are_shown(
    reply: dict[str, object],
) -> None:
    draft = redone("orders", {"iac_policy_check": reply})
    data = json.loads(file_of(draft, "validation.json"))
    assert data["passed"] is False
    assert verdict(draft.content) == "Failed"
    assert "iac_policy_check" in body_of(draft.content, "Verdict")
    findings = body_of(draft.content, "Findings")
    assert "x is public" in findings or "a.tf:3 bad" in findings


@pytest.mark.parametrize("reply", [{}, {"engine": "e"}, {"error": "no such file"}, {"state": "?"}])
def test_an_answer_that_says_nothing_is_never_a_pass(reply: dict[str, object]) -> None:
    assert (
        results(redone("orders", {"iac_schema_check": reply}).content)["iac_schema_check"]
        == "unchecked"
    )


def test_text_of_tools_cannot_break_the_table() -> None:
    reply = {"passed": True, "engine": "a | b\nc", "reason": "x | y"}
    draft = redone("orders", {"iac_schema_check": reply})
    assert results(draft.content)["iac_schema_check"] == "passed"
    assert len(table_rows(body_of(draft.content, "Checks run")).rows) >= 6


def test_files_that_are_not_formatted_fail() -> None:
    done = delivered("orders")
    files = tuple(
        Attachment(path=a.path, text=a.text.replace("  region ", "     region", 1))
        if a.path == "terraform/main.tf"
        else a
        for a in done.deployment.attachments
    )
    draft = redone("orders", {}, files=files)
    assert results(draft.content)["terraform_fmt"] == "failed"
    assert "run `terraform fmt terraform/main.tf`" in draft.content


def test_code_that_contradicts_the_requirements_fails() -> None:
    done = delivered("orders")
    files = tuple(
        Attachment(path=a.path, text=a.text.replace('"europe-west3"', '"us-central1"', 1))
        if a.path == "terraform/variables.tf"
        else a
        for a in done.deployment.attachments
    )
    draft = redone("orders", {}, files=files)
    assert results(draft.content)["figures_in_code"] == "failed"
    assert "the region is us-central1 in the code and europe-west3" in draft.content


def test_a_deviation_that_a_revision_asked_for_is_a_finding_and_no_failure() -> None:
    done = again("orders", feedback=("Use europe-west4.", "The budget is 20,000 EUR a month."))
    found = results(done.validation.content)
    assert found["figures_in_code"] == "passed"
    assert "the region is europe-west4 in the code" in done.validation.content
    assert "the budget is 20000 in the code" in done.validation.content
    assert contract_problems(done, KIND) == []


@pytest.mark.parametrize("name", NAMES)
def test_each_requirement_figure_is_traced_or_listed_as_open(name: str) -> None:
    done = delivered(name)
    design = design_of(run_of(done.request, KIND), done.facts, done.documents)
    traces = traces_of(design, done.deployment.attachments, done.documents)
    told = {t.requirement for t in traces}
    wanted = {r.id for r in design.brief.requirements if not r.functional}
    assert wanted <= told
    findings = body_of(done.validation.content, "Findings")
    for trace in traces:
        assert trace.requirement in findings
        if not trace.covered:
            assert results(done.validation.content)["requirement_trace"] == "unchecked"


def test_traces_lead_to_what_keeps_the_figure() -> None:
    findings = body_of(delivered("orders").validation.content, "Findings")
    assert re.search(r"38,000 .*: watched by `google_billing_budget\.monthly`", findings)
    assert re.search(r"300 ms.*: watched by `google_monitoring_slo\.latency`", findings)
    assert re.search(r"10 years.*: met by `google_storage_bucket\.", findings)


def test_a_loss_of_nothing_is_not_traced_to_a_copy_that_lags() -> None:
    done = delivered("orders")
    design = design_of(run_of(done.request, KIND), done.facts, done.documents)
    zero = tuple(
        f.model_copy(update={"value": 0.0}) if f.measure.value == "rpo" else f
        for f in done.facts.figures
    )
    facts = done.facts.model_copy(update={"figures": zero})
    assert design.second_region
    changed = design_of(run_of(done.request, KIND), facts, done.documents)
    rpo = next(f for f in zero if f.measure.value == "rpo")
    traces = traces_of(changed, done.deployment.attachments, {})
    assert all(not t.address for t in traces if t.what == rpo.text)


@pytest.mark.parametrize("name", NAMES)
def test_the_plan_is_for_people_and_names_real_things(name: str) -> None:
    done = delivered(name)
    design = design_of(run_of(done.request, KIND), done.facts, done.documents)
    plan = body_of(done.validation.content, "Validation plan")
    assert len(list_items(plan, ordered=True)) >= 5
    commands = "\n".join(f.text for f in fences(plan))
    assert "terraform plan -detailed-exitcode" in commands
    assert design.prefix in commands
    assert "terraform apply -auto-approve" not in commands


def test_drills_are_measured_against_the_goals_of_the_request() -> None:
    plan = body_of(delivered("orders").validation.content, "Validation plan")
    assert "passed below 1 hour" in plan
    assert "at most 5 minutes" in plan
    assert "-q 2000" in plan
    assert "95 % of answers come within 300 ms" in plan
    assert "38,000" in plan


def test_defaults_are_read_as_written() -> None:
    text = 'variable "a" {\n  type    = string\n  default = "x"\n}\n\nvariable "b" {\n}\n'
    found = defaults_of((Attachment(path="terraform/variables.tf", text=text),))
    assert found == {"a": "x"}


def test_a_budget_that_is_missing_in_the_code_is_noticed() -> None:
    done = delivered("orders")
    design = design_of(run_of(done.request, KIND), done.facts, done.documents)
    wrong, meant = consistency(design, {"region": "europe-west3"}, "")
    assert any("no budget in the code" in line for line in wrong)
    assert meant == []


def test_an_answer_about_the_time_of_drills_stands_in_the_plan() -> None:
    draft = redone("orders", {}, answers=("On Tuesday morning in the staging project",))
    plan = body_of(draft.content, "Validation plan")
    assert "On Tuesday morning in the staging project" in list_items(plan, ordered=True)[0]


def test_questions_ask_for_a_time_and_a_place() -> None:
    for name in NAMES:
        for question in delivered(name).validation.questions:
            assert question.text.endswith("?")
            assert question.why
            assert question.proposal
    assert delivered("orders").validation.questions
