"""Role files: front matter plus instructions, checked against the dependency graph.

A role file is ``<role>.md``. What it declares twice over (its Deliverable and upstream task) must
equal what ``engine.deliverables`` says, so that a prompt and the code cannot drift apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from agents.front_matter import FrontMatterError, parse_front_matter
from agents.runtime import RoleSpec, Tier
from engine.deliverables import GRAPH, ORCHESTRATOR, PILLAR_ADVISOR, ROLES, Kind, Pillar

ORCHESTRATOR_BUDGET = 40
SPECIALIST_BUDGET = 15
MAX_BODY_LINES = 150
PILLAR_MARK = "{pillar}"
"""What stands for the pillar's name in the pillar-advisor's Skill and instructions."""

_SPECS = {spec.role: spec for spec in GRAPH}
_SKILL = re.compile(r"[a-z0-9]+(-([a-z0-9]+|\{pillar\}))*")
_SERVER = re.compile(r"[a-z][a-z0-9_]*")


class RoleError(ValueError):
    """A role file cannot be used: names the file, line and key, and says what is allowed."""

    def __init__(self, file: Path, line: int, key: str, reason: str) -> None:
        self.file = file
        self.line = line
        self.key = key
        self.reason = reason
        super().__init__(f"{file}:{line}: {f'{key}: ' if key else ''}{reason}")


def load_roles(directory: Path) -> dict[str, RoleSpec]:
    """Every role of the graph, by name, from its file in ``directory``.

    Raises RoleError for a missing file, for one that belongs to no role, or for any fault in one.
    """
    if not directory.is_dir():
        raise RoleError(directory, 0, "", "is not a folder with role files")
    extra = [file for file in directory.glob("*.md") if file.stem not in ROLES]
    return {
        file.stem: load_role(file)
        for file in (*sorted(extra), *(directory / f"{role}.md" for role in ROLES))
    }


def load_role(file: Path) -> RoleSpec:
    """One role from its file, whose name is the role's. Raises RoleError."""
    if file.stem not in ROLES:
        raise RoleError(file, 1, "", f"is no role's file; the roles are: {', '.join(ROLES)}")
    try:
        text = file.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        reason = f"cannot be read ({error.strerror or error}); every role needs its file"
        raise RoleError(file, 0, "", reason) from error
    except UnicodeDecodeError as error:
        raise RoleError(file, 1, "", f"is not UTF-8 text (byte {error.start})") from error
    try:
        matter = parse_front_matter(text)
    except FrontMatterError as error:
        raise RoleError(file, error.line, "", error.reason) from error

    def fault(key: str, reason: str) -> RoleError:
        return RoleError(file, matter.lines.get(key, 1), key, reason)

    role = file.stem
    values = matter.values
    for key in values:
        if key not in _KEYS:
            raise fault(key, f"is not a key of a role file; allowed: {', '.join(_KEYS)}")
    for key, (check, allowed) in _KEYS.items():
        if key not in values:
            if key == "model":
                continue
            raise fault(key, f"is missing; it must be {allowed}")
        if not check(values[key]):
            raise fault(key, f"must be {allowed}, not {values[key]!r}")
    for key, expected in _expected(role).items():
        if values[key] != expected:
            shown = "null" if expected is None else repr(expected)
            raise fault(key, f"must be {shown} for the role {role}, as the graph has it")
    cap = ORCHESTRATOR_BUDGET if role == ORCHESTRATOR else SPECIALIST_BUDGET
    spec = RoleSpec.model_validate({**values, "instructions": matter.body}, strict=False)
    if spec.budget > cap:
        raise fault("budget", f"must be 1 to {cap} tool calls for {role}, not {spec.budget}")
    if any(PILLAR_MARK in skill for skill in spec.skills) != (role == PILLAR_ADVISOR):
        raise fault("skills", f"{PILLAR_MARK} must be in a Skill of {PILLAR_ADVISOR}, and no other")
    lines = len(matter.body.splitlines())
    if not 1 <= lines <= MAX_BODY_LINES:
        raise fault("", f"the instructions must have 1 to {MAX_BODY_LINES} lines, not {lines}")
    return spec


def for_pillar(spec: RoleSpec, pillar: Pillar) -> RoleSpec:
    """The pillar-advisor's role for one pillar: its Skill and instructions name that pillar.

    Raises ValueError for any other role.
    """
    if spec.role != PILLAR_ADVISOR:
        raise ValueError(f"{spec.role} has no pillar; only {PILLAR_ADVISOR} has")
    return spec.model_copy(
        update={
            "skills": tuple(skill.replace(PILLAR_MARK, pillar) for skill in spec.skills),
            "instructions": spec.instructions.replace(PILLAR_MARK, pillar),
        }
    )


def _expected(role: str) -> Mapping[str, str | None]:
    """What the graph says of a role, for the keys that repeat it."""
    if role == ORCHESTRATOR:
        return {"role": role, "deliverable": None, "upstream_task": ""}
    if role == PILLAR_ADVISOR:
        # It has no Deliverable of its own: it works for the one that has all pillars' headings.
        owner = next(spec for spec in GRAPH if spec.kind is Kind.DESIGN_RECOMMENDATIONS)
        return {"role": role, "deliverable": None, "upstream_task": owner.upstream_task}
    spec = _SPECS[role]
    return {"role": role, "deliverable": spec.kind.value, "upstream_task": spec.upstream_task}


def _texts(value: object, matches: Callable[[str], object]) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) and matches(item) for item in value)
        and len(set(value)) == len(value)
    )


_KEYS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "role": (lambda v: isinstance(v, str), "the role's name, equal to the file's"),
    "deliverable": (
        lambda v: v is None or (isinstance(v, str) and v in set(Kind)),
        f"null or one of {', '.join(Kind)}",
    ),
    "upstream_task": (lambda v: isinstance(v, str), "a string (quote it: '2.1')"),
    "skills": (
        lambda v: _texts(v, _SKILL.fullmatch),
        "a list of different Skill names (lower case, hyphens); [] for none",
    ),
    "tool_tiers": (
        lambda v: _texts(v, lambda item: item in set(Tier)),
        f"a list of {', '.join(Tier)}",
    ),
    "mcp_servers": (
        lambda v: _texts(v, _SERVER.fullmatch),
        "a list of different server names (lower case, underscores); [] for none",
    ),
    "model": (
        lambda v: v is None or (isinstance(v, str) and bool(v.strip())),
        "the name of a model, or absent for the provider's default",
    ),
    "budget": (
        lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 1,
        "a whole number of tool calls from 1",
    ),
}
