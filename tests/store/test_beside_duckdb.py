"""Headwater and DuckDB write to one embedded lake, also from one Python process; nothing is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import headwater

# Each client goes on until it has made so many commits, and with HEADWATER_BESIDE for so many seconds.
COMMITS = 6
SECONDS = float(os.environ.get("HEADWATER_BESIDE", "0"))
# DuckDB's transactions are deferred, so another writer can end them; its statement then fails and changes nothing.
ENDED_BY_ANOTHER = ("database is locked", "Transaction conflict", "Failed to commit DuckLake transaction")


@pytest.mark.parametrize(
    "programs",
    [
        [["headwater", "duckdb"]],
        [["duckdb", "headwater"], ["duckdb"]],
        [["headwater", "duckdb"], ["duckdb", "headwater"]],
    ],
    ids=["one process", "one process beside DuckDB", "two processes"],
)
def test_nothing_is_lost_in_one_process_with_duckdb(programs: list[list[str]], tmp_path: Path) -> None:
    with headwater.connect(tmp_path) as lake:
        lake.sql("CREATE TABLE written (by VARCHAR)")
    command = [sys.executable, "-m", "tests.store.beside_duckdb", str(tmp_path)]
    running = [
        subprocess.Popen([*command, f"p{i}", str(COMMITS), str(SECONDS), *clients], stdout=subprocess.PIPE, text=True)
        for i, clients in enumerate(programs)
    ]
    runs: list[dict[str, Any]] = [json.loads(each.communicate(timeout=SECONDS + 120)[0]) for each in running]
    assert [each.returncode for each in running] == [0] * len(running)

    errors = [error for run in runs for error in run["errors"]]
    assert [error for error in errors if not any(ended in error for ended in ENDED_BY_ANOTHER)] == []
    tables = {table for run in runs for table in run["tables"]}
    rows = sum(run["rows"] for run in runs)
    if SECONDS:
        sys.stdout.write(f"{len(tables)} tables, {rows} rows, {len(errors)} errors\n")
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as catalog:
        assert catalog.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with headwater.connect(tmp_path) as lake:
        found = lake.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'").rows
        assert {name for (name,) in found} == tables | {"written"}
        assert lake.sql("SELECT count(*) FROM written").rows == ((rows,),)
