"""Reads Markdown: sections, code fences, tables, lists, links.

The engine's core imports the standard library and pydantic only, so it reads the few forms that
Deliverables are made of by itself. These readers never fail: what is not there comes back empty.
Each takes one pass over the text, whatever the text is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Section:
    """One ATX heading and what stands under it.

    ``body`` reaches to the next heading of the same or a higher level, so it holds deeper headings
    too. ``line`` is the heading's line, from 1, and ``end`` the last line of the body.
    """

    level: int
    title: str
    body: str
    line: int
    end: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block: the first word of its info string in lower case, and its text."""

    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """A pipe table. Every row has as many cells as the header; ``<br>`` is a line break."""

    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def column(self, *names: str) -> int | None:
        """The position of the first column whose heading is one of ``names`` (any case)."""
        wanted = {normalise(name) for name in names}
        return next((i for i, cell in enumerate(self.header) if normalise(cell) in wanted), None)

    def column_starting(self, start: str) -> int | None:
        """The position of the first column whose heading starts with ``start`` (any case)."""
        cells = enumerate(map(normalise, self.header))
        return next((i for i, cell in cells if cell.startswith(normalise(start))), None)


@dataclass(frozen=True, slots=True)
class Link:
    """A Markdown link; ``text`` is empty for a bare ``<https://…>``."""

    text: str
    url: str


_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|(\d{1,9})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_NUMBERING = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,5}\.?[ \t]+")
_DELIMITER_CELL = re.compile(r":?-+:?")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_LINK = re.compile(
    r"\[([^\[\]]*)\]\([ \t]*<?([^()\s<>]+(?:\([^()\s<>]*\)[^()\s<>]*)*)>?"
    r"(?:[ \t]+\"[^\"]*\")?[ \t]*\)"
)
_BARE_LINK = re.compile(r"<(https?://[^\s<>]+)>")
_MARKS = re.compile(r"[*`]|(?<![^\W_])_|_(?![^\W_])")
LEAD_IN = " \t*_`:.)]—–-"


class Line(NamedTuple):
    """One line and where it stands; ``code`` is true from a fence's first line to its last."""

    number: int
    text: str
    code: bool
    comment: bool

    @property
    def prose(self) -> bool:
        """Whether the line is neither code nor part of an HTML comment."""
        return not (self.code or self.comment)


def fence_opening(text: str) -> str | None:
    """The fence that a line opens (three or more backticks or tildes), or None."""
    stripped = text.lstrip(" \t>")
    mark = stripped[:1]
    if mark not in ("`", "~"):
        return None
    rest = stripped.lstrip(mark)
    length = len(stripped) - len(rest)
    if length < 3 or (mark == "`" and "`" in rest):
        return None
    return mark * length


