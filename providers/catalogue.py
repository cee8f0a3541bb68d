"""The product catalogue of a Cloud provider: what exists, what it can do, what replaced what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from providers.yaml_file import Frozen, YamlFile


class Capability(StrEnum):
    """What a product can do for a component; the closed vocabulary of product selection."""

    # front door and network
    HTTP_INGRESS = "http-ingress"
    GLOBAL_LOAD_BALANCING = "global-load-balancing"
    TCP_INGRESS = "tcp-ingress"
    CDN = "cdn"
    WAF = "waf"
    DNS = "dns"
    CERTIFICATES = "certificates"
    PRIVATE_NETWORK = "private-network"
    FIREWALL = "firewall"
    PRIVATE_CONNECTIVITY = "private-connectivity"
    HYBRID_CONNECTIVITY = "hybrid-connectivity"
    NAT = "nat"
    SERVICE_PERIMETER = "service-perimeter"
    SERVICE_MESH = "service-mesh"
    NETWORK_DIAGNOSTICS = "network-diagnostics"
    API_MANAGEMENT = "api-management"
    STATIC_HOSTING = "static-hosting"
    # running code
    CONTAINER_SERVERLESS = "container-serverless"
    CONTAINER_JOBS = "container-jobs"
    CONTAINER_ORCHESTRATION = "container-orchestration"
    FUNCTIONS = "functions"
    VM = "vm"
    BARE_METAL = "bare-metal"
    VMWARE = "vmware"
    GPU = "gpu"
    HPC = "hpc"
    # data at rest
    RELATIONAL_DB = "relational-db"
    RELATIONAL_DB_GLOBAL = "relational-db-global"
    POSTGRES = "postgres"
    MYSQL = "mysql"
    SQLSERVER = "sqlserver"
    ORACLE = "oracle"
    DOCUMENT_DB = "document-db"
    WIDE_COLUMN_DB = "wide-column-db"
    IN_MEMORY_CACHE = "in-memory-cache"
    OBJECT_STORAGE = "object-storage"
    FILE_STORAGE = "file-storage"
    BLOCK_STORAGE = "block-storage"
    BACKUP = "backup"
    # messages and control
    MESSAGE_QUEUE = "message-queue"
    EVENT_STREAM = "event-stream"
    EVENT_ROUTING = "event-routing"
    KAFKA = "kafka"
    TASK_QUEUE = "task-queue"
    SCHEDULER = "scheduler"
    WORKFLOW = "workflow"
    INTEGRATION = "integration"
    IOT_INGEST = "iot-ingest"
    # analytics
    STREAM_PROCESSING = "stream-processing"
    BATCH_PROCESSING = "batch-processing"
    SPARK = "spark"
    DATA_WAREHOUSE = "data-warehouse"
    ANALYTICS_LAKE = "analytics-lake"
    ETL = "etl"
    SQL_TRANSFORMATION = "sql-transformation"
    BI = "bi"
    DATA_CATALOG = "data-catalog"
    DATA_SHARING = "data-sharing"
    SEARCH = "search"
    # moving
    DATA_TRANSFER = "data-transfer"
    DB_MIGRATION = "db-migration"
    CHANGE_DATA_CAPTURE = "change-data-capture"
    VM_MIGRATION = "vm-migration"
    MIGRATION_ASSESSMENT = "migration-assessment"
    # machine learning and media
    LLM = "llm"
    EMBEDDINGS = "embeddings"
    VECTOR_SEARCH = "vector-search"
    RAG = "rag"
    AGENT_HOSTING = "agent-hosting"
    ML_TRAINING = "ml-training"
    ML_SERVING = "ml-serving"
    ML_PIPELINE = "ml-pipeline"
    NOTEBOOKS = "notebooks"
    DOCUMENT_PARSING = "document-parsing"
    IMAGE_ANALYSIS = "image-analysis"
    VIDEO_ANALYSIS = "video-analysis"
    SPEECH = "speech"
    TRANSLATION = "translation"
    LANGUAGE_ANALYSIS = "language-analysis"
    CHATBOT = "chatbot"
    TRANSCODING = "transcoding"
    LIVE_VIDEO = "live-video"
    # people, secrets, compliance
    IDENTITY_END_USER = "identity-end-user"
    IDENTITY_WORKFORCE = "identity-workforce"
    ACCESS_CONTROL = "access-control"
    APP_ACCESS_PROXY = "app-access-proxy"
    DIRECTORY = "directory"
    SECRET = "secret"  # noqa: S105 - the name of a capability
    KEY_MANAGEMENT = "key-management"
    HSM = "hsm"
    DLP = "dlp"
    THREAT_DETECTION = "threat-detection"
    BOT_PROTECTION = "bot-protection"
    POLICY = "policy"
    AUDIT = "audit"
    REGULATED_BOUNDARY = "regulated-boundary"
    IMAGE_ADMISSION = "image-admission"
    # running it
    MONITORING = "monitoring"
    LOGGING = "logging"
    TRACING = "tracing"
    CI_CD = "ci-cd"
    ARTIFACT_REGISTRY = "artifact-registry"
    SOURCE_HOSTING = "source-hosting"
    INFRASTRUCTURE_AS_CODE = "infrastructure-as-code"
    ASSET_INVENTORY = "asset-inventory"
    COST_MANAGEMENT = "cost-management"
    FAULT_TESTING = "fault-testing"
    MOBILE_BACKEND = "mobile-backend"
    MAPS = "maps"
    GAME_SERVERS = "game-servers"


class Status(StrEnum):
    """Whether a product may still be chosen."""

    ACTIVE = "active"
    PREVIEW = "preview"
    DEPRECATED = "deprecated"
    RETIRED = "retired"

    @property
    def selectable(self) -> bool:
        """False for what a new design must not name as its product."""
        return self in (Status.ACTIVE, Status.PREVIEW)


class FloorCost(StrEnum):
    """What an idle deployment costs a month, by rough order.

    ``none``: nothing while unused; ``low``: tens, ``medium``: hundreds, ``high``: thousands of
    US dollars or more for the smallest sensible production set-up.
    """

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """0 (none) to 3 (high), to compare."""
        return list(FloorCost).index(self)


Text = Annotated[str, Field(min_length=3)]


class Limit(Frozen):
    """A documented bound that matters when choosing, as words."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    what: Text
    value: Annotated[str, Field(min_length=1)]
    note: str = ""


