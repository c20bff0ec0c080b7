"""DuckLake's type names, and the types to which each can be widened.

A column's type is DuckLake's lower-case name: ``int32``, ``decimal(10,2)``, ``struct``. Nested types have their parts as
child columns (see `core.schema`).
"""

from __future__ import annotations

import re

INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int128", "uint128"})
FLOATS = frozenset({"float32", "float64"})
TIMESTAMPS = frozenset({"timestamp", "timestamptz", "timestamp_s", "timestamp_ms", "timestamp_ns"})
NESTED = frozenset({"struct", "list", "map"})
SCALARS = (
    INTEGERS
    | FLOATS
    | TIMESTAMPS
    | frozenset(
        {"boolean", "varchar", "json", "blob", "uuid", "date", "time", "timetz", "interval", "geometry", "variant"}
    )
)

# Types that Spark can't represent exactly, with the reason for the error message.
WITHOUT_SPARK_TYPE = {
    "int128": "DuckLake stores it in Parquet as a rounded double",
    "uint128": "DuckLake stores it in Parquet as a rounded double",
    "interval": "Spark's calendar interval can't be compared, grouped or stored",
    "timetz": "Spark has no time type with a time zone",
    "timestamp_ns": "Spark's timestamps have microsecond precision",
    "geometry": "its encoding differs between DuckDB and Spark",
    "variant": "its shredding differs between DuckDB and Spark",
}

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")

_PROMOTIONS: dict[str, frozenset[str]] = {
    "int8": frozenset({"int16", "int32", "int64"}),
    "int16": frozenset({"int32", "int64"}),
    "int32": frozenset({"int64"}),
    "uint8": frozenset({"uint16", "uint32", "uint64"}),
    "uint16": frozenset({"uint32", "uint64"}),
    "uint32": frozenset({"uint64"}),
    "float32": frozenset({"float64"}),
}


def decimal_parts(type_name: str) -> tuple[int, int] | None:
    """Precision and scale, or None if the type is not a decimal.

    >>> decimal_parts("decimal(10,2)")
    (10, 2)
    """
    match = _DECIMAL.fullmatch(type_name)
    return (int(match[1]), int(match[2])) if match else None


def is_known(type_name: str) -> bool:
    """Whether DuckLake 1.0 has a type of this name."""
    return type_name in SCALARS or type_name in NESTED or decimal_parts(type_name) is not None


def promotes(old: str, new: str) -> bool:
    """Whether a column may change from one type to the other without rewriting files.

    >>> promotes("int32", "int64"), promotes("int64", "int32")
    (True, False)
    """
    return new in _PROMOTIONS.get(old, frozenset())
