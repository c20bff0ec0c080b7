"""What messages, details and hints say to a user."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from headwater.core.errors import HeadwaterError
from headwater.service.lake import Lake
from tests.surface.conftest import Cli


def failure(lake: Lake, text: str, engine: str | None = None) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as raised:
        lake.sql(text, engine=engine)
    return raised.value


def test_restore_of_a_missing_snapshot_names_those_that_exist(shop: Path) -> None:
    with headwater.connect(shop) as lake:
        newest = lake.snapshots()[-1].id
        for statement in ("RESTORE DYNAMIC TABLE tot TO VERSION 99", "SELECT * FROM tot AT (VERSION => 99)"):
            error = failure(lake, statement)
            assert (error.code, error.message) == ("HW-LAKE-003", "snapshot 99 does not exist")
            assert error.detail == f"The lake has snapshots 0 to {newest}; some in between may have been expired."
            assert error.hint == "Choose a snapshot that the lake still has."


def test_a_list_without_rows_is_a_success_and_the_status_of_no_process_is_not(shop: Path, cli: Cli) -> None:
    ran = cli("workers", "-o", "json")
    assert (ran.code, ran.rows, ran.err) == (0, [], "no worker is running\n")
    ran = cli("compute", "status", "-o", "json")
    assert (ran.code, ran.rows, ran.err) == (1, [], "no compute process is running\n")
    ran = cli("compute", "stop")
    assert (ran.code, ran.out, ran.err) == (1, "", "no compute process is running\n")


def test_a_failed_refresh_quotes_spark_once(shop: Path) -> None:
    with headwater.connect(shop) as lake:
        lake.sql("CREATE DYNAMIC TABLE x AS SELECT 10 / (id - 9) AS y FROM orders")
        lake.sql("INSERT INTO orders VALUES (9, 1, 1)")
        for statement, engine in (("REFRESH DYNAMIC TABLE x", None), ("SELECT 1 / (id - 9) FROM orders", "spark")):
            error = failure(lake, statement, engine)
            assert str(error).count("Division by zero") == 1, error
            assert "Use `try_divide` to tolerate divisor being 0 and return NULL instead." in (error.detail or "")
        (recorded,) = lake.history("x")[:1]
        assert str(recorded.error).count("Division by zero") == 1
