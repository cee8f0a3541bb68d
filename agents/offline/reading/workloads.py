"""Which kinds of workload a request is, by its words; mixtures are kept in order of weight."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.facts import Figure, Measure, Workload
from agents.offline.reading.negation import negated
from agents.offline.reading.text import Phrases, Sentence

_KEYWORDS: dict[Workload, str] = {
    Workload.WEB_API: (
        "platform:1|online:1|log in with:2|api:1|apis:1|rest:1|rest "
        "api:3|graphql:2|checkout:2|shop:2|web "
        "shop:3|webshop:3|onlineshop:3"
        "|online shop:3|e-commerce:3|portal:2|kundenportal:4|bürgerportal:4|patientenportal:4"
        "|mieterportal:4|web app:3|web application:3|webanwendung:3|backend:2"
        "|front end:2|frontend:2|mobile app:2|saas:3|multi-tenant:3|tenants:2|webhooks:1|booking*:2"
        "|order platform:3|orders:1|customers pay:2|sign in:1|log in:1|login:1|microservices:2"
        "|bestellplattform:3|bestellungen:1|mandanten:2|plateforme:1|boutique en "
        "ligne:3|commandes:1"
        "|tienda:2|tienda "
        "online:3|pedidos:1|crud:2|form:1|appointment*:2|ticketing:2|game:2|players:2"
        "|payments:2|marketplace:3|website:1|application web:3|aplicación web:3|reservations:2"
    ),
    Workload.MIGRATION: (
        "currently on:2|netapp:2|filer:2|azure:1|move "
        "off:2|consolidat*:2|netezza:2|today on:2|aws "
        "rds:1|migrat*:3|migrier*:3|migración:3|migrer:3|move:1|moving:2|umzug:5|derzeit"
        " läuft:2|umziehen:3"
        "|ablösen:2"
        "|déménag*:2"
        "|trasladar:2|cut-over:2|cutover:2|data centre:2|data center:2|datacenter:2|rechenzentrum:2"
        "|on-premises:2|on-prem:2|on premises:2|lift and shift:4|replatform*:3|rehost*:3|vmware:3"
        "|vsphere:3|hosting contract:2|legacy:2|old box:2|mainframe:3|as/400:3|decommission*:2"
        "|modernis*:2|moderniz*:2|heroku:2|runs today on:3|lift-and-shift:4|exit the:1|weblogic:2"
        "|oracle:1|hardware:1|old hardware:2|replace:1|where we are:2|today everything:2|end of "
        "support:2|virtual machines:1|colocation:2|centre de données:2"
        "|centro de datos:2"
    ),
    Workload.STREAMING: (
        "stream:2|streams:2|streaming:3|clickstream:4|real-time:2|realtime:2|real time:2|echtzeit:2"
        "|temps réel:2|tiempo real:2|events/s:2|events per second:2|kafka:1|kinesis:3|sessionis*:3"
        "|sessioniz*:3|event stream:3|near real-time:2|flink:3|spark streaming:3|late events:2"
        "|replay:2|fraud detection:2|ereignisse:1|événements:1|eventos:1|windowed:2|page views:2"
        "|clicks:1|event data:2|pipeline:1"
    ),
    Workload.WAREHOUSE: (
        "data warehouse:4|warehouse:1|new warehouse:2|data "
        "warehousing:4|nightly:1|etl:3|elt:3|ssis:3|ssrs:2|bi:2"
        "|power bi:2|tableau:2|looker:2|dashboards:1|analysts:2|sql:2|query:1|queries:1|sql all "
        "day:1|reporting:2|reports:1"
        "|data lake:3|lakehouse:4|star schema:3|dbt:3|teradata:4|snowflake:3|redshift:2|data "
        "mart*:3"
        "|redshift cluster:3|t-sql:1|month end:1|batch:1|datasets:1|raw per "
        "night:2|hadoop:3|cloudera:3"
        "|informatica:3|data platform:2|business intelligence:3|berichte:1|auswertung*:2|entrepôt:3"
        "|entrepôt de données:4|almacén de datos:4|informes:1|analytics:1|sales figures:1|run sql:1"
    ),
    Workload.IOT: (
        "drones:2|drone:1|iot:4|mqtt:4|sensor*:2|telemetry:3|telemetrie:3|firmware:3|devices:2"
        "|gateways:2|meters:2"
        "|smart meter*:4|lte-m:2|lora*:3|nb-iot:3|plc:2|opc "
        "ua:3|scada:3|vehicles:1|fleet:2|trackers:2"
        "|units:1|set "
        "points:2|edge:1|capteurs:3|geräte:2|dispositivos:2|sensores:3|sensoren:2|zähler:2"
        "|internet of things:4|turbines:2|wearables:2|coap:3"
    ),
    Workload.RAG_ML: (
        "rag:4|assistant:3|assistent:3|asistente:3|chatbot:4|llm:4|large language model*:4|gpt:3"
        "|generative:3|genai:4|embeddings:4|vector:2|question answering:4|answers questions:3"
        "|own documents:2|knowledge base:2|wissensdatenbank:2|machine learning:2|ml model:3"
        "|inference:3|model serving:4|prediction*:2|predict:2|recommendation model:3|train*:1"
        "|classif*:1|semantic search:4|copilot:3|summar*:1|base de connaissances:2|hallucinat*:3"
        "|ki-assistent:4|fine-tun*:3|scoring model:3|gpus:2|retrieval:3|confidential:0"
    ),
    Workload.MEDIA: (
        "imagery:3|dicom "
        "images:2|video:2|videos:3|transcod*:4|thumbnail*:3|images:1|photos:1|photographs:1"
        "|upload*:1"
        "|audio:2"
        "|podcast*:3|footage:3|media files:3|media library:3|media archive:3|render*:2|watermark*:3"
        "|image processing:4|file processing:4|convert*:2|resiz*:3|ocr:2|virus scan:2|dicom:3|hls:3"
        "|vidéos:3|vídeos:3|bilder:1|pdf processing:3|document "
        "processing:3|scans:1|scanned:2|archive:2|archiv:2|archives:2|digitis*:3|digitiz*:3"
        "|files:1|receipts:1|invoices:1|encod*:2"
        "|live stream*:3|vod:3|genom*:2|satellite images:3"
    ),
    Workload.STATIC_SITE: (
        "static site:5|static website:5|static web:4|statische:3|marketing site:4|brochure:3|blog:3"
        "|landing page*:4|documentation site:4|homepage:3|hugo:4|jekyll:4|gatsby:3|astro:3|menu:1"
        "|opening hours:1|company website:4|club website:4|website for:2|html:2|no backend:3"
        "|contact form:2|site statique:5|site vitrine:5|sitio estático:5|página web:2|webseite:3"
        "|vereinsseite:5|portfolio:3|wedding:2|cms:1|one-page:3|few pages:3"
    ),
}


def _table() -> dict[str, tuple[tuple[Workload, int], ...]]:
    table: dict[str, tuple[tuple[Workload, int], ...]] = {}
    for workload, entries in _KEYWORDS.items():
        for entry in entries.split("|"):
            phrase, weight = entry.rsplit(":", 1)
            table[phrase] = (*table.get(phrase, ()), (workload, int(weight)))
    return table


_PHRASES = Phrases(_table())
_OTHERS = re.compile(
    r"\b(?:their|its|his|her) (?:service|system|platform|saas)|stays where it is|in their saas",
    re.I,
)
_ORDER = list(Workload)


def workloads(sentences: Sequence[Sentence], figures: Sequence[Figure]) -> tuple[Workload, ...]:
    """Kinds in order of weight; at least one, at most three."""
    scores = scored(sentences, figures)
    ranked = sorted(scores, key=lambda w: (-scores[w], _ORDER.index(w)))
    if not ranked:
        return (Workload.WEB_API,)
    best = scores[ranked[0]]
    kept = [w for w in ranked if scores[w] >= max(4.0, 0.15 * best)][:3]
    if Workload.STATIC_SITE in kept and kept[0] is not Workload.STATIC_SITE:
        kept.remove(Workload.STATIC_SITE)
    if kept and kept[0] is Workload.STATIC_SITE and scores[kept[0]] >= 5:
        kept = [w for w in kept if w in (Workload.STATIC_SITE, Workload.MIGRATION)]
    return tuple(kept) or (ranked[0],)


def scored(sentences: Sequence[Sentence], figures: Sequence[Figure]) -> dict[Workload, float]:
    """Weights by kind: keywords once each with less for repeats, and what the figures speak for."""
    scores: dict[Workload, float] = {}
    seen: dict[tuple[Workload, str], int] = {}
    for position, sentence in enumerate(sentences):
        early = 1.5 if position < 3 else 1.0
        for hits, start, end in _PHRASES.find(sentence.text):
            if negated(sentence.text, start, end):
                continue
            aside = 0.4 if _OTHERS.search(sentence.text[start : end + 40]) else 1.0
            phrase = sentence.text[start:end].lower()
            for workload, weight in hits:
                times = seen.get((workload, phrase), 0)
                seen[(workload, phrase)] = times + 1
                share = (1.0, 0.4, 0.2)[times] if times < 3 else 0.0
                scores[workload] = scores.get(workload, 0.0) + weight * share * early * aside
    for figure in figures:
        for workload, spoken in _speaks_for(figure):
            scores[workload] = scores.get(workload, 0.0) + spoken
    return {w: s for w, s in scores.items() if s >= 1.5}


def _speaks_for(figure: Figure) -> list[tuple[Workload, float]]:
    value = figure.value or 0.0
    subject = f"{figure.subject} {figure.text}".lower()
    if figure.measure is Measure.DEVICES and value >= 100:
        return [(Workload.IOT, 3.0)]
    if figure.measure is Measure.THROUGHPUT and re.search(r"event|click|message|reading", subject):
        return [(Workload.STREAMING, 3.0 if value >= 1000 else 1.0)]
    if figure.measure is Measure.THROUGHPUT and re.search(
        r"request|call|order|transaction|booking|anfrage|bestell|commande|pedido", subject
    ):
        return [(Workload.WEB_API, 2.0)]
    if figure.measure is Measure.DATA_RATE and re.search("night|day", subject):
        return [(Workload.WAREHOUSE, 2.0)]
    return []
