"""Columns whose names are longer than PostgreSQL's names, in tables with few rows."""

from __future__ import annotations

import pytest

from headwater.query.process import DuckDBProcess
from headwater.service.lake import Lake

# 200 and 63 characters in ASCII, and 64 bytes in 32 characters.
NAMES = ("c" * 200, "d" * 63, "é" * 32)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_a_column_with_a_long_name_are_inserted_changed_and_read(
    lake: Lake, duckdb: DuckDBProcess, name: str
) -> None:
    lake.sql(f'CREATE TABLE t ("{name}" INTEGER, "{name}2" INTEGER)')
    lake.sql("INSERT INTO t VALUES (1, 10), (2, 20), (NULL, NULL)")
    lake.sql(f'UPDATE t SET "{name}" = 5 WHERE "{name}2" = 10; DELETE FROM t WHERE "{name}2" = 20')
    assert lake.sql("FROM t ORDER BY ALL").rows == ((5, 10), (None, None))
    (read,) = duckdb.run(["FROM t ORDER BY ALL"], transaction=False)
    assert read.rows is not None
    assert [tuple(row.values()) for row in read.rows.to_pylist()] == [(5, 10), (None, None)]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_gets_a_long_name_and_loses_it_while_rows_are_inlined(lake: Lake, name: str) -> None:
    lake.sql("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)")
    lake.sql(f'ALTER TABLE t RENAME COLUMN a TO "{name}"')
    lake.sql("INSERT INTO t VALUES (2)")
    lake.sql(f'ALTER TABLE t ADD COLUMN "{name}2" INTEGER')
    lake.sql(f'INSERT INTO t VALUES (3, 3); DELETE FROM t WHERE "{name}" = 2')
    assert lake.sql("FROM t ORDER BY ALL").rows == ((1, None), (3, 3))
    lake.sql(
        f'ALTER TABLE t DROP COLUMN "{name}2"; ALTER TABLE t RENAME COLUMN "{name}" TO a; INSERT INTO t VALUES (4)'
    )
    assert lake.sql("FROM t ORDER BY ALL").rows == ((1,), (3,), (4,))
    lake.sql(f'CREATE TABLE copied AS SELECT a AS "{name}" FROM t; INSERT INTO copied VALUES (5)')
    assert lake.sql("FROM copied ORDER BY ALL").rows == ((1,), (3,), (4,), (5,))
