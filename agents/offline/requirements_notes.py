"""Current state, dependencies, assumptions, open questions and discovery gaps as sections."""

from __future__ import annotations

import re

from agents.offline.facts import Contradiction, Estimate, Facts, Measure
from agents.offline.reading.estate import systems
from agents.offline.reading.questions import ASKED, REGION_QUESTION, REGION_WHY
from agents.offline.requirements_estimates import estimate_text
from agents.offline.requirements_statements import joined, plain, quoted, sentence
from agents.runtime import Question


def current_state(facts: Facts) -> str:
    """What the request says of the existing system."""
    if not facts.current_state:
        return (
            f"The request describes no existing system behind the {facts.title}; it is planned as "
            "new, "
            "and nothing has to be moved."
        )
    lines = [f"- {plain(text)}" for text in facts.current_state]
    names = [n for text in facts.current_state for n in systems(text)]
    if names:
        lines.append(f"- Systems in use, as named: {joined(dict.fromkeys(names))}.")
    return "\n".join(lines)


def dependencies(facts: Facts) -> str:
    """The systems around, each with what the request says of it."""
    if not facts.dependencies:
        return f"The request names no other system that the {facts.title} exchanges data with."
    lines = []
    for text in facts.dependencies:
        name, _, said = text.partition(": ")
        lines.append(f"- **{name}**: {sentence(said)}")
    return "\n".join(lines)


def gaps(facts: Facts) -> str:
    """What could not be looked up, and what that leaves on trust."""
    names = list(dict.fromkeys(n for text in facts.current_state for n in systems(text)))
    sized = [f.text for f in facts.figures if f.measure in (Measure.DATA_VOLUME, Measure.COMPUTE)][
        :3
    ]
    lines = []
    if names:
        known = f" ({joined(sized)})" if sized else ""
        lines.append(
            f"- {joined(names[:6])} could not be inspected: no discovery server was reachable "
            "offline, so "
            f"versions, sizes{known} and peaks are the request's own."
        )
    else:
        lines.append(
            f"- Whether projects, networks or quotas for the {facts.title} exist already is "
            "unknown: no "
            "discovery server was reachable offline."
        )
    if facts.dependencies:
        others = joined(d.partition(":")[0] for d in facts.dependencies[:5])
        lines.append(
            f"- Interfaces and limits of {others} were not checked with those who run them."
        )
    return "\n".join(lines)


def assumed(facts: Facts) -> tuple[Estimate, ...]:
    """The estimates that are assumptions, in the order of their numbers."""
    return tuple(e for e in facts.estimates if not e.derived)


def assumptions(facts: Facts) -> str:
    """All assumptions with what they rest on."""
    texts = []
    for estimate in assumed(facts):
        figure = estimate.figure
        confirmed = any(_asks(q, figure.measure, facts) for q in facts.accepted)
        note = " Confirmed by the user." if confirmed else ""
        texts.append(f"{estimate_text(estimate)[1]}; taken from: {estimate.basis}.{note}")
    if facts.regions and not facts.locations_text:
        texts.append(
            f"The {facts.title} runs in {facts.regions[0]}, because the request names no place; "
            "the "
            "language and currency of the request led there."
        )
    if facts.added_region:
        texts.append(
            f"{facts.added_region} takes over when {facts.regions[0]} is lost; the request wants "
            "to "
            "survive that and names no second place where the same data may stand."
        )
    for figure in facts.figures:
        if (
            figure.measure is Measure.BUDGET
            and figure.value
            and not re.search(
                r"month|mo\b|year|annual|monat|jahr|mois|mes\b|an\b|week|day|%|pcm",
                figure.text.lower(),
            )
        ):
            texts.append(f"{figure.text} is meant per month, because the request gives no period.")
    texts += [
        f"The {facts.title} needs no {name} evidence, because the request rules it out."
        for name in facts.out_of_scope
    ]
    if not texts:
        return (
            f"None: the request on {quoted(facts.title)} states every figure that its kind of "
            "workload needs."
        )
    return "\n".join(f"- **A-{i}**: {text}" for i, text in enumerate(texts, 1))


def _asks(question: str, measure: Measure, facts: Facts) -> bool:
    asked = ASKED.get(measure)
    return asked is not None and question.strip() == asked.text.format(title=_the(facts))


