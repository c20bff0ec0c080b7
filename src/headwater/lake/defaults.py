"""Check defaults when they are declared: DuckDB can't open a lake with an invalid one."""

from __future__ import annotations

from headwater.core.errors import FeatureRefused, InvalidRequest
from headwater.core.schema import Column
from headwater.core.types import WITHOUT_SPARK_TYPE
from headwater.lake.value_text import parse


def check_default(column: Column) -> None:
    """Refuse a constant default that is not a value of the column's type."""
    if column.default is None:
        return
    if column.nested:
        raise InvalidRequest(
            f'column "{column.name}" can\'t have a default',
            detail="DuckLake supports no defaults for nested types.",
            hint="Omit it.",
        )
    if column.default_is_expression or column.type in WITHOUT_SPARK_TYPE:
        return
    # Imported here because commands that only read metadata don't need Arrow.
    import pyarrow as pa

    from headwater.lake.arrow import to_file, to_table

    try:
        for batch in to_table((column,), [(parse(column, column.default),)]).to_batches():
            to_file(batch, (column,))
    except (ValueError, ArithmeticError, pa.ArrowException, FeatureRefused, InvalidRequest) as error:
        raise InvalidRequest(
            f'the default of column "{column.name}" does not have type {column.type}',
            detail=f"It is {column.default!r}.",
            hint="Write the default as a constant of the column's type.",
        ) from error
