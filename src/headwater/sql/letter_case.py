"""Refuse names that DuckDB tells apart by the case of a letter outside A to Z, and Spark does not.

Spark compares names as Java's `equalsIgnoreCase` does, and in places by their lower case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from headwater.core.names import folded
from headwater.core.schema import Schema
from headwater.sql.query import ParsedQuery
from headwater.sql.tokens import TokenKind

SAME_TO_SPARK = "DuckDB distinguishes them; Spark, which computes dynamic tables, does not."


def refuse_same_to_spark(query: ParsedQuery, tables: Iterable[Schema]) -> None:
    """Refuse a query with such names, or with a name that Spark would take for that of a column of its tables."""
    in_text = {token.text: token.start for token in query.tokens if token.kind in (TokenKind.WORD, TokenKind.QUOTED)}
    in_tables = [[column.name for column in schema.walk()] for schema in tables]
    pairs = [pair for names in (in_tables or [[]]) for pair in same_to_spark((*in_text, *names))]
    for one, other in pairs:
        at = in_text.get(other, in_text.get(one))
        raise query.refused(
            f'the names "{one}" and "{other}" differ only in letter case',
            query.position(query.start if at is None else at),
            detail=SAME_TO_SPARK,
            hint="Rename one of them, or write the name exactly as it was created.",
        )


def same_to_spark(names: Collection[str]) -> list[tuple[str, str]]:
    """The pairs of names that are the same to Spark alone.

    >>> same_to_spark(["Übersicht", "übersicht", "ÜBERSICHT", "a", "A", "i", "ı"])
    [('Übersicht', 'übersicht'), ('i', 'ı')]
    """
    if all(name.isascii() for name in names):
        return []
    spellings: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        for key in {f"={_java_folded(name)}", f"<{name.lower()}"}:
            spellings[key].setdefault(folded(name), name)
    pairs = (tuple(list(found.values())[:2]) for found in spellings.values() if len(found) > 1)
    return [(one, other) for one, other in dict.fromkeys(pairs)]


def _java_folded(name: str) -> str:
    """Two names have the same value if Java's equalsIgnoreCase says so: it compares letter by letter."""
    return "".join(map(_letter, name))


def _letter(letter: str) -> str:
    upper = letter.upper()
    upper = upper if len(upper) == 1 else letter
    # The one letter whose lower case is two.
    return "i" if upper == "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" else upper.lower()
