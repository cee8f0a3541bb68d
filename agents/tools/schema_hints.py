"""Words for what is wrong with an argument: its type, a name that is close, the right place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from agents.tools.hcl import Expr, Kind
from agents.tools.schema_table import ArgumentType, BlockSchema


def mismatch(expr: Expr, wanted: ArgumentType) -> str | None:
    """Say what an argument takes where a constant certainly does not fit, else None.

    Terraform converts between strings, numbers and bools where the text allows it; so does this.
    """
    value = expr.value
    collection = expr.kind in (Kind.LIST, Kind.OBJECT)
    scalar = expr.kind in (Kind.STRING, Kind.NUMBER, Kind.BOOL)
    match wanted:
        case ArgumentType.STRING:
            return "a string" if collection else None
        case ArgumentType.NUMBER:
            wrong = collection or expr.kind is Kind.BOOL or not _numeric(value)
            return "a number" if wrong else None
        case ArgumentType.BOOL:
            wrong = collection or expr.kind is Kind.NUMBER
            wrong = wrong or (isinstance(value, str) and value not in ("true", "false"))
            return "true or false" if wrong else None
        case ArgumentType.STRINGS | ArgumentType.NUMBERS:
            return "a list" if scalar or expr.kind is Kind.OBJECT else None
        case ArgumentType.MAP:
            return "a map" if scalar or expr.kind is Kind.LIST else None
        case ArgumentType.UNKNOWN:
            return None


def _numeric(value: object) -> bool:
    if not isinstance(value, str):
        return True
    try:
        float(value)
    except ValueError:
        return False
    return True


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean …?`` with up to two close names, or nothing."""
    close = get_close_matches(name, list(known), n=2, cutoff=0.75)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def where_else(name: str, schema: BlockSchema) -> str:
    """Say in which nested block a misplaced name belongs, or else which name is close to it."""
    places = [path for path, _ in zip(_paths(name, schema), range(2), strict=False)]
    if places:
        return f" It belongs inside {' or '.join(places)}."
    return suggestion(name, [*schema.arguments, *schema.blocks])


def _paths(name: str, schema: BlockSchema, above: str = "") -> Iterator[str]:
    for block_name, nested in schema.blocks.items():
        path = f"{above}.{block_name}" if above else block_name
        if name in nested.schema.arguments or name in nested.schema.blocks:
            yield path
        yield from _paths(name, nested.schema, path)
