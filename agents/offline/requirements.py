"""Writes the requirements Deliverable from Facts; ``facts_from_requirements`` reads it back.

The document is the only memory: every later Specialist works from what was approved here, so all
that the planner understood stands in it, readable for people, with the figures in one table.
"""

from __future__ import annotations

import re

from agents.offline.draft import Draft
from agents.offline.facts import Facts, Measure
from agents.offline.reading import KIND_WORDS
from agents.offline.reading.amendments import is_remark
from agents.offline.reading.language import LANGUAGES
from agents.offline.requirements_nfr import functional, non_functional
from agents.offline.requirements_notes import (
    MOST_QUESTIONS,
    assumed,
    assumptions,
    current_state,
    dependencies,
    gaps,
    open_items,
    questions,
)
from agents.offline.requirements_parse import facts_from_requirements
from agents.offline.requirements_statements import joined, need_text, plain, quoted, sentence, shown
from agents.runtime import AgentTask
from engine.documents import parse_requirements

__all__ = ["MARKER", "draft_requirements", "facts_from_requirements"]

MARKER = "_Drafted by the offline planner from the request's words; no language model was used._"


_REMOVE = re.compile(
    r"\b(?:remove|drop|delete|strike|leave out)\b[^.;]*?\b(?P<id>N?FR(?:-[A-Z]+)?-\d+)",
    re.IGNORECASE,
)


def draft_requirements(task: AgentTask, facts: Facts) -> Draft:
    """The requirements Deliverable of these Facts, and the questions that matter most.

    Questions are given only to an interactive task that has asked nothing yet; the content always
    stands on proposals, so it can be submitted as it is.
    """
    facts = _without_removed(task, facts)
    numbers = {e.figure.measure: i for i, e in enumerate(assumed(facts), 1)}
    sections = (
        ("Workload overview", _overview(facts)),
        ("Functional requirements", functional(facts)),
        ("Non-functional requirements", non_functional(facts, numbers)),
        ("Current state", current_state(facts)),
        ("Dependencies", dependencies(facts)),
        ("Assumptions", assumptions(facts)),
        ("Contradictions and open questions", open_items(facts, numbers)),
        ("Discovery gaps", gaps(facts)),
    )
    content = "\n\n".join(f"## {heading}\n\n{body}" for heading, body in sections)
    first = task.interactive and not task.answers and task.previous is None
    return Draft(
        content=f"{content}\n\n{MARKER}\n",
        questions=questions(facts)[:MOST_QUESTIONS] if first else (),
    )


def _without_removed(task: AgentTask, facts: Facts) -> Facts:
    """Facts without the requirements that feedback removes by their id."""
    if task.previous is None:
        return facts
    ids = {m["id"].upper() for text in task.feedback for m in _REMOVE.finditer(text)}
    texts = [r.text for r in parse_requirements(task.previous.content) if r.id in ids]
    if not texts:
        return facts
    return facts.model_copy(
        update={
            "needs": tuple(n for n in facts.needs if need_text(n) not in texts),
            "constraints": tuple(
                c
                for c in facts.constraints
                if not any(c.text in t or plain(c.text) in t for t in texts)
            ),
        }
    )


def _overview(facts: Facts) -> str:
    kinds = ", ".join(f"{w.value} ({KIND_WORDS[w]})" for w in facts.workloads)
    lines = [f"**{facts.title}**. {_tail(facts)}", ""]
    lines += [f"- {line}" for line in _changes(facts)]
    lines.append(f"- **Kind of workload**: {kinds}")
    lines.append(f"- **Regions**: {_regions(facts)}")
    lines.append(f"- **Public access**: {_public(facts)}")
    lines.append(
        f"- **Compliance**: {joined(facts.compliance) or 'the request names no law or norm'}"
    )
    if facts.out_of_scope:
        lines.append(f"- **Out of scope**: {joined(facts.out_of_scope)}, as the request says")
    lines.append(f"- **Language of the request**: {_language(facts)}")
    if facts.named_products:
        lines.append(f"- **Products that the request names**: {_products(facts)}")
    lines += [f"- **Background**: {quoted(text)}" for text in facts.context]
    return "\n".join(lines)


def _tail(facts: Facts) -> str:
    summary = facts.summary.removeprefix(f"{facts.title}: ")
    return sentence(summary)


def _changes(facts: Facts) -> list[str]:
    lines = []
    for change in facts.changes:
        more = f" The overview now gives all that sizes the design: {_in_figures(facts)}."
        lines.append(
            f"Changed in this Revision: {sentence(change)}{more if is_remark(change) else ''}"
        )
    lines += [f"Answer worked in: {sentence(o)}" for o in facts.overrides if o not in facts.changes]
    return lines


def _in_figures(facts: Facts) -> str:
    weighty = [f for f in facts.figures if f.measure is not Measure.OTHER and not f.current]
    return (
        "; ".join(f"{f.measure.value} {shown(f)}" for f in weighty) or "the request has no figure"
    )


def _regions(facts: Facts) -> str:
    if not facts.regions:
        return "none could be derived"
    ids = [f"{region} ({_part(region, facts)})" for region in facts.regions]
    if facts.locations_text:
        return f"{', '.join(ids)}; from {joined(quoted(t) for t in facts.locations_text)}"
    return f"{', '.join(ids)}; assumed, because the request names no place"


def _part(region: str, facts: Facts) -> str:
    if region == facts.regions[0]:
        return "primary"
    return "added to survive the loss of a region" if region == facts.added_region else "also"


def _public(facts: Facts) -> str:
    if facts.public_access:
        return f"yes, people reach the {facts.title} from the internet"
    return f"no, nothing in the request opens the {facts.title} to the public"


def _language(facts: Facts) -> str:
    name = LANGUAGES.get(facts.language, facts.language)
    if facts.language == "en":
        return name
    return (
        f"{name}; names, figures and quoted sentences stay as written, while the structure of "
        "this and "
        "all later Deliverables is English"
    )


def _products(facts: Facts) -> str:
    return ", ".join(
        f"{p} (no longer offered for new systems)" if p in facts.retired_products else p
        for p in facts.named_products
    )
