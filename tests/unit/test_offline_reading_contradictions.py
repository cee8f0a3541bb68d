"""Contradictions: every rule finds its own pair, and leaves a request alone that has none."""

from __future__ import annotations

import pytest

from agents.offline.facts import Facts
from agents.offline.reading import read
from agents.offline.reading.contradictions import RULES
from providers.bundle import load_bundle

BUNDLE = load_bundle("gcp")


def understood(text: str) -> Facts:
    return read(text, catalogue=BUNDLE.catalogue, regions=BUNDLE.regions)


PAIRS: list[tuple[str, str, str]] = [
    ("RPO zero, budget 900 EUR a month.", "RPO zero", "900 EUR a month"),
    ("We set RPO zero. Single region is fine.", "RPO zero", "Single region"),
    ("The environment has no internet access. It fetches rates from the public API of a bank.",
     "no internet access", "public API"),
    ("No personal data may leave the EU. Please host it in us-east1.", "leave the EU", "us-east1"),
    ("Move the shop with zero downtime. It must be one cut-over on a single weekend.",
     "zero downtime", "one cut-over"),
    ("99.999 % availability is needed. Budget is 3,000 USD a month.", "99.999 %", "3,000 USD"),
    ("We keep 400 TB of scans. Budget is 900 USD a month.", "400 TB", "900 USD a month"),
    ("Dashboards must be real-time. The ERP lets us extract once a night.",
     "real-time", "once a night"),
    ("Serverless only, please. One part is a Windows service on .NET Framework.",
     "Serverless only", "Windows service"),
    ("It must run on Kubernetes. Nobody knows Kubernetes here.", "must run on", "Nobody knows"),
    ("99.95 % availability for the API. One server is enough for us.", "99.95 %", "One server"),
    ("RTO 30 minutes for everything. There is no on-call at night.", "RTO 30", "no on-call"),
    ("Readings can be neither changed nor deleted. Deletion requests take 30 days.",
     "neither changed", "Deletion requests"),
    ("Migrate 60 TB of files to the cloud. It must be live in 2 weeks.", "2 weeks", "60 TB"),
    ("The tool is staff only. Price lists are on a public website for everyone.",
     "staff only", "public website"),
    ("99.99 % availability, always. RTO 4 h is what we plan.", "99.99 %", "RTO 4 h"),
    ("RTO 1 h says the mail. RTO 4 h says the contract.", "RTO 1 h", "RTO 4 h"),
    ("Connect the meters with Cloud IoT Core, please.", "Cloud IoT Core", "Cloud IoT Core is"),
    ("There must be no vendor lock-in. Please use BigQuery for reports.", "lock-in", "BigQuery"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "first", "second"), PAIRS)
def test_a_rule_finds_its_pair(text: str, first: str, second: str) -> None:
    found = understood(text).contradictions
    pairs = [(c.first, c.second) for c in found]
    assert any(first in a and second in b for a, b in pairs), pairs
    assert all(c.why and c.suggestion for c in found)


def test_each_rule_has_its_pair() -> None:
    assert len(PAIRS) == len(RULES) == 19


@pytest.mark.parametrize(
    "text",
    [
        "A shop with 99.9 % availability, RTO 4 h, RPO 15 minutes, 4,000 EUR a month in Frankfurt.",
        "We load data once a night for reports of the next morning, 3 TB, 2,000 EUR a month.",
        "Move 20 virtual machines in six months, step by step, with a window on each weekend.",
        "Customers use a public website; data must stay in Germany, in Frankfurt or Berlin.",
        "Budget 50,000 EUR a month, RPO zero, two regions, 99.99 % availability, RTO 5 minutes.",
    ],
)
def test_a_sound_request_has_none(text: str) -> None:
    assert understood(text).contradictions == ()


def test_two_statements_of_one_sentence_are_told_apart() -> None:
    found = understood(
        "There must be zero downtime for the shop during the move, and they want one cut-over."
    ).contradictions
    assert [(c.first, c.second) for c in found] == [
        ("There must be zero downtime for the shop during the move", "they want one cut-over")
    ]


def test_the_explanation_speaks_of_the_figures_of_the_request() -> None:
    (found,) = understood("99.999 % availability. Budget is 3,000 USD a month.").contradictions
    assert "26.3 s" in found.why
    assert "3,000 USD a month" in found.why
