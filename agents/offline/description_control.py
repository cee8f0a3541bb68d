"""The control flow: releases, scaling, failover, schedules, identities, watching, the move."""

from __future__ import annotations

from agents.offline.brief import Brief
from agents.offline.load import aim, number
from agents.offline.patterns_model import Part
from agents.offline.scoring_data import across_regions
from agents.offline.signals import Signal
from agents.offline.solution_map import Map, Node
from agents.offline.wording import clip, listed
from providers.catalogue import Capability

_RUNNERS = (
    Part.API, Part.ANSWER, Part.PREDICTION, Part.EVENT_COLLECTOR, Part.MEDIA_WORK, Part.STREAM,
    Part.WEB_FRONT,
)  # fmt: skip


def control_flow(b: Brief, drawn: Map) -> list[str]:
    """The steps, each for a node that the design has."""
    makers = (
        _release, _publish, _identities, _scaling, _failure, _region, _schedule, _watch, _audit,
        _backup, _perimeter, _budget, _move, _cut_over,
    )  # fmt: skip
    return [step for maker in makers if (step := maker(b, drawn))]


def _says(node: Node) -> str:
    return f"{node.product} ({node.component.id})"


def _release(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.DELIVERY)
    if node is None:
        return ""
    store = next((n for n in drawn.of(node.component.id) if n is not node), None)
    images = f", keeps the image in {store.product}" if store else ""
    targets = [n for n in drawn.nodes if n.part in _RUNNERS]
    said = b.says(r"several times a day|\breleases?\b|nothing may be touched|freeze")
    gate = drawn.node(Part.EVALUATION)
    check = f", runs {_says(gate)} and stops on a bad score" if gate else ""
    if not targets:
        return (
            f"**Release**{b.told(said, 80)}: a reviewed change starts "
            f"{_says(node)}, which tests it on a copy of "
            f"some days and then releases it to {_says(drawn.centre)}."
        )
    return (
        f"**Release**{b.told(said, 80)}: a merged change starts "
        f"{_says(node)}, which tests it{check}{images} and hands a "
        "growing share of the load to the new version of "
        f"{listed(dict.fromkeys(_says(n) for n in targets))}; errors take the share back."
    )


def _publish(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.PUBLISHING)
    files = drawn.node(Part.SITE_FILES)
    if node is None or files is None:
        return ""
    said = b.says(r"markdown|\bgit\b|github|write news|edit")
    return (
        f"**Publishing**{b.told(said, 80)}: a change starts {_says(node)}, which builds the "
        f"{b.subject} and swaps the whole version in {_says(files)}; the version before can "
        "be put back in one step."
    )


def _identities(b: Brief, drawn: Map) -> str:
    keys = drawn.node(Part.KEYS)
    if keys is None:
        return (
            f"**Identities**: each program has its own account with the "
            f"rights of its task; {_says(drawn.centre)} needs no key in code."
        )
    store = next((n for n in drawn.of(keys.component.id) if n is not keys), None)
    owned = f"; {store.product} holds the keys over the stored data" if store else ""
    rules = f" as evidence for {b.rules}" if b.rules else ""
    users = [r.source for r in drawn.routes if r.target == keys.component.id]
    found = list(dict.fromkeys(n.component.name for u in users if (n := drawn.exit(u))))
    found = found or [drawn.centre.component.name]
    names = f"each of {listed(found)}" if len(found) > 1 else found[0]
    return (
        f"**Secrets and identities**: {names} runs under an identity of its own and reads "
        f"only its secrets from {_says(keys)}{owned}; every read is logged{rules}."
    )


