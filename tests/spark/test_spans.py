"""Where the keys of few rows lie."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from headwater.execute.key_ranges import spans_of

LITERAL = "CAST('1.50' AS DECIMAL(9, 2))"


def spans(values: list[object], type: pa.DataType) -> tuple[str, str] | None:
    found = spans_of(pa.chunked_array([pa.array(values, type)]))
    return found and (found.type, found.test("k", nulls=True).sql("spark"))


def test_keys_side_by_side_are_one_span() -> None:
    assert spans([5, 3, 4, 9], pa.int64()) == ("int", "k BETWEEN 3 AND 5 OR k BETWEEN 9 AND 9")
    assert spans(list(range(1000, 2000)), pa.int32()) == ("int", "k BETWEEN 1000 AND 1999")


def test_wide_gaps_are_left_out() -> None:
    recent, old = list(range(900_000, 901_000)), [17, 18]
    assert spans([*recent, *old], pa.int64()) == ("int", "k BETWEEN 17 AND 18 OR k BETWEEN 900000 AND 900999")
    assert spans([-(2**63), 2**63 - 1], pa.int64()) == (
        "int",
        f"k BETWEEN -{2**63} AND -{2**63} OR k BETWEEN {2**63 - 1} AND {2**63 - 1}",
    )
    many = spans([n * 1000 for n in range(12)], pa.int64())
    assert many is not None
    assert many[1].count("BETWEEN") == 8


def test_nulls_are_somewhere_too() -> None:
    assert spans([1, None], pa.int64()) == ("int", "k BETWEEN 1 AND 1 OR k IS NULL")
    assert spans([None], pa.int64()) == ("int", "k IS NULL")
    assert spans([], pa.int64()) == ("int", "FALSE")


@pytest.mark.parametrize(
    ("values", "type", "wanted"),
    [
        ([date(1970, 1, 3)], pa.date32(), ("date", "k BETWEEN DATE_FROM_UNIX_DATE(2) AND DATE_FROM_UNIX_DATE(2)")),
        (["b", "a"], pa.string(), ("varchar", "k BETWEEN 'a' AND 'b'")),
        (["it's"], pa.string(), None),
        ([Decimal("1.50")], pa.decimal128(9, 2), ("decimal(9,2)", f"k BETWEEN {LITERAL} AND {LITERAL}")),
        ([1.5], pa.float64(), None),
        ([b"x"], pa.binary(), None),
        ([True], pa.bool_(), None),
    ],
)  # fmt: skip
def test_types_whose_order_files_keep(values: list[object], type: pa.DataType, wanted: tuple[str, str] | None) -> None:
    assert spans(values, type) == wanted
