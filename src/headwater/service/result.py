"""What a statement answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Result:
    """Rows under column names; of a script, the last statement's."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)})

    def df(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame."""
        return self.arrow().to_pandas()
