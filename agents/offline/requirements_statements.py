"""Requirement statements: what a sentence of the request, with its figures, asks of the system.

A statement leads with the demand as an architect would put it and ends with the user's own words,
so that nobody has to trust the paraphrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.offline.facts import Constraint, Facts, Figure, Measure, Need, Workload
from agents.offline.reading.compliance import names_in
from agents.offline.reading.language import detect
from agents.offline.reading.units import MONTH
from agents.offline.reading.words import duration_text, money_text, number_text

_I = re.IGNORECASE
_LABEL = re.compile(
    r"^(?:what (?:we need|the \w+ has to do)|rules?|load|money|quality|personal data"
    r"|who uses it|where we are|users?|oh and|and|but|so|also|then"
    r"|additionally|i should also mention that|i(?:['’]d| would) (?:want"
    r"|like)(?: to have)?)\b\s*:?\s*", _I,
)  # fmt: skip
_WE = re.compile(
    r"^(?P<lead>(?:nightly|daily|weekly|today|every \w+|once a \w+),? )?we (?=(?:collect|export"
    r"|import|send|receive|predict"
    r"|process|store|load|publish|notify|show|sell|track|convert|transcode|scan|print|sync"
    r"|analy[sz]e|read|write|take|record"
    r"|search|stream|deliver|calculate|generate|translate|classify|host|schedule|monitor)\b)", _I,
)  # fmt: skip
_WISHED = re.compile(
    r"^i(?:['’]d| would)? (?:like|want|need)(?: to have)? (?:it|this|them|that) (?=on|in|at|with)",
    _I,
)
_PROVIDE = re.compile(
    r"^we (?:need|want|would like|build|are building|plan)(?: to (?:have|build|create|get))? "
    r"(?=(?:an?|the|our|one) )", _I,
)  # fmt: skip
_OCCASION = re.compile(
    r"^(?:and )?(?:if|when|wenn|falls|si|cuando)\s(?P<w>(?:(?!,|\bwe\b|\bthe board\b"
    r"|\bwir\b).){4,70})",
    _I,
)
_JOINTS = re.compile(
    r"(?<=[;:])\s|,\s(?=(?:and|but|so|otherwise|because|und|aber|et|y|mais|pero)\b)|(?<=[.!?])\s"
)
_PART_OF = re.compile(r"\b(?:a|an|each|every|one) \w+ (?:has|have|carries|holds)\b", _I)
_PLACE = re.compile(
    r"stay|remain|leave|everything in|location|region|host|bleib|rest|permane|within the", _I
)
_PARTIAL = re.compile(r"\bwhose\b|\bof them\b", _I)
_KEEPING = frozenset(
    {"", "retention", "aufbewahrung", "conservation", "conservación", "keep data", "finance"}
)
_HELD = re.compile(
    r"document|file|table|row|record|image|photo|video|picture|sku|product|article|page|dataset"
    r"|object"
    r"|item|invoice|contract|track|listing|asset|scan|dokument|datei|bild|fichier|archivo|produkt"
    r"|artikel"
)
_PROMISES = frozenset(
    {"", "availability", "uptime", "sla", "slo", "verfügbarkeit", "disponibilité", "disponibilidad"}
)
_PERCENTILE = re.compile(
    r"\bp\s?(?:50|90|95|99)(?:\.9)?\b|\d{2}(?:\.\d)? ?%(?= (?:of|within)\b)", _I
)


def need_text(need: Need) -> str:
    """A functional need as a requirement: the user's sentence without its run-up."""
    wished = _WISHED.match(need.text)
    text = need.text if wished else _LABEL.sub("", _LABEL.sub("", need.text)).strip()
    text = _WISHED.sub("The system runs ", text)
    text = _PROVIDE.sub("Provide ", text)
    text = re.sub(r"^it\b", "The system", text, flags=_I)
    text = _WE.sub(lambda m: m["lead"] or "", text)
    text = re.sub(r"\bwe must be able to\b", "it must be possible to", text, flags=_I)
    return sentence(text)


def plain(text: str) -> str:
    """A sentence of the request without its label ("Money: ...")."""
    return sentence(_LABEL.sub("", text))


def sentence(text: str) -> str:
    """``text`` with a capital at its start and a full stop at its end."""
    text = " ".join(text.split()).strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ".”", '."')) else f"{text.rstrip(',;:')}."


