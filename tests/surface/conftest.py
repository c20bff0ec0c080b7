"""A small shop whose lake every test may spoil, and the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import headwater
from headwater.cli.main import app
from tests.surface.worker_command import WorkerCommand

SOURCES = """
CREATE TABLE orders (id INTEGER, customer INTEGER, amount DECIMAL(10,2));
CREATE TABLE customers (id INTEGER, name VARCHAR);
INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5), (3, 2, 5), (4, NULL, 7);
INSERT INTO customers VALUES (1, 'ann'), (2, NULL)
"""
LATER = (
    "INSERT INTO orders VALUES (5, 2, 100); UPDATE orders SET amount = 1 WHERE id = 1; DELETE FROM orders WHERE id = 2"
)
BIG = (
    "CREATE DYNAMIC TABLE big TARGET_LAG = '1 hour' AS"
    " SELECT o.id, c.name, o.amount FROM orders o JOIN customers c ON o.customer = c.id"
)
TOT = "CREATE DYNAMIC TABLE tot AS SELECT name, sum(amount) AS s, count(*) AS n FROM big GROUP BY name"
_EXPECTED = "SELECT c.name, sum(amount) s, count(*) n FROM orders o JOIN customers c ON o.customer = c.id GROUP BY name"
DIFFERENCES = f"(FROM tot EXCEPT ALL {_EXPECTED}) UNION ALL ({_EXPECTED} EXCEPT ALL FROM tot)"

_UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
_TOOK = re.compile(r'("+(?:(?:plan|compute|commit)_seconds|jobs|rows_read|bytes_read|bytes_written)"+: )[\d.]+')
_DURATION = re.compile(r'(<time>,<time>,|"duration": )[\d.]+')


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        return list(json.loads(self.out))

    @property
    def same(self) -> str:
        """Its output without what differs from run to run."""
        text = _TIME.sub("<time>", _UUID.sub("<id>", self.out))
        return _TOOK.sub(r"\1<some>", _DURATION.sub(r"\1<seconds>", text))


Cli = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, with no setting from outside."""
    for name in [name for name in os.environ if name.startswith("HEADWATER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HEADWATER_COMPUTE_IDLE", "0")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(folder: Path) -> Cli:
    """Runs a command in this process."""

    def run(*arguments: str, stdin: str | None = None) -> Ran:
        result = CliRunner().invoke(app, list(arguments), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture(scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory, spark: object) -> Path:
    built = tmp_path_factory.mktemp("shop") / "built"
    with headwater.connect(built) as lake:
        lake.sql(SOURCES)
        lake.sql(BIG)
        lake.sql(TOT)
    return built


@pytest.fixture
def shop(folder: Path, _template: Path) -> Path:
    """A lake of the test's own in ./lake: two tables, and two dynamic ones in a chain."""
    shutil.copytree(_template, folder / "lake")
    with headwater.connect(folder / "lake") as lake:
        lake.adopt()
    return folder / "lake"


@pytest.fixture
def start() -> Iterator[Callable[..., WorkerCommand]]:
    """Starts workers; at the end of the test they are killed."""
    started: list[WorkerCommand] = []

    def make(*arguments: str) -> WorkerCommand:
        started.append(WorkerCommand(*arguments))
        return started[-1]

    yield make
    for process in started:
        process.end()
