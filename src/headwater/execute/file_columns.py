"""Spark SQL that converts columns of files to columns of the table: older types, other names, UUIDs, defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import types as t

from headwater.core.names import backquote
from headwater.core.schema import Column
from headwater.execute.literals import number, string, type_text
from headwater.execute.spark_types import FIELD_ID, spark_type
from headwater.lake.bounds import text_of
from headwater.lake.values import NamedColumn

# No field has a name that another field had.
NONE_REUSED: frozenset[int] = frozenset()


def file_field(
    name: str,
    column: Column,
    older_types: Mapping[int, str],
    named: NamedColumn | None = None,
    reused: frozenset[int] | None = NONE_REUSED,
) -> t.StructField:
    """The field by which Spark reads the column: its field id, or its name if the file is mapped by name.

    If a file lacks a field but has another one of its name, Spark reads that one. Therefore the fields in `reused` (None
    stands for all) are read under names that no file has.
    """
    metadata: dict[str, Any] = {} if named else {FIELD_ID: column.field_id}
    return t.StructField(name, _file_type(column, older_types, named, reused), True, metadata)


def shown(
    read: str,
    column: Column,
    older_types: Mapping[int, str],
    named: NamedColumn | None = None,
    reused: frozenset[int] | None = NONE_REUSED,
) -> str:
    """The table's column, computed from the field of `file_field`."""
    renamed = reused is None or any(part.field_id in reused for part in column.walk() if part is not column)
    if column.nested and (named or renamed):
        read = f"CAST({read} AS {type_text(_file_type(column, older_types, None))})"
    return _rebuilt(read, column, older_types)


def default(column: Column, value: Any) -> str:
    """A value that `lake.value_text` parsed, as a literal of the column's type."""
    return f"CAST({_literal(column, value)} AS {type_text(spark_type(column))})"


def needs_reading_as_long(column: Column, older_types: Mapping[int, str]) -> bool:
    """Whether the file stores the leaf column in a type that Spark can't widen to the column's."""
    return column.type == "uint64" and older_types.get(column.field_id) in ("uint8", "uint16", "uint32")


def _file_type(
    column: Column,
    older_types: Mapping[int, str],
    named: NamedColumn | None,
    reused: frozenset[int] | None = NONE_REUSED,
) -> t.DataType:
    match column.type:
        case "struct":
            sources = {child.field_id: child for child in named.children} if named else {}
            fields = []
            for child in column.children:
                source = sources.get(child.field_id)
                # A field without a mapping is read under a name that no file has, and so is NULL.
                name = source.source_name if source else child.name
                if (named and not source) or (not named and (reused is None or child.field_id in reused)):
                    name = f"__hw_field_{child.field_id}"
                part = source or (NamedColumn(child.field_id, name) if named else None)
                fields.append(file_field(name, child, older_types, part, reused))
            return t.StructType(fields)
        case "list" | "map":
            sources = {child.field_id: child for child in named.children} if named else {}
            parts = [
                _file_type(
                    child, older_types, sources.get(child.field_id) or (NamedColumn(0, "") if named else None), reused
                )
                for child in column.children
            ]
            return t.ArrayType(parts[0]) if column.type == "list" else t.MapType(parts[0], parts[1])
        case "uuid":
            return t.BinaryType()
        case _:
            return t.LongType() if needs_reading_as_long(column, older_types) else spark_type(column)


def _rebuilt(read: str, column: Column, older_types: Mapping[int, str], depth: int = 0) -> str:
    if not any(leaf.type == "uuid" or needs_reading_as_long(leaf, older_types) for leaf in column.leaves()):
        return read
    part = f"__hw_part{depth}"
    match column.type:
        case "struct":
            fields = ", ".join(
                f"{string(child.name)}, {_rebuilt(f'{read}.{backquote(child.name)}', child, older_types, depth)}"
                for child in column.children
            )
            return f"IF({read} IS NOT NULL, named_struct({fields}), NULL)"
        case "list":
            return f"transform({read}, {part} -> {_rebuilt(part, column.children[0], older_types, depth + 1)})"
        case "map":
            key, value = (
                _rebuilt(f"{part}.{name}", child, older_types, depth + 1)
                for name, child in zip(("key", "value"), column.children, strict=True)
            )
            return f"map_from_entries(transform(map_entries({read}), {part} -> struct({key}, {value})))"
        case "uuid":
            groups = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
            texts = ", ".join(f"substring(lower(hex({read})), {start}, {length})" for start, length in groups)
            return f"IF({read} IS NOT NULL, concat_ws('-', {texts}), NULL)"
        case _:
            return f"CAST({read} AS {type_text(spark_type(column))})"


def comparable(read: str, column: Column, depth: int = 0) -> str:
    """An expression that groups by the column's value: maps as their sorted entries.

    If Spark groups by maps itself, it mixes up their values if some are NULL.
    """
    if not any(part.type == "map" for part in column.walk()):
        return read
    part = f"__hw_part{depth}"
    match column.type:
        case "struct":
            fields = ", ".join(
                f"{string(child.name)}, {comparable(f'{read}.{backquote(child.name)}', child, depth)}"
                for child in column.children
            )
            return f"IF({read} IS NOT NULL, named_struct({fields}), NULL)"
        case "list":
            return f"transform({read}, {part} -> {comparable(part, column.children[0], depth + 1)})"
        case _:
            key, value = (
                comparable(f"{part}.{name}", child, depth + 1)
                for name, child in zip(("key", "value"), column.children, strict=True)
            )
            return f"array_sort(transform(map_entries({read}), {part} -> struct({key} AS key, {value} AS value)))"


def _literal(column: Column, value: Any) -> str:
    if value is None:
        return "NULL"
    match column.type:
        case "struct":
            fields = (f"{string(child.name)}, {default(child, value.get(child.name))}" for child in column.children)
            return f"named_struct({', '.join(fields)})"
        case "list":
            return f"array({', '.join(default(column.children[0], element) for element in value)})"
        case "map":
            pairs = (default(child, part) for pair in value for child, part in zip(column.children, pair, strict=True))
            return f"map({', '.join(pairs)})"
        case "date":
            return f"date_from_unix_date({value})"
        case "time":
            return string(str(text_of("time", value)))
        case "timestamp" | "timestamp_s" | "timestamp_ms" | "timestamptz":
            return f"timestamp_micros({number(value)})"
        case "boolean":
            return "true" if value else "false"
        case "blob":
            return f"X'{value.hex()}'"
        case _:
            return string(str(value))
