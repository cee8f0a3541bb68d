"""Where it shall run: places in the request, turned into the provider's region ids.

A region that must hold data ("must stay in Germany") outranks one that serves people ("measured in
Toronto"), which outranks one that is merely mentioned; where the existing system stands counts
least. A place without a region of its own gets the nearest one that the law of the request allows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.offline.reading.gazetteer import AMBIGUOUS, AREAS, COUNTRIES, NAMES, PLACES, Place
from agents.offline.reading.negation import negated
from agents.offline.reading.text import Phrases, Sentence, at_words, unique

_I = re.IGNORECASE


class RegionLike(Protocol):
    """What is needed of a bundle's region."""

    @property
    def id(self) -> str:
        """The provider's id of the region."""

    @property
    def city(self) -> str:
        """Where it stands."""

    @property
    def country(self) -> str:
        """English name of the country."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that stand for it."""

    @property
    def low_carbon(self) -> bool:
        """The provider's own label."""


_RESIDENCY = re.compile(
    r"\b(?:stays?|remain\w*|reside\w*|residency|(?:be |is )?(?:kept|stored|held|processed|hosted)"
    r"|must be|never leaves?|(?:not|may|shall|must|never|no) (?:\w+ ){0,2}leave|leav(?:e|es|ing)"
    r"|everything in|all (?:data )?in|only in|within|inside"
    r"|bleib\w*|verbleib\w*|verlass\w*|gespeichert|liegen|ausschließlich"
    r"|rest\w+|quitter|hébergé\w*|stockée?s?|permane\w+|salir|alojad\w+|almacen\w+)\b", _I,
)  # fmt: skip
_DATA = re.compile(
    r"\b(?:data|everything|it|personal|records?|nothing|daten|alles|données|datos|hosting|hosted)\b",
    _I,
)
_PRIMARY = re.compile(
    r"main (?:location|site|region)|primary|\bregions?\b|preferr\w+|prefer\b|hosted in|\bhost\b|location"
    r"|standort|hauptstandort|région|región|close to|near\b|deploy\w* (?:in|to)|run (?:it )?in", _I,
)  # fmt: skip
_SERVE = re.compile(
    r"measured|latenc\w+|\busers?\b|customers?|handlers?|stores?|serve\w*|operat\w+|branches|offices in"
    r"|nutzer|kunden|utilisateurs|clients|usuarios|clientes|employees|analysts|visitors|players", _I,
)  # fmt: skip
_EXISTING = re.compile(
    r"data ?cent(?:re|er)|on[- ]prem\w*|server (?:in|room)|\boffice\b|\brack|colo\b|rechenzentrum|centre de"
    r"|centro de datos|headquarter\w*|\bhq\b|runs today|currently|today|heroku|\baws\b|azure", _I,
)  # fmt: skip
_PARTIAL = re.compile(r"\b(?:whose|some of|of them|tenants are|customers are|only for)\b", _I)
_LOSS = at_words(
    r"region (?:fails|outage|loss|is lost|goes down|failure)|los(?:s|e|es|ing) (?:of )?(?:a|an|one|the) (?:\w+ )?"
    r"(?:region|site|location|data ?cent)|location burns|burns down|entire region|whole region"
    r"|data ?cent(?:re|er) (?:burns|fails|is lost|outage|loss)|multi-?region\w*|disaster recovery"
    r"|second (?:site|region|location)|two regions|geo-?redundan\w+|region is (?:down|lost|unavailable)"
    r"|zweite[nr]? standort|standort ausf\w+|ausfall (?:einer|der) (?:ganzen )?region|region ausf\w+"
    r"|perte d['’]une région|panne d['’]une région|cae una región|pérdida de una región|plan de reprise"
)  # fmt: skip

_PHRASES: Phrases[Place | str] = Phrases(NAMES)


_LISTED = re.compile(r"\b(?:or|and|in|the|elsewhere|at least|und|oder|et|ou|o|y|en|der)\b", _I)


@dataclass(frozen=True, slots=True)
class Locations:
    """What the request says of places.

    ``ids`` are region ids, primary first; ``as_written`` the clauses they come from; ``assumed``
    is True when no word of the request led to them. ``allowed`` are the countries that data may
    stay in (empty: anywhere) and ``excluded`` the chosen places that this rules out.
    """

    ids: tuple[str, ...]
    as_written: tuple[str, ...] = ()
    assumed: bool = False
    allowed: frozenset[str] = frozenset()
    residency: str = ""
    excluded: tuple[str, ...] = ()
    region_loss: str = ""
    added: str = ""


@dataclass(frozen=True, slots=True)
class _Mention:
    place: Place | str
    weight: int
    clause: str
    residency: bool
    partial: bool
    alternative: bool


