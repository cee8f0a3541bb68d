"""Rules for streams, analytical stores, reports, transformations and retrieval."""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.facts import Measure, Workload
from agents.offline.load import aim, number
from agents.offline.selection_model import Group, Reason, Rule, Setting
from agents.offline.signals import Signal
from providers.catalogue import Capability, Product

S = Signal
C = Capability


def _stream(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.SPARK):
        if b.has(S.SPARK):
            tired = b.says(r"falls over|nobody wants to own|unstable|crash")
            if tired:
                return Reason(
                    -2,
                    f"it would carry over what hurts today (“{b.excerpt(tired, 80)}”)",
                    b.signal_ids(S.SPARK),
                )
            return Reason(
                3,
                f"jobs that exist carry over (“{b.quote(S.SPARK, limit=80)}”)",
                b.signal_ids(S.SPARK),
            )
        return Reason(-1, f"micro-batches and clusters have to be tuned for {b.item_short}")
    if product.can(C.STREAM_PROCESSING):
        if b.has(S.EXACTLY_ONCE, S.LATE_EVENTS):
            signal = S.EXACTLY_ONCE if b.has(S.EXACTLY_ONCE) else S.LATE_EVENTS
            return Reason(
                3,
                (
                    "event time, late data and exactly-once state are built in "
                    f"(“{b.quote(signal, limit=90)}”)"
                ),
                b.signal_ids(signal),
            )
        fresh = b.figures(Measure.FRESHNESS)
        goal = f" within {aim(fresh[0])}" if fresh else ""
        return Reason(
            2,
            f"it works on {b.item_short} record by record{goal} and scales its workers itself",
            b.ids_of(*fresh[:1]),
        )
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
            return Reason(
                3,
                (
                    f"only aggregates are kept, not each of {b.item_short}, and open pages "
                    f"are told of a change within {goal}"
                ),
                b.ids_of(*fresh[:1]),
            )
        if product.can(C.WIDE_COLUMN_DB):
            return Reason(-1, "nodes that run all day for some thousand aggregates would be idle")
        return Reason(0.5, "it is fast enough, but forgets its content with the node")
    if product.can(C.WIDE_COLUMN_DB):
        if per_second >= 1_000:
            node = product.figures.get("writes_per_node_per_s")
            shown = f" (about {number(node)} writes a second a node)" if node else ""
            return Reason(
                3.5,
                f"{b.item_short} of small rows by key and time are what it is made for{shown}",
                b.ids_of(rate.figure) if rate else (),
            )
        return Reason(0.5, f"it would hold {b.item_short} with room to spare")
    if product.can(C.DOCUMENT_DB):
        if per_second >= 1_000:
            month = per_second * 86_400 * 30
            return Reason(
                -3,
                (
                    f"it is paid by operation, and {number(per_second)} a second x 86,400 s x "
                    f"30 = {number(month / 1e9)} billion writes a month"
                ),
                b.ids_of(rate.figure) if rate else (),
            )
        return Reason(
            1.5, f"{b.item_short} cost little by operation and nothing has to run for them"
        )
    kept = b.load.rpo is not None
    if b.latency() and per_second >= 1_000 and not kept:
        return Reason(1.0, f"memory answers well within {b.latency()}")
    return Reason(-1, "it is memory first, so what must not be lost needs a second store")


