"""Parse type names of DuckDB and Spark, in both dialects, into DuckLake's."""

from __future__ import annotations

from headwater.core.names import folded
from headwater.core.schema import Column
from headwater.sql.cursor import Cursor
from headwater.sql.tokens import MAX_DEPTH, Token, TokenKind

SCALAR_NAMES = {
    name: ducklake
    for ducklake, names in {
        "boolean": "BOOLEAN BOOL LOGICAL",
        "int8": "TINYINT INT1 BYTE",
        "int16": "SMALLINT SHORT INT2 INT16",
        "int32": "INTEGER INT INT4 INT32 INTEGRAL SIGNED",
        "int64": "BIGINT LONG INT8 INT64 OID",
        "int128": "HUGEINT INT128",
        "uint8": "UTINYINT UINT8",
        "uint16": "USMALLINT UINT16",
        "uint32": "UINTEGER UINT32",
        "uint64": "UBIGINT UINT64",
        "uint128": "UHUGEINT UINT128",
        "float32": "FLOAT REAL FLOAT4",
        "float64": "DOUBLE FLOAT8",
        "varchar": "VARCHAR STRING TEXT CHAR CHARACTER BPCHAR NVARCHAR",
        "json": "JSON",
        "blob": "BLOB BYTEA BINARY VARBINARY",
        "uuid": "UUID GUID",
        "date": "DATE",
        "time": "TIME",
        "timetz": "TIMETZ",
        "timestamp": "TIMESTAMP_NTZ TIMESTAMP_US",
        "timestamptz": "TIMESTAMPTZ TIMESTAMP_LTZ",
        "timestamp_s": "TIMESTAMP_S",
        "timestamp_ms": "TIMESTAMP_MS",
        "timestamp_ns": "TIMESTAMP_NS",
        "interval": "INTERVAL",
        "geometry": "GEOMETRY",
        "variant": "VARIANT",
    }.items()
    for name in names.split()
}
# The dialects differ in TIMESTAMP, and in DECIMAL without precision and scale.
_TIMESTAMP = {"duckdb": "timestamp", "spark": "timestamptz"}
_DECIMAL = {"duckdb": (18, 3), "spark": (10, 0)}
_TIMESTAMP_BY_DIGITS = {0: "timestamp_s", 3: "timestamp_ms", 6: "timestamp", 9: "timestamp_ns"}


def parse_type(cursor: Cursor, name: str, depth: int = 0) -> Column:
    """Parse the next type, as a column of the given name."""
    start = cursor.here
    column = _parse_plain(cursor, name, depth)
    while cursor.at_symbol("[") or cursor.at_words("ARRAY"):
        depth += 1
        _refuse_depth(cursor, depth)
        bare = cursor.take_words("ARRAY")
        if cursor.take_symbol("["):
            if cursor.here.kind is TokenKind.NUMBER:
                raise cursor.unsupported(
                    "arrays of a fixed size are not supported", hint="Omit the size: T[].", token=start
                )
            cursor.expect_symbol("]")
        elif not bare:
            raise cursor.unexpected('"["')
        column = _list_of(name, column)
    return column


def _parse_plain(cursor: Cursor, name: str, depth: int) -> Column:
    _refuse_depth(cursor, depth)
    start = cursor.here
    if start.kind not in (TokenKind.WORD, TokenKind.QUOTED):
        raise cursor.unexpected("a type")
    match word := cursor.advance().text.upper():
        case "STRUCT" | "ROW":
            return _parse_struct(cursor, name, depth)
        case "ARRAY" | "LIST":
            (element,) = _parse_arguments(cursor, ("element",), depth)
            return _list_of(name, element)
        case "MAP":
            return Column(name, "map", children=_parse_arguments(cursor, ("key", "value"), depth))
        case "DECIMAL" | "NUMERIC" | "DEC":
            return Column(name, _parse_decimal(cursor))
        case "TIMESTAMP" | "DATETIME":
            return Column(name, _parse_timestamp(cursor))
        case "TIME" if cursor.take_words("WITH", "TIME", "ZONE"):
            return Column(name, "timetz")
        case "TIME":
            cursor.take_words("WITHOUT", "TIME", "ZONE")
            return Column(name, "time")
        case _ if word in SCALAR_NAMES:
            return Column(name, _parse_scalar(cursor, word))
        case _:
            raise _unknown(cursor, start)


