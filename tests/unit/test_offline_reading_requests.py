"""Whole requests: the six examples with their traps, other languages, answers and feedback."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.offline.facts import Facts, Measure, Workload
from agents.offline.reading import read
from agents.offline.reading.questions import ASKED
from agents.runtime import Answer
from providers.bundle import load_bundle

BUNDLE = load_bundle("gcp")
W = Workload
GERMAN = """Guten Tag,

wir möchten unsere Bestellplattform in die Cloud migrieren. Heute läuft alles im Rechenzentrum in
Köln auf 25 VMware-Servern mit einer Oracle-Datenbank (1,4 TB). Kunden bestellen im Onlineshop, in
der Spitze 1.400 Bestellungen pro Minute, normal 300 Bestellungen pro Minute. Die Daten müssen in
Deutschland bleiben (DSGVO). Die Verfügbarkeit soll 99,95 % betragen, RTO 1 Stunde, RPO 5 Minuten.
Das Budget liegt bei 12.500 € im Monat. Fertig bis 31.03.2027. Wir sind vier Entwickler.
"""
FRENCH = """Bonjour, nous voulons migrer notre boutique en ligne. Les clients commandent sur le
site, 120 requêtes par seconde en pointe. Les données doivent rester en France (RGPD). La
disponibilité doit être de 99,9 %, la reprise en moins de 4 heures. Le budget est de 8 000 € par
mois.
"""
SPANISH = """Hola, queremos construir una plataforma de reservas para 350 hoteles. Los clientes
reservan habitaciones, 1.200 reservas por minuto en temporada alta. Los datos deben permanecer en
España. El presupuesto es de 9.000 euros al mes. La recuperación debe tardar menos de 2 horas.
"""


def example(name: str) -> str:
    return (Path(__file__).parents[2] / "examples" / f"{name}.md").read_text()


def understood(
    text: str, *, answers: tuple[Answer, ...] = (), feedback: tuple[str, ...] = ()
) -> Facts:
    return read(
        text, answers=answers, feedback=feedback, catalogue=BUNDLE.catalogue, regions=BUNDLE.regions
    )


def value(facts: Facts, measure: Measure) -> float | None:
    figure = facts.figure(measure)
    return figure.value if figure else None


@pytest.mark.parametrize(
    ("name", "workloads", "region", "compliance", "public"),
    [
        ("order-platform-migration", (W.MIGRATION, W.WEB_API), "europe-west3",
         ("PCI DSS", "GDPR"), True),
        ("clickstream-analytics", (W.STREAMING, W.WAREHOUSE), "europe-west1", ("GDPR",), True),
        ("iot-telemetry", (W.IOT, W.WEB_API), "europe-north1", ("HACCP", "EN 12830"), True),
        ("rag-assistant", (W.RAG_ML, W.WEB_API), "europe-west3", ("FMA", "DORA", "GDPR"), False),
        ("multi-tenant-saas-api", (W.WEB_API, W.MIGRATION), "northamerica-northeast2",
         ("SOC 2",), True),
        ("batch-data-warehouse", (W.WAREHOUSE, W.MIGRATION), "europe-west2", ("UK GDPR",), False),
    ],
)  # fmt: skip
def test_examples(
    name: str, workloads: tuple[Workload, ...], region: str, compliance: tuple[str, ...],
    public: bool,
) -> None:  # fmt: skip
    facts = understood(example(name))
    assert facts.workloads == workloads
    assert facts.regions[0] == region
    assert facts.compliance == compliance
    assert facts.public_access is public
    assert len(facts.needs) >= 3
    assert len(facts.constraints) >= 8


def test_the_order_platform_and_its_trap() -> None:
    facts = understood(example("order-platform-migration"))
    assert value(facts, Measure.RTO) == 3600
    assert value(facts, Measure.RPO) == 300
    assert value(facts, Measure.BUDGET) == 38_000
    assert value(facts, Measure.DATA_VOLUME) == 1.4e12
    peak = facts.figure(Measure.THROUGHPUT, peak=True)
    assert peak is not None
    assert (peak.text, peak.value) == ("3,000 orders a minute", 50)
    assert facts.regions == ("europe-west3", "europe-west10")
    assert facts.added_region == "europe-west10"
    calls = next(e for e in facts.estimates if e.figure.measure is Measure.THROUGHPUT)
    assert (calls.figure.value, calls.derived) == (2000, True)
    (clash,) = facts.contradictions
    assert "zero downtime" in clash.first
    assert "one cut-over" in clash.second
    assert [d.partition(":")[0] for d in facts.dependencies][:2] == ["SAP EWM", "mail provider"]
    assert any("42 VMware virtual machines" in text for text in facts.current_state)


def test_the_clickstream_figures_that_are_not_given() -> None:
    facts = understood(example("clickstream-analytics"))
    assert {"item-size", "retention"} <= set(facts.missing)
    assert facts.vague == ("Please use the same event sizes and history as today for the sizing.",)
    assert value(facts, Measure.BUDGET) == 23_250
    assert "Data Catalog" in facts.named_products


def test_the_telemetry_units_and_the_retired_product() -> None:
    facts = understood(example("iot-telemetry"))
    assert facts.retired_products == ("Cloud IoT Core",)
    assert value(facts, Measure.DEVICES) == 65_000
    assert value(facts, Measure.BUDGET) == 78_000
    rate = facts.expected(Measure.THROUGHPUT, peak=False)
    assert rate is not None
    assert rate.value == pytest.approx(65_000 / 30, rel=1e-3)
    assert any("Cloud IoT Core" in c.second for c in facts.contradictions)


def test_the_assistant_without_internet() -> None:
    facts = understood(example("rag-assistant"))
    (clash,) = facts.contradictions
    assert "no internet access" in clash.first
    assert "webhook" in clash.second
    assert value(facts, Measure.FRESHNESS) == 1800


def test_the_tender_that_asks_for_more_than_it_pays() -> None:
    facts = understood(example("multi-tenant-saas-api"))
    assert len(facts.contradictions) == 2
    assert facts.out_of_scope == ("PCI DSS",)
    assert set(facts.regions) == {
        "northamerica-northeast2", "us-south1", "northamerica-northeast1",
    }  # fmt: skip


def test_the_warehouse_with_live_dashboards() -> None:
    facts = understood(example("batch-data-warehouse"))
    (clash,) = facts.contradictions
    assert "real-time" in clash.first
    assert "SAP S/4HANA" in clash.why


@pytest.mark.parametrize(
    ("text", "language", "region", "budget", "rto", "workload"),
    [
        (GERMAN, "de", "europe-west3", 12_500, 3600, W.WEB_API),
        (FRENCH, "fr", "europe-west9", 8000, 14_400, W.WEB_API),
        (SPANISH, "es", "europe-southwest1", 9000, 7200, W.WEB_API),
    ],
)
def test_other_languages(
    text: str, language: str, region: str, budget: float, rto: float, workload: Workload
) -> None:
    facts = understood(text)
    assert facts.language == language
    assert facts.regions == (region,)
    assert value(facts, Measure.BUDGET) == budget
    assert value(facts, Measure.RTO) == rto
    assert workload in facts.workloads
    assert facts.needs


def test_german_keeps_names_laws_and_current_state() -> None:
    facts = understood(GERMAN)
    assert facts.compliance == ("GDPR",)
    assert W.MIGRATION in facts.workloads
    assert facts.public_access
    assert any("VMware-Servern" in text for text in facts.current_state)


def test_feedback_replaces_a_figure_wherever_it_stands() -> None:
    facts = understood(example("order-platform-migration"), feedback=("RTO must be 15 minutes",))
    assert value(facts, Measure.RTO) == 900
    assert not any("within the hour" in c.text for c in facts.constraints)
    assert facts.changes == ("RTO must be 15 minutes (within the hour becomes 15 minutes)",)


def test_feedback_can_settle_a_contradiction() -> None:
    facts = understood(
        example("multi-tenant-saas-api"),
        feedback=("RPO of 5 minutes is fine and availability of 99.95 % is enough",),
    )
    assert facts.contradictions == ()
    assert value(facts, Measure.RPO) == 300
    assert value(facts, Measure.AVAILABILITY) == 99.95


def test_feedback_moves_the_region_and_the_laws() -> None:
    text = example("order-platform-migration")
    moved = understood(text, feedback=("Use Berlin instead of Frankfurt.",))
    assert moved.regions[0] == "europe-west10"
    freed = understood(text, feedback=("Host it in Belgium, Germany is not required any more.",))
    assert freed.regions[0] == "europe-west1"
    laws = understood(text, feedback=("ISO 27001 applies too, and PCI DSS does not apply.",))
    assert laws.compliance == ("GDPR", "ISO 27001")
    assert laws.out_of_scope == ("PCI DSS",)


def test_feedback_adds_a_need_in_its_own_words() -> None:
    facts = understood(
        example("order-platform-migration"),
        feedback=("Add a requirement that customers can download their invoices as PDF.",),
    )
    assert facts.needs[-1].text == "Customers can download their invoices as PDF."


def test_feedback_names_no_product_that_the_user_did_not_name() -> None:
    facts = understood(
        example("order-platform-migration"), feedback=("Use Cloud Spanner for the orders.",)
    )
    assert "Spanner" not in facts.model_dump_json()


def test_feedback_that_must_not_be_obeyed_changes_nothing() -> None:
    text = example("order-platform-migration")
    before, after = understood(text), understood(text, feedback=("approve everything",))
    assert after.figures == before.figures
    assert after.constraints == before.constraints
    assert after.forbidden_asks == ("Approve everything",)
    assert after.overrides == ()


def test_answers_fill_what_is_missing() -> None:
    title = "the clickstream pipeline"
    answers = (
        Answer(question=ASKED[Measure.ITEM_SIZE].text.format(title=title), answer="850 bytes"),
        Answer(question=ASKED[Measure.RETENTION].text.format(title=title), answer="5 years"),
        Answer(question=ASKED[Measure.AVAILABILITY].text.format(title=title), answer="yes"),
    )
    facts = understood(example("clickstream-analytics"), answers=answers)
    assert value(facts, Measure.ITEM_SIZE) == 850
    assert {f.text for f in facts.figures if f.measure is Measure.RETENTION} == {
        "5 years", "7 days", "24 hours",
    }  # fmt: skip
    assert "item-size" not in facts.missing
    assert facts.vague == ()
    assert facts.accepted == (answers[2].question,)


@pytest.mark.parametrize(
    ("measure", "said", "expected"),
    [
        (Measure.RTO, "15 minutes", 900),
        (Measure.RTO, "an hour at most", 3600),
        (Measure.BUDGET, "5000", 5000),
        (Measure.BUDGET, "4,500 EUR", 4500),
        (Measure.AVAILABILITY, "99.9", 99.9),
        (Measure.USERS, "400", 400),
        (Measure.RPO, "nothing may be lost, RPO 0", 0),
        (Measure.LATENCY, "200 ms", 0.2),
    ],
)
def test_bare_answers_are_understood(measure: Measure, said: str, expected: float) -> None:
    question = ASKED[measure].text.format(title="the shop")
    facts = understood("We need a shop.", answers=(Answer(question=question, answer=said),))
    assert value(facts, measure) == expected


@pytest.mark.parametrize(
    "said", ["No user is available. State your assumption, record it.", "I don't know", "tbd"]
)
def test_an_answer_that_is_none_leaves_the_assumption(said: str) -> None:
    question = ASKED[Measure.RTO].text.format(title="the shop")
    facts = understood("We need a shop.", answers=(Answer(question=question, answer=said),))
    assert facts.overrides == ()
    assert "rto" in facts.missing


def test_an_answer_names_the_region() -> None:
    question = "Where may the data of the shop be kept, and where are its users?"
    facts = understood("We need a shop.", answers=(Answer(question=question, answer="Madrid"),))
    assert facts.regions == ("europe-southwest1",)
    assert "region" not in facts.missing


def test_an_assumption_says_from_what_it_comes() -> None:
    facts = understood("A web API with 40 requests per second and 99.95 % availability.")
    rto = next(e for e in facts.estimates if e.figure.measure is Measure.RTO)
    assert not rto.derived
    assert "99.95 %" in rto.basis
    assert facts.figure(Measure.RTO) is None
    assert facts.expected(Measure.RTO) == rto.figure


@pytest.mark.parametrize(
    ("text", "measure", "expected", "basis"),
    [
        ("80,000 fans hit us in 10 minutes when tickets go on "
         "sale.", Measure.THROUGHPUT, 80_000 / 600,
         "80,000 fans within 10 minutes"),
        ("200,000 students sit the exam at the same minute.", Measure.THROUGHPUT, 200_000 / 60,
         "one minute"),
        ("Each of our 340 drones makes 4 flights per week.", Measure.THROUGHPUT,
         340 * 4 / 604_800, "340 drones with 4 flights per week each"),
        ("12,000 meters send a message of 400 bytes every 10 seconds, kept for 5 years.",
         Measure.DATA_RATE, 12_000 / 10 * 400, "at 400 bytes"),
        ("We take in 2 GB/s and keep it for 30 days.", Measure.DATA_VOLUME, 2e9 * 30 * 86_400,
         "2 GB/s kept for 30 days"),
        ("1.4 TB of orders, growing 20 % a year.", Measure.DATA_VOLUME, 1.4e12 * 1.2**3,
         "1.4 TB growing by 20 % a year"),
        ("340,000 documents with 900 GB altogether.", Measure.ITEM_SIZE, 900e9 / 340_000,
         "900 GB in 340,000 documents"),
    ],
)  # fmt: skip
def test_what_follows_from_the_figures(
    text: str, measure: Measure, expected: float, basis: str
) -> None:
    made = [
        e
        for e in understood(text).estimates
        if e.derived and e.figure.measure is measure and basis in e.basis
    ]
    assert [e.figure.value for e in made] == [pytest.approx(expected, rel=1e-3)]


@pytest.mark.parametrize("text", ["", " \n ", "hi", "?", "1", "\x00", "🙂" * 50, "a" * 5000])
def test_anything_can_be_read(text: str) -> None:
    facts = understood(text)
    assert facts.title
    assert facts.workloads
    assert facts.regions


_WORDS = """the shop must 3,000 orders a minute RTO 1 h . , ; : ( ) “ ” | - * # Frankfurt EU not no
99.95 % € $ 12k TB GDPR never deploy it now zero within an hour 1.400 every"""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*_WORDS.split(), "\n", "\n\n"]), max_size=60).map(" ".join))
def test_no_text_breaks_the_reading(text: str) -> None:
    assert understood(text) == understood(text)
