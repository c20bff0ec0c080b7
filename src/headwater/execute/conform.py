"""Convert values to the types of a table's columns: structs by the names of their fields, other values by cast."""

from __future__ import annotations

from pyspark.sql import types as t

from headwater.core.errors import InvalidRequest
from headwater.core.names import backquote, folded
from headwater.core.schema import Column
from headwater.execute.literals import string, type_text
from headwater.execute.spark_types import spark_type


def conform(value: str, given: t.DataType, column: Column, depth: int = 0) -> str:
    """The SQL that converts a value to the column's type. Spark's cast matches the fields of structs by position."""
    wanted = spark_type(column)
    if given.simpleString() == wanted.simpleString():
        return value
    part = f"__hw_part_{depth}"
    match column.type, given:
        case "struct", t.StructType():
            return _struct(value, given, column, depth)
        case "list", t.ArrayType():
            element = conform(part, given.elementType, column.children[0], depth + 1)
            return f"transform({value}, {part} -> {element})"
        case "map", t.MapType():
            key = conform(f"{part}.key", given.keyType, column.children[0], depth + 1)
            item = conform(f"{part}.value", given.valueType, column.children[1], depth + 1)
            pair = f"named_struct('key', {key}, 'value', {item})"
            return f"map_from_entries(transform(map_entries({value}), {part} -> {pair}))"
        case _:
            return f"CAST({value} AS {type_text(wanted)})"


def _struct(value: str, given: t.StructType, column: Column, depth: int) -> str:
    fields = {folded(field.name): field for field in given.fields}
    known = {folded(child.name) for child in column.children}
    if fields.keys() != known or len(fields) != len(given.fields):
        raise InvalidRequest(
            f'the fields of "{column.name}" do not match the table\'s',
            detail=f"The rows have {', '.join(given.names)}; the table has {', '.join(c.name for c in column.children)}.",
            hint="Pass each field of the table once, by name; use NULL for a missing value.",
        )
    parts = []
    for child in column.children:
        field = fields[folded(child.name)]
        held = conform(f"{value}.{backquote(field.name)}", field.dataType, child, depth)
        parts.append(f"{string(child.name)}, {held}")
    return f"CASE WHEN {value} IS NOT NULL THEN named_struct({', '.join(parts)}) END"