def _parse_scalar(cursor: Cursor, word: str) -> str:
    """Parse the rest of a scalar type. A length, as of VARCHAR, is ignored, as in DuckDB."""
    ducklake = SCALAR_NAMES[word]
    if word == "DOUBLE":
        cursor.take_words("PRECISION")
    if word in ("CHARACTER", "CHAR"):
        cursor.take_words("VARYING")
    if ducklake in ("varchar", "blob", "float32") and cursor.at_symbol("("):
        cursor.listed(lambda: cursor.integer("length"))
    return ducklake


def _parse_decimal(cursor: Cursor) -> str:
    precision, scale = _DECIMAL[cursor.dialect]
    start = cursor.here
    if cursor.at_symbol("("):
        match cursor.listed(lambda: cursor.integer("precision or scale")):
            case (precision,):
                scale = 0
            case (precision, scale):
                pass
            case _:
                raise cursor.syntax("DECIMAL takes a precision and a scale", hint="DECIMAL(18, 3)", token=start)
    if not (1 <= precision <= 38 and scale <= precision):
        raise cursor.syntax(
            f"decimal({precision},{scale}) does not exist",
            hint="Choose a precision from 1 to 38 and a scale up to the precision.",
            token=start,
        )
    return f"decimal({precision},{scale})"


def _parse_timestamp(cursor: Cursor) -> str:
    if cursor.at_symbol("("):
        start = cursor.here
        match cursor.listed(lambda: cursor.integer("number of digits")):
            case (digits,) if digits in _TIMESTAMP_BY_DIGITS:
                return _TIMESTAMP_BY_DIGITS[digits]
            case _:
                raise cursor.syntax("invalid precision for a timestamp", hint="Choose 0, 3, 6 or 9.", token=start)
    if cursor.take_words("WITH", "TIME", "ZONE") or cursor.take_words("WITH", "LOCAL", "TIME", "ZONE"):
        return "timestamptz"
    if cursor.take_words("WITHOUT", "TIME", "ZONE"):
        return "timestamp"
    return _TIMESTAMP[cursor.dialect]


def _parse_struct(cursor: Cursor, name: str, depth: int) -> Column:
    seen: set[str] = set()

    def field() -> Column:
        start = cursor.here
        of = cursor.identifier("field")
        if folded(of) in seen:
            raise cursor.syntax(f'field "{of}" is specified more than once', hint="Rename one of them.", token=start)
        seen.add(folded(of))
        cursor.take_symbol(":")
        return parse_type(cursor, of, depth + 1)

    opening, closing = _brackets(cursor)
    return Column(name, "struct", children=cursor.listed(field, opening, closing))


def _parse_arguments(cursor: Cursor, names: tuple[str, ...], depth: int) -> tuple[Column, ...]:
    opening, closing = _brackets(cursor)
    cursor.expect_symbol(opening)
    parts: list[Column] = []
    for of in names:
        if parts:
            cursor.expect_symbol(",")
        parts.append(parse_type(cursor, of, depth + 1))
    cursor.expect_symbol(closing)
    return tuple(parts)


def _brackets(cursor: Cursor) -> tuple[str, str]:
    return ("<", ">") if cursor.at_symbol("<") else ("(", ")")


def _list_of(name: str, element: Column) -> Column:
    return Column(name, "list", children=(Column("element", element.type, children=element.children),))


def _refuse_depth(cursor: Cursor, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise cursor.syntax(f"the type is nested more than {MAX_DEPTH} levels deep", hint="Use a flatter type.")


def _unknown(cursor: Cursor, token: Token) -> Exception:
    return cursor.unsupported(
        f'type "{token.text}" is not known',
        detail="A lake's columns have the types of DuckLake 1.0.",
        hint="Use a type that DuckLake has, for example VARCHAR, BIGINT, DECIMAL(18, 3), TIMESTAMP, T[].",
        token=token,
    )
