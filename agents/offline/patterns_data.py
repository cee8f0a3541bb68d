"""Patterns of the data: what is kept, for how long, and how it is read."""

from __future__ import annotations

import re

from agents.offline.brief import Brief
from agents.offline.facts import Figure, Measure, Workload
from agents.offline.load import aim, duration, number, size
from agents.offline.patterns_model import Layer, Part, PartSpec, spec
from agents.offline.signals import Signal, pattern_of
from agents.offline.wording import listed


def _recovery(b: Brief) -> str:
    goals = [
        (
            f"loses at most {aim(b.load.rpo)}"
            if b.load.rpo.value
            else "loses nothing that is committed"
        )
        if b.load.rpo
        else "",
        f"is back within {aim(b.load.rto)}" if b.load.rto else "",
    ]
    return listed(goals)


def _event_log(b: Brief) -> str:
    load = b.load
    items = load.items
    wide = f" ({load.bandwidth(items)})" if items and items.value >= 100 else ""
    replay = ""
    if b.has(Signal.REPLAY):
        said = b.signals[Signal.REPLAY]
        window = next(
            (
                f
                for f in b.facts.figures
                if f.sentence == said and f.value and f.measure is Measure.RETENTION
            ),
            None,
        )
        days = window.value if window and window.value else 7 * 86_400
        kept = ""
        rate = load.steady or load.items
        if rate:
            octets = rate.value * load.message_bytes[0] * days
            kept = f" = {size(octets)} kept at the normal rate"
        replay = f"; consumers can read the last {duration(days)} again{kept}"
    order = "; one consumer that stands still holds up no other"
    if items is None:
        live = b.says(r"real-?time|to the minute|as (?:it|they) happens?|events?")
        moved = f"what happens in the {b.subject}{b.told(live, 80)}"
    else:
        moved = f"{b.traffic}{wide}"
    return f"{moved} durably between who sends and who reads{replay}{order}"


def _amount(b: Brief) -> str:
    """What the database holds; a figure that says when it is reached is not today's."""
    records = b.load.records
    if records is None:
        return ""
    later = re.search(
        r"\b(?:after|in|within) (?:\d+|two|three|five|ten) years?", records.text, re.I
    )
    return f", {records.text}" if later else f", {records.text} today"


def _relational(b: Brief) -> str:
    load = b.load
    volume = _amount(b)
    if load.stored_later and load.records:
        volume += f" ({load.stored_later})"
    writes = f"; {b.core_short} at peak"
    goals = _recovery(b)
    return f"the records{volume}{writes}" + (f"; {goals}" if goals else "")


def _document(b: Brief) -> str:
    goals = _recovery(b)
    return f"the state of each user or item, for {b.core_short}" + (f"; {goals}" if goals else "")


def _cache(b: Brief) -> str:
    within = b.latency()
    goal = f", to keep {within}" if within else ""
    calls = b.front
    return (
        f"what is read often and changes seldom, so that {calls} do not all reach the "
        f"database{goal}"
    )


def _serving(b: Brief) -> str:
    fresh = b.figures(Measure.FRESHNESS)
    seen = f", visible {aim(fresh[0])} after they happened" if fresh else ""
    kept = f" for {b.fleet}" if b.fleet else ""
    rate = f"written at {b.item_short}"
    if b.works(Workload.STREAMING) and not b.works(Workload.IOT):
        rate = f"as aggregates that the {b.item_short} are boiled down to"
    return f"recent values{kept} by key and time{seen}, {rate}"


def _objects(b: Brief) -> str:
    load = b.load
    said = b.says(r"photo|upload|image|file|document|attachment|video|\bPDF\b")
    amount = ""
    if load.uploads and load.uploads.value:
        rate = next(
            (
                f
                for f in b.figures(Measure.THROUGHPUT)
                if f.sentence == load.uploads.sentence and f.value
            ),
            None,
        )
        if rate and rate.value:
            day = rate.value * 86_400 * load.uploads.value
            amount = (
                f"; {number(rate.value * 86_400)} a day x {size(load.uploads.value)} = "
                f"{size(day)} a day, "
                f"{size(day * 365)} a year"
            )
    return f"files{b.told(said, 80)}{amount}"


def _raw(b: Brief) -> str:
    load = b.load
    each = load.nightly.text if load.nightly else b.item_short
    return f"{each} unchanged as delivered, so that a wrong transformation can be run again"


def readers_of(b: Brief) -> tuple[Figure, ...]:
    """The counts of people who query or read reports."""
    pattern = r"quer|dashboard|report|analyst|SQL"
    return tuple(
        f
        for f in b.figures(Measure.USERS)
        if re.search(pattern, f"{f.text} {f.subject}", re.I)
        or (re.search(pattern, f.sentence, re.I) and b.works(Workload.WAREHOUSE))
    )


