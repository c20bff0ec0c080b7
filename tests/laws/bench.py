"""A bench for laws: DuckDB in memory, holding every table as it was, as it is, and its change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import cache
from random import Random

import duckdb
from sqlglot import exp

from headwater.core.internal_columns import ROW_ID
from headwater.delta.algebra import W
from headwater.delta.derivation import Step
from headwater.delta.target_changes import Changes, follows
from headwater.plan.clock_markers import CLOCK, CLOCK_BEFORE
from headwater.plan.nodes import Node, Scan, relations
from headwater.plan.prune_scans import KeyRanges, ScanFacts
from headwater.plan.render import render
from tests.laws.plans import TABLES, Held

Bag = Counter[tuple[object, ...]]
# More plans than one question needs; then all are forgotten.
TEXTS = 1000


def _spans(values: Sequence[object]) -> KeyRanges:
    numbers = sorted({value for value in values if isinstance(value, int)})
    pairs = [(number, number) for number in numbers] if len(numbers) < 3 else [(numbers[0], numbers[-1])]
    texts = tuple((exp.Literal.number(low), exp.Literal.number(high)) for low, high in pairs)
    return KeyRanges("int", texts, None in values)


def _strewn(rows: Set[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The rows in an order of no meaning, which is another one as soon as there is another row."""
    found = sorted(rows, key=repr)
    Random(repr(found)).shuffle(found)
    return found


class Bench:
    """Runs plans."""

    def __init__(self) -> None:
        self.moment = self.moment_before = 0
        self._duckdb = duckdb.connect(":memory:", config={"threads": 1})
        self._duckdb.execute("CREATE MACRO raise_error(message) AS error(message)")
        # Each plan as SQL, by its identity; the plan is held, so that no other takes its identity.
        self._texts: dict[int, tuple[Node, str]] = {}
        # The steps that are temporary tables now, of which list, and at which moments.
        self._made: set[str] = set()
        self._made_of: tuple[Sequence[Step], int, int] = ((), 0, 0)

    def load(self, relation: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table of whole numbers, and means."""
        self._forget_steps()
        means = {place for row in rows for place, value in enumerate(row) if isinstance(value, float)}
        kinds = ("DOUBLE" if place in means else "BIGINT" for place in range(len(columns)))
        held = ", ".join(f'"{name}" {kind}' for name, kind in zip(columns, kinds, strict=True))
        self._duckdb.execute(f"CREATE OR REPLACE TABLE {relation} ({held})")
        if rows:
            values = ", ".join("(" + ", ".join("NULL" if v is None else str(v) for v in row) + ")" for row in rows)
            self._duckdb.execute(f"INSERT INTO {relation} VALUES {values}")

    def change(self, before: Mapping[str, Held], after: Mapping[str, Held]) -> frozenset[str]:
        """Load both states and the difference of all tables; the tables that differ."""
        touched = set()
        for table, columns in TABLES.items():
            was, now = ({(*row, id) for id, row in held[table].items()} for held in (before, after))
            self.load(f"{table}_old", (*columns, ROW_ID), _strewn(was))
            self.load(table, (*columns, ROW_ID), _strewn(now))
            signed = [(*row, 1) for row in now - was] + [(*row, -1) for row in was - now]
            self.load(f"{table}_delta", (*columns, ROW_ID, W), signed)
            if signed:
                touched.add(table)
        return frozenset(touched)

    def bag(self, node: Node, steps: Sequence[Step] = ()) -> Bag:
        """The rows of a plan."""
        return Counter(self.rows(node, steps))

    def net(self, node: Node, steps: Sequence[Step] = ()) -> Bag:
        """The rows of a signed plan, with their weights summed."""
        found: Bag = Counter()
        for *row, weight in self.rows(node, steps):
            found[tuple(row)] += weight
        return Counter({row: weight for row, weight in found.items() if weight})

    def known(self, changes: Changes) -> ScanFacts:
        """What can be known of the scans of changes: where the values of deltas and steps lie; all are whole numbers."""
        light = follows(changes)

        @cache
        def spans(scan: Scan) -> dict[str, KeyRanges]:
            if not light(scan):
                return {}
            rows = self.rows(scan, changes.steps)
            return {name: _spans([row[place] for row in rows]) for place, name in enumerate(scan.columns)}

        return ScanFacts(spans, lambda scan: dict.fromkeys(scan.columns, "int"))

    def rows(self, node: Node, steps: Sequence[Step] = ()) -> list[tuple[object, ...]]:
        """The rows of a plan; each step that it reads is computed once, until a table, a clock or the steps change."""
        self._make(node, steps)
        return self.ask(self.text(node))

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        return self._duckdb.execute(sql).fetchall()

    def text(self, node: Node, steps: Sequence[Step] = ()) -> str:
        """The plan after its steps, as one statement."""
        named = ", ".join(f"{step.name} AS MATERIALIZED ({self._rendered(step.node)})" for step in steps)
        sql = (f"WITH {named} " if named else "") + self._rendered(node)
        sql = sql.replace(f"{CLOCK}seconds()", str(self.moment))
        return sql.replace(f"{CLOCK_BEFORE}seconds()", str(self.moment_before))

    def _rendered(self, node: Node) -> str:
        if id(node) not in self._texts:
            if len(self._texts) == TEXTS:
                self._texts.clear()
            self._texts[id(node)] = (node, render(node, "duckdb"))
        return self._texts[id(node)][1]

    def _make(self, node: Node, steps: Sequence[Step]) -> None:
        made_of, *moments = self._made_of
        if made_of is not steps or moments != [self.moment, self.moment_before]:
            self._forget_steps()
            self._made_of = (steps, self.moment, self.moment_before)
        read = relations(node)
        for step in reversed(steps):
            if step.name in read:
                read |= relations(step.node)
        for step in steps:
            if step.name in read and step.name not in self._made:
                self._duckdb.execute(f"CREATE TEMP TABLE {step.name} AS {self.text(step.node)}")
                self._made.add(step.name)

    def _forget_steps(self) -> None:
        for name in self._made:
            self._duckdb.execute(f"DROP TABLE temp.{name}")
        self._made.clear()