def _scaling(b: Brief, drawn: Map) -> str:
    runners = [n for n in drawn.nodes if n.part in _RUNNERS]
    if not runners:
        return ""
    names = listed(dict.fromkeys(_says(n) for n in runners[:3]))
    factor = f", {b.load.times} the normal load" if b.load.times else ""
    quiet = (
        f" and taken away when there is none (“{b.quote(Signal.IDLE_HOURS, limit=60)}”)"
        if b.has(Signal.IDLE_HOURS)
        else ""
    )
    store = drawn.node(Part.RELATIONAL)
    pool = ""
    if store and Capability.RELATIONAL_DB_GLOBAL not in store.tags:
        pool = f"; {_says(store)} does not grow with them, so connections are pooled and bounded"
    elif store:
        pool = f"; {_says(store)} grows by nodes, added before planned peaks and by load otherwise"
    return f"**Scaling**: instances of {names} are added for up to {b.front}{factor}{quiet}{pool}."


def _failure(b: Brief, drawn: Map) -> str:
    stores = [
        n
        for n in drawn.nodes
        if n.part in (Part.RELATIONAL, Part.DOCUMENT_STORE, Part.SERVING, Part.RETRIEVAL)
    ]
    if b.has(Signal.NO_HIGH_AVAILABILITY):
        back = aim(b.load.rto) if b.load.rto and b.load.rto.value else "half a day"
        return (
            f"**Failure**: the {b.subject} has no standby on purpose "
            f"(“{b.quote(Signal.NO_HIGH_AVAILABILITY, limit=70)}”); a failed run is repeated, "
            f"and a restore may take {back}."
        )
    if not stores and b.tiny:
        return (
            "**Failure**: nothing runs on a machine of its own, so a "
            "failed zone is the provider's matter; the last published version stays "
            "reachable."
        )
    names = listed(dict.fromkeys(_says(n) for n in stores)) or _says(drawn.centre)
    goal = f" within {aim(b.load.rto)}" if b.load.rto and b.load.rto.value else ""
    return (
        f"**Failure of a zone**: health checks take the instances of {_says(drawn.centre)} in "
        f"that zone out, and another zone takes over for {names}{goal}; callers of the "
        f"{b.subject} retry with the same id, so that nothing is done twice."
    )


def _region(b: Brief, drawn: Map) -> str:
    if not b.has(Signal.TWO_REGIONS) or len(b.facts.regions) < 2:
        return ""
    store = drawn.node(Part.RELATIONAL) or drawn.node(Part.DOCUMENT_STORE)
    if store is None:
        return ""
    first, second = b.facts.regions[:2]
    said = b.quote(Signal.TWO_REGIONS, limit=70)
    if across_regions(b):
        return (
            f"**Loss of a region** (“{said}”): {_says(store)} goes on in {second} without a "
            "decision, since every commit was already there; the entry sends calls of "
            f"{first} over."
        )
    loss = aim(b.load.rpo) if b.load.rpo and b.load.rpo.value else "the last seconds"
    back = aim(b.load.rto) if b.load.rto and b.load.rto.value else "the agreed time"
    return (
        f"**Loss of a region** (“{said}”): the person on duty promotes the copy of "
        f"{_says(store)} in {second}, starts {_says(drawn.centre)} there and lets the entry "
        f"send calls over, all within {back}; at most {loss} of data are lost, "
        "as a rehearsal twice a year shows."
    )


def _schedule(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.ORCHESTRATION)
    if node is None:
        job = drawn.node(Part.FILE_EXCHANGE) or drawn.node(Part.TRAINING)
        said = b.says(r"nightly|every night|once a week|every \w+day|daily")
        return (
            (
                f"**Schedule**{b.told(said, 80)}: {_says(job)} runs by the clock, and a run "
                "that fails or does not start is reported."
            )
            if job and said
            else ""
        )
    clock = next((n for n in drawn.of(node.component.id) if n is not node), None)
    by = f"{clock.product} starts {_says(node)}" if clock else f"{_says(node)} starts by the clock"
    due = b.says(r"\bby \d{1,2}[:.]\d{2}|between \d{1,2}[:.]\d{2}")
    paged = b.says(r"page whoever|on duty")
    alert = (
        f"; a failed step calls a person{b.told(paged, 60)}"
        if paged
        else "; a failed step calls a person"
    )
    return (
        f"**Schedule**{b.told(due, 80)}: {by}, which runs the steps in "
        f"order, waits for late inputs and repeats what failed{alert}."
    )


