"""Patterns of the application: what answers people and systems, and what works behind them."""

from __future__ import annotations

from agents.offline.brief import Brief, clip, listed
from agents.offline.facts import Measure
from agents.offline.load import aim, duration, number, size
from agents.offline.patterns_model import Layer, Part, PartSpec, spec
from agents.offline.signals import Signal


def _web(b: Brief) -> str:
    pages = b.says(r"portal|shop|web front|website|browser|pages?")
    said = f"{b.told(pages, 80)}" if pages else ""
    return f"the pages of the {b.subject} to {listed(p.lower() for p in b.people[:2])}{said}"


def _api(b: Brief) -> str:
    load = b.load
    within = b.latency(r"API|checkout|call|request|answer|page|look")
    goal = f", each within {within}" if within else ""
    what = f"{b.traffic} ({load.fan_out.shown})" if load.fan_out else b.front
    state = "; keeps no state of its own, so that copies can be added and lost freely"
    return f"{what}{goal}{state}"


def _worker(b: Brief) -> str:
    said = b.says(r"webhook|event|queue|mail|asynchron|background|summary|later")
    after = (
        f"what may happen after the answer to the caller{b.told(said, 90)}"
        if said
        else (f"what the {b.subject} may finish after the answer to the caller")
    )
    return f"{after}, retries it, and treats a repeated message as the same work"


def _queue(b: Brief) -> str:
    return (
        f"work of the {b.subject} until a worker is free, so that {b.item_short} never wait for "
        "the slowest step"
    )


def _webhooks(b: Brief) -> str:
    said = b.says(r"webhook")
    kept = b.says(r"retr(?:y|ies)")
    hours = next(
        (
            f.text
            for f in b.facts.figures
            if f.sentence == kept
            and f.measure in (Measure.RETENTION, Measure.OTHER, Measure.RTO, Measure.FREQUENCY)
        ),
        "",
    )
    retry = f" and retries for {hours}" if hours else " and retries with growing pauses"
    return f"changes to the receivers' own systems{b.told(said, 90)}{retry}, each receiver apart"


def _notifier(b: Brief) -> str:
    said = b.says(r"\bSMS\b|e-?mail|push notification|notif|mail provider|text message")
    within = next((f.text for f in b.figures(Measure.LATENCY) if f.sentence == said), "")
    until = f" within {within}" if within else ""
    return f"messages to people through outside carriers{until}{b.told(said, 100)}"


def _documents(b: Brief) -> str:
    said = b.says(r"\bPDF\b|invoice|report as|certificate of|record of")
    return f"documents on demand from stored data{b.told(said, 110)}"


def _form(b: Brief) -> str:
    said = b.says(r"form|contact|newsletter|booking|sign-?up")
    return f"what visitors send in{b.told(said, 90)}, and runs only when one does"


def _files(b: Brief) -> str:
    said = b.says(r"SFTP|\bCSV\b|\bEDI\b|\bFTP\b|file exchange|export all")
    return f"files with partners that cannot call an interface{b.told(said, 110)}"


def _upload(b: Brief) -> str:
    load = b.load
    each = f" of {size(load.uploads.value or 0)}" if load.uploads else ""
    rate = f"; {load.top.shown}" if load.top else ""
    said = b.says(r"upload|photograph|photos?|images?|videos?|files?")
    return (
        f"large files{each} go straight to storage with a short-lived permission, past the "
        f"application{b.told(said, 80)}{rate}"
    )


def _media(b: Brief) -> str:
    said = b.says(r"transcod|convert|thumbnail|resiz|render|encode|watermark|virus|extract|caption")
    jobs = b.traffic
    return (
        f"each file into the wanted forms{b.told(said, 100)}, {jobs}, in parallel"
    )


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
    said = b.says(r"set points?|firmware|command|configuration")
    octets = next(
        (f.value for f in b.figures(Measure.ITEM_SIZE) if "firmware" in f.sentence and f.value), 0
    )
    staged = f"; files of {size(octets)} go out in stages" if octets else ""
    return (
        f"devices and records whether each confirmed it{b.told(said, 90)}{staged}"
    )


def _batch(b: Brief) -> str:
    load = b.load
    amount = f"{load.nightly.text}" if load.nightly else "the deliveries"
    window = ""
    if load.window_hours and load.nightly and load.nightly.value:
        rate = load.nightly.value / load.window_hours / 3600 / 1e6
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
    runs = next(
        (f.text for f in b.figures(Measure.FREQUENCY) if (f.value or 0) >= 900),
        f"each run of the {b.subject}",
    )
    return (
        f"{runs} in the order of its dependencies, retries, and calls a person when it fails{why}"
    )


def _answer(b: Brief) -> str:
    times = [aim(f) for f in b.figures(Measure.LATENCY)[:2]]
    goal = f", first words after {times[0]} and the whole answer within {times[-1]}" if times else ""
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
    limit = f" under the user's rule “{b.excerpt(rule, 90)}”" if rule else f" for the {b.subject}"
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
    return f"a fixed set of questions before each release and blocks it on a bad score{b.told(said, 100)}"


