"""What a selection must not get wrong: parts of an industry, sums, orders of cost, small systems.

Each request is read as a person would send it; what is held here are values that can be checked by
hand.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from agents.offline.brief import brief_of
from agents.offline.decomposition import draft_decomposition
from agents.offline.reading import read as read_request
from agents.offline.requirements import facts_from_requirements
from agents.offline.selection_sla import sla_of
from agents.runtime import Answer
from engine.deliverables import Kind
from engine.documents import body_of, parse_components, parse_selection
from tests.support.offline_cases import BY_NAME, bundle, drafted, from_reader, task
from tests.support.offline_facts import Case

HOSPITAL = (
    "A hospital group in Ohio needs a patient portal: appointments and lab results for 410,000 "
    "patients, 120 requests per second at peak. HIPAA applies; PHI must stay in the US. It reads "
    "from Epic over FHIR R4 and HL7 v2 feeds. DICOM images (45 TB) must be viewable within 5 "
    "seconds. RTO 2 hours, RPO 5 minutes. Budget USD 40,000 a month. Team of 11."
)
LEDGER = (
    "We build a payments ledger. 4,000 transactions per second sustained, 12,000 transactions per "
    "second at peak. Availability 99.999 %, RPO zero, RTO 30 seconds even if a region is lost. PCI "
    "DSS, data in the EU only. Balances must be strongly consistent. Encryption keys in our own "
    "external HSM. Reconciliation with 14 banks by SFTP. Fraud scoring within 20 ms in line. "
    "Budget 250,000 EUR a month. Team of 25."
)
VIDEO = (
    "Sports video platform: clubs upload videos, 2,500 uploads a day, each transcoded to 5 "
    "renditions. Peak 80,000 concurrent streams at 4 Mbit/s. Also 30 live matches at the same time "
    "with less than 10 s latency. Geo blocking per league. 6 engineers. Frankfurt."
)
CLUB = (
    "I look after the web site of our rowing club, a tiny static site, a few pages of HTML and "
    "photos, maybe 50 visitors a day. Our own domain and https. We have 20 EUR a month."
)
SHOP = "hello we need something for our shop, maybe 200 orders a day, wix is slow"


@cache
def documents(request: str) -> dict[Kind, str]:
    """Requirements to description of a request."""
    return from_reader(request)


def products(request: str) -> dict[str, set[str]]:
    """Component name to its products."""
    found: dict[str, set[str]] = {}
    for row in parse_selection(documents(request)[Kind.PRODUCT_SELECTION]):
        found.setdefault(row.component.split(" ", 1)[-1], set()).add(row.product)
    return found


def selection(request: str) -> str:
    """The selection's text."""
    return documents(request)[Kind.PRODUCT_SELECTION]


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        (HOSPITAL, {"Cloud Healthcare API", "Cloud Load Balancing"}),
        (LEDGER, {"Spanner", "Gemini Enterprise Agent Platform", "Cloud Billing"}),
        (VIDEO, {"Live Stream API", "Media CDN", "Transcoder API", "Cloud Load Balancing"}),
    ],
)
def test_a_demanding_request_gets_the_products_of_its_industry(
    request_: str, wanted: set[str]
) -> None:
    assert wanted <= set().union(*products(request_).values())


def test_images_are_not_planned_into_the_database() -> None:
    sizes = body_of(selection(HOSPITAL), "Product mapping")
    database = [line for line in sizes.splitlines() if "storage" in line and "Cloud SQL" in line]
    assert not any("45 TB" in line or "56" in line for line in database)
    assert "45 TB of images in the DICOM store" in sizes


def test_keys_that_stay_outside_are_held_by_the_external_key_manager() -> None:
    assert "Cloud External Key Manager" in selection(LEDGER)
    flows = documents(LEDGER)[Kind.TECHNICAL_DECOMPOSITION]
    assert "External HSM ->" in flows
    assert "Banks ->" in flows


def test_the_peak_sizes_and_strict_reads_have_no_cache_before_them() -> None:
    text = selection(LEDGER)
    assert "12,000 transactions a second / 2,500 writes a second a node" in text
    assert "= 5 nodes" in text
    names = {c.name for c in parse_components(documents(LEDGER)[Kind.TECHNICAL_DECOMPOSITION])}
    assert "Fraud scoring" in names
    assert "Read cache" not in names


