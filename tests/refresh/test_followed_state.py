"""A table whose files carry what it does not show, and all that may come between two of its refreshes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from headwater.core.errors import HeadwaterError, RefreshFailed
from tests.refresh.followed import Bench

pytestmark = pytest.mark.usefixtures("small_spark")

ROWS, KEYS, SUMS = "INCREMENTAL ROW_DELTA", "INCREMENTAL AFFECTED_KEYS", "INCREMENTAL ADDITIVE"
STATEFUL = "SELECT k, avg(x) AS m FROM t GROUP BY k"


@pytest.fixture
def stateful(bench: Bench) -> Bench:
    """A table whose files carry sums and counts that it does not show."""
    bench.table("k INTEGER, x DECIMAL(10,2)", "(1, 10), (1, 20), (2, 4), (NULL, NULL), (9, 0), (9, 0), (9, 0)")
    bench.define(STATEFUL)
    bench.do("INSERT INTO t VALUES (2, 6)")
    bench.refreshed(SUMS, *_means(15, 5))
    return bench


def _means(one: float, two: float) -> tuple[tuple[Any, ...], ...]:
    return ((1, Decimal(str(one))), (2, Decimal(str(two))), (9, Decimal(0)), (None, None))


def test_what_another_client_writes_into_the_table_is_undone(stateful: Bench) -> None:
    stateful.elsewhere("INSERT INTO d VALUES (7, 7)", "DELETE FROM d WHERE k = 1")
    assert not stateful.lake.verify("d").equal
    stateful.do("INSERT INTO t VALUES (2, 8)")
    stateful.refreshed("REINITIALIZE", *_means(15, 6))
    stateful.do("INSERT INTO t VALUES (1, 30)")
    stateful.refreshed(SUMS, *_means(20, 6))


def test_an_update_by_another_client_that_keeps_the_rows_loses_the_state(stateful: Bench) -> None:
    stateful.elsewhere("UPDATE d SET m = m WHERE k = 1")
    stateful.do("INSERT INTO t VALUES (1, 30)")
    stateful.refreshed("REINITIALIZE", *_means(20, 5))
    stateful.do("INSERT INTO t VALUES (1, 40)")
    stateful.refreshed(SUMS, *_means(25, 5))


@pytest.mark.parametrize(
    "upkeep",
    [
        "CALL ducklake_merge_adjacent_files('lake', 'd')",
        "CALL ducklake_rewrite_data_files('lake', 'd', delete_threshold => 0.01)",
        "CALL ducklake_flush_inlined_data('lake')",
        "CHECKPOINT",
    ],
)
def test_upkeep_by_another_client_never_makes_a_mean_wrong(stateful: Bench, upkeep: str) -> None:
    """DuckDB rewrites files without the columns that it does not know."""
    stateful.do("INSERT INTO t VALUES (2, 7)")
    stateful.refreshed(SUMS, *_means(15, 5.666667))
    stateful.elsewhere(upkeep)
    stateful.holds(*_means(15, 5.666667))
    stateful.do("INSERT INTO t VALUES (1, 30)")
    (outcome,) = stateful.lake.refresh("d")
    assert outcome.action in ("INCREMENTAL", "REINITIALIZE"), outcome
    stateful.holds(*_means(20, 5.666667))
    stateful.do("INSERT INTO t VALUES (1, 40), (2, 8)")
    stateful.refreshed(SUMS, *_means(25, 6.25))


def test_incremental_fails_rather_than_trust_files_without_state(stateful: Bench) -> None:
    stateful.do("ALTER DYNAMIC TABLE d SET REFRESH_MODE = INCREMENTAL", "INSERT INTO t VALUES (2, 7)")
    stateful.refreshed(SUMS, *_means(15, 5.666667))
    stateful.elsewhere("CALL ducklake_merge_adjacent_files('lake', 'd')")
    stateful.elsewhere("CALL ducklake_rewrite_data_files('lake', 'd', delete_threshold => 0.01)")
    stateful.do("INSERT INTO t VALUES (1, 30)")
    try:
        stateful.lake.refresh("d")
    except RefreshFailed:
        stateful.do("ALTER DYNAMIC TABLE d SET REFRESH_MODE = AUTO")
        stateful.lake.refresh("d")
    stateful.holds(*_means(20, 5.666667))


def test_the_mode_can_change_between_refreshes(stateful: Bench) -> None:
    stateful.do("ALTER DYNAMIC TABLE d SET REFRESH_MODE = FULL", "INSERT INTO t VALUES (1, 30)")
    stateful.refreshed("FULL", *_means(20, 5))
    stateful.do("ALTER DYNAMIC TABLE d SET REFRESH_MODE = INCREMENTAL", "INSERT INTO t VALUES (1, 40)")
    stateful.refreshed(SUMS, *_means(25, 5))
    stateful.do("ALTER DYNAMIC TABLE d UNSET REFRESH_MODE", "DELETE FROM t WHERE x = 40")
    stateful.refreshed(SUMS, *_means(20, 5))
    stateful.do("ALTER DYNAMIC TABLE d SET REFRESH_MODE = FULL", "UPDATE t SET x = 7 WHERE x = 6")
    stateful.refreshed("FULL", *_means(20, 5.5))
    stateful.do("ALTER DYNAMIC TABLE d SET REFRESH_MODE = AUTO", "UPDATE t SET k = 1 WHERE x = 7")
    stateful.refreshed(SUMS, *_means(16.75, 4))


def test_an_earlier_version_brings_its_own_state_back(stateful: Bench) -> None:
    first = stateful.lake.snapshots()[-1].id
    stateful.do("INSERT INTO t VALUES (1, 30), (2, 8)", "DELETE FROM t WHERE k IS NULL")
    stateful.refreshed(SUMS, *_means(20, 6)[:3])
    stateful.do(f"RESTORE DYNAMIC TABLE d TO VERSION {first}")
    stateful.holds(*_means(15, 5))
    stateful.do("ALTER DYNAMIC TABLE d RESUME", "INSERT INTO t VALUES (1, 40)")
    (outcome,) = stateful.lake.refresh("d")
    assert outcome.succeeded
    stateful.holds(*_means(25, 6)[:3])
    stateful.do("DELETE FROM t WHERE x = 40")
    stateful.refreshed(SUMS, *_means(20, 6)[:3])


def test_a_changed_query_begins_anew_with_state_of_its_own(stateful: Bench) -> None:
    stateful.do(
        "CREATE OR ALTER DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 AS SELECT k, avg(x + 1) AS m FROM t GROUP BY k"
    )
    stateful.holds((1, Decimal(16)), (2, Decimal(6)), (9, Decimal(1)), (None, None))
    stateful.do("INSERT INTO t VALUES (1, 30)")
    assert stateful.lake.refresh("d")[0].succeeded
    stateful.holds((1, Decimal(21)), (2, Decimal(6)), (9, Decimal(1)), (None, None))
    stateful.do(f"CREATE OR ALTER DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 AS {STATEFUL}")
    stateful.do("INSERT INTO t VALUES (1, 40)")
    stateful.refreshed(SUMS, *_means(25, 5))


def test_a_query_that_is_changed_and_changed_back_does_not_take_old_state_for_its_own(stateful: Bench) -> None:
    other = "SELECT k, CAST(sum(x) AS DECIMAL(14,6)) AS m FROM t GROUP BY k"
    for query, rows in (
        (other, ((1, Decimal(30)), (2, Decimal(10)), (9, Decimal(0)), (None, None))),
        (STATEFUL, _means(15, 5)),
    ):
        stateful.do(f"CREATE OR ALTER DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 AS {query}")
        stateful.holds(*rows)
    stateful.do("INSERT INTO t VALUES (1, 30)")
    stateful.refreshed(SUMS, *_means(20, 5))


def test_a_change_that_does_not_show_is_kept_through_a_chain(stateful: Bench) -> None:
    stateful.define("SELECT count(*) AS n, sum(m) AS s FROM d", "e")
    stateful.do("INSERT INTO t VALUES (1, 15)")
    stateful.refreshed(SUMS, *_means(15, 5))
    assert stateful.lake.refresh("e")[0].succeeded
    stateful.holds((4, Decimal(20)), name="e")
    stateful.do("INSERT INTO t VALUES (1, 35)", "UPDATE t SET k = 9 WHERE x = 4")
    stateful.refreshed(SUMS, (1, Decimal(20)), (2, Decimal(6)), (9, Decimal(1)), (None, None))
    assert stateful.lake.refresh("e")[0].succeeded
    stateful.holds((4, Decimal(27)), name="e")


def test_a_partitioned_table_carries_state(bench: Bench) -> None:
    bench.table("k INTEGER, x DECIMAL(10,2)", "(1, 10), (1, 20), (2, 4), (NULL, 3)")
    bench.lake.sql(f"CREATE DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 PARTITIONED BY (k) AS {STATEFUL}")
    bench.do("INSERT INTO t VALUES (1, 30), (NULL, 5)", "DELETE FROM t WHERE k = 2")
    bench.refreshed(SUMS, (1, Decimal(20)), (None, Decimal(4)))
    bench.do("UPDATE t SET k = NULL WHERE x = 30")
    bench.refreshed(SUMS, (1, Decimal(15)), (None, Decimal("12.666667")))


def test_a_query_that_can_not_be_followed_can_not_be_asked_to(bench: Bench) -> None:
    bench.table("k INTEGER, x INTEGER", "(1, 1), (1, 2), (2, 3)")
    with pytest.raises(HeadwaterError, match="incremental"):
        bench.define("SELECT k, first(x) AS x FROM t GROUP BY k", REFRESH_MODE="INCREMENTAL")
    bench.define("SELECT k, first(x) AS x FROM t GROUP BY k")
    with pytest.raises(HeadwaterError, match="incremental"):
        bench.do("ALTER DYNAMIC TABLE d SET REFRESH_MODE = INCREMENTAL")
