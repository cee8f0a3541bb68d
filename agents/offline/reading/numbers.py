"""Numbers as people write them: 1,400 / 1.400 / 1 400 / 1'400 / 12k / 3.5M / 2,5 Mio / two dozen.

A number here has no unit yet. Codes that merely contain digits (``19c``, ``EC2``, ``HR-2019``,
``p95``, ``v1.2``) are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.offline.reading.text import vocabulary

_GROUPED = r"\d{1,3}(?:[ \u00a0\u202f'’]\d{3}){1,5}(?:[.,]\d{1,4})?(?!\d)"
_INDIAN = r"\d{1,2}(?:,\d{2}){1,4},\d{3}(?!\d)"
_COMMAS = r"\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?(?!\d)"
_DOTS = r"\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,6})?(?!\d)"
_PLAIN = r"\d{1,18}(?:[.,]\d{1,9})?"
_DIGITS = re.compile(
    rf"(?<![\w/])(?<![^\W\d_][-.,:'’#_])(?<!\d[.,:'’])(?P<n>{_GROUPED}|{_INDIAN}|{_COMMAS}"
    rf"|{_DOTS}|{_PLAIN})"
    r"(?![.,:]\d|\d|[/-]\d{2,4}[/-]|[/x]7\b)"
)
_SCALES: dict[str, float] = {
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3,
    "m": 1e6, "mn": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6,
    "millionen": 1e6, "millón": 1e6, "millones": 1e6, "mill": 1e6,
    "b": 1e9, "bn": 1e9, "mrd": 1e9, "billion": 1e9, "billions": 1e9, "milliarde": 1e9,
    "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9,
    "lakh": 1e5, "lakhs": 1e5, "crore": 1e7, "crores": 1e7, "dozen": 12, "hundred": 100,
    "hundert": 100, "cent": 100,
}  # fmt: skip
_ATTACHED = re.compile(r"(?:k|K|M|m|B|bn|mn|Mio|Mrd|mio|L)(?![\w])|(?:k|M)(?=[€$£])")
_APART = re.compile(
    r"[ -]?(thousand|tsd|tausend|millions?|millionen|mill[oó]n|millones|mio|mn|billions?|bn|mrd"
    r"|milliarden?|milliards?|mil(?= )|mille(?= )|lakhs?|crores?|dozen|hundred|hundert)\b\.?",
    re.IGNORECASE,
)
_WORDS: dict[str, dict[str, float]] = {
    "en": {
        "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
        "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
        "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
        "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
        "seventy": 70, "eighty": 80, "ninety": 90, "a hundred": 100, "a thousand": 1e3,
        "a million": 1e6, "half a million": 5e5, "a dozen": 12, "half a dozen": 6,
        "a couple of": 2, "half a": 0.5, "half an": 0.5, "an": 1, "a": 1,
    },
    "de": {
        "null": 0, "eine": 1, "einer": 1, "einen": 1, "ein": 1, "zwei": 2, "drei": 3, "vier": 4,
        "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11,
        "zwölf": 12, "fünfzehn": 15, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50,
        "hundert": 100, "tausend": 1e3, "eine million": 1e6, "eine halbe": 0.5, "einer halben": 0.5,
    },
    "fr": {
        "zéro": 0, "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6,
        "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "onze": 11, "douze": 12, "quinze": 15,
        "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "cent": 100, "mille": 1e3,
        "une demi": 0.5,
    },
    "es": {
        "cero": 0, "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6,
        "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "quince": 15,
        "veinte": 20, "treinta": 30, "cien": 100, "mil": 1e3, "media": 0.5,
    },
}  # fmt: skip
ARTICLES = vocabulary(
    "a an half a half an eine einer einen ein un une una"
) | {
    "half a", "half an",
}  # fmt: skip
"""Words that count only in front of a unit of time ("within a day"), else they are articles."""


def _word_pattern(language: str) -> re.Pattern[str]:
    vocabulary = {**_WORDS["en"], **_WORDS.get(language, {})}
    alternatives = sorted(vocabulary, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?![\w'’])", re.IGNORECASE)


_WORD_PATTERNS = {language: _word_pattern(language) for language in _WORDS}


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its span. ``raw`` holds the digits, so that a unit may settle what they mean.

    ``ambiguous`` is True for ``1.400`` and ``1,400``: one separator with three digits after it.
    """

    value: float
    start: int
    end: int
    raw: str
    ambiguous: bool = False
    word: bool = False

    def as_decimal(self) -> Number:
        """The same number with its one separator read as the decimal sign."""
        value = float(self.raw.replace(",", "."))
        return Number(value, self.start, self.end, self.raw, False, self.word)


