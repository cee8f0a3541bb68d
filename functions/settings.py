"""Settings, from the environment. ``docs/reference.md`` lists them; a test holds the two together.

A wrong value is a start-up error that names the variable.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict


class SettingsError(Exception):
    """A setting has a wrong value; the message names it."""


def _default_state() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path("~/.local/state").expanduser()) / "solution-architect"


class Settings(BaseSettings):
    """Every setting, with its environment variable as alias."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, env_ignore_empty=True)

    state: Path = Field(
        default_factory=_default_state,
        validation_alias="SOLUTION_ARCHITECT_STATE",
        description="Folder of the embedded store and queue.",
    )
    model: str | None = Field(
        default="offline",
        validation_alias="SOLUTION_ARCHITECT_MODEL",
        description="Model of every role: `offline`, `bundle` (what the provider bundle names), "
        "or a model name such as `gemini/gemini-2.5-pro`.",
    )
    provider: str = Field(
        default="gcp",
        validation_alias="CLOUD_PROVIDER",
        description="Name of the provider bundle in `providers/`.",
    )
    max_revisions: int = Field(
        default=3,
        ge=0,
        le=20,
        validation_alias="MAX_REVISIONS",
        description="Revisions of one Deliverable before the user is asked.",
    )
    orchestrator_budget: int = Field(
        default=40,
        ge=1,
        le=200,
        validation_alias="ORCHESTRATOR_BUDGET",
        description="Tool calls of one Turn.",
    )
    specialist_budget: int = Field(
        default=15,
        ge=1,
        le=200,
        validation_alias="SPECIALIST_BUDGET",
        description="Tool calls of one Delegation.",
    )
    run_minutes: float = Field(
        default=12,
        gt=0,
        le=28,
        validation_alias="SOLUTION_ARCHITECT_RUN_MINUTES",
        description="Deadline of one run in minutes; below the queue's dispatch deadline.",
    )
    delegations_at_once: int = Field(
        default=4,
        ge=1,
        le=64,
        validation_alias="SOLUTION_ARCHITECT_DELEGATIONS_AT_ONCE",
        description="Delegations that the local dispatcher runs at once.",
    )
    enable_preview: bool = Field(
        default=True,
        validation_alias="MCP_ENABLE_PREVIEW",
        description="`false` drops MCP servers that are in preview.",
    )
    terraform_plugin_dir: Path | None = Field(
        default=None,
        validation_alias="SOLUTION_ARCHITECT_TERRAFORM_PLUGIN_DIR",
        description="Folder of mirrored Terraform providers; lets `terraform validate` check "
        "everything without network.",
    )


def load_settings(**overrides: object) -> Settings:
    """Settings from the environment, with flags of the command line on top.

    Raises SettingsError, which names the first wrong variable.
    """
    given = {key: value for key, value in overrides.items() if value is not None}
    try:
        settings = Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"the setting {name} is wrong: {first['msg']} (it is {first['input']!r})"
        ) from None
    return settings.model_copy(update=given)
