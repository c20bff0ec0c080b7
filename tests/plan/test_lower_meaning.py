"""A plan means what its query means: DuckDB gives the same bag for both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import duckdb
import pytest
import sqlglot

from headwater.plan.lower import lower
from headwater.plan.render import render
from tests.plan.queries import PAIRS, QUERIES
from tests.plan.small_tables import RELATIONS, bag, over_sources, random_rows, tables

_ROWS = """
    INSERT INTO hw_source_1 VALUES (1, 1, 1), (1, 1, 1), (2, 1, 3), (2, NULL, 2), (3, 2, NULL), (4, 2, 4), (NULL, 3, 0),
      (5, NULL, NULL), (3, 4, 2);
    INSERT INTO hw_source_2 VALUES (1, 1, 1), (2, NULL, 3), (4, 2, 2), (4, 2, 2), (NULL, 5, NULL), (6, 4, 1);
    INSERT INTO hw_source_3 VALUES (1, 1, 2), (1, 1, 2), (2, 2, 1), (3, NULL, 3), (4, 5, NULL), (2, 1, 0), (6, 2, 4);
    INSERT INTO hw_source_5 VALUES (1, [1, 2, 2]), (2, []), (3, NULL), (1, [NULL, 3]), (4, [5]);
"""


_DATA = ("chosen rows", "no rows", "seed 1", "seed 2", "seed 3")


@pytest.fixture(scope="module", params=_DATA)
def duck(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(tables())
        if request.param == "chosen rows":
            connection.execute(_ROWS)
        elif request.param.startswith("seed"):
            connection.execute(random_rows(int(request.param.split()[1])))
        yield connection


@cache
def both_ways(text: str) -> tuple[str, str]:
    """DuckDB's SQL for the plan of a query, and for the query itself."""
    sql = over_sources(text)
    return render(lower(sql, RELATIONS), "duckdb"), sqlglot.transpile(sql, read="spark", write="duckdb")[0]


def grouping_sets_of_nothing(connection: duckdb.DuckDBPyConnection, text: str) -> bool:
    """Whether Spark has no row where DuckDB has that of the empty grouping set."""
    rows = connection.execute("SELECT count(*) FROM hw_source_1").fetchone()
    return rows == (0,) and any(word in text for word in ("ROLLUP", "CUBE", "GROUPING SETS"))


@pytest.mark.parametrize("text", [query for queries in QUERIES.values() for query in queries])
def test_a_plan_gives_what_its_query_gives(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    planned, as_written = both_ways(text)
    wanted = Counter() if grouping_sets_of_nothing(duck, text) else bag(duck, as_written)
    assert bag(duck, planned) == wanted, planned


@pytest.mark.parametrize(("text", "same"), PAIRS)
def test_a_plan_gives_what_the_query_means_in_other_words(
    duck: duckdb.DuckDBPyConnection, text: str, same: str
) -> None:
    planned, _ = both_ways(text)
    wanted = Counter() if grouping_sets_of_nothing(duck, text) else bag(duck, over_sources(same, "duckdb"))
    assert bag(duck, planned) == wanted, planned


def test_there_are_many_queries() -> None:
    assert sum(map(len, QUERIES.values())) >= 200
