"""Any version of a dynamic table whose files exist can be restored, any number of times, in any order."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.core.errors import InvalidRequest, RefreshRunning, SnapshotMissing
from headwater.maintain.expire import expire, remove_snapshots
from headwater.registry import leases
from headwater.service.lake import Lake
from tests.refresh.followed import Bench, bag

pytestmark = pytest.mark.usefixtures("small_spark")

MOMENT = timedelta(microseconds=1)
MEANS = "SELECT k, avg(x) AS m FROM t GROUP BY k"


def _rows(bench: Bench, name: str = "d") -> Counter[tuple[Any, ...]]:
    return bag(bench.lake.sql(f"SELECT * FROM {name}").rows)


def _current(lake: Lake, name: str = "d") -> int:
    (found,) = (each for each in lake.status() if each.name.name == name)
    assert found.version is not None
    return found.version


@pytest.fixture
def history(bench: Bench) -> tuple[Bench, dict[int, Counter[tuple[Any, ...]]]]:
    """Four versions, with state, and the rows of each by its number."""
    bench.table("k INTEGER, x DECIMAL(10,2)", "(1, 10), (1, 20), (2, 4), (NULL, NULL), (9, 0), (9, 0)")
    bench.define(MEANS)
    remembered = {_current(bench.lake): _rows(bench)}
    for change in (
        "INSERT INTO t VALUES (2, 6), (3, 1)",
        "DELETE FROM t WHERE k = 9; UPDATE t SET x = 30 WHERE x = 10",
        "INSERT INTO t VALUES (1, 7), (4, NULL)",
    ):
        bench.do(change)
        assert bench.lake.refresh("d")[0].action == "INCREMENTAL"
        remembered[_current(bench.lake)] = _rows(bench)
    assert len(remembered) == 4
    return bench, remembered


def test_every_version_can_be_restored_in_any_order_any_number_of_times(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    one, two, three, four = remembered
    for number in (two, four, one, one, three, two):
        bench.do(f"RESTORE DYNAMIC TABLE d TO VERSION {number}")
        assert _rows(bench) == remembered[number]
        assert bench.lake.verify("d").equal
        newest = bench.lake.versions("d")[0]
        assert (newest.version, newest.restored_from, newest.is_current) == (_current(bench.lake), number, True)
        record = bench.lake.history("d")[0]
        assert (record.state, record.trigger, record.reason) == ("SUCCEED", "MANUAL", f"restored to version {number}")
        assert record.lake_snapshot == newest.version
        remembered[newest.version] = remembered[number]
    listed = bench.lake.versions("d")
    assert [each.version for each in listed] == sorted(remembered, reverse=True)
    assert all(each.restorable and each.reason is None for each in listed)
    assert [each.restorable_until is None for each in listed] == [True, *(False for _ in listed[1:])]
    # The current one can be restored too, and what was restored once can be again.
    again = random.Random(3).sample(sorted(remembered), 4)
    for number in again:
        assert bench.lake.restore("d", version=number).restored_from == number
        assert _rows(bench) == remembered[number]
    bench.verify_at_end("d")


def test_after_resume_the_refresh_is_incremental_and_writes_only_what_differs(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    one, two, _, four = remembered
    for number, (inserted, deleted) in {two: (4, 4), one: (5, 4)}.items():
        before = remembered[number]
        bench.do(f"RESTORE DYNAMIC TABLE d TO VERSION {number}", "ALTER DYNAMIC TABLE d RESUME")
        (outcome,) = bench.lake.refresh("d")
        assert outcome.action == "INCREMENTAL", outcome.reason
        assert _rows(bench) == remembered[four]
        changed = (remembered[four] - before).total(), (before - remembered[four]).total()
        assert (outcome.rows_inserted, outcome.rows_deleted) >= changed
        assert outcome.rows_inserted <= inserted
        assert outcome.rows_deleted <= deleted
    bench.do("INSERT INTO t VALUES (4, 8), (NULL, 1)")
    assert bench.lake.refresh("d")[0].action == "INCREMENTAL"
    bench.agrees("SELECT k, CAST(avg(x) AS DECIMAL(14,6)) AS m FROM t GROUP BY k")
    for number, rows in remembered.items():
        bench.do(f"RESTORE DYNAMIC TABLE d TO VERSION {number}")
        assert _rows(bench) == rows
    bench.verify_at_end("d")


def test_a_version_is_found_by_a_snapshot_that_shows_it_and_by_time(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    one, two, three, _ = remembered
    # The insert after the refresh: readers saw version one at that snapshot.
    assert bench.lake.restore("d", version=one + 1).restored_from == one
    assert _rows(bench) == remembered[one]
    times = {each.version: each.created_at for each in bench.lake.versions("d")}
    assert bench.lake.restore("d", timestamp=times[two]).restored_from == two
    assert _rows(bench) == remembered[two]
    just_before = times[three] - timedelta(microseconds=1)
    bench.do(f"RESTORE DYNAMIC TABLE d TO TIMESTAMP '{just_before:%Y-%m-%d %H:%M:%S.%f}'")
    assert _rows(bench) == remembered[two]
    with pytest.raises(SnapshotMissing, match="had no version at"):
        bench.lake.restore("d", timestamp=times[one] - timedelta(seconds=1))
    with pytest.raises(SnapshotMissing, match="in the future"):
        bench.lake.restore("d", timestamp="2131-01-01")
    for wrong in ({}, {"version": 1, "timestamp": "2026-01-01"}):
        with pytest.raises(InvalidRequest, match="a version or a timestamp"):
            bench.lake.restore("d", **wrong)
    bench.verify_at_end("d")


def test_expired_versions_say_so_and_the_others_can_still_be_restored(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    one, two, three, four = remembered
    lake = bench.lake
    # The snapshot that committed version two goes, but the next one still shows it.
    gone = [snapshot.id for snapshot in lake.snapshots() if snapshot.id <= one + 1 or snapshot.id == two]
    lake.database.transact(lambda connection: remove_snapshots(connection, lake.data_path, gone, lake.clock.now()))
    listed = {each.version: each for each in lake.versions("d")}
    assert {number: each.restorable for number, each in listed.items()} == {
        one: False,
        two: True,
        three: True,
        four: True,
    }
    assert listed[one].reason == "its snapshots have been expired"
    with pytest.raises(
        SnapshotMissing, match=f"version {one} of .* can't be restored: its snapshots have been expired"
    ):
        bench.do(f"RESTORE DYNAMIC TABLE d TO VERSION {one}")
    assert {each.state for each in lake.status()} == {"ACTIVE"}
    bench.do(f"RESTORE DYNAMIC TABLE d TO VERSION {two}")
    assert _rows(bench) == remembered[two]
    bench.do("ALTER DYNAMIC TABLE d RESUME")
    lake.refresh("d")
    assert _rows(bench) == remembered[four]
    bench.verify_at_end("d")


def test_maintenance_keeps_versions_as_long_as_the_list_says(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    lake = bench.lake
    until = {each.version: each.restorable_until for each in lake.versions("d", retention_days=1)}
    four, three, two, one = until
    assert until[four] is None
    # The next refresh needs the snapshot that shows version three last.
    for moment, expired in (
        (until[one], set()),
        (until[one] + MOMENT, {one}),
        (until[three] + MOMENT, {one, two}),
    ):
        expire(lake.database, lake.data_path, moment, timedelta(days=1))
        listed = lake.versions("d")
        assert {each.version for each in listed if each.restorable} == {*until} - expired
    bench.lake.restore("d", version=three)
    assert _rows(bench) == remembered[three]


def test_a_table_that_was_suspended_for_long_can_still_go_back(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    *_, four = remembered
    lake = bench.lake
    bench.do("ALTER DYNAMIC TABLE d SUSPEND", "INSERT INTO t VALUES (6, 6)", "INSERT INTO t VALUES (7, 7)")
    later = lake.clock.now() + timedelta(days=9)
    assert len(expire(lake.database, lake.data_path, later, timedelta(days=7)).snapshots) > 8
    assert len(lake.snapshots()) == 1
    assert [(each.version, each.restorable) for each in lake.versions("d")] == [(four, True)]
    bench.do("ALTER DYNAMIC TABLE d RESUME")
    lake.refresh("d")
    bench.agrees(f"SELECT k, CAST(m AS DECIMAL(14,6)) AS m FROM ({MEANS})")
    lake.restore("d", version=four)
    assert _rows(bench) == remembered[four]
    bench.do("ALTER DYNAMIC TABLE d RESUME")
    lake.refresh("d")
    bench.verify_at_end("d")


def test_rows_of_another_client_are_not_a_version(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    *_, three, four = remembered
    bench.elsewhere("INSERT INTO d VALUES (77, 7)", "DELETE FROM d WHERE k = 1")
    written = bench.lake.snapshots()[-1].id
    with pytest.raises(InvalidRequest, match="not known to have the rows of a version"):
        bench.lake.restore("d", version=written)
    bench.lake.restore("d", version=four)
    assert _rows(bench) == remembered[four]
    bench.elsewhere("DELETE FROM d")
    bench.do("ALTER DYNAMIC TABLE d RESUME", "INSERT INTO t VALUES (5, 5)")
    assert bench.lake.refresh("d")[0].action == "REINITIALIZE"
    for number in (three, four):
        bench.lake.restore("d", version=number)
        assert _rows(bench) == remembered[number]
    bench.verify_at_end("d")


def test_a_version_under_another_definition_comes_back_unless_its_columns_differ(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    one, *_, four = remembered
    other = "SELECT k, CAST(max(x) AS DECIMAL(14,6)) AS m FROM t GROUP BY k"
    # No source changed: both versions are of the same data snapshot.
    bench.do(f"CREATE OR ALTER DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 AS {other}")
    five, maxima = _current(bench.lake), _rows(bench)
    assert maxima != remembered[four]
    for number, rows in ((four, remembered[four]), (one, remembered[one]), (five, maxima)):
        bench.lake.restore("d", version=number)
        assert _rows(bench) == rows
    bench.lake.restore("d", version=four)
    bench.do("ALTER DYNAMIC TABLE d RESUME")
    bench.lake.refresh("d")
    assert _rows(bench) == maxima
    bench.do("ALTER DYNAMIC TABLE d RENAME COLUMN m TO most")
    assert _current(bench.lake) in {each.version for each in bench.lake.versions("d")}
    bench.lake.restore("d", version=one)
    assert _rows(bench) == remembered[one]
    bench.do("ALTER DYNAMIC TABLE d RESUME", "INSERT INTO t VALUES (2, 99)")
    bench.lake.refresh("d")
    bench.agrees("SELECT k, CAST(max(x) AS DECIMAL(14,6)) AS most FROM t GROUP BY k")
    bench.do("ALTER DYNAMIC TABLE d ADD COLUMN count(*) AS n")
    listed = {each.version: each for each in bench.lake.versions("d")}
    assert (listed[one].restorable, listed[one].reason) == (False, "the table had other columns")
    with pytest.raises(InvalidRequest, match="the table had other columns"):
        bench.lake.restore("d", version=one)
    assert {each.state for each in bench.lake.status()} == {"ACTIVE"}
    bench.verify_at_end("d")


def test_a_renamed_column_does_not_change_the_number_of_a_version(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    *_, three, four = remembered
    bench.do("ALTER DYNAMIC TABLE d RENAME COLUMN m TO mean")
    assert _current(bench.lake) == four
    bench.lake.restore("d", version=three)
    bench.lake.restore("d", version=four)
    assert _rows(bench) == remembered[four]
    bench.verify_at_end("d")


def test_a_table_that_is_being_refreshed_is_not_restored(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    one, *_, four = remembered
    lease = leases.take(bench.lake.database, bench.lake.describe("d").table.id)
    assert lease is not None
    with pytest.raises(RefreshRunning):
        bench.lake.restore("d", version=one)
    leases.give_back(bench.lake.database, lease)
    assert _rows(bench) == remembered[four]
    bench.verify_at_end("d")


def test_downstream_tables_follow_what_is_restored_and_resumed(
    history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]],
) -> None:
    bench, remembered = history
    one, two, *_ = remembered
    bench.define("SELECT count(*) AS n, sum(m) AS s FROM d", "total")
    before = _rows(bench, "total")
    for number in (one, two):
        bench.lake.restore("d", version=number)
        assert [each.state for each in bench.lake.refresh("total")] == ["UPSTREAM_SUSPENDED"]
        assert _rows(bench, "total") == before
        bench.do("ALTER DYNAMIC TABLE d RESUME", "INSERT INTO t VALUES (1, 3)")
        assert [each.state for each in bench.lake.refresh("total")] == ["SUCCEED"]
        bench.agrees("SELECT count(*) AS n, sum(m) AS s FROM d", "total")
        assert bench.lake.verify("total").equal
        before = _rows(bench, "total")
    bench.verify_at_end("d")


def test_a_table_waits_for_the_others_if_the_version_that_it_needs_has_been_expired(bench: Bench) -> None:
    """One upstream stays behind; the other one's version for that data snapshot is gone."""
    lake = bench.lake
    bench.table("k INTEGER", "(1), (2)")
    bench.do("CREATE TABLE u (k INTEGER)", "INSERT INTO u VALUES (1)")
    bench.define("SELECT k FROM t", "one")
    bench.define("SELECT k FROM u", "other")
    bench.do("INSERT INTO t VALUES (3)", "INSERT INTO u VALUES (2)")
    lake.refresh("one", "other")
    behind = _current(lake, "one")
    bench.do("ALTER DYNAMIC TABLE other SUSPEND", "INSERT INTO t VALUES (4)")
    lake.refresh("one")
    bench.do("CREATE DYNAMIC TABLE d INITIALIZE = ON_SCHEDULE AS SELECT one.k FROM one JOIN other ON one.k = other.k")
    gone = [snapshot.id for snapshot in lake.snapshots() if snapshot.id <= behind + 2]
    lake.database.transact(lambda connection: remove_snapshots(connection, lake.data_path, gone, lake.clock.now()))
    (outcome,) = lake.refresh("d")
    assert outcome.state in ("SKIPPED", "UPSTREAM_SUSPENDED")
    assert "has been expired" in str(outcome.reason)
    bench.do("ALTER DYNAMIC TABLE other RESUME")
    assert [each.state for each in lake.refresh("d")] == ["SUCCEED"]
    bench.holds((1,), (2,))


def test_sql_lists_versions(history: tuple[Bench, dict[int, Counter[tuple[Any, ...]]]]) -> None:
    bench, remembered = history
    bench.define("SELECT count(*) AS n FROM t", "other")
    listed = bench.lake.sql("SHOW DYNAMIC TABLE VERSIONS FOR d")
    assert listed.columns[:4] == ("schema_name", "name", "version", "created_at")
    assert [row[:3] for row in listed.rows] == [("main", "d", number) for number in sorted(remembered, reverse=True)]
    assert bench.lake.sql("SHOW DYNAMIC TABLE VERSIONS").rows[: len(listed.rows)] == listed.rows
    for number, rows in remembered.items():
        assert bag(bench.lake.sql(f"SELECT * FROM d AT (VERSION => {number})").rows) == rows
    assert datetime.now(UTC) - listed.rows[0][3] < timedelta(minutes=10)
    bench.verify_at_end("d")
