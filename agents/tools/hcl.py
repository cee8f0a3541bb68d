"""Reads HCL (Terraform's language) into a small neutral tree, with tree-sitter's HCL grammar.

The grammar forgives more than Terraform does, so this is a reader and no judge of syntax: what it
cannot read it reports with its line, and ``terraform_fmt`` stays the authority. Nothing is
evaluated. A file of a solution (about 300 lines) takes a few milliseconds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import tree_sitter_hcl
from tree_sitter import Language, Node, Parser

Scalar = str | bool | int | float

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.S)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_DOUBLED = re.compile(r"([$%])\1\{")


class Kind(StrEnum):
    """What an expression is, as far as it can be told without evaluating it."""

    STRING = "string"  # quoted or heredoc (its outer white space is lost); see ``template``
    NUMBER = "number"
    BOOL = "bool"
    NULL = "null"
    LIST = "list"
    OBJECT = "object"
    REFERENCE = "reference"
    CALL = "call"
    FOR = "for"  # ``path`` holds the names that it binds
    OTHER = "other"  # operations, conditionals, directives


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression. ``line`` counts from 1; ``parts`` are all its direct sub-expressions.

    ``value`` is the constant of a string without interpolation, a number or a bool, else None.
    ``pairs`` are the entries of an object whose key is a plain name or string. ``path`` is a
    reference's names without its indices: ``google_a.b[0].c`` is ``("google_a", "b", "c")``;
    ``function`` is the name of the function that is called.
    """

    kind: Kind
    text: str
    line: int
    value: Scalar | None = None
    template: tuple[str | Expr, ...] = ()
    pairs: tuple[tuple[str, Expr], ...] = ()
    path: tuple[str, ...] = ()
    function: str = ""
    parts: tuple[Expr, ...] = ()

    def walk(self) -> Iterator[Expr]:
        """Yield this expression and everything inside it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def entry(self, key: str) -> Expr | None:
        """Return the value that an object has under ``key``."""
        return next((value for name, value in self.pairs if name == key), None)


@dataclass(frozen=True, slots=True)
class Attribute:
    """``name = expression``."""

    name: str
    expr: Expr
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block with its labels. A name that was assigned twice is listed in ``repeated``."""

    type: str
    labels: tuple[str, ...]
    attributes: Mapping[str, Attribute]
    blocks: tuple[Block, ...]
    line: int
    repeated: tuple[Attribute, ...] = ()

    @property
    def address(self) -> str:
        """How Terraform's users name it, such as ``google_storage_bucket.media``."""
        labels = self.labels if self.type == "resource" else (self.type, *self.labels)
        return ".".join(labels)

    def of_type(self, *types: str) -> Iterator[Block]:
        """Yield the direct nested blocks of these types."""
        return (block for block in self.blocks if block.type in types)

    def nested(self, *path: str) -> Iterator[Block]:
        """Yield the blocks at this path below, through the content of dynamic blocks too."""
        if not path:
            yield self
            return
        for block in self.blocks:
            if block.type == path[0]:
                yield from block.nested(*path[1:])
            elif block.type == "dynamic" and block.labels == path[:1]:
                for content in block.of_type("content"):
                    yield from content.nested(*path[1:])

    def walk(self) -> Iterator[Block]:
        """Yield this block and all blocks inside it."""
        yield self
        for block in self.blocks:
            yield from block.walk()

    def value(self, name: str) -> Scalar | None:
        """Return an attribute's constant, or None where it is absent or not constant."""
        attribute = self.attributes.get(name)
        return attribute.expr.value if attribute else None


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """A place that could not be read."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class HclFile:
    """One file: its top-level blocks, and its attributes where it is a ``.tfvars`` file."""

    path: str
    body: Block
    problems: tuple[SyntaxProblem, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The top-level blocks in order."""
        return self.body.blocks


