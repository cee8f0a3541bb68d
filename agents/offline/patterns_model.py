"""The vocabulary of component patterns: which logical parts exist, and how two of them connect.

A Part is a logical component without a product. Its ``lead`` opens its responsibility, so that a
later Specialist still recognises a component that a Revision renamed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from agents.offline.brief import Brief


class Layer(StrEnum):
    """Where a part stands; also the subgraphs of the diagram, in order."""

    EDGE = "edge"
    APPLICATION = "application"
    DATA = "data"
    OPERATIONS = "operations"


class Part(StrEnum):
    """Logical parts, in the order in which they are listed."""

    PUBLIC_ENTRY = "public-entry"
    PRIVATE_ENTRY = "private-entry"
    CONTENT_DELIVERY = "content-delivery"
    API_MANAGEMENT = "api-management"
    SIGN_IN = "sign-in"
    DEVICE_GATEWAY = "device-gateway"
    EVENT_COLLECTOR = "event-collector"
    HYBRID_LINK = "hybrid-link"
    EGRESS = "controlled-exit"
    WEB_FRONT = "web-front"
    API = "api"
    WORKER = "worker"
    TASK_QUEUE = "task-queue"
    WEBHOOKS = "webhook-delivery"
    NOTIFIER = "notifier"
    DOCUMENTS = "document-generator"
    FORM = "form-handler"
    FILE_EXCHANGE = "file-exchange"
    MEDIA_INTAKE = "upload-intake"
    MEDIA_WORK = "media-processing"
    LIVE = "live-channels"
    STREAM = "stream-processor"
    ALARM = "alarm-evaluator"
    DEVICE_COMMAND = "device-command"
    BATCH_LOAD = "batch-intake"
    TRANSFORM = "transformation"
    ORCHESTRATION = "batch-control"
    ANSWER = "answer-service"
    INFERENCE = "language-model"
    DOC_INTAKE = "document-intake"
    EVALUATION = "quality-evaluation"
    PREDICTION = "prediction"
    TRAINING = "model-training"
    DATA_REQUESTS = "data-subject-requests"
    EVENT_LOG = "event-backbone"
    RELATIONAL = "transactional-database"
    DOCUMENT_STORE = "document-database"
    CLINICAL = "clinical-store"
    CACHE = "cache"
    SERVING = "serving-store"
    OBJECTS = "file-store"
    RAW = "landing-zone"
    WAREHOUSE = "analytical-store"
    DASHBOARD = "reporting"
    RETRIEVAL = "retrieval-index"
    SEARCH = "search-index"
    ARCHIVE = "archive"
    METADATA = "metadata-registry"
    SITE_FILES = "site-files"
    MASKING = "personal-data-protection"
    WORKLOAD_MOVE = "workload-move"
    DATA_MOVE = "data-move"
    CUTOVER = "cut-over"
    KEYS = "key-custody"
    PERIMETER = "data-perimeter"
    AUDIT = "audit-trail"
    BACKUP = "backup"
    OBSERVABILITY = "observability"
    DELIVERY = "delivery-pipeline"
    PUBLISHING = "publishing"
    COST_GUARD = "budget-control"


Text = Callable[[Brief], str]


@dataclass(frozen=True, slots=True)
class PartSpec:
    """One part: its usual name, how its responsibility opens, and what makes it wanted.

    ``words`` find the requirements that it serves; ``areas`` are the non-functional areas that
    bite here. ``tail`` ends the responsibility in the request's own terms.
    """

    part: Part
    layer: Layer
    name: str
    lead: str
    tail: Text
    words: str
    areas: tuple[str, ...] = ()
    nfr: str = ""

    def matches(self, text: str) -> int:
        """How many different words of a text speak for this part."""
        pattern = rf"(?<!\w)(?:{self.words})"
        return len({m.group(0).lower() for m in re.finditer(pattern, text, re.I)})


@dataclass(frozen=True, slots=True)
class Link:
    """A flow between two parts: what moves, in what style, and a key or words for how much."""

    source: Part
    target: Part
    what: str
    style: str
    volume: str


def spec(
    part: Part,
    layer: Layer,
    name: str,
    lead: str,
    tail: Text,
    words: str,
    *,
    areas: str = "",
    nfr: str = "",
) -> PartSpec:
    """A PartSpec in the short form of the pattern tables."""
    return PartSpec(part, layer, name, lead, tail, words, tuple(areas.split()), nfr)