def lines(md: str) -> Iterator[Line]:
    """Every line, with code fences and HTML comments told apart from prose."""
    fence = ""
    comment = False
    for number, text in enumerate(md.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if fence:
            yield Line(number, text, True, False)
            stripped = text.strip(" \t>")
            if stripped.startswith(fence) and not stripped.strip(fence[0]):
                fence = ""
            continue
        if not comment:
            if "```" in text or "~~~" in text:
                fence = fence_opening(text) or ""
                if fence:
                    yield Line(number, text, True, False)
                    continue
            comment = "<!--" in text and text.lstrip().startswith("<!--")
        yield Line(number, text, False, comment)
        if comment and "-->" in text:
            comment = False


def heading(text: str) -> tuple[int, str] | None:
    """Level and title if the line is an ATX heading, else None."""
    match = _HEADING.match(text) if "#" in text else None
    if match is None:
        return None
    title = text[match.end() :].strip()
    cut = title.rstrip("#")
    if not cut or cut[-1] in " \t":  # a closing sequence, not a title such as "C#"
        title = cut.rstrip()
    return len(match.group(1)), title


@lru_cache(maxsize=16)  # the readers of one document each ask for its sections
def sections(md: str) -> tuple[Section, ...]:
    """All headings outside code, in order, each with its body."""
    found: list[tuple[int, str, int]] = []
    texts: list[str] = []
    for line in lines(md):
        texts.append(line.text)
        head = heading(line.text) if line.prose else None
        if head is not None:
            found.append((*head, line.number))
    result: list[Section] = []
    ends: dict[int, int] = {}
    last: list[tuple[int, int]] = []  # (level, line) of the headings below, nearest first
    for level, _, number in reversed(found):
        while last and last[-1][0] > level:
            last.pop()
        ends[number] = last[-1][1] - 1 if last else len(texts)
        last.append((level, number))
    for level, title, number in found:
        body = "\n".join(texts[number : ends[number]]).strip("\n")
        result.append(Section(level, title, body, number, ends[number]))
    return tuple(result)


def bare_title(title: str) -> str:
    """A title for comparison: without numbering ("2.1. "), emphasis and case."""
    match = _NUMBERING.match(title)
    return normalise(title[match.end() :] if match else title)


def section(md: str, title: str) -> Section | None:
    """The section of that title, the highest in level and first of these.

    Numbering, emphasis and case do not matter.
    """
    wanted = bare_title(title)
    found = (part for part in sections(md) if bare_title(part.title) == wanted)
    return min(found, key=lambda part: part.level, default=None)


def body_of(md: str, title: str) -> str:
    """The body of the section of that title, or nothing."""
    found = section(md, title)
    return found.body if found else ""


def has_content(body: str) -> bool:
    """Whether something stands here beside headings, comments and empty code blocks."""
    for line in lines(body):
        text = line.text.strip()
        if not text or line.comment:
            continue
        if line.code:
            if fence_opening(text) is None and text.strip("`~"):
                return True
        elif heading(line.text) is None:
            return True
    return False


def fences(md: str) -> tuple[Fence, ...]:
    """All fenced code blocks, in order. One that is never closed reaches to the end."""
    result: list[Fence] = []
    opening = ""
    language = ""
    start = 0
    held: list[str] = []
    for line in lines(md):
        if not line.code:
            continue
        stripped = line.text.strip(" \t>")
        if not opening:
            opening = fence_opening(line.text) or "```"
            words = stripped.lstrip(opening[0]).split()
            language, start, held = (words[0].lower() if words else ""), line.number, []
        elif stripped.startswith(opening) and not stripped.strip(opening[0]):
            result.append(Fence(language, "\n".join(held), start))
            opening = ""
        else:
            held.append(line.text)
    if opening:
        result.append(Fence(language, "\n".join(held), start))
    return tuple(result)


def left_open(md: str) -> tuple[int, str] | None:
    """Line and name of a code block or comment that is never closed and swallows what follows."""
    opened = 0
    last = Line(0, "", False, False)
    for last in lines(md + "\n\n"):
        if last.comment and last.text.lstrip().startswith("<!--"):
            opened = last.number
    if last.code:
        return fences(md)[-1].line, "code block"
    return (opened, "comment") if last.comment else None


def mermaid_blocks(md: str) -> tuple[str, ...]:
    """The text of every fenced ``mermaid`` block."""
    return tuple(fence.text for fence in fences(md) if fence.language == "mermaid")


def _cells(row: str) -> tuple[str, ...]:
    text = row.strip()
    cells: list[str] = []
    current: list[str] = []
    escaped = False
    for char in text[1:] if text.startswith("|") else text:
        if escaped:
            current.append(char if char == "|" else "\\" + char)
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == "|":
            cells.append("".join(current))
            current = []
        else:
            current.append(char)
    if escaped:
        current.append("\\")
    if "".join(current).strip() or not text.endswith("|"):
        cells.append("".join(current))
    return tuple(_BREAK.sub("\n", cell).strip() for cell in cells)


def _is_delimiter(text: str, columns: int) -> bool:
    if "-" not in text or text.strip(" \t|:-"):
        return False
    cells = _cells(text)
    return len(cells) == columns and all(_DELIMITER_CELL.fullmatch(cell) for cell in cells)


def tables(body: str) -> tuple[Table, ...]:
    """All GitHub pipe tables outside code, in order."""
    result: list[Table] = []
    header: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] | None = None
    above = ""
    for line in lines(body):
        text = line.text.strip() if line.prose else ""
        if rows is not None:
            if text and heading(text) is None:
                cells = _cells(text)
                rows.append((*cells, *[""] * len(header))[: len(header)])
                continue
            result.append(Table(header, tuple(rows)))
            rows = None
        elif "|" in above and text and not text.strip(" \t|:-"):
            cells = _cells(above)
            if _is_delimiter(text, len(cells)):
                header, rows = cells, []
        above = text
    if rows is not None:
        result.append(Table(header, tuple(rows)))
    return tuple(result)


def table_rows(body: str) -> Table:
    """The first table, or an empty one."""
    found = tables(body)
    return found[0] if found else Table()


def list_items(body: str, *, ordered: bool | None = None) -> tuple[str, ...]:
    """The text of every list item, nested ones too, lines that continue it joined by a space.

    ``ordered`` keeps only numbered items, or only bullets.
    """
    items: list[tuple[bool, list[str]]] = []
    open_item = False
    for line in lines(body):
        text = line.text
        if not line.prose or not text.strip() or heading(text) is not None:
            open_item = False
            continue
        match = _ITEM.match(text)
        if match:
            items.append((match.group(1) is not None, [text[match.end() :].strip()]))
            open_item = True
        elif open_item and not text.lstrip().startswith("|"):
            items[-1][1].append(text.strip())
        else:
            open_item = False
    return tuple(
        " ".join(parts) for numbered, parts in items if ordered is None or numbered is ordered
    )


def plain(text: str) -> str:
    """Inline Markdown as plain text: links as their text, no emphasis or code marks."""
    return _MARKS.sub("", _LINK.sub(r"\1", _BREAK.sub("\n", text))).strip()


def normalise(text: str) -> str:
    """Text for comparison: plain, one form of each character, no case, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", plain(text)).casefold().split())


def links(md: str) -> tuple[Link, ...]:
    """Inline links and ``<https://…>`` outside fenced code, in order."""
    prose = "\n".join(line.text for line in lines(md) if line.prose)
    found = [(m.start(), Link(m.group(1), m.group(2))) for m in _LINK.finditer(prose)]
    found += [(m.start(), Link("", m.group(1))) for m in _BARE_LINK.finditer(prose)]
    return tuple(link for _, link in sorted(found, key=lambda pair: pair[0]))


def without_colophon(md: str) -> str:
    """The text without a last line that is wholly emphasised.

    Such a line says how the document came about; it is no part of its last section.
    """
    text = md.rstrip()
    last = text[text.rfind("\n") + 1 :].strip()
    emphasised = len(last) > 2 and last[0] == last[-1] and last[0] in "_*"
    if emphasised and last[1] not in " *_" and last[0] not in last[1:-1]:
        return text[: len(text) - len(last)].rstrip()
    return md
