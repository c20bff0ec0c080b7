"""The rows of an Arrow table as Python values: MAP as dict, UUID as UUID, HUGEINT as int, BIT as text.

Arrow has no types for some of DuckDB's. The query process writes them into the fields' metadata, as the type's name and those of
its parts: `["list", ["uuid"]]`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from headwater.query.frames import TYPE

if TYPE_CHECKING:
    import pyarrow as pa

Converter = Callable[[Any], Any]


def python_rows(table: pa.Table) -> tuple[tuple[Any, ...], ...]:
    """The rows of the table."""
    columns = [_column(field, column) for field, column in zip(table.schema, table.columns, strict=True)]
    return tuple(zip(*columns, strict=True)) if columns else ()


def _column(field: pa.Field, column: pa.ChunkedArray) -> list[Any]:
    stored = (field.metadata or {}).get(TYPE)
    convert = _converter(field.type, json.loads(stored) if stored else [])
    values: list[Any] = column.to_pylist()
    return values if convert is None else [None if value is None else convert(value) for value in values]


def _converter(arrow: pa.DataType, of: list[Any]) -> Converter | None:
    """The conversion of a value that is not NULL; None if it stays as it is."""
    import pyarrow as pa

    name, *parts = of or [""]
    if simple := _SIMPLE.get(name):
        return simple
    if pa.types.is_map(arrow):
        key, value = _parts(parts, 2)
        return _map(_converter(arrow.key_type, key), _converter(arrow.item_type, value))
    if pa.types.is_list(arrow) or pa.types.is_large_list(arrow) or pa.types.is_fixed_size_list(arrow):
        (item,) = _parts(parts, 1)
        return _list(_converter(arrow.value_type, item))
    if pa.types.is_struct(arrow):
        children = _parts(parts, arrow.num_fields)
        found = {
            field.name: convert
            for field, child in zip(arrow, children, strict=True)
            if (convert := _converter(field.type, child)) is not None
        }
        return _struct(found) if found else None
    return None


def _parts(parts: list[Any], count: int) -> list[Any]:
    return parts if len(parts) == count else [[]] * count


def _map(key: Converter | None, value: Converter | None) -> Converter:
    def convert(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        return {_hashable(_maybe(key, k)): _maybe(value, v) for k, v in pairs}

    return convert


def _list(item: Converter | None) -> Converter | None:
    return None if item is None else lambda values: [_maybe(item, value) for value in values]


def _struct(fields: dict[str, Converter]) -> Converter:
    return lambda value: {name: _maybe(fields.get(name), each) for name, each in value.items()}


def _maybe(convert: Converter | None, value: Any) -> Any:
    return value if convert is None or value is None else convert(value)


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


_SIMPLE: dict[str, Converter] = {
    "uuid": lambda value: UUID(value),
    "hugeint": int,
    "uhugeint": int,
    "bit": _bits,
}
