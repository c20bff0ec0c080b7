"""Few changes that much comes of are carried out all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.core.errors import ResultTooLarge
from headwater.execute import landing, spark_engine, stage
from headwater.service.lake import Lake
from tests.fix_db import Catalog

JOINED = "SELECT a.x, b.y, count(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY a.x, b.y"


@pytest.fixture
def joined(new_catalog: Callable[[str], Catalog], spark: SparkSession) -> Iterator[Lake]:
    catalog = new_catalog("sqlite")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        _fill(lake)
        yield lake


def _fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE a (x INTEGER, k INTEGER); INSERT INTO a SELECT range, range % 3 FROM range(30)")
    lake.sql("CREATE TABLE b (y INTEGER, k INTEGER); INSERT INTO b SELECT range, range % 3 FROM range(30)")
    lake.sql(f"CREATE DYNAMIC TABLE d AS {JOINED}")
    lake.sql("CREATE DYNAMIC TABLE e AS SELECT a.x, b.y FROM a LEFT JOIN b ON a.k = b.k")
    lake.sql("INSERT INTO a VALUES (100, 1), (101, NULL); DELETE FROM a WHERE x = 4; UPDATE b SET y = 7 WHERE y = 8")


def _follows(lake: Lake) -> None:
    for name in ("d", "e"):
        assert lake.refresh(name)[-1].action == "INCREMENTAL"
        assert lake.verify(name).equal


def test_rows_beyond_few_stay_where_they_are(joined: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "FEW_ROWS", 2)
    _follows(joined)


def test_changes_that_reach_far_are_not_kept_at_hand(joined: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_engine, "_MOST_REACH", 0)
    _follows(joined)


def test_what_does_not_fit_into_memory_is_left_to_spark(joined: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def full(rows: object) -> None:
        tried.append(rows)
        raise ResultTooLarge("a result is too large", detail="It is bigger than spark.driver.maxResultSize.")

    monkeypatch.setattr(landing, "fetched", full)
    _follows(joined)
    assert len(tried) == 2
