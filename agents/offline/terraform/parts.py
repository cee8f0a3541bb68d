"""The parts of a design: one unit for each product of a component, and the flows between them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.offline.terraform.modules import Module, Role

_SMALL_WORDS = {
    "and",
    "the",
    "of",
    "for",
    "to",
    "a",
    "an",
    "in",
    "on",
    "with",
    "from",
    "by",
    "its",
    "our",
    "component",
    "service",
    "system",
}
_UMLAUTS = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ß": "ss",
        "é": "e",
        "è": "e",
        "ø": "o",
        "å": "a",
        "ñ": "n",
        "ç": "c",
        "á": "a",
        "ó": "o",
        "í": "i",
        "æ": "ae",
    }
)


def slug(text: str, limit: int) -> str:
    """Lower-case words joined by hyphens, at most ``limit`` characters, cut between words."""
    words = re.findall(r"[a-z0-9]+", text.lower().translate(_UMLAUTS))
    kept = [w for w in words if w not in _SMALL_WORDS] or words or ["workload"]
    result = ""
    for word in kept:
        joined = f"{result}-{word}" if result else word[:limit]
        if len(joined) > limit:
            break
        result = joined
    result = result.strip("-")
    return result if result[:1].isalpha() else f"w-{result}"[:limit].strip("-")


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
