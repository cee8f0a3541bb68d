"""Terraform's version constraints: ``~> 8.7``, ``>= 1.5, < 2.0``, ``= 3.1.0``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TERM = re.compile(r"\s*(~>|>=|<=|!=|=|>|<)?\s*v?(\d+(?:\.\d+){0,2})(?:[-+][0-9A-Za-z.-]+)?\s*\Z")

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Term:
    """One comparison. ``given`` counts the numbers that were written, which ``~>`` depends on."""

    operator: str
    version: Version
    given: int

    def allows(self, version: Version) -> bool:
        """Tell whether a version satisfies this comparison."""
        match self.operator:
            case "~>":
                kept = max(self.given - 1, 1)
                return version >= self.version and version[:kept] == self.version[:kept]
            case ">=":
                return version >= self.version
            case "<=":
                return version <= self.version
            case ">":
                return version > self.version
            case "<":
                return version < self.version
            case "!=":
                return version != self.version
            case _:
                return version == self.version


@dataclass(frozen=True, slots=True)
class Constraint:
    """Comparisons that must all hold."""

    terms: tuple[Term, ...]

    def allows(self, version: str) -> bool:
        """Tell whether a version such as ``8.7.0`` satisfies all comparisons."""
        return all(term.allows(_version(version)) for term in self.terms)

    @property
    def bounded(self) -> bool:
        """Whether a next major version is kept out: ``~>``, exact, or an upper bound."""
        return any(t.operator in ("~>", "=", "<", "<=") for t in self.terms)


def parse_constraint(text: str) -> Constraint | None:
    """Read a constraint; None where it is not one."""
    terms = []
    for part in text.split(","):
        found = _TERM.match(part)
        if found is None:
            return None
        terms.append(Term(found[1] or "=", _version(found[2]), found[2].count(".") + 1))
    return Constraint(tuple(terms))


def _version(text: str) -> Version:
    numbers = [int(n) for n in text.split("-")[0].split(".")][:3]
    major, minor, patch = [*numbers, 0, 0][:3]
    return major, minor, patch
