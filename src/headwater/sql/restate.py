"""Restate a bound query so that functions of dates and times keep the zone kind of their argument.

Under `spark.sql.timestampType` = TIMESTAMP_NTZ, Spark's TIMESTAMP has no time zone, but some functions still return one that
has: date_trunc, from_utc_timestamp, a date plus hours. Where the argument has no time zone, their result is cast back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from headwater.core.errors import HeadwaterError, Position
from headwater.core.names import backquote
from headwater.core.schema import Schema
from headwater.sql.grammar import SparkQueries
from headwater.sql.moments import Moment, Moments, has_time, has_zone, timestamp_argument
from headwater.sql.query import ParsedQuery
from headwater.sql.splice import Edit, splice
from headwater.sql.table_references import column_parts
from headwater.sql.tokens import Token, TokenKind, tokenize

_BACK = " AS TIMESTAMP_NTZ)"
_TRUNC = "date_trunc"
_OF_ARGUMENT = frozenset({_TRUNC, "from_utc_timestamp", "to_utc_timestamp"})
_CASTS = frozenset({"CAST", "TRY_CAST"})
_ADDS = frozenset({"date_add", "dateadd", "timestampadd"})
_WINDOWS = frozenset({"session_window", "window"})
_MADE = frozenset({"make_timestamp", "try_make_timestamp"})


def restate(sql: str, relations: Mapping[str, Schema]) -> str:
    """The query with the results of functions cast back to TIMESTAMP_NTZ where their argument has no time zone.

    >>> from headwater.core.schema import Column
    >>> schema = Schema((Column("at", "timestamp", 1), Column("seen", "timestamptz", 2)))
    >>> restate("SELECT date_trunc('day', at) AS a, date_trunc('day', seen) AS b FROM r", {"r": schema})
    "SELECT CAST(date_trunc('DAY', at) AS TIMESTAMP_NTZ) AS a, date_trunc('DAY', seen) AS b FROM r"
    """
    try:
        tokens = tokenize(sql, "spark").tokens
        if not any(_is_candidate(token) for token in tokens):
            return sql
        tree = sqlglot.parse_one(sql, dialect=SparkQueries)
    except (HeadwaterError, SqlglotError):
        return sql
    query = ParsedQuery(sql, "spark", Position(1, 1), tokens, tree)
    moments = Moments(tree, relations)
    edits = [*_call_edits(query, moments), *_literal_edits(query), *_sum_edits(query, moments)]
    return splice(sql, edits, 0, len(sql))


def _is_candidate(token: Token) -> bool:
    word = token.text.lower()
    return token.kind in (TokenKind.WORD, TokenKind.QUOTED) and (
        word in _OF_ARGUMENT or word in _ADDS | _WINDOWS | _MADE or word in ("timestamp", "interval")
    )


def _call_edits(query: ParsedQuery, moments: Moments) -> Iterator[Edit]:
    nodes = {node.meta["start"]: node for node in query.tree.walk() if "start" in node.meta}
    for index, name in query.calls():
        node = nodes.get(query.tokens[index].start)
        if isinstance(node, exp.Identifier):
            node = node.parent
        if node is None or (index and query.tokens[index - 1].text == "."):
            continue
        if isinstance(node.parent, exp.Cast):
            # The session's time zone is UTC, so further casts have the same result.
            yield from _unit_edit(query.tokens[index + 2]) if name == _TRUNC else ()
            continue
        span = (query.tokens[index].start, query.tokens[_closing(query, index + 1)].end)
        match node:
            case exp.TimestampTrunc() | exp.AtTimeZone() | exp.FromTimeZone() if name in _OF_ARGUMENT:
                first = query.tokens[index + 2]
                unit = list(_unit_edit(first)) if name == _TRUNC else []
                title = _title(node, name, first)
                yield from unit
                if moments.of(timestamp_argument(node)) not in (Moment.ZONED, Moment.UNKNOWN):
                    yield from _cast(*span, title)
                elif unit and title:
                    yield Edit(span[1], span[1], f" AS {backquote(title)}")
            case exp.TimestampAdd() if moments.of(node.this) in (Moment.DATE, Moment.OTHER):
                yield from _cast(*span)
            case exp.Anonymous() if name in _WINDOWS and node.expressions:
                if moments.of(node.expressions[0]) in (Moment.DATE, Moment.OTHER):
                    yield from _cast(query.tokens[index + 2].start, _first_argument_end(query, index))
            case exp.TimestampFromParts() | exp.Anonymous() if name in _MADE and len(list(node.iter_expressions())) < 3:
                yield from _cast(*span)
            case exp.Cast() if name == "timestamp":
                yield Edit(query.tokens[index].start, query.tokens[index].end, "CAST")
                yield Edit(span[1] - 1, span[1] - 1, " AS TIMESTAMP_NTZ")


def _cast(start: int, end: int, title: str | None = None) -> tuple[Edit, Edit]:
    """The edits that cast a part of the query, and give it a name where it is a column without one."""
    return Edit(start, start, "CAST("), Edit(end, end, _BACK + (f" AS {backquote(title)}" if title else ""))


def _unit_edit(token: Token) -> Iterator[Edit]:
    """The unit in capitals, as plans have it, which are compared with the query by Spark's constants."""
    if token.kind is TokenKind.STRING and token.text.isascii() and token.text.isalpha() and not token.text.isupper():
        yield Edit(token.start, token.end, f"'{token.text.upper()}'")


