"""What is asked about each measure, and how an answer finds back to the measure it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.offline.facts import Facts, Measure, Workload


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a measure: its words (``{title}`` is the workload), why it matters, label.

    ``label`` precedes a bare answer so that it can be read ("RTO: 15 minutes"); ``unit`` completes
    a bare number.
    """

    text: str
    why: str
    label: str
    unit: str = ""


ASKED: dict[Measure, Asked] = {
    Measure.THROUGHPUT: Asked(
        "How many requests or events does {title} carry, on a usual day and at its peak?",
        "This sizes every part of {title} and decides whether something that scales to zero is "
        "enough.",
        "Throughput", "requests per second",
    ),
    Measure.LATENCY: Asked(
        "How fast must {title} answer (95th percentile)?",
        "This decides where {title} runs, whether it needs a cache and if it may sleep between "
        "calls.",
        "p95 latency",
    ),
    Measure.AVAILABILITY: Asked(
        "Which availability does {title} need, in percent of a month?",
        "One more nine moves {title} from one zone to several zones or to several regions.",
        "Availability", "%",
    ),
    Measure.RTO: Asked(
        "How soon must {title} be back after a disaster (RTO)?",
        "For {title} this decides between restoring a backup, a standby and two live sites.", "RTO",
    ),
    Measure.RPO: Asked(
        "How much of the newest data of {title} may be lost in a disaster (RPO)?",
        "For {title} this decides between backups, delayed replication and writes in two places "
        "at once.",
        "RPO",
    ),
    Measure.DATA_VOLUME: Asked(
        "How much data does {title} hold today, and how fast does it grow?",
        "This decides how {title} stores and moves its data and a good part of its cost.",
        "Data volume",
    ),
    Measure.ITEM_SIZE: Asked(
        "How large is one event, message or file of {title} on average?",
        "Times the rate this gives the volume a day, which drives storage and network cost of "
        "{title}.",
        "Size of one message",
    ),
    Measure.FRESHNESS: Asked(
        "How old may data in {title} be when somebody looks at it?",
        "Seconds make {title} a stream and an hour makes it a schedule; the first costs several "
        "times more.",
        "Data must be visible within",
    ),
    Measure.RETENTION: Asked(
        "How long must the data of {title} be kept, and who says so?",
        "This decides storage classes, locks against deletion and what old data of {title} costs.",
        "Keep data for",
    ),
    Measure.FREQUENCY: Asked(
        "How often does data arrive or a load run in {title}?",
        "This decides between a schedule and a stream for {title}, and how long a run may "
        "take.", "Runs every",
    ),
    Measure.USERS: Asked(
        "How many people use {title}, and how many at the same time?",
        "This sizes the front of {title} and any licence that counts people.", "Users", "users",
    ),
    Measure.DEVICES: Asked(
        "How many devices connect to {title} now and in three years?",
        "This decides how they connect and most of the running cost of "
        "{title}.", "Devices", "devices",
    ),
    Measure.ITEMS: Asked(
        "How many documents or other items does {title} work on?",
        "This sizes the index and the first load of {title}.", "Documents", "documents",
    ),
    Measure.BUDGET: Asked(
        "What may {title} cost a month?",
        "This rules out whole families of designs; without it, {title} gets the cheapest that "
        "meets the rest.",
        "Budget a month", "USD a month",
    ),
    Measure.TEAM: Asked(
        "Who builds and runs {title}, and what do they know?",
        "If its people cannot run it, {title} fails after the project ends.", "Team", "engineers",
    ),
    Measure.DEADLINE: Asked(
        "By when must {title} be in production?",
        "This decides how much of {title} may be rebuilt and how much is moved as it "
        "is.", "Live in",
    ),
}  # fmt: skip
REGION_QUESTION = "Where may the data of {title} be kept, and where are its users?"
REGION_WHY = (
    "Every part of {title} is created in a place, and moving its data later is a project "
    "of its own."
)

