"""What a functional need asks a system to be able to do, in the catalogue's closed vocabulary."""

from __future__ import annotations

import re

from providers.catalogue import Capability as C

_RULES: tuple[tuple[str, tuple[C, ...]], ...] = (
    (r"\bmqtt\b|sensors?\b|units? (?:send|report)|telemetry|firmware|set points", (C.IOT_INGEST,)),
    (r"\bweb (?:front|portal|app|shop)|portal|website|\bsites?\b|checkout|\bhttps?\b|\bapi\b|webhook|browser"
     r"|webseite|portail|onlineshop|tienda", (C.HTTP_INGRESS,)),
    (r"rate limit|api keys?|keys with|quota|per plan", (C.API_MANAGEMENT,)),
    (r"\bsms\b|e-?mails?\b|\bnotif\w*|alarm|alert|benachrichtig\w*", (C.MESSAGE_QUEUE,)),
    (r"events?\b|clicks?\b|stream\b|message|readings?|ereignis\w*|événement\w*|eventos", (C.EVENT_STREAM,)),
    (r"sessionis\w*|sessioniz\w*|aggregat\w*|top stories|window\w*|real-?time|outside its", (C.STREAM_PROCESSING,)),
    (r"\bsql\b|analysts?|warehouse|modelled|report\b|month end", (C.DATA_WAREHOUSE,)),
    (r"dashboards?|reports?\b|power bi|bericht\w*|informes", (C.BI,)),
    (r"nightly|every night|extract|\bload(?:ed)?\b|\betl\b|\bimport\w*", (C.ETL, C.SCHEDULER)),
    (r"upload\w*|photo\w*|images?|videos?|files?\b|pdf|documents?|csv|footage|bilder|fichiers|archivos",
     (C.OBJECT_STORAGE,)),
    (r"transcod\w*|encod\w*", (C.TRANSCODING,)),
    (r"\bscans?\b|\bocr\b|handwrit\w*|invoices? (?:are )?read", (C.DOCUMENT_PARSING,)),
    (r"assistant|chatbot|answers? questions|llm\b|summar\w*|generat\w*", (C.LLM,)),
    (r"own documents|where it found|sources?\b.*answer|searchable|semantic", (C.RAG, C.EMBEDDINGS, C.VECTOR_SEARCH)),
    (r"\bsearch\w*|\bfind\b|such\w*|recherch\w*|busca\w*", (C.SEARCH,)),
    (r"predict\w*|scores?\b|recommend\w*|classif\w*|detect\w*", (C.ML_SERVING,)),
    (r"\btrain(?:s|ed|ing)?\b", (C.ML_TRAINING,)),
    (r"sign(?:s|ed)? in|log(?:s|ged)? in|saml|oidc|identity|entra|permissions", (C.IDENTITY_END_USER,)),
    (r"\border(?:s|ed)?\b|pay(?:s|ments?)?\b|book(?:s|ings?)?\b|tenants?\b|customers?\b|bestell\w*|commande\w*"
     r"|pedidos?", (C.RELATIONAL_DB,)),
    (r"webhooks?\b|retries|push(?:ed|es)?\b", (C.TASK_QUEUE,)),
    (r"weather|public api of|partner api|third[- ]party", (C.NAT,)),
    (r"masked|mask\b|anonymi\w+", (C.DLP,)),
    (r"replay", (C.EVENT_STREAM,)),
    (r"translat\w*", (C.TRANSLATION,)),
    (r"speech|transcri(?:be|pt)\w*|audio", (C.SPEECH,)),
    (r"\bcache\b", (C.IN_MEMORY_CACHE,)),
    (r"live stream\w*|live video", (C.LIVE_VIDEO,)),
)  # fmt: skip
_COMPILED = tuple((re.compile(p, re.IGNORECASE), caps) for p, caps in _RULES)


def capabilities(text: str) -> tuple[str, ...]:
    """Tags of the catalogue's vocabulary that the words of a need call for; a guess, at most five."""
    found = [cap.value for pattern, caps in _COMPILED if pattern.search(text) for cap in caps]
    return tuple(dict.fromkeys(found))[:5]
