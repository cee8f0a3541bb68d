"""What a quantity measures: decided by the nearest cue in its sentence.

"back within the hour" and "at p95 under 300 ms" are both durations; only the words around say
which is a recovery time and which a response time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from agents.offline.facts import Measure
from agents.offline.reading.nouns import Noun
from agents.offline.reading.units import DAY, HOUR, MINUTE, YEAR, Tail

_I = re.IGNORECASE
_CUES: dict[Measure, re.Pattern[str]] = {
    Measure.RPO: re.compile(
        r"\brpo\b|recovery point|\blos(?:e|ing|t|s)\b|datenverlust|verlier\w*|verloren|\bpert\w+"
        r"|\bperd(?:re|u|ue|ues|er|ida)\b|pérdida", _I),
    Measure.RTO: re.compile(
        r"\brto\b|recovery time|\b(?:be|are|is|get|am) back\b|(?<!come )(?<!comes )\bback (?:up"
        r"|online|within|in)\b"
        r"|\brecover(?:s|y|ed)?\b(?! point)|\brestor(?:e|ed|ation)\b|(?:run|running|work"
        r"|working|available"
        r"|up) again|\bdown for\b|\bfail(?:s|ing)? ?over\b|\boutage (?:of|time)|\bdowntime\b"
        r"|unavailable for"
        r"|offline for|resume|wiederherstell\w*|wieder (?:verfügbar|da|laufen|online|arbeiten)"
        r"|wiederanlauf"
        r"|ausfallzeit|ausfall|reprise|rétabli\w*|de nouveau|redémarr\w*|recuperaci\w+|restablec\w+"
        r"|volver a|interrupci\w+", _I),
    Measure.RETENTION: re.compile(
        r"\bkeep(?:s|ing)?\b|\bkept\b|\bretain\w*|retention|\bstored? for\b|\barchiv\w+"
        r"|\breplay\b|\bgo back\b"
        r"|\bhistory\b|immutable|\bdeleted? for\b|nor deleted|\bbackups?\b|aufbewahr\w*"
        r"|aufzubewahren"
        r"|gespeichert|vorgehalten|conserv\w+|guardar|is enough for|\bheld for\b|\bhold\b", _I),
    Measure.FRESHNESS: re.compile(
        r"\bsees?\b|\bseen\b|visible|searchable|up[- ]to[- ]date|\bfresh\w*|\bappears?\b"
        r"|\bupdated\b"
        r"|\bshows? up\b|\blag\b|\bdelay\b|stale|near[- ]real[- ]time|reflected|indexed|sichtbar"
        r"|durchsuchbar|aktuell\b|verzögerung|actualis\w+|actualiz\w+|indexé\w*|buscable", _I),
    Measure.LATENCY: re.compile(
        r"\bp\s?(?:50|90|95|99)(?:\.9)?\b|percentile|perzentil|\blatenc\w+|\brespon\w+"
        r"|\banswer\w*|\bload in\b"
        r"|\bopens?\b|render\w*|come back in|round[- ]?trip|\breturns?\b|antwort\w*|latenz\w*"
        r"|\brépon\w+"
        r"|latencia|respuesta|respond\w+|percentil", _I),
    Measure.DEADLINE: re.compile(
        r"timeline|go[- ]?live|\blive\b|\blaunch\w*|\bready\b|\bfinish\w*|\bdone in\b|\bpilot\w*"
        r"|\bmigrat\w+|deadline"
        r"|in production|\bmvp\b|\bpoc\b|cut-?over|completed?|produktiv|fertig"
        r"|mise en (?:service|production)"
        r"|migraci\w+|lanza\w+", _I),
    Measure.FREQUENCY: re.compile(r"\b(?:every|alle|all|toutes les|tous les|cada)\s\Z", _I),
}  # fmt: skip
_BOUNDS: dict[Measure, tuple[float, float]] = {
    Measure.RPO: (0, 14 * DAY),
    Measure.RTO: (0, 31 * DAY),
    Measure.RETENTION: (HOUR, 200 * YEAR),
    Measure.FRESHNESS: (0, 2 * DAY),
    Measure.LATENCY: (0, 10 * MINUTE),
    Measure.DEADLINE: (3 * DAY, 5 * YEAR),
}
_LIMIT = re.compile(
    r"(?:within|under|below|less than|at most|no more than|max(?:imum)?|in|after|<|≤|unter"
    r"|innerhalb von"
    r"|binnen|höchstens|moins de|menos de|en|dans|sous)\s(?:about |around |ca\.? )?\Z", _I
)  # fmt: skip
_AVAILABLE = re.compile(
    r"availab\w*|uptime|\bsla\b|\bslo\b|verfügbar\w*|disponib\w*|erreichbar", _I
)
_GROW = re.compile(
    r"\bgr[oe]w\w*|increas\w+|year[- ]on[- ]year|wächst|wachs\w+|zunahme|croît|croiss\w+"
    r"|augment\w+|crec\w+"
    r"|\brise\w*|doubl\w+|\bmore (?:each|every)", _I,
)  # fmt: skip
_SPEND = re.compile(
    r"budget|\bcosts?\b|spend\w*|hosting|\bpay\b|afford|\bbills?\b|invoice|exceed|go above"
    r"|licen[cs]e|defend"
    r"|\bmoney\b|\bprice\b|\bcap\b|kosten|ausgeben|coûts?|dépens\w+|presupuesto|coste|gasta\w+"
    r"|\btarget\b"
    r"|finance|run rate|cloud", _I,
)  # fmt: skip
_TIMELINE = re.compile(r"(?:timeline|duration|zeitplan|délai|plazo)\s?:?\s(?:\w+\s)?\Z", _I)
_LOSS_WORD = re.compile(
    r"penalt\w+|\bfines?\b|\brevenue\b|\bdamages?\b|turnover"
    r"|vertragsstrafe",
    _I,
)
_BUDGET_WORD = re.compile(r"budget|presupuesto", _I)
_TEAM = re.compile(
    r"\bteam\b|\bwe(?: are|['’]re)\b|\bwe have\b|\brun it\b|operat\w+|developers?|staff"
    r"|maintain\w*|\bequipo\b|équipe"
    r"|\bwir sind\b|entwickl\w+|betrieb\w*|\bteam is\b", _I,
)  # fmt: skip
_AUDIENCE = re.compile(
    r"dashboards?|\busers?\b|\bsee\b|names|access|\bread\w*|visit\w*|nutz\w+|customers?", _I
)
_ITEM = re.compile(
    r"\b(?:message|event|record|file|photo\w*|image|document|payload|object|video|firmware"
    r"|reading|row"
    r"|pdf|scan|upload|imagery|picture|clip|datei|nachricht|fichier|archivo|mensaje)s?\b", _I,
)  # fmt: skip
_PER_ITEM = re.compile(
    r"\b(?:on average|average(?: of)?|avg\.?|averaging|zu je|jeweils|je|im schnitt|durchschnittlich"
    r"|en moyenne|de media|de promedio)\s(?:about |of |ca\.? )?\Z",
    _I,
)
_EACH_AFTER = re.compile(
    r"\s(?:and|und|et|y)\s[^,.;]{1,24}?\s(?:each|je|chacun\w*|cada un\w)\b", _I
)
_NEXT = re.compile(r"(?:\s[^\W\d_]+){0,3}\s[$€£]?\d")
_EVERY = re.compile(r"\b(?:each|every|chaque|jede[rs]?|cada)\b", _I)
_CODE = re.compile(r"\brto\b|\brpo\b", _I)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a quantity measures, and a subject when the cue itself names it."""

    measure: Measure
    subject: str = ""


