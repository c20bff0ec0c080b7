"""The partition of a row, computed and named as the extension does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headwater.core.errors import FeatureRefused, InvalidRequest
from headwater.core.schema import Column, Schema
from headwater.core.types import decimal_parts
from headwater.lake.bounds import text_of
from headwater.lake.values import PartitionField, Partitioning

Key = tuple[str | None, ...]

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_BUCKET = re.compile(r"bucket\((\d+)\)")
_CALENDAR = {"year": pc.year, "month": pc.month, "day": pc.day, "hour": lambda array: pc.hour(_moments(array))}
# Types that the extension hashes as 64-bit numbers. It hashes blobs as bytes and all other types as text.
_HASHED_AS_NUMBER = frozenset(
    {"boolean", "int8", "int16", "int32", "int64", "date", "time", "timestamp", "timestamptz", "timestamp_ms"}
)


def _moments(array: pa.Array) -> pa.Array:
    """Dates as timestamps, which have an hour."""
    return array.cast(pa.timestamp("us")) if pa.types.is_date(array.type) else array


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """The partition keys of a table, computed from rows in the types of files."""

    fields: tuple[tuple[PartitionField, Column], ...]

    @staticmethod
    def of(partitioning: Partitioning | None, schema: Schema) -> PartitionKeys:
        """The keys of this partitioning; none if the table is not partitioned."""
        columns = {column.field_id: column for column in schema}
        return PartitionKeys(
            tuple((part, columns[part.field_id]) for part in (partitioning.fields if partitioning else ()))
        )

    def split(self, batch: pa.RecordBatch) -> Iterator[tuple[Key, pa.RecordBatch]]:
        """The rows of each key, in their original order."""
        if not self.fields or not batch.num_rows:
            if batch.num_rows:
                yield (), batch
            return
        coded = [_coded(part, column, batch.column(column.name)) for part, column in self.fields]
        codes = np.stack([numbers for numbers, _ in coded])
        starts = _run_starts(codes)
        if len(starts) > np.unique(codes[:, starts], axis=1).shape[1]:
            order = np.lexsort(codes[::-1])
            batch, codes = batch.take(pa.array(order)), codes[:, order]
            starts = _run_starts(codes)
        for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
            key = tuple(texts[number] for (_, texts), number in zip(coded, codes[:, start], strict=True))
            yield key, batch.slice(start, end - start)

    def folder(self, key: Key) -> str:
        """The folder of the key's files below the table's location, with a trailing slash unless empty."""
        used: set[str] = set()
        parts = []
        for (part, column), value in zip(self.fields, key, strict=True):
            name = column.name if part.transform == "identity" else part.transform.partition("(")[0]
            if name in used:
                name = f"{name}_{column.name}"
            used.add(name)
            parts.append(f"{quote(name, safe='')}={HIVE_NULL if value is None else quote(value, safe='')}/")
        return "".join(parts)


def bucket_count(transform: str) -> int | None:
    """The number of buckets, or None for other transforms.

    >>> bucket_count("bucket(16)"), bucket_count("year")
    (16, None)
    """
    match = _BUCKET.fullmatch(transform)
    return int(match[1]) if match else None


def buckets(column: Column, array: pa.Array, count: int) -> pa.Array:
    """The bucket of each value: its murmur3 hash without the sign bit, modulo the count."""
    encoded = array.dictionary_encode()
    hashes = [
        None if raw is None else (murmur3(_hashed(column.type, raw)) & 0x7FFFFFFF) % count
        for raw in _raw(column, encoded.dictionary)
    ]
    return pa.array(hashes, pa.int32()).take(encoded.indices)


def murmur3(data: bytes) -> int:
    """The 32-bit murmur3 hash with seed 0.

    >>> hex(murmur3(b"foo"))
    '0xf6a5c420'
    """
    mask = 0xFFFFFFFF
    hashed = 0

    def mix(block: int) -> int:
        block = block * 0xCC9E2D51 & mask
        block = (block << 15 | block >> 17) & mask
        return block * 0x1B873593 & mask

    whole = len(data) & ~3
    for at in range(0, whole, 4):
        hashed ^= mix(int.from_bytes(data[at : at + 4], "little"))
        hashed = (hashed << 13 | hashed >> 19) & mask
        hashed = (hashed * 5 + 0xE6546B64) & mask
    hashed ^= mix(int.from_bytes(data[whole:], "little"))
    hashed ^= len(data)
    hashed ^= hashed >> 16
    hashed = hashed * 0x85EBCA6B & mask
    hashed ^= hashed >> 13
    hashed = hashed * 0xC2B2AE35 & mask
    return hashed ^ hashed >> 16


def _run_starts(codes: npt.NDArray[np.int64]) -> list[int]:
    """The start of each run of equal values."""
    return [0, *(np.flatnonzero(np.any(codes[:, 1:] != codes[:, :-1], axis=0)) + 1).tolist()]


def _coded(part: PartitionField, column: Column, array: pa.Array) -> tuple[npt.NDArray[np.int64], Sequence[str | None]]:
    """A code for each row's key, and the text of each code."""
    if column.nested:
        raise FeatureRefused(f'column "{column.name}" is nested and can\'t be a partition key')
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if count := bucket_count(part.transform):
        array, raw_to_text = buckets(column, array, count), str
    elif part.transform in _CALENDAR:
        array, raw_to_text = _CALENDAR[part.transform](array), str
    elif part.transform == "identity":
        return _encode(array, lambda values: [_key_text(column, raw) for raw in _raw(column, values)])
    else:
        raise FeatureRefused(f'partition transform "{part.transform}" is not part of DuckLake 1.0')
    return _encode(array, lambda values: [None if v is None else raw_to_text(v) for v in values.to_pylist()])


def _encode(
    array: pa.Array, texts: Callable[[pa.Array], list[str | None]]
) -> tuple[npt.NDArray[np.int64], Sequence[str | None]]:
    encoded = array.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy().astype(np.int64), texts(encoded.dictionary)


def _raw(column: Column, values: pa.Array) -> list[Any]:
    """Values as Parquet stores them (see `lake.bounds`)."""
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if parts := decimal_parts(column.type):
        return [None if v is None else int(v.scaleb(parts[1])) for v in values.to_pylist()]
    if pa.types.is_date(values.type):
        values = values.cast(pa.int32())
    elif pa.types.is_temporal(values.type):
        values = values.cast(pa.int64())
    elif pa.types.is_string(values.type):
        values = values.cast(pa.binary())
    return values.to_pylist()  # type: ignore[no-any-return]


def _key_text(column: Column, raw: Any) -> str | None:
    if raw is None:
        return None
    match column.type:
        case "boolean":
            return "true" if raw else "false"
        case "varchar" | "json" | "blob":
            try:
                return str(raw, "utf-8")
            except UnicodeDecodeError as error:
                raise InvalidRequest(
                    f'a value of partition column "{column.name}" is not text',
                    hint="Partition by bucket(n) of the column.",
                ) from error
        case _:
            return text_of(column.type, raw)


def _hashed(type_name: str, raw: Any) -> bytes:
    parts = decimal_parts(type_name)
    if type_name in _HASHED_AS_NUMBER or (parts and parts[0] <= 18):
        return int(raw).to_bytes(8, "little", signed=True)
    match type_name:
        case "timestamp_s":
            return int(raw // 1_000_000).to_bytes(8, "little", signed=True)
        case "float32" | "float64":
            return np.float64(raw + 0.0).tobytes()  # + 0.0 makes -0.0 positive
        case "varchar" | "json" | "blob":
            return bytes(raw)
        case _:
            return (text_of(type_name, raw) or "").encode()