def quoted(text: str) -> str:
    """The user's words in quotation marks; marks inside become straight ones."""
    inner = text.replace("“", '"').replace("”", '"')
    return f"“{inner}”"


def constraint_text(constraint: Constraint, facts: Facts) -> str:
    """A constraint as a requirement: the demand that its figures make, then the user's words."""
    own = [f for f in facts.figures if f.sentence == constraint.text]
    parts = [*_law(constraint.text, facts), *lead_of(own, facts, constraint.text, constraint.area)]
    if not parts and constraint.area == "SUS":
        parts = ["release capacity while it is not used"]
    if not parts:
        return plain(constraint.text)
    return f"{sentence('; '.join(parts))[:-1]}: {quoted(constraint.text)}"


def clause_of(text: str, figures: Sequence[Figure]) -> str:
    """The part of a sentence in which these figures stand, as written."""
    starts = [m.end() for m in _JOINTS.finditer(text)]
    places = [
        (text.find(f.text), text.find(f.text) + len(f.text)) for f in figures if f.text in text
    ]
    if not places:
        return text
    first, last = min(p[0] for p in places), max(p[1] for p in places)
    left = max((s for s in starts if s <= first), default=0)
    right = min((m.start() for m in _JOINTS.finditer(text) if m.start() >= last), default=len(text))
    return _LABEL.sub("", text[left:right].strip(" ,;:"))


def _law(text: str, facts: Facts) -> list[str]:
    """What laws, norms and places demand in a sentence."""
    parts = []
    names = [n for n in facts.compliance if n in names_in(text)]
    if names:
        parts.append(f"meet {joined(names)}")
    if (
        demands_place(text)
        and any(where in text for where in facts.locations_text)
        and facts.regions
    ):
        parts.append(f"keep data and processing in {joined(facts.regions)}")
    return parts


def demands_place(text: str) -> bool:
    """Whether a sentence demands where data and processing stand, for all of it."""
    return _PLACE.search(text) is not None and _PARTIAL.search(text) is None


def lead_of(own: Sequence[Figure], facts: Facts, text: str, area: str) -> list[str]:
    """The demands of an area that the figures of one sentence make."""
    by: dict[Measure, list[Figure]] = {}
    for figure in sorted(own, key=lambda f: max(text.find(f.text), 0)):
        by.setdefault(figure.measure, []).append(figure)
    things = by.get(Measure.ITEMS, [])
    held = [*by.get(Measure.DATA_VOLUME, []), *(f for f in things if _HELD.search(f.unit))]
    around = [f for f in things if not _HELD.search(f.unit)]
    demands = {
        "SEC": [_retention(by.get(Measure.RETENTION, []))],
        "REL": [_recovery(by, text), _availability(by.get(Measure.AVAILABILITY, []))],
        "PERF": [
            _rates(by.get(Measure.THROUGHPUT, [])),
            _latency(by.get(Measure.LATENCY, []), text),
            _counts("show data no older than", by.get(Measure.FRESHNESS, [])),
            _counts("serve", by.get(Measure.USERS, [])),
            _devices(by.get(Measure.DEVICES, []), facts),
            _counts("take in", by.get(Measure.DATA_RATE, [])),
            _counts("hold", held),
            _counts("cover", around),
            _counts("handle items of", by.get(Measure.ITEM_SIZE, [])),
            _growth(by.get(Measure.GROWTH, [])),
        ],
        "COST": [_budget([f for f in by.get(Measure.BUDGET, []) if not f.current], facts)],
        "OPS": [_team(by.get(Measure.TEAM, [])), _dates(by.get(Measure.DEADLINE, []), facts)],
    }
    return [part for part in demands.get(area, []) if part]


def _recovery(by: dict[Measure, list[Figure]], text: str) -> str:
    parts = []
    if rto := by.get(Measure.RTO):
        parts.append(f"recover within {_value(rto[0])} (RTO)")
    if rpo := by.get(Measure.RPO):
        what = f"at most {_value(rpo[0])} of {_lost(rpo[0], text)}"
        parts.append("lose no data (RPO 0)" if rpo[0].value == 0 else f"lose {what} (RPO)")
    if not parts:
        return ""
    occasion = _OCCASION.match(text)
    when = f" when {occasion['w'].strip()}" if occasion else ""
    region = re.search(r"(?:entire|whole) region|region (?:is lost|fails|outage)", text, _I)
    also = " when a whole region fails" if region and not when else ""
    return f"{' and '.join(parts)}{when}{also}"


