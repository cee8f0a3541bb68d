"""Contradictions between figures: a promise that its budget or its place cannot keep."""

from __future__ import annotations

from agents.offline.facts import Contradiction, Figure, Measure
from agents.offline.reading.case import IN_USD, Case, Rule, cost
from agents.offline.reading.units import DAY, HOUR, MINUTE, MONTH, YEAR
from agents.offline.reading.words import duration_text, number_text

_NO_SECOND = (
    r"no multi-?region|(?:don['’]t|do not|not) need (?:a )?(?:multi-?region|second region"
    r"|several regions)"
    r"|single region|one region (?:only|is enough)|only one region|single zone|one zone"
    r"|no redundancy"
    r"|no HA\b|(?:don['’]t|do not) need HA\b|keine zweite region|une seule région|una sola región"
)


def _named(rpo: Figure) -> str:
    """A recovery point with its code where the words are no more than the number."""
    return f"RPO {rpo.text}" if len(rpo.text.split()) == 1 else rpo.text


def _no_loss_small_budget(case: Case) -> Contradiction | None:
    rpo, budget = case.figure(Measure.RPO), case.budget
    if rpo is None or budget is None or rpo.value != 0:
        return None
    money, dollars = budget
    limit = 6_000 if case.locations.region_loss else 1_500
    if dollars >= limit:
        return None
    where = "in two regions" if case.locations.region_loss else "in two zones"
    return Contradiction(
        first=rpo.sentence,
        second=money.sentence,
        why=(
            f"Losing nothing ({_named(rpo)}) needs a database that writes {where} before it"
            " answers; "
            "the "
            f"smallest such set-up alone takes a large part of {cost(money)}, before anything "
            "else runs."
        ),
        suggestion=(
            f"Keep {cost(money)} and accept a loss of up to 1 minute when a whole "
            f"{'region' if case.locations.region_loss else 'zone'} is lost, or raise the budget "
            "for "
            "the data that must never be lost."
        ),
    )


def _no_loss_one_place(case: Case) -> Contradiction | None:
    rpo = case.figure(Measure.RPO)
    alone = case.matches(_NO_SECOND)
    if rpo is None or rpo.value != 0 or not alone or alone == rpo.sentence:
        return None
    return Contradiction(
        first=rpo.sentence,
        second=alone,
        why=(
            f"“{_named(rpo)}” holds only as far as a second live copy stands elsewhere, and the "
            "request "
            "rules that place out."
        ),
        suggestion=(
            "Lose nothing when a zone fails, and state how much may be lost when the whole region "
            "does (15 minutes is what backups in another place reach)."
        ),
    )


def _availability_budget(case: Case) -> Contradiction | None:
    availability, budget = case.figure(Measure.AVAILABILITY, largest=True), case.budget
    if availability is None or availability.value is None or budget is None:
        return None
    money, dollars = budget
    limit = (
        12_000 if availability.value >= 99.999 else 2_000 if availability.value >= 99.99 else 100
    )
    if availability.value < 99.95 or dollars >= limit:
        return None
    allowed = (100 - availability.value) / 100 * MONTH
    return Contradiction(
        first=availability.sentence,
        second=money.sentence,
        why=(
            f"{availability.text} leaves {duration_text(allowed)} of downtime a month, which "
            "takes running "
            f"copies in several {'regions' if availability.value >= 99.99 else 'zones'} and "
            "somebody "
            f"awake at all hours; {cost(money)} does not carry that."
        ),
        suggestion=(
            f"Promise {'99.95 %' if availability.value >= 99.99 else '99.9 %'} within "
            f"{cost(money)}, and "
            "price the higher promise apart for those who ask for it."
        ),
    )


def _volume_budget(case: Case) -> Contradiction | None:
    budget = case.budget
    if budget is None:
        return None
    money, dollars = budget
    volume = case.figure(Measure.DATA_VOLUME, largest=True)
    rate = case.figure(Measure.THROUGHPUT, largest=True)
    stored = (volume.value or 0.0) / 1e12 * 20 if volume else 0.0
    carried = (
        (rate.value or 0.0) * 0.05
        if rate and not rate.peak
        else ((rate.value or 0.0) * 0.01 if rate else 0.0)
    )
    flow = case.figure(Measure.DATA_RATE, largest=True)
    moved = (flow.value or 0.0) * MONTH / 1e12 * 20 if flow else 0.0
    floor = stored + carried + moved
    if floor <= dollars or floor < 100:
        return None
    weights = ((stored, volume), (carried, rate), (moved, flow))
    heavier = max(weights, key=lambda pair: pair[0])[1]
    if heavier is None:
        return None
    return Contradiction(
        first=heavier.sentence,
        second=money.sentence,
        why=(
            f"{heavier.text} costs about {number_text(floor / IN_USD.get(money.unit, 1.0))} "
            f"{money.unit} a month for "
            f"keeping or moving it alone, more than {cost(money)}."
        ),
        suggestion="Keep less (sampling, colder storage after 30 days) or raise the ceiling.",
    )


