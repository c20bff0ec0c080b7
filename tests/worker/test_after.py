"""AFTER: tables that come after others which they do not read, from CREATE to the worker's pass."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

import headwater
from headwater.core.errors import DefinitionRefused, NotFound, Position
from headwater.refresh import check_definition
from headwater.refresh.dependencies import before
from headwater.registry import definitions, frontiers, leases
from headwater.service.graph import graph
from headwater.service.lake import Lake
from headwater.worker.observe_lake import load_lake_state
from headwater.worker.tick import Tick
from tests import arrow_lake
from tests.fakes.clock import FakeClock
from tests.fakes.failing_engine import FailingEngine
from tests.fix_db import Catalog
from tests.service.sums import SUMS, change, make, right
from tests.simulation.lake import playing


@pytest.fixture
def engine() -> Iterator[FailingEngine]:
    found = FailingEngine()
    with playing(found):
        yield found


@pytest.fixture
def lake(catalog: Catalog, engine: FailingEngine) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as found:
        found.clock = FakeClock()
        for name in ("t", "u", "load"):
            found.sql(f"CREATE TABLE {name} (k BIGINT, x BIGINT)")
            arrow_lake.append(found, name, [(n % 3, n) for n in range(4)] + [(None, 7), (1, None), (1, 1), (1, 1)])
        yield found


def tick(lake: Lake, seconds: float = 3600) -> Tick:
    assert isinstance(lake.clock, FakeClock)
    lake.clock.ahead += timedelta(seconds=seconds)
    return lake.tick()


def ran(found: Tick) -> list[tuple[str, str]]:
    return [(outcome.name.name, outcome.state) for outcome in found.outcomes]


def status(lake: Lake, name: str) -> headwater.core.table_status.TableStatus:
    return next(each for each in lake.status() if each.name.name == name)


def test_a_scheduled_time_is_served_once_though_there_is_nothing_to_do(lake: Lake) -> None:
    make(lake, "d", "REFRESH INTERVAL 1 HOUR", "t")
    for _ in range(2):
        assert ran(tick(lake)) == [("d", "SUCCEED")]
        assert ran(tick(lake, 600)) == []
    change(lake, "t")
    assert ran(tick(lake, 600)) == []
    assert ran(tick(lake)) == [("d", "SUCCEED")]
    right(lake, "d", "t")


def test_a_followed_table_comes_first_by_hand_and_on_schedule(lake: Lake) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'd'", "t")
    change(lake, "t")
    change(lake, "u")
    assert ran(tick(lake)) == [("d", "SUCCEED"), ("f", "SUCCEED")]
    assert right(lake, "d", "u") == right(lake, "f", "t")
    change(lake, "t")
    assert ran(tick(lake)) == [("f", "SUCCEED")], "what has not changed is not waited for"
    right(lake, "f", "t")
    change(lake, "u")
    assert ran(tick(lake)) == [], "a follower is not due for what it does not read"
    change(lake, "t")
    (outcome,) = lake.refresh("f")
    assert (outcome.state, outcome.action) == ("SUCCEED", "INCREMENTAL")
    assert right(lake, "d", "u") == right(lake, "f", "t")
    assert [row.name.name for row in lake.history()][:2] == ["f", "d"]


def test_when_the_followed_fails_the_follower_is_left(lake: Lake, engine: FailingEngine) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'd'", "t")
    before_failure = right(lake, "f", "t")
    change(lake, "t")
    change(lake, "u")
    engine.failing = frozenset({"d"})
    assert ran(tick(lake)) == [("d", "FAILED"), ("f", "UPSTREAM_FAILED")]
    assert right(lake, "f", "t") == before_failure
    reason = 'it is refreshed after "main"."d", whose refresh failed'
    assert lake.history("f")[0].reason == reason
    waits = status(lake, "f").waiting_reason
    assert waits is not None
    assert waits.startswith('upstream "main"."d" failed once, next attempt at ')
    assert ran(tick(lake, 1)) == [], "it waits with the one that it follows"
    engine.failing = frozenset()
    assert ran(tick(lake)) == [("d", "SUCCEED"), ("f", "SUCCEED")]
    right(lake, "f", "t")


def test_by_hand_too_a_failure_is_not_passed_by(lake: Lake, engine: FailingEngine) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "AFTER = 'd'", "t")
    change(lake, "t")
    change(lake, "u")
    engine.failing = frozenset({"d"})
    with pytest.raises(headwater.core.errors.RefreshFailed):
        lake.refresh("f")
    assert lake.history("f")[0].state == "UPSTREAM_FAILED"


def test_what_another_worker_holds_is_left_with_its_followers(lake: Lake) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'd'", "t")
    change(lake, "t")
    change(lake, "u")
    with lake.reader() as reader:
        (held,) = (t.id for t in definitions.load(reader.connection) if t.name.name == "d")
    lease = leases.take(lake.database, held)
    assert lease is not None
    assert ran(tick(lake)) == [("d", "SKIPPED")]
    leases.give_back(lake.database, lease)
    assert ran(tick(lake)) == [("d", "SUCCEED"), ("f", "SUCCEED")]
    right(lake, "f", "t")


def test_a_suspended_table_is_not_passed_by_on_schedule(lake: Lake) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'd'", "t")
    lake.sql("ALTER DYNAMIC TABLE d SUSPEND")
    assert status(lake, "f").state == "ACTIVE", "it does not read the suspended one"
    change(lake, "t")
    change(lake, "u")
    assert ran(tick(lake)) == []
    assert status(lake, "f").waiting_reason == '"main"."f" is refreshed after "main"."d", which is suspended'
    (outcome,) = lake.refresh("f")
    assert outcome.succeeded, "a person is not kept from it"
    right(lake, "f", "t")


def test_a_change_of_a_plain_table_is_waited_for(lake: Lake) -> None:
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'load, u'", "t")
    first = right(lake, "f", "t")
    change(lake, "t")
    change(lake, "load")
    assert ran(tick(lake)) == []
    seen = status(lake, "f")
    assert seen.waiting_reason == 'waits for changes in "main"."u"'
    assert (seen.lag, seen.late) == (0, False)
    assert [each.lag for each in load_lake_state(lake.site).tables] == [0]
    assert right(lake, "f", "t") == first
    change(lake, "u")
    seen = status(lake, "f")
    assert (seen.waiting_reason, seen.late) == (None, False)
    assert ran(tick(lake)) == [("f", "SUCCEED")]
    assert right(lake, "f", "t") > first
    change(lake, "t")
    assert ran(tick(lake)) == [], "what was waited for before counts once"
    (outcome,) = lake.refresh("f")
    assert outcome.succeeded, "a person is not kept from it"
    right(lake, "f", "t")


def test_a_change_while_there_is_nothing_to_do_is_used_up(lake: Lake) -> None:
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'load'", "t")
    change(lake, "load")
    assert ran(tick(lake)) == []
    change(lake, "t")
    assert ran(tick(lake)) == []
    change(lake, "load")
    assert ran(tick(lake)) == [("f", "SUCCEED")]
    right(lake, "f", "t")


def test_compaction_and_columns_are_no_change(lake: Lake) -> None:
    change(lake, "load")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'load'", "t")
    change(lake, "t")
    compacted = arrow_lake.compact(lake, "load")
    assert compacted.files_before > compacted.files_after
    lake.sql("ALTER TABLE load ADD COLUMN note VARCHAR")
    assert ran(tick(lake)) == []
    positions = {file: places[:1] for file, places in arrow_lake.live_positions(lake, "load").items()}
    arrow_lake.delete(lake, "load", positions)
    assert ran(tick(lake)) == [("f", "SUCCEED")]
    right(lake, "f", "t")


def test_what_reads_a_follower_waits_and_goes_with_it(lake: Lake) -> None:
    make(lake, "f", "TARGET_LAG = DOWNSTREAM AFTER = 'load'", "t")
    lake.sql("CREATE DYNAMIC TABLE top TARGET_LAG = '1 minute' AS SELECT k, s FROM f")
    change(lake, "t")
    assert ran(tick(lake)) == []
    assert status(lake, "top").waiting_reason == 'upstream "main"."f" waits for changes in "main"."load"'
    assert not any(each.late for each in lake.status())
    change(lake, "load")
    assert not any(each.late for each in lake.status())
    assert ran(tick(lake)) == [("f", "SUCCEED"), ("top", "SUCCEED")]
    right(lake, "f", "t")
    right(lake, "top", "t")


def test_the_first_refresh_waits_for_no_change(lake: Lake) -> None:
    make(lake, "f", "TARGET_LAG = '1 minute' INITIALIZE = ON_SCHEDULE AFTER = 'load'", "t")
    assert ran(tick(lake)) == [("f", "SUCCEED")]
    right(lake, "f", "t")


def test_it_is_shown_written_down_and_follows_renames(lake: Lake) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'load, d'", "t")
    lake.sql("ALTER TABLE load RENAME TO loaded")
    lake.sql("ALTER DYNAMIC TABLE d RENAME TO e")
    (text,) = lake.sql("SHOW CREATE DYNAMIC TABLE f").rows[0]
    assert """AFTER = '"main"."loaded", "main"."e"\'""" in text
    assert ("# after", "main.loaded, main.e", None) in lake.sql("DESC DYNAMIC TABLE f").rows
    assert [str(name) for name in status(lake, "f").after] == ['"main"."loaded"', '"main"."e"']
    node = next(each for each in graph(lake.site) if each.name.name == "f")
    assert [name.name for name in node.reads] == ["t"]
    assert [name.name for name in node.after] == ["e", "loaded"]
    lake.sql("ALTER DYNAMIC TABLE f SET COMMENT = 'x'")
    change(lake, "t")
    change(lake, "u")
    assert ran(tick(lake)) == []
    change(lake, "loaded")
    assert ran(tick(lake)) == [("e", "SUCCEED"), ("f", "SUCCEED")]
    right(lake, "f", "t")
    lake.sql("ALTER DYNAMIC TABLE f UNSET AFTER")
    assert "AFTER" not in lake.sql("SHOW CREATE DYNAMIC TABLE f").rows[0][0]
    change(lake, "t")
    change(lake, "u")
    assert ran(tick(lake)) == [("f", "SUCCEED")]
    right(lake, "f", "t")
    lake.sql("ALTER DYNAMIC TABLE f SET AFTER = 'e'")
    change(lake, "t")
    assert ran(tick(lake)) == [("e", "SUCCEED"), ("f", "SUCCEED")]


