"""A name for the workload, taken from the request's own words."""

from __future__ import annotations

import re

from agents.offline.reading.text import Sentence, squeeze, vocabulary

_I = re.IGNORECASE
_SUBJECT = re.compile(r"^\s*(?:subject|betreff|objet|asunto|re|fwd?)\s*:\s*(?P<t>.+)$", _I | re.M)
_HEADING = re.compile(r"\A\s*#{1,3}\s+(?P<t>.+)$", re.M)
_TICKET = re.compile(r"\A\s*[A-Z]{2,10}-\d+\s*[:\-–]\s*(?P<t>.+)$", re.M)
_WORD = r"\.?[^\W_][\w'’/&.-]*(?<![.'’])"
_STOP = (
    r"(?:to|that|which|who|with|so|and|but|because|in|on|from|into|at|by|of|is|are|has|have|must"
    r"|should|will|can"
    r"|where|when|as|since|while|for)"
)
_NAME = (
    rf"(?P<t>{_WORD}(?: (?!{_STOP}\b){_WORD}){{0,4}}(?: and {_WORD} (?:platform|service|system"
    r"|app|portal|site|tool|api|store|shop)\b)?)(?P<rest>(?: (?:for|of) (?:the |our |a |an "
    rf"|my )?{_WORD}(?: (?!{_STOP}\b){_WORD}){{0,2}})?)"
)
_DET = (
    r"(?:(?:our|the|a|an|my|your|its|their|some|this|new|existing|old|current|whole|simple"
    r"|small|me|us) )+"
)
_PATTERNS = tuple(
    re.compile(pattern, _I)
    for pattern in (
        r"architecture for (?:the |its "
        rf"|our )?[\"“'](?P<q>[^\"”']+)[\"”'](?P<t>(?: {_WORD}){{0,3}})",
        rf"next (?:generation|version) of (?:{_DET})?{_NAME}",
        r"\b(?:mov(?:e|ing)|migrat(?:e|ing)|replac(?:e|ing)|moderni[sz](?:e|ing)"
        rf"|re-?platform(?:ing)?|rehost(?:ing)?) {_DET}{_NAME}",
        rf"\bwhat (?:the|our|a) new {_NAME}",
        r"\b(?:build(?:ing)?|creat(?:e|ing)|launch(?:ing)?|design(?:ing)?|develop(?:ing)?"
        r"|host(?:ing)?|run(?:ning)?|serv(?:e|ing)|set up|plan(?:ning)?|wants?|needs?|would like"
        rf"|looking for) (?:to (?:build|create|launch|host|run|have|get) )?{_DET}{_NAME}",
        r"\b(?:unsere?[nmrs]?|eine[nmr]?|die|das"
        rf"|den) (?P<t>{_WORD}(?: {_WORD})?)(?P<rest>)(?= .{{0,80}}?(?:migrier|umzieh|ablös"
        r"|verschieb|bau|betreib|verleg|bring|neu))",
        r"\b(?:migrer|déplacer|construire|remplacer|moderniser|héberger|créer) (?:notre|nos|la|le"
        rf"|une?|l['’]) ?(?P<t>{_WORD}(?: (?!vers|dans|sur|pour|avec|en (?!ligne))(?:de "
        rf"|d['’])?{_WORD}){{0,3}})(?P<rest>)",
        r"\b(?:migrar|mover|trasladar|construir|reemplazar|modernizar|alojar"
        rf"|crear) (?:nuestr[oa]s?|la|el|una?) (?P<t>{_WORD}(?: (?!a|hacia|en|para"
        rf"|con)(?:de )?{_WORD}){{0,3}})(?P<rest>)",
        r"\b(?:nous (?:exploitons|gérons|opérons)|wir betreiben|gestionamos|operamos) "
        rf"(?:[\d.,\s]+|une? |notre |nos |ein\w* |unser\w* |nuestr\w+ )?(?P<t>{_WORD}(?: (?:de "
        rf"|d['’])?{_WORD}){{0,2}})(?P<rest>)",
        rf"\bfor (?:our|my) {_NAME}",
        rf"\b(?:is a|is an|is the) (?P<t>{_WORD}(?: (?!{_STOP}\b){_WORD}){{0,3}})(?P<rest>)",
    )
)
_EMPTY = vocabulary(
    """something it this that everything things help sketch design architecture way place
    solution"""
)
_HANGING = vocabulary(
    """in of for to the a an and or with on at our nach auf von für zu aus de del la le en pour
    dans vers para"""
)
_LEAD_VERB = re.compile(
    r"^(?:replace|migrate|move|build|design|create|new|re:)\s+(?:the |our |a )?", _I
)


def title(text: str, sentences: tuple[Sentence, ...]) -> tuple[str, str]:
    """The workload's name, and the line that only gives the name (or "")."""
    for pattern in (_SUBJECT, _TICKET, _HEADING):
        match = pattern.search(text[:2000])
        if match:
            line = squeeze(match["t"])
            name = re.split(r"\s[-–—]\s|\?|;", line)[0]
            return _tidy(_LEAD_VERB.sub("", name)), squeeze(match.group().lstrip("# "))
    for pattern in _PATTERNS:
        for sentence in sentences[:8]:
            match = pattern.search(sentence.text)
            if match is None:
                continue
            groups = match.groupdict()
            if groups.get("q"):
                return _tidy(f"{match['q']}{match['t']}"), ""
            name = match["t"] + (groups.get("rest") or "")
            if match["t"].split()[0].lower() not in _EMPTY:
                return _tidy(name), ""
    first = next((s.text for s in sentences if len(s.text.split()) > 1), "Requested workload")
    return _tidy(" ".join(re.split(r"[,;:.!?]\s", first)[0].split()[:7])), ""


def _tidy(name: str) -> str:
    name = squeeze(name).strip(" .,:;!?\"'“”()-–")
    name = " ".join(name.split()[:9]) or "Workload"
    name = re.split(r"\s(?:of|for|with|with the)?\s?(?=\d)", name)[0]
    while len(words := name.split()) > 1 and words[-1].lower() in _HANGING:
        name = " ".join(words[:-1])
    name = {"warehouse": "data warehouse"}.get(name.lower(), name)
    return name[:1].upper() + name[1:]
