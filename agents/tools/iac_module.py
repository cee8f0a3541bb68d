"""A Terraform module as written: the files of one folder, what they declare, what is constant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.runtime import Attachment
from agents.tools.files import folder, parsed
from agents.tools.hcl import Block, Expr, HclFile, Kind, Scalar

RESOURCE_KINDS = ("resource", "data", "ephemeral")
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Located:
    """A top-level block and the file that it stands in."""

    path: str
    block: Block


Address = tuple[str, str, str]
"""Kind (``resource``, ``data``, ``ephemeral``), type and name."""


@dataclass(frozen=True)
class Module:
    """One folder's ``.tf`` files. The first of two equal declarations wins."""

    folder: str
    blocks: tuple[Located, ...]
    variables: Mapping[str, Located]
    locals: Mapping[str, Expr]
    resources: Mapping[Address, Located]
    calls: Mapping[str, Located]

    def of_type(self, *types: str) -> Iterator[Located]:
        """Yield the top-level blocks of these types."""
        return (located for located in self.blocks if located.block.type in types)

    def constant(self, expr: Expr | None, depth: int = 0) -> Scalar | None:
        """Return the value of an expression where the text alone decides it, else None.

        Follows ``var.x`` to the variable's default and ``local.x`` to its value, also inside a
        quoted string; evaluates nothing else.
        """
        if expr is None or depth > _MAX_DEPTH:
            return None
        if expr.value is not None:
            return expr.value
        if expr.kind is Kind.REFERENCE and len(expr.path) == 2 and not expr.parts:
            return self.constant(self.named(expr), depth + 1)
        if expr.kind is Kind.STRING and expr.template:
            values = [
                piece if isinstance(piece, str) else self.constant(piece, depth + 1)
                for piece in expr.template
            ]
            if all(value is not None for value in values):
                return "".join(_as_text(value) for value in values if value is not None)
        return None

    def named(self, expr: Expr) -> Expr | None:
        """Return the default of ``var.x`` or the value of ``local.x`` that is referred to."""
        root, name = expr.path[:2]
        if root == "local":
            return self.locals.get(name)
        if root == "var" and name in self.variables:
            default = self.variables[name].block.attributes.get("default")
            return default.expr if default else None
        return None

    def items(self, expr: Expr | None) -> tuple[Expr, ...]:
        """Return the elements of a list that is written out, also behind a ``var`` or ``local``."""
        for _ in range(_MAX_DEPTH):
            if expr is None or expr.kind is not Kind.REFERENCE or len(expr.path) != 2:
                break
            expr = self.named(expr)
        return expr.parts if expr is not None and expr.kind is Kind.LIST else ()


def modules(files: Sequence[Attachment]) -> tuple[Module, ...]:
    """Parse the ``.tf`` files and group them by folder."""
    return group(parsed([f for f in files if f.path.endswith(".tf")]))


def group(files: Sequence[HclFile]) -> tuple[Module, ...]:
    """Group parsed ``.tf`` files by folder."""
    by_folder: dict[str, list[HclFile]] = {}
    for file in files:
        by_folder.setdefault(folder(file.path), []).append(file)
    return tuple(_module(name, members) for name, members in sorted(by_folder.items()))


def _module(name: str, files: Sequence[HclFile]) -> Module:
    blocks = tuple(Located(file.path, block) for file in files for block in file.blocks)
    variables: dict[str, Located] = {}
    local_values: dict[str, Expr] = {}
    resources: dict[Address, Located] = {}
    calls: dict[str, Located] = {}
    for located in blocks:
        block = located.block
        match block.type, len(block.labels):
            case "variable", 1:
                variables.setdefault(block.labels[0], located)
            case "locals", 0:
                for attribute in block.attributes.values():
                    local_values.setdefault(attribute.name, attribute.expr)
            case "module", 1:
                calls.setdefault(block.labels[0], located)
            case "check", _:  # may hold a data source of its own
                for data in block.of_type("data"):
                    _declare(Located(located.path, data), resources)
            case _:
                _declare(located, resources)
    return Module(name, blocks, variables, local_values, resources, calls)


def _declare(located: Located, resources: dict[Address, Located]) -> None:
    block = located.block
    if block.type in RESOURCE_KINDS and len(block.labels) == 2:
        type_name, name = block.labels
        resources.setdefault((block.type, type_name, name), located)


def _as_text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
