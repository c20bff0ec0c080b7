"""Arrow tables as bags of plain values, so that what Spark read and what DuckDB read compare equal."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

Row = tuple[Any, ...]
Bag = Counter[Row]

NAN = "NaN"
_MICROSECONDS = {"s": (1_000_000, 1), "ms": (1_000, 1), "us": (1, 1), "ns": (1, 1_000)}


def canonical(table: pa.Table) -> Bag:
    """How often each row occurs.

    NaN equals NaN and -0.0 equals 0.0. Dates are days, times and timestamps microseconds, since 1970 where that applies.
    Structs are tuples, lists tuples, maps sorted tuples of pairs; UUIDs and JSON are text.

    >>> canonical(pa.table({"f": [float("nan"), -0.0], "m": pa.array([[("b", 1), ("a", 2)], None],
    ...     pa.map_(pa.string(), pa.int8()))})) == Counter({(NAN, (("a", 2), ("b", 1))): 1, (0.0, None): 1})
    True
    """
    if not table.num_columns:
        return Counter({(): table.num_rows})
    columns = [_values(_joined(column)) for column in table.columns]
    return Counter(zip(*columns, strict=True))


def _joined(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined


def _values(array: pa.Array) -> list[Any]:
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _values(array.storage)
    if pa.types.is_dictionary(kind):
        return _values(array.dictionary_decode())
    if pa.types.is_struct(kind):
        fields = [_values(array.field(number)) for number in range(kind.num_fields)]
        rows = zip(*fields, strict=True) if fields else (() for _ in range(len(array)))
        return _masked(array, list(rows))
    if pa.types.is_map(kind):
        pairs = list(zip(_values(array.keys), _values(array.items), strict=True))
        return _sliced(array, pairs, lambda part: tuple(sorted(part, key=repr)))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _sliced(array, _values(array.values), tuple)
    return _scalars(array)


def _sliced(array: pa.Array, inner: list[Any], make: Any) -> list[Any]:
    offsets = array.offsets.to_pylist()
    return _masked(array, [make(inner[start:end]) for start, end in pairwise(offsets)])


def _masked(array: pa.Array, values: list[Any]) -> list[Any]:
    if not array.null_count:
        return values
    return [value if valid else None for value, valid in zip(values, array.is_valid().to_pylist(), strict=True)]


def _scalars(array: pa.Array) -> list[Any]:
    kind = array.type
    if pa.types.is_floating(kind):
        return [_float(value) for value in array.to_pylist()]
    if pa.types.is_date32(kind):
        return array.cast(pa.int32()).to_pylist()  # type: ignore[no-any-return]
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        times, per = _MICROSECONDS[kind.unit]
        width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        numbers = pc.cast(array, width).to_pylist()
        return [None if number is None else number * times // per for number in numbers]
    if pa.types.is_fixed_size_binary(kind) and kind.byte_width == 16:
        return [None if value is None else str(UUID(bytes=value)) for value in array.to_pylist()]
    return array.to_pylist()  # type: ignore[no-any-return]


def _float(value: float | None) -> Any:
    if value is None:
        return None
    return NAN if math.isnan(value) else value + 0.0
