"""Maintenance of a lake: history, compaction, expiry, cleanup, orphans."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import sqlalchemy as sa

from headwater.core.errors import HeadwaterError, InvalidRequest, MaintenanceRunning
from headwater.core.settings import DEFAULTS
from headwater.core.skip_reason import SkipReason
from headwater.lake.binding import restored_at
from headwater.lake.data_path import require_data_path
from headwater.lake.options import AUTO_COMPACT, table_option, tables_with
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.lake.storage import StoredFile
from headwater.lake.values import Table
from headwater.maintain import cleanup, orphans
from headwater.maintain.choose_files import Policy
from headwater.maintain.compact import Compacted, TableCompactor
from headwater.maintain.expire import Expired, expire, find_expired
from headwater.maintain.forget_history import count_history, forget_history
from headwater.maintain.pins import longest
from headwater.maintain.step_result import DONE, FAILED, LEFT, PLANNED, StepResult
from headwater.refresh.find import all_tables
from headwater.refresh.lease_watch import leased
from headwater.registry import history, install, leases
from headwater.sql.parse_names import parse_name


@dataclass(frozen=True, slots=True)
class Rules:
    """Retention periods, and the thresholds of compaction."""

    history_days: float = DEFAULTS.history_days
    retention_days: float = DEFAULTS.retention_days
    grace: timedelta = cleanup.GRACE
    orphan_age: timedelta = orphans.DEFAULT_AGE
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class _MaintenanceRun:
    """One run of maintenance: the inputs of its steps."""

    site: Site
    compactor: TableCompactor
    names: tuple[str, ...]
    rules: Rules
    dry: bool
    stopped: Callable[[], bool]

    @property
    def state(self) -> str:
        return PLANNED if self.dry else DONE


Step = Callable[[_MaintenanceRun], Iterator[StepResult]]


def maintain(
    compactor: TableCompactor,
    names: Sequence[str] = (),
    *,
    only: Sequence[str] | None = None,
    dry_run: bool = False,
    rules: Rules | None = None,
    report: Callable[[StepResult], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[StepResult, ...]:
    """Run all steps in order, or `only` some; with names, only compact these tables.

    A failed step does not affect the others. With `dry_run` nothing changes.
    """
    chosen = tuple(only) if only is not None else ("compact",) if names else tuple(STEPS)
    if unknown := [step for step in chosen if step not in STEPS]:
        raise InvalidRequest(f'maintenance step "{unknown[0]}" does not exist', hint=f"Use {', '.join(STEPS)}.")
    if names and (whole := [step for step in chosen if step != "compact"]):
        raise InvalidRequest(
            f'maintenance step "{whole[0]}" does not apply to single tables',
            hint="Omit the tables; this step applies to the whole lake.",
        )
    run = _MaintenanceRun(compactor.site, compactor, tuple(names), rules or Rules(), dry_run, stopped)
    _wanted(run)
    with compactor.site.reader() as reader:
        require_data_path(reader.connection, compactor.site.data_path)
    if not dry_run:
        _renew(run.site)
    found: list[StepResult] = []
    with _alone(compactor.site, dry_run):
        for name, step in STEPS.items():
            if name in chosen and not stopped():
                for each in _guarded(name, step, run):
                    found.append(each)
                    if report:
                        report(each)
    return tuple(found)


def _renew(site: Site) -> None:
    """Tell catalogs that were copied before this run from the one whose files it deletes; refuses lakes that are not adopted."""
    gate = site.database.gate
    if gate is not None:
        # First, since only one binding can be pending: a lake that was moved is bound by a write of its own.
        site.database.admit()
        gate.confirm(site.database.transact(gate.renew))


@contextmanager
def _alone(site: Site, dry_run: bool) -> Iterator[None]:
    """Allow only one run at a time on a lake. Without a registry, no worker runs maintenance, and no lock is needed."""
    with site.reader() as reader:
        free = dry_run or not install.is_installed(reader.connection)
    if free:
        yield
        return
    leases.provide(site.database, leases.MAINTENANCE)
    lease = leases.take(site.database, leases.MAINTENANCE)
    if lease is None:
        raise MaintenanceRunning("another process is running maintenance on this lake", hint="Wait until it ends.")
    with leased(site, lease):
        yield


def _guarded(name: str, step: Step, run: _MaintenanceRun) -> Iterator[StepResult]:
    began = time.perf_counter()
    try:
        for each in step(run):
            yield replace(each, seconds=time.perf_counter() - began)
            began = time.perf_counter()
    except HeadwaterError as error:
        yield StepResult(name, FAILED, seconds=time.perf_counter() - began, reason=error.message, error=error)


# The steps


def _history(run: _MaintenanceRun) -> Iterator[StepResult]:
    with run.site.reader() as reader:
        if not install.is_installed(reader.connection):
            return
    count = count_history if run.dry else forget_history
    yield StepResult("history", run.state, rows=count(run.site, run.rules.history_days))


def _compact(run: _MaintenanceRun) -> Iterator[StepResult]:
    site = run.site
    wanted, left_alone = _wanted(run)
    if not run.dry:
        _keep_others_away(site)
    for table in left_alone:
        yield StepResult("compact", LEFT, table.name, reason=SkipReason.AUTO_COMPACT_OFF)
    tool = run.compactor
    for table in wanted:
        if run.stopped():
            return
        try:
            found = _carried_out(run, tool, table)
        except HeadwaterError as error:
            yield StepResult("compact", FAILED, table.name, reason=error.message, error=error)
            continue
        yield _compacted(table, found, run.state)


def _carried_out(run: _MaintenanceRun, tool: TableCompactor, table: Table) -> Compacted:
    if run.dry:
        return tool.preview(table.id, run.rules.policy)
    return tool.compact(table.id, run.rules.policy, run.stopped)


def _compacted(table: Table, found: Compacted, state: str) -> StepResult:
    return StepResult(
        "compact",
        LEFT if found.skipped_reason else state,
        table.name,
        files=found.files_before,
        files_after=found.files_after,
        bytes=found.bytes_before,
        rows=found.rows,
        reason=found.skipped_reason,
    )


def _expire(run: _MaintenanceRun) -> Iterator[StepResult]:
    site, now = run.site, run.site.clock.now()
    with site.reader() as reader:
        retention = longest(reader, timedelta(days=run.rules.retention_days))
        due = find_expired(reader, site.database.kind, now, retention)
    if run.dry:
        yield StepResult("expire", run.state, snapshots=len(due))
        return
    done = expire(site.database, site.data_path, now, retention) if due else Expired()
    yield StepResult("expire", run.state, snapshots=len(done.snapshots), files=done.files)


def _cleanup(run: _MaintenanceRun) -> Iterator[StepResult]:
    site = run.site
    work = cleanup.find_old_files if run.dry else cleanup.clean_up
    found = work(site.database, site.data_path, site.clock.now(), run.rules.grace)
    yield StepResult("cleanup", run.state, files=len(found))


def _orphans(run: _MaintenanceRun) -> Iterator[StepResult]:
    site, now = run.site, run.site.clock.now()
    age = max(run.rules.orphan_age, now - _running_since(site, now))
    every = orphans.find_orphans(site.database, site.data_path, now, age)
    kept = _older_than_restore(run, every)
    if kept:
        yield StepResult(
            "orphans", LEFT, files=len(kept), bytes=sum(file.bytes for file in kept), reason=SkipReason.RESTORED
        )
    found = tuple(file for file in every if file not in kept)
    if not run.dry:
        orphans.remove_files(site.database, found)
    yield StepResult("orphans", run.state, files=len(found), bytes=sum(file.bytes for file in found))


def _older_than_restore(run: _MaintenanceRun, files: Sequence[StoredFile]) -> frozenset[StoredFile]:
    """The files from before a restore, which may be rows that the restored catalog has lost; kept for the retention."""
    with run.site.database.read() as connection:
        at = restored_at(connection)
    if at is None or run.site.clock.now() - at >= timedelta(days=run.rules.retention_days):
        return frozenset()
    return frozenset(file for file in files if file.modified_at is None or file.modified_at <= at)


def _running_since(site: Site, now: datetime) -> datetime:
    """The time since which files may be from a refresh that has not committed yet."""
    with site.reader() as reader:
        if not install.is_installed(reader.connection):
            return now
        holders = leases.holders(reader.connection, site.database.kind)
        return history.oldest_unfinished(reader.connection, holders) or now


# The steps in the order in which they run; cleanup deletes the files of earlier compaction and expiry.
STEPS: dict[str, Step] = {
    "history": _history,
    "compact": _compact,
    "expire": _expire,
    "cleanup": _cleanup,
    "orphans": _orphans,
}


def _wanted(run: _MaintenanceRun) -> tuple[list[Table], list[Table]]:
    """The tables to compact, and those that are compacted only by name."""
    with run.site.reader() as reader:
        at = reader.latest().id
        if run.names:
            return [reader.find_table(resolve(parse_name(name), reader, at), at) for name in run.names], []
        dynamic = {table.id: table.statement.properties.auto_compact for table in all_tables(reader)}
        found: tuple[list[Table], list[Table]] = ([], [])
        for table in reader.tables(at):
            found[_is_off(reader, table, dynamic)].append(table)
        return found


def _is_off(reader: LakeReader, table: Table, dynamic: dict[int, bool | None]) -> bool:
    # For a dynamic table, DuckLake's option keeps other clients away, and the table's property applies to Headwater.
    if table.id in dynamic:
        return dynamic[table.id] is False
    return reader.option(table, AUTO_COMPACT) == "false"


def _keep_others_away(site: Site) -> None:
    """Disable compaction of dynamic tables by other clients, which would drop the state columns."""

    def work(connection: sa.Connection) -> None:
        reader = LakeReader(connection, site.data_path)
        has = tables_with(connection, AUTO_COMPACT)
        for table in all_tables(reader):
            if table.id not in has:
                connection.execute(table_option(table.id, AUTO_COMPACT, "false"))

    with site.reader() as reader:
        missing = {table.id for table in all_tables(reader)} - tables_with(reader.connection, AUTO_COMPACT)
    if missing:
        site.database.transact(work)