def _prediction(b: Brief) -> str:
    said = b.says(r"predict|model|recommend|score|forecast|classif|detect")
    within = b.latency(r"predict|scor|model|infer")
    goal = f" within {within}" if within else ""
    return f"the trained model to new data{goal}{b.told(said, 90)}"


def _training(b: Brief) -> str:
    said = b.says(r"train")
    return f"the model from history and keeps each version with its score{b.told(said, 90)}"


def _requests(b: Brief) -> str:
    said = b.says(r"erase|deletion request|right to be forgotten|export within|all its data|delete")
    limit = next((f for f in b.facts.figures if f.sentence == said and f.value), None)
    within = f", done within {limit.text or duration(limit.value or 0)}" if limit else ""
    return f"and erases the data of one person or tenant across all stores{within}{b.told(said, 90)}"


APPLICATION: tuple[PartSpec, ...] = (
    spec(
        Part.WEB_FRONT,
        Layer.APPLICATION,
        "Web front end",
        "Shows",
        _web,
        r"pages?|portal|web front end|browser|website|screen|shop|user interface|dashboard for",
        areas="PERF",
        nfr=r"page|portal|screen|accessib",
    ),
    spec(
        Part.API,
        Layer.APPLICATION,
        "Application API",
        "Runs the business rules behind",
        _api,
        r"API|calls?|requests?|orders?|checkout|bookings?|payments?|schedul|plan|service|cart|"
        r"reservation|account|process|manage",
        areas="PERF REL OPS",
        nfr=r"latency|p9\d|answer|availab|releases?|throughput|interrupt",
    ),
    spec(
        Part.WORKER,
        Layer.APPLICATION,
        "Background worker",
        "Does apart from the caller",
        _worker,
        r"background|asynchron|summary|order events|webhook whenever|nightly|events? go|batch job|import",
        areas="OPS",
        nfr=r"retry|asynchron|queue",
    ),
    spec(
        Part.TASK_QUEUE,
        Layer.APPLICATION,
        "Work queue",
        "Holds",
        _queue,
        r"queue|retries|jobs?|asynchron|backlog",
        areas="REL",
        nfr=r"retr|queue|burst",
    ),
    spec(
        Part.WEBHOOKS,
        Layer.APPLICATION,
        "Webhook delivery",
        "Pushes",
        _webhooks,
        r"webhooks?|pushed to|callback|receivers?|subscribers? are told",
        areas="REL",
        nfr=r"webhook|retr",
    ),
    spec(
        Part.NOTIFIER,
        Layer.APPLICATION,
        "Notification sender",
        "Sends",
        _notifier,
        r"\bSMS\b|e-?mails?|mail provider|notif\w+|text messages?|push notification|newsletter",
        areas="REL",
        nfr=r"\bSMS\b|notif|alarm",
    ),
    spec(
        Part.DOCUMENTS,
        Layer.APPLICATION,
        "Document generator",
        "Renders",
        _documents,
        r"\bPDF\b|invoices?|receipts?|certificate of|record of a delivery|print",
    ),
    spec(
        Part.FORM,
        Layer.APPLICATION,
        "Form handler",
        "Takes",
        _form,
        r"form|contact|newsletter|booking request|sign-?up|enquir",
    ),
    spec(
        Part.FILE_EXCHANGE,
        Layer.APPLICATION,
        "Partner file exchange",
        "Exchanges",
        _files,
        r"SFTP|\bFTP\b|\bCSV\b|\bEDI\b|files? exchange|finance people|export",
        areas="SEC",
    ),
    spec(
        Part.MEDIA_INTAKE,
        Layer.APPLICATION,
        "Upload intake",
        "Grants uploads:",
        _upload,
        r"upload\w*|photographs?|photos?|images?|videos?|attachments?|files?",
    ),
    spec(
        Part.MEDIA_WORK,
        Layer.APPLICATION,
        "Media processing",
        "Turns",
        _media,
        r"transcod\w*|convert\w*|thumbnails?|resiz\w*|render\w*|encod\w*|watermark|virus|caption|"
        r"extract\w*|video|process",
        areas="PERF COST SUS",
        nfr=r"process|minutes|throughput|GPU",
    ),
    spec(
        Part.STREAM,
        Layer.APPLICATION,
        "Stream processor",
        "Cleans, orders and joins events as they arrive:",
        _stream,
        r"stream\w*|session\w*|real-?time|events?|late|window|aggregate|within \d+ (?:s|min)|enrich|"
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
        r"extract\w*|sources?|load(?:ed|s)?|nightly|night|files? from|SAP|import\w*|deliver\w*|feeds?|CSV",
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
        "Runs",
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
    spec(
        Part.DATA_REQUESTS,
        Layer.APPLICATION,
        "Export and erasure on request",
        "Collects, hands out",
        _requests,
        r"eras\w*|deletion requests?|delet\w*|export|all its data|right to be forgotten",
        areas="SEC",
        nfr=r"eras|delet|GDPR|export|privacy",
    ),
)
