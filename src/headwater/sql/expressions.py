"""The parts of a statement that sqlglot parses: a view's query, a column's default, a sort key."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp
from sqlglot.dialects import Dialect
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parser import Parser

from headwater.core.errors import Position, SqlError, SqlSyntaxError, SqlUnsupported
from headwater.core.names import quote
from headwater.core.reserved import RESERVED
from headwater.sql.cursor import Span, short
from headwater.sql.tokens import TokenKind, too_deep

_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_QUERY_WORDS = frozenset({"SELECT", "WITH", "FROM", "VALUES"})
_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.DDL, exp.Into, exp.Command)
_PARAMETERS = (exp.Placeholder, exp.Parameter, exp.SessionParameter)
_NOT_CONSTANT = (exp.Column, exp.Query, exp.AggFunc, exp.Window, exp.Star, *_PARAMETERS)
# Expressions with the same result in Spark and DuckDB, so that a default can be translated.
_SAME_IN_SPARK = (
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Neg,
    exp.Paren,
    exp.CurrentTimestamp,
    exp.CurrentDate,
)


def query(span: Span) -> str:
    """The text of a read-only query, as written. Its tables are not resolved here."""
    first = span.tokens[0]
    if not (first.text.upper() in _QUERY_WORDS or first.text == "("):
        raise SqlUnsupported(
            f'a view can\'t be created from "{short(first.text)}"', hint="Write AS SELECT ….", position=span.position
        )
    tree = _parse(span, lambda parser: parser.parse(list(span.raw), span.script))
    if not isinstance(tree, exp.Query | exp.Values) or tree.find(*_WRITES):
        raise SqlUnsupported(
            "a view must be a query that only reads", hint="Write AS SELECT ….", position=span.position
        )
    if tree.find(*_PARAMETERS):
        raise SqlUnsupported(
            "a view can't contain parameters", hint="Write the value in the query.", position=span.position
        )
    return span.text


def default(span: Span) -> tuple[str | None, bool]:
    """The DuckLake text of a default, and whether it is an expression; a text, number or boolean literal is not."""
    tree = _parse(span, lambda parser: parser.parse_into(exp.Condition, list(span.raw), span.script))
    if tree.find(*_NOT_CONSTANT):
        raise SqlUnsupported(
            f'the default "{short(span.text)}" is not a constant expression',
            hint="Use literals and functions of literals, without columns, queries or aggregates.",
            position=span.position,
        )
    match _literal(tree):
        case (text,):
            return text, False
        case _ if span.dialect == "duckdb":
            return span.text, True
        case _:
            return _carried_over(span, tree), True


def sort_expression(span: Span) -> str:
    """A sort key as DuckLake stores it: a column's name, quoted only if necessary, or a DuckDB expression."""
    match span.tokens:
        case (token,) if token.kind in (TokenKind.WORD, TokenKind.QUOTED):
            plain = _PLAIN_NAME.fullmatch(token.text) and token.text not in RESERVED
            return token.text if plain else quote(token.text)
    if span.dialect != "duckdb":
        raise SqlUnsupported(
            f'the sort key "{short(span.text)}" is not a column',
            hint="Sort by columns, or write the statement in DuckDB's dialect.",
            position=span.position,
        )
    tree = _parse(span, lambda parser: parser.parse_into(exp.Condition, list(span.raw), span.script))
    if tree.find(exp.Query, exp.AggFunc, exp.Window, exp.Star, *_PARAMETERS):
        raise SqlUnsupported(
            f'the sort key "{short(span.text)}" is not an expression over a single row',
            hint="Sort by columns and functions of columns.",
            position=span.position,
        )
    return span.text


def _parse(span: Span, how: Callable[[Parser], list[exp.Expr | None]]) -> exp.Expr:
    try:
        (tree,) = how(Dialect.get_or_raise(span.dialect).parser())
    except ParseError as error:
        raise _located(error, span.position) from None
    except RecursionError:
        raise too_deep(span.position) from None
    if tree is None:
        raise SqlSyntaxError(
            f'"{short(span.text)}" can\'t be parsed', hint="Check the expression.", position=span.position
        )
    return tree


def _located(error: ParseError, start: Position) -> SqlError:
    """Convert sqlglot's error, with the position of its token."""
    facts = error.errors[0] if error.errors else {}
    near = str(facts.get("highlight") or "")
    line, end = facts.get("line"), facts.get("col")
    position = Position(line, max(end - len(near) + 1, 1)) if line and end else start
    message = f'syntax error near "{short(near)}"' if near else "syntax error"
    return SqlSyntaxError(message, hint="Check the statement from this position.", position=position)


def _literal(tree: exp.Expr) -> tuple[str | None] | None:
    """The text of a literal in a tuple of one element (None for NULL); None for other expressions."""
    match tree:
        case exp.Paren():
            return _literal(tree.this)
        case exp.Null():
            return (None,)
        case exp.Boolean():
            return ("true" if tree.this else "false",)
        case exp.Neg(args={"this": exp.Literal(is_string=False) as number}):
            return ("-" + _number(number.name),)
        case exp.Literal(is_string=False):
            return (_number(tree.name),)
        case exp.Literal() | exp.RawString():
            return (tree.name,)
        case _:
            return None


def _number(text: str) -> str:
    """The number in DuckDB's format: without exponent and without a trailing dot."""
    return repr(float(text)) if "e" in text.lower() else text.removesuffix(".")


def _carried_over(span: Span, tree: exp.Expr) -> str:
    strange = next((node for node in tree.walk() if not isinstance(node, _SAME_IN_SPARK)), None)
    if strange is not None:
        raise SqlUnsupported(
            f'the default "{short(span.text)}" can\'t be translated from Spark to DuckDB',
            hint="Write the statement in DuckDB's dialect.",
            position=span.position,
        )
    try:
        return tree.sql(dialect="duckdb")
    except (SqlglotError, RecursionError):
        raise too_deep(span.position) from None
