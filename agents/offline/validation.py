"""Writes validation_results: what the checks said, what is traced, and what a person tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.offline.adjustments import visible
from agents.offline.brief import documents_of
from agents.offline.draft import Draft
from agents.offline.facts import Facts, Measure
from agents.offline.load import aim
from agents.offline.pillars.writer import MARKER
from agents.offline.terraform.design import Design
from agents.offline.terraform.fmt import formatted
from agents.offline.terraform.reading import design_of
from agents.offline.validation_plan import plan_of
from agents.offline.validation_trace import Defaults, Trace, consistency, defaults_of, traces_of
from agents.offline.wording import listed
from agents.runtime import AgentTask, Attachment, Question
from engine.contracts import File, terraform_digest
from engine.deliverables import Kind

MOST_OBJECTIVE = 99.99
"""The highest availability, in percent, that an objective of Cloud Monitoring takes."""
PASSED, FAILED, UNCHECKED = "passed", "failed", "unchecked"
_STATES = {
    "valid": PASSED,
    "formatted": PASSED,
    "passed": PASSED,
    "true": PASSED,
    "ok": PASSED,
    "invalid": FAILED,
    "unformatted": FAILED,
    "syntax_error": FAILED,
    "failed": FAILED,
    "false": FAILED,
}
_ORDER = ("terraform_fmt", "terraform_validate", "iac_schema_check", "iac_policy_check")


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table and one entry of validation.json."""

    id: str
    engine: str
    result: str
    detail: str
    findings: tuple[str, ...] = ()


def draft_validation(
    task: AgentTask,
    facts: Facts,
    documents: Mapping[Kind, str],
    attachments: Sequence[Attachment],
    check_results: Mapping[str, Mapping[str, Any]],
) -> Draft:
    """Results of the checks, findings, verdict with the Terraform's hash, and a plan for a person.

    ``check_results`` maps the name of a checking tool to what it answered. A failed check makes
    the verdict Failed; one that could not be made is ``unchecked`` and says what to run.
    """
    files = tuple(a for a in attachments if a.path.startswith("terraform/"))
    design = design_of(task, facts, documents)
    at_hand = documents_of(task, documents)
    defaults = defaults_of(files)
    checks = [*_tools(files, check_results)]
    traces = traces_of(design, files, at_hand)
    checks.append(_traced(design, traces))
    checks.append(_consistent(design, defaults, at_hand))
    checks.append(
        Check(
            "terraform_plan",
            "none",
            UNCHECKED,
            f"Needs the project of the {design.title} and a person's permission to read it.",
        )
    )
    digest = terraform_digest([File(f.path, f.text) for f in files])
    passed = all(c.result != FAILED for c in checks) and any(c.result == PASSED for c in checks)
    lines = ["## Checks run", "", "| Check | Engine | Result | Detail |", "|---|---|---|---|"]
    lines += [f"| {c.id} | {_cell(c.engine)} | {c.result} | {_cell(c.detail)} |" for c in checks]
    lines += ["", "## Findings", "", *_findings(design, checks, traces)]
    lines += [f"- {note}" for note in visible(design.adjust.changes)]
    lines += ["", "## Verdict", "", _verdict(checks, passed, digest, _open(traces, design))]
    lines += ["", "## Validation plan", "", *plan_of(design, defaults), "", MARKER, ""]
    report = {
        "passed": passed,
        "terraform_sha256": digest,
        "checks": [
            {"id": c.id, "engine": c.engine, "result": c.result, "detail": c.detail} for c in checks
        ],
    }
    text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    return Draft(
        content="\n".join(lines),
        attachments=(Attachment(path="validation.json", text=text),),
        questions=tuple(_questions(design)),
    )


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split()) or "-"


def _tools(
    files: tuple[Attachment, ...], results: Mapping[str, Mapping[str, Any]]
) -> Iterator[Check]:
    if "terraform_fmt" not in results:
        wrong = [f.path for f in files if f.path.endswith(".tf") and formatted(f.text) != f.text]
        detail = f"{len(files)} files" if not wrong else f"{', '.join(wrong)} not in canonical form"
        yield Check(
            "terraform_fmt",
            "formatter of the offline planner",
            FAILED if wrong else PASSED,
            detail,
            tuple(f"{path} is not formatted: run `terraform fmt {path}`" for path in wrong),
        )
    names = [n for n in _ORDER if n in results] + [n for n in results if n not in _ORDER]
    for name in names:
        yield _tool(name, results[name])
    for name in _ORDER[1:]:
        if name not in results:
            yield Check(name, "none", UNCHECKED, "The tool was not available in this run.")


