"""The committed table and the script that derives it from the bindings' package."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agents.tools import build_schema_table as build
from agents.tools.schema_table import Argument, ArgumentType, SchemaTable, load_table


def link(name: str) -> dict[str, str]:
    return {"remarks": f"Docs: {{@link https://example.test/docs#{name} Thing#{name}}}"}


def prop(name: str, kind: Any, *, hcl: str = "", optional: bool = True) -> dict[str, Any]:
    return {"name": name, "type": kind, "optional": optional, "docs": link(hcl or name)}


STRING = {"primitive": "string"}
BOOL = {"union": {"types": [{"primitive": "boolean"}, {"fqn": "cdktn.IResolvable"}]}}


def array(kind: Any) -> dict[str, Any]:
    collection = {"collection": {"elementtype": kind, "kind": "array"}}
    return {"union": {"types": [collection, {"fqn": "cdktn.IResolvable"}]}}


def cls(base: str, name: str, folder: str) -> dict[str, Any]:
    return {
        "fqn": f"p.{name}",
        "kind": "class",
        "base": f"cdktn.Terraform{base}",
        "initializer": {"parameters": [{"type": {"fqn": f"p.{name}Config"}}]},
        "locationInModule": {"filename": f"src/{folder}/index.ts"},
    }


def interface(*properties: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "interface", "properties": list(properties)}


def assembly() -> dict[str, Any]:
    id_note = {
        **prop("id", STRING),
        "docs": {"remarks": "Please be aware that the id field is automatically added to all"},
    }
    return {
        "version": "1.2.3",
        "readme": {"markdown": "see https://x/providers/hashicorp/google/9.9.9/docs"},
        "types": {
            "p.Provider": cls("Provider", "Provider", "provider"),
            "p.ProviderConfig": interface(prop("project", STRING)),
            "p.Thing": cls("Resource", "Thing", "thing"),
            "p.ThingConfig": interface(
                id_note,
                prop("displayName", STRING, hcl="display_name", optional=False),
                prop("labels", {"collection": {"elementtype": STRING, "kind": "map"}}),
                prop("enabled", BOOL),
                prop("ports", {"collection": {"elementtype": STRING, "kind": "array"}}),
                prop("one", {"fqn": "p.Inner"}, optional=False),
                prop("many", array({"fqn": "p.Inner"})),
            ),
            "p.Inner": interface(prop("id", STRING), prop("again", {"fqn": "p.Inner"})),
            "p.Other": cls("DataSource", "Other", "other"),
            "p.OtherConfig": interface(id_note),
            "p.Brief": cls("EphemeralResource", "Brief", "brief"),
            "p.BriefConfig": interface(),
        },
    }


def scripts() -> dict[str, str]:
    def script(base: str, type_name: str) -> str:
        return (
            "class Inner {\n    get x() { return this.getStringAttribute('hidden'); }\n}\n"
            f"class X extends cdktn.Terraform{base} {{\n"
            f'    static tfResourceType = "{type_name}";\n'
            "    get a() { return this.getStringAttribute('display_name'); }\n"
            "    get b() { return this.getStringAttribute('self_link'); }\n"
            '    _c = new List(this, "status", false);\n}\n'
        )

    return {
        "thing": script("Resource", "google_thing"),
        "other": script("DataSource", "google_other"),
        "brief": script("EphemeralResource", "google_brief"),
    }


def test_the_script_reads_arguments_blocks_and_readable_attributes() -> None:
    table = SchemaTable(build.table_of(assembly(), scripts()))
    assert (table.version, table.provider) == ("9.9.9", "hashicorp/google")
    thing = table.find("resource", "google_thing")
    assert thing is not None
    assert thing.block.arguments == {
        "display_name": Argument(ArgumentType.STRING, required=True),
        "labels": Argument(ArgumentType.MAP, required=False),
        "enabled": Argument(ArgumentType.BOOL, required=False),
        "ports": Argument(ArgumentType.STRINGS, required=False),
    }
    assert {n: (b.min, b.max) for n, b in thing.block.blocks.items()} == {
        "one": (1, 1),
        "many": (0, 0),
    }
    assert thing.readable == {"self_link", "status"}
    assert thing.attributes >= {"id", "display_name", "one", "self_link"}
    inner = thing.block.blocks["one"].schema
    assert inner.arguments["id"].type is ArgumentType.STRING
    assert inner.arguments["again"].type is ArgumentType.UNKNOWN
    assert table.provider_block.arguments.keys() == {"project"}
    assert table.find("data", "google_other") is not None
    assert table.find("ephemeral", "google_brief") is not None
    assert table.find("resource", "google_other") is None


def test_equal_blocks_are_stored_once() -> None:
    raw = build.table_of(assembly(), scripts())
    assert len(raw["blocks"]) == len({json.dumps(b, sort_keys=True) for b in raw["blocks"]})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a: a["types"].pop("p.Other"), "lacks"),
        (lambda a: a["readme"].update(markdown=""), "0 provider versions"),
        (
            lambda a: a["types"]["p.Inner"]["properties"].append(prop("x", {"primitive": "any"})),
            "x",
        ),
        (lambda a: a["types"]["p.Thing"].update(base="cdktn.TerraformNovelty"), "known kind"),
    ],
)
def test_a_package_of_another_shape_is_refused(change: Any, words: str) -> None:
    changed = assembly()
    change(changed)
    with pytest.raises(build.UnexpectedShape, match=words):
        build.table_of(changed, scripts())


def wheel(folder: Path) -> Path:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as package:
        members = {"package/.jsii": json.dumps(assembly())} | {
            f"package/lib/{name}/index.js": text for name, text in scripts().items()
        }
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            package.addfile(info, io.BytesIO(text.encode()))
    path = folder / "bindings.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pkg/_jsii/x.jsii.tgz", packed.getvalue())
    return path


def test_the_command_writes_the_same_bytes_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = wheel(tmp_path)
    targets = [tmp_path / "a.json.gz", tmp_path / "b.json.gz"]
    for target in targets:
        assert build.main(["--wheel", str(source), "--target", str(target)]) == 0
    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert "provider 9.9.9, 1 resources, 1 data sources" in capsys.readouterr().out
    assert SchemaTable(json.loads(gzip.decompress(targets[0].read_bytes()))).version == "9.9.9"


def test_a_table_of_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="Build it again"):
        SchemaTable({"format": 0})


def test_the_committed_table_decodes_whole_and_names_its_source() -> None:
    table = load_table()
    assert table.source == f"{build.PACKAGE} {build.PACKAGE_VERSION}"
    assert len(table.types("resource")) > 1000
    assert len(table.types("data")) > 300
    for kind in ("resource", "data", "ephemeral"):
        for name in table.types(kind):
            schema = table.find(kind, name)
            assert schema is not None
            assert not schema.readable & schema.block.arguments.keys()


@pytest.mark.parametrize(
    ("type_name", "required"),
    [
        ("google_storage_bucket", {"name", "location"}),
        ("google_cloud_run_v2_service", {"name", "location"}),
        ("google_sql_database_instance", {"database_version"}),
        ("google_pubsub_topic", {"name"}),
        ("google_cloud_run_v2_service_iam_member", {"name", "role", "member"}),
    ],
)
def test_required_arguments_of_well_known_types(type_name: str, required: set[str]) -> None:
    schema = load_table().find("resource", type_name)
    assert schema is not None
    assert {n for n, a in schema.block.arguments.items() if a.required} == required


def test_the_committed_table_is_small() -> None:
    assert build.TARGET.stat().st_size < 1_000_000
