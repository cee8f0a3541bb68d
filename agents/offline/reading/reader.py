"""Reads a request into Facts: the one place where all parts of the reading come together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from agents.offline.facts import Estimate, Facts, Figure, Measure, Workload
from agents.offline.reading.amendments import amend
from agents.offline.reading.asks import forbidden_asks
from agents.offline.reading.compliance import compliance
from agents.offline.reading.contradictions import Case, Named, contradictions
from agents.offline.reading.estate import current_state, dependencies
from agents.offline.reading.estimates import estimates, missing
from agents.offline.reading.evidence import proposal_of
from agents.offline.reading.figures import figures
from agents.offline.reading.language import detect
from agents.offline.reading.needs import sort
from agents.offline.reading.negation import negated
from agents.offline.reading.places import Locations, RegionLike, locate
from agents.offline.reading.questions import LEAVE_PROPOSAL, PAY_PROPOSAL, what_proposal
from agents.offline.reading.text import Sentence, at_words, clean, sentences, unique
from agents.offline.reading.title import title
from agents.offline.reading.workloads import workloads
from agents.runtime import Answer

_I = re.IGNORECASE
_PUBLIC = at_words(
    r"\bpublic(?:ly)? (?:website|web|rest|api|access\w*|available|reachable|facing|site)"
    r"|internet-facing"
    r"|anonymous|\bshop\b(?! floor)|web ?shop|online ?shop|online store|e-?commerce|news sites?"
    r"|marketing site|landing page"
    r"|\bblog\b|static (?:web)?site|our website|company website|mobile apps?|both apps|\bDAU\b"
    r"|concurrent players|monthly active|(?:documentation|static) (?:web)?site"
    r"|customers? (?:look|log|sign|pay|order"
    r"|book|browse|visit|use)|(?:fans|farmers|students|citizens|patients|parents|members|guests"
    r"|players)\b[^.]{0,60}\b(?:hit|log|sign|order|buy|book|sit|pay|use)|web portal"
    r"|(?:customer|client|patient|member|citizen|student|parent|guest|resident|tenant|subscriber"
    r"|self-service|booking)s?['’]?s? (?:web )?portal|(?:kund|bürger|patient|mieter"
    r"|mitglieder)\w*portal"
    r"|portail (?:client|patient|citoyen)|portal de(?:l)? (?:clientes?|pacientes?)"
    r"|(?<!dashboard )(?<!report )\bviewers\b(?! of)|\bvisitors|onlineshop|webseite"
    r"|kunden\b[^.]{0,40}\b(?:melden|laden|bestell\w*|buch\w*|bezahl\w*|anmelden)"
    r"|öffentlich\w*|site (?:public|vitrine)"
    r"|boutique en ligne|tienda (?:online|en línea)|página web|sitio (?:web|público)|checkout"
    r"|without (?:a )?login"
    r"|\bfor the public\b|everyone on the internet|citizens"
)  # fmt: skip
_INTERNAL = at_words(
    r"internal only|only internal|intranet|not (?:be )?(?:public|reachable from the internet)"
    r"|no public (?:access|endpoint|ip)"
    r"|private only|staff only|employees only|nur intern|uniquement interne|behind (?:the )?vpn"
    r"|no internet access"
)  # fmt: skip


class MentionLike(Protocol):
    """A product that a text names."""

    @property
    def product(self) -> ProductLike:
        """What is named."""

    @property
    def start(self) -> int:
        """Where the name starts."""

    @property
    def end(self) -> int:
        """Where it ends."""


class ProductLike(Protocol):
    """What is needed of a catalogue's product."""

    @property
    def name(self) -> str:
        """Its name in the catalogue."""

    @property
    def status(self) -> StatusLike:
        """Whether it may still be chosen."""


class StatusLike(Protocol):
    """A status of the catalogue."""

    @property
    def value(self) -> str:
        """The status as a word."""

    @property
    def selectable(self) -> bool:
        """False for what a new design must not use."""


class CatalogueLike(Protocol):
    """What is needed of a product catalogue."""

    def mentions(self, text: str) -> Sequence[MentionLike]:
        """Products named in a text, in order."""


