"""The history says why each refresh did what it did, and by when the lag asked for its end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.fakes.clock import FakeClock
from tests.refresh.followed import Bench

pytestmark = pytest.mark.usefixtures("small_spark")


def test_the_history_has_the_reason_and_the_time_by_which_a_refresh_should_end(bench: Bench) -> None:
    bench.table("k INTEGER, x INTEGER", "(1, 10), (1, 20), (2, 4)")
    bench.define("SELECT k, x FROM t WHERE x > 5", "base", TARGET_LAG="DOWNSTREAM")
    bench.define("SELECT k, sum(x) AS s FROM base GROUP BY k", TARGET_LAG="'5 minutes'")
    bench.define("SELECT count(*) AS n FROM t", "other")
    bench.do("INSERT INTO t VALUES (1, 30), (3, 7)")
    changed = bench.lake.snapshots()[-1].time
    bench.lake.refresh("d", "other")
    bench.agrees("SELECT k, sum(x) AS s FROM t WHERE x > 5 GROUP BY k")
    bench.agrees("SELECT count(*) AS n FROM t", "other")
    wanted = {"d": changed + timedelta(minutes=5), "base": changed + timedelta(minutes=5), "other": None}
    for name, completion_target in wanted.items():
        refreshed, *_, created = bench.lake.history(name)
        assert (refreshed.completion_target, created.completion_target) == (completion_target, None)
        shown = bench.lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {name} WHERE reason = 'first refresh'")
        (row,) = (dict(zip(shown.columns, values, strict=True)) for values in shown.rows)
        assert (row["job_id"], row["reason"], row["completion_target"]) == (created.id, "first refresh", None)
        shown = bench.lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {name} LIMIT 1")
        (row,) = (dict(zip(shown.columns, values, strict=True)) for values in shown.rows)
        assert (row["reason"], row["completion_target"]) == (refreshed.reason, completion_target)
        assert refreshed.reason
    # Nothing to do: no lag asks for anything.
    bench.lake.refresh("d")
    assert (bench.lake.history("d")[0].action, bench.lake.history("d")[0].completion_target) == ("NO_DATA", None)


def test_a_scheduled_refresh_has_the_target_of_its_lag(bench: Bench) -> None:
    bench.table("k INTEGER", "(1)")
    bench.define("SELECT k FROM t", TARGET_LAG="'5 minutes'")
    bench.do("INSERT INTO t VALUES (2)")
    changed = bench.lake.snapshots()[-1].time
    bench.lake.clock = clock = FakeClock()
    clock.ahead = timedelta(minutes=10)
    (outcome,) = bench.lake.tick().outcomes
    assert outcome.trigger == "LH_SCHEDULED"
    assert outcome.completion_target == changed + timedelta(minutes=5)
    bench.agrees("SELECT k FROM t")
