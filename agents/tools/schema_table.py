"""Reads the table of the google provider's arguments that ``build_schema_table`` writes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "google_schema.json.gz"
FORMAT = 1


class ArgumentType(StrEnum):
    """The kind of value that an argument takes."""

    STRING = "s"
    NUMBER = "n"
    BOOL = "b"
    STRINGS = "l"
    NUMBERS = "L"
    MAP = "m"
    UNKNOWN = "*"  # an argument or a block; its shape is not in the table


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that can be set."""

    type: ArgumentType
    required: bool


@dataclass(frozen=True, slots=True)
class NestedBlock:
    """A block inside another; a ``max`` of 0 means that it may be repeated without limit."""

    schema: BlockSchema
    min: int
    max: int


@dataclass(frozen=True, slots=True)
class BlockSchema:
    """What may stand in a block."""

    arguments: Mapping[str, Argument]
    blocks: Mapping[str, NestedBlock]


@dataclass(frozen=True, slots=True)
class TypeSchema:
    """A resource, data source or ephemeral resource; ``readable`` can be read but not set."""

    block: BlockSchema
    readable: frozenset[str]

    @property
    def attributes(self) -> frozenset[str]:
        """All names that a reference to it may use."""
        return self.readable | {"id", *self.block.arguments, *self.block.blocks}


class SchemaTable:
    """All types of one provider version. Blocks are decoded when they are first asked for."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        if raw.get("format") != FORMAT:
            raise ValueError(
                f"The argument table has format {raw.get('format')!r}, this program reads "
                f"{FORMAT}. Build it again: python -m agents.tools.build_schema_table"
            )
        self.provider: str = raw["provider"]
        self.version: str = raw["version"]
        self.source: str = raw["source"]
        self._raw = raw
        self._blocks: dict[int, BlockSchema] = {}

    def types(self, kind: str) -> Collection[str]:
        """Return the type names of a kind: ``resource``, ``data`` or ``ephemeral``."""
        types: Mapping[str, Any] = self._raw[kind]
        return types.keys()

    def find(self, kind: str, type_name: str) -> TypeSchema | None:
        """Return the schema of a type, or None where this provider version has no such type."""
        entry = self._raw[kind].get(type_name)
        return TypeSchema(self._block(entry[0]), frozenset(entry[1])) if entry else None

    @property
    def provider_block(self) -> BlockSchema:
        """What may stand in the provider's own configuration block."""
        return self._block(self._raw["provider_block"])

    def _block(self, index: int) -> BlockSchema:
        if index not in self._blocks:
            arguments: dict[str, Argument] = {}
            blocks: dict[str, NestedBlock] = {}
            for name, member in self._raw["blocks"][index].items():
                if isinstance(member, str):
                    arguments[name] = Argument(ArgumentType(member[0]), member.endswith("!"))
                else:
                    nested, least, most = member
                    blocks[name] = NestedBlock(self._block(nested), least, most)
            self._blocks[index] = BlockSchema(arguments, blocks)
        return self._blocks[index]


@cache
def load_table() -> SchemaTable:
    """Load the committed table once a process (about 20 ms)."""
    return SchemaTable(json.loads(gzip.decompress(DATA.read_bytes())))
