"""Contradictions between words: a sealed network that is open, live data from a nightly source."""

from __future__ import annotations

import re

from agents.offline.facts import Contradiction, Measure
from agents.offline.reading.case import Case, Rule

_I = re.IGNORECASE
_NIGHTLY = (
    r"once a night|once a day|nightly only|only (?:at|during the) night|only let us extract"
    r"|one export (?:a|per) (?:day|night)"
    r"|nur (?:einmal )?nachts|uniquement la nuit|solo (?:de|por la) noche"
)

_REAL_TIME = (
    r"real-?time|to the minute|echtzeit|temps réel|tiempo real|within seconds"
    r"|live dashboards?|up to the second"
)

_SEALED = (
    r"no internet(?: access)?|without (?:any )?internet|air-?gapped|no (?:egress|outbound"
    r"|external) (?:access|traffic|connect\w+)"
    r"|not (?:be )?connected to the internet|isolated from the internet"
    r"|kein(?:en)? (?:zugang zum )?internet"
    r"|sans accès (?:à )?internet|sin (?:acceso a )?internet|completely offline"
)

_OUTSIDE = (
    r"public API|webhooks?|third[- ]party API|in their SaaS|SaaS calls|from the internet"
    r"|public website|Stripe|Salesforce"
    r"|Twilio|SendGrid|API of [A-Z]|mobile apps?|öffentliche API|API publique|API pública"
    r"|customers? (?:log|sign) in"
)

_BIG_BANG = (
    r"one cut-?over|single (?:cut-?over|weekend)|on a (?:single )?weekend|one weekend|big[- ]bang"
    r"|no half-half|an einem wochenende|wochenend\w*-?umzug"
    r"|en un seul week-?end|en un (?:solo )?fin de semana"
)

_NO_DOWN = (
    r"zero[- ]down-?time|no down-?time|without (?:any )?(?:down-?time|interruption)"
    r"|ohne ausfall|keine ausfallzeit|sans interruption|sin interrupci"
)

_SERVERLESS = (
    r"serverless only|only serverless|everything (?:must be )?serverless|fully serverless"
    r"|no (?:virtual machines|VMs|servers)\b|nur serverless|uniquement serverless|solo serverless"
)
_LEGACY = (
    r"windows (?:server|service)|\.net framework|\biis\b|oracle (?:licen|ee|database)|cobol"
    r"|mainframe"
    r"|dongle|licen[cs]e server|must keep running unchanged|cannot be changed|vendor binary"
    r"|sap (?:ecc|hana)"
)


def _sealed_but_open(case: Case) -> Contradiction | None:
    sealed = case.matches(_SEALED)
    open_way = case.matches(_OUTSIDE, but=sealed, unless=_SEALED)
    if not sealed or not open_way:
        return None
    ways = sorted(
        {m.group().strip() for m in re.finditer(_OUTSIDE, open_way, _I)}, key=open_way.find
    )
    return Contradiction(
        first=sealed,
        second=open_way,
        why=f"{', '.join(f'“{w}”' for w in ways[:3])} needs a way to the internet, and the first "
        "condition allows none.",
        suggestion=(
            "Read the condition as no direct way: one egress proxy with a list of allowed hosts, "
            "and "
            "one checked entry that accepts only signed calls; have security sign that reading."
        ),
    )


