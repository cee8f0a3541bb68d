"""Rules for everything that keeps or carries data."""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.brief import Brief
from agents.offline.facts import Measure, Workload
from agents.offline.load import aim, number
from agents.offline.patterns_data import locked
from agents.offline.patterns_model import Part
from agents.offline.selection_model import Group, Reason, Rule, Setting
from agents.offline.selection_slots import fresh_view
from agents.offline.signals import Signal
from providers.catalogue import Capability as C
from providers.catalogue import Product

S = Signal
_NO_REWRITE = r"nobody will rewrite|not (?:be )?rewritten|without rewriting|PL/SQL packages? (?:stay|remain)|must not be changed"


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
            return Reason(-1 if cost else 1, f"it keeps the licences, which the budget should lose{b.told(cost, 60)}" if cost
                          else "it runs the present database unchanged", b.ids_in("COST")[:1])
        if product.can(C.POSTGRES):
            return Reason(2.5, f"schema and procedures of “{b.quote(S.ORACLE, limit=60)}” can be converted to PostgreSQL with tool support", b.signal_ids(S.ORACLE))
        return Reason(-1, "the schema would have to be redesigned, not converted", b.signal_ids(S.ORACLE))
    for signal, tag, name in (
        (S.SQL_SERVER, C.SQLSERVER, "SQL Server"),
        (S.MYSQL, C.MYSQL, "MySQL"),
        (S.POSTGRES, C.POSTGRES, "PostgreSQL"),
    ):
        if not b.has(signal):
            continue
        words, ids = b.quote(signal, limit=70), b.signal_ids(signal)
        if product.can(tag):
            return Reason(4, f"it runs the same engine as today, {name} (“{words}”), so the move changes no query", ids)
        loss = -1.5 if product.can(C.RELATIONAL_DB_GLOBAL) and across_regions(b) else -3.5
        return Reason(loss, f"it is not {name}, so queries and drivers would change (“{words}”)", ids)
    return None


