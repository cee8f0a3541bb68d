"""Current state, dependencies, assumptions, open questions and discovery gaps as sections."""

from __future__ import annotations

import re

from agents.offline.facts import Contradiction, Estimate, Facts, Measure
from agents.offline.reading.estate import systems
from agents.offline.reading.evidence import proposal_of
from agents.offline.reading.questions import (
    ASKED,
    CLOSED_QUESTION,
    CLOSED_WHY,
    LEAVE_PROPOSAL,
    LEAVE_QUESTION,
    LEAVE_WHY,
    PAY_PROPOSAL,
    PAY_QUESTION,
    PAY_WHY,
    REGION_QUESTION,
    REGION_WHY,
    WHAT_QUESTION,
    WHAT_WHY,
    about_region,
    is_lay,
    measure_of,
    sells,
    what_proposal,
)
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
        note = _note(figure.measure, facts)
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
    texts += [
        f"{q.proposal}; "
        + ("confirmed by the user." if q.text in facts.accepted else "left to us by the user.")
        for q in lay_questions(facts)
        if q.text in (*facts.accepted, *facts.left_open)
    ]
    if not texts:
        return (
            f"None: the request on {quoted(facts.title)} states every figure that its kind of "
            "workload needs."
        )
    return "\n".join(f"- **A-{i}**: {text}" for i, text in enumerate(texts, 1))


def _note(measure: Measure, facts: Facts) -> str:
    if any(measure_of(q) is measure for q in facts.accepted):
        return " Confirmed by the user."
    if any(measure_of(q) is measure for q in facts.left_open):
        return " The user was asked and left it to this proposal."
    return ""


def _settled(measure: Measure, facts: Facts) -> bool:
    return any(measure_of(q) is measure for q in (*facts.accepted, *facts.left_open))


def _done(question: str, facts: Facts) -> bool:
    """Whether a question was answered, accepted or left to the proposal."""
    return question in (*facts.accepted, *facts.left_open, *facts.answered)


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
    open_ones = [c for c in facts.contradictions if not _done(clash_question(c), facts)]
    items = [_contradiction(c) for c in open_ones]
    items += [
        f"{quoted(text)} points to figures that the request does not contain. Which are they?"
        for text in facts.vague
        if not _done(vague_question(text), facts)
    ]
    items += [_unclear(question, said, facts, numbers) for question, said in facts.unclear]
    misread = {measure_of(question) for question, _ in facts.unclear}
    lay = is_lay(facts)
    items += [
        f"{q.text} {q.why} Until it is answered: {q.proposal}."
        for q in lay_questions(facts)
        if not _done(q.text, facts)
    ]
    for estimate in assumed(facts):
        asked = ASKED.get(estimate.figure.measure)
        measure = estimate.figure.measure
        if asked is None or measure in misread or _settled(measure, facts):
            continue
        if lay and measure not in _LAY:
            continue  # stands under the assumptions; nobody who runs a shop can answer it
        number = numbers[estimate.figure.measure]
        items.append(
            f"{_ask(measure, facts)} Until it is answered: {estimate.figure.text} (A-{number})."
        )
    if "region" in facts.missing and not any(
        about_region(q) for q in (*facts.accepted, *facts.left_open)
    ):
        items.append(
            f"{REGION_QUESTION.format(title=_the(facts))} {REGION_WHY.format(title=_the(facts))}"
        )
    lines = [f"- **Q-{i}**: {text}" for i, text in enumerate(items, 1)]
    lines += [
        f"- **Asked, and not done**: {quoted(ask)}. {_answer(ask)}" for ask in facts.forbidden_asks
    ]
    lines += [
        f"- **Settled**: {quoted(c.first)} against {quoted(c.second)} {_settlement(c, facts)}"
        for c in facts.contradictions
        if c not in open_ones
    ]
    if not items and len(open_ones) < len(facts.contradictions):
        return "\n\n".join(["None is open any more.", "\n".join(lines)])
    if not items:
        none = (
            f"None: nothing in the request on {quoted(facts.title)} contradicts anything else "
            "in it."
        )
        return "\n\n".join([none, "\n".join(lines)]).strip()
    return "\n".join(lines)


