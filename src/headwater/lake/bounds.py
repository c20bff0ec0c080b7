"""Statistics of a written file, with bounds as DuckLake's text.

A raw value is what Parquet stores: dates as days, times of day and timestamps as counts, decimals unscaled, texts and
UUIDs as bytes. A bound must include every value of the column; where no such bound can be computed, it is unknown (None).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.core.schema import Column
from headwater.core.types import FLOATS, INTEGERS, decimal_parts
from headwater.lake.values import ColumnStats

LONGEST_BOUND = 256
_ABOVE_ALL_TEXT = "\U0010ffff" * 64
_UNSIGNED = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
_DAY_MICROS = 86_400_000_000
_LAST_DAY = 2**31 - 1
_LAST_MOMENT = 2**63 - 1


@dataclass(slots=True)
class FloatBounds:
    """The statistics of a float column, collected while its file is written: the footer has none, because of NaN."""

    values: int = 0
    low: float | None = None
    high: float | None = None
    has_nan: bool = False

    def add(self, array: pa.Array) -> None:
        present = array.drop_null()
        self.values += len(present)
        missing = pc.is_nan(present)
        if pc.any(missing).as_py():
            self.has_nan = True
            present = present.filter(pc.invert(missing))
        if len(present):
            found = pc.min_max(present).as_py()
            self.low = found["min"] if self.low is None else min(self.low, found["min"])
            self.high = found["max"] if self.high is None else max(self.high, found["max"])


def file_stats(
    metadata: pq.FileMetaData, leaves: Iterable[Column], floats: Mapping[int, FloatBounds]
) -> tuple[ColumnStats, ...]:
    """Statistics of the file's first leaf columns, which must be `leaves`; `floats` has those of float columns."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    stats = []
    for place, leaf in enumerate(leaves):
        chunks = [group.column(place) for group in groups]
        held = floats.get(leaf.field_id, FloatBounds()) if leaf.type in FLOATS else None
        stats.append(_leaf_stats(chunks, leaf) if held is None else _float_stats(chunks, leaf, held))
    return tuple(stats)


def text_of(type_name: str, raw: Any) -> str | None:
    """DuckLake's text of a raw value, or None if the bound is unknown.

    >>> text_of("decimal(10,2)", -125), text_of("timestamptz", 500000), text_of("blob", b"\\xab")
    ('-1.25', '1970-01-01 00:00:00.5+00', 'AB')
    """
    if parts := decimal_parts(type_name):
        return _decimal(raw, parts[1])
    if type_name in INTEGERS:
        return str(raw)
    match type_name:
        case "boolean":
            return "1" if raw else "0"
        case "float32":
            return str(np.float32(raw) + np.float32(0))  # -0.0 and 0.0 are the same bound
        case "float64":
            return str(float(raw) + 0.0)
        case "blob":
            return raw.hex().upper() if len(raw) <= LONGEST_BOUND // 2 else None
        case "uuid":
            return str(UUID(bytes=raw))
        case "date":
            return _date(raw)
        case "time":
            return _clock(raw)
        case "timestamp" | "timestamp_s":
            return _moment(raw)
        case "timestamp_ms":
            return _moment(raw * 1000)
        case "timestamptz":
            moment = _moment(raw)
            return moment if moment.endswith("infinity") else moment + "+00"
        case _:
            return None


def _float_stats(chunks: list[pq.ColumnChunkMetaData], leaf: Column, held: FloatBounds) -> ColumnStats:
    return ColumnStats(
        field_id=leaf.field_id,
        bytes=sum(chunk.total_compressed_size for chunk in chunks),
        values=held.values,
        nulls=sum(chunk.num_values for chunk in chunks) - held.values,
        min=None if held.low is None else text_of(leaf.type, held.low),
        max=None if held.high is None else text_of(leaf.type, held.high),
        has_nan=held.has_nan,
    )


def _leaf_stats(chunks: list[pq.ColumnChunkMetaData], leaf: Column) -> ColumnStats:
    nulls = sum(chunk.statistics.null_count for chunk in chunks)
    values = sum(chunk.num_values for chunk in chunks) - nulls
    lows, highs, known = [], [], True
    for chunk in chunks:
        if chunk.statistics.has_min_max:
            lows.append(_comparable(leaf.type, chunk.statistics.min_raw))
            highs.append(_comparable(leaf.type, chunk.statistics.max_raw))
        elif chunk.num_values > chunk.statistics.null_count:
            known = False  # a text too long for the footer
    low, high = _bounds(leaf.type, lows, highs, known) if values else (None, None)
    return ColumnStats(
        field_id=leaf.field_id,
        bytes=sum(chunk.total_compressed_size for chunk in chunks),
        values=values,
        nulls=nulls,
        min=low,
        max=high,
    )


def _bounds(type_name: str, lows: list[Any], highs: list[Any], known: bool) -> tuple[str | None, str | None]:
    if type_name in ("varchar", "json"):
        # Never unknown: the extension reads missing bounds as "only NULL so far" and replaces them by the next file's.
        if not known:
            return "", _ABOVE_ALL_TEXT
        return lower_text(min(lows)), upper_text(max(highs))
    if not known or not lows:
        return None, None
    return text_of(type_name, min(lows)), text_of(type_name, max(highs))


def lower_text(raw: bytes) -> str:
    """A short lower bound of a text, without NUL characters, which PostgreSQL can't store.

    >>> lower_text(b"abc"), len(lower_text(b"z" * 300)), lower_text(b"a\\x00b")
    ('abc', 256, 'a')
    """
    return raw[:LONGEST_BOUND].partition(b"\x00")[0].decode(errors="ignore")


def upper_text(raw: bytes) -> str:
    """A short upper bound of a text, without NUL characters.

    >>> upper_text(b"abc"), upper_text(b"z" * 300)[-2:], upper_text(b"a\\x00b")
    ('abc', 'z{', 'a\\x01')
    """
    text = lower_text(raw)
    if text.encode() == raw:
        return text
    if raw[len(text.encode()) :].startswith(b"\x00"):
        return text + "\x01"
    while text:
        after = ord(text[-1]) + 1
        if after <= 0x10FFFF:
            return text[:-1] + chr(0xE000 if 0xD800 <= after < 0xE000 else after)
        text = text[:-1]
    return _ABOVE_ALL_TEXT


def _comparable(type_name: str, raw: Any) -> Any:
    """A value of a footer as a comparable number: footers store unsigned numbers as signed, and long decimals as bytes."""
    if bits := _UNSIGNED.get(type_name):
        return raw % 2**bits
    if decimal_parts(type_name) and isinstance(raw, bytes):
        return int.from_bytes(raw, "big", signed=True)
    return raw


def _decimal(unscaled: int, scale: int) -> str:
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    sign = "-" if unscaled < 0 else ""
    return sign + (f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits)


def _date(days: int) -> str:
    if abs(days) == _LAST_DAY:
        return "infinity" if days > 0 else "-infinity"
    year, month, day = civil_from_days(days)
    return f"{year:04}-{month:02}-{day:02}" if year > 0 else f"{1 - year:04}-{month:02}-{day:02} (BC)"


def _clock(micros: int) -> str:
    seconds, fraction = divmod(micros, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text


def _moment(micros: int) -> str:
    if abs(micros) == _LAST_MOMENT:
        return "infinity" if micros > 0 else "-infinity"
    days, rest = divmod(micros, _DAY_MICROS)
    return f"{_date(days)} {_clock(rest)}"


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970-01-01, for any year; year 0 is 1 BC.

    >>> civil_from_days(11017)
    (2000, 3, 1)
    """
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + (3 if shifted < 10 else -9)
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1