class Alternative(Frozen):
    """Another product of the catalogue, seen from the product that lists it."""

    name: Text
    pros: Text
    cons: Text


class Product(Frozen):
    """One product.

    ``any_case`` are spellings found in text whatever their case; ``lookup_only`` are names that
    are ordinary words as well ("VPC", "Workflows"): ``Catalogue.find`` knows them,
    ``Catalogue.mentions`` does not. ``figures`` are the limits as numbers, keys ending in the unit
    (``_s`` seconds, ``_bytes``, ``_gib``, ``_per_s``; keys without a unit count things).
    ``availability_sla`` is the monthly uptime in percent of the best documented set-up, None where
    none is published.
    """

    name: Text
    aliases: tuple[str, ...] = ()
    any_case: tuple[str, ...] = ()
    lookup_only: tuple[str, ...] = ()
    category: Text
    status: Status = Status.ACTIVE
    successor: str | None = None
    retired_on: str | None = None
    source: str | None = None
    capabilities: tuple[Capability, ...] = ()
    good_for: str = ""
    not_for: str = ""
    limits: tuple[Limit, ...] = ()
    figures: dict[str, float] = Field(default_factory=dict)
    floor_cost: FloorCost | None = None
    availability_sla: float | None = Field(default=None, gt=90, le=100)
    docs: str | None = Field(default=None, pattern=r"^https://")
    terraform: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and every other spelling that ``Catalogue.find`` knows."""
        return tuple(dict.fromkeys((self.name, *self.aliases, *self.any_case, *self.lookup_only)))

    def can(self, *tags: Capability) -> bool:
        """Whether the product has every one of these capabilities."""
        return all(tag in self.capabilities for tag in tags)

    @model_validator(mode="after")
    def _complete(self) -> Product:
        if self.status.selectable:
            needed = {
                "capabilities": self.capabilities,
                "good_for": self.good_for,
                "not_for": self.not_for,
                "docs": self.docs,
                "floor_cost": self.floor_cost,
                "alternatives": self.alternatives,
            }
        else:
            needed = {"successor": self.successor, "source": self.source}
        lacking = [key for key, value in needed.items() if not value]
        if lacking:
            raise ValueError(f"{self.name} ({self.status}) lacks {', '.join(lacking)}; add it")
        return self


@dataclass(frozen=True, slots=True)
class Mention:
    """A product named in a text: ``text[start:end]`` is how it is spelt there."""

    product: Product
    text: str
    start: int
    end: int


class CatalogueFile(Frozen):
    """The file's shape. ``other_vendors``: a product name right after one of them is theirs."""

    other_vendors: tuple[str, ...] = ()
    products: tuple[Product, ...] = Field(min_length=1)


_TOKEN = re.compile(r"\w+|[^\w\s]")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+")
_CONFIG_NOTE = re.compile(r"\s+[—–-]\s.*$|\s*\(.*$", re.S)


class _Node:
    """A step in the tree of spellings: next tokens, and the product that ends here if any."""

    __slots__ = ("ends", "next")

    def __init__(self) -> None:
        self.next: dict[tuple[str, bool], _Node] = {}
        self.ends: list[tuple[str, bool, Product]] = []  # spelling, any case, product


