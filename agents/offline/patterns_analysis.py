"""Patterns of streams, batches, devices and models: what works on data as it comes."""

from __future__ import annotations

from agents.offline.brief import Brief
from agents.offline.facts import Measure
from agents.offline.load import aim, number, size
from agents.offline.patterns_model import Layer, Part, PartSpec, spec
from agents.offline.signals import Signal
from agents.offline.wording import listed


def _stream(b: Brief) -> str:
    load = b.load
    parts = [b.item_short]
    fresh = b.figures(Measure.FRESHNESS)
    if fresh:
        parts.append(f"visible within {aim(fresh[0])}")
    late = b.says(r"late|buffered|offline")
    if b.has(Signal.LATE_EVENTS) and late:
        parts.append(f"late arrivals{b.told(late, 80)}")
    if b.has(Signal.EXACTLY_ONCE):
        parts.append(f"duplicates removed by event id (“{b.quote(Signal.EXACTLY_ONCE, limit=70)}”)")
    if b.says(r"session"):
        parts.append("sessions closed by a gap in activity")
    if load.times:
        parts.append(f"{load.times} the normal rate absorbed by adding workers")
    return "; ".join(parts)


def _alarm(b: Brief) -> str:
    said = b.says(r"alarm|alert (?:when|if)|threshold|outside its|anomal")
    again = f"; runs again within {aim(b.load.rto)} after a failure" if b.load.rto else ""
    return f"the rule for each device{b.told(said, 100)}{again}"


def _command(b: Brief) -> str:
    said = b.says(r"set points?|send new|new firmware|commands?\b|configuration")
    octets = next(
        (f.value for f in b.figures(Measure.ITEM_SIZE) if "firmware" in f.sentence and f.value), 0
    )
    staged = f"; files of {size(octets)} go out in stages" if octets else ""
    return f"devices and records whether each confirmed it{b.told(said, 90)}{staged}"


def _batch(b: Brief) -> str:
    load = b.load
    amount = f"{load.nightly.text}" if load.nightly else "the deliveries"
    window = ""
    if load.window_hours and load.nightly and load.nightly.value:
        rate = load.nightly_bytes / load.window_hours / 3600 / 1e6
        window = (
            f"; the window of {number(load.window_hours)} h asks for {load.nightly.text} / "
            f"{number(load.window_hours)} h = {number(rate)} MB/s if all of it came through it"
        )
    told = b.says(r"deliver|sources?|files?|extract|feed|import")
    sources = listed(_sources(b)[:5]) or f"where they arise{b.told(told, 80)}"
    return f"{amount} from {sources}, and checks counts before anything is published{window}"


def _sources(b: Brief) -> list[str]:
    from agents.offline.patterns_outside import outsiders

    return [o.name for o in outsiders(b) if o.gives]


def _transform(b: Brief) -> str:
    due = b.says(r"\bby \d{1,2}[:.]\d{2}|before \d{1,2}[:.]\d{2}|until \d{1,2}[:.]\d{2}")
    done = f"{b.told(due, 90)}" if due else ""
    skill = ", written in SQL because that is what the team knows" if b.has(Signal.SQL_ONLY) else ""
    return f"raw deliveries into the tables that the {b.subject} reports from{done}{skill}"


def _orchestration(b: Brief) -> str:
    paged = b.says(r"page|on duty|alert")
    why = f"{b.told(paged, 80)}" if paged else ""
    every = next((f.text for f in b.figures(Measure.FREQUENCY) if (f.value or 0) >= 900), "")
    runs = "each run" + (f" ({every})" if every else "")
    return (
        f"{runs} in the order of its dependencies, retries, and calls a person when it fails{why}"
    )


def _answer(b: Brief) -> str:
    times = [aim(f) for f in b.figures(Measure.LATENCY)[:2]]
    goal = (
        f", first words after {times[0]} and the whole answer within {times[-1]}" if times else ""
    )
    if len(times) == 1:
        goal = f", the answer within {times[0]}"
    unknown = (
        "; says that it does not know when nothing fits"
        if b.says(r"don't know|do not know")
        else ""
    )
    return f"{b.traffic}{goal}, with the sources shown{unknown}"


def _model(b: Brief) -> str:
    rule = b.says(r"train any|not be used to train|leave the (?:EU|country)|nothing personal")
    limit = f" under the user's rule “{b.excerpt(rule, 90)}”" if rule else ""
    return f"answers from the passages that it is given, and from nothing else,{limit}"


def _docs_in(b: Brief) -> str:
    volume = [f.text for f in (*b.figures(Measure.ITEMS)[:1], *b.figures(Measure.DATA_VOLUME)[:1])]
    fresh = b.figures(Measure.FRESHNESS)
    within = f", a change searchable within {aim(fresh[0])}" if fresh else ""
    scans = "; recognises the text of scans" if b.has(Signal.SCANS) else ""
    return (
        f"{listed(volume) or 'the documents'} into passages with their access rights{within}{scans}"
    )


