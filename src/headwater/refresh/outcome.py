"""What became of a refresh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from headwater.core.errors import HeadwaterError, RefreshCancelled, RefreshFailed
from headwater.core.names import TableName
from headwater.core.skip_reason import SkipReason
from headwater.registry import history
from headwater.registry.history import Refresh

_ENDS = {history.FAILED: RefreshFailed, history.CANCELLED: RefreshCancelled}


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
        return self.reason is SkipReason.LEASED


def outcome_from_history(ran: Refresh, name: TableName) -> RefreshOutcome:
    """What the history says of a refresh, under the name that its table has now."""
    return RefreshOutcome(
        ran.table_id,
        name,
        ran.state,
        action=ran.action,
        strategy=ran.strategy,
        reason=ran.reason,
        rows_inserted=ran.rows_inserted or 0,
        rows_deleted=ran.rows_deleted or 0,
        data_snapshot=ran.data_snapshot,
        lake_snapshot=ran.lake_snapshot,
        refresh_id=ran.id,
        seconds=(ran.ended_at - ran.started_at).total_seconds() if ran.ended_at else 0.0,
        error=_ENDS[ran.state](ran.error) if ran.state in _ENDS and ran.error else None,
        trigger=ran.trigger,
        warehouse=ran.warehouse,
        profile=ran.profile,
    )


def raise_failures(outcomes: Iterable[RefreshOutcome]) -> None:
    """Raise the first failure among outcomes, if there is one, and say how many more there are."""
    failed = [outcome for outcome in outcomes if outcome.state == history.FAILED]
    if failed:
        first = failed[0]
        assert first.error is not None
        raise RefreshFailed(
            f"refresh of {first.name} failed" + (f", and of {len(failed) - 1} more" if len(failed) > 1 else ""),
            detail=f"{first.error.message.rstrip('.')}. {first.error.detail or ''}".strip(),
            hint=first.error.hint,
        ) from first.error