class Catalogue:
    """The products of one provider, with look-up and recognition in text."""

    def __init__(self, products: Iterable[Product], other_vendors: Iterable[str] = ()) -> None:
        self.products: tuple[Product, ...] = tuple(products)
        self._other_vendors = frozenset(name.casefold() for name in other_vendors)
        self._by_spelling: dict[str, Product] = {}
        for product in self.products:
            for spelling in product.spellings:
                self._by_spelling.setdefault(_flat(spelling), product)

    @classmethod
    def load(cls, file: YamlFile) -> Catalogue:
        """Parse and check a catalogue file; raises BundleError with file, line and key."""
        parsed = file.parse(CatalogueFile)
        names = {product.name: product for product in parsed.products}
        owner: dict[str, str] = {}
        for at, product in enumerate(parsed.products):
            for spelling in product.spellings:
                other = owner.setdefault(_flat(spelling), product.name)
                if other != product.name or (spelling == product.name and names[other] != product):
                    raise file.error(
                        ("products", at, "name"), f"{spelling!r} already belongs to {other}"
                    )
            if product.successor is not None and product.successor not in names:
                raise file.error(
                    ("products", at, "successor"), f"{product.successor!r} is not in the catalogue"
                )
            for nth, option in enumerate(product.alternatives):
                if option.name not in names or option.name == product.name:
                    raise file.error(
                        ("products", at, "alternatives", nth, "name"),
                        f"{option.name!r} is not another product of the catalogue",
                    )
        return cls(parsed.products, parsed.other_vendors)

    def __len__(self) -> int:
        return len(self.products)

    def __getitem__(self, name: str) -> Product:
        """The product of exactly this name; raises KeyError."""
        return self._by_name[name]

    def find(self, text: str) -> Product | None:
        """The product whose name or alias ``text`` is, in any case.

        A trailing configuration note (``Cloud SQL — PostgreSQL 16, HA`` or ``… (HA)``) is ignored
        unless the whole is a spelling itself.
        """
        found = self._by_spelling.get(_flat(text))
        return found or self._by_spelling.get(_flat(_CONFIG_NOTE.sub("", text)))

    def with_capability(self, *tags: Capability, selectable: bool = True) -> tuple[Product, ...]:
        """Products with all these capabilities, in file order; only selectable ones by default."""
        return tuple(
            product
            for product in self.products
            if product.can(*tags) and (product.status.selectable or not selectable)
        )

    def retired(self) -> tuple[Product, ...]:
        """Products that a new design must not name: retired and deprecated ones."""
        return tuple(product for product in self.products if not product.status.selectable)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Every product named in ``text``, in order, the longest name winning, none overlapping.

        Whole words only; spelt as the catalogue spells it, except ``any_case`` spellings. URLs,
        host names, Terraform identifiers and products of other vendors are passed over.
        """
        urls = [match.span() for match in _URL.finditer(text)]
        tokens = [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            hit = self._longest(text, tokens, at)
            if hit is None:
                at += 1
                continue
            product, last = hit
            start, end = tokens[at][1], tokens[last][2]
            inside = any(left <= start < right for left, right in urls)
            if not inside and not self._foreign(tokens, at) and not _dotted(tokens, last):
                found.append(Mention(product, text[start:end], start, end))
            at = last + 1
        return tuple(found)

    def _longest(
        self, text: str, tokens: list[tuple[str, int, int]], at: int
    ) -> tuple[Product, int] | None:
        node, best, cursor, glued = self._tree, None, at, False
        while cursor < len(tokens):
            following = node.next.get((tokens[cursor][0].casefold(), glued))
            if following is None:
                break
            node = following
            if node.ends:
                words = " ".join(text[tokens[at][1] : tokens[cursor][2]].split())
                for spelling, any_case, product in node.ends:
                    if any_case or words == spelling:
                        best = (product, cursor)
                        break
            cursor += 1
            if cursor < len(tokens):
                glued = tokens[cursor][1] == tokens[cursor - 1][2]
        return best

    def _foreign(self, tokens: list[tuple[str, int, int]], at: int) -> bool:
        return at > 0 and tokens[at - 1][0].casefold() in self._other_vendors

    @cached_property
    def _by_name(self) -> Mapping[str, Product]:
        return {product.name: product for product in self.products}

    @cached_property
    def _tree(self) -> _Node:
        root = _Node()
        for product in self.products:
            for spelling in product.spellings:
                if spelling in product.lookup_only:
                    continue
                node, end = root, None
                for match in _TOKEN.finditer(spelling):
                    step = (match.group().casefold(), match.start() == end)
                    node, end = node.next.setdefault(step, _Node()), match.end()
                node.ends.append((spelling, spelling in product.any_case, product))
        return root


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _dotted(tokens: list[tuple[str, int, int]], last: int) -> bool:
    """Whether a host name or a dotted identifier goes on here (``bigquery.googleapis.com``)."""
    if last + 2 >= len(tokens):
        return False
    (_, _, end), (dot, left, right), (word, start, _) = tokens[last : last + 3]
    return dot == "." and left == end and start == right and word[0].islower()
