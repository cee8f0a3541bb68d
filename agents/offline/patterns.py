"""The registry of component patterns, and how a component is recognised again by its words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agents.offline.patterns_analysis import ANALYSIS
from agents.offline.patterns_app import APPLICATION
from agents.offline.patterns_data import DATA
from agents.offline.patterns_edge import EDGE
from agents.offline.patterns_industry import INDUSTRY
from agents.offline.patterns_model import Layer, Part, PartSpec
from agents.offline.patterns_operations import OPERATIONS

REGISTRY: Mapping[Part, PartSpec] = {
    entry.part: entry for entry in (*EDGE, *APPLICATION, *ANALYSIS, *DATA, *INDUSTRY, *OPERATIONS)
}

LAYER_WORDS: Mapping[Layer, str] = {
    Layer.EDGE: "at the edge",
    Layer.APPLICATION: "in the application",
    Layer.DATA: "for data",
    Layer.OPERATIONS: "for moving and running it",
}


_TELLING: Mapping[Part, str] = {
    Part.PUBLIC_ENTRY: r"\bentry\b|front door|load balanc|ingress",
    Part.API: r"\bservice\b|back ?end|\bAPI\b|business logic|adapter",
    Part.WORKER: r"worker|background",
    Part.EVENT_LOG: r"\bevents\b|event (?:bus|log|hub)|message (?:bus|broker)|topics?\b",
    Part.TASK_QUEUE: r"\bqueue\b",
    Part.RELATIONAL: r"\brelational\b|\btransactional\b|\bOLTP\b|\bdatabase\b",
    Part.DOCUMENT_STORE: r"document (?:store|database)|schemaless",
    Part.CACHE: r"\bcache\b",
    Part.OBJECTS: r"\b(?:object|file|blob) stor|\bfiles\b",
    Part.WAREHOUSE: r"warehouse|analytic",
    Part.KEYS: r"\bsecrets?\b|key (?:custody|store)",
    Part.OBSERVABILITY: r"observab|monitoring|\btraces\b",
    Part.DELIVERY: r"\bCI\b|release pipeline|build",
    Part.DATA_MOVE: r"data (?:move|migration)|replicat",
    Part.CUTOVER: r"cut-?over",
    Part.BACKUP: r"\bbackups?\b",
    Part.INFERENCE: r"language model|\bLLM\b",
    Part.RETRIEVAL: r"retriev|vector",
}
"""Words by which people name a part, other than its own: ``Order store``, ``Event bus``."""


def _told(part: Part, name: str, responsibility: str) -> int:
    pattern = _TELLING.get(part)
    if pattern is None:
        return 0
    named = 9 if re.search(pattern, name, re.I) else 0
    return named + (5 if re.search(pattern, responsibility, re.I) else 0)


def recognise(name: str, responsibility: str = "") -> Part | None:
    """The part that a component is, by its name and by how its responsibility opens.

    None if nothing speaks for any part.
    """
    scores: dict[Part, int] = {}
    plain = name.casefold()
    opening = responsibility.casefold()
    for part, entry in REGISTRY.items():
        score = 4 * entry.matches(name)
        if entry.name.casefold() in plain:
            score += 30 + len(entry.name)
        shared = set(_words(entry.name)) & set(_words(name))
        score += 5 * len(shared) + _told(part, name, responsibility)
        if opening.startswith(entry.lead.casefold()) and len(entry.lead) > 5:
            score += 20 + len(entry.lead)
        if score:
            score += min(3, entry.matches(responsibility))
            scores[part] = score
    if not scores:
        loose = {part: entry.matches(responsibility) for part, entry in REGISTRY.items()}
        best = max(loose, key=lambda p: loose[p])
        return best if loose[best] >= 2 else None
    return max(scores, key=lambda p: scores[p])


ALSO = "; also: "
"""Joins the responsibilities of components that a Revision merged."""


def parts_of(name: str, responsibility: str) -> tuple[Part, ...]:
    """The parts that a component is: one, or several where a Revision merged components."""
    first = recognise(name, responsibility.split(ALSO)[0])
    found = [first] if first is not None else []
    for duty in responsibility.split(ALSO)[1:]:
        for part, entry in REGISTRY.items():
            if duty.casefold().startswith(entry.lead.casefold()) and part not in found:
                found.append(part)
                break
    return tuple(found)


def asked_part(words: str) -> Part | None:
    """The part that some words of a Revision ask for ("a cache", "an audit log"), or None."""
    scores: dict[Part, int] = {}
    wanted = set(_words(words))
    for part, entry in REGISTRY.items():
        shared = wanted & set(_words(entry.name))
        score = 6 * len(shared) + 2 * entry.matches(words)
        if part.value.replace("-", " ") in words.casefold():
            score += 10
        if score >= 4:
            scores[part] = score
    return max(scores, key=lambda p: scores[p]) if scores else None


_PLAIN = frozenset(
    [
        "store",
        "data",
        "control",
        "processing",
        "and",
        "the",
        "for",
        "of",
        "on",
        "to",
        "with",
        "a",
        "an",
        "component",
        "service",
        "layer",
    ]
)


def _words(text: str) -> list[str]:
    return [w.rstrip("s") for w in text.casefold().replace("-", " ").split() if w not in _PLAIN]
