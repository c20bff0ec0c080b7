"""What a statement names is told from its parse tree, not from the letters of its text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater
from headwater.core.errors import InvalidRequest, NotFound, NotInitialized, SqlSyntaxError
from headwater.service.lake import Lake
from tests.simulation.lake import Quick, playing


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with headwater.connect(tmp_path) as found, playing(Quick()):
        found.sql("CREATE TABLE t (k BIGINT, x BIGINT); INSERT INTO t VALUES (1, 2)")
        found.sql(
            "CREATE DYNAMIC TABLE sums INITIALIZE = ON_SCHEDULE AS SELECT k, sum(x) AS s, count(*) AS n FROM t GROUP BY k"
        )
        yield found


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 AS sums",
        "SELECT x AS sums FROM t AS sums",
        "WITH sums AS (SELECT 1 AS x) SELECT x FROM sums",
        "SELECT 'sums' FROM t",
        "SELECT sums.x FROM (SELECT x FROM t) AS sums",
        "INSERT INTO t (SELECT 1 AS sums, 2)",
    ],
)
def test_a_query_that_does_not_read_a_table_may_use_its_name(lake: Lake, query: str) -> None:
    lake.sql(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM sums",
        "FROM main.sums",
        "SELECT (SELECT max(s) FROM sums) AS x FROM t",
        'SELECT count(*) FROM t JOIN "SUMS" USING (k)',
        "WITH a AS (SELECT * FROM sums) SELECT * FROM a",
        "INSERT INTO t SELECT k, n FROM lake.main.sums",
        "CREATE TABLE copied AS SELECT * FROM sums",
        "SUMMARIZE sums",
        "SELECT * FROM sums AT (VERSION => 1)",
        "COPY (SELECT * FROM sums) TO 'out.csv'",
    ],
)
def test_a_query_that_reads_a_table_without_content_is_refused(lake: Lake, query: str) -> None:
    with pytest.raises(NotInitialized) as caught:
        lake.sql(query)
    assert caught.value.message == 'dynamic table "main"."sums" has not been refreshed yet'
    assert caught.value.position is not None


def test_a_table_can_be_explained_whatever_its_name_begins_with(lake: Lake) -> None:
    lake.sql("CREATE DYNAMIC TABLE created_orders AS SELECT k FROM t")
    assert lake.explain("created_orders").name.name == "created_orders"
    assert lake.explain('main."created_orders"').action == "NO_DATA"
    assert lake.explain("  create dynamic table other AS SELECT k FROM t").name.name == "other"
    with pytest.raises(NotFound):
        lake.explain("creation")
    with pytest.raises(InvalidRequest):
        lake.explain("CREATE TABLE x (i INT)")
    with pytest.raises(SqlSyntaxError):
        lake.explain("CREATE DYNAMIC TABLE x AS")
    with pytest.raises(SqlSyntaxError):
        lake.explain("two words")
