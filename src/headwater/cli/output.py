"""Print rows as a table, JSON or CSV."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from shutil import get_terminal_size
from typing import Any

from headwater.core.csv_text import csv_lines
from headwater.core.display_name import display_name
from headwater.core.iso_interval import iso_interval
from headwater.core.names import TableName


class Format(StrEnum):
    """Output format of rows."""

    table = "table"
    json = "json"
    csv = "csv"


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]], output: Format, null: str = "") -> None:
    """Print rows under their column names; in CSV, NULL is `null`."""
    match output:
        case Format.json:
            names = distinct(columns)
            found = [dict(zip(names, map(plain, row), strict=True)) for row in rows]
            # JSON has escapes of its own for what the encoding of stdout may lack.
            ascii_only = sys.stdout.encoding.lower() not in ("utf-8", "utf8")
            sys.stdout.write(json.dumps(found, ensure_ascii=ascii_only, indent=2) + "\n")
        case Format.csv:
            sys.stdout.writelines(csv_lines(columns, ([_cell(plain(value)) for value in row] for row in rows), null))
        case Format.table:
            _draw(columns, rows)


def plain(value: Any) -> Any:
    """The value in JSON types: times and intervals in ISO 8601, durations in seconds, other types as text."""
    # Arrow's interval is a tuple of its own type, whose module may not be loaded.
    if isinstance(value, tuple) and hasattr(value, "nanoseconds"):
        return iso_interval(*value)
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _not_finite(value)
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.hex()
        case TableName():
            return display_name(value)
        case dict():
            return {_key(key): plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
        case _:
            return str(value)


def _not_finite(value: float) -> str:
    """JSON has no such numbers; these are the names that JavaScript, DuckDB and PostgreSQL read."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _key(key: Any) -> str:
    """The key of a map as that of an object: text as it is, other values as JSON."""
    found = plain(key)
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def distinct(columns: Sequence[str]) -> list[str]:
    """Names under which an object can hold all columns: a later one of the same name gets a number.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a_2']
    """
    names: list[str] = []
    for column in columns:
        name, number = column, 2
        while name in names:
            name, number = f"{column}_{number}", number + 1
        names.append(name)
    return names


def _cell(value: Any) -> Any:
    """A value of JSON as a field of a CSV file."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else value


def fits(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bool:
    """Whether the rows fit the terminal without a line break."""
    if not sys.stdout.isatty():
        return False
    from rich.cells import cell_len

    cells = [columns, *([_for_people(value) for value in row] for row in rows)]
    widths = (
        max(cell_len(line) for cell in column for line in cell.split("\n")) for column in zip(*cells, strict=True)
    )
    # rich separates columns with three spaces.
    return sum(widths) + 3 * (len(columns) - 1) <= get_terminal_size().columns


def _draw(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    # Imported here because `--help`, and rows as JSON or CSV, don't need it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(Text(printable(column)), overflow="fold")
    for row in rows:
        table.add_row(*(Text("NULL", style="dim") if value is None else Text(_for_people(value)) for value in row))
    # A pipe has no width, so lines are not wrapped.
    width = get_terminal_size().columns if sys.stdout.isatty() else 100_000
    Console(file=sys.stdout, width=width, highlight=False).print(table)


def _for_people(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case timedelta():
            return str(timedelta(seconds=round(value.total_seconds(), 3))).removesuffix("000")
        case datetime():
            return value.isoformat(" ", "seconds").replace("+00:00", "Z")
        case tuple() if all(isinstance(each, TableName) for each in value):
            return printable(", ".join(map(plain, value)))
        case _:
            return printable(str(_cell(plain(value))))


def printable(text: str) -> str:
    """The text without terminal control characters.

    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(c if c in "\n\t" or not (c < " " or "\x7f" <= c <= "\x9f") else f"\\x{ord(c):02x}" for c in text)
