"""What the words around a figure say: is it a peak, is it about today's system, whose is it."""

from __future__ import annotations

import re
from functools import lru_cache

from agents.offline.facts import Figure, Measure
from agents.offline.reading.measures import nearest
from agents.offline.reading.text import at_words, vocabulary

_I = re.IGNORECASE
_PEAK = at_words(
    r"\bpeaks?\b|\bbursts?\b|\bspikes?\b|black friday|cyber monday|christmas|\bmax(?:imum)?\b"
    r"|\bbusiest\b"
    r"|\bworst\b|\bbad days?\b|breaking news|election night|\breach(?:es)?\b|all at once"
    r"|month[- ]end"
    r"|\brush\b|monday mornings?|\bsale days?\b|\bcampaigns?\b|launch day|\bonce, on\b"
    r"|\bsurge\w*|\bhigh season\b|spitze\w*|stoßzeit\w*|weihnacht\w*|\bpointe\b|\bpics?\b"
    r"|\bpico\b|rebajas"
    r"|\bsoldes\b|hora punta|outage|kick-?off|match days?"
)  # fmt: skip
_OPENS_PEAK = re.compile(
    r"(?:in der spitze|zu spitzenzeiten|(?:at|in|during) (?:the )?peaks?\b(?! hours? we)|en pointe"
    r"|en hora punta|on (?:bad|busy) days)\b", _I,
)  # fmt: skip
_NORMAL = at_words(
    r"\bnormal(?:ly)?\b|\baverag\w+|\btypical(?:ly)?\b|\busual(?:ly)?\b|\bsteady\b|\bbaseline\b"
    r"|durchschnitt\w*"
    r"|normalerweise|\bmoyenne\b|\bmedia\b|promedio|working day|\bregular\b|sustained"
)  # fmt: skip
_NOW = at_words(
    r"\btoday\b|\bcurrent(?:ly)?\b|\bat present\b|\bpresent(?:ly)?\b(?! platform ?:)"
    r"|\bexisting\b|\bas of now\b"
    r"|\blegacy\b|\bthe old\b|where we are|\bright now\b|\bnowadays\b|\bon[- ]prem\w*|\bso far\b"
    r"|\bheute\b|derzeit\w*|\baktuell\w*|bestehend\w*|gegenwärtig\w*|\bmomentan\b"
    r"|actuel\w*|aujourd['’]hui|\bexistant\w*|actual(?:es|mente)?\b|\bhoy\b|hoy en día"
    r"|en este momento"
)  # fmt: skip
_FUTURE = at_words(
    r"\bexpect\w*|\btargets?\b|\bgoals?\b|\bmust\b|\bshall\b|\bshould\b|\bneeds?\b|\bwants?\b"
    r"|\bin (?:\w+ )?years\b"
    r"|\bwill\b|\bcannot go\b|\bcan spend\b|\bcould\b|\bdefend\b|\bbudget\b|\bnew (?:system"
    r"|platform|one)\b"
    r"|\bplanned\b|\bforecast\w*|\bby 20\d\d\b|\baim\w*|\blose\b|\bto be\b|\bat most\b"
    r"|\bnot exceed\b"
    r"|\bsoll\w*\b|\bmuss\b|\bmüssen\b|\berwarte\w*|künftig\w*|\bziel\b|\bdoi(?:t|vent)\b"
    r"|\bobjectif\b"
    r"|\bdeb(?:e|en)\b|\bobjetivo\b|\bmax(?:imum)?\b|\bhas to\b|\bhave to\b|\blimit\b"
)  # fmt: skip
_VERB = re.compile(
    r"\b(?:must|has to|have to|had to|should|shall|will|would|can|cannot|may|is|are|was|were|needs?"
    r"|wants?|requires?|averages?|reaches|uses?|grows?|costs?|contains?|holds?|sits?|runs?"
    r"|gets?|do|does"
    r"|arrives?|stays?|keeps?|carries|serves?|sends?|reports|answers|covers|soll|sollen|muss"
    r"|müssen|ist|sind"
    r"|beträgt|wird|werden|doit|doivent|est|sont|debe|deben|es|son|está|están)\b", _I,
)  # fmt: skip
_AFTER = re.compile(
    r"\s(?:availability (?:for|of)|of (?!them|us\b|all\b)|uptime for|old\b)\s?(?:the |our )?"
    r"(?P<what>[^\W\d_][\w-]*(?:\s(?!may|must|is|are|for|and|or|in|to|be)[^\W\d_][\w-]*)?)", _I,
)  # fmt: skip
_EDGE = vocabulary(
    """the a an our its their this that these those my your of in at to for from by with and or
    but so about around roughly some only maybe approx approximately ca under over below above
    up than within after before until till every at least most no more less i we they it he
    she you there if when while which who as also then each all both on is not be down lose
    been per plus take takes max maximum between using expect have has seen into back e.g i.e
    one go don't it's i'd we're need want add adds keep keeps kept store stored get gets them
    me my only even with without via always still just may can could should will would must
    shall do does did anything accept told been was were are able die der das den dem des ein
    eine einer unser unsere in im am bei von zu mit und auf für etwa rund um liegt höchstens
    einem einer eines mindestens dürfen darf zu je jeweils derzeit läuft laufen kommen kommt
    liegt rund beträgt sollen
    soll muss müssen werden wird ist sind mostly le la les l un une des de du nos notre et à
    pour avec el los las una nuestro
    nuestra con y para se como máximo pueden perder retained stored legacy"""
)


