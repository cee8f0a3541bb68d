"""Role files and their loader.

1. Every role of the graph has a file; what a file repeats of the graph equals the graph.
2. A wrong key, type or value names file, line and key, and says what is allowed.
3. Budgets and lengths hold; only the pillar-advisor is parameterised.
4. The prompts speak of what exists: Skills, parts of Skills, tools, headings, Deliverables.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.roles import RoleError, for_pillar, load_role, load_roles
from agents.runtime import RoleSpec, Tier
from agents.skills import find_skills, list_parts
from engine.deliverables import GRAPH, PILLAR_ADVISOR, ROLES, SPECS, Kind, Pillar

ROOT = Path(__file__).parents[2]
ROLE_DIR = ROOT / "agents" / "roles"
SPECIALISTS = {spec.role for spec in GRAPH}
GOOD = """---
role: decomposer
deliverable: technical_decomposition
upstream_task: "1.3"
skills: [google-cloud-solution-architecture]
tool_tiers: [general]
mcp_servers: []
budget: 12
---

Take it apart.
"""


@pytest.fixture(scope="module")
def roles() -> dict[str, RoleSpec]:
    return load_roles(ROLE_DIR)


def one_line(role: RoleSpec) -> str:
    return " ".join(role.instructions.split())


def write(tmp_path: Path, text: str, name: str = "decomposer") -> Path:
    file = tmp_path / f"{name}.md"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_role_loads(tmp_path: Path) -> None:
    assert load_role(write(tmp_path, GOOD)) == RoleSpec(
        role="decomposer",
        deliverable="technical_decomposition",
        upstream_task="1.3",
        skills=("google-cloud-solution-architecture",),
        tool_tiers=(Tier.GENERAL,),
        mcp_servers=(),
        budget=12,
        instructions="Take it apart.",
    )


def test_a_model_may_be_named(tmp_path: Path) -> None:
    file = write(tmp_path, GOOD.replace("budget: 12", "model: gemini/gemini-2.5-flash\nbudget: 12"))
    assert load_role(file).model == "gemini/gemini-2.5-flash"


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        (
            "budget: 12",
            "budget: 12\ntemperature: 0",
            9,
            "temperature",
            "allowed: role, deliverable",
        ),
        ("budget: 12", "budget: 16", 8, "budget", "1 to 15"),
        ("budget: 12", "budget: 0", 8, "budget", "from 1"),
        ("budget: 12", "budget: '12'", 8, "budget", "not '12'"),
        ("budget: 12", "budget: true", 8, "budget", "whole number"),
        ("budget: 12\n", "", 1, "budget", "is missing"),
        ("budget: 12", "budget: 12\nmodel: 7", 9, "model", "default"),
        ("role: decomposer", "role: describer", 2, "role", "must be 'decomposer'"),
        ("technical_decomposition", "requirements", 3, "deliverable", "'technical_decomposition'"),
        ("technical_decomposition", "null", 3, "deliverable", "'technical_decomposition'"),
        ("technical_decomposition", "poem", 3, "deliverable", "one of requirements"),
        ('"1.3"', '"1.2"', 4, "upstream_task", "must be '1.3'"),
        ('"1.3"', "1.3", 4, "upstream_task", "quote it"),
        ("[google-cloud-solution-architecture]", "google", 5, "skills", "a list"),
        ("[google-cloud-solution-architecture]", "[A_b]", 5, "skills", "lower case"),
        ("[google-cloud-solution-architecture]", "[a, a]", 5, "skills", "different"),
        ("[google-cloud-solution-architecture]", "['waf-{pillar}']", 5, "skills", "no other"),
        ("[google-cloud-solution-architecture]", "['waf-{other}']", 5, "skills", "lower case"),
        ("[general]", "[cloud_write]", 6, "tool_tiers", "general, cloud_read"),
        ("[general]", "general", 6, "tool_tiers", "a list"),
        ("mcp_servers: []", "mcp_servers: [Big-One]", 7, "mcp_servers", "underscores"),
        ("Take it apart.", "", 1, "", "not 0"),
        ("Take it apart.", "x\n" * 151, 1, "", "not 151"),
        ("skills: [", "skills: [[", 6, "", "not valid YAML"),
        ("---\nrole", "role", 1, "", "must start with"),
    ],
)
def test_a_fault_is_named(
    tmp_path: Path, old: str, new: str, line: int, key: str, says: str
) -> None:
    assert old in GOOD
    file = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(RoleError) as caught:
        load_role(file)
    assert (caught.value.file, caught.value.line, caught.value.key) == (file, line, key)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{file}:{line}: {key}")


def test_a_long_body_is_allowed_up_to_the_limit(tmp_path: Path) -> None:
    body = "\n".join(["x"] * 150)
    assert load_role(write(tmp_path, GOOD.replace("Take it apart.", body))).instructions == body


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(RoleError, match=r"decomposer\.md:0: cannot be read"):
        load_role(tmp_path / "decomposer.md")
    (tmp_path / "decomposer.md").write_bytes(b"---\n\xff\n---\n")
    with pytest.raises(RoleError, match="not UTF-8"):
        load_role(tmp_path / "decomposer.md")
    with pytest.raises(RoleError, match="not a folder"):
        load_roles(tmp_path / "none")


def test_a_folder_must_hold_every_role_and_no_other(tmp_path: Path) -> None:
    for file in ROLE_DIR.glob("*.md"):
        write(tmp_path, file.read_text(encoding="utf-8"), file.stem)
    assert set(load_roles(tmp_path)) == set(ROLES)
    stray = write(tmp_path, GOOD, "poet")
    with pytest.raises(RoleError, match=r"poet\.md:1: is no role's file; the roles are: orch"):
        load_roles(tmp_path)
    stray.unlink()
    (tmp_path / "packager.md").unlink()
    with pytest.raises(RoleError, match=r"packager\.md:0: cannot be read"):
        load_roles(tmp_path)


def test_the_graph_and_the_files_agree(roles: dict[str, RoleSpec]) -> None:
    assert tuple(roles) == ROLES
    for spec in GRAPH:
        assert roles[spec.role].deliverable == spec.kind
        assert roles[spec.role].upstream_task == spec.upstream_task
    assert roles["orchestrator"].deliverable is None
    assert roles[PILLAR_ADVISOR].deliverable is None
    assert roles["orchestrator"].budget <= 40
    assert all(role.budget <= 15 for name, role in roles.items() if name != "orchestrator")


def test_tiers_and_servers_are_those_of_the_specification(roles: dict[str, RoleSpec]) -> None:
    reading = {name for name, role in roles.items() if Tier.CLOUD_READ in role.tool_tiers}
    assert reading == {"requirements-analyst", "validator"}
    with_knowledge = {n for n, r in roles.items() if r.mcp_servers == ("developer_knowledge",)}
    assert with_knowledge == {"product-selector", "describer", "design-advisor", PILLAR_ADVISOR}
    assert roles["validator"].mcp_servers == ("iam", "network_intelligence")
    assert len(roles["requirements-analyst"].mcp_servers) == 10
    silent = {"orchestrator", "decomposer", "diagrammer", "iac-author", "packager"}
    assert all(roles[name].mcp_servers == () for name in silent)


@pytest.mark.parametrize("pillar", Pillar)
def test_the_pillar_advisor_is_one_for_each_pillar(
    roles: dict[str, RoleSpec], pillar: Pillar
) -> None:
    spec = for_pillar(roles[PILLAR_ADVISOR], pillar)
    assert f"google-cloud-waf-{pillar}" in spec.skills
    assert spec.role == PILLAR_ADVISOR
    assert "{pillar}" not in spec.instructions
    assert f"google-cloud-waf-{pillar}" in spec.instructions
    assert roles[PILLAR_ADVISOR].skills != spec.skills


def test_no_other_role_has_a_pillar(roles: dict[str, RoleSpec]) -> None:
    with pytest.raises(ValueError, match="describer has no pillar"):
        for_pillar(roles["describer"], Pillar.SECURITY)


def test_every_skill_that_a_role_names_exists(roles: dict[str, RoleSpec]) -> None:
    """Strict on purpose: it is red until all nine Skills are in ``skills/``."""
    found = find_skills([ROOT / "skills"])
    for role in roles.values():
        for pillar in Pillar:
            missing = {s.replace("{pillar}", pillar) for s in role.skills} - set(found)
            assert not missing, f"{role.role} names Skills that do not exist: {missing}"


def test_parts_of_skills_that_the_prompts_name_exist(roles: dict[str, RoleSpec]) -> None:
    found = find_skills([ROOT / "skills"])
    named = 0
    for role in roles.values():
        for skill, part in re.findall(
            r"load_skill_resource\(\"([a-z-]+)\", \"([\w./-]+)\"\)", one_line(role)
        ):
            assert skill in role.skills, f"{role.role} cannot load {skill}"
            assert part in list_parts(found[skill]), f"{role.role} names {skill}/{part}"
            named += 1
    assert named >= 10


def test_prompts_say_what_every_agent_must_know(roles: dict[str, RoleSpec]) -> None:
    for role in roles.values():
        text = one_line(role)
        assert "never instructions" in text, role.role
        assert "## Worked example" in text, role.role
        assert "load_skill(" in text, role.role
        if role.role == "orchestrator":
            for tool in (
                "ready_work",
                "delegate",
                "ask_user",
                "request_approval",
                "reopen",
                "read_deliverable",
                "finish",
            ):
                assert f"{tool}(" in text
            for kind in Kind:
                assert kind in text
        else:
            assert "submit_deliverable" in text, role.role
            assert "feedback" in text, role.role
            assert "Revision" in text, role.role


def test_the_rules_of_every_run_are_the_same_for_all_specialists(
    roles: dict[str, RoleSpec],
) -> None:
    """The pillar-advisor alone has its own: it never asks for confirmation."""

    def rules(role: RoleSpec) -> str:
        return role.instructions.split("## How a run works\n")[1].split("\n## ")[0]

    common = {rules(role) for name, role in roles.items() if name in SPECIALISTS}
    assert len(common) == 1
    assert rules(roles[PILLAR_ADVISOR]) not in common


def test_prompts_name_the_headings_of_their_contract(roles: dict[str, RoleSpec]) -> None:
    for spec in SPECS.values():
        for heading in spec.headings:
            assert f"## {heading}" in roles[spec.role].instructions, (spec.role, heading)
        for path in spec.attachments:
            assert path in roles[spec.role].instructions


def test_prompts_offer_no_tool_that_changes_anything(roles: dict[str, RoleSpec]) -> None:
    for role in roles.values():
        assert "run_skill_script" not in role.instructions
        assert "adk" not in role.instructions.lower()
