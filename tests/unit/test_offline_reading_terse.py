"""Terse and unusual requests: names, public reach, peaks, sizes of items, asks without a verb."""

from __future__ import annotations

import re

import pytest

from agents.offline.facts import Facts, Measure, Workload
from agents.offline.reading import read
from agents.offline.reading.values import value_of, value_text
from providers.bundle import load_bundle

BUNDLE = load_bundle("gcp")
SHOP = "hello we need something for our shop, maybe 200 orders a day, wix is slow"
ROWING = """Hi, I look after the web site of our rowing club (180 members). It's a tiny static site,
maybe 50 visitors a day, 300 MB in all. I'd like it on Google Cloud with our own domain and https.
"""
PORTAL = """Guten Tag,

wir betreiben ein Kundenportal für die Stadtwerke Musterstadt mit 85.000 Kunden. Derzeit läuft es
auf zwei Windows-Servern mit SQL Server 2017 (420 GB). In der Spitze, wenn die Jahresabrechnungen
verschickt werden, kommen 1.200 Anfragen pro Minute. Kunden melden Zählerstände und laden ihre
Rechnungen als PDF herunter (ca. 2 Mio. PDFs zu je 150 kB). Rechnungen sind 10 Jahre
aufzubewahren. Umzug bis zum 31. März 2027.
"""
CLINICS = """Mercy Valley Health, Columbus, Ohio, runs 3 hospitals and 40 clinics. We need a patient
portal: appointments, lab results, bill payment. 410,000 patients, about 60,000 active a month.
It reads from Epic over FHIR R4. DICOM images (45 TB) must be viewable within 5 seconds.
Team: 8 developers, 3 ops."""
LEDGER = """We build a payments ledger (double entry) for a European payment institution. 4,000
transactions per second sustained, 12,000 at peak. RPO zero. Every posting must be immutable,
history kept 10 years (about 40 TB after 3 years). Balances must be strongly consistent.
Reconciliation with 14 banks by ISO 20022 files until 05:00. Fraud scoring within 20 ms in line."""
SPORTS = """We're a sports streaming startup. Clubs upload match videos: 2,500 uploads a day, on
average 6 GB and 90 minutes each. Each has to be transcoded to 5 renditions. Viewers: 1.2 million a
month in Europe and Brazil, peak 80,000 concurrent streams at 4 Mbit/s. Subscription needed to watch
(signed URLs), geo blocking per league. Raw uploads are kept 30 days. Availability of playback
99.9 %."""


def understood(text: str) -> Facts:
    return read(text, catalogue=BUNDLE.catalogue, regions=BUNDLE.regions)


def derived(facts: Facts, measure: Measure) -> list[float | None]:
    return [e.figure.value for e in facts.estimates if e.derived and e.figure.measure is measure]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SHOP, "Web shop"),
        (ROWING, "Club web site"),
        (PORTAL, "Kundenportal"),
        (CLINICS, "Patient portal"),
        (LEDGER, "Payments ledger"),
        (SPORTS, "Video platform"),
        ("Could you host our photo archive for the museum?", "Photo archive for the museum"),
        ("maybe you can help, we want something for our bookings", "Booking service"),
    ],
)
def test_a_title_is_a_noun_phrase(text: str, name: str) -> None:
    assert understood(text).title == name


@pytest.mark.parametrize(
    "text",
    [
        "Maybe somebody can help. 20 orders a day.",
        "We run 12 million requests a day on Heroku.",
        "I look after machines that report every minute.",
        "Our pages are down often. We sell shoes.",
        "We're a startup and need hosting for what we do.",
        "Wir betreiben etwas für die Kunden der Bank.",
        "Just move it. Currently it is on two servers.",
        "It should be a telemetry backend for 200 boats.",
    ],
)
def test_a_title_has_no_pronoun_verb_or_loose_end(text: str) -> None:
    words = understood(text).title.lower().split()
    assert words[0] not in {"maybe", "just", "currently", "million"}
    assert words[-1] not in {"a", "the", "for", "of", "die", "der", "für", "and", "with"}
    assert not set(words) & {"i", "we", "it", "is", "are", "run", "look", "betreiben", "wir"}
    assert not re.search(r"['’](?:re|m|s)\b", " ".join(words))


@pytest.mark.parametrize(
    ("text", "public"),
    [
        (SHOP, True), (ROWING, True), (PORTAL, True), (CLINICS, True), (SPORTS, True),
        (LEDGER, False),
        ("A customer portal for 300 dealers.", True),
        ("A reporting tool, staff only.", False),
        ("A nightly load for 12 dashboard viewers.", False),
    ],
)  # fmt: skip
def test_public_reach(text: str, public: bool) -> None:
    assert understood(text).public_access is public


