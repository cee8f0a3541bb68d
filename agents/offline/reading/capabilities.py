"""What a functional need asks a system to be able to do, in the catalogue's closed vocabulary."""

from __future__ import annotations

import re

from providers.catalogue import Capability

_RULES: tuple[tuple[str, tuple[Capability, ...]], ...] = (
    (r"\bmqtt\b|sensors?\b|units? (?:send|report)|telemetry|firmware|set points",
     (Capability.IOT_INGEST,)),
    (r"\bweb (?:front|portal|app|shop)|portal|website|\bsites?\b|checkout|\bhttps?\b|\bapi\b"
     r"|webhook|browser"
     r"|webseite|portail|onlineshop|tienda", (Capability.HTTP_INGRESS,)),
    (r"rate limit|api keys?|keys with|quota|per plan", (Capability.API_MANAGEMENT,)),
    (r"\bsms\b|e-?mails?\b|\bnotif\w*|alarm|alert|benachrichtig\w*", (Capability.MESSAGE_QUEUE,)),
    (r"events?\b|clicks?\b|stream\b|message|readings?|ereignis\w*|événement\w*"
     r"|eventos", (Capability.EVENT_STREAM,)),
    (r"sessionis\w*|sessioniz\w*|aggregat\w*|top stories|window\w*|real[- ]?time"
     r"|outside its", (Capability.STREAM_PROCESSING,)),
    (r"\bsql\b|analysts?|warehouse|modelled|report\b|month end", (Capability.DATA_WAREHOUSE,)),
    (r"dashboards?|reports?\b|power bi|bericht\w*|informes", (Capability.BI,)),
    (r"nightly|every night|extract|\bload(?:ed)?\b|\betl\b|\bimport\w*",
     (Capability.ETL, Capability.SCHEDULER)),
    (r"upload\w*|photo\w*|images?|videos?|files?\b|pdf|documents?|csv|footage|bilder|fichiers"
     r"|archivos",
     (Capability.OBJECT_STORAGE,)),
    (r"transcod\w*|encod\w*", (Capability.TRANSCODING,)),
    (r"\bscans?\b|\bocr\b|handwrit\w*|invoices? (?:are )?read", (Capability.DOCUMENT_PARSING,)),
    (r"assistant|chatbot|answers? questions|llm\b|summar\w*|generat\w*", (Capability.LLM,)),
    (r"own documents|where it found|sources?\b.*answer|searchable"
     r"|semantic", (Capability.RAG, Capability.EMBEDDINGS, Capability.VECTOR_SEARCH)),
    (r"\bsearch\w*|\bfind\b|such\w*|recherch\w*|busca\w*", (Capability.SEARCH,)),
    (r"predict\w*|scores?\b|recommend\w*|classif\w*|detect\w*", (Capability.ML_SERVING,)),
    (r"\btrain(?:s|ed|ing)?\b", (Capability.ML_TRAINING,)),
    (r"sign(?:s|ed)? in|log(?:s|ged)? in|saml|oidc|identity|entra"
     r"|permissions", (Capability.IDENTITY_END_USER,)),
    (r"\border(?:s|ed)?\b|pay(?:s|ments?)?\b|book(?:s|ings?)?\b|tenants?\b|customers?\b"
     r"|bestell\w*|commande\w*"
     r"|pedidos?", (Capability.RELATIONAL_DB,)),
    (r"webhooks?\b|retries|push(?:ed|es)?\b", (Capability.TASK_QUEUE,)),
    (r"weather|public api of|partner api|third[- ]party", (Capability.NAT,)),
    (r"masked|mask\b|anonymi\w+", (Capability.DLP,)),
    (r"replay", (Capability.EVENT_STREAM,)),
    (r"translat\w*", (Capability.TRANSLATION,)),
    (r"speech|transcri(?:be|pt)\w*|audio", (Capability.SPEECH,)),
    (r"\bcache\b", (Capability.IN_MEMORY_CACHE,)),
    (r"live stream\w*|live video", (Capability.LIVE_VIDEO,)),
)  # fmt: skip
_COMPILED = tuple((re.compile(p, re.IGNORECASE), caps) for p, caps in _RULES)


def capabilities(text: str) -> tuple[str, ...]:
    """Tags of the catalogue that the words of a need call for; a guess, at most five."""
    found = [cap.value for pattern, caps in _COMPILED if pattern.search(text) for cap in caps]
    return tuple(dict.fromkeys(found))[:5]