def _available_but_alone(case: Case) -> Contradiction | None:
    availability = case.figure(Measure.AVAILABILITY, largest=True)
    alone = case.matches(
        r"single zone|one zone|one server|single server|no HA\b|(?:don['’]t|do not) need HA\b"
    )
    if availability is None or (availability.value or 0) < 99.9 or not alone:
        return None
    return Contradiction(
        first=availability.sentence,
        second=alone,
        why=f"One zone or machine is out for longer each year than {availability.text} allows.",
        suggestion="Two zones of one region; that is the cheapest set-up that can keep the "
        "promise.",
    )


def _nobody_awake(case: Case) -> Contradiction | None:
    asleep = case.matches(
        r"no on-?call|nobody (?:is )?(?:on call|awake)|only (?:during )?(?:business"
        r"|office) hours support|at night it can be off"
        r"|keine rufbereitschaft|pas d['’]astreinte|sin guardias?"
    )
    rto = case.figure(Measure.RTO)
    availability = case.figure(Measure.AVAILABILITY, largest=True)
    round_the_clock = case.matches(r"\b24\s?[/x×]\s?7\b|around the clock|rund um die uhr")
    demand = (
        rto.sentence if rto and (rto.value or 0) < 2 * HOUR
        else availability.sentence if availability and (availability.value or 0) >= 99.95
        else round_the_clock
    )  # fmt: skip
    if not asleep or not demand or demand == asleep:
        return None
    figure = (
        rto.text
        if rto and (rto.value or 0) < 2 * HOUR
        else (availability.text if availability and (availability.value or 0) >= 99.95 else "24/7")
    )
    return Contradiction(
        first=demand,
        second=asleep,
        why=f"“{figure}” counts at night too, when nobody is there to act.",
        suggestion="Either the promise holds in working hours only, or recovery runs without a "
        "person.",
    )


def _too_soon(case: Case) -> Contradiction | None:
    soon = next(
        (
            f
            for f in case.figures
            if f.measure is Measure.DEADLINE and f.value and f.value <= 31 * DAY
        ),
        None,
    )
    volume = case.figure(Measure.DATA_VOLUME, largest=True)
    machines = [
        f
        for f in case.figures
        if f.measure is Measure.COMPUTE and (f.value or 0) >= 20 and f.unit != "B"
    ]
    moving = case.matches(
        r"\bmigrat\w*|\bmov(?:e|ing)\b|umzieh\w*|umzug|déménag\w*|migrer|trasladar|cut-?over"
    )
    heavy = volume if volume and (volume.value or 0) >= 10e12 else machines[0] if machines else None
    if soon is None or heavy is None or not moving:
        return None
    return Contradiction(
        first=soon.sentence,
        second=heavy.sentence,
        why=f"{heavy.text} cannot be moved, rehearsed and proven in {soon.text}.",
        suggestion=f"Within {soon.text} move one part that stands alone; plan the rest over three "
        "months.",
    )


def _slow_recovery(case: Case) -> Contradiction | None:
    availability, rto = case.figure(Measure.AVAILABILITY, largest=True), case.figure(Measure.RTO)
    if availability is None or rto is None or availability.value is None or rto.value is None:
        return None
    allowed = (100 - availability.value) / 100 * YEAR
    if rto.value <= allowed or rto.value <= 5 * MINUTE:
        return None
    return Contradiction(
        first=availability.sentence,
        second=rto.sentence,
        why=(
            f"{availability.text} allows {duration_text(allowed)} of downtime in a year; one "
            "recovery of "
            f"{rto.text} uses up more than that."
        ),
        suggestion=(
            f"Recover within {duration_text(max(allowed / 4, MINUTE))}, or promise the "
            "availability "
            "without disasters and say so."
        ),
    )


def _two_values(case: Case) -> Contradiction | None:
    for measure in (Measure.RTO, Measure.RPO, Measure.AVAILABILITY, Measure.BUDGET):
        seen: dict[tuple[str, str], Figure] = {}
        for other in case.figures:
            if other.measure is not measure or other.current or other.value is None:
                continue
            one = seen.setdefault((other.subject.lower(), other.unit), other)
            if one.value == other.value or one.sentence == other.sentence:
                continue
            return Contradiction(
                first=one.sentence,
                second=other.sentence,
                why=f"{one.text} and {other.text} are both given for the same thing "
                f"({measure.value}).",
                suggestion=(
                    "Plan with the stricter of the two until somebody decides: "
                    f"{_stricter(one, other)}."
                ),
            )
    return None


def _stricter(one: Figure, other: Figure) -> str:
    low, high = sorted((one, other), key=lambda f: f.value or 0.0)
    return (high if one.measure is Measure.AVAILABILITY else low).text


FIGURE_RULES: tuple[Rule, ...] = (
    _no_loss_small_budget,
    _no_loss_one_place,
    _availability_budget,
    _volume_budget,
    _available_but_alone,
    _nobody_awake,
    _too_soon,
    _slow_recovery,
    _two_values,
)
"""Rules that compare figures."""