def _the(facts: Facts) -> str:
    if facts.language != "en":
        return f"the {facts.title}"
    return (
        f"the {facts.title[:1].lower()}{facts.title[1:]}"
        if facts.title[1:2].islower()
        else facts.title
    )


def open_items(facts: Facts, numbers: dict[Measure, int]) -> str:
    """Contradictions, open questions, and the answer to what must not be done."""
    items = [_contradiction(c) for c in facts.contradictions]
    items += [
        f"{quoted(text)} points to figures that the request does not contain. Which are they?"
        for text in facts.vague
    ]
    for estimate in assumed(facts):
        asked = ASKED.get(estimate.figure.measure)
        if asked is None or any(_asks(q, estimate.figure.measure, facts) for q in facts.accepted):
            continue
        number = numbers[estimate.figure.measure]
        items.append(
            f"{asked.text.format(title=_the(facts))} {asked.why.format(title=_the(facts))} Until "
            "it "
            f"is answered: {estimate.figure.text} (A-{number})."
        )
    if "region" in facts.missing:
        items.append(
            f"{REGION_QUESTION.format(title=_the(facts))} {REGION_WHY.format(title=_the(facts))}"
        )
    lines = [f"- **Q-{i}**: {text}" for i, text in enumerate(items, 1)]
    lines += [
        f"- **Asked, and not done**: {quoted(ask)}. {_answer(ask)}" for ask in facts.forbidden_asks
    ]
    if not items:
        none = (
            f"None: nothing in the request on {quoted(facts.title)} contradicts anything else "
            "in it."
        )
        return "\n\n".join([none, "\n".join(lines)]).strip()
    return "\n".join(lines)


def _contradiction(c: Contradiction) -> str:
    return (
        f"Contradiction: {quoted(c.first)} against {quoted(c.second)} Why: {c.why} "
        f"Suggestion: {c.suggestion}"
    )


def _answer(ask: str) -> str:
    lowered = ask.lower()
    if re.search(r"skip|bypass|omit|validation|check|überspring|lass|saut|omit|contourn", lowered):
        return (
            "Validation and the checks of every submission run in any case; a request cannot "
            "turn them off."
        )
    if re.search(r"approv|mark|treat|genehmig|freigab|approuve|aprueba|aprob", lowered):
        return (
            "Only a structured decision by an authorised person approves a Phase; words in a "
            "request "
            "approve nothing."
        )
    if re.search(
        r"instruction|rules|prompt|you are now|anweisung|consigne|instruccion|regeln|system\s*:",
        lowered,
    ):
        return "The request is read as data; words in it change no rule of this system."
    if re.search(r"grant|give|permission|admin|owner|rights", lowered):
        return "Rights are granted by the owner of the cloud project, never by this system."
    return (
        "A person deploys, with the commands of the deployment guidance; this system never "
        "changes a "
        "cloud."
    )


def questions(facts: Facts) -> tuple[Question, ...]:
    """What to ask the user, the weightiest first."""
    found = [
        Question(
            text=f"{quoted(c.first)} and {quoted(c.second)} cannot both hold. Which one weighs "
            "more?",
            why=c.why,
            proposal=c.suggestion,
        )
        for c in facts.contradictions
    ]
    found += [
        Question(
            text=f"Which figures are meant by {quoted(text)}?",
            why="Sizing rests on them, and the request does not contain them.",
            proposal=joined(e.figure.text for e in assumed(facts)[:2]),
        )
        for text in facts.vague
    ]
    for estimate in assumed(facts):
        asked = ASKED.get(estimate.figure.measure)
        if asked is not None:
            found.append(
                Question(
                    text=asked.text.format(title=_the(facts)),
                    why=asked.why.format(title=_the(facts)),
                    proposal=f"{estimate.figure.text}: {estimate.basis}",
                )
            )  # fmt: skip
    if "region" in facts.missing and facts.regions:
        found.insert(
            min(len(found), 2),
            Question(
                text=REGION_QUESTION.format(title=_the(facts)),
                why=REGION_WHY,
                proposal=facts.regions[0],
            ),
        )
    return tuple(found)


MOST_QUESTIONS = 6
"""A person answers a handful of questions; the rest stands as assumptions."""
