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

from agents.offline.reading.gazetteer import AREAS, COUNTRIES, PLACES, Place
from agents.offline.reading.negation import negated
from agents.offline.reading.place_mentions import Mention, clause_around, distinct, mentions_in
from agents.offline.reading.text import Sentence, at_words, unique

_LOSS = at_words(
    r"region (?:fails|outage|loss|is lost|goes down|failure)|los(?:s|e|es|ing) (?:of )?(?:a|an"
    r"|one|the) (?:\w+ )?"
    r"(?:region|site|location|data ?cent)|location burns|burns down|entire region|whole region"
    r"|data ?cent(?:re|er) (?:burns|fails|is lost|outage|loss)|multi-?region\w*|disaster recovery"
    r"|second (?:site|region|location)|two regions|geo-?redundan\w+|region is (?:down|lost"
    r"|unavailable)"
    r"|zweite[nr]? standort|standort ausf\w+|ausfall (?:einer|der) (?:ganzen )?region"
    r"|region ausf\w+"
    r"|perte d['’]une région|panne d['’]une région|cae una región|pérdida de una región"
    r"|plan de reprise"
)  # fmt: skip


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


def locate(
    sentences: Sequence[Sentence], regions: Sequence[RegionLike], language: str, currency: str
) -> Locations:
    """Choose the regions of a request from its words; ``regions`` are in the bundle's order."""
    mentions = distinct([m for s in sentences for m in mentions_in(s.text)])
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
    for mention in mentions:
        # "viewers in Europe and Brazil": the area beside a chosen place is served as well
        area = mention.place
        beside = any(m is not mention and m.clause == mention.clause for m in considered)
        if not isinstance(area, str) or mention.residency or allowed or not (chosen and beside):
            continue
        if not any(r.country in AREAS[area] for r in chosen):
            inside = [r for r in regions if r.country in AREAS[area]]
            found = next((r for r in inside if r.low_carbon), next(iter(inside), None))
            chosen += [found] if found else []
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


def region_loss(sentences: Sequence[Sentence]) -> str:
    """The sentence that asks to survive the loss of a whole region, or ""."""
    for sentence in sentences:
        for match in _LOSS.finditer(sentence.text):
            if not negated(sentence.text, *match.span()):
                return sentence.text
    return ""


def _ids(
    sentences: Sequence[Sentence], regions: Sequence[RegionLike]
) -> list[tuple[RegionLike, str]]:
    known = {r.id: r for r in regions}
    found: list[tuple[RegionLike, str]] = []
    for sentence in sentences:
        for match in re.finditer(r"\b[a-z]+(?:-[a-z]+)*-[a-z]+\d+\b", sentence.text):
            region = known.get(match.group())
            if region and not negated(sentence.text, *match.span()):
                found.append((region, clause_around(sentence.text, *match.span())))
    return found


def _allowed(mentions: Sequence[Mention]) -> tuple[frozenset[str], str]:
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
    mention: Mention,
    regions: Sequence[RegionLike],
    allowed: frozenset[str],
    mentions: Sequence[Mention],
) -> RegionLike | None:
    place = mention.place
    if isinstance(place, str):
        inside = [r for r in regions if r.country in AREAS[place]]
        measured = mention.weight == 3 and not mention.residency
        return next((r for r in inside if r.low_carbon), None) if measured else None
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
    mentions: Sequence[Mention],
    language: str,
    currency: str,
) -> RegionLike:
    """A region where none is named: by law, then language and currency, low carbon first."""
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
    mentions: Sequence[Mention],
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
