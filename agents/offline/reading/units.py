"""Units: closed vocabularies in English, German, French and Spanish, and what follows a number.

``tail`` reads the unit after a number and says what kind of quantity that makes. It knows nothing
of the sentence around; what a duration or a percentage *means* is decided in ``measures``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from agents.offline.reading.nouns import Noun, noun_phrase

MINUTE, HOUR, DAY, WEEK = 60.0, 3600.0, 86_400.0, 604_800.0
YEAR = 365 * DAY
MONTH = YEAR / 12

_TIMES: dict[float, str] = {
    1e-6: "µs microseconds? mikrosekunden?",
    1e-3: "ms msec milliseconds? millisec millisekunden? millisecondes? milisegundos?",
    1.0: "s secs? seconds? second's sekunden? sek secondes? segundos?",
    MINUTE: "min mins minutes? minute's minuten minutos?",
    HOUR: "h hrs? hours? hour's stunden? std heures? horas?",
    DAY: "d days? day's tage?n? nights? night's nächten? nacht jours? días? dias? noches? nuits?",
    WEEK: "wks? weeks? week's wochen? semaines? semanas?",
    2 * WEEK: "fortnights?",
    MONTH: "mo mth months? month's monate?n? mois mes meses",
    3 * MONTH: "quarters? quartale? trimestres? trimestre",
    YEAR: "y yrs? years? year's jahre?n? an ans années? años?",
}
_TIME_WORDS: list[tuple[re.Pattern[str], float]] = [
    (re.compile(rf"(?:{'|'.join(words.split())})\Z", re.IGNORECASE), factor)
    for factor, words in _TIMES.items()
]
TIME = "|".join(word for words in _TIMES.values() for word in words.split())
_QUALIFIED = r"(?:(?:business|working|calendar|full|more|whole|volle[rn]?)[ -])?"
_SPACE = r"[ \u00a0\u202f-]?"
_TIME_TAIL = re.compile(rf"{_SPACE}{_QUALIFIED}(?P<u>{TIME})(?![\w/])", re.IGNORECASE)
_MONTH_CODE = re.compile(r"[ \u00a0]?m(?![\w/])")

PER = (
    r"(?:\s?/\s?|\s(?:per|a|an|each|every|in a|in one|pro|je|par|por|al|am|im|à la|au|p\.|/)\s"
    r"|\s(?=daily|monthly|yearly|hourly|annually|pa\b|p\.a\.))"
)
_RATE = re.compile(
    rf"(?P<words>(?:\s(?!per\b|a\b|an\b|and\b|or\b|in\b|on\b|und\b|et\b|y\b)[^\W\d_]+){{0,2}})"
    rf"(?:{PER}(?:single |working |business |calendar |full )?(?P<u>{TIME})\b)(?!['’])",
    re.IGNORECASE,
)
_YEARLY = re.compile(
    r"\s?(?:(?:per|a|/|each|every|pro|im|par|por|al)\s?(?:year|yr|annum|jahr|an|año|month|monat"
    r"|mois|mes|week|quarter)|p\.\s?a\.?"
    r"|yearly"
    r"|annually|year[- ]on[- ]year|yoy|jährlich)(?!\w)",
    re.IGNORECASE,
)

_BYTES = re.compile(
    rf"{_SPACE}(?:(?P<p>[kKMGTPEmgtp])(?P<i>i?)(?P<b>[Bb])(?:ytes?)?(?![a-z])"
    r"|(?P<w>kilo|mega|giga|tera|peta|exa)(?:bytes?|oct[ée]ts?)\b|(?P<f>[KMGTP])o\b"
    r"|(?P<plain>bytes?|octets?)\b|B(?![\w]))",
)
_BITS = re.compile(
    rf"{_SPACE}(?P<p>[kKMGT])(?:bps|bit(?:s)?(?:/s|ps| per second)|b/s|bit pro sekunde)(?!\w)"
)
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}
_MEMORY = re.compile(
    r"\s?(?:of\s)?(?:RAM|memory|vRAM|Arbeitsspeicher|(?:de\s)?mémoire|(?:de\s)?memoria)\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"(?:\s(?:each|apiece|a piece|on average each|pro Stück|chacun|cada un[oa])\b"
    r"|\s?(?:/|per|a|pro|par|por)\s?(?:message|event|record|file|photo|image|picture|video|document"
    r"|object|request|page|reading|item|upload|row|datei|nachricht|dokument|fichier|archivo)\w*)",
    re.IGNORECASE,
)

_SYMBOLS = {
    "€": "EUR", "$": "USD", "US$": "USD", "C$": "CAD", "A$": "AUD", "£": "GBP", "₹": "INR",
    "¥": "JPY", "RS": "INR", "EURO": "EUR", "EUROS": "EUR", "DOLLAR": "USD", "DOLLARS": "USD",
    "POUND": "GBP", "POUNDS": "GBP", "FRANKEN": "CHF", "FRANCS": "CHF", "RUPEES": "INR",
    "DÓLARES": "USD", "BUCKS": "USD",
}  # fmt: skip
_CODES = "EUR|USD|GBP|CHF|INR|CAD|AUD|SEK|NOK|DKK|PLN|JPY|SGD|BRL"
CURRENCIES = frozenset(_CODES.split("|"))
"""Codes of currencies that figures may have as their unit."""
_BEFORE = re.compile(rf"(?:US\$|C\$|A\$|[$€£₹¥]|\b(?:{_CODES})|\bRs\.?)[ \u00a0]?\Z", re.IGNORECASE)
_AFTER = re.compile(
    rf"{_SPACE}(?P<k>[kKMT](?=[€$£]|{_CODES})|Mio\.?\s)?"
    rf"(?P<c>US\$|C\$|[€$£₹¥]|(?:{_CODES})\b|euros?\b|dollars?\b|pounds?\b|franken\b|francs\b"
    r"|rupees\b|dólares\b|bucks\b)",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"(?:\s(?:in total|all in))?(?:\s?/\s?|\s(?:per|a|an|each|every|pro|par|por|im|al|je)\s)"
    rf"(?P<thing>[^\W\d_]+(?:\s(?:and|per|a|und|et|y)\s|\s?/\s?))?(?P<u>{TIME}|annum)(?!\w)"
    r"|\s?(?P<adverb>monthly|pcm|p\.\s?m\.|annually|yearly|p\.\s?a\.?|monatlich|jährlich|mensuels?"
    r"|mensuales|al mes|anuales|annuels?)(?!\w)",
    re.IGNORECASE,
)
_PER_THING = re.compile(r"\s(?:per|pro|par|por|a|for each|for every)\s(?P<thing>[^\W\d_]+)")

_PERCENT = re.compile(r"[ \u00a0\u202f]?(?:%|percent\b|per cent\b|prozent\b|pour cent\b"
                r"|por ciento\b)",
                      re.IGNORECASE)  # fmt: skip
_LESS = re.compile(
    r"\s(?:less|cheaper|lower|more|weniger|günstiger|billiger|mehr|moins|menos|de moins|más)\b",
    re.IGNORECASE,
)
_FACTOR = re.compile(r"[ ]?(?:x|×)(?![\w])|[- ]?fold\b|-?fach\w*", re.IGNORECASE)
_TIMES_A = re.compile(
    rf"\s(?:times|mal|fois|veces)\s?(?:{PER})?\s?(?P<u>{TIME})\b|x\s?(?:per|a|/)\s?(?P<v>{TIME})\b",
    re.IGNORECASE,
)
_PHYSICAL = re.compile(
    r"[ \u00a0-]?(?:°\s?[CF]\b|°|degrees\b|grad\b|k[mgW]\b|kilometres?\b|kilometers?\b|miles\b"
    r"|metres\b"
    r"|kWh?\b|MWh?\b|[GMk]?Hz\b|fps\b|px\b|dpi\b|bar\b|[mc]m\b|kg\b|tonnes\b|litres\b|m²|ha\b)"
)
_PER_SECOND = re.compile(
    r"[ \u00a0]?(?P<u>rps|qps|tps|r/s|req(?:uests?|s)?/s(?:ec)?|queries/s|IOPS|rpm|ops/s)(?!\w)",
    re.IGNORECASE,
)


class Dimension(StrEnum):
    """What kind of quantity a number with its unit is."""

    TIME = "time"
    BYTES = "bytes"
    MEMORY = "memory"
    BYTE_RATE = "byte-rate"
    COUNT_RATE = "count-rate"
    PERCENT = "percent"
    MONEY = "money"
    COUNT = "count"
    FACTOR = "factor"
    REPEAT = "repeat"  # so many times in a period; the value is seconds between two
    RATIO = "ratio"  # so many for each of something
    PHYSICAL = "physical"


@dataclass(frozen=True, slots=True)
class Tail:
    """The unit after a number: ``value = number * factor`` in the base unit of the dimension.

    ``noun`` is what is counted, as written; ``per`` is "month" or the thing of a ratio or price;
    ``each`` marks a size of one item.
    """

    dimension: Dimension
    end: int
    factor: float = 1.0
    unit: str = ""
    noun: str = ""
    kind: Noun | None = None
    per: str = ""
    each: bool = False
    start: int | None = None
    yearly: bool = False


def seconds(word: str) -> float:
    """Length of a unit of time; raises KeyError for a word that is none."""
    for pattern, factor in _TIME_WORDS:
        if pattern.match(word):
            return factor
    raise KeyError(word)


def tail(text: str, start: int, end: int, *, word: bool, language: str) -> Tail | None:
    """Read the unit of the number at ``text[start:end]``; None when it has none.

    ``word`` is True for a number written as a word, which needs a noun of the vocabulary.
    """
    return (
        _money(text, start, end)
        or _percent(text, end)
        or _bytes(text, end)
        or _simple(text, end)
        or _time(text, end)
        or _rate_alone(text, end)
        or _count(text, end, word=word, language=language)
    )


def _money(text: str, start: int, end: int) -> Tail | None:
    before = _BEFORE.search(text, max(0, start - 5), start)
    after = _AFTER.match(text, end)
    if before is None and after is None:
        return None
    stop, scale = end, 1.0
    if after is not None:
        stop = after.end()
        mark = (after["k"] or "").strip(" .").lower()
        scale = {"": 1.0, "k": 1e3, "t": 1e3, "m": 1e6, "mio": 1e6}[mark]
        name = after["c"].upper()
    elif before is not None:
        name = before.group().replace("\u00a0", " ").strip(" .").upper()
    currency = _SYMBOLS.get(name, name)
    period = _PERIOD.match(text, stop)
    per, factor, thing = "", scale, ""
    if period is not None:
        stop = period.end()
        unit = (period["u"] or period["adverb"] or "").lower().rstrip(".")
        yearly = unit.startswith(("annu", "year", "p. a", "p.a", "jähr", "anual"))
        length = YEAR if yearly else MONTH if period["adverb"] else seconds(unit)
        factor = scale * MONTH / length
        per = "month"
        thing = re.split(r"[\s/]", (period["thing"] or "").strip())[0].lower()
        thing = "" if thing in ("calendar", "full", "single") else thing
    elif priced := _PER_THING.match(text, stop):
        stop, thing = priced.end(), priced["thing"].lower()
    return Tail(
        Dimension.MONEY, stop, factor, currency, noun=thing, per=per,
        start=before.start() if before else None,
    )  # fmt: skip


def _percent(text: str, end: int) -> Tail | None:
    match = _PERCENT.match(text, end)
    if match is None:
        return None
    yearly = _YEARLY.match(text, match.end())
    less = _LESS.match(text, match.end())
    stop = max(m.end() for m in (match, yearly, less) if m is not None)
    return Tail(Dimension.PERCENT, stop, 1.0, "%", yearly=yearly is not None)


def _bytes(text: str, end: int) -> Tail | None:
    bits = _BITS.match(text, end)
    if bits is not None:
        factor = 1000 ** _POWERS[bits["p"].lower()] / 8
        return Tail(Dimension.BYTE_RATE, bits.end(), factor, "B/s")
    match = _BYTES.match(text, end)
    if match is None:
        return None
    letter = match["p"] or match["f"] or (match["w"] or "")[:1]
    base = 1024 if match["i"] else 1000
    factor = float(base ** _POWERS[letter.lower()]) if letter else 1.0
    stop = match.end()
    memory = _MEMORY.match(text, stop)
    if memory is not None:
        return Tail(Dimension.MEMORY, memory.end(), factor, "B")
    each = _EACH.match(text, stop)
    if each is not None:
        return Tail(Dimension.BYTES, each.end(), factor, "B", each=True)
    rate = _RATE.match(text, stop)
    if rate is not None and rate["u"] and not re.search(r"\b[a-z]{3,}ed\b", rate["words"] or ""):
        return Tail(
            Dimension.BYTE_RATE, rate.end(), factor / seconds(rate["u"]), "B/s",
            noun=(rate["words"] or "").strip(),
        )  # fmt: skip
    return Tail(Dimension.BYTES, stop, factor, "B")


def _simple(text: str, end: int) -> Tail | None:
    if match := _PER_SECOND.match(text, end):
        unit = match["u"].lower()
        noun = "I/O operations" if unit == "iops" else "requests"
        return Tail(
            Dimension.COUNT_RATE, match.end(), 1 / 60 if unit == "rpm" else 1.0, "1/s", noun=noun
        )
    if match := _TIMES_A.match(text, end):
        return Tail(Dimension.REPEAT, match.end(), seconds(match["u"] or match["v"]), "s")
    if match := _FACTOR.match(text, end):
        return Tail(Dimension.FACTOR, match.end(), 1.0, "x")
    if match := _PHYSICAL.match(text, end):
        return Tail(Dimension.PHYSICAL, match.end(), 1.0, match.group().strip(" -"))
    return None


def _time(text: str, end: int) -> Tail | None:
    match = _TIME_TAIL.match(text, end)
    if match is None:
        return None
    return Tail(Dimension.TIME, match.end("u"), seconds(match["u"]), "s")


def _rate_alone(text: str, end: int) -> Tail | None:
    """``2.5 Mio/Tag``, ``90,000 a day``: what is counted stands somewhere before."""
    match = _RATE.match(text, end)
    if match is None or match["words"]:
        return None
    return Tail(Dimension.COUNT_RATE, match.end(), 1 / seconds(match["u"]), "1/s")


def _count(text: str, end: int, *, word: bool, language: str) -> Tail | None:
    phrase = noun_phrase(text, end, closed_only=word, language=language)
    if phrase is None:
        return None
    rate = _RATE.match(text, phrase.end)
    if rate is not None:
        return Tail(
            Dimension.COUNT_RATE, rate.end(), 1 / seconds(rate["u"]), "1/s",
            noun=phrase.text, kind=phrase.kind,
        )  # fmt: skip
    ratio = re.compile(r"\s(?:per|for each|for every|pro|par|por)\s(?P<thing>[^\W\d_]+)").match(
        text, phrase.end
    )
    if ratio is not None:
        return Tail(
            Dimension.RATIO, ratio.end(), 1.0, f"per {ratio['thing'].lower()}",
            noun=phrase.text, kind=phrase.kind, per=ratio["thing"].lower(),
        )  # fmt: skip
    return Tail(Dimension.COUNT, phrase.end, 1.0, phrase.head, noun=phrase.text, kind=phrase.kind)


def minutes_for_m(text: str, end: int) -> Tail | None:
    """``RTO 15m``: a lone ``m`` after a number, where the sentence speaks of recovery."""
    match = _MONTH_CODE.match(text, end)
    return Tail(Dimension.TIME, match.end(), MINUTE, "s") if match else None
