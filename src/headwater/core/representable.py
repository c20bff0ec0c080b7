"""The columns that Spark can represent exactly."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.core.errors import FeatureRefused
from headwater.core.schema import Column
from headwater.core.types import WITHOUT_SPARK_TYPE


def is_representable(column: Column) -> bool:
    """Whether every part of the column has an exact counterpart in Spark."""
    return not any(part.type in WITHOUT_SPARK_TYPE for part in column.walk())


def check_representable(columns: Iterable[Column]) -> None:
    """Refuse the first column that has a part without an exact counterpart in Spark."""
    for column in columns:
        for part in column.walk():
            if part.type in WITHOUT_SPARK_TYPE:
                raise not_representable(column, part)


def not_representable(column: Column, part: Column) -> FeatureRefused:
    """The error for a column with such a part."""
    return FeatureRefused(
        f'column "{column.name}" has type {column.type_text()}, which Spark can\'t hold exactly',
        detail=f"The reason: {WITHOUT_SPARK_TYPE.get(part.type, 'DuckLake 1.0 has no such type')}.",
        hint="Give the column another type, or read the table with DuckDB.",
    )
