"""Figures of a request.

Held here: a number with a unit always becomes a Figure, as written and with its value in the base
unit; what a duration or a percentage measures follows from the words around; versions, norms and
years are no figures.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline.facts import Figure, Measure
from agents.offline.reading.figures import figures
from agents.offline.reading.language import detect
from agents.offline.reading.numbers import numbers
from agents.offline.reading.text import clean, sentences, squeeze

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.md"))
M = Measure
DAY, YEAR = 86_400, 365 * 86_400


def read_figures(text: str) -> tuple[Figure, ...]:
    text = clean(text)
    language = detect(text)
    return figures(sentences(text, language), language)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1,400", 1400), ("1.400", 1400), ("1 400", 1400), ("1'400", 1400), ("12k", 12_000),
        ("3.5M", 3.5e6), ("2,5 Mio", 2.5e6), ("1.234,56", 1234.56), ("1,234.56", 1234.56),
        ("12,50,000", 1_250_000), ("3 lakh", 300_000), ("2 crore", 2e7), ("2 000 000", 2e6),
        ("6.2 million", 6.2e6), ("1.4", 1.4), ("0.125", 0.125), ("twenty-five", 25),
        ("half a million", 5e5), ("two dozen", 24), ("300", 300),
    ],
)  # fmt: skip
def test_number_formats(written: str, value: float) -> None:
    found = list(numbers(f"about {written} "))
    assert [(n.value) for n in found] == [pytest.approx(value)]


@pytest.mark.parametrize(
    "text", ["EC2", "eu-west-1", "p95", "19c", "HR-2019", "v1.2", "S/4HANA", "24/7"]
)
def test_codes_are_no_numbers(text: str) -> None:
    assert list(numbers(f"the {text} thing")) == []


TABLE: list[tuple[str, str, Measure, float | None]] = [
    ("We take 3,000 orders a minute.", "3,000 orders a minute", M.THROUGHPUT, 50),
    ("It serves 120k req/s.", "120k req/s", M.THROUGHPUT, 120_000),
    ("It is 2.5 Mio/Tag in Summe und nicht mehr.", "2.5 Mio/Tag", M.THROUGHPUT, 2.5e6 / DAY),
    ("The API has to answer with p95 under 300 ms.", "300 ms", M.LATENCY, 0.3),
    ("A dashboard opens in 3 seconds.", "3 seconds", M.LATENCY, 3),
    ("We need 99.95 % availability.", "99.95 %", M.AVAILABILITY, 99.95),
    ("Five nines please.", "Five nines", M.AVAILABILITY, 99.999),
    ("RTO 1 h and nothing else.", "1 h", M.RTO, 3600),
    ("RTO 15m is the aim.", "15m", M.RTO, 900),
    ("RTO/RPO: 4h/15min", "4h", M.RTO, 14_400),
    ("RTO/RPO: 4h/15min", "15min", M.RPO, 900),
    ("We want to be back within the hour.", "within the hour", M.RTO, 3600),
    ("If it is down for half a day nobody dies.", "half a day", M.RTO, DAY / 2),
    ("RPO 5 minutes.", "5 minutes", M.RPO, 300),
    ("We set RPO zero.", "zero", M.RPO, 0),
    ("RPO = 0 for payments.", "0", M.RPO, 0),
    ("No committed data may be lost.", "No committed data may be lost", M.RPO, 0),
    ("Lose no more than 10 minutes of orders.", "10 minutes", M.RPO, 600),
    ("The database has 1.4 TB.", "1.4 TB", M.DATA_VOLUME, 1.4e12),
    ("We keep 800 GiB of images.", "800 GiB", M.DATA_VOLUME, 800 * 2**30),
    ("Between 50 and 80 TB in all.", "50 and 80 TB", M.DATA_VOLUME, 80e12),
    ("It is growing 20 % a year.", "20 % a year", M.GROWTH, 20),
    ("140 GB raw per night arrive.", "140 GB raw per night", M.DATA_RATE, 140e9 / DAY),
    ("A 10 Gbit/s link exists.", "10 Gbit/s", M.DATA_RATE, 1.25e9),
    ("One message is about 1.2 kB.", "1.2 kB", M.ITEM_SIZE, 1200),
    ("Photos of 3 MB each arrive.", "3 MB each", M.ITEM_SIZE, 3e6),
    ("There are 22,000 named users.", "22,000 named users", M.USERS, 22_000),
    ("12 lakh users log in.", "12 lakh users", M.USERS, 1.2e6),
    ("We have 5,000 sensors.", "5,000 sensors", M.DEVICES, 5000),
    ("There are 340,000 documents.", "340,000 documents", M.ITEMS, 340_000),
    ("About 430 packages run.", "430 packages", M.ITEMS, 430),
    ("The target is 38,000 EUR a month.", "38,000 EUR a month", M.BUDGET, 38_000),
    ("$2k/mo is all we have.", "$2k/mo", M.BUDGET, 2000),
    ("We can spend 24,000 USD a year.", "24,000 USD a year", M.BUDGET, 2000),
    ("Total cost shall not exceed US$ 3,500 per month.", "US$ 3,500 per month", M.BUDGET, 3500),
    ("Keep invoices for 7 years.", "7 years", M.RETENTION, 7 * YEAR),
    ("30-day retention is enough.", "30-day", M.RETENTION, 30 * DAY),
    ("Two engineers run it.", "Two engineers", M.TEAM, 2),
    ("We are a team of five.", "team of five", M.TEAM, 5),
    ("We have one machine learning engineer.", "one machine learning engineer", M.TEAM, 1),
    ("Go-live by March 2027.", "March 2027", M.DEADLINE, None),
    ("Live before Black Friday.", "before Black Friday", M.DEADLINE, None),
    ("Pilot in 10 weeks.", "10 weeks", M.DEADLINE, 70 * DAY),
    ("It runs every 15 min.", "15 min", M.FREQUENCY, 900),
    ("We export nightly.", "nightly", M.FREQUENCY, DAY),
    ("Reports run every fortnight.", "every fortnight", M.FREQUENCY, 14 * DAY),
    ("40 reports per fortnight are made.", "40 reports per "
                "fortnight", M.THROUGHPUT, 40 / (14 * DAY)),
    ("42 VMware virtual machines run.", "42 VMware virtual machines", M.COMPUTE, 42),
    ("The box has 256 GB RAM.", "256 GB RAM", M.COMPUTE, 256e9),
    ("A change must be searchable within 30 minutes.", "30 minutes", M.FRESHNESS, 1800),
    ("Storage is kept at -20 °C.", "-20 °C", M.OTHER, -20),
    ("A third of the calls are writes.", "A third of the calls", M.OTHER, 33.3333),
    ("Plans allow 60, 600 or 6,000 calls a minute as a rate limit.",
     "60, 600 or 6,000 calls a minute", M.THROUGHPUT, 100),
    ("Wir verarbeiten in der Spitze 1.400 Anfragen/s und nicht mehr.",
     "1.400 Anfragen/s", M.THROUGHPUT, 1400),
    ("Die Verfügbarkeit soll 99,95 % betragen.", "99,95 %", M.AVAILABILITY, 99.95),
    ("Die Datenbank ist 1,4 TB groß und wächst.", "1,4 TB", M.DATA_VOLUME, 1.4e12),
    ("Das Budget liegt bei 12.500 € im Monat.", "12.500 € im Monat", M.BUDGET, 12_500),
    ("Nous avons 1 400 utilisateurs dans la base.", "1 400 utilisateurs", M.USERS, 1400),
    ("Nous traitons 2,5 millions de commandes par jour.",
     "2,5 millions de commandes par jour", M.THROUGHPUT, 2.5e6 / DAY),
    ("El presupuesto es de 9.000 euros al mes.", "9.000 euros al mes", M.BUDGET, 9000),
    ("La recuperación debe tardar menos de 2 horas.", "2 horas", M.RTO, 7200),
    ("The machine shop uses 17 frobnicators.", "17 frobnicators", M.ITEMS, 17),
]  # fmt: skip


@pytest.mark.parametrize(("text", "written", "measure", "value"), TABLE)
def test_what_a_figure_measures(
    text: str, written: str, measure: Measure, value: float | None
) -> None:
    found = {f.text: f for f in read_figures(text)}
    assert written in found
    assert found[written].measure is measure
    if value is None:
        assert found[written].value is None
    else:
        assert found[written].value == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize(
    "text",
    [
        "We use Java 17, PostgreSQL 14 and TLS 1.3 under ISO 27001.",
        "In 2019 customers complained about Windows Server 2016.",
        "Support is 24/7 for Oracle 19c in eu-west-1.",
        "See ticket DATA-2291, lot 2, Art. 9 and EN 12830.",
    ],
)
def test_versions_norms_and_years_are_no_figures(text: str) -> None:
    assert read_figures(text) == ()


_UNITS = (
    r"%|TB|GB|MB|kB|GiB|ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|EUR|USD|euros"
    r"|orders"
    r"|events?(?:/s)?|requests?(?:/s)?|calls|messages|users|tenants|units|sensors|documents|stores"
    r"|developers|engineers|analysts|people|servers|machines|cores|SKUs|questions"
)
_NUMBER_WITH_UNIT = re.compile(
    rf"(?<![\w.,:/-])[$€£]?\d[\d,.]*(?<=\d)[kM]?(?: million)?\s?(?:{_UNITS})(?!\w)"
    r"|[$€£]\s?\d[\d,.]*k?"
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_no_number_with_a_unit_is_lost_in_the_examples(path: Path) -> None:
    text = squeeze(path.read_text())
    kept = " | ".join(f.text for f in read_figures(path.read_text()))
    wanted = [m.group().rstrip(".,") for m in _NUMBER_WITH_UNIT.finditer(text)]
    assert len(wanted) >= 10
    assert [w for w in wanted if w not in kept] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_a_figure_stands_in_the_request_as_written(path: Path) -> None:
    text = squeeze(path.read_text())
    for figure in read_figures(path.read_text()):
        assert figure.text in text
        assert figure.text in figure.sentence


@given(
    number=st.one_of(
        st.integers(2, 9_999_999).map(lambda n: f"{n:,}"),
        st.integers(2, 999).map(str),
        st.floats(0.1, 99.9).map(lambda x: f"{x:.1f}"),
        st.integers(2, 999).map(lambda n: f"{n}k"),
    ),
    unit=st.sampled_from(
        ["TB", "GB", "ms", "minutes", "years", "%", "EUR a month", "requests/s", "orders a minute",
         "users", "devices", "documents", "vCPUs", "engineers", "events per second", "MB each"]
    ),
    frame=st.sampled_from(
        ["We have {}.", "It needs {} at most", "- {} by contract", "(about {}, so far)",
         "Somebody said {}; nobody knows why.", "today {} and tomorrow more"]
    ),
)  # fmt: skip
def test_every_number_with_a_unit_becomes_a_figure(number: str, unit: str, frame: str) -> None:
    written = f"{number} {unit}"
    found = read_figures(frame.format(written))
    assert any(written in figure.text for figure in found)


def test_average_and_peak_are_told_apart() -> None:
    found = read_figures(
        "On a normal day 900 orders a minute, on Black Friday 3,000 orders a minute."
    )
    assert [(f.text, f.peak) for f in found] == [
        ("900 orders a minute", False), ("3,000 orders a minute", True),
    ]  # fmt: skip


def test_the_larger_of_two_rates_is_the_peak_where_no_word_says_so() -> None:
    found = read_figures("We see 50 orders per second. Our shop once had 400 orders per second.")
    assert {f.text: f.peak for f in found} == {
        "50 orders per second": False, "400 orders per second": True,
    }  # fmt: skip


def test_today_and_target_are_told_apart() -> None:
    found = read_figures(
        "The current hosting is 52,000 EUR a month, the target is 38,000 EUR a month."
    )
    assert [(f.text, f.current) for f in found] == [
        ("38,000 EUR a month", False), ("52,000 EUR a month", True),
    ]  # fmt: skip


def test_a_number_without_its_noun_takes_that_of_the_one_before() -> None:
    found = read_figures("We have 18,000 units with sensors in the field today and expect 65,000.")
    assert [(f.text, f.value, f.current) for f in found] == [
        ("65,000", 65_000, False), ("18,000 units", 18_000, True),
    ]  # fmt: skip


def test_a_price_per_unit_becomes_the_budget_of_a_month() -> None:
    found = read_figures(
        "We have 20,000 devices. We cannot go above 1.50 EUR per device and month, all in."
    )
    budget = next(f for f in found if f.measure is Measure.BUDGET)
    assert (budget.value, budget.unit) == (30_000, "EUR")


def test_a_saving_becomes_a_budget_where_the_cost_of_today_is_known() -> None:
    found = read_figures("Cost today is 31k USD a month. Finance wants at least 25 % less.")
    budget = next(f for f in found if f.measure is Measure.BUDGET and not f.current)
    assert (budget.text, budget.value, budget.unit) == ("25 % less", 23_250, "USD")


def test_the_demand_that_sizes_the_design_comes_first() -> None:
    found = read_figures(
        "Some 600 documents change per day. On a bad day 15 questions a second are asked."
    )
    rates = [f.text for f in found if f.measure is Measure.THROUGHPUT]
    assert rates[0] == "15 questions a second"
