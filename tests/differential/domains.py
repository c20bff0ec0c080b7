"""Types of generated columns, small domains of nasty values for each, and their SQL."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal
from random import Random
from typing import Any
from uuid import UUID

from headwater.core.names import quote
from headwater.core.schema import Column
from headwater.core.types import decimal_parts

SQL_NAMES = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "varchar": "VARCHAR",
    "json": "JSON",
    "blob": "BLOB",
    "uuid": "UUID",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMPTZ",
    "timestamp_s": "TIMESTAMP_S",
    "timestamp_ms": "TIMESTAMP_MS",
}
DECIMALS = ("decimal(4,1)", "decimal(9,2)", "decimal(18,6)", "decimal(38,0)", "decimal(38,10)")
SCALARS = (*SQL_NAMES, *DECIMALS)


@dataclass(frozen=True, slots=True)
class Type:
    """A type by DuckLake's name; fields of a struct, the element of a list, key and value of a map are its parts."""

    name: str
    parts: tuple[tuple[str, Type], ...] = ()

    @property
    def sql(self) -> str:
        """The type as DuckDB writes it."""
        match self.name:
            case "struct":
                return "STRUCT(" + ", ".join(f"{quote(name)} {part.sql}" for name, part in self.parts) + ")"
            case "list":
                return self.parts[0][1].sql + "[]"
            case "map":
                return f"MAP({self.parts[0][1].sql}, {self.parts[1][1].sql})"
            case _:
                return SQL_NAMES.get(self.name, self.name.upper())

    def column(self, name: str, **facts: Any) -> Column:
        """A column of this type, as Headwater describes it."""
        return Column(name, self.name, children=tuple(part.column(child) for child, part in self.parts), **facts)


def scalar(name: str) -> Type:
    """A type without parts."""
    return Type(name)


def struct(*fields: tuple[str, Type]) -> Type:
    """A struct of these fields."""
    return Type("struct", fields)


def array(element: Type) -> Type:
    """A list of this element."""
    return Type("list", (("element", element),))


def mapping(key: Type, value: Type) -> Type:
    """A map from key to value."""
    return Type("map", (("key", key), ("value", value)))


_CONTEXT = Context(prec=50)

INT, TEXT = scalar("int32"), scalar("varchar")

# Shapes that every catalog can hold inlined. DuckDB writes a struct at the top, and structs directly inside it, as a
# SQL literal; it can't read that back if a field is a date, a time, a UUID, a blob, NaN, or text with a quote or
# backslash.
PLAIN_NESTED = (
    struct(("a", INT), ("b", TEXT)),
    struct(("s", struct(("d", scalar("decimal(38,10)")), ("u", scalar("uint64")))), ("l", array(TEXT))),
    array(INT),
    array(TEXT),
    array(array(scalar("float64"))),
    array(scalar("blob")),
    array(scalar("timestamp")),
    array(struct(("d", scalar("date")), ("t", TEXT))),
    mapping(TEXT, INT),
    mapping(INT, TEXT),
    mapping(TEXT, struct(("x", scalar("float64")), ("l", array(INT)))),
    mapping(scalar("date"), array(scalar("uuid"))),
)
# Shapes for tables that never inline.
RICH_NESTED = (
    struct(("d", scalar("date")), ("t", scalar("timestamp")), ("z", scalar("timestamptz"))),
    struct(("f", scalar("float64")), ("b", scalar("blob")), ("u", scalar("uuid")), ("v", TEXT)),
    struct(("s", struct(("m", mapping(TEXT, scalar("time"))), ("q", TEXT))), ("f", scalar("float32"))),
    array(
        struct(("s", struct(("t", scalar("timestamptz")), ("n", scalar("decimal(18,6)")))), ("b", scalar("boolean")))
    ),
)