WHAT_QUESTION = "What shall people be able to do with {title}?"
WHAT_WHY = "This decides which parts {title} has at all; a list of three to six things is enough."
PAY_QUESTION = "What does {title} sell, and how do people pay?"
PAY_WHY = (
    "Goods that are sent, bookings and downloads need different parts, and payment through a "
    "provider keeps card numbers out of {title}."
)
PAY_PROPOSAL = (
    "Goods from a catalogue with a basket, paid by card or wallet on the page of a payment provider"
)
LEAVE_QUESTION = "Shall {title} replace what is used today, and what has to come along?"
LEAVE_WHY = "Moving products, customers and old orders of {title} is work of its own."
LEAVE_PROPOSAL = (
    "Yes; the catalogue and open orders come along, the old pages stay until the new ones are "
    "proved"
)
CLOSED_QUESTION = "How long may {title} be closed on a bad day before it really hurts?"
CLOSED_WHY = "Hours are cheap for {title}; minutes need a second copy that stands ready."
_LAY_STARTS = tuple(
    text.partition("{title}")[0].lower() for text in (WHAT_QUESTION, PAY_QUESTION, LEAVE_QUESTION)
)

_KEYS: tuple[tuple[str, Measure], ...] = (
    (r"be closed on a bad day", Measure.RTO),
    (r"\brpo\b|data (?:may|can) be lost|lose", Measure.RPO),
    (r"\brto\b|recover|back after|disaster", Measure.RTO),
    (r"availab|uptime|\bsla\b", Measure.AVAILABILITY),
    (r"budget|cost|spend|price|money", Measure.BUDGET),
    (r"latency|how fast|response time|answer \(", Measure.LATENCY),
    (r"how long must|retention|kept\b|keep", Measure.RETENTION),
    (r"how old|fresh|delay", Measure.FRESHNESS),
    (r"size of|how large is one|event size|message size", Measure.ITEM_SIZE),
    (r"requests|events|throughput|peak|traffic|load\b|transactions", Measure.THROUGHPUT),
    (r"devices|sensors|fleet", Measure.DEVICES),
    (r"how much data|data volume|volume", Measure.DATA_VOLUME),
    (r"people use|users|tenants|customers", Measure.USERS),
    (r"documents|items", Measure.ITEMS),
    (r"how often|frequency|schedule", Measure.FREQUENCY),
    (r"by when|deadline|go-?live|date", Measure.DEADLINE),
    (r"who builds|team|people run|skills", Measure.TEAM),
)  # fmt: skip


def measure_of(question: str) -> Measure | None:
    """The measure that a question is about, ours or anybody's; None where none shows."""
    lowered = question.lower()
    if "cannot both hold" in lowered or lowered.startswith("which figures are meant"):
        return None
    if any(lowered.startswith(start) for start in _LAY_STARTS):
        return None
    for measure, asked in ASKED.items():
        start, _, end = asked.text.lower().partition("{title}")
        if lowered.startswith(start) and lowered.endswith(end):
            return measure
    for pattern, measure in _KEYS:
        if re.search(pattern, lowered):
            return measure
    return None


def about_region(question: str) -> bool:
    """Whether a question asks for places."""
    return (
        re.search(r"\bwhere\b|\bregions?\b|\blocations?\b|country", question, re.IGNORECASE)
        is not None
    )


def is_lay(facts: Facts) -> bool:
    """Whether the request is a few words of somebody who runs a shop or a club, not a system."""
    technical = {Measure.LATENCY, Measure.AVAILABILITY, Measure.RTO, Measure.RPO}
    told = {measure_of(q) for q in facts.answered}
    stated = {f.measure for f in facts.figures} - told
    more = 2 * len(facts.answered)
    small = (
        len(facts.needs) <= 1 + more
        and len(facts.constraints) <= 5 + more
        and len(facts.figures) <= 6 + more
    )
    kinds = (Workload.WEB_API, Workload.STATIC_SITE)
    return small and facts.workloads[0] in kinds and not stated & technical


def sells(facts: Facts) -> bool:
    """Whether the workload is a shop."""
    return re.search(r"\bshop\b|\bstore\b|laden\b|boutique|tienda", facts.title, re.I) is not None


def what_proposal(facts: Facts) -> str:
    """What people can do as a rule with such a workload."""
    if facts.workloads[0] is Workload.STATIC_SITE:
        return "Read its pages; its editors change a page now and then"
    return "Look at what is offered, order or book it, and get a confirmation by mail"
