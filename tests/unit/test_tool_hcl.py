"""The HCL reader: what it keeps of a file, where it stops, and that nothing makes it raise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools.hcl import Block, Expr, Kind, parse_hcl


def expr(text: str) -> Expr:
    file = parse_hcl("terraform/main.tf", f"x = {text}\n")
    assert file.problems == ()
    return file.body.attributes["x"].expr


def only_block(text: str) -> Block:
    file = parse_hcl("terraform/main.tf", text)
    assert file.problems == ()
    (block,) = file.blocks
    return block


def test_blocks_keep_labels_lines_and_nesting() -> None:
    block = only_block(
        'resource "google_sql_database_instance" "main" {\n'
        "  settings {\n"
        '    tier = "db-f1-micro"\n'
        "  }\n"
        "}\n"
    )
    assert block.type == "resource"
    assert block.labels == ("google_sql_database_instance", "main")
    assert block.address == "google_sql_database_instance.main"
    (settings,) = block.nested("settings")
    assert settings.line == 2
    assert settings.value("tier") == "db-f1-micro"
    assert settings.attributes["tier"].line == 3


def test_addresses_name_data_sources_and_variables_as_terraform_does() -> None:
    assert only_block('data "google_project" "this" {}').address == "data.google_project.this"
    assert only_block('variable "region" {}').address == "variable.region"


def test_dynamic_blocks_are_found_by_the_name_that_they_make() -> None:
    block = only_block(
        'a "b" "c" {\n  dynamic "rule" {\n    for_each = [1]\n    content {\n'
        "      port = 1\n    }\n  }\n  rule {\n    port = 2\n  }\n}\n"
    )
    assert [rule.value("port") for rule in block.nested("rule")] == [1, 2]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ('"eu"', Kind.STRING, "eu"),
        ('""', Kind.STRING, ""),
        (r'"a\"b\n$${c}\u00e9"', Kind.STRING, 'a"b\n${c}é'),
        (r'"\U00110000 \ud800"', Kind.STRING, "� �"),
        ("<<-EOT\n  line\n  EOT", Kind.STRING, "line"),
        ("3", Kind.NUMBER, 3),
        ("-1.5e3", Kind.NUMBER, -1500.0),
        ("true", Kind.BOOL, True),
        ("null", Kind.NULL, None),
        ('"${var.a}-b"', Kind.STRING, None),
        ("[1, 2]", Kind.LIST, None),
        ("(var.a)", Kind.REFERENCE, None),
        ("var.a ? 1 : 2", Kind.OTHER, None),
        ("!var.a", Kind.OTHER, None),
    ],
)
def test_kinds_and_constants(text: str, kind: Kind, value: object) -> None:
    read = expr(text)
    assert read.kind is kind
    assert read.value == value


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("google_a.b[0].c", ("google_a", "b", "c")),
        ("google_a.b[*].c", ("google_a", "b", "c")),
        ("google_a.b.*.c", ("google_a", "b", "c")),
        ("google_a.b.0.c", ("google_a", "b", "c")),
        ('data.google_a.b["k"].c', ("data", "google_a", "b", "c")),
    ],
)
def test_references_leave_indices_out(text: str, path: tuple[str, ...]) -> None:
    assert expr(text).path == path


def test_objects_keep_plain_keys_and_look_into_computed_ones() -> None:
    read = expr('{ a = 1, "b" : 2, (var.k) = "v" }')
    assert [key for key, _ in read.pairs] == ["a", "b"]
    assert read.entry("b") is not None
    assert ("var", "k") in {inner.path for inner in read.walk()}
    assert "v" in {inner.value for inner in read.walk()}


def test_walking_reaches_calls_conditions_indices_and_templates() -> None:
    read = expr('[for k, v in var.m : "${upper(v.n)}-${local.l[var.i]}" if k != "x"]')
    found = list(read.walk())
    assert {e.function for e in found if e.kind is Kind.CALL} == {"upper"}
    assert {("var", "m"), ("v", "n"), ("local", "l"), ("var", "i"), ("k",)} <= {
        e.path for e in found
    }
    assert [e.path for e in found if e.kind is Kind.FOR] == [("k", "v")]


def test_directives_inside_strings_are_read() -> None:
    read = expr('"%{ if var.a }${file("x")}roles/owner%{ endif }"')
    assert "file" in {e.function for e in read.walk()}
    assert "roles/owner" in {e.value for e in read.walk()}


def test_a_name_set_twice_is_kept_aside() -> None:
    block = only_block("locals {\n  a = 1\n  a = 2\n}\n")
    assert block.value("a") == 1
    assert [(a.name, a.line) for a in block.repeated] == [("a", 3)]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a {\n  x = 1\n  y = \n}\n", 3), ('b "c" {\n  d = [1,\n}\n', 3), ("x {\n", 2)],
)
def test_broken_files_say_where(text: str, line: int) -> None:
    problems = parse_hcl("terraform/main.tf", text).problems
    assert problems
    assert abs(problems[0].line - line) <= 1
    assert str(problems[0].line) in problems[0].message


def test_nesting_without_end_is_a_problem_and_no_crash() -> None:
    file = parse_hcl("terraform/main.tf", "x = " + "[" * 5000 + "]" * 5000 + "\n")
    assert "nested too deeply" in file.problems[0].message


@given(st.text(alphabet='ab_.$%{}[]()"=<-E\n\\u0:*,?!#/ ', max_size=120))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    file = parse_hcl("terraform/main.tf", text)
    for block in file.body.walk():
        for attribute in block.attributes.values():
            assert list(attribute.expr.walk())