def test_a_dropped_table_is_not_waited_for_until_there_is_one_of_its_name(lake: Lake) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'load, d'", "t")
    lake.sql("DROP TABLE load")
    lake.sql("DROP DYNAMIC TABLE d")
    gone = "main.load (dropped, ignored), main.d (dropped, ignored)"
    assert ("# after", gone, None) in lake.sql("DESC DYNAMIC TABLE f").rows
    assert status(lake, "f").after == ()
    change(lake, "t")
    change(lake, "u")
    assert ran(tick(lake)) == [("f", "SUCCEED")]
    lake.sql("CREATE TABLE load (k BIGINT, x BIGINT)")
    lake.sql("UNDROP DYNAMIC TABLE d")
    change(lake, "t")
    change(lake, "u")
    assert ran(tick(lake)) == []
    assert status(lake, "f").waiting_reason == 'waits for changes in "main"."load"'
    change(lake, "load")
    assert ran(tick(lake)) == [("d", "SUCCEED"), ("f", "SUCCEED")]
    right(lake, "f", "t")


def test_a_replaced_table_is_followed_on(lake: Lake) -> None:
    make(lake, "d", "", "u")
    make(lake, "f", "TARGET_LAG = '1 minute' AFTER = 'd'", "t")
    lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE d CLUSTER BY (k) AS {SUMS.format('u')}")
    change(lake, "t")
    change(lake, "u")
    assert ran(tick(lake)) == [("d", "SUCCEED"), ("f", "SUCCEED")]
    lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE f AS {SUMS.format('t')}")
    assert status(lake, "f").after == ()


