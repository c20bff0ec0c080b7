"""Infer the types of expressions without an engine, if possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.core.names import folded
from headwater.core.schema import Schema
from headwater.core.types import INTEGERS, TIMESTAMPS, decimal_parts
from headwater.sql.table_references import column_parts, selects_around


@dataclass(frozen=True, slots=True)
class ValueType:
    """One of text, whole, decimal, single, double, date, moment or boolean; exact numbers have digits and scale in Spark."""

    name: str
    digits: int = 0
    scale: int = 0

    @property
    def exact(self) -> bool:
        return self.name in ("whole", "decimal")

    @property
    def numeric(self) -> bool:
        return self.exact or self.name in ("single", "double")


TEXT, WHOLE, SINGLE, DOUBLE = ValueType("text"), ValueType("whole", 20), ValueType("single"), ValueType("double")
DATE, MOMENT, BOOLEAN = ValueType("date"), ValueType("moment"), ValueType("boolean")
# The maximum digits of Spark's decimals; a result that needs more is rounded.
MOST_DIGITS = 38

_TEXTS = (exp.ConcatWs, exp.DPipe, exp.Replace, exp.Substring, exp.Trim)
_WHOLES = (
    exp.Count,
    exp.Day,
    exp.DenseRank,
    exp.Extract,
    exp.Hour,
    exp.Length,
    exp.Minute,
    exp.Month,
    exp.Rank,
    exp.RowNumber,
    exp.Second,
    exp.Year,
)
_LIKE_THIS = (exp.Alias, exp.Abs, exp.Lag, exp.Lead, exp.Max, exp.Min, exp.Neg, exp.Nullif, exp.Paren, exp.Window)
_MOMENTS = (exp.CurrentTimestamp, exp.Localtimestamp, exp.TimestampTrunc)
_CASTS = {
    exp.DType.BIGINT: WHOLE,
    exp.DType.DATE: DATE,
    exp.DType.DOUBLE: DOUBLE,
    exp.DType.INT: WHOLE,
    exp.DType.TIMESTAMP: MOMENT,
    exp.DType.TIMESTAMPLTZ: MOMENT,
    exp.DType.TIMESTAMPNTZ: MOMENT,
    exp.DType.TIMESTAMPTZ: MOMENT,
}
# The digits of the Spark types that represent these types.
_DIGITS = {"int8": 3, "int16": 5, "int32": 10, "uint8": 5, "uint16": 10}


class Kinds:
    """Types of expressions in one query; `tables` has the schemas of its tables with known columns, by their node's id."""

    def __init__(self, tables: Mapping[int, Schema]) -> None:
        self._tables = tables
        # Caches by the id of a column, and by the id of a query and the name of an output.
        self._columns: dict[int, ValueType | None] = {}
        self._outputs: dict[tuple[int, str], set[ValueType | None]] = {}

    def of(self, node: exp.Expr) -> ValueType | None:
        """The type of an expression, or None if unknown.

        >>> import sqlglot
        >>> Kinds({}).of(sqlglot.parse_one("length(x) + 1.25", dialect="duckdb"))
        ValueType(name='decimal', digits=23, scale=2)
        """
        match node:
            case exp.Column():
                if id(node) not in self._columns:
                    self._columns[id(node)] = self._column(node)
                return self._columns[id(node)]
            case exp.Literal():
                return _literal(node)
            case exp.Cast():
                to = node.args["to"]
                if to.this == exp.DType.DECIMAL and to.expressions:
                    parts = [int(part.name) for part in to.expressions]
                    return ValueType("decimal", parts[0], parts[1] if len(parts) > 1 else 0)
                return _CASTS.get(to.this)
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Mod():
                return combined(node, self.of(node.this), self.of(node.expression))
            case exp.Div() | exp.Avg():
                return DOUBLE
            case exp.Coalesce() | exp.Greatest() | exp.Least():
                return self._same([node.this, *node.expressions])
            case exp.Case():
                return self._same([*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")])
            case exp.If():
                return self._same([node.args["true"], node.args.get("false")])
            case exp.Sum():
                return _summed(self.of(node.this))
            case exp.Ceil() | exp.Floor() | exp.Round():
                kind = self.of(node.this)
                return ValueType("decimal", kind.digits - kind.scale + 1) if kind and kind.name == "decimal" else kind
            case exp.CurrentDate():
                return DATE
        if isinstance(node, _LIKE_THIS):
            return self.of(node.this)
        kinds = ((_TEXTS, TEXT), (_WHOLES, WHOLE), (_MOMENTS, MOMENT), ((exp.Boolean, exp.Predicate), BOOLEAN))
        return next((kind for types, kind in kinds if isinstance(node, types)), None)

    def _same(self, nodes: Iterable[exp.Expr | None]) -> ValueType | None:
        kinds = {self.of(node) for node in nodes if node is not None and not isinstance(node, exp.Null)}
        if len(kinds) > 1 and all(kind and kind.exact for kind in kinds):
            exact = [kind for kind in kinds if kind]
            scale = max(kind.scale for kind in exact)
            return _number(max(kind.digits - kind.scale for kind in exact) + scale, scale, exact)
        return kinds.pop() if len(kinds) == 1 else None

    def _column(self, column: exp.Column) -> ValueType | None:
        *path, name = [folded(part.name) for part in column_parts(column)]
        for select in selects_around(column):
            if not path and _is_output(select, name) and not _is_within_outputs(select, column):
                return None
            kinds: set[ValueType | None] = set()
            for source in _sources(select):
                if not path or folded(source.alias_or_name) == path[-1]:
                    kinds |= self._field(source, name)
            if kinds:
                return kinds.pop() if len(kinds) == 1 else None
        return None

    def _field(self, source: exp.Expr, name: str) -> set[ValueType | None]:
        """The types that the column of this name may have; empty if there is no such column."""
        alias = source.args.get("alias")
        if alias is not None and (columns := alias.args.get("columns")):
            return {None} if name in (folded(column.name) for column in columns) else set()
        match source:
            case exp.Table() if id(source) in self._tables:
                column = self._tables[id(source)].find(name)
                return {_stored(column.type)} if column else set()
            case exp.Table() if (common := _common(source)) is not None:
                return self._output(common, name)
            case exp.Subquery():
                return self._output(source.this, name)
        return {None}

    def _output(self, query: exp.Expr, name: str) -> set[ValueType | None]:
        if not isinstance(query, exp.Select):
            return {None}
        if (id(query), name) in self._outputs:
            return self._outputs[id(query), name]
        found = self._outputs.setdefault((id(query), name), set())
        for part in query.expressions:
            if part.is_star:
                for source in _sources(query):
                    found |= self._field(source, name)
            elif folded(part.alias_or_name) == name:
                found.add(self.of(part))
        return found


def combined(node: exp.Expr, left: ValueType | None, right: ValueType | None) -> ValueType | None:
    """The type of a sum, difference, product or remainder in Spark, before it is reduced to the maximum digits."""
    if left is None or right is None or not (left.numeric and right.numeric):
        return None
    if not (left.exact and right.exact):
        return SINGLE if left == right == SINGLE else DOUBLE
    if isinstance(node, exp.Mul):
        return _number(left.digits + right.digits + 1, left.scale + right.scale, (left, right))
    scale = max(left.scale, right.scale)
    return _number(max(left.digits - left.scale, right.digits - right.scale) + scale + 1, scale, (left, right))


def _number(digits: int, scale: int, kinds: Iterable[ValueType]) -> ValueType:
    return WHOLE if all(kind.name == "whole" for kind in kinds) else ValueType("decimal", digits, scale)


def _literal(node: exp.Literal) -> ValueType:
    if node.is_string:
        return TEXT
    text = node.name.lower()
    if "e" in text:
        return DOUBLE
    return (
        ValueType("decimal", len(text) - 1, len(text.partition(".")[2]))
        if "." in text
        else ValueType("whole", len(text))
    )


def _stored(type_name: str) -> ValueType | None:
    if parts := decimal_parts(type_name):
        return ValueType("decimal", *parts)
    if type_name in INTEGERS:
        return ValueType("whole", _DIGITS.get(type_name, WHOLE.digits))
    if type_name in TIMESTAMPS:
        return MOMENT
    return {"varchar": TEXT, "date": DATE, "boolean": BOOLEAN, "float32": SINGLE, "float64": DOUBLE}.get(type_name)


def _summed(kind: ValueType | None) -> ValueType | None:
    if kind is None or not kind.numeric:
        return None
    if kind.name == "decimal":
        return ValueType("decimal", min(kind.digits + 10, MOST_DIGITS), kind.scale)
    return WHOLE if kind.exact else DOUBLE


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    """The sources in FROM and its joins."""
    from_ = select.args.get("from_")
    todo = [from_.this] if from_ is not None else []
    todo += [join.this for join in select.args.get("joins") or ()]
    for source in todo:
        yield source
        for join in source.args.get("joins") or ():
            yield join.this


def _common(table: exp.Table) -> exp.Expr | None:
    """The query of the common table expression that a name in FROM refers to."""
    node: exp.Expr | None = table
    inside: exp.Expr | None = None
    while node is not None:
        with_ = node.args.get("with_")
        visible: list[exp.CTE] = with_.expressions if with_ is not None else []
        for place, cte in enumerate(visible):
            if cte is inside:
                visible = visible[:place]
        for cte in reversed(visible):
            if folded(cte.alias) == folded(table.name):
                plain = not (cte.parent and cte.parent.args.get("recursive")) and not cte.args["alias"].args.get(
                    "columns"
                )
                return cte.this if plain else None
        if isinstance(node, exp.CTE):
            inside = node
        node = node.parent
    return None


def _is_output(select: exp.Select, name: str) -> bool:
    return any(isinstance(part, exp.Alias) and folded(part.alias) == name for part in select.expressions)


def _is_within_outputs(select: exp.Select, node: exp.Expr) -> bool:
    while node.parent is not None and node.parent is not select:
        node = node.parent
    return node.arg_key == "expressions"
