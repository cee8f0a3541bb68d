"""Skills: what the Agent Skills specification asks, and what a hostile or careless folder does.

1. A Skill loads only if its name, keys, body and files follow the specification.
2. Nothing outside of a Skill's folder can be read through it: no link, no path.
3. Of two Skills with one name, the earlier directory's is taken.
4. Every problem names the file and the key.
5. Our own Skills follow all that; the output template's headings are the interface of others.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from agents.skills import (
    SkillError,
    SkillMalformed,
    SkillMissing,
    SkillTooLarge,
    SkillUnsafe,
    check_skill,
    find_skills,
    list_parts,
    load_skill,
    read_part,
)
from engine.deliverables import GRAPH, Pillar

SKILLS = Path(__file__).parents[2] / "skills"
ARCHITECTURE = "google-cloud-solution-architecture"
TEMPLATE_HEADINGS = """\
# Google Cloud solution architecture: [Workload Name]
## 1. Executive summary and workload overview
## 2. Requirements and current state
### 2.1. Functional requirements
### 2.2. Non-functional requirements
### 2.3. Current state
### 2.4. Dependencies
## 3. Technical decomposition of the workload
## 4. Proposed solution architecture
### 4.1. Google Cloud products and features mapping
### 4.2. Architecture diagram
### 4.3. Architecture description
## 5. Design and configuration recommendations
### 5.1. Security, privacy, and compliance
### 5.2. Reliability
### 5.3. Operational excellence
### 5.4. Cost optimization
### 5.5. Performance efficiency
### 5.6. Sustainability
## 6. Deployment guidance
### 6.1. Deployment prerequisites
### 6.2. Step-by-step deployment instructions
## 7. Validation plan
## 8. References
"""
GOOD = """---
name: boil-water
description: >-
  Boils water.
  Use it for tea.
metadata:
  category: kitchen
---

# Boil water

