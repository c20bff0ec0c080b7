"""Random queries as dynamic tables: after every refresh, by whatever strategy, each equals its query.

Lake number n of a seed is always the same: HEADWATER_SEED=… pytest tests/refresh/test_followed.py -k '[n]' repeats it.
HEADWATER_FOLLOWED is the number of queries.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

import pytest

import headwater
from headwater.core.errors import HeadwaterError, RefreshFailed
from headwater.core.refresh_record import RefreshAction, Strategy
from headwater.service.lake import Lake
from tests.duck import Duck, DuckError
from tests.fix_db import Catalog
from tests.fix_seed import COUNTED, DEFAULT
from tests.refresh.random_sql import SCHEMA, TABLES, Columns, Query, Rows, Writer

QUERIES = int(os.environ.get("HEADWATER_FOLLOWED") or 10)
PER_LAKE = 10
LAKES = -(-QUERIES // PER_LAKE)
BATCHES = 3
UPKEEP = (
    "CALL ducklake_flush_inlined_data('lake')",
    "CALL ducklake_merge_adjacent_files('lake')",
    "CHECKPOINT",
    *(f"CALL ducklake_rewrite_data_files('lake', '{table}', delete_threshold => 0.01)" for table in TABLES),
)
# Those that are not left to chance.
ACTIONS = (RefreshAction.NO_DATA, RefreshAction.INCREMENTAL, RefreshAction.FULL)
# What DuckDB does not know how to compute.
BEYOND_DUCKDB = ("Not implemented", "not supported", "Unsupported")


@pytest.fixture(scope="module")
def counted() -> Counter[str]:
    """What the refreshes of a run did, told at its end."""
    return COUNTED.setdefault(f"{QUERIES} random queries, followed", Counter())


@pytest.mark.postgres
@pytest.mark.usefixtures("small_spark")
@pytest.mark.parametrize("number", range(LAKES))
def test_random_queries_stay_equal_to_their_tables(
    new_catalog: Callable[[str], Catalog], duck: Duck, seed: int, number: int, counted: Counter[str]
) -> None:
    """Every second lake is on PostgreSQL."""
    catalog = new_catalog("postgres" if number % 2 else "sqlite")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        history = _History(lake, duck, catalog, Random(f"{seed} {number}"), counted, number)
        with history.told(f"HEADWATER_SEED={seed}, lake {number}"):
            history.run()
    if number == 0 and str(seed) == DEFAULT:
        assert [name for name in Strategy if not counted[name]] == [], counted
        assert [name for name in ACTIONS if not counted[name]] == [], counted


@dataclass
class _History:
    """One lake: what was done to it, and the dynamic tables in it."""

    lake: Lake
    duck: Duck
    catalog: Catalog
    dice: Random
    counted: Counter[str]
    number: int = 0
    story: list[str] = field(default_factory=list)
    tables: dict[str, Query] = field(default_factory=dict)

    def run(self) -> None:
        rows = Rows(self.dice)
        for table in TABLES:
            self.do(f"CREATE TABLE {table} ({SCHEMA})", rows.insert(table, 25))
        for number in range(PER_LAKE):
            self.create(number)
        for batch in range(BATCHES):
            # The first only inserts, for that has a strategy of its own.
            self.do(*(rows.inserts() if batch == 0 else rows.changes()))
            if batch:
                self.upkeep()
                self.modes()
            self.refresh()
            self.check()

    @contextmanager
    def told(self, title: str) -> Iterator[None]:
        """Whatever fails tells the story so far."""
        try:
            yield
        except (AssertionError, HeadwaterError, DuckError) as error:
            error.add_note("\n".join([title, *(f"{each};" for each in self.story)]))
            raise

    def do(self, *statements: str) -> None:
        for statement in statements:
            self.story.append(statement)
            self.lake.sql(statement)

    def create(self, number: int) -> None:
        """One more dynamic table, of the next form; some read another one."""
        above: dict[str, Columns] = {}
        if self.tables and self.dice.random() < 0.3:
            name = self.dice.choice(list(self.tables))
            above = {name: self.tables[name].columns}
        some = self.dice.sample(list(TABLES), self.dice.randint(1, 3))
        relations = {**{table: TABLES[table] for table in some}, **above}
        query = Writer(self.dice, relations).query(self.number + number)
        name = f"q{number}"
        self.do(f"CREATE DYNAMIC TABLE {name} CARDINALITY_THRESHOLD = 1 AS {query.text}")
        self.tables[name] = query

    def upkeep(self) -> None:
        """Another client puts the lake in order, the dynamic tables too."""
        if self.dice.random() < 0.6:
            self._in_duckdb(self.dice.choice(UPKEEP))
        if self.dice.random() < 0.3:
            name = self.dice.choice(list(self.tables))
            self._in_duckdb(f"CALL ducklake_rewrite_data_files('lake', '{name}', delete_threshold => 0.01)")

    def modes(self) -> None:
        for name in self.dice.sample(list(self.tables), 2):
            followed = self.lake.explain(name).blocked is None
            mode = self.dice.choice(("FULL", "AUTO", "INCREMENTAL") if followed else ("FULL", "AUTO"))
            self.do(f"ALTER DYNAMIC TABLE {name} SET REFRESH_MODE = {mode}")

    def refresh(self) -> None:
        self.story.append("REFRESH of all")
        try:
            outcomes = self.lake.refresh(*self.tables)
        except RefreshFailed as error:
            # INCREMENTAL does not go on with files that another client has written without their state.
            if "without the state" not in (error.detail or ""):
                raise
            self.do(*(f"ALTER DYNAMIC TABLE {name} SET REFRESH_MODE = AUTO" for name in self.tables))
            outcomes = self.lake.refresh(*self.tables)
        for outcome in outcomes:
            assert outcome.succeeded, f"{outcome.name.name}: {outcome}"
            self.counted[str(outcome.action)] += 1
            if outcome.strategy:
                self.counted[outcome.strategy] += 1
            self.story.append(f"  {outcome.name.name} by {outcome.action} {outcome.strategy or outcome.reason}")

    def check(self) -> None:
        self.duck.attach(self.catalog.duck_uri, self.catalog.data_path)
        for name, query in self.tables.items():
            found = self.lake.verify(name)
            assert found.equal, f"{name} is not {query.text}\n{found}"
            self.counted["verified"] += 1
            if query.certain:
                self._compare(name, query)
        self.duck.detach()

    def _compare(self, name: str, query: Query) -> None:
        try:
            expected = _bag(self.duck.execute(query.for_duckdb()))
        except DuckError as error:
            if not any(words in error.message for words in BEYOND_DUCKDB):
                raise
            return
        columns = ", ".join(column for column, _ in query.columns)
        found = _bag(self.duck.execute(f"SELECT {columns} FROM {name}"))
        lacks, has = expected - found, found - expected
        assert found == expected, f"{name} has {has} and lacks {lacks}, by DuckDB: {query.text}"
        self.counted["compared with DuckDB"] += 1

    def _in_duckdb(self, statement: str) -> None:
        self.story.append(f"{statement} -- by DuckDB")
        self.duck.attach(self.catalog.duck_uri, self.catalog.data_path)
        self.duck.execute(statement)
        self.duck.detach()


def _bag(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(map(_plain, row)) for row in rows)


def _plain(value: Any) -> Any:
    """Numbers of whatever type; Spark's means of decimals have six digits."""
    return round(round(float(value), 6), 4) if isinstance(value, int | float | Decimal) else value
