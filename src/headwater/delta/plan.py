"""How a dynamic table is brought up to date, as a value that runs and explains alike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from headwater.delta.changes import Changes
from headwater.delta.maintain import Strategy

# Where more than this part of the sources' rows changed, computing all is cheaper.
THRESHOLD = 0.3


class RefreshAction(StrEnum):
    """What a refresh does."""

    NO_DATA = "NO_DATA"
    INCREMENTAL = "INCREMENTAL"
    FULL = "FULL"
    REINITIALIZE = "REINITIALIZE"


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """What to do and why; `sql` is the Spark SQL over named scans that computes it."""

    action: RefreshAction
    reason: str
    sql: str | None = None
    strategy: str | None = None
    changes: Changes | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a table when its refresh is planned."""

    initialized: bool
    definition_changed: bool = False
    session_changed: bool = False
    identity_changed: str | None = None
    foreign_write: int | None = None
    frontier_expired: bool = False
    uses_clock: bool = False
    touched: tuple[str, ...] = ()

    @property
    def invalid(self) -> str | None:
        """Why what the table holds can't be built upon."""
        if self.definition_changed:
            return "the definition changed"
        if self.session_changed:
            return "the session settings of the definition changed"
        if self.identity_changed:
            return self.identity_changed
        if self.foreign_write is not None:
            return f"another client wrote into the table at snapshot {self.foreign_write}"
        if self.frontier_expired:
            return "snapshots since the last refresh have been expired"
        return None


@dataclass(frozen=True, slots=True)
class Way:
    """How the changes of a table can be followed: what to run, and which part of the sources' rows changed."""

    strategy: Strategy
    changes: Changes
    share: float


def choose(known: Known, sql: str, way: Way | str | None = None, threshold: float = THRESHOLD) -> RefreshPlan:
    """The cheapest plan that is surely right; `way` is the incremental one, or why there is none.

    >>> choose(Known(initialized=True), "SELECT 1").action
    <RefreshAction.NO_DATA: 'NO_DATA'>
    >>> choose(Known(initialized=True, touched=("shop.orders",)), "SELECT 1").reason
    'shop.orders changed'
    """
    if not known.initialized:
        return RefreshPlan(RefreshAction.REINITIALIZE, "first refresh", sql)
    if reason := known.invalid:
        return RefreshPlan(RefreshAction.REINITIALIZE, reason, sql)
    if known.touched or known.uses_clock:
        changed = f"{_listed(known.touched)} changed" if known.touched else "the query reads the clock"
        if isinstance(way, Way) and way.share <= threshold:
            return RefreshPlan(RefreshAction.INCREMENTAL, changed, sql, way.strategy, way.changes)
        why = f"{min(way.share, 1):.0%} of the rows changed" if isinstance(way, Way) else way
        return RefreshPlan(RefreshAction.FULL, f"{changed}; {why}" if why else changed, sql)
    return RefreshPlan(RefreshAction.NO_DATA, "no source changed")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
