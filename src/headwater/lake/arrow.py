"""Arrow types of lake columns: as Spark delivers them, and as Parquet files hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

from headwater.core.errors import InvalidRequest
from headwater.core.representable import not_representable
from headwater.core.schema import Column
from headwater.core.types import decimal_parts

FIELD_ID = b"PARQUET:field_id"

_DELIVERED: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint8": pa.int16(),
    "uint16": pa.int32(),
    "uint32": pa.int64(),
    "uint64": pa.decimal128(20, 0),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "varchar": pa.string(),
    "json": pa.string(),
    "uuid": pa.string(),
    "blob": pa.binary(),
    "date": pa.date32(),
    "time": pa.time64("ns"),
    "timestamp": pa.timestamp("us"),
    "timestamp_s": pa.timestamp("us"),
    "timestamp_ms": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
}

# Types that files store differently than Spark delivers them. Parquet has no seconds; DuckDB writes them as microseconds.
_FILED: dict[str, pa.DataType] = {
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "json": pa.json_(),
    "uuid": pa.uuid(),
    "time": pa.time64("us"),
    "timestamp_ms": pa.timestamp("ms"),
}

# `lake.value_text` returns times of day in microseconds.
_PARSED = {"time": pa.time64("us")}


def arrow_type(column: Column) -> pa.DataType:
    """The Arrow type that Spark uses for the column.

    >>> arrow_type(Column("l", "list", children=(Column("element", "uint8"),)))
    ListType(list<element: int16>)
    """
    return _delivered(column, _DELIVERED)


def arrow_schema(columns: Iterable[Column]) -> pa.Schema:
    """The Arrow schema that Spark uses for the columns."""
    return pa.schema([pa.field(column.name, arrow_type(column)) for column in columns])


def file_type(column: Column) -> pa.DataType:
    """The type of the column in Parquet files, with a field id on every part."""
    match column.type:
        case "struct":
            return pa.struct([file_field(child) for child in column.children])
        case "list":
            return pa.list_(file_field(column.children[0], "element"))
        case "map":
            key, value = column.children
            return pa.map_(file_field(key, "key", nullable=False), file_field(value, "value"))
        case _:
            return _scalar(column, _DELIVERED | _FILED)


def file_field(column: Column, name: str | None = None, *, nullable: bool = True) -> pa.Field:
    """The column as a field of a Parquet file. As in the extension, every field except a map key is optional."""
    return pa.field(name or column.name, file_type(column), nullable, {FIELD_ID: str(column.field_id).encode()})


def file_schema(columns: Iterable[Column]) -> pa.Schema:
    """The schema of Parquet files for the columns."""
    return pa.schema([file_field(column) for column in columns])


def to_file(batch: pa.RecordBatch, columns: Sequence[Column]) -> pa.RecordBatch:
    """Convert the named columns of a batch from Spark's types to those of files, and check NOT NULL."""
    arrays = []
    for column in columns:
        array = batch.column(column.name)
        if not column.nullable and array.null_count:
            raise InvalidRequest(
                f'NULL in column "{column.name}", which is NOT NULL',
                hint="Filter out these rows, or drop the constraint.",
            )
        try:
            arrays.append(_convert(array, column))
        except (pa.ArrowInvalid, ValueError) as error:
            raise InvalidRequest(
                f'a value does not fit column "{column.name}" of type {column.type_text()}', detail=_sentence(error)
            ) from error
    return pa.RecordBatch.from_arrays(arrays, schema=file_schema(columns))


def to_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> pa.Table:
    """Rows of Python values (as `lake.value_text` parses them) as a table in Spark's types."""
    arrays = []
    for i, column in enumerate(columns):
        parsed = pa.array([row[i] for row in rows], _delivered(column, _DELIVERED | _PARSED))
        arrays.append(parsed.cast(arrow_type(column)))
    return pa.table(arrays, schema=arrow_schema(columns))


def _delivered(column: Column, scalars: dict[str, pa.DataType]) -> pa.DataType:
    match column.type:
        case "struct":
            return pa.struct([pa.field(child.name, _delivered(child, scalars)) for child in column.children])
        case "list":
            return pa.list_(pa.field("element", _delivered(column.children[0], scalars)))
        case "map":
            key, value = (_delivered(child, scalars) for child in column.children)
            return pa.map_(pa.field("key", key, nullable=False), pa.field("value", value))
        case _:
            return _scalar(column, scalars)


def _scalar(column: Column, types: dict[str, pa.DataType]) -> pa.DataType:
    if parts := decimal_parts(column.type):
        return pa.decimal128(*parts)
    if column.type in types:
        return types[column.type]
    raise not_representable(column, column)


def _convert(array: pa.Array, column: Column) -> pa.Array:
    target = file_type(column)
    checked = any(leaf.type in ("timestamp_s", "json") for leaf in column.leaves())
    if array.type == target and not checked:
        return array
    match column.type:
        case "struct":
            parts = [_convert(part, child) for part, child in zip(array.flatten(), column.children, strict=True)]
            return pa.StructArray.from_arrays(parts, fields=list(target), mask=array.is_null())
        case "list":
            return _rewrap(array, target, _convert(array.values, column.children[0]))
        case "map":
            key, value = column.children
            pairs = pa.StructArray.from_arrays(
                [_convert(array.keys, key), _convert(array.items, value)],
                fields=[target.key_field, target.item_field],
            )
            return _rewrap(array, target, pairs)
        case "uuid":
            return pa.ExtensionArray.from_storage(target, _uuid_bytes(array))
        case "json":
            for text in array.drop_null().to_pylist():
                json.loads(text, parse_constant=_no_json)
            return pa.ExtensionArray.from_storage(target, array.cast(target.storage_type))
        case "timestamp_s":
            return array.cast(pa.timestamp("s")).cast(target)
        case _:
            return array.cast(target)


def _rewrap(array: pa.Array, target: pa.DataType, inner: pa.Array) -> pa.Array:
    """The same lists around other elements."""
    return pa.Array.from_buffers(target, len(array), array.buffers()[:2], offset=array.offset, children=[inner])


def _uuid_bytes(array: pa.Array) -> pa.Array:
    texts = array.drop_null()
    if len(texts) and pc.all(pc.equal(pc.binary_length(texts), 36)).as_py():
        joined = pc.binary_join(pa.array([texts.to_pylist()], pa.list_(pa.string())), "")[0].as_py()
        raw = bytes.fromhex(joined.replace("-", ""))
    else:
        raw = b"".join(UUID(text).bytes for text in texts.to_pylist())
    if len(raw) != 16 * len(texts):
        raise ValueError("a string is not a UUID")
    packed = pa.Array.from_buffers(pa.binary(16), len(texts), [None, pa.py_buffer(raw)])
    if not array.null_count:
        return packed
    present = array.is_valid()
    places = pc.if_else(present, pc.subtract(pc.cumulative_sum(present.cast(pa.int64())), 1), None)
    return packed.take(places)


def _no_json(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _sentence(error: Exception) -> str:
    text = str(error).strip().splitlines()[0].rstrip(".")
    return text[:1].upper() + text[1:] + "."
