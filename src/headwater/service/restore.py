"""RESTORE DYNAMIC TABLE: an earlier version becomes the current one, and the table is suspended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.core.errors import SqlUnsupported
from headwater.sql import dynamic_statements as ds

if TYPE_CHECKING:
    from headwater.service.lake import Lake


def restore(lake: Lake, statement: ds.RestoreDynamicTable) -> str:
    """Not built yet."""
    raise SqlUnsupported(
        "RESTORE DYNAMIC TABLE is not available yet",
        hint="Read the old version: SELECT … FROM t AT (VERSION => n).",
    )
