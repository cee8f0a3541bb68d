"""Places as a text names them: how strongly, whether data must stay there, what is taken back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.offline.reading.gazetteer import AMBIGUOUS, NAMES, Place
from agents.offline.reading.negation import negated
from agents.offline.reading.text import Phrases

_I = re.IGNORECASE
_RESIDENCY = re.compile(
    r"\b(?:stays?|remain\w*|reside\w*|residency|(?:be |is )?(?:kept|stored|held|processed|hosted)"
    r"|must be|never leaves?|(?:not|may|shall|must|never|no) (?:\w+ ){0,2}leave|leav(?:e|es|ing)"
    r"|everything in|all (?:data )?in|only in|within|inside"
    r"|bleib\w*|verbleib\w*|verlass\w*|gespeichert|liegen|ausschließlich"
    r"|rest\w+|quitter|hébergé\w*|stockée?s?|permane\w+|salir|alojad\w+|almacen\w+)\b", _I,
)  # fmt: skip
_DATA = re.compile(
    r"\b(?:data|everything|it|personal|records?|nothing|daten|alles|données|datos|hosting"
    r"|hosted)\b",
    _I,
)
_PRIMARY = re.compile(
    r"main (?:location|site|region)|primary|\bregions?\b|preferr\w+|prefer\b|hosted in|\bhost\b"
    r"|location"
    r"|standort|hauptstandort|région|región|close to|near\b|deploy\w* (?:in|to)|run (?:it )?in", _I,
)  # fmt: skip
_SERVE = re.compile(
    r"measured|latenc\w+|\busers?\b|customers?|handlers?|stores?|serve\w*|operat\w+|branches"
    r"|offices in"
    r"|nutzer|kunden|utilisateurs|clients|usuarios|clientes|employees|analysts|visitors"
    r"|players", _I,
)  # fmt: skip
_EXISTING = re.compile(
    r"data ?cent(?:re|er)|on[- ]prem\w*|server (?:in|room)|\boffice\b|\brack|colo\b"
    r"|rechenzentrum|centre de"
    r"|centro de datos|headquarter\w*|\bhq\b|runs today|currently|today|heroku|\baws\b|azure", _I,
)  # fmt: skip
_PARTIAL = re.compile(r"\b(?:whose|some of|of them|tenants are|customers are|only for)\b", _I)
_PHRASES: Phrases[Place | str] = Phrases(NAMES)
_LISTED = re.compile(r"\b(?:or|and|in|the|elsewhere|at least|und|oder|et|ou|o|y|en|der)\b", _I)
_INSTEAD = re.compile(
    r"(?P<new>[\w. -]+?) (?:instead of|rather than|in place of|statt|anstelle von|au lieu de"
    r"|en lugar de) (?P<old>[\w. -]+)",
    _I,
)
_NO_LONGER = re.compile(
    r"\b(?:drop|remove|without|exclude|leave out|no longer|forget|not in|nicht in|sans"
    r"|quita\w*)\s(?:the |in )?\Z",
    _I,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a sentence, with its clause.

    ``weight``: 5 data must stay there, 4 the main location, 3 measured there, 2 people there, 1
    mentioned, 0 the existing system. ``partial``: only for some; ``alternative``: after "or".
    """

    place: Place | str
    weight: int
    clause: str
    residency: bool
    partial: bool
    alternative: bool