def parse_hcl(path: str, text: str) -> HclFile:
    """Read one file. Never raises for bad input: see ``HclFile.problems``."""
    root = _parser().parse(text.encode("utf-8", "replace")).root_node
    problems = tuple(_problems(root)) if root.has_error else ()
    bodies = [child for child in root.named_children if child.type == "body"]
    try:
        body = _body("", (), bodies[0] if bodies else None, 1)
    except RecursionError:
        body = Block("", (), {}, (), 1)
        problems = (SyntaxProblem(1, "Expressions are nested too deeply to be read."),)
    return HclFile(path, body, problems)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_hcl.language()))


def _problems(root: Node) -> Iterator[SyntaxProblem]:
    """Yield the innermost broken places; an error node that wraps another says nothing new."""
    found: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        broken = [child for child in node.children if child.has_error or child.is_missing]
        pending.extend(broken)
        if node.is_missing or (node.is_error and not broken):
            found.add(node.end_point[0] + 1)
    for line in sorted(found or {root.end_point[0] + 1}):
        yield SyntaxProblem(line, f"Line {line} cannot be read as HCL.")


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _line(node: Node) -> int:
    return node.start_point[0] + 1


def _body(type_: str, labels: tuple[str, ...], node: Node | None, line: int) -> Block:
    attributes: dict[str, Attribute] = {}
    repeated: list[Attribute] = []
    blocks: list[Block] = []
    for child in node.named_children if node else ():
        if child.type == "block":
            blocks.append(_block(child))
        elif child.type == "attribute" and child.named_child_count >= 2:
            name, value = child.named_children[0], child.named_children[-1]
            attribute = Attribute(_text(name), _expr(value), _line(child))
            if attribute.name in attributes:
                repeated.append(attribute)
            else:
                attributes[attribute.name] = attribute
    return Block(type_, labels, attributes, tuple(blocks), line, tuple(repeated))


def _block(node: Node) -> Block:
    names = [c for c in node.named_children if c.type in ("identifier", "string_lit")]
    labels = tuple(
        _text(c) if c.type == "identifier" else str(_string(c).value or "") for c in names[1:]
    )
    body = next((c for c in node.named_children if c.type == "body"), None)
    return _body(_text(names[0]) if names else "", labels, body, _line(node))


def _expr(node: Node) -> Expr:
    """Translate an expression node, or any node that holds one."""
    match node.type:
        case "string_lit" | "quoted_template" | "heredoc_template":
            return _string(node)
        case "template_literal":  # inside a directive
            text = _text(node)
            return Expr(Kind.STRING, text, _line(node), value=text, template=(text,))
        case "numeric_lit":
            return Expr(Kind.NUMBER, _text(node), _line(node), value=_number(_text(node)))
        case "bool_lit":
            return Expr(Kind.BOOL, _text(node), _line(node), value=_text(node) == "true")
        case "null_lit":
            return Expr(Kind.NULL, _text(node), _line(node))
        case "tuple":
            items = tuple(_expr(c) for c in node.named_children if c.type == "expression")
            return Expr(Kind.LIST, _text(node), _line(node), parts=items)
        case "object":
            return _object(node)
        case "function_call":
            return _call(node)
        case _:
            return _sequence(node)


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _sequence(node: Node) -> Expr:
    """Read the children of a node in order, joining a name with the accesses after it."""
    if node.type == "unary_operation" and _text(node).startswith("-"):
        return _negative(node)
    parts: list[Expr] = []
    children = node.named_children
    at = 0
    while at < len(children):
        child = children[at]
        at += 1
        accesses: list[Node] = []
        while at < len(children) and children[at].type in ("get_attr", "index", "splat"):
            accesses.append(children[at])
            at += 1
        if child.type == "variable_expr":
            parts.append(_reference(child, accesses))
        elif child.named_child_count or child.type.endswith(("_lit", "_literal")):
            parts.append(_expr(child))
            parts.extend(_indices(accesses))
    if node.type in ("for_tuple_expr", "for_object_expr", "template_for"):
        bound = tuple(_bound(node))
        return Expr(Kind.FOR, _text(node), _line(node), path=bound, parts=tuple(parts))
    if len(parts) == 1 and node.type != "unary_operation":
        return parts[0]
    return Expr(Kind.OTHER, _text(node), _line(node), parts=tuple(parts))


