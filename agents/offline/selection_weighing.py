"""Which other products a choice is weighed against, and by how much it is ahead of them."""

from __future__ import annotations

from agents.offline.selection_model import Choice, Scored
from providers.catalogue import Catalogue, Product

_ALTERNATIVES = 2
_RULED_OUT = -90


def alternatives(choice: Choice, catalogue: Catalogue) -> tuple[Product, ...]:
    """What else was weighed: the next by score, then what the catalogue lists beside it."""
    found: list[Product] = []
    listed_there = {a.name for a in choice.product.alternatives}
    ranked = [s for s in choice.others if s.points > choice.winner.points + _RULED_OUT]
    ranked.sort(key=lambda s: (_superseded(s.product), s.product.name not in listed_there))
    for scored in ranked:
        if len(found) < _ALTERNATIVES and _related(choice, scored.product):
            found.append(scored.product)
    for option in choice.product.alternatives if not found else ():
        other = catalogue.find(option.name)
        if other is not None and other.status.selectable and other not in found:
            found.append(other)
    return tuple(p for p in found if p.name != choice.product.name)[:_ALTERNATIVES]


def _superseded(product: Product) -> bool:
    return product.good_for.startswith("applications that already")


def _related(choice: Choice, other: Product) -> bool:
    """Whether a candidate is near enough to be worth a comparison: it shares the first tag."""
    first = choice.slot.any_of[0]
    listed_there = any(a.name == other.name for a in choice.product.alternatives)
    return listed_there or other.can(first) or not choice.product.can(first)


def rival(choice: Choice, catalogue: Catalogue) -> Scored | None:
    """The alternative that came nearest, if it was a candidate for the same slot."""
    names = [p.name for p in alternatives(choice, catalogue)]
    scored = [s for s in choice.others if s.product.name in names and not _superseded(s.product)]
    return max(scored, key=lambda s: s.points, default=None)


def telling(choice: Choice, other: Scored) -> str:
    """What speaks for the choice and not for the other one; empty if nothing does."""
    shared = {r.text for r in other.reasons if r.points > 0}
    own = (r for r in choice.winner.best if r.text and r.points >= 0.3 and r.text not in shared)
    against = (r for r in other.worst if r.text)
    mine = next(own, None)
    if mine is not None:
        return mine.text
    theirs = next(against, None)
    return f"{other.product.name}: {theirs.text}" if theirs else ""
