"""Parse a query and qualify every column with its source, by Spark's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from sqlglot import exp, parse_one
from sqlglot.dialects.spark import Spark
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.parsers.spark import SparkParser

from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import parts
from headwater.sql.grammar import SparkQueries

_NEVER: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Pivot, "PIVOT and UNPIVOT are not supported"),
    (exp.TableSample, "TABLESAMPLE has no stable result"),
    (exp.MatchRecognize, "MATCH_RECOGNIZE is not supported"),
    (exp.Stack, "the table function stack is not supported"),
    (exp.Command, "only queries are supported"),
    (exp.Into, "SELECT INTO is not supported"),
    (exp.Placeholder, "a parameter has no value"),
    (exp.Parameter, "a parameter has no value"),
)
_TABLE_FUNCTIONS = frozenset(
    ["json_tuple", "parse_url_tuple", "stack", "variant_explode", "variant_explode_outer", "collations", "sql_keywords"]
)
# Other names of aggregate functions that sqlglot has classes for.
_SAME = {"every": exp.LogicalAnd, "some": exp.LogicalOr, "mean": exp.Avg, "std": exp.Stddev}
# Internal errors of sqlglot.
_SLIPS = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)
_WRITTEN, _SPELLING, _USING = "hw_written", "hw_spelling", "hw_using"


# Functions that sqlglot would change: it adds casts to arguments, and writes units in capitals.
_KEPT = frozenset({"DATE_FORMAT", "FROM_UTC_TIMESTAMP", "TO_UTC_TIMESTAMP", "TRUNC"})


class SparkText(SparkQueries):
    """Spark's SQL as in Spark 4: a doubled quote in a string literal is one quote. Some functions stay as written."""

    class Parser(SparkQueries.Parser):
        FUNCTIONS: ClassVar = {name: make for name, make in SparkParser.FUNCTIONS.items() if name not in _KEPT}

    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = [*Spark.Tokenizer.STRING_ESCAPES, "'"]


def qualified(sql: str, relations: Mapping[str, Sequence[str]]) -> exp.Query:
    """The query with stars, USING, ordinals and aliases expanded, and every column qualified.

    >>> qualified("SELECT A + 1 AS b FROM hw_source_1", {"hw_source_1": ["a"]}).sql(dialect="spark")
    'SELECT `hw_source_1`.`a` + 1 AS `b` FROM `hw_source_1` AS `hw_source_1`'
    >>> print(qualified("SELECT 'it''s' AS b FROM r", {"r": ["a"]}).sql(dialect="spark"))
    SELECT 'it\\'s' AS `b` FROM `r` AS `r`
    """
    tree = _parsed(sql)
    _refuse(tree)
    _prepare(tree)
    schema: dict[str, object] = {
        name.lower(): dict.fromkeys((label.lower() for label in labels), "unknown")
        for name, labels in relations.items()
    }
    try:
        tree = qualify(tree, dialect="spark", schema=schema)
    except OptimizeError as error:
        raise _unresolved(error) from None
    except (SqlglotError, *_SLIPS):
        raise NotPlanned("the columns could not be resolved", tree) from None
    for node in tree.walk():
        node.comments = None
    for select in tree.find_all(exp.Select):
        _choose_using(select)
    for field in tree.find_all(exp.PropertyEQ):
        if _SPELLING in field.meta:
            field.set("this", exp.to_identifier(field.meta[_SPELLING], quoted=True))
    return tree


def _unresolved(error: OptimizeError) -> NotPlanned:
    """Convert sqlglot's error, such as: Column 'x' could not be resolved. Line: 1, Col: 9."""
    words, place, rest = str(error).splitlines()[0].partition("Line: ")
    words = words.strip(" (.:")
    line = rest.partition(",")[0]
    return NotPlanned(words[:1].lower() + words[1:], "", int(line) if place and line.isdigit() else None)


