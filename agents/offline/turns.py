"""The offline planner as Orchestrator: one Turn as a script of tool calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.offline.planner import Call, Reply, Say, Script, refused
from agents.runtime import AgentTask
from engine.deliverables import PHASE_KINDS, SPECS, Kind, Phase
from engine.documents import list_items, parse_requirements, parse_selection, section

_SKILL = "google-cloud-solution-architecture"
_MAX_ROUNDS = 12
_SHOWN = 6

_ABOUT: tuple[tuple[Kind, str], ...] = (
    (
        Kind.DEPLOYMENT_GUIDANCE,
        r"terraform|\.tf\b|variable|provider pin|backend|prerequisit|steps?\b",
    ),
    (Kind.ARCHITECTURE_DIAGRAM, r"diagram|picture|arrow|drawn|mermaid|legend"),
    (Kind.ARCHITECTURE_DESCRIPTION, r"description|data flow|control flow|explain"),
    (Kind.TECHNICAL_DECOMPOSITION, r"decompos|component|split|merge|separate (service|part)"),
    (
        Kind.REQUIREMENTS,
        r"\b(RTO|RPO|SLA|budget|requirement|must|availability|latency|users?|orders?|per (second|"
        r"minute|day|month)|compliance|GDPR|PCI|HIPAA|assum\w+|deadline|region|residency)\b",
    ),
    (Kind.PRODUCT_SELECTION, r"\b(use|prefer|avoid|instead|replace|product|no|without|rather)\b"),
    (
        Kind.DESIGN_RECOMMENDATIONS,
        r"recommend|pillar|security|reliab|cost|operation|performan|sustainab|alert|backup|monitor",
    ),
    (Kind.VALIDATION_RESULTS, r"validat|check|verdict|finding"),
)


def concerned(phase: Phase, feedback: str) -> Kind:
    """The earliest Deliverable that a change request is about, up to the Phase it was made in.

    Words decide; feedback without any of them is about the Phase's first Deliverable.
    """
    possible = [kind for kind in Kind if SPECS[kind].phase.number <= phase.number]
    for kind in possible:
        if kind.value in feedback or SPECS[kind].title.lower() in feedback.lower():
            return kind
    for kind, words in _ABOUT:
        if kind in possible and re.search(words, feedback, re.IGNORECASE):
            return kind
    return PHASE_KINDS[phase][0]


def turn(task: AgentTask) -> Script:
    """Look, then do the first thing that applies, until a tool ends the Turn."""
    yield Call("load_skill", {"skill_name": _SKILL})
    for _ in range(_MAX_ROUNDS):
        state = yield Call("ready_work", {})
        call = yield from _choose(state)
        if call is None:
            yield Say("Specialists are at work; there is nothing to decide now.")
            return
        reply = yield call
        if error := refused(reply):
            yield Say(f"{call.tool} was refused: {error}")
            return
    yield Say("This Turn went on for too long without ending.")


def _choose(state: Reply) -> Script | Any:
    for entry in state["phases"]:
        if entry["change_request"] is not None:
            phase, feedback = Phase(entry["phase"]), str(entry["change_request"])
            kind = concerned(phase, feedback)
            return Call("reopen", {"kind": kind.value, "reason": feedback})
    if state["ready"]:
        return Call("delegate", {"kinds": list(state["ready"])})
    if state["in_flight"]:
        return None
    if state["open_questions"]:
        return Call("ask_user", {"questions": merged(state["open_questions"])})
    if state["can_request_approval"]:
        phase = Phase(state["can_request_approval"])
        contents: dict[Kind, str] = {}
        for kind in PHASE_KINDS[phase]:
            reply = yield Call("read_deliverable", {"kind": kind.value})
            contents[kind] = str(reply.get("content", ""))
        return Call("request_approval", {"phase": phase.value, "summary": summary(phase, contents)})
    if state["can_finish"]:
        return Call("finish", {})
    return None


def merged(questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One question for each thing that Specialists ask, however many of them ask it."""
    found: dict[str, dict[str, Any]] = {}
    for question in questions:
        key = re.sub(r"\W+", " ", str(question["text"]).lower()).strip()
        entry = found.setdefault(
            key,
            {
                "text": question["text"],
                "why": question["why"],
                "proposal": question["proposal"],
                "merges": [],
            },
        )
        entry["merges"].append(question["id"])
    return list(found.values())


def summary(phase: Phase, contents: Mapping[Kind, str]) -> str:
    """What a person reads before deciding about a Phase: figures from the contents themselves."""
    match phase:
        case Phase.REQUIREMENTS_DISCOVERY:
            return _discovery(contents)
        case Phase.SOLUTION_ARCHITECTURE:
            return _architecture(contents)
        case Phase.SOLUTION_VALIDATION:
            verdict = section(contents[Kind.VALIDATION_RESULTS], "Verdict")
            return (verdict.body if verdict else "").strip() or "Validation results are ready."
        case Phase.PACKAGING:
            return (
                "The Solution guide puts the approved contents together; approving it writes the "
                "files and ends the Execution."
            )


def _discovery(contents: Mapping[Kind, str]) -> str:
    text = contents[Kind.REQUIREMENTS]
    requirements = parse_requirements(text)
    functional = sum(r.id.startswith("FR-") for r in requirements)
    parts = [
        f"{functional} functional and {len(requirements) - functional} non-functional requirements."
    ]
    for heading in ("Assumptions", "Contradictions and open questions"):
        found = section(text, heading)
        items = [i for i in list_items(found.body) if i.startswith("**")] if found else []
        if items:
            shown = "\n".join(f"- {item}" for item in items[:_SHOWN])
            more = f"\n- and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
            parts.append(f"\n\n**{heading}**\n\n{shown}{more}\n\n")
    components = len(
        re.findall(r"^\| *C-\d+ *\|", contents[Kind.TECHNICAL_DECOMPOSITION], re.MULTILINE)
    )
    parts.append(f"{components} components. Next: products are chosen for them.")
    return " ".join(parts)


def _architecture(contents: Mapping[Kind, str]) -> str:
    rows = parse_selection(contents[Kind.PRODUCT_SELECTION])
    products = list(dict.fromkeys(row.product for row in rows))
    return (
        f"{len(products)} products for {len({r.component_id for r in rows})} components: "
        f"{', '.join(products)}. Diagram, description, six pillars and Terraform are ready. "
        "Next: the Terraform is validated without touching any project."
    )
