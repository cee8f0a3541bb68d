"""Bad input is named in one sentence, and good input comes through unchanged."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from functions.requests import MAX_REQUEST, BadInput, check_request, read_answers, read_request

GOOD = "Move our order platform, 3,000 orders a minute, RTO 1 h."


def test_text_a_file_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_request(GOOD) == GOOD
    file = tmp_path / "request.md"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.encode() + b"\r\nSecond line.\r\n")
    assert read_request(str(file)) == GOOD + "\nSecond line."

    class Stdin:
        buffer = io.BytesIO(GOOD.encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    assert read_request("-") == GOOD


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("hi", "'hi' is too little"),
        ("ok then", "too little"),
        ("x" * (MAX_REQUEST + 1), "more than 100,000 characters"),
        ("a request with \ud800 in it", "lone surrogate"),
        ("a request with \x00 in it", "control characters"),
        ("a request with \x9b in it", "control characters"),
        ("a request with \u202e in it", "control characters"),
    ],
)
def test_a_request_that_cannot_be_planned_from(text: str, names: str) -> None:
    with pytest.raises(BadInput, match=names):
        check_request(text)


@pytest.mark.parametrize(
    "text", ["Eine Website für den Ruderclub", "我们需要一个订单平台每分钟三千个订单"]
)
def test_other_languages_are_requests(text: str) -> None:
    assert check_request(text) == text


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        read_request(str(tmp_path))
    with pytest.raises(BadInput, match="no file missing.md"):
        read_request("missing.md")
    binary = tmp_path / "a.md"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    with pytest.raises(BadInput, match="not UTF-8 text"):
        read_request(str(binary))
    large = tmp_path / "large.md"
    large.write_text("word " * 300_000)
    with pytest.raises(BadInput, match="more than 100,000"):
        read_request(str(large))


def test_answers_are_patterns_with_texts(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("budg.t: 500 EUR a month\n'RTO': 1\n")
    found = read_answers(file)
    assert [(a.pattern, a.answer) for a in found] == [("budg.t", "500 EUR a month"), ("RTO", "1")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("- a\n- b\n", "mapping of pattern to answer"),
        ("", "mapping of pattern to answer"),
        ("'(': x\n", "pattern '\\('"),
        ("a: [1, 2]\n", "entry 'a'"),
        ("a: b: c\n", "line 1"),
        ("2020-99-99: x\n", "answers|mapping|entry|YAML"),
        ("[" * 5000, "YAML"),
        ("'a{99999999999999999999}': x\n", "pattern"),
        ("'^(\\w+\\W?)+$x': y\n", "repetition inside a repetition"),
        ("'(a*)*b': y\n", "repetition inside a repetition"),
    ],
)
def test_bad_answers_files(tmp_path: Path, text: str, names: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(BadInput, match=names):
        read_answers(file)


def test_a_missing_answers_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_answers(tmp_path / "none.yaml")


def test_a_long_line_is_text_and_no_path() -> None:
    for length in (254, 300, 1000, 5000):
        text = "We run an online shop. " * (length // 20)
        assert read_request(text) == text.strip()
