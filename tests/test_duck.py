"""The fixtures themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from tests.duck import Duck, DuckError
from tests.fix_db import Catalog
from tests.postgres import Postgres


def test_a_lake_is_made_and_read_on_each_catalog(duck_lake: Duck, catalog: Catalog) -> None:
    duck_lake.batch(["CREATE TABLE t (i INTEGER, s VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (NULL, 'it''s')"])
    assert duck_lake.execute("FROM t ORDER BY i") == [(1, "a"), (None, "it's")]
    assert duck_lake.columns("FROM t") == [("i", "INTEGER"), ("s", "VARCHAR")]
    assert duck_lake.arrow("FROM t WHERE i = 1").to_pylist() == [{"i": 1, "s": "a"}]


def test_one_process_serves_many_lakes(duck: Duck, catalog_kind: str, new_catalog: Callable[[str], Catalog]) -> None:
    places = [new_catalog(catalog_kind) for _ in range(3)]
    for number, place in enumerate(places):
        duck.attach(place.duck_uri, place.data_path, options={"DATA_INLINING_ROW_LIMIT": 0})
        duck.batch(
            ["CREATE TABLE t (i INTEGER)", f"INSERT INTO t VALUES ({number})", "BEGIN", "INSERT INTO t VALUES (99)"]
        )
    for number, place in enumerate(places):
        duck.attach(place.duck_uri)
        assert duck.execute("FROM t") == [(number,)]


def test_an_error_carries_what_duckdb_said_and_the_process_lives_on(duck: Duck) -> None:
    with pytest.raises(DuckError, match="nowhere") as caught:
        duck.batch(["SELECT 1", "FROM nowhere"])
    assert caught.value.index == 1
    assert duck.execute("SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00'") == [(datetime(2020, 1, 1, tzinfo=UTC),)]


def test_duckdb_in_the_test_process_holds_plans_in_memory_and_never_a_catalog() -> None:
    """Two copies of SQLite in one process break its locks; laws and plans need none."""
    tests = Path(__file__).parent
    loading = {
        path: text
        for path in tests.rglob("*.py")
        if "import duckdb\n" in (text := path.read_text(encoding="utf-8"))
        # Programs that run in processes of their own.
        and path.name not in ("duck.py", "beside_duckdb.py")
    }
    assert {path.parent.name for path in loading} == {"laws", "plan"}
    for path, text in loading.items():
        assert not re.search("attach|sqlite|ducklake", text, re.IGNORECASE), path


def test_the_server_asks_everyone_for_a_password(postgres: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(postgres.url("postgres", password="wrong"))


def test_a_process_that_died_is_replaced_at_the_next_attach(duck: Duck, new_catalog: Callable[[str], Catalog]) -> None:
    duck.kill()
    with pytest.raises(DuckError, match="ended with code -9"):
        duck.execute("SELECT 1")
    lake = new_catalog("sqlite")
    duck.attach(lake.duck_uri, lake.data_path)
    assert duck.execute("SELECT 1") == [(1,)]
