"""Writes an approved Execution's files: the guide, every Deliverable, Terraform, validation.json.

Only after Phase 4 is approved (SPEC: Doors, outputs). Everything is first written under a
temporary name and then renamed, so that nobody ever sees half a folder or half a file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from engine.deliverables import GRAPH, Kind
from engine.execution import Execution
from engine.ports import Content, ExecutionStore
from engine.turns import completed

GUIDE = "solution-architecture-guide.md"


class OutputError(Exception):
    """The files cannot be written; the message says why. The contents stay in the store."""


async def collect(store: ExecutionStore, execution: Execution) -> dict[str, str]:
    """Every file of a completed Execution by its relative path. Raises OutputError."""
    if not completed(execution):
        raise OutputError(
            f"Execution {execution.id} is {execution.status}; files are written once Phase 4 is "
            "approved"
        )
    contents: dict[Kind, Content] = {}
    for spec in GRAPH:
        found = await store.content(execution.id, spec.kind)
        if found is None:
            raise OutputError(f"{spec.kind} of {execution.id} is missing in the store")
        contents[spec.kind] = found
    return _files(contents)


def _files(contents: Mapping[Kind, Content]) -> dict[str, str]:
    files: dict[str, str] = {}
    for kind, content in contents.items():
        for path, text in content.attachments:
            parts = PurePosixPath(path)
            if parts.is_absolute() or ".." in parts.parts or not parts.parts:
                raise OutputError(f"{kind} has an attachment outside its folder: {path!r}")
            files[str(parts)] = text
        if kind is not Kind.SOLUTION_GUIDE:
            files[f"{kind.value}.md"] = content.content
    files[GUIDE] = contents[Kind.SOLUTION_GUIDE].content
    return files


def write(files: Mapping[str, str], folder: Path) -> Path:
    """Write files into ``folder`` and return the guide's path. Raises OutputError.

    A new folder appears whole. In a folder that exists, each file is replaced by a rename, the
    guide last; files of others stay.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for path, text in files.items():
                target = staging / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
            staging.chmod(0o755)
            if folder.exists():
                _merge(staging, folder, list(files))
            else:
                os.replace(staging, folder)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise OutputError(
            f"{folder} cannot be written ({error.strerror}); the contents are kept, so name "
            "another folder with --out and resume"
        ) from error
    return folder / GUIDE


def _merge(staging: Path, folder: Path, paths: list[str]) -> None:
    for path in sorted(paths, key=lambda p: p == GUIDE):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(staging / path, target)
