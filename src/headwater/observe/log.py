"""Events as structured log lines."""

from __future__ import annotations

from typing import Protocol

from headwater.core import events as e
from headwater.core.errors import HeadwaterError
from headwater.core.refresh_record import RefreshRecord, RefreshState


class Log(Protocol):
    """Where lines go: an event and its facts."""

    def info(self, event: str, **facts: object) -> object: ...

    def warning(self, event: str, **facts: object) -> object: ...

    def error(self, event: str, **facts: object) -> object: ...


class Bound:
    """A log that adds fields to every line."""

    def __init__(self, log: Log, **facts: object) -> None:
        self._log = log
        self._facts = facts

    def info(self, event: str, **facts: object) -> None:
        self._log.info(event, **self._facts, **facts)

    def warning(self, event: str, **facts: object) -> None:
        self._log.warning(event, **self._facts, **facts)

    def error(self, event: str, **facts: object) -> None:
        self._log.error(event, **self._facts, **facts)


def error_facts(error: HeadwaterError) -> dict[str, object]:
    """The fields of an error in a log line."""
    return {"code": error.code, "error": error.message, "detail": error.detail, "hint": error.hint}


class LogLines:
    """A subscriber that logs events."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def __call__(self, event: e.Event) -> None:
        match event:
            case e.WorkerStarted():
                self._log.info("worker started", lake=event.lake, poll_interval=event.poll_interval)
            case e.WorkerStopped():
                self._log.info("worker stopped")
            case e.PassEnded():
                pass
            case e.PassFailed():
                self._complain(event.error)
            case e.RefreshEnded():
                self._refreshed(event.refresh)
            case e.RefreshOverdue():
                self._log.warning(
                    "refresh overdue",
                    table=str(event.table),
                    refresh_id=event.refresh_id,
                    seconds=round(event.seconds, 3),
                    limit=event.limit,
                )
            case e.TableSuspended():
                self._log.warning("table suspended", table=str(event.table), by=str(event.by), reason=event.reason)
            case e.TableResumed():
                self._log.info("table resumed", table=str(event.table))
            case e.LagBreached():
                self._log.warning("lag breached", **self._lag(event))
            case e.LagMet():
                self._log.info("lag met", **self._lag(event))

    def _lag(self, event: e.LagBreached | e.LagMet) -> dict[str, object]:
        lag = round(event.lag, 3)
        return {"table": str(event.table), "lag": lag, "target": event.target}

    def _refreshed(self, refresh: RefreshRecord) -> None:
        facts = {
            "table": str(refresh.name),
            "refresh_id": refresh.id,
            "trigger": str(refresh.trigger),
            "state": str(refresh.state),
            "action": refresh.action and str(refresh.action),
            "strategy": refresh.strategy and str(refresh.strategy),
            "rows_inserted": refresh.rows_inserted,
            "rows_deleted": refresh.rows_deleted,
            "data_snapshot": refresh.data_snapshot,
            "seconds": round(refresh.seconds, 3),
            "reason": refresh.reason,
        }
        if refresh.error is not None:
            facts |= {"code": refresh.error.code, "error": refresh.error.message, "detail": refresh.error.detail}
        facts = {key: value for key, value in facts.items() if value is not None}
        if refresh.state is RefreshState.FAILED:
            self._log.error("refresh", **facts)
        elif not refresh.succeeded:
            self._log.warning("refresh", **facts)
        else:
            self._log.info("refresh", **facts)

    def _complain(self, error: Exception) -> None:
        facts: dict[str, object]
        if isinstance(error, HeadwaterError):
            facts = error_facts(error)
        else:
            facts = {"error": f"{type(error).__name__}: {error}", "exc_info": error}
        self._log.error("pass failed", **facts)
