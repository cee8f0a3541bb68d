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
    stream_masks,
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
            "keeps one document an item of the {s}",
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
            "gives recent values of the {s} by key",
        ),
    ),
    P.OBJECTS: (Slot(G.OBJECTS, "files", (C.OBJECT_STORAGE,), "stores the files of the {s}"),),
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
            "shows the figures of the {s} to {people}",
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
            "finds items of the {s} by word and filter",
            fallback=(C.VECTOR_SEARCH,),
        ),
    ),
    P.ARCHIVE: (Slot(G.OBJECTS, "archive", (C.OBJECT_STORAGE,), "keeps what the {s} must retain"),),
    P.METADATA: (
        Slot(
            G.METADATA,
            "registry",
            (C.DATA_CATALOG,),
            "says what the data of the {s} means and whose it is",
            fallback=(C.DATA_WAREHOUSE,),
        ),
    ),
    P.SITE_FILES: (
        Slot(
            G.SITE,
            "site files",
            (C.STATIC_HOSTING,),
            "serves the files of the {s} without a server",
        ),
    ),
    P.MASKING: (
        Slot(
            G.MASKING,
            "drop and mask in the stream",
            (C.STREAM_PROCESSING,),
            "drops or shortens personal fields of {item} before anything is stored",
            wanted=stream_masks,
        ),
        Slot(
            G.MASKING,
            "column rules",
            (C.DATA_WAREHOUSE,),
            "shows masked columns of the {s} to all but the named readers",
            wanted=warehouse_masks,
        ),
        Slot(
            G.MASKING,
            "discovery of personal data",
            (C.DLP,),
            "finds personal fields of the {s} that nobody declared",
        ),
    ),
    P.WORKLOAD_MOVE: (
        Slot(
            G.MOVE_MACHINES,
            "move of programs",
            (C.VM_MIGRATION, C.MIGRATION_ASSESSMENT),
            "brings the machines of the {s} over and measures them first",
            fallback=(C.VM,),
            wanted=lambda b, parts: b.has(
                Signal.VIRTUAL_MACHINES, Signal.DATA_CENTRE, Signal.WINDOWS
            ),
        ),
        Slot(
            G.BUILD,
            "repackaging",
            (C.CI_CD,),
            "builds the programs of the {s} into images again and again until they fit",
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
            "moves the name of the {s} from old to new in steps",
            fallback=(C.GLOBAL_LOAD_BALANCING,),
        ),
    ),
    P.KEYS: (
        Slot(
            G.SECRETS,
            "secrets",
            (C.SECRET,),
            "keeps passwords and certificates of the {s} out of code",
        ),
        Slot(
            G.KEYS,
            "keys",
            (C.KEY_MANAGEMENT,),
            "holds the keys over the data of the {s} and logs their use",
            wanted=personal,
        ),
    ),
    P.PERIMETER: (
        Slot(
            G.PERIMETER,
            "perimeter",
            (C.SERVICE_PERIMETER,),
            "refuses calls to the data of the {s} from outside its boundary",
        ),
    ),
    P.AUDIT: (
        Slot(G.AUDIT, "audit log", (C.AUDIT,), "records who read or changed data of the {s}"),
    ),
    P.BACKUP: (
        Slot(G.BACKUP, "backups", (C.BACKUP,), "keeps copies of the {s} apart from what they copy"),
    ),
    P.OBSERVABILITY: (
        Slot(
            G.METRICS,
            "metrics and alerts",
            (C.MONITORING,),
            "measures the goals of the {s} and calls a person",
        ),
        Slot(
            G.LOGS,
            "logs",
            (C.LOGGING,),
            "keeps the logs of the {s} searchable",
            wanted=lambda b, parts: P.AUDIT not in parts and not b.tiny,
        ),
    ),
    P.DELIVERY: (
        Slot(
            G.BUILD,
            "build and release",
            (C.CI_CD,),
            "builds, tests and releases each change of the {s}",
        ),
        Slot(G.REGISTRY, "images", (C.ARTIFACT_REGISTRY,), "keeps and scans the images of the {s}"),
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
            "compares the spend of the {s} with its limit",
            fallback=(C.MONITORING,),
        ),
    ),
}
