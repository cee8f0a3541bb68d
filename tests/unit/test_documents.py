"""Readers of Deliverables: what they find, what they pass over, and that none is slow or fails."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents import (
    Link,
    bare_title,
    fences,
    links,
    list_items,
    mermaid_blocks,
    normalise,
    parse_components,
    parse_flowchart,
    parse_requirements,
    parse_selection,
    plain,
    requirement_ids,
    requirement_references,
    section,
    sections,
    split_product,
    table_rows,
    tables,
    without_colophon,
)
from engine.markdown import has_content, left_open


def test_sections_reach_to_the_next_heading_of_the_same_or_a_higher_level() -> None:
    found = sections("# T\nintro\n## A\na\n### A1\na1\n## B\nb\n")
    assert [(s.level, s.title, s.line) for s in found] == [
        (1, "T", 1),
        (2, "A", 3),
        (3, "A1", 5),
        (2, "B", 7),
    ]
    assert found[0].body == "intro\n## A\na\n### A1\na1\n## B\nb"
    assert found[1].body == "a\n### A1\na1"
    assert found[3].body == "b"


def test_the_end_of_a_section_is_the_last_line_of_its_body() -> None:
    found = sections("## A\na\n\n## B\nb")
    assert [(s.line, s.end) for s in found] == [(1, 3), (4, 5)]


@pytest.mark.parametrize(
    "text",
    [
        "```\n## No\n```",
        "~~~~ md\n## No\n~~~\n~~~~",
        "  ```sh\n  ## No\n  ```",
        "1. step\n\n   ```sh\n   ## No\n   ```",
        "```\n## No, and the fence is never closed",
        "<!-- a\n## No\n-->",
        "#No space",
        "####### seven",
        "    ## indented code",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert sections(text) == ()


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## A ##", "A"),
        ("##  A  ", "A"),
        ("## C#", "C#"),
        ("## ", ""),
        ("##", ""),
        ("   ## A", "A"),
        ("## A\r", "A"),
        ("## 2.1. **A**", "2.1. **A**"),
    ],
)
def test_titles(line: str, title: str) -> None:
    assert [s.title for s in sections(line)] == [title]


def test_inline_code_of_three_backticks_opens_no_fence() -> None:
    assert [s.title for s in sections("```a```\n## A")] == ["A"]


def test_a_section_is_found_whatever_its_numbering_emphasis_and_case() -> None:
    md = "### current state\nnested\n## 2.3. **Current State**\nhigher\n"
    found = section(md, "Current state")
    assert found is not None
    assert found.body == "higher"
    assert section(md, "Dependencies") is None
    assert bare_title("4.1. X mapping") == "x mapping"


def test_fences_know_their_language_and_text() -> None:
    md = "```Mermaid x\na\n```\n~~~\nb\n```\n~~~\n````\n```\nc"
    assert [(f.language, f.text, f.line) for f in fences(md)] == [
        ("mermaid", "a", 1),
        ("", "b\n```", 4),
        ("", "```\nc", 8),
    ]
    assert mermaid_blocks(md) == ("a",)


def test_a_table_has_rows_as_wide_as_its_header() -> None:
    table = table_rows("| A | B |\n|:--|--:|\n| a \\| b | x<br/>y |\n| short |\n| 1 | 2 | 3 |\n")
    assert table.header == ("A", "B")
    assert table.rows == (("a | b", "x\ny"), ("short", ""), ("1", "2"))
    assert table.column("b") == 1
    assert table.column("nope") is None
    assert table.column_starting("A") == 0


@pytest.mark.parametrize(
    "text",
    [
        "| A | B |\n|---|\n| 1 | 2 |",
        "| A | B |\nno delimiter",
        "```\n| A |\n|---|\n| 1 |\n```",
        "---\n---",
        "",
    ],
)
def test_what_is_no_table(text: str) -> None:
    assert table_rows(text).header == ()


def test_tables_end_at_blank_lines_and_headings_and_need_no_outer_pipes() -> None:
    found = tables("A | B\n--- | ---\n1 | 2\n\n| C |\n|---|\n| 3 |\n## H\n| 4 |\n")
    assert [t.rows for t in found] == [(("1", "2"),), (("3",),)]


def test_list_items_join_their_lines() -> None:
    body = "- one\n  more\n* [ ] two\n  - nested\n1) three\n\nprose\n- ~~~\n"
    assert list_items("- one\n  more\n* [ ] two\n  - nested\n1) three\n\nprose\n") == (
        "one more",
        "two",
        "nested",
        "three",
    )
    assert list_items(body, ordered=True) == ("three",)
    assert list_items("- a\n1. b", ordered=False) == ("a",)


def test_links_are_found_outside_code() -> None:
    md = (
        '[a](https://x.y/z "t") and <https://q.r> and ![i](https://im.g)\n'
        "```\n[no](https://no)\n```\n[b](https://e.f/g_(h))"
    )
    assert links(md) == (
        Link("a", "https://x.y/z"),
        Link("", "https://q.r"),
        Link("i", "https://im.g"),
        Link("b", "https://e.f/g_(h)"),
    )


def test_plain_and_normalise() -> None:
    assert plain("**[Run](https://x)** `a_b` _c_ d_e<br>f") == "Run a_b c d_e\nf"
    assert normalise("  **Cloud\u00a0 Run**\n ﬁx ") == "cloud run fix"


def test_requirements_are_defined_by_list_items_and_rows_of_their_sections() -> None:
    md = (
        "## Functional requirements\n- **FR-1**: first\n  goes on\n* FR-2 — second\n"
        "- [FR-3] third\n- FR-x not one\n\n"
        "## Non-functional requirements\n| ID | Requirement |\n|--|--|\n"
        "| **NFR-SEC-1** | sealed |\n| `NFR-REL-12` | back in 1 h |\n\n"
        "## Assumptions\n- FR-1 means HTTPS\n"
    )
    found = parse_requirements(md)
    assert [(r.id, r.area, r.text) for r in found] == [
        ("FR-1", "FR", "first goes on"),
        ("FR-2", "FR", "second"),
        ("FR-3", "FR", "third"),
        ("NFR-SEC-1", "SEC", "sealed"),
        ("NFR-REL-12", "REL", "back in 1 h"),
    ]
    assert [r.functional for r in found] == [True, True, True, False, False]


def test_repeated_ids_are_kept_by_the_parser_and_once_in_the_ids() -> None:
    md = "- FR-1: a\n- FR-1: b\n"
    assert [r.text for r in parse_requirements(md)] == ["a", "b"]
    assert requirement_ids(md) == ("FR-1",)


def test_references_are_whole_ids() -> None:
    text = "FR-1, NFR-SEC-2/FR-3; XFR-4 FR-5a FR-6-b nfr-sec-7 NFR-8 FR-1."
    assert requirement_references(text) == ("FR-1", "NFR-SEC-2", "FR-3")


def test_components() -> None:
    md = (
        "## Components\n\n| Id | Component | Responsibility | Serves |\n|--|--|--|--|\n"
        "| **C-1** | Web | shows | FR-1, NFR-SEC-1 |\n| C-2 | Db | keeps | |\n"
    )
    assert [(c.id, c.name, c.responsibility, c.serves) for c in parse_components(md)] == [
        ("C-1", "Web", "shows", ("FR-1", "NFR-SEC-1")),
        ("C-2", "Db", "keeps", ()),
    ]
    assert parse_components("## Components\n\nnone\n") == ()


def test_selection_rows_in_the_words_of_a_template() -> None:
    md = (
        "## Product mapping\n| Component | Recommended X product/feature | Justification | "
        "Alternatives | Pros and cons |\n|--|--|--|--|--|\n"
        "| **C-1 Web** | **Run** — 2 instances | FR-1 [d](https://d.x/y) | A; B (small) | "
        "**A** Pros: p Cons: c<br>**B** Pros: p Cons: c |\n| Mail | Relay | | | |\n"
    )
    first, second = parse_selection(md)
    assert (first.component_id, first.component) == ("C-1", "Web")
    assert (first.product, first.note) == ("Run", "2 instances")
    assert first.alternatives == ("A", "B (small)")
    assert first.citations == (Link("d", "https://d.x/y"),)
    assert first.justification == "FR-1 d"
    assert first.pros_cons == "**A** Pros: p Cons: c\n**B** Pros: p Cons: c"
    assert (second.component_id, second.component, second.product) == ("", "Mail", "Relay")
    assert second.alternatives == ()


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Run", ("Run", "")),
        ("**Run** – small - really", ("Run", "small - really")),
        ("[Run](https://x) — n", ("Run", "n")),
        ("Multi-region Store", ("Multi-region Store", "")),
    ],
)
def test_split_product(cell: str, expected: tuple[str, str]) -> None:
    assert split_product(cell) == expected


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n\n_Drafted by a machine._\n", "a"),
        ("a\n*Note.*", "a"),
        ("a\n- _b_ and _c_", "a\n- _b_ and _c_"),
        ("a\n_b_ and _c_", "a\n_b_ and _c_"),
        ("a\n**bold end**", "a\n**bold end**"),
        ("a\n___", "a\n___"),
        ("", ""),
    ],
)
def test_a_last_line_in_emphasis_is_the_colophon(text: str, left: str) -> None:
    assert without_colophon(text) == left


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("text", True),
        ("### deeper\n\ntext", True),
        ("```\ncode\n```", True),
        ("", False),
        ("\n \n", False),
        ("### deeper", False),
        ("<!-- later -->", False),
        ("```\n\n```", False),
    ],
)
def test_has_content(body: str, expected: bool) -> None:
    assert has_content(body) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", None),
        ("```\na\n```", None),
        ("```\na\n```\n```\nb", (4, "code block")),
        ("a\n~~~\n```", (2, "code block")),
        ("<!-- a -->", None),
        ("<!-- a\n-->\nb", None),
        ("<!-- a -->\n\n<!-- b\n\nc", (3, "comment")),
    ],
)
def test_what_is_left_open(text: str, expected: tuple[int, str] | None) -> None:
    assert left_open(text) == expected


# fmt: off
_PIECES = st.sampled_from([
    "#", "`", "~~~", "|", "-", "1.", "[", "](", ")", "<!--", "-->", "\\", "*", "_", "FR-1", "C-1",
    "é", '"', "{{", "([", "])", "&", ";", "x", "<br>", "--", "-.", "@{", "%%", " ", "\n", "\r\n",
    "## A\n", "```\n", "| a |\n|--|\n", "- ", "subgraph ", "end\n", "graph TD\n",
])
_TEMPTING = [
    "[", "[a](", '[a](b "', "`", "_", "_a", "*", "|", "\\", "<!--", "#", "-", ".", "<", "FR-", "~",
    "A[", 'A["', "A --> ", "A & ", "A -- ", "A -. ", "A -->|", "(", "\n\n", "- [ ] ",
    "subgraph a\n",
]
# fmt: on


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_no_reader_ever_fails(text: str) -> None:
    found = sections(text)
    assert all(1 <= part.line <= part.end <= text.count("\n") + 1 for part in found)
    for reader in (tables, list_items, links, fences, parse_requirements, parse_selection):
        assert isinstance(reader(text), tuple)
    parse_components(text)
    chart = parse_flowchart(text)
    assert set(chart.orphans()) <= set(chart.nodes)
    assert len(without_colophon(text)) <= len(text)


@pytest.mark.parametrize("piece", _TEMPTING)
def test_time_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    """Much of what tempts a pattern to look back; a quadratic reader never ends here."""
    text = piece * (300_000 // len(piece))
    chart = "flowchart TD\n" + text
    for reader in (sections, tables, list_items, links, fences, parse_requirements, plain):
        reader(text)
    parse_flowchart(chart).orphans()
