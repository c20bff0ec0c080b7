"""Events as structured log lines."""

from __future__ import annotations

from typing import Protocol

from headwater.core import events as e
from headwater.core.errors import HeadwaterError
from headwater.registry import history


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
                self._say(event)
            case e.RefreshOverdue():
                self._log.warning(
                    "refresh overdue",
                    table=str(event.table),
                    refresh_id=event.refresh_id,
                    seconds=round(event.seconds, 3),
                    limit=event.limit,
                )
            case e.TableSuspended():
                self._log.warning("table suspended", table=str(event.table), by=event.by, reason=event.reason)
            case e.TableResumed():
                self._log.info("table resumed", table=str(event.table))
            case e.LagBreached():
                self._log.warning("lag breached", **self._lag(event))
            case e.LagMet():
                self._log.info("lag met", **self._lag(event))

    def _lag(self, event: e.LagBreached | e.LagMet) -> dict[str, object]:
        lag = round(event.lag, 3)
        return {"table": str(event.table), "lag": lag, "target": event.target}

    def _say(self, event: e.RefreshEnded) -> None:
        facts = {
            "table": str(event.table),
            "refresh_id": event.refresh_id,
            "trigger": event.trigger,
            "state": event.state,
            "action": event.action and str(event.action),
            "strategy": event.strategy and str(event.strategy),
            "rows_inserted": event.rows_inserted,
            "rows_deleted": event.rows_deleted,
            "data_snapshot": event.data_snapshot,
            "seconds": round(event.seconds, 3),
            "reason": event.reason,
        }
        if event.error is not None:
            facts |= {"code": event.error.code, "error": event.error.message, "detail": event.error.detail}
        told = {key: value for key, value in facts.items() if value is not None}
        if event.state == history.FAILED:
            self._log.error("refresh", **told)
        elif event.state != history.SUCCEED:
            self._log.warning("refresh", **told)
        else:
            self._log.info("refresh", **told)

    def _complain(self, error: Exception) -> None:
        facts: dict[str, object]
        if isinstance(error, HeadwaterError):
            facts = {"code": error.code, "error": error.message, "detail": error.detail, "hint": error.hint}
        else:
            facts = {"error": f"{type(error).__name__}: {error}", "exc_info": error}
        self._log.error("pass failed", **facts)