def instead(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs of places (new, old) of "Berlin instead of Frankfurt", as written."""
    found = []
    for match in _INSTEAD.finditer(text):
        new = [
            text[a:b]
            for p, a, b in _PHRASES.find(text)
            if match.start("new") <= a < match.end("new")
        ]
        old = [
            text[a:b]
            for p, a, b in _PHRASES.find(text)
            if match.start("old") <= a < match.end("old")
        ]
        if new and old:
            found.append((new[-1], old[0]))
    return tuple(found)


def ruled_out(text: str) -> tuple[str, ...]:
    """Places that a text takes back, as written ("Germany is not required any more")."""
    pairs = {old for _, old in instead(text)}
    return tuple(
        text[start:end]
        for place, start, end in _PHRASES.find(text)
        if _is_name(text[start:end], place)
        and text[start:end] not in pairs
        and not _is_residency(text, start, end)
        and (negated(text, start, end) or _NO_LONGER.search(text, max(0, start - 24), start))
    )


def inside(text: str, country: str) -> tuple[str, ...]:
    """Cities of a country that a text names, as written; ``country`` is any of its spellings."""
    whole = NAMES.get(country)
    if not isinstance(whole, Place) or whole.city:
        return ()
    return tuple(
        text[start:end]
        for place, start, end in _PHRASES.find(text)
        if isinstance(place, Place) and place.city and place.country == whole.country
    )


def distinct(mentions: Sequence[Mention]) -> list[Mention]:
    """Each place once for each way in which it is spoken of."""
    seen: dict[tuple[object, ...], Mention] = {}
    for m in mentions:
        seen.setdefault((m.place, m.weight, m.residency, m.partial, m.alternative), m)
    return list(seen.values())


def mentions_in(text: str) -> list[Mention]:
    """Places that a sentence names and does not deny, in order."""
    found: list[Mention] = []
    hits = [(p, a, b) for p, a, b in _PHRASES.find(text) if _is_name(text[a:b], p)]
    last = -100
    for place, start, end in hits:
        clause = clause_around(text, start, end)
        around = text[max(0, start - 70) : end + 40]
        listed = found and not _LISTED.sub("", text[last:start]).strip(" ,")
        residency = _is_residency(text, start, end) or bool(listed and found[-1].residency)
        dropped = _NO_LONGER.search(text, max(0, start - 24), start)
        if (negated(text, start, end) or dropped) and not residency:
            continue
        weight = 1
        if residency:
            weight = 5
        elif _PRIMARY.search(around):
            weight = 4
        elif _SERVE.search(around):
            weight = 3 if re.search("measured|latenc|\\d ?ms\\b", around, _I) else 2
        if not residency and _EXISTING.search(text[max(0, start - 70) : end + 12]):
            weight = 0
        joined = re.search(r"\b(?:or|oder|ou|o|alternatively)\s(?:in\s|the\s"
                r"|elsewhere in the\s)*\Z",
                           text[last:start] if last >= 0 else "", _I)  # fmt: skip
        partial = _PARTIAL.search(text[:start]) is not None
        found.append(Mention(place, weight, clause, residency, partial, joined is not None))
        last = end
    return found


def _is_name(written: str, place: Place | str) -> bool:
    """Whether a match is the name: capitals, or a long name that is no ordinary word."""
    lower = written.lower()
    if lower in AMBIGUOUS or len(written) <= 4:
        return written in NAMES
    return written[0].isupper() or (len(written) >= 6 and place is not None)


def _is_residency(text: str, start: int, end: int) -> bool:
    if re.match(r"\s(?:data |region )?only\b", text[end:], _I):
        return True
    head = text[max(0, start - 90) : start]
    match = next(reversed(list(_RESIDENCY.finditer(head))), None)
    if match is None or not _DATA.search(text[max(0, start - 160) : end]):
        return False
    between = head[match.end() :]
    return len(between) < 45 and not re.search(r"\.\s|;", between)


def clause_around(text: str, start: int, end: int) -> str:
    """The clause around a place, as written."""
    marks = r"[;:.!?](?=\s|$)|,\s(?=(?:so|and|but|because|und|aber|et|y)\b)"
    left = [m.end() for m in re.finditer(marks, text[:start])]
    right = re.search(marks, text[end:])
    part = text[left[-1] if left else 0 : end + right.start() if right else len(text)]
    part = re.sub(r"^\s*(?:and|but|so|because|und|aber)\b,?\s*", "", part, flags=_I)
    return part.strip(" ,") if len(part) < 160 else text[max(0, start - 60) : end].strip(" ,")
