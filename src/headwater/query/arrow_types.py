"""Arrow arrays of DuckDB's types that Arrow has no exact type for, as arrays that every reader of Arrow understands.

With `arrow_lossless_conversion`, DuckDB sends these types as bytes. UHUGEINT becomes DECIMAL(39), HUGEINT DECIMAL(38), and UUID
and TIMETZ text. Without it, UHUGEINT from 2^127 on is negative, and TIMETZ has no offset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.core.clock_text import clock_text

# The number of bits of the offset in a TIMETZ, and the largest offset, which is stored as 0.
OFFSET_BITS, LARGEST_OFFSET = 24, 16 * 3600 - 1
_HEX = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), np.uint8).reshape(256, 2)
_DASHES = (8, 12, 16, 20)


def exact_schema(schema: Any) -> Any:
    """The schema of batches that were converted."""
    return pa.schema([field.with_type(exact_type(field.type)) for field in schema])


def exact_type(kind: Any) -> Any:
    """The type of a converted array."""
    if isinstance(kind, pa.BaseExtensionType):
        return _TYPES.get(_name(kind), kind.storage_type)
    if pa.types.is_union(kind):
        return pa.sparse_union(_fields(kind), kind.type_codes)
    if pa.types.is_struct(kind):
        return pa.struct(_fields(kind))
    if pa.types.is_map(kind):
        return pa.map_(exact_type(kind.key_type), exact_type(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(_field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_field(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_field(kind.value_field), kind.list_size)
    return kind


def exact(array: Any) -> Any:
    """The array with the types of DuckDB that Arrow can't express converted, in nested types too."""
    kind, converted = array.type, exact_type(array.type)
    if isinstance(kind, pa.BaseExtensionType):
        convert = _CONVERSIONS.get(_name(kind))
        if not len(array):  # its buffers may be absent
            return pa.array([], converted)
        return array.storage if convert is None else convert(array.storage)
    if converted == kind:
        return array
    if pa.types.is_union(kind):
        children = [exact(array.field(place)) for place in range(kind.num_fields)]
        return pa.UnionArray.from_sparse(array.type_codes, children, [field.name for field in kind])
    if pa.types.is_struct(kind):
        return _rebuilt(array, converted, 1, [exact(array.field(place)) for place in range(kind.num_fields)])
    if pa.types.is_map(kind):
        entries = pa.struct([converted.key_field, converted.item_field])
        pairs = [exact(array.keys), exact(array.items)]
        return _rebuilt(array, converted, 2, [pa.StructArray.from_arrays(pairs, fields=list(entries))])
    return _rebuilt(array, converted, 1 if pa.types.is_fixed_size_list(kind) else 2, [exact(array.values)])


def _field(field: Any) -> Any:
    return field.with_type(exact_type(field.type))


def _fields(kind: Any) -> list[Any]:
    return [_field(field) for field in kind]


def _name(kind: Any) -> str:
    return str(kind.type_name if isinstance(kind, pa.OpaqueType) else kind.extension_name)


def _rebuilt(array: Any, kind: Any, buffers: int, children: list[Any]) -> Any:
    # Arrays of DuckDB begin at the first value of their buffers.
    return pa.Array.from_buffers(kind, len(array), array.buffers()[:buffers], array.null_count, 0, children)


def _hugeint(storage: Any) -> Any:
    return pa.Array.from_buffers(pa.decimal128(38, 0), len(storage), storage.buffers(), storage.null_count)


def _uhugeint(storage: Any) -> Any:
    wide = np.zeros((len(storage), 32), np.uint8)
    wide[:, :16] = _bytes(storage, 16)
    return pa.Array.from_buffers(
        pa.decimal256(39, 0), len(storage), [storage.buffers()[0], pa.py_buffer(wide)], storage.null_count
    )


def _uuid(storage: Any) -> Any:
    digits = _HEX[_bytes(storage, 16)].reshape(len(storage), 32)
    text = np.insert(digits, _DASHES, ord("-"), axis=1)
    offsets = np.arange(len(storage) + 1, dtype=np.int32) * 36
    return pa.Array.from_buffers(
        pa.string(),
        len(storage),
        [storage.buffers()[0], pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(text))],
        storage.null_count,
    )


def _bytes(storage: Any, width: int) -> Any:
    return np.frombuffer(storage.buffers()[1], np.uint8, len(storage) * width).reshape(-1, width)


def _time_tz(storage: Any) -> Any:
    return pa.array([None if value is None else time_tz_text(value) for value in storage.to_pylist()], pa.string())


def time_tz_text(value: bytes) -> str:
    """The text of a TIMETZ, as DuckDB prints it.

    >>> time_tz_text((5 << 24 | LARGEST_OFFSET - 3600).to_bytes(8, "little"))
    '00:00:00.000005+01'
    """
    bits = int.from_bytes(value, "little")
    micros, offset = bits >> OFFSET_BITS, LARGEST_OFFSET - (bits & (1 << OFFSET_BITS) - 1)
    minutes, seconds = divmod(abs(offset), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [hours, minutes, seconds] if seconds else [hours, minutes] if minutes else [hours]
    return f"{clock_text(micros, 6)}{'-' if offset < 0 else '+'}{':'.join(f'{part:02}' for part in parts)}"


_TYPES = {
    "hugeint": pa.decimal128(38, 0),
    "uhugeint": pa.decimal256(39, 0),
    "arrow.uuid": pa.string(),
    "time_tz": pa.string(),
}
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "hugeint": _hugeint,
    "uhugeint": _uhugeint,
    "arrow.uuid": _uuid,
    "time_tz": _time_tz,
}
