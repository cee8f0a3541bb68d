"""The overview of a decomposition: what decided its borders, and the figures behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.offline.brief import Brief
from agents.offline.components import Piece
from agents.offline.facts import Measure, Workload
from agents.offline.load import aim
from agents.offline.patterns import LAYER_WORDS, REGISTRY
from agents.offline.patterns_model import Layer, Part
from agents.offline.signals import Signal
from agents.offline.wording import clip, listed

_PATTERN_NAMES: Mapping[Workload, str] = {
    Workload.WEB_API: "a transactional web service",
    Workload.MIGRATION: "the move of an existing system",
    Workload.STREAMING: "streaming analytics",
    Workload.WAREHOUSE: "a batch warehouse",
    Workload.IOT: "telemetry of devices",
    Workload.RAG_ML: "answers or scores by a model",
    Workload.MEDIA: "processing of files",
    Workload.STATIC_SITE: "a static site",
}


def overview(b: Brief, pieces: Sequence[Piece]) -> list[str]:
    """The lines of the overview: the components by layer, the borders, the figures."""
    facts = b.facts
    counts = [
        f"{n} {LAYER_WORDS[layer]}"
        for layer in Layer
        if (n := sum(1 for p in pieces if p.part and REGISTRY[p.part].layer is layer))
    ]
    kinds = listed(_PATTERN_NAMES[w] for w in facts.workloads)
    opening = (
        f"{facts.title} ({kinds}) is taken apart into {len(pieces)} components: {listed(counts)}."
    )
    lines = [opening]
    lines += ["", *_borders(b, pieces), "", "Figures that decide:", "", *_figures(b)]
    for contradiction in facts.contradictions:
        lines.append(
            f"- “{clip(contradiction.first, 100)}” against “{clip(contradiction.second, 100)}”: "
            f"the components stand on this reading: {_lower(contradiction.suggestion)}."
        )
    if facts.missing:
        words = listed(dict.fromkeys(_measure(m) for m in facts.missing))
        lines.append(f"- Not stated, so assumed in the requirements: {words}.")
    for ask in facts.forbidden_asks:
        lines.append(
            f"- “{clip(ask, 100)}” is no component: a person of the team does that with the guide."
        )
    return lines


_MEASURES = {
    "rto": "RTO",
    "rpo": "RPO",
    "item-size": "size of one message",
    "data-volume": "volume of data",
    "throughput": "load",
}


def _measure(word: str) -> str:
    plain = word.rstrip(".")
    return _MEASURES.get(plain, plain.replace("-", " "))


def _lower(text: str) -> str:
    text = text.rstrip(". ")
    return text[:1].lower() + text[1:]


def _borders(b: Brief, pieces: Sequence[Piece]) -> list[str]:
    have = {p.part for p in pieces}
    said: list[str] = []
    if b.tiny:
        budget = f" for {b.load.budget.shown}" if b.load.budget else ""
        said.append(
            f"The {b.subject} is small ({b.top_short}{budget}), so parts that larger systems keep "
            f"apart stay together: {len(pieces)} components, nothing that has to be kept "
            "running for its own sake."
        )
    if b.load.times and Part.EVENT_LOG in have:
        said.append(
            f"Intake and processing are apart because the peak is "
            f"{b.load.times} the "
            f"normal load ({b.traffic})."
        )
    elif b.load.times:
        said.append(
            f"What answers calls keeps no state, since {b.traffic} differ by {b.load.times}."
        )
    if b.has(Signal.CARDS):
        said.append(
            f"Card data decides one border: “{b.quote(Signal.CARDS, limit=100)}”, so what "
            "touches it stays small and apart."
        )
    if Part.MASKING in have:
        said.append(
            f"Personal data is treated before it is read: “{b.quote(Signal.PERSONAL, limit=100)}”."
        )
    if b.has(Signal.SEALED):
        exit_ = " and one guarded exit stands beside it" if Part.EGRESS in have else ""
        said.append(
            "The closed network is a border of its own: "
            f"“{b.quote(Signal.SEALED, limit=90)}”{exit_}."
        )
    if b.has(Signal.PERMISSIONS):
        said.append(
            "Rights are checked where passages are found, not where answers are shown: "
            f"“{b.quote(Signal.PERMISSIONS, limit=100)}”."
        )
    if b.has(Signal.TENANTS):
        isolation = b.says(r"logically separated|slow another|isolat|separate")
        said.append(
            f"Tenants are told apart at the entry and in the data: “{b.excerpt(isolation, 100)}”."
        )
    if b.has(Signal.RESIDENCY):
        said.append(
            "Where data may lie binds every component that keeps any: "
            f"“{b.quote(Signal.RESIDENCY, limit=100)}”."
        )
    if Part.ALARM in have and b.load.availability:
        said.append(
            "The alarm path stands apart from the rest, as only it must reach "
            f"{b.load.availability.text}."
        )
    if Part.CUTOVER in have:
        said.append(
            "Moving is work with components of its own, which end after the switch of "
            f"the {b.subject}."
        )
    left = []
    if b.has(Signal.ONE_REGION):
        left.append(f"a second region (“{b.quote(Signal.ONE_REGION, limit=80)}”)")
    if b.has(Signal.NO_HIGH_AVAILABILITY):
        left.append(f"a standby (“{b.quote(Signal.NO_HIGH_AVAILABILITY, limit=80)}”)")
    if b.has(Signal.POWER_BI):
        left.append(f"a new reporting tool (“{b.quote(Signal.POWER_BI, limit=80)}”)")
    if b.says(r"PCI scope|no PCI"):
        left.append(f"a card data zone (“{clip(b.says(r'PCI scope|no PCI'), 80)}”)")
    if left:
        said.append(f"Left out on purpose: {listed(left)}.")
    if not said:
        said.append(
            f"Borders follow what differs in load, data and owner within the {b.subject}: "
            f"{b.traffic}."
        )
    return [" ".join(said)]


def _figures(b: Brief) -> list[str]:
    load = b.load
    lines = [f"- Load: {b.traffic}" + (f" ({load.times} the normal load)." if load.times else ".")]
    if load.fan_out:
        lines.append(f"- Calls behind it: {load.fan_out.shown}.")
    if load.devices:
        lines.append(f"- Devices: {load.devices.shown}, {load.bandwidth(load.devices)}.")
    elif load.top and b.works(Workload.STREAMING, Workload.IOT):
        lines.append(f"- Bandwidth: {load.bandwidth(load.top)}.")
    if load.nightly:
        window = f" within {load.window_hours:g} h" if load.window_hours else ""
        lines.append(f"- Each delivery: {load.nightly.text}{window}.")
    if load.stored:
        lines.append(f"- Data kept: {load.stored_later or load.stored.text}.")
    if load.outage and load.availability:
        lines.append(f"- Availability: {load.availability.text} allows {load.outage}.")
    goals = [
        f"{m.value.upper()} {aim(f)}"
        for m in (Measure.RTO, Measure.RPO)
        if (f := b.facts.figure(m))
    ]
    if goals:
        lines.append(f"- Recovery: {listed(goals)}.")
    latencies = b.figures(Measure.LATENCY)[:3]
    if latencies:
        lines.append(f"- Time to answer: {listed(aim(f) for f in latencies)}.")
    if load.budget:
        lines.append(f"- Money: {load.budget.shown}.")
    kept = [f for f in b.figures(Measure.RETENTION) if f.value][:4]
    if kept:
        lines.append(f"- Kept in the {b.subject}: {listed(aim(f) for f in kept)}.")
    return lines
