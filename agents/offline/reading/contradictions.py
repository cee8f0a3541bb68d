"""Statements of a request that cannot both hold, found by rules; named, never smoothed over.

Each rule looks at the figures and sentences of one request and returns the two statements in the
user's words, why they collide with the request's own numbers, and what the planner suggests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.offline.facts import Contradiction, Figure, Measure
from agents.offline.reading.negation import negated
from agents.offline.reading.places import Locations
from agents.offline.reading.text import Sentence
from agents.offline.reading.units import DAY, HOUR, MINUTE, MONTH, YEAR
from agents.offline.reading.words import duration_text, money_text, number_text

_I = re.IGNORECASE
_IN_USD = {"EUR": 1.1, "USD": 1.0, "GBP": 1.25, "CHF": 1.1, "CAD": 0.73, "AUD": 0.65, "INR": 0.012,
           "SEK": 0.095, "NOK": 0.095, "DKK": 0.145, "PLN": 0.25, "JPY": 0.0067, "SGD": 0.75,
           "BRL": 0.18}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """A product of the catalogue that the request names, and the sentence that names it.

    ``denied`` is True where the words reject it ("instead of …").
    """

    name: str
    status: str
    selectable: bool
    sentence: str
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """What the rules look at."""

    sentences: tuple[Sentence, ...]
    figures: tuple[Figure, ...]
    locations: Locations
    products: tuple[Named, ...] = ()

    def says(self, pattern: str, *, denied: bool = False) -> str:
        """The first sentence that matches and is not denied there (or is, with ``denied``)."""
        compiled = re.compile(pattern, _I)
        for sentence in self.sentences:
            for match in compiled.finditer(sentence.text):
                if negated(sentence.text, *match.span()) is denied:
                    return sentence.text
        return ""

    def matches(self, pattern: str) -> str:
        """The first sentence that matches, whatever stands around."""
        compiled = re.compile(pattern, _I)
        return next((s.text for s in self.sentences if compiled.search(s.text)), "")

    def figure(self, measure: Measure, *, largest: bool = False) -> Figure | None:
        """The demand of a measure: the smallest value, or the largest."""
        found = [
            f
            for f in self.figures
            if f.measure is measure and not f.current and f.value is not None
        ]
        if not found:
            return None
        pick = max if largest else min
        return pick(found, key=lambda f: (f.value or 0.0, -len(f.text) if largest else len(f.text)))

    @property
    def budget(self) -> tuple[Figure, float] | None:
        """The budget of a month, and its rough value in US dollars for comparisons."""
        figure = next(
            (f for f in self.figures if f.measure is Measure.BUDGET and not f.current), None
        )
        if figure is None or figure.value is None:
            return None
        return figure, figure.value * _IN_USD.get(figure.unit, 1.0)


Rule = Callable[[Case], "Contradiction | None"]

_NO_SECOND = (
    r"no multi-?region|(?:don['’]t|do not|not) need (?:a )?(?:multi-?region|second region|several regions)"
    r"|single region|one region (?:only|is enough)|only one region|single zone|one zone|no redundancy"
    r"|no HA\b|(?:don['’]t|do not) need HA\b|keine zweite region|une seule région|una sola región"
)
_ALONE = _NO_SECOND + r"|one server|single server|\bon-?call\b|weekend|nightly|\ba month\b|[$€£]"
_NIGHTLY = (
    r"once a night|once a day|nightly only|only (?:at|during the) night|only let us extract|one export (?:a|per) (?:day|night)"
    r"|nur (?:einmal )?nachts|uniquement la nuit|solo (?:de|por la) noche"
)
_REAL_TIME = r"real-?time|to the minute|echtzeit|temps réel|tiempo real|within seconds|live dashboards?|up to the second"
_SEALED = (
    r"no internet(?: access)?|without (?:any )?internet|air-?gapped|no (?:egress|outbound|external) (?:access|traffic|connect\w+)"
    r"|not (?:be )?connected to the internet|isolated from the internet|kein(?:en)? (?:zugang zum )?internet"
    r"|sans accès (?:à )?internet|sin (?:acceso a )?internet|completely offline"
)
_OUTSIDE = (
    r"public API|webhooks?|third[- ]party API|in their SaaS|SaaS calls|from the internet|public website|Stripe|Salesforce"
    r"|Twilio|SendGrid|API of [A-Z]|mobile apps?|öffentliche API|API publique|API pública|customers? (?:log|sign) in"
)
_BIG_BANG = (
    r"one cut-?over|single (?:cut-?over|weekend)|on a (?:single )?weekend|one weekend|big[- ]bang|no half-half|an einem wochenende"
    r"|en un seul week-?end|en un (?:solo )?fin de semana"
)
_NO_DOWN = r"zero[- ]down-?time|no down-?time|without (?:any )?(?:down-?time|interruption)|ohne ausfall|sans interruption|sin interrupci"


def contradictions(case: Case) -> tuple[Contradiction, ...]:
    """Everything that the rules find, in their order."""
    found = [rule(case) for rule in RULES]
    return tuple(_apart(c) for c in found if c is not None)


def _apart(c: Contradiction) -> Contradiction:
    """Two clauses where both statements stand in one sentence that has two."""
    parts = [
        p.strip(" .")
        for p in re.split(r",\s|;\s|:\s|\s(?:and|but|und|aber|et|mais|y|pero)\s", c.first)
    ]
    parts = [p for p in parts if len(p) > 5]
    if c.first != c.second or len(parts) < 2:
        return c
    # The explanation quotes what collides; the clauses that it speaks of come first and last.
    numbers = set(re.findall(r"\d[\d.,]*\d|\d", c.why))
    named = [p for p in parts if numbers & set(re.findall(r"\d[\d.,]*\d|\d", p))] or parts[:1]
    rest = [p for p in parts if p not in named]
    second = next(
        (p for p in reversed(rest) if re.search(_ALONE, p, _I)), rest[-1] if rest else parts[-1]
    )
    return c.model_copy(update={"first": named[0], "second": second})


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
            f"Losing nothing ({rpo.text}) needs a database that writes {where} before it answers; the "
            f"smallest such set-up alone takes a large part of {_cost(money)}, before anything else runs."
        ),
        suggestion=(
            f"Keep {_cost(money)} and accept a loss of up to 1 minute when a whole "
            f"{'region' if case.locations.region_loss else 'zone'} is lost, or raise the budget for "
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
            f"“{rpo.text}” holds only as far as a second live copy stands elsewhere, and the request "
            "rules that place out."
        ),
        suggestion=(
            "Lose nothing when a zone fails, and state how much may be lost when the whole region "
            "does (15 minutes is what backups in another place reach)."
        ),
    )


def _sealed_but_open(case: Case) -> Contradiction | None:
    sealed = case.matches(_SEALED)
    open_way = next(
        (
            s.text
            for s in case.sentences
            if s.text != sealed
            and re.search(_OUTSIDE, s.text, _I)
            and not re.search(_SEALED, s.text, _I)
        ),
        "",
    )
    if not sealed or not open_way:
        return None
    ways = sorted(
        {m.group().strip() for m in re.finditer(_OUTSIDE, open_way, _I)}, key=open_way.find
    )
    return Contradiction(
        first=sealed,
        second=open_way,
        why=f"{', '.join(f'“{w}”' for w in ways[:3])} needs a way to the internet, and the first condition allows none.",
        suggestion=(
            "Read the condition as no direct way: one egress proxy with a list of allowed hosts, and "
            "one checked entry that accepts only signed calls; have security sign that reading."
        ),
    )


def _outside_the_law(case: Case) -> Contradiction | None:
    if not case.locations.residency or not case.locations.excluded:
        return None
    return Contradiction(
        first=case.locations.residency,
        second=case.locations.excluded[0],
        why="The second place lies outside the area in which the first statement keeps the data.",
        suggestion=(
            f"Run in {case.locations.ids[0] if case.locations.ids else 'a region inside that area'}; "
            "what must stand elsewhere gets no personal data."
        ),
    )


def _no_downtime_one_step(case: Case) -> Contradiction | None:
    steady, once = case.matches(_NO_DOWN), case.matches(_BIG_BANG)
    moving = re.search(
        r"\bmov\w*|migrat\w*|cut-?over|umzug|umzieh\w*|migración|switch", f"{steady} {once}", _I
    )
    if not steady or not once or not moving:
        return None
    volume = case.figure(Measure.DATA_VOLUME, largest=True)
    size = f" of {volume.text}" if volume else ""
    if steady == once:
        steady, once = _clause(steady, _NO_DOWN), _clause(once, _BIG_BANG)
    return Contradiction(
        first=steady,
        second=once,
        why=(
            f"Switching everything{size} in one step means a time in which neither side takes writes, "
            "and no way back that loses nothing."
        ),
        suggestion=(
            "Replicate continuously for weeks before, move read traffic in steps, and use the weekend "
            "for one switch of writes of a few minutes, with replication back kept ready."
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
            f"{availability.text} leaves {duration_text(allowed)} of downtime a month, which takes running "
            f"copies in several {'regions' if availability.value >= 99.99 else 'zones'} and somebody "
            f"awake at all hours; {_cost(money)} does not carry that."
        ),
        suggestion=(
            f"Promise {'99.95 %' if availability.value >= 99.99 else '99.9 %'} within {_cost(money)}, and "
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
    floor = stored + carried
    if floor <= dollars or floor < 100:
        return None
    heavier = volume if volume and stored >= carried else rate
    if heavier is None:
        return None
    return Contradiction(
        first=heavier.sentence,
        second=money.sentence,
        why=(
            f"{heavier.text} costs about {number_text(floor / _IN_USD.get(money.unit, 1.0))} {money.unit} a month for "
            f"keeping or moving it alone, more than {_cost(money)}."
        ),
        suggestion="Keep less (sampling, colder storage after 30 days) or raise the ceiling.",
    )


def _real_time_nightly(case: Case) -> Contradiction | None:
    live, nightly = case.says(_REAL_TIME), case.matches(_NIGHTLY)
    if not live or not nightly or live == nightly:
        return None
    source = re.search(r"[A-Z][\w/&-]+(?: [A-Z0-9][\w/]*)?(?= \()", nightly)
    name = source.group() if source else "a source"
    return Contradiction(
        first=live,
        second=nightly,
        why=f"What {name} gives once a night cannot be newer than the last night on any dashboard.",
        suggestion=(
            "Show what arrives during the day (sources that send events or allow reads) as a "
            "preliminary figure with its time, and replace it by the nightly load."
        ),
    )


def _serverless_legacy(case: Case) -> Contradiction | None:
    serverless = case.says(
        r"serverless only|only serverless|everything (?:must be )?serverless|no (?:virtual machines|VMs|servers)\b"
        r"|fully serverless|nur serverless|uniquement serverless|solo serverless"
    ) or case.matches(r"no (?:virtual machines|VMs|servers)\b")
    legacy = next(
        (
            s.text
            for s in case.sentences
            if s.text != serverless
            and re.search(
                r"windows (?:server|service)|\.net framework|\biis\b|oracle (?:licen|ee|database)|cobol|mainframe"
                r"|dongle|licen[cs]e server|must keep running unchanged|cannot be changed|vendor binary|sap (?:ecc|hana)",
                s.text, _I,
            )
        ),
        "",
    )  # fmt: skip
    if not serverless or not legacy:
        return None
    return Contradiction(
        first=serverless,
        second=legacy,
        why="That software needs a machine of its own with its operating system and licence.",
        suggestion="Serverless for what is new, managed machines for that one part until it is replaced.",
    )


def _kubernetes_skill(case: Case) -> Contradiction | None:
    unskilled = case.matches(
        r"(?:no|none of them with|without|nobody (?:has|knows)|never used|don['’]t know) (?:any )?(?:kubernetes|k8s)"
    )
    wanted = next(
        (
            s.text
            for s in case.sentences
            if s.text != unskilled
            and re.search(
                r"\b(?:must|shall|should|has to|want\w*|on) [^.]{0,30}(?:kubernetes|k8s|openshift)",
                s.text,
                _I,
            )
        ),
        "",
    )
    if not unskilled or not wanted:
        return None
    team = case.figure(Measure.TEAM, largest=True)
    return Contradiction(
        first=wanted,
        second=unskilled,
        why=f"A cluster needs people who keep it; {team.text if team else 'the team'} cannot do so yet.",
        suggestion="Run the same containers without a cluster now; the images can move to one later.",
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
        suggestion="Two zones of one region; that is the cheapest set-up that can keep the promise.",
    )


def _nobody_awake(case: Case) -> Contradiction | None:
    asleep = case.matches(
        r"no on-?call|nobody (?:is )?(?:on call|awake)|only (?:during )?(?:business|office) hours support|at night it can be off"
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
        suggestion="Either the promise holds in working hours only, or recovery runs without a person.",
    )


def _keep_and_erase(case: Case) -> Contradiction | None:
    keep = case.matches(
        r"neither changed nor deleted|immutable|(?:must|may) (?:never|not) be (?:deleted|erased)|unver[äa]nderbar\w*|write[- ]once"
        r"|inaltérable\w*|inmutable\w*"
    )
    erase = next(
        (
            s.text
            for s in case.sentences
            if s.text != keep
            and re.search(r"erase[ds]?\b|deletion requests?|right to be forgotten|delete (?:their|his|her|all) data"
                          r"|löschanfrage\w*|droit à l['’]oubli|derecho al olvido", s.text, _I)
        ),
        "",
    )  # fmt: skip
    if not keep or not erase:
        return None
    return Contradiction(
        first=keep,
        second=erase,
        why="A record that nobody can delete cannot be erased when its person asks for it.",
        suggestion="Keep the person out of the locked records: a key per person that is destroyed on erasure.",
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
        suggestion=f"Within {soon.text} move one part that stands alone; plan the rest over three months.",
    )


def _open_but_internal(case: Case) -> Contradiction | None:
    inside = case.says(
        r"(?:internal|intranet|staff|employees)[- ]only|only (?:reachable )?(?:from|inside) (?:the |our )?(?:intranet|office|vpn|network)"
        r"|not (?:be )?reachable from the internet|nur intern|uniquement interne"
    )
    outside = next(
        (
            s.text
            for s in case.sentences
            if s.text != inside
            and re.search(r"public(?:ly)? (?:website|available|reachable|api|access)|anonymous (?:users|visitors|access)"
                          r"|without (?:login|signing in|registration)|everyone on the internet", s.text, _I)
            and not re.search(r"\bno public|not public", s.text, _I)
        ),
        "",
    )  # fmt: skip
    if not inside or not outside:
        return None
    return Contradiction(
        first=inside,
        second=outside,
        why="One of the two groups cannot get in, or everybody can.",
        suggestion="Two entries: the public part alone on the internet, the rest behind sign-in.",
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
            f"{availability.text} allows {duration_text(allowed)} of downtime in a year; one recovery of "
            f"{rto.text} uses up more than that."
        ),
        suggestion=(
            f"Recover within {duration_text(max(allowed / 4, MINUTE))}, or promise the availability "
            "without disasters and say so."
        ),
    )


def _two_values(case: Case) -> Contradiction | None:
    for measure in (Measure.RTO, Measure.RPO, Measure.AVAILABILITY, Measure.BUDGET):
        stated = [
            f
            for f in case.figures
            if f.measure is measure and not f.current and f.value is not None
        ]
        for one in stated:
            for other in stated:
                same = one.subject.lower() == other.subject.lower() or measure is Measure.BUDGET
                if one is other or not same or one.value == other.value or one.unit != other.unit:
                    continue
                if one.sentence == other.sentence and measure is not Measure.BUDGET:
                    continue
                if (
                    measure is Measure.BUDGET
                    and one.value
                    and other.value
                    and one.subject != other.subject
                ):
                    continue
                return Contradiction(
                    first=one.sentence,
                    second=other.sentence,
                    why=f"{one.text} and {other.text} are both given for the same thing ({measure.value}).",
                    suggestion=f"Plan with the stricter of the two until somebody decides: {_stricter(one, other)}.",
                )
    return None


def _same_product_gone(case: Case) -> Contradiction | None:
    gone = next((p for p in case.products if not p.selectable and not p.denied), None)
    if gone is None:
        return None
    bound = case.matches(
        r"not want to change the firmware|must keep working|cannot be changed|built its SDK for it"
    )
    held = " Its clients are said to depend on it." if bound and gone.name in bound else ""
    return Contradiction(
        first=gone.sentence,
        second=f"{gone.name} is {gone.status} by its provider.",
        why=f"A new system cannot be built on {gone.name}: new projects cannot use it.{held}",
        suggestion=(
            f"Ask for what {gone.name} does and not for it by name; what speaks its protocol today is "
            "connected through an entry that speaks the same one."
        ),
    )


def _lock_in(case: Case) -> Contradiction | None:
    free = case.says(
        r"only open[- ]source (?!components or)|no vendor lock-?in|no proprietary|nur open[- ]source"
    )
    free = free or case.matches(r"no (?:vendor )?lock-?in\b")
    tied = next(
        (p.sentence for p in case.products if p.selectable and not p.denied and p.sentence != free),
        "",
    )
    if not free or not tied:
        return None
    return Contradiction(
        first=free,
        second=tied,
        why="The product that is asked for exists at one vendor only.",
        suggestion="Name the exit: export format and time to leave; or take the open engine as a managed service.",
    )


RULES: tuple[Rule, ...] = (
    _no_loss_small_budget, _no_loss_one_place, _sealed_but_open, _outside_the_law,
    _no_downtime_one_step, _availability_budget, _volume_budget, _real_time_nightly,
    _serverless_legacy, _kubernetes_skill, _available_but_alone, _nobody_awake, _keep_and_erase,
    _too_soon, _open_but_internal, _slow_recovery, _two_values, _same_product_gone, _lock_in,
)  # fmt: skip
"""All rules, in the order in which their findings are named."""


def _clause(sentence: str, pattern: str) -> str:
    """The clause of a sentence in which the pattern stands; the sentence where it is one clause."""
    parts = re.split(
        r"(?:,\s(?:and|but|so|und|aber|et|y)\s|[;:]\s|\s(?:but|aber|mais|pero)\s)", sentence
    )
    return next((p.strip(" .") for p in parts if re.search(pattern, p, _I)), sentence)


def _cost(money: Figure) -> str:
    if "%" in money.text and money.value is not None:
        return f"{money_text(money.value, money.unit)} a month"
    return money.text


def _stricter(one: Figure, other: Figure) -> str:
    low, high = sorted((one, other), key=lambda f: f.value or 0.0)
    return (high if one.measure is Measure.AVAILABILITY else low).text
