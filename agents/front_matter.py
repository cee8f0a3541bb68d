"""Front matter of role files and Skills: YAML between two ``---`` lines, with line numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent

FENCE = "---"


class FrontMatterError(ValueError):
    """The front matter cannot be read; ``line`` counts from 1 in the whole file."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file taken apart.

    ``values`` are plain str, int, float, bool, None, list and dict; ``lines`` gives the line in the
    file, from 1, on which each top-level key stands; ``body`` is what follows, stripped.
    """

    values: Mapping[str, object]
    lines: Mapping[str, int]
    body: str


def parse_front_matter(text: str) -> FrontMatter:
    """Take a file apart.

    Raises FrontMatterError if the file does not start with ``---`` at its first character, if the
    block is not closed, or if it is not a YAML mapping with unique string keys.
    """
    if text.startswith("\ufeff"):
        raise FrontMatterError("starts with a byte order mark; save it as UTF-8 without one", 1)
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise FrontMatterError("must start with a line '---' and nothing before it", 1)
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise FrontMatterError("the front matter is not closed by a line '---'", len(lines))
    if any(FENCE in line for line in lines[1:end]):
        # Common readers cut the file at the first three hyphens, wherever they stand.
        raise FrontMatterError("'---' inside the front matter cuts it short; reword it", 2)
    loaded = _load("\n".join(lines[1:end]))
    values: dict[str, object] = {}
    where: dict[str, int] = {}
    for key, value in loaded.items():
        line = loaded.lc.key(key)[0] + 2
        if not isinstance(key, str):
            raise FrontMatterError(f"key {key!r} is not a string", line)
        values[str(key)] = _plain(value)
        where[str(key)] = line
    return FrontMatter(values, where, "\n".join(lines[end + 1 :]).strip())


def _load(block: str) -> CommentedMap:
    """The YAML mapping in ``block``, with ruamel's line and column marks."""
    try:
        # An alias can make a few lines stand for gigabytes; nothing here needs one.
        if any(isinstance(event, AliasEvent) for event in YAML().parse(block)):
            raise FrontMatterError("YAML aliases (*name) are not allowed", 2)
        loaded = YAML().load(block)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = f"is not valid YAML: {error.problem or error.context or 'unreadable'}"
        raise FrontMatterError(reason, (mark.line if mark else 0) + 2) from error
    except YAMLError as error:
        raise FrontMatterError(f"is not valid YAML: {error}", 2) from error
    if not isinstance(loaded, CommentedMap):
        raise FrontMatterError("the front matter must be a mapping of keys to values", 2)
    return loaded


def _plain(value: object) -> object:
    """``value`` without ruamel's subclasses, so that comparisons and types are what they seem."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value