_LAY = (Measure.BUDGET, Measure.RTO, Measure.TEAM, Measure.USERS)
"""What somebody who runs a shop or a club can be asked about; the rest stays an assumption."""


def _ask(measure: Measure, facts: Facts) -> str:
    """The question about a measure and why it matters, in plain words where the request is."""
    text, why = ASKED[measure].text, ASKED[measure].why
    if measure is Measure.RTO and is_lay(facts):
        text, why = CLOSED_QUESTION, CLOSED_WHY
    return f"{text.format(title=_the(facts))} {why.format(title=_the(facts))}"


def _unclear(question: str, said: str, facts: Facts, numbers: dict[Measure, int]) -> str:
    """An answer that gave no value, as an open point with what holds meanwhile."""
    measure = measure_of(question)
    meanwhile = next((e for e in assumed(facts) if e.figure.measure is measure), None)
    until = ""
    if meanwhile is not None and measure is not None:
        until = (
            f" Until it is clear: {meanwhile.figure.text} (A-{numbers[measure]}); an answer of "
            "that form settles it."
        )
    return (
        f"{question.rstrip('?')}? The answer {quoted(said)} gives no value for this, so nothing "
        f"was taken from it.{until}"
    )


def clash_question(c: Contradiction) -> str:
    """The question that a contradiction puts."""
    return f"{quoted(c.first)} and {quoted(c.second)} cannot both hold. Which one weighs more?"


def vague_question(text: str) -> str:
    """The question after figures that a sentence points to."""
    return f"Which figures are meant by {quoted(text)}?"


def _settlement(c: Contradiction, facts: Facts) -> str:
    question = clash_question(c)
    if question in facts.answered:
        return "The user's answer holds; it stands under “Answer worked in”."
    how = "confirmed" if question in facts.accepted else "left to us"
    return f"Taken as proposed ({how} by the user): {sentence(c.suggestion)}"


def lay_questions(facts: Facts) -> tuple[Question, ...]:
    """What somebody who runs a shop or a club can answer and what decides the parts."""
    if not is_lay(facts) or facts.needs:
        return ()
    the = _the(facts)
    found = [(WHAT_QUESTION, WHAT_WHY, what_proposal(facts))]
    if sells(facts):
        found = [(PAY_QUESTION, PAY_WHY, PAY_PROPOSAL)]
    if facts.current_state:
        found.append((LEAVE_QUESTION, LEAVE_WHY, LEAVE_PROPOSAL))
    return tuple(
        Question(text=text.format(title=the), why=why.format(title=the), proposal=proposal)
        for text, why, proposal in found
    )


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
            text=clash_question(c),
            why=c.why,
            proposal=c.suggestion,
        )
        for c in facts.contradictions
    ]
    found += [
        Question(
            text=vague_question(text),
            why="Sizing rests on them, and the request does not contain them.",
            proposal=joined(e.figure.text for e in assumed(facts)[:2]),
        )
        for text in facts.vague
    ]
    found += lay_questions(facts)
    lay = is_lay(facts)
    # Money first: it rules out more designs than any other figure.
    for estimate in sorted(assumed(facts), key=lambda e: e.figure.measure is not Measure.BUDGET):
        measure = estimate.figure.measure
        asked = ASKED.get(measure)
        if asked is None or (lay and measure not in _LAY):
            continue
        text, why = asked.text, asked.why
        if lay and measure is Measure.RTO:
            text, why = CLOSED_QUESTION, CLOSED_WHY
        found.append(
            Question(
                text=text.format(title=_the(facts)),
                why=why.format(title=_the(facts)),
                proposal=proposal_of(estimate),
            )
        )
    if "region" in facts.missing and facts.regions:
        found.insert(
            min(len(found), 2),
            Question(
                text=REGION_QUESTION.format(title=_the(facts)),
                why=REGION_WHY.format(title=_the(facts)),
                proposal=facts.regions[0],
            ),
        )
    return tuple(found)


MOST_QUESTIONS = 6
"""A person answers a handful of questions; the rest stands as assumptions."""