def test_a_peak_without_a_unit_of_its_own() -> None:
    facts = understood(LEDGER)
    usual = facts.figure(Measure.THROUGHPUT, peak=False)
    peak = facts.figure(Measure.THROUGHPUT, peak=True)
    assert usual is not None
    assert peak is not None
    assert (usual.value, peak.value) == (4000, 12_000)
    assert "12,000 transactions at peak" in facts.summary


def test_a_peak_that_opens_its_sentence() -> None:
    facts = understood(PORTAL)
    peak = facts.figure(Measure.THROUGHPUT, peak=True)
    assert peak is not None
    assert (peak.value, peak.subject) == (20, "requests")
    assert facts.figure(Measure.THROUGHPUT, peak=False) is None


def test_the_number_of_a_norm_and_a_time_of_day_count_nothing() -> None:
    facts = understood(LEDGER)
    assert {f.value for f in facts.figures if f.measure is Measure.ITEMS} == {14}
    retention = [f.value for f in facts.figures if f.measure is Measure.RETENTION]
    assert retention == [315_360_000]
    volume = facts.figure(Measure.DATA_VOLUME)
    assert volume is not None
    assert volume.text == "40 TB after 3 years"
    rpo = facts.figure(Measure.RPO)
    assert rpo is not None
    assert (rpo.text, rpo.value) == ("zero", 0)


def test_sizes_of_items_are_multiplied() -> None:
    sports = understood(SPORTS)
    size = sports.figure(Measure.ITEM_SIZE)
    assert size is not None
    assert (size.value, size.subject) == (6e9, "uploads")
    assert sports.figure(Measure.DATA_VOLUME) is None
    assert derived(sports, Measure.DATA_VOLUME) == [pytest.approx(450e12, rel=1e-3)]
    assert derived(sports, Measure.DATA_RATE)[-1] == pytest.approx(40e9)
    assert 3e11 in derived(understood(PORTAL), Measure.DATA_VOLUME)


def test_people_a_month_are_people() -> None:
    for text, number in ((SPORTS, 1.2e6), (CLINICS, 60_000)):
        facts = understood(text)
        assert number in {f.value for f in facts.figures if f.measure is Measure.USERS}
        rates = [f.value for f in facts.figures if f.measure is Measure.THROUGHPUT]
        assert all(rate is None or rate > 0.02 for rate in rates)


def test_two_continents_get_two_regions() -> None:
    regions = understood(SPORTS).regions
    assert "southamerica-east1" in regions
    assert any(region.startswith("europe-") for region in regions)


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        (ROWING, "own domain"), (SPORTS, "geo blocking"), (SPORTS, "Clubs upload"),
        (CLINICS, "bill payment"), (CLINICS, "viewable"), (LEDGER, "Fraud scoring"),
        (LEDGER, "Reconciliation"), (LEDGER, "double entry"), (PORTAL, "Zählerstände"),
    ],
)  # fmt: skip
def test_an_ask_without_a_verb_is_a_function(text: str, ask: str) -> None:
    assert any(ask in n.text for n in understood(text).needs)


def test_classes_of_what_only_holds() -> None:
    areas = {c.text: c.area for c in (*understood(PORTAL).constraints,
                                      *understood(LEDGER).constraints)}  # fmt: skip
    assert areas["Rechnungen sind 10 Jahre aufzubewahren."] == "SEC"
    assert areas["Balances must be strongly consistent."] == "REL"
    assert understood(CLINICS).context == (
        "Mercy Valley Health, Columbus, Ohio, runs 3 hospitals and 40 clinics.",
    )
    assert understood(PORTAL).workloads == (Workload.WEB_API, Workload.MIGRATION)
    assert [f.value for f in understood(CLINICS).figures if f.measure is Measure.TEAM] == [8, 3]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00231481481481, "1/s", "200 a day"), (17.3611111111, "1/s", "62,500 an hour"),
        (50.0, "1/s", "50 a second"), (3600.0, "s", "1 hour"), (0.3, "s", "300 ms"),
        (1.2e12, "B", "1.2 TB"), (5e5, "B/s", "500 kB a second"), (38_000.0, "EUR", "38,000 EUR"),
        (99.95, "%", "99.95 %"), (0.0, "s", "0 s"), (1620370.37037, "B/s", "140 GB a day"),
        (114155.251142, "B/s", "300 GB a month"),
    ],
)  # fmt: skip
def test_values_are_for_people_and_can_be_read_back(value: float, unit: str, text: str) -> None:
    assert value_text(value, unit, 12) == text
    assert value_of(text, counts=False, digits=12) == (value, unit)
