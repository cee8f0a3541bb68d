"""Settings come from the environment, name what is wrong, and are all documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from functions.settings import Settings, SettingsError, load_settings

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"


def test_defaults_and_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOLUTION_ARCHITECT_STATE", str(tmp_path))
    monkeypatch.setenv("MAX_REVISIONS", "5")
    settings = load_settings()
    assert (settings.state, settings.max_revisions, settings.model) == (tmp_path, 5, "offline")
    assert load_settings(model="x/y").model == "x/y"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_REVISIONS", "many"),
        ("ORCHESTRATOR_BUDGET", "0"),
        ("SOLUTION_ARCHITECT_RUN_MINUTES", "60"),
        ("MCP_ENABLE_PREVIEW", "perhaps"),
    ],
)
def test_a_wrong_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=f"{name} is wrong.*{value}"):
        load_settings()


def test_every_setting_stands_in_the_reference_with_its_default() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    for name, field in Settings.model_fields.items():
        alias = str(field.validation_alias)
        row = next((line for line in text.splitlines() if f"`{alias}`" in line), None)
        assert row is not None, f"{alias} is missing in docs/reference.md"
        if field.default is not None and name != "state":
            shown = str(field.default).lower() if isinstance(field.default, bool) else field.default
            assert f"`{shown}`" in row, row


GOOGLE = {
    "SOLUTION_ARCHITECT_BACKEND": "google",
    "SOLUTION_ARCHITECT_TURN_QUEUE": "projects/p/locations/l/queues/turns",
    "SOLUTION_ARCHITECT_DELEGATION_QUEUE": "projects/p/locations/l/queues/delegations",
    "SOLUTION_ARCHITECT_TURN_URL": "https://turn.example",
    "SOLUTION_ARCHITECT_DELEGATION_URL": "https://delegation.example",
    "SOLUTION_ARCHITECT_TURN_ACCOUNT": "t@example.com",
    "SOLUTION_ARCHITECT_DELEGATION_ACCOUNT": "d@example.com",
}


@pytest.mark.parametrize("missing", [name for name in GOOGLE if not name.endswith("BACKEND")])
def test_the_google_backend_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    from functions.cloud import check

    for name, value in GOOGLE.items():
        monkeypatch.setenv(name, value)
    assert check(load_settings()).turns.audience == "https://turn.example"
    monkeypatch.delenv(missing)
    with pytest.raises(SettingsError, match=f"{missing} is missing"):
        check(load_settings())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SOLUTION_ARCHITECT_TURN_QUEUE", "turns", "'turns' is no queue"),
        ("SOLUTION_ARCHITECT_EVENTS_TOPIC", "events", "'events' is no topic"),
        ("SOLUTION_ARCHITECT_TURN_URL", "turn.example", "write an http or https URL"),
        ("SOLUTION_ARCHITECT_DISPATCH_SECONDS", "700", "DISPATCH_SECONDS is wrong.*780 s"),
    ],
)
def test_the_google_backend_names_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    from functions.cloud import check

    for key, good in (GOOGLE | {name: value}).items():
        monkeypatch.setenv(key, good)
    with pytest.raises(SettingsError, match=message):
        check(load_settings())
