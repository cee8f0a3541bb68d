"""What only the SQLite store can do wrong: two processes, damage, locks, other layouts."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from engine import lifecycle, waits
from engine.execution import ExecutionId, SessionId
from engine.ports import StoreError, Unavailable, Unreadable
from engine.stores import sqlite as module
from engine.stores.sqlite import SqliteStore
from tests.support.histories import START

ID = ExecutionId("e1")
REQUEST = lifecycle.StartRequest(id=ID, session_id=SessionId("s"), owner="ann", request="r")


async def test_two_processes_lose_no_write(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    store = SqliteStore(path)
    await store.create(lifecycle.start(REQUEST, START))
    program = (
        "import asyncio, sys, pathlib\n"
        "from engine import waits\n"
        "from engine.stores.sqlite import SqliteStore\n"
        "from tests.support.histories import START\n"
        "async def main():\n"
        "    store = SqliteStore(pathlib.Path(sys.argv[1]))\n"
        "    for n in range(40):\n"
        "        text = f'{sys.argv[2]}-{n}'\n"
        "        await store.transact('e1', lambda e: waits.tell(e, text, 'p', START))\n"
        "asyncio.run(main())\n"
    )
    jobs = [
        subprocess.Popen([sys.executable, "-c", program, str(path), name], cwd=Path.cwd())
        for name in ("a", "b")
    ]
    assert [job.wait(60) for job in jobs] == [0, 0]
    texts = [m.text for m in await store.messages(ID, after=1)]
    assert sorted(texts) == sorted(f"{name}-{n}" for name in "ab" for n in range(40))
    assert (await store.load(ID)).rev == 81


async def test_a_database_locked_by_another_process_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    path = tmp_path / "x.sqlite"
    store = SqliteStore(path)
    await store.create(lifecycle.start(REQUEST, START))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Unavailable, match="locked by another process"):
        await store.transact(ID, lambda e: waits.tell(e, "x", "ann", START))
    other.execute("ROLLBACK")
    await store.transact(ID, lambda e: waits.tell(e, "x", "ann", START))


def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"this is no database, and it is long enough to be looked at " * 40)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"x\.sqlite is damaged or no database"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(StoreError, match="state folder .* cannot be used"):
        SqliteStore(tmp_path / "state" / "x.sqlite")


def test_another_layout_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    SqliteStore(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 7")
    with pytest.raises(StoreError, match="layout 7, this program knows 1"):
        SqliteStore(path)


async def test_a_document_of_a_newer_version_is_unreadable_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    store = SqliteStore(path)
    await store.create(lifecycle.start(REQUEST, START))
    with sqlite3.connect(path) as db:
        db.execute(
            "UPDATE executions SET document = json_set(document, '$.invented', 1) WHERE id = 'e1'"
        )
    with pytest.raises(Unreadable, match="invented.*newer version"):
        await store.load(ID)
    with pytest.raises(Unreadable):
        await store.transact(ID, lambda e: lifecycle.cancel(e, "ann", START))
