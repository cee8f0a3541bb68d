"""The contracts with the real bundle: its catalogue, its template and the prepared checkers."""

from dataclasses import replace
from functools import cache

import pytest

from agents.tools.checkers import PreparedCheckers
from engine.contracts import GUIDE_MAP, CatalogueLike, Checkers, check, template_headings
from engine.deliverables import Kind
from providers.bundle import Bundle, load_bundle
from tests.unit.contracts_samples import GOOD, REQUEST, changed, codes, context


@cache
def bundle() -> Bundle:
    return load_bundle("gcp")


def real(kind: Kind, request: str = REQUEST):  # type: ignore[no-untyped-def]
    catalogue: CatalogueLike = bundle().catalogue
    checkers: Checkers = PreparedCheckers()
    found = context(kind, request=request)
    return replace(
        found,
        catalogue=catalogue,
        docs_hosts=bundle().docs_hosts,
        checkers=checkers,
        template=bundle().output_template_path.read_text(encoding="utf-8"),
    )


def test_the_template_has_a_place_for_every_part_of_the_guide() -> None:
    headings = template_headings(bundle().output_template_path.read_text(encoding="utf-8"))
    placed = {heading.part.title for heading in headings if heading.part}
    assert placed == {part.title for part in GUIDE_MAP}
    assert [heading.level for heading in headings if heading.open] == [1]
    assert len(headings) == 24


@pytest.mark.parametrize(
    ("words", "request_text", "expected"),
    [
        ("Cloud SQL", "Move our orders.", {"product_named"}),
        ("GKE", "Move our orders.", {"product_named"}),
        ("GKE", "Move our orders to google kubernetes engine.", set()),
        ("Cloud SQL", "It runs on cloud sql today.", set()),
        ("Google Cloud", "Move our orders to Google Cloud.", set()),
        ("the pub", "Move our orders.", set()),
    ],
)
def test_products_of_the_catalogue_in_requirements(
    words: str, request_text: str, expected: set[str]
) -> None:
    submission = changed(Kind.REQUIREMENTS, "An order API", f"An order API with {words}")
    assert codes(check(submission, real(Kind.REQUIREMENTS, REQUEST + request_text))) == expected


def test_a_retired_product_of_the_catalogue_is_refused_by_any_of_its_names() -> None:
    retired = bundle().catalogue.retired()
    assert retired
    for product in retired:
        for name in (product.name, *product.aliases):
            submission = changed(Kind.PRODUCT_SELECTION, "| Topic Bus |", f"| {name} — x |")
            found = check(submission, real(Kind.PRODUCT_SELECTION))
            named = [p for p in found if p.code == "product_retired"]
            assert named, name
            assert f"its successor is {product.successor}" in named[0].message


def test_the_real_mermaid_checker_reads_the_sample() -> None:
    found = check(GOOD[Kind.ARCHITECTURE_DIAGRAM], real(Kind.ARCHITECTURE_DIAGRAM))
    assert found == ()
    broken = changed(Kind.ARCHITECTURE_DIAGRAM, "-->|accepted orders|", "-->|accepted")
    assert codes(check(broken, real(Kind.ARCHITECTURE_DIAGRAM))) == {"diagram_syntax"}
