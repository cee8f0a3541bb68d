"""Patterns of the application: what answers people and systems, and what works behind them."""

from __future__ import annotations

from agents.offline.brief import Brief
from agents.offline.facts import Measure
from agents.offline.load import duration, size
from agents.offline.patterns_model import Layer, Part, PartSpec, spec
from agents.offline.wording import listed


def _web(b: Brief) -> str:
    pages = b.says(r"portal|web front|web ?site") or b.says(r"\bshop\b|browser|\bpages?\b")
    who = listed(p.lower() for p in b.people[:2])
    return f"the pages to {who}{b.told(pages, 80)}"


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
    return f"work until a worker is free, so that {b.item_short} never wait for the slowest step"


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
    return f"each file into the wanted forms{b.told(said, 100)}, {jobs}, in parallel"


def _requests(b: Brief) -> str:
    said = b.says(r"erase|deletion request|right to be forgotten|export within|all its data|delete")
    limit = next((f for f in b.facts.figures if f.sentence == said and f.value), None)
    within = f", done within {limit.text or duration(limit.value or 0)}" if limit else ""
    return (
        f"and erases the data of one person or tenant across all stores{within}{b.told(said, 90)}"
    )


APPLICATION: tuple[PartSpec, ...] = (
    spec(
        Part.WEB_FRONT,
        Layer.APPLICATION,
        "Web front end",
        "Shows in the browser",
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
        (
            r"background|asynchron|summary|order events|webhook whenever|nightly|events? go|"
            r"batch job|import"
        ),
        areas="OPS",
        nfr=r"retry|asynchron|queue",
    ),
    spec(
        Part.TASK_QUEUE,
        Layer.APPLICATION,
        "Work queue",
        "Holds back",
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
        "Sends out",
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
        "Takes in",
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
        "Converts",
        _media,
        r"transcod\w*|convert\w*|thumbnails?|resiz\w*|render\w*|encod\w*|watermark|virus|caption|"
        r"extract\w*|video|process",
        areas="PERF COST SUS",
        nfr=r"process|minutes|throughput|GPU",
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