def read(
    text: str,
    *,
    answers: Sequence[Answer] = (),
    feedback: Sequence[str] = (),
    catalogue: CatalogueLike,
    regions: Sequence[RegionLike],
) -> Facts:
    """Everything that the planner takes from a request, with answers and feedback worked in.

    Deterministic, and linear in the length of the text. ``regions`` are in the bundle's order.
    """
    text = clean(text)
    language = detect(text)
    lines = sentences(text, language)
    name, name_line = title(text, lines)
    written = tuple(s for s in lines if s.text != name_line)
    found = figures(written, language)
    currency = _currency(found)
    vague = tuple(s.text for s in written if _VAGUE.search(s.text))
    unstated = frozenset(_open_measures(vague))
    feedback = _without_products(feedback, (text, *(a.answer for a in answers)), catalogue)
    offered = _offered(text, catalogue, regions) if answers else frozenset()
    amended = amend(written, answers, feedback, language, currency, unstated, offered)
    spoken = (*amended.base, *amended.extra)
    if spoken != written:
        found = figures(spoken, language)
    kinds = workloads(tuple(s for s in lines if s.text == name_line) + spoken, found)
    name = name or NAMES[kinds[0]]
    where = _where(amended.base, amended.read, regions, language, currency)
    held, denied = _laws(spoken, amended.read)
    products = _products(spoken, catalogue)
    now = current_state(spoken, found)
    found = tuple(
        f.model_copy(update={"current": True})
        if f.measure is Measure.COMPUTE and f.sentence in now
        else f
        for f in found
    )
    placed = sort(spoken, found, now, amended.extra)
    clashes = contradictions(Case(spoken, found, where, products))
    told = {f.measure for f in figures(amended.read, language)}
    open_measures = tuple(m for m in unstated if m not in told)
    vague = vague if open_measures or not unstated else ()
    made = estimates(kinds, found, text, name, also=open_measures)
    lacking = [
        m.value
        for m in missing(kinds, found, text.lower(), also=open_measures)
        if not _derived(m, made)
    ]
    if where.assumed:
        lacking.append("region")
    return Facts(
        title=name,
        language=language,
        workloads=kinds,
        summary=_summary(name, kinds, found, where),
        needs=placed.needs,
        figures=found,
        constraints=tuple(c for c in placed.constraints if c.text not in vague),
        regions=where.ids,
        locations_text=where.as_written,
        compliance=held,
        current_state=now,
        dependencies=dependencies(spoken),
        named_products=unique(p.name for p in products),
        retired_products=unique(p.name for p in products if not p.selectable and not p.denied),
        contradictions=clashes,
        forbidden_asks=forbidden_asks((*lines, *amended.read)),
        public_access=_public(spoken, amended.read),
        missing=tuple(lacking),
        overrides=amended.overrides,
        changes=amended.changes,
        estimates=made,
        out_of_scope=denied,
        context=placed.context,
        accepted=amended.accepted,
        left_open=amended.left,
        unclear=amended.unclear,
        answered=amended.answered,
        added_region=where.added,
        vague=vague,
    )


def _offered(text: str, catalogue: CatalogueLike, regions: Sequence[RegionLike]) -> frozenset[str]:
    """The texts that the questions on this request propose; one of them as answer is a yes."""
    first = read(text, catalogue=catalogue, regions=regions)
    open_figures = [e for e in first.estimates if not e.derived]
    return frozenset(
        (
            *(proposal_of(e) for e in open_figures),
            *(c.suggestion for c in first.contradictions),
            *(clean(c.suggestion) for c in first.contradictions),
            " and ".join(e.figure.text for e in open_figures[:2]),
            *first.regions[:1],
            PAY_PROPOSAL,
            LEAVE_PROPOSAL,
            what_proposal(first),
        )
    )


_VAGUE = at_words(
    r"\bsame [^.]{0,60}\bas (?:today|now|before|always|last (?:year|time)|usual)\b"
    r"|\bas (?:always|usual|before|today)\b[^.]*$"
    r"|\bwie (?:heute|bisher|immer|gehabt)\b|\bcomme (?:aujourd['’]hui|d['’]habitude|avant)\b"
    r"|\bcomo (?:hoy|siempre|hasta ahora)\b"
)  # fmt: skip
_OPEN: tuple[tuple[str, Measure], ...] = (
    (r"history|retention|aufbewahr|historique", Measure.RETENTION),
    (r"sizes?\b|größe|taille|tamaño", Measure.ITEM_SIZE),
    (r"volumes?\b|menge|data set", Measure.DATA_VOLUME),
    (r"load\b|traffic|numbers|last\b", Measure.THROUGHPUT),
)  # fmt: skip


def _open_measures(vague: Sequence[str]) -> tuple[Measure, ...]:
    """Measures that "the same as today" leaves without a figure."""
    return tuple(m for p, m in _OPEN if any(re.search(p, v, _I) for v in vague))


def _derived(measure: Measure, made: Sequence[Estimate]) -> bool:
    return any(e.derived and e.figure.measure is measure for e in made)


def _without_products(
    feedback: Sequence[str], own_words: Sequence[str], catalogue: CatalogueLike
) -> tuple[str, ...]:
    """Feedback without the products that only it names: requirements name no solution."""
    if not feedback:
        return ()
    own = {m.product.name for text in own_words for m in catalogue.mentions(text)}
    cleaned = []
    for text in feedback:
        for mention in reversed(catalogue.mentions(clean(text))):
            if mention.product.name not in own:
                text = clean(text)
                text = f"{text[: mention.start]}the product asked for{text[mention.end :]}"
        cleaned.append(text)
    return tuple(cleaned)


