"""What the offline planner understood of a request, as values.

``agents/offline/reading.py`` makes a Facts from a request; ``facts_from_requirements`` makes the
same Facts again from a requirements Deliverable, so that every later Specialist works from what
was approved and not from a memory of its own.
"""

from __future__ import annotations

from enum import StrEnum

from agents.runtime import Frozen


class Workload(StrEnum):
    """Kinds of workload that the planner knows; a request may mix several."""

    WEB_API = "web-api"
    MIGRATION = "migration"
    STREAMING = "streaming-analytics"
    WAREHOUSE = "batch-warehouse"
    IOT = "iot"
    RAG_ML = "rag-ml-serving"
    MEDIA = "media-file-processing"
    STATIC_SITE = "static-site"


class Measure(StrEnum):
    """What a figure measures."""

    THROUGHPUT = "throughput"  # requests, orders, events per time; value is per second
    LATENCY = "latency"  # seconds
    AVAILABILITY = "availability"  # percent
    RTO = "rto"  # seconds
    RPO = "rpo"  # seconds
    DATA_VOLUME = "data-volume"  # bytes at rest
    DATA_RATE = "data-rate"  # bytes per second
    ITEM_SIZE = "item-size"  # bytes of one message, file or record
    USERS = "users"  # people, tenants or customers
    DEVICES = "devices"
    ITEMS = "items"  # documents, SKUs, tables, videos: a count of things
    BUDGET = "budget"  # money per month where a period is given; currency in `unit`
    RETENTION = "retention"  # seconds
    GROWTH = "growth"  # percent, or a factor
    TEAM = "team"  # people who build or run it
    DEADLINE = "deadline"  # a date or a duration, as written
    COMPUTE = "compute"  # vCPU, nodes, servers, GB of memory of the current state or a demand
    FREQUENCY = "frequency"  # seconds between runs (nightly, every 15 minutes)
    FRESHNESS = "freshness"  # seconds from an event or change until it can be seen or searched
    OTHER = "other"


class Figure(Frozen):
    """A number of the request: as written, what it measures, and its value in the base unit.

    ``text`` is the figure with its unit exactly as the user wrote it ("3,000 orders a minute").
    ``value`` is None where the figure has no base unit (a date). ``peak`` marks peaks and bursts.
    ``current`` marks a figure about the existing system and not about the new one.
    """

    text: str
    measure: Measure
    value: float | None = None
    unit: str = ""
    subject: str = ""  # what it counts or concerns: "orders", "checkout API", "raw events"
    sentence: str = ""
    peak: bool = False
    current: bool = False


class Estimate(Frozen):
    """A figure that the request does not state: computed from stated ones, or assumed.

    ``derived`` is True when it follows from stated figures (65,000 units that report every 30
    seconds), False when it is an assumption that an answer may replace. ``basis`` says from what.
    """

    figure: Figure
    basis: str
    derived: bool = False


class Need(Frozen):
    """A functional need in the user's own words, as one sentence with a capability guess."""

    text: str
    capabilities: tuple[str, ...] = ()


class Constraint(Frozen):
    """A non-functional statement that is no figure; ``area`` is SEC, REL, COST, OPS, PERF, SUS."""

    text: str
    area: str


class Contradiction(Frozen):
    """Two statements that cannot both hold, why, and what the planner suggests."""

    first: str
    second: str
    why: str
    suggestion: str


class Facts(Frozen):
    """Everything that the planner took from the user's words."""

    title: str
    language: str = "en"
    workloads: tuple[Workload, ...] = (Workload.WEB_API,)
    summary: str = ""
    needs: tuple[Need, ...] = ()
    figures: tuple[Figure, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    regions: tuple[str, ...] = ()  # cloud region ids, first is the primary
    locations_text: tuple[str, ...] = ()  # as written: "Frankfurt", "data must stay in the EU"
    compliance: tuple[str, ...] = ()  # PCI DSS, GDPR, HIPAA, ISO 27001 ...
    current_state: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    named_products: tuple[str, ...] = ()  # catalogue names that the user's words mention
    retired_products: tuple[str, ...] = ()  # those of them that are retired or deprecated
    contradictions: tuple[Contradiction, ...] = ()
    forbidden_asks: tuple[str, ...] = ()  # "deploy it now", "skip validation": answered, not done
    public_access: bool = False  # the user wants anonymous or public reach
    missing: tuple[str, ...] = ()  # measures that matter here and are not stated
    overrides: tuple[str, ...] = ()  # answers and feedback that changed something, as written
    changes: tuple[str, ...] = ()  # one line for each feedback: what it changed, or why nothing
    estimates: tuple[Estimate, ...] = ()  # what follows from the figures, and what is assumed
    out_of_scope: tuple[str, ...] = ()  # compliance that the request rules out ("no PCI scope")
    context: tuple[str, ...] = ()  # sentences that only explain
    accepted: tuple[str, ...] = ()  # questions whose proposal the user accepted
    left_open: tuple[str, ...] = ()  # questions that the user left to the proposal ("no idea")
    unclear: tuple[tuple[str, str], ...] = ()  # question and words that gave no value for it
    answered: tuple[str, ...] = ()  # questions whose answer was worked in
    vague: tuple[str, ...] = ()  # "the same as today": sentences that point to figures, give none
    added_region: str = ""  # a region that survives the loss of the first, where none was named

    def figure(self, measure: Measure, *, peak: bool | None = None) -> Figure | None:
        """The first figure of a measure for the new system (peak or not, if asked).

        Within a measure the figures stand in order of weight: the demand that sizes the design
        comes before side figures of the same measure.
        """
        for figure in self.figures:
            if figure.measure is not measure or figure.current:
                continue
            if peak is None or figure.peak is peak:
                return figure
        return None

    def expected(self, measure: Measure, *, peak: bool | None = None) -> Figure | None:
        """The stated figure of a measure, else the derived one, else the assumed one."""
        stated = self.figure(measure, peak=peak)
        if stated is not None:
            return stated
        for estimate in sorted(self.estimates, key=lambda e: not e.derived):
            figure = estimate.figure
            if figure.measure is measure and (peak is None or figure.peak is peak):
                return figure
        return None
