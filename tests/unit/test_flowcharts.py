"""The Mermaid reader: every node shape, every link, subgraphs, and what it passes over."""

import pytest

from engine.flowcharts import Edge, parse_flowchart


@pytest.mark.parametrize(
    ("shape", "label"),
    [
        ("a[Web]", "Web"),
        ("a(Web)", "Web"),
        ("a([Web])", "Web"),
        ("a[[Web]]", "Web"),
        ("a[(Web)]", "Web"),
        ("a((Web))", "Web"),
        ("a(((Web)))", "Web"),
        ("a{Web}", "Web"),
        ("a{{Web}}", "Web"),
        ("a>Web]", "Web"),
        ("a[/Web/]", "Web"),
        ("a[\\Web/]", "Web"),
        ('a["Web (public) [x]"]', "Web (public) [x]"),
        ('a[("Orders; 1.4 TB")]', "Orders; 1.4 TB"),
        ('a["`**Web**`"]', "**Web**"),
        ('a["Run Box<br/>order  intake"]', "Run Box\norder intake"),
        ("a[one<BR>two]", "one\ntwo"),
        ("a[x &amp; y #quot;z#quot; #35;1]", 'x & y "z" #1'),
        ('a@{ shape: cyl, label: "Db" }', "Db"),
        ("a@{ shape: cyl }", "a"),
        ("a[Web]:::hot", "Web"),
        ("a:::hot", "a"),
        ("a", "a"),
    ],
)
def test_shapes(shape: str, label: str) -> None:
    chart = parse_flowchart(f"flowchart LR\n  {shape} --> b\n")
    assert chart.nodes == {"a": label, "b": "b"}
    assert chart.edges == (Edge("a", "b"),)


@pytest.mark.parametrize(
    ("link", "label"),
    [
        ("-->", ""),
        ("---", ""),
        ("----->", ""),
        ("-.->", ""),
        ("-.-", ""),
        ("==>", ""),
        ("~~~", ""),
        ("--x", ""),
        ("--o", ""),
        ("<-->", ""),
        ("x--x", ""),
        ("-->|HTTPS, v1|", "HTTPS, v1"),
        ("-->| orders |", "orders"),
        ('-->|"a; b"|', "a; b"),
        ("-- orders -->", "orders"),
        ("-. async .->", "async"),
        ("== much ==>", "much"),
        ('-- "writes --> x" -->', "writes --> x"),
        ("e1@-->", ""),
    ],
)
def test_links(link: str, label: str) -> None:
    chart = parse_flowchart(f"graph TD\nfirst {link} second")
    assert chart.edges == (Edge("first", "second", label),)
    assert tuple(chart.nodes) == ("first", "second")


def test_chains_and_groups() -> None:
    chart = parse_flowchart("flowchart TD; A --> B --> C; D & E-->F & G-2")
    assert [(e.source, e.target) for e in chart.edges] == [
        ("A", "B"),
        ("B", "C"),
        ("D", "F"),
        ("D", "G-2"),
        ("E", "F"),
        ("E", "G-2"),
    ]


def test_links_need_no_spaces() -> None:
    chart = parse_flowchart("graph LR\nweb-app-->db_1\nA-.->B==>C---D")
    assert [(e.source, e.target) for e in chart.edges] == [
        ("web-app", "db_1"),
        ("A", "B"),
        ("B", "C"),
        ("C", "D"),
    ]


def test_what_is_no_node_is_passed_over() -> None:
    chart = parse_flowchart(
        "---\ntitle: T\n---\n%%{init: {}}%%\n%% note --> x\nflowchart TB\n"
        "  direction LR\n  A --> B %% after\n  style A fill:#fff\n"
        '  classDef hot fill:#f00,stroke:#000;\n  class A,B hot\n  click A "https://x.y" _blank\n'
        "  linkStyle 0 stroke:red\n  accTitle: words here\n"
    )
    assert chart.header == "flowchart"
    assert chart.nodes == {"A": "A", "B": "B"}
    assert len(chart.edges) == 1


def test_keywords_may_be_ids() -> None:
    chart = parse_flowchart("graph TD\nclass[Lesson] --> style\nendpoint --> clickhouse")
    assert chart.nodes == {
        "class": "Lesson",
        "style": "style",
        "endpoint": "endpoint",
        "clickhouse": "clickhouse",
    }


def test_subgraphs_hold_nodes_and_count_as_ends_of_edges() -> None:
    chart = parse_flowchart(
        "flowchart TD\nsubgraph vpc [Main net]\n  a\n  subgraph inner\n    b\n  end\nend\n"
        'subgraph "Other place"\n  c\nend\nuser --> vpc\nlonely[Lonely]\n'
    )
    assert [(s.id, s.title, s.members) for s in chart.subgraphs] == [
        ("vpc", "Main net", ("a", "inner")),
        ("inner", "inner", ("b",)),
        ("Other place", "Other place", ("c",)),
    ]
    assert "vpc" not in chart.nodes
    assert chart.orphans() == ("c", "lonely")


def test_a_later_label_stands_and_a_bare_mention_keeps_it() -> None:
    chart = parse_flowchart("graph TD\nA --> B\nA[First]\nB --> A")
    assert chart.nodes == {"A": "First", "B": "B"}


def test_large_groups_stay_linked_without_linking_all_to_all() -> None:
    many = " & ".join(f"n{i}" for i in range(300))
    chart = parse_flowchart(f"graph TD\n{many} --> {many.replace('n', 'm')}")
    assert chart.orphans() == ()
    assert len(chart.edges) == 600


@pytest.mark.parametrize("text", ["", "sequenceDiagram\nA->>B: x", "pie\n", "graphic TD\nA-->B"])
def test_other_diagrams_are_empty(text: str) -> None:
    chart = parse_flowchart(text)
    assert chart.header == ""
    assert chart.nodes == {}
