"""Statistics of a whole table, widened for each new file.

DuckDB answers count, min and max from these bounds and narrows types by them, so a wrong bound gives wrong results.
A bound may always be unknown (None). It stays unknown as long as the table may have older rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.core.types import FLOATS, INTEGERS, TIMESTAMPS, decimal_parts
from headwater.lake.value_text import scalar
from headwater.lake.values import ColumnStats

_COMPARED_BY_VALUE = INTEGERS | FLOATS | TIMESTAMPS | {"boolean", "date", "time"}


@dataclass(frozen=True, slots=True)
class TableBounds:
    """The bounds of a table's leaf column; None where unknown."""

    contains_null: bool | None
    contains_nan: bool | None
    min: str | None
    max: str | None


def bounds_of(stats: ColumnStats) -> TableBounds:
    """The bounds of a table with this one file.

    >>> bounds_of(ColumnStats(1, 10, 2, 0, "1", "2")).contains_null
    False
    """
    return TableBounds(stats.nulls > 0, stats.has_nan, stats.min, stats.max)


def widen(type_name: str, old: TableBounds, stats: ColumnStats) -> TableBounds:
    """The bounds after a file has been added.

    >>> widen("int32", TableBounds(False, None, "9", "9"), ColumnStats(1, 10, 1, 1, "10", "10"))
    TableBounds(contains_null=True, contains_nan=None, min='9', max='10')
    """
    contains_null = True if stats.nulls else old.contains_null
    contains_nan = None if old.contains_nan is None or stats.has_nan is None else old.contains_nan or stats.has_nan
    if stats.values == 0:
        return TableBounds(contains_null, contains_nan, old.min, old.max)
    return TableBounds(
        contains_null,
        contains_nan,
        _extreme(type_name, old.min, stats.min, smaller=True),
        _extreme(type_name, old.max, stats.max, smaller=False),
    )


def _extreme(type_name: str, old: str | None, new: str | None, *, smaller: bool) -> str | None:
    if old is None or new is None:
        return None
    if type_name in _COMPARED_BY_VALUE or decimal_parts(type_name) is not None:
        old_first = scalar(type_name, old) <= scalar(type_name, new)
    else:
        old_first = old <= new
    return old if old_first == smaller else new
