"""``make bench``: ours beside bare SQLite that writes the very same rows, in one process.

Times are medians; each pair runs alternately, so that the machine's noise meets both. Trust the
ratios. Nothing here is asserted: a benchmark informs, a test decides.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from engine.stores import sqlite as sqlite_store
from tests.benchmarks import cloud
from tests.benchmarks.workload import Durability, Engine, Recording

Transactions = list[list[tuple[str, list[tuple[Any, ...]]]]]


def record(folder: Path) -> Transactions:
    """The writes of one Execution of workload W, transaction by transaction."""
    engine = Engine(folder / "record.sqlite", "OFF")
    recording = Recording(engine.store._db)
    engine.store._db = recording  # type: ignore[assignment]
    asyncio.run(engine.whole("ID"))
    engine.store.close()
    return [writes for writes in recording.transactions if writes]


class Bare:
    """The same rows, by sqlite3 alone: no model, no rule, no agent."""

    def __init__(self, path: Path, durability: Durability) -> None:
        self.db = sqlite_store.connect(path, sqlite_store._SCHEMA, sqlite_store.LAYOUT, durability)

    def write(self, transactions: Transactions, id: str) -> None:
        """Write one Execution's rows under another id."""
        for writes in transactions:
            self.db.execute("BEGIN IMMEDIATE")
            for statement, rows in writes:
                for row in rows:
                    self.db.execute(statement, [id if v == "ID" else v for v in row])
            self.db.execute("COMMIT")


def pairs(folder: Path, transactions: Transactions, durability: Durability, rounds: int) -> None:
    """Milliseconds an Execution, wall and CPU, ours and bare, alternately."""
    engine = Engine(folder / f"ours-{durability}.sqlite", durability)
    bare = Bare(folder / f"bare-{durability}.sqlite", durability)
    ours_ms, bare_ms, ours_cpu, bare_cpu = [], [], [], []

    async def go() -> None:
        for number in range(rounds):
            wall, cpu = time.perf_counter(), time.process_time()
            await engine.whole(f"o{number}")
            ours_ms.append((time.perf_counter() - wall) * 1000)
            ours_cpu.append((time.process_time() - cpu) * 1000)
            wall, cpu = time.perf_counter(), time.process_time()
            bare.write(transactions, f"b{number}")
            bare_ms.append((time.perf_counter() - wall) * 1000)
            bare_cpu.append((time.process_time() - cpu) * 1000)

    asyncio.run(go())
    ours, other = statistics.median(ours_ms), statistics.median(bare_ms)
    print(
        f"  {durability:<6} ours {ours:7.2f} ms (CPU {statistics.median(ours_cpu):6.2f})   bare "
        f"{other:7.2f} ms (CPU {statistics.median(bare_cpu):6.2f})   ratio {ours / other:5.2f}"
    )
    engine.store.close()
    bare.db.close()


def at_once(folder: Path, transactions: Transactions, number: int) -> None:
    """Executions a second with so many in flight, FULL; bare writes them one after another."""
    engine = Engine(folder / f"once-{number}.sqlite", "FULL")
    bare = Bare(folder / f"once-bare-{number}.sqlite", "FULL")

    async def go() -> None:
        await asyncio.gather(*(engine.whole(f"o{n}") for n in range(number)))

    started = time.perf_counter()
    asyncio.run(go())
    ours = number / (time.perf_counter() - started)
    started = time.perf_counter()
    for n in range(number):
        bare.write(transactions, f"b{n}")
    other = number / (time.perf_counter() - started)
    print(
        f"  {number:>2} at once: ours {ours:6.1f} Executions/s   bare {other:6.1f}   "
        f"ratio {other / ours:5.2f}"
    )
    engine.store.close()


def sizes(folder: Path, transactions: Transactions) -> None:
    """Bytes on disk of one Execution, ours and bare."""
    engine = Engine(folder / "size.sqlite", "FULL")
    asyncio.run(engine.whole("ID"))
    bare = Bare(folder / "size-bare.sqlite", "FULL")
    bare.write(transactions, "ID")
    engine.store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    bare.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ours, other = ((folder / name).stat().st_size for name in ("size.sqlite", "size-bare.sqlite"))
    print(f"  one Execution: ours {ours / 1024:.0f} KB   bare {other / 1024:.0f} KB")


def revisions(folder: Path) -> None:
    """Bytes and milliseconds for each further Revision, and resume time at 1 and 50."""
    path = folder / "revisions.sqlite"
    engine = Engine(path, "FULL")

    async def go() -> None:
        execution = await engine.start("r")
        await engine.until_wait(execution)
        times: list[float] = []
        size: dict[int, int] = {}
        resume: dict[int, float] = {}
        for number in range(1, 51):
            started = time.perf_counter()
            await engine.revise(execution)
            times.append((time.perf_counter() - started) * 1000)
            if number in (1, 10, 50):
                engine.store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                size[number] = path.stat().st_size
                resume[number] = await resume_time(execution)
        growth = (size[50] - size[10]) / 40 / 1024
        document = len((await engine.store.load(execution)).model_dump_json(exclude_defaults=True))
        print(f"  growth a Revision {growth:.1f} KB; the document has {document / 1024:.1f} KB")
        print(
            f"  a Revision takes {statistics.median(times[:10]):.2f} ms (first ten), "
            f"{statistics.median(times[-10:]):.2f} ms (last ten)"
        )
        print(f"  resume: {resume[1]:.2f} ms at 1 Revision, {resume[50]:.2f} ms at 50")

    async def resume_time(execution: Any) -> float:
        taken = []
        for _ in range(30):
            started = time.perf_counter()
            store = sqlite_store.SqliteStore(path)
            state = await store.load(execution)
            await engine.executions.resume(state.id)
            taken.append((time.perf_counter() - started) * 1000)
            store.close()
        return statistics.median(taken)

    asyncio.run(go())


def profile(folder: Path) -> None:
    """Where the time goes: the engine's own functions by cumulative time."""
    import cProfile
    import pstats

    engine = Engine(folder / "profile.sqlite", "FULL")
    profiler = cProfile.Profile()

    async def go() -> None:
        for number in range(30):
            await engine.whole(f"p{number}")

    profiler.enable()
    asyncio.run(go())
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(22)


def main() -> None:
    """Run all, or ``--profile``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--cloud", action="store_true", help="only what needs the emulator")
    arguments = parser.parse_args()
    if arguments.cloud:
        cloud.bench()
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.profile:
            profile(folder)
            return
        transactions = record(folder)
        rows = sum(len(rows) for writes in transactions for _, rows in writes)
        print(
            f"workload W: {len(transactions)} commits, {rows} rows; sqlite {sqlite3.sqlite_version}"
        )
        print("one Execution after another (median of pairs):")
        for durability in ("FULL", "NORMAL"):
            pairs(folder, transactions, durability, arguments.rounds)  # type: ignore[arg-type]
        print("several at once:")
        for number in (8, 32):
            at_once(folder, transactions, number)
        print("on disk:")
        sizes(folder, transactions)
        print("Revisions:")
        revisions(folder)
    cloud.bench()


if __name__ == "__main__":
    main()
