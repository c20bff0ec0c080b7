"""One column of every type that Headwater holds, and rows with edges of each, here and as DuckDB writes them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from headwater.core.schema import Column, Schema, number
from headwater.lake.value_text import parse

NAN, INFINITE = float("nan"), float("inf")

# Name, DuckLake's type, DuckDB's type, texts of two values.
SCALARS = (
    ("b", "boolean", "BOOLEAN", "true", "false"),
    ("i8", "int8", "TINYINT", "-128", "127"),
    ("i16", "int16", "SMALLINT", "-32768", "32767"),
    ("i32", "int32", "INTEGER", "-2147483648", "2147483647"),
    ("i64", "int64", "BIGINT", "-9223372036854775808", "9223372036854775807"),
    ("u8", "uint8", "UTINYINT", "0", "255"),
    ("u16", "uint16", "USMALLINT", "0", "65535"),
    ("u32", "uint32", "UINTEGER", "0", "4294967295"),
    ("u64", "uint64", "UBIGINT", "0", "18446744073709551615"),
    ("f", "float32", "FLOAT", "0.1", "-inf"),
    ("d", "float64", "DOUBLE", "nan", "1e+300"),
    ("small", "decimal(4,1)", "DECIMAL(4,1)", "-0.5", "999.9"),
    ("middle", "decimal(18,2)", "DECIMAL(18,2)", "-1.25", "9999999999999999.99"),
    ("large", "decimal(38,3)", "DECIMAL(38,3)", "-0.500", "12345678901234567890.123"),
    ("s", "varchar", "VARCHAR", "", "Grüße, 世界 '\""),
    ("j", "json", "JSON", '{"a": [1]}', "null"),
    ("blob", "blob", "BLOB", r"\x00\xFFabc", r"\xAB"),
    ("u", "uuid", "UUID", "12345678-1234-1234-1234-1234567890ab", "ffffffff-ffff-4fff-bfff-ffffffffffff"),
    ("day", "date", "DATE", "1582-10-10", "9999-12-31"),
    ("clock", "time", "TIME", "00:00:00", "23:59:59.999999"),
    ("ts", "timestamp", "TIMESTAMP", "0001-01-01 00:00:00", "2021-02-03 04:05:06.1"),
    ("tz", "timestamptz", "TIMESTAMPTZ", "1969-12-31 23:59:59.5+00", "2021-02-03 04:05:06.123456+00"),
    ("ts_s", "timestamp_s", "TIMESTAMP_S", "1969-12-31 23:59:59", "2021-02-03 04:05:06"),
    ("ts_ms", "timestamp_ms", "TIMESTAMP_MS", "1969-12-31 23:59:59.999", "2021-02-03 04:05:06.5"),
)

_NESTED = (
    (
        Column(
            "st",
            "struct",
            children=(
                Column("a", "uint8"),
                Column("u", "uuid"),
                Column("in", "struct", children=(Column("x y", "float64"),)),
            ),
        ),
        'STRUCT(a UTINYINT, u UUID, "in" STRUCT("x y" DOUBLE))',
        "{'a': 255, 'u': '12345678-1234-1234-1234-1234567890ab', 'in': {'x y': 'nan'}}",
        "{'a': NULL, 'u': NULL, 'in': NULL}",
    ),
    (
        Column("li", "list", children=(Column("element", "list", children=(Column("element", "timestamp_ms"),)),)),
        "TIMESTAMP_MS[][]",
        "[['2021-02-03 04:05:06.5', NULL], [], NULL]",
        "[]",
    ),
    (
        Column(
            "m",
            "map",
            children=(
                Column("key", "uuid"),
                Column("value", "struct", children=(Column("n", "uint64"), Column("t", "time"))),
            ),
        ),
        "MAP(UUID, STRUCT(n UBIGINT, t TIME))",
        "map {'12345678-1234-1234-1234-1234567890ab': {'n': 18446744073709551615, 't': '01:02:03.5'}}",
        "map {}",
    ),
)

SCHEMA = Schema(number((*(Column(name, lake) for name, lake, *_ in SCALARS), *(column for column, *_ in _NESTED))))

DUCK_COLUMNS = ", ".join(
    [
        *(f'"{name}" {duck}' for name, _, duck, *_ in SCALARS),
        *(f'"{column.name}" {duck}' for column, duck, *_ in _NESTED),
    ]
)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _duck_row(which: int) -> str:
    scalars = [f"CAST({_quoted(row[3 + which])} AS {row[2]})" for row in SCALARS]
    return "(" + ", ".join([*scalars, *(row[2 + which] for row in _NESTED)]) + ")"


DUCK_ROWS = f"{_duck_row(0)}, {_duck_row(1)}, ({', '.join(['NULL'] * len(SCHEMA))})"

_MILLIS = parse(Column("x", "timestamp_ms"), "2021-02-03 04:05:06.5")
_NESTED_VALUES: tuple[tuple[Any, ...], ...] = (
    (
        {"a": 255, "u": "12345678-1234-1234-1234-1234567890ab", "in": {"x y": NAN}},
        [[_MILLIS, None], [], None],
        [("12345678-1234-1234-1234-1234567890ab", {"n": Decimal(2**64 - 1), "t": 3_723_500_000})],
    ),
    ({"a": None, "u": None, "in": None}, [], []),
)

ROWS: tuple[tuple[Any, ...], ...] = (
    *(
        (
            *(parse(column, row[3 + which]) for row, column in zip(SCALARS, SCHEMA, strict=False)),
            *_NESTED_VALUES[which],
        )
        for which in (0, 1)
    ),
    (None,) * len(SCHEMA),
)