def _watch(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.OBSERVABILITY)
    if node is None:
        return ""
    load = b.load
    goals = [
        f"{load.availability.text} ({load.outage})" if load.availability and load.outage else "",
        f"{b.latency()} to answer" if b.latency() else "",
        f"data no older than {aim(b.figures_fresh[0])}" if b.figures_fresh else "",
    ]
    night = (
        f"; at night only what hurts people rings (“{b.quote(Signal.NO_ON_CALL, limit=60)}”)"
        if b.has(Signal.NO_ON_CALL)
        else ""
    )
    people = f" {number(load.team)} people" if load.team else " the team"
    return (
        f"**Watching**: {_says(node)} measures "
        f"{listed(goals) or 'errors and delay'} from the callers' side "
        f"and tells{people} when the allowance of the month is being used too fast{night}."
    )


def _audit(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.AUDIT)
    return (
        (
            f"**Audit** (“{b.quote(Signal.AUDITED, b.rules, 80)}”): reads and changes are "
            f"written to {_says(node)} outside the reach of {_says(drawn.centre)}."
        )
        if node
        else ""
    )


def _backup(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.BACKUP)
    if node is None:
        return ""
    loss = f" so that at most {aim(b.load.rpo)} are lost" if b.load.rpo and b.load.rpo.value else ""
    return (
        f"**Backups**: {_says(node)} keeps copies{loss}, locked against "
        "early deletion, and a restore into an empty project proves them."
    )


def _perimeter(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.PERIMETER)
    gate = drawn.node(Part.EGRESS)
    if node is None:
        return ""
    out = f"; only {_says(gate)} leads out, to named hosts" if gate else ""
    return (
        f"**Boundary** (“{b.quote(Signal.SEALED) or b.quote(Signal.RESIDENCY) or b.rules}”): "
        f"{_says(node)} refuses every call to the data from outside{out}."
    )


def _budget(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.COST_GUARD)
    budget = b.load.budget
    if node is None or budget is None:
        return ""
    half, most = budget.value * 0.5, budget.value * 0.8
    return (
        f"**Budget**: {_says(node)} warns at {number(half)}, {number(most)} and "
        f"{number(budget.value)} {budget.unit} of {budget.shown}; at the last one quotas of "
        "what may wait are lowered."
    )


def _move(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.DATA_MOVE)
    if node is None:
        return ""
    amount = b.load.stored.text if b.load.stored else "the existing data"
    programs = drawn.node(Part.WORKLOAD_MOVE)
    also = f", while {_says(programs)} brings the programs over" if programs else ""
    return (
        f"**Move**: {_says(node)} copies {amount} and follows every change{also}; counts and "
        f"checksums are compared before the switch, and the old side stays "
        "the leading one until then."
    )


def _cut_over(b: Brief, drawn: Map) -> str:
    node = drawn.node(Part.CUTOVER)
    if node is None:
        move = drawn.node(Part.DATA_MOVE)
        if move is None or drawn.node(Part.DASHBOARD) is None:
            return ""
        return (
            f"**Cut-over**: no public name changes; each report is pointed at "
            f"{_says(drawn.centre)} once its figures agree with the old side over two closed "
            f"periods, and {_says(move)} runs on until the last one has moved."
        )
    pair = next(
        (
            c
            for c in b.facts.contradictions
            if "cut-over" in f"{c.first} {c.second}" or "downtime" in f"{c.first} {c.second}"
        ),
        None,
    )
    reading = f" ({clip(pair.suggestion, 120)})" if pair else ""
    said = b.says(r"weekend|cut-?over|go-live|out by|contract ends")
    return (
        f"**Cut-over**{b.told(said, 80)}: after two rehearsals the writes "
        f"pause, the last changes arrive, checks run, and {_says(node)} sends callers to the "
        f"new side{reading}; until the way back is closed, changes flow to the old side too."
    )
