"""Skills under ADK: whose they are, in which words they are offered, and what is never offered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agents.adk_skills import RoleSkills, to_adk
from agents.runtime import AgentFailed, Submitted
from agents.skills import SkillMalformed, SkillUnsafe, find_skills, load_skill
from tests.support.adk_runs import role, run, runtime
from tests.support.scripted_model import (
    ScriptedModel,
    call,
    declared,
    results,
    system_instruction,
)

SUBMIT = call("submit_deliverable", content="good")
OURS = Path(__file__).parents[2] / "skills"
BODY = "# One\n\nUse {braces} and {{more}}. See references/a.md.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A Skill with a part of each sort; its metadata has keys that mean something to ADK."""
    skill = tmp_path / "one"
    for part in ("references/deep/b.md", "references/a.md", "assets/t.txt", "scripts/go.sh"):
        (skill / part).parent.mkdir(parents=True, exist_ok=True)
        (skill / part).write_text(f"text of {part} with {{braces}}")
    (skill / "assets/logo.png").write_bytes(b"\x89PNG\xff\xfe")
    (skill / "LICENSE").write_text("Licence.")
    (skill / "SKILL.md").write_text(
        "---\nname: one\ndescription: Says {what} it is for.\nmetadata:\n"
        f"  adk_inject_state: 'true'\n  adk_additional_tools: echo\n---\n{BODY}"
    )
    return skill


def other(parent: Path) -> Path:
    skill = parent / "two"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: two\ndescription: Not for this role.\n---\nTwo.\n")
    return skill


async def test_a_run_gets_the_skills_of_its_role_and_no_others(folder: Path) -> None:
    model = ScriptedModel(call("load_skill", skill_name="two"), SUBMIT)
    skills = {"one": load_skill(folder), "two": other(folder.parent)}
    outcome = await run(model=model, skills=skills, as_role=role(skills=("one",)))
    told = system_instruction(model.requests[0])
    assert "- one: Says {what} it is for." in told
    assert "Not for this role" not in told
    assert "not found" in results(model.requests[1])[0]["error"]
    assert outcome.record.skills == ()


async def test_the_wording_is_ours_and_short(folder: Path) -> None:
    model = ScriptedModel(SUBMIT)
    await run(model=model, skills={"one": folder}, as_role=role(skills=("one",)))
    told = system_instruction(model.requests[0])
    without = ScriptedModel(SUBMIT)
    await run(model=without)
    added = len(told) - len(system_instruction(without.requests[0]))
    assert added <= 320, "ADK's own wording has about 2,300 characters"
    assert len(RoleSkills([to_adk(load_skill(folder))]).wording) <= 270
    for theirs in ("normal model text", "Report the error", "MUST use", "run_skill_script"):
        assert theirs not in told


async def test_only_two_skill_tools_are_offered_although_there_is_a_script(folder: Path) -> None:
    model = ScriptedModel(
        call("run_skill_script", skill_name="one", file_path="scripts/go.sh"), SUBMIT
    )
    outcome = await run(model=model, skills={"one": folder}, as_role=role(skills=("one",)))
    assert declared(model.requests[0])[4:] == ["load_skill", "load_skill_resource"]
    assert "no tool 'run_skill_script'" in results(model.requests[1])[0]["error"]
    assert isinstance(outcome, Submitted)


async def test_a_role_without_skills_has_no_skill_tools(folder: Path) -> None:
    model = ScriptedModel(SUBMIT)
    await run(model=model, skills={"one": folder})
    assert "load_skill" not in declared(model.requests[0])
    with pytest.raises(ValueError, match="without Skills"):
        RoleSkills([])