def locate(
    sentences: Sequence[Sentence], regions: Sequence[RegionLike], language: str, currency: str
) -> Locations:
    """Choose the regions of a request from its words; ``regions`` are in the bundle's order."""
    mentions = _distinct([m for s in sentences for m in _mentions(s.text)])
    loss = region_loss(sentences)
    allowed, residency = _allowed(mentions)
    named = _ids(sentences, regions)
    chosen = [r for r, _ in named if not allowed or r.country in allowed]
    written = [clause for _, clause in named]
    excluded = [clause for r, clause in named if allowed and r.country not in allowed]
    strong = [m for m in mentions if m.weight >= 3]
    considered = list(strong)
    if all(isinstance(m.place, str) for m in strong):
        weak = [m for m in mentions if m.weight < 3 and not isinstance(m.place, str)]
        considered += sorted(weak, key=lambda m: -m.weight)[:1]
    for mention in sorted(considered, key=lambda m: -m.weight):
        if mention.residency or mention.weight >= 3 or not strong:
            written.append(mention.clause)
        if mention.alternative and chosen:
            continue
        region = _region_for(mention, regions, allowed, mentions)
        if region is None:
            continue
        if allowed and region.country not in allowed and not mention.partial:
            excluded.append(mention.clause)
            continue
        chosen.append(region)
    assumed = not chosen
    if not chosen and regions:
        chosen = [_default(regions, allowed, mentions, language, currency)]
        assumed = not (allowed or mentions)
    ids = list(unique(r.id for r in chosen))[:3]
    added = _second(ids, regions, allowed, mentions, loss)
    return Locations(
        ids=(*ids, added) if added else tuple(ids),
        as_written=unique(written + ([residency] if residency else [])),
        assumed=assumed,
        allowed=allowed,
        residency=residency,
        excluded=unique(excluded),
        region_loss=loss,
        added=added,
    )


_INSTEAD = re.compile(
    r"(?P<new>[\w. -]+?) (?:instead of|rather than|in place of|statt|anstelle von|au lieu de|en lugar de) (?P<old>[\w. -]+)",
    _I,
)
_NO_LONGER = re.compile(
    r"\b(?:drop|remove|without|exclude|leave out|no longer|forget|not in|nicht in|sans|quita\w*)\s(?:the |in )?\Z",
    _I,
)


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


def region_loss(sentences: Sequence[Sentence]) -> str:
    """The sentence that asks to survive the loss of a whole region, or ""."""
    for sentence in sentences:
        for match in _LOSS.finditer(sentence.text):
            if not negated(sentence.text, *match.span()):
                return sentence.text
    return ""


def _distinct(mentions: Sequence[_Mention]) -> list[_Mention]:
    """Each place once for each way in which it is spoken of."""
    seen: dict[tuple[object, ...], _Mention] = {}
    for m in mentions:
        seen.setdefault((m.place, m.weight, m.residency, m.partial, m.alternative), m)
    return list(seen.values())


def _ids(
    sentences: Sequence[Sentence], regions: Sequence[RegionLike]
) -> list[tuple[RegionLike, str]]:
    known = {r.id: r for r in regions}
    found: list[tuple[RegionLike, str]] = []
    for sentence in sentences:
        for match in re.finditer(r"\b[a-z]+(?:-[a-z]+)*-[a-z]+\d+\b", sentence.text):
            region = known.get(match.group())
            if region and not negated(sentence.text, *match.span()):
                found.append((region, _clause(sentence.text, *match.span())))
    return found


def _mentions(text: str) -> list[_Mention]:
    found: list[_Mention] = []
    hits = [(p, a, b) for p, a, b in _PHRASES.find(text) if _is_name(text[a:b], p)]
    last = -100
    for place, start, end in hits:
        clause = _clause(text, start, end)
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
            weight = 3 if re.search("measured|latenc", around, _I) else 2
        if not residency and _EXISTING.search(text[max(0, start - 70) : end + 12]):
            weight = 0
        joined = re.search(r"\b(?:or|oder|ou|o|alternatively)\s(?:in\s|the\s|elsewhere in the\s)*\Z",
                           text[last:start] if last >= 0 else "", _I)  # fmt: skip
        partial = _PARTIAL.search(text[:start]) is not None
        found.append(_Mention(place, weight, clause, residency, partial, joined is not None))
        last = end
    return found


def _is_name(written: str, place: Place | str) -> bool:
    """Whether a match is the name: capitals, or a long name that is no ordinary word."""
    lower = written.lower()
    if lower in AMBIGUOUS or len(written) <= 4:
        return written in NAMES
    return written[0].isupper() or (len(written) >= 6 and place is not None)


def _is_residency(text: str, start: int, end: int) -> bool:
    head = text[max(0, start - 90) : start]
    match = None
    for match in _RESIDENCY.finditer(head):
        pass
    if match is None or not _DATA.search(text[max(0, start - 160) : end]):
        return False
    between = head[match.end() :]
    return len(between) < 45 and not re.search(r"\.\s|;", between)


def _clause(text: str, start: int, end: int) -> str:
    """The clause around a place, as written."""
    marks = r"[;:.!?](?=\s|$)|,\s(?=(?:so|and|but|because|und|aber|et|y)\b)"
    left = [m.end() for m in re.finditer(marks, text[:start])]
    right = re.search(marks, text[end:])
    part = text[left[-1] if left else 0 : end + right.start() if right else len(text)]
    part = re.sub(r"^\s*(?:and|but|so|because|und|aber)\b,?\s*", "", part, flags=_I)
    return part.strip(" ,") if len(part) < 160 else text[max(0, start - 60) : end].strip(" ,")