def _title(node: exp.Expr, name: str, first: Token) -> str | None:
    """The name that Spark gives to the column without the cast, if the call is a column without a name."""
    given = timestamp_argument(node)
    if not isinstance(node.parent, exp.Select) or node.arg_key != "expressions" or not isinstance(given, exp.Column):
        return None
    return f"{name}({', '.join((first.text, given.name) if name == _TRUNC else (given.name, node.text('zone')))})"


def _closing(query: ParsedQuery, opening: int) -> int:
    """The index of the parenthesis that closes another."""
    depth = 0
    for index in range(opening, len(query.tokens)):
        token = query.tokens[index]
        if token.kind is TokenKind.SYMBOL:
            depth += token.text in "([{"
            depth -= token.text in ")]}"
        if depth == 0:
            return index
    return len(query.tokens) - 1


def _first_argument_end(query: ParsedQuery, index: int) -> int:
    """The offset behind the first argument of a call."""
    place = index + 2
    while query.tokens[place].text not in (",", ")") and place < len(query.tokens) - 1:
        opens = query.tokens[place].kind is TokenKind.SYMBOL and query.tokens[place].text in "([{"
        place = (_closing(query, place) if opens else place) + 1
    return query.tokens[place - 1].end


def _literal_edits(query: ParsedQuery) -> Iterator[Edit]:
    """TIMESTAMP '… Z' is a timestamp with time zone in Spark too, but a cast of the same text is not: name its type."""
    for token, following in zip(query.tokens, query.tokens[1:], strict=False):
        if (
            token.kind is TokenKind.WORD
            and token.text.lower() == "timestamp"
            and following.kind is TokenKind.STRING
            and has_zone(following.text)
        ):
            yield Edit(token.start, token.end, "TIMESTAMP_LTZ")


def _sum_edits(query: ParsedQuery, moments: Moments) -> Iterator[Edit]:
    """A date plus hours is a timestamp with time zone in Spark: cast the date."""
    for node in query.tree.find_all(exp.Add, exp.Sub):
        if isinstance(node.parent, exp.Add | exp.Sub) and node.arg_key == "this":
            continue
        first, times = node, False
        while isinstance(first, exp.Add | exp.Sub) and _is_interval(first.expression):
            times, first = times or has_time(first.expression), first.this
        if isinstance(node, exp.Add) and _is_interval(node.this):
            times, first = has_time(node.this), node.expression
        if first is not node and times and moments.of(first) is Moment.DATE and (span := _span(query, first)):
            yield from _cast(*span)


def _is_interval(node: exp.Expr) -> bool:
    return isinstance(node, exp.Interval) or (
        isinstance(node, exp.Add) and _is_interval(node.this) and _is_interval(node.expression)
    )


def _span(query: ParsedQuery, node: exp.Expr) -> tuple[int, int] | None:
    """Where a column, a call or a cast is in the text; None if sqlglot has no position for it."""
    places = {token.start: index for index, token in enumerate(query.tokens)}
    if isinstance(node, exp.Column):
        parts = column_parts(node)
        return (parts[0].meta["start"], parts[-1].meta["end"] + 1) if all("start" in p.meta for p in parts) else None
    known = [part.meta["start"] for part in node.walk() if part.meta.get("start") in places]
    index = places[min(known)] if known else 0
    if "start" not in node.meta and isinstance(node, exp.Cast):
        index -= 2
    called = index >= 0 and query.tokens[index + 1 : index + 2] and query.tokens[index + 1].text == "("
    if not known or not called or ("start" not in node.meta and query.tokens[index].text.upper() not in _CASTS):
        return None
    return query.tokens[index].start, query.tokens[_closing(query, index + 1)].end
