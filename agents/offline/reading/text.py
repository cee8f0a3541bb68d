"""Text as blocks and sentences, and a phrase matcher that stays linear in the text.

Requests are mails, tickets and tenders: hard-wrapped lines, bullets, greetings, ``1.4 TB``,
``e.g.``, ``am 14. September``. Everything later works on the sentences made here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, TypeVar

T = TypeVar("T")


def vocabulary(text: str) -> frozenset[str]:
    """A closed vocabulary written as one text."""
    return frozenset(text.split())


_LONGEST = 600  # characters; a longer "sentence" is cut at a blank, so that context stays local

_ABBREVIATIONS = vocabulary(
    """e.g i.e z.b d.h u.a o.ä ca approx art abs no nr vs etc resp incl inkl bzw ggf max min mio
    mrd st dr mr mrs ms prof fig sec vol jan feb mar apr jun jul aug sep sept oct nov dec
    ext tel p.ej ej env cf evtl ev zzgl exkl mill tsd std tägl u.s u.k inc ltd corp co
    approx p.a s"""
)
_MONTH = re.compile(
    r"\s*(jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|januar|déc|août|ene"
    r"|abr|ago"
    r"|dic|fév|avr|juil)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•–·+]|\(?\d{1,2}[.)]|[a-z]\))\s+(?=\S)")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)")
_WORD = re.compile(r"[^\W_]+(?:[’'&+#/.][^\W_]+)*[+#]*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its text with blanks collapsed, the block it stands in, and what kind of line.

    ``lead`` is the line that introduces a list or follows a label ("What we need:"), or "".
    """

    text: str
    block: int
    bullet: bool = False
    lead: str = ""

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()


def clean(text: str) -> str:
    r"""Text without control characters, lone surrogates and odd blanks; line ends are ``\\n``."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = unicodedata.normalize("NFC", text)
    return re.sub(r"[^\S\n]|[\x00-\x08\x0b-\x1f\x7f\u200b\ufeff]", " ", text)


def at_words(pattern: str) -> re.Pattern[str]:
    """A pattern of alternatives that all start at a word, in any case; several times as fast."""
    return re.compile(rf"\b(?:{pattern})", re.IGNORECASE)


def squeeze(text: str) -> str:
    """Text with every run of blanks as one."""
    return " ".join(text.split())


def sentences(text: str, language: str = "en") -> tuple[Sentence, ...]:
    """All sentences of a cleaned text, in order."""
    ordinals = language in ("de",)
    found: list[Sentence] = []
    before = ""  # the label that ended the block before
    for number, block in enumerate(re.split(r"\n\s*\n", text)):
        lead, label = before, ""
        for line, bullet in _lines(block):
            label = ""
            if not bullet and line.endswith(":") and len(line) < 120:
                lead = label = line.rstrip(":").strip()
                continue
            if not bullet:
                lead = ""
            found += [
                Sentence(part, number, bullet, lead if bullet else "")
                for part in _split(line, ordinals)
            ]
            if not bullet and line.endswith(":"):
                lead = label = line.rstrip(":")
        before = label
    return tuple(found)


_SALUTATION = re.compile(
    r"^(?:hi|hello|hey|dear|hallo|guten (?:tag|morgen)|liebe[rs]?|sehr geehrte\w*|bonjour"
    r"|chère?s?|hola"
    r"|estimad\w+|buen[oa]s \w+)\b(?:\s(?!we\b|i\b|our\b|my\b|please\b|wir\b|ich\b|nous\b|je\b"
    r"|need\b|looking\b)[^\s.,!?]+){0,4}[,!]\s*", re.IGNORECASE,
)  # fmt: skip


_BARE_GREETING = re.compile(
    r"^(?:hi|hello|hey|hallo|hola|bonjour)\s+(?=(?:we|i|our|my|please|can|could|is|wir|ich|nous"
    r"|je|queremos)\b)",
    re.IGNORECASE,
)


def _lines(block: str) -> Iterator[tuple[str, bool]]:
    """Logical lines of a block: wrapped lines joined, bullets apart, short labels apart."""
    current: list[str] = []
    bullet = False
    for raw in block.split("\n"):
        line = raw.strip()
        if not line:
            continue
        mark = _BULLET.match(raw)
        heading = line.startswith("#")
        if mark or heading or (current and current[-1].endswith(":") and not bullet):
            if current:
                yield squeeze(" ".join(current)), bullet
            line = raw[mark.end() :].strip() if mark else line.lstrip("# ")
            current, bullet = [line], bool(mark)
            if heading:
                yield squeeze(line), False
                current, bullet = [], False
            continue
        current.append(line)
    if current:
        yield squeeze(" ".join(current)), bullet


def _split(line: str, ordinals: bool) -> Iterator[str]:
    """Sentences of one logical line; ``ordinals`` where ``14. oktober`` does not end one."""
    greeting = _SALUTATION.match(line)
    greeting = greeting or _BARE_GREETING.match(line)
    start = greeting.end() if greeting else 0
    for match in _END.finditer(line):
        mark = match.group()
        following = line[match.end() : match.end() + 2].strip()[:1]
        if mark[-1] in ")]" and mark[0] != ".":
            continue  # "(hail!) 15 questions": an aside
        if mark[-1] in "\"'”’" and following.islower():
            continue  # 'questions like "why?" from our documents'
        if mark[0] == "." and not _ends(line, start, match.start(), match.end(), ordinals):
            continue
        yield from _cut(line[start : match.end()].strip())
        start = match.end()
    rest = line[start:].strip()
    if rest:
        yield from _cut(rest)


def _ends(line: str, start: int, dot: int, after: int, ordinals: bool) -> bool:
    """Whether the dot at ``dot`` ends a sentence."""
    head = line[max(start, dot - 16) : dot]
    word = re.split(r"[\s(]", head)[-1].lower()
    if len(word) == 1 and word.isalpha():  # "RTO 4 h. Budget": a unit; "J. Smith": an initial
        return head[-1:].islower() or after >= len(line)
    if word in _ABBREVIATIONS or re.fullmatch(r"[a-zäöü](\.[a-zäöü])+", word):
        return after >= len(line)
    if word.isdigit() and len(word) <= 2:
        rest = line[after : after + 12]
        return not (_MONTH.match(rest) or (ordinals and re.match(r"\s*[a-zäöü]", rest)))
    return True


def _cut(sentence: str) -> Iterator[str]:
    """A sentence, in pieces if it is longer than anything a person writes."""
    while len(sentence) > _LONGEST:
        at = sentence.rfind(" ", 200, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield sentence[:at].strip()
        sentence = sentence[at:].strip()
    if re.search(r"\w", sentence):
        yield sentence


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[tuple[str, int, int], ...]:
    """Lower-case words with their spans; ``don't`` and ``s/4hana`` stay one word."""
    return tuple((m.group().lower(), m.start(), m.end()) for m in _WORD.finditer(text))


