"""Answers and feedback, worked into the request's sentences: what they say replaces what it said.

A figure that is given anew replaces the old one where it stands, so that everything derived from
the sentence (contradictions, estimates, requirements) follows. What replaces nothing is read as a
further sentence. Free text never grants anything: asks to skip or approve are only recorded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.offline.facts import Figure, Measure
from agents.offline.reading.answers import sift
from agents.offline.reading.asks import is_ask_only
from agents.offline.reading.figures import figures
from agents.offline.reading.place_mentions import inside, instead, ruled_out
from agents.offline.reading.questions import ASKED
from agents.offline.reading.text import Sentence, clean, sentences, squeeze
from agents.runtime import Answer

_I = re.IGNORECASE
_ADD = re.compile(
    r"^(?:please )?(?:also )?(?:add|include|insert|note|record)(?: also)?(?: (?:a|an|the"
    r"|another|one))?(?: (?:new|further|missing))?"
    r" ?(?:functional |non-functional )?(?:requirement|need|constraint)s?(?: (?:that|for|to"
    r"|saying|which says)|:)\s*", _I,
)  # fmt: skip
_REMARK = re.compile(
    r"^(?:the |this |all |your )?(?:overview|document|deliverable|requirements?|sections?|text"
    r"|wording|assumptions?|table|questions?"
    r"|it|this)\b.{0,40}\b(?:vague|unclear|clearer|short\w*|long\w*|detail\w*|confusing"
    r"|incomplete|typos?|precise|generic|hard to)\b"
    r"|^(?:please )?(?:remove|drop|delete|strike|leave out)\b.{0,40}\bN?FR\b"
    r"|^(?:please )?(?:be|make it|make this) (?:more|less)\b|^(?:more|less) detail", _I,
)  # fmt: skip
_ONE = (
    Measure.RTO, Measure.RPO, Measure.BUDGET, Measure.AVAILABILITY, Measure.LATENCY,
    Measure.FRESHNESS, Measure.DATA_VOLUME, Measure.RETENTION, Measure.DEVICES, Measure.ITEM_SIZE,
    Measure.DEADLINE, Measure.THROUGHPUT, Measure.FREQUENCY, Measure.GROWTH,
)  # fmt: skip
_ALL = (Measure.RTO, Measure.RPO)
_ROUNDS = 8
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
    the old and new figure; ``accepted``, ``left``, ``unclear`` and ``answered`` are questions by
    what their answer was; ``changes`` has
    a line for each feedback; ``read`` are all sentences of the amendments.
    """

    base: tuple[Sentence, ...]
    extra: tuple[Sentence, ...] = ()
    overrides: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    unclear: tuple[tuple[str, str], ...] = ()
    answered: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    read: tuple[Sentence, ...] = ()


def amend(
    base: Sequence[Sentence],
    answers: Sequence[Answer],
    feedback: Sequence[str],
    language: str,
    currency: str,
    unstated: frozenset[Measure] = frozenset(),
    proposals: frozenset[str] = frozenset(),
) -> Amended:
    """Work answers, then feedback, into the sentences; the later word wins.

    ``unstated`` are measures that the request leaves open: an answer about one adds a figure and
    replaces none (a time to keep data is not the time to replay it). ``proposals`` are the texts
    that questions offered.
    """
    current = list(base)
    extra: list[Sentence] = []
    overrides: list[str] = []
    changed: list[str] = []
    spoken: list[Sentence] = []
    block = max((s.block for s in base), default=0) + 1
    sifted = sift(answers, proposals, language, currency)
    todo = [Amendment(t.written, t.reading, t.question) for t in sifted.told]
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
            if not amendment.question:
                changed.append(
                    f"nothing by “{amendment.written}”; the answer stands under the open questions"
                )
            continue
        spoken += parts
        added = unstated if amendment.question else frozenset()
        current, extra, changes = _replace([*current], [*extra], parts, language, added)
        replaced = {p.text for p in parts if changes and _only_figures(p, language)}
        for part in parts:
            moved, current = _moved(part, current)
            remark = not amendment.question and is_remark(part.text)
            if moved or (remark and not figures([part], language)):
                replaced.add(part.text)
            changes += moved
        extra += [p for p in parts if p.text not in replaced]
        note = "; ".join(changes)
        label = (
            amendment.written
            if not amendment.question
            else (f"{amendment.question.rstrip('?')}? {amendment.written}")
        )
        worked = f"{label} ({note})" if note else label
        overrides.append(worked)
        if not amendment.question:
            changed.append(worked)
    return Amended(
        base=tuple(current),
        extra=tuple(extra),
        overrides=tuple(overrides),
        accepted=sifted.accepted,
        left=sifted.left,
        unclear=sifted.unclear,
        answered=tuple(t.question for t in sifted.told),
        changes=tuple(changed),
        read=tuple(spoken),
    )


