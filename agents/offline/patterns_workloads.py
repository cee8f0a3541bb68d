"""Which parts a request needs: a base for each kind of workload, and what its words add.

Mixtures merge: a part stands once, whatever number of workloads ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agents.offline.brief import Brief
from agents.offline.facts import Figure, Measure, Workload
from agents.offline.patterns_model import Part
from agents.offline.signals import Signal

P = Part
_FRONTS = frozenset({
    P.PUBLIC_ENTRY, P.PRIVATE_ENTRY, P.CONTENT_DELIVERY, P.API, P.DEVICE_GATEWAY, P.EVENT_COLLECTOR,
})  # fmt: skip


def _functional(b: Brief, pattern: str) -> bool:
    return bool(b.says(pattern)) or any(
        re.search(pattern, r.text, re.I) for r in b.requirements if r.functional
    )


def _web(b: Brief) -> set[Part]:
    parts = {P.API, P.OBSERVABILITY, P.DELIVERY}
    schemaless = b.has(Signal.MONGODB) or (
        b.has(Signal.GRAPHQL) and not b.has(Signal.RELATIONAL) and b.tiny
    )
    parts.add(P.DOCUMENT_STORE if schemaless else P.RELATIONAL)
    if b.tiny:
        return parts
    parts |= {P.PUBLIC_ENTRY, P.KEYS}
    if _functional(b, r"web front|\bshop\b|portal|website|pages?\b|browser"):
        parts |= {P.WEB_FRONT, P.CONTENT_DELIVERY}
    busy = b.load.top is not None and b.load.top.value >= 100
    quick = b.load.latency is not None and (b.load.latency.value or 1) <= 0.3
    if b.has(Signal.REDIS, Signal.CACHE) or (quick and busy):
        parts.add(P.CACHE)
    if b.has(Signal.KAFKA) or _functional(
        b, r"order events|event-driven|publish\w* events|message bus"
    ):
        parts |= {P.EVENT_LOG, P.WORKER}
    if b.load.rpo or b.load.rto or b.has(Signal.TWO_REGIONS):
        parts.add(P.BACKUP)
    return parts


def _migration(b: Brief) -> set[Part]:
    parts = {P.DATA_MOVE, P.CUTOVER, P.OBSERVABILITY, P.KEYS}
    if not b.works(Workload.WAREHOUSE, Workload.STREAMING, Workload.STATIC_SITE, Workload.MEDIA):
        parts |= _web(b)
    programs = not b.works(Workload.WAREHOUSE, Workload.STREAMING)
    if b.has(Signal.VIRTUAL_MACHINES, Signal.WINDOWS) or (
        programs and b.says(r"heroku|servers?\b|runs (?:today )?on")
    ):
        parts.add(P.WORKLOAD_MOVE)
    if b.has(Signal.DATA_CENTRE) or b.says(r"stays where it is|stay on[- ]prem"):
        parts.add(P.HYBRID_LINK)
    if b.works(Workload.STATIC_SITE):
        parts = {P.CUTOVER}
    return parts


def _streaming(b: Brief) -> set[Part]:
    parts = {P.EVENT_LOG, P.STREAM, P.WAREHOUSE, P.OBSERVABILITY, P.DELIVERY}
    if not b.works(Workload.IOT):
        parts.add(P.EVENT_COLLECTOR)
        if not b.tiny:
            parts.add(P.PUBLIC_ENTRY)
    if b.has(Signal.REAL_TIME_VIEW) or b.figures(Measure.FRESHNESS):
        parts.add(P.SERVING)
    if _functional(b, r"dashboards?|reports?|charts?"):
        parts.add(P.DASHBOARD)
    if b.has(Signal.REPLAY):
        parts.add(P.RAW)
    if b.has(Signal.PERSONAL):
        parts.add(P.MASKING)
    if b.has(Signal.EXACTLY_ONCE) or b.facts.compliance:
        parts.add(P.KEYS)
    return parts


def _warehouse(b: Brief) -> set[Part]:
    parts = {
        P.BATCH_LOAD,
        P.RAW,
        P.TRANSFORM,
        P.WAREHOUSE,
        P.ORCHESTRATION,
        P.OBSERVABILITY,
        P.DELIVERY,
        P.KEYS,
    }
    if b.tiny:
        return {P.BATCH_LOAD, P.RAW, P.TRANSFORM, P.WAREHOUSE, P.OBSERVABILITY}
    if _functional(b, r"dashboards?|reports?|Power BI|Looker|charts?"):
        parts.add(P.DASHBOARD)
    if b.has(Signal.PERSONAL):
        parts.add(P.MASKING)
    if b.has(Signal.REAL_TIME_VIEW):
        parts.add(P.EVENT_LOG)
    if b.has(Signal.DATA_CENTRE):
        parts |= {P.HYBRID_LINK, P.DATA_MOVE}
    if b.has(Signal.SQL_SERVER, Signal.ORACLE) and b.facts.current_state:
        parts |= {P.DATA_MOVE, P.CUTOVER}
    return parts


def _iot(b: Brief) -> set[Part]:
    parts = {
        P.DEVICE_GATEWAY,
        P.EVENT_LOG,
        P.STREAM,
        P.SERVING,
        P.OBSERVABILITY,
        P.DELIVERY,
        P.KEYS,
    }
    if _functional(b, r"alarm|alert|threshold"):
        parts.add(P.ALARM)
    if _functional(b, r"portal|website|app\b|look at their"):
        parts |= {P.PUBLIC_ENTRY, P.WEB_FRONT, P.API, P.RELATIONAL}
        if b.says(r"\btheir\b|sign in|log ?in|accounts?|password"):
            parts.add(P.SIGN_IN)
    if _functional(b, r"firmware|set points?|commands?"):
        parts |= {P.DEVICE_COMMAND, P.OBJECTS}
    if _functional(b, r"predict|anomal|forecast"):
        parts |= {P.PREDICTION}
    if b.has(Signal.TRAINING):
        parts |= {P.TRAINING, P.WAREHOUSE}
    if _functional(b, r"analy|report|history|per hour"):
        parts.add(P.WAREHOUSE)
    return parts


def _machine_learning(b: Brief) -> set[Part]:
    documents = _functional(b, r"documents?|\bPDF|knowledge|questions?|assistant|chat|corpus")
    parts = {P.OBSERVABILITY, P.DELIVERY, P.KEYS}
    parts.add(P.PRIVATE_ENTRY if b.has(Signal.SEALED) else P.PUBLIC_ENTRY)
    if documents:
        parts |= {P.SIGN_IN, P.ANSWER, P.INFERENCE, P.DOC_INTAKE, P.RETRIEVAL, P.OBJECTS}
        if _functional(b, r"quality|known answers|% right|evaluat"):
            parts.add(P.EVALUATION)
        if b.has(Signal.DATA_CENTRE):
            parts.add(P.HYBRID_LINK)
        if b.says(r"webhook"):
            parts.add(P.WORKER)
    if not documents or b.has(Signal.TRAINING):
        parts |= {P.PREDICTION, P.OBJECTS}
        if b.has(Signal.TRAINING):
            parts |= {P.TRAINING}
            if not b.works(Workload.IOT):
                parts.add(P.WAREHOUSE)
        if _functional(b, r"features?|lookup|per user|within \d+ ms"):
            parts.add(P.SERVING)
    if b.has(Signal.SEALED):
        parts |= {P.PERIMETER}
        if b.has(Signal.OUTSIDE_CALLS):
            parts.add(P.EGRESS)
    return parts


def _media(b: Brief) -> set[Part]:
    parts = {P.MEDIA_INTAKE, P.OBJECTS, P.MEDIA_WORK, P.TASK_QUEUE, P.OBSERVABILITY}
    if b.tiny:
        return parts
    parts |= {P.PUBLIC_ENTRY, P.DELIVERY, P.KEYS, P.DOCUMENT_STORE}
    if _functional(b, r"watch|play|stream|deliver|download|view|worldwide|readers?"):
        parts.add(P.CONTENT_DELIVERY)
    if _functional(b, r"viewers?|watch\w*|platform|portal|log ?in|shown to"):
        parts |= {P.WEB_FRONT, P.API}
    return parts


def _static(b: Brief) -> set[Part]:
    parts = {P.CONTENT_DELIVERY, P.SITE_FILES, P.PUBLISHING}
    if _functional(b, r"contact form|newsletter|sign-?up|booking request|\bforms?\b|enquir"):
        parts.add(P.FORM)
    return parts


_BASES: dict[Workload, Callable[[Brief], set[Part]]] = {
    Workload.WEB_API: _web,
    Workload.MIGRATION: _migration,
    Workload.STREAMING: _streaming,
    Workload.WAREHOUSE: _warehouse,
    Workload.IOT: _iot,
    Workload.RAG_ML: _machine_learning,
    Workload.MEDIA: _media,
    Workload.STATIC_SITE: _static,
}

# A part that some words of the request ask for, whatever the workload.
_ASKED: tuple[tuple[Part, str], ...] = (
    (
        P.NOTIFIER,
        r"\bSMS\b|text messages?|push notifications?|e-?mails? (?:to|is|are) |mail provider|"
        r"notif(?:y|ies|ied|ications?)",
    ),
    (P.DOCUMENTS, r"(?:as|a|the) PDF\b|invoices? (?:as|are)|generates? (?:PDF|invoices|documents)"),
    (P.FILE_EXCHANGE, r"\bSFTP\b|\bEDI\b|\bFTPS?\b"),
    (P.WEBHOOKS, r"by webhooks|webhooks? (?:to|with)|pushed to tenants"),
    (P.OBJECTS, r"upload|photograph|photos\b|attachments?"),
    (P.SIGN_IN, r"\bSAML\b|\bOIDC\b|sign in with|log ?in|single sign-on|\bSSO\b|users sign in"),
    (
        P.DATA_REQUESTS,
        r"eras(?:ed|ure)|deletion requests?|right to be forgotten|all its data as an export",
    ),
)


def _regulated(b: Brief) -> set[Part]:
    parts: set[Part] = set()
    if b.facts.compliance or b.has(Signal.CARDS, Signal.HEALTH):
        parts.add(P.KEYS)
    if b.has(Signal.AUDITED):
        parts.add(P.AUDIT)
    if b.has(Signal.HEALTH) and b.has(Signal.RESIDENCY, Signal.SEALED):
        parts.add(P.PERIMETER)
    return parts


def _must_be_kept(figure: Figure) -> bool:
    """Whether a retention is an obligation of years and not a window that reports look at."""
    said = f"{figure.text} {figure.sentence}"
    obliged = re.search(r"\bkeep|\bkept|retain|law\b|archiv|store[ds]?\b", said, re.I)
    if re.search(r"audit logs?|access logs?", figure.sentence, re.I) and not re.search(
        r"records|invoices|data\b|files", figure.sentence, re.I
    ):
        return False  # the audit trail keeps those itself
    return obliged is not None and (figure.value or 0) >= 3 * 31_000_000


def _kinds(b: Brief) -> tuple[Workload, ...]:
    """The kinds of workload; a platform that streams films is no stream of events."""
    kinds = b.facts.workloads or (Workload.WEB_API,)
    events = b.says(r"click|events? (?:per|a|stream)|telemetry|analytics|sessioni|Kafka")
    if Workload.MEDIA in kinds and not events:
        kinds = tuple(k for k in kinds if k is not Workload.STREAMING)
    return kinds


def _industry(b: Brief, parts: set[Part]) -> set[Part]:
    """What the formats and duties of one industry add or make needless."""
    if b.has(Signal.CLINICAL):
        parts = parts | {P.CLINICAL, P.AUDIT, P.KEYS}
        if not b.says(r"transcod|upload"):
            parts -= {P.MEDIA_INTAKE, P.MEDIA_WORK, P.TASK_QUEUE, P.DOCUMENT_STORE}
            if not b.says(r"photograph|attachments?|\bPDFs?\b"):
                parts -= {P.OBJECTS}
        if b.says(r"\bHL7 ?v?2|\bEpic\b|\bCerner\b|\bPACS\b|\bKIS\b"):
            parts |= {P.HYBRID_LINK}
    if b.has(Signal.EXTERNAL_KEYS):
        parts = parts | {P.KEYS}
    if b.has(Signal.INLINE_SCORING):
        parts = parts | {P.PREDICTION}
    if b.has(Signal.LIVE_VIDEO) and b.works(Workload.MEDIA, Workload.STREAMING, Workload.WEB_API):
        parts = parts | {P.LIVE, P.OBJECTS, P.CONTENT_DELIVERY}
    if b.has(Signal.STRICT_READS) and not b.has(Signal.CACHE, Signal.REDIS):
        parts = parts - {P.CACHE}  # a cache in front of balances would answer what was true before
    return parts


def wanted(b: Brief) -> tuple[Part, ...]:
    """The parts that the request needs, in listing order, none twice."""
    parts: set[Part] = set()
    for workload in _kinds(b):
        parts |= _BASES[workload](b)
    if P.ANSWER in parts and not b.says(
        r"portal|\bshop\b|\borders?\b|bookings?|appointment|web front|transactions?\b|accounts? of"
    ):
        parts -= {P.API, P.RELATIONAL, P.WEB_FRONT, P.CONTENT_DELIVERY, P.CACHE, P.BACKUP}
    if P.PRIVATE_ENTRY in parts:
        parts -= {P.PUBLIC_ENTRY, P.CONTENT_DELIVERY}
    if P.STREAM in parts and not b.says(
        r"nightly|every night|per night|in the night|\bbatch|extract|\bCSV\b|files? from|"
        r"\bETL\b|by files?|SFTP"
    ):
        parts -= {P.BATCH_LOAD, P.TRANSFORM, P.ORCHESTRATION}
    parts = _industry(b, parts)
    if P.CUTOVER in parts and not parts & _FRONTS:
        parts.discard(P.CUTOVER)  # no name on the internet is switched; each reader is repointed
    only_site = set(b.facts.workloads) == {Workload.STATIC_SITE}
    if only_site:
        return tuple(p for p in Part if p in parts)[:4]
    for part, pattern in _ASKED:
        if b.says(pattern) and not (b.tiny and part in (P.DATA_REQUESTS, P.SIGN_IN)):
            parts.add(part)
    if b.tiny:
        return tuple(p for p in Part if p in parts)
    if not b.tiny:
        parts |= _regulated(b)
    if b.has(Signal.KEY_QUOTAS):
        parts.add(P.API_MANAGEMENT)
    if b.has(Signal.FULL_TEXT):
        parts.add(P.SEARCH)
    retention = b.load.retention
    if b.has(Signal.IMMUTABLE) or (retention is not None and _must_be_kept(retention)):
        parts.add(P.ARCHIVE)
    if b.has(Signal.CAPPED) or b.load.budget:
        parts.add(P.COST_GUARD)
    if b.says(r"schemas?\b") and b.works(Workload.STREAMING, Workload.WAREHOUSE):
        parts.add(P.METADATA)
    if b.has(Signal.TWO_REGIONS) and (P.RELATIONAL in parts or P.DOCUMENT_STORE in parts):
        parts.add(P.BACKUP)
    if P.WEBHOOKS in parts:
        parts.discard(P.TASK_QUEUE)
    return tuple(p for p in Part if p in parts)
