"""Patterns of moving and running: migration, keys, audit, backup, delivery, watching, budget."""

from __future__ import annotations

import re

from agents.offline.brief import Brief
from agents.offline.facts import Figure, Measure
from agents.offline.load import aim, number
from agents.offline.patterns_model import Layer, Part, PartSpec, spec
from agents.offline.signals import Signal
from agents.offline.wording import clip, listed


def _workload_move(b: Brief) -> str:
    machines = [f.text for f in b.facts.figures if f.measure is Measure.COMPUTE][:2]
    said = b.says(r"virtual machines|VMs?\b|servers?|dynos|instances|runs on|running on|runs today")
    what = listed(machines) or "the running programs"
    return (
        f"{what}{b.told(said, 90)}: stateless programs are repackaged first, the "
        "rest is moved as it is or left"
    )


def _data_move(b: Brief) -> str:
    load = b.load
    amount = load.stored.text if load.stored else "the existing data"
    sync = "keeps the copy current until the switch"
    if b.has(Signal.NO_DOWNTIME_MOVE):
        sync += f", because “{b.quote(Signal.NO_DOWNTIME_MOVE, limit=90)}”"
    check = "compares row counts and checksums of every table"
    growth = f" ({load.stored_later})" if load.stored_later else ""
    return f"{amount}{growth} while the old system goes on working, {sync}, and {check}"


def _cutover(b: Brief) -> str:
    when = next((f.text for f in b.facts.figures if f.measure is Measure.DEADLINE), "")
    due = f" before {when}" if when else ""
    how = b.says(
        r"cut-?over|weekend|big bang|switch|half-half|go-live|freeze|nothing may be touched"
    )
    back = "with a rehearsal, a stop/go list and a way back that stays open until it is closed"
    return f"traffic{due}{b.told(how, 110)}, {back}"


def _keys(b: Brief) -> str:
    why = f" under {b.rules}" if b.rules else ""
    data = (
        listed(
            [
                s
                for s in (
                    "card data" if b.has(Signal.CARDS) else "",
                    "health data" if b.has(Signal.HEALTH) else "",
                    "personal data" if b.has(Signal.PERSONAL) and not b.has(Signal.HEALTH) else "",
                )
                if s
            ]
        )
        or "the data"
    )
    return (
        f"passwords, certificates and the keys over {data}{why}, rotates them and records every use"
    )


def _perimeter(b: Brief) -> str:
    said = b.quote(Signal.SEALED) or b.quote(Signal.RESIDENCY) or b.quote(Signal.CARDS)
    return (
        f"data inside a boundary that a stolen credential alone cannot "
        f"cross (“{clip(said or b.rules, 90)}”)"
    )


def audit_kept(b: Brief) -> Figure | None:
    """How long records of access must be kept: a period that is stated of them, not of the data."""
    pattern = re.compile(r"\baudit|access log|\blogs?\b|who looked", re.I)
    found = [f for f in b.figures(Measure.RETENTION) if f.value and pattern.search(f.sentence)]
    return max(found, key=lambda f: f.value or 0, default=None)


def _audit(b: Brief) -> str:
    said = b.quote(Signal.AUDITED, limit=100)
    told = audit_kept(b)
    kept = f" for {aim(told)}" if told else ""
    return f"who read or changed what{kept}, out of reach of those it records (“{said or b.rules}”)"


def _backup(b: Brief) -> str:
    load = b.load
    goals = (
        listed(
            [
                (
                    f"at most {aim(load.rpo)} of data lost"
                    if load.rpo.value
                    else "nothing committed lost"
                )
                if load.rpo
                else "",
                f"back within {aim(load.rto)}" if load.rto else "",
            ]
        )
        or "the data restorable to any point of the last week"
    )
    where = (
        " in a second region" if b.has(Signal.TWO_REGIONS) else f" in a second zone of {b.region}"
    )
    return f"copies{where} and proves by rehearsal: {goals}"


def _watch(b: Brief) -> str:
    load = b.load
    goals = [
        f"{load.availability.text} = {load.outage}" if load.availability and load.outage else "",
        f"{b.latency()} to answer" if b.latency() else "",
    ]
    fresh = b.figures(Measure.FRESHNESS)
    if fresh:
        goals.append(f"freshness of {aim(fresh[0])}")
    target = listed(goals) or "errors and delay"
    quiet = (
        "; nobody is on call at night, so only what hurts people wakes one"
        if b.has(Signal.NO_ON_CALL)
        else ""
    )
    people = f" to {number(load.team)} people" if load.team else ""
    return f"{target} against the goal and reports a breach{people}{quiet}"


