"""What all commands share: printing, the backend, and faults that are one sentence."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from functions.settings import Settings
from functions.wiring import open_backend

JsonFlag = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The Execution's id.")]


class Fault(Exception):
    """A sentence for the person, and exit code 2."""


def show_on_stdout(what: Any) -> None:
    """Print on stdout; into a pipe in a width that cuts nothing off."""
    Console(width=None if sys.stdout.isatty() else 160).print(what)


def print_json(data: object) -> None:
    """Print the one object of ``--json``."""
    print(json.dumps(data, ensure_ascii=False, indent=2))


def with_store(settings: Settings, job: Any) -> Any:
    """Run a coroutine function on the backend that the settings name, and close it."""

    async def whole() -> Any:
        backend = open_backend(settings)
        try:
            return await job(backend)
        finally:
            await backend.close()

    return asyncio.run(whole())