def is_remark(text: str) -> bool:
    """Whether feedback speaks of the document and not of the system."""
    return _REMARK.search(text) is not None


def _moved(part: Sentence, base: list[Sentence]) -> tuple[list[str], list[Sentence]]:
    """Places that the words put in the stead of others, or rule out, worked into the sentences."""
    changes: list[str] = []
    for new, old in instead(part.text):
        if any(old in s.text for s in base):
            base = [replace(s, text=s.text.replace(old, new)) for s in base]
            changes.append(f"{old} becomes {new}")
    for gone in ruled_out(part.text):
        cities = {city for s in base for city in inside(s.text, gone) if gone in s.text}
        for city in sorted(cities - {gone}):
            base = [replace(s, text=_without(s.text, city)) if city in s.text else s for s in base]
        if any(gone in s.text for s in base):
            base = [replace(s, text=_without(s.text, gone)) if gone in s.text else s for s in base]
            changes.append(f"{gone} no longer holds")
    return changes, [s for s in base if s.text]


def _without(text: str, place: str) -> str:
    """A sentence without the clause that names a place."""
    parts = re.split(r"(,\s(?:and\s|so\s|but\s)?|;\s|\s(?:and|or)\s)", text.rstrip("."))
    kept = [
        (parts[i - 1] if i else "") + part
        for i, part in enumerate(parts)
        if i % 2 == 0 and place not in part
    ]
    joined = "".join(kept)
    joined = re.sub(r"^(?:,\s|;\s|\s)?(?:and|so|but|or)?\s*", "", joined)
    return f"{joined[:1].upper()}{joined[1:]}." if joined else ""


def _from_feedback(said: str) -> Amendment:
    # Ids of a document that is written anew would point to nothing; with this hyphen they do not.
    said = re.sub(r"\b(N?FR(?:-[A-Z]+)?)-(?=\d)", "\\1\N{NON-BREAKING HYPHEN}", said)
    said = re.sub(r"\bNFR-(?=[A-Z])", "NFR\N{NON-BREAKING HYPHEN}", said)
    reading = _ADD.sub("", said)
    return Amendment(said, reading[:1].upper() + reading[1:])


def _replace(
    base: list[Sentence],
    extra: list[Sentence],
    parts: Sequence[Sentence],
    language: str,
    unstated: frozenset[Measure],
) -> tuple[list[Sentence], list[Sentence], list[str]]:
    changes: list[str] = []
    for new in figures(parts, language):
        if new.measure is Measure.OTHER or new.measure in unstated:
            continue
        for _ in range(_ROUNDS):
            old = next(iter(_outdated(new, figures([*base, *extra], language))), None)
            if old is None:
                break
            base = [_rewritten(s, old, new) for s in base]
            extra = [_rewritten(s, old, new) for s in extra]
            changes.append(f"{old.text} becomes {new.text}")
            now = figures([*base, *extra], language)
            if not any(f.measure is new.measure and f.value == new.value for f in now):
                label = ASKED[new.measure].label if new.measure in ASKED else new.measure.value
                extra.append(Sentence(f"{label}: {new.text}.", parts[0].block))
            if new.measure not in _ALL:
                break
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
    zero = new.value == 0 and not re.search(r"\d", new.text)
    text = "zero seconds" if zero and re.search(r"\d", old.text) else new.text
    lead = _PREFIXED.match(old.text)
    if lead and not _PREFIXED.match(text):
        text = f"{lead.group()} {text}"
    elif old.value == 0 and re.match(r"(?:zero|null|cero|zéro)\b", old.text, re.I):
        pass
    elif old.value == 0 and not re.search(r"\d", old.text):
        text = f"{new.measure.value.upper()} {text}"
    elif old.measure is Measure.BUDGET and "%" in old.text:
        text = f"a budget of {text}"
    whole = re.compile(rf"(?<![\w.,]){re.escape(old.text)}(?!\w)")
    return replace(sentence, text=whole.sub(lambda _: text, sentence.text, count=1))


def _only_figures(sentence: Sentence, language: str) -> bool:
    """Whether a sentence says no more than its figures: few words are left without them."""
    rest = sentence.text
    for figure in figures([sentence], language):
        rest = rest.replace(figure.text, " ")
    return len(re.findall(r"[^\W\d_]{3,}", rest)) <= 8
