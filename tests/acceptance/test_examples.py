"""All examples, by the real command: they finish, keep their figures, and are no copies.

Also requests that no example resembles: very small, in German, and nearly empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest

from agents.offline.reading import read
from agents.runtime import Attachment
from agents.tools.files import checked
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_schema import iac_schema_check
from agents.tools.mermaid import check_mermaid
from engine.documents import mermaid_blocks, parse_selection
from providers.bundle import load_bundle
from tests.support.command import ROOT, Command

OTHERS = {
    "club": "A static website for our rowing club: news, results, 2,000 visitors a month, 20 EUR.",
    "kunden": "Wir brauchen ein Kundenportal für unsere Stadtwerke in München: 80.000 Kunden, "
    "Rechnungen als PDF, DSGVO, Verfügbarkeit 99,9 %, Start bis Oktober 2027.",
    "vague": "hello we need something for our shop, maybe 200 orders a day, our page is slow",
}
NAMES = [path.stem for path in sorted((ROOT / "examples").glob("*.md"))]


@dataclass(frozen=True)
class Run:
    """One finished run."""

    name: str
    request: str
    folder: Path

    @property
    def guide(self) -> str:
        return (self.folder / "solution-architecture-guide.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    base = tmp_path_factory.mktemp("examples")
    requests = {n: (ROOT / "examples" / f"{n}.md").read_text(encoding="utf-8") for n in NAMES}

    def one(item: tuple[str, str]) -> Run:
        name, request = item
        folder = base / name
        folder.mkdir()
        done = Command(folder)("run", "-", "--pre-approved", "--out", "out", stdin=request)
        assert done.returncode == 0, f"{name}: {done.stderr[-2000:]}"
        return Run(name, request, folder / "out")

    with ThreadPoolExecutor(2) as pool:
        return {run.name: run for run in pool.map(one, (requests | OTHERS).items())}


ALL = [*NAMES, *OTHERS]


@pytest.mark.parametrize("name", ALL)
def test_what_could_be_validated_passed(runs: dict[str, Run], name: str) -> None:
    validation = json.loads((runs[name].folder / "validation.json").read_text())
    assert validation["passed"] is True
    assert [c["id"] for c in validation["checks"] if c["result"] == "failed"] == []


@pytest.mark.parametrize("name", ALL)
def test_terraform_names_no_argument_that_does_not_exist(runs: dict[str, Run], name: str) -> None:
    files = checked(
        [
            Attachment(path=f"terraform/{p.name}", text=p.read_text(encoding="utf-8"))
            for p in sorted((runs[name].folder / "terraform").iterdir())
        ]
    )
    assert iac_schema_check(files).findings == ()
    assert iac_policy_check(files, allow_public=True).passed


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_the_request_turns_up(runs: dict[str, Run], name: str) -> None:
    bundle = load_bundle()
    facts = read(runs[name].request, catalogue=bundle.catalogue, regions=bundle.regions)
    guide = " ".join(runs[name].guide.split())
    missing = [f.text for f in facts.figures if " ".join(f.text.split()) not in guide]
    assert len(facts.figures) >= 8
    assert missing == []


@pytest.mark.parametrize("name", ALL)
def test_the_diagram_parses_and_shows_each_product(runs: dict[str, Run], name: str) -> None:
    blocks = mermaid_blocks(runs[name].guide)
    assert len(blocks) == 1
    report = check_mermaid(blocks[0])
    assert report.valid, report.errors
    rows = parse_selection((runs[name].folder / "product_selection.md").read_text())
    assert rows
    for row in rows:
        assert row.product in blocks[0], row.product


def sentences(guide: str) -> set[str]:
    text = re.sub(r"```.*?```", "", guide, flags=re.DOTALL)
    found: set[str] = set()
    for line in text.splitlines():
        if line.startswith(("#", "**", "_", "| ID", "|---", "| Check", "| Component |", "* [")):
            continue
        for sentence in re.split(r"(?<=[.!?;:])\s+|\s*\|\s*|<br>", line):
            words = re.sub(r"[\W_]+", " ", sentence.lower()).split()
            if len(words) >= 5:
                found.add(" ".join(words))
    return found


def test_two_requests_share_fewer_than_35_percent_of_their_sentences(runs: dict[str, Run]) -> None:
    texts = {name: sentences(run.guide) for name, run in runs.items()}
    shares = {
        (a, b): len(texts[a] & texts[b]) / min(len(texts[a]), len(texts[b]))
        for a, b in combinations(NAMES, 2)
    }
    assert max(shares.values()) < 0.35, max(shares.items(), key=lambda item: item[1])


def test_small_things_stay_small(runs: dict[str, Run]) -> None:
    rows = parse_selection((runs["club"].folder / "product_selection.md").read_text())
    products = {row.product for row in rows}
    assert len(products) <= 6
    assert not products & {"Google Kubernetes Engine", "Spanner", "Cloud SQL", "Compute Engine"}


def test_a_retired_product_is_replaced_and_named(runs: dict[str, Run]) -> None:
    products = {
        row.product
        for run in runs.values()
        for row in parse_selection((run.folder / "product_selection.md").read_text())
    }
    retired = {product.name for product in load_bundle().catalogue.retired()}
    assert not products & retired


def test_the_language_of_a_german_request_is_said(runs: dict[str, Run]) -> None:
    guide = runs["kunden"].guide
    assert "German" in guide
    assert "80.000 Kunden" in guide
    assert "99,9 %" in guide


@pytest.mark.parametrize("name", ALL)
def test_no_guide_claims_to_have_deployed(runs: dict[str, Run], name: str) -> None:
    assert not re.search(
        r"\b(we|has been|was|were) (successfully )?deployed (to|in|on) your", runs[name].guide
    )
    assert "offline planner" in runs[name].guide


def files(run: Run) -> Iterator[Path]:
    yield from (p for p in run.folder.rglob("*") if p.is_file())


@pytest.mark.parametrize("name", ALL)
def test_no_placeholder_and_no_broken_text_is_left(runs: dict[str, Run], name: str) -> None:
    for path in files(runs[name]):
        text = path.read_text(encoding="utf-8")
        assert "{{" not in text, path
        assert "{title}" not in text, path
        assert "within within" not in text, path
        assert "None," not in text, path
