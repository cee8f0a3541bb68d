"""What answers and Revision feedback change in a design that is otherwise derived from documents.

A sentence that names a known knob (region, size, retention, budget alerts …) turns it; any other
sentence is kept word for word, so that its Deliverable can say in the open that it was not applied.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from agents.offline.signals import sentences
from agents.runtime import AgentTask

_REGION = re.compile(
    r"\b((?:africa|asia|australia|europe|me|northamerica|southamerica|us)-(?:north|south|east|west|"
    r"central)(?:north|south|east|west)?\d{1,2})\b"
)
_NO = r"\b(?:no|not|without|drop|remove|skip|disable|switch off|turn off|don't|do not|never)\b"
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_AMOUNT = re.compile(
    r"(?P<cur>EUR|USD|GBP|CHF|CAD|AUD|€|\$|£)?\s?(?P<n>\d[\d.,' ]*\d|\d)\s?(?P<k>k\b)?\s?"
    r"(?P<cur2>EUR|USD|GBP|CHF|CAD|AUD|€|euros?|dollars?|pounds?)?"
)
# fmt: off
_CURRENCIES = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "dollar": "USD", "dollars": "USD",
    "£": "GBP", "pound": "GBP", "pounds": "GBP",
}
# fmt: on
_NOBODY = re.compile(r"^(?:no user is available|proceed\b|state your assumption)", re.I)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_CIDR = re.compile(r"\b(?:10|172|192)\.\d{1,3}\.\d{1,3}\.\d{1,3}/\d{1,2}\b")
_DOMAIN = re.compile(r"\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,10}\b")
_TIER = re.compile(r"\b(?:db-(?:custom|perf-optimized|f1|g1)[\w-]+|[acenm]\d[a-z]?-[a-z]+-\d+)\b")


@dataclass(frozen=True, slots=True)
class Change:
    """One sentence of feedback or an answer, and what was done about it."""

    quote: str
    done: str
    applied: bool = True


@dataclass(frozen=True, slots=True)
class Adjustments:
    """The knobs that were turned. None means: as derived from the documents."""

    region: str | None = None
    second_region: str | None = None
    one_region: bool | None = None
    size_step: int = 0
    tier: str | None = None
    retention_days: int | None = None
    log_days: int | None = None
    budget: bool | None = None
    budget_amount: int | None = None
    budget_currency: str | None = None
    min_instances: int | None = None
    max_instances: int | None = None
    high_availability: bool | None = None
    customer_keys: bool | None = None
    deletion_protection: bool | None = None
    email: str | None = None
    cidr: str | None = None
    domain: str | None = None
    changes: tuple[Change, ...] = ()

    @property
    def unapplied(self) -> tuple[Change, ...]:
        """What a person has to decide or do."""
        return tuple(c for c in self.changes if not c.applied)


def _retention(text: str) -> int | None:
    match = re.search(r"(\d{1,5})\s*-?\s*(day|week|month|year)s?", text, re.I)
    return int(match[1]) * _DAYS[match[2].lower()] if match else None


def _money(text: str) -> tuple[int, str] | None:
    for match in _AMOUNT.finditer(text):
        currency = match["cur"] or match["cur2"]
        if not currency:
            continue
        digits = re.sub(r"[.,' ](?=\d{3}\b)", "", match["n"]).replace(",", ".").replace(" ", "")
        amount = float(digits) * (1000 if match["k"] else 1)
        return round(amount), _CURRENCIES.get(currency.lower(), currency.upper())
    return None


def _count(text: str, word: str) -> int | None:
    match = re.search(
        rf"\b{word}\w*\W+(?:\w+\W+){{0,3}}?(?:to |of |at |= ?)?(\d{{1,4}})\b", text, re.I
    )
    match = match or re.search(rf"\b(\d{{1,4}})\W+{word}\w*\s+instance", text, re.I)
    return int(match[1]) if match else None


def _turn(now: Adjustments, text: str) -> tuple[Adjustments, list[str]]:
    """Apply one sentence; what was done, in words."""
    low = text.lower()
    done: list[str] = []
    negated = re.search(_NO, low) is not None
    regions = _REGION.findall(low)
    if regions and not negated:
        second = re.search(r"second|standby|secondary|replica|disaster|failover|\bdr\b", low)
        if second and len(regions) == 1:
            now = replace(now, second_region=regions[0], one_region=False)
            done.append(f"the second region is {regions[0]}")
        else:
            now = replace(now, region=regions[0])
            done.append(f"the region is {regions[0]}")
            if len(regions) > 1:
                now = replace(now, second_region=regions[1], one_region=False)
                done.append(f"the second region is {regions[1]}")
    if re.search(
        r"(?:one|single) region|no (?:second|standby) region|"
        rf"{_NO}[^.;]{{0,25}}(?:second region|multi-?region|cross-region)",
        low,
    ):
        now = replace(now, one_region=True, second_region=None)
        done.append("everything is in one region; a loss of that region is then no longer covered")
    tier = _TIER.search(low)
    if tier:
        now = replace(now, tier=tier[0])
        done.append(f"the database machine is {tier[0]}")
    elif re.search(r"(?:small|cheap)er\b|scale down|downsize|half the size", low):
        now = replace(now, size_step=now.size_step - 1)
        done.append("every sized machine is one step smaller than the arithmetic gives")
    elif re.search(r"(?:bigg|larg)er\b|more (?:cpu|memory|head ?room|capacity)|scale up", low):
        now = replace(now, size_step=now.size_step + 1)
        done.append("every sized machine is one step larger than the arithmetic gives")
    days = _retention(text)
    if (
        days
        and re.search(r"\blogs?\b|audit", low)
        and re.search(r"retain|retention|keep|kept", low)
    ):
        now = replace(now, log_days=days)
        done.append(f"logs are kept {days} days")
    elif days and re.search(r"retain|retention|keep|kept|backup|lifecycle|delete after", low):
        now = replace(now, retention_days=days)
        done.append(f"data retention is {days} days")
    money = _money(text)
    if re.search(rf"{_NO}[^.;]{{0,25}}budget|budget[^.;]{{0,20}}{_NO}", low):
        now = replace(now, budget=False)
        done.append("no budget and no spend alerts are created")
    elif money and re.search(r"budget|cost|spend|month|cap\b", low):
        now = replace(now, budget=True, budget_amount=money[0], budget_currency=money[1])
        done.append(f"the budget is {money[0]:,} {money[1]} a month")
    elif re.search(r"(?:add|with|create|want)[^.;]{0,20}budget", low):
        now = replace(now, budget=True)
        done.append("a budget with spend alerts is created")
    for word, field, name in (
        ("min", "min_instances", "minimum"),
        ("max", "max_instances", "maximum"),
    ):
        if re.search(
            rf"\b{word}(?:imum)?\b[^.;]{{0,20}}instance|instance[^.;]{{0,15}}\b{word}", low
        ):
            count = _count(low, word)
            if count is not None:
                now = replace(now, **{field: count})  # type: ignore[arg-type]
                done.append(f"the {name} number of instances is {count}")
    if re.search(r"scale to zero", low) and not negated:
        now = replace(now, min_instances=0)
        done.append("services scale to zero when idle")
    if re.search(r"zonal|single zone|no (?:HA\b|high availability)", text, re.I):
        now = replace(now, high_availability=False)
        done.append("databases run in one zone: a zone failure then stops them")
    elif re.search(r"\bHA\b|high availability|regional availability", text) and not negated:
        now = replace(now, high_availability=True)
        done.append("databases have a standby in a second zone")
    if re.search(r"\bCMEK\b|customer-managed|own (?:encryption )?keys", text, re.I):
        now = replace(now, customer_keys=not negated)
        done.append(
            "encryption uses Google's keys" if negated else "data is encrypted with own keys"
        )
    if re.search(r"deletion protection|delete protection", low):
        now = replace(now, deletion_protection=not negated)
        done.append(f"deletion protection is {'off' if negated else 'on'}")
    email = _EMAIL.search(text)
    if email:
        now = replace(now, email=email[0])
        done.append(f"alerts go to {email[0]}")
    cidr = _CIDR.search(text)
    if cidr:
        now = replace(now, cidr=cidr[0])
        done.append(f"the network uses {cidr[0]}")
    domain = _DOMAIN.search(low.replace(email[0].lower(), "") if email else low)
    if domain and re.search(r"domain|host ?name|url|dns|address|endpoint", low):
        now = replace(now, domain=domain[0])
        done.append(f"the public name is {domain[0]}")
    return now, done


def adjustments_of(task: AgentTask) -> Adjustments:
    """Read the task's answers and feedback into Adjustments, in the order in which they came."""
    now = Adjustments()
    changes: list[Change] = []
    said = [(a.answer, a.question) for a in task.answers]
    said += [(text, "") for text in task.feedback]
    for text, question in said:
        for sentence in sentences(text) or ((text.strip(),) if text.strip() else ()):
            if _NOBODY.search(sentence):
                continue
            now, done = _turn(now, sentence)
            if not done and question:
                now, done = _turn(now, f"{_topic(question)} {sentence}")
            quote = sentence.rstrip(". ")
            if done:
                changes.append(Change(quote, "; ".join(done)))
            else:
                changes.append(Change(quote, "", applied=False))
    return replace(now, changes=tuple(changes))


def _topic(question: str) -> str:
    """The words of a question that a short answer leaves out: ``notify@x.eu`` needs none."""
    words = re.findall(r"budget|region|domain|retention|instances?|backup|logs?", question, re.I)
    return " ".join(dict.fromkeys(w.lower() for w in words))


def visible(changes: tuple[Change, ...], *, what: str = "Revision") -> list[str]:
    """One sentence a change, for the Deliverable: what was asked, and what was done about it."""
    lines = []
    for change in changes:
        outcome = (
            change.done
            if change.applied
            else (
                "not applied by itself, because it names nothing that this section sets; a person "
                "decides it before the next step"
            )
        )
        lines.append(f'Changed in this {what}: "{change.quote}": {outcome}.')
    return lines
