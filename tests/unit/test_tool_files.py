"""Paths and texts from a model: what is refused, and with which words."""

from __future__ import annotations

import pytest

from agents.runtime import Attachment
from agents.tools.files import MAX_FILES, MAX_TOTAL_CHARS, BadFiles, checked, from_arguments


@pytest.mark.parametrize(
    "path",
    [
        "main.tf",
        "/etc/passwd",
        "terraform/../main.tf",
        "terraform/./main.tf",
        "terraform//main.tf",
        "terraform/.terraformrc",
        "terraform/.terraform/providers/x",
        "terraform/a\\b.tf",
        "terraform/a\n.tf",
        "terraform/",
        "Terraform/main.tf",
        "terraform/" + "a" * 300,
        "terraform/c:/x.tf",
    ],
)
def test_unsafe_paths_are_refused(path: str) -> None:
    with pytest.raises(BadFiles, match="cannot be used"):
        checked([Attachment(path=path, text="")])


def test_files_come_back_sorted() -> None:
    files = [Attachment(path=f"terraform/{n}.tf", text=n) for n in ("b", "a", "m-1/c")]
    assert [f.text for f in checked(files)] == ["a", "b", "m-1/c"]


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ([], "No file"),
        (["terraform/a.tf", "terraform/A.tf"], "given twice"),
        (["terraform/a", "terraform/a/b.tf"], "as a file and as the folder"),
        ([f"terraform/{n}.tf" for n in range(MAX_FILES + 1)], f"at most {MAX_FILES}"),
    ],
)
def test_sets_that_cannot_be_written_are_refused(paths: list[str], words: str) -> None:
    with pytest.raises(BadFiles, match=words):
        checked([Attachment(path=path, text="") for path in paths])


def test_too_much_text_is_refused() -> None:
    with pytest.raises(BadFiles, match=f"at most {MAX_TOTAL_CHARS}"):
        checked([Attachment(path="terraform/a.tf", text="#" * (MAX_TOTAL_CHARS + 1))])


@pytest.mark.parametrize(
    "items", [None, "terraform/main.tf", [1], [{}], [{"path": "terraform/a.tf"}], [{"text": ""}]]
)
def test_arguments_of_another_shape_are_refused(items: object) -> None:
    with pytest.raises(BadFiles):
        from_arguments(items)


def test_a_lone_surrogate_is_replaced() -> None:
    (file,) = from_arguments([{"path": "terraform/a.tf", "text": "# \ud800"}])
    assert file.text == "# ?"
