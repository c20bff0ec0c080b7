"""Random queries that mean the same in Spark and in DuckDB, over relations of few values and many NULLs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

# Columns of a relation: its name and what it holds: n whole numbers, d decimals, s text, f floats.
Columns = tuple[tuple[str, str], ...]

COLUMNS: Columns = (("id", "n"), ("k", "n"), ("v", "n"), ("d", "d"), ("s", "s"))
TABLES: Mapping[str, Columns] = {"t0": COLUMNS, "t1": COLUMNS, "t2": COLUMNS}
SCHEMA = "id INTEGER, k INTEGER, v INTEGER, d DECIMAL(6,2), s VARCHAR"
LITERALS: Mapping[str, tuple[str, ...]] = {
    "n": ("0", "1", "2", "3"),
    "d": ("0.00", "0.50", "1.25", "-2.75"),
    "s": ("'a'", "'b'", "'C'", "''"),
    "f": ("0.5", "1.5"),
}
CONSTANTS = {"n": "CAST(1 AS INTEGER)", "d": "CAST(1.25 AS DECIMAL(6,2))", "s": "CAST('a' AS STRING)"}
JOINS = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "CROSS JOIN")


@dataclass(frozen=True)
class Query:
    """A query, its columns, and whether it has one answer only, so that DuckDB's can be compared with it."""

    text: str
    columns: Columns
    certain: bool = True

    def for_duckdb(self) -> str:
        return self.text.replace("LEFT SEMI JOIN", "SEMI JOIN").replace("LEFT ANTI JOIN", "ANTI JOIN")


@dataclass(frozen=True)
class _Scope:
    """What a FROM clause offers: its text, and columns by the names that they have in expressions."""

    text: str
    columns: Columns
    certain: bool = True

    def of(self, kinds: str) -> tuple[str, ...]:
        return tuple(name for name, kind in self.columns if kind in kinds)


