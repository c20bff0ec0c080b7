"""The events that are alerts, and the JSON body of an alert.

One flat object; keys that do not apply to the event are null, `text` is one readable line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.core import events as e
from headwater.core.errors import HeadwaterError
from headwater.core.format import format_hms, format_iso_time
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshState, SuspendedBy

REFRESH_FAILED, REFRESH_OVERDUE = "refresh_failed", "refresh_overdue"
TABLE_SUSPENDED = "table_suspended"
LAG_BREACHED, LAG_MET = "lag_breached", "lag_met"
ALERTS = (REFRESH_FAILED, REFRESH_OVERDUE, TABLE_SUSPENDED, LAG_BREACHED, LAG_MET)
# An engine's error text can be longer than endpoints accept.
LONGEST_TEXT, LONGEST_DETAIL = 500, 4_000


@dataclass(frozen=True, slots=True)
class Place:
    """The origin of alerts: the lake without its password, and the worker."""

    lake: str
    worker: str


def alert_of(event: e.Event) -> str | None:
    """The name of the alert for an event; None if the event is not an alert.

    Neither a refresh that waits for a failed upstream nor a suspension by a user is an alert.
    """
    match event:
        case e.RefreshEnded() if event.refresh.state is RefreshState.FAILED:
            return REFRESH_FAILED
        case e.RefreshOverdue():
            return REFRESH_OVERDUE
        case e.TableSuspended() if event.by is SuspendedBy.FAILURES:
            return TABLE_SUSPENDED
        case e.LagBreached():
            return LAG_BREACHED
        case e.LagMet():
            return LAG_MET
        case _:
            return None


def body(event: e.Event, place: Place) -> dict[str, Any] | None:
    """The body for a webhook; None if the event is not an alert."""
    kind = alert_of(event)
    facts: dict[str, Any]
    match event:
        case e.RefreshEnded():
            error = event.refresh.error
            text = f"refresh of {label(event.table)} failed: {error.message if error else 'unknown'}"
            facts = {"refresh_id": event.refresh.id, "trigger": str(event.refresh.trigger), "error": _error(error)}
        case e.RefreshOverdue():
            text = f"refresh of {label(event.table)} runs for {format_hms(event.seconds)}, longer than {format_hms(event.limit)}"
            facts = {"refresh_id": event.refresh_id, "seconds": round(event.seconds, 3), "limit": event.limit}
        case e.TableSuspended():
            text = f"{label(event.table)} is suspended: {event.reason}"
            facts = {"reason": event.reason}
        case e.LagBreached():
            text = f"{label(event.table)} is {format_hms(event.lag)} behind, its target is {format_hms(event.target)}"
            facts = {"lag": round(event.lag, 3), "target": event.target}
        case e.LagMet():
            text = f"{label(event.table)} is within its target of {format_hms(event.target)} again"
            facts = {"lag": round(event.lag, 3), "target": event.target}
        case _:
            return None
    if kind is None:
        return None
    return {
        "event": kind,
        "time": format_iso_time(event.at),
        "lake": place.lake,
        "worker": place.worker,
        "table": label(event.table),
        "refresh_id": None,
        "trigger": None,
        "error": None,
        "reason": None,
        "lag": None,
        "target": None,
        "seconds": None,
        "limit": None,
        **facts,
        "text": _short(f"Headwater: {' '.join(text.split())}", LONGEST_TEXT),
    }


def _error(error: HeadwaterError | None) -> dict[str, str | None] | None:
    if error is None:
        return None
    return {**error.body(), "detail": error.detail and _short(error.detail, LONGEST_DETAIL)}


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def label(name: TableName) -> str:
    """A table as alerts and metrics name it.

    >>> label(TableName("main", "t"))
    'main.t'
    """
    return f"{name.schema}.{name.name}"
