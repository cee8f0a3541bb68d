"""The knowledge base of the pillars: one YAML file a pillar, one rule a recommendation."""

from __future__ import annotations

import string
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from agents.runtime import Frozen
from engine.deliverables import Pillar

FOLDER = Path(__file__).parent / "knowledge"


class BadKnowledge(Exception):
    """A file of the knowledge base cannot be used."""


class Rule(Frozen):
    """One recommendation and when it applies.

    ``products`` are module keys of ``agents.offline.terraform.modules``: at least one has to be
    selected; none means any design. ``when`` are flags of ``values.flags_of`` that must hold, with
    a leading ``!`` those that must not. ``serves`` name figures or areas (``SEC``) whose
    requirements the item cites. Texts are format strings over ``values.values_of`` plus ``names``,
    ``name`` and ``product`` of the products concerned; one that needs a missing value is skipped.
    """

    id: str
    title: str
    products: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    weight: int = Field(ge=1, le=100)
    serves: tuple[str, ...]
    text: str
    tradeoff: str = ""
    page: str
    url: str = Field(
        pattern=r"^https://(?:docs\.cloud|cloud|firebase|developers)\.google\.com/\S+$"
    )
    only: Literal["", "locked", "kept"] = ""
    """Which of the products' components it concerns: those whose records are locked, or kept."""
    against: Pillar | None = None
    """The pillar that pays for it, where the trade-off is one between pillars."""

    @property
    def fields(self) -> frozenset[str]:
        """Every value that the texts use."""
        parts = (self.title, self.text, self.tradeoff)
        return frozenset(
            name for part in parts for _, name, _, _ in string.Formatter().parse(part) if name
        )


class _File(Frozen):
    rules: tuple[Rule, ...]


@lru_cache(maxsize=len(Pillar))
def rules_of(pillar: Pillar) -> tuple[Rule, ...]:
    """All rules of a pillar, the weightiest first. Raises BadKnowledge."""
    path = FOLDER / f"{pillar.value}.yaml"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 (both are safe loaders)
        found = _File.model_validate(raw).rules
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise BadKnowledge(f"{path.name} cannot be used: {error}") from error
    return tuple(sorted(found, key=lambda rule: -rule.weight))