def _evaluation(b: Brief) -> str:
    said = b.says(r"known answers|% right|questions run|quality|accuracy|golden")
    return (
        "a fixed set of questions before each release and blocks it on a bad "
        f"score{b.told(said, 100)}"
    )


def _prediction(b: Brief) -> str:
    said = b.says(r"predict|model|recommend|score|forecast|classif|detect")
    within = b.latency(r"predict|scor|model|infer")
    goal = f" within {within}" if within else ""
    return f"the trained model to new data{goal}{b.told(said, 90)}"


def _training(b: Brief) -> str:
    said = b.says(r"train")
    return f"the model from history and keeps each version with its score{b.told(said, 90)}"


ANALYSIS: tuple[PartSpec, ...] = (
    spec(
        Part.STREAM,
        Layer.APPLICATION,
        "Stream processor",
        "Cleans, orders and joins events as they arrive:",
        _stream,
        r"stream\w*|session\w*|real-?time|events?|late|window|aggregate|within \d+ (?:s|"
        r"min)|enrich|"
        r"top stories|readings?",
        areas="PERF REL",
        nfr=r"late|double|duplicate|loss|real-?time|seconds",
    ),
    spec(
        Part.ALARM,
        Layer.APPLICATION,
        "Alarm evaluator",
        "Judges on every reading",
        _alarm,
        r"alarms?|alerts?|thresholds?|outside its|anomal\w*|temperature band",
        areas="REL",
        nfr=r"alarm|alert",
    ),
    spec(
        Part.DEVICE_COMMAND,
        Layer.APPLICATION,
        "Device commands and updates",
        "Sends settings and updates to",
        _command,
        r"set points?|firmware|commands?|configuration|over the air",
        areas="SEC",
        nfr=r"firmware|certificate",
    ),
    spec(
        Part.BATCH_LOAD,
        Layer.APPLICATION,
        "Batch intake",
        "Fetches and loads",
        _batch,
        (
            r"extract\w*|sources?|load(?:ed|s)?|nightly|night|files? from|SAP|import\w*|"
            r"deliver\w*|feeds?|CSV"
        ),
        areas="OPS REL",
        nfr=r"window|night|load",
    ),
    spec(
        Part.TRANSFORM,
        Layer.APPLICATION,
        "Data transformation",
        "Checks and models",
        _transform,
        r"model(?:led|ling)|transform\w*|checked|cleans\w*|SSIS|ETL|ELT|aggregat\w*|quality",
        areas="PERF OPS",
        nfr=r"by \d|ready|quality",
    ),
    spec(
        Part.ORCHESTRATION,
        Layer.APPLICATION,
        "Batch control",
        "Starts",
        _orchestration,
        r"schedul\w*|failed load|order of|night|depend\w*|page whoever|window|\bcron\b",
        areas="OPS REL",
        nfr=r"fail|page|window|schedule",
    ),
    spec(
        Part.ANSWER,
        Layer.APPLICATION,
        "Answer service",
        "Finds the passages for and answers",
        _answer,
        r"questions?|answers?|assistant|chat\w*|ask|conversation|don't know|summar\w*|sources?",
        areas="PERF REL",
        nfr=r"answer|question|words|latency|second",
    ),
    spec(
        Part.INFERENCE,
        Layer.APPLICATION,
        "Language model",
        "Writes",
        _model,
        r"language model|\bLLM\b|generat\w*|summar\w*|answer",
        areas="SEC COST",
        nfr=r"train|model|token",
    ),
    spec(
        Part.DOC_INTAKE,
        Layer.APPLICATION,
        "Document intake",
        "Reads, cuts and indexes",
        _docs_in,
        r"documents?|\bPDF\b|Word|scans?|SharePoint|corpus|searchable|index\w*|change",
        areas="PERF OPS",
        nfr=r"searchable|documents|minutes",
    ),
    spec(
        Part.EVALUATION,
        Layer.APPLICATION,
        "Answer quality evaluation",
        "Tests with",
        _evaluation,
        r"known answers|right|quality|evaluat\w*|release|accuracy|golden",
        areas="OPS",
        nfr=r"quality|release|right|accuracy",
    ),
    spec(
        Part.PREDICTION,
        Layer.APPLICATION,
        "Prediction service",
        "Applies",
        _prediction,
        r"predict\w*|recommend\w*|scor(?:e|ing)|forecast\w*|classif\w*|detect\w*|fraud|model",
        areas="PERF",
        nfr=r"predict|inference|score",
    ),
    spec(
        Part.TRAINING,
        Layer.APPLICATION,
        "Model training",
        "Trains again",
        _training,
        r"train\w*|retrain\w*|feature|experiment|notebook",
        areas="COST SUS",
        nfr=r"train|GPU",
    ),
)
