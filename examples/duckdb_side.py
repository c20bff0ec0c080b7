"""DuckDB with the DuckLake extension, in a process of its own: runs SQL on a lake and prints each result as a JSON line.

python examples/duckdb_side.py CATALOG_FILE DATA_PATH < statements.sql

A process of its own because DuckDB brings its own copy of SQLite: two copies in one process break each other's file locks.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import duckdb


def extension(name: str) -> Path:
    """The extension's file inside its wheel."""
    package = importlib.import_module(f"duckdb_extension_{name}")
    return next(Path(package.__file__ or "").parent.glob("extensions/*/*.duckdb_extension"))


def main() -> None:
    catalog, data_path = sys.argv[1:3]
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False})
    for name in ("ducklake", "sqlite_scanner"):
        connection.execute(f"LOAD '{extension(name)}'")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"ATTACH 'ducklake:sqlite:{catalog}' AS lake (DATA_PATH '{data_path}')")
    connection.execute("USE lake")
    for statement in filter(None, map(str.strip, sys.stdin.read().split(";"))):
        print(json.dumps(connection.execute(statement).fetchall(), default=str))


if __name__ == "__main__":
    main()
