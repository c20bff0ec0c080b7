"""`headwater sql` with parameters and transactions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import headwater
from headwater.cli.exit_codes import CONFLICT, FAILED
from headwater.query import process
from tests.surface.conftest import Cli


@pytest.fixture
def plain(folder: Path) -> Path:
    """A lake in ./lake with one plain table, and no need of Spark."""
    with headwater.connect(folder / "lake") as lake:
        lake.sql("CREATE TABLE t (a INTEGER, b VARCHAR); INSERT INTO t VALUES (1, 'x'), (2, NULL)")
    return folder / "lake"


def found(cli: Cli, text: str, *options: str) -> list[dict[str, object]]:
    ran = cli("sql", text, "-o", "json", *options)
    assert ran.code == 0, ran.err
    return ran.rows


def test_parameters_come_from_the_command_line(cli: Cli, plain: Path) -> None:
    hostile = "it's; DROP TABLE t"
    for text, options in (
        (
            "SELECT $s AS s, $d AS d, typeof($d) AS t, $l AS l, $e AS e",
            ("s=" + hostile, "d:=1.50", "l:=[1, null]", "e=a=b"),
        ),
        (
            "SELECT ? AS s, ? AS d, typeof(1.50) AS t, ? AS l, ? AS e",
            ("1=" + hostile, "3:=[1, null]", "2:=1.50", "4=a=b"),
        ),
    ):
        given = [part for option in options for part in ("--param", option)]
        assert found(cli, text, *given) == [
            {"s": hostile, "d": "1.50", "t": "DECIMAL(3,2)", "l": [1, None], "e": "a=b"}
        ]
    for option, message in (
        ("a", "needs a name and a value"),
        ("a:=x", "is not JSON"),
        ("a:=NaN", "is not JSON"),
        ("2=x", "are not 1, 2"),
        ("b=1", "parameter $a has no value"),
    ):
        ran = cli("sql", "SELECT $a", "--param", option)
        assert (ran.code, message in ran.err) == (FAILED, True), ran.err


def test_a_text_that_begins_with_a_comment_is_sql(cli: Cli, plain: Path) -> None:
    text = "-- rows\nSELECT a FROM t WHERE b = $b"
    assert found(cli, text, "--param", "b=x") == [{"a": 1}]
    assert cli("sql", "--param", "b=x", "-o", "csv", text).out == "a\n1\n"
    assert (
        cli("sql", "--null", "-- none", "-o", "csv", "--\nSELECT a, b FROM t ORDER BY a").out == "a,b\n1,x\n2,-- none\n"
    )
    assert "no statement to run" in cli("sql", "-- x").err
    failed = cli("sql", "-- x\nSELECT nothing FROM t")
    assert (failed.code, "(line 2, column 8)" in failed.err) == (FAILED, True), failed.err
    option = cli("sql", "--x SELECT 1")
    assert (option.code, "No such option" in option.err) == (2, True), option.err


def test_a_file_with_a_transaction_is_all_or_nothing(cli: Cli, plain: Path) -> None:
    file = plain / "change.sql"
    file.write_text(
        "BEGIN;\nDELETE FROM t WHERE a = 1;\nINSERT INTO t VALUES ($a, 'y');\nSELECT count(*) AS n FROM t;\nCOMMIT;\n"
    )
    ran = cli("sql", "-f", str(file), "--param", "a:=3", "-o", "json")
    assert (ran.code, ran.rows) == (0, [{"n": 2}])
    ran = cli("sql", "-f", str(file), "--param", "a=no number", "-o", "json")
    error = json.loads(ran.err)
    assert ran.code == FAILED
    assert (error["code"], "(line 3," in error["message"], "rolled back" in error["detail"]) == (
        "HW-QUERY-001",
        True,
        True,
    )
    assert found(cli, "FROM t ORDER BY a") == [{"a": 2, "b": None}, {"a": 3, "b": "y"}]


def test_a_conflict_at_the_commit_has_its_exit_code(cli: Cli, plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "BUSY_TIMEOUT_MS", 100)
    with closing(sqlite3.connect(plain / "catalog.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM ducklake_snapshot").fetchall()
        ran = cli("sql", "BEGIN; DELETE FROM t; COMMIT")
    assert (ran.code, "HW-COMMIT-001" in ran.err) == (CONFLICT, True), ran.err
    assert found(cli, "SELECT count(*) AS n FROM t") == [{"n": 2}]