def _lost(figure: Figure, text: str) -> str:
    return (
        figure.subject
        if figure.subject and f"{figure.text} of {figure.subject}" in text
        else "data"
    )


def _value(figure: Figure) -> str:
    """The figure as written, or its value where the words hide it ("within the hour")."""
    if re.search(r"\d", figure.text) or figure.value is None:
        return figure.text
    return duration_text(figure.value)


def _availability(figures: Sequence[Figure]) -> str:
    parts: list[str] = []
    for figure in figures:
        if figure.value is None:
            continue
        down = duration_text((100 - figure.value) / 100 * MONTH)
        known = figure.subject.lower() not in _PROMISES
        subject = figure.subject if known and len(figure.subject.split()) <= 3 else "service"
        adverb = "" if parts else "available "
        parts.append(f"the {subject} {adverb}{figure.text} of a month (at most {down} down)")
    return f"keep {joined(parts)}" if parts else ""


def _rates(figures: Sequence[Figure]) -> str:
    figures = [f for f in figures if "change" not in f.text]
    usual = [f for f in figures if not f.peak]
    peaks = [f for f in figures if f.peak]
    parts = []
    if usual:
        parts.append(f"{joined(shown(f) for f in usual)} as a rule")
    if peaks:
        top = max(peaks, key=lambda f: f.value or 0.0)
        low = min((f.value for f in usual if f.value), default=None)
        times = (
            f" ({number_text(float(f'{(top.value or 0) / low:.2g}'))} times as much)"
            if low and (top.value or 0) > low
            else ""
        )
        parts.append(f"{joined(shown(f) for f in peaks)} at peak{times}")
    return f"carry {' and '.join(parts)}" if parts else ""


def _latency(figures: Sequence[Figure], text: str) -> str:
    parts = []
    for figure in figures:
        at = text.find(figure.text)
        near = _PERCENTILE.search(text[max(0, at - 24) : at + len(figure.text) + 12])
        parts.append(f"{figure.text} ({near.group()})" if near else figure.text)
    return f"respond within {joined(parts)}" if parts else ""


def _devices(figures: Sequence[Figure], facts: Facts) -> str:
    wanted = [f for f in figures if not f.current and not _PART_OF.search(f.sentence)]
    today = next((f for f in facts.figures if f.measure is Measure.DEVICES and f.current), None)
    since = f" (today {shown(today)})" if today else ""
    return f"connect {joined(shown(f) for f in wanted)}{since}" if wanted else ""


def _growth(figures: Sequence[Figure]) -> str:
    parts = [
        f"{f.text} the usual load" if f.unit == "x" else f"growth of {f.text}" for f in figures
    ]
    return f"bear {joined(parts)}" if parts else ""


def _team(figures: Sequence[Figure]) -> str:
    parts = [
        f"a {f.text}" if f.text.lower().startswith("team of") else _lower(f.text) for f in figures
    ]
    return f"be built and run by {joined(parts)}" if parts else ""


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if re.match(r"[A-Z][a-zäöüéè]+\b", text) else text


def shown(figure: Figure) -> str:
    """A figure with its noun, where that stands elsewhere in the sentence."""
    if re.search(r"[^\W\d_]{2,}", figure.text) and not re.search(
        r"^[\d.,k]+(?: million| mio\.?| thousand)? (?:a|per|pro|par) ", figure.text, _I
    ):
        return _lower(figure.text)
    noun = figure.subject or figure.unit
    if re.match(r"[\d.,]+ ?(?:k|m|mio\.?|million|thousand)? (?:a|per) ", figure.text):
        return f"{figure.text} ({noun})" if noun else figure.text
    return (
        f"{figure.text} {noun}"
        if re.fullmatch(r"[\d.,' kKmM]+", figure.text)
        else (f"{figure.text} ({noun})" if noun else figure.text)
    )


def _inside(figure: Figure) -> str:
    """The subject within a sentence; German nouns keep their capital."""
    return figure.subject if detect(figure.sentence) == "de" else _lower(figure.subject)


