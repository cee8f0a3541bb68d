"""The product catalogue of a Cloud provider: what exists, what it can do, what replaced what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from providers.capabilities import Capability
from providers.yaml_file import Frozen, YamlFile

__all__ = [
    "Alternative",
    "Capability",
    "Catalogue",
    "FloorCost",
    "Limit",
    "Mention",
    "Product",
    "Status",
]


class Status(StrEnum):
    """Whether a product may still be chosen."""

    ACTIVE = "active"
    PREVIEW = "preview"
    DEPRECATED = "deprecated"
    RETIRED = "retired"

    @property
    def selectable(self) -> bool:
        """False for what a new design must not name as its product."""
        return self in (Status.ACTIVE, Status.PREVIEW)


class FloorCost(StrEnum):
    """What an idle deployment costs a month, by rough order.

    ``none``: nothing while unused; ``low``: tens, ``medium``: hundreds, ``high``: thousands of
    US dollars or more for the smallest sensible production set-up.
    """

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """0 (none) to 3 (high), to compare."""
        return list(FloorCost).index(self)


Text = Annotated[str, Field(min_length=3)]


class Limit(Frozen):
    """A documented bound that matters when choosing, as words."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    what: Text
    value: Annotated[str, Field(min_length=1)]
    note: str = ""


class Alternative(Frozen):
    """Another product of the catalogue, seen from the product that lists it."""

    name: Text
    pros: Text
    cons: Text


class Product(Frozen):
    """One product.

    ``any_case`` are spellings found in text whatever their case; ``lookup_only`` are names that
    are ordinary words as well ("VPC", "Workflows"): ``Catalogue.find`` knows them,
    ``Catalogue.mentions`` does not. ``figures`` are the limits as numbers, keys ending in the unit
    (``_s`` seconds, ``_bytes``, ``_gib``, ``_per_s``; keys without a unit count things).
    ``availability_sla`` is the monthly uptime in percent of the best documented set-up, None where
    none is published.
    """

    name: Text
    aliases: tuple[str, ...] = ()
    any_case: tuple[str, ...] = ()
    lookup_only: tuple[str, ...] = ()
    category: Text
    status: Status = Status.ACTIVE
    successor: str | None = None
    retired_on: date | None = None
    source: str | None = Field(default=None, pattern=r"^https://")
    note: str = ""
    capabilities: tuple[Capability, ...] = ()
    good_for: str = ""
    not_for: str = ""
    limits: tuple[Limit, ...] = ()
    figures: dict[str, float] = Field(default_factory=dict)
    floor_cost: FloorCost | None = None
    availability_sla: float | None = Field(default=None, gt=90, le=100)
    docs: str | None = Field(default=None, pattern=r"^https://")
    terraform: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and every other spelling that ``Catalogue.find`` knows."""
        return tuple(dict.fromkeys((self.name, *self.aliases, *self.any_case, *self.lookup_only)))

    def can(self, *tags: Capability) -> bool:
        """Whether the product has every one of these capabilities."""
        return all(tag in self.capabilities for tag in tags)

    @model_validator(mode="after")
    def _complete(self) -> Product:
        if self.status.selectable:
            needed = {
                "capabilities": self.capabilities,
                "good_for": self.good_for,
                "not_for": self.not_for,
                "docs": self.docs,
                "floor_cost": self.floor_cost,
                "alternatives": self.alternatives,
            }
        else:
            needed = {"successor": self.successor, "source": self.source}
        lacking = [key for key, value in needed.items() if not value]
        if lacking:
            raise ValueError(f"{self.name} ({self.status}) lacks {', '.join(lacking)}; add it")
        return self


@dataclass(frozen=True, slots=True)
class Mention:
    """A product named in a text: ``text[start:end]`` is how it is spelt there."""

    product: Product
    text: str
    start: int
    end: int


class CatalogueFile(Frozen):
    """The file's shape. ``other_vendors``: a product name right after one of them is theirs."""

    other_vendors: tuple[str, ...] = ()
    products: tuple[Product, ...] = Field(min_length=1)


_TOKEN = re.compile(r"\w+|[^\w\s]")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+")
_CONFIG_NOTE = re.compile(r"\s+[—–-]\s.*$|\s*\(.*$", re.S)


class _Node:
    """A step in the tree of spellings: next tokens, and the product that ends here if any."""

    __slots__ = ("ends", "next")

    def __init__(self) -> None:
        self.next: dict[tuple[str, bool], _Node] = {}
        self.ends: list[tuple[str, bool, Product]] = []  # spelling, any case, product


