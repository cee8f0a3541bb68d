"""Periods of a design: goals for calls and delays, and how long backups, logs and data are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from agents.offline.adjustments import Adjustments
from agents.offline.brief import Brief
from agents.offline.facts import Facts, Figure, Measure
from agents.offline.load import duration
from agents.offline.signals import Signal
from agents.offline.terraform.parts import Unit

CALL_LIMIT = 10.0
"""A latency figure above this many seconds is no answer to a call but the time of a job."""

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Sized:
    """A size and the sum that gave it."""

    value: int
    why: str


@dataclass(frozen=True)
class Periods:
    """All periods of one design."""

    brief: Brief
    adjust: Adjustments

    @property
    def facts(self) -> Facts:
        """The facts behind the periods."""
        return self.brief.facts

    @cached_property
    def latency(self) -> Figure | None:
        """The latency goal of a call; goals of jobs and alarms are left out."""
        calls = [
            f
            for f in self.facts.figures
            if f.measure is Measure.LATENCY and not f.current and f.value and f.value <= CALL_LIMIT
        ]
        return min(calls, key=lambda f: f.value or 0, default=None)

    @cached_property
    def delay(self) -> Figure | None:
        """The shortest time within which something must be visible or done, if no call waits."""
        late = [
            f
            for f in self.facts.figures
            if not f.current
            and f.value
            and (
                f.measure is Measure.FRESHNESS
                or (f.measure is Measure.LATENCY and CALL_LIMIT < f.value <= 3600)
            )
        ]
        return min(late, key=lambda f: f.value or 0, default=None)

    @cached_property
    def backups(self) -> Sized:
        """Daily backups that are kept."""
        if self.adjust.retention_days:
            return Sized(min(self.adjust.retention_days, 365), "as asked for in this Revision")
        if self.brief.tiny:
            return Sized(7, "a week of daily backups")
        return Sized(30, "a month of daily backups finds slow corruption")

    @cached_property
    def log_days(self) -> Sized:
        """Days that application logs are kept in the log bucket."""
        if self.adjust.log_days:
            return Sized(min(self.adjust.log_days, 3650), "as asked for in this Revision")
        asked = [
            f for f in self.retentions if re.search(r"\baudit|\blogs?\b|\btrail", f.sentence, re.I)
        ]
        if asked and asked[0].value and not self.brief.tiny:
            days = min(round(asked[0].value / _DAY), 3650)
            if days > 30:
                return Sized(days, f"{asked[0].text} of audit logs are asked for")
        if self.brief.has(Signal.CARDS):
            return Sized(400, "a year of audit logs is what PCI DSS wants, and a month to spare")
        if self.brief.has(Signal.AUDITED, Signal.HEALTH):
            rules = ", ".join(self.facts.compliance[:2]) or "audit"
            return Sized(400, f"auditors look back a year ({rules})")
        return Sized(30, "30 days are included and enough to find a fault")

    @cached_property
    def retentions(self) -> tuple[Figure, ...]:
        """All retention figures of the new system that say how long data is kept, longest first."""
        found = [
            f
            for f in self.facts.figures
            if f.measure is Measure.RETENTION and not f.current and f.value and f.value >= _DAY
        ]
        return tuple(sorted(found, key=lambda f: -(f.value or 0)))

    def keep_days(self, unit: Unit | None = None) -> Sized | None:
        """Days that a unit's data is kept: what its own words say, or what records need.

        Without a unit it is the longest retention of the request.
        """
        if self.adjust.retention_days:
            return Sized(self.adjust.retention_days, "as asked for in this Revision")
        figures = self.retentions
        if unit is not None:
            words = f"{unit.component} {unit.words}"
            named = tuple(f for f in figures if f.text in words)
            figures = named or (figures if self.records(unit) else ())
        figure = next(iter(figures), None)
        if figure is None or not figure.value:
            return None
        return Sized(max(round(figure.value / _DAY), 1), f"{figure.text} are asked for")

    def records(self, unit: Unit) -> bool:
        """Whether a unit keeps the records that must not change or must last."""
        return bool(
            re.search(r"archive|tamper|record|retention", f"{unit.component} {unit.note}", re.I)
            and not re.search(r"backup", unit.component, re.I)
        )

    def locked_days(self, unit: Unit) -> Sized | None:
        """Days in which records can be neither changed nor deleted; None where none must."""
        if not (self.brief.has(Signal.IMMUTABLE) and self.records(unit)):
            return None
        said = self.brief.signals[Signal.IMMUTABLE]
        near = [f for f in self.retentions if f.text in said or (f.sentence and f.sentence in said)]
        # Of several periods in one sentence the first belongs to the lock ("for 2 years; after …").
        near.sort(key=lambda f: said.find(f.text) if f.text in said else len(said))
        if near and near[0].value:
            return Sized(max(round(near[0].value / _DAY), 1), f"{near[0].text} are asked for")
        return self.keep_days(unit)

    @cached_property
    def replay_days(self) -> Sized:
        """Days that messages can be read again; the most that a topic keeps is 31."""
        figures = [
            f
            for f in self.facts.figures
            if f.measure is Measure.RETENTION
            and f.value
            and f.value <= 31 * _DAY
            and re.search(r"replay|again", f.sentence, re.I)
        ]
        if figures and figures[0].value:
            days = max(round(figures[0].value / _DAY), 1)
            return Sized(days, f"{duration(figures[0].value)} have to be replayed")
        return Sized(7, "a week covers a fault that is found after a long weekend")