def _bound(node: Node) -> Iterator[str]:
    for intro in node.named_children:
        if intro.type.endswith("_intro") or intro.type.startswith("template_for_start"):
            yield from (_text(c) for c in intro.named_children if c.type == "identifier")


def _negative(node: Node) -> Expr:
    operands = [_expr(child) for child in node.named_children]
    value = operands[0].value if len(operands) == 1 else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Expr(Kind.NUMBER, _text(node), _line(node), value=-value)
    return Expr(Kind.OTHER, _text(node), _line(node), parts=tuple(operands))


def _reference(node: Node, accesses: list[Node]) -> Expr:
    path = [_text(node)]
    for access in accesses:
        if access.type == "splat":
            for inner in access.named_children:
                path.extend(_names(inner.named_children))
        else:
            path.extend(_names([access]))
    text = "".join(map(_text, (node, *accesses)))
    parts = tuple(_indices(accesses))
    return Expr(Kind.REFERENCE, text, _line(node), path=tuple(path), parts=parts)


def _names(accesses: list[Node]) -> Iterator[str]:
    return (_text(a.named_children[0]) for a in accesses if a.type == "get_attr")


def _indices(accesses: list[Node]) -> Iterator[Expr]:
    for access in accesses:
        for index in access.named_children:
            yield from (_expr(c) for c in index.named_children if c.type == "expression")


def _object(node: Node) -> Expr:
    pairs: list[tuple[str, Expr]] = []
    parts: list[Expr] = []
    for element in node.named_children:
        if element.type != "object_elem" or element.named_child_count < 2:
            continue
        key, value = _expr(element.named_children[0]), _expr(element.named_children[-1])
        if key.kind is Kind.REFERENCE and _text(element).startswith("("):
            parts.append(key)
        elif key.kind is Kind.REFERENCE and len(key.path) == 1:
            pairs.append((key.path[0], value))
        elif key.kind is Kind.STRING and key.value is not None:
            pairs.append((str(key.value), value))
        else:
            parts.append(key)
        parts.append(value)
    return Expr(Kind.OBJECT, _text(node), _line(node), pairs=tuple(pairs), parts=tuple(parts))


def _call(node: Node) -> Expr:
    name = _text(node.named_children[0])
    arguments = next((c for c in node.named_children if c.type == "function_arguments"), None)
    parts = tuple(
        _expr(c) for c in (arguments.named_children if arguments else ()) if c.type == "expression"
    )
    return Expr(Kind.CALL, _text(node), _line(node), function=name, parts=parts)


def _string(node: Node) -> Expr:
    pieces: list[str | Expr] = []
    quoted = node.type != "heredoc_template"
    for child in node.named_children:
        if child.type == "template_literal":
            pieces.append(_unescape(_text(child), quoted=quoted))
        elif child.type in ("template_interpolation", "template_directive"):
            pieces.append(_sequence(child))
    parts = tuple(piece for piece in pieces if isinstance(piece, Expr))
    value = None if parts else "".join(str(piece) for piece in pieces)
    return Expr(
        Kind.STRING, _text(node), _line(node), value=value, template=tuple(pieces), parts=parts
    )


def _unescape(text: str, *, quoted: bool) -> str:
    if quoted:
        text = _ESCAPE.sub(_escaped, text)
    return _DOUBLED.sub(r"\1{", text)


def _escaped(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        point = int(code, 16)
        surrogate = 0xD800 <= point <= 0xDFFF
        return chr(point) if point <= sys.maxunicode and not surrogate else "\ufffd"
    return _ESCAPES.get(match[3], match[3])
