"""Compaction of many small files, and of deleted rows: Headwater on Spark against the DuckDB extension, on one SQLite lake each.

make bench NAME=compaction
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time

import headwater
from bench.machine import machine
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.duck import Duck

FILES = 400
ROWS = 5_000
QUERY = "SELECT count(*), sum(i), max(v) FROM t"


def fill(folder: str) -> None:
    """A table of many small files; of each fifth one most rows are deleted."""
    with headwater.connect(folder) as lake:
        lake.sql("CREATE TABLE t(i INTEGER, v VARCHAR)")
        for number in range(FILES):
            start = number * ROWS
            arrow_lake.append(lake, "t", [(start + n, f"value {n % 97}") for n in range(ROWS)])
        files = [entry.file.id for entry in lake.describe("t").files]
        arrow_lake.delete(lake, "t", {file: range(ROWS * 3 // 5) for file in files[::5]})


def timed(duck: Duck, folder: str, *statements: str) -> float:
    """Seconds that the statements take on the lake in this folder."""
    duck.attach(f"sqlite:{folder}/catalog.sqlite", f"{folder}/data/", options={"OVERRIDE_DATA_PATH": True})
    began = time.perf_counter()
    for statement in statements:
        duck.execute(statement)
    took = time.perf_counter() - began
    duck.detach()
    return took


def reading(duck: Duck, folder: str) -> float:
    """The best of a few runs of a query over all rows."""
    return min(timed(duck, folder, QUERY) for _ in range(5))


def ours(lake: Lake) -> float:
    """Seconds that compaction takes, with Spark running already."""
    began = time.perf_counter()
    lake.maintain("t")
    return time.perf_counter() - began


def main() -> None:
    """Print what was measured as JSON."""
    place = tempfile.mkdtemp()
    mine, theirs = f"{place}/mine", f"{place}/theirs"
    fill(mine)
    shutil.copytree(mine, theirs)
    found: dict[str, object] = {"files": FILES, "rows": FILES * ROWS}
    with Duck() as duck:
        found["query before"] = reading(duck, mine)
        with headwater.connect(mine) as lake:
            lake.table("t").count()
            found["Headwater"] = ours(lake)
            found["files after"] = len(lake.describe("t").files)
        found["extension"] = timed(
            duck,
            theirs,
            "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.5)",
            "CALL ducklake_merge_adjacent_files('lake', 't')",
        )
        found["query after"] = reading(duck, mine)
        found["query after the extension's"] = reading(duck, theirs)
    shutil.rmtree(place)
    print(json.dumps({"machine": machine(), **found}, indent=2))


if __name__ == "__main__":
    main()
