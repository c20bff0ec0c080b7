"""Defaults that every client can use, checked when they are declared: DuckDB can't open a lake with a bad one."""

from __future__ import annotations

import pyarrow as pa

from headwater.core.errors import FeatureRefused, InvalidRequest
from headwater.core.schema import Column
from headwater.core.types import WITHOUT_SPARK_TYPE
from headwater.lake.arrow import arrow_type, to_file
from headwater.lake.text import parse


def check_default(column: Column) -> None:
    """Refuse a constant default that is not a value of the column's type."""
    if column.default is None:
        return
    if column.nested:
        raise InvalidRequest(
            f'column "{column.name}" can\'t have a default',
            detail="DuckLake has none for nested types.",
            hint="Leave it away.",
        )
    if column.default_is_expression or column.type in WITHOUT_SPARK_TYPE:
        return
    try:
        values = pa.array([parse(column, column.default)], arrow_type(column))
        to_file(pa.RecordBatch.from_arrays([values], [column.name]), (column,))
    except (ValueError, ArithmeticError, pa.ArrowException, FeatureRefused, InvalidRequest) as error:
        raise InvalidRequest(
            f'the default of column "{column.name}" is no {column.type}',
            detail=f"It is {column.default!r}.",
            hint="Write the default as a constant of the column's type.",
        ) from error