class Writer:
    """Writes queries over some relations."""

    def __init__(self, random: Random, relations: Mapping[str, Columns]) -> None:
        self._random = random
        self._relations = relations
        self._aliases = 0
        self._ctes: dict[str, Query] = {}

    @property
    def forms(self) -> tuple[Callable[[int], Query], ...]:
        """The kinds of queries, by what is at their top."""
        return (
            self.rows,
            self.grouped,
            self.joined,
            self.numbered,
            self.first,
            self.set_operation,
            self.total,
            self.distinct,
            self.filtered_groups,
            self.in_union,
            self.grouping_sets,
        )

    def query(self, form: int) -> Query:
        """A query of that form, maybe with a WITH clause."""
        if self._random.random() < 0.3:
            self._ctes["w"] = self._any(0)
        written = self.forms[form % len(self.forms)](1)
        if "w" not in self._ctes or " w " not in written.text:
            return written
        inner = self._ctes["w"]
        return Query(f"WITH w AS ({inner.text}) {written.text}", written.columns, written.certain and inner.certain)

    # Forms

    def rows(self, depth: int) -> Query:
        return self._select(self._source(depth), depth)

    def joined(self, depth: int) -> Query:
        return self._select(self._join(self._join(self._source(depth), depth), 0), depth)

    def grouped(self, depth: int) -> Query:
        scope = self._any_source(depth)
        keys = self._keys(scope)
        return self._grouping(scope, keys, self._where(scope, depth), f"GROUP BY {', '.join(keys)}" if keys else "")

    def total(self, depth: int) -> Query:
        scope = self._any_source(depth)
        return self._grouping(scope, [], self._where(scope, depth), "")

    def filtered_groups(self, depth: int) -> Query:
        scope = self._any_source(depth)
        keys = self._keys(scope)
        having = self._random.choice(("count(*) > 1", f"max({self._one(scope, 'n')}) >= 2", "count(*) <= 2"))
        by = f"GROUP BY {', '.join(keys)} HAVING {having}"
        return self._grouping(scope, keys, self._where(scope, depth), by)

    def grouping_sets(self, depth: int) -> Query:
        scope = self._any_source(depth)
        keys = self._keys(scope)
        kind = self._random.choice(("ROLLUP", "CUBE"))
        # Over no rows Spark has no row for the total, DuckDB one.
        found = self._grouping(scope, keys, "", f"GROUP BY {kind} ({', '.join(keys)})")
        return Query(found.text, found.columns, False)

    def distinct(self, depth: int) -> Query:
        found = self._select(self._any_source(depth), depth)
        return Query(found.text.replace("SELECT", "SELECT DISTINCT", 1), found.columns, found.certain)

    def numbered(self, depth: int) -> Query:
        scope = self._any_source(depth)
        partition = self._keys(scope)
        parts = f"PARTITION BY {', '.join(partition)} " if partition and self._random.random() < 0.8 else ""
        order, certain = self._order(scope)
        one = self._one(scope, "nd")
        calls = [
            (f"row_number() OVER ({parts}ORDER BY {order})", "n", certain),
            (f"rank() OVER ({parts}ORDER BY {self._ordered(one)})", "n", True),
            (f"dense_rank() OVER ({parts}ORDER BY {self._ordered(one)})", "n", True),
            (f"sum({one}) OVER ({parts.strip()})", "d", True),
            (f"count(*) OVER ({parts}ORDER BY {self._ordered(one)})", "n", True),
            (f"sum({one}) OVER ({parts}ORDER BY {order} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", "d", certain),
            (f"lag({one}) OVER ({parts}ORDER BY {order})", "d", certain),
            (f"max({one}) OVER ({parts.strip()})", "d", True),
        ]
        call, kind, sure = self._random.choice(calls)
        # A certain number of a row needs the whole row to be shown.
        shown = [name for name, _ in scope.columns]
        items = [*((name, kind) for name, kind in scope.columns if name in shown), (call, kind)]
        where = self._where(scope, depth)
        if self._random.random() < 0.4:
            number, sure, kind = f"row_number() OVER ({parts}ORDER BY {order})", certain, "n"
            text = self._written(
                items[:-1], f"{scope.text}{where} QUALIFY {number} <= {self._random.choice((1, 1, 2))}"
            )
            return Query(text, self._named(items[:-1]), scope.certain and sure)
        return Query(self._written(items, f"{scope.text}{where}"), self._named(items), scope.certain and sure)

    def first(self, depth: int) -> Query:
        scope = self._relation() if self._random.random() < 0.5 else self._any_source(depth)
        items = list(scope.columns)
        # By output names: Spark takes others for columns that are not shown, and such a query is not followed.
        order, certain = self._order(_Scope("", self._named(items)))
        offset = self._random.choice(("", "", " OFFSET 1"))
        text = f"{scope.text}{self._where(scope, depth)} ORDER BY {order} LIMIT {self._random.randint(1, 5)}{offset}"
        return Query(self._written(items, text), self._named(items), scope.certain and certain)

    def set_operation(self, depth: int) -> Query:
        kinds = self._random.choice((("n", "n"), ("n", "s"), ("n", "d"), ("n",)))
        sides = [self._of_kinds(kinds, depth) for _ in range(2)]
        operator = self._random.choice(
            ("INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL", "EXCEPT", "EXCEPT ALL", "UNION")
        )
        text = f"({sides[0].text}) {operator} ({sides[1].text})"
        return Query(text, sides[0].columns, all(side.certain for side in sides))

    def in_union(self, depth: int) -> Query:
        kinds = self._random.choice((("n", "n", "s"), ("n", "d")))
        sides = [self._of_kinds(kinds, depth) for _ in range(self._random.randint(2, 3))]
        text = " UNION ALL ".join(f"({side.text})" for side in sides)
        return Query(text, sides[0].columns, all(side.certain for side in sides))

    # Parts

    def _any(self, depth: int) -> Query:
        simple = (self.rows, self.rows, self.grouped, self.distinct, self.joined, self.in_union)
        found = self._random.choice(simple)(depth)
        return found

    def _select(self, scope: _Scope, depth: int) -> Query:
        items = [self._item(scope, depth) for _ in range(self._random.randint(2, 4))]
        certain = scope.certain
        return Query(self._written(items, f"{scope.text}{self._where(scope, depth)}"), self._named(items), certain)

    def _of_kinds(self, kinds: Sequence[str], depth: int) -> Query:
        scope = self._any_source(depth)
        items = [(self._one(scope, kind), kind) for kind in kinds]
        return Query(
            self._written(items, f"{scope.text}{self._where(scope, depth)}"), self._named(items), scope.certain
        )

    def _grouping(self, scope: _Scope, keys: Sequence[str], where: str, by: str) -> Query:
        kinds = dict(scope.columns)
        items = [(key, kinds.get(key, "n")) for key in keys]
        items += [self._aggregate(scope) for _ in range(self._random.randint(1, 3))]
        return Query(self._written(items, f"{scope.text}{where} {by}".rstrip()), self._named(items), scope.certain)

    def _aggregate(self, scope: _Scope) -> tuple[str, str]:
        number, any_one = self._one(scope, "nd"), self._one(scope, "nds")
        kinds = {constant: kind for kind, constant in CONSTANTS.items()} | dict(scope.columns)
        return self._random.choice(
            (
                ("count(*)", "n"),
                (f"count({any_one})", "n"),
                (f"sum({number})", kinds[number]),
                (f"sum({number})", kinds[number]),
                (f"avg({number})", "f"),
                (f"min({any_one})", kinds[any_one]),
                (f"max({any_one})", kinds[any_one]),
                (f"count(DISTINCT {any_one})", "n"),
                (f"sum({number}) FILTER (WHERE {self._predicate(scope)})", kinds[number]),
                (f"sum(coalesce({number}, 1))", kinds[number]),
            )
        )

    def _any_source(self, depth: int) -> _Scope:
        scope = self._source(depth)
        return self._join(scope, 0) if self._random.random() < 0.4 else scope

    def _source(self, depth: int) -> _Scope:
        alias = self._alias()
        if "w" in self._ctes and self._random.random() < 0.5:
            found = self._ctes["w"]
            return _Scope(f"w {alias}", _of(alias, found.columns), found.certain)
        if depth > 0 and self._random.random() < 0.35:
            found = self._any(depth - 1)
            return _Scope(f"({found.text}) {alias}", _of(alias, found.columns), found.certain)
        return self._relation()

    def _relation(self) -> _Scope:
        alias, name = self._alias(), self._random.choice(list(self._relations))
        return _Scope(f"{name} {alias}", _of(alias, self._relations[name]))

    def _join(self, left: _Scope, depth: int) -> _Scope:
        right = self._source(depth)
        kind = self._random.choice(JOINS)
        both = _Scope("", (*left.columns, *right.columns))
        certain = left.certain and right.certain
        if kind == "CROSS JOIN":
            # Cross joins of many rows are slow and tell nothing more.
            right = _Scope(f"(SELECT * FROM {right.text} WHERE {self._equal(right, right)}) {self._alias()}", ())
            return _Scope(f"{left.text} CROSS JOIN {right.text}", left.columns, certain)
        predicate = self._equal(left, right)
        if self._random.random() < 0.3:
            predicate += f" AND {self._predicate(both)}"
        columns = left.columns if "SEMI" in kind or "ANTI" in kind else both.columns
        return _Scope(f"{left.text} {kind} {right.text} ON {predicate}", columns, certain)

    def _equal(self, left: _Scope, right: _Scope) -> str:
        pairs = [(one, other) for kind in "nds" for one in left.of(kind) for other in right.of(kind)]
        one, other = self._random.choice(pairs or [("1", "1")])
        operator = self._random.choice(("=", "=", "=", "IS NOT DISTINCT FROM", "<"))
        return f"{one} {operator} {other}"

    def _where(self, scope: _Scope, depth: int) -> str:
        found = [self._predicate(scope) for _ in range(self._random.choice((0, 0, 1, 1, 2)))]
        if depth > 0 and self._random.random() < 0.35:
            found.append(self._subquery(scope))
        return f" WHERE {' AND '.join(found)}" if found else ""

    def _predicate(self, scope: _Scope) -> str:
        one = self._random.choice(scope.columns)
        name, kind = one
        value = self._random.choice(LITERALS[kind])
        same = self._random.choice(scope.of(kind))
        return self._random.choice(
            (
                f"{name} = {value}",
                f"{name} > {value}",
                f"{name} <= {value}",
                f"{name} <> {same}",
                f"{name} IS NULL",
                f"{name} IS NOT NULL",
                f"({name} = {value} OR {same} IS NULL)",
                f"({name} > {value} OR {name} IS NULL)",
                f"{name} IN ({', '.join(self._random.sample(LITERALS[kind], 2))})",
                f"NOT ({name} = {value})",
                f"coalesce({name}, {value}) >= {value}",
            )
        )

    def _subquery(self, scope: _Scope) -> str:
        """A condition on another relation."""
        relation, alias = self._random.choice(list(self._relations)), self._alias()
        inner = _Scope(f"{relation} {alias}", _of(alias, self._relations[relation]))
        kind = next(kind for kind in "nds" if scope.of(kind) and inner.of(kind))
        one, other = self._one(scope, kind), self._one(inner, kind)
        more = f" AND {self._predicate(inner)}" if self._random.random() < 0.4 else ""
        plain = f" WHERE {self._predicate(inner)}" if self._random.random() < 0.6 else ""
        return self._random.choice(
            (
                f"EXISTS (SELECT 1 FROM {inner.text} WHERE {other} = {one}{more})",
                f"NOT EXISTS (SELECT 1 FROM {inner.text} WHERE {other} = {one}{more})",
                f"{one} IN (SELECT {other} FROM {inner.text}{plain})",
                f"{one} NOT IN (SELECT {other} FROM {inner.text}{plain})",
                f"{one} >= (SELECT min({other}) FROM {inner.text}{plain})",
                f"({one} IS NULL OR EXISTS (SELECT 1 FROM {inner.text} WHERE {other} = {one}))",
            )
        )

    def _item(self, scope: _Scope, depth: int) -> tuple[str, str]:
        name, kind = self._random.choice(scope.columns)
        value = self._random.choice(LITERALS[kind])
        choices = [(name, kind)] * 4 + [
            (f"coalesce({name}, {value})", kind),
            (f"CASE WHEN {self._predicate(scope)} THEN {name} ELSE {value} END", kind),
            (f"nullif({name}, {value})", kind),
        ]
        if kind == "n":
            choices.append((f"{name} + {value}", kind))
        if kind == "s":
            choices.append((f"upper({name})", kind))
        if depth > 0 and self._random.random() < 0.15:
            return self._scalar(scope)
        return self._random.choice(choices)

    def _scalar(self, scope: _Scope) -> tuple[str, str]:
        relation, alias = self._random.choice(list(self._relations)), self._alias()
        inner = _Scope(f"{relation} {alias}", _of(alias, self._relations[relation]))
        kind = next(kind for kind in "nds" if scope.of(kind) and inner.of(kind))
        one, other, value = self._one(scope, kind), self._one(inner, kind), self._one(inner, "nd")
        tied = f" WHERE {other} = {one}" if self._random.random() < 0.7 else ""
        found = dict(inner.columns)[value]
        # A count is left out: Spark fails where it is of the column that ties the subquery.
        return f"(SELECT {self._random.choice(('min', 'max'))}({value}) FROM {inner.text}{tied})", found

    def _keys(self, scope: _Scope) -> list[str]:
        names = scope.of("ns") or scope.of("nsdf")
        return self._random.sample(names, min(self._random.randint(1, 2), len(names)))

    def _one(self, scope: _Scope, kinds: str) -> str:
        """A column of one of these kinds, or a constant where there is none."""
        return self._random.choice(scope.of(kinds) or (CONSTANTS[kinds[0]],))

    def _order(self, scope: _Scope) -> tuple[str, bool]:
        """An order, and whether it tells all rows apart that are not copies of each other."""
        names = [name for name, _ in scope.columns]
        self._random.shuffle(names)
        total = self._random.random() < 0.7
        return ", ".join(self._ordered(name) for name in (names if total else names[:1])), total

    def _ordered(self, name: str) -> str:
        return f"{name} {self._random.choice(('ASC', 'DESC'))} NULLS {self._random.choice(('FIRST', 'LAST'))}"

    def _alias(self) -> str:
        self._aliases += 1
        return f"a{self._aliases}"

    @staticmethod
    def _named(items: Sequence[tuple[str, str]]) -> Columns:
        return tuple((f"c{place}", kind) for place, (_, kind) in enumerate(items))

    def _written(self, items: Sequence[tuple[str, str]], rest: str) -> str:
        listed = ", ".join(f"{text} AS c{place}" for place, (text, _) in enumerate(items))
        return f"SELECT {listed} FROM {rest}"


