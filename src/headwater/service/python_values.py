"""The rows of an Arrow table as Python values: MAP as dict, UUID as UUID, HUGEINT as int, BIT as text.

Dates and times that Python has no value for, such as `infinity`, are the text that DuckDB prints.

Arrow has no types for some of DuckDB's. The query process writes them into the fields' metadata, as the type's name and those of
its parts: `["list", ["uuid"]]`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from datetime import time
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any
from uuid import UUID

from headwater.query.frames import TYPE
from headwater.service.temporal_values import temporal_values

if TYPE_CHECKING:
    import pyarrow as pa

Converter = Callable[[Any], Any]


def python_rows(table: pa.Table) -> tuple[tuple[Any, ...], ...]:
    """The rows of the table."""
    columns = [_column(field, column) for field, column in zip(table.schema, table.columns, strict=True)]
    return tuple(zip(*columns, strict=True)) if columns else ()


def _column(field: pa.Field, column: pa.ChunkedArray) -> list[Any]:
    stored = (field.metadata or {}).get(TYPE)
    tree = json.loads(stored) if stored else []
    return [value for chunk in column.chunks for value in _values(chunk, tree)]


def _values(array: Any, tree: list[Any]) -> list[Any]:
    """The values of an array; `tree` is its type in DuckDB if Arrow has no type for it or for a part."""
    import pyarrow as pa

    kind = array.type
    name, *parts = tree or [""]
    if simple := _SIMPLE.get(name):
        return [None if value is None else simple(value) for value in array.to_pylist()]
    if pa.types.is_struct(kind):
        return _structs(array, _parts(parts, kind.num_fields))
    if pa.types.is_map(kind):
        key, value = _parts(parts, 2)
        pairs = list(zip(map(_hashable, _values(array.keys, key)), _values(array.items, value), strict=True))
        return _sliced(array, pairs, dict)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _sliced(array, _values(array.values, *_parts(parts, 1)), list)
    if pa.types.is_fixed_size_list(kind):
        return _fixed(array, _values(array.flatten(), *_parts(parts, 1)))
    if pa.types.is_union(kind):
        children = [_values(array.field(i), part) for i, part in enumerate(_parts(parts, kind.num_fields))]
        return [children[code][row] for row, code in enumerate(array.type_codes.to_pylist())]
    if pa.types.is_temporal(kind):
        return temporal_values(array)
    return array.to_pylist()  # type: ignore[no-any-return]


def _structs(array: Any, parts: list[Any]) -> list[Any]:
    """Structs as dicts, or as tuples if their fields have no names or some the same."""
    names = [field.name for field in array.type]
    rows = zip(*(_values(array.field(place), part) for place, part in enumerate(parts)), strict=True)
    named = "" not in names and len(set(names)) == len(names)
    values = [dict(zip(names, row, strict=True)) if named else row for row in rows]
    return values if not array.null_count else _masked(array, values)


def _sliced(array: Any, items: list[Any], make: Callable[[Any], Any]) -> list[Any]:
    """The items of each list of the array."""
    offsets = array.offsets.to_pylist()
    values = [make(items[start:end]) for start, end in pairwise(offsets)]
    return values if not array.null_count else _masked(array, values)


def _fixed(array: Any, items: list[Any]) -> list[Any]:
    """The items of each array of a fixed size; the items of those that are NULL are absent."""
    size, left = array.type.list_size, iter(items)
    return [list(islice(left, size)) if valid else None for valid in array.is_valid().to_pylist()]


def _masked(array: Any, values: list[Any]) -> list[Any]:
    return [value if valid else None for value, valid in zip(values, array.is_valid().to_pylist(), strict=True)]


def _parts(parts: list[Any], count: int) -> list[Any]:
    return parts if len(parts) == count else [[]] * count


def _hashable(key: Any) -> Hashable:
    """The key of a map: lists as tuples, structs as tuples of pairs."""
    match key:
        case dict():
            return tuple((name, _hashable(each)) for name, each in key.items())
        case list() | tuple():
            return tuple(map(_hashable, key))
    return key  # type: ignore[no-any-return]


def _bits(value: bytes) -> str:
    """The digits of a BIT, whose first byte is the number of leading bits to skip."""
    return "".join(f"{byte:08b}" for byte in value[1:])[value[0] :]


def _bignum(value: bytes) -> int:
    """The integer of a BIGNUM: three bytes with sign and length, then the digits, inverted if it is negative."""
    if value[0] & 0x80:
        return int.from_bytes(value[3:])
    return -int.from_bytes(bytes(byte ^ 0xFF for byte in value[3:]))


def _time_tz(value: str) -> time | str:
    """The time with its offset; the end of a day stays text, because Python has no such time."""
    return value if value.startswith("24:") else time.fromisoformat(value)


_SIMPLE: dict[str, Converter] = {
    "uuid": lambda value: UUID(value),
    "hugeint": int,
    "uhugeint": int,
    "bit": _bits,
    "bignum": _bignum,
    "time with time zone": _time_tz,
}
