"""Whether the words around a find take it back: "no PCI scope", "we don't need multi-region"."""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"(?:\b(?:no|not|without|never|neither|nor|none|nobody|isn['’]t|aren['’]t|don['’]t"
    r"|doesn['’]t|won['’]t"
    r"|needn['’]t|cannot|can['’]t|avoid|out of scope for|instead of|rather than|outside"
    r"|keine?[mnrs]?|nicht|ohne|nie|sans|pas(?: de| d['’])?|jamais|aucune?|ni|sin|ning[úu]n"
    r"|nunca|tampoco)\b"
    r"(?:\s[\w'’/-]+){0,3}\s?(?:need(?:ed)? )?)\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s?(?:[\w-]+\s){0,3}?(?:(?:is|are|was|does|do|need|has)(?: not|n['’]t)|not (?:needed"
    r"|required|wanted"
    r"|in scope|applicable)|out of scope|(?:ist|sind|wird) (?:nicht|kein)|nicht (?:nötig"
    r"|erforderlich|relevant)"
    r"|non requise?s?|pas (?:requise?|nécessaire)|nicht gefordert|no requerid[oa]|n['’](?:est"
    r"|a) pas|no (?:es|hace falta|aplica|se aplica))\b",
    re.IGNORECASE,
)
_DOUBLE = re.compile(
    r"\b(?:not only|nicht nur|non seulement|no s[óo]lo|no later|not later|no matter)\b", re.I
)


def negated(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is denied by the words just before or just after it."""
    head = re.split(r"[.;:!?]|,\s", text[max(0, start - 60) : start])[-1]
    if _BEFORE.search(head) and not _DOUBLE.search(head):
        return True
    tail = re.split(r"[.;:!?,]", text[end : end + 50])[0]
    return _AFTER.match(tail) is not None
