"""Derive the table of the google provider's resources and arguments (run by developers).

The provider itself cannot be asked without a network to its registry, but the prebuilt CDK
bindings on PyPI carry every structure of one provider version: a jsii assembly (JSON: which
arguments and blocks, required or not, of what type) and the generated JavaScript (which further
attributes a resource exports). This script reads both and writes ``data/google_schema.json.gz``,
which ``agents.tools.iac_schema`` reads. Names and types are facts; no text is taken over.

    python -m agents.tools.build_schema_table                    # downloads the pinned package
    python -m agents.tools.build_schema_table --wheel FILE.whl   # reads one that is here already

Layout of the table: ``blocks`` is a pool of blocks, each a mapping of a name to either a type
letter (``s`` string, ``n`` number, ``b`` bool, ``l`` list of strings, ``L`` list of numbers,
``m`` map, ``*`` an argument or block of unknown shape; ``!`` appended when required) or
``[pool index, min, max]`` of a nested block, where a max of 0 means no limit. ``resource``,
``data`` and ``ephemeral`` map a type to ``[pool index, [names that can only be read]]``. Equal
blocks are stored once.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PACKAGE = "cdktn-provider-google"
PACKAGE_VERSION = "21.1.0"
TARGET = Path(__file__).parent / "data" / "google_schema.json.gz"
FORMAT = 1

_ANCHOR = re.compile(r"\{@link \S+?#([a-z0-9_]+) [A-Za-z0-9]+#\1\}")
_PROVIDER_VERSION = re.compile(r"providers/hashicorp/google/(\d+\.\d+\.\d+)/docs")
_MAIN_CLASS = re.compile(r"^class \w+ extends cdktn\.Terraform(?:\w+) \{", re.M)
_TYPE_NAME = re.compile(r"static tfResourceType = \"(\w+)\";")
_READABLE = re.compile(r"Attribute\([\"']([a-z0-9_]+)[\"']\)|\(this, [\"']([a-z0-9_]+)[\"']")
_ID_NOTE = "the id field is automatically added"
_BASES = {
    "cdktn.TerraformResource": "resource",
    "cdktn.TerraformDataSource": "data",
    "cdktn.TerraformEphemeralResource": "ephemeral",
}
_SCALARS = {"string": "s", "number": "n", "boolean": "b"}
_LISTS = {"string": "l", "number": "L"}

Json = Mapping[str, Any]
PooledBlock = dict[str, str | list[int]]


class UnexpectedShape(Exception):
    """The package is not laid out as this script expects; the message names the member."""


@dataclass
class Pool:
    """Stores each distinct block once and gives its index."""

    blocks: list[PooledBlock] = field(default_factory=list)
    _seen: dict[str, int] = field(default_factory=dict)

    def add(self, block: PooledBlock) -> int:
        """Return the index of an equal block, storing it first if it is new."""
        key = json.dumps(block, sort_keys=True)
        if key not in self._seen:
            self._seen[key] = len(self.blocks)
            self.blocks.append(dict(sorted(block.items())))
        return self._seen[key]


def block_of(fqn: str, types: Mapping[str, Json], pool: Pool, above: tuple[str, ...] = ()) -> int:
    """Translate one jsii interface, and all that it nests, to pooled blocks; the pool's index.

    ``above`` holds the interfaces that this one is nested in. The bindings name one of them again
    where the names of two structures clash; what is inside is then not known (``*``).
    """
    block: PooledBlock = {}
    for prop in types[fqn].get("properties", ()):
        docs = json.dumps(prop.get("docs", {}))
        if not above and prop["name"] == "id" and _ID_NOTE in docs and prop.get("optional"):
            continue  # the bindings add it to every type; the provider refuses it
        found = _ANCHOR.search(docs)
        name = found[1] if found else _snake(prop["name"])
        block[name] = _member(prop, types, pool, (*above, fqn))
    return pool.add(block)


def _member(
    prop: Json, types: Mapping[str, Json], pool: Pool, above: tuple[str, ...]
) -> str | list[int]:
    required = not prop.get("optional", False)
    kind = _without_tokens(prop["type"])
    collection = kind.get("collection")
    element = _without_tokens(collection["elementtype"]) if collection else kind
    letter: str | None
    if "fqn" in element and element["fqn"] in above:
        letter = "*"
    elif collection and collection["kind"] == "map":
        letter = "m"
    elif "fqn" in element:
        nested = block_of(element["fqn"], types, pool, above)
        return [nested, int(required), 0 if collection else 1]
    else:
        letters = _LISTS if collection else _SCALARS
        letter = letters.get(element.get("primitive", ""))
    if letter is None:
        where = f"{above[-1]}.{prop['name']}"
        raise UnexpectedShape(f"{where}: no type letter for {json.dumps(prop['type'])}")
    return letter + ("!" if required else "")


def _without_tokens(kind: Json) -> Json:
    """Drop the alternative that lets a binding's user pass an unresolved token."""
    if "union" not in kind:
        return kind
    rest = [k for k in kind["union"]["types"] if k.get("fqn") != "cdktn.IResolvable"]
    if len(rest) != 1:
        raise UnexpectedShape(f"a union of {len(rest)} types: {json.dumps(kind)}")
    return dict(rest[0])


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def table_of(assembly: Json, sources: Mapping[str, str]) -> dict[str, Any]:
    """Build the table from a jsii assembly and the JavaScript files, keyed by their folder."""
    types: Mapping[str, Json] = assembly["types"]
    pool = Pool()
    kinds: dict[str, dict[str, list[Any]]] = {kind: {} for kind in _BASES.values()}
    provider_block = -1
    for cls in types.values():
        base = str(cls.get("base", ""))
        if not base.startswith("cdktn.Terraform"):
            continue
        config = cls["initializer"]["parameters"][-1]["type"]["fqn"]
        if base == "cdktn.TerraformProvider":
            provider_block = block_of(config, types, pool)
            continue
        script = sources[Path(cls["locationInModule"]["filename"]).parent.name]
        main, type_name = _MAIN_CLASS.search(script), _TYPE_NAME.search(script)
        if main is None or type_name is None or base not in _BASES:
            raise UnexpectedShape(f"{cls['fqn']}: no main class of a known kind in its script")
        index = block_of(config, types, pool)
        readable = {a or b for a, b in _READABLE.findall(script[main.start() :])}
        entry = [index, sorted(readable - set(pool.blocks[index]))]
        kinds[_BASES[base]][type_name[1]] = entry
    if provider_block < 0 or not all(kinds.values()):
        raise UnexpectedShape("the assembly lacks a provider, or one kind of resources")
    return {
        "format": FORMAT,
        "provider": "hashicorp/google",
        "version": _provider_version(assembly),
        "source": f"{PACKAGE} {assembly['version']}",
        "provider_block": provider_block,
        "blocks": pool.blocks,
        **{kind: dict(sorted(entries.items())) for kind, entries in kinds.items()},
    }


