"""The profile of a job: found by id, table or tag, with its phases, counts and SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import InvalidRequest, NotFound, RefreshFailed
from headwater.maintain.forget_history import forget_history
from headwater.refresh.engine import Work
from headwater.registry import tables
from headwater.service.lake import Lake
from headwater.service.profile import job_profile
from tests import arrow_lake
from tests.fakes.clock import FakeClock
from tests.fakes.failing_engine import FailingEngine
from tests.fix_db import Catalog
from tests.service.sums import change, make, right
from tests.simulation.lake import Quick, playing


class Engine(Quick):
    """Says that it read something, and remembers the tags of its work."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def track_jobs(self, tag: str, tell: object, pool: str | None = None) -> AbstractContextManager[object]:  # type: ignore[override]
        @contextmanager
        def work() -> Iterator[object]:
            self.tags.append(tag)
            yield lambda: Work(rows_read=12, bytes_read=345, jobs=2)

        return work()


@pytest.fixture
def engine() -> Iterator[Engine]:
    found = Engine()
    with playing(found):
        yield found


@pytest.fixture
def lake(catalog: Catalog, engine: Engine) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as found:
        found.clock = FakeClock()
        found.sql("CREATE TABLE t (k BIGINT, x BIGINT)")
        arrow_lake.append(found, "t", [(1, 1), (1, 1), (None, 2), (2, None)])
        make(found, "d", "CARDINALITY_THRESHOLD = 1", "t")
        yield found


def plans(lake: Lake) -> int:
    with lake.database.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(tables.plan)).scalar_one()


def test_a_creation_has_a_profile(lake: Lake, engine: Engine) -> None:
    (row,) = lake.history("d")
    found = lake.profile(row.id)
    assert engine.tags == [row.id], "the engine knows the work by the id of the job"
    done, stats = found.refresh, found.refresh.stats
    assert (done.id, str(done.name), done.trigger) == (row.id, '"main"."d"', "CREATION")
    assert (done.state, done.action, done.reason) == ("SUCCEED", "REINITIALIZE", "first refresh")
    assert (done.rows_inserted, done.rows_deleted, stats.rows_read, stats.bytes_read) == (3, 0, 12, 345)
    assert (stats.jobs, stats.source_files, stats.files_written) == (2, 1, 1)
    assert stats.bytes_written
    assert [phase.name for phase in found.phases] == ["compute", "commit", "other"]
    assert found.sql is not None
    assert found.sql.startswith('-- hw_source_1: "main"."t"\nSELECT k, sum(x) AS s FROM `hw_source_1`')


def test_an_incremental_refresh_shows_the_sql_that_followed_the_changes(lake: Lake) -> None:
    change(lake, "t")
    (outcome,) = lake.refresh("d")
    found = lake.profile(outcome.id)
    assert (found.refresh.action, found.refresh.strategy) == ("INCREMENTAL", "ADDITIVE")
    assert found.refresh.reason == '"main"."t" changed'
    assert found.refresh.data_snapshot == right(lake, "d", "t")
    assert [phase.name for phase in found.phases] == ["plan", "compute", "commit", "other"]
    timed = sum(phase.seconds for phase in found.phases)
    assert timed >= found.refresh.seconds - 0.01
    assert found.sql is not None
    assert '-- hw_source_1_delta: rows inserted into "main"."t" (__w = 1)' in found.sql
    assert (found.refresh.rows_inserted, found.refresh.rows_deleted) == (outcome.rows_inserted, outcome.rows_deleted)


def test_it_is_the_sql_that_explain_announced(lake: Lake) -> None:
    change(lake, "t")
    announced = lake.explain("d").sql
    (outcome,) = lake.refresh("d")
    assert lake.profile(outcome.id).sql == announced


def test_a_text_is_kept_once_and_forgotten_with_the_last_that_ran_it(lake: Lake) -> None:
    for _ in range(3):
        change(lake, "t")
        lake.refresh("d")
    assert plans(lake) == 2, "that of the whole query and that of its changes"
    assert isinstance(lake.clock, FakeClock)
    lake.clock.ahead += timedelta(days=30)
    lake.sql("DROP DYNAMIC TABLE d")
    make(lake, "e", "", "t")
    forget_history(lake.site, 1)
    kept = {row.plan_id for row in lake.history()}
    assert plans(lake) == len(kept)
    assert lake.profile(table="e").sql is not None


def test_a_table_has_its_newest_job_that_had_something_to_do(lake: Lake) -> None:
    change(lake, "t")
    (outcome,) = lake.refresh("d")
    (idle,) = lake.refresh("d")
    assert idle.action == "NO_DATA"
    assert lake.profile(table="main.d").refresh.id == outcome.id
    assert lake.profile(tag=outcome.id) == lake.profile(outcome.id)
    nothing = lake.profile(idle.id)
    assert (nothing.refresh.action, nothing.sql, nothing.refresh.stats.rows_read, nothing.phases) == (
        "NO_DATA",
        None,
        None,
        (),
    )


def test_a_job_that_failed_has_a_profile_too(lake: Lake) -> None:
    change(lake, "t")
    failing = FailingEngine()
    failing.failing = frozenset({"d"})
    with playing(failing), pytest.raises(RefreshFailed):
        lake.refresh("d")
    found = lake.profile(table="d")
    assert (found.refresh.state, found.refresh.rows_inserted) == ("FAILED", 0)
    assert found.refresh.error is not None
    assert found.sql is not None
    assert found.sql.startswith('-- hw_source_1: "main"."t"\nSELECT'), "what was tried last"
    right(lake, "d", "t")


def test_sql_shows_it(lake: Lake) -> None:
    (row,) = lake.history("d")
    shown = lake.sql(f"SHOW DYNAMIC TABLE JOB PROFILE '{row.id}'")
    assert shown == lake.sql("SHOW DYNAMIC TABLE JOB PROFILE FOR d") == job_profile(lake.profile(row.id))
    facts = dict(shown.rows)
    assert (facts["job_id"], facts["table"], facts["sources"]) == (row.id, "main.d", "main.t")
    assert float(facts["compute_seconds"]) >= 0
    assert "strategy" not in facts, "what is not known is not shown"


def test_what_is_not_there_is_said(lake: Lake) -> None:
    with pytest.raises(NotFound, match='no job with id "gone" is in the history') as caught:
        lake.profile("gone")
    assert caught.value.hint == "Run SHOW DYNAMIC TABLE REFRESH HISTORY to list the job ids."
    with pytest.raises(NotFound, match='no job with the tag "gone"'):
        lake.profile(tag="gone")
    with pytest.raises(NotFound, match="does not exist"):
        lake.profile(table="gone")
    make(lake, "later", "INITIALIZE = ON_SCHEDULE", "t")
    with pytest.raises(NotFound, match="has no job yet"):
        lake.profile(table="later")
    for wrong in ({}, {"job_id": "a", "tag": "b"}):
        with pytest.raises(InvalidRequest, match="by one of id, table and tag"):
            lake.profile(**wrong)


def test_a_lake_without_dynamic_tables_has_no_jobs(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake, pytest.raises(NotFound):
        lake.profile("gone")