def _laws(
    spoken: Sequence[Sentence], later: Sequence[Sentence]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Laws and norms that hold and that do not; what answers and feedback say wins."""
    held, denied = compliance(spoken)
    added, dropped = compliance(later)
    return (
        unique(n for n in (*held, *added) if n not in dropped),
        unique(n for n in (*denied, *dropped) if n not in added),
    )


def _currency(found: Sequence[Figure]) -> str:
    return next((f.unit for f in found if f.measure is Measure.BUDGET), "")


def _where(
    base: Sequence[Sentence],
    read_later: Sequence[Sentence],
    regions: Sequence[RegionLike],
    language: str,
    currency: str,
) -> Locations:
    """Places of the request; places of answers and feedback go before them."""
    first = locate(base, regions, language, currency)
    if not read_later:
        return first
    later = locate(read_later, regions, language, currency)
    if later.assumed or not (later.as_written or later.residency):
        return first
    law = [s for s in base if first.residency and first.residency in s.text]
    lost = [s for s in base if s.text == first.region_loss]
    also = any(
        re.search(r"\b(?:also|additional\w*|second|as well|too)\b", s.text, _I) for s in read_later
    )
    kept = list(base) if also else [*law, *lost]
    return locate(
        [*kept, *read_later] if also else [*read_later, *kept], regions, language, currency
    )


def _products(spoken: Sequence[Sentence], catalogue: CatalogueLike) -> tuple[Named, ...]:
    found: list[Named] = []
    for sentence in spoken:
        for mention in catalogue.mentions(sentence.text):
            product = mention.product
            found.append(
                Named(
                    name=product.name,
                    status=product.status.value,
                    selectable=product.status.selectable,
                    sentence=sentence.text,
                    denied=negated(sentence.text, mention.start, mention.end),
                )
            )
    return tuple(found)


def _public(spoken: Sequence[Sentence], later: Sequence[Sentence]) -> bool:
    for sentence in later:
        if _INTERNAL.search(sentence.text):
            return False
        if _said(sentence):
            return True
    if any(_INTERNAL.search(s.text) for s in spoken):
        return any(re.search(r"\bpublic (?:website|api|rest)"
                r"|anonymous", s.text, _I) and _said(s) and not
                   re.search(r"public API of", s.text) for s in spoken)  # fmt: skip
    return any(_said(s) for s in spoken)


def _said(sentence: Sentence) -> bool:
    return any(
        not negated(sentence.text, *m.span()) and not sentence.text[m.end() :].startswith(" of ")
        for m in _PUBLIC.finditer(sentence.text)
    )


NAMES: dict[Workload, str] = {
    Workload.WEB_API: "Web or API service",
    Workload.MIGRATION: "Existing system",
    Workload.STREAMING: "Event stream",
    Workload.WAREHOUSE: "Data warehouse",
    Workload.IOT: "Device platform",
    Workload.RAG_ML: "Assistant",
    Workload.MEDIA: "File processing",
    Workload.STATIC_SITE: "Web site",
}
"""What a workload is called where the request gives it no name."""

KIND_WORDS: dict[Workload, str] = {
    Workload.WEB_API: "transactional web or API service",
    Workload.MIGRATION: "move of an existing system",
    Workload.STREAMING: "streaming analytics",
    Workload.WAREHOUSE: "batch data warehouse",
    Workload.IOT: "device telemetry",
    Workload.RAG_ML: "retrieval-augmented answers or model serving",
    Workload.MEDIA: "media or file processing",
    Workload.STATIC_SITE: "static web site",
}
"""Kinds of workload in words for people."""


def _summary(
    name: str, kinds: Sequence[Workload], found: Sequence[Figure], where: Locations
) -> str:
    """One sentence with what sizes the design."""
    top = max((f.value or 0.0 for f in found if f.measure is Measure.THROUGHPUT), default=0.0)
    leading = [
        next((f for f in found if f.measure is m and not f.current and f.peak is p), None)
        for m, p in (
            (Measure.THROUGHPUT, False), (Measure.THROUGHPUT, True), (Measure.DEVICES, False),
            (Measure.DATA_VOLUME, False), (Measure.AVAILABILITY, False), (Measure.BUDGET, False),
        )
    ]  # fmt: skip
    parts = [
        _in_brief(f)
        for f in leading
        if f is not None and not (f.measure is Measure.THROUGHPUT and (f.value or 0) * 100 < top)
    ]
    what = " and ".join(KIND_WORDS[k] for k in kinds)
    figures_text = f" for {', '.join(parts)}" if parts else ""
    place = f", in {' and '.join(where.ids)}" if where.ids else ""
    return f"{name}: {what}{figures_text}{place}."


def _in_brief(figure: Figure) -> str:
    """A figure with the word that says what it is."""
    if figure.measure is Measure.AVAILABILITY:
        return f"{figure.text} availability"
    if figure.measure is Measure.BUDGET and figure.value is not None:
        short = "%" in figure.text or " per " in figure.text
        return f"within {f'{figure.value:,.0f} {figure.unit} a month' if short else figure.text}"
    if not re.search(r"[^\W\d_]", figure.text):
        unit = figure.unit
        if figure.measure is Measure.THROUGHPUT:
            unit = f"{figure.subject or 'requests'}{' at peak' if figure.peak else ''}"
        return f"{figure.text} {unit}"
    return f"{figure.text}{' at peak' if figure.peak else ''}"
