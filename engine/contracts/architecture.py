"""Contracts of product_selection, architecture_diagram and architecture_description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.contracts.base import (
    Code,
    ContractContext,
    Report,
    Submission,
    check_references,
    design_hosts,
    known_requirements,
    listed,
    official,
    product_name,
    quote,
    section_text,
    words,
)
from engine.deliverables import Kind
from engine.documents import (
    Flowchart,
    SelectionRow,
    list_items,
    mermaid_blocks,
    parse_components,
    parse_flowchart,
    parse_selection,
    plain,
    requirement_references,
    table_rows,
)

NOT_FOR_NEW_DESIGNS = ("retired", "deprecated")
"""Catalogue statuses that no selection may name."""

NODE_ID_LENGTH = 40
"""Characters of a diagram's node id."""

_COLUMNS = (
    "Component",
    "Recommended product",
    "Justification and citations",
    "Alternatives considered",
    "Pros and cons of alternatives",
)


def product_selection(submission: Submission, context: ContractContext, report: Report) -> None:
    """A row per component: product, reasons with ids and a citation, alternatives weighed."""
    body = section_text(submission, "Product mapping")
    check_references(submission.content, known_requirements(context), context, report)
    if not body:
        return
    table = table_rows(body)
    if not table.rows:
        report.add(
            Code.TABLE_MISSING,
            f"'## Product mapping' has no table with rows; add '| {' | '.join(_COLUMNS)} |', a "
            "delimiter row with as many columns, and a row per component.",
            "Product mapping",
        )
        return
    starts = ("Component", "Recommended", "Justification", "Alternatives", "Pros and cons")
    lacking = [
        name
        for name, start in zip(_COLUMNS, starts, strict=True)
        if table.column_starting(start) is None
    ]
    if lacking:
        report.add(
            Code.COLUMN_MISSING,
            f"the table in '## Product mapping' lacks the column {listed(lacking)}; its header is "
            f"'| {' | '.join(_COLUMNS)} |'.",
            "Product mapping",
        )
        return
    rows = parse_selection(submission.content)
    _components_covered(rows, context, report)
    for number, row in enumerate(rows, start=1):
        _selection_row(number, row, context, report)


def _components_covered(
    rows: Sequence[SelectionRow], context: ContractContext, report: Report
) -> None:
    components = parse_components(context.content(Kind.TECHNICAL_DECOMPOSITION))
    chosen = {row.component_id for row in rows}
    missing = [f"{c.id} {c.name}" for c in components if c.id not in chosen]
    if missing:
        report.add(
            Code.COMPONENT_WITHOUT_PRODUCT,
            f"no row for {listed(missing)}; add one row each to '## Product mapping', the first "
            "cell beginning with the id.",
            "Product mapping",
        )
    known = {component.id for component in components}
    for number, row in enumerate(rows, start=1):
        if row.component_id not in known:
            report.add(
                Code.UNKNOWN_COMPONENT,
                f"row {number} of '## Product mapping': the component "
                f"{quote(row.component_id or row.component)} is none of the decomposition; begin "
                f"the cell with one of {listed(sorted(known))}.",
                f"Product mapping, row {number}",
            )


def _selection_row(
    number: int, row: SelectionRow, context: ContractContext, report: Report
) -> None:
    where = f"Product mapping, row {number}"
    label = f"row {number} of '## Product mapping' ({row.component_id or quote(row.component)})"
    if not row.product:
        report.add(Code.PRODUCT_MISSING, f"{label} recommends no product; name one.", where)
    for name, role in ((row.product, "recommends"), *((a, "considers") for a in row.alternatives)):
        _not_retired(name, f"{label} {role}", context, report, where)
    reasons = requirement_references(row.justification)
    if not re.search(r"\w", row.justification) or not reasons:
        report.add(
            Code.JUSTIFICATION,
            f"{label}: the justification names no requirement id; say which requirements "
            f"{row.product or 'the product'} meets and how.",
            where,
        )
    if not official(row.citations, context.docs_hosts):
        report.add(
            Code.CITATION_MISSING,
            f"{label}: the justification has no citation; add a link [title](https://…) to "
            f"official documentation ({listed(design_hosts(context.docs_hosts))}).",
            where,
        )
    others = [a for a in row.alternatives if words(a) != words(row.product)]
    if not others or not any(re.search(r"\w", other) for other in others):
        report.add(
            Code.ALTERNATIVE_MISSING,
            f"{label} considers no alternative to {row.product or 'the product'}; name at least "
            "one, separated by '; '.",
            where,
        )
        return
    unweighed = _unweighed(others, row.pros_cons)
    if unweighed:
        report.add(
            Code.PROS_CONS,
            f"{label}: pros and cons are missing for {listed(unweighed)}; write '**Name** Pros: … "
            "Cons: …' for each alternative, joined with <br>.",
            where,
        )


