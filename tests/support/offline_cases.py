"""Requests with the Facts that a careful reader takes from them, to try the offline writers on.

Each case has its requirements Deliverable too, as the requirements-analyst would submit it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from agents.offline.facts import (
    Constraint,
    Contradiction,
    Facts,
    Figure,
    Measure,
    Need,
    Workload,
)
from agents.runtime import AgentTask, Answer, Document
from engine.deliverables import Kind

M = Measure
W = Workload
MIN, HOUR, DAY, YEAR = 60.0, 3600.0, 86_400.0, 31_536_000.0
KB, MB, GB, TB = 1e3, 1e6, 1e9, 1e12
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True)
class Case:
    """A request, its Facts, and the requirements Deliverable made of them."""

    name: str
    request: str
    facts: Facts

    @property
    def requirements(self) -> str:
        """The requirements Deliverable."""
        return requirements_text(self.facts)


def fig(
    text: str,
    measure: Measure,
    value: float | None = None,
    *,
    unit: str = "",
    subject: str = "",
    sentence: str = "",
    peak: bool = False,
    current: bool = False,
) -> Figure:
    """A Figure in one line."""
    return Figure(
        text=text,
        measure=measure,
        value=value,
        unit=unit,
        subject=subject,
        sentence=sentence,
        peak=peak,
        current=current,
    )


def requirements_text(facts: Facts) -> str:
    """A requirements Deliverable of these Facts in the format of the contract."""
    functional = [f"- **FR-{n}**: {need.text}" for n, need in enumerate(facts.needs, 1)]
    areas: dict[str, int] = {}
    other: list[str] = []

    def add(area: str, text: str) -> None:
        areas[area] = areas.get(area, 0) + 1
        other.append(f"- **NFR-{area}-{areas[area]}**: {text}")

    home = {
        M.THROUGHPUT: "PERF",
        M.LATENCY: "PERF",
        M.FRESHNESS: "PERF",
        M.AVAILABILITY: "REL",
        M.RTO: "REL",
        M.RPO: "REL",
        M.BUDGET: "COST",
        M.RETENTION: "SEC",
        M.TEAM: "OPS",
        M.DEADLINE: "OPS",
    }
    for figure in facts.figures:
        if figure.measure in home and not figure.current:
            add(
                home[figure.measure],
                f"{figure.measure.value.capitalize()}: {figure.text}"
                f"{' at peak' if figure.peak else ''}. {figure.sentence}",
            )
    for constraint in facts.constraints:
        add(constraint.area, constraint.text)
    for rule in facts.compliance:
        add("SEC", f"Compliance with {rule}.")
    if not other:
        add("OPS", f"The {facts.title} can be run by the team that has it.")
    state = [f"- {s}" for s in facts.current_state] or ["Nothing runs today."]
    depends = [f"- {s}" for s in facts.dependencies] or ["No other system is named."]
    return "\n".join(
        [
            "## Workload overview",
            "",
            facts.summary or facts.title,
            "",
            "## Functional requirements",
            "",
            *functional,
            "",
            "## Non-functional requirements",
            "",
            *other,
            "",
            "## Current state",
            "",
            *state,
            "",
            "## Dependencies",
            "",
            *depends,
            "",
            "## Assumptions",
            "",
            "- **A-1**: Working hours are those of the primary region.",
            "",
            "## Contradictions and open questions",
            "",
            "There are none.",
            "",
            "## Discovery gaps",
            "",
            "No cloud was read.",
            "",
        ]
    )


def task(
    case: Case,
    kind: Kind,
    *dependencies: tuple[Kind, str],
    interactive: bool = False,
    feedback: tuple[str, ...] = (),
    previous: str = "",
    answers: tuple[Answer, ...] = (),
) -> AgentTask:
    """An AgentTask for one Specialist run."""
    return AgentTask(
        execution_id="e-1",
        run="r-1",
        request=case.request,
        interactive=interactive,
        deliverable=kind.value,
        dependencies=tuple(Document(kind=k.value, content=c) for k, c in dependencies),
        previous=Document(kind=kind.value, content=previous) if previous else None,
        feedback=feedback,
        answers=answers,
    )


def example(name: str) -> str:
    """The text of a request under examples/."""
    return (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")


def _sentence(text: str, part: str) -> str:
    flat = " ".join(text.split())
    at = flat.find(" ".join(part.split()))
    if at < 0:
        return ""
    start = max((m.end() for m in re.finditer(r"[.!?:]\s", flat[:at])), default=0)
    end = next((m.start() + 1 for m in re.finditer(r"[.!?](?:\s|$)", flat[at:])), len(flat) - at)
    return flat[start : at + end]


def read(
    title: str,
    request: str,
    workloads: tuple[Workload, ...],
    figures: tuple[Figure, ...],
    needs: tuple[str, ...],
    **more: object,
) -> Facts:
    """Facts whose figures and needs carry the sentence of the request that they stand in."""
    placed = tuple(
        f if f.sentence else f.model_copy(update={"sentence": _sentence(request, f.text)})
        for f in figures
    )
    constraints = tuple(
        Constraint(area=a, text=t)
        for a, t in more.pop("rules", ())  # type: ignore[attr-defined]
    )
    return Facts.model_validate(
        dict(
            title=title,
            workloads=workloads,
            figures=placed,
            constraints=constraints,
            needs=tuple(Need(text=n) for n in needs),
            summary=more.pop("summary", ""),
            **more,
        )
    )


def _orders() -> Case:
    text = example("order-platform-migration")
    facts = read(
        "Order platform migration",
        text,
        (W.WEB_API, W.MIGRATION),
        (
            fig("900 orders a minute", M.THROUGHPUT, 15, subject="orders"),
            fig("3,000 orders a minute", M.THROUGHPUT, 50, subject="orders", peak=True),
            fig("under 300 ms at p95", M.LATENCY, 0.3, subject="checkout API"),
            fig("within the hour", M.RTO, HOUR),
            fig("no more than 5 minutes of orders", M.RPO, 5 * MIN),
            fig("99.95 % availability for checkout", M.AVAILABILITY, 99.95),
            fig("10 years", M.RETENTION, 10 * YEAR),
            fig("52,000 EUR a month", M.BUDGET, 52000, unit="EUR", current=True),
            fig("38,000 EUR a month", M.BUDGET, 38000, unit="EUR"),
            fig("1.4 TB", M.DATA_VOLUME, 1.4 * TB, current=True),
            fig("20 % a year", M.GROWTH, 20),
            fig("42 VMware virtual machines", M.COMPUTE, 42, current=True),
            fig("six developers and two operations engineers", M.TEAM, 8),
            fig("end of February 2027", M.DEADLINE),
        ),
        (
            "Customers order in the shop and pay by card.",
            "Order events go to the warehouse system (SAP EWM) and to the mail provider.",
            "All orders are exported nightly to the finance people as CSV over SFTP.",
            "The Oracle 19c database with 1.4 TB moves to the cloud with its history.",
        ),
        compliance=("PCI DSS", "GDPR"),
        regions=("europe-west3", "europe-west10"),
        locations_text=("Frankfurt as the main location", "the data must stay in Germany"),
        rules=(
            ("SEC", "The auditors also want to see who looked at what."),
            ("SEC", "The data must stay in Germany, Frankfurt as the main location."),
            ("OPS", "None of the team has Kubernetes experience, so nothing exotic."),
            ("OPS", "Zero downtime for the shop during the move."),
            ("OPS", "Nothing may be touched in November."),
        ),
        current_state=(
            "42 VMware virtual machines, most of them Java 17 with Spring Boot behind two F5 load balancers",
            "Oracle 19c database (RAC, 2 nodes) with 1.4 TB",
            "three-node Kafka cluster",
        ),
        dependencies=(
            "SAP EWM, stays where it is",
            "the mail provider",
            "finance people over SFTP",
        ),
        contradictions=(
            Contradiction(
                first="zero downtime for the shop during the move",
                second="one cut-over, on a single weekend, no half-half",
                why="a single cut-over stops writes for the last check",
                suggestion="replicate continuously and switch reads first, with a write pause of minutes",
            ),
        ),
        summary="Move the order platform out of the data centre in Eschborn.",
    )
    return Case("orders", text, facts)


def _clicks() -> Case:
    text = example("clickstream-analytics")
    facts = read(
        "Clickstream pipeline",
        text,
        (W.STREAMING,),
        (
            fig("25,000 events/s on average", M.THROUGHPUT, 25_000, subject="events"),
            fig("120k events/s", M.THROUGHPUT, 120_000, subject="events", peak=True),
            fig("180,000 events per second", M.THROUGHPUT, 180_000, subject="events", peak=True),
            fig("at most 10 seconds", M.FRESHNESS, 10),
            fig("under 20 s", M.LATENCY, 20),
            fig("60 analysts", M.USERS, 60),
            fig("last 7 days", M.RETENTION, 7 * DAY),
            fig("24 hours at most", M.RETENTION, DAY),
            fig("31k USD a month", M.BUDGET, 31_000, unit="USD", current=True),
            fig("Two data engineers", M.TEAM, 2),
            fig("14 September 2027", M.DEADLINE),
        ),
        (
            "The sites and apps send events over HTTPS to one endpoint; the JavaScript tag must keep working as it is.",
            "Editors see the top stories in the newsroom dashboard at most 10 seconds after the click.",
            "Analysts run SQL on sessionised data.",
            "The recommendation team reads the same sessions as a stream.",
            "If a consumer breaks we must be able to replay the last 7 days.",
            "Schemas of the events are registered.",
        ),
        compliance=("GDPR",),
        regions=("europe-west1", "europe-west4"),
        named_products=("Google Kubernetes Engine", "Data Catalog"),
        retired_products=("Data Catalog",),
        rules=(
            ("SEC", "Drop events without consent before anything is stored."),
            ("SEC", "IP addresses are personal data and may be kept for 24 hours at most."),
            ("REL", "A zone failure has to be survivable; no multi-region needed for this one."),
            ("REL", "Losing a few events is fine (below 0.1 %), double counting is not."),
            ("OPS", "No on-call at night."),
        ),
        current_state=(
            "The collector (nginx + Lua on 6 EC2 instances in eu-west-1) writes to Kinesis",
            "a Spark Streaming job on EMR sessionises, the result lands in Redshift",
        ),
        dependencies=("The recommendation team's service on our GKE cluster",),
        missing=("event size",),
    )
    return Case("clicks", text, facts)


def _telemetry() -> Case:
    text = example("iot-telemetry")
    facts = read(
        "Cold room telemetry platform",
        text,
        (W.IOT,),
        (
            fig("18,000 units", M.DEVICES, 18_000),
            fig("65,000 in three years", M.DEVICES, 65_000),
            fig("every 30 seconds", M.FREQUENCY, 30),
            fig("1.2 kB", M.ITEM_SIZE, 1200, subject="message"),
            fig("4,500 messages a second", M.THROUGHPUT, 4500, subject="messages", peak=True),
            fig("within 60 seconds", M.LATENCY, 60),
            fig("1,200 users", M.USERS, 1200),
            fig("about 8 MB", M.ITEM_SIZE, 8 * MB, subject="firmware"),
            fig("2 years", M.RETENTION, 2 * YEAR),
            fig("10 years", M.RETENTION, 10 * YEAR),
            fig("99.9 %", M.AVAILABILITY, 99.9),
            fig("99.95 %", M.AVAILABILITY, 99.95),
            fig("1 minute of readings", M.RPO, 60),
            fig("after 15 minutes", M.RTO, 15 * MIN),
            fig("1.90 EUR per unit and month", M.BUDGET, 1.9, unit="EUR", current=True),
            fig("1.20 EUR per unit and month", M.BUDGET, 1.2, unit="EUR"),
            fig("three developers and one person in operations", M.TEAM, 4),
        ),
        (
            "It raises an alarm when a room is outside its temperature band for more than 5 minutes, and the driver or the shop must have the SMS within 60 seconds after that.",
            "Customers look at their units in a web portal and download the temperature record of a delivery as PDF.",
            "Service technicians send new set points and firmware (about 8 MB) to the units.",
            "We predict compressor failures from vibration data; the model is trained once a week.",
            "Units report every 30 seconds over LTE-M by MQTT with TLS.",
        ),
        compliance=("HACCP", "EN 12830"),
        regions=("europe-north1",),
        named_products=("Cloud IoT Core",),
        retired_products=("Cloud IoT Core",),
        rules=(
            ("SEC", "Each unit carries a client certificate from our own PKI."),
            ("SEC", "Readings can be neither changed nor deleted for 2 years."),
            ("SEC", "Data should remain in Finland or elsewhere in the Nordics or the EU."),
        ),
        current_state=("18,000 units in the field today, firmware with an MQTT client",),
        contradictions=(
            Contradiction(
                first="connect the units with Cloud IoT Core",
                second="we do not want to change the firmware",
                why="the service was retired in August 2023",
                suggestion="run a standard MQTT broker under the same host name and certificates",
            ),
        ),
    )
    return Case("telemetry", text, facts)


def _assistant() -> Case:
    text = example("rag-assistant")
    facts = read(
        "Claims assistant",
        text,
        (W.RAG_ML,),
        (
            fig("340,000 documents", M.ITEMS, 340_000),
            fig("900 GB", M.DATA_VOLUME, 900 * GB, current=True),
            fig("15 questions a second", M.THROUGHPUT, 15, subject="questions", peak=True),
            fig("600 documents change per day", M.THROUGHPUT, 600 / DAY, subject="documents"),
            fig("within 30 minutes", M.FRESHNESS, 30 * MIN),
            fig("1,100 claims handlers", M.USERS, 1100),
            fig("after 2 seconds", M.LATENCY, 2),
            fig("under 8 seconds", M.LATENCY, 8),
            fig("3 years", M.RETENTION, 3 * YEAR),
            fig("14,000 euros per month", M.BUDGET, 14_000, unit="EUR"),
            fig("one machine learning engineer and four Java people", M.TEAM, 5),
            fig("10 weeks", M.DEADLINE, 10 * 7 * DAY),
        ),
        (
            "The assistant answers questions from our own documents and shows where it found the answer.",
            "A change of a document has to be searchable within 30 minutes.",
            "A handler must never get an answer from a document he could not open himself.",
            "It fetches weather data from the public API of GeoSphere for hail claims.",
            "Guidewire ClaimCenter calls us by webhook whenever a claim is opened, so that a summary is ready.",
            "200 questions with known answers run before each release, 85 % right or it does not go out.",
        ),
        compliance=("GDPR", "DORA"),
        regions=("europe-west3",),
        rules=(
            ("SEC", "The whole environment has no internet access at all, neither in nor out."),
            (
                "SEC",
                "Nothing personal may leave the EU and it must not be used to train anybody's model.",
            ),
            ("COST", "It must be possible to cap the budget."),
            ("OPS", "Working hours 7 to 19, weekdays; at night it can be off."),
        ),
        current_state=("Documents sit in SharePoint and on a file server in Vienna",),
        dependencies=("Entra ID", "GeoSphere public API", "Guidewire ClaimCenter"),
        contradictions=(
            Contradiction(
                first="no internet access at all, neither in nor out",
                second="fetch weather data from the public API of GeoSphere",
                why="a closed environment cannot reach a public API",
                suggestion="one controlled exit with an allow list of two names, approved by security",
            ),
        ),
    )
    return Case("assistant", text, facts)


def _saas() -> Case:
    text = example("multi-tenant-saas-api")
    facts = read(
        "Fieldnote scheduling API",
        text,
        (W.WEB_API, W.MIGRATION),
        (
            fig("350 requests per second", M.THROUGHPUT, 350, subject="requests"),
            fig("1,800 requests/s", M.THROUGHPUT, 1800, subject="requests", peak=True),
            fig("within 250 ms", M.LATENCY, 0.25),
            fig("99 % within 800 ms", M.LATENCY, 0.8),
            fig("4,000 tenants", M.USERS, 4000),
            fig("22,000 named users", M.USERS, 22_000, current=True),
            fig("3 MB each on average", M.ITEM_SIZE, 3 * MB),
            fig("90,000 a day", M.THROUGHPUT, 90_000 / DAY, subject="photographs"),
            fig("99.999 % per month", M.AVAILABILITY, 99.999),
            fig("RPO zero", M.RPO, 0),
            fig("less than 1 minute", M.RTO, 60),
            fig("280 GB", M.DATA_VOLUME, 280 * GB, current=True),
            fig("US$ 3,500 per month", M.BUDGET, 3500, unit="USD"),
            fig("team of five", M.TEAM, 5),
            fig("72 hours", M.RETENTION, 72 * HOUR),
        ),
        (
            "Trade businesses plan their crews over the public REST API and the web front end.",
            "A tenant obtains all its data as an export within 24 hours and has it erased within 30 days.",
            "Tenants sign in with their own identity provider (SAML or OIDC).",
            "API clients hold keys with a rate limit per plan: 60, 600 or 6,000 calls a minute.",
            "Calendar changes are pushed to tenants' systems by webhooks, with retries for up to 72 hours.",
            "Crews upload photographs, 3 MB each on average and some 90,000 a day.",
        ),
        compliance=("SOC 2",),
        regions=("northamerica-northeast2", "us-south1"),
        rules=(
            (
                "SEC",
                "Each tenant's data shall be logically separated, and no tenant may slow another down.",
            ),
            ("SEC", "Eleven tenants are Canadian public bodies whose data shall not leave Canada."),
            ("REL", "No committed data may be lost, also if an entire region fails."),
            ("OPS", "Releases are made several times a day and shall cause no interruption."),
            ("COST", "Services that can be left again within six months are preferred."),
        ),
        current_state=("Heroku with PostgreSQL 14 (280 GB) and Redis, in the US",),
        dependencies=("Card payments are made at Stripe",),
        contradictions=(
            Contradiction(
                first="99.999 % per month, RPO zero across regions",
                second="US$ 3,500 per month",
                why="two regions of everything exceed the money",
                suggestion="two regions for the data, and the money is raised or the goal lowered to 99.99 %",
            ),
        ),
    )
    return Case("saas", text, facts)


def _warehouse() -> Case:
    text = example("batch-data-warehouse")
    facts = read(
        "Retail data warehouse",
        text,
        (W.WAREHOUSE, W.MIGRATION),
        (
            fig("11 TB used", M.DATA_VOLUME, 11 * TB, current=True),
            fig("140 GB raw per night", M.DATA_VOLUME, 140 * GB, subject="raw per night"),
            fig("35 analysts", M.USERS, 35),
            fig("900 people with dashboards", M.USERS, 900),
            fig("3 seconds or so", M.LATENCY, 3),
            fig("7 years of detail", M.RETENTION, 7 * YEAR),
            fig("half a day", M.RTO, 12 * HOUR),
            fig("one night's load", M.RPO, DAY),
            fig("£11,000 a month", M.BUDGET, 11_000, unit="GBP"),
            fig("6.2 million loyalty customers", M.ITEMS, 6_200_000),
            fig("within 30 days", M.RETENTION, 30 * DAY),
        ),
        (
            "All of it is loaded, checked and modelled by 06:30 when the store managers open their report.",
            "A failed load has to page whoever is on duty.",
            "35 analysts write SQL all day, 900 people use dashboards.",
            "Finance goes back to the numbers as they were on any day of the last 2 years.",
            "Real-time sales dashboards, by store and SKU, to the minute.",
            "Deletion requests are through within 30 days.",
        ),
        compliance=("UK GDPR",),
        regions=("europe-west2",),
        rules=(
            ("SEC", "Only 12 people may see names and emails, everybody else gets masked data."),
            ("SEC", "It stays in the UK."),
            ("OPS", "Nobody here has written anything but T-SQL."),
            ("OPS", "We stay with Power BI."),
        ),
        current_state=(
            "SQL Server 2016 on a box in the Leeds office (32 cores, 256 GB RAM), 11 TB used, 430 SSIS packages",
        ),
        dependencies=(
            "SAP S/4HANA",
            "Shopify",
            "Salesforce",
            "till files from 212 stores as CSV",
            "the loyalty app's Postgres on RDS",
        ),
        contradictions=(
            Contradiction(
                first="real-time sales dashboards, to the minute",
                second="SAP only lets us extract once a night",
                why="stock and prices come from the nightly extract",
                suggestion="minute-fresh sales from the sources that can deliver, stock and prices of last night",
            ),
        ),
    )
    return Case("warehouse", text, facts)


def _club() -> Case:
    text = (
        "Our rowing club wants its website (plain HTML made with Hugo, 60 pages, 120 MB with pictures) off the "
        "old shared host. About 3,000 visitors a month. It should have a contact form. Two volunteers write "
        "news in Markdown on GitHub. We can pay 15 EUR a month. Everybody may read it. Somewhere in Europe."
    )
    facts = read(
        "Rowing club website",
        text,
        (W.STATIC_SITE,),
        (
            fig("3,000 visitors a month", M.USERS, 3000),
            fig("15 EUR a month", M.BUDGET, 15, unit="EUR"),
            fig("120 MB", M.DATA_VOLUME, 120 * MB, current=True),
            fig("Two volunteers", M.TEAM, 2),
        ),
        (
            "Visitors read the pages of the site.",
            "Visitors use a contact form.",
            "Two volunteers publish news in Markdown.",
        ),
        public_access=True,
        regions=("europe-west1",),
        current_state=("old shared host",),
    )
    return Case("club", text, facts)


def _video() -> Case:
    text = (
        "We run a course platform for chefs. Creators upload videos, 2 GB each on average, 400 a day. Each file is "
        "transcoded into 4 resolutions and has to be watchable within 20 minutes after upload. Viewers world-wide, "
        "1.1 million of them, watch about 90 TB a month. Originals are kept for 5 years. Status of every upload is "
        "shown to the creator. Thumbnails are generated. Budget 25,000 USD a month. Team of seven developers. "
        "Nothing of this exists yet. Viewers log in with e-mail accounts."
    )
    facts = read(
        "Chef course video platform",
        text,
        (W.MEDIA,),
        (
            fig("400 a day", M.THROUGHPUT, 400 / DAY, subject="uploads"),
            fig("2 GB each", M.ITEM_SIZE, 2 * GB, subject="videos"),
            fig("within 20 minutes", M.FRESHNESS, 20 * MIN),
            fig("1.1 million", M.USERS, 1_100_000),
            fig("5 years", M.RETENTION, 5 * YEAR),
            fig("25,000 USD a month", M.BUDGET, 25_000, unit="USD"),
            fig("seven developers", M.TEAM, 7),
        ),
        (
            "Creators upload videos.",
            "Each file is transcoded into 4 resolutions and thumbnails are generated.",
            "Viewers watch videos.",
            "Status of every upload is shown to the creator.",
            "Viewers log in with e-mail accounts.",
        ),
        regions=("us-central1",),
        public_access=True,
    )
    return Case("video", text, facts)


def _hospital() -> Case:
    text = (
        "Regional hospital group in Ohio. Appointment and results portal for 300,000 patients, HIPAA applies and "
        "auditors want a log of who opened which record. Today it is a .NET Framework application on Windows Server "
        "with SQL Server 2019 (600 GB) in our own data center. Clinical records arrive from Epic by HL7, 200 messages "
        "a second at most. Doctors look up results in under 1 second. 99.9 % availability, RPO 15 minutes, RTO 4 "
        "hours, also if the region is lost. Patients log in with accounts of their own. Data must stay in the United "
        "States. Team of nine. Budget 30,000 USD a month. Please also run the deployment for us tonight."
    )
    facts = read(
        "Patient portal",
        text,
        (W.WEB_API, W.MIGRATION),
        (
            fig("200 messages a second", M.THROUGHPUT, 200, subject="messages", peak=True),
            fig("300,000 patients", M.USERS, 300_000),
            fig("under 1 second", M.LATENCY, 1.0),
            fig("99.9 % availability", M.AVAILABILITY, 99.9),
            fig("RPO 15 minutes", M.RPO, 15 * MIN),
            fig("RTO 4 hours", M.RTO, 4 * HOUR),
            fig("600 GB", M.DATA_VOLUME, 600 * GB, current=True),
            fig("30,000 USD a month", M.BUDGET, 30_000, unit="USD"),
            fig("Team of nine", M.TEAM, 9),
        ),
        (
            "Patients see appointments and results in the portal.",
            "Doctors look up results.",
            "Clinical records arrive from Epic by HL7.",
            "Patients log in with accounts of their own.",
        ),
        compliance=("HIPAA",),
        regions=("us-east5", "us-central1"),
        rules=(
            ("SEC", "Auditors want a log of who opened which record."),
            ("SEC", "Data must stay in the United States."),
        ),
        current_state=(
            ".NET Framework application on Windows Server",
            "SQL Server 2019 (600 GB) in our own data center",
        ),
        dependencies=("Epic by HL7",),
        forbidden_asks=("Please also run the deployment for us tonight.",),
    )
    return Case("hospital", text, facts)


def _payments() -> Case:
    text = (
        "Global ledger for a payments company. 40,000 transactions per second at peak, 12,000 on average, written from "
        "three continents (active-active), every transfer strongly consistent, p99 under 100 ms. 99.999 % "
        "availability, RPO zero, RTO under 1 minute if a region fails. 60 TB of ledger today, growing 40 % a year. PCI "
        "DSS. We already run 300 microservices on Kubernetes (EKS) with a platform team of 45 and Kafka with 2,000 "
        "topics; Helm charts must stay. Budget 900,000 USD a month. Transaction events feed fraud scoring within 50 ms."
    )
    facts = read(
        "Global payment ledger",
        text,
        (W.WEB_API, W.MIGRATION, W.RAG_ML),
        (
            fig(
                "40,000 transactions per second",
                M.THROUGHPUT,
                40_000,
                subject="transactions",
                peak=True,
            ),
            fig("12,000 on average", M.THROUGHPUT, 12_000, subject="transactions"),
            fig("p99 under 100 ms", M.LATENCY, 0.1),
            fig("99.999 % availability", M.AVAILABILITY, 99.999),
            fig("RPO zero", M.RPO, 0),
            fig("RTO under 1 minute", M.RTO, 60),
            fig("60 TB of ledger", M.DATA_VOLUME, 60 * TB, current=True),
            fig("40 % a year", M.GROWTH, 40),
            fig("platform team of 45", M.TEAM, 45),
            fig("900,000 USD a month", M.BUDGET, 900_000, unit="USD"),
        ),
        (
            "Transfers are written from three continents with strong consistency.",
            "Transaction events feed fraud scoring within 50 ms.",
            "300 microservices move with their Helm charts.",
        ),
        compliance=("PCI DSS",),
        regions=("us-central1", "europe-west1", "asia-southeast1"),
        current_state=(
            "300 microservices on Kubernetes (EKS)",
            "Kafka with 2,000 topics",
            "60 TB of ledger",
        ),
    )
    return Case("payments", text, facts)


def _tiny_api() -> Case:
    text = (
        "Side project: an API for a bike repair shop, appointments and a price list in PostgreSQL, perhaps 40 users and "
        "300 requests a day. Must cost less than 30 USD a month. I am alone and do this in the evening. Netherlands. "
        "Losing a day of data would be annoying but fine."
    )
    facts = read(
        "Bike shop appointments API",
        text,
        (W.WEB_API,),
        (
            fig("300 requests a day", M.THROUGHPUT, 300 / DAY, subject="requests"),
            fig("40 users", M.USERS, 40),
            fig("30 USD a month", M.BUDGET, 30, unit="USD"),
            fig("a day of data", M.RPO, DAY),
        ),
        ("Customers book appointments.", "Customers read a price list."),
        regions=("europe-west4",),
    )
    return Case("tiny-api", text, facts)


def _existing_kubernetes() -> Case:
    text = (
        "We bring 80 microservices from our own OpenShift clusters to the cloud. The platform team of 14 people has run "
        "Kubernetes for six years, with operators, DaemonSets and Helm charts that must stay. 6,000 requests per second at peak, "
        "2,500 normally, p95 within 200 ms. MySQL 8 databases, 3 TB in all. gRPC streams to mobile apps. 99.95 % availability. "
        "Madrid. ISO 27001. RTO 2 hours, RPO 10 minutes. 70,000 EUR a month. Logs of who changed what for the auditors."
    )
    facts = read(
        "Mobility platform",
        text,
        (W.WEB_API, W.MIGRATION),
        (
            fig("6,000 requests per second", M.THROUGHPUT, 6000, subject="requests", peak=True),
            fig("2,500 normally", M.THROUGHPUT, 2500, subject="requests"),
            fig("within 200 ms", M.LATENCY, 0.2),
            fig("99.95 % availability", M.AVAILABILITY, 99.95),
            fig("RTO 2 hours", M.RTO, 2 * HOUR),
            fig("RPO 10 minutes", M.RPO, 10 * MIN),
            fig("3 TB in all", M.DATA_VOLUME, 3 * TB, current=True),
            fig("team of 14 people", M.TEAM, 14),
            fig("70,000 EUR a month", M.BUDGET, 70_000, unit="EUR"),
        ),
        ("Riders book rides in mobile apps.", "gRPC streams go to mobile apps."),
        compliance=("ISO 27001",),
        regions=("europe-southwest1",),
        rules=(
            ("OPS", "Operators, DaemonSets and Helm charts must stay."),
            ("SEC", "Logs of who changed what for the auditors."),
        ),
        current_state=(
            "80 microservices on our own OpenShift clusters",
            "MySQL 8 databases, 3 TB in all",
        ),
    )
    return Case("existing-kubernetes", text, facts)


def _mixture() -> Case:
    text = (
        "A city wants one platform for its buses: 1,900 buses send position and fuel level every 10 seconds over MQTT, "
        "400 bytes a message. Citizens see arrivals in a web app within 15 seconds, up to 800 requests per second. Planners run "
        "SQL reports on 5 years of trips. Every night the ticket system delivers 20 GB as files by SFTP between 02:00 and 04:00. "
        "Photos of damage are uploaded by drivers. Data stays in Spain. Budget 9,000 EUR a month. Team of six. GDPR."
    )
    facts = read(
        "City bus platform",
        text,
        (W.IOT, W.STREAMING, W.WAREHOUSE, W.WEB_API),
        (
            fig("1,900 buses", M.DEVICES, 1900),
            fig("every 10 seconds", M.FREQUENCY, 10),
            fig("400 bytes a message", M.ITEM_SIZE, 400, subject="message"),
            fig("within 15 seconds", M.FRESHNESS, 15),
            fig("800 requests per second", M.THROUGHPUT, 800, subject="requests", peak=True),
            fig("5 years of trips", M.RETENTION, 5 * YEAR),
            fig("20 GB", M.DATA_VOLUME, 20 * GB, subject="per night"),
            fig("9,000 EUR a month", M.BUDGET, 9000, unit="EUR"),
            fig("Team of six", M.TEAM, 6),
        ),
        (
            "Buses send position and fuel level.",
            "Citizens see arrivals in a web app.",
            "Planners run SQL reports on trips.",
            "The ticket system delivers files by SFTP every night.",
            "Photos of damage are uploaded by drivers.",
        ),
        compliance=("GDPR",),
        regions=("europe-southwest1",),
        rules=(("SEC", "Data stays in Spain."),),
    )
    return Case("mixture", text, facts)


def _scoring() -> Case:
    text = (
        "Fraud scoring for a marketplace: our own XGBoost model is retrained every night on 4 TB of history and must score "
        "900 payments per second within 40 ms, 2,400 at peak. Features per user are looked up on the way. Everything in Tokyo. "
        "99.9 % availability. Team of three ML engineers. 20,000 USD a month. Existing data is in BigQuery."
    )
    facts = read(
        "Fraud scoring service",
        text,
        (W.RAG_ML,),
        (
            fig("900 payments per second", M.THROUGHPUT, 900, subject="payments"),
            fig("2,400 at peak", M.THROUGHPUT, 2400, subject="payments", peak=True),
            fig("within 40 ms", M.LATENCY, 0.04),
            fig("4 TB of history", M.DATA_VOLUME, 4 * TB, current=True),
            fig("99.9 % availability", M.AVAILABILITY, 99.9),
            fig("three ML engineers", M.TEAM, 3),
            fig("20,000 USD a month", M.BUDGET, 20_000, unit="USD"),
        ),
        (
            "The model scores each payment.",
            "The model is retrained every night on history.",
            "Features per user are looked up on the way.",
        ),
        regions=("asia-northeast1",),
        named_products=("BigQuery",),
        current_state=("Existing data is in BigQuery.",),
    )
    return Case("scoring", text, facts)


def _oracle_stays() -> Case:
    text = (
        "Insurance policy system, Java EE on WebLogic with Oracle Database 19c RAC, 9 TB, 2,100 PL/SQL packages that nobody will "
        "rewrite. It has to leave our data centre in Zurich by June 2028. 500 transactions per second at peak. FINMA audits. RPO "
        "zero within the region, RTO 30 minutes. Data must stay in Switzerland. 12 people. 160,000 CHF a month. 60 virtual machines on VMware."
    )
    facts = read(
        "Insurance policy system",
        text,
        (W.MIGRATION,),
        (
            fig(
                "500 transactions per second", M.THROUGHPUT, 500, subject="transactions", peak=True
            ),
            fig("9 TB", M.DATA_VOLUME, 9 * TB, current=True),
            fig("RPO zero within the region", M.RPO, 0),
            fig("RTO 30 minutes", M.RTO, 30 * MIN),
            fig("160,000 CHF a month", M.BUDGET, 160_000, unit="CHF"),
            fig("12 people", M.TEAM, 12),
            fig("60 virtual machines", M.COMPUTE, 60, current=True),
            fig("June 2028", M.DEADLINE),
        ),
        ("Agents manage policies.", "The database moves with its 2,100 PL/SQL packages."),
        compliance=("FINMA",),
        regions=("europe-west6",),
        rules=(
            ("SEC", "Data must stay in Switzerland."),
            ("OPS", "The PL/SQL packages are not rewritten."),
        ),
        current_state=(
            "Java EE on WebLogic with Oracle Database 19c RAC, 9 TB",
            "60 virtual machines on VMware in our data centre in Zurich",
        ),
    )
    return Case("oracle-stays", text, facts)


CASES: tuple[Case, ...] = (
    _orders(),
    _clicks(),
    _telemetry(),
    _assistant(),
    _saas(),
    _warehouse(),
    _club(),
    _video(),
    _hospital(),
    _payments(),
    _tiny_api(),
    _existing_kubernetes(),
    _mixture(),
    _scoring(),
    _oracle_stays(),
)
BY_NAME = {case.name: case for case in CASES}
