"""The embedded store: one SQLite file in WAL mode, for one machine.

One connection a process, used from one thread at a time; a command runs inside ``BEGIN IMMEDIATE``
and its document is written with ``WHERE rev = ?``, so two processes cannot both win. The queue has
a file of its own, because it can be made again from the state and need not be as durable.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from engine.deliverables import Kind, Phase
from engine.execution import (
    Change,
    ContentWrite,
    Event,
    Execution,
    ExecutionId,
    MessageWrite,
    Mode,
    PillarWrite,
    SessionId,
    Status,
    WaitKind,
)
from engine.ledger import Value
from engine.ports import (
    AlreadyExists,
    Command,
    Content,
    StoreError,
    Summary,
    Unavailable,
    UnknownExecution,
    Unreadable,
)

LAYOUT = 1
BUSY_SECONDS = 10.0
PARSED = 64
"""How many parsed Executions a process keeps."""

_SCHEMA = """
CREATE TABLE executions (
  id TEXT PRIMARY KEY, rev INTEGER NOT NULL, owner TEXT NOT NULL, session_id TEXT NOT NULL,
  title TEXT NOT NULL, mode TEXT NOT NULL, status TEXT NOT NULL, phase TEXT NOT NULL,
  waiting_for TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, stalls_at TEXT,
  document TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX executions_by_update ON executions (updated_at);
CREATE INDEX executions_by_stall ON executions (stalls_at) WHERE stalls_at IS NOT NULL;
CREATE TABLE events (
  execution TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL,
  PRIMARY KEY (execution, seq)
) WITHOUT ROWID;
CREATE TABLE messages (
  execution TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, author TEXT NOT NULL,
  text TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (execution, seq)
) WITHOUT ROWID;
CREATE TABLE contents (
  execution TEXT NOT NULL, kind TEXT NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL,
  attachments TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (execution, kind, revision)
);
CREATE TABLE pillars (
  execution TEXT NOT NULL, basis INTEGER NOT NULL, pillar TEXT NOT NULL, content TEXT NOT NULL,
  PRIMARY KEY (execution, basis, pillar)
);
"""


def connect(
    path: Path, schema: str, layout: int, synchronous: Literal["FULL", "NORMAL", "OFF"]
) -> sqlite3.Connection:
    """Open a SQLite file in WAL mode and create its tables when it is new.

    Raises StoreError with one sentence when the file cannot be used.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found == 0:
            tables = _when_new(connection, schema)
            connection.executescript(
                f"BEGIN IMMEDIATE;{tables}PRAGMA user_version = {layout};COMMIT"
            )
            found = layout
    except OSError as error:
        raise StoreError(
            f"the state folder {path.parent} cannot be used ({error.strerror}); "
            "choose another with SOLUTION_ARCHITECT_STATE"
        ) from error
    except sqlite3.Error as error:
        raise _store_error(path, error) from error
    if found != layout:
        connection.close()
        raise StoreError(
            f"{path} was written by another version (layout {found}, this program knows {layout}); "
            "use that version, or another state folder"
        )
    return connection


def _when_new(connection: sqlite3.Connection, schema: str) -> str:
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return "" if tables else schema


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    text = str(error)
    if isinstance(error, sqlite3.OperationalError):
        if "locked" in text or "busy" in text:
            return Unavailable(
                f"{path} is locked by another process; wait for it to finish, or end it"
            )
        if "full" in text:
            return StoreError(f"the disk that holds {path} is full; nothing was written")
        return StoreError(
            f"{path} cannot be used ({text}); check that the folder exists and can be written, "
            "or choose another with SOLUTION_ARCHITECT_STATE"
        )
    return StoreError(
        f"{path} is damaged or no database of this program ({text}); restore it from a backup, or "
        "choose another folder with SOLUTION_ARCHITECT_STATE; the file was left as it is"
    )


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a StoreError that says what to do about ``path``."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_error(path, error) from error


class SqliteStore:
    """Keeps Executions in ``path``. ``synchronous`` FULL survives a power cut, NORMAL a crash."""

    def __init__(self, path: Path, synchronous: Literal["FULL", "NORMAL", "OFF"] = "FULL") -> None:
        self._path = path
        self._db = connect(path, _SCHEMA, LAYOUT, synchronous)
        self._parsed: dict[ExecutionId, Execution] = {}

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise _store_error(self._path, error) from error
            raise

    async def create(self, change: Change) -> None:
        """Store a new Execution. Raises AlreadyExists."""
        execution = change.execution
        with self._transaction():
            try:
                self._db.execute(
                    "INSERT INTO executions VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", _row(execution)
                )
            except sqlite3.IntegrityError:
                raise AlreadyExists(f"Execution {execution.id} exists already") from None
            self._keep(change)

    async def load(self, execution: ExecutionId) -> Execution:
        """The current state. Raises UnknownExecution."""
        with store_errors(self._path):
            return self._load(execution)

    def _load(self, execution: ExecutionId) -> Execution:
        """The current state; the document is parsed only if somebody else changed it."""
        known = self._parsed.get(execution)
        row = self._db.execute(
            "SELECT rev, CASE WHEN rev = ? THEN NULL ELSE document END FROM executions "
            "WHERE id = ?",
            (known.rev if known else -1, execution),
        ).fetchone()
        if row is None:
            raise UnknownExecution(execution)
        if known is not None and row[1] is None:
            return known
        try:
            found = Execution.model_validate_json(row[1])
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise Unreadable(
                f"the document of Execution {execution} in {self._path} cannot be read "
                f"({'.'.join(map(str, first['loc']))}: {first['msg']}); it is damaged, or a newer "
                "version of this program wrote it"
            ) from None
        self._remember(found)
        return found

    def _remember(self, execution: Execution) -> None:
        """Keep the parsed value, which is frozen; ``rev`` tells whether it is still the newest."""
        self._parsed.pop(execution.id, None)
        self._parsed[execution.id] = execution
        if len(self._parsed) > PARSED:
            del self._parsed[next(iter(self._parsed))]

    async def transact(self, execution: ExecutionId, command: Command) -> Execution:
        """Run a command inside one transaction and store its Change."""
        with self._transaction():
            before = self._load(execution)
            change = command(before)
            after = change.execution
            done = self._db.execute(
                "UPDATE executions SET rev=?, status=?, phase=?, waiting_for=?, updated_at=?, "
                "stalls_at=?, document=? WHERE id=? AND rev=?",
                (after.rev, *_changing(after), _json(after), execution, before.rev),
            )
            if done.rowcount != 1:
                raise Unavailable(f"Execution {execution} was changed by somebody else meanwhile")
            self._keep(change)
        self._remember(after)
        return change.execution

    def _keep(self, change: Change) -> None:
        id = change.execution.id
        for event in change.events:
            self._db.execute("INSERT INTO events VALUES (?,?,?)", (id, event.seq, _json(event)))
        for write in change.writes:
            match write:
                case ContentWrite():
                    self._db.execute(
                        "INSERT INTO contents VALUES (?,?,?,?,?,?,?)",
                        (
                            id,
                            write.kind,
                            write.revision,
                            write.content,
                            json.dumps(write.attachments),
                            write.digest,
                            _iso(write.at),
                        ),
                    )
                case MessageWrite():
                    self._db.execute(
                        "INSERT INTO messages VALUES (?,?,?,?,?,?)",
                        (id, write.seq, write.role, write.by, write.text, _iso(write.at)),
                    )
                case PillarWrite():
                    self._db.execute(
                        "INSERT OR REPLACE INTO pillars VALUES (?,?,?,?)",
                        (id, write.basis, write.pillar, write.content),
                    )

    async def content(
        self, execution: ExecutionId, kind: Kind, revision: int | None = None
    ) -> Content | None:
        """A submitted content, the newest unless a revision is named."""
        if revision is None:
            return (await self.contents(execution, (kind,))).get(kind)
        with store_errors(self._path):
            row = self._db.execute(
                "SELECT kind, revision, content, attachments, digest, at FROM contents "
                "WHERE execution = ? AND kind = ? AND revision = ?",
                (execution, kind, revision),
            ).fetchone()
        return None if row is None else _content(row)

    async def contents(self, execution: ExecutionId, kinds: Sequence[Kind]) -> dict[Kind, Content]:
        """The newest contents of these Deliverables."""
        with store_errors(self._path):
            rows = self._db.execute(
                # Beside max(), SQLite's bare columns are those of the row that has the maximum.
                "SELECT kind, max(revision), content, attachments, digest, at FROM contents "
                "WHERE execution = ? AND kind IN (SELECT value FROM json_each(?)) GROUP BY kind",
                (execution, json.dumps(kinds)),
            ).fetchall()
        found = {content.kind: content for content in map(_content, rows)}
        return {kind: found[kind] for kind in kinds if kind in found}

    async def events(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[Event]:
        """The history after a number."""
        with store_errors(self._path):
            rows = self._db.execute(
                "SELECT event FROM events WHERE execution=? AND seq>? ORDER BY seq LIMIT ?",
                (execution, after, limit),
            ).fetchall()
        return [Event.model_validate_json(row[0]) for row in rows]

    async def messages(
        self, execution: ExecutionId, after: int = 0, limit: int = 1000
    ) -> Sequence[MessageWrite]:
        """What user and Orchestrator said."""
        with store_errors(self._path):
            rows = self._db.execute(
                "SELECT seq, role, author, text, at FROM messages WHERE execution=? AND seq>? "
                "ORDER BY seq LIMIT ?",
                (execution, after, limit),
            ).fetchall()
        return [
            MessageWrite(seq, role, author, text, datetime.fromisoformat(at))
            for seq, role, author, text, at in rows
        ]

    async def pillars(self, execution: ExecutionId, basis: int) -> dict[str, str]:
        """Finished pillar sections of a basis."""
        with store_errors(self._path):
            rows = self._db.execute(
                "SELECT pillar, content FROM pillars WHERE execution=? AND basis=?",
                (execution, basis),
            ).fetchall()
        return dict(rows)

    async def list(
        self,
        *,
        owner: str | None = None,
        session: SessionId | None = None,
        limit: int = 100,
    ) -> Sequence[Summary]:
        """Executions, the most recently changed first."""
        with store_errors(self._path):
            rows = self._db.execute(
                "SELECT id, session_id, owner, title, mode, status, phase, waiting_for, "
                "created_at, updated_at FROM executions WHERE (? IS NULL OR owner=?) AND "
                "(? IS NULL OR session_id=?) ORDER BY updated_at DESC LIMIT ?",
                (owner, owner, session, session, limit),
            ).fetchall()
        return [
            Summary(
                ExecutionId(id),
                SessionId(session_id),
                by,
                title,
                Mode(mode),
                Status(status),
                Phase(phase),
                WaitKind(waiting) if waiting else None,
                datetime.fromisoformat(created),
                datetime.fromisoformat(updated),
            )
            for id, session_id, by, title, mode, status, phase, waiting, created, updated in rows
        ]

    async def stalled(self, before: datetime, limit: int = 100) -> Sequence[ExecutionId]:
        """Executions whose ``stalls_at`` lies before a moment."""
        with store_errors(self._path):
            rows = self._db.execute(
                "SELECT id FROM executions WHERE stalls_at < ? ORDER BY stalls_at LIMIT ?",
                (_iso(before), limit),
            ).fetchall()
        return [ExecutionId(row[0]) for row in rows]


def _iso(moment: datetime) -> str:
    """Text that sorts as the moments do: always UTC offset and always microseconds."""
    return moment.isoformat(timespec="microseconds")


def _json(value: Value) -> str:
    return value.__pydantic_serializer__.to_json(value, exclude_defaults=True).decode()


def _content(row: tuple[str, int, str, str, str, str]) -> Content:
    kind, revision, text, attachments, digest, at = row
    files = tuple((path, body) for path, body in json.loads(attachments))
    return Content(Kind(kind), revision, text, files, digest, datetime.fromisoformat(at))


def _row(execution: Execution) -> tuple[object, ...]:
    status, phase, waiting, updated, stalls = _changing(execution)
    return (
        execution.id,
        execution.rev,
        execution.owner,
        execution.session_id,
        execution.title,
        execution.mode,
        status,
        phase,
        waiting,
        _iso(execution.created_at),
        updated,
        stalls,
        _json(execution),
    )


def _changing(execution: Execution) -> tuple[object, ...]:
    """The columns that a command can change: what lists and the sweeper look for."""
    return (
        execution.status,
        execution.phase,
        execution.wait.kind if execution.wait else None,
        _iso(execution.updated_at),
        _iso(execution.stalls_at) if execution.stalls_at else None,
    )
