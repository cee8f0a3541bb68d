"""Reads Mermaid flowcharts: nodes with their labels, edges, subgraphs.

This is a reader, not a judge: whether a diagram parses is for the injected Mermaid checker to say
(``engine/contracts``). What the reader does not know it passes over up to the end of the statement.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """A link between two nodes or subgraphs, in the order written."""

    source: str
    target: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A subgraph; ``members`` are the nodes and subgraphs first named inside it."""

    id: str
    title: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flowchart:
    """What a flowchart shows. ``nodes`` maps ids to labels; labels may have several lines.

    ``header`` is ``graph`` or ``flowchart``, or empty where the text is no flowchart.
    """

    nodes: Mapping[str, str]
    edges: tuple[Edge, ...] = ()
    subgraphs: tuple[Subgraph, ...] = ()
    header: str = ""

    def orphans(self) -> tuple[str, ...]:
        """Nodes without an edge; an edge of a subgraph counts for all that it holds."""
        linked = {end for edge in self.edges for end in (edge.source, edge.target)}
        for graph in self.subgraphs:  # outer ones come before inner ones
            if graph.id in linked:
                linked.update(graph.members)
        return tuple(node for node in self.nodes if node not in linked)


_HEADER = re.compile(r"(graph|flowchart)(?:-elk)?(?:[ \t]+(?:TB|TD|BT|RL|LR|[<>^v]))?(?=[\s;]|$)")
_IGNORED = re.compile(r"(?:style|classDef|class|click|linkStyle|direction|accTitle|accDescr)\b")
_ID = re.compile(r"(?:\w|[-.](?=\w))+")
_CLASS = re.compile(r":::[\w-]+")
_EDGE_ID = re.compile(r"\w+@(?=[<xo]?[-=~])")
_LINK = re.compile(r"[<xo]?(?:-{2,}[-xo>]|={2,}[=xo>]|-\.+-[xo>]?|~{3,})")
_LINK_START = re.compile(r"[<xo]?(--|==|-\.)")
_LINK_END = {
    "--": re.compile(r"-{2,}[-xo>]"),
    "==": re.compile(r"={2,}[=xo>]"),
    "-.": re.compile(r"\.{1,20}-[xo>]?"),
}
_SHAPES = (
    ("(((", (")))",)),
    ("([", ("])",)),
    ("((", ("))",)),
    ("[[", ("]]",)),
    ("[(", (")]",)),
    ("[/", ("/]", "\\]")),
    ("[\\", ("\\]", "/]")),
    ("{{", ("}}",)),
    ("[", ("]",)),
    ("(", (")",)),
    ("{", ("}",)),
    (">", ("]",)),
)
_TYPED = re.compile(r"@\{([^{}]*)\}")
_TYPED_LABEL = re.compile(r"\blabel:[ \t]*(?:\"([^\"]*)\"|([^,\"]*))")
_BREAK = re.compile(r"<br ?/?>|\\n", re.IGNORECASE)
_ENTITY = re.compile(r"#(\d{1,6}|[a-z]{2,8});")
_LABEL_LENGTH = 2000
_PAIRS = 400
"""Beyond so many pairs, ``A & B --> C & D`` keeps each end linked instead of linking all to all."""


def _entity(match: re.Match[str]) -> str:
    """Mermaid's ``#quot;`` and ``#35;`` as HTML has them."""
    name = match.group(1)
    return f"&#{name};" if name.isdigit() else f"&{name};"


def clean_label(text: str) -> str:
    """A label as a reader sees it: no quotes, no backticks, ``<br>`` as a line break."""
    label = text.strip()
    if len(label) > 1 and label[0] == label[-1] == '"':
        label = label[1:-1].strip()
    if len(label) > 1 and label[0] == label[-1] == "`":
        label = label[1:-1]
    label = html.unescape(_ENTITY.sub(_entity, _BREAK.sub("\n", label)))
    return "\n".join(" ".join(line.split()) for line in label.split("\n")).strip()


