"""The key ranges of few rows, by which scans of other relations are pruned."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from headwater.core.types import decimal_parts
from headwater.plan.nodes import Scan
from headwater.plan.prune_scans import KeyRanges, ScanFacts
from headwater.plan.render import relation_name

# A gap between keys is excluded if it is at least this fraction of the whole range.
_GAP = 0.05
_MOST = 8
_SAFE = re.compile(r"[A-Za-z0-9 _:.#/-]{0,100}")
_WHOLE = frozenset({"int8", "int16", "int32", "int64"})


class DriverRows:
    """The relations of a refresh whose rows are in the driver's memory, and the column types of all relations."""

    def __init__(self) -> None:
        self._in_memory: dict[str, pa.Table] = {}
        self._types: dict[str, Mapping[str, str]] = {}
        self._found: dict[tuple[str, str], KeyRanges | None] = {}
        self._mark: tuple[str, str, int] | None = None

    def hold(self, relation: str, rows: pa.Table) -> None:
        """Add the rows of a relation."""
        self._in_memory[relation] = rows

    def describe(self, relation: str, types: Mapping[str, str]) -> None:
        """Add the DuckLake types of a relation's columns."""
        self._types[relation] = {name: _family(type) for name, type in types.items()}

    def mark(self, relation: str, column: str, value: int) -> None:
        """Set the value that a column must have; pruning keeps rows with other values, so that the refresh finds them."""
        self._mark = (relation, column, value)

    def rows(self, relation: str) -> pa.Table | None:
        """The rows of a relation, if they are in memory."""
        return self._in_memory.get(relation)

    @property
    def known(self) -> ScanFacts:
        return ScanFacts(
            self._spans, lambda scan: _named(scan, self._types.get(relation_name(scan), {}).get), self._mark
        )

    def _spans(self, scan: Scan) -> Mapping[str, KeyRanges]:
        return _named(scan, lambda source: self._of(relation_name(scan), source))

    def _of(self, relation: str, source: str) -> KeyRanges | None:
        rows = self._in_memory.get(relation)
        if rows is None:
            return None
        if (relation, source) not in self._found:
            self._found[relation, source] = spans_of(rows.column(source))
        return self._found[relation, source]


def spans_of(values: pa.ChunkedArray) -> KeyRanges | None:
    """The ranges of a column's values; None for types whose order in file statistics may differ."""
    kind, nulls = values.type, values.null_count > 0
    if pa.types.is_signed_integer(kind):
        return KeyRanges("int", tuple(_number(low, high) for low, high in _gaps(values)), nulls)
    if pa.types.is_date32(kind):
        days = values.cast(pa.int32())
        return KeyRanges("date", tuple(_date(low, high) for low, high in _gaps(days)), nulls)
    ends = pc.min_max(values) if pa.types.is_string(kind) or pa.types.is_decimal(kind) else None
    if ends is None:
        return None
    low, high = ends["min"].as_py(), ends["max"].as_py()
    if low is None:
        return None
    if pa.types.is_decimal(kind):
        type = f"decimal({kind.precision},{kind.scale})"
        return KeyRanges(type, (tuple(exp.cast(exp.Literal.string(str(end)), type) for end in (low, high)),), nulls)  # type: ignore[arg-type]
    if not (_SAFE.fullmatch(low) and _SAFE.fullmatch(high)):
        return None
    return KeyRanges("varchar", ((exp.Literal.string(low), exp.Literal.string(high)),), nulls)


def _gaps(values: pa.ChunkedArray) -> list[tuple[int, int]]:
    """The ranges between the widest gaps, each as its least and greatest value."""
    numbers = np.unique(values.drop_null().to_numpy())
    if not len(numbers):
        return []
    wide = np.diff(numbers.astype(np.float64))
    candidates = np.flatnonzero(wide >= max(2.0, _GAP * (float(numbers[-1]) - float(numbers[0]))))
    cuts = np.sort(candidates[np.argsort(wide[candidates])[::-1][: _MOST - 1]])
    starts, ends = [0, *(cuts + 1)], [*cuts, len(numbers) - 1]
    return [(int(numbers[start]), int(numbers[end])) for start, end in zip(starts, ends, strict=True)]


def _number(low: int, high: int) -> tuple[exp.Expr, exp.Expr]:
    return exp.Literal.number(low), exp.Literal.number(high)


def _date(low: int, high: int) -> tuple[exp.Expr, exp.Expr]:
    one, other = (
        exp.Anonymous(this="date_from_unix_date", expressions=[exp.Literal.number(day)]) for day in (low, high)
    )
    return one, other


def _family(type: str) -> str:
    """The family of a type: columns of one family can be compared without a cast that changes their order."""
    return "int" if type in _WHOLE else type if type in ("date", "varchar") or decimal_parts(type) else ""


def _named(scan: Scan, find: Callable[[str], Any]) -> dict[str, Any]:
    return {name: found for name, source in scan.items if (found := find(source))}
