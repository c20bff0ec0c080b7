"""The profile of one job: what a refresh did, what each phase took, what it read and wrote, and the SQL that it ran."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headwater.core.display_name import display_name
from headwater.core.errors import InvalidRequest, NotFound
from headwater.core.names import TableName
from headwater.core.refresh_record import UNFINISHED, RefreshAction, RefreshRecord, RefreshState
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.refresh.find import find_dynamic
from headwater.registry import history, install, refresh_sql
from headwater.service.result import Result
from headwater.sql.statements import ObjectName

_BEGUN = UNFINISHED | {RefreshState.SUCCEED, RefreshState.FAILED, RefreshState.CANCELLED}


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a job and the seconds that it took."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class JobProfile:
    """One refresh of the history, and the SQL that it ran."""

    refresh: RefreshRecord
    sql: str | None

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The measured phases in order, and the remaining time, such as waiting and failed attempts."""
        stats, took = self.refresh.stats, self.refresh.took
        measured = {"plan": stats.plan_seconds, "compute": stats.compute_seconds, "commit": stats.commit_seconds}
        timed = tuple(Phase(name, seconds) for name, seconds in measured.items() if seconds is not None)
        if not timed or took is None:
            return timed
        other = round(took.total_seconds(), 3) - sum(phase.seconds for phase in timed)
        return (*timed, Phase("other", round(max(0.0, other), 3)))


def profile(
    site: Site, job_id: str | None = None, *, table: ObjectName | None = None, tag: str | None = None
) -> JobProfile:
    """The profile of a job by its id, by its table (the newest), or by its tag in Spark."""
    if sum(each is not None for each in (job_id, table, tag)) != 1:
        raise InvalidRequest("specify a job by one of id, table and tag", hint="Pass exactly one of them.")
    with site.reader() as reader:
        found = _newest(reader, table) if table is not None else _known(reader, job_id, tag)
        sql = refresh_sql.find(reader.connection, found.plan_id) if found.plan_id else None
    return JobProfile(found, sql)


def job_profile(found: JobProfile) -> Result:
    """One property a row, those that are known."""
    rows: list[tuple[str, str]] = []
    for name, value in profile_facts(found).items():
        if name == "phases":
            rows += [(f"{phase}_seconds", str(seconds)) for phase, seconds in value.items()]
        elif name == "sources":
            rows.append((name, ", ".join(map(display_name, value))))
        elif isinstance(value, datetime):
            rows.append((name, value.isoformat()))
        elif isinstance(value, TableName):
            rows.append((name, display_name(value)))
        elif value is not None:
            rows.append((name, str(value)))
    return Result(("property", "value"), tuple(rows))


def profile_facts(found: JobProfile) -> dict[str, Any]:
    """The properties of a profile, None for those that are not known."""
    refresh, stats = found.refresh, found.refresh.stats
    return {
        "job_id": refresh.id,
        "table": refresh.name,
        "state": refresh.state,
        "action": refresh.action,
        "strategy": refresh.strategy,
        "reason": refresh.reason,
        "error": None if refresh.error is None else str(refresh.error),
        "trigger": refresh.trigger,
        "warehouse": refresh.warehouse,
        "data_snapshot": refresh.data_snapshot,
        "lake_snapshot": refresh.lake_snapshot,
        "started_at": refresh.started_at,
        "ended_at": refresh.ended_at,
        "seconds": None if refresh.took is None else round(refresh.took.total_seconds(), 3),
        "phases": {phase.name: phase.seconds for phase in found.phases},
        "jobs": stats.jobs,
        "rows_read": stats.rows_read,
        "bytes_read": stats.bytes_read,
        "source_files": stats.source_files,
        "rows_inserted": refresh.rows_inserted,
        "rows_deleted": refresh.rows_deleted,
        "rows_unchanged": stats.rows_unchanged,
        "affected_keys": stats.affected_keys,
        "files_written": stats.files_written,
        "bytes_written": stats.bytes_written,
        "sources": refresh.sources,
        "runs": refresh.runs,
        "sql": found.sql,
    }


def _known(reader: LakeReader, job_id: str | None, tag: str | None) -> RefreshRecord:
    # The tag of Spark's jobs is the id of their refresh.
    wanted = (tag if job_id is None else job_id) or ""
    found = history.find(reader.connection, wanted) if install.is_installed(reader.connection) else None
    if found is None:
        what = f'no job with id "{wanted}"' if job_id is not None else f'no job with the tag "{wanted}"'
        raise NotFound(
            f"{what} is in the history",
            detail="Maintenance deletes the history after history_days; only refreshes and creations are jobs.",
            hint="Run SHOW DYNAMIC TABLE REFRESH HISTORY to list the job ids.",
        )
    return found


def _newest(reader: LakeReader, name: ObjectName) -> RefreshRecord:
    """The newest job of a table that processed changes, else the newest."""
    table = find_dynamic(reader, name)
    rows = history.load(reader.connection, [table.id])
    if not rows:
        raise NotFound(
            f"dynamic table {table.name} has no job yet", hint=f"Run REFRESH DYNAMIC TABLE {table.name} first."
        )
    return next((row for row in rows if row.state in _BEGUN and row.action is not RefreshAction.NO_DATA), rows[0])
