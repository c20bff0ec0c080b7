"""Decide whether a plan can be refreshed incrementally with an exact result, and if not, which part prevents it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.delta import deterministic_functions as f
from headwater.delta.top_operator import core_of, path_to
from headwater.plan.clock_markers import CLOCK
from headwater.plan.nodes import Aggregate, Filter, Node, Window, expressions, walk
from headwater.plan.not_planned import line_of, text_of
from headwater.sql.cursor import short

_FLOATS = frozenset({"float32", "float64"})
_WHOLE = frozenset({"int8", "int16", "int32", "int64"})


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a query is refreshed in full, and the part of it that causes that."""

    reason: str
    sql: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = f" at line {self.line} of the query" if self.line else ""
        return f"{self.reason}{where}" + (f": {self.sql}" if self.sql else "")


def judge(root: Node, types: Mapping[str, str]) -> Blocked | None:
    """Why a plan can't be refreshed incrementally, if so; `types` are the DuckLake types of its columns."""
    for node in walk(root):
        match node:
            case Aggregate():
                found = next(_of_aggregate(node, root, types), None)
            case Window():
                found = next(_of_window(node, root, types), None)
            case _:
                found = None
        for expression in expressions(node):
            grouped, filtering = isinstance(node, Aggregate | Window), isinstance(node, Filter)
            found = found or next(_of_functions(expression, grouped, filtering), None)
        if found is not None:
            return found
    return None


def _blocked(reason: str, fragment: exp.Expr) -> Blocked:
    return Blocked(reason, short(text_of(fragment)), line_of(fragment))


def _name(function: exp.Expr) -> str:
    """The function's name in Spark."""
    return function.sql("spark").partition("(")[0].lower()


def _of_functions(expression: exp.Expr, grouped: bool, filtering: bool) -> Iterator[Blocked]:
    for part in expression.walk():
        if isinstance(part, exp.Query):
            yield _blocked("a subquery that can't be written as a join", part)
        elif isinstance(part, exp.Anonymous):
            name = part.name.lower()
            if name.startswith(CLOCK):
                if not filtering:
                    yield Blocked("a clock function is used outside of WHERE and HAVING")
            elif name not in f.NAMED and not (grouped and name in f.EXACT_NAMED):
                yield _blocked(f"{name}() is not known to be deterministic", part)
        elif isinstance(part, exp.AggFunc | exp.RowNumber):
            if not grouped:
                yield _blocked("an aggregate in an unexpected place", part)
        elif isinstance(part, exp.Func) and type(part).__name__ not in f.SCALAR:
            yield _blocked(f"{_name(part)}() is not known to be deterministic", part)


def _of_aggregate(node: Aggregate, root: Node, types: Mapping[str, str]) -> Iterator[Blocked]:
    for _, item in node.items:
        for function in item.find_all(exp.AggFunc, exp.Anonymous):
            if isinstance(function, f.FLOATING) or _adds_floats(function, types):
                yield from _unless_shown(node, root, function)
            elif not isinstance(function, (*f.EXACT, *f.EXTREMES, *f.SUMS, *f.SORTED, exp.Anonymous)):
                yield _blocked(f"{_name(function)}() may depend on the order of rows", function)


def _of_window(node: Window, root: Node, types: Mapping[str, str]) -> Iterator[Blocked]:
    for _, item in node.items:
        function = item.this
        while isinstance(function, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
            function = function.this
        if isinstance(function, f.FLOATING) or _adds_floats(function, types):
            yield from _unless_shown(node, root, item)
        elif isinstance(function, exp.LastValue | exp.NthValue) and not _frame_is_told(item):
            yield _blocked("the last of several rows that are equal in ORDER BY is not deterministic", item)
        elif not isinstance(function, (*f.RANKS, *f.PICKS, *f.EXACT, *f.EXTREMES, *f.SUMS)):
            yield _blocked("a window function may depend on the order of equal rows", item)


def _adds_floats(function: exp.Expr, types: Mapping[str, str]) -> bool:
    """Whether an aggregate adds floats, so that its last digits depend on the order of rows."""
    if not isinstance(function, f.SUMS):
        return False
    read = {types.get(found.name, "float64") for found in function.find_all(exp.Column)}
    # Constants and CASE preserve the type of their other operands, or change it to a float.
    return bool(read & _FLOATS) or (isinstance(function, exp.Avg) and bool(read & _WHOLE))


def _unless_shown(node: Node, root: Node, function: exp.Expr) -> Iterator[Blocked]:
    """Blocks such a value unless the query only selects it."""
    core = core_of(root)
    if node is not core or any(isinstance(above, Filter) for above in path_to(root, core)):
        yield _blocked("the last digits of a float aggregate depend on the order of rows", function)


def _frame_is_told(window: exp.Expr) -> bool:
    spec = window.args.get("spec")
    return spec is not None and ((spec.args.get("kind") or "").upper() == "ROWS" or spec.args.get("end") == "UNBOUNDED")
