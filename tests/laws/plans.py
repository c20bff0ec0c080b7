"""Random plans over three small tables of integers, and random changes of their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from sqlglot import exp

from headwater.plan.clock_markers import CLOCK
from headwater.plan.naming import Names
from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Explode,
    Filter,
    Item,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    SetKind,
    SetOperation,
    TopN,
    UnionAll,
    Values,
    Window,
    column,
)

TABLES = {"t1": ("a", "b"), "t2": ("a", "c"), "t3": ("b", "c", "d")}
Row = tuple[int | None, ...]
# Rows by their ids.
Held = dict[int, Row]


class Gardener:
    """Grows plans; every column is an integer or NULL."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = Names()

    def plan(self, depth: int) -> Node:
        """A plan with at most so many operators above each other."""
        if depth == 0 or self._random.random() < 0.05:
            return self.scan() if self._random.random() < 0.97 else self.values()
        return self._random.choice(self.operators)(depth - 1)

    def crowned(self, depth: int) -> Node:
        """A plan with at its top what has a fast path of its own, most often over a join whose sides may both change."""
        luck = self._random.random()
        joined = self.join(depth - 1) if luck < 0.2 else None
        below = self.join(depth - 1, joined) if luck < 0.7 else self.plan(depth - 1)
        names = below.columns
        one = column(self._random.choice(names))
        match self._random.randrange(3):
            case 0:
                keys = tuple(self._random.sample(names, min(self._random.randint(1, 2), len(names))))
                extreme = self._random.choice((exp.Min, exp.Max))(this=one)
                mean = (self._names.fresh("g"), exp.Avg(this=column(self._random.choice(names))))
                more = mean if self._random.random() < 0.5 else self._aggregated(names)
                return Aggregate(below, keys, ((self._names.fresh("g"), extreme), more))
            case 1:
                return TopN(below, tuple(self._order(names).expressions), self._random.randint(1, 4))
            case _:
                return self._latest(below)

    def _latest(self, below: Node) -> Project:
        """The first row of each partition, by an order that may leave ties; now and then only if it meets a condition."""
        partition = tuple(self._random.sample(below.columns, min(self._random.randint(1, 2), len(below.columns))))
        order = self._order(self._random.sample(below.columns, self._random.randint(1, len(below.columns))))
        parts = [column(name) for name in partition]
        number = self._names.fresh("rn")
        numbered = Window(
            below, partition, ((number, exp.Window(this=exp.RowNumber(), partition_by=parts, order=order)),)
        )
        first: exp.Expr = exp.EQ(this=column(number), expression=exp.Literal.number(1))
        if self._random.random() < 0.2:
            first = exp.and_(first, self._predicate(below.columns, below.columns))
        shown = self._random.sample(below.columns, self._random.randint(1, len(below.columns)))
        return Project(Filter(numbered, first), tuple((self._names.fresh("f"), column(name)) for name in shown))

    @property
    def operators(self) -> tuple[Callable[[int], Node], ...]:
        return (
            self.project,
            self.filter,
            self.having,
            self.join,
            self.join,
            self.join,
            self.union,
            self.set_operation,
            self.aggregate,
            self.aggregate,
            self.distinct,
            self.expand,
            self.window,
            self.top_n,
            self.explode,
        )

    def scan(self) -> Scan:
        table = self._random.choice(list(TABLES))
        return Scan(table, tuple((self._names.fresh(name), name) for name in TABLES[table]))

    def values(self) -> Values:
        names = tuple(self._names.fresh("v") for _ in range(2))
        rows = tuple(tuple(self._literal() for _ in names) for _ in range(self._random.randint(1, 3)))
        return Values(names, rows)

    def project(self, depth: int) -> Project:
        below = self.plan(depth)
        items = [(self._names.fresh("p"), self._expression(below.columns)) for _ in range(self._random.randint(1, 3))]
        return Project(below, tuple(items))

    def filter(self, depth: int) -> Filter:
        below = self.plan(depth)
        if self._random.random() < 0.3:
            now = exp.Anonymous(this=f"{CLOCK}seconds")
            return Filter(below, exp.LT(this=column(self._random.choice(below.columns)), expression=now))
        return Filter(below, self._predicate(below.columns, below.columns))

    def having(self, depth: int) -> Filter:
        below = self.aggregate(depth)
        return Filter(below, self._predicate(below.columns, below.columns))

    def join(self, depth: int, left: Node | None = None) -> Join:
        left, right = left or self.plan(depth), self.plan(depth)
        kind = self._random.choice(list(JoinKind))
        if self._random.random() < 0.05:
            return Join(kind, left, right)
        predicate = self._predicate(left.columns, right.columns)
        if self._random.random() < 0.4:
            predicate = exp.and_(predicate, self._predicate(left.columns, right.columns))
        return Join(kind, left, right, predicate)

    def union(self, depth: int) -> UnionAll:
        branches = [self.plan(depth) for _ in range(self._random.randint(2, 3))]
        width = min(len(branch.columns) for branch in branches)
        names = tuple(self._names.fresh("u") for _ in range(width))
        return UnionAll(tuple(self._narrowed(branch, width) for branch in branches), names)

    def set_operation(self, depth: int) -> SetOperation:
        left, right = self.plan(depth), self.plan(depth)
        width = min(len(left.columns), len(right.columns))
        names = tuple(self._names.fresh("s") for _ in range(width))
        kind, copies = self._random.choice(list(SetKind)), self._random.random() < 0.5
        return SetOperation(kind, copies, self._narrowed(left, width), self._narrowed(right, width), names)

    def aggregate(self, depth: int) -> Aggregate:
        below = self.plan(depth)
        keys = tuple(self._random.sample(below.columns, min(self._random.randint(0, 2), len(below.columns))))
        count = self._random.randint(1, 3)
        return Aggregate(below, keys, tuple(self._aggregated(below.columns) for _ in range(count)))

    def distinct(self, depth: int) -> Aggregate:
        below = self.plan(depth)
        return Aggregate(below, below.columns, ())

    def expand(self, depth: int) -> Expand | Aggregate:
        below = self.plan(depth)
        keys = self._random.sample(below.columns, min(2, len(below.columns)))
        items = tuple((self._names.fresh("x"), key) for key in keys)
        names = [name for name, _ in items]
        every = [(), *((name,) for name in names), tuple(names)]
        sets = tuple(self._random.sample(every, self._random.randint(1, len(every))))
        expanded = Expand(below, items, sets, self._names.fresh("set"))
        if self._random.random() < 0.3:
            return expanded
        return Aggregate(expanded, (*names, expanded.set_id), (self._aggregated(below.columns),))

    def window(self, depth: int) -> Window:
        below = self.plan(depth)
        partition = tuple(self._random.sample(below.columns, min(self._random.randint(0, 2), len(below.columns))))
        parts = [column(name) for name in partition]
        items: list[Item] = []
        for _ in range(self._random.randint(1, 2)):
            kind = self._random.randrange(4)
            one = column(self._random.choice(below.columns))
            total = self._order(below.columns)
            if kind == 0:
                over = exp.Window(this=exp.RowNumber(), partition_by=parts, order=total)
            elif kind == 1:
                order = exp.Order(expressions=[self._ordered(self._random.choice(below.columns))])
                over = exp.Window(this=exp.Rank(), partition_by=parts, order=order)
            elif kind == 2:
                over = exp.Window(this=exp.Sum(this=one), partition_by=parts)
            else:
                over = exp.Window(this=exp.Lag(this=one, offset=exp.Literal.number(1)), partition_by=parts, order=total)
            items.append((self._names.fresh("w"), over.copy()))
        return Window(below, partition, tuple(items))

    def top_n(self, depth: int) -> TopN:
        below = self.plan(depth)
        order = tuple(self._order(below.columns).expressions)
        return TopN(below, order, self._random.randint(1, 4), self._random.choice((0, 0, 1)))

    def explode(self, depth: int) -> Explode:
        below = self.plan(depth)
        elements = [self._expression(below.columns) for _ in range(self._random.randint(1, 2))]
        return Explode(below, exp.Explode(this=exp.Array(expressions=elements)), (self._names.fresh("e"),))

    def _narrowed(self, node: Node, width: int) -> Node:
        return Project(node, tuple((self._names.fresh(name), column(name)) for name in node.columns[:width]))

    def _aggregated(self, names: tuple[str, ...]) -> Item:
        one = column(self._random.choice(names))
        choices = [
            exp.Count(this=exp.Star()),
            exp.Count(this=one),
            exp.Sum(this=one),
            exp.Min(this=one),
            exp.Max(this=one),
            exp.Count(this=exp.Distinct(expressions=[one])),
        ]
        return self._names.fresh("g"), self._random.choice(choices).copy()

    def _order(self, names: Sequence[str]) -> exp.Order:
        shuffled = self._random.sample(names, len(names))
        return exp.Order(expressions=[self._ordered(name) for name in shuffled])

    def _ordered(self, name: str) -> exp.Ordered:
        return exp.Ordered(this=column(name), desc=self._random.random() < 0.5, nulls_first=self._random.random() < 0.5)

    def _literal(self) -> exp.Expr:
        value = self._random.choice((None, 0, 1, 2, 3, 4))
        return exp.cast(exp.null(), "int") if value is None else exp.Literal.number(value)

    def _expression(self, names: tuple[str, ...]) -> exp.Expr:
        one, two = (column(self._random.choice(names)) for _ in range(2))
        choices: list[exp.Expr] = [
            one,
            one,
            exp.Add(this=one, expression=two),
            exp.Coalesce(this=one, expressions=[self._literal()]),
            exp.Case(ifs=[exp.If(this=exp.GT(this=one, expression=two), true=one)], default=self._literal()),
        ]
        return self._random.choice(choices).copy()

    def _predicate(self, left: tuple[str, ...], right: tuple[str, ...]) -> exp.Expr:
        one, two = column(self._random.choice(left)), column(self._random.choice(right))
        equal = exp.EQ(this=one, expression=two)
        choices: list[exp.Expr] = [
            equal,
            equal,
            exp.NullSafeEQ(this=one, expression=two),
            exp.LT(this=one, expression=two),
            exp.NEQ(this=one, expression=self._literal()),
            exp.Is(this=two, expression=exp.null()),
            exp.Paren(this=exp.or_(equal, exp.Is(this=exp.Paren(this=equal), expression=exp.null()))),
            exp.Paren(this=exp.or_(exp.GT(this=one, expression=exp.Literal.number(2)), equal)),
        ]
        return self._random.choice(choices).copy()


def rows(random: Random, width: int, *, most: int = 8, first_id: int = 0) -> Held:
    """Rows of few values, so that keys meet and copies occur."""
    made = [tuple(random.choice((None, 0, 1, 2, 3, 4)) for _ in range(width)) for _ in range(random.randint(0, most))]
    made += random.sample(made, min(len(made), random.randint(0, 2)))
    return dict(enumerate(made, first_id))


def grown(random: Random, before: Held, width: int) -> Held:
    """The rows and some more."""
    return before | rows(random, width, most=3, first_id=max(before, default=-1) + 1)


def changed(random: Random, before: Held, width: int) -> Held:
    """The rows after some deletes, updates and inserts."""
    after = {}
    for id, row in before.items():
        luck = random.random()
        if luck < 0.2:
            continue
        if luck < 0.4:
            place = random.randrange(width)
            row = (*row[:place], random.choice((None, 0, 1, 2, 3, 4)), *row[place + 1 :])
        after[id] = row
    return after | rows(random, width, most=3, first_id=max(before, default=-1) + 1)
