"""Which products the parts need that keep data, move it, or run the rest.

Fields of ``why``: s (the workload), front, core, item (loads), region, rules, stored, night, fleet,
people.
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.patterns_model import Part
from agents.offline.selection_model import Group, Slot
from agents.offline.selection_needs import (
    fresh_view,
    personal,
    warehouse_masks,
)
from agents.offline.signals import Signal
from providers.catalogue import Capability

C = Capability

G = Group
P = Part
_SERVICE = (C.CONTAINER_SERVERLESS, C.CONTAINER_ORCHESTRATION, C.VM, C.FUNCTIONS)
_JOB = (C.CONTAINER_JOBS, C.BATCH_PROCESSING)


def _service(role: str, why: str) -> Slot:
    return Slot(G.SERVICE, role, _SERVICE, why)


DATA_SLOTS: Mapping[Part, tuple[Slot, ...]] = {
    P.EVENT_LOG: (
        Slot(
            G.EVENTS,
            "event backbone",
            (C.EVENT_STREAM, C.KAFKA),
            "takes {item} and keeps them for each reader",
        ),
    ),
    P.RELATIONAL: (
        Slot(
            G.RELATIONAL, "database", (C.RELATIONAL_DB, C.ORACLE), "keeps the records behind {core}"
        ),
    ),
    P.DOCUMENT_STORE: (
        Slot(
            G.DOCUMENT,
            "document database",
            (C.DOCUMENT_DB,),
            "keeps one document an item",
        ),
    ),
    P.CLINICAL: (
        Slot(
            G.CLINICAL,
            "clinical formats",
            (C.HEALTH_RECORDS,),
            "speaks FHIR, HL7 v2 and DICOMweb to the clinical systems and to the portal",
        ),
    ),
    P.CACHE: (
        Slot(
            G.CACHE,
            "cache",
            (C.IN_MEMORY_CACHE,),
            "answers repeated reads among {front} from memory",
        ),
    ),
    P.SERVING: (
        Slot(
            G.SERVING,
            "recent values",
            (C.WIDE_COLUMN_DB, C.DOCUMENT_DB, C.IN_MEMORY_CACHE),
            "gives recent values by key",
        ),
    ),
    P.OBJECTS: (Slot(G.OBJECTS, "files", (C.OBJECT_STORAGE,), "stores the files"),),
    P.RAW: (
        Slot(
            G.OBJECTS, "raw files", (C.OBJECT_STORAGE,), "keeps what arrived at the {s} unchanged"
        ),
    ),
    P.WAREHOUSE: (
        Slot(
            G.WAREHOUSE,
            "analytical store",
            (C.DATA_WAREHOUSE,),
            "answers SQL over {stored} for {people}",
        ),
    ),
    P.DASHBOARD: (
        Slot(
            G.WAREHOUSE,
            "source of the reports",
            (C.DATA_WAREHOUSE,),
            "feeds the reporting tool that stays in use at the {s}",
            wanted=lambda b, parts: b.has(Signal.POWER_BI),
        ),
        Slot(
            G.REPORTING,
            "reports",
            (C.BI,),
            "shows the figures to {people}",
            wanted=lambda b, parts: not b.has(Signal.POWER_BI),
        ),
        Slot(
            G.SERVICE,
            "live page",
            _SERVICE,
            "shows values that are seconds old, which a report would not",
            wanted=lambda b, parts: fresh_view(b) and P.WEB_FRONT not in parts,
        ),
    ),
    P.RETRIEVAL: (
        Slot(
            G.RETRIEVAL,
            "retrieval",
            (C.VECTOR_SEARCH, C.RAG, C.SEARCH),
            "finds passages for {core} by meaning",
        ),
    ),
    P.SEARCH: (
        Slot(
            G.SEARCH,
            "search",
            (C.SEARCH,),
            "finds items by word and filter",
            fallback=(C.VECTOR_SEARCH,),
        ),
    ),
    P.ARCHIVE: (Slot(G.OBJECTS, "archive", (C.OBJECT_STORAGE,), "keeps what the {s} must retain"),),
    P.METADATA: (
        Slot(
            G.METADATA,
            "registry",
            (C.DATA_CATALOG,),
            "says what the data means and whose it is",
            fallback=(C.DATA_WAREHOUSE,),
        ),
    ),
    P.SITE_FILES: (
        Slot(
            G.SITE,
            "site files",
            (C.STATIC_HOSTING,),
            "serves the files without a server",
        ),
    ),
    P.MASKING: (
        Slot(
            G.MASKING,
            "column rules",
            (C.DATA_WAREHOUSE,),
            "shows masked columns to all but the named readers",
            wanted=warehouse_masks,
        ),
        Slot(
            G.MASKING,
            "discovery of personal data",
            (C.DLP,),
            "finds personal fields that nobody declared",
        ),
    ),
    P.WORKLOAD_MOVE: (
        Slot(
            G.MOVE_MACHINES,
            "move of programs",
            (C.VM_MIGRATION, C.MIGRATION_ASSESSMENT),
            "brings the machines over and measures them first",
            fallback=(C.VM,),
            wanted=lambda b, parts: b.has(
                Signal.VIRTUAL_MACHINES, Signal.DATA_CENTRE, Signal.WINDOWS
            ),
        ),
        Slot(
            G.BUILD,
            "repackaging",
            (C.CI_CD,),
            "builds the programs into images again and again until they fit",
            wanted=lambda b, parts: (
                not b.has(Signal.VIRTUAL_MACHINES, Signal.DATA_CENTRE, Signal.WINDOWS)
            ),
        ),
    ),
    P.DATA_MOVE: (
        Slot(
            G.MOVE_DATA,
            "copy and replication",
            (C.DB_MIGRATION, C.DATA_TRANSFER, C.CHANGE_DATA_CAPTURE, C.ORACLE),
            "copies {stored} and follows the changes until the switch",
        ),
    ),
    P.CUTOVER: (
        Slot(
            G.NAMES,
            "switch",
            (C.DNS,),
            "moves the name from old to new in steps",
            fallback=(C.GLOBAL_LOAD_BALANCING,),
        ),
    ),
    P.KEYS: (
        Slot(
            G.SECRETS,
            "secrets",
            (C.SECRET,),
            "keeps passwords and certificates out of code",
        ),
        Slot(
            G.KEYS,
            "keys",
            (C.KEY_MANAGEMENT,),
            "holds the keys over the data and logs their use",
            wanted=lambda b, parts: personal(b, parts) or b.has(Signal.EXTERNAL_KEYS),
        ),
    ),
    P.PERIMETER: (
        Slot(
            G.PERIMETER,
            "perimeter",
            (C.SERVICE_PERIMETER,),
            "refuses calls to the data from outside its boundary",
        ),
    ),
    P.AUDIT: (Slot(G.AUDIT, "audit log", (C.AUDIT,), "records who read or changed data"),),
    P.BACKUP: (
        Slot(G.BACKUP, "backups", (C.BACKUP,), "keeps copies of {stored} apart from the original"),
    ),
    P.OBSERVABILITY: (
        Slot(
            G.METRICS,
            "metrics and alerts",
            (C.MONITORING,),
            "measures the goals and calls a person",
        ),
        Slot(
            G.LOGS,
            "logs",
            (C.LOGGING,),
            "keeps the logs searchable",
            wanted=lambda b, parts: P.AUDIT not in parts and not b.tiny,
        ),
    ),
    P.DELIVERY: (
        Slot(
            G.BUILD,
            "build and release",
            (C.CI_CD,),
            "builds, tests and releases each change",
        ),
        Slot(G.REGISTRY, "images", (C.ARTIFACT_REGISTRY,), "keeps and scans the images"),
    ),
    P.PUBLISHING: (
        Slot(
            G.BUILD,
            "build of the site",
            (C.CI_CD,),
            "builds the {s} on each change and publishes it",
        ),
    ),
    P.COST_GUARD: (
        Slot(
            G.COST,
            "budget alerts",
            (C.COST_MANAGEMENT,),
            "compares the spend with {budget}",
            fallback=(C.MONITORING,),
        ),
    ),
}
