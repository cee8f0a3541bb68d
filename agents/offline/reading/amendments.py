"""Answers and feedback, worked into the request's sentences: what they say replaces what it said.

A figure that is given anew replaces the old one where it stands, so that everything derived from
the sentence (contradictions, estimates, requirements) follows. What replaces nothing is read as a
further sentence. Free text never grants anything: asks to skip or approve are only recorded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.offline.facts import Figure, Measure
from agents.offline.reading.asks import is_ask_only
from agents.offline.reading.figures import figures
from agents.offline.reading.questions import ASKED, about_region, measure_of
from agents.offline.reading.text import Sentence, clean, sentences, squeeze
from agents.runtime import Answer

_I = re.IGNORECASE
_NOBODY = re.compile(
    r"no user is available|state your assumption|^(?:i )?(?:don['’]t|do not) know\b|^not (?:known|sure|yet known)"
    r"|^unknown\b|^no idea\b|^n/?a$|^skip$|^keine ahnung|^weiß (?:ich )?nicht|^je ne sais pas|^no sé\b|^tbd\b", _I,
)  # fmt: skip
_YES = re.compile(
    r"^(?:yes|yep|ok(?:ay)?|agreed?|fine|good|correct|right|as proposed|your proposal|sounds good|go with (?:that|it)|ja|passt"
    r"|einverstanden|oui|d['’]accord|sí|si|vale|de acuerdo|accepted?|confirmed)\b[\s,.!]*(?:please|with (?:the )?proposal|as"
    r" proposed|that is fine|that works|the proposal)?[\s.!]*$", _I,
)  # fmt: skip
_ADD = re.compile(
    r"^(?:please )?(?:also )?(?:add|include|insert|note|record)(?: also)?(?: (?:a|an|the|another|one))?(?: (?:new|further|missing))?"
    r" ?(?:functional |non-functional )?(?:requirement|need|constraint)s?(?: (?:that|for|to|saying|which says)|:)\s*", _I,
)  # fmt: skip
_ONE = (Measure.RTO, Measure.RPO, Measure.BUDGET, Measure.AVAILABILITY, Measure.LATENCY, Measure.FRESHNESS,
        Measure.DATA_VOLUME, Measure.RETENTION, Measure.DEVICES, Measure.ITEM_SIZE, Measure.DEADLINE,
        Measure.THROUGHPUT, Measure.FREQUENCY, Measure.GROWTH)  # fmt: skip
_ALL = (Measure.RTO, Measure.RPO)
_PREFIXED = re.compile(
    r"^(within|in under|under|dans|innerhalb|before|by|until|vor|bis|avant|antes de)\b", _I
)


@dataclass(frozen=True, slots=True)
class Amendment:
    """One answer or feedback that says something: its words, and how it is read."""

    written: str
    reading: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class Amended:
    """The sentences after all amendments.

    ``extra`` are sentences that the amendments added, ``overrides`` what changed, as written with
    the old and new figure; ``accepted`` are questions whose proposal was accepted.
    """

    base: tuple[Sentence, ...]
    extra: tuple[Sentence, ...] = ()
    overrides: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    read: tuple[Sentence, ...] = ()


def amend(
    base: Sequence[Sentence],
    answers: Sequence[Answer],
    feedback: Sequence[str],
    language: str,
    currency: str,
) -> Amended:
    """Work answers, then feedback, into the sentences; the later word wins."""
    current = list(base)
    extra: list[Sentence] = []
    overrides: list[str] = []
    accepted: list[str] = []
    spoken: list[Sentence] = []
    block = max((s.block for s in base), default=0) + 1
    todo: list[Amendment] = []
    for answer in answers:
        said = squeeze(clean(answer.answer))
        if not said or _NOBODY.search(said):
            continue
        if _YES.match(said):
            accepted.append(answer.question)
            continue
        todo.append(_from_answer(answer.question, said, language, currency))
    todo += [_from_feedback(squeeze(clean(f))) for f in feedback if f.strip()]
    for amendment in todo:
        parts = sentences(amendment.reading, language)
        block += 1
        parts = tuple(
            Sentence(p.text, block, p.bullet, p.lead) for p in parts if not is_ask_only(p)
        )
        asked_for = tuple(p for p in sentences(amendment.reading, language) if is_ask_only(p))
        spoken += asked_for
        if not parts:
            continue
        spoken += parts
        current, extra, changes = _replace([*current], [*extra], parts, language)
        replaced = {p.text for p in parts if changes and _only_figures(p, language)}
        extra += [p for p in parts if p.text not in replaced]
        note = "; ".join(changes)
        label = (
            amendment.written
            if not amendment.question
            else (f"{amendment.question.rstrip('?')}? {amendment.written}")
        )
        overrides.append(f"{label} ({note})" if note else label)
    return Amended(tuple(current), tuple(extra), tuple(overrides), tuple(accepted), tuple(spoken))


def _from_answer(question: str, said: str, language: str, currency: str) -> Amendment:
    measure = measure_of(question)
    reading = said
    if measure is not None and not (about_region(question) and not re.search(r"\d", said)):
        asked = ASKED[measure]
        completed = said
        if asked.unit and re.fullmatch(r"(?:about |ca\.? |~)?[\d.,' ]+[kKmM]?", said):
            unit = asked.unit.replace("USD", currency or "USD")
            completed = f"{said} {unit}" if measure is not Measure.AVAILABILITY else f"{said} %"
        own = figures(sentences(completed, language), language)
        if not any(f.measure is measure for f in own):
            reading = f"{asked.label}: {completed}"
        else:
            reading = completed
    elif (
        about_region(question)
        and len(said.split()) <= 6
        and not re.search(r"\b(?:in|stay|host)", said, _I)
    ):
        reading = f"Hosted in region {said}"
    return Amendment(said, reading, question)


def _from_feedback(said: str) -> Amendment:
    reading = _ADD.sub("", said)
    return Amendment(said, reading[:1].upper() + reading[1:])


def _replace(
    base: list[Sentence], extra: list[Sentence], parts: Sequence[Sentence], language: str
) -> tuple[list[Sentence], list[Sentence], list[str]]:
    changes: list[str] = []
    for new in figures(parts, language):
        if new.measure is Measure.OTHER:
            continue
        for old in _outdated(new, figures([*base, *extra], language)):
            base = [_rewritten(s, old, new) for s in base]
            extra = [_rewritten(s, old, new) for s in extra]
            changes.append(f"{old.text} becomes {new.text}")
            now = figures([*base, *extra], language)
            if not any(f.measure is new.measure and f.value == new.value for f in now):
                label = ASKED[new.measure].label if new.measure in ASKED else new.measure.value
                extra.append(Sentence(f"{label}: {new.text}.", parts[0].block))
    return base, extra, changes


def _outdated(new: Figure, stated: Sequence[Figure]) -> list[Figure]:
    same = [
        f for f in stated
        if f.measure is new.measure and not f.current
        and not (f.value == new.value and f.unit == new.unit and f.value is not None)
    ]  # fmt: skip
    if new.measure is Measure.THROUGHPUT:
        same = [f for f in same if f.peak is new.peak] or same
    words = _stems(new.subject) - _stems(ASKED[new.measure].label if new.measure in ASKED else "")
    near = [f for f in same if words & _stems(f"{f.subject} {f.unit}")]
    if near:
        return near if new.measure in _ALL else near[:1]
    if new.measure in (
        Measure.USERS,
        Measure.ITEMS,
        Measure.TEAM,
        Measure.COMPUTE,
        Measure.DATA_RATE,
    ):
        return []
    if new.measure in _ALL:
        return same
    return same[:1] if new.measure in _ONE else []


def _stems(text: str) -> set[str]:
    return {w.lower().rstrip("s") for w in re.findall(r"[^\W\d_]{3,}", text)}


def _rewritten(sentence: Sentence, old: Figure, new: Figure) -> Sentence:
    """The sentence with the old figure replaced, where it holds it."""
    if sentence.text != old.sentence or old.text not in sentence.text:
        return sentence
    text = new.text
    lead = _PREFIXED.match(old.text)
    if lead and not _PREFIXED.match(text):
        text = f"{lead.group()} {text}"
    elif old.value == 0 and not re.search(r"\d", old.text):
        text = f"{new.measure.value.upper()} {text}"
    elif old.measure is Measure.BUDGET and "%" in old.text:
        text = f"a budget of {text}"
    return Sentence(
        sentence.text.replace(old.text, text, 1), sentence.block, sentence.bullet, sentence.lead
    )


def _only_figures(sentence: Sentence, language: str) -> bool:
    """Whether a sentence says no more than its figures: few words are left without them."""
    rest = sentence.text
    for figure in figures([sentence], language):
        rest = rest.replace(figure.text, " ")
    left = [w for w in re.findall(r"[^\W\d_]{3,}", rest)]
    return len(left) <= 8
