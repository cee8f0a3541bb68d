"""What a policy rule is, what it finds, and the Terraform that it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from agents.runtime import Attachment
from agents.tools.hcl import Block, Expr, HclFile, Kind
from agents.tools.iac_module import Located, Module

# Words for people: a rule must not read them as settings.
_PROSE = frozenset({"description", "display_name", "error_message", "comment"})
_CONDITIONS = frozenset({"validation", "precondition", "postcondition", "assert"})


class Severity(StrEnum):
    """An error fails the check; a warning is reported."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as the reference documents it.

    ``eased_by_public``: where a requirement asks for public access, a hit is only a warning.
    """

    id: str
    severity: Severity
    title: str
    fix: str
    eased_by_public: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that breaks a rule; ``what`` is a clause that says how."""

    path: str
    line: int
    address: str
    what: str


@dataclass(frozen=True, slots=True)
class Solution:
    """All files of a solution, parsed: what rules read."""

    files: tuple[Attachment, ...]
    parsed: tuple[HclFile, ...]
    modules: tuple[Module, ...]

    def resources(self, *types: str) -> Iterator[tuple[Module, Located]]:
        """Yield the managed resources of these types, with the module that they stand in."""
        for module in self.modules:
            for located in module.of_type("resource"):
                if located.block.labels[:1] and located.block.labels[0] in types:
                    yield module, located

    def units(self) -> Iterator[tuple[str, str, Block]]:
        """Yield path, address and block of every top-level block and every variables file."""
        for file in self.parsed:
            if file.body.attributes:
                yield file.path, file.path.rpartition("/")[2], _only_attributes(file.body)
            for block in file.blocks:
                yield file.path, block.address, block

    def strings(self) -> Iterator[tuple[str, str, Expr]]:
        """Yield path, address and expression of every string that is a setting, not prose."""
        for path, address, block in self.units():
            for inner in settings(block):
                for attribute in inner.attributes.values():
                    if attribute.name not in _PROSE:
                        for expr in attribute.expr.walk():
                            if expr.kind is Kind.STRING:
                                yield path, address, expr

    def other_lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield path, number and text of each line of the files that are not HCL."""
        read = {file.path for file in self.parsed}
        for file in self.files:
            if file.path not in read:
                for number, line in enumerate(file.text.splitlines(), start=1):
                    yield file.path, number, line


Check = Callable[[Solution], Iterator[Hit]]


def settings(block: Block) -> Iterator[Block]:
    """Yield the block and those inside it that configure something, leaving out conditions."""
    yield block
    for inner in block.blocks:
        if inner.type not in _CONDITIONS:
            yield from settings(inner)


def hit(located: Located, what: str, line: int | None = None) -> Hit:
    """Make a hit for a top-level block."""
    block = located.block
    return Hit(located.path, line or block.line, block.address, what)


def expression(block: Block, name: str) -> Expr | None:
    """Return the expression of an argument, or None where it is absent."""
    attribute = block.attributes.get(name)
    return attribute.expr if attribute else None


def _only_attributes(body: Block) -> Block:
    return Block("", (), body.attributes, (), body.line)
