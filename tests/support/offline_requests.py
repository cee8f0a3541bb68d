"""Further requests: tiny, huge, regulated, mixed, and bound to what exists."""

from __future__ import annotations

from tests.support.offline_facts import (
    DAY,
    GB,
    HOUR,
    MB,
    MIN,
    TB,
    YEAR,
    Case,
    M,
    W,
    fig,
    read,
)


def _club() -> Case:
    text = (
        "Our rowing club wants its website (plain HTML made with Hugo, 60 pages, 120 MB "
        "with pictures) off the "
        "old shared host. About 3,000 visitors a month. It should have a contact form. "
        "Two volunteers write "
        "news in Markdown on GitHub. We can pay 15 EUR a month. Everybody may read it. "
        "Somewhere in Europe."
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
        "We run a course platform for chefs. Creators upload videos, 2 GB each on "
        "average, 400 a day. Each file is "
        "transcoded into 4 resolutions and has to be watchable within 20 minutes after "
        "upload. Viewers world-wide, "
        "1.1 million of them, watch about 90 TB a month. Originals are kept for 5 years. "
        "Status of every upload is "
        "shown to the creator. Thumbnails are generated. Budget 25,000 USD a month. Team "
        "of seven developers. "
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
        "Regional hospital group in Ohio. Appointment and results portal for 300,000 "
        "patients, HIPAA applies and "
        "auditors want a log of who opened which record. Today it is a .NET Framework "
        "application on Windows Server "
        "with SQL Server 2019 (600 GB) in our own data center. Clinical records arrive "
        "from Epic by HL7, 200 messages "
        "a second at most. Doctors look up results in under 1 second. 99.9 % "
        "availability, RPO 15 minutes, RTO 4 "
        "hours, also if the region is lost. Patients log in with accounts of their own. "
        "Data must stay in the United "
        "States. Team of nine. Budget 30,000 USD a month. Please also run the deployment "
        "for us tonight."
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
        "Global ledger for a payments company. 40,000 transactions per second at peak, "
        "12,000 on average, written from "
        "three continents (active-active), every transfer strongly consistent, p99 under "
        "100 ms. 99.999 % "
        "availability, RPO zero, RTO under 1 minute if a region fails. 60 TB of ledger "
        "today, growing 40 % a year. PCI "
        "DSS. We already run 300 microservices on Kubernetes (EKS) with a platform team "
        "of 45 and Kafka with 2,000 "
        "topics; Helm charts must stay. Budget 900,000 USD a month. Transaction events "
        "feed fraud scoring within 50 ms."
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
        "Side project: an API for a bike repair shop, appointments and a price list in "
        "PostgreSQL, perhaps 40 users and "
        "300 requests a day. Must cost less than 30 USD a month. I am alone and do this "
        "in the evening. Netherlands. "
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
        "We bring 80 microservices from our own OpenShift clusters to the cloud. The "
        "platform team of 14 people has run "
        "Kubernetes for six years, with operators, DaemonSets and Helm charts that must "
        "stay. 6,000 requests per second at peak, "
        "2,500 normally, p95 within 200 ms. MySQL 8 databases, 3 TB in all. gRPC streams "
        "to mobile apps. 99.95 % availability. "
        "Madrid. ISO 27001. RTO 2 hours, RPO 10 minutes. 70,000 EUR a month. Logs of who "
        "changed what for the auditors."
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
        "A city wants one platform for its buses: 1,900 buses send position and fuel "
        "level every 10 seconds over MQTT, "
        "400 bytes a message. Citizens see arrivals in a web app within 15 seconds, up to "
        "800 requests per second. Planners run "
        "SQL reports on 5 years of trips. Every night the ticket system delivers 20 GB as "
        "files by SFTP between 02:00 and 04:00. "
        "Photos of damage are uploaded by drivers. Data stays in Spain. Budget 9,000 EUR "
        "a month. Team of six. GDPR."
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
        "Fraud scoring for a marketplace: our own XGBoost model is retrained every night "
        "on 4 TB of history and must score "
        "900 payments per second within 40 ms, 2,400 at peak. Features per user are "
        "looked up on the way. Everything in Tokyo. "
        "99.9 % availability. Team of three ML engineers. 20,000 USD a month. Existing "
        "data is in BigQuery."
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
        "Insurance policy system, Java EE on WebLogic with Oracle Database 19c RAC, 9 TB, "
        "2,100 PL/SQL packages that nobody will "
        "rewrite. It has to leave our data centre in Zurich by June 2028. 500 "
        "transactions per second at peak. FINMA audits. RPO "
        "zero within the region, RTO 30 minutes. Data must stay in Switzerland. 12 "
        "people. 160,000 CHF a month. 60 virtual machines on VMware."
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


FURTHER_CASES = (
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
