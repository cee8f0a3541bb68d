"""Agent Skills: load, find and check folders that hold a SKILL.md (agentskills.io specification).

The frameworks that serve Skills to a model follow symbolic links and let unknown keys and empty
bodies pass, so everything is checked here, before a framework sees the folder.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agents.front_matter import FrontMatterError, parse_front_matter

SKILL_FILE = "SKILL.md"
MAX_FILE_BYTES = 1024 * 1024
MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
ALLOWED_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PART_IN_CODE = re.compile(r"(references|assets|scripts)/[\w./-]*\w")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


class SkillError(ValueError):
    """A Skill cannot be used: says which file, which key of it, what is wrong and what to do."""

    def __init__(self, file: Path, reason: str, *, key: str = "", line: int | None = None) -> None:
        self.file = file
        self.key = key
        self.line = line
        self.reason = reason
        at = f"{file}:{line}" if line is not None else str(file)
        super().__init__(f"{at}: {key}: {reason}" if key else f"{at}: {reason}")


class SkillMissing(SkillError):
    """There is no Skill, or no part of a Skill, at that path."""


class SkillMalformed(SkillError):
    """A file of the Skill does not follow the Agent Skills specification."""


class SkillUnsafe(SkillError):
    """A path leaves the Skill's folder, or something in it is not a regular file."""


class SkillTooLarge(SkillError):
    """A file of the Skill is larger than 1 MiB."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A Skill that passed its checks; ``path`` is its folder, ``body`` the instructions.

    ``metadata`` maps strings to strings and is read-only.
    """

    name: str
    description: str
    path: Path
    metadata: Mapping[str, str]
    body: str


def load_skill(directory: Path) -> Skill:
    """Read the Skill in ``directory``.

    Raises SkillMissing, SkillMalformed, SkillUnsafe or SkillTooLarge. A reference that the body
    names and that does not exist is no reason to refuse a Skill; `check_skill` reports it.
    """
    errors, skill = _inspect(Path(directory))
    if errors or skill is None:
        raise errors[0]
    return skill


def check_skill(directory: Path) -> list[str]:
    """Every problem of the Skill in ``directory``, one sentence each; empty when there is none."""
    errors, skill = _inspect(Path(directory))
    if skill is not None:
        errors.extend(_broken_references(skill))
    return [str(error) for error in errors]


def find_skills(directories: Iterable[Path]) -> dict[str, Skill]:
    """The Skills that are direct children of ``directories``, by name.

    Of two with one name, the one in the earlier directory is taken and the other is not read.
    A directory that does not exist is skipped: the vendored Skills are optional.
    Raises SkillError for the first Skill that cannot be used.
    """
    found: dict[str, Skill] = {}
    for directory in directories:
        if not directory.is_dir():
            continue
        for child in sorted(directory.iterdir()):
            if child.name not in found and (child / SKILL_FILE).exists():
                found[child.name] = load_skill(child)
    return found


def list_parts(skill: Skill) -> tuple[str, ...]:
    """The paths of the Skill's files but SKILL.md, relative to its folder, sorted.

    Raises SkillUnsafe if a symbolic link has appeared since the Skill was loaded.
    """
    paths = [path for path, _ in _files(skill.path)]
    return tuple(
        sorted(p for p in (f.relative_to(skill.path).as_posix() for f in paths) if p != SKILL_FILE)
    )


def read_part(skill: Skill, relpath: str) -> str:
    """The text of a file of the Skill; ``relpath`` is relative and uses forward slashes.

    Raises SkillUnsafe (path or link leads out), SkillMissing, SkillTooLarge, or SkillMalformed
    (not UTF-8 text).
    """
    target = skill.path / _safe(skill.path / SKILL_FILE, relpath)
    step = skill.path
    for name in target.relative_to(skill.path).parts:
        step = step / name
        if step.is_symlink():
            raise SkillUnsafe(step, "is a symbolic link; replace it by the file itself")
    if not target.exists():
        known = ", ".join(list_parts(skill)) or "none"
        raise SkillMissing(target, f"the Skill {skill.name} has no such part; it has: {known}")
    return _read(target)


def _inspect(directory: Path) -> tuple[list[SkillError], Skill | None]:
    """Everything wrong with the folder, and the Skill if it can be used all the same."""
    main = directory / SKILL_FILE
    errors: list[SkillError] = []
    if directory.is_symlink():
        return [SkillUnsafe(directory, "is a symbolic link; replace it by the folder itself")], None
    if not directory.is_dir():
        return [SkillMissing(directory, "is not a folder")], None
    try:
        for file, size in _files(directory):
            if size > MAX_FILE_BYTES:
                reason = f"has {size} bytes, more than 1 MiB; split it or leave it out"
                errors.append(SkillTooLarge(file, reason))
    except SkillUnsafe as error:
        return [error], None
    if not main.is_file():
        return [*errors, SkillMissing(main, "does not exist; a Skill needs it")], None
    if errors:
        return errors, None
    try:
        text = _read(main)
        matter = parse_front_matter(text)
    except FrontMatterError as error:
        return [SkillMalformed(main, error.reason, line=error.line)], None
    except SkillError as error:
        return [error], None
    for key, reason in _key_problems(matter.values, directory.name):
        errors.append(SkillMalformed(main, reason, key=key, line=matter.lines.get(key)))
    if not matter.body:
        errors.append(SkillMalformed(main, "has no instructions after the front matter"))
    if errors:
        return errors, None
    metadata = matter.values.get("metadata", {})
    return [], Skill(
        name=str(matter.values["name"]),
        description=str(matter.values["description"]),
        path=directory,
        metadata=MappingProxyType(dict(metadata) if isinstance(metadata, dict) else {}),
        body=matter.body,
    )


