"""Rules for bringing data and machines over, and for keeping copies."""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.facts import Measure
from agents.offline.load import aim
from agents.offline.patterns_model import Part
from agents.offline.selection_model import Group, Reason, Rule, Setting
from agents.offline.selection_needs import legacy
from agents.offline.signals import Signal
from providers.catalogue import Capability, Product

C = Capability
S = Signal


def _move_data(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    into_warehouse = Part.WAREHOUSE in setting.parts and Part.RELATIONAL not in setting.parts
    amount = b.load.stored.text if b.load.stored else "the existing data"
    kept = any(setting.catalogue[n].can(C.ORACLE) for n in setting.chosen)
    if product.can(C.ORACLE):
        if kept:
            return Reason(
                6,
                (
                    f"a standby of {amount} is fed there until both sides are equal, then the "
                    "roles change"
                ),
                b.ids_matching(r"migrat|move|lost|downtime|packages"),
            )
        return Reason(-20, "it is a database and moves nothing into another one")
    if kept and product.can(C.DB_MIGRATION):
        return Reason(-1, "it converts into other engines, while this one stays")
    if into_warehouse:
        if product.can(C.DB_MIGRATION):
            return Reason(-2, "it moves into operational databases, while the target is analytical")
        if product.can(C.CHANGE_DATA_CAPTURE):
            return Reason(
                2.5,
                (
                    f"it copies {amount} table by table into the analytical store and follows "
                    "changes until the switch"
                ),
                b.ids_matching(r"migrat|move|lose"),
            )
        if product.can(C.DATA_TRANSFER):
            return Reason(1.5, f"it loads {amount} by schedule")
    spread = (
        any(setting.catalogue[name].can(C.RELATIONAL_DB_GLOBAL) for name in setting.chosen)
        and Part.RELATIONAL in setting.parts
    )
    if spread:
        if product.can(C.DB_MIGRATION):
            return Reason(-1, "it has no path into a database that is spread over regions")
        if product.can(C.CHANGE_DATA_CAPTURE):
            return Reason(
                3,
                (
                    f"it streams {amount} and every later change, which a loading job writes "
                    "into the new schema"
                ),
                b.ids_matching(r"migrat|move|lost|downtime"),
            )
    files = Part.RELATIONAL not in setting.parts and Part.DOCUMENT_STORE not in setting.parts
    if product.can(C.DB_MIGRATION):
        words = b.quote(S.NO_DOWNTIME_MOVE, limit=80)
        why = f", so the switch is short (“{words}”)" if words else ""
        return Reason(
            -1 if files else 3,
            f"it copies {amount} and then follows every change{why}",
            b.signal_ids(S.NO_DOWNTIME_MOVE),
        )
    if not files and product.can(C.DATA_TRANSFER):
        return Reason(
            -2, "it moves files or fills an analytical store, not a transactional database"
        )
    if files and product.can(C.DATA_TRANSFER):
        return Reason(2, f"it copies {amount} of files and checks them")
    return None


def _move_machines(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    machines = next(
        (f.text for f in b.facts.figures if f.measure is Measure.COMPUTE), "the machines"
    )
    if product.can(C.VM_MIGRATION):
        if (
            setting.parts
            and b.has(S.VIRTUAL_MACHINES, S.WINDOWS)
            and (legacy(b) or b.has(S.VIRTUAL_MACHINES))
        ):
            return Reason(1.5, f"it moves {machines} with a test copy of each before the switch")
        return Reason(0.5, f"it moves {machines} one at a time")
    if product.can(C.MIGRATION_ASSESSMENT):
        return Reason(0.6, f"it measures {machines} before anything is decided")
    return None


def _backup(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    goal = f" for a loss of at most {aim(b.load.rpo)}" if b.load.rpo and b.load.rpo.value else ""
    ids = b.ids_of(b.load.rpo)
    if "GKE" in product.name or "Kubernetes" in product.name:
        clusters = any(setting.catalogue[n].can(C.CONTAINER_ORCHESTRATION) for n in setting.chosen)
        return Reason(
            0.2 if clusters else -4,
            "it backs up what runs in a cluster, not the databases beside it",
        )
    if product.can(C.OBJECT_STORAGE):
        return Reason(
            0.6, f"exports lie apart from the database, under a retention lock if wanted{goal}", ids
        )
    return Reason(1.0, f"one place plans, locks and proves the backups{goal}", ids)


MOVE_RULES: Mapping[Group, tuple[Rule, ...]] = {
    Group.MOVE_DATA: (_move_data,),
    Group.MOVE_MACHINES: (_move_machines,),
    Group.BACKUP: (_backup,),
}
