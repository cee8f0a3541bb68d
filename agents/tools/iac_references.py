"""Finds references to variables, locals, modules, resources and attributes that do not exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from agents.tools.hcl import Block, Expr, Kind
from agents.tools.iac_module import Module
from agents.tools.schema_table import SchemaTable

_ELSEWHERE = frozenset({"each", "count", "self", "path", "terraform"})
# These speak of what was, of providers, or of the block itself.
_SKIPPED_BLOCKS = frozenset({"moved", "removed"})
_SKIPPED_ATTRIBUTES = frozenset({"provider", "providers", "ignore_changes"})


@dataclass(frozen=True, slots=True)
class Broken:
    """A reference that leads nowhere; ``known`` are the names that would have been right."""

    path: str
    line: int
    address: str
    name: str
    known: tuple[str, ...]
    message: str


def broken_references(module: Module, table: SchemaTable) -> Iterator[Broken]:
    """Yield each reference in the module whose target is not declared in it."""
    for located in module.blocks:
        block = located.block
        if block.type in _SKIPPED_BLOCKS:
            continue
        bound = _bound_names(block)
        for line, expr in _references(block):
            if expr.path[0] in bound or expr.path[0] in _ELSEWHERE:
                continue
            problem = _problem(expr, module, table)
            if problem is not None:
                name, known, message = problem
                yield Broken(located.path, line, block.address, name, tuple(known), message)


def _bound_names(block: Block) -> set[str]:
    """Collect the names that ``for`` expressions and dynamic blocks bind anywhere in the block."""
    bound: set[str] = set()
    for inner in block.walk():
        if inner.type == "dynamic" and inner.labels:
            iterator = inner.attributes.get("iterator")
            bound.add(iterator.expr.text if iterator else inner.labels[0])
        for attribute in inner.attributes.values():
            for expr in attribute.expr.walk():
                if expr.kind is Kind.FOR:
                    bound.update(expr.path)
    return bound


def _references(block: Block) -> Iterator[tuple[int, Expr]]:
    for inner in block.walk():
        for attribute in inner.attributes.values():
            if attribute.name not in _SKIPPED_ATTRIBUTES:
                for expr in attribute.expr.walk():
                    if expr.kind is Kind.REFERENCE:
                        yield expr.line, expr


_Problem = tuple[str, Collection[str], str]


def _problem(expr: Expr, module: Module, table: SchemaTable) -> _Problem | None:
    root, *rest = expr.path
    if not rest:
        return None  # a bare word: a type name, or a name that Terraform itself binds
    match root:
        case "var":
            return _undeclared("variable", rest[0], module.variables)
        case "local":
            return _undeclared("local value", rest[0], module.locals)
        case "module":
            return _undeclared("module", rest[0], module.calls)
        case "data" | "ephemeral":
            return _resource(root, rest, module, table)
        case _ if "_" in root:
            return _resource("resource", [root, *rest], module, table)
    return None


def _undeclared(what: str, name: str, known: Collection[str]) -> _Problem | None:
    if name in known:
        return None
    return name, known, f"There is no {what} {name!r}."


def _resource(kind: str, path: list[str], module: Module, table: SchemaTable) -> _Problem | None:
    if len(path) < 2:
        return None
    type_name, name = path[:2]
    if (kind, type_name, name) not in module.resources:
        known = [n for k, t, n in module.resources if (k, t) == (kind, type_name)]
        return name, known, f"There is no {kind} {type_name}.{name}."
    schema = table.find(kind, type_name)
    if len(path) < 3 or schema is None or path[2] in schema.attributes:
        return None
    located = module.resources[(kind, type_name, name)]
    if "provider" in located.block.attributes:
        return None  # another provider, such as google-beta, may export more
    return path[2], schema.attributes, f"{type_name} has no attribute {path[2]!r}."