def duration(text: str, start: int, end: int, value: float) -> Measure:
    """The measure of a duration of ``value`` seconds at ``text[start:end]``."""
    if _CUES[Measure.FREQUENCY].search(text, max(0, start - 12), start):
        return Measure.FREQUENCY
    best: tuple[float, Measure] | None = None
    for measure, (low, high) in _BOUNDS.items():
        if not low <= value <= high:
            continue
        distance = nearest(_CUES[measure], text, start, end)
        if distance is not None and (best is None or distance < best[0]):
            best = (distance, measure)
    if best is not None:
        label = _TIMELINE.search(text, max(0, start - 30), start)
        if (
            best[1] is Measure.DEADLINE
            and not label
            and not _LIMIT.search(text, max(0, start - 30), start)
        ):
            return Measure.OTHER
        return best[1]
    limited = _LIMIT.search(text, max(0, start - 30), start)
    if value < 1 or (value <= MINUTE and limited):
        return Measure.LATENCY
    return Measure.OTHER


def nearest(
    pattern: re.Pattern[str],
    text: str,
    start: int,
    end: int,
    reach: int = 90,
    *,
    own: bool = False,
) -> float | None:
    """Distance in characters to the nearest cue; clause marks between make it longer.

    A cue before the figure counts as a little nearer than one after it. With ``own``, a cue after
    the figure that introduces the next number ("in der Spitze 1.400") is not this figure's.
    """
    best: float | None = None
    low = max(0, start - reach)
    for match in pattern.finditer(text, low, min(len(text), end + reach)):
        if match.end() <= start:
            between, distance = text[match.end() : start], float(start - match.end())
        elif match.start() >= end:
            between, distance = text[end : match.start()], match.start() - end + 4.0
            if own and (
                re.search(r",\s.*\d", between)
                or ("," in between and _NEXT.match(text, match.end()))
            ):
                continue
        else:
            return 0.0
        distance += 28 * len(re.findall(r"[;:()]|,\s", between))
        distance += 18 * len(re.findall(r"\b(?:and|und|et|y|but|aber|mais|pero)\b", between))
        if best is None or distance < best:
            best = distance
    return best if best is None or best <= reach else None


