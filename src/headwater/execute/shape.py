"""From what a file holds to what the table shows: older types, other names, UUIDs, defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column as Expression
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.core.schema import Column
from headwater.execute.types import FIELD_ID, spark_type
from headwater.lake.bounds import text_of
from headwater.lake.values import NamedColumn


def file_field(name: str, column: Column, narrow: Mapping[int, str], named: NamedColumn | None = None) -> t.StructField:
    """The field to read the column by: under its field id, or under its name where the file is mapped by name."""
    metadata: dict[str, Any] = {} if named else {FIELD_ID: column.field_id}
    return t.StructField(name, _file_type(column, narrow, named), True, metadata)


def shown(read: Expression, column: Column, narrow: Mapping[int, str], named: NamedColumn | None = None) -> Expression:
    """The column as the table shows it, made from what `file_field` reads."""
    if named and column.nested:
        read = read.cast(_file_type(column, narrow, None))
    return _rebuilt(read, column, narrow)


def default(column: Column, value: Any) -> Expression:
    """A value as `lake.text` parses it, as a literal of the column's type."""
    return _literal(column, value).cast(spark_type(column))


def needs_reading_as_long(column: Column, narrow: Mapping[int, str]) -> bool:
    """Whether the file holds the leaf in a type that Spark can't widen to the column's."""
    return column.type == "uint64" and narrow.get(column.field_id) in ("uint8", "uint16", "uint32")


def _file_type(column: Column, narrow: Mapping[int, str], named: NamedColumn | None) -> t.DataType:
    match column.type:
        case "struct":
            sources = {child.field_id: child for child in named.children} if named else {}
            fields = []
            for child in column.children:
                source = sources.get(child.field_id)
                # A part that the mapping does not know is read under a name that no file has: as NULL.
                name = source.source_name if source else f"__hw_absent_{child.field_id}" if named else child.name
                part = source or (NamedColumn(child.field_id, name) if named else None)
                fields.append(file_field(name, child, narrow, part))
            return t.StructType(fields)
        case "list" | "map":
            sources = {child.field_id: child for child in named.children} if named else {}
            parts = [
                _file_type(child, narrow, sources.get(child.field_id) or (NamedColumn(0, "") if named else None))
                for child in column.children
            ]
            return t.ArrayType(parts[0]) if column.type == "list" else t.MapType(parts[0], parts[1])
        case "uuid":
            return t.BinaryType()
        case _:
            return t.LongType() if needs_reading_as_long(column, narrow) else spark_type(column)


def _rebuilt(read: Expression, column: Column, narrow: Mapping[int, str]) -> Expression:
    if not any(leaf.type == "uuid" or needs_reading_as_long(leaf, narrow) for leaf in column.leaves()):
        return read
    match column.type:
        case "struct":
            parts = [_rebuilt(read.getField(child.name), child, narrow).alias(child.name) for child in column.children]
            return f.when(read.isNotNull(), f.struct(*parts))
        case "list":
            return f.transform(read, lambda element: _rebuilt(element, column.children[0], narrow))
        case "map":
            key, value = column.children
            pairs = f.transform(
                f.map_entries(read),
                lambda pair: f.struct(
                    _rebuilt(pair.getField("key"), key, narrow), _rebuilt(pair.getField("value"), value, narrow)
                ),
            )
            return f.map_from_entries(pairs)
        case "uuid":
            digits = f.lower(f.hex(read))
            groups = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
            texts = [f.substring(digits, *group) for group in groups]
            return f.concat(texts[0], *(part for text in texts[1:] for part in (f.lit("-"), text)))
        case _:
            return read.cast(spark_type(column))


def _literal(column: Column, value: Any) -> Expression:
    if value is None:
        return f.lit(None)
    match column.type:
        case "struct":
            parts = [default(child, value.get(child.name)).alias(child.name) for child in column.children]
            return f.struct(*parts)
        case "list":
            return f.array(*(default(column.children[0], element) for element in value))
        case "map":
            pairs = [default(child, part) for pair in value for child, part in zip(column.children, pair, strict=True)]
            return f.create_map(*pairs)
        case "date":
            return f.date_from_unix_date(f.lit(value))
        case "time":
            return f.lit(text_of("time", value))
        case "timestamp" | "timestamp_s" | "timestamp_ms" | "timestamptz":
            return f.timestamp_micros(f.lit(value))
        case _:
            return f.lit(value)