class _Reader:
    """A cursor over the text; every step moves it forward."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.nodes: dict[str, str] = {}
        self.edges: list[Edge] = []
        self.open: list[int] = []
        self.graphs: list[tuple[str, str, dict[str, None]]] = []
        self.graph_ids: set[str] = set()

    def read(self) -> None:
        while self.at < len(self.text):
            self.skip(" \t\r\n;")
            if self.at < len(self.text):
                self.statement()

    def skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def rest(self, stops: str = "\n;") -> str:
        """Everything up to a stop outside quotes, which is left standing."""
        start = self.at
        quoted = False
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                quoted = not quoted
            elif char == "\n" or (char in stops and not quoted):
                break
            self.at += 1
        return self.text[start : self.at]

    def statement(self) -> None:
        if self.text.startswith("%%", self.at):
            self.rest("\n")
        elif self.word("subgraph"):
            self.subgraph()
        elif self.word("end"):
            if self.open:
                self.open.pop()
        elif _IGNORED.match(self.text, self.at) and not self.is_node():
            self.rest()
        else:
            self.chain()
            self.rest()

    def word(self, word: str) -> bool:
        after = self.text[self.at + len(word) : self.at + len(word) + 1]
        if self.text.startswith(word, self.at) and (not after or after in " \t\r\n;"):
            self.at += len(word)
            return True
        return False

    def is_node(self) -> bool:
        """Whether a keyword is used as a node's id, as in ``class[Label]`` or ``style-->B``."""
        match = _ID.match(self.text, self.at)
        return match is not None and self.text[match.end() : match.end() + 1] in tuple("[({>-=@")

    def subgraph(self) -> None:
        head = self.rest().strip()
        match = _ID.match(head)
        title = head
        ident = head
        if match and head[match.end() :].lstrip()[:1] == "[":
            ident = match.group()
            title = head[match.end() :].strip()[1:].removesuffix("]")
        ident = clean_label(ident)
        self.nodes.pop(ident, None)
        self.graph_ids.add(ident)
        self.belongs(ident)
        self.graphs.append((ident, clean_label(title), {}))
        self.open.append(len(self.graphs) - 1)

    def belongs(self, ident: str) -> None:
        if self.open:
            self.graphs[self.open[-1]][2].setdefault(ident)

    def chain(self) -> None:
        sources = self.group()
        while sources:
            self.skip(" \t")
            label = self.link()
            if label is None:
                return
            self.skip(" \t\r\n")
            targets = self.group()
            self.join(sources, targets, label)
            sources = targets

    def join(self, sources: list[str], targets: list[str], label: str) -> None:
        if not targets:
            return
        if len(sources) * len(targets) <= _PAIRS:
            pairs = [(a, b) for a in sources for b in targets]
        else:
            pairs = [(a, targets[0]) for a in sources] + [(sources[0], b) for b in targets]
        self.edges.extend(Edge(a, b, label) for a, b in pairs)

    def group(self) -> list[str]:
        found: list[str] = []
        while True:
            ident = self.node()
            if ident is None:
                return found
            found.append(ident)
            before = self.at
            self.skip(" \t")
            if not self.text.startswith("&", self.at):
                self.at = before
                return found
            self.at += 1
            self.skip(" \t\r\n")

    def node(self) -> str | None:
        match = self.take(_ID)
        if match is None:
            return None
        ident = match.group()
        label = self.shape()
        typed = self.take(_TYPED)
        if typed:
            named = _TYPED_LABEL.search(typed.group(1))
            label = (named.group(1) or named.group(2) or "") if named else label
        self.take(_CLASS)
        if label is not None:
            self.nodes[ident] = clean_label(label)
        elif ident not in self.graph_ids:
            self.nodes.setdefault(ident, ident)
        self.belongs(ident)
        return ident

    def shape(self) -> str | None:
        for opening, closings in _SHAPES:
            if not self.text.startswith(opening, self.at):
                continue
            start = self.at + len(opening)
            inside = start
            while self.text[inside : inside + 1] in (" ", "\t"):
                inside += 1
            limit = start + _LABEL_LENGTH  # an open bracket must not cost a look at all the text
            if self.text.startswith('"', inside):
                quote = self.text.find('"', inside + 1, limit)
                inside = quote + 1 if quote >= 0 else inside
            ends = [(self.text.find(c, inside, limit), c) for c in closings]
            ends = [(position, c) for position, c in ends if position >= 0]
            if not ends:
                continue
            position, closing = min(ends)
            self.at = position + len(closing)
            return self.text[start:position]
        return None

    def link(self) -> str | None:
        """The link's label, empty without one; None where no link stands."""
        self.take(_EDGE_ID)
        if self.take(_LINK):
            return self.pipe_label()
        start = _LINK_START.match(self.text, self.at)
        if start is None:
            return None
        inside = start.end()
        line_end = self.text.find("\n", inside)
        line_end = len(self.text) if line_end < 0 else line_end
        search = inside
        while self.text[search : search + 1] in (" ", "\t"):
            search += 1
        if self.text.startswith('"', search):
            search = max(self.text.find('"', search + 1, line_end), search)
        end = _LINK_END[start.group(1)].search(self.text, search, line_end)
        if end is None:
            return None
        self.at = end.end()
        return clean_label(self.text[inside : end.start()]) or self.pipe_label()

    def pipe_label(self) -> str:
        before = self.at
        self.skip(" \t")
        if not self.text.startswith("|", self.at):
            self.at = before
            return ""
        end = self.text.find("|", self.at + 1, self.at + _LABEL_LENGTH)
        if end < 0:
            return ""
        label = self.text[self.at + 1 : end]
        self.at = end + 1
        return clean_label(label)


def parse_flowchart(text: str) -> Flowchart:
    """Nodes, edges and subgraphs of a ``flowchart`` or ``graph``; empty for anything else."""
    body = text.replace("\r\n", "\n").strip()
    if body.startswith("---\n"):  # front matter
        end = body.find("\n---", 3)
        body = body[end + 4 :] if end >= 0 else body
    start = 0
    rows = body.split("\n")
    while start < len(rows) and (not rows[start].strip() or rows[start].lstrip().startswith("%%")):
        start += 1
    body = "\n".join(rows[start:]).lstrip()
    header = _HEADER.match(body)
    if header is None:
        return Flowchart({})
    reader = _Reader(body[header.end() :])
    reader.read()
    graphs = tuple(Subgraph(ident, title, tuple(held)) for ident, title, held in reader.graphs)
    names = {graph.id for graph in graphs}
    nodes = {ident: label for ident, label in reader.nodes.items() if ident not in names}
    return Flowchart(nodes, tuple(reader.edges), graphs, header.group(1))
