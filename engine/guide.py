"""Puts the Solution guide together from the approved Deliverables (SPEC: Contracts, packaging)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.contracts.form import MAX_TEXT_BYTES, byte_length
from engine.deliverables import Kind
from engine.documents import section, sections, without_colophon
from engine.markdown import heading, lines

_INCLUDE = re.compile(r"[ \t]*\{\{include[ \t]+([^\s#{}]+)[ \t]*(?:#([^{}\n]*))?\}\}[ \t]*")
_DEEPEST = 6


class ExpandError(ValueError):
    """An include line names what cannot be included; the message says which, and what can be."""


def expand(content: str, deliverables: Mapping[Kind, str]) -> str:
    """The guide with every include line replaced by what it names.

    ``{{include kind#Heading}}``, alone on its line and outside code, stands for the body under that
    heading; ``{{include kind}}`` for the whole content. ``deliverables`` are the approved contents.
    Headings of what is included move below the heading under which the line stands. The colophon
    of an included Deliverable is left out: it is about that document, not about the section.
    Nothing is expanded twice. Raises ExpandError.
    """
    result: list[str] = []
    level = 0
    size = 0
    for line in lines(content):
        match = _INCLUDE.fullmatch(line.text) if line.prose else None
        if match is None:
            head = heading(line.text) if line.prose else None
            level = head[0] if head else level
            text = line.text
        else:
            try:
                text = _demoted(_included(match.group(1), match.group(2), deliverables), level)
            except ExpandError as error:
                raise ExpandError(f"line {line.number}: {error}") from None
        size += byte_length(text) + 1
        if size > MAX_TEXT_BYTES + 1:
            raise ExpandError(
                f"line {line.number}: with its includes the guide has more than "
                f"{MAX_TEXT_BYTES:,} bytes; include less."
            )
        result.append(text)
    return "\n".join(result)


def _included(name: str, title: str | None, deliverables: Mapping[Kind, str]) -> str:
    try:
        kind = Kind(name)
    except ValueError:
        raise ExpandError(
            f"'{name[:60]}' is no Deliverable; include one of "
            f"{', '.join(known.value for known in deliverables)}."
        ) from None
    if kind not in deliverables:
        raise ExpandError(
            f"{kind} is not approved, so it cannot be included; include one of "
            f"{', '.join(known.value for known in deliverables)}."
        )
    content = without_colophon(deliverables[kind])
    if title is None:
        return content.strip("\n")
    found = section(content, title.strip()) if title.strip() else None
    if found is None:
        titles = ", ".join(f"'{part.title}'" for part in sections(content) if part.level <= 2)
        raise ExpandError(f"{kind} has no heading '{title.strip()[:80]}'; it has {titles}.")
    return found.body


def _demoted(text: str, level: int) -> str:
    """The text with its highest heading one level below ``level``, the others following it."""
    heads = [(line, heading(line.text) if line.prose else None) for line in lines(text)]
    highest = min((head[0] for _, head in heads if head), default=_DEEPEST)
    shift = max(0, level + 1 - highest)
    return "\n".join(
        line.text if head is None else f"{'#' * min(head[0] + shift, _DEEPEST)} {head[1]}"
        for line, head in heads
    )