def _warehouse(b: Brief) -> str:
    load = b.load
    readers = [f.text for f in readers_of(b)[:3]]
    who = f" for {listed(readers)}" if readers else ""
    volume = f"{size(load.stored.value or 0)} of history" if load.stored else "history"
    within = b.latency(r"quer|dashboard|open|report|analyst|SQL", under=300)
    goal = f", answers within {within}" if within else ""
    past = (
        f"; keeps earlier states (“{b.quote(Signal.TIME_TRAVEL, limit=80)}”)"
        if b.has(Signal.TIME_TRAVEL)
        else ""
    )
    peak = f", {number(load.peak_factor)} times as much at peak" if load.peak_factor else ""
    return f"{volume}{who}{goal}{peak}{past}"


def _dashboard(b: Brief) -> str:
    said = b.says(r"dashboards?|\breports?\b|Power BI|Looker|Tableau")
    keep = " with the reporting tool that is in use" if b.has(Signal.POWER_BI) else ""
    return (
        "figures to "
        f"{listed(p.lower() for p in (b.insiders() or b.people)[:3])}{keep}{b.told(said, 90)}"
    )


def _retrieval(b: Brief) -> str:
    items = [f.text for f in b.figures(Measure.ITEMS)[:1]]
    rights = ""
    if b.has(Signal.PERMISSIONS):
        rights = f", filtered by the asker's rights (“{b.quote(Signal.PERMISSIONS, limit=80)}”)"
    return (
        f"the passages of {listed(items) or 'the documents'} that fit a question by meaning "
        f"and by word{rights}, for {b.top_short}"
    )


def _search(b: Brief) -> str:
    said = b.says(r"search|find|filter|facet")
    items = [f.text for f in b.figures(Measure.ITEMS)[:1]]
    return f"{listed(items) or 'items'} by words and filters{b.told(said, 90)}"


def locked(b: Brief) -> bool:
    """Whether what is archived must be proof against change."""
    return b.has(Signal.IMMUTABLE) or bool(b.says(r"supervisory|tax office|by law|food law"))


def locked_for(b: Brief) -> Figure | None:
    """How long records must stay unchanged: the period named with that rule, else the longest."""
    said = b.signals.get(Signal.IMMUTABLE, "")
    match = re.search(pattern_of(Signal.IMMUTABLE), said, re.I)
    if match is None:
        return b.load.retention
    after = [
        (at, f)
        for f in b.figures(Measure.RETENTION)
        if (at := said.find(f.text, match.start())) >= 0
    ]
    return min(after, key=lambda pair: pair[0])[1] if after else b.load.retention


def _archive(b: Brief) -> str:
    longest = b.load.retention
    said = b.quote(Signal.IMMUTABLE) or b.says(r"keep|kept|retention|years")
    words = b.excerpt(said, 90)
    if not locked(b):
        kept = longest.text if longest else "the legal period"
        return f"what must stay for {kept} at a low price (“{words}”)"
    fixed = locked_for(b)
    kept = aim(fixed) if fixed else "the legal period"
    later = ""
    if longest and fixed and (longest.value or 0) > (fixed.value or 0):
        later = f", and what is left of it for {aim(longest)}"
    return f"what must stay for {kept} under a lock that nobody can lift early{later} (“{words}”)"


def _metadata(b: Brief) -> str:
    said = b.says(r"schema|catalog|lineage|definition|contract|who may see|glossary")
    return "what each field means, who owns it and which version is valid" + (
        f"{b.told(said, 80)}" if said else ""
    )


def _site_files(b: Brief) -> str:
    said = b.says(r"pages?|site|html|markdown|generator|hugo|astro|jekyll|eleventy")
    return f"every published version{b.told(said, 80)}, so that the last one can come back"


def _masking(b: Brief) -> str:
    said = b.says(
        r"mask|consent|names and emails|personal data|IP addresses|health data|privacy|GDPR"
    )
    rule = f" under {b.rules}" if b.rules else ""
    return f"personal data{rule} before others can read it{b.told(said, 110)}"


