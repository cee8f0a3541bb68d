"""The composition root: settings to adapters. Agents are imported only when something is run."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from agents.roles import RoleError, for_pillar, load_roles
from agents.runtime import AgentFailed, AgentRuntime, Attachment, RoleSpec, ToolSpec
from agents.skills import Skill, SkillError, check_skill, find_skills
from engine.commits import Observe, unobserved
from engine.deliverables import Pillar
from engine.ports import EventBus, ExecutionStore, SystemClock, TaskQueue
from engine.queues.wire import TRACEPARENT
from engine.runs import ContractChecker, Runs, RunSettings
from functions import telemetry
from functions.local import Backend, Drive, Embedded
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


@dataclass(frozen=True)
class Team:
    """The agents and what they work with, for any store and queue."""

    runtime: AgentRuntime
    contracts: ContractChecker
    roles: Mapping[str, RoleSpec]
    extra_tools: Callable[[RoleSpec, Sequence[Attachment]], Sequence[ToolSpec]]
    settings: RunSettings

    def runs(
        self,
        store: ExecutionStore,
        queue: TaskQueue,
        *,
        bus: EventBus | None = None,
        stopping: asyncio.Event | None = None,
        observe: Observe = unobserved,
    ) -> Runs:
        """What carries out tasks."""
        return Runs(
            store=store,
            queue=queue,
            runtime=self.runtime,
            contracts=self.contracts,
            role=partial(_role, self.roles),
            extra_tools=self.extra_tools,
            clock=SystemClock(),
            settings=self.settings,
            bus=bus,
            stopping=stopping,
            observe=observe,
        )


def open_backend(settings: Settings) -> Backend:
    """The backend that the settings name, for the running event loop.

    Raises StoreError, SettingsError or ConfigurationError.
    """
    if settings.backend == "embedded":
        return Embedded.open(settings)
    try:
        from functions.cloud import Cloud
    except ImportError as error:
        raise ConfigurationError(
            f"SOLUTION_ARCHITECT_BACKEND=google needs a package that is not installed "
            f"({error.name}); run: pip install '.[cloud]'"
        ) from error
    with telemetry.span("command") as trace:
        TRACEPARENT.set(trace)  # the tasks of this command's Executions carry it on
    return Cloud.open(settings)


def drive_of(settings: Settings, backend: Backend) -> Drive:
    """How ``run`` gets an Execution on: here on the embedded store, else by following it.

    Raises ConfigurationError before any work starts.
    """
    if isinstance(backend, Embedded):
        return partial(backend.drive, build_runs(settings, backend))
    from functions.cloud import Cloud

    if not isinstance(backend, Cloud):
        raise TypeError(f"{type(backend).__name__} is no backend")
    return backend.follow


def build_runs(settings: Settings, embedded: Embedded) -> Runs:
    """Everything that running agents needs, on the embedded store.

    Raises ConfigurationError before any work starts.
    """
    return build_team(settings).runs(embedded.store, embedded.queue)


def build_team(settings: Settings) -> Team:
    """Everything that running agents needs. Raises ConfigurationError before any work starts."""
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

    return Team(
        runtime=runtime,
        contracts=contracts,
        roles=roles,
        extra_tools=extra_tools,
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
