"""Commands that only read metadata load neither an engine nor what plans, computes or commits."""

from __future__ import annotations

import csv
import gc
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.surface.conftest import Cli

_MAIN = """
import gc, json, sys
from headwater.cli.main import main
sys.argv = ["headwater", *sys.argv[1:]]
try:
    main()
finally:
    collector = {"enabled": gc.isenabled(), "frozen": gc.get_freeze_count()}
    print(json.dumps({"modules": sorted(sys.modules), "collector": collector}), file=sys.stderr)
"""
TABLES = ("big", "tot")
# The column that names the rows of a command, and its first rows; none means that it prints none.
COMMANDS = {
    "list": ("name", TABLES),
    "status": ("name", TABLES),
    "history": ("name", ("tot", "big", "big")),
    "versions": ("name", TABLES),
    "describe tot": ("column_name", ("name", "s", "n")),
    "graph": ("name", ("main.big", "main.customers", "main.orders", "main.tot")),
    "profile --table tot": ("table", ("main.tot",)),
    "workers": ("id", ()),
    "compute status": ("pid", ()),
}
# Their output has nothing from a definition.
WITHOUT_SQL = ("workers", "compute status")
ENGINES = frozenset({"alembic", "duckdb", "numpy", "pandas", "psycopg", "py4j", "pyarrow", "pyspark", "structlog"})
# Typer itself loads pydantic.
CONFIGS = frozenset({"headwater.loads", "yaml"})
OURS = frozenset(f"headwater.{package}" for package in ("commit", "demo", "execute", "observe", "plan", "query"))
FACADE = frozenset({"headwater.service.lake", "headwater.service.wiring", "headwater.refresh.run"})
SQL = frozenset({"croniter", "headwater.sql", "sqlglot"})


@dataclass(frozen=True, slots=True)
class Started:
    """What a command printed, the modules that its process had loaded at its end, and the state of its garbage collector."""

    out: str
    modules: frozenset[str]
    enabled: bool
    frozen: int


@pytest.fixture(scope="module", params=COMMANDS)
def command(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def started(command: str, _template: Path) -> Started:
    words = [*command.split(), "--lake", str(_template), "-o", "csv"]
    ran = subprocess.run([sys.executable, "-c", _MAIN, *words], capture_output=True, text=True, check=False)
    found = json.loads(ran.stderr.splitlines()[-1])
    return Started(ran.stdout, frozenset(found["modules"]), **found["collector"])


def test_the_command_prints_its_rows(command: str, started: Started) -> None:
    column, rows = COMMANDS[command]
    found = tuple(row[column] for row in csv.DictReader(started.out.splitlines()))
    assert found[: len(rows) or None] == rows


def test_no_engine_is_loaded(started: Started) -> None:
    assert started.modules & ENGINES == set()


def test_no_reader_of_yaml_is_loaded(started: Started) -> None:
    assert started.modules & CONFIGS == set()


def test_nothing_that_plans_computes_or_commits_is_loaded(started: Started) -> None:
    assert "headwater.lake.site" in started.modules
    assert started.modules & (OURS | FACADE) == set()


def test_the_parser_of_sql_is_loaded_for_definitions_alone(command: str, started: Started) -> None:
    assert (started.modules & SQL == set()) is (command in WITHOUT_SQL)


def test_a_sqlite_catalog_loads_no_dialect_of_another_database(command: str, started: Started) -> None:
    # SQL of refreshes is stored with a statement of either dialect.
    loaded = {name for name in started.modules if name.startswith("sqlalchemy.dialects.")}
    assert ("sqlalchemy.dialects.postgresql" in loaded) is (command == "profile --table tot")


def test_imported_modules_are_not_scanned_for_garbage(started: Started) -> None:
    assert started.enabled
    assert started.frozen > 50_000


def test_a_command_within_another_program_leaves_its_garbage_collector_alone(cli: Cli, shop: Path) -> None:
    before = gc.isenabled(), gc.get_freeze_count()
    assert [row["name"] for row in cli("list", "-o", "json").rows] == list(TABLES)
    assert (gc.isenabled(), gc.get_freeze_count()) == before
