"""Files appear whole, only after Phase 4 is approved, and never outside their folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import outputs
from engine.deliverables import Kind
from engine.ports import Content
from engine.stores.memory import MemoryStore
from tests.support.histories import START, History


def content(kind: Kind, *files: tuple[str, str]) -> Content:
    return Content(kind, 1, f"text of {kind}", files, "d", START)


CONTENTS = {kind: content(kind) for kind in Kind} | {
    Kind.DEPLOYMENT_GUIDANCE: content(Kind.DEPLOYMENT_GUIDANCE, ("terraform/main.tf", "# tf\n")),
    Kind.VALIDATION_RESULTS: content(Kind.VALIDATION_RESULTS, ("validation.json", "{}")),
}


def test_every_file_of_a_finished_execution() -> None:
    files = outputs._files(CONTENTS)
    assert files[outputs.GUIDE] == "text of solution_guide"
    assert files["terraform/main.tf"] == "# tf\n"
    assert set(files) == {
        outputs.GUIDE,
        "terraform/main.tf",
        "validation.json",
        *(f"{kind.value}.md" for kind in Kind if kind is not Kind.SOLUTION_GUIDE),
    }


@pytest.mark.parametrize("path", ["../x", "/etc/x", "terraform/../../x"])
def test_nothing_is_written_outside(path: str) -> None:
    bad = CONTENTS | {Kind.REQUIREMENTS: content(Kind.REQUIREMENTS, (path, "x"))}
    with pytest.raises(outputs.OutputError, match="outside its folder"):
        outputs._files(bad)


async def test_an_execution_that_is_not_approved_has_no_files() -> None:
    history = History()
    history.phase_1()
    with pytest.raises(outputs.OutputError, match="once Phase 4 is approved"):
        await outputs.collect(MemoryStore(), history.execution)


def test_a_new_folder_appears_whole(tmp_path: Path) -> None:
    guide = outputs.write({"a/b.txt": "1", outputs.GUIDE: "g"}, tmp_path / "out" / "e1")
    assert guide.read_text() == "g"
    assert (tmp_path / "out" / "e1" / "a" / "b.txt").read_text() == "1"
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["e1"]


def test_in_an_existing_folder_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    (tmp_path / outputs.GUIDE).write_text("old")
    outputs.write({"x.md": "1", outputs.GUIDE: "new"}, tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "keep"
    assert (tmp_path / outputs.GUIDE).read_text() == "new"
    assert not [p for p in tmp_path.parent.iterdir() if p.name.startswith(f".{tmp_path.name}-")]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(outputs.OutputError, match="cannot be written"):
        outputs.write({outputs.GUIDE: "g"}, tmp_path / "file" / "out")
