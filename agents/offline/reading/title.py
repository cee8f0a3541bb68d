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
        rf"\binto (?:one|a|an|the) (?:single |new |common )?{_NAME}",
        rf"\bfor (?:our|my) {_NAME}",
        rf"\b(?:is a|is an|is the) (?P<t>{_WORD}(?: (?!{_STOP}\b){_WORD}){{0,3}})(?P<rest>)",
    )
)
_EMPTY = vocabulary(
    """something it this that everything things help sketch design architecture way place
    solution"""
)
_HANGING = vocabulary(
    """in of for to the a an and or with on at our my its nach auf von für zu aus mit und oder der
    die das den dem des ein eine einen einer eines unser unsere unseren de del la le les un une el
    los las y et en pour dans vers para con sur avec from by into as than that which"""
)
_LEAD_VERB = re.compile(
    r"^(?:replace|migrate|move|build|design|create|new|re:)\s+(?:the |our |a )?", _I
)


def title(text: str, sentences: tuple[Sentence, ...]) -> tuple[str, str]:
    """The workload's name or "", and the line that only gives the name or ""."""
    for pattern in (_SUBJECT, _TICKET, _HEADING):
        match = pattern.search(text[:2000])
        if match:
            line = squeeze(match["t"])
            name = _tidy(_LEAD_VERB.sub("", re.split(r"\s[-–—]\s|\?|;", line)[0]))
            if _is_name(name):
                return name, squeeze(match.group().lstrip("# "))
    for pattern in _PATTERNS:
        for sentence in sentences[:8]:
            match = pattern.search(sentence.text)
            if match is None:
                continue
            groups = match.groupdict()
            if groups.get("q"):
                return _tidy(f"{match['q']}{match['t']}"), ""
            long = len(match["t"].split()) > 2
            name = _tidy(match["t"] + ("" if long else groups.get("rest") or ""))
            if match["t"].split()[0].lower() not in _EMPTY and _is_name(name):
                return name, ""
    first = _first_words(sentences)
    return (first if _is_name(first) else "") or _kind_of_thing(text[:4000]), ""


def _is_name(name: str) -> bool:
    """Whether words may be a name: no pronoun, no finite verb, no adverb or number in front."""
    words = [w.lower().strip(".,:;'’\"") for w in name.split()]
    return (
        bool(words)
        and words[0] not in _ADVERBS
        and not any(
            w in _NEVER
            or (re.search(r"['’](?:s|re|d|ll|ve|m|t)$", w) and w.split("'")[0] in _PRONOUNS)
            for w in (w.replace("’", "'") for w in words)
        )
    )


def _kind_of_thing(text: str) -> str:
    """A name from the thing that the request is about, where no words of it name the workload."""
    for pattern, name in _THINGS:
        match = pattern.search(text)
        if match:
            return name or _tidy(match["t"])
    return ""


_PRONOUNS = vocabulary("i we you he she it they there that who what let ich wir")
_NEVER = vocabulary(
    """i we you he she it they me us him her them who which that wir ich sie uns nous je vous ils
    nosotros yo look looks looking is are was were am be been has have had must shall should will
    would can could may might do does did need needs want wants wish plan get gets run runs keeps
    make makes sells betreiben betreibt läuft laufen ist sind hat haben soll sollen muss müssen
    möchten wollen brauchen sommes avons voulons tenemos queremos somos"""
)
_ADVERBS = vocabulary(
    """maybe perhaps also just about around some only now currently today then so well please
    really quite very possibly approximately roughly here there where how when if vielleicht
    etwa derzeit heute auch nur aujourd'hui hoy and or but million thousand after before"""
)
_THINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, _I), name)
    for pattern, name in (
        (
            r"\b(?P<t>(?!workshop|webshop)[^\W\d_]{2,}(?:portal|plattform|shop|anwendung|dienst|verwaltung))\b",
            "",
        ),
        (
            r"\b(?P<t>(?:customer|patient|member|partner|student|citizen|supplier|employee|booking"
            r"|self-service) (?:portal|platform|app|service))\b",
            "",
        ),
        (r"\bclub\b[^.]{0,40}\bweb ?site|\bweb ?site\b[^.]{0,40}\bclub\b", "Club web site"),
        (
            r"\b(?:video|sports|film|movie|match(?:es)?)\b[^.]{0,80}\bstream\w*"
            r"|\bstream\w*[^.]{0,80}\b(?:videos?|films?|movies?|matches)\b"
            r"|\btranscod\w+[^.]{0,60}\bvideos?|\bupload\w* [^.]{0,30}\bvideos?",
            "Video platform",
        ),
        (r"\b(?:web)?shop\b(?! floor)|\be-?commerce\b|\bonline store\b", "Web shop"),
        (r"\bbooking\w*|\breservations?\b|\bappointments?\b", "Booking service"),
    )
)


def _first_words(sentences: tuple[Sentence, ...]) -> str:
    """The words before the first colon or comma where they are a name, else ""."""
    if not sentences:
        return ""
    label, colon, _ = sentences[0].text.partition(":")
    words = (label if colon else re.split(r"[,;.!?](?:\s|$)|\d", label)[0]).split()
    while words and words[0].lower() in _OWN:
        words = words[1:]
    plain = 1 <= len(words) <= 6 and words[0].lower() not in _NO_NAME
    named = plain and (colon or len(words) > 1)
    return _tidy(" ".join(words)) if named else ""


_OWN = vocabulary(
    "our my the unsere unser unseren notre nos nuestra nuestro el la le les die der das"
)
_NO_NAME = vocabulary(
    """we i you they please need want hi hello hallo bonjour hola objective goal load context task
    background timeline build make give tell there it this what how can could should nous wir ich je
    queremos necesitamos tenemos ich subject budget team is are in on at for lift-and-shift migrate
    move data nothing"""
)


def _tidy(name: str) -> str:
    name = squeeze(name).strip(" .,:;!?\"'“”()-–")
    name = " ".join(name.split()[:9])
    name = re.split(r"\s(?:of|for|with|with the)?\s?(?=\d)", name)[0]
    while len(words := name.split()) > 1 and words[-1].lower() in _HANGING:
        name = " ".join(words[:-1])
    name = {"warehouse": "data warehouse", "shop": "web shop", "bookings": "booking service"}.get(
        name.lower(), name
    )
    return name[:1].upper() + name[1:]