class Catalogue:
    """The products of one provider, with look-up and recognition in text."""

    def __init__(self, products: Iterable[Product], other_vendors: Iterable[str] = ()) -> None:
        self.products: tuple[Product, ...] = tuple(products)
        self._other_vendors = frozenset(name.casefold() for name in other_vendors)
        self._by_spelling: dict[str, Product] = {}
        for product in self.products:
            for spelling in product.spellings:
                self._by_spelling.setdefault(_flat(spelling), product)

    @classmethod
    def load(cls, file: YamlFile) -> Catalogue:
        """Parse and check a catalogue file; raises BundleError with file, line and key."""
        parsed = file.parse(CatalogueFile)
        names = {product.name for product in parsed.products}
        owner: dict[str, int] = {}
        for at, product in enumerate(parsed.products):
            for spelling in product.spellings:
                first = owner.setdefault(_flat(spelling), at)
                if first != at:
                    taken = f"{spelling!r} belongs to {parsed.products[first].name} already"
                    raise file.error(("products", at, "name"), taken)
        for at, product in enumerate(parsed.products):
            if product.successor is not None and product.successor not in names:
                raise file.error(
                    ("products", at, "successor"), f"{product.successor!r} is not in the catalogue"
                )
            for nth, option in enumerate(product.alternatives):
                if option.name not in names or option.name == product.name:
                    raise file.error(
                        ("products", at, "alternatives", nth, "name"),
                        f"{option.name!r} is not another product of the catalogue",
                    )
        return cls(parsed.products, parsed.other_vendors)

    def __len__(self) -> int:
        return len(self.products)

    def __getitem__(self, name: str) -> Product:
        """The product of exactly this name; raises KeyError."""
        return self._by_name[name]

    def find(self, text: str) -> Product | None:
        """The product whose name or alias ``text`` is, in any case.

        A trailing configuration note (``Cloud SQL — PostgreSQL 16, HA`` or ``… (HA)``) is ignored
        unless the whole is a spelling itself.
        """
        found = self._by_spelling.get(_flat(text))
        return found or self._by_spelling.get(_flat(_CONFIG_NOTE.sub("", text)))

    def with_capability(self, *tags: Capability, selectable: bool = True) -> tuple[Product, ...]:
        """Products with all these capabilities, in file order; only selectable ones by default."""
        return tuple(
            product
            for product in self.products
            if product.can(*tags) and (product.status.selectable or not selectable)
        )

    def retired(self) -> tuple[Product, ...]:
        """Products that a new design must not name: retired and deprecated ones."""
        return tuple(product for product in self.products if not product.status.selectable)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Every product named in ``text``, in order, the longest name winning, none overlapping.

        Whole words only; spelt as the catalogue spells it, except ``any_case`` spellings. URLs,
        host names, Terraform identifiers and products of other vendors are passed over.
        """
        urls = [match.span() for match in _URL.finditer(text)]
        tokens = [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            hit = self._longest(text, tokens, at)
            if hit is None:
                at += 1
                continue
            product, last = hit
            start, end = tokens[at][1], tokens[last][2]
            if not (
                any(left <= start < right for left, right in urls)
                or self._foreign(tokens, at)
                or _identifier(tokens, at, last)
            ):
                found.append(Mention(product, text[start:end], start, end))
            at = last + 1
        return tuple(found)

    def _longest(
        self, text: str, tokens: list[tuple[str, int, int]], at: int
    ) -> tuple[Product, int] | None:
        node, best, cursor, glued = self._tree, None, at, False
        while cursor < len(tokens):
            following = node.next.get((tokens[cursor][0].casefold(), glued))
            if following is None:
                break
            node = following
            if node.ends:
                words = " ".join(text[tokens[at][1] : tokens[cursor][2]].split())
                for spelling, any_case, product in node.ends:
                    if any_case or words == spelling:
                        best = (product, cursor)
                        break
            cursor += 1
            if cursor < len(tokens):
                glued = tokens[cursor][1] == tokens[cursor - 1][2]
        return best

    def _foreign(self, tokens: list[tuple[str, int, int]], at: int) -> bool:
        return at > 0 and tokens[at - 1][0].casefold() in self._other_vendors

    @cached_property
    def _by_name(self) -> Mapping[str, Product]:
        return {product.name: product for product in self.products}

    @cached_property
    def _tree(self) -> _Node:
        root = _Node()
        for product in self.products:
            for spelling in product.spellings:
                if spelling in product.lookup_only:
                    continue
                node, end = root, None
                for match in _TOKEN.finditer(spelling):
                    step = (match.group().casefold(), match.start() == end)
                    node, end = node.next.setdefault(step, _Node()), match.end()
                node.ends.append((spelling, spelling in product.any_case, product))
        return root


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _identifier(tokens: list[tuple[str, int, int]], first: int, last: int) -> bool:
    """Whether the words are part of a host name or an identifier, not of prose.

    ``bigquery.googleapis.com`` goes on with a dot; ``gke-prod`` and ``old-gke`` are lower case and
    joined by a hyphen, while ``GKE-based`` is prose.
    """
    lower = all(word.islower() or not word.isalpha() for word, _, _ in tokens[first : last + 1])
    after, before = last + 1, first - 1
    if after + 1 < len(tokens) and tokens[after][1] == tokens[last][2]:
        joined = tokens[after + 1][1] == tokens[after][2] and tokens[after + 1][0][0].islower()
        if joined and (tokens[after][0] == "." or (tokens[after][0] == "-" and lower)):
            return True
    return lower and before >= 0 and tokens[before][0] == "-" and _touches(tokens, before)


def _touches(tokens: list[tuple[str, int, int]], at: int) -> bool:
    """Whether the token at ``at`` stands between its neighbours without a space."""
    if at == 0 or at + 1 >= len(tokens):
        return False
    return tokens[at - 1][2] == tokens[at][1] and tokens[at][2] == tokens[at + 1][1]