def _parsed(sql: str) -> exp.Query:
    try:
        tree = parse_one(sql, read=SparkText)
    except RecursionError:
        raise
    except (SqlglotError, *_SLIPS):
        raise NotPlanned("the query could not be read", sql, 1) from None
    if isinstance(tree, exp.Values):
        tree = exp.select("*").from_(tree, copy=False, dialect="spark")
    if not isinstance(tree, exp.Query):
        raise NotPlanned("only queries are supported", tree)
    return tree


def _refuse(tree: exp.Expr) -> None:
    for node in tree.walk():
        for kind, reason in _NEVER:
            if isinstance(node, kind):
                raise NotPlanned(reason, node)
        if isinstance(node, exp.With) and node.args.get("recursive"):
            raise NotPlanned("a recursive WITH is not supported", node)
        if isinstance(node, exp.Anonymous) and node.name.lower() in _TABLE_FUNCTIONS:
            raise NotPlanned(f"the table function {node.name.lower()} is not supported", node)
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Func):
            raise NotPlanned("table functions in FROM are not supported", node)
        if isinstance(node, exp.Lateral) and not node.args.get("view"):
            raise NotPlanned("LATERAL subqueries and functions are not supported", node)
        if isinstance(node, exp.Values) and any(isinstance(part, exp.Alias) for part in node.walk()):
            raise NotPlanned("VALUES with an alias needs parentheses around its rows", node)


def _prepare(tree: exp.Expr) -> None:
    """Record what qualification loses (case of fields, the query's COALESCE calls, USING), and normalize function names."""
    for node in list(tree.walk()):
        match node:
            case exp.PropertyEQ(this=exp.Identifier() as name):
                node.meta[_SPELLING] = name.name
            case exp.Coalesce():
                node.meta[_WRITTEN] = True
            case exp.Select():
                _note_using(node)
            case exp.Join() if _shares(node) and not isinstance(node.parent, exp.Select):
                raise NotPlanned("USING or NATURAL within parentheses is not supported", node)
            case exp.Values():
                _name_columns(node)
            case exp.Any(this=exp.Paren() as inside) if not isinstance(node.parent, exp.Like | exp.ILike):
                if not isinstance(inside.this, exp.Query):
                    node.replace(exp.LogicalOr(this=inside.this))
            case exp.Anonymous(expressions=[argument]) if node.name.lower() in _SAME:
                node.replace(_SAME[node.name.lower()](this=argument))


def _name_columns(values: exp.Values) -> None:
    """Name the columns of VALUES col1, col2 and so on, as Spark does."""
    alias = values.args.get("alias") or exp.TableAlias()
    if not alias.args.get("columns") and values.expressions:
        first = values.expressions[0]
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        alias.set("columns", [exp.to_identifier(f"col{place + 1}") for place in range(width)])
        values.set("alias", alias)


def _shares(join: exp.Join) -> bool:
    return bool(join.args.get("using")) or join.method == "NATURAL"


def _note_using(select: exp.Select) -> None:
    joins = select.args.get("joins") or []
    sharing = [place for place, join in enumerate(joins) if _shares(join)]
    if not sharing:
        return
    sides = [join.side for join in joins]
    if len(joins) > 1 and any(side in ("RIGHT", "FULL") for side in sides[: sharing[-1] + 1]):
        raise NotPlanned(
            "USING or NATURAL among several joins, one of them RIGHT or FULL, is not supported", joins[sharing[-1]]
        )
    select.meta[_USING] = sides[sharing[0]]


def _choose_using(select: exp.Select) -> None:
    """Replace a column of USING by the left column, or for a RIGHT JOIN by the right one; only a FULL JOIN needs both."""
    side = select.meta.get(_USING)
    if side is None or side == "FULL":
        return
    for node in list(_own_parts(select)):
        if isinstance(node, exp.Coalesce) and _WRITTEN not in node.meta:
            node.replace((node.expressions[-1] if side == "RIGHT" else node.this).copy())


def _own_parts(select: exp.Select) -> Iterator[exp.Expr]:
    for child in select.iter_expressions():
        yield from parts(child)
