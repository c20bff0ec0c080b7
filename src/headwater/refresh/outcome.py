"""What became of a refresh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.core.errors import HeadwaterError
from headwater.core.names import TableName
from headwater.registry import history

LEASED = "another refresh of this table is running"


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """One table's refresh; `error` is set where `state` is FAILED or CANCELLED."""

    table_id: int
    name: TableName
    state: str
    action: str | None = None
    strategy: str | None = None
    reason: str | None = None
    rows_inserted: int = 0
    rows_deleted: int = 0
    data_snapshot: int | None = None
    lake_snapshot: int | None = None
    refresh_id: str | None = None
    seconds: float = 0.0
    error: HeadwaterError | None = None
    trigger: str | None = None
    warehouse: str | None = None
    # What it took; see registry.history.
    profile: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def succeeded(self) -> bool:
        return self.state == history.SUCCEED

    @property
    def leased(self) -> bool:
        """Whether nothing was tried because another holds the table's lease."""
        return self.state == history.SKIPPED and self.reason == LEASED