async def test_braces_stay_braces_in_instructions_and_skills(folder: Path) -> None:
    model = ScriptedModel(
        call("load_skill", skill_name="one"),
        call("load_skill_resource", skill_name="one", file_path="references/deep/b.md"),
        SUBMIT,
    )
    braced = role(skills=("one",), instructions="Write {ident} and {artifact.x} and {a?}.")
    outcome = await run(model=model, skills={"one": folder}, as_role=braced)
    assert "Write {ident} and {artifact.x} and {a?}." in system_instruction(model.requests[0])
    loaded, part = results(model.requests[2])
    assert loaded["instructions"] == BODY.strip()
    assert part["content"] == "text of references/deep/b.md with {braces}"
    assert outcome.record.skills == ("one",)
    assert "echo" in declared(model.requests[2]), "and the Skill's metadata adds no tool"
    assert declared(model.requests[2]) == declared(model.requests[0])


async def test_scripts_can_be_read(folder: Path) -> None:
    read = call("load_skill_resource", skill_name="one", file_path="scripts/go.sh")
    model = ScriptedModel(read, SUBMIT)
    await run(model=model, skills={"one": folder}, as_role=role(skills=("one",)))
    assert results(model.requests[1])[0]["content"] == "text of scripts/go.sh with {braces}"


async def test_a_missing_part_does_not_stop_the_run(folder: Path) -> None:
    """ADK says after the second miss: do not retry, report the error to the user and stop."""
    paths = ("references/none.md", "references/no.md", "../../etc/passwd", "assets/logo.png")
    reads = [call("load_skill_resource", skill_name="one", file_path=path) for path in paths]
    model = ScriptedModel(*reads, SUBMIT)
    outcome = await run(model=model, skills={"one": folder}, as_role=role(skills=("one",)))
    assert isinstance(outcome, Submitted)
    for answer in results(model.requests[-1]):
        assert "go on without it" in answer["error"]
        assert answer["parts"] == [
            "references/a.md",
            "references/deep/b.md",
            "assets/t.txt",
            "scripts/go.sh",
        ]


@pytest.mark.parametrize("args", [{}, {"skill_name": ["one"]}, {"skill_name": 3}])
async def test_wrong_arguments_of_a_skill_tool_are_an_answer(folder: Path, args) -> None:
    model = ScriptedModel(call("load_skill", **args), SUBMIT)
    outcome = await run(model=model, skills={"one": folder}, as_role=role(skills=("one",)))
    assert isinstance(outcome, Submitted)
    assert results(model.requests[1])[0]["error"]


async def test_symlinks_in_a_skill_are_refused_when_it_is_given(folder: Path) -> None:
    """ADK follows them: a link in references/ would serve any file of the machine."""
    os.symlink("/etc/hostname", folder / "references" / "host.md")
    with pytest.raises(SkillUnsafe, match="host.md"):
        runtime(ScriptedModel(SUBMIT), skills={"one": folder})


async def test_a_symlink_that_appears_later_is_refused_too(folder: Path) -> None:
    checked = load_skill(folder)
    os.symlink("/etc/hostname", folder / "references" / "host.md")
    model = ScriptedModel(SUBMIT)
    with pytest.raises(AgentFailed, match="host.md"):
        await run(model=model, skills={"one": checked}, as_role=role(skills=("one",)))
    assert model.requests == []


async def test_a_folder_that_is_no_skill_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "SKILL.md").write_text("---\nname: other\ndescription: D.\n---\nBody.\n")
    with pytest.raises(SkillMalformed, match="must be equal"):
        runtime(ScriptedModel(SUBMIT), skills={"one": tmp_path / "one"})


async def test_a_skill_that_is_not_installed_fails_with_its_name() -> None:
    with pytest.raises(AgentFailed, match="needs the Skill one, which is not installed"):
        await run(SUBMIT, as_role=role(skills=("one",)))


async def test_our_own_skills_can_all_be_loaded() -> None:
    skills = find_skills([OURS])
    assert skills
    names = tuple(skills)
    model = ScriptedModel(*(call("load_skill", skill_name=name) for name in names), SUBMIT)
    outcome = await run(model=model, skills=skills, as_role=role(skills=names))
    assert outcome.record.skills == names
    for answer, skill in zip(results(model.requests[-1]), skills.values(), strict=True):
        assert answer["instructions"] == skill.body