def test_bandwidth_of_viewers_is_computed_and_paid() -> None:
    assert "80,000 streams x 4 Mbit/s = 320 Gbit/s" in selection(VIDEO)
    assert "traffic to viewers" in selection(VIDEO)
    assert "runs elsewhere" not in selection(VIDEO)  # geo blocking is no wish against lock-in


def test_shared_parts_are_not_squared_and_an_unmet_goal_is_named() -> None:
    trade = body_of(selection(LEDGER), "Trade-offs")
    total = re.search(r"% = (99\.\d+) %, that is", trade)
    assert total is not None
    assert float(total[1]) < 99.99 * 99.99 / 100 + 0.001
    assert "Not met on paper" in trade
    assert "Spanner about" in trade
    assert "with tens" not in trade


def test_documented_availability_has_one_source() -> None:
    catalogue = bundle().catalogue
    assert sla_of(catalogue["Cloud SQL"]) == 99.95
    assert sla_of(catalogue["Cloud SQL"], edition="Enterprise Plus") == 99.99
    assert sla_of(catalogue["Spanner"]) == 99.99
    assert sla_of(catalogue["Spanner"], regions=2) == 99.999
    assert sla_of(catalogue["Cloud Run"]) == catalogue["Cloud Run"].availability_sla


def test_small_systems_stay_small() -> None:
    assert 2 <= len(products(CLUB)) <= 4
    assert len(set().union(*products(CLUB).values())) <= 4
    assert len(products(SHOP)) <= 6
    assert "rented shop (Wix today)" in selection(SHOP)


@pytest.mark.parametrize("request_", [CLUB, SHOP])
def test_a_small_system_asks_nothing_about_components(request_: str) -> None:
    catalogue, regions = bundle().catalogue, bundle().regions
    facts = read_request(request_, catalogue=catalogue, regions=regions)
    case = Case("small", request_, facts)
    known = {Kind.REQUIREMENTS: documents(request_)[Kind.REQUIREMENTS]}
    run = task(case, Kind.TECHNICAL_DECOMPOSITION, interactive=True)
    assert draft_decomposition(run, facts, known, catalogue).questions == ()
    again = facts_from_requirements(known[Kind.REQUIREMENTS], request_)
    assert brief_of(run, again, known).tiny


def test_a_warehouse_switches_no_public_name() -> None:
    rows = parse_selection(drafted("warehouse")[Kind.PRODUCT_SELECTION])
    assert "Cloud DNS" not in {row.product for row in rows}


def test_the_stream_is_read_by_one_pipeline() -> None:
    rows = parse_selection(drafted("clicks")[Kind.PRODUCT_SELECTION])
    assert [row.product for row in rows].count("Dataflow") == 1


def test_all_reads_reach_the_cache_and_a_fifth_the_database() -> None:
    flows = drafted("orders")[Kind.TECHNICAL_DECOMPOSITION]
    assert "all reads are tried here first, up to 2,000 a second" in flows
    assert "2,000 a second x 0.2 = 400 a second arrive here" in flows


def _answered(words: str) -> str:
    case = BY_NAME["orders"]
    told = (Answer(question="Are these the components?", answer=words),)
    run = task(case, Kind.TECHNICAL_DECOMPOSITION, interactive=True, answers=told)
    known = {Kind.REQUIREMENTS: case.requirements}
    return draft_decomposition(run, case.facts, known, bundle().catalogue).content


def test_component_edits_by_id_in_an_answer_are_done() -> None:
    before = parse_components(drafted("orders")[Kind.TECHNICAL_DECOMPOSITION])
    gone, part, host = before[-1], before[7], before[5]
    content = _answered(f"{gone.id} is not needed, and merge {part.id} into {host.id}")
    after = {c.id: c.name for c in parse_components(content)}
    assert len(after) == len(before) - 2
    assert gone.id not in after
    assert part.id not in after
    assert after[host.id].startswith(host.name)


def test_component_edits_that_cannot_be_done_are_reported() -> None:
    content = _answered("merge C-99 into C-98")
    assert "not done: no component answers to “C-99”" in content
