"""A few small tables, queries over them, and what DuckDB answers."""

from __future__ import annotations

from collections import Counter
from random import Random

import duckdb
import sqlglot
from sqlglot import exp

_SOURCES = {"a": "hw_source_1", "b": "hw_source_2", "c": "hw_source_3", "empty": "hw_source_4", "lists": "hw_source_5"}
RELATIONS = {
    "hw_source_1": ["id", "K", "v"],
    "hw_source_2": ["ID", "k", "v"],
    "hw_source_3": ["id", "k", "w"],
    "hw_source_4": ["id", "k", "v"],
    "hw_source_5": ["id", "list"],
}
_TABLES = """
    CREATE TABLE hw_source_1 (id INT, "K" INT, v INT);
    CREATE TABLE hw_source_2 ("ID" INT, k INT, v INT);
    CREATE TABLE hw_source_3 (id INT, k INT, w INT);
    CREATE TABLE hw_source_4 (id INT, k INT, v INT);
    CREATE TABLE hw_source_5 (id INT, list INT[]);
"""


def tables() -> str:
    """What makes the tables, empty."""
    return _TABLES


def random_rows(seed: int) -> str:
    """Few values, many NULLs, many copies."""
    random = Random(seed)

    def row(width: int) -> str:
        return f"({', '.join(random.choice(('NULL', '0', '1', '2', '3')) for _ in range(width))})"

    return "".join(
        f"INSERT INTO hw_source_{number} VALUES {', '.join(row(3) for _ in range(random.randint(1, 12)))};"
        for number in (1, 2, 3)
    )


def over_sources(text: str, dialect: str = "spark") -> str:
    """The query with relations for its tables, else as written; a WITH query hides the table of its name."""
    tree = sqlglot.parse_one(text, read=dialect)
    hidden = {cte.alias for cte in tree.find_all(exp.CTE)}
    tables = [table for table in tree.find_all(exp.Table) if table.name in _SOURCES and table.name not in hidden]
    for table in sorted(tables, key=lambda table: int(table.this.meta["start"]), reverse=True):
        alias = "" if table.alias else f" AS {table.name}"
        meta = table.this.meta
        text = f"{text[: meta['start']]}{_SOURCES[table.name]}{alias}{text[meta['end'] + 1 :]}"
    return text


def bag(connection: duckdb.DuckDBPyConnection, sql: str) -> Counter[str]:
    """The rows, counted; floats to nine digits."""
    rows = connection.execute(sql).fetchall()
    return Counter(repr(tuple(f"{v:.9g}" if isinstance(v, float) else v for v in row)) for row in rows)