DATA: tuple[PartSpec, ...] = (
    spec(
        Part.EVENT_LOG,
        Layer.DATA,
        "Event backbone",
        "Carries",
        _event_log,
        r"events?|stream|replay|messages?|publish\w*|subscri\w*|consumer|order events|real-?time",
        areas="REL PERF",
        nfr=r"replay|loss|lost|burst|message|event",
    ),
    spec(
        Part.RELATIONAL,
        Layer.DATA,
        "Transactional database",
        "Keeps in transactions",
        _relational,
        r"orders?|records?|database|bookings?|payments?|transactions?|calendar|accounts?|"
        r"customers?|stock|"
        r"tenant's data|inventory|plan",
        areas="REL PERF SEC",
        nfr=r"\bRPO\b|\bRTO\b|lose|lost|recover|consisten|data must|leave|latency",
    ),
    spec(
        Part.DOCUMENT_STORE,
        Layer.DATA,
        "Document database",
        "Remembers",
        _document,
        r"profiles?|status|metadata|preferences|mobile|state|sessions?|per user|catalogue entries",
        areas="REL PERF",
        nfr=r"\bRPO\b|lose|latency",
    ),
    spec(
        Part.CACHE,
        Layer.DATA,
        "Read cache",
        "Answers from memory",
        _cache,
        r"cache\w*|session|fast|leaderboard",
        areas="PERF",
        nfr=r"latency|p9\d|ms\b|peak",
    ),
    spec(
        Part.SERVING,
        Layer.DATA,
        "Serving store for recent values",
        "Holds the",
        _serving,
        (
            r"recent|readings?|look at their|time series|current values?|live|top stories|"
            r"history of a|lookup"
        ),
        areas="PERF REL",
        nfr=r"reading|seconds|latency|lost",
    ),
    spec(
        Part.OBJECTS,
        Layer.DATA,
        "File store",
        "Stores the",
        _objects,
        (
            r"photographs?|photos?|images?|uploads?|files?|attachments?|videos?|documents?|"
            r"\bPDF\b|corpus"
        ),
        areas="COST SEC",
        nfr=r"storage|encrypt|retention|keep",
    ),
    spec(
        Part.RAW,
        Layer.DATA,
        "Raw landing zone",
        "Keeps each delivery:",
        _raw,
        r"raw|files? from|CSV|land\w*|deliver\w*|replay|history",
        areas="REL COST",
        nfr=r"lose|raw|night|retention",
    ),
    spec(
        Part.WAREHOUSE,
        Layer.DATA,
        "Analytical store",
        "Answers SQL over",
        _warehouse,
        (
            r"analysts?|SQL|quer(?:y|ies)|warehouse|reports?|history|detail|sessionised|"
            r"figures|finance"
        ),
        areas="PERF COST SEC",
        nfr=r"quer|dashboard|history|years|analyst|SQL",
    ),
    spec(
        Part.DASHBOARD,
        Layer.DATA,
        "Reporting and dashboards",
        "Reports",
        _dashboard,
        r"dashboards?|reports?|Power BI|Looker|Tableau|charts?|newsroom",
        areas="PERF",
        nfr=r"dashboard|report|open",
    ),
    spec(
        Part.RETRIEVAL,
        Layer.DATA,
        "Permission-aware retrieval index",
        "Retrieves",
        _retrieval,
        r"search\w*|passages?|find|documents?|permission|confidential|similar|where it found|index",
        areas="SEC PERF",
        nfr=r"permission|confidential|search|document",
    ),
    spec(
        Part.SEARCH,
        Layer.DATA,
        "Search index",
        "Looks up",
        _search,
        r"full[- ]text|search\w*|facet\w*|filter|find",
        areas="PERF",
        nfr=r"search",
    ),
    spec(
        Part.ARCHIVE,
        Layer.DATA,
        "Long-term archive",
        "Keeps for the long term",
        _archive,
        r"keep|kept|years|archive\w*|retention|neither changed nor deleted|tax|history",
        areas="SEC COST REL",
        nfr=r"years|retention|kept|keep|changed|tamper|delete",
    ),
    spec(
        Part.METADATA,
        Layer.DATA,
        "Schema and metadata registry",
        "Registers",
        _metadata,
        r"schemas?|catalog\w*|lineage|glossary|definitions?",
        areas="OPS",
        nfr=r"schema|lineage|govern",
    ),
    spec(
        Part.SITE_FILES,
        Layer.DATA,
        "Site content store",
        "Keeps as files",
        _site_files,
        r"pages?|site|content|images|html|articles?|publish\w*",
        areas="REL",
        nfr=r"version|restore|content",
    ),
    spec(
        Part.MASKING,
        Layer.DATA,
        "Personal data protection",
        "Finds, masks or drops",
        _masking,
        r"mask\w*|personal|consent|names and emails|IP addresses|anonymi\w*|pseudonym\w*|health",
        areas="SEC",
        nfr=r"personal|GDPR|privacy|mask|consent|health|IP address",
    ),
)
