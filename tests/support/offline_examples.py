"""The six requests under examples/ with the Facts that a careful reader takes from them."""

from __future__ import annotations

from agents.offline.facts import Contradiction
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
    example,
    fig,
    read,
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
            (
                "42 VMware virtual machines, most of them Java 17 with Spring Boot behind two "
                "F5 load balancers"
            ),
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
                suggestion=(
                    "replicate continuously and switch reads first, with a write pause of minutes"
                ),
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
            (
                "The sites and apps send events over HTTPS to one endpoint; the JavaScript "
                "tag must keep working as it is."
            ),
            (
                "Editors see the top stories in the newsroom dashboard at most 10 seconds "
                "after the click."
            ),
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
            (
                "It raises an alarm when a room is outside its temperature band for more than "
                "5 minutes, and the driver or the shop must have the SMS within 60 seconds "
                "after that."
            ),
            (
                "Customers look at their units in a web portal and download the temperature "
                "record of a delivery as PDF."
            ),
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
            (
                "The assistant answers questions from our own documents and shows where it "
                "found the answer."
            ),
            "A change of a document has to be searchable within 30 minutes.",
            "A handler must never get an answer from a document he could not open himself.",
            "It fetches weather data from the public API of GeoSphere for hail claims.",
            (
                "Guidewire ClaimCenter calls us by webhook whenever a claim is opened, so "
                "that a summary is ready."
            ),
            (
                "200 questions with known answers run before each release, 85 % right or it "
                "does not go out."
            ),
        ),
        compliance=("GDPR", "DORA"),
        regions=("europe-west3",),
        rules=(
            ("SEC", "The whole environment has no internet access at all, neither in nor out."),
            (
                "SEC",
                (
                    "Nothing personal may leave the EU and it must not be used to train "
                    "anybody's model."
                ),
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
                suggestion="one controlled exit with a list of two names, approved by security",
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
            (
                "A tenant obtains all its data as an export within 24 hours and has it erased "
                "within 30 days."
            ),
            "Tenants sign in with their own identity provider (SAML or OIDC).",
            "API clients hold keys with a rate limit per plan: 60, 600 or 6,000 calls a minute.",
            (
                "Calendar changes are pushed to tenants' systems by webhooks, with retries "
                "for up to 72 hours."
            ),
            "Crews upload photographs, 3 MB each on average and some 90,000 a day.",
        ),
        compliance=("SOC 2",),
        regions=("northamerica-northeast2", "us-south1"),
        rules=(
            (
                "SEC",
                (
                    "Each tenant's data shall be logically separated, and no tenant may slow "
                    "another down."
                ),
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
                suggestion=(
                    "two regions for the data, and the money is raised or the goal lowered to "
                    "99.99 %"
                ),
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
            (
                "All of it is loaded, checked and modelled by 06:30 when the store managers "
                "open their report."
            ),
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
            (
                "SQL Server 2016 on a box in the Leeds office (32 cores, 256 GB RAM), 11 TB "
                "used, 430 SSIS packages"
            ),
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
                suggestion=(
                    "minute-fresh sales from the sources that can deliver, stock and prices "
                    "of last night"
                ),
            ),
        ),
    )
    return Case("warehouse", text, facts)


EXAMPLE_CASES = (_orders(), _clicks(), _telemetry(), _assistant(), _saas(), _warehouse())
