"""Figures: every number with a unit in the request, as written and in a base unit.

A number with a unit always becomes a Figure (``Measure.OTHER`` where nothing says what it
measures); what the planner cannot place is shown to the user and not dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from agents.offline.facts import Figure, Measure
from agents.offline.reading import measures
from agents.offline.reading.context import is_current, is_peak, subject_of
from agents.offline.reading.dates import special
from agents.offline.reading.nouns import NOUNS, Noun
from agents.offline.reading.numbers import ARTICLES, Number, numbers
from agents.offline.reading.ranking import settle
from agents.offline.reading.text import Sentence, vocabulary, words
from agents.offline.reading.units import DAY, Dimension, Tail, minutes_for_m, tail

_JOIN = re.compile(r"\s?(?:,|-|–|—|to|or|and|bis|oder|und|à|ou|et|a|o|y)\s?\Z", re.IGNORECASE)
_VERSIONED = vocabulary(
    "java server windows postgresql postgres mysql mariadb oracle python php ruby angular react "
    "node"
    " node.js .net dotnet tls ssl ipv http iso en din iec nist soc pci art article artikel lot "
    "phase"
    " tier level type class section chapter version release ubuntu rhel debian centos kubernetes"
    " redis kafka spark hadoop elasticsearch mongodb django rails spring boot sap r sles db2 sql"
    " ticket issue no nr port question option step room floor building cfr annex rev v"
)
_NORMS = vocabulary("iso iec din en nist rfc ieee hl pci soc tls ssl ipv http vat swift mt")
_PEAK_AFTER = re.compile(
    r"\s(?:(?:at|in|during|on)\s(?:the\s|our\s)?(?:peaks?|bursts?|worst|black friday|christmas"
    r"|busy days)|peak|in der spitze|zu spitzenzeiten|en pointe|en hora punta)\b",
    re.IGNORECASE,
)
_PEAK_BEFORE = re.compile(
    r"\b(?:peaks?(?: (?:of|at|to|is))?|bursts? (?:of|to)|spitze|en pointe|pico de)[:,]?\s"
    r"(?:about |around |up to )?\Z",
    re.IGNORECASE,
)
_STREAMED = re.compile(r"\bstreams? (?:at|of|with|à|mit|zu|de)\s(?:about )?\Z", re.IGNORECASE)
_EACH_STREAM = re.compile(
    r"\s(?:each\b|(?:per|a|for each|pro|par|por) (?:stream|viewer|user|client|camera|player))",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\s(?:after|in|within|nach|après|dentro de)\s(?:the first )?(?:\d+|two|three|five)\s"
    r"(?:years?|months?|jahren?|monaten?|ans|mois|años|meses)\b",
    re.IGNORECASE,
)
_ACTIVE = re.compile(r"(?:active|aktiv\w*|actifs?|activos?|unique|uniques)\b", re.IGNORECASE)
_ALIVE = re.compile(r"(?:concurrent|simultan\w+|parallel|gleichzeitig\w*)", re.IGNORECASE)
_PLAYED = re.compile(r"(?:streams|viewers|sessions|connections|listeners|calls)\Z", re.IGNORECASE)
_REQUESTS = vocabulary("anfragen anfrage requêtes requête peticiones solicitudes aufrufe zugriffe")
_OF_DATA = re.compile(r"loyalty|\brecords? (?:of|on|about)|data (?:of|on|about)", re.IGNORECASE)
_LABEL = re.compile(r"(?:^|[.;,]\s)(?P<w>[^\W\d_]+):\s\Z")
_OF_THEM = re.compile(
    r"\sof\s(?P<w>them|us|these|those|which)(?P<t>\sat the same time)?\b", re.IGNORECASE
)
_TEAM_OF = re.compile(
    r"\b(?:team (?:of|is|has)|équipe de|equipo de|we are|wir sind(?: zu)?|we're|there are)\s\Z",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"\b(?:an?|one|two|three) (half|third|quarter|fifth|sixth|eighth|tenth|hundredth)s?"
    r" of [^,.;:]{2,40}?(?=[,.;:)]|$| (?:is|are|has|have|comes?|and)\b)",
    re.IGNORECASE,
)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10,
          "hundredth": 100}  # fmt: skip
_MULTIPLE = {"one": 1, "a": 1, "an": 1, "two": 2, "three": 3}
_ARTICLE_CUE = re.compile(
    r"\b(?:within|in|under|than|after|least|most|for|every|of|last|ever|innerhalb|unter|in|von|dans"
    r"|en|sous)\s\Z|[:=]\s\Z",
    re.IGNORECASE,
)
_SINGLE = (Noun.ITEMS, Noun.TRAFFIC, Noun.MACHINES, Noun.UNITS, Noun.COMPUTE, Noun.DEVICES)
_IMPLIED = re.compile(
    r"\b(?:expect(?:ing|ed)?|to|reach(?:ing|es)?|becom\w+|later|then|plan(?:ning)?(?: for)?|be"
    r"|auf|à|a"
    r"|hasta|erwarten|rising|grow\w*)\s(?:about |around |some |up to |roughly )?\Z",
    re.IGNORECASE,
)
_LIMITS = re.compile(r"rate limit|quota|throttl\w+|limit per", re.IGNORECASE)
_DEVICE_WORDS = vocabulary(
    "sensor sensors telemetry mqtt device devices firmware meters iot gateway gateways capteurs"
    " sensoren geräte sensores dispositivos"
)


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    figure: Figure


def figures(sentences: Iterable[Sentence], language: str) -> tuple[Figure, ...]:
    """All figures of the request, grouped by measure, the weightiest of each measure first."""
    texts = list(sentences)
    devices = any(word in _DEVICE_WORDS for s in texts for word, _, _ in words(s.text))
    found: list[Figure] = []
    mood: tuple[int, bool] = (-1, False)
    for sentence in texts:
        before = mood[1] if mood[0] == sentence.block else False
        scanned = _scan(sentence.text, language, devices)
        found += [
            item.figure.model_copy(
                update={"current": is_current(sentence.text, item.start, item.figure, before)}
            )
            for item in scanned
        ]
        mood = (sentence.block, is_current(sentence.text, len(sentence.text), None, before))
    return settle(found)


@lru_cache(maxsize=4096)
def _scan(text: str, language: str, devices: bool) -> tuple[_Found, ...]:
    """The figures of one sentence in the order of their places."""
    taken: list[_Found] = []
    masked: list[tuple[int, int]] = []
    for (start, end), figure in special(text):
        if _free(start, end, masked):
            masked.append((start, end))
            if figure is not None:
                taken.append(_Found(start, end, figure))
    for match in _FRACTION.finditer(text):
        if _free(*match.span(), masked):
            masked.append(match.span())
            taken.append(_Found(*match.span(), _fraction(text, match)))
    waiting: list[Number] = []
    for number in numbers(text, language):
        if not _free(number.start, number.end, masked):
            waiting = []
            continue
        joined = waiting and _JOIN.search(text, waiting[-1].end, number.start)
        if not (joined and joined.start() == waiting[-1].end):
            waiting = []
        item = _figure(text, number, language, devices, taken)
        if item is None:
            if not _is_code(text, number, None):
                waiting.append(number)
            continue
        taken.append(_with_range(text, item, waiting, masked))
        masked.append((taken[-1].start, taken[-1].end))
        waiting = []
    return tuple(sorted(taken, key=lambda item: item.start))


def _free(start: int, end: int, masked: list[tuple[int, int]]) -> bool:
    return not any(left < end and start < right for left, right in masked[-60:])


def _with_range(
    text: str, item: _Found, waiting: list[Number], masked: list[tuple[int, int]]
) -> _Found:
    """Take in the numbers before that share the unit: "60, 600 or 6,000 calls"."""
    start = waiting[0].start if waiting else item.start
    lead = re.search(r"\b(?:US\$|[$€£]|EUR |USD )\Z", text[max(0, start - 4) : start])
    if waiting and lead:
        start -= len(lead.group())
    if start == item.start or not _free(start, item.start, masked):
        return item
    figure = item.figure.model_copy(update={"text": text[start : item.end]})
    return _Found(start, item.end, figure)


def _figure(
    text: str, number: Number, language: str, devices: bool, before: list[_Found]
) -> _Found | None:
    """The figure that a number makes with what follows it, or None when it has no unit."""
    article = number.word and text[number.start : number.end].lower() in ARTICLES
    if article and not _article_can_count(text, number):
        return None
    unit = _tail(text, number, language)
    if unit is None:
        return None if article else _without_unit(text, number, before)
    if article and unit.dimension is not Dimension.TIME:
        return None
    if number.word and number.value == 1 and unit.kind in _SINGLE:
        return None  # "one message is about 1.2 kB" counts nothing
    if unit.dimension is Dimension.COUNT and _is_code(text, number, unit):
        return None
    number = _settled(number, unit, language)
    start = number.start if unit.start is None else unit.start
    value = number.value * unit.factor
    if unit.dimension is Dimension.PHYSICAL and re.search(r"(?:\s|^)[-−]\Z", text[:start]):
        start, value = start - 1, -value
    written = text[start : unit.end].rstrip(" ,;")
    figure = _judged(text, written, start, unit, value, number, devices)
    return _Found(start, start + len(figure.text), figure)


def _tail(text: str, number: Number, language: str) -> Tail | None:
    if measures.recovery_sentence(text) and text[number.start : number.end].endswith("m"):
        return Tail(Dimension.TIME, number.end, 60.0 / 1e6, "s")
    unit = tail(text, number.start, number.end, word=number.word, language=language)
    if unit is None and measures.recovery_sentence(text):
        return minutes_for_m(text, number.end)
    return unit


def _article_can_count(text: str, number: Number) -> bool:
    """Whether an article may be a quantity: "within a day" is one, "a day in June" is not."""
    word = text[number.start : number.end].lower()
    if "half" in word or "halbe" in word or "demi" in word or "media" in word:
        return True
    return _ARTICLE_CUE.search(text, max(0, number.start - 14), number.start) is not None


def _settled(number: Number, unit: Tail, language: str) -> Number:
    """Decide ``1.400``: thousands of a count or of money; measures follow the language."""
    if not number.ambiguous:
        return number
    comma = "," in number.raw
    if unit.dimension is Dimension.PERCENT:
        return number.as_decimal()
    if unit.dimension in (Dimension.TIME, Dimension.BYTES, Dimension.BYTE_RATE, Dimension.FACTOR):
        decimal = comma if language in ("de", "fr", "es", "it", "nl", "pt") else not comma
        return number.as_decimal() if decimal else number
    return number


def _is_code(text: str, number: Number, unit: Tail | None) -> bool:
    """Whether digits before a noun are a version, a year or a number of a norm, not a count."""
    if number.word:
        return False
    previous = re.search(r"([\w.+/]+)[ -]?\Z", text[max(0, number.start - 16) : number.start])
    word = previous.group(1).lower() if previous else ""
    year = re.fullmatch(r"(?:19[89]|20[0-4])\d", number.raw) is not None
    if unit is None:
        return year or word in _VERSIONED
    norm = previous is not None and previous.group(1).isupper() and word in _NORMS
    if norm and re.fullmatch(r"\d{2,6}", number.raw):
        return True  # "ISO 20022 files"
    if year and (unit.kind is None or word in _VERSIONED or word in ("in", "since", "from", "of")):
        return True
    return word in _VERSIONED and unit.kind is None


def _without_unit(text: str, number: Number, before: list[_Found]) -> _Found | None:
    """Numbers whose noun stands elsewhere: "430 of them", "a team of five"."""
    of_them = _OF_THEM.match(text, number.end)
    if of_them is not None:
        written = text[number.start : of_them.end()]
        last = next((f for f in reversed(before) if f.figure.measure is Measure.USERS), None)
        if of_them["w"].lower() == "us":
            measure, subject = Measure.TEAM, "us"
        elif last is not None and of_them["t"]:
            measure, subject = Measure.USERS, f"{last.figure.subject} at the same time"
        else:
            measure, subject = Measure.ITEMS, subject_of(text, number.start)
        figure = Figure(
            text=written, measure=measure, value=number.value, unit=subject, subject=subject,
            sentence=text, peak=of_them["t"] is not None,
        )  # fmt: skip
        return _Found(number.start, of_them.end(), figure)
    last = next((f for f in reversed(before) if f.figure.unit in NOUNS), None)
    if last and not number.word and _IMPLIED.search(text, max(0, number.start - 30), number.start):
        # "18,000 units today and expect 65,000 in three years"
        written = text[number.start : number.end]
        figure = last.figure.model_copy(update={"text": written, "value": number.value})
        return _Found(number.start, number.end, figure)
    rate = next((f for f in reversed(before) if f.figure.measure is Measure.THROUGHPUT), None)
    if rate is not None and not number.word and rate.figure.value and number.value >= 2:
        # "4,000 transactions per second sustained, 12,000 at peak": the same unit holds
        peak = _PEAK_AFTER.match(text, number.end)
        ahead = _PEAK_BEFORE.search(text, max(0, number.start - 30), number.start)
        each = _factor_of(rate.figure, text)
        if (peak or ahead) and each:
            written = text[number.start : number.end]
            figure = rate.figure.model_copy(
                update={"text": written, "value": _rounded(number.value * each), "peak": True}
            )
            return _Found(number.start, number.start + len(written), figure)
    lead = _TEAM_OF.search(text, max(0, number.start - 16), number.start)
    if lead is not None and number.value >= 1:
        start = lead.start() if lead.group().lower().startswith("team of") else number.start
        written = text[start : number.end]
        figure = Figure(
            text=written, measure=Measure.TEAM, value=number.value, unit="people", subject="team",
            sentence=text,
        )  # fmt: skip
        return _Found(start, number.end, figure)
    return None


def _factor_of(rate: Figure, text: str) -> float:
    """Events a second for each unit that the words of a rate count, 0 where they do not say."""
    first = next(iter(numbers(rate.text, "en")), None)
    if first is None or not rate.value:
        return 0.0
    value = first.as_decimal().value if first.ambiguous and first.value > 1e9 else first.value
    return rate.value / value if value else 0.0


def _fraction(text: str, match: re.Match[str]) -> Figure:
    first = match.group().split()[0].lower()
    share = 100 * _MULTIPLE[first] / _PARTS[match.group(1).lower()]
    whole = match.group().split(" of ", 1)[1]
    return Figure(
        text=match.group(), measure=Measure.OTHER, value=round(share, 4), unit="%",
        subject=f"share of {whole}", sentence=text,
    )  # fmt: skip


def _judged(
    text: str, written: str, start: int, unit: Tail, value: float, number: Number, devices: bool
) -> Figure:
    """The figure with its measure, subject and peak mark."""
    end = start + len(written)
    subject = unit.noun
    peak = False
    base = unit.unit
    match unit.dimension:
        case Dimension.TIME:
            measure = measures.duration(text, start, end, value)
        case Dimension.BYTES:
            measure = measures.size(text, start, end, value, unit)
        case Dimension.MEMORY:
            measure, subject = Measure.COMPUTE, "memory"
        case Dimension.BYTE_RATE:
            measure = Measure.DATA_RATE
            peak = is_peak(text, start, end)
            if _STREAMED.search(text, max(0, start - 24), start) or _EACH_STREAM.match(text, end):
                measure, subject, peak = Measure.OTHER, "each stream", False
        case Dimension.COUNT_RATE:
            label = _LABEL.search(text[:start])
            people = NOUNS.get(label["w"].lower()) if label and not unit.noun else unit.kind
            active = _ACTIVE.match(subject or "") is not None
            if (people in (Noun.USERS, Noun.PEOPLE) or active) and unit.factor < 1 / 3600:
                subject = f"{subject} users" if active and len(subject.split()) == 1 else subject
                subject = subject or (label["w"].lower() if label else "users")
                return Figure(
                    text=written, measure=Measure.USERS, value=_rounded(number.value), unit=subject,
                    subject=subject, sentence=text, peak=is_peak(text, start, end),
                )  # fmt: skip
            limited = _LIMITS.search(text, max(0, start - 60), start)
            measure = Measure.OTHER if limited else Measure.THROUGHPUT
            peak = is_peak(text, start, end)
            subject = subject or _counted_before(text, start)
            subject = "requests" if subject.lower() in _REQUESTS else subject
        case Dimension.PERCENT:
            verdict = measures.percentage(text, start, end, value)
            measure, subject = verdict.measure, verdict.subject
            if unit.yearly and measure is Measure.OTHER:
                measure = Measure.GROWTH
        case Dimension.MONEY:
            measure = measures.money(text, start, end, unit)
            if unit.noun:
                subject, base = f"per {unit.noun}", f"{unit.unit} per {unit.noun}"
        case Dimension.REPEAT:
            measure = Measure.FREQUENCY
            value = unit.factor / number.value if number.value else DAY
        case Dimension.FACTOR:
            measure, peak = Measure.GROWTH, is_peak(text, start, end)
        case Dimension.COUNT:
            measure = measures.count(text, start, end, unit, devices=devices)
            near = text[start:end] + re.split(r"[,;.(]", text[end : end + 24])[0]
            concurrent = re.search(r"concurrent|simultan|gleichzeitig", near)
            if concurrent and _PLAYED.search(unit.noun):
                measure = Measure.USERS  # "80,000 concurrent streams": so many watch at once
            if measure is Measure.USERS and _OF_DATA.search(f"{unit.noun} {text[:start][-24:]}"):
                measure = Measure.ITEMS  # people that the data is about, not people who use it
            peak = measure is Measure.USERS and concurrent is not None
        case Dimension.RATIO | Dimension.PHYSICAL:
            measure = Measure.OTHER
    if not subject or subject == "percentile":
        subject = " ".join(part for part in (subject, subject_of(text, start, end)) if part)
    if measure is Measure.AVAILABILITY:
        subject = re.sub(r"^availability (?:of|for) (?:the )?", "", subject, flags=re.I)
    if measure is Measure.ITEM_SIZE and len(subject.split()) > 2:
        subject = _counted_before(text, start) or subject
    if measure in (Measure.RTO, Measure.RPO) and len(subject.split()) > 3:
        subject = ""  # words of another clause: "half a day nobody dies"
    later = _LATER.match(text, end) if measure is Measure.DATA_VOLUME else None
    if later is not None:
        written = text[start : later.end()]
    if measure is Measure.RTO and re.match(r"(?:if|when|wenn|falls|si|cuando)\b", text, re.I):
        subject = ""
    if measure is Measure.RETENTION and re.search(
        r"replay", text[max(0, start - 30) : start], re.I
    ):
        subject = "events for replay"
    if measure is Measure.RETENTION and re.search(r"go back\b.*\blast\b", text[:start], re.I):
        subject = "history"
    return Figure(
        text=written, measure=measure, value=_rounded(value), unit=base, subject=subject,
        sentence=text, peak=peak,
    )  # fmt: skip


def _counted_before(text: str, start: int) -> str:
    """Of the kind “photographs, 3 MB each and some 90,000 a day”: the thing that is counted."""
    things = [w for w, _, _ in words(text[:start]) if NOUNS.get(w) in (Noun.ITEMS, Noun.TRAFFIC)]
    return things[-1] if things else ""


def _rounded(value: float) -> float:
    """Fifteen digits at most, so that 300 ms is 0.3 s and not 0.30000000000000004 s."""
    return float(f"{value:.12g}")
