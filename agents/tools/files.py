"""The files that the Terraform tools are given: checked paths, bounded sizes.

Paths and texts come from a model, so both are data that must not reach outside: a path is
relative, lies under ``terraform/`` and names no hidden file or parent folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from agents.runtime import Attachment
from agents.tools.hcl import HclFile, parse_hcl

ROOT = "terraform/"
MAX_FILES = 60
MAX_TOTAL_CHARS = 600_000

_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")
_HCL = (".tf", ".tfvars", ".tfvars.example")


class BadFiles(ValueError):
    """The files cannot be used; the message says which one, why, and what to do."""


def checked(files: Sequence[Attachment]) -> tuple[Attachment, ...]:
    """Return the files sorted by path.

    Raises BadFiles where there is none, a path is unsafe, given twice or used as a folder too, or
    the size is beyond ``MAX_FILES`` or ``MAX_TOTAL_CHARS``.
    """
    if not files:
        raise BadFiles(f"No file was given. Give at least {ROOT}main.tf with its text.")
    if len(files) > MAX_FILES:
        raise BadFiles(f"{len(files)} files were given; at most {MAX_FILES} can be checked.")
    if (size := sum(len(f.text) for f in files)) > MAX_TOTAL_CHARS:
        raise BadFiles(f"The files hold {size} characters; at most {MAX_TOTAL_CHARS} are checked.")
    seen: set[str] = set()
    for file in files:
        check_path(file.path)
        if file.path.lower() in seen:
            raise BadFiles(f"The path {file.path!r} was given twice. Give each file once.")
        seen.add(file.path.lower())
    for path in seen:
        if above := next((str(p) for p in PurePosixPath(path).parents if str(p) in seen), None):
            raise BadFiles(f"{above!r} is given as a file and as the folder of {path!r}.")
    return tuple(sorted(files, key=lambda f: f.path))


def check_path(path: str) -> None:
    """Raise BadFiles unless the path is relative, plain and under ``terraform/``."""
    segments = path.split("/")
    if not path.startswith(ROOT) or not all(map(_SEGMENT.match, segments)) or len(path) > 200:
        raise BadFiles(
            f"The path {path[:200]!r} cannot be used. Give a path under {ROOT} with forward "
            "slashes, such as terraform/main.tf, without '..' and without hidden files."
        )


def from_arguments(items: object) -> tuple[Attachment, ...]:
    """Read the ``files`` argument of a tool, ``[{"path", "text"}]``. Raises BadFiles.

    Lone surrogates, which no file can hold, are replaced.
    """
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise BadFiles("Give 'files' as a list of objects with a path and a text.")
    files = []
    for item in items:
        path, text = (
            (item.get("path"), item.get("text")) if isinstance(item, Mapping) else (None, None)
        )
        if not isinstance(path, str) or not isinstance(text, str):
            raise BadFiles("Each file needs a path and a text, both strings.")
        files.append(Attachment(path=_clean(path), text=_clean(text)))
    return checked(files)


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def parsed(files: Sequence[Attachment]) -> tuple[HclFile, ...]:
    """Parse those of the files that are HCL: ``.tf``, ``.tfvars`` and ``.tfvars.example``."""
    return tuple(parse_hcl(f.path, f.text) for f in files if f.path.endswith(_HCL))


def folder(path: str) -> str:
    """Return the folder of a file; Terraform reads one folder as one module."""
    return path.rpartition("/")[0]