def _warehouse(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    within = b.latency(r"quer|dashboard|open|report|analyst|SQL", under=300)
    if not product.can(C.DATA_WAREHOUSE):
        return None
    if b.has(S.SQL_ONLY):
        return Reason(
            2,
            f"it is used in SQL and has no machines to size (“{b.quote(S.SQL_ONLY, limit=80)}”)",
            b.signal_ids(S.SQL_ONLY),
        )
    goal = f" within {within}" if within else ""
    return Reason(
        1.5,
        f"storage and computing grow apart, so queries{goal} and loads do not slow each other down",
        b.ids_matching(r"SQL|quer|report|dashboard"),
    )


def _reporting(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.name == "Looker" and b.says(r"\blooker\b(?! studio)") and not b.has(S.POWER_BI):
        return Reason(
            3, f"the request names it (“{b.quote(S.LOOKER, limit=70)}”)", b.signal_ids(S.LOOKER)
        )
    if product.floor_cost is not None and product.floor_cost.rank == 0:
        return Reason(1.0, "reports need no licence to begin with")
    many = b.load.users and (b.load.users.value or 0) >= 300
    return Reason(
        1.0 if many else -0.5,
        "one governed definition of each figure"
        + ("" if many else ", which few readers do not yet need"),
    )


def _transform(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.SQL_TRANSFORMATION):
        extra = 1.0 if b.has(S.SQL_ONLY) else 0.0
        words = f" (“{b.quote(S.SQL_ONLY, limit=70)}”)" if b.has(S.SQL_ONLY) else ""
        made_for = 0.6 if not product.can(C.DATA_WAREHOUSE) else 0.0
        return Reason(
            1.5 + extra + made_for,
            f"transformations stay SQL with versions and tests{words}",
            b.signal_ids(S.SQL_ONLY),
        )
    if b.has(S.SQL_ONLY):
        return Reason(
            -3,
            f"it needs Python, Java or a tool of its own, and “{b.quote(S.SQL_ONLY, limit=70)}”",
            b.signal_ids(S.SQL_ONLY),
        )
    if product.can(C.SPARK) and b.has(S.SPARK):
        return Reason(
            2.5,
            f"jobs that exist carry over (“{b.quote(S.SPARK, limit=70)}”)",
            b.signal_ids(S.SPARK),
        )
    return Reason(-0.5, "data would leave the analytical store to be transformed and come back")


def _workflow(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    many = b.says(r"\b\d{3,} (?:SSIS )?(?:packages|jobs|DAGs|pipelines)|airflow")
    if product.can(C.WORKFLOW, C.SCHEDULER):
        if b.has(S.SQL_ONLY):
            return Reason(
                -2,
                f"its pipelines are Python, and “{b.quote(S.SQL_ONLY, limit=70)}”",
                b.signal_ids(S.SQL_ONLY),
            )
        if many:
            return Reason(
                2,
                f"a graph of that size is watched best in one place{b.told(many, 70)}",
                b.ids_for(many, limit=1),
            )
        return Reason(-0.5, "an environment that always runs is much for these steps")
    if product.can(C.WORKFLOW):
        return Reason(
            1,
            "some steps with retries and waits need nothing that always runs",
        )
    return None


def _retrieval(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    rights = b.has(S.PERMISSIONS)
    if product.can(C.RELATIONAL_DB, C.POSTGRES):
        if rights:
            return Reason(
                2.5,
                (
                    "rights are rows joined into the same query as the vectors "
                    f"(“{b.quote(S.PERMISSIONS, limit=80)}”)"
                ),
                b.signal_ids(S.PERMISSIONS),
            )
        return Reason(0.5, "vectors and records stand in one database")
    if product.can(C.RAG):
        return Reason(
            2.0 if not b.has(S.LEAVABLE) else 1.0,
            f"chunks, vectors and ranking for {b.core_short} come ready made",
        )
    if product.can(C.SEARCH) and not product.can(C.RELATIONAL_DB):
        return Reason(
            2.0,
            "words, meaning and rights of documents are handled by one service"
            if rights
            else "words and meaning are searched together",
        )
    if product.can(C.DATA_WAREHOUSE):
        return Reason(
            -2,
            (
                "it answers in seconds rather than within the share of "
                f"{b.latency() or 'the goal'} that retrieval may use"
            ),
        )
    return Reason(
        -1,
        "rights of documents would have to be filtered outside of it"
        if rights
        else "it is no search engine first",
    )


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


ANALYSIS_RULES: Mapping[Group, tuple[Rule, ...]] = {
    Group.STREAM: (_stream,),
    Group.SERVING: (_serving,),
    Group.WAREHOUSE: (_warehouse,),
    Group.REPORTING: (_reporting,),
    Group.TRANSFORM: (_transform,),
    Group.WORKFLOW: (_workflow,),
    Group.RETRIEVAL: (_retrieval, _retrieval_size),
    Group.CAPTURE: (_capture,),
}