def _regions(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if across_regions(b):
        words = b.quote(S.GLOBAL_WRITES) or b.quote(S.TWO_REGIONS)
        ids = b.ids_of(b.load.rpo) or b.signal_ids(S.TWO_REGIONS)
        if product.can(C.RELATIONAL_DB_GLOBAL):
            return Reason(7, f"a commit stands in several regions before it is confirmed, so losing one loses nothing (“{words}”)", ids)
        return Reason(-5, f"a copy in another region follows with a delay, so its loss would cost the last seconds (“{words}”)", ids)
    if b.has(S.TWO_REGIONS) and b.load.rpo and product.can(C.POSTGRES):
        return Reason(0.5, f"a replica in a second region keeps the loss within {aim(b.load.rpo)}", b.ids_of(b.load.rpo))
    return None


def _throughput(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    rate = b.load.front_peak or b.load.front_steady
    if rate is None:
        if product.can(C.MYSQL):
            return Reason(1.5, f"{b.core_short} are well within one primary with a standby", b.ids_of(b.load.users))
        return Reason(-0.5, f"it is larger than {b.core_short} call for")
    ids = b.ids_of(rate.figure)
    spread = product.can(C.RELATIONAL_DB_GLOBAL)
    if rate.value >= 10_000:
        if spread:
            return Reason(5, f"{rate.short} are spread over nodes that are added while it runs", ids)
        return Reason(-5, f"{rate.short} go through one writer, which has no second one beside it", ids)
    if spread:
        return Reason(-1.5, f"{rate.short} need no spreading, while its query planner and limits must be learnt", ids)
    managed = product.can(C.MYSQL)
    if rate.value >= 2_000:
        points = -0.5 if managed else 2.0
        return Reason(points, f"{rate.short} are near what one ordinary primary serves" if managed else
                      f"its storage layer and read pools leave room above {rate.short}", ids)
    if managed:
        return Reason(1.5, f"{rate.short} are well within one primary with a standby", ids)
    if not product.can(C.ORACLE):
        return Reason(-0.3, f"its larger smallest size pays off above {rate.short}", ids)
    return None


def _events(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if setting.slot.role == "file notices":
        if product.can(C.FUNCTIONS):
            return Reason(-1, "the handler would be a second place for code beside the service that exists")
        return Reason(0.5, f"a finished upload of the {b.subject} calls the service without code in between")
    if product.can(C.KAFKA):
        if b.has(S.KAFKA):
            return Reason(4, f"existing clients keep their protocol (“{b.quote(S.KAFKA, limit=80)}”)", b.signal_ids(S.KAFKA))
        return Reason(-1.5, f"nothing in the {b.subject} speaks its protocol today, and brokers have to be sized")
    if b.has(S.KAFKA):
        return Reason(-1, f"clients would have to change their library (“{b.quote(S.KAFKA, limit=80)}”)", b.signal_ids(S.KAFKA))
    if product.can(C.EVENT_STREAM):
        if b.load.times:
            return Reason(2, f"it takes {b.load.times} the normal rate without partitions to plan", b.ids_of(b.load.peak.figure) if b.load.peak else ())
        return Reason(1.5, f"it has no brokers or partitions to plan for {b.item_short}")
    return None


def _stream(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.SPARK):
        if b.has(S.SPARK):
            tired = b.says(r"falls over|nobody wants to own|unstable|crash")
            if tired:
                return Reason(-2, f"it would carry over what hurts today (“{b.excerpt(tired, 80)}”)", b.signal_ids(S.SPARK))
            return Reason(3, f"jobs that exist carry over (“{b.quote(S.SPARK, limit=80)}”)", b.signal_ids(S.SPARK))
        return Reason(-1, f"micro-batches and clusters have to be tuned for {b.item_short}")
    if product.can(C.STREAM_PROCESSING):
        if b.has(S.EXACTLY_ONCE, S.LATE_EVENTS):
            signal = S.EXACTLY_ONCE if b.has(S.EXACTLY_ONCE) else S.LATE_EVENTS
            return Reason(3, f"event time, late data and exactly-once state are built in (“{b.quote(signal, limit=90)}”)", b.signal_ids(signal))
        fresh = b.figures(Measure.FRESHNESS)
        goal = f" within {aim(fresh[0])}" if fresh else ""
        return Reason(2, f"it works on {b.item_short} record by record{goal} and scales its workers itself", b.ids_of(*fresh[:1]))
    return None


def _serving(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    rate = b.load.items
    per_second = rate.value if rate else 0.0
    only_aggregates = b.works(Workload.STREAMING) and not b.works(Workload.IOT)
    if only_aggregates:
        fresh = b.figures(Measure.FRESHNESS)
        goal = aim(fresh[0]) if fresh else "seconds"
        if product.can(C.DOCUMENT_DB):
            return Reason(3, f"only aggregates are kept, not each of {b.item_short}, and open pages are told of a change within {goal}", b.ids_of(*fresh[:1]))
        if product.can(C.WIDE_COLUMN_DB):
            return Reason(-1, "nodes that run all day for some thousand aggregates would be idle")
        return Reason(0.5, "it is fast enough, but forgets its content with the node")
    if product.can(C.WIDE_COLUMN_DB):
        if per_second >= 1_000:
            node = product.figures.get("writes_per_node_per_s")
            shown = f" (about {number(node)} writes a second a node)" if node else ""
            return Reason(3.5, f"{b.item_short} of small rows by key and time are what it is made for{shown}", b.ids_of(rate.figure) if rate else ())
        return Reason(0.5, f"it would hold {b.item_short} with room to spare")
    if product.can(C.DOCUMENT_DB):
        if per_second >= 1_000:
            month = per_second * 86_400 * 30
            return Reason(-3, f"it is paid by operation, and {number(per_second)} a second x 86,400 s x 30 = {number(month / 1e9)} billion writes a month", b.ids_of(rate.figure) if rate else ())
        return Reason(1.5, f"{b.item_short} cost little by operation and nothing has to run for them")
    kept = b.load.rpo is not None
    if b.latency() and per_second >= 1_000 and not kept:
        return Reason(1.0, f"memory answers well within {b.latency()}")
    return Reason(-1, "it is memory first, so what must not be lost needs a second store")


def _document(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.MOBILE_BACKEND):
        return Reason(1, f"it starts at nothing and follows {setting.brief.core_short}")
    return None


def _cache(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    same = b.has(S.REDIS)
    if "Valkey" in product.name:
        words = f" and takes the Redis clients of today (“{b.quote(S.REDIS, limit=60)}”)" if same else ""
        return Reason(1.2, f"it is the open source engine, sharded{words}", b.signal_ids(S.REDIS))
    if "Redis" in product.name:
        return Reason(0.8, f"clients of today stay as they are (“{b.quote(S.REDIS, limit=60)}”)" if same else
                      f"it takes {b.front} off the database", b.signal_ids(S.REDIS))
    return None


def _objects(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    kept = b.load.retention
    if setting.part is Part.ARCHIVE and product.can(C.OBJECT_STORAGE):
        if locked(b):
            words = b.quote(S.IMMUTABLE) or b.excerpt(b.says(r"supervisory|tax office|law"), 80)
            return Reason(2, f"a locked retention policy holds files for {aim(kept) if kept else 'the period'} against everybody (“{words}”)", b.ids_of(kept))
        return Reason(1.5, f"cold classes keep {aim(kept) if kept else 'years'} at a small part of the hot price", b.ids_of(kept))
    if product.can(C.OBJECT_STORAGE):
        return Reason(1, f"classes and rules move old files of the {b.subject} to a lower price by age")
    return None


def _warehouse(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    within = b.latency(r"quer|dashboard|open|report|analyst|SQL", under=300)
    if not product.can(C.DATA_WAREHOUSE):
        return None
    if b.has(S.SQL_ONLY):
        return Reason(2, f"it is used in SQL and has no machines to size (“{b.quote(S.SQL_ONLY, limit=80)}”)", b.signal_ids(S.SQL_ONLY))
    goal = f" within {within}" if within else ""
    return Reason(1.5, f"storage and computing grow apart, so queries{goal} and loads do not slow each other down", b.ids_matching(r"SQL|quer|report|dashboard"))


def _reporting(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.name == "Looker" and b.says(r"\blooker\b(?! studio)") and not b.has(S.POWER_BI):
        return Reason(3, f"the request names it (“{b.quote(S.LOOKER, limit=70)}”)", b.signal_ids(S.LOOKER))
    if product.floor_cost is not None and product.floor_cost.rank == 0:
        return Reason(1.0, f"reports of the {b.subject} need no licence to begin with")
    many = b.load.users and (b.load.users.value or 0) >= 300
    return Reason(1.0 if many else -0.5, "one governed definition of each figure" + ("" if many else ", which few readers do not yet need"))


def _transform(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.SQL_TRANSFORMATION):
        extra = 1.0 if b.has(S.SQL_ONLY) else 0.0
        words = f" (“{b.quote(S.SQL_ONLY, limit=70)}”)" if b.has(S.SQL_ONLY) else ""
        made_for = 0.6 if not product.can(C.DATA_WAREHOUSE) else 0.0
        return Reason(1.5 + extra + made_for, f"transformations of the {b.subject} stay SQL with versions and tests{words}", b.signal_ids(S.SQL_ONLY))
    if b.has(S.SQL_ONLY):
        return Reason(-3, f"it needs Python, Java or a tool of its own, and “{b.quote(S.SQL_ONLY, limit=70)}”", b.signal_ids(S.SQL_ONLY))
    if product.can(C.SPARK) and b.has(S.SPARK):
        return Reason(2.5, f"jobs that exist carry over (“{b.quote(S.SPARK, limit=70)}”)", b.signal_ids(S.SPARK))
    return Reason(-0.5, "data would leave the analytical store to be transformed and come back")


def _workflow(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    many = b.says(r"\b\d{3,} (?:SSIS )?(?:packages|jobs|DAGs|pipelines)|airflow")
    if product.can(C.WORKFLOW, C.SCHEDULER):
        if b.has(S.SQL_ONLY):
            return Reason(-2, f"its pipelines are Python, and “{b.quote(S.SQL_ONLY, limit=70)}”", b.signal_ids(S.SQL_ONLY))
        if many:
            return Reason(2, f"a graph of that size is watched best in one place{b.told(many, 70)}", b.ids_for(many, limit=1))
        return Reason(-0.5, "an environment that always runs is much for these steps")
    if product.can(C.WORKFLOW):
        return Reason(1, f"some steps with retries and waits need nothing that always runs for the {b.subject}")
    return None


def _retrieval(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    rights = b.has(S.PERMISSIONS)
    if product.can(C.RELATIONAL_DB, C.POSTGRES):
        if rights:
            return Reason(2.5, f"rights are rows joined into the same query as the vectors (“{b.quote(S.PERMISSIONS, limit=80)}”)", b.signal_ids(S.PERMISSIONS))
        return Reason(0.5, "vectors and records stand in one database")
    if product.can(C.RAG):
        return Reason(2.0 if not b.has(S.LEAVABLE) else 1.0, f"chunks, vectors and ranking for {b.core_short} come ready made")
    if product.can(C.SEARCH) and not product.can(C.RELATIONAL_DB):
        return Reason(2.0, "words, meaning and rights of documents are handled by one service" if rights else "words and meaning are searched together")
    if product.can(C.DATA_WAREHOUSE):
        return Reason(-2, f"it answers in seconds rather than within the share of {b.latency() or 'the goal'} that retrieval may use")
    return Reason(-1, "rights of documents would have to be filtered outside of it" if rights else "it is no search engine first")


def _retrieval_size(setting: Setting, product: Product) -> Reason | None:
    if setting.slot.group is not Group.RETRIEVAL or not product.can(C.POSTGRES):
        return None
    if product.can(C.MYSQL):
        return Reason(-0.4, "its vector index is plainer under filters over millions of passages")
    return Reason(0.6, "its vector index keeps filters on rights fast over millions of passages")


def _capture(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.DB_MIGRATION):
        return Reason(-1, "it is made for one move, not for a lasting feed")
    return Reason(1, f"a lasting feed of changes needs no code in the {setting.brief.subject}")


DATA_RULES: Mapping[Group, tuple[Rule, ...]] = {
    Group.RELATIONAL: (_engine, _regions, _throughput),
    Group.EVENTS: (_events,),
    Group.STREAM: (_stream,),
    Group.SERVING: (_serving,),
    Group.DOCUMENT: (_document,),
    Group.CACHE: (_cache,),
    Group.OBJECTS: (_objects,),
    Group.WAREHOUSE: (_warehouse,),
    Group.REPORTING: (_reporting,),
    Group.TRANSFORM: (_transform,),
    Group.WORKFLOW: (_workflow,),
    Group.RETRIEVAL: (_retrieval, _retrieval_size),
    Group.CAPTURE: (_capture,),
}

__all__ = ["DATA_RULES", "across_regions", "fresh_view"]
