"""Diagrams read and rendered by mermaid itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from xml.etree import ElementTree

import pytest

from agents.tools import mermaid
from agents.tools.mermaid import MermaidEdge, MermaidFailed, check_mermaid, render_svg
from engine.flowcharts import parse_flowchart

DIAGRAM = """flowchart LR
  user(["Customers"]) --> lb["Cloud Load Balancing<br/>global, with Cloud Armor"]
  subgraph region["europe-west3"]
    api["Cloud Run (orders-api)"]
    subgraph data["Data"]
      db[("Cloud SQL")]
      cache{{"Memorystore"}}
    end
  end
  lb -->|HTTPS| api
  api -- reads --> db
  api -.-> cache
  jobs@{ shape: procs, label: "Cloud Run jobs" } ==> db
  api --> bus & log[Cloud Logging]
  %% a comment
  bus["Pub/Sub &amp; more"]
"""


def test_nodes_labels_edges_and_groups() -> None:
    report = check_mermaid(DIAGRAM)
    assert report.valid
    assert report.errors == ()
    assert report.kind.startswith("flowchart")
    assert report.nodes == {
        "user": "Customers",
        "lb": "Cloud Load Balancing\nglobal, with Cloud Armor",
        "api": "Cloud Run (orders-api)",
        "db": "Cloud SQL",
        "cache": "Memorystore",
        "jobs": "Cloud Run jobs",
        "bus": "Pub/Sub & more",
        "log": "Cloud Logging",
    }
    assert report.groups == {"region": "europe-west3", "data": "Data"}
    assert MermaidEdge(source="lb", target="api", label="HTTPS") in report.edges
    assert MermaidEdge(source="api", target="db", label="reads") in report.edges
    assert MermaidEdge(source="api", target="log") in report.edges
    assert report.orphans == ()


def test_the_contracts_own_reader_sees_the_same_diagram() -> None:
    report, read = check_mermaid(DIAGRAM), parse_flowchart(DIAGRAM)
    assert dict(read.nodes) == report.nodes
    assert {(e.source, e.target) for e in read.edges} == {
        (e.source, e.target) for e in report.edges
    }
    assert set(read.orphans()) == set(report.orphans)


def test_orphans_are_nodes_that_no_edge_reaches() -> None:
    text = "flowchart LR\n  a --> s\n  subgraph s\n    subgraph t\n      b\n    end\n  end\n  c\n"
    assert check_mermaid(text).orphans == ("c",)


def test_a_fence_around_the_diagram_is_no_matter() -> None:
    assert check_mermaid("```mermaid\nflowchart LR\n  a --> b\n```\n").nodes == {"a": "a", "b": "b"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("hello", "Begin with a line such as: flowchart LR"),
        ("\ud800", "Begin with"),
        ("flowchart LR\n  a[Cloud Run (api)] --> b", "in double quotes"),
        ("flowchart LR\n  a[x --> b", "Parse error on line"),
        ("flowchart LR\n" + "a" * 60_000, "at most 50000"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    report = check_mermaid(text)
    assert not report.valid
    assert words in report.errors[0]
    assert len(report.errors[0]) < 900


def test_other_diagram_types_are_valid_and_have_no_nodes() -> None:
    report = check_mermaid("sequenceDiagram\n  a->>b: hello\n")
    assert (report.valid, report.kind, report.nodes) == (True, "sequence", {})


def test_a_diagram_that_takes_too_long_is_given_up_and_the_next_one_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mermaid, "TIME_LIMIT_SECONDS", 1)
    chain = "\n".join(f'  a{n}["step {n}"] --> a{n + 1}' for n in range(480))
    report = check_mermaid("flowchart LR\n" + chain)
    assert not report.valid
    assert "did not finish within 1 s" in report.errors[0]
    assert check_mermaid("flowchart LR\n  after --> it").valid


def test_a_diagram_cannot_leave_anything_for_the_next() -> None:
    check_mermaid('%%{init: {"theme": "dark"}}%%\nflowchart LR\n  a["one"] --> b\n  class a x\n')
    assert check_mermaid("flowchart LR\n  b --> c\n").nodes == {"b": "b", "c": "c"}


@pytest.mark.parametrize("label", ["`); globalThis.__found = 1; (`", "${x}", "\u2028", "'+x+'"])
def test_text_is_only_data(label: str) -> None:
    report = check_mermaid(f'flowchart LR\n  a["x {label} end"] --> b\n')
    assert report.valid
    assert report.nodes["a"].endswith("end")


def test_svg_holds_the_labels() -> None:
    svg = render_svg(DIAGRAM)
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert "Cloud Run (orders-api)" in svg
    assert check_mermaid("flowchart LR\n  still --> works").valid


def test_rendering_what_does_not_parse_raises() -> None:
    with pytest.raises(MermaidFailed, match="Parse error"):
        render_svg("flowchart LR\n  a[x")
    with pytest.raises(MermaidFailed, match="empty"):
        render_svg("")


def test_threads_share_one_engine() -> None:
    texts = [f"flowchart LR\n  a{n} --> b{n}" for n in range(12)]
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(check_mermaid, texts))
    assert [set(r.nodes) for r in reports] == [{f"a{n}", f"b{n}"} for n in range(12)]
    assert mermaid._started_engine.cache_info().currsize == 1


def test_the_pinned_version_is_the_one_whose_engine_this_module_knows() -> None:
    assert version("mermaidx") == "0.10.1"
