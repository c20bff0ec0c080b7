"""EXPLAIN of a table over other dynamic tables tells what each refresh of the pass then does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater
from headwater.refresh.explain import Explanation
from headwater.service.lake import Lake
from tests.simulation.lake import DYNAMIC, Quick, playing

TABLES = {
    "sums": DYNAMIC["sums"],
    "kept": "SELECT k, s + 1 AS more FROM sums WHERE n > 0",
    "added": "SELECT k, x FROM t WHERE x > 2",
    "mixed": "SELECT kept.k, kept.more, added.x FROM kept JOIN added ON kept.k = added.k",
    "tops": "SELECT k, max(more) AS m, count(*) AS n FROM mixed GROUP BY k",
}


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    """Five dynamic tables over t, the last one over all others."""
    with headwater.connect(tmp_path) as found, playing(Quick()):
        found.sql("CREATE TABLE t (k BIGINT, x BIGINT); INSERT INTO t SELECT range % 5, range FROM range(200)")
        found.sql("CREATE TABLE other (k BIGINT)")
        for name, query in TABLES.items():
            found.sql(f"CREATE DYNAMIC TABLE {name} CARDINALITY_THRESHOLD = 1 AS {query}")
        yield found


def planned(found: Explanation) -> dict[str, tuple[str, str | None]]:
    return {each.name.name: (str(each.action), each.strategy) for each in (*found.upstreams, found)}


def done(lake: Lake) -> dict[str, tuple[str, str | None]]:
    """Refresh the last table, and tell what became of each, and that each holds what its query gives."""
    before = {name: lake.history(name)[0] for name in TABLES}
    lake.refresh("tops")
    found = {}
    for name, query in TABLES.items():
        newest = lake.history(name)[0]
        ran = newest.id != before[name].id or newest.runs != before[name].runs
        found[name] = (str(newest.action), newest.strategy) if ran else ("NO_DATA", None)
        assert sorted(lake.sql(f"SELECT * FROM {name}").rows) == sorted(lake.sql(query).rows), name
    return found


def test_the_plan_of_a_chain_is_what_the_pass_does(lake: Lake) -> None:
    seed = random.Random(11)
    statements = [
        "INSERT INTO t VALUES ({k}, {x})",
        "UPDATE t SET x = x + 100 WHERE k = {k}",
        "DELETE FROM t WHERE k = {k} AND x = (SELECT max(x) FROM t WHERE k = {k})",
        "INSERT INTO other VALUES (1)",
        "INSERT INTO t VALUES ({k}, {x}), (7, {x}); DELETE FROM t WHERE k = 7",
    ]
    for turn in range(8):
        text = statements[turn % 5] if turn < 5 else seed.choice(statements)
        lake.sql(text.format(k=seed.randrange(5), x=1000 + turn))
        if turn % 3 == 2:
            # One of the upstreams is ahead of the others.
            lake.refresh(seed.choice(["sums", "added"]))
        expected = planned(lake.explain("tops"))
        assert list(expected) in (
            ["sums", "added", "kept", "mixed", "tops"],
            ["added", "sums", "kept", "mixed", "tops"],
        )
        assert done(lake) == expected, text


def test_upstreams_without_changes_are_not_shown_as_refreshed_first(lake: Lake) -> None:
    def shown() -> list[str]:
        return [row[1] for row in lake.sql("EXPLAIN DYNAMIC TABLE tops").rows if row[0] == "refreshed first"]

    assert shown() == []
    lake.sql("INSERT INTO t VALUES (1, 0)")
    assert [line.partition(":")[0] for line in shown()] == ["main.sums", "main.added", "main.kept", "main.mixed"]
    lake.refresh("sums", "added")
    assert [line.partition(":")[0] for line in shown()] == ["main.kept", "main.mixed"]


def test_a_full_refresh_and_a_suspended_upstream_are_foreseen(lake: Lake) -> None:
    lake.sql("ALTER DYNAMIC TABLE kept SET REFRESH_MODE = FULL; INSERT INTO t VALUES (1, 5000)")
    found = lake.explain("tops")
    assert planned(found)["kept"] == ("FULL", None)
    assert planned(found)["tops"][0] == "INCREMENTAL"
    rows = [row for row in lake.sql("EXPLAIN DYNAMIC TABLE tops").rows if row[0] == "refreshed first"]
    assert [row[1].partition(",")[0] for row in rows][:1] == ["main.sums: INCREMENTAL ADDITIVE"]
    assert done(lake) == planned(found)
    lake.sql("ALTER DYNAMIC TABLE kept SUSPEND; ALTER DYNAMIC TABLE mixed RESUME; ALTER DYNAMIC TABLE tops RESUME")
    lake.sql("INSERT INTO t VALUES (1, 6000)")
    found = lake.explain("tops")
    assert "kept" not in planned(found)
    assert planned(found)["added"] == ("INCREMENTAL", "APPEND_ONLY")


def test_a_table_before_its_first_refresh_waits_for_its_upstreams(lake: Lake) -> None:
    lake.sql("CREATE DYNAMIC TABLE late INITIALIZE = ON_SCHEDULE AS SELECT k FROM tops; INSERT INTO t VALUES (1, 5000)")
    found = lake.explain("late")
    assert planned(found)["late"] == ("REINITIALIZE", None)
    assert planned(found)["sums"] == ("INCREMENTAL", "ADDITIVE")
    assert [str(outcome.action) for outcome in lake.refresh("late")] == ["REINITIALIZE"]
