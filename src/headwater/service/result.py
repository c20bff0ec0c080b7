"""The result of a statement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Result:
    """Rows under column names; of a script, the last statement's, with the warnings of all."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    table: pa.Table | None = field(default=None, compare=False, repr=False)
    warnings: tuple[str, ...] = ()

    @staticmethod
    def of(table: pa.Table) -> Result:
        """A result from an Arrow table, with its types."""
        from headwater.service.python_values import python_rows

        return Result(tuple(table.column_names), python_rows(table), table)

    def _repr_html_(self) -> str:
        """The rows as a table in a notebook."""
        from headwater.service.html_table import html_table

        return html_table(self.columns, self.rows)

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        import pyarrow as pa

        if self.table is not None:
            return self.table
        return pa.Table.from_arrays([[row[i] for row in self.rows] for i in range(len(self.columns))], self.columns)

    def df(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame."""
        return self.arrow().to_pandas()
