"""How a dynamic table is brought up to date, as a value that runs and explains alike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


def choose(known: Known, sql: str) -> RefreshPlan:
    """The cheapest plan that is surely right.

    >>> choose(Known(initialized=True), "SELECT 1").action
    <RefreshAction.NO_DATA: 'NO_DATA'>
    >>> choose(Known(initialized=True, touched=("shop.orders",)), "SELECT 1").reason
    'shop.orders changed'
    """
    if not known.initialized:
        return RefreshPlan(RefreshAction.REINITIALIZE, "first refresh", sql)
    if reason := _invalid(known):
        return RefreshPlan(RefreshAction.REINITIALIZE, reason, sql)
    if known.touched:
        return RefreshPlan(RefreshAction.FULL, f"{_listed(known.touched)} changed", sql)
    if known.uses_clock:
        return RefreshPlan(RefreshAction.FULL, "the query reads the clock", sql)
    return RefreshPlan(RefreshAction.NO_DATA, "no source changed")


def _invalid(known: Known) -> str | None:
    """Why what the table holds can't be built upon."""
    if known.definition_changed:
        return "the definition changed"
    if known.session_changed:
        return "the session settings of the definition changed"
    if known.identity_changed:
        return known.identity_changed
    if known.foreign_write is not None:
        return f"another client wrote into the table at snapshot {known.foreign_write}"
    if known.frontier_expired:
        return "snapshots since the last refresh have been expired"
    return None


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