def test_unknown_names_and_views_are_refused_where_they_stand(lake: Lake) -> None:
    lake.sql("CREATE VIEW v AS SELECT 1 AS a")
    text = "CREATE DYNAMIC TABLE f\n  AFTER = '{}' AS SELECT k FROM t"
    for name, kind, message in (
        ("gone", NotFound, 'table "main"."gone" does not exist'),
        ("nowhere.load", NotFound, 'schema "nowhere" does not exist'),
        ("v", DefinitionRefused, 'AFTER names "main"."v", which is a view'),
        ("f", DefinitionRefused, '"main"."f" would come after itself'),
    ):
        with pytest.raises(kind) as caught:
            lake.sql(text.format(name))
        assert (caught.value.message, caught.value.position) == (message, Position(2, 11))
        assert caught.value.hint
    make(lake, "f", "", "t")
    with pytest.raises(NotFound, match=r'table "main"\."gone" does not exist') as caught:
        lake.sql("ALTER DYNAMIC TABLE f SET AFTER = 'load, gone'")
    assert caught.value.position == Position(1, 35)
    assert status(lake, "f").after == ()


def test_circles_are_refused_and_named(lake: Lake) -> None:
    make(lake, "a", "", "t")
    lake.sql("CREATE DYNAMIC TABLE b AS SELECT k, s FROM a")
    lake.sql("CREATE DYNAMIC TABLE c AFTER = 'b' AS SELECT k, x AS s FROM t")
    with pytest.raises(DefinitionRefused) as caught:
        lake.sql("ALTER DYNAMIC TABLE a SET AFTER = 'c'")
    assert caught.value.message == '"main"."a" would come after itself'
    assert caught.value.detail == (
        '"main"."a" comes after "main"."c", "main"."c" comes after "main"."b", "main"."b" reads "main"."a".'
    )
    assert caught.value.position == Position(1, 35)
    with pytest.raises(DefinitionRefused, match="would come after itself") as caught:
        lake.sql("CREATE OR REPLACE DYNAMIC TABLE a AS SELECT k, s FROM c")
    assert caught.value.position == Position(1, 38)
    with pytest.raises(DefinitionRefused, match=r'"main"\."a" would read itself') as caught:
        lake.sql("CREATE OR REPLACE DYNAMIC TABLE a AS SELECT k, s FROM a")
    assert caught.value.detail == '"main"."a" reads "main"."a".'
    with pytest.raises(DefinitionRefused, match=r'"main"\."a" would read itself'):
        lake.sql("CREATE OR REPLACE DYNAMIC TABLE a AS SELECT k, s FROM b")
    with pytest.raises(DefinitionRefused, match="would come after itself"):
        lake.sql("ALTER DYNAMIC TABLE a SET AFTER = 'a'")
    lake.sql("DROP DYNAMIC TABLE b")
    with pytest.raises(DefinitionRefused, match="would come after itself"):
        lake.sql("CREATE DYNAMIC TABLE b AS SELECT k, s FROM c")


