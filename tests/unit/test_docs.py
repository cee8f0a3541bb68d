"""The documentation names only what exists: commands and options, files, settings, exit codes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from functions.cli import app
from functions.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
GROUP = typer.main.get_command(app)


def command_lines(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    return [
        line.split("#")[0].strip()
        for block in blocks
        for line in block.splitlines()
        if line.strip().startswith("solution-architect ")
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_command_and_option_exists(page: Path) -> None:
    for line in command_lines(page):
        words = shlex.split(line)[1:]
        command = GROUP
        while words and hasattr(command, "commands") and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        assert command is not GROUP, f"{page.name}: there is no such command: {line}"
        options = {name for p in command.params for name in p.opts}
        for word in words:
            if word.startswith("--"):
                assert word.split("=")[0] in options, f"{page.name}: {word} in: {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)\)?", text):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_command_stands_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for name in GROUP.commands:
        assert f"`{name}" in text, name


def test_environment_variables_in_the_docs_are_settings() -> None:
    known = {str(f.validation_alias) for f in Settings.model_fields.values()}
    for page in PAGES:
        named = re.findall(r"\bSOLUTION_ARCHITECT_[A-Z_]+\b", page.read_text(encoding="utf-8"))
        assert set(named) <= known, page.name
