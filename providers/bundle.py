"""Cloud provider bundles: a provider is configured, not coded (SPEC: Provider bundle)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field

from engine.deliverables import ROLES
from providers.catalogue import Catalogue
from providers.yaml_file import BundleError, Frozen, Path_, YamlFile

__all__ = [
    "Bundle",
    "BundleError",
    "McpAuth",
    "McpServer",
    "Models",
    "Region",
    "Tier",
    "Tool",
    "load_bundle",
]

PROJECT_ROOT = Path(__file__).resolve().parent.parent
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}")


class Tier(StrEnum):
    """What a tool may touch; the same values as the agent runtime's tiers."""

    GENERAL = "general"
    CLOUD_READ = "cloud_read"


class McpAuth(StrEnum):
    """How calls to the bundle's MCP servers are authorised."""

    NONE = "none"
    GOOGLE_ADC = "google_adc"


class Tool(Frozen):
    """A tool of our own that a role gets, with its tier."""

    name: str
    tier: Tier


class Models(Frozen):
    """Model names: one for all roles, and other ones by role."""

    default: str
    roles: dict[str, str] = Field(default_factory=dict)


class McpServer(Frozen):
    """A streamable HTTP server; a tool that is not in ``allow`` is never offered.

    ``source`` is the public page that lists the server's tools; ``note`` is for operators.
    """

    name: str = ""
    url: Annotated[str, Field(pattern=r"^https://")]
    tier: Tier
    allow: tuple[str, ...] = Field(min_length=1)
    preview: bool = False
    source: str = ""
    note: str = ""


class Region(Frozen):
    """A place that resources run in. ``low_carbon`` is the provider's own label."""

    id: str
    city: str
    country: str
    continent: str
    aliases: tuple[str, ...] = ()
    low_carbon: bool = False
    multi_region: bool = False


class _BundleFile(Frozen):
    name: str
    title: str
    skills_dirs: tuple[str, ...] = Field(min_length=1)
    output_template: str
    docs_hosts: tuple[str, ...] = Field(min_length=1)
    catalogue: str
    models: Models
    tools: dict[Tier, tuple[str, ...]]
    role_tools: dict[str, tuple[str, ...]]
    mcp_auth: McpAuth
    mcp_servers: dict[str, McpServer]
    role_mcp_servers: dict[str, tuple[str, ...]]
    regions: tuple[Region, ...] = Field(min_length=1)


class Bundle(Frozen):
    """A Cloud provider as the rest of the system sees it: checked, and with paths resolved.

    ``role_mcp_servers`` overrides the role files. ``mcp_servers`` lacks preview servers where they
    are switched off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    name: str
    title: str
    root: Path
    skills_dirs: tuple[str, ...]
    output_template: str
    docs_hosts: tuple[str, ...]
    catalogue: Catalogue
    models: Models
    role_tools: dict[str, tuple[Tool, ...]]
    mcp_auth: McpAuth
    mcp_servers: dict[str, McpServer]
    role_mcp_servers: dict[str, tuple[str, ...]]
    regions: tuple[Region, ...]

    @property
    def skills_paths(self) -> tuple[Path, ...]:
        """Folders that hold Skills, first wins; a vendor folder may not exist yet."""
        return tuple(self.root / folder for folder in self.skills_dirs)

    @property
    def output_template_path(self) -> Path:
        """The Solution guide's template."""
        return self.root / self.output_template

    def model_for(self, role: str, declared: str | None = None) -> str:
        """The role's model: the bundle's own for this role, the role file's, or the default."""
        return self.models.roles.get(role) or declared or self.models.default

    def tools_for(self, role: str) -> tuple[Tool, ...]:
        """Our own tools that the role gets, beside those of every Specialist."""
        return self.role_tools.get(role, ())

    def servers_for(self, role: str, declared: tuple[str, ...] = ()) -> tuple[McpServer, ...]:
        """The role's MCP servers: as the bundle says, else as the role file ``declared`` them.

        A name that the bundle does not know, or whose preview is switched off, is left out.
        """
        names = self.role_mcp_servers.get(role, declared)
        return tuple(self.mcp_servers[name] for name in names if name in self.mcp_servers)

    def region(self, text: str) -> Region | None:
        """The region that ``text`` is the id, city, or alias of, in any case."""
        return self._places.get(" ".join(text.split()).casefold())

    def regions_in(self, text: str) -> tuple[Region, ...]:
        """Regions that ``text`` names by id, city or alias, in order of appearance, each once."""
        hits = (self._places[m.group().casefold()] for m in self._place_words.finditer(text))
        return tuple({place.id: place for place in hits}.values())

    @cached_property
    def _places(self) -> Mapping[str, Region]:
        places: dict[str, Region] = {}
        for pick in (lambda r: (r.id,), lambda r: (r.city,), lambda r: r.aliases):
            for place in self.regions:
                for word in pick(place):
                    places.setdefault(word.casefold(), place)
        return places

    @cached_property
    def _place_words(self) -> re.Pattern[str]:
        words = sorted(self._places, key=len, reverse=True)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])", re.I)


