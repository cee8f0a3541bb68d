"""Reads Deliverables: requirements, components, selected products, diagrams.

These readers never fail: what is not there comes back empty, and the contracts say what is
missing. The Markdown underneath is read by ``engine/markdown.py``, Mermaid by
``engine/flowcharts.py``; both are offered here too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.flowcharts import Edge, Flowchart, Subgraph, parse_flowchart
from engine.markdown import (
    LEAD_IN,
    Fence,
    Link,
    Section,
    Table,
    bare_title,
    body_of,
    fences,
    links,
    list_items,
    mermaid_blocks,
    normalise,
    plain,
    section,
    sections,
    table_rows,
    tables,
    without_colophon,
)

__all__ = [
    "COMPONENT_ID",
    "REQUIREMENT_ID",
    "Component",
    "Edge",
    "Fence",
    "Flowchart",
    "Link",
    "Requirement",
    "Section",
    "SelectionRow",
    "Subgraph",
    "Table",
    "bare_title",
    "body_of",
    "component_ids",
    "definitions",
    "fences",
    "links",
    "list_items",
    "mermaid_blocks",
    "normalise",
    "parse_components",
    "parse_flowchart",
    "parse_requirements",
    "parse_selection",
    "plain",
    "requirement_ids",
    "requirement_references",
    "section",
    "sections",
    "split_product",
    "table_rows",
    "tables",
    "without_colophon",
]


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement as defined; ``area`` is ``FR`` for functional ones, else such as ``SEC``."""

    id: str
    area: str
    text: str

    @property
    def functional(self) -> bool:
        """Whether it says what the workload does, not how well."""
        return self.area == "FR"


@dataclass(frozen=True, slots=True)
class Component:
    """A row of the decomposition; ``serves`` are requirement ids."""

    id: str
    name: str
    responsibility: str
    serves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SelectionRow:
    """A row of the product mapping; ``note`` is what follows " — " after the product."""

    component_id: str
    component: str
    product: str
    note: str
    justification: str
    alternatives: tuple[str, ...]
    pros_cons: str
    citations: tuple[Link, ...]


REQUIREMENT_ID = re.compile(r"(?<![\w-])(?:NFR-(?P<area>[A-Z]{2,12})|FR)-\d{1,6}(?!\w|-\w)")
COMPONENT_ID = re.compile(r"(?<![\w-])C-\d{1,5}(?!\w|-\w)")


def requirement_references(text: str) -> tuple[str, ...]:
    """Every requirement id that the text names, once each, in order."""
    return tuple(dict.fromkeys(match.group() for match in REQUIREMENT_ID.finditer(text)))


def _definition(text: str) -> Requirement | None:
    start = text.lstrip(" \t*_`[")
    match = REQUIREMENT_ID.match(start)
    if match is None:
        return None
    return Requirement(
        match.group(), match.group("area") or "FR", plain(start[match.end() :].lstrip(LEAD_IN))
    )


def definitions(body: str) -> tuple[Requirement, ...]:
    """Requirements that list items or table rows of this text define, repeated ids too."""
    found = [_definition(item) for item in list_items(body)]
    for table in tables(body):
        for row in table.rows:
            first = _definition(row[0]) if row else None
            if first is not None:
                rest = " ".join(plain(cell) for cell in row[1:2]) or first.text
                found.append(Requirement(first.id, first.area, rest))
    return tuple(requirement for requirement in found if requirement is not None)


def parse_requirements(md: str) -> tuple[Requirement, ...]:
    """The requirements that a requirements Deliverable defines, repeated ids too.

    Only the two requirement sections define; elsewhere a list item may begin with an id to talk
    about it. A text without these sections is read whole.
    """
    wanted = ("functional requirements", "non-functional requirements")
    parts = [s.body for s in sections(md) if bare_title(s.title) in wanted]
    return tuple(r for part in parts or [md] for r in definitions(part))


def requirement_ids(md: str) -> tuple[str, ...]:
    """The ids that a requirements Deliverable defines, once each, in order."""
    return tuple(dict.fromkeys(requirement.id for requirement in parse_requirements(md)))


def component_ids(text: str) -> tuple[str, ...]:
    """Every component id that the text names, once each, in order."""
    return tuple(dict.fromkeys(match.group() for match in COMPONENT_ID.finditer(text)))


def _cell(row: tuple[str, ...], column: int | None) -> str:
    return row[column] if column is not None and column < len(row) else ""


def parse_components(md: str) -> tuple[Component, ...]:
    """The rows of the table in "Components" (ID, Component, Responsibility, Serves)."""
    table = table_rows(body_of(md, "Components"))
    ident, name = table.column("ID"), table.column("Component")
    duty, serves = table.column("Responsibility"), table.column("Serves")
    if ident is None:
        return ()
    return tuple(
        Component(
            id=plain(_cell(row, ident)),
            name=plain(_cell(row, name)),
            responsibility=plain(_cell(row, duty)),
            serves=requirement_references(_cell(row, serves)),
        )
        for row in table.rows
    )


def split_product(cell: str) -> tuple[str, str]:
    """Product and note of a cell such as ``Some Product — one service an API``."""
    text = " ".join(plain(cell).split())
    found = [(text.find(dash), dash) for dash in (" — ", " – ", " - ") if dash in text]
    if not found:
        return text, ""
    position, dash = min(found)
    return text[:position].strip(), text[position + len(dash) :].strip()


def parse_selection(md: str) -> tuple[SelectionRow, ...]:
    """The rows of the table in "Product mapping"."""
    table = table_rows(body_of(md, "Product mapping"))
    component = table.column_starting("Component")
    product = table.column_starting("Recommended")
    why = table.column_starting("Justification")
    other = table.column_starting("Alternatives")
    versus = table.column_starting("Pros and cons")
    if component is None or product is None:
        return ()
    rows: list[SelectionRow] = []
    for row in table.rows:
        label = " ".join(plain(_cell(row, component)).split())
        ident = COMPONENT_ID.match(label)
        chosen, note = split_product(_cell(row, product))
        options = re.split(r"[;\n]", plain(_cell(row, other)))
        rows.append(
            SelectionRow(
                component_id=ident.group() if ident else "",
                component=(label[ident.end() :] if ident else label).strip(LEAD_IN),
                product=chosen,
                note=note,
                justification=plain(_cell(row, why)),
                alternatives=tuple(option.strip() for option in options if option.strip()),
                pros_cons=_cell(row, versus),
                citations=links(_cell(row, why)),
            )
        )
    return tuple(rows)
