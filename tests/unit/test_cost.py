"""Every figure of docs/cost.md follows from its inputs by the formulas that stand beside it.

A failing test prints the figure that belongs there.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8")
KINDS = {"ceiling", "measured", "assumed", "setting", "price"}
MODEL = ("Model, larger", "Model, smaller")
LOADS = (1_000, 100_000, 1_000_000)


def rows(heading: str) -> list[list[str]]:
    below = TEXT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in below.splitlines() if re.match(r"\| ", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@cache
def inputs() -> dict[str, float]:
    table = rows("Inputs")[1:]
    assert {kind for _, _, kind, _ in table} == KINDS
    return {name.strip("`"): float(value) for name, value, _, _ in table}


def computed(formula: str) -> float:
    assert re.fullmatch(r"[a-z_0-9 .+*/()]+", formula), formula
    return float(eval(formula, {"__builtins__": {}}, dict(inputs())))


@cache
def lines() -> dict[str, tuple[str, str]]:
    return {
        row[0]: (row[1].strip("`"), row[2])
        for row in rows("One Execution")
        if row[0] not in ("Line", "Sum")
    }


@pytest.mark.parametrize("name", list(lines()))
def test_each_line_is_its_formula(name: str) -> None:
    formula, printed = lines()[name]
    assert f"{computed(formula):.6f}" == printed


def month() -> tuple[float, float, float]:
    """Dollars of the model and of all else an Execution, and what a month costs anyway."""
    each = {name: computed(formula) for name, (formula, _) in lines().items()}
    fixed = sum(dollars for name, dollars in each.items() if name.endswith("Scheduler, a month"))
    model = sum(each[name] for name in MODEL)
    return model, sum(each.values()) - fixed - model, fixed


def test_sums() -> None:
    model, other, fixed = month()
    (total,) = [row[2] for row in rows("One Execution") if row[0] == "Sum"]
    assert total == f"{model + other:.6f}"
    printed = [row for row in rows("A month") if row[0] != "Executions a month"]
    assert printed == [
        [
            f"{n:,}",
            f"{n * model:,.2f}",
            f"{n * other + fixed:,.2f}",
            f"{n * (model + other) + fixed:,.2f}",
        ]
        for n in LOADS
    ]


def test_loads_a_second() -> None:
    each = inputs()
    month_seconds = 365.25 / 12 * 86400
    assert f"`N / {month_seconds:.0f}`" in TEXT
    tokens = sum(each[k] for k in ("pro_in", "pro_out", "flash_in", "flash_out"))
    amounts = {
        "Delegations at work at once": each["delegations"] * each["delegation_seconds"],
        "Turns at work at once": each["turns"] * each["turn_seconds"],
        "Million tokens a minute": 60 * tokens,
        "Dispatches a second, each queue": each["turns"],
        "Document writes a second": each["writes"],
        "Events a second": each["events"],
    }
    printed = {row[0]: row[1:4] for row in rows("Which limit is met first") if row[0] != "At"}
    assert printed == {
        name: [f"{n / month_seconds * amount:,.2f}" for n in LOADS]
        for name, amount in amounts.items()
    }


def test_limits_are_those_of_the_terraform() -> None:
    variables = (ROOT / "infra" / "variables.tf").read_text(encoding="utf-8")
    doors = (ROOT / "infra" / "doors.tf").read_text(encoding="utf-8")
    printed = {row[0]: row[4] for row in rows("Which limit is met first")}
    for door, name in (
        ("delegation", "Delegations at work at once"),
        ("turn", "Turns at work at once"),
    ):
        (most,) = re.findall(rf"^\s+{door}\s+= optional\(number, (\d+)\)", variables, re.M)
        (share,) = re.findall(rf"^\s+{door}\s+= \{{.*concurrency = (\d+)", doors, re.M)
        assert printed[name] == str(int(most) * int(share))
    assert "backup_retention_days`)" in TEXT
    assert inputs()["backups"] == float(
        re.findall(r'"backup_retention_days" \{[^}]*?default\s+= (\d+)', variables, re.S)[0]
    )
