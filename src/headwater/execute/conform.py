"""Values of users made to fit a table's columns: structs by the names of their fields, the rest by cast."""

from __future__ import annotations

from pyspark.sql import Column as Expression
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.core.errors import InvalidRequest
from headwater.core.schema import Column
from headwater.execute.types import spark_type


def conform(value: Expression, given: t.DataType, column: Column) -> Expression:
    """The value as the column's type; Spark's own cast would match the fields of structs by position."""
    wanted = spark_type(column)
    if given.simpleString() == wanted.simpleString():
        return value
    match column.type, given:
        case "struct", t.StructType():
            return _struct(value, given, column)
        case "list", t.ArrayType():
            return f.transform(value, lambda element: conform(element, given.elementType, column.children[0]))
        case "map", t.MapType():
            key, item = column.children
            pairs = f.transform(
                f.map_entries(value),
                lambda pair: f.struct(
                    conform(pair.getField("key"), given.keyType, key).alias("key"),
                    conform(pair.getField("value"), given.valueType, item).alias("value"),
                ),
            )
            return f.map_from_entries(pairs)
        case _:
            return value.cast(wanted)


def _struct(value: Expression, given: t.StructType, column: Column) -> Expression:
    fields = {field.name.casefold(): field for field in given.fields}
    known = {child.name.casefold() for child in column.children}
    if fields.keys() != known or len(fields) != len(given.fields):
        raise InvalidRequest(
            f'the fields of "{column.name}" do not match the table\'s',
            detail=f"Given are {', '.join(given.names)}; the table has {', '.join(c.name for c in column.children)}.",
            hint="Give each field of the table once, by name; use NULL where there is no value.",
        )
    parts = []
    for child in column.children:
        field = fields[child.name.casefold()]
        parts.append(conform(value.getField(field.name), field.dataType, child).alias(child.name))
    return f.when(value.isNotNull(), f.struct(*parts))