def _not_retired(
    name: str, label: str, context: ContractContext, report: Report, where: str
) -> None:
    found = context.catalogue.find(name)
    candidates = [found] if found else [m.product for m in context.catalogue.mentions(name)]
    for product in candidates:
        if product.status in NOT_FOR_NEW_DESIGNS:
            instead = f"; its successor is {product.successor}" if product.successor else ""
            report.add(
                Code.PRODUCT_RETIRED,
                f"{label} {product.name}, which is {product.status}{instead}; name another.",
                where,
            )


def _unweighed(alternatives: Sequence[str], cell: str) -> list[str]:
    """Alternatives for which the cell does not give both pros and cons."""
    text = words(cell)
    if len(alternatives) == 1:
        return [] if _weighed(text) else list(alternatives)
    names = {a: words(re.split(r" \(| — | – ", a)[0]) for a in alternatives}
    taken = text
    starts: dict[str, int] = {}
    for alternative, name in sorted(names.items(), key=lambda pair: -len(pair[1])):
        position = taken.find(name)
        if position >= 0:  # a longer name's words must not be found again as a shorter name
            starts[alternative] = position
            hidden = len(name) - 2
            taken = taken[: position + 1] + "\0" * hidden + taken[position + 1 + hidden :]
    order = sorted(starts.values())
    unweighed = []
    for alternative in alternatives:
        if alternative not in starts:
            unweighed.append(alternative)
            continue
        start = starts[alternative]
        end = next((position for position in order if position > start), len(text))
        if not _weighed(text[start + len(names[alternative]) - 1 : end]):
            unweighed.append(alternative)
    return unweighed


def _weighed(text: str) -> bool:
    pros, cons = re.search(r"\bpros?\b", text), re.search(r"\bcons?\b", text)
    if pros is None or cons is None:
        return False
    first, second = sorted((pros, cons), key=lambda match: match.start())
    return bool(re.search(r"\w", text[first.end() : second.start()])) and bool(
        re.search(r"\w", text[second.end() :])
    )


def architecture_diagram(submission: Submission, context: ContractContext, report: Report) -> None:
    """One Mermaid flowchart that parses, with every selected product and no orphan."""
    blocks = mermaid_blocks(submission.content)
    if len(blocks) != 1:
        report.add(
            Code.DIAGRAM_COUNT,
            f"{len(blocks)} Mermaid blocks; there must be exactly one, fenced as ```mermaid, under "
            "'## Diagram'.",
            "Diagram",
        )
        return
    chart = parse_flowchart(blocks[0])
    errors = list(context.checkers.mermaid_errors(blocks[0]))
    if not errors and not chart.header:
        errors = ["it is no flowchart; begin with 'flowchart TD' or 'flowchart LR'"]
    if errors:
        for error in errors:
            report.add(
                Code.DIAGRAM_SYNTAX,
                f"the Mermaid diagram does not parse: {' '.join(error.split())}",
                "Diagram",
            )
        return
    _products_shown(chart, context, report)
    long = [ident for ident in chart.nodes if len(ident) > NODE_ID_LENGTH]
    if long:
        report.add(
            Code.DIAGRAM_NODE_ID,
            f"{listed([quote(ident) for ident in long], 3)}: the id of a node is longer than "
            f"{NODE_ID_LENGTH} characters; give a short id and put the words in the label.",
            "Diagram",
        )
    orphans = chart.orphans()
    if orphans or not chart.nodes:
        report.add(
            Code.DIAGRAM_ORPHAN,
            f"no edge at {listed(orphans)}; link each node, or leave it out."
            if orphans
            else "the diagram has no nodes; draw the components and the flows between them.",
            "Diagram",
        )


