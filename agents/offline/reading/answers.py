"""Answers to questions, held against what was asked: told, accepted, left open or not understood.

An answer is parsed for the measure that the question is about. What gives no value is kept as an
open point with the user's words and never becomes a requirement.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agents.offline.facts import Measure
from agents.offline.reading.figures import figures
from agents.offline.reading.place_mentions import mentions_in
from agents.offline.reading.questions import ASKED, about_region, measure_of
from agents.offline.reading.text import clean, sentences, squeeze
from agents.runtime import Answer

_I = re.IGNORECASE
_HEADLESS = re.compile(r"no user is available|state your assumption", _I)
_YES = re.compile(
    r"^(?:yes|yep|yeah|yup|sure|k|ok(?:ay)?|agreed?|fine|good|great|perfect|correct|right"
    r"|as proposed"
    r"|your proposal|that['’]?s (?:fine|ok(?:ay)?|good|right)|works for me|do (?:that|so)|please do"
    r"|sounds good|go (?:with (?:that|it)|ahead)|ja|passt|einverstanden|oui|d['’]accord|sí|si|vale"
    r"|de acuerdo|accepted?|confirmed)\b[\s,.!]*(?:please|then|thanks|(?:by|for|with) me"
    r"|with (?:the )?proposal|as proposed|that is fine|that works|the proposal|go ahead)?[\s.!]*$",
    _I,
)
_LEFT = re.compile(
    r"\b(?:do ?n['’]?t|do not|does ?n['’]?t|cannot|can['’]?t|nobody) (?:really |even )?(?:know|say"
    r"|tell|understand|matter|care|mind)\b|\bdunno\b|\b(?:no|any) (?:idea|clue|opinion"
    r"|preference)\b"
    r"|\bnot (?:sure|known|yet known|decided)\b|^\W*\?+\W*$|^\W+$|\bwhat (?:do you mean|does"
    r"|is (?:that"
    r"|this|an?|the)|are)\b|^(?:what|which|how|why|huh|pardon|was|wie|quoi|qué)\b[^.]*\?$"
    r"|\bas you (?:see fit|like|wish|think|want|please)\b|\byou (?:can )?(?:decide|choose|pick"
    r"|tell me)\b"
    r"|\bup to you\b|\byour (?:choice|call|decision)\b|\bwhatever\b|\banything(?: is fine|goes)?$"
    r"|^(?:unknown|n/?a|skip|none of these|later|pass)\b|\btbd\b|\bkeine ahnung\b"
    r"|\bweiß (?:ich )?nicht"
    r"|\bweiss (?:ich )?nicht|\begal\b|\bwie (?:sie|du) (?:meinen|meinst|wollen|willst)"
    r"|\bje ne sais pas\b|\bcomme vous voulez\b|\bno (?:lo )?s[ée]\b|\bcomo (?:quiera|veas)", _I,
)  # fmt: skip
_NOTHING = re.compile(
    r"^(?:no(?:thing|ne)?|zero|0|nil|nichts|keine?|rien|nada|aucune?)(?: (?:at all|loss|data"
    r"|whatsoever"
    r"|may be lost|can be lost|of it))*[\s.!]*$|\b(?:not|n['’]?t|never) (?:may |can "
    r"|ever )?(?:be )?"
    r"(?:lose|lost)\b(?: (?:anything|any|data|a))?", _I,
)  # fmt: skip
_ALONE = re.compile(
    r"^(?:it['’]?s )?(?:just|only|nur|solo|seulement)? ?(?:me|myself|i|ich|moi"
    r"|yo)(?: alone)?[\s.!]*$",
    _I,
)
_BARE = re.compile(r"(?:about |around |ca\.? |~|maybe )?[\d.,' ]+[kKmM]?")
_REGION_ID = re.compile(r"\b[a-z]+(?:-[a-z]+)+\d+\b")
_SAYS = 5
"""Words from which on an answer may say something beside what was asked."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer that says something: its question, its words, and the sentence it is read as."""

    question: str
    written: str
    reading: str


@dataclass(frozen=True, slots=True)
class Sifted:
    """Answers by what they are.

    ``accepted`` and ``left`` are questions whose proposal the user confirmed, or left to us;
    ``unclear`` are pairs of question and words that give no value for what was asked.
    """

    told: tuple[Told, ...] = ()
    accepted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    unclear: tuple[tuple[str, str], ...] = ()


def sift(
    answers: Sequence[Answer], proposals: Collection[str], language: str, currency: str
) -> Sifted:
    """Sort answers; ``proposals`` are texts that were offered, so that Enter is known as a yes."""
    told: list[Told] = []
    accepted: list[str] = []
    left: list[str] = []
    unclear: list[tuple[str, str]] = []
    for answer in answers:
        said = squeeze(clean(answer.answer))
        if not said or _HEADLESS.search(said):
            continue
        if said in proposals or _YES.match(said):
            accepted.append(answer.question)
            continue
        reading = _reading(answer.question, said, language, currency)
        if reading and not (reading == said and _is_left(said)):
            told.append(Told(answer.question, said, reading))
        elif _is_left(said):
            left.append(answer.question)
        else:
            unclear.append((answer.question, said))
            if len(said.split()) >= _SAYS and _other(said, language):
                told.append(Told(answer.question, said, said))
    return Sifted(tuple(told), tuple(accepted), tuple(left), tuple(unclear))


def _is_left(said: str) -> bool:
    return len(said.split()) <= 14 and _LEFT.search(said) is not None


def _reading(question: str, said: str, language: str, currency: str) -> str:
    """The sentence that an answer is read as, or "" where it says nothing of what was asked."""
    measure = measure_of(question)
    digits = re.search(r"\d", said) is not None
    if about_region(question) and (measure is None or not digits):
        if _REGION_ID.search(said) or mentions_in(said) or mentions_in(f"Hosted in {said}"):
            short = len(said.split()) <= 6 and not re.search(r"\b(?:in|stay|host)", said, _I)
            return f"Hosted in region {said}" if short else said
        return said if len(said.split()) > _SAYS else ""
    if measure is None:
        return said
    if measure is Measure.RPO and _NOTHING.search(said):
        return "RPO 0"
    if measure is Measure.TEAM and _ALONE.match(said):
        return "We are a team of 1"
    asked = ASKED[measure]
    completed = said
    if asked.unit and _BARE.fullmatch(said):
        completed = f"{said} {asked.unit.replace('USD', currency or 'USD')}"
    for reading in (completed, f"{asked.label}: {completed}", f"{asked.label} {completed}"):
        if any(f.measure is measure for f in figures(sentences(reading, language), language)):
            return reading
    people = measure is Measure.TEAM and len(re.findall(r"[^\W\d_]{2,}", said)) >= 3
    if people and not digits and not _is_left(said):
        return f"{asked.label}: {said}"
    return ""


def _other(said: str, language: str) -> bool:
    """Whether an answer beside the question still states a figure, or is a whole sentence."""
    own = figures(sentences(said, language), language)
    return any(f.measure is not Measure.OTHER for f in own) or len(said.split()) >= 2 * _SAYS
