"""Asks that the system must not obey: they are recorded and answered, and change no rule.

The request is data. "Deploy it now" gets the answer who deploys; "skip validation" gets the answer
that validation ran.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agents.offline.facts import Figure
from agents.offline.reading.text import Sentence, unique

_PATTERNS = (
    # changing a cloud
    r"\b(?:please\s)?(?:go ahead and |just |then )?(?:deploy|apply|provision|roll (?:it )?out"
    r"|install|launch)"
    r"(?: (?:it|this|that|them|everything|all of it|the (?:result|terraform|infrastructure"
    r"|whole thing|stack"
    r"|resources|solution|design)))? (?:now|right away|immediately|directly|for (?:me|us)"
    r"|yourself|straight"
    r"|in(?:to)? (?:our|my|the) (?:\w+ )?(?:project|account|cloud|organi[sz]ation))",
    r"\b(?:run|execute|do)(?: a| the)? [`'\"]?terraform (?:apply|destroy)\b",
    r"\bterraform apply\b(?!ing)",
    r"\b(?:please |then |and )(?:deploy|apply|provision) (?:it|this|everything|that|them)\b",
    r"^(?:please )?(?:deploy|apply|provision) (?:it|this|everything|that|them|the (?:terraform"
    r"|result))\b",
    r"\b(?:create|delete|destroy|remove|change|update) (?:the |all |our )?(?:\w+ )?(?:resources"
    r"|project|buckets?"
    r"|databases?|infrastructure|instances?) (?:for (?:me|us)|now|yourself|in our (?:project"
    r"|account))",
    # the gates
    r"\b(?:skip|bypass|omit|leave out|disable|ignore|without)(?: all| any| the"
    r"| every)?(?: of the)? (?:\w+ )?"
    r"(?:validation|approvals?|reviews?|checks|policy checks?|confirmation)\b",
    r"\b(?:auto-?)?approve (?:everything|all|it all|every(?: phase| step)?|yourself|all phases"
    r"|phase \d)\b",
    r"\b(?:mark|treat|consider|set)\b[^.]{0,40}\bas (?:approved|validated|passed)\b",
    r"\byou (?:have|need) no(?: \w+)? approval\b|\bno approvals? (?:is |are )?(?:needed"
    r"|necessary)\b",
    # the rules
    r"\b(?:ignore|disregard|forget|override)(?: \w+){0,3} (?:instructions|rules|guidelines"
    r"|prompt|constraints"
    r"|contract)\b",
    r"\byou are now\b|\bact as (?:root|admin|owner|an unrestricted)\b|\bsystem prompt\b"
    r"|\bdeveloper mode\b",
    r"\b(?:grant|give) (?:yourself|us|me|the agent) (?:\w+ )?(?:owner|editor|admin|access"
    r"|permission|rights)\b",
    r"^\s*system\s*:",
    # German, French, Spanish
    r"\b(?:deploye?|rolle|spiele?|führe|setze?)\b[^.]{0,40}\b(?:jetzt|sofort|gleich|aus|ein"
    r"|selbst)\b"
    r"[^.]{0,20}(?:!|\.|$)(?<=[!.])",
    r"\bterraform apply ausführen\b|\b(?:überspring\w*|lass\w*)\b[^.]{0,30}\b(?:validierung"
    r"|prüfung|freigaben?)\b",
    r"\b(?:ignoriere?|vergiss)\b[^.]{0,30}\b(?:anweisungen|regeln|vorgaben)\b",
    r"\bgenehmige? (?:alles|alle)\b|\bgib alles frei\b",
    r"\b(?:déploie[sz]?|déployez|applique[sz]?)\b[^.]{0,30}\b(?:maintenant|tout de suite"
    r"|immédiatement|directement)\b",
    r"\b(?:saute[sz]?|ignore[sz]?|oublie[sz]?|contourne[sz]?)\b[^.]{0,30}\b(?:validation"
    r"|approbations?"
    r"|instructions|consignes|règles)\b",
    r"\bapprouve[sz]? tout\b",
    r"\b(?:despliega|desplegad|despliegue|aplica|aplique)\w*\b[^.]{0,30}\b(?:ahora|ya"
    r"|inmediatamente|directamente)\b",
    r"\b(?:omit\w*|s[áa]ltate|saltar|ignora|olvida)\b[^.]{0,30}\b(?:validaci[óo]n|aprobaci\w+"
    r"|instrucciones|reglas)\b",
    r"\baprueba todo\b",
)
_ASK = re.compile("|".join(f"(?:{p})" for p in _PATTERNS), re.IGNORECASE)
_HINTS = (
    "deploy", "appl", "provision", "roll", "install", "launch", "terraform", "resources", "project",
    "infrastructure", "bucket", "database", "instance", "valid", "approv", "review", "check",
    "confirm", "instruction", "rules", "guideline", "prompt", "constraint", "contract", "as passed",
    "you are now", "act as", "developer "
                "mode", "grant", "give", "system", "jetzt", "sofort", "gleich",
    "selbst", "prüfung", "freig", "anweis", "regeln", "vorgaben", "genehm", "déplo", "consigne",
    "règles", "approb", "despli", "desple", "aplic", "aprob", "aprueb", "instruc", "reglas", " aus",
    " ein",
)  # fmt: skip
_NOT = re.compile(
    r"\b(?:do not|don['’]t|never|must not|should not|shall not|may not|nobody may|not to|nicht"
    r"|ne pas|no)\s"
    r"(?:\w+\s){0,2}\Z", re.IGNORECASE,
)  # fmt: skip
_BY_PEOPLE = re.compile(
    r"\b(?:we|our (?:team|engineers|developers)|they|developers|engineers|the team|users"
    r"|customers|wir|nous"
    r"|nosotros)\s(?:\w+\s){0,3}\Z", re.IGNORECASE,
)  # fmt: skip


def forbidden_asks(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """The asks, as the clause in which they stand."""
    found = [ask for sentence in sentences for ask in _asks(sentence.text)]
    return unique(a for a in found if not any(a != other and a in other for other in found))


@lru_cache(maxsize=4096)
def _asks(text: str) -> tuple[str, ...]:
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return ()
    found = []
    for match in _ASK.finditer(text):
        head = text[: match.start()]
        if not _NOT.search(head) and not _BY_PEOPLE.search(head):
            found.append(_clause(text, match.start(), match.end()))
    return tuple(found)


def is_ask_only(sentence: Sentence, figures: Sequence[Figure] = ()) -> bool:
    """Whether a sentence is such an ask and nothing more, so that it is no requirement."""
    asks = forbidden_asks([sentence])
    return bool(asks) and len(" ".join(asks)) >= 0.5 * len(sentence.text)


def _clause(text: str, start: int, end: int) -> str:
    left = max(text.rfind(mark, 0, start) + 1 for mark in (",", ";", ":", "("))
    rights = [at for mark in (",", ";", ")") if (at := text.find(mark, end)) >= 0]
    part = text[left : min(rights, default=len(text))].strip(" .!,;")
    part = re.sub(r"^(?:and|then|und|et|y|so)\s", "", part, flags=re.IGNORECASE)
    return part if len(part) <= 160 else text[start:end]