def is_peak(text: str, start: int, end: int) -> bool:
    """Whether the figure is a peak or burst rather than the usual load."""
    if re.compile(r"\bup to (?:about )?\Z", _I).search(text, max(0, start - 13), start):
        return True
    if _OPENS_PEAK.match(text) and not re.search(r"\d|;", text[:start]):
        return True  # "In der Spitze, wenn die Abrechnungen verschickt werden, kommen 1.200 …"
    peak = nearest(_PEAK, text, start, end, 70, own=True)
    normal = nearest(_NORMAL, text, start, end, 70)
    return peak is not None and (normal is None or peak < normal)


def is_current(text: str, position: int, figure: Figure | None, before: bool) -> bool:
    """Whether the words up to ``position`` speak of the existing system.

    The last word before the figure that says "today" or "must" decides; without one the first
    after it in the sentence; without any, the mood that the paragraph had (``before``), which
    holds only for what describes a system and not for demands.
    """
    if figure is not None and figure.unit in ("date", "clock"):
        return False
    marks = _marks(text)
    earlier = [mark for mark in marks if mark[0] <= position]
    if earlier:
        return max(earlier)[1]
    if figure is None:
        return before
    if marks:
        return min(marks)[1]
    describing = figure.measure in (Measure.COMPUTE, Measure.ITEMS, Measure.DATA_VOLUME)
    return before and describing


@lru_cache(maxsize=4096)
def _marks(text: str) -> tuple[tuple[int, bool], ...]:
    """Where a sentence speaks of today (True) and of what shall be (False)."""
    today = [(m.end(), True) for m in _NOW.finditer(text)]
    return (*today, *((m.end(), False) for m in _FUTURE.finditer(text)))


def subject_of(text: str, start: int, end: int | None = None) -> str:
    """What a figure is about, from the words around it; at most six words, or ""."""
    after = _AFTER.match(text, end) if end is not None else None
    if after is not None:
        return _trim(after["what"].split())
    head = text[max(0, start - 140) : start]
    if start > 140:
        head = head.partition(" ")[2]
    head = re.sub(r"\([^()]*\)", " ", head)
    clauses = re.split(
        r"[;:()]|,\s|\bthat\b|\.\s|\bso that\b|\bbecause\b|\bwhere\b|\bif\b|\bwhen\b", head
    )
    for clause in reversed(clauses[-3:]):
        joined = re.split(r"\b(?:and|und|et|y|but|aber)\b", clause)
        for part in (joined[-1], clause):
            found = _clause_subject(part)
            if found:
                return found
    return ""


def _clause_subject(clause: str) -> str:
    verb = _VERB.search(clause)
    if verb is not None:
        clause = clause[: verb.start()]
    clause = re.split(r"(?<![\w.])\d[\d,.]*\b", clause)[0]
    found = _trim(clause.split())
    return found if re.search(r"[^\W\d_]{3,}", found) else ""


def _trim(parts: list[str]) -> str:
    while parts and _bare(parts[0]) in _EDGE:
        parts = parts[1:]
    while parts and _bare(parts[-1]) in _EDGE:
        parts = parts[:-1]
    return " ".join(parts[-6:]).strip(" -–\"'“”").rstrip(".,")


def _bare(word: str) -> str:
    return word.lower().strip(".,'\"()[]“”")