def _products_shown(chart: Flowchart, context: ContractContext, report: Report) -> None:
    labels = [_Named.of(label.replace("\n", " "), context) for label in chart.nodes.values()]
    missing = [
        name
        for name in selected_products(context)
        if not any(name in label.products or words(name) in label.words for label in labels)
    ]
    if missing:
        report.add(
            Code.DIAGRAM_PRODUCT,
            f"no node for {listed(missing)}; every selected product stands in the label of a node.",
            "Diagram",
        )


@dataclass(frozen=True, slots=True)
class _Named:
    """A label or the start of a list item: its words, and the products that it names."""

    words: str
    products: frozenset[str]

    @classmethod
    def of(cls, text: str, context: ContractContext) -> _Named:
        found = frozenset(m.product.name for m in context.catalogue.mentions(plain(text)))
        return cls(words(text), found)


def selected_products(context: ContractContext) -> tuple[str, ...]:
    """The names of the products that product_selection recommends, once each."""
    rows = parse_selection(context.content(Kind.PRODUCT_SELECTION))
    names = (product_name(row.product, context.catalogue) for row in rows if row.product)
    return tuple(dict.fromkeys(names))


_LEAD = re.compile(r"\*\*(.+?)\*\*|__(.+?)__")
_LEAD_END = re.compile(r":\s|:$| — | – ")
LEAD_LENGTH = 160


def _lead(item: str) -> tuple[str, str]:
    """What a list item is about, and what it says: the bold start, or all before the colon."""
    bold = _LEAD.match(item[:LEAD_LENGTH])
    if bold:
        return bold.group(1) or bold.group(2), item[bold.end() :]
    end = _LEAD_END.search(item, 0, LEAD_LENGTH)
    return (item[: end.start()], item[end.end() :]) if end else (item[:LEAD_LENGTH], item)


def architecture_description(
    submission: Submission, context: ContractContext, report: Report
) -> None:
    """A purpose for every node of the diagram, and numbered data and control flows."""
    check_references(submission.content, known_requirements(context), context, report)
    _nodes_described(submission, context, report)
    for title in ("Data flow", "Control flow"):
        body = section_text(submission, title)
        if body and not list_items(body, ordered=True):
            report.add(
                Code.LIST_MISSING,
                f"'## {title}' has no numbered list; write it as steps '1. …', '2. …'.",
                title,
            )


def _nodes_described(submission: Submission, context: ContractContext, report: Report) -> None:
    body = section_text(submission, "Components")
    if not body:
        return
    leads = [_lead(item) for item in list_items(body)]
    if not leads:
        report.add(
            Code.LIST_MISSING,
            "'## Components' has no list; add one item '- **<node>**: purpose' per node.",
            "Components",
        )
        return
    short = [plain(lead) for lead, rest in leads if len(words(rest).split()) < 3]
    if short:
        report.add(
            Code.PURPOSE,
            f"'## Components' does not say what {listed(short)} is for; write its purpose after "
            "the name.",
            "Components",
        )
    named = [_Named.of(lead, context) for lead, _ in leads]
    blocks = mermaid_blocks(context.content(Kind.ARCHITECTURE_DIAGRAM))
    labels = dict.fromkeys(parse_flowchart(blocks[0]).nodes.values()) if blocks else {}
    missing = [" ".join(label.split()) for label in labels if not _described(label, named, context)]
    if missing:
        report.add(
            Code.NODE_NOT_DESCRIBED,
            f"'## Components' has no item for the diagram's {listed(missing)}; add "
            "'- **<node>**: purpose' with the words of the node's label.",
            "Components",
        )


def _described(label: str, leads: Iterable[_Named], context: ContractContext) -> bool:
    """Whether one of the items is about this node: by its label, its first line or its product."""
    node, first = _Named.of(label, context), words(label.split("\n")[0])
    if not node.words.strip():
        return True
    for lead in leads:
        if first in lead.words or node.words in lead.words or node.products & lead.products:
            return True
        if len(lead.words.strip()) > 2 and lead.words in node.words:
            return True
    return False
