"""One query over a lake by DuckDB alone, made into a table in memory: prints the seconds of the better of two runs."""

from __future__ import annotations

import json
import sys
import time

import duckdb

from headwater.query.worker import extension

asked = json.loads(sys.argv[1])
connection = duckdb.connect(config={"threads": 2})
for name in ("ducklake", "sqlite_scanner"):
    connection.execute(f"LOAD '{extension(name)}'")
connection.execute(
    f"ATTACH 'ducklake:sqlite:{asked['lake']}/catalog.sqlite' AS lake "
    f"(DATA_PATH '{asked['lake']}/data/', OVERRIDE_DATA_PATH true, READ_ONLY)"
)
connection.execute("USE lake")
times = []
for _ in range(2):
    started = time.perf_counter()
    connection.execute(f"CREATE OR REPLACE TEMP TABLE made AS {asked['sql']}")
    times.append(time.perf_counter() - started)
print(min(times))