def _provider_version(assembly: Json) -> str:
    versions = set(_PROVIDER_VERSION.findall(assembly["readme"]["markdown"]))
    if len(versions) != 1:
        raise UnexpectedShape(f"the package's readme names {len(versions)} provider versions")
    return str(versions.pop())


def read_wheel(wheel: Path) -> tuple[Json, dict[str, str]]:
    """Read the jsii assembly and the scripts, keyed by their folder, out of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        inner = [n for n in archive.namelist() if n.endswith(".jsii.tgz")]
        if len(inner) != 1:
            raise UnexpectedShape(f"{wheel.name} holds {len(inner)} jsii packages, not one")
        packed = archive.read(inner[0])
    assembly: Json | None = None
    sources: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as package:
        for member in package:
            path = Path(member.name)
            stream = package.extractfile(member)
            if stream is None:
                continue
            if path.name == ".jsii":
                assembly = json.load(stream)
            elif path.name == "index.js" and path.parts[1:2] == ("lib",):
                sources[path.parent.name] = stream.read().decode("utf-8")
    if assembly is None:
        raise UnexpectedShape(f"{wheel.name} holds no .jsii assembly")
    return assembly, sources


def download(folder: Path) -> Path:
    """Fetch the pinned package's wheel with pip into ``folder``."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    subprocess.run(  # noqa: S603 - fixed arguments
        [*command, str(folder), f"{PACKAGE}=={PACKAGE_VERSION}"], check=True
    )
    return next(folder.glob("*.whl"))


def write(table: Json, target: Path) -> int:
    """Write the table compressed and reproducibly (no time stamp); return its size in bytes."""
    raw = json.dumps(table, separators=(",", ":"), sort_keys=True).encode()
    packed = gzip.compress(raw, compresslevel=9, mtime=0)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(packed)
    return len(packed)


def main(argv: list[str] | None = None) -> int:
    """Command line: build the table and say what it holds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="read this wheel instead of downloading")
    parser.add_argument("--target", type=Path, default=TARGET)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        table = table_of(*read_wheel(args.wheel or download(Path(folder))))
    size = write(table, args.target)
    print(
        f"{args.target.name}: provider {table['version']}, {len(table['resource'])} resources, "
        f"{len(table['data'])} data sources, {len(table['blocks'])} blocks, {size} bytes"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