@dataclass(slots=True)
class Phrases(Generic[T]):
    """Finds phrases of a closed vocabulary in words; time grows with the text, not the vocabulary.

    A phrase is words apart by blanks or hyphens; a word that ends in ``*`` matches every word that
    starts so.
    """

    entries: Mapping[str, T]
    _exact: dict[str, list[tuple[tuple[str, ...], T]]] = field(default_factory=dict)
    _stems: dict[str, list[tuple[tuple[str, ...], T]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for phrase, value in self.entries.items():
            parts = tuple(phrase.lower().replace("-", " ").split())
            first = parts[0]
            if first.endswith("*"):
                self._stems.setdefault(first[:3], []).append((parts, value))
            else:
                self._exact.setdefault(first, []).append((parts, value))
        for table in (self._exact, self._stems):
            for choices in table.values():
                choices.sort(key=lambda c: (-len(c[0]), -len(c[0][0])))

    def find(self, text: str) -> list[tuple[T, int, int]]:
        """Values with their spans in ``text``; the longest phrase wins, none overlap."""
        tokens = words(text)
        found: list[tuple[T, int, int]] = []
        index = 0
        while index < len(tokens):
            hit = self._at(tokens, index)
            if hit is None:
                index += 1
                continue
            value, length = hit
            found.append((value, tokens[index][1], tokens[index + length - 1][2]))
            index += length
        return found

    def _at(self, tokens: tuple[tuple[str, int, int], ...], index: int) -> tuple[T, int] | None:
        word = tokens[index][0]
        best: tuple[T, int] | None = None
        for parts, value in (*self._exact.get(word, ()), *self._stems.get(word[:3], ())):
            fits = all(
                index + i < len(tokens) and _same(part, tokens[index + i][0])
                for i, part in enumerate(parts)
            )
            if fits and (best is None or len(parts) > best[1]):
                best = (value, len(parts))
        return best


def _same(part: str, word: str) -> bool:
    return word.startswith(part[:-1]) if part.endswith("*") else word == part


def unique(values: Iterable[T]) -> tuple[T, ...]:
    """The values without repeats, in order."""
    return tuple(dict.fromkeys(values))
