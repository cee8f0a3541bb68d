"""The figures and words that an estimate rests on, and how an estimate is made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from agents.offline.facts import Estimate, Figure, Measure, Workload


@dataclass(slots=True)
class Evidence:
    """What a request gives to estimate from; ``made`` grows while estimates are made."""

    workloads: tuple[Workload, ...]
    figures: tuple[Figure, ...]
    text: str  # the whole request in lower case
    title: str
    made: list[Estimate] = field(default_factory=list)

    def figure(self, measure: Measure) -> Figure | None:
        """The weightiest stated figure; of machines also one of today's system."""
        found = next((f for f in self.figures if f.measure is measure and not f.current), None)
        if found is None and measure is Measure.COMPUTE:
            return next((f for f in self.figures if f.measure is measure), None)
        return found

    def rate(self) -> Figure | None:
        """The usual rate: stated, else derived; a peak only where nothing else is known."""
        usual = [
            f
            for f in self.figures
            if f.measure is Measure.THROUGHPUT and not f.current and not f.peak and f.value
        ]
        top = max(
            (f.value or 0.0 for f in self.figures if f.measure is Measure.THROUGHPUT), default=0
        )
        usual = [f for f in usual if (f.value or 0.0) * 50 >= top]
        made = [e.figure for e in self.made if e.figure.measure is Measure.THROUGHPUT]
        usual += [f for f in made if not f.peak]
        return next(iter(usual), None) or self.figure(Measure.THROUGHPUT) or next(iter(made), None)

    def size(self) -> Figure | None:
        """The size of what the rate counts; else the smallest size that is stated."""
        sizes = [f for f in self.figures if f.measure is Measure.ITEM_SIZE and f.value]
        rate = self.rate()
        for size in sizes:
            if rate is not None and shares_word(size, rate):
                return size
        return min(sizes, key=lambda f: f.value or 0.0, default=None)

    def kept(self) -> Figure | None:
        """How long raw data is kept: the shortest stated time of a month or more."""
        times = [
            f
            for f in self.figures
            if f.measure is Measure.RETENTION and not f.current and (f.value or 0.0) >= 2_592_000
        ]
        made = self.estimated(Measure.RETENTION)
        return made or min(times, key=lambda f: f.value or 0.0, default=None)

    def largest(self, measure: Measure) -> Figure | None:
        """The stated figure of the largest value."""
        found = [f for f in self.figures if f.measure is measure and not f.current and f.value]
        return max(found, key=lambda f: f.value or 0, default=None)

    def estimated(self, measure: Measure) -> Figure | None:
        """The figure that was estimated before."""
        return next((e.figure for e in self.made if e.figure.measure is measure), None)

    def known(self, measure: Measure) -> bool:
        """Whether a value is stated or estimated."""
        return self.figure(measure) is not None or self.estimated(measure) is not None


def counted(figure: Figure) -> str:
    """Of the kind “65,000 units”: a figure whose noun may stand elsewhere."""
    bare = figure.text.replace(",", "").replace(".", "").strip().isdigit()
    return f"{figure.text} {figure.unit}" if bare and figure.unit else figure.text


def round2(value: float) -> float:
    """Two significant digits."""
    if value <= 0:
        return 0.0
    scale = 10 ** (math.floor(math.log10(value)) - 1)
    return float(round(value / scale) * scale)


def derived(
    measure: Measure,
    text: str,
    value: float,
    unit: str,
    subject: str,
    basis: str,
    *,
    peak: bool = False,
) -> Estimate:
    """A figure that follows from stated ones."""
    figure = Figure(
        text=text,
        measure=measure,
        value=float(f"{value:.6g}"),
        unit=unit,
        subject=subject,
        peak=peak,
    )
    return Estimate(figure=figure, basis=basis, derived=True)


def assumed(
    measure: Measure, text: str, value: float, unit: str, subject: str, basis: str
) -> Estimate:
    """A figure that is assumed until somebody states it."""
    figure = Figure(
        text=text, measure=measure, value=float(f"{value:.6g}"), unit=unit, subject=subject
    )
    return Estimate(figure=figure, basis=basis)


def proposal_of(estimate: Estimate) -> str:
    """What a question about an assumed figure proposes: the figure and what it rests on."""
    return f"{estimate.figure.text}: {estimate.basis}"


def shares_word(one: Figure, other: Figure) -> bool:
    """Whether two figures speak of the same thing."""
    first = {w.rstrip("s") for w in f"{one.subject} {one.text}".lower().split()}
    return bool(first & {w.rstrip("s") for w in other.subject.lower().split()})
