"""The composition root: settings to adapters. Agents are imported only when something is run."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from agents.roles import RoleError, for_pillar, load_roles
from agents.runtime import AgentFailed, Attachment, RoleSpec, ToolSpec
from agents.skills import Skill, SkillError, check_skill, find_skills
from engine.deliverables import Pillar
from engine.ports import SystemClock
from engine.runs import Runs, RunSettings
from functions.local import Embedded
from functions.settings import Settings
from providers.bundle import PROJECT_ROOT, Bundle, BundleError, Tier, load_bundle

ROLES_DIR = PROJECT_ROOT / "agents" / "roles"
OFFLINE, BUNDLE = "offline", "bundle"


class ConfigurationError(Exception):
    """A role file, Skill or provider bundle is wrong; the message names file, line and key."""


def _bundle(settings: Settings) -> Bundle:
    try:
        return load_bundle(settings.provider, enable_preview=settings.enable_preview)
    except BundleError as error:
        raise ConfigurationError(str(error)) from error


def _skills(bundle: Bundle) -> Mapping[str, Skill]:
    try:
        return find_skills(bundle.skills_paths)
    except SkillError as error:
        raise ConfigurationError(str(error)) from error


def skill_rows(settings: Settings) -> list[tuple[str, str, str]]:
    """Name, folder and description of each Skill in use."""
    return [
        (skill.name, _short(skill.path), skill.description)
        for skill in _skills(_bundle(settings)).values()
    ]


def _short(path: Path) -> str:
    return str(path.relative_to(PROJECT_ROOT)) if path.is_relative_to(PROJECT_ROOT) else str(path)


def skill_problems(settings: Settings) -> list[str]:
    """What is wrong with any Skill folder, a sentence each."""
    problems = []
    for folder in _bundle(settings).skills_paths:
        if folder.is_dir():
            for child in sorted(folder.iterdir()):
                if (child / "SKILL.md").exists():
                    problems += check_skill(child)
    return problems


def build_runs(settings: Settings, embedded: Embedded) -> Runs:
    """Everything that running agents needs, on the embedded store.

    Raises ConfigurationError before any work starts.
    """
    from agents.adk_runtime import AdkRuntime
    from agents.tools.specs import tool_specs
    from functions.contracting import Contracts

    bundle = _bundle(settings)
    try:
        roles = load_roles(ROLES_DIR)
    except RoleError as error:
        raise ConfigurationError(str(error)) from error
    skills = _skills(bundle)
    contracts = Contracts(
        catalogue=bundle.catalogue,
        docs_hosts=bundle.docs_hosts,
        template=bundle.output_template_path.read_text(encoding="utf-8"),
    )
    runtime = AdkRuntime(_models(settings, bundle), skills)
    try:
        runtime.prepare(tuple(roles.values()))
    except AgentFailed as error:
        raise ConfigurationError(str(error)) from error

    def extra_tools(role: RoleSpec, files: Sequence[Attachment]) -> tuple[ToolSpec, ...]:
        # What needs a cloud project (terraform_plan) is not offered on the embedded default.
        names = [tool.name for tool in bundle.tools_for(role.role) if tool.tier is Tier.GENERAL]
        return tool_specs(names, files)

    return Runs(
        store=embedded.store,
        queue=embedded.queue,
        runtime=runtime,
        contracts=contracts,
        role=partial(_role, roles),
        extra_tools=extra_tools,
        clock=SystemClock(),
        settings=RunSettings(
            holder=f"{socket.gethostname()}:{os.getpid()}",
            deadline=timedelta(minutes=settings.run_minutes),
        ),
    )


def _role(roles: Mapping[str, RoleSpec], name: str, pillar: Pillar | None) -> RoleSpec:
    spec = roles[name]
    return spec if pillar is None else for_pillar(spec, pillar)


def _models(settings: Settings, bundle: Bundle) -> Callable[[RoleSpec], Any]:
    """Which model a role gets: the setting, unless it is ``bundle``; then role file and bundle."""
    if settings.model == OFFLINE:
        from agents.offline.model import OfflineModel

        offline = OfflineModel.of(bundle)
        return lambda role: offline
    if settings.model in (None, BUNDLE):
        return lambda role: bundle.model_for(role.role, role.model)
    name = settings.model
    return lambda role: name or bundle.model_for(role.role, role.model)