def load_bundle(
    name: str = "gcp", root: Path | None = None, *, enable_preview: bool = True
) -> Bundle:
    """Read ``providers/<name>.yaml`` and its catalogue below the project root.

    Paths in the file are relative to ``root``, by default the parent of the ``providers`` package.
    Raises BundleError with file, line and key.
    """
    root = root or PROJECT_ROOT
    folder = root / "providers"
    path = folder / f"{name}.yaml"
    if not _NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.yaml"))) or "none"
        raise BundleError(path, f"there is no provider bundle {name!r}; choose one of: {known}")
    file = YamlFile(path)
    parsed = file.parse(_BundleFile)
    tools = _checked(file, parsed)
    catalogue = root / parsed.catalogue
    if not catalogue.is_file():
        raise file.error(("catalogue",), f"there is no file {parsed.catalogue!r}")
    return Bundle(
        name=parsed.name,
        title=parsed.title,
        root=root,
        skills_dirs=parsed.skills_dirs,
        output_template=parsed.output_template,
        docs_hosts=parsed.docs_hosts,
        catalogue=Catalogue.load(YamlFile(catalogue)),
        models=parsed.models,
        role_tools={
            role: tuple(tools[tool] for tool in names) for role, names in parsed.role_tools.items()
        },
        mcp_auth=parsed.mcp_auth,
        mcp_servers={
            key: server.model_copy(update={"name": key})
            for key, server in parsed.mcp_servers.items()
            if enable_preview or not server.preview
        },
        role_mcp_servers=parsed.role_mcp_servers,
        regions=parsed.regions,
    )


def _checked(file: YamlFile, parsed: _BundleFile) -> dict[str, Tool]:
    """Check what refers to what; returns the tools by name. Raises BundleError."""
    if parsed.name != file.path.stem:
        raise file.error(("name",), f"must be {file.path.stem!r}, as the file is called")
    tools: dict[str, Tool] = {}
    for tier, names in parsed.tools.items():
        for at, tool in enumerate(names):
            if tool in tools:
                raise file.error(("tools", tier.value, at), f"{tool!r} has a tier already")
            tools[tool] = Tool(name=tool, tier=tier)
    sections: tuple[tuple[str, Mapping[str, tuple[str, ...]], Mapping[str, object]], ...] = (
        ("role_tools", parsed.role_tools, tools),
        ("role_mcp_servers", parsed.role_mcp_servers, parsed.mcp_servers),
    )
    for role in parsed.models.roles:
        _known_role(file, ("models", "roles", role), role)
    for section, by_role, known in sections:
        for role, names in by_role.items():
            _known_role(file, (section, role), role)
            for at, item in enumerate(names):
                if item not in known:
                    raise file.error((section, role, at), f"{item!r} is not declared in this file")
    ids: set[str] = set()
    for at, region in enumerate(parsed.regions):
        if region.id in ids:
            raise file.error(("regions", at, "id"), f"{region.id!r} stands twice")
        ids.add(region.id)
    return tools


def _known_role(file: YamlFile, location: Path_, role: str) -> None:
    if role not in ROLES:
        raise file.error(location, f"{role!r} is not a role; roles are {', '.join(ROLES)}")
