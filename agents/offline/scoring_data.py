"""Rules for everything that keeps or carries data."""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.brief import Brief
from agents.offline.load import aim
from agents.offline.patterns_data import locked, locked_for
from agents.offline.patterns_model import Part
from agents.offline.scoring_analysis import ANALYSIS_RULES
from agents.offline.selection_model import Group, Reason, Rule, Setting
from agents.offline.signals import Signal
from providers.catalogue import Capability, Product

S = Signal
C = Capability

_NO_REWRITE = (
    r"nobody will rewrite|not (?:be )?rewritten|without rewriting|PL/SQL packages? "
    r"(?:stay|remain)|must not be changed"
)


def across_regions(b: Brief) -> bool:
    """Whether data must be written in several regions or survive one without any loss."""
    no_loss = b.load.zero_loss and b.has(S.TWO_REGIONS)
    return b.has(S.GLOBAL_WRITES) or no_loss


def _engine(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if b.has(S.ORACLE):
        keep = b.says(_NO_REWRITE)
        if keep:
            words, ids = b.excerpt(keep, 90), b.ids_for(keep, limit=1)
            if product.can(C.ORACLE):
                return Reason(10, f"the database runs on as it is (“{words}”)", ids)
            return Reason(-6, f"stored procedures would have to be rewritten, and “{words}”", ids)
        if product.can(C.ORACLE):
            cost = b.says(r"licen[cs]es?")
            return Reason(
                -1 if cost else 1,
                f"it keeps the licences, which the budget should lose{b.told(cost, 60)}"
                if cost
                else "it runs the present database unchanged",
                b.ids_in("COST")[:1],
            )
        if product.can(C.POSTGRES):
            return Reason(
                2.5,
                (
                    f"schema and procedures of “{b.quote(S.ORACLE, limit=60)}” can be "
                    "converted to PostgreSQL with tool support"
                ),
                b.signal_ids(S.ORACLE),
            )
        return Reason(
            -1, "the schema would have to be redesigned, not converted", b.signal_ids(S.ORACLE)
        )
    for signal, tag, name in (
        (S.SQL_SERVER, C.SQLSERVER, "SQL Server"),
        (S.MYSQL, C.MYSQL, "MySQL"),
        (S.POSTGRES, C.POSTGRES, "PostgreSQL"),
    ):
        if not b.has(signal):
            continue
        words, ids = b.quote(signal, limit=70), b.signal_ids(signal)
        if product.can(tag):
            return Reason(
                4,
                (
                    f"it runs the same engine as today, {name} (“{words}”), so the move "
                    "changes no query"
                ),
                ids,
            )
        loss = -1.5 if product.can(C.RELATIONAL_DB_GLOBAL) and across_regions(b) else -3.5
        return Reason(
            loss, f"it is not {name}, so queries and drivers would change (“{words}”)", ids
        )
    return None


def _regions(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if across_regions(b):
        words = b.quote(S.GLOBAL_WRITES) or b.quote(S.TWO_REGIONS)
        ids = b.ids_of(b.load.rpo) or b.signal_ids(S.TWO_REGIONS)
        if product.can(C.RELATIONAL_DB_GLOBAL):
            return Reason(
                7,
                (
                    "a commit stands in several regions before it is confirmed, so losing "
                    f"one loses nothing (“{words}”)"
                ),
                ids,
            )
        return Reason(
            -5,
            (
                "a copy in another region follows with a delay, so its loss would cost the "
                f"last seconds (“{words}”)"
            ),
            ids,
        )
    if b.has(S.TWO_REGIONS) and b.load.rpo and product.can(C.POSTGRES):
        return Reason(
            0.5,
            f"a replica in a second region keeps the loss within {aim(b.load.rpo)}",
            b.ids_of(b.load.rpo),
        )
    return None


def _throughput(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    rate = b.load.front_peak or b.load.front_steady
    if rate is None:
        if product.can(C.MYSQL):
            return Reason(
                1.5,
                f"{b.core_short} are well within one primary with a standby",
                b.ids_of(b.load.users),
            )
        return Reason(-0.5, f"it is larger than {b.core_short} call for")
    ids = b.ids_of(rate.figure)
    spread = product.can(C.RELATIONAL_DB_GLOBAL)
    if rate.value >= 10_000:
        if spread:
            return Reason(
                5, f"{rate.short} are spread over nodes that are added while it runs", ids
            )
        return Reason(
            -5, f"{rate.short} go through one writer, which has no second one beside it", ids
        )
    if spread:
        return Reason(
            -1.5,
            f"{rate.short} need no spreading, while its query planner and limits must be learnt",
            ids,
        )
    managed = product.can(C.MYSQL)
    if rate.value >= 2_000:
        points = -0.5 if managed else 2.0
        return Reason(
            points,
            f"{rate.short} are near what one ordinary primary serves"
            if managed
            else f"its storage layer and read pools leave room above {rate.short}",
            ids,
        )
    if managed:
        return Reason(1.5, f"{rate.short} are well within one primary with a standby", ids)
    if not product.can(C.ORACLE):
        return Reason(-0.3, f"its larger smallest size pays off above {rate.short}", ids)
    return None


def _events(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if setting.slot.role == "file notices":
        if product.can(C.FUNCTIONS):
            return Reason(
                -1, "the handler would be a second place for code beside the service that exists"
            )
        return Reason(0.5, "a finished upload calls the service without code in between")
    if product.can(C.KAFKA):
        if b.has(S.KAFKA):
            return Reason(
                4,
                f"existing clients keep their protocol (“{b.quote(S.KAFKA, limit=80)}”)",
                b.signal_ids(S.KAFKA),
            )
        return Reason(
            -1.5,
            f"nothing in the {b.subject} speaks its protocol today, and brokers have to be sized",
        )
    if b.has(S.KAFKA):
        return Reason(
            -1,
            f"clients would have to change their library (“{b.quote(S.KAFKA, limit=80)}”)",
            b.signal_ids(S.KAFKA),
        )
    if product.can(C.EVENT_STREAM):
        if b.load.times:
            return Reason(
                2,
                f"it takes {b.load.times} the normal rate without partitions to plan",
                b.ids_of(b.load.peak.figure) if b.load.peak else (),
            )
        return Reason(1.5, f"it has no brokers or partitions to plan for {b.item_short}")
    return None


def _document(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.MOBILE_BACKEND):
        return Reason(1, f"it starts at nothing and follows {setting.brief.core_short}")
    return None


def _cache(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    same = b.has(S.REDIS)
    if "Valkey" in product.name:
        words = (
            f" and takes the Redis clients of today (“{b.quote(S.REDIS, limit=60)}”)"
            if same
            else ""
        )
        return Reason(1.2, f"it is the open source engine, sharded{words}", b.signal_ids(S.REDIS))
    if "Redis" in product.name:
        return Reason(
            0.8,
            f"clients of today stay as they are (“{b.quote(S.REDIS, limit=60)}”)"
            if same
            else f"it takes {b.front} off the database",
            b.signal_ids(S.REDIS),
        )
    return None


def _objects(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    kept = b.load.retention
    if setting.part is Part.ARCHIVE and product.can(C.OBJECT_STORAGE):
        if locked(b):
            words = b.quote(S.IMMUTABLE) or b.excerpt(b.says(r"supervisory|tax office|law"), 80)
            fixed = locked_for(b)
            return Reason(
                2,
                (
                    "a locked retention policy holds files for "
                    f"{aim(fixed) if fixed else 'the period'} against everybody (“{words}”)"
                ),
                b.ids_of(kept),
            )
        return Reason(
            1.5,
            f"cold classes keep {aim(kept) if kept else 'years'} at a small part of the hot price",
            b.ids_of(kept),
        )
    if product.can(C.OBJECT_STORAGE):
        return Reason(1, "classes and rules move old files to a lower price by age")
    return None


DATA_RULES: Mapping[Group, tuple[Rule, ...]] = {
    **ANALYSIS_RULES,
    Group.RELATIONAL: (_engine, _regions, _throughput),
    Group.EVENTS: (_events,),
    Group.DOCUMENT: (_document,),
    Group.CACHE: (_cache,),
    Group.OBJECTS: (_objects,),
}
