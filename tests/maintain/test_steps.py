"""Maintenance as a verb: steps in order, dry runs, options, beside others, on schedule."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import headwater
from headwater.core.errors import InvalidRequest, MaintenanceRunning, NotFound
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger
from headwater.maintain import step_result
from headwater.maintain.choose_files import Policy
from headwater.maintain.steps import STEPS, Rules
from headwater.registry import definitions, history, install, leases
from headwater.service.lake import Lake
from headwater.service.render import maintenance
from headwater.service.wiring import table_compactor
from headwater.service.worker_jobs import Plan, worker_jobs
from headwater.worker.jobs import running_beside
from tests import arrow_lake
from tests.duck import Duck
from tests.fakes.clock import FakeClock
from tests.fakes.copied_table import make_copied_table, refresh_copy
from tests.fix_db import Catalog

RULES = Rules(retention_days=1, policy=Policy(min_files=2))


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    """A lake with tables a and b, of four small files each."""
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        opened.clock = FakeClock()
        install.install(opened.database)
        for name in ("a", "b"):
            opened.sql(f"CREATE TABLE {name}(i INT, v VARCHAR)")
            for number in range(4):
                arrow_lake.append(opened, name, [(number, "v")])
        yield opened


def _files(lake: Lake, name: str) -> int:
    return len(lake.describe(name).files)


def _parquet(lake: Lake) -> int:
    return len(list(Path(lake.data_path).rglob("*.parquet")))


def test_steps_run_in_their_order_and_a_dry_run_changes_nothing(lake: Lake) -> None:
    assert isinstance(lake.clock, FakeClock)
    lake.clock.ahead = timedelta(days=2)
    last = lake.snapshots()[-1].id
    planned = lake.maintain(dry_run=True, rules=RULES)
    found = [(each.step, each.table and each.table.name, each.state, each.files, each.snapshots) for each in planned]
    assert found == [
        ("history", None, "planned", None, None),
        ("compact", "a", "planned", 4, None),
        ("compact", "b", "planned", 4, None),
        ("expire", None, "planned", None, last),
        ("cleanup", None, "planned", 0, None),
        ("orphans", None, "planned", 0, None),
    ]
    assert (lake.snapshots()[-1].id, _files(lake, "a"), _parquet(lake)) == (last, 4, 8)
    done = lake.maintain(rules=RULES)
    assert [(each.step, each.state) for each in done] == [(each.step, "done") for each in planned]
    assert (_files(lake, "a"), _files(lake, "b")) == (1, 1)
    # Compaction made snapshots of its own, which are young.
    assert [snapshot.id for snapshot in lake.snapshots()] == [last + 1, last + 2]
    assert _parquet(lake) == 10
    lake.clock.ahead += timedelta(days=2)
    assert [each.files for each in lake.maintain(only=["cleanup"], rules=RULES)] == [8]
    assert _parquet(lake) == 2
    # The snapshot before the last goes with time; then there is nothing left to do.
    assert [each.snapshots for each in lake.maintain(only=["expire"], rules=RULES)] == [1]
    assert all(each.idle for each in lake.maintain(rules=RULES))


def test_tables_and_steps_can_be_chosen(lake: Lake) -> None:
    (only,) = lake.maintain("b", rules=RULES)
    assert (only.step, only.files, only.files_after) == ("compact", 4, 1)
    assert (_files(lake, "a"), _files(lake, "b")) == (4, 1)
    with pytest.raises(NotFound):
        lake.maintain("c")
    with pytest.raises(InvalidRequest, match='step "vacuum" does not exist'):
        lake.maintain(only=["vacuum"])
    with pytest.raises(InvalidRequest, match="does not apply to single tables"):
        lake.maintain("b", only=["compact", "expire"])
    assert list(STEPS) == ["history", "compact", "expire", "cleanup", "orphans"]


def test_tables_that_say_so_are_compacted_by_name_only(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute("CALL lake.set_option('auto_compact', false, table_name => 'a')")
    duck.detach()
    states = {each.table.name: each.state for each in lake.maintain(only=["compact"], rules=RULES) if each.table}
    assert states == {"a": "left", "b": "done"}
    assert (_files(lake, "a"), _files(lake, "b")) == (4, 1)
    assert lake.maintain("a", rules=RULES)[0].files_after == 1


def test_dynamic_tables_say_so_by_a_property_and_others_keep_away(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    table_id = make_copied_table(lake)
    for number in range(3):
        arrow_lake.append(lake, "t", [(number, "v")])
        assert refresh_copy(lake, table_id).state == "SUCCEED"
    with lake.reader() as reader:
        table = definitions.find(reader.connection, table_id)
    assert table is not None
    off = replace(table.statement, properties=replace(table.statement.properties, auto_compact=False))
    lake.database.execute(*definitions.new_version_stmts(replace(table, version=2, statement=off), datetime.now(UTC)))
    states = {each.table.name: each.state for each in lake.maintain(only=["compact"], rules=RULES) if each.table}
    assert states == {"a": "done", "b": "done", "t": "done", "d": "left"}
    assert _files(lake, "d") == 3
    # DuckLake's own option is set, so that others leave it alone as well.
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute("CALL ducklake_merge_adjacent_files('lake')")
    assert _files(lake, "d") == 3
    assert lake.maintain("d", rules=RULES)[0].files_after == 1


def test_one_run_at_a_time(lake: Lake) -> None:
    leases.provide(lake.database, leases.MAINTENANCE)
    lease = leases.take(lake.database, leases.MAINTENANCE)
    assert lease is not None
    with pytest.raises(MaintenanceRunning):
        lake.maintain()
    leases.give_back(lake.database, lease)
    lake.maintain(rules=RULES)


def test_files_of_others_and_of_a_long_refresh_are_no_orphans(lake: Lake) -> None:
    assert isinstance(lake.clock, FakeClock)
    lake.clock.ahead = timedelta(days=3)
    orphan, foreign = (Path(lake.data_path) / name for name in ("main/a/ducklake-01-ab.parquet", "notes.parquet"))
    for path in (orphan, foreign):
        path.write_bytes(b"x")
    table_id = make_copied_table(lake)
    lease = leases.take(lake.database, table_id)
    assert lease is not None
    began = datetime.now(UTC) - timedelta(hours=1)
    row = RefreshRecord(
        "r", table_id, TableName("main", "d"), "default", RefreshState.RUNNING, RefreshTrigger.MANUAL, began
    )
    lake.database.execute(history.insert_stmt(row))
    assert [each.files for each in lake.maintain(only=["orphans"])] == [0]
    leases.give_back(lake.database, lease)
    assert [each.files for each in lake.maintain(only=["orphans"])] == [1]
    assert (orphan.exists(), foreign.exists()) == (False, True)


def test_what_fails_leaves_the_rest_be(lake: Lake) -> None:
    Path(lake.describe("a").files[0].file.path).unlink()
    states = {(each.step, each.table and each.table.name): each.state for each in lake.maintain(rules=RULES)}
    assert states[("compact", "a")] == "failed"
    assert states[("compact", "b")] == "done"
    assert states[("orphans", None)] == "done"


def test_a_worker_maintains_on_schedule(lake: Lake) -> None:
    said: list[tuple[str, object]] = []
    done = threading.Event()

    class Log:
        def info(self, event: str, **facts: object) -> None:
            said.append((event, facts.get("table")))
            if facts.get("table") == '"main"."b"':
                done.set()

        warning = error = info

    site, compactor = lake.site, table_compactor(lake.site, lake.warehouses)
    with running_beside(worker_jobs(site, compactor, Plan(every=0.0, rules=RULES)), site.clock, Log()):
        pass
    assert said == []
    with running_beside(worker_jobs(site, compactor, Plan(60.0, RULES, first=0.0)), site.clock, Log()):
        assert done.wait(60)
    assert said[:2] == [("maintenance", '"main"."a"'), ("maintenance", '"main"."b"')]
    assert (_files(lake, "a"), _files(lake, "b")) == (1, 1)


def test_outcomes_are_rows(lake: Lake) -> None:
    found = maintenance(lake.maintain(rules=RULES))
    assert found.columns == step_result.COLUMNS
    assert [row[0] for row in found.rows] == ["history", "compact", "compact", "expire", "cleanup", "orphans"]
