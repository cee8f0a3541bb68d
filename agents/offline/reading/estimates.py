"""What the request does not state although it matters: derived from its figures, or assumed.

Every estimate says from what it comes, so that a reader can judge it and an answer can replace it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.facts import Estimate, Figure, Measure, Workload
from agents.offline.reading.assumptions import ASSUMPTIONS
from agents.offline.reading.derived import DERIVATIONS
from agents.offline.reading.evidence import Evidence

_MATTERS: dict[Workload, tuple[Measure, ...]] = {
    Workload.WEB_API: (
        Measure.THROUGHPUT, Measure.LATENCY, Measure.AVAILABILITY, Measure.RTO, Measure.RPO,
        Measure.BUDGET, Measure.DATA_VOLUME,
    ),
    Workload.MIGRATION: (
        Measure.DATA_VOLUME, Measure.RTO, Measure.RPO, Measure.AVAILABILITY, Measure.DEADLINE,
        Measure.BUDGET,
    ),
    Workload.STREAMING: (
        Measure.THROUGHPUT, Measure.ITEM_SIZE, Measure.FRESHNESS, Measure.RETENTION,
        Measure.AVAILABILITY, Measure.BUDGET,
    ),
    Workload.WAREHOUSE: (
        Measure.DATA_VOLUME, Measure.FREQUENCY, Measure.USERS, Measure.FRESHNESS,
        Measure.RETENTION, Measure.RPO, Measure.BUDGET,
    ),
    Workload.IOT: (
        Measure.DEVICES, Measure.FREQUENCY, Measure.ITEM_SIZE, Measure.RETENTION,
        Measure.AVAILABILITY, Measure.BUDGET,
    ),
    Workload.RAG_ML: (
        Measure.ITEMS, Measure.THROUGHPUT, Measure.LATENCY, Measure.USERS, Measure.FRESHNESS,
        Measure.AVAILABILITY, Measure.BUDGET,
    ),
    Workload.MEDIA: (
        Measure.ITEM_SIZE, Measure.THROUGHPUT, Measure.DATA_VOLUME, Measure.FRESHNESS,
        Measure.RETENTION,
        Measure.AVAILABILITY, Measure.BUDGET,
    ),
    Workload.STATIC_SITE: (Measure.USERS, Measure.AVAILABILITY, Measure.BUDGET),
}  # fmt: skip


_SERVING = (Measure.THROUGHPUT, Measure.LATENCY, Measure.AVAILABILITY, Measure.BUDGET)
_READS = re.compile(
    r"document|knowledge|assistant|chat|question|search|corpus|wissen|dokument|asistente|consult"
)


def missing(
    workloads: Sequence[Workload],
    figures: Sequence[Figure],
    text: str = "",
    also: Sequence[Measure] = (),
) -> tuple[Measure, ...]:
    """Measures that matter for these kinds and that no figure of the request gives.

    ``text`` is the request in lower case: a model that is served reads no corpus. ``also`` are
    measures that the request leaves open in so many words ("the same as today").
    """
    stated = {f.measure for f in figures if not f.current} - set(also)
    model = Workload.RAG_ML in workloads and not _READS.search(text)
    wanted = [
        m for w in workloads for m in (_SERVING if model and w is Workload.RAG_ML else _MATTERS[w])
    ]
    if Workload.STATIC_SITE in workloads and Measure.THROUGHPUT in stated:
        wanted = [m for m in wanted if m is not Measure.USERS]  # its page views size it
    if Workload.STREAMING in workloads:
        wanted = [m for m in wanted if m is not Measure.FREQUENCY]  # a stream has no rhythm
    wanted += list(also)
    wanted += [Measure.TEAM] if Workload.STATIC_SITE not in workloads else []
    found = dict.fromkeys(m for m in wanted if m not in stated)
    return tuple(sorted(found, key=lambda m: m is Measure.BUDGET or m is Measure.DATA_VOLUME))


def estimates(
    workloads: Sequence[Workload],
    figures: Sequence[Figure],
    text: str,
    title: str,
    also: Sequence[Measure] = (),
) -> tuple[Estimate, ...]:
    """Derived figures first, then an assumption for each measure that is still missing."""
    evidence = Evidence(tuple(workloads), tuple(figures), text.lower(), title)
    for derive in DERIVATIONS:
        found = derive(evidence)
        if found is not None:
            evidence.made.append(found)
    for measure in missing(workloads, figures, evidence.text, also):
        rated = any(e.derived and e.figure.measure is Measure.THROUGHPUT for e in evidence.made)
        if measure is Measure.FREQUENCY and rated:
            continue  # the rhythm is known by what it makes
        if measure not in also and evidence.known(measure):
            continue
        rule = ASSUMPTIONS.get(measure)
        made = rule(evidence) if rule is not None else None
        if made is not None:
            evidence.made.append(made)
    return tuple(evidence.made)
