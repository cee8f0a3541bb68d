"""Settings, from the environment. ``docs/reference.md`` lists them; a test holds the two together.

A wrong value is a start-up error that names the variable.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict


class SettingsError(Exception):
    """A setting has a wrong value; the message names it."""


def _default_state() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    try:
        return (Path(base) if base else Path("~/.local/state").expanduser()) / "solution-architect"
    except RuntimeError:
        raise SettingsError(
            "there is no home folder; name a folder for the state with SOLUTION_ARCHITECT_STATE"
        ) from None


def _number(alias: str, default: float, least: float, most: float, description: str) -> Any:
    return Field(
        default=default, ge=least, le=most, validation_alias=alias, description=description
    )


def _text(alias: str, description: str, default: str | None = None) -> Any:
    return Field(default=default, validation_alias=alias, description=description)


class Settings(BaseSettings):
    """Every setting, with its environment variable as alias."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, env_ignore_empty=True)

    backend: Literal["embedded", "google"] = Field(
        default="embedded",
        validation_alias="SOLUTION_ARCHITECT_BACKEND",
        description="`embedded` (SQLite and a local queue) or `google` (Firestore, Cloud Tasks, "
        "Pub/Sub).",
    )
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
    wait_days: int = _number(
        "SOLUTION_ARCHITECT_WAIT_DAYS", 30, 1, 365, "Days after which a wait expires."
    )
    project: str | None = _text("GOOGLE_CLOUD_PROJECT", "Project of the database.")
    database: str = _text("SOLUTION_ARCHITECT_DATABASE", "Firestore database.", "(default)")
    turn_queue: str | None = _text(
        "SOLUTION_ARCHITECT_TURN_QUEUE", "Full name of the queue of Turns."
    )
    delegation_queue: str | None = _text(
        "SOLUTION_ARCHITECT_DELEGATION_QUEUE", "Full name of the queue of Delegations."
    )
    turn_url: str | None = _text(
        "SOLUTION_ARCHITECT_TURN_URL", "Address of the turn door; the audience of its tokens too."
    )
    delegation_url: str | None = _text(
        "SOLUTION_ARCHITECT_DELEGATION_URL", "Address of the delegation door; also the audience."
    )
    turn_account: str | None = _text(
        "SOLUTION_ARCHITECT_TURN_ACCOUNT", "Account whose token tasks carry to the turn door."
    )
    delegation_account: str | None = _text(
        "SOLUTION_ARCHITECT_DELEGATION_ACCOUNT", "The same for the delegation door."
    )
    task_attempts: int = _number(
        "SOLUTION_ARCHITECT_TASK_ATTEMPTS", 10, 1, 100, "Attempts of a task; the queue's number."
    )
    dispatch_seconds: int = _number(
        "SOLUTION_ARCHITECT_DISPATCH_SECONDS", 900, 15, 1800, "How long a queue waits for a door."
    )
    events_topic: str | None = _text(
        "SOLUTION_ARCHITECT_EVENTS_TOPIC", "Full name of the topic of events; none: no events."
    )
    audience: str | None = _text(
        "SOLUTION_ARCHITECT_AUDIENCE", "Audience of the tokens that this door takes."
    )
    callers: str | None = _text(
        "SOLUTION_ARCHITECT_CALLERS", "Accounts that may call this door, with commas between."
    )
    behind_iam: bool = Field(
        default=False,
        validation_alias="SOLUTION_ARCHITECT_BEHIND_IAM",
        description="`true` where the platform has checked tokens and removed their signature.",
    )
    issuer: str | None = _text("SOLUTION_ARCHITECT_ISSUER", "Another issuer of tokens (tests).")
    certs_url: str | None = _text(
        "SOLUTION_ARCHITECT_CERTS_URL", "Certificates of that issuer (tests)."
    )
    tasks_server: str | None = _text(
        "SOLUTION_ARCHITECT_TASKS_SERVER", "host:port of a task server (tests)."
    )
    pubsub_emulator: str | None = _text(
        "PUBSUB_EMULATOR_HOST", "host:port of the Pub/Sub emulator."
    )
    grace_seconds: float = _number(
        "SOLUTION_ARCHITECT_GRACE_SECONDS",
        5,
        0,
        600,
        "After SIGTERM: how long a run may go on before it gives its claim back.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO",
        validation_alias="SOLUTION_ARCHITECT_LOG_LEVEL",
        description="Least level of log lines of the doors.",
    )

    def need(self, *names: str) -> None:
        """Raise SettingsError, which names the first of these settings that is not set."""
        for name in names:
            if getattr(self, name) in (None, ""):
                alias = type(self).model_fields[name].validation_alias
                what = type(self).model_fields[name].description
                raise SettingsError(f"the setting {alias} is missing: {what}")


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
