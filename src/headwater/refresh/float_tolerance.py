"""Compare rows up to the rounding of float sums, which depends on the order of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from math import isclose, isnan
from typing import Any

Row = tuple[Any, ...]

# The largest relative difference of two sums of the same floats.
NEARLY = 1e-9


def unmatched_rows(ones: Iterable[Row], others: Iterable[Row], floats: Collection[int]) -> tuple[list[Row], list[Row]]:
    """The rows of each side that have no match on the other; the columns `floats` may differ by rounding.

    >>> unmatched_rows([("a", 0.1 + 0.2), ("b", 1.0)], [("a", 0.3), ("b", 1.1)], {1})
    ([('b', 1.0)], [('b', 1.1)])
    """
    groups: defaultdict[Row, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((ones, others)):
        for row in rows:
            groups[tuple(repr(value) for place, value in enumerate(row) if place not in floats)][side].append(row)
    left: tuple[list[Row], list[Row]] = ([], [])
    places = sorted(floats)
    for both in groups.values():
        mine, theirs = (sorted(rows, key=lambda row: [_order(row[place]) for place in places]) for rows in both)
        while mine and theirs:
            one, other = mine[-1], theirs[-1]
            if all(_near(one[place], other[place]) for place in places):
                mine.pop()
                theirs.pop()
            elif [_order(one[place]) for place in places] > [_order(other[place]) for place in places]:
                left[0].append(mine.pop())
            else:
                left[1].append(theirs.pop())
        left[0].extend(mine)
        left[1].extend(theirs)
    return left


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=NEARLY) or (isnan(one) and isnan(other))


def _order(value: float | None) -> tuple[int, float]:
    """A sort key that puts NULL first and NaN last."""
    if value is None:
        return (0, 0.0)
    return (2, 0.0) if isnan(value) else (1, value)