def test_a_circle_that_two_made_at_once_does_not_stop_the_rest(lake: Lake) -> None:
    make(lake, "a", "TARGET_LAG = '1 minute'", "t")
    make(lake, "b", "TARGET_LAG = '1 minute' AFTER = 'a'", "t")
    with lake.reader() as reader:
        a, b = definitions.load(reader.connection)
    closing = definitions.after_stmts(a.id, [definitions.AfterDependency(b.id, b.name)])
    lake.database.transact(lambda connection: [connection.execute(each) for each in closing] and None)
    with lake.reader() as reader:
        assert before(definitions.load(reader.connection)) == {a.id: set(), b.id: set()}
    change(lake, "t")
    assert sorted(ran(tick(lake))) == [("a", "SUCCEED"), ("b", "SUCCEED")]
    assert right(lake, "a", "t") == right(lake, "b", "t")


def test_tables_that_read_each_other_wait_and_do_not_stop_the_rest(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    make(lake, "a", "TARGET_LAG = '1 minute'", "t")
    make(lake, "c", "TARGET_LAG = '1 minute'", "t")
    for name, source in (("b", "a"), ("d", "b")):
        lake.sql(f"CREATE DYNAMIC TABLE {name} TARGET_LAG = '1 minute' AS SELECT k, s FROM {source}")
    # Who changed a and who changed b have not seen each other.
    with monkeypatch.context() as at_once:
        at_once.setattr(check_definition, "refuse_circle", lambda *_, **__: None)
        lake.sql("CREATE OR REPLACE DYNAMIC TABLE a TARGET_LAG = '1 minute' AS SELECT k, s FROM b")
    change(lake, "t")
    changed = lake.snapshots()[-1].id
    assert ran(tick(lake)) == [("c", "SUCCEED")]
    assert right(lake, "c", "t") >= changed
    with lake.reader() as reader:
        held = frontiers.load(reader.connection)
        late = {table.name.name for table in definitions.load(reader.connection) if held[table.id].snapshot < changed}
    assert late == {each.name.name for each in lake.status() if each.lag} == {"a", "b", "d"}
    with pytest.raises(DefinitionRefused, match=r'"main"\."[ab]" reads itself'):
        lake.refresh("d")
    lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE a TARGET_LAG = '1 minute' AS {SUMS.format('t')}")
    assert ran(tick(lake)) == [("b", "SUCCEED"), ("d", "SUCCEED")]
    assert right(lake, "a", "t") == right(lake, "b", "t") == right(lake, "d", "t") >= changed


def test_a_new_column_keeps_what_it_comes_after(lake: Lake) -> None:
    make(lake, "f", "AFTER = 'load, u'", "t")
    lake.sql("ALTER TABLE load RENAME TO loaded")
    lake.sql("DROP TABLE u")
    lake.sql("ALTER DYNAMIC TABLE f ADD COLUMN count(*) AS n")
    after = next(row for row in lake.sql("DESC DYNAMIC TABLE f").rows if row[0] == "# after")
    assert after[1] == "main.loaded, main.u (dropped, ignored)"
