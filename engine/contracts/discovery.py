"""Contracts of Phase 1: requirements and technical_decomposition.

Discovery stays apart from solutioning: neither names a product as a solution.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from engine.contracts.base import (
    Code,
    ContractContext,
    MentionLike,
    ProductLike,
    Report,
    Submission,
    check_references,
    known_requirements,
    listed,
    quote,
    requirements_text,
    says_none,
    section_text,
)
from engine.documents import (
    COMPONENT_ID,
    Requirement,
    component_ids,
    definitions,
    list_items,
    parse_components,
    parse_requirements,
    plain,
    requirement_ids,
    sections,
    table_rows,
    tables,
    without_colophon,
)
from engine.markdown import bare_title, lines

_LOOKS_LIKE_ID = re.compile(
    r"[\s*_`]*(N?FR(?:[-_ ][A-Z]{1,12}|[-_][A-Za-z]{1,12})?[-_ ]?\d{1,6}"
    r"|n?fr-(?:[a-z]{1,12}-)?\d{1,6})(?![\w-])"
)
_NOTE_ID = {
    "Assumptions": ("A", re.compile(r"[\s*_`\[]*A-(\d{1,5})(?!\w)")),
    "Contradictions and open questions": ("Q", re.compile(r"[\s*_`\[]*Q-(\d{1,5})(?!\w)")),
}
_OUTSIDE_SOLUTION = ("current state", "discovery gaps")


def requirements(submission: Submission, context: ContractContext, report: Report) -> None:
    """Ids in their sections, assumptions and questions with ids, no product as a solution."""
    content = without_colophon(submission.content)
    found = parse_requirements(content)
    _placed(submission, "Functional requirements", True, report)
    _placed(submission, "Non-functional requirements", False, report)
    repeated = [i for i, count in Counter(r.id for r in found).items() if count > 1]
    if repeated:
        report.add(
            Code.REQUIREMENT_REPEATED,
            f"{listed(repeated)}: defined more than once; give every requirement its own id.",
        )
    for requirement in found:
        if not re.search(r"\w", requirement.text):
            report.add(
                Code.REQUIREMENT_TEXT,
                f"{requirement.id} says nothing; write what is required after the id.",
                requirement.id,
            )
    for title in _NOTE_ID:
        _numbered_notes(submission, title, report)
    check_references(content, frozenset(requirement_ids(content)), context, report)
    _no_product(content, content, context, report)


def _placed(submission: Submission, title: str, functional: bool, report: Report) -> None:
    """Each of the two sections defines requirements of its own sort, and at least one."""
    body = section_text(submission, title)
    if not body:
        return
    example = "FR-1" if functional else "NFR-SEC-1"
    found = definitions(body)
    strangers = [r.id for r in found if r.functional is not functional]
    if strangers:
        report.add(
            Code.REQUIREMENT_PLACE,
            f"{listed(strangers)} stand under '## {title}'; move FR-… to 'Functional "
            "requirements' and NFR-… to 'Non-functional requirements'.",
            title,
        )
    malformed = _malformed(body, found)
    if malformed:
        report.add(
            Code.REQUIREMENT_ID,
            f"{listed(malformed)} under '## {title}' has not the form FR-1 or NFR-SEC-1 (area in "
            "capital letters: SEC, REL, COST, OPS, PERF, SUS); rename it.",
            title,
        )
    elif not found:
        report.add(
            Code.REQUIREMENT_MISSING,
            f"'## {title}' defines no requirement; begin each list item with its id, such as "
            f"'- **{example}**: …'.",
            title,
        )


def _malformed(body: str, found: tuple[Requirement, ...]) -> list[str]:
    """What stands where an id belongs and looks like one, but is none."""
    starts = [*list_items(body), *(row[0] for table in tables(body) for row in table.rows if row)]
    matches = (_LOOKS_LIKE_ID.match(start) for start in starts)
    known = {requirement.id for requirement in found}
    return [m.group(1) for m in matches if m and m.group(1) not in known]


def _numbered_notes(submission: Submission, title: str, report: Report) -> None:
    """List items A-1, A-2 … (Q-1 …), once each, or a sentence that there are none."""
    body = section_text(submission, title)
    letter, pattern = _NOTE_ID[title]
    if not body:
        return
    items = list_items(body)
    tabled = [row[0] for table in tables(body) for row in table.rows if row]
    ids = [m.group(1) for m in (pattern.match(text) for text in (*items, *tabled)) if m]
    repeated = [f"{letter}-{i}" for i, count in Counter(ids).items() if count > 1]
    if repeated:
        report.add(
            Code.NOTE_ID,
            f"{listed(repeated)} under '## {title}' stands more than once; number each anew.",
            title,
        )
    if not ids and not says_none(body):
        report.add(
            Code.NOTE_ID,
            f"'## {title}' has no list item '- **{letter}-1**: …'; number each one so, or say "
            "that there are none.",
            title,
        )


def technical_decomposition(
    submission: Submission, context: ContractContext, report: Report
) -> None:
    """A component table that serves every functional requirement, and flows between components."""
    content = without_colophon(submission.content)
    known = known_requirements(context)
    _components(submission, context, report)
    _flows(submission, report)
    check_references(content, known, context, report)
    _no_product(content, requirements_text(context), context, report)


def _components(submission: Submission, context: ContractContext, report: Report) -> None:
    body = section_text(submission, "Components")
    if not body:
        return
    table = table_rows(body)
    wanted = ("ID", "Component", "Responsibility", "Serves")
    if not table.rows:
        report.add(
            Code.TABLE_MISSING,
            f"'## Components' has no table with rows; add '| {' | '.join(wanted)} |', a delimiter "
            "row with as many columns, and one row per component.",
            "Components",
        )
        return
    lacking = [name for name in wanted if table.column(name) is None]
    if lacking:
        report.add(
            Code.COLUMN_MISSING,
            f"the table in '## Components' lacks the column {listed(lacking)}; its header is "
            f"'| {' | '.join(wanted)} |'.",
            "Components",
        )
        return
    rows = parse_components(submission.content)
    served = {i for row in rows for i in row.serves}
    for number, row in enumerate(rows, start=1):
        _component(number, row.id, row.name, row.responsibility, row.serves, report)
    repeated = [i for i, count in Counter(row.id for row in rows).items() if i and count > 1]
    if repeated:
        report.add(
            Code.COMPONENT_REPEATED,
            f"{listed(repeated)}: more than one row in '## Components'; give each component its "
            "own id.",
            "Components",
        )
    functional = [r.id for r in parse_requirements(requirements_text(context)) if r.functional]
    unserved = [i for i in dict.fromkeys(functional) if i not in served]
    if unserved:
        report.add(
            Code.NOT_SERVED,
            f"{listed(unserved)}: no component serves it; name it in 'Serves' of the component "
            "that does, or add a component.",
            "Components",
        )


def _component(
    number: int, ident: str, name: str, duty: str, serves: tuple[str, ...], report: Report
) -> None:
    if not COMPONENT_ID.fullmatch(ident):
        report.add(
            Code.COMPONENT_ID,
            f"row {number} of '## Components': the id {quote(ident)} has not the form C-1.",
            f"Components, row {number}",
        )
    if not name or not duty:
        lacking = "name" if not name else "responsibility"
        report.add(
            Code.COMPONENT_TEXT,
            f"row {number} of '## Components' ({ident}) has no {lacking}; add it.",
            f"Components, row {number}",
        )
    if not serves:
        report.add(
            Code.SERVES_NOTHING,
            f"row {number} of '## Components' ({ident}) serves no requirement; name the ids in "
            "'Serves', or leave the component out.",
            f"Components, row {number}",
        )


_ARROW = re.compile(r"->|→|=>|⇒|↔|-\\>|&gt;")


def _flows(submission: Submission, report: Report) -> None:
    body = section_text(submission, "Interfaces and flows")
    if not body:
        return
    known = {row.id for row in parse_components(submission.content)}
    items = list_items(body)
    if not any(_ARROW.search(item) and component_ids(item) for item in items):
        report.add(
            Code.FLOW_MISSING,
            "'## Interfaces and flows' has no list item such as 'C-1 -> C-2: what, protocol, "
            "volume'; add one per flow.",
            "Interfaces and flows",
        )
    unknown = [i for i in component_ids(body) if known and i not in known]
    if unknown:
        report.add(
            Code.UNKNOWN_COMPONENT,
            f"{listed(unknown)} in '## Interfaces and flows': no such row in '## Components'; use "
            "the ids there.",
            "Interfaces and flows",
        )


def _no_product(
    content: str, requirements_md: str, context: ContractContext, report: Report
) -> None:
    """No product of the catalogue, except one that the user or the current state names.

    "Current state" says what there is. "Discovery gaps" says what could not be read there, and so
    may name it too, but allows it nowhere else.
    """
    found: dict[str, MentionLike] = {}
    for mention in context.catalogue.mentions(_solution_text(content)):
        found.setdefault(mention.product.name, mention)
    if not found:
        return
    current = "\n".join(
        part.body for part in sections(requirements_md) if bare_title(part.title) == "current state"
    )
    products = [mention.product for mention in found.values()]
    allowed = _named(products, context.request, context) | _named(products, current, context)
    for name, mention in found.items():
        if name not in allowed:
            report.add(
                Code.PRODUCT_NAMED,
                f"{quote(mention.text)} names the product {name}, which neither the user nor the "
                "current state names; describe the need without a product, the selection comes "
                "later.",
                mention.text,
            )


def _solution_text(content: str) -> str:
    """The document without the sections that say what there is."""
    rows = [line.text for line in lines(content)]
    for part in sections(content):
        if bare_title(part.title) in _OUTSIDE_SOLUTION:
            rows[part.line - 1 : part.end] = [""] * (part.end - part.line + 1)
    return "\n".join(rows)


def _named(products: Iterable[ProductLike], text: str, context: ContractContext) -> set[str]:
    """Which of the products a text names; people spell in any case, so case does not matter."""
    named = {mention.product.name for mention in context.catalogue.mentions(text)}
    flat = " ".join(plain(text).casefold().split())
    for product in products:
        if any(_whole(spelling.casefold(), flat) for spelling in product.spellings):
            named.add(product.name)
    return named


def _whole(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
