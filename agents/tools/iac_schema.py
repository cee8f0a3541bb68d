"""Checks Terraform against the google provider's own argument table, without a network.

Finds types, arguments and blocks that do not exist, required ones that are missing, and
references to what is not declared. The table is of one provider version, which the report names;
what the text alone cannot decide is listed in ``not_checked``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from agents.runtime import Attachment, Frozen
from agents.tools.files import checked, parsed
from agents.tools.hcl import Attribute, Block, Kind
from agents.tools.iac_module import RESOURCE_KINDS, Located, Module, group
from agents.tools.iac_references import Broken, broken_references
from agents.tools.schema_hints import mismatch, suggestion, where_else
from agents.tools.schema_table import ArgumentType, BlockSchema, SchemaTable, load_table
from agents.tools.versions import parse_constraint

PREFIX = "google_"
_META = frozenset({"count", "for_each", "provider", "depends_on"})
_META_BLOCKS = frozenset({"lifecycle", "connection", "provisioner", "dynamic"})
_PROVIDER_META = frozenset({"alias", "version"})
_ALWAYS_UNCHECKED = (
    "what expressions evaluate to (types are compared for constants only)",
    "rules between arguments (exactly one of, conflicts with) and allowed values",
)


class Problem(StrEnum):
    """The kinds of findings."""

    SYNTAX = "syntax"
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_ARGUMENT = "unknown_argument"
    READ_ONLY = "read_only"
    MISSING_ARGUMENT = "missing_argument"
    MISSING_BLOCK = "missing_block"
    TOO_MANY_BLOCKS = "too_many_blocks"
    WRONG_FORM = "wrong_form"  # a block written as an argument, or the other way round
    WRONG_TYPE = "wrong_type"
    DUPLICATE = "duplicate"
    UNDECLARED = "undeclared"


class SchemaFinding(Frozen):
    """One thing to change. ``line`` counts from 1; ``address`` is Terraform's name of the block."""

    problem: Problem
    path: str
    line: int
    address: str
    message: str


class SchemaReport(Frozen):
    """What was found, against which provider version, and what could not be checked."""

    engine: str
    provider_version: str
    passed: bool
    blocks_checked: int
    findings: tuple[SchemaFinding, ...]
    not_checked: tuple[str, ...]


def iac_schema_check(files: Sequence[Attachment], table: SchemaTable | None = None) -> SchemaReport:
    """Check all ``.tf`` files below ``terraform/``; each folder is one module.

    Raises BadFiles where the files cannot be used at all.
    """
    table = table or load_table()
    all_files = checked(files)
    hcl_files = parsed([f for f in all_files if f.path.endswith(".tf")])
    findings = [
        SchemaFinding(
            problem=Problem.SYNTAX, path=f.path, line=p.line, address="", message=p.message
        )
        for f in hcl_files
        for p in f.problems
    ]
    not_checked = list(_ALWAYS_UNCHECKED)
    not_checked += [f"{f.path}: JSON syntax" for f in all_files if f.path.endswith(".tf.json")]
    blocks = 0
    for module in group(hcl_files):
        checker = _Checker(module, table)
        findings += checker.run()
        not_checked += checker.notes()
        blocks += checker.blocks
    findings.sort(key=lambda f: (f.path, f.line))
    return SchemaReport(
        engine=f"argument table of {table.provider} {table.version} over tree-sitter HCL",
        provider_version=table.version,
        passed=not findings,
        blocks_checked=blocks,
        findings=tuple(findings),
        not_checked=tuple(dict.fromkeys(not_checked)),
    )


