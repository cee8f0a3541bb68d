"""Requirement statements of figures that the request does not state: derived and assumed ones."""

from __future__ import annotations

from agents.offline.facts import Estimate, Measure

_ESTIMATE_WORDS: dict[Measure, tuple[str, str]] = {
    Measure.THROUGHPUT: ("PERF", "Carry {text} of {subject}"),
    Measure.LATENCY: ("PERF", "Answer within {text} ({subject})"),
    Measure.AVAILABILITY: ("REL", "Keep the {subject} available {text} of a month"),
    Measure.RTO: ("REL", "Recover within {text} (RTO)"),
    Measure.RPO: ("REL", "Lose at most {text} of {subject} (RPO)"),
    Measure.DATA_VOLUME: ("PERF", "Hold {text} of {subject}"),
    Measure.DATA_RATE: ("PERF", "Take in {text} of {subject}"),
    Measure.ITEM_SIZE: ("PERF", "Handle {subject} of {text}"),
    Measure.FRESHNESS: ("PERF", "Show {subject} no older than {text}"),
    Measure.RETENTION: ("SEC", "Keep {subject} for {text}"),
    Measure.FREQUENCY: ("OPS", "Take {subject} {text}"),
    Measure.USERS: ("PERF", "Serve {text}"),
    Measure.DEVICES: ("PERF", "Connect {text}"),
    Measure.ITEMS: ("PERF", "Work on {text}"),
    Measure.BUDGET: ("COST", "Stay within {text}"),
    Measure.TEAM: ("OPS", "Be run by {text}"),
    Measure.DEADLINE: ("OPS", "Be in production within {text}"),
}  # fmt: skip


def estimate_text(estimate: Estimate) -> tuple[str, str]:
    """Area and statement of an estimated figure, without the note where it comes from."""
    figure = estimate.figure
    area, pattern = _ESTIMATE_WORDS.get(figure.measure, ("PERF", "Plan with {text} of {subject}"))
    subject = figure.subject or "data"
    text = figure.text
    if figure.measure is Measure.FREQUENCY:
        text = text if text.startswith(("once", "every")) else f"every {text}"
    statement = pattern.format(text=text, subject=subject)
    return area, statement.replace(f"{text} of {subject}", text) if subject in text else statement


def derived_text(estimate: Estimate) -> tuple[str, str]:
    """Area and statement of a figure that follows from stated ones, with these."""
    figure = estimate.figure
    verbs = {
        Measure.ITEM_SIZE: "Handle items of",
        Measure.THROUGHPUT: "Carry",
        Measure.DATA_RATE: "Take in",
        Measure.DATA_VOLUME: "Be ready to hold",
    }
    verb = "Deliver" if figure.subject.startswith("delivery") else verbs.get(figure.measure)
    peak = " at peak" if figure.peak else ""
    return (
        "PERF",
        f"{verb or 'Plan with'} {figure.text}{peak}: {estimate.basis}.",
    )