Read [the table](references/times.md#altitude) and `assets/form.md`.
See [the site](https://example.com/references/none.md) and [below](#end).
"""


def make(root: Path, text: str = GOOD, name: str = "boil-water") -> Path:
    folder = root / name
    (folder / "references").mkdir(parents=True)
    (folder / "assets").mkdir()
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    (folder / "references" / "times.md").write_text("Sea level: 100 °C\n", encoding="utf-8")
    (folder / "assets" / "form.md").write_text("# Form\n", encoding="utf-8")
    return folder


def with_front(lines: str) -> str:
    return f"---\n{lines}\n---\n\nDo it.\n"


def test_a_skill_loads_with_all_that_it_declares(tmp_path: Path) -> None:
    skill = load_skill(make(tmp_path))
    assert skill.name == "boil-water"
    assert skill.description == "Boils water. Use it for tea."
    assert skill.metadata == {"category": "kitchen"}
    assert skill.path == tmp_path / "boil-water"
    assert skill.body.startswith("# Boil water")
    assert check_skill(skill.path) == []
    assert list_parts(skill) == ("assets/form.md", "references/times.md")
    assert read_part(skill, "references/times.md") == "Sea level: 100 °C\n"


def test_windows_line_ends_load(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "SKILL.md").write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert load_skill(folder).body.startswith("# Boil water\n")


@pytest.mark.parametrize(
    ("front", "key", "says"),
    [
        ("name: other\ndescription: d", "name", "the folder is 'boil-water'"),
        ("name: Boil-Water\ndescription: d", "name", "lower-case"),
        ("name: boil_water\ndescription: d", "name", "lower-case"),
        ("name: boil--water\ndescription: d", "name", "single hyphens"),
        ("name: -boil\ndescription: d", "name", "lower-case"),
        (f"name: {'a' * 65}\ndescription: d", "name", "1 to 64"),
        ("name: 7\ndescription: d", "name", "not 7"),
        ("description: d", "name", "not None"),
        ("name: boil-water", "description", "it has none"),
        ("name: boil-water\ndescription: ''", "description", "1 to 1024"),
        (f"name: boil-water\ndescription: {'d' * 1025}", "description", "1025 characters"),
        ("name: boil-water\ndescription: d\nversion: '1'", "version", "not a key of a Skill"),
        ("name: boil-water\ndescription: d\nallowed_tools: a", "allowed_tools", "allowed-tools"),
        ("name: boil-water\ndescription: d\nallowed-tools: [a, b]", "allowed-tools", "string"),
        ("name: boil-water\ndescription: d\nlicense: 2", "license", "string"),
        (f"name: boil-water\ndescription: d\ncompatibility: {'c' * 501}", "compatibility", "500"),
        ("name: boil-water\ndescription: d\nmetadata: {version: 1.0}", "metadata", "quote"),
        ("name: boil-water\ndescription: d\nmetadata: text", "metadata", "mapping"),
        # Keys by which a framework would interpolate state or offer more tools.
        ("name: boil-water\ndescription: d\nmetadata: {adk_inject_state: true}", "metadata", "str"),
        (
            "name: boil-water\ndescription: d\nmetadata: {adk_additional_tools: [a]}",
            "metadata",
            "s",
        ),
    ],
)
def test_a_wrong_key_is_named(tmp_path: Path, front: str, key: str, says: str) -> None:
    folder = make(tmp_path, with_front(front))
    with pytest.raises(SkillMalformed) as caught:
        load_skill(folder)
    assert caught.value.key == key
    assert caught.value.file == folder / "SKILL.md"
    problems = check_skill(folder)
    assert any(key in problem and says in problem for problem in problems), problems


def test_the_line_of_a_wrong_key_is_given(tmp_path: Path) -> None:
    folder = make(tmp_path, with_front("name: boil-water\ndescription: d\nversion: '1'"))
    assert check_skill(folder)[0].startswith(f"{folder / 'SKILL.md'}:4: version:")


def test_all_problems_are_listed_at_once(tmp_path: Path) -> None:
    folder = make(tmp_path, "---\nname: Bad\nauthor: me\n---\n")
    assert len(check_skill(folder)) == 4  # author, name, description, no body


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\ufeff" + GOOD, "byte order mark"),
        ("\n" + GOOD, "must start with"),
        ("# No front matter\n", "must start with"),
        ("---\nname: boil-water\n", "not closed"),
        ("---\n- a\n- b\n---\nDo.\n", "mapping"),
        ("---\nname: a\nname: b\n---\nDo.\n", "not valid YAML"),
        ("---\nname: [a\n---\nDo.\n", "not valid YAML"),
        ("---\nname: boil-water\ndescription: one --- two\n---\nDo.\n", "cuts it short"),
        ("---\nname: &n boil-water\ndescription: *n\n---\nDo.\n", "aliases"),
        ("---\n1: a\n---\nDo.\n", "not a string"),
        (with_front("name: boil-water\ndescription: d").replace("Do it.", " "), "no instructions"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    folder = make(tmp_path, text)
    with pytest.raises(SkillMalformed, match=says):
        load_skill(folder)
    assert says in check_skill(folder)[0]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "SKILL.md").write_bytes(b"---\nname: \xff\xfe\n---\nx\n")
    with pytest.raises(SkillMalformed, match="not UTF-8"):
        load_skill(folder)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SkillMissing, match="not a folder"):
        load_skill(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SkillMissing, match=r"SKILL\.md: does not exist"):
        load_skill(tmp_path / "empty")


def test_oversize_files_are_refused_wherever_they_are(tmp_path: Path) -> None:
    folder = make(tmp_path)
    big = folder / "assets" / "big.md"
    big.write_bytes(b"x" * (1024 * 1024))
    load_skill(folder)
    big.write_bytes(b"x" * (1024 * 1024 + 1))
    with pytest.raises(SkillTooLarge, match=r"big\.md.*1048577 bytes"):
        load_skill(folder)


@pytest.mark.parametrize("where", ["references/link.md", "scripts", "SKILL.md", "assets/deep"])
def test_a_link_anywhere_is_refused(tmp_path: Path, where: str) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "SKILL.md").write_text(GOOD, encoding="utf-8")
    folder = make(tmp_path)
    link = folder / where
    link.unlink(missing_ok=True)
    link.symlink_to(secret / "SKILL.md" if where.endswith(".md") else secret)
    with pytest.raises(SkillUnsafe, match="symbolic link") as caught:
        load_skill(folder)
    assert caught.value.file == link
    with pytest.raises(SkillUnsafe):
        find_skills([tmp_path])


def test_a_linked_folder_is_refused(tmp_path: Path) -> None:
    real = make(tmp_path / "elsewhere")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "boil-water").symlink_to(real)
    with pytest.raises(SkillUnsafe, match="symbolic link"):
        find_skills([tmp_path / "skills"])


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    folder = make(tmp_path)
    os.mkfifo(folder / "assets" / "pipe")
    with pytest.raises(SkillUnsafe, match="not a regular file"):
        load_skill(folder)


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "references/../../secret.md",
        "/etc/hostname",
        "",
        ".",
        "C:/x",
        "C:x",
        "references\\times.md",
        "\\\\host\\share",
        "references/times.md\0",
    ],
)
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    skill = load_skill(make(tmp_path))
    with pytest.raises(SkillUnsafe, match="stay in the Skill"):
        read_part(skill, path)


def test_a_link_that_appears_after_loading_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x.md").write_text("secret", encoding="utf-8")
    skill = load_skill(make(tmp_path))
    (skill.path / "references" / "late.md").symlink_to(tmp_path / "secret" / "x.md")
    (skill.path / "late").symlink_to(tmp_path / "secret")
    for path in ("references/late.md", "late/x.md"):
        with pytest.raises(SkillUnsafe, match="symbolic link"):
            read_part(skill, path)


def test_a_part_that_is_missing_lists_those_that_exist(tmp_path: Path) -> None:
    skill = load_skill(make(tmp_path))
    with pytest.raises(SkillMissing, match=r"assets/form\.md, references/times\.md"):
        read_part(skill, "references/none.md")


def test_a_part_must_be_text_and_a_file(tmp_path: Path) -> None:
    skill = load_skill(make(tmp_path))
    (skill.path / "assets" / "logo.png").write_bytes(b"\x89PNG\xff")
    with pytest.raises(SkillMalformed, match="not UTF-8"):
        read_part(skill, "assets/logo.png")
    with pytest.raises(SkillUnsafe):
        read_part(skill, "assets")


def test_references_named_in_the_body_must_exist(tmp_path: Path) -> None:
    text = (
        GOOD + "\nThen `references/gone.md`, ![x](assets/gone.png) and [up](../other/SKILL.md).\n"
    )
    folder = make(tmp_path, text)
    problems = check_skill(folder)
    assert len(problems) == 3
    assert "'references/gone.md', which does not exist" in problems[0]
    assert "'assets/gone.png', which does not exist" in problems[1]
    assert "'../other/SKILL.md' must be relative" in problems[2]
    assert load_skill(folder).name == "boil-water"


def test_earlier_directories_win_and_absent_ones_are_skipped(tmp_path: Path) -> None:
    make(tmp_path / "vendor", GOOD.replace("Boils water.", "Boils it better."))
    make(tmp_path / "ours")
    make(tmp_path / "ours", with_front("name: chop\ndescription: Chops."), "chop")
    (tmp_path / "ours" / "not-a-skill").mkdir()
    (tmp_path / "ours" / "__init__.py").write_text("", encoding="utf-8")
    found = find_skills([tmp_path / "none", tmp_path / "vendor", tmp_path / "ours"])
    assert set(found) == {"boil-water", "chop"}
    assert found["boil-water"].path == tmp_path / "vendor" / "boil-water"
    assert find_skills([tmp_path / "ours"])["boil-water"].description.startswith("Boils water")


def test_a_broken_skill_that_is_shadowed_does_not_matter(tmp_path: Path) -> None:
    make(tmp_path / "vendor")
    make(tmp_path / "ours", "broken")
    assert list(find_skills([tmp_path / "vendor", tmp_path / "ours"])) == ["boil-water"]
    with pytest.raises(SkillError, match="must start with"):
        find_skills([tmp_path / "ours", tmp_path / "vendor"])


def test_values_are_frozen(tmp_path: Path) -> None:
    skill = load_skill(make(tmp_path))
    with pytest.raises(AttributeError):
        skill.name = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        skill.metadata["x"] = "y"  # type: ignore[index]


@pytest.mark.parametrize("name", [ARCHITECTURE, "cloud-discovery", "iac-validation"])
def test_our_skills_are_without_fault(name: str) -> None:
    assert check_skill(SKILLS / name) == []
    skill = load_skill(SKILLS / name)
    assert len(skill.body.splitlines()) <= 500
    for part in list_parts(skill):
        # A part that its Skill does not name is a part that no agent finds.
        assert part in skill.body, part
        assert read_part(skill, part).strip()


def test_the_template_has_the_headings_that_others_rely_on() -> None:
    template = read_part(load_skill(SKILLS / ARCHITECTURE), "assets/output-template.md")
    headings = [line for line in template.splitlines() if re.match(r"#{1,6} ", line)]
    assert headings == TEMPLATE_HEADINGS.splitlines()


def test_the_template_has_a_heading_for_each_pillar() -> None:
    for pillar in Pillar:
        assert re.search(rf"^### 5\.\d\. {re.escape(pillar.heading)}$", TEMPLATE_HEADINGS, re.M)


@pytest.mark.parametrize("part", ["architecture", "decision-making", "best-practices"])
def test_the_reading_lists_are_lists_of_official_pages(part: str) -> None:
    text = read_part(load_skill(SKILLS / ARCHITECTURE), f"references/{part}-guides.md")
    items = [line for line in text.splitlines() if line.startswith("- ")]
    links = [re.fullmatch(r"- \[[^\]]+\]\((https://[^)\s]+)\): \S.*", item) for item in items]
    urls = [link[1] for link in links if link]
    assert len(urls) == len(items)
    assert 25 <= len(urls) <= 50
    assert len(set(urls)) == len(urls)
    for url in urls:
        assert url.startswith(("https://docs.cloud.google.com/", "https://cloud.google.com/")), url


def test_the_contracts_page_repeats_the_graph_exactly() -> None:
    contracts = read_part(load_skill(SKILLS / ARCHITECTURE), "references/contracts.md")
    for spec in GRAPH:
        if spec.headings:
            assert f"| {spec.kind} | {' · '.join(spec.headings)} |" in contracts
        for path in spec.attachments:
            assert path in contracts


def test_there_are_eight_kinds_of_workload_each_with_the_same_parts() -> None:
    text = read_part(load_skill(SKILLS / ARCHITECTURE), "references/workload-patterns.md")
    kinds = re.split(r"^## \d\. ", text, flags=re.M)[1:]
    assert len(kinds) == 8
    for kind in kinds:
        for word in ("**Ask.**", "**Components.**", "**Weigh in Phase 2.**", "**Traps.**"):
            assert word in kind, (kind[:30], word)