def _pipeline(b: Brief) -> str:
    said = b.says(r"\breleases?\b|\bdeploy\w*|several times a day")
    team = f" by a team of {number(b.load.team)}" if b.load.team else ""
    how = f"{b.told(said, 90)}" if said else ""
    return f"each change{team}{how} in steps that can be taken back"


def _publish(b: Brief) -> str:
    said = b.says(r"publish|edit|update|git|writes?|change|upload")
    who = f"{b.told(said, 90)}" if said else ""
    return f"the {b.subject} from its sources and publishes it{who} in one step that can be undone"


def _cost(b: Brief) -> str:
    budget = b.load.budget
    shown = budget.shown if budget else "a limit that is still to be set"
    capped = b.quote(Signal.CAPPED, limit=80)
    how = f" (“{capped}”)" if capped else ""
    return f"spend against {shown}{how}: warns at 50, 80 and 100 %, then lowers what may be lowered"


OPERATIONS: tuple[PartSpec, ...] = (
    spec(
        Part.WORKLOAD_MOVE,
        Layer.OPERATIONS,
        "Workload move",
        "Brings over",
        _workload_move,
        r"mov(?:e|ing)|migrat\w*|virtual machines|servers|heroku|repackag\w*|lift",
        areas="OPS",
        nfr=r"migrat|contract|deadline|out by|go-live",
    ),
    spec(
        Part.DATA_MOVE,
        Layer.OPERATIONS,
        "Data move and replication",
        "Copies",
        _data_move,
        r"migrat\w*|move the data|database|replicat\w*|history|existing data|oracle|export",
        areas="REL OPS",
        nfr=r"migrat|downtime|during the move|move",
    ),
    spec(
        Part.CUTOVER,
        Layer.OPERATIONS,
        "Cut-over control",
        "Switches the",
        _cutover,
        r"cut-?over|weekend|switch|go-live|downtime|during the move|november",
        areas="OPS REL",
        nfr=r"cut-?over|weekend|deadline|february|november|live|contract|downtime",
    ),
    spec(
        Part.KEYS,
        Layer.OPERATIONS,
        "Secret and key custody",
        "Guards",
        _keys,
        r"keys?|secrets?|certificates?|encrypt\w*|card",
        areas="SEC",
        nfr=r"\bPCI\b|encrypt|key|secret|certificate|GDPR|HIPAA|compliance",
    ),
    spec(
        Part.PERIMETER,
        Layer.OPERATIONS,
        "Data perimeter",
        "Encloses the",
        _perimeter,
        r"no internet|isolat\w*|leave the|boundary|perimeter|exfiltrat\w*",
        areas="SEC",
        nfr=r"internet|leave|stay|residen|isolat|region|EU\b",
    ),
    spec(
        Part.AUDIT,
        Layer.OPERATIONS,
        "Audit trail",
        "Records unalterably",
        _audit,
        r"audit\w*|who looked|supervisory|log of|record of access|question, answer and sources",
        areas="SEC OPS",
        nfr=r"audit|looked|SOC|PCI|HIPAA|DORA|supervis|evidence",
    ),
    spec(
        Part.BACKUP,
        Layer.OPERATIONS,
        "Backup and recovery",
        "Takes and tests",
        _backup,
        r"backup|restore|recover\w*|disaster|burns",
        areas="REL",
        nfr=r"\bRTO\b|\bRPO\b|lose|lost|recover|backup|restore|region|back within|burns",
    ),
    spec(
        Part.OBSERVABILITY,
        Layer.OPERATIONS,
        "Monitoring, logging and paging",
        "Measures",
        _watch,
        r"monitor\w*|log(?:s|ging)?|page whoever|alert|on[- ]call|failed load|observ\w*",
        areas="OPS REL",
        nfr=r"monitor|alert|on-call|page|log|team|operat|availab|support",
    ),
    spec(
        Part.DELIVERY,
        Layer.OPERATIONS,
        "Build and release pipeline",
        "Builds, tests and rolls out",
        _pipeline,
        r"releases?|deploy\w*|build|pipeline|developers",
        areas="OPS",
        nfr=r"release|deploy|team|interrupt|developer|exotic",
    ),
    spec(
        Part.PUBLISHING,
        Layer.OPERATIONS,
        "Publishing pipeline",
        "Builds",
        _publish,
        r"publish\w*|edit\w*|update\w*|\bgit\b|markdown|authors?",
        areas="OPS",
        nfr=r"publish|release|update",
    ),
    spec(
        Part.COST_GUARD,
        Layer.OPERATIONS,
        "Budget control",
        "Compares daily the",
        _cost,
        r"budget|cap\b|spend|cost",
        areas="COST SUS",
        nfr=r"budget|cost|EUR|USD|£|\$|€|month|spend|cap",
    ),
)
