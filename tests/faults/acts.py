"""What a user does with a lake, act by act, and the error that each act gets."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import headwater
from headwater.core.errors import HeadwaterError
from headwater.maintain.step_result import FAILED
from headwater.service.lake import Lake
from tests.faults import scene
from tests.simulation.lake import Quick, playing

READS = ("connect", "query", "status")
WRITES = ("small insert", "insert", "create table as", "create dynamic table", "refresh")


def play(url: str, data_path: str | None = None) -> dict[str, str | None]:
    """The error of each act as text; None for those that succeed."""
    try:
        with headwater.connect(url, data_path) as lake, playing(Quick()):
            return {"connect": None, **play_with(lake)}
    except HeadwaterError as error:
        return {"connect": str(error)}


def play_with(lake: Lake) -> dict[str, str | None]:
    """The same with a lake that is open."""
    acts: dict[str, Callable[[], object]] = {
        "query": lambda: lake.sql("SELECT sum(x) FROM t"),
        "status": lake.status,
        # DuckDB stores few rows in the catalog.
        "small insert": lambda: lake.sql("INSERT INTO other VALUES (7)"),
        "insert": lambda: lake.sql("INSERT INTO t SELECT i, i FROM range(3000) r(i)"),
        "create table as": lambda: lake.sql("CREATE TABLE made AS SELECT i FROM range(3000) r(i)"),
        "create dynamic table": lambda: lake.sql(
            "CREATE DYNAMIC TABLE copied TARGET_LAG = '1 minute' AS SELECT k, x FROM t"
        ),
        "refresh": lambda: _refresh(lake),
        "maintain": lambda: _maintain(lake),
    }
    return {name: _error(act) for name, act in acts.items()}


def _refresh(lake: Lake) -> None:
    lake.clock = scene.Hasty(1.0)
    record = scene.refresh_once(lake)
    if record.error is not None:
        raise record.error


def _maintain(lake: Lake) -> None:
    for step in lake.maintain():
        if step.state == FAILED and step.error is not None:
            raise step.error


def _error(act: Callable[[], object]) -> str | None:
    try:
        act()
    except HeadwaterError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.stdout.write(json.dumps(play(sys.argv[1])))
