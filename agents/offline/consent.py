"""Tells an answer that agrees from one that asks for something else."""

from __future__ import annotations

import re

from agents.runtime import AgentTask

_CONSENT = re.compile(
    r"\s*(?:yes|yep|ok(?:ay)?|fine|agreed?|correct|sure|right|good|sounds good|go ahead|"
    r"as proposed|looks good|"
    r"the proposal|no objections?|no user is available|state your assumption|no changes?|"
    r"none|ja|oui|sí|si)\b",
    re.I,
)


def dissenting(task: AgentTask) -> tuple[str, ...]:
    """Answers that ask for something else than the proposal; plain consent changes nothing.

    What follows a consent ("yes, but add a cache") still counts.
    """
    found: list[str] = []
    for answer in task.answers:
        text = answer.answer.strip()
        match = _CONSENT.match(text)
        if match is None:
            found.append(text)
            continue
        rest = re.split(
            r"\b(?:but|however|except|though|only)\b[, ]*", text[match.end() :], maxsplit=1
        )
        if len(rest) == 2 and rest[1].strip():
            found.append(rest[1].strip())
    return tuple(found)