def _outside_the_law(case: Case) -> Contradiction | None:
    if not case.locations.residency or not case.locations.excluded:
        return None
    where = next(iter(case.locations.ids), "a region inside that area")
    return Contradiction(
        first=case.locations.residency,
        second=case.locations.excluded[0],
        why="The second place lies outside the area in which the first statement keeps the data.",
        suggestion=f"Run in {where}; what must stand elsewhere gets no personal data.",
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
    steady, once = _apart(steady, once, _NO_DOWN, _BIG_BANG)
    return Contradiction(
        first=steady,
        second=once,
        why=(
            f"Switching everything{size} in one step means a time in which neither side takes "
            "writes, "
            "and no way back that loses nothing."
        ),
        suggestion=(
            "Replicate continuously for weeks before, move read traffic in steps, and use the "
            "weekend "
            "for one switch of writes of a few minutes, with replication back kept ready."
        ),
    )


def _real_time_nightly(case: Case) -> Contradiction | None:
    live, nightly = case.says(_REAL_TIME), case.matches(_NIGHTLY)
    if not live or not nightly:
        return None
    live, nightly = _apart(live, nightly, _REAL_TIME, _NIGHTLY)
    if live == nightly:
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
    serverless = case.says(_SERVERLESS) or case.matches(_SERVERLESS)
    legacy = case.matches(_LEGACY, but=serverless) or case.matches(_LEGACY)
    if not serverless or not legacy:
        return None
    serverless, legacy = _apart(serverless, legacy, _SERVERLESS, _LEGACY)
    return Contradiction(
        first=serverless,
        second=legacy,
        why="That software needs a machine of its own with its operating system and licence.",
        suggestion="Serverless for what is new, managed machines for that one part until it is "
        "replaced.",
    )


def _kubernetes_skill(case: Case) -> Contradiction | None:
    unskilled = case.matches(
        r"(?:no|none of them with|without|nobody (?:has|knows)|never used"
        r"|don['’]t know) (?:any )?(?:kubernetes|k8s)"
    )
    wanted = case.matches(
        r"\b(?:must|shall|should|has to|want\w*|on) [^.]{0,30}(?:kubernetes|k8s|openshift)",
        but=unskilled,
    )
    if not unskilled or not wanted:
        return None
    team = case.figure(Measure.TEAM, largest=True)
    return Contradiction(
        first=wanted,
        second=unskilled,
        why=f"A cluster needs people who keep it; {team.text if team else 'the team'} cannot do "
        "so yet.",
        suggestion="Run the same containers without a cluster now; the images can move to one "
        "later.",
    )


def _keep_and_erase(case: Case) -> Contradiction | None:
    keep = case.matches(
        r"neither changed nor deleted|immutable|(?:must|may) (?:never|not) be (?:deleted|erased)"
        r"|unver[äa]nderbar\w*|write[- ]once"
        r"|inaltérable\w*|inmutable\w*"
    )
    erase = case.matches(
        r"erase[ds]?\b|deletion requests?|right to be forgotten|delete (?:their|his|her|all) data"
        r"|löschanfrage\w*|droit à l['’]oubli|derecho al olvido",
        but=keep,
    )
    if not keep or not erase:
        return None
    return Contradiction(
        first=keep,
        second=erase,
        why="A record that nobody can delete cannot be erased when its person asks for it.",
        suggestion="Keep the person out of the locked records: a key per person that is destroyed "
        "on erasure.",
    )


def _open_but_internal(case: Case) -> Contradiction | None:
    inside = case.says(
        r"(?:internal|intranet|staff|employees)[- ]only|only (?:reachable )?(?:from"
        r"|inside) (?:the |our )?(?:intranet|office|vpn|network)"
        r"|not (?:be )?reachable from the internet|nur intern|uniquement interne"
    )
    outside = case.matches(
        r"public(?:ly)? (?:website|available|reachable|api|access)|anonymous (?:users|visitors"
        r"|access)"
        r"|without (?:login|signing in|registration)|everyone on the internet",
        but=inside,
        unless=r"\bno public|not public",
    )
    if not inside or not outside:
        return None
    return Contradiction(
        first=inside,
        second=outside,
        why="One of the two groups cannot get in, or everybody can.",
        suggestion="Two entries: the public part alone on the internet, the rest behind sign-in.",
    )


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
            f"Ask for what {gone.name} does and not for it by name; what speaks its protocol "
            "today is "
            "connected through an entry that speaks the same one."
        ),
    )


def _lock_in(case: Case) -> Contradiction | None:
    free = case.says(
        r"only open[- ]source (?!components or)|no vendor lock-?in|no proprietary"
        r"|nur open[- ]source"
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
        suggestion="Name the exit: export format and time to leave; or take the open engine as a "
        "managed service.",
    )


def _apart(one: str, other: str, first: str, second: str) -> tuple[str, str]:
    """The two statements; where they are one sentence, the clause of each pattern in it."""
    if one != other:
        return one, other
    return _clause(one, first), _clause(other, second)


def _clause(sentence: str, pattern: str) -> str:
    """The clause of a sentence in which the pattern stands; the sentence where it is one clause."""
    parts = re.split(
        r"(?:,\s(?:and|but|so|und|aber|et|y)\s|[;:]\s|\s(?:but|aber|mais|pero|-)\s|,\s)", sentence
    )
    return next((p.strip(" .") for p in parts if re.search(pattern, p, _I)), sentence)


WORD_RULES: tuple[Rule, ...] = (
    _sealed_but_open,
    _outside_the_law,
    _no_downtime_one_step,
    _real_time_nightly,
    _serverless_legacy,
    _kubernetes_skill,
    _keep_and_erase,
    _open_but_internal,
    _same_product_gone,
    _lock_in,
)
"""Rules that compare statements."""