def _allowed(mentions: Sequence[_Mention]) -> tuple[frozenset[str], str]:
    """Countries that data may stay in, and the clause that says so."""
    allowed: frozenset[str] = frozenset()
    clause = ""
    for mention in mentions:
        if mention.residency and not mention.partial:
            allowed |= _countries(mention.place)
            clause = clause or mention.clause
    return allowed, clause


def _countries(place: Place | str) -> frozenset[str]:
    return AREAS[place] if isinstance(place, str) else frozenset({place.country})


def _region_for(
    mention: _Mention,
    regions: Sequence[RegionLike],
    allowed: frozenset[str],
    mentions: Sequence[_Mention],
) -> RegionLike | None:
    place = mention.place
    if isinstance(place, str):
        return None
    if place.city:
        for region in regions:
            if place.name == region.city or place.name in region.aliases:
                return region
        own = PLACES.get(place.name)
        for region in regions:
            if own is not None and PLACES.get(region.city) == own:
                return region
    inside = [r for r in regions if r.country == place.country]
    cities = [m.place for m in mentions if isinstance(m.place, Place) and m.place.city]
    here = [c for c in cities if c.country == place.country and c.name != place.name]
    if inside and not place.city:
        return _nearest(here[0], inside) if here else inside[0]
    if inside:
        return _nearest(place, inside)
    legal = [r for r in regions if r.country in allowed] if allowed else list(regions)
    return _nearest(place, legal) if legal else None


def _nearest(place: Place, regions: Sequence[RegionLike]) -> RegionLike:
    """The first listed of those that are about as near as the nearest."""
    distances = [_distance(place, region) for region in regions]
    limit = min(distances) * 1.3 + 50
    return next(r for r, d in zip(regions, distances, strict=True) if d <= limit)


def _distance(place: Place, region: RegionLike) -> float:
    """Kilometres on the great circle."""
    other = PLACES.get(region.city) or COUNTRIES.get(region.country)
    if other is None:
        return 20_000.0
    one, two = math.radians(place.latitude), math.radians(other.latitude)
    turn = math.radians(other.longitude - place.longitude)
    cosine = math.sin(one) * math.sin(two) + math.cos(one) * math.cos(two) * math.cos(turn)
    return 6371.0 * math.acos(max(-1.0, min(1.0, cosine)))


_HOMES = {"de": "Germany", "fr": "France", "es": "Spain", "it": "Italy", "nl": "Netherlands"}
_CURRENCIES = {
    "GBP": "United Kingdom", "CHF": "Switzerland", "INR": "India", "CAD": "Canada", "PLN": "Poland",
    "AUD": "Australia", "JPY": "Japan", "BRL": "Brazil", "SEK": "Sweden", "SGD": "Singapore",
}  # fmt: skip


def _default(
    regions: Sequence[RegionLike],
    allowed: frozenset[str],
    mentions: Sequence[_Mention],
    language: str,
    currency: str,
) -> RegionLike:
    """A region where the request names none: by law, then language and currency, low carbon first."""
    legal = [r for r in regions if r.country in allowed] or list(regions)
    for mention in mentions:
        if isinstance(mention.place, str):
            inside = [r for r in legal if r.country in AREAS[mention.place]]
            legal = inside or legal
    home = _HOMES.get(language) or _CURRENCIES.get(currency)
    for region in legal:
        if region.country == home:
            return region
    if currency == "EUR" and not allowed:
        legal = [r for r in legal if r.country in AREAS["EU"]] or legal
    if currency in ("", "USD") and not allowed and not mentions:
        legal = [r for r in legal if r.country == "United States"] or legal
    return next((r for r in legal if r.low_carbon), legal[0])


def _second(
    ids: Sequence[str],
    regions: Sequence[RegionLike],
    allowed: frozenset[str],
    mentions: Sequence[_Mention],
    loss: str,
) -> str:
    """A further region where the loss of one must be survived and the words name only one."""
    if not loss or not ids:
        return ""
    partial: frozenset[str] = frozenset()
    for mention in mentions:
        if mention.residency and mention.partial:
            partial |= _countries(mention.place)
    by_id = {r.id: r for r in regions}
    law = allowed or partial
    held = [i for i in ids if i in by_id and (not law or by_id[i].country in law)]
    if len(held) >= 2 or (not law and len(ids) >= 2):
        return ""
    first = by_id.get(held[0] if held else ids[0])
    if first is None:
        return ""
    same = [r for r in regions if r.country == first.country and r.id not in ids]
    legal = [r for r in regions if r.id not in ids and (not law or r.country in law)]
    continent = getattr(first, "continent", None)
    near = [r for r in legal if getattr(r, "continent", None) == continent]
    options = (same if not law or first.country in law else []) or near
    origin = PLACES.get(first.city) or COUNTRIES.get(first.country)
    return _nearest(origin, options).id if options and origin else ""
