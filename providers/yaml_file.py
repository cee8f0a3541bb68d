"""Reads a YAML file into a frozen model, and says file, line and key of what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml reads ten times as fast
Model = TypeVar("Model", bound=BaseModel)
Path_ = tuple[int | str, ...]


class Frozen(BaseModel):
    """Base of everything read from a bundle: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BundleError(Exception):
    """A bundle file is wrong; the message is one sentence with the file, the line and the key."""

    def __init__(self, file: Path, problem: str, *, line: int | None = None, key: str = "") -> None:
        self.file, self.line, self.key, self.problem = file, line, key, problem
        place = f"{file}" if line is None else f"{file}, line {line}"
        super().__init__(f"{place}: {f'key {key!r}: ' if key else ''}{problem}.")


class YamlFile:
    """A parsed YAML file that still knows the line of each key."""

    def __init__(self, path: Path) -> None:
        """Parse ``path``; raises BundleError if it is missing, not YAML, or repeats a key."""
        self.path = path
        try:
            loader = _Loader(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BundleError(path, f"cannot be read ({error}); restore the file") from None
        except yaml.YAMLError as error:
            raise BundleError(path, f"is not YAML: {error}") from None
        try:
            self._root = loader.get_single_node()
            self.data: object = loader.construct_document(self._root) if self._root else None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            raise BundleError(
                path,
                f"is not YAML: {getattr(error, 'problem', None) or error}",
                line=mark.line + 1 if mark else None,
            ) from None
        finally:
            loader.dispose()
        if not isinstance(self.data, dict):
            raise BundleError(path, "must be a mapping of keys to values", line=1)
        for key, line in _repeated(self._root):
            raise BundleError(path, "stands twice in one mapping; remove one", line=line, key=key)

    def error(self, location: Path_, problem: str) -> BundleError:
        """An error about the value at ``location`` (keys and list positions from the top)."""
        node, line, names = self._root, 1, []
        for step in location:
            names.append(str(step))
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    if key.value == str(step):
                        line, node = key.start_mark.line + 1, value
                        break
                else:
                    break
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                if step >= len(node.value):
                    break
                node = node.value[step]
                line = node.start_mark.line + 1
            else:
                break
        return BundleError(self.path, problem, line=line, key=".".join(names))

    def parse(self, model: type[Model]) -> Model:
        """The file as ``model``; raises BundleError about the first thing that does not fit."""
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False)
            # A misspelt key is also a missing one; the misspelling is what helps.
            first = next((e for e in found if e["type"] == "extra_forbidden"), found[0])
            problem = {
                "extra_forbidden": "is not a known key; remove it or mend its spelling",
                "missing": "is missing; add it",
            }.get(first["type"], first["msg"].removeprefix("Value error, ").rstrip("."))
            raise self.error(first["loc"], problem) from None


def _repeated(node: object) -> Iterator[tuple[str, int]]:
    """Keys that stand twice in one mapping: YAML would keep the last in silence."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield key.value, key.start_mark.line + 1
            seen.add(key.value)
            yield from _repeated(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item)
