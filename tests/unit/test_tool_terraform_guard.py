"""What is not validated, since validating it would read or run more than the files."""

from __future__ import annotations

import pytest

from agents.runtime import Attachment
from agents.tools.files import parsed
from agents.tools.terraform_guard import refusals


def refused(
    text: str, *more: tuple[str, str], any_provider: bool = False, path: str = "terraform/main.tf"
) -> list[str]:
    files = [Attachment(path=path, text=text)] + [Attachment(path=p, text=t) for p, t in more]
    sources = parsed([f for f in files if f.path.endswith(".tf")])
    return list(refusals(files, sources, any_provider=any_provider))


def local(expression: str) -> str:
    return f"locals {{\n  a = {expression}\n}}\n"


@pytest.mark.parametrize(
    "expression",
    [
        'file("/etc/passwd")',
        'core::file("/etc/passwd")',
        'file("../x")',
        'file("${path.module}/../../x")',
        'file("~/x")',
        'file("..\\\\x")',
        'file(join("/", ["", "etc", "passwd"]))',
        "file(var.where)",
        'file("${var.where}/x")',
        'file(path.module == "" ? "/a" : "/b")',
        "file(path.cwd)",
        'tonumber(filebase64("/proc/self/environ"))',
        'fileset("/", "*")',
        'fileset(path.module, "../*")',
        'templatefile("/etc/passwd", {})',
        'templatefile("x.tftpl", { a = file("/etc/passwd") })',
        "templatestring(local.b, {})",
        'provider::other::read("/etc/passwd")',
        '"%{ if true }${file("/etc/passwd")}%{ endif }"',
        '<<-EOT\n  ${file("/etc/passwd")}\n  EOT',
        '[for path in [{ module = "/proc/self" }] : file("${path.module}/environ")]',
        '{ for k, path in {} : k => file("${path.module}/environ") }',
    ],
)
def test_reading_outside_is_refused(expression: str) -> None:
    assert refused(local(expression))


@pytest.mark.parametrize(
    "expression",
    [
        'file("x.txt")',
        'file("./x.txt")',
        'file("${path.module}/x.txt")',
        'file("${path.root}/modules/x.txt")',
        'templatefile("${path.module}/x.tftpl", { a = var.b })',
        'fileset(path.module, "*.json")',
        'jsondecode(file("${path.module}/x.json"))',
        "[for k in var.l : upper(k)]",
        'provider::google::region_from_zone("europe-west3-a")',
    ],
)
def test_reading_the_own_files_is_fine(expression: str) -> None:
    assert refused(local(expression)) == []


def test_nested_blocks_are_looked_at() -> None:
    text = 'resource "a" "b" {\n  c {\n    d {\n      e = file("/x")\n    }\n  }\n}\n'
    assert refused(text)


def test_an_iterator_must_not_hide_the_path() -> None:
    text = 'resource "a" "b" {\n  dynamic "%s" {\n    for_each = []\n%s    content {}\n  }\n}\n'
    assert refused(text % ("path", ""))
    assert refused(text % ("c", "    iterator = path\n"))
    assert refused(text % ("c", "")) == []


@pytest.mark.parametrize(
    "source", ["git::https://x/y", "a/b/google", "https://x/y.zip", "", "/abs"]
)
def test_remote_modules_are_refused(source: str) -> None:
    assert refused(f'module "m" {{\n  source = "{source}"\n}}\n')


def test_local_modules_must_be_among_the_files() -> None:
    use = 'module "m" {\n  source = "%s"\n}\n'
    net = ("terraform/net/main.tf", "")
    assert refused(use % "./net", net) == []
    assert refused(use % "./other", net)
    assert refused(use % "../../etc", net)


def required(source: str) -> str:
    inside = f'x = {{\n      source = "{source}"\n    }}'
    return f"terraform {{\n  required_providers {{\n    {inside}\n  }}\n}}\n"


@pytest.mark.parametrize("source", ["evil/google", "example.com/hashicorp/google", "google"])
def test_providers_of_others_are_refused(source: str) -> None:
    assert refused(required(source))
    assert refused(required(source), any_provider=True) == []


@pytest.mark.parametrize(
    "source", ["hashicorp/google", "registry.terraform.io/hashicorp/google-beta"]
)
def test_providers_of_hashicorp_are_fine(source: str) -> None:
    assert refused(required(source)) == []


def test_templates_that_call_file_functions_are_refused() -> None:
    template = ("terraform/x.tftpl", '${file("/etc/passwd")}')
    assert refused(local('templatefile("x.tftpl", {})'), template)


@pytest.mark.parametrize("path", ["terraform/x.tf.json", "terraform/x.tftest.hcl"])
def test_other_kinds_of_configuration_are_refused(path: str) -> None:
    assert refused("", (path, "{}"))


def test_what_the_reader_cannot_read_is_refused() -> None:
    assert refused("locals {\n  a = \n}\n")
