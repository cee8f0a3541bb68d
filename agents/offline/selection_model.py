"""Values of product selection: what a part needs, what a product scores, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agents.offline.brief import Brief
from agents.offline.patterns_model import Part
from engine.documents import Component
from providers.catalogue import Capability, Catalogue, Product


class Group(StrEnum):
    """Kinds of choice; the rules of scoring belong to one each."""

    ENTRY = "entry"
    FILTER = "filter"
    DELIVERY = "content-delivery"
    API = "api-management"
    IDENTITY = "identity"
    DEVICES = "device-broker"
    LINK = "private-link"
    EXIT = "exit"
    SERVICE = "service"
    JOB = "job"
    FUNCTION = "function"
    QUEUE = "queue"
    EVENTS = "events"
    STREAM = "stream"
    RELATIONAL = "relational"
    DOCUMENT = "document"
    CACHE = "cache"
    CLINICAL = "clinical"
    SERVING = "serving"
    OBJECTS = "objects"
    SITE = "site"
    WAREHOUSE = "warehouse"
    REPORTING = "reporting"
    TRANSFORM = "transform"
    WORKFLOW = "workflow"
    SCHEDULE = "schedule"
    CAPTURE = "capture"
    LLM = "llm"
    RETRIEVAL = "retrieval"
    PARSING = "parsing"
    SERVE_MODEL = "serve-model"
    TRAIN = "train"
    MEDIA = "media"
    SEARCH = "search"
    METADATA = "metadata"
    MASKING = "masking"
    MOVE_DATA = "move-data"
    MOVE_MACHINES = "move-machines"
    NAMES = "names"
    SECRETS = "secrets"
    KEYS = "keys"
    PERIMETER = "perimeter"
    AUDIT = "audit"
    BACKUP = "backup"
    METRICS = "metrics"
    LOGS = "logs"
    BUILD = "build"
    REGISTRY = "registry"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class Slot:
    """One product that a part needs.

    A candidate has at least one capability of ``any_of`` and all of ``all_of``. ``role`` is what
    it does in a few words; ``why`` is a sentence with the fields of ``fields``. A slot that is
    not ``wanted`` is left out; ``fallback`` widens the choice when the catalogue has no candidate.
    """

    group: Group
    role: str
    any_of: tuple[Capability, ...]
    why: str
    all_of: tuple[Capability, ...] = ()
    fallback: tuple[Capability, ...] = ()
    wanted: Callable[[Brief, frozenset[Part]], bool] = lambda b, parts: True


@dataclass(frozen=True, slots=True)
class Reason:
    """What speaks for (points above 0) or against a product here, with requirement ids."""

    points: float
    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its points and all reasons."""

    product: Product
    points: float
    reasons: tuple[Reason, ...]

    @property
    def best(self) -> tuple[Reason, ...]:
        """Reasons in favour, strongest first."""
        return tuple(sorted((r for r in self.reasons if r.points > 0), key=lambda r: -r.points))

    @property
    def worst(self) -> tuple[Reason, ...]:
        """Reasons against, strongest first."""
        return tuple(sorted((r for r in self.reasons if r.points < 0), key=lambda r: r.points))


@dataclass(frozen=True, slots=True)
class Wishes:
    """Products that a person asked for or against, by name, with the words that did."""

    wanted: Mapping[str, str] = field(default_factory=dict)
    avoided: Mapping[str, str] = field(default_factory=dict)
    successors: Mapping[str, str] = field(
        default_factory=dict
    )  # successor -> retired product asked
    named: Mapping[str, str] = field(default_factory=dict)  # asked for in the request itself


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that a rule may look at."""

    brief: Brief
    part: Part
    slot: Slot
    component: Component
    parts: frozenset[Part]
    chosen: tuple[str, ...]
    wishes: Wishes
    catalogue: Catalogue


@dataclass(frozen=True, slots=True)
class Choice:
    """A row of the selection before it is written."""

    component: Component
    part: Part
    slot: Slot
    winner: Scored
    others: tuple[Scored, ...]
    note: str = ""

    @property
    def product(self) -> Product:
        """The product that was chosen."""
        return self.winner.product


Rule = Callable[[Setting, Product], Reason | None]
