"""Whether following changes pays is learned from what it took."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import sqlalchemy as sa

from headwater.core.refresh_record import RefreshStats, Strategy
from headwater.delta.refresh_plan import IncrementalOption, RefreshFacts, RefreshTimings, choose
from headwater.delta.target_changes import Append
from headwater.plan.nodes import Scan
from headwater.registry import history, tables
from headwater.service.lake import Lake


@pytest.mark.parametrize(
    ("experience", "full"),
    [
        (RefreshTimings((2.0, 2.0, 2.0), (1.5,)), True),
        (RefreshTimings((2.0, 9.0, 1.0), (1.9,)), False),
        (RefreshTimings((2.0, 9.0, 2.5), (1.9, 5.0, 1.8)), True),
        (RefreshTimings((9.0, 9.0, 1.9), (1.9, 5.0, 1.8)), False),
        (RefreshTimings((2.0, 2.0), (1.5,)), False),
        (RefreshTimings((2.0, 2.0, 2.0), ()), False),
        (RefreshTimings((0.9, 0.9, 0.9), (0.3,)), False),
        (RefreshTimings((2.0, 2.0, 2.0), (1.5,), full_of_late=10), False),
    ],
)
def test_following_is_given_up_where_it_took_longer(experience: RefreshTimings, full: bool) -> None:
    assert bool(experience.against_following) == full


@pytest.mark.parametrize(
    ("strategy", "stored", "changed", "reads", "threshold", "why"),
    [
        (Strategy.AFFECTED_KEYS, 10_000, 8_000, 0.0, 0.3, None),
        (Strategy.AFFECTED_KEYS, 10_000, 20_000, 0.0, 0.3, "about 86% of its groups are affected"),
        (Strategy.AFFECTED_KEYS, 10_000, 20_000, 0.0, 1.0, None),
        (Strategy.AFFECTED_KEYS, 5, 20_000, 0.0, 0.3, None),
        (Strategy.ADDITIVE, 10_000, 20_000, 0.0, 0.3, None),
        (Strategy.ADDITIVE, 5, 600_000, 2.0, 0.3, "an incremental refresh would read 2.0 times as much as a full one"),
        (Strategy.ADDITIVE, 5, 600_000, 2.0, 1.0, None),
        (Strategy.ADDITIVE, 5, 600_000, 0.7, 0.3, None),
        (Strategy.ADDITIVE, 5, 600_000, 0.7, 0.01, "5% of the rows changed"),
    ],
)
def test_computing_all_is_chosen_where_following_would_touch_or_read_most(
    strategy: Strategy, stored: int, changed: int, reads: float, threshold: float, why: str | None
) -> None:
    rows = Scan("t", (("a", "a"),))
    way = IncrementalOption(strategy, Append((), rows), 0.05, stored=stored, changed=changed, reads=reads)
    found = choose(RefreshFacts(initialized=True, touched={1: "t"}), "SELECT 1", way, threshold)
    assert (found.action, found.reason) == (("FULL", f"t changed; {why}") if why else ("INCREMENTAL", "t changed"))


@pytest.mark.parametrize(("share", "action"), [(1.0, "INCREMENTAL"), (1.1, "FULL")])
def test_a_threshold_of_one_allows_as_many_changes_as_the_sources_have_rows(share: float, action: str) -> None:
    way = IncrementalOption(Strategy.AFFECTED_KEYS, Append((), Scan("t", (("a", "a"),))), share)
    assert choose(RefreshFacts(initialized=True, touched={1: "t"}), "SELECT 1", way, 1.0).action == action


@pytest.mark.usefixtures("spark")
def test_a_table_that_is_cheaper_to_compute_is_computed(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (x INTEGER); INSERT INTO t SELECT range FROM range(100)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT x + 1 AS y FROM t")
    for turn in range(3):
        lake.sql(f"INSERT INTO t VALUES ({turn})")
        assert lake.refresh("d")[-1].action == "INCREMENTAL"
    _took(lake, incremental=3.0, full=2.0)
    # The first of them includes compilation, and does not count.
    assert [row.stats.first_time for row in lake.history("d")] == [None, None, 1, 1]
    lake.sql("INSERT INTO t VALUES (3)")
    assert lake.explain("d").action == "INCREMENTAL"
    assert lake.refresh("d")[-1].action == "INCREMENTAL"
    _took(lake, incremental=3.0, full=2.0)
    lake.sql("INSERT INTO t VALUES (7)")
    with _compiling_beside(lake):
        assert lake.explain("d").action == "INCREMENTAL"
    found = lake.explain("d")
    assert (found.action, found.reason) == (
        "FULL",
        '"main"."t" changed; recent incremental refreshes took 3.0 s, full ones 2.0 s',
    )
    assert lake.refresh("d")[-1].action == "FULL"
    assert lake.verify("d").equal
    lake.sql("ALTER DYNAMIC TABLE d SET CARDINALITY_THRESHOLD = 1; INSERT INTO t VALUES (8)")
    assert lake.refresh("d")[-1].action == "INCREMENTAL"
    assert lake.verify("d").equal


@pytest.mark.usefixtures("spark")
def test_a_few_changes_after_a_large_delete_are_few(lake: Lake) -> None:
    lake.sql("CREATE TABLE t AS SELECT range AS x FROM range(1000); DELETE FROM t WHERE x < 600")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT x + 1 AS y FROM t")
    lake.sql("DELETE FROM t WHERE x BETWEEN 700 AND 719")
    assert [row.action for row in lake.refresh("d")] == ["INCREMENTAL"]
    assert lake.verify("d").equal


def _took(lake: Lake, *, incremental: float, full: float) -> None:
    """Rewrite what the history says of how long refreshes took."""
    with lake.reader() as reader:
        rows = history.load(reader.connection)
    assert [row.action for row in rows][-4:] == ["INCREMENTAL"] * 3 + ["REINITIALIZE"]

    def work(connection: sa.Connection) -> None:
        for row in rows:
            seconds = incremental if row.action == "INCREMENTAL" else full
            connection.execute(
                history.finish_stmt(replace(row, stats=row.stats.with_measured(compute_seconds=seconds)))
            )

    lake.database.transact(work)


@contextmanager
def _compiling_beside(lake: Lake) -> Iterator[None]:
    """The history says that another table was computed for the first time beside the newest refresh."""
    newest = lake.history()[0]
    other = replace(newest, id="other", table_id=newest.table_id + 100, stats=RefreshStats(first_time=1))
    lake.database.execute(history.insert_stmt(other))
    yield
    lake.database.execute(sa.delete(tables.refresh).where(tables.refresh.c.id == "other"))
