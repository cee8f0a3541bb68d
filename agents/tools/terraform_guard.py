"""Refuses Terraform that would read or run more than its own text when it is validated.

``terraform validate`` evaluates functions and starts provider plugins, and its messages quote
values. The text comes from a model, so ``tonumber(file("/proc/self/environ"))`` would hand this
process's environment to it, and a provider of anyone's would run here. What this module names is
not validated; the report then says ``unchecked`` and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import join, normpath

from agents.runtime import Attachment
from agents.tools.files import folder
from agents.tools.hcl import Block, Expr, HclFile, Kind

_READS_FILES = frozenset(
    {
        "file",
        "filebase64",
        "filebase64sha256",
        "filebase64sha512",
        "fileexists",
        "filemd5",
        "fileset",
        "filesha1",
        "filesha256",
        "filesha512",
        "templatefile",
    }
)
_CALL_IN_TEMPLATE = re.compile(r"\b(?:file\w*|templatestring)\s*\(")
_KNOWN_PROVIDERS = frozenset({"provider::google", "provider::google-beta", "provider::terraform"})
_OWN_FOLDER = frozenset({("path", "module"), ("path", "root")})
_TRUSTED_SOURCE = re.compile(r"\A(?:registry\.terraform\.io/)?hashicorp/[\w-]+\Z")


def refusals(
    files: Sequence[Attachment], parsed: Sequence[HclFile], *, any_provider: bool
) -> Iterator[str]:
    """Yield a sentence for each thing that must not be validated here.

    ``any_provider``: providers come from a folder that the operator filled, so all are trusted.
    """
    folders = {folder(file.path) for file in parsed}
    for file in parsed:
        for problem in file.problems[:1]:
            yield f"{file.path}: {problem.message}"
        for block in file.blocks:
            if block.type == "module":
                yield from _module(file.path, block, folders)
            yield from _calls(file.path, block)
            if not any_provider:
                for required in block.of_type("required_providers"):
                    yield from _sources(file.path, required)
    for attachment in files:
        if attachment.path.endswith((".tf.json", ".tofu", ".tftest.hcl", ".tftest.json")):
            yield f"{attachment.path} is of a kind that is not validated here; write it as .tf"
        elif not attachment.path.endswith(".tf") and _CALL_IN_TEMPLATE.search(attachment.text):
            yield f"{attachment.path} calls a function that reads files"


def _module(path: str, block: Block, folders: set[str]) -> Iterator[str]:
    source = str(block.value("source") or "")
    if not source.startswith(("./", "../")):
        yield f"{path}: {block.address} comes from outside, and modules are not downloaded here"
    elif normpath(join(folder(path), source)) not in folders:
        yield f"{path}: the folder of {block.address} ({source}) is not among the files"


def _calls(path: str, block: Block) -> Iterator[str]:
    for inner in block.walk():
        if inner.type == "dynamic" and "path" in (*inner.labels, _text(inner, "iterator")):
            yield f"{path} line {inner.line}: a name here hides path.module"
        for attribute in inner.attributes.values():
            for expr in attribute.expr.walk():
                if expr.kind is Kind.FOR and "path" in expr.path:
                    yield f"{path} line {expr.line}: a name here hides path.module"
                elif expr.kind is Kind.CALL and not _harmless(expr):
                    yield f"{path} line {expr.line}: {expr.text[:80]} may read outside the files"


def _text(block: Block, name: str) -> str:
    attribute = block.attributes.get(name)
    return attribute.expr.text if attribute else ""


def _sources(path: str, required: Block) -> Iterator[str]:
    for name, attribute in required.attributes.items():
        source = attribute.expr.entry("source")
        if source is not None and not _TRUSTED_SOURCE.match(str(source.value)):
            yield f"{path}: the provider {name} comes from {source.text}, which is not trusted here"


def _harmless(call: Expr) -> bool:
    namespace, _, function = call.function.rpartition("::")
    if namespace.startswith("provider"):
        return namespace in _KNOWN_PROVIDERS
    if function == "templatestring":
        return False  # evaluates text that this module has not seen
    return function not in _READS_FILES or all(map(_inside, call.parts[:2]))


def _inside(argument: Expr) -> bool:
    """Tell whether a path certainly lies in the module's own folder."""
    if argument.kind is Kind.OBJECT:
        return True  # the variables of templatefile; their own calls are looked at as well
    if argument.kind is Kind.REFERENCE:
        return _is_own_folder(argument)
    if argument.kind is not Kind.STRING:
        return False
    pieces = argument.template
    inside = all(isinstance(piece, str) or _is_own_folder(piece) for piece in pieces)
    literal = "".join(piece for piece in pieces if isinstance(piece, str))
    starts_outside = bool(pieces) and isinstance(pieces[0], str) and pieces[0][:1] in ("/", "~")
    return inside and not starts_outside and ".." not in literal and "\\" not in literal


def _is_own_folder(expr: Expr) -> bool:
    return expr.kind is Kind.REFERENCE and expr.path in _OWN_FOLDER
