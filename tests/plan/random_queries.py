"""Queries put together at random, three levels deep, over the tables of `tests.plan.queries`."""

from __future__ import annotations

from random import Random

_TABLES = {"a": ("id", "k", "v"), "b": ("id", "k", "v"), "c": ("id", "k", "w"), "empty": ("id", "k", "v")}
_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")
_SETS = ("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
_VALUES = ("count(*)", "sum({})", "max({})", "min({}) + 1", "count({}) * 2", "coalesce(sum({}), 0)")
_AGGREGATES = ("count(*)", "sum({})", "max({})", "count(DISTINCT {})", "min({}) + count(*)")
_WINDOWS = (
    "rank() OVER (PARTITION BY {} ORDER BY {})",
    "sum({}) OVER (PARTITION BY {})",
    "count(*) OVER (PARTITION BY {}, {})",
    "max({}) OVER (ORDER BY {})",
)

Sources = list[tuple[str, tuple[str, ...]]]


class RandomQueries:
    """Makes queries; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._aliases = 0

    def query(self, depth: int = 3) -> str:
        return self._query(depth)[0]

    def _query(self, depth: int) -> tuple[str, tuple[str, ...]]:
        if depth > 0 and self._chance(0.15):
            (left, names), (right, _) = self._select(depth - 1, 2), self._select(depth - 1, 2)
            return f"({left}) {self._random.choice(_SETS)} ({right})", names
        return self._select(depth, self._random.choice((1, 2, 3)))

    def _select(self, depth: int, width: int) -> tuple[str, tuple[str, ...]]:
        source, columns = self._source(depth)
        names = tuple(f"x{place}" for place in range(width))
        rest = f" FROM {source}" + (f" WHERE {self._predicate(columns, depth)}" if self._chance(0.5) else "")
        shape = self._random.choice(("plain", "plain", "grouped", "grouped", "windowed"))
        if shape == "plain":
            items = [self._value(columns, depth) for _ in names]
            if self._chance(0.15):
                rest += f" ORDER BY {', '.join(name + self._random.choice(('', ' DESC')) for name in names)} LIMIT 2"
            return f"SELECT {self._random.choice(('', 'DISTINCT '))}{_items(items, names)}{rest}", names
        if shape == "grouped":
            keys = [self._simple(columns) for _ in range(self._random.choice((0, 1, 1, 2)))][: width - 1]
            calls = [self._random.choice(_AGGREGATES).format(self._value(columns, 0)) for _ in range(width - len(keys))]
            if keys:
                rest += f" GROUP BY {', '.join(keys)}"
                rest += f" HAVING max({self._column(columns)}) > (SELECT min(k) FROM c)" if self._chance(0.3) else ""
            return f"SELECT {_items([*keys, *calls], names)}{rest}", names
        window = self._random.choice(_WINDOWS).format(self._value(columns, 0), self._column(columns))
        items = [*(self._value(columns, 0) for _ in names[1:]), window]
        if self._chance(0.3):
            rest += f" QUALIFY rank() OVER (PARTITION BY {self._column(columns)} ORDER BY {self._column(columns)}) = 1"
        return f"SELECT {_items(items, names)}{rest}", names

    def _source(self, depth: int, *, single: bool = False) -> tuple[str, Sources]:
        if depth <= 0 or self._chance(0.5):
            table, alias = self._random.choice(tuple(_TABLES)), self._alias()
            return f"{table} {alias}", [(alias, _TABLES[table])]
        if single or self._chance(0.5):
            (text, names), alias = self._query(depth - 1), self._alias()
            return f"({text}) {alias}", [(alias, names)]
        (left, before), (right, after) = self._source(depth - 1), self._source(depth - 1, single=True)
        join = self._random.choice(_JOINS)
        if join == "CROSS JOIN":
            return f"{left} {join} {right}", before + after
        on = f"{self._column(before)} {self._random.choice('==<')} {self._column(after)}"
        on += f" AND {self._predicate(before + after, 0)}" if self._chance(0.3) else ""
        kept = before if "SEMI" in join or "ANTI" in join else before + after
        return f"{left} {join} {right} ON {on}", kept

    def _predicate(self, columns: Sources, depth: int) -> str:
        kinds = ("compare", "compare", "null", "or", "and", "not", "exists", "in", "scalar")
        match self._random.choice(kinds) if depth > 0 else "compare":
            case "null":
                return f"{self._column(columns)} IS {self._random.choice(('', 'NOT '))}NULL"
            case "or" | "and" as word:
                return f"({self._predicate(columns, depth - 1)} {word} {self._predicate(columns, depth - 1)})"
            case "not":
                return f"NOT ({self._predicate(columns, depth - 1)})"
            case "exists":
                return f"{self._maybe_not()}EXISTS (SELECT 1{self._tied(columns, depth - 1)[0]})"
            case "in":
                rest, inner = self._tied(columns, depth - 1)
                return f"{self._simple(columns)} {self._maybe_not()}IN (SELECT {self._value(inner, 0)}{rest})"
            case "scalar":
                return f"{self._value(columns, depth - 1)} > {self._scalar(columns, depth - 1)}"
            case _:
                sign = self._random.choice(("=", "<", ">", "<>", "<="))
                return f"{self._value(columns, 0)} {sign} {self._value(columns, 0)}"

    def _tied(self, columns: Sources, depth: int) -> tuple[str, Sources]:
        """FROM and WHERE of a subquery that may depend on the query around it."""
        source, inner = self._source(depth, single=True)
        tests = []
        if self._chance(0.7):
            tests.append(f"{self._column(inner)} {self._random.choice('===<')} {self._simple(columns)}")
        if self._chance(0.4):
            tests.append(self._predicate(inner, depth))
        return f" FROM {source}" + (f" WHERE {' AND '.join(tests)}" if tests else ""), inner

    def _scalar(self, columns: Sources, depth: int) -> str:
        rest, inner = self._tied(columns, depth)
        return f"(SELECT {self._random.choice(_VALUES).format(self._column(inner))}{rest})"

    def _value(self, columns: Sources, depth: int) -> str:
        kinds = ("column", "column", "column", "constant", "sum", "coalesce", "case", "scalar")
        match self._random.choice(kinds):
            case "constant":
                return self._random.choice(("0", "1", "2", "NULL"))
            case "sum":
                return f"({self._value(columns, depth)} + {self._value(columns, depth)})"
            case "coalesce":
                return f"coalesce({self._value(columns, depth)}, 1)"
            case "case":
                test = self._predicate(columns, depth - 1)
                return f"CASE WHEN {test} THEN {self._column(columns)} ELSE {self._value(columns, depth)} END"
            case "scalar" if depth > 0:
                return self._scalar(columns, depth - 1)
            case _:
                return self._column(columns)

    def _simple(self, columns: Sources) -> str:
        return self._column(columns) if self._chance(0.7) else f"{self._column(columns)} + 1"

    def _column(self, columns: Sources) -> str:
        alias, names = self._random.choice(columns)
        return f"{alias}.{self._random.choice(names)}"

    def _maybe_not(self) -> str:
        return self._random.choice(("", "NOT "))

    def _alias(self) -> str:
        self._aliases += 1
        return f"q{self._aliases}"

    def _chance(self, of: float) -> bool:
        return self._random.random() < of


def _items(items: list[str], names: tuple[str, ...]) -> str:
    return ", ".join(f"{item} AS {name}" for item, name in zip(items, names, strict=True))
