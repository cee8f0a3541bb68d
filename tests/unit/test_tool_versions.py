"""Version constraints: what they allow, and whether they keep a next major version out."""

from __future__ import annotations

import pytest

from agents.tools.versions import parse_constraint


@pytest.mark.parametrize(
    ("constraint", "version", "allowed"),
    [
        ("~> 8.7", "8.7.0", True),
        ("~> 8.7", "8.99.1", True),
        ("~> 8.7", "9.0.0", False),
        ("~> 8.7.1", "8.7.9", True),
        ("~> 8.7.1", "8.8.0", False),
        ("~> 8.8", "8.7.0", False),
        (">= 1.5, < 2.0.0", "1.9.4", True),
        (">= 1.5, < 2.0.0", "2.0.0", False),
        ("= 8.7.0", "8.7.0", True),
        ("8.7.0", "8.7.1", False),
        ("!= 8.7.0", "8.7.0", False),
        ("> 8.0", "8.0.0", False),
        ("<= 8.7.0", "8.7.0", True),
    ],
)
def test_constraints(constraint: str, version: str, allowed: bool) -> None:
    read = parse_constraint(constraint)
    assert read is not None
    assert read.allows(version) is allowed


@pytest.mark.parametrize(
    ("constraint", "bounded"),
    [
        ("~> 8.7", True),
        ("8.7.0", True),
        (">= 8.0, < 9.0", True),
        (">= 8.0", False),
        ("!= 8", False),
    ],
)
def test_bounds(constraint: str, bounded: bool) -> None:
    read = parse_constraint(constraint)
    assert read is not None
    assert read.bounded is bounded


@pytest.mark.parametrize("text", ["", "latest", "~> x", "8.7.0.1", ">= 1.0 < 2.0", "None"])
def test_other_text_is_no_constraint(text: str) -> None:
    assert parse_constraint(text) is None
