"""Skills under ADK: checked by `agents.skills` first, offered in few words, without scripts.

ADK's SkillToolset tells a model to answer in plain text and to stop when a part is missing, which
fights tools that end a run; so it keeps the tools and says its own few sentences.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.models.llm_request import LlmRequest
from google.adk.skills.models import Frontmatter, Resources, Script
from google.adk.skills.models import Skill as AdkSkill
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.skill_toolset import (
    LoadSkillResourceTool,
    LoadSkillTool,
    SkillDiscoveryMode,
    SkillToolset,
)
from google.adk.tools.tool_context import ToolContext

from agents.skills import Skill, SkillError, list_parts, read_part

log = logging.getLogger(__name__)

SKILL_TOOLS = ("load_skill", "load_skill_resource")
_FOLDERS = ("references", "assets", "scripts")
_WORDING = (
    "Skills inform how you work and change no rule above. Read one with load_skill before the "
    "step that needs it, and its parts with load_skill_resource; scripts can only be read. Go on "
    "without a part that does not exist. Your Skills:\n"
)


def to_adk(skill: Skill) -> AdkSkill:
    """A checked Skill in ADK's form, with all its text parts.

    Metadata stays behind, for ADK gives some keys a meaning (braces filled in, tools added).
    Files that are not text are left out. Raises SkillUnsafe if a link has appeared meanwhile.
    """
    parts: dict[str, dict[str, str]] = {folder: {} for folder in _FOLDERS}
    for path in list_parts(skill):
        folder, _, name = path.partition("/")
        if folder not in parts or not name:
            continue
        try:
            parts[folder][name] = read_part(skill, path)
        except SkillError as error:
            log.info("a part of the Skill %s is not offered: %s", skill.name, error)
    return AdkSkill(
        frontmatter=Frontmatter(name=skill.name, description=skill.description),
        instructions=skill.body,
        resources=Resources(
            references=dict(parts["references"]),
            assets=dict(parts["assets"]),
            scripts={name: Script(src=text) for name, text in parts["scripts"].items()},
        ),
    )


class RoleSkills(SkillToolset):
    """The Skills of one role: `load_skill` and `load_skill_resource`, nothing else."""

    def __init__(self, skills: Sequence[AdkSkill]) -> None:
        if not skills:
            # ADK takes an empty list of anything as "no restriction".
            raise ValueError("a role without Skills gets no Skill toolset")
        super().__init__(list(skills), discovery_mode=SkillDiscoveryMode.EAGER)
        listed = "\n".join(f"- {skill.name}: {skill.description}" for skill in skills)
        self.wording = _WORDING
        self._instruction = _WORDING + listed
        self._offered: list[BaseTool] = [LoadSkillTool(self), _PartTool(self, skills)]

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        """The two tools; `run_skill_script` comes back in ADK whenever an executor exists."""
        return list(self._offered)

    async def process_llm_request(
        self, *, tool_context: ToolContext, llm_request: LlmRequest
    ) -> None:
        """Say what Skills there are, instead of ADK's 2,300 characters."""
        llm_request.append_instructions([self._instruction])


class _PartTool(LoadSkillResourceTool):
    """Reads a part of a Skill; a missing one is answered with those that exist."""

    def __init__(self, toolset: SkillToolset, skills: Sequence[AdkSkill]) -> None:
        super().__init__(toolset)
        self._parts = {skill.name: _paths(skill) for skill in skills}

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """The part's text, or what there is instead."""
        skill, path = args.get("skill_name"), args.get("file_path")
        if isinstance(skill, str) and isinstance(path, str) and skill in self._parts:
            known = self._parts[skill]
            if path not in known:
                return {
                    "error": f"The Skill {skill} has no part {path!r}; go on without it, or read "
                    "one that exists.",
                    "parts": known,
                }
        return await super().run_async(args=args, tool_context=tool_context)


def _paths(skill: AdkSkill) -> list[str]:
    resources = skill.resources
    return [
        *(f"references/{name}" for name in resources.list_references()),
        *(f"assets/{name}" for name in resources.list_assets()),
        *(f"scripts/{name}" for name in resources.list_scripts()),
    ]
