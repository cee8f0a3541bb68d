"""``python -m tests.simulation.run --seeds N``: many seeds; ``--seed S`` replays one."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.simulate import Report, simulate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="replay this one")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        report = simulate(arguments.seed)
        print(
            f"seed {report.seed} ({report.shape}): {report.status} after {report.steps} steps; "
            f"{report.violations}"
        )
        return bool(report.violations)
    logging.disable(logging.CRITICAL)  # what goes wrong on purpose is counted below
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    faults: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    violations = 0
    with ProcessPoolExecutor(2) as pool:
        for report in pool.map(simulate, seeds, chunksize=8):
            faults.update(report.faults)
            ends[report.status.value] += 1
            shapes[report.shape.value] += 1
            violations += _tell(report)
    print("worlds:", ", ".join(f"{name} {count}" for name, count in sorted(shapes.items())))
    print("ends:", ", ".join(f"{name} {count}" for name, count in sorted(ends.items())))
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(faults.items()))
    print(f"seeds {len(seeds)}; faults: {kinds}; violations {violations}")
    return bool(violations)


def _tell(report: Report) -> int:
    for violation in report.violations:
        print(f"seed {report.seed} ({report.shape}): {violation}")
    if report.violations:
        print(f"  replay with: python -m tests.simulation.run --seed {report.seed}")
    return len(report.violations)


if __name__ == "__main__":
    sys.exit(main())
