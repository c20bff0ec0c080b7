"""Lake columns as Spark types, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyspark.sql import types as t

from headwater.core.errors import FeatureRefused
from headwater.core.representable import not_representable
from headwater.core.schema import Column
from headwater.core.types import decimal_parts

FIELD_ID = "parquet.field.id"

_TO_SPARK: dict[str, t.DataType] = {
    "boolean": t.BooleanType(),
    "int8": t.ByteType(),
    "int16": t.ShortType(),
    "int32": t.IntegerType(),
    "int64": t.LongType(),
    "uint8": t.ShortType(),
    "uint16": t.IntegerType(),
    "uint32": t.LongType(),
    "uint64": t.DecimalType(20, 0),
    "float32": t.FloatType(),
    "float64": t.DoubleType(),
    "varchar": t.StringType(),
    "json": t.StringType(),
    "uuid": t.StringType(),
    "blob": t.BinaryType(),
    "date": t.DateType(),
    "time": t.TimeType(6),
    "timestamp": t.TimestampNTZType(),
    "timestamp_s": t.TimestampNTZType(),
    "timestamp_ms": t.TimestampNTZType(),
    "timestamptz": t.TimestampType(),
}

_TO_LAKE: dict[type[t.DataType], str] = {
    t.BooleanType: "boolean",
    t.ByteType: "int8",
    t.ShortType: "int16",
    t.IntegerType: "int32",
    t.LongType: "int64",
    t.FloatType: "float32",
    t.DoubleType: "float64",
    t.BinaryType: "blob",
    t.DateType: "date",
    t.TimestampNTZType: "timestamp",
    t.TimestampType: "timestamptz",
}


def spark_type(column: Column) -> t.DataType:
    """The Spark type that represents every value of the column exactly."""
    match column.type:
        case "struct":
            return t.StructType([spark_field(child) for child in column.children])
        case "list":
            return t.ArrayType(spark_type(column.children[0]))
        case "map":
            return t.MapType(spark_type(column.children[0]), spark_type(column.children[1]))
        case _:
            return _scalar(column)


def spark_field(column: Column) -> t.StructField:
    """The field by which Spark reads the column from Parquet files."""
    metadata: dict[str, Any] = {FIELD_ID: column.field_id} if column.field_id else {}
    return t.StructField(column.name, spark_type(column), True, metadata)


def spark_schema(columns: Iterable[Column]) -> t.StructType:
    """The columns as a Spark schema with field ids."""
    return t.StructType([spark_field(column) for column in columns])


def lake_columns(schema: t.StructType) -> tuple[Column, ...]:
    """The columns of a new table for rows of this schema, without field ids."""
    return tuple(lake_column(field.name, field.dataType) for field in schema.fields)


def lake_column(name: str, data_type: t.DataType) -> Column:
    """The lake column that represents every value of the Spark type exactly."""
    match data_type:
        case t.StructType() if data_type.fields:
            return Column(name, "struct", children=lake_columns(data_type))
        case t.ArrayType():
            return Column(name, "list", children=(lake_column("element", data_type.elementType),))
        case t.MapType():
            pair = (lake_column("key", data_type.keyType), lake_column("value", data_type.valueType))
            return Column(name, "map", children=pair)
        case t.DecimalType():
            return Column(name, f"decimal({data_type.precision},{data_type.scale})")
        case t.VarcharType() | t.CharType():
            return Column(name, "varchar")
        case t.StringType() if data_type.collation == "UTF8_BINARY":
            return Column(name, "varchar")
        case t.TimeType() if data_type.precision <= 6:
            return Column(name, "time")
        case _ if type(data_type) in _TO_LAKE:
            return Column(name, _TO_LAKE[type(data_type)])
        case _:
            raise FeatureRefused(
                f'column "{name}" has type {data_type.simpleString()}, which DuckLake can\'t hold exactly',
                hint=f'Cast it: CAST("{name}" AS STRING).',
            )


def _scalar(column: Column) -> t.DataType:
    if parts := decimal_parts(column.type):
        return t.DecimalType(*parts)
    if column.type in _TO_SPARK:
        return _TO_SPARK[column.type]
    raise not_representable(column, column)
