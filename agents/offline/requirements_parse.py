"""Reads Facts back from the requirements Deliverable, so that nothing but the document is needed.

What the document does not hold (it was written by somebody else, or a section was cut) comes back
empty or, for the title and kind, from the request.
"""

from __future__ import annotations

import re

from agents.offline.facts import (
    Constraint,
    Contradiction,
    Estimate,
    Facts,
    Figure,
    Measure,
    Need,
    Workload,
)
from agents.offline.reading.capabilities import capabilities
from agents.offline.reading.figures import figures
from agents.offline.reading.language import LANGUAGES, detect
from agents.offline.reading.text import Sentence, clean, sentences
from agents.offline.reading.title import title
from agents.offline.reading.values import value_of
from agents.offline.reading.workloads import workloads
from engine.documents import body_of

_ITEM = re.compile(r"^- \*\*(?P<id>[^*]+)\*\*: (?P<text>.+)$", re.M)
_ROW = re.compile(r"^\| (?P<id>F-\d+) \| (?P<rest>.+) \|$", re.M)
_CONTRADICTION = re.compile(
    r"^Contradiction: “(?P<a>.*)” against “(?P<b>.*?)” Why: (?P<w>.*?) Suggestion: (?P<s>.*)$"
)
_COUNTS = (Measure.ITEMS, Measure.USERS, Measure.DEVICES, Measure.TEAM)
_QUOTE = re.compile(r"“([^“”]*)”")
_DENIED = ("the request names no law or norm",)


def facts_from_requirements(content: str, request: str) -> Facts:
    """The Facts that a requirements Deliverable was drafted from.

    ``request`` fills in the sentence of a figure, and everything where the document lacks it.
    """
    overview = _body(content, "Workload overview")
    labels = {m["id"]: m["text"] for m in _ITEM.finditer(overview)}
    functional = [m["text"] for m in _ITEM.finditer(_body(content, "Functional requirements"))]
    non_functional = _body(content, "Non-functional requirements")
    constraints = tuple(
        _constraint(m) for m in _ITEM.finditer(non_functional) if m["id"].startswith("NFR")
    )
    spoken = _spoken(request)
    language = _language(labels.get("Language of the request", ""), request)
    current = _plain_items(_body(content, "Current state"), skip="Systems in use")
    pool = [*(s.text for s in spoken), *(c.text for c in constraints), *functional, *current]
    stated, estimates = _figures(non_functional, pool)
    if (
        not stated
        and not _ROW.search(non_functional)
        and "contains no figure" not in non_functional
    ):
        stated = figures(spoken, language)
    open_body = _body(content, "Contradictions and open questions")
    name = re.search(r"^\*\*(?P<t>.+?)\*\*\. (?P<s>.+)$", overview, re.M)
    regions = labels.get("Regions", "")
    found_title = name["t"] if name else (title(request, spoken)[0] or "Requested workload")
    return Facts(
        title=found_title,
        language=language,
        workloads=_workloads(labels.get("Kind of workload", "")) or workloads(spoken, stated),
        summary=f"{found_title}: {name['s'][:1].lower()}{name['s'][1:]}" if name else "",
        needs=tuple(Need(text=t, capabilities=capabilities(t)) for t in functional),
        figures=stated,
        constraints=constraints,
        regions=tuple(re.findall(r"([a-z][a-z0-9-]*\d) \(", regions.split(";")[0])),
        locations_text=tuple(_QUOTE.findall(regions.partition(";")[2])),
        compliance=_names(labels.get("Compliance", "")),
        current_state=current,
        dependencies=tuple(
            f"{m['id']}: {m['text']}" for m in _ITEM.finditer(_body(content, "Dependencies"))
        ),
        named_products=_products(labels, retired=False),
        retired_products=_products(labels, retired=True),
        contradictions=_contradictions(open_body),
        forbidden_asks=tuple(
            _QUOTE.findall(m["text"])[0]
            for m in _ITEM.finditer(open_body)
            if m["id"] == "Asked, and not done" and _QUOTE.search(m["text"])
        ),
        public_access=labels.get("Public access", "").startswith("yes"),
        missing=tuple(
            [e.figure.measure.value for e in estimates if not e.derived]
            + (["region"] if "assumed, because" in regions else [])
        ),
        overrides=tuple(
            re.findall(r"^- (?:Changed in this Revision|Answer worked in): (.+)$", overview, re.M)
        ),
        estimates=estimates,
        out_of_scope=_names(labels.get("Out of scope", "").replace(", as the request says", "")),
        context=tuple(
            m["text"].strip("“”") for m in _ITEM.finditer(overview) if m["id"] == "Background"
        ),
        added_region=_added(regions),
        vague=tuple(
            _QUOTE.findall(m["text"])[0]
            for m in _ITEM.finditer(open_body)
            if "points to figures that the request does not contain" in m["text"]
        ),
    )