def _of(alias: str, columns: Columns) -> Columns:
    return tuple((f"{alias}.{name}", kind) for name, kind in columns)


class Rows:
    """Writes statements that change the base tables."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._next = 0

    def insert(self, table: str, count: int) -> str:
        made = []
        for _ in range(count):
            self._next += 1
            made.append(self._row(self._next))
        made += self._random.sample(made, self._random.randint(0, min(2, count)))
        return f"INSERT INTO {table} VALUES {', '.join(made)}"

    def inserts(self) -> list[str]:
        """Rows that only come."""
        return [self.insert(table, self._random.randint(1, 3)) for table in self._some()]

    def changes(self) -> list[str]:
        """Rows that come, change and go, some of them all of that."""
        found = []
        for table in self._some():
            for _ in range(self._random.randint(1, 3)):
                some = f"id % {self._random.randint(4, 9)} = {self._random.randrange(4)}"
                found.append(
                    self._random.choice(
                        (
                            self.insert(table, self._random.randint(1, 3)),
                            f"INSERT INTO {table} SELECT * FROM {table} WHERE {some}",
                            f"UPDATE {table} SET k = {self._value('n')} WHERE {some}",
                            f"UPDATE {table} SET v = {self._value('n')}, s = {self._value('s')} WHERE {some}",
                            f"UPDATE {table} SET d = {self._value('d')} WHERE k = {self._random.randrange(4)}",
                            f"UPDATE {table} SET id = id WHERE {some}",
                            f"DELETE FROM {table} WHERE {some}",
                            f"DELETE FROM {table} WHERE k IS NULL AND {some}",
                        )
                    )
                )
        if self._random.random() < 0.1:
            found.append(f"DELETE FROM {self._random.choice(list(TABLES))} WHERE v IS NOT NULL OR k IS NOT NULL")
        return found

    def _some(self) -> list[str]:
        """A table stays as it is now and then."""
        return self._random.sample(list(TABLES), self._random.choice((2, 2, 3)))

    def _row(self, id: int) -> str:
        return f"({id}, {', '.join(self._value(kind) for kind in 'nnds')})"

    def _value(self, kind: str) -> str:
        return "NULL" if self._random.random() < 0.25 else self._random.choice(LITERALS[kind])