def percentage(text: str, start: int, end: int, value: float) -> Verdict:
    """The measure of a percentage."""
    if 90 <= value <= 100:
        distance = nearest(_AVAILABLE, text, start, end, 120)
        of_calls = re.compile(r"\s(?:of\b|der\b|des\b|de las\b|within\b)").match(text, end)
        if distance is not None and not of_calls:
            return Verdict(Measure.AVAILABILITY)
        if of_calls:
            return Verdict(Measure.OTHER, "percentile")
        if value >= 99:
            return Verdict(Measure.AVAILABILITY)
    if nearest(_GROW, text, start, end, 60) is not None:
        return Verdict(Measure.GROWTH)
    return Verdict(Measure.OTHER)


def money(text: str, start: int, end: int, tail: Tail) -> Measure:
    """The measure of an amount of money."""
    if tail.noun and not tail.per:
        asked = nearest(_BUDGET_WORD, text, start, end, 40) is not None
        return Measure.BUDGET if asked else Measure.OTHER
    if nearest(_LOSS_WORD, text, start, end, 30) is not None:
        return Measure.OTHER
    spends = nearest(_SPEND, text, start, end, 120) is not None
    return Measure.BUDGET if spends or tail.per == "month" else Measure.OTHER


def size(text: str, start: int, end: int, value: float, tail: Tail) -> Measure:
    """The measure of a number of bytes."""
    if tail.each:
        return Measure.ITEM_SIZE
    one = _PER_ITEM.search(text, max(0, start - 24), start) or _EACH_AFTER.match(text, end)
    if one and _ITEM.search(text) and value < 5e12:
        return Measure.ITEM_SIZE
    near = nearest(_ITEM, text, start, end, 40) is not None
    single = re.compile(
        r"\b(?:one|each|a|an|per|every|chaque|jede[rs]?|cada|1|average|avg|typical"
        r"|about|median)\b",
        _I,
    ).search(text, max(0, start - 50), end + 12)
    if near and single and value < (5e10 if _EVERY.search(text[:end]) else 5e9):
        return Measure.ITEM_SIZE
    return Measure.DATA_VOLUME


def count(text: str, start: int, end: int, tail: Tail, *, devices: bool) -> Measure:
    """The measure of a count; ``devices`` is True where the request speaks of devices."""
    noun = tail.noun.lower()
    match tail.kind:
        case Noun.TEAM:
            return Measure.TEAM
        case Noun.USERS:
            return Measure.USERS
        case Noun.PEOPLE:
            team = nearest(_TEAM, text, start, end, 60)
            audience = nearest(_AUDIENCE, text, start, end, 60)
            is_team = team is not None and (audience is None or team <= audience)
            return Measure.TEAM if is_team else Measure.USERS
        case Noun.DEVICES:
            return Measure.DEVICES
        case Noun.MACHINES:
            virtual = re.search(r"virtual|vm\b|vmware", noun) is not None
            return Measure.DEVICES if devices and not virtual else Measure.COMPUTE
        case Noun.UNITS:
            return Measure.DEVICES if devices else Measure.ITEMS
        case Noun.COMPUTE:
            return Measure.COMPUTE
        case Noun.ITEMS | Noun.TRAFFIC:
            return Measure.ITEMS
        case _:
            if re.search(r"(?:ists|ians)$", tail.unit):
                return Measure.USERS
            return Measure.ITEMS if re.fullmatch(r"[a-zäöüß]{3,}s", tail.unit) else Measure.OTHER


@lru_cache(maxsize=4096)
def recovery_sentence(text: str) -> bool:
    """Whether a lone ``m`` in this sentence means minutes."""
    return _CODE.search(text) is not None
