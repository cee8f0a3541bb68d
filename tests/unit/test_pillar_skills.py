"""The six pillar Skills: every page is reached, concrete, and rests on official documentation.

What a pillar-advisor relies on:

- each Skill passes `check_skill` and stays short enough to be loaded whole;
- each page under ``references/`` is linked from SKILL.md, and each has figures with a unit;
- links lead to official documentation only, and each page names at least one;
- tables have as many cells in each row as in their head, so that no figure slips a column.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt

from agents.skills import check_skill, list_parts, load_skill, read_part
from engine.deliverables import Pillar

SKILLS = Path(__file__).parents[2] / "skills"
OFFICIAL = ("docs.cloud.google.com", "cloud.google.com")
LONGEST_SKILL = 150
LONGEST_PAGE = 110
FEWEST_FIGURES = 6

FIGURE = re.compile(
    r"(?<![\w.])\d[\d,.]*\s?"
    r"(?:%|ms|s|min|h|days?|weeks?|months?|years?|times|KB|MB|GB|TB|KiB|MiB|GiB|TiB|g/kWh"
    r"|requests|reads|writes|attempts|vCPUs?|IOPS|slots|nodes|zones|Gbit/s|tokens|questions"
    r"|characters|random bits|tool calls|policies|public addresses|user-managed keys)"
    r"(?!\w)"
)
SLOGANS = ("best-in-class", "world-class", "seamless", "cutting-edge", "leverage", "robust")

PAGES = [
    pytest.param(pillar, part, id=f"{pillar}-{Path(part).stem}")
    for pillar in Pillar
    for part in list_parts(load_skill(SKILLS / f"google-cloud-waf-{pillar}"))
]


def folder(pillar: Pillar) -> Path:
    return SKILLS / f"google-cloud-waf-{pillar}"


def links(text: str) -> list[str]:
    """The targets of all links, in order; autolinks and bare addresses included."""
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    named = [str(child.attrGet("href")) for child in inline if child.type == "link_open"]
    return named + [
        bare for bare in re.findall(r"(?<![(\w])https?://[^\s)>\]]+", text) if bare not in named
    ]


def cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", row))) - 1


@pytest.mark.parametrize("pillar", Pillar)
def test_each_pillar_has_a_valid_short_skill(pillar: Pillar) -> None:
    assert check_skill(folder(pillar)) == []
    skill = load_skill(folder(pillar))
    assert skill.metadata["pillar"] == pillar
    assert len(skill.body.splitlines()) <= LONGEST_SKILL
    for heading in ("Read the requirements", "Trade-offs", "Refuse", "References", "good item"):
        assert re.search(rf"^## .*{heading}", skill.body, re.M), f"{skill.name} lacks {heading}"


@pytest.mark.parametrize("pillar", Pillar)
def test_the_example_item_keeps_the_contract(pillar: Pillar) -> None:
    """A model copies what it is shown: requirement id, figure and citation must be in there."""
    section = load_skill(folder(pillar)).body.split("good item looks like", 1)[1]
    example = "\n".join(line for line in section.split("\n## ")[0].splitlines() if "> " in line)
    assert example.startswith("> - **")
    assert re.search(r"\((?:N?FR-[\w-]+|NFR-[A-Z]+-\d+)", example)
    assert FIGURE.search(example) or re.search(r"\d", example)
    assert any(urlsplit(link).hostname in OFFICIAL for link in links(example))


@pytest.mark.parametrize("pillar", Pillar)
def test_every_page_is_linked_from_the_skill(pillar: Pillar) -> None:
    skill = load_skill(folder(pillar))
    pages = {part for part in list_parts(skill) if part.startswith("references/")}
    assert "references/checklist.md" in pages
    assert pages <= set(links(skill.body)), pages - set(links(skill.body))


@pytest.mark.parametrize(("pillar", "part"), PAGES)
def test_every_page_has_figures_with_units(pillar: Pillar, part: str) -> None:
    text = read_part(load_skill(folder(pillar)), part)
    prose = re.sub(r"https?://\S+", "", text)
    assert len(FIGURE.findall(prose)) >= FEWEST_FIGURES, part
    assert len(text.splitlines()) <= LONGEST_PAGE
    assert not [word for word in SLOGANS if re.search(rf"\b{word}\b", text, re.I)]


@pytest.mark.parametrize(("pillar", "part"), PAGES)
def test_every_page_rests_on_official_pages(pillar: Pillar, part: str) -> None:
    text = read_part(load_skill(folder(pillar)), part)
    outside = [link for link in links(text) if "://" in link]
    assert outside, f"{part} names no source"
    for link in outside:
        parts = urlsplit(link)
        assert (parts.scheme, parts.hostname) in {("https", host) for host in OFFICIAL}, link
        assert (parts.query, parts.fragment) == ("", ""), link


@pytest.mark.parametrize("pillar", Pillar)
def test_tables_are_whole(pillar: Pillar) -> None:
    skill = load_skill(folder(pillar))
    for part in ("SKILL.md", *list_parts(skill)):
        for above, row in pairwise(read_part(skill, part).splitlines()):
            if above.startswith("|") and row.startswith("|"):
                assert cells(row) == cells(above), f"{part}: {row}"


@pytest.mark.parametrize("pillar", Pillar)
def test_checks_are_numbered_without_gaps_and_only_read(pillar: Pillar) -> None:
    text = read_part(load_skill(folder(pillar)), "references/checklist.md")
    numbers = [int(n) for n in re.findall(r"^\| (\d+) \|", text, re.M)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 15
    for command in re.findall(r"`((?:gcloud|bq|kubectl) [^`]+)`", text):
        plain = re.sub(r"""(["']).*?\1""", "", command)
        changing = r"\b(create|update|delete|apply|set|add|remove|patch|deploy|rm|mk|cp)\b(?!-)"
        verbs = re.sub(r"--\S+|gcloud deploy", "", plain)
        assert not re.search(changing, verbs), command
