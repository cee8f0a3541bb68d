"""The parts of a design: one unit for each product of a component, and the flows between them."""

from __future__ import annotations

from dataclasses import dataclass

from agents.offline.terraform.modules import Module, Role


@dataclass(frozen=True, slots=True)
class Unit:
    """One product in the service of one component; ``name`` is its Terraform identifier."""

    id: str
    component: str
    product: str
    note: str
    module: Module
    name: str
    slug: str
    serves: tuple[str, ...]
    words: str

    @property
    def runs(self) -> bool:
        """Whether code runs in it under an identity of its own."""
        return self.module.role is Role.RUNS


@dataclass(frozen=True, slots=True)
class Flow:
    """What one component sends to another, both by id; ``source`` is empty for outsiders."""

    source: str
    target: str
    what: str