def _parse(raw: str) -> tuple[float, bool]:
    """Value of digits with separators, and whether the reading is open."""
    digits = re.sub(r"[ \u00a0\u202f'’]", "", raw)
    if re.fullmatch(_INDIAN, digits):
        return float(digits.replace(",", "")), False
    if "," in digits and "." in digits:
        decimal = max(",", ".", key=digits.rfind)
        other = "." if decimal == "," else ","
        return float(digits.replace(other, "").replace(decimal, ".")), False
    mark = "," if "," in digits else "."
    parts = digits.split(mark)
    if len(parts) > 2:
        return float("".join(parts)), False
    if len(parts) == 2 and len(parts[1]) == 3 and 1 <= len(parts[0]) <= 3:
        if parts[0] == "0" or digits != raw:
            return float(digits.replace(",", ".")), False
        return float("".join(parts)), True
    return float(digits.replace(",", ".")), False


def numbers(text: str, language: str = "en") -> Iterator[Number]:
    """Every number in ``text``, in order; words of ``language`` and English words both count."""
    found: list[Number] = []
    for match in _DIGITS.finditer(text):
        value, ambiguous = _parse(match["n"])
        start, end = match.span("n")
        value, end, scaled = _scaled(text, value, match["n"], end, ambiguous)
        following = text[end : end + 1]
        if following.isalpha() and not _unit_attached(text, end):
            continue
        found.append(Number(value, start, end, match["n"], ambiguous and not scaled))
    pattern = _WORD_PATTERNS.get(language, _WORD_PATTERNS["en"])
    vocabulary = {**_WORDS["en"], **_WORDS.get(language, {})}
    for match in pattern.finditer(text):
        word = match.group().lower()
        value, end = vocabulary[word], match.end()
        tail = re.compile(r"[- ](one|two|three|four|five|six|seven|eight|nine)\b").match(text, end)
        if 20 <= value < 100 and tail:
            value, end = value + _WORDS["en"][tail.group(1)], tail.end()
        if word not in ARTICLES:
            value, end, _ = _scaled(text, value, "", end, False)
        found.append(Number(value, match.start(), end, match.group(), False, True))
    taken = -1
    for number in sorted(found, key=lambda n: (n.start, -n.end)):
        if number.start >= taken:
            taken = number.end
            yield number


def _scaled(
    text: str, value: float, raw: str, end: int, ambiguous: bool
) -> tuple[float, int, bool]:
    """The value with a scale word (``k``, ``Mio``, ``lakh``) that follows it."""
    attached = _ATTACHED.match(text, end) if raw else None
    match = attached or _APART.match(text, end)
    if match is None:
        return value, end, False
    word = (match.group(1) if match.re is _APART else match.group()).lower()
    scale = 1e5 if word == "l" else _SCALES[word]
    if ambiguous:  # "1,400k" is one million four hundred thousand, "1.234 million" is not
        value = value if attached else float(raw.replace(",", "."))
    stop = match.end()
    # A full stop that follows "million" may end the sentence; one after "Mio" belongs to it.
    if text[stop - 1] == "." and word not in ("mio", "mrd", "mill", "tsd"):
        stop -= 1
    return value * scale, stop, True


_UNIT_ATTACHED = re.compile(
    r"(?:[kKMGTPE]i?[Bb]|ms|s|sec|secs|min|mins|h|hr|hrs|d|w|y|x|[GMk]bit|[kMG]bps|EUR|USD|GBP|CHF"
    r"|rps|qps|tps|rpm|vCPUs?|kW|km|Hz|GHz|MHz|fps|px|Go|To|Mo|Ko|k€|M€|Mio|B|kEUR|TB|°)(?![\w])"
    r"|(?:[kKMGTPE]i?[Bb]|[kMG]b)(?=/)|m(?=[ /.,;)]|$)",
)


def _unit_attached(text: str, end: int) -> bool:
    return _UNIT_ATTACHED.match(text, end) is not None