_MOMENTS = (
    datetime(1970, 1, 1),
    datetime(1, 1, 1),
    datetime(9999, 12, 31, 23, 59, 59),
    datetime(1582, 10, 10, 12),
    datetime(1900, 1, 1, 0, 0, 1),
    datetime(2020, 2, 29, 12, 34, 56),
)
_FINE = (datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2020, 2, 29, 12, 34, 56, 789000))
_PLAIN_TEXTS = ("", "a", "b", "é漢😀", "NULL", 'x"y', " lead", "line\nbreak", "a, b: {c}=[d]")
_DOMAINS: dict[str, tuple[Any, ...]] = {
    "boolean": (True, False),
    "float32": (0.0, -0.0, 1.5, -2.25, math.nan, math.inf, -math.inf, 3.4028234663852886e38),
    "float64": (0.0, -0.0, 0.1, -2.25, math.nan, math.inf, -math.inf, 1e300, 5e-324),
    "varchar": (*_PLAIN_TEXTS, "it's", "back\\slash", "z" * 200),
    "json": ('{"a": [1, null]}', "null", '"it\'s"', "1", '{"é": {}}'),
    "blob": (b"", b"\x00\xff", b"abc", b"it's", b"back\\slash"),
    "uuid": (UUID(int=0), UUID(int=2**128 - 1), UUID("123e4567-e89b-12d3-a456-426614174000")),
    "date": tuple(moment.date() for moment in _MOMENTS),
    "time": (time(0), time(23, 59, 59, 999999), time(12, 34, 56, 700000)),
    "timestamp": _MOMENTS + _FINE,
    "timestamptz": tuple(moment.replace(tzinfo=UTC) for moment in _MOMENTS + _FINE),
    "timestamp_s": _MOMENTS,
    "timestamp_ms": (*_MOMENTS, _FINE[1]),
}


def domain(type_name: str) -> tuple[Any, ...]:
    """The values that a scalar type is tried with."""
    if parts := decimal_parts(type_name):
        precision, scale = parts
        most = Decimal(10**precision - 1).scaleb(-scale, _CONTEXT)
        return (
            Decimal(0),
            most,
            most.copy_negate(),
            Decimal(1).scaleb(-scale),
            Decimal("1.5").quantize(Decimal(1).scaleb(-scale)),
        )
    if "int" in type_name:
        bits = int(type_name.removeprefix("u").removeprefix("int"))
        low, high = (0, 2**bits - 1) if type_name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return (0, 1, 2, low, high)
    return _DOMAINS[type_name]


def draw(rng: Random, kind: Type, *, nullable: bool = True, in_struct: bool = False) -> Any:
    """A value: structs are dicts, lists lists, maps tuples of pairs; `in_struct` keeps to what DuckDB inlines well."""
    if nullable and rng.random() < 0.2:
        return None
    match kind.name:
        case "struct":
            return {name: draw(rng, part, in_struct=in_struct) for name, part in kind.parts}
        case "list":
            return [draw(rng, kind.parts[0][1]) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        case "map":
            key, value = (part for _, part in kind.parts)
            keys = dict.fromkeys(draw(rng, key, nullable=False) for _ in range(rng.choice((0, 1, 2))))
            return tuple((name, draw(rng, value)) for name in keys)
    choices = domain(kind.name)
    if in_struct:
        choices = tuple(choice for choice in choices if _readable_in_inlined_struct(choice))
    return rng.choice(choices)


def draw_default(rng: Random, kind: Type) -> Any:
    """A value for DEFAULT: the catalog holds it as text, which must mean the same after a promotion."""
    value = draw(rng, kind, nullable=False)
    return 1.5 if kind.name == "float32" and 1000 < value < math.inf else value


def literal(value: Any, kind: Type) -> str:
    """The value as a DuckDB expression of exactly this type."""
    return f"CAST({expression(value)} AS {kind.sql})"


def expression(value: Any) -> str:
    """The value as a DuckDB expression that casts to its type without loss."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f"{_text(name)}: {expression(item)}" for name, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(expression, value)) + "]"
        case tuple():
            return "MAP {" + ", ".join(f"{expression(key)}: {expression(item)}" for key, item in value) + "}"
        case bytes():
            return f"from_hex('{value.hex()}')"
        case int():
            return str(value)
        case _:
            return _text(text(value))


def text(value: Any) -> str:
    """A scalar as DuckLake writes it in defaults.

    >>> text(Decimal("1.50")), text(datetime(1, 2, 3)), text(False)
    ('1.50', '0001-02-03 00:00:00.000000', 'false')
    """
    match value:
        case bool():
            return str(value).lower()
        case float():
            return repr(value)
        case datetime():
            return f"{value.year:04}-{value:%m-%d %H:%M:%S.%f}" + ("+00" if value.tzinfo else "")
        case date():
            return f"{value.year:04}-{value:%m-%d}"
        case time():
            return value.isoformat()
        case Decimal():
            return f"{value:f}"
        case _:
            return str(value)


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _readable_in_inlined_struct(value: Any) -> bool:
    match value:
        case bool() | int() | Decimal():
            return True
        case float():
            return math.isfinite(value) and math.copysign(1, value) == 1
        case str():
            return "'" not in value and "\\" not in value
        case _:
            return False