def _retention(figures: Sequence[Figure]) -> str:
    parts = [
        f"{_inside(f) if f.subject.lower() not in _KEEPING else 'data'} for {f.text}"
        for f in figures
    ]
    return f"keep {joined(parts)}" if parts else ""


def _budget(figures: Sequence[Figure], facts: Facts) -> str:
    if not figures:
        return ""
    figure = figures[0]
    today = next((f for f in facts.figures if f.measure is Measure.BUDGET and f.current), None)
    if figure.value is None:
        return f"stay within {figure.text}"
    total = money_text(figure.value, figure.unit)
    if "%" in figure.text and today:
        return f"stay within {total} a month, which is {figure.text} than today ({today.text})"
    each = figure.subject.startswith("for ")
    whole = f", i.e. {total} a month {figure.subject}" if each else ""
    against = ""
    if today and today.value and today.unit == figure.unit and not each:
        share = (1 - figure.value / today.value) * 100
        against = f" (today {today.text}, so {abs(share):.0f} % {'less' if share >= 0 else 'more'})"
    return f"stay within {figure.text}{whole}{against}"


def _dates(figures: Sequence[Figure], facts: Facts) -> str:
    if not figures:
        return ""
    ranked = [f for f in facts.figures if f in figures]
    first, others = ranked[0], ranked[1:]
    also = f" (also named: {joined(f.text for f in others)})" if others else ""
    limited = re.match(r"(?:before|by|no later)\b", first.text, _I)
    verb = "be done" if limited else "keep the date" if first.unit == "date" else "be ready within"
    return f"{verb} {first.text}{also}"


def _counts(verb: str, figures: Sequence[Figure]) -> str:
    return f"{verb} {joined(shown(f) for f in figures)}" if figures else ""


def joined(items: Iterable[str]) -> str:
    """``a, b and c``."""
    parts = [i for i in items if i]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def main_function(facts: Facts) -> str:
    """The function that the figures imply where no sentence spells it out, or ""."""
    plain_title = facts.language == "en" and facts.title[1:2].islower()
    title = facts.title[:1].lower() + facts.title[1:] if plain_title else facts.title
    rates = [
        f for f in facts.figures if f.measure is Measure.THROUGHPUT and f.subject and not f.current
    ]
    ratio = next(
        (f for f in facts.figures if f.unit.startswith("per ") and f.measure is Measure.OTHER), None
    )
    generic = bool(rates) and rates[0].subject.lower() in ("requests", "calls", "queries", "hits")
    if rates and not generic and Workload.WEB_API in facts.workloads:
        usual = [f.text for f in rates if not f.peak]
        peak = [f.text for f in rates if f.peak]
        parts = [
            f"{joined(usual)} as a rule" if usual else "",
            f"{joined(peak)} at peak" if peak else "",
        ]
        with_ratio = f", with {ratio.text}" if ratio else ""
        return (
            f"Accept and process {rates[0].subject} in the {title}: {joined(parts)}{with_ratio} "
            "(the request gives the load of this function, not its steps; confirm them)."
        )
    verbs = {
        Workload.STATIC_SITE: "Publish the pages of the {t} and let its editors change them",
        Workload.WEB_API: "Offer the {t} to its users over HTTPS",
        Workload.MIGRATION: "Provide on the new platform what the {t} does today",
        Workload.STREAMING: "Take in the events of the {t}, evaluate them on arrival and show the "
        "results",
        Workload.WAREHOUSE: "Load, check and model the sources of the {t} for its reports",
        Workload.IOT: "Connect the devices of the {t}, record what they report and show it",
        Workload.RAG_ML: "Answer the questions put to the {t} from its own sources and show these",
        Workload.MEDIA: "Accept the files of the {t}, convert them and deliver the results",
    }
    served = re.search(
        r"model|scoring|prediction", facts.title + " ".join(f.subject for f in rates), _I
    )
    if facts.workloads[0] is Workload.RAG_ML and served:
        verbs[Workload.RAG_ML] = "Answer each call of the {t} with a result of the model"
    return (
        f"{verbs[facts.workloads[0]].format(t=title)} (taken from the kind of workload; the "
        "request does not list functions)."
    )
