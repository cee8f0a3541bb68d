"""Which products a part needs: a slot each, in the words of capabilities.

Fields of ``why``: s (the workload), front, core, item (loads), region, rules, stored, night, fleet,
people.
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.patterns_model import Part
from agents.offline.selection_model import Group, Slot
from agents.offline.selection_needs import (
    inbound_files,
)
from agents.offline.selection_slots_data import DATA_SLOTS
from agents.offline.signals import Signal
from providers.catalogue import Capability

C = Capability

G = Group
P = Part
_SERVICE = (C.CONTAINER_SERVERLESS, C.CONTAINER_ORCHESTRATION, C.VM, C.FUNCTIONS)
_JOB = (C.CONTAINER_JOBS, C.BATCH_PROCESSING)


def _service(role: str, why: str) -> Slot:
    return Slot(G.SERVICE, role, _SERVICE, why)


SLOTS: Mapping[Part, tuple[Slot, ...]] = {
    P.PUBLIC_ENTRY: (
        Slot(
            G.ENTRY,
            "entry",
            (C.GLOBAL_LOAD_BALANCING,),
            "ends TLS for {people} and spreads {front} over healthy instances",
            fallback=(C.HTTP_INGRESS,),
        ),
        Slot(
            G.FILTER, "filter", (C.WAF,), "stops hostile calls to the {s} before they cost capacity"
        ),
    ),
    P.PRIVATE_ENTRY: (
        Slot(
            G.ENTRY,
            "internal entry",
            (C.GLOBAL_LOAD_BALANCING,),
            "gives {people} an address inside the private network only",
            fallback=(C.HTTP_INGRESS,),
        ),
    ),
    P.CONTENT_DELIVERY: (
        Slot(
            G.DELIVERY,
            "cache at the edge",
            (C.CDN,),
            (
                "keeps what is the same for everybody near {people}, so that it never reaches "
                "the application"
            ),
        ),
    ),
    P.API_MANAGEMENT: (
        Slot(
            G.API,
            "keys and quotas",
            (C.API_MANAGEMENT,),
            "knows each caller by key and holds it to its plan",
        ),
    ),
    P.SIGN_IN: (
        Slot(
            G.IDENTITY,
            "sign-in",
            (C.IDENTITY_END_USER, C.APP_ACCESS_PROXY),
            "hands the {s} a verified identity for {people}",
            fallback=(C.IDENTITY_WORKFORCE,),
        ),
    ),
    P.DEVICE_GATEWAY: (
        Slot(
            G.DEVICES,
            "device broker",
            (C.CONTAINER_ORCHESTRATION, C.VM, C.IOT_INGEST),
            "runs a broker that keeps the connections of {fleet}",
        ),
        Slot(
            G.ENTRY,
            "stable address",
            (C.TCP_INGRESS,),
            "keeps one address for {fleet} while brokers come and go",
            all_of=(C.GLOBAL_LOAD_BALANCING,),
            wanted=lambda b, parts: b.has(Signal.MQTT),
        ),
    ),
    P.EVENT_COLLECTOR: (_service("collector", "answers {item} and hands them on without waiting"),),
    P.HYBRID_LINK: (
        Slot(
            G.LINK,
            "private line",
            (C.HYBRID_CONNECTIVITY,),
            "joins the existing network and the {s} without the open internet",
            fallback=(C.PRIVATE_NETWORK,),
        ),
    ),
    P.EGRESS: (
        Slot(
            G.EXIT,
            "guarded exit",
            (C.NAT, C.POLICY),
            "lets the {s} reach named outside hosts only",
            all_of=(),
            fallback=(C.FIREWALL,),
        ),
    ),
    P.WEB_FRONT: (_service("pages", "serves the pages to {people}"),),
    P.API: (_service("business rules", "answers {core} and scales with them"),),
    P.WORKER: (_service("background work", "works through what the {s} does after its answer"),),
    P.TASK_QUEUE: (
        Slot(
            G.QUEUE,
            "work queue",
            (C.TASK_QUEUE, C.MESSAGE_QUEUE),
            "holds jobs with retries",
        ),
    ),
    P.WEBHOOKS: (
        Slot(
            G.QUEUE,
            "retries per receiver",
            (C.TASK_QUEUE, C.MESSAGE_QUEUE),
            "keeps each change until its receiver took it",
        ),
        _service("sender", "calls the receivers, one slow receiver apart from the others"),
    ),
    P.NOTIFIER: (
        _service("carrier client", "calls the outside carriers for the messages"),
        Slot(
            G.QUEUE,
            "send queue",
            (C.TASK_QUEUE, C.MESSAGE_QUEUE),
            "repeats what a carrier did not take, so that no message is lost",
            wanted=lambda b, parts: P.EVENT_LOG not in parts and not b.tiny,
        ),
    ),
    P.DOCUMENTS: (_service("renderer", "renders a document when somebody asks for it"),),
    P.FORM: (
        Slot(
            G.FUNCTION,
            "handler",
            (C.FUNCTIONS, C.CONTAINER_SERVERLESS),
            "runs only when somebody sends the form",
        ),
    ),
    P.FILE_EXCHANGE: (
        Slot(
            G.SERVICE,
            "file server",
            (C.VM, C.CONTAINER_ORCHESTRATION),
            "speaks the file transfer protocol of the partners",
            wanted=lambda b, parts: inbound_files(b),
        ),
        Slot(
            G.JOB,
            "file sender",
            _JOB,
            "writes and sends the files in one run each",
            wanted=lambda b, parts: not inbound_files(b),
        ),
        Slot(
            G.OBJECTS,
            "file drop",
            (C.OBJECT_STORAGE,),
            "keeps each exchanged file",
            wanted=lambda b, parts: P.RAW not in parts and P.OBJECTS not in parts,
        ),
    ),
    P.MEDIA_INTAKE: (
        _service("upload permits", "hands out upload permits for {core}"),
        Slot(
            G.EVENTS,
            "file notices",
            (C.EVENT_ROUTING,),
            "starts the work on a file when its upload is complete",
            fallback=(C.MESSAGE_QUEUE,),
            wanted=lambda b, parts: not b.tiny,
        ),
    ),
    P.MEDIA_WORK: (
        Slot(
            G.MEDIA,
            "processing",
            (C.TRANSCODING, *_JOB),
            "turns each uploaded file into the wanted forms",
        ),
    ),
    P.LIVE: (
        Slot(
            G.MEDIA,
            "live channels",
            (C.LIVE_VIDEO,),
            "takes the feed of each event and writes its segments while it runs",
        ),
    ),
    P.STREAM: (
        Slot(
            G.STREAM,
            "stream jobs",
            (C.STREAM_PROCESSING,),
            "works on {item} in event time, in one pipeline for each table it fills",
        ),
    ),
    P.ALARM: (
        Slot(
            G.SERVICE,
            "alarm rules",
            (C.STREAM_PROCESSING, C.CONTAINER_SERVERLESS),
            "judges each reading of {fleet} apart from the portal and the reports",
        ),
    ),
    P.DEVICE_COMMAND: (
        _service("command service", "sends settings and files to {fleet} in stages"),
    ),
    P.BATCH_LOAD: (
        Slot(
            G.JOB,
            "extractors",
            (C.CONTAINER_JOBS, C.ETL, C.INTEGRATION, C.DATA_TRANSFER),
            "fetches {night} and checks the counts",
        ),
        Slot(
            G.CAPTURE,
            "change capture",
            (C.CHANGE_DATA_CAPTURE,),
            "reads changes of the source database without a nightly full copy",
            wanted=lambda b, parts: bool(
                b.says(r"\bRDS\b|loyalty app|source database|change data")
            ),
        ),
    ),
    P.TRANSFORM: (
        Slot(
            G.TRANSFORM,
            "transformation",
            (C.SQL_TRANSFORMATION, C.SPARK, C.ETL),
            "turns {night} into the tables",
        ),
    ),
    P.ORCHESTRATION: (
        Slot(
            G.WORKFLOW,
            "run control",
            (C.WORKFLOW,),
            "runs the steps of each load in order",
        ),
        Slot(G.SCHEDULE, "clock", (C.SCHEDULER,), "starts the runs by the clock"),
    ),
    P.ANSWER: (_service("answer logic", "finds passages, asks the model and streams {core}"),),
    P.INFERENCE: (Slot(G.LLM, "language model", (C.LLM,), "writes the answers to {core}"),),
    P.DOC_INTAKE: (
        Slot(G.JOB, "intake jobs", _JOB, "reads and cuts the documents as they change"),
        Slot(
            G.PARSING,
            "text recognition",
            (C.DOCUMENT_PARSING,),
            "reads the scans among the documents",
            wanted=lambda b, parts: b.has(Signal.SCANS),
        ),
    ),
    P.EVALUATION: (
        Slot(G.JOB, "evaluation run", _JOB, "asks the known questions before a release"),
    ),
    P.PREDICTION: (
        Slot(
            G.SERVE_MODEL, "model endpoint", (C.ML_SERVING, C.CONTAINER_SERVERLESS), "scores {item}"
        ),
    ),
    P.TRAINING: (
        Slot(
            G.TRAIN,
            "training",
            (C.ML_TRAINING,),
            "trains the model and keeps its versions",
        ),
    ),
    P.DATA_REQUESTS: (
        Slot(
            G.JOB,
            "request runs",
            _JOB,
            "collects or erases the data of one person in one run",
        ),
    ),
    **DATA_SLOTS,
}
