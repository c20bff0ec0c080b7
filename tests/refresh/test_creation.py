"""CREATE says how each table will be refreshed, its rows, and when; a table that became FULL by itself is a warning."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.refresh.followed import Bench

pytestmark = pytest.mark.usefixtures("small_spark")

COLUMNS = ("status", "schema_name", "name", "refresh_mode", "reason", "rows", "duration", "next_refresh")


@pytest.fixture
def source(bench: Bench) -> Bench:
    bench.table("k INTEGER, x INTEGER", "(1, 10), (1, 20), (2, 4)")
    return bench


def test_create_says_what_it_made(source: Bench) -> None:
    cases = {
        "TARGET_LAG = '5 minutes' AS SELECT k, x FROM t": ("INCREMENTAL", "ROW_DELTA", 3, "within 5 min of a change"),
        "TARGET_LAG = DOWNSTREAM AS SELECT k, sum(x) AS s FROM t GROUP BY k": (
            "INCREMENTAL",
            "ADDITIVE",
            2,
            "when a table that reads it is refreshed",
        ),
        "REFRESH_MODE = FULL AS SELECT k FROM t": ("FULL", "REFRESH_MODE is FULL", 3, "on demand"),
        "TARGET_LAG = '1 minute' INITIALIZE = ON_SCHEDULE AS SELECT k FROM t": (
            "INCREMENTAL",
            "ROW_DELTA",
            None,
            "at once",
        ),
    }
    for number, (definition, (mode, reason, rows, upcoming)) in enumerate(cases.items()):
        found = source.lake.sql(f"CREATE DYNAMIC TABLE d{number} {definition}")
        assert found.columns == COLUMNS
        (row,) = found.rows
        assert row[:6] == ("created", "main", f"d{number}", mode, reason, rows)
        assert timedelta(0) < row[6] < timedelta(minutes=5)
        assert row[7].removesuffix(", once a worker runs") == upcoming
        assert found.warnings == ()
        if rows is not None:
            assert source.lake.verify(f"d{number}").equal


def test_a_table_that_became_full_by_itself_is_a_warning_with_the_line(source: Bench) -> None:
    made = source.lake.sql("CREATE DYNAMIC TABLE d AS SELECT k, x\nFROM t\nLIMIT 2; SELECT 1 AS one")
    assert made.rows == ((1,),)
    (warning,) = made.warnings
    assert warning.startswith('dynamic table "main"."d" is refreshed in full: ')
    assert " at line 3 of the query" in warning
    again = source.lake.sql("CREATE DYNAMIC TABLE IF NOT EXISTS d AS SELECT k FROM t")
    assert (again.rows[0][0], again.rows[0][3], again.rows[0][5], again.warnings) == ("exists", "FULL", 2, ())
    altered = source.lake.sql("CREATE OR ALTER DYNAMIC TABLE d AS SELECT k, x FROM t")
    assert (altered.rows[0][0], altered.rows[0][3], altered.rows[0][5], altered.warnings) == (
        "altered",
        "INCREMENTAL",
        3,
        (),
    )
    source.agrees("SELECT k, x FROM t")