class _Checker:
    """Checks one module; keeps what it had to leave out."""

    def __init__(self, module: Module, table: SchemaTable) -> None:
        self.module = module
        self.table = table
        self.blocks = 0
        self._skipped_types: set[str] = set()
        self._beta: set[str] = set()

    def run(self) -> Iterator[SchemaFinding]:
        for located in self.module.blocks:
            block = located.block
            if block.type in RESOURCE_KINDS:
                yield from self._resource(located)
            elif block.type == "provider" and block.labels == ("google",):
                self.blocks += 1
                schema = self.table.provider_block
                yield from self._block(located, block, schema, block.address, _PROVIDER_META)
            else:
                yield from self._repeated(located, block)
        yield from self._duplicates()
        for broken in broken_references(self.module, self.table):
            yield _undeclared(broken)

    def notes(self) -> Iterator[str]:
        if self._skipped_types:
            yield f"resources of other providers: {', '.join(sorted(self._skipped_types))}"
        for address in sorted(self._beta):
            yield f"{address}: uses google-beta, whose further arguments are not in the table"
        for name in sorted(self.module.calls):
            yield f"module.{name}: its inputs and outputs"
        for located in self.module.of_type("terraform"):
            for required in located.block.of_type("required_providers"):
                yield from self._version_note(required)

    def _version_note(self, required: Block) -> Iterator[str]:
        google = required.attributes.get("google")
        pinned = google.expr.entry("version") if google else None
        constraint = parse_constraint(str(pinned.value)) if pinned and pinned.value else None
        if pinned and constraint and not constraint.allows(self.table.version):
            yield (
                f"the pinned provider version ({pinned.value}): the table is of "
                f"{self.table.version}, so arguments may differ"
            )

    def _resource(self, located: Located) -> Iterator[SchemaFinding]:
        block = located.block
        if len(block.labels) != 2:
            yield _finding(
                Problem.WRONG_FORM,
                located,
                block.line,
                block.type,
                f'A {block.type} block needs two labels: {block.type} "type" "name" {{ … }}.',
            )
            return
        type_name = block.labels[0]
        provider = block.attributes.get("provider")
        beta = provider is not None and provider.expr.text.strip('"').startswith("google-beta")
        schema = self.table.find(block.type, type_name)
        if not type_name.startswith(PREFIX):
            self._skipped_types.add(type_name)
        elif beta:
            self._beta.add(block.address)
        elif schema is None:
            yield self._unknown_type(located, block)
        else:
            self.blocks += 1
            yield from self._block(
                located, block, schema.block, block.address, _META, schema.readable
            )

    def _unknown_type(self, located: Located, block: Block) -> SchemaFinding:
        type_name = block.labels[0]
        others = [
            kind
            for kind in RESOURCE_KINDS
            if kind != block.type and type_name in self.table.types(kind)
        ]
        hint = (
            f" It exists as a {others[0]} block."
            if others
            else suggestion(type_name, self.table.types(block.type))
        )
        return _finding(
            Problem.UNKNOWN_TYPE,
            located,
            block.line,
            block.address,
            f"The google provider {self.table.version} has no {block.type} {type_name!r}.{hint}",
        )

    def _block(
        self,
        located: Located,
        block: Block,
        schema: BlockSchema,
        address: str,
        meta: frozenset[str] = frozenset(),
        readable: frozenset[str] = frozenset(),
    ) -> Iterator[SchemaFinding]:
        yield from self._repeated(located, block, nested=False)
        for attribute in block.attributes.values():
            if attribute.name not in meta:
                yield from self._argument(located, attribute, schema, address, readable)
        present: dict[str, list[Block]] = {}
        for child in block.blocks:
            if child.type == "dynamic" and len(child.labels) == 1:
                present.setdefault(child.labels[0], []).append(child)
            elif not (meta and child.type in _META_BLOCKS):
                present.setdefault(child.type, []).append(child)
        for name, children in present.items():
            yield from self._nested(located, name, children, schema, address)
        yield from self._missing(located, block, present, schema, address)

    def _argument(
        self,
        located: Located,
        attribute: Attribute,
        schema: BlockSchema,
        address: str,
        readable: frozenset[str],
    ) -> Iterator[SchemaFinding]:
        name = attribute.name
        if name in schema.arguments:
            yield from self._type(located, attribute, schema.arguments[name].type, address)
            return
        if name in schema.blocks:
            # An empty list is how optional blocks are cleared where the provider allows it.
            if attribute.expr.kind is Kind.LIST and not attribute.expr.parts:
                return
            problem = Problem.WRONG_FORM
            message = f"{name} is a block: write {name} {{ … }} without an equals sign."
        elif name in readable:
            problem = Problem.READ_ONLY
            message = f"{name} can only be read, not set. Remove it."
        else:
            problem = Problem.UNKNOWN_ARGUMENT
            message = f"There is no argument {name!r} here.{where_else(name, schema)}"
        yield _finding(problem, located, attribute.line, address, message)

    def _type(
        self, located: Located, attribute: Attribute, wanted: ArgumentType, address: str
    ) -> Iterator[SchemaFinding]:
        if words := mismatch(attribute.expr, wanted):
            message = f"{attribute.name} takes {words}, not {attribute.expr.text[:60]}."
            yield _finding(Problem.WRONG_TYPE, located, attribute.line, address, message)

    def _nested(
        self,
        located: Located,
        name: str,
        children: list[Block],
        schema: BlockSchema,
        address: str,
    ) -> Iterator[SchemaFinding]:
        first = children[0]
        if name not in schema.blocks:
            argument = schema.arguments.get(name)
            if argument and argument.type is ArgumentType.UNKNOWN:
                return
            problem = Problem.WRONG_FORM if argument else Problem.UNKNOWN_ARGUMENT
            message = (
                f"{name} is an argument: write {name} = … with an equals sign."
                if argument
                else f"There is no block {name!r} here.{where_else(name, schema)}"
            )
            yield _finding(problem, located, first.line, address, message)
            return
        nested = schema.blocks[name]
        written = [child for child in children if child.type != "dynamic"]
        if nested.max and len(written) > nested.max:
            message = f"{name} may be given {nested.max} time(s), here {len(written)} times."
            yield _finding(
                Problem.TOO_MANY_BLOCKS, located, written[nested.max].line, address, message
            )
        for child in children:
            inner = child
            if child.type == "dynamic":
                inner = next(child.of_type("content"), child)
                if inner is child:
                    message = f"dynamic {name!r} has no content block."
                    yield _finding(Problem.MISSING_BLOCK, located, child.line, address, message)
                    continue
            yield from self._block(located, inner, nested.schema, f"{address}.{name}")

    def _missing(
        self,
        located: Located,
        block: Block,
        present: dict[str, list[Block]],
        schema: BlockSchema,
        address: str,
    ) -> Iterator[SchemaFinding]:
        for name, argument in schema.arguments.items():
            if argument.required and name not in block.attributes and name not in present:
                yield _finding(
                    Problem.MISSING_ARGUMENT,
                    located,
                    block.line,
                    address,
                    f"The required argument {name!r} is missing.",
                )
        for name, nested in schema.blocks.items():
            if nested.min and name not in present and name not in block.attributes:
                yield _finding(
                    Problem.MISSING_BLOCK,
                    located,
                    block.line,
                    address,
                    f"The required block {name!r} is missing.",
                )

    def _repeated(
        self, located: Located, block: Block, *, nested: bool = True
    ) -> Iterator[SchemaFinding]:
        for inner in block.walk() if nested else (block,):
            for attribute in inner.repeated:
                yield _finding(
                    Problem.DUPLICATE,
                    located,
                    attribute.line,
                    block.address,
                    f"{attribute.name} is set twice in one block. Keep one.",
                )

    def _duplicates(self) -> Iterator[SchemaFinding]:
        first: dict[str, Located] = {}
        for located in self.module.of_type(*RESOURCE_KINDS, "variable", "output", "module"):
            address = located.block.address
            earlier = first.setdefault(address, located)
            if earlier is not located:
                yield _finding(
                    Problem.DUPLICATE,
                    located,
                    located.block.line,
                    address,
                    f"{address} is declared already in {earlier.path} line {earlier.block.line}.",
                )


def _undeclared(broken: Broken) -> SchemaFinding:
    return SchemaFinding(
        problem=Problem.UNDECLARED,
        path=broken.path,
        line=broken.line,
        address=broken.address,
        message=broken.message + suggestion(broken.name, broken.known),
    )


def _finding(
    problem: Problem, located: Located, line: int, address: str, message: str
) -> SchemaFinding:
    return SchemaFinding(
        problem=problem, path=located.path, line=line, address=address, message=message
    )