def _tool(name: str, reply: Mapping[str, Any]) -> Check:
    """Read what a checking tool answered; an answer that says nothing is unchecked."""
    engine = str(reply.get("engine") or "unknown")
    if error := reply.get("error"):
        return Check(name, engine, UNCHECKED, str(error))
    raw = reply.get("state", reply.get("result", reply.get("passed", "")))
    result = _STATES.get(str(raw).lower(), UNCHECKED)
    found = tuple(_messages(reply))
    counts = [
        f"{reply[key]} {words}"
        for key, words in (("blocks_checked", "blocks"), ("rules_run", "rules"))
        if isinstance(reply.get(key), int)
    ]
    if isinstance(reply.get("rules_run"), list | tuple):
        counts.append(f"{len(reply['rules_run'])} rules")
    parts = [", ".join(counts), str(reply.get("reason") or "")]
    if found:
        more = reply.get("more")
        total = len(found) + (more if isinstance(more, int) else 0)
        parts.append(f"{total} finding{'' if total == 1 else 's'}")
    elif result == PASSED:
        parts.append("no findings")
    detail = "; ".join(p for p in parts if p)[:500]
    return Check(name, engine, result, detail or str(raw), found)


def _messages(reply: Mapping[str, Any]) -> Iterator[str]:
    for key in ("findings", "diagnostics", "errors"):
        entries = reply.get(key) or ()
        for entry in entries if isinstance(entries, list | tuple) else ():
            if isinstance(entry, Mapping):
                where = ""
                if entry.get("path") and str(entry["path"]) not in str(entry.get("message", "")):
                    where = f"{entry['path']}:{entry.get('line', '')} "
                what = entry.get("message") or entry.get("summary") or entry.get("detail") or ""
                level = f" ({entry['severity']})" if entry.get("severity") else ""
                yield f"{where}{what}{level}".strip()
            else:
                yield str(entry)


def _traced(design: Design, traces: tuple[Trace, ...]) -> Check:
    open_ones = [t for t in traces if not t.covered]
    named = f"{len(traces) - len(open_ones)} of {len(traces)} figures and requirements are traced"
    if not traces:
        return Check(
            "requirement_trace",
            "offline planner",
            UNCHECKED,
            f"The requirements of the {design.title} hold nothing that could be traced.",
        )
    return Check(
        "requirement_trace",
        "offline planner",
        UNCHECKED if open_ones else PASSED,
        f"{named} to a resource or a recommendation"
        + (
            f"; open: {', '.join(dict.fromkeys(t.requirement for t in open_ones))}"
            if open_ones
            else ""
        ),
    )


def _consistent(design: Design, defaults: Defaults, documents: Mapping[Kind, str]) -> Check:
    """Whether region, budget and objectives in the code are those of the requirements."""
    wrong, meant = consistency(design, defaults, documents.get(Kind.DEPLOYMENT_GUIDANCE, ""))
    if wrong:
        return Check(
            "figures_in_code", "offline planner", FAILED, "; ".join(wrong), (*wrong, *meant)
        )
    detail = "region, budget and objectives in the code are those of the requirements"
    goal = design.goal(Measure.AVAILABILITY)
    if goal and goal.value and goal.value > MOST_OBJECTIVE:
        detail = (
            f"region and budget in the code are those of the requirements; the availability "
            f"objective is {MOST_OBJECTIVE} % and below the {goal.text} asked for"
        )
    if meant:
        detail = f"{len(meant)} deviation by Revision: {'; '.join(meant)}"
    return Check("figures_in_code", "offline planner", PASSED, detail, tuple(meant))


