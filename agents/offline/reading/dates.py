"""Dates, times of day and rhythms in words: what a figure can be without a number and a unit."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from agents.offline.facts import Figure, Measure
from agents.offline.reading.measures import duration
from agents.offline.reading.units import DAY, HOUR, MINUTE, MONTH, WEEK, YEAR, seconds

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb"
    "|mar"
    "|apr|jun|jul|aug|sept?|oct|nov|dec|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember"
    "|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
    "|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_YEAR4 = r"(?:19|20)\d{2}"
_LIMIT = (
    r"(?:by|before|until|till|no later than|not later than|bis|vor|spätestens|avant|d'ici|antes de"
    r"|hasta)"
)
_PART = (
    r"(?:(?:the\s)?(?:end|start|beginning|middle|mid|ende|anfang|mitte|fin|début|finales"
    r"|principios)"
    r"[ -](?:of\s|de\s)?)"
)
_DATE = re.compile(
    rf"\b(?:{_PART})?(?:\d{{1,2}}(?:st|nd|rd|th|\.|er)?\s(?:de\s)?)?(?:{_MONTHS})\.?\s"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s)?(?:de\s)?{_YEAR4}\b"
    rf"|\b{_YEAR4}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}[./]\d{{1,2}}[./]{_YEAR4}\b"
    rf"|\b(?:{_PART})?(?:Q[1-4]|H[12]|T[1-4]|KW\s?\d{{1,2}})[\s/-]*(?:of\s)?{_YEAR4}\b"
    rf"|\b{_PART}{_YEAR4}\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    rf"\b{_LIMIT}\s(?:the\s|le\s|den\s|dem\s|el\s|los\s|las\s|les\s|next\s)?"
    rf"(?P<w>{_YEAR4}\b|(?:{_PART})?(?:\d{{1,2}}(?:st|nd|rd|th|\.)?\s)?(?:{_MONTHS})\b"
    r"(?:\s\d{1,2}(?:st|nd|rd|th)?\b)?|Q[1-4]\b"
    r"|black friday|cyber monday|christmas|easter|thanksgiving|new year|year[- ]end|summer|winter"
    r"|spring|autumn|holiday season|weihnachten|jahresende|ostern|noël|navidad"
    r"|(?:[a-z]+\s){0,2}(?:elections?|season|launch|audit|world cup|olympics|go-live)\b)",
    re.IGNORECASE,
)
_CLOCK = (
    r"\d{1,2}(?::\d{2}(?:\s?[ap]\.m\.|\s?[ap]m\b|\s?Uhr)?|\s?[ap]\.m\.|\s?[ap]m\b|\s?Uhr\b"
    r"|h(?:\d{2})?\b(?=\s?(?:à|et)))"
)
_CLOCKS = re.compile(
    rf"(?<![\w:.])(?:(?:between|from|zwischen|von|entre|de)\s)?{_CLOCK}"
    rf"(?:\s?(?:-|–|to|and|bis|und|à|et|y|a)\s?{_CLOCK})?(?![\d:])",
    re.IGNORECASE,
)
_BARE_HOURS = re.compile(
    r"\b(?:working hours|office hours|business hours|opening hours|between|from|zwischen"
    r"|von)\s(?:are\s)?"
    r"(?P<h>(?:[01]?\d|2[0-4])\s?(?:-|–|to|and|bis|und|till|until)\s?(?:[01]?\d|2[0-4]))"
    r"(?=\s?(?:[.,;)]|$|on\b|every\b|weekdays|uhr\b))",
    re.IGNORECASE,
)
_RHYTHMS: dict[str, float] = {
    r"nightly|every night|each night|once a night|overnight|nächtlich|jede nacht"
    r"|chaque nuit|toutes les nuits|cada noche": DAY,
    r"hourly|every hour|each hour|once an hour|stündlich|jede stunde|toutes les heures|cada hora":
        HOUR,
    r"daily|every day|each day|once a day|täglich|jeden tag|chaque jour|tous les jours"
    r"|quotidien\w*|a diario|diari[oa]s?|cada día": DAY,
    r"weekly|every week|each week|once a week|wöchentlich|jede woche|chaque semaine"
    r"|cada semana": WEEK,
    r"fortnightly|every fortnight|biweekly": 2 * WEEK,
    r"monthly|every month|once a month|monatlich|jeden monat|chaque mois|cada mes": MONTH,
    r"quarterly|once a quarter": YEAR / 4,
    r"yearly|annually|once a year|jährlich": YEAR,
    r"twice a day|twice daily": DAY / 2,
    r"twice a week": WEEK / 2,
    r"twice a month": MONTH / 2,
    r"twice a year": YEAR / 2,
    r"several times a day|many times a day|mehrmals täglich|plusieurs fois par jour"
    r"|varias veces al día": DAY / 4,
}  # fmt: skip
_BREAKS = re.compile(r"\b(?:falls? over|fails?|crash\w*|breaks?|down|hangs?)\b", re.IGNORECASE)
_PRICED = re.compile(
    r"(?:[€$£]\s?[\d.,]+\s?[kKmM]?|[€$£]|EUR|USD|GBP|CHF|euros?"
    r"|dollars?)\s\Z",
    re.IGNORECASE,
)
_NOT_RHYTHM = r"(?!\s(?:active|average|budget|bill|fee|users?|business|spend|costs?))"
_RHYTHM = [
    (re.compile(rf"\b(?:{p})\b{_NOT_RHYTHM}", re.IGNORECASE), value)
    for p, value in _RHYTHMS.items()
]
_NINES = re.compile(r"\b(three|four|five|six)[ -](?:nines|9s|9's)\b", re.IGNORECASE)
_NINES_VALUE = {"three": 99.9, "four": 99.99, "five": 99.999, "six": 99.9999}
_NO_LOSS = re.compile(
    r"\bRPO\s?(?:(?:of|=|:|is|von|de|shall be|must be)\s?)?(?:zero|null|0(?!\d|[.,]\d)(?:\s?(?:s"
    r"|min|seconds)\b)?|cero|zéro)"
    r"|\bzero[- ](?:data[- ]loss|rpo)\b|\b(?:no|without(?: any)?) data[- ]loss\b"
    r"|\bno (?:\w+ ){1,2}"
    r"(?:may|must|can|should|shall)(?: ever)? be lost\b"
    r"|\b(?:must|may|can) not lose (?:any|a single) \w+|\bkein(?:erlei)? datenverlust\b"
    r"|\bsans (?:aucune )?perte de données\b|\bsin pérdida de datos\b",
    re.IGNORECASE,
)
_ZERO_DOWN = re.compile(
    r"\b(?:zero|no)[- ]down[- ]?time\b|\bohne ausfall(?:zeit)?\b|\bsans interruption\b"
    r"|\bsin (?:interrupci[óo]n|tiempo de inactividad)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\bRTO\s?(?:/|and|&|,)\s?RPO\b\D{0,15}?(?P<a>\d+)\s?(?P<u>[a-z]+)\s?(?:/|and|,|&)\s?"
    r"(?P<b>\d+)\s?(?P<v>[a-z]+)", re.IGNORECASE,
)  # fmt: skip
_THE_HOUR = re.compile(
    r"\b(?:within|in under|under|inside|dans|innerhalb)\s(?:the|l['’]|der|same)\s?"
    r"(?P<u>hour|day|minute|week|month|heure|stunde)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|from|of|in|dated|seit|depuis|desde)\s\Z", re.IGNORECASE)

Span = tuple[int, int]


def special(text: str) -> Iterator[tuple[Span, Figure | None]]:
    """Spans that are no plain number with a unit, each with its figure; None only masks."""
    lowered = text.lower()
    digits = any(c.isdigit() for c in text)
    if _hints(lowered, "los rpo perte pérdida verlust"):
        for match in _NO_LOSS.finditer(text):
            figure = _figure(match, Measure.RPO, 0.0, "s")
            code = re.match(r"RPO\W*(?:(?:of|is|von|de|shall be|must be)\s)?", match.group(), re.I)
            if code is not None and code.end() < len(match.group()):
                # the code is the measure's name: "RPO" before "RPO zero" would say it twice
                figure = figure.model_copy(update={"text": match.group()[code.end() :]})
            yield match.span(), figure
    if _hints(lowered, "down ausfall interru inactiv"):
        for match in _ZERO_DOWN.finditer(text):
            yield match.span(), _figure(match, Measure.OTHER, 0.0, "s", "downtime")
    if _hints(lowered, "nines 9s 9's"):
        for match in _NINES.finditer(text):
            value = _NINES_VALUE[match.group(1).lower()]
            yield match.span(), _figure(match, Measure.AVAILABILITY, value, "%")
    if digits and "rto" in lowered:
        yield from _pairs(text)
    yield from _dates(text, digits)
    if _hints(lowered, "within under inside dans innerhalb"):
        for match in _THE_HOUR.finditer(text):
            value = seconds(match["u"])
            measure = duration(text, match.start("u"), match.end(), value)
            yield match.span(), _figure(match, measure, value, "s")
    if digits:
        for pattern, group in ((_CLOCKS, 0), (_BARE_HOURS, "h")):
            for match in pattern.finditer(text):
                found = _figure(match, Measure.OTHER, None, "clock", "time of day")
                yield match.span(group), found.model_copy(update={"text": match.group(group)})
    if _hints(
        lowered,
        "ly every each once twice times overnight jede lich chaque tou fois cada diari veces",
    ):
        yield from _rhythms(text)


def _hints(lowered: str, words: str) -> bool:
    """Whether any of these stems stands in the text; spares most sentences a long pattern."""
    return any(word in lowered for word in words.split())


def _figure(
    match: re.Match[str], measure: Measure, value: float | None, unit: str, subject: str = ""
) -> Figure:
    return Figure(
        text=match.group(), measure=measure, value=value, unit=unit, subject=subject,
        sentence=match.string,
    )  # fmt: skip


def _rhythms(text: str) -> Iterator[tuple[Span, Figure | None]]:
    for regex, period in _RHYTHM:
        for match in regex.finditer(text):
            if _PRICED.search(text, max(0, match.start() - 16), match.start()):
                continue  # "18 T€ monatlich"
            broken = _BREAKS.search(text, max(0, match.start() - 30), match.start())
            measure = Measure.OTHER if broken else Measure.FREQUENCY
            yield match.span(), _figure(match, measure, period, "s")


def _pairs(text: str) -> Iterator[tuple[Span, Figure | None]]:
    """Of the kind “RTO/RPO: 4h/15min”."""
    for match in _BOTH.finditer(text):
        for measure, number, unit in ((Measure.RTO, "a", "u"), (Measure.RPO, "b", "v")):
            with contextlib.suppress(KeyError):
                span = (match.start(number), match.end(unit))
                length = MINUTE if match[unit] == "m" else seconds(match[unit])
                yield span, Figure(
                    text=text[slice(*span)], measure=measure, value=float(match[number]) * length,
                    unit="s", subject=measure.value.upper(), sentence=text,
                )  # fmt: skip


def _dates(text: str, digits: bool) -> Iterator[tuple[Span, Figure | None]]:
    for match in _DATE.finditer(text) if digits else ():
        past = _SINCE.search(text, 0, match.start()) and not match.group().lower().startswith("q")
        measure = _deadline(text, match.start(), bool(past))
        yield match.span(), _figure(match, measure, None, "date")
    for match in _LIMITED.finditer(text):
        lasting = re.match(
            r"(?:until|till|hasta"
            r"|bis)\b",
            match.group(),
            re.IGNORECASE,
        ) or re.search(r"\bfull\s\Z", text[: match.start()], re.IGNORECASE)
        yield (
            match.span(),
            _figure(match, Measure.OTHER if lasting else Measure.DEADLINE, None, "date"),
        )


def _deadline(text: str, start: int, past: bool) -> Measure:
    """A date is a deadline unless it lies behind ("since March 2019")."""
    head = text[max(0, start - 12) : start].lower()
    if past and ("since" in head or "seit" in head or "depuis" in head or "desde" in head):
        return Measure.OTHER
    return Measure.DEADLINE