def _body(content: str, heading: str) -> str:
    found = body_of(content, heading)
    return found if isinstance(found, str) else ""


def _spoken(request: str) -> tuple[Sentence, ...]:
    text = clean(request)
    return sentences(text, detect(text))


def _language(label: str, request: str) -> str:
    for code, name in LANGUAGES.items():
        if label.startswith(name):
            return code
    return detect(clean(request))


def _workloads(label: str) -> tuple[Workload, ...]:
    known = {w.value: w for w in Workload}
    return tuple(known[v] for v in re.findall(r"([a-z-]+) \(", label) if v in known)


def _names(label: str) -> tuple[str, ...]:
    if not label or label in _DENIED:
        return ()
    return tuple(p for p in re.split(r", | and ", label) if p)


def _products(labels: dict[str, str], *, retired: bool) -> tuple[str, ...]:
    label = labels.get("Products that the request names", "")
    note = " (no longer offered for new systems)"
    names = [n for n in label.split(", ") if n]
    return tuple(n.replace(note, "") for n in names if not retired or note in n)


def _added(regions: str) -> str:
    match = re.search(r"([a-z0-9-]+) \(added to survive", regions)
    return match.group(1) if match else ""


def _constraint(match: re.Match[str]) -> Constraint:
    area = match["id"].split("-")[1]
    text = match["text"]
    said = re.search(r": “([^“”]*)”$", text)
    return Constraint(text=said.group(1) if said else text, area=area)


def _plain_items(body: str, *, skip: str) -> tuple[str, ...]:
    items = re.findall(r"^- (.+)$", body, re.M)
    return tuple(i for i in items if not i.startswith(skip))


def _contradictions(body: str) -> tuple[Contradiction, ...]:
    found = []
    for item in _ITEM.finditer(body):
        match = _CONTRADICTION.match(item["text"])
        if match:
            found.append(
                Contradiction(
                    first=match["a"], second=match["b"], why=match["w"], suggestion=match["s"]
                )
            )
    return tuple(found)


def _figures(body: str, pool: list[str]) -> tuple[tuple[Figure, ...], tuple[Estimate, ...]]:
    stated: list[Figure] = []
    estimates: list[Estimate] = []
    for row in _ROW.finditer(body):
        cells = [c.replace("\\|", "|").strip() for c in re.split(r"(?<!\\) \| ", row["rest"])]
        if len(cells) != 5:
            continue
        text, measure, value, subject, source = cells
        kind, _, basis = source.partition(": ")
        marks = kind.split(", ")
        number, unit = value_of(
            value,
            counts=_measure(measure) in _COUNTS,
            digits=12 if marks[0] == "request" else 6,
        )
        figure = Figure(
            text=text,
            measure=_measure(measure),
            value=number,
            unit=unit,
            subject="" if subject == "–" else subject,
            sentence=next((p for p in pool if text in p), ""),
            peak="peak" in marks,
            current="today" in marks,
        )
        if marks[0] == "request":
            stated.append(figure)
        else:
            bare = figure.model_copy(update={"sentence": ""})
            estimates.append(Estimate(figure=bare, basis=basis, derived=marks[0] == "derived"))
    return tuple(stated), tuple(estimates)


def _measure(text: str) -> Measure:
    try:
        return Measure(text)
    except ValueError:
        return Measure.OTHER
