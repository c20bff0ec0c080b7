"""The profile of one job: what a refresh did, what each phase took, what it read and wrote, and the SQL that it ran."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headwater.core.errors import InvalidRequest, NotFound
from headwater.core.names import TableName
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.refresh.find import find_dynamic
from headwater.registry import history, install, refresh_sql
from headwater.registry.history import Refresh
from headwater.sql.statements import ObjectName

PHASES = ("plan", "compute", "commit")
_BEGUN = (history.RUNNING, history.SUCCEED, history.FAILED, history.CANCELLED)
# Parts of the profile that the history stores as numbers.
_NUMBERS = (
    "jobs",
    "rows_read",
    "bytes_read",
    "source_files",
    "rows_unchanged",
    "affected_keys",
    "files_written",
    "bytes_written",
)


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a job and the seconds that it took."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class JobProfile:
    """One refresh of the history; values that were not measured are None."""

    job_id: str
    table: TableName
    state: str
    action: str | None
    strategy: str | None
    reason: str | None
    error: str | None
    trigger: str
    warehouse: str
    data_snapshot: int | None
    lake_snapshot: int | None
    started_at: datetime
    ended_at: datetime | None
    seconds: float | None
    # In order; the remaining time is shown as "other".
    phases: tuple[Phase, ...]
    jobs: int | None
    rows_read: int | None
    bytes_read: int | None
    source_files: int | None
    rows_inserted: int | None
    rows_deleted: int | None
    rows_unchanged: int | None
    affected_keys: int | None
    files_written: int | None
    bytes_written: int | None
    sources: tuple[TableName, ...]
    # Consecutive refreshes without changes share a job.
    runs: int
    sql: str | None


def profile(
    site: Site, job_id: str | None = None, *, table: ObjectName | None = None, tag: str | None = None
) -> JobProfile:
    """The profile of a job by its id, by its table (the newest), or by its tag in Spark."""
    if sum(each is not None for each in (job_id, table, tag)) != 1:
        raise InvalidRequest("specify a job by one of id, table and tag", hint="Pass exactly one of them.")
    with site.reader() as reader:
        found = _newest(reader, table) if table is not None else _known(reader, job_id, tag)
        sql = refresh_sql.find(reader.connection, found.plan_id) if found.plan_id else None
    return _profile(found, sql)


def _known(reader: LakeReader, job_id: str | None, tag: str | None) -> Refresh:
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


def _newest(reader: LakeReader, name: ObjectName) -> Refresh:
    """The newest job of a table that processed changes, else the newest."""
    table = find_dynamic(reader, name)
    rows = history.load(reader.connection, [table.id])
    if not rows:
        raise NotFound(
            f"dynamic table {table.name} has no job yet", hint=f"Run REFRESH DYNAMIC TABLE {table.name} first."
        )
    return next((row for row in rows if row.state in _BEGUN and row.action != history.NO_DATA), rows[0])


def _profile(row: Refresh, sql: str | None) -> JobProfile:
    seconds = None if row.took is None else round(row.took.total_seconds(), 3)
    numbers: dict[str, Any] = {name: row.profile.get(name) for name in _NUMBERS}
    return JobProfile(
        job_id=row.id,
        table=row.name,
        state=row.state,
        action=row.action,
        strategy=row.strategy,
        reason=row.reason,
        error=row.error,
        trigger=row.trigger,
        warehouse=row.warehouse,
        data_snapshot=row.data_snapshot,
        lake_snapshot=row.lake_snapshot,
        started_at=row.started_at,
        ended_at=row.ended_at,
        seconds=seconds,
        phases=_phases(row, seconds),
        rows_inserted=row.rows_inserted,
        rows_deleted=row.rows_deleted,
        sources=row.sources,
        runs=row.runs,
        sql=sql,
        **numbers,
    )


def _phases(row: Refresh, seconds: float | None) -> tuple[Phase, ...]:
    """The measured phases and the remaining time, such as waiting and failed attempts."""
    timed = [Phase(name, row.profile[key]) for name in PHASES if (key := f"{name}_seconds") in row.profile]
    if not timed or seconds is None:
        return tuple(timed)
    return (*timed, Phase("other", round(max(0.0, seconds - sum(phase.seconds for phase in timed)), 3)))
