"""What the histories need of Headwater."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.core.names import TableName
from tests.differential.ours import OurSide
from tests.fix_db import Catalog

if TYPE_CHECKING:
    import pyarrow as pa


def our_side(lake: Catalog) -> OurSide:
    """Headwater on this lake, which DuckDB has made."""
    raise NotImplementedError


def read_all(lake: Catalog, wanted: Sequence[tuple[TableName, int]]) -> dict[tuple[TableName, int], pa.Table]:
    """Tables as of snapshots, by the names that they have there, in one Spark job."""
    raise NotImplementedError


def read_changes(
    lake: Catalog, wanted: Sequence[tuple[TableName, int, int]]
) -> dict[tuple[TableName, int, int], pa.Table]:
    """What tables gained and lost in (start, end], by the names at the end: their columns there, then ``weight``."""
    raise NotImplementedError