def _key_problems(values: Mapping[str, object], folder: str) -> Iterator[tuple[str, str]]:
    """(key, reason) for each key that is unknown, missing or of the wrong form."""
    for key in values:
        if key not in ALLOWED_KEYS:
            yield key, f"is not a key of a Skill; allowed: {', '.join(ALLOWED_KEYS)}"
    name = values.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        yield (
            "name",
            (
                f"must be 1 to {MAX_NAME} lower-case letters, digits and single hyphens, "
                f"not {name!r}"
            ),
        )
    elif name != folder:
        yield "name", f"is {name!r} and the folder is {folder!r}; they must be equal"
    description = values.get("description")
    if not isinstance(description, str) or not 1 <= len(description.strip()) <= MAX_DESCRIPTION:
        size = f"{len(description)} characters" if isinstance(description, str) else "none"
        yield "description", f"must be text of 1 to {MAX_DESCRIPTION} characters; it has {size}"
    for key, longest in (
        ("license", None),
        ("compatibility", MAX_COMPATIBILITY),
        ("allowed-tools", None),
    ):
        value = values.get(key, "-")
        if not isinstance(value, str) or not value.strip():
            yield key, "must be a non-empty string (several are separated by spaces, no list)"
        elif longest is not None and len(value) > longest:
            yield key, f"must have at most {longest} characters; it has {len(value)}"
    metadata = values.get("metadata", {})
    if not isinstance(metadata, dict) or not all(
        isinstance(item, str) for pair in metadata.items() for item in pair
    ):
        yield "metadata", "must be a mapping of strings to strings (quote numbers and dates)"


def _files(directory: Path) -> Iterator[tuple[Path, int]]:
    """Each regular file below ``directory`` with its size in bytes.

    Raises SkillUnsafe at the first symbolic link, device, pipe or socket.
    """
    for root, folders, files in os.walk(directory, followlinks=False):
        folders.sort()
        for name in sorted([*folders, *files]):
            path = Path(root, name)
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                raise SkillUnsafe(path, "is a symbolic link; replace it by the file itself")
            if stat.S_ISREG(status.st_mode):
                yield path, status.st_size
            elif not stat.S_ISDIR(status.st_mode):
                raise SkillUnsafe(path, "is not a regular file; remove it")


def _read(file: Path) -> str:
    """The text of a regular file, which is not followed if it is a link."""
    try:
        # O_NONBLOCK: opening a pipe must fail below, not wait for a writer.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(file, flags), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise SkillUnsafe(file, "is not a regular file")
            raw = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SkillUnsafe(file, f"cannot be read ({error.strerror or error})") from error
    if len(raw) > MAX_FILE_BYTES:
        raise SkillTooLarge(file, "has more than 1 MiB; split it or leave it out")
    try:
        return raw.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SkillMalformed(file, f"is not UTF-8 text (byte {error.start})") from error


def _safe(file: Path, relpath: str) -> PurePosixPath:
    """``relpath`` as a path that stays inside a folder; raises SkillUnsafe naming ``file``."""
    path = PurePosixPath(relpath)
    windows = PureWindowsPath(relpath)
    inside = path.parts and not path.is_absolute() and ".." not in path.parts
    if not inside or "\\" in relpath or "\0" in relpath or windows.drive or windows.root:
        reason = f"path {relpath!r} must be relative, use forward slashes and stay in the Skill"
        raise SkillUnsafe(file, reason)
    return path


def _broken_references(skill: Skill) -> Iterator[SkillError]:
    """The files that the body names and that are not there, or lie outside of the Skill."""
    main = skill.path / SKILL_FILE
    parts = set(list_parts(skill))
    for target in dict.fromkeys(_targets(MarkdownIt().parse(skill.body))):
        try:
            path = _safe(main, target).as_posix()
        except SkillUnsafe as error:
            yield error
            continue
        if path not in parts and not (skill.path / path).is_dir():
            yield SkillMissing(main, f"names {target!r}, which does not exist in the Skill")


def _targets(tokens: Iterable[Token]) -> Iterator[str]:
    """Relative link targets, and parts of the Skill that stand in code spans."""
    for token in tokens:
        if token.children:
            yield from _targets(token.children)
        if token.type == "code_inline" and _PART_IN_CODE.fullmatch(token.content):
            yield token.content
        target = token.attrGet("href") or token.attrGet("src")
        if isinstance(target, str) and not _SCHEME.match(target) and not target.startswith("//"):
            bare = target.split("#", 1)[0].split("?", 1)[0]
            if bare:
                yield bare
