"""Commands that do something: what they change, what they say, how they end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

import headwater
from headwater.cli import main as cli_main
from headwater.core.errors import CommitConflict
from headwater.registry import leases
from headwater.service.lake import Lake
from tests.duck import Duck
from tests.surface.conftest import BIG, DIFFERENCES, LATER, TOT, Cli


def test_init_makes_a_lake_and_a_file_that_leads_to_it(cli: Cli, folder: Path) -> None:
    ran = cli("init", "my lake")
    assert (ran.code, ran.out) == (0, "")
    assert (folder / "my lake" / "catalog.sqlite").exists()
    assert cli("sql", "SELECT 1 AS one", "-o", "csv").out == "one\n1\n"
    assert cli("config", "show", "-o", "json").rows[0]["value"] == str(folder / "my lake")
    assert "already exists and is not changed" in cli("init").err


def test_sql_reads_an_argument_a_file_or_stdin(cli: Cli, shop: Path, folder: Path) -> None:
    (folder / "q.sql").write_text("SELECT count(*) AS n FROM orders")
    expected = "n\n5\n"
    assert cli("sql", "SELECT count(*) AS n FROM orders", "-o", "csv").out == expected
    assert cli("sql", "-f", "q.sql", "-o", "csv").out == expected
    assert cli("sql", "-", "-o", "csv", stdin="SELECT count(*) AS n FROM orders").out == expected
    assert cli("sql", "--engine", "spark", "-f", "q.sql", "-o", "csv").out == expected
    assert cli("sql").code == cli("sql", "SELECT 1", "-f", "q.sql").code == 2
    assert 'cannot read "absent.sql"' in cli("sql", "-f", "absent.sql").err


def test_values_survive_json_and_csv(cli: Cli, shop: Path) -> None:
    query = (
        "SELECT NULL AS a, 1.50::DECIMAL(5,2) AS b, 'x,\"y' AS c, DATE '2026-01-02' AS d, [1, NULL] AS e, {'k': 'v'} AS f,"
        " TIMESTAMPTZ '2026-01-02 03:04:05+00' AS g, INTERVAL 90 SECOND AS h, 'NaN'::DOUBLE AS i, true AS j, '\\xAB'::BLOB AS k"
    )
    (row,) = cli("sql", query, "-o", "json").rows
    assert row == {
        "a": None,
        "b": "1.50",
        "c": 'x,"y',
        "d": "2026-01-02",
        "e": [1, None],
        "f": {"k": "v"},
        "g": "2026-01-02T03:04:05+00:00",
        "h": "PT1M30S",
        "i": "NaN",
        "j": True,
        "k": "ab",
    }
    line = cli("sql", query, "-o", "csv").out.splitlines()[1]
    assert line.startswith(',1.50,"x,""y",2026-01-02,"[1, null]","{""k"": ""v""}",2026-01-02T03:04:05+00:00,')


def test_columns_of_one_name_all_reach_json(cli: Cli, shop: Path) -> None:
    assert len(cli("sql", "SELECT 1 AS a, 2 AS a, 3 AS b", "-o", "json").rows[0]) == 3


def test_a_fault_of_our_own_shows_no_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fault() -> None:
        raise KeyError("lost")

    monkeypatch.setattr(cli_main, "app", fault)
    # What main does to its process would outlast the test.
    for effect in (cli_main.declare_own_program, cli_main.cancel_on_signals, cli_main.prepare_output):
        monkeypatch.setattr(cli_main, effect.__name__, lambda: None)
    with pytest.raises(SystemExit) as ended:
        cli_main.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith("error: KeyError: 'lost'\nhint: ")


def test_errors_have_a_code_a_hint_and_no_traceback(cli: Cli, shop: Path) -> None:
    ran = cli("describe", "nothing")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines()[0] == 'error[HW-NAME-001]: dynamic table "main"."nothing" does not exist'
    ran = cli("sql", "SELECT 1;\n  UPDATE tot SET n = 0", "-o", "json")
    assert ran.code == 1
    body = json.loads(ran.err)
    assert list(body) == ["code", "message", "detail", "hint", "position", "source_line"]
    assert body["code"] == "HW-DT-002"
    assert "line 2, column 3" in body["message"]


def test_misuse_is_exit_code_2(cli: Cli, shop: Path) -> None:
    for arguments in (("nonsense",), ("list", "-o", "xml"), ("drop",), ("verify",), ("verify", "tot", "--all")):
        ran = cli(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "Usage:" in ran.err


def test_a_conflict_is_exit_code_4(cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def conflict(_self: Lake, _text: str, **_options: object) -> None:
        raise CommitConflict("another commit came between", hint="Try again.")

    monkeypatch.setattr(Lake, "sql", conflict)
    assert cli("sql", "SELECT 1").code == 4


def test_what_another_process_refreshes_is_waited_for_but_not_restored(cli: Cli, shop: Path) -> None:
    cli("sql", LATER)
    with headwater.connect(shop) as lake:
        table_id = lake.describe("big").table.id
        lease = leases.take(lake.database, table_id)
        assert lease is not None
        assert cli("restore", "big", "--version", str(lake.history("big")[0].lake_snapshot)).code == 4
        threading.Timer(0.5, leases.give_back, (lake.database, lease)).start()
        ran = cli("refresh", "big", "-o", "json")
        assert (ran.code, ran.rows[0]["state"]) == (0, "SUCCEED")
        assert lake.verify("big").equal


def test_versions_are_listed_and_restored(cli: Cli, shop: Path) -> None:
    cli("refresh", "big")
    cli("sql", LATER)
    cli("refresh", "big")
    newest, *_, first = cli("versions", "big", "-o", "json").rows
    assert newest["is_current"]
    head, _, shown, *_ = cli("versions", "big").out.splitlines()
    assert head.split() == [
        "schema_name",
        "name",
        "version",
        "created_at",
        "restored_from",
        "restorable_until",
        "reason",
    ]
    assert shown.split()[:3] == ["main", "big", str(newest["version"])]
    assert [row["version"] for row in cli("status", "big", "-o", "json").rows] == [newest["version"]]
    assert cli("restore", "big").code == 1
    assert cli("restore", "big", "--version", "1", "--timestamp", "2026-01-01").code == 1
    for given in (("--version", str(first["version"])), ("--timestamp", first["created_at"])):
        (restored,) = cli("restore", "big", *given, "-o", "json").rows
        assert (restored["status"], restored["restored_from"]) == ("restored", first["version"])
        assert cli("sql", f"FROM big EXCEPT ALL FROM big AT (VERSION => {first['version']})", "-o", "json").rows == []
        assert cli("sql", f"FROM big AT (VERSION => {first['version']}) EXCEPT ALL FROM big", "-o", "json").rows == []
        (last, *_) = cli("versions", "big", "-o", "json").rows
        assert (last["version"], last["restored_from"]) == (restored["version"], first["version"])
        assert cli("history", "big", "-o", "json").rows[0]["refresh_trigger"] == "MANUAL"
    cli("restore", "big", "--version", str(newest["version"]))
    assert cli("resume", "big").code == 0
    assert cli("verify", "big").code == 0


def test_create_refresh_verify_explain_alter_suspend_and_drop(cli: Cli, shop: Path) -> None:
    cli("sql", LATER)
    (plan,) = cli("explain", "big", "-o", "json").rows
    assert (plan["name"], plan["action"]) == ("main.big", "FULL")
    ran = cli("refresh", "tot", "-o", "json")
    assert ran.code == 0, ran.err
    assert [(row["name"], row["state"], row["rows_inserted"]) for row in ran.rows] == [("main.tot", "SUCCEED", 2)]
    assert [line.split()[0] for line in ran.err.splitlines()] == ["main.big", "main.tot"]
    assert cli("sql", DIFFERENCES, "-o", "csv").out == "name,s,n\n"
    assert [row["equal"] for row in cli("verify", "--all", "-o", "json").rows] == [True, True]

    assert cli("create", TOT).code == 1
    assert cli("create", "DROP DYNAMIC TABLE tot").code == 1
    third = cli("create", TOT.replace("tot", "third"), "-o", "csv")
    assert third.out.splitlines()[0] == "status,schema_name,name,refresh_mode,reason,rows,duration,next_refresh"
    assert third.out.splitlines()[1].startswith("created,main,third,INCREMENTAL,")
    two = cli(
        "create",
        "CREATE DYNAMIC TABLE one AS SELECT id FROM orders\nLIMIT 1; CREATE DYNAMIC TABLE two AS SELECT nonsense FROM orders",
        "-o",
        "json",
    )
    assert (two.code, [row["name"] for row in two.rows]) == (1, ["one"])
    assert two.err.startswith('warning: dynamic table "main"."one" is refreshed in full: LIMIT')
    assert " at line 2 of the query" in two.err
    assert cli("drop", "one").code == 0
    assert cli("suspend", "big", "-o", "csv").out == "status\nsuspended\n"
    assert {row["state"] for row in cli("status", "-o", "json").rows} == {"SUSPENDED"}
    assert cli("resume", "big", "-o", "csv").out == "status\nresumed\n"
    assert cli("alter", "tot", "RENAME TO sums; DROP TABLE orders").code == 1
    assert cli("alter", "tot", "RENAME TO sums", "-o", "csv").out == "status\nrenamed\n"
    assert cli("drop", "sums", "-o", "csv").out == "status\ndropped\n"
    assert cli("drop", "sums").code == 1
    assert cli("drop", "sums", "--if-exists").code == 0
    assert [row["name"] for row in cli("list", "-o", "json").rows] == ["big", "third"]


def test_verify_shows_the_rows_that_differ(cli: Cli, shop: Path, duck: Duck) -> None:
    duck.attach(f"sqlite:{shop}/catalog.sqlite", f"{shop}/data/", options={"OVERRIDE_DATA_PATH": True})
    duck.execute("UPDATE tot SET s = 99 WHERE name = 'ann'")
    duck.detach()
    ran = cli("verify", "tot", "-o", "json")
    assert ran.code == 1
    assert ran.rows[0]["missing_rows"] == [{"name": "ann", "s": "30.00", "n": 2}]
    assert ran.rows[0]["unexpected_rows"] == [{"name": "ann", "s": "99.00", "n": 2}]
    assert "unexpected" in cli("verify", "tot").out


def test_validate_refuses_without_creating(cli: Cli, shop: Path, folder: Path) -> None:
    (folder / "d.sql").write_text(BIG.replace("big", "fresh"))
    (good,) = cli("validate", "-f", "d.sql", "-o", "json").rows
    assert [column["name"] for column in good["columns"]] == ["id", "name", "amount"]
    ran = cli("validate", BIG.replace("o.amount", "o.nothing"), "-o", "json")
    assert (ran.code, ran.out) == (1, "")
    assert "nothing" in json.loads(ran.err)["detail"]
    assert cli("validate", "SELECT 1").code == 1
    assert [row["name"] for row in cli("list", "-o", "json").rows] == ["big", "tot"]


def test_doctor_says_what_is_wrong(cli: Cli, shop: Path) -> None:
    well = cli("doctor", "-o", "json")
    assert well.code == 0, well.out
    assert [row["check"] for row in well.rows] == [
        *("configuration", "python", "java", "spark", "catalog", "marker", "data path", "registry", "clock", "duckdb"),
    ]
    ill = cli("doctor", "--lake", "nowhere", "-o", "json")
    assert ill.code == 1
    assert {row["check"]: row["result"] for row in ill.rows}["catalog"] == "failed"
    assert {row["check"]: row["result"] for row in ill.rows}["duckdb"] == "ok"


def test_migrate_copies_the_catalog_first(cli: Cli, folder: Path) -> None:
    with headwater.connect(folder / "lake") as lake:
        lake.sql("CREATE TABLE t (i INT)")
    pending = cli("migrate", "--dry-run", "-o", "csv").out
    assert pending == "\n".join(["revision,state", *(f"{number:04},pending" for number in range(1, 9)), ""])
    assert not list(folder.glob("lake/*.backup"))
    assert cli("migrate", "-o", "csv").out == pending.replace("pending", "done")
    (copy,) = folder.glob("lake/*.backup")
    assert "headwater_dynamic_table" not in sa.inspect(sa.create_engine(f"sqlite:///{copy}")).get_table_names()
    assert "up to date" in cli("migrate").err


def test_uninstall_leaves_plain_tables(cli: Cli, shop: Path, duck: Duck) -> None:
    asked = cli("uninstall", "-o", "csv")
    assert asked.code == 2
    assert "headwater_refresh,there" in asked.out
    assert cli("uninstall", "--yes").code == 0
    assert cli("list", "-o", "csv").out.count("\n") == 1
    assert cli("sql", DIFFERENCES, "-o", "csv").out == "name,s,n\n"
    duck.attach(f"sqlite:{shop}/catalog.sqlite", f"{shop}/data/", options={"OVERRIDE_DATA_PATH": True})
    assert sorted(duck.execute("SELECT n FROM lake.tot")) == [(2,), (2,)]
    duck.detach()


def test_the_command_is_installed_and_runs_as_a_module(folder: Path) -> None:
    beside = shutil.which("headwater", path=os.path.dirname(sys.executable))
    assert beside is not None
    for command in ([beside], [sys.executable, "-m", "headwater"]):
        ran = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert ran.stdout == f"headwater {headwater.__version__}\n"
    ran = subprocess.run([beside, "--show-completion", "bash"], capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr
