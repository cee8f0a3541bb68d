"""Which products a part needs: a slot each, in the words of capabilities.

Fields of ``why``: s (the workload), front, core, item (loads), region, rules, stored, night, fleet,
people.
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.brief import Brief
from agents.offline.facts import Measure, Workload
from agents.offline.patterns_model import Part
from agents.offline.selection_model import Group, Slot
from agents.offline.signals import Signal
from providers.catalogue import Capability as C

G = Group
P = Part
_SERVICE = (C.CONTAINER_SERVERLESS, C.CONTAINER_ORCHESTRATION, C.VM, C.FUNCTIONS)
_JOB = (C.CONTAINER_JOBS, C.BATCH_PROCESSING)


def legacy(b: Brief) -> bool:
    """Whether the programs cannot become Linux containers without being rewritten."""
    return bool(
        b.has(Signal.WINDOWS) or b.says(r"weblogic|websphere|nobody will rewrite|not rewritten|mainframe")
    )


def fresh_view(b: Brief) -> bool:
    """Whether people look at values that are seconds old."""
    return any(f.value and f.value <= 60 for f in b.figures(Measure.FRESHNESS))


def inbound_files(b: Brief) -> bool:
    """Whether partners drop files with us by a file transfer protocol."""
    return bool(b.says(r"(?:deliver|receive|arrive|files? from|drop).*S?FTP|S?FTP.*(?:deliver|receive|arrive)"))


def video(b: Brief) -> bool:
    """Whether files are films."""
    return bool(b.says(r"\bvideos?\b|\bfilms?\b|movies?\b"))


def _service(role: str, why: str) -> Slot:
    return Slot(G.SERVICE, role, _SERVICE, why)


def _personal(b: Brief, parts: frozenset[Part]) -> bool:
    return bool(b.facts.compliance) or b.has(Signal.PERSONAL, Signal.CARDS, Signal.HEALTH)


def _stream_masks(b: Brief, parts: frozenset[Part]) -> bool:
    return P.STREAM in parts and not b.works(Workload.WAREHOUSE)


def _warehouse_masks(b: Brief, parts: frozenset[Part]) -> bool:
    return P.WAREHOUSE in parts and not _stream_masks(b, parts)


SLOTS: Mapping[Part, tuple[Slot, ...]] = {
    P.PUBLIC_ENTRY: (
        Slot(G.ENTRY, "entry", (C.GLOBAL_LOAD_BALANCING,),
             "ends TLS for {people} and spreads {front} over healthy instances",
             fallback=(C.HTTP_INGRESS,)),
        Slot(G.FILTER, "filter", (C.WAF,), "stops hostile calls to the {s} before they cost capacity"),
    ),
    P.PRIVATE_ENTRY: (
        Slot(G.ENTRY, "internal entry", (C.GLOBAL_LOAD_BALANCING,),
             "gives {people} an address inside the private network only", fallback=(C.HTTP_INGRESS,)),
    ),
    P.CONTENT_DELIVERY: (
        Slot(G.DELIVERY, "cache at the edge", (C.CDN,),
             "keeps what is the same for everybody near {people}, so that it never reaches the application"),
    ),
    P.API_MANAGEMENT: (
        Slot(G.API, "keys and quotas", (C.API_MANAGEMENT,),
             "knows each caller of the {s} by key and holds it to its plan"),
    ),
    P.SIGN_IN: (
        Slot(G.IDENTITY, "sign-in", (C.IDENTITY_END_USER, C.APP_ACCESS_PROXY),
             "hands the {s} a verified identity for {people}", fallback=(C.IDENTITY_WORKFORCE,)),
    ),
    P.DEVICE_GATEWAY: (
        Slot(G.DEVICES, "device broker", (C.CONTAINER_ORCHESTRATION, C.VM, C.IOT_INGEST),
             "runs a broker that keeps the connections of {fleet}"),
        Slot(G.ENTRY, "stable address", (C.TCP_INGRESS,),
             "keeps one address for {fleet} while brokers come and go",
             all_of=(C.GLOBAL_LOAD_BALANCING,),
             wanted=lambda b, parts: b.has(Signal.MQTT)),
    ),
    P.EVENT_COLLECTOR: (_service("collector", "answers {item} and hands them on without waiting"),),
    P.HYBRID_LINK: (
        Slot(G.LINK, "private line", (C.HYBRID_CONNECTIVITY,),
             "joins the existing network and the {s} without the open internet",
             fallback=(C.PRIVATE_NETWORK,)),
    ),
    P.EGRESS: (
        Slot(G.EXIT, "guarded exit", (C.NAT, C.POLICY), "lets the {s} reach named outside hosts only",
             all_of=(), fallback=(C.FIREWALL,)),
    ),
    P.WEB_FRONT: (_service("pages", "serves the pages of the {s} to {people}"),),
    P.API: (_service("business rules", "answers {core} and scales with them"),),
    P.WORKER: (_service("background work", "works through what the {s} does after its answer"),),
    P.TASK_QUEUE: (
        Slot(G.QUEUE, "work queue", (C.TASK_QUEUE, C.MESSAGE_QUEUE), "holds jobs of the {s} with retries"),
    ),
    P.WEBHOOKS: (
        Slot(G.QUEUE, "retries per receiver", (C.TASK_QUEUE, C.MESSAGE_QUEUE),
             "keeps each change of the {s} until its receiver took it"),
        _service("sender", "calls the receivers of the {s}, one slow receiver apart from the others"),
    ),
    P.NOTIFIER: (
        _service("carrier client", "calls the outside carriers for the messages of the {s}"),
        Slot(G.QUEUE, "send queue", (C.TASK_QUEUE, C.MESSAGE_QUEUE),
             "repeats what a carrier did not take, so that no message of the {s} is lost",
             wanted=lambda b, parts: P.EVENT_LOG not in parts and not b.tiny),
    ),
    P.DOCUMENTS: (_service("renderer", "renders a document of the {s} when somebody asks for it"),),
    P.FORM: (
        Slot(G.FUNCTION, "handler", (C.FUNCTIONS, C.CONTAINER_SERVERLESS),
             "runs only when somebody sends the form of the {s}"),
    ),
    P.FILE_EXCHANGE: (
        Slot(G.SERVICE, "file server", (C.VM, C.CONTAINER_ORCHESTRATION),
             "speaks the file transfer protocol of the partners of the {s}",
             wanted=lambda b, parts: inbound_files(b)),
        Slot(G.JOB, "file sender", _JOB, "writes and sends the files of the {s} in one run each",
             wanted=lambda b, parts: not inbound_files(b)),
        Slot(G.OBJECTS, "file drop", (C.OBJECT_STORAGE,), "keeps each exchanged file of the {s}",
             wanted=lambda b, parts: P.RAW not in parts and P.OBJECTS not in parts),
    ),
    P.MEDIA_INTAKE: (
        _service("upload permits", "hands out upload permits for {core}"),
        Slot(G.EVENTS, "file notices", (C.EVENT_ROUTING,),
             "starts the work on a file of the {s} when its upload is complete",
             fallback=(C.MESSAGE_QUEUE,), wanted=lambda b, parts: not b.tiny),
    ),
    P.MEDIA_WORK: (
        Slot(G.MEDIA, "processing", (C.TRANSCODING, *_JOB), "turns {core} into the wanted forms"),
    ),
    P.STREAM: (
        Slot(G.STREAM, "stream jobs", (C.STREAM_PROCESSING,), "works on {item} in event time"),
    ),
    P.ALARM: (
        Slot(G.SERVICE, "alarm rules", (C.STREAM_PROCESSING, C.CONTAINER_SERVERLESS),
             "judges each reading of {fleet} apart from the portal and the reports"),
    ),
    P.DEVICE_COMMAND: (_service("command service", "sends settings and files to {fleet} in stages"),),
    P.BATCH_LOAD: (
        Slot(G.JOB, "extractors", (C.CONTAINER_JOBS, C.ETL, C.INTEGRATION, C.DATA_TRANSFER),
             "fetches {night} and checks the counts"),
        Slot(G.CAPTURE, "change capture", (C.CHANGE_DATA_CAPTURE,),
             "reads changes of the source database of the {s} without a nightly full copy",
             wanted=lambda b, parts: bool(b.says(r"\bRDS\b|loyalty app|source database|change data"))),
    ),
    P.TRANSFORM: (
        Slot(G.TRANSFORM, "transformation", (C.SQL_TRANSFORMATION, C.SPARK, C.ETL),
             "turns {night} into the tables of the {s}"),
    ),
    P.ORCHESTRATION: (
        Slot(G.WORKFLOW, "run control", (C.WORKFLOW,), "runs the steps of each load of the {s} in order"),
        Slot(G.SCHEDULE, "clock", (C.SCHEDULER,), "starts the runs of the {s} by the clock"),
    ),
    P.ANSWER: (_service("answer logic", "finds passages, asks the model and streams {core}"),),
    P.INFERENCE: (Slot(G.LLM, "language model", (C.LLM,), "writes the answers to {core}"),),
    P.DOC_INTAKE: (
        Slot(G.JOB, "intake jobs", _JOB, "reads and cuts the documents of the {s} as they change"),
        Slot(G.PARSING, "text recognition", (C.DOCUMENT_PARSING,),
             "reads the scans among the documents of the {s}",
             wanted=lambda b, parts: b.has(Signal.SCANS)),
    ),
    P.EVALUATION: (Slot(G.JOB, "evaluation run", _JOB, "asks the known questions of the {s} before a release"),),
    P.PREDICTION: (
        Slot(G.SERVE_MODEL, "model endpoint", (C.ML_SERVING, C.CONTAINER_SERVERLESS), "scores {item}"),
    ),
    P.TRAINING: (Slot(G.TRAIN, "training", (C.ML_TRAINING,), "trains the model of the {s} and keeps its versions"),),
    P.DATA_REQUESTS: (
        Slot(G.JOB, "request runs", _JOB, "collects or erases the data of one person of the {s} in one run"),
    ),
    P.EVENT_LOG: (
        Slot(G.EVENTS, "event backbone", (C.EVENT_STREAM, C.KAFKA), "takes {item} and keeps them for each reader"),
    ),
    P.RELATIONAL: (
        Slot(G.RELATIONAL, "database", (C.RELATIONAL_DB, C.ORACLE), "keeps the records behind {core}"),
    ),
    P.DOCUMENT_STORE: (
        Slot(G.DOCUMENT, "document database", (C.DOCUMENT_DB,), "keeps one document an item of the {s}"),
    ),
    P.CACHE: (Slot(G.CACHE, "cache", (C.IN_MEMORY_CACHE,), "answers repeated reads among {front} from memory"),),
    P.SERVING: (
        Slot(G.SERVING, "recent values", (C.WIDE_COLUMN_DB, C.DOCUMENT_DB, C.IN_MEMORY_CACHE),
             "gives recent values of the {s} by key"),
    ),
    P.OBJECTS: (Slot(G.OBJECTS, "files", (C.OBJECT_STORAGE,), "stores the files of the {s}"),),
    P.RAW: (Slot(G.OBJECTS, "raw files", (C.OBJECT_STORAGE,), "keeps what arrived at the {s} unchanged"),),
    P.WAREHOUSE: (Slot(G.WAREHOUSE, "analytical store", (C.DATA_WAREHOUSE,), "answers SQL over {stored} for {people}"),),
    P.DASHBOARD: (
        Slot(G.WAREHOUSE, "source of the reports", (C.DATA_WAREHOUSE,),
             "feeds the reporting tool that stays in use at the {s}",
             wanted=lambda b, parts: b.has(Signal.POWER_BI)),
        Slot(G.REPORTING, "reports", (C.BI,), "shows the figures of the {s} to {people}",
             wanted=lambda b, parts: not b.has(Signal.POWER_BI)),
        Slot(G.SERVICE, "live page", _SERVICE, "shows values that are seconds old, which a report would not",
             wanted=lambda b, parts: fresh_view(b) and P.WEB_FRONT not in parts),
    ),
    P.RETRIEVAL: (
        Slot(G.RETRIEVAL, "retrieval", (C.VECTOR_SEARCH, C.RAG, C.SEARCH), "finds passages for {core} by meaning"),
    ),
    P.SEARCH: (Slot(G.SEARCH, "search", (C.SEARCH,), "finds items of the {s} by word and filter",
                    fallback=(C.VECTOR_SEARCH,)),),
    P.ARCHIVE: (Slot(G.OBJECTS, "archive", (C.OBJECT_STORAGE,), "keeps what the {s} must retain"),),
    P.METADATA: (Slot(G.METADATA, "registry", (C.DATA_CATALOG,), "says what the data of the {s} means and whose it is",
                      fallback=(C.DATA_WAREHOUSE,)),),
    P.SITE_FILES: (Slot(G.SITE, "site files", (C.STATIC_HOSTING,), "serves the files of the {s} without a server"),),
    P.MASKING: (
        Slot(G.MASKING, "drop and mask in the stream", (C.STREAM_PROCESSING,),
             "drops or shortens personal fields of {item} before anything is stored", wanted=_stream_masks),
        Slot(G.MASKING, "column rules", (C.DATA_WAREHOUSE,),
             "shows masked columns of the {s} to all but the named readers", wanted=_warehouse_masks),
        Slot(G.MASKING, "discovery of personal data", (C.DLP,), "finds personal fields of the {s} that nobody declared"),
    ),
    P.WORKLOAD_MOVE: (
        Slot(G.MOVE_MACHINES, "move of programs", (C.VM_MIGRATION, C.MIGRATION_ASSESSMENT),
             "brings the machines of the {s} over and measures them first",
             fallback=(C.VM,),
             wanted=lambda b, parts: b.has(Signal.VIRTUAL_MACHINES, Signal.DATA_CENTRE, Signal.WINDOWS)),
        Slot(G.BUILD, "repackaging", (C.CI_CD,), "builds the programs of the {s} into images again and again until they fit",
             wanted=lambda b, parts: not b.has(Signal.VIRTUAL_MACHINES, Signal.DATA_CENTRE, Signal.WINDOWS)),
    ),
    P.DATA_MOVE: (
        Slot(G.MOVE_DATA, "copy and replication", (C.DB_MIGRATION, C.DATA_TRANSFER, C.CHANGE_DATA_CAPTURE),
             "copies {stored} and follows the changes until the switch"),
    ),
    P.CUTOVER: (Slot(G.NAMES, "switch", (C.DNS,), "moves the name of the {s} from old to new in steps",
                     fallback=(C.GLOBAL_LOAD_BALANCING,)),),
    P.KEYS: (
        Slot(G.SECRETS, "secrets", (C.SECRET,), "keeps passwords and certificates of the {s} out of code"),
        Slot(G.KEYS, "keys", (C.KEY_MANAGEMENT,), "holds the keys over the data of the {s} and logs their use",
             wanted=_personal),
    ),
    P.PERIMETER: (
        Slot(G.PERIMETER, "perimeter", (C.SERVICE_PERIMETER,), "refuses calls to the data of the {s} from outside its boundary"),
    ),
    P.AUDIT: (Slot(G.AUDIT, "audit log", (C.AUDIT,), "records who read or changed data of the {s}"),),
    P.BACKUP: (Slot(G.BACKUP, "backups", (C.BACKUP,), "keeps copies of the {s} apart from what they copy"),),
    P.OBSERVABILITY: (
        Slot(G.METRICS, "metrics and alerts", (C.MONITORING,), "measures the goals of the {s} and calls a person"),
        Slot(G.LOGS, "logs", (C.LOGGING,), "keeps the logs of the {s} searchable",
             wanted=lambda b, parts: P.AUDIT not in parts and not b.tiny),
    ),
    P.DELIVERY: (
        Slot(G.BUILD, "build and release", (C.CI_CD,), "builds, tests and releases each change of the {s}"),
        Slot(G.REGISTRY, "images", (C.ARTIFACT_REGISTRY,), "keeps and scans the images of the {s}"),
    ),
    P.PUBLISHING: (Slot(G.BUILD, "build of the site", (C.CI_CD,), "builds the {s} on each change and publishes it"),),
    P.COST_GUARD: (
        Slot(G.COST, "budget alerts", (C.COST_MANAGEMENT,), "compares the spend of the {s} with its limit",
             fallback=(C.MONITORING,)),
    ),
}