def _findings(design: Design, checks: Iterable[Check], traces: tuple[Trace, ...]) -> Iterator[str]:
    title = design.title
    for check in checks:
        for finding in check.findings:
            yield f"- **{check.id}**: {finding}"
        if check.result == UNCHECKED and check.id != "requirement_trace":
            yield f"- **{check.id}**: unchecked for the {title}: {_how(check)}"
    for trace in traces:
        if trace.covered:
            where = f"`{trace.address}`" if trace.address else trace.place
            yield f"- **{trace.requirement}** ({trace.what}): {trace.verb} by {where}."
        else:
            yield (
                f"- **{trace.requirement}** ({trace.what}): open: found in no resource and in no "
                "recommendation; a person decides how it is met."
            )
    if gap := design.spanner_gap:
        ids = listed(design.ids("REL", limit=3))
        yield f"- **{ids}**: open: {gap}."
    goal = design.goal(Measure.AVAILABILITY)
    if goal and goal.value and goal.value > MOST_OBJECTIVE:
        ids = listed(design.brief.ids_of(goal) or design.ids("REL", limit=1))
        yield (
            f"- **{ids}**: open: {goal.text} are asked for, and the objective in the code is "
            f"{MOST_OBJECTIVE} %, the highest that an objective of Cloud Monitoring takes; the "
            "rest is measured by nobody, and an alert on it would come too late."
        )


def _how(check: Check) -> str:
    if check.id == "terraform_validate":
        return (
            f"{check.detail.rstrip('.')}. On a connected machine run `terraform init "
            f"-backend=false && "
            "terraform validate` in `terraform/`."
        )
    if check.id == "terraform_plan":
        return (
            f"{check.detail.rstrip('.')}. Run `terraform plan -detailed-exitcode` there and "
            f"read what "
            "is added."
        )
    return f"{check.detail.rstrip('.')}. Run `{check.id}` again where it is available."


def _open(traces: tuple[Trace, ...], design: Design) -> list[str]:
    """Ids of the requirements that nothing keeps, once each."""
    found = [t.requirement for t in traces if not t.covered]
    goal = design.goal(Measure.AVAILABILITY)
    if design.spanner_gap or (goal and goal.value and goal.value > MOST_OBJECTIVE):
        found += design.brief.ids_of(goal) if goal else design.ids("REL", limit=1)
    return list(dict.fromkeys(found))


def _verdict(checks: Sequence[Check], passed: bool, digest: str, waiting: Sequence[str]) -> str:
    by = {r: [c.id for c in checks if c.result == r] for r in (PASSED, FAILED, UNCHECKED)}
    unmade = [name for name in by[UNCHECKED] if name != "requirement_trace"]
    text = "Passed what could be checked here" if passed else "Failed"
    parts = []
    if by[FAILED]:
        parts.append(f"{', '.join(by[FAILED])} must be mended before anybody applies it")
    if waiting:
        some = "requirement" if len(waiting) == 1 else "requirements"
        parts.append(f"{len(waiting)} {some} open: {', '.join(waiting)}")
    if unmade:
        parts.append(f"not checked: {', '.join(unmade)}")
    parts.append(f"{len(by[PASSED])} of {len(checks)} checks hold")
    return f"{text}: {'; '.join(parts)}. SHA-256 of the Terraform that was checked: `{digest}`."


def _questions(design: Design) -> Iterator[Question]:
    load, title = design.brief.load, design.title
    if load.rto or design.ha:
        target = f" against the {aim(load.rto)} of the request" if load.rto else ""
        yield Question(
            text=f"When may a person rehearse a failover of the {title}{target}, and on which "
            "environment?",
            why="The drill interrupts the service for minutes, so the plan names a time for it.",
            proposal="In a test project with the same Terraform, on a weekday before going live.",
        )
    elif design.size.rate:
        yield Question(
            text=f"Against which environment may the load test of the {title} run?",
            why=f"It sends {design.size.rate.shown} and is billed like real use.",
            proposal="Against a test project with the same Terraform, for 30 minutes.",
        )


def answered_window(design: Design) -> str:
    """What an answer said about the time of drills; empty if nothing did."""
    for change in design.adjust.unapplied:
        if re.search(r"day|night|weekend|morning|hour|project|test|staging|\d", change.quote, re.I):
            return change.quote
    return ""
