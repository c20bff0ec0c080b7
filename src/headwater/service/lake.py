"""The Python API of a lake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from headwater.commit.commit import Commit, Committed, commit
from headwater.core.cancellation import Cancellation
from headwater.core.caret import quoting
from headwater.core.clock import Clock, SystemClock
from headwater.core.errors import InvalidRequest, SqlSyntaxError
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshRecord
from headwater.core.schema import SortKey
from headwater.core.settings import DEFAULTS
from headwater.core.table_status import TableStatus
from headwater.core.warehouse import Warehouse
from headwater.lake import find_changes as lake_changes
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.lake.values import Snapshot, TableAt, TableChanges, WriteTarget
from headwater.query.process import DuckDBProcess
from headwater.refresh.compute import Compute
from headwater.refresh.explain import Explanation
from headwater.refresh.progress import ProgressEvent, Watch
from headwater.refresh.restore import Restored, restore
from headwater.refresh.run import Refresher
from headwater.refresh.verify import Verification, verify
from headwater.service import rows
from headwater.service.adopt import Adoption, AdoptOptions, carry_out, plan_adoption
from headwater.service.explain import explain
from headwater.service.frames import Frame
from headwater.service.interruptible import interruptible
from headwater.service.profile import JobProfile, profile
from headwater.service.refresh import refresh
from headwater.service.refresh_history import load_history
from headwater.service.result import Result
from headwater.service.run_sql import run_sql
from headwater.service.status import status
from headwater.service.transaction import Transactions
from headwater.service.versions import VersionStatus, restoration, versions
from headwater.service.wiring import spark_compute, spark_frames, table_compactor
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.parameters import ParameterValues
from headwater.sql.parse import parse
from headwater.sql.parse_names import parse_name
from headwater.sql.split import split
from headwater.sql.statements import ObjectName
from headwater.store.database import Database
from headwater.worker.cancel import cancel
from headwater.worker.tick import Tick, tick

if TYPE_CHECKING:
    from headwater.maintain.steps import Rules
from headwater.maintain.step_result import StepResult


class Lake:
    """The tables of one DuckLake. Created by `headwater.connect`."""

    def __init__(self, database: Database, data_path: str, clock: Clock | None = None) -> None:
        self.site = Site(database, data_path, clock or SystemClock())
        # Timeout of a refresh in seconds; None is no limit.
        self.refresh_timeout: float | None = None
        # The configured warehouses, and those that a worker in this process serves; None is no worker.
        self.warehouses: tuple[Warehouse, ...] = (Warehouse(),)
        self.served: tuple[Warehouse, ...] | None = None
        self._duckdb: DuckDBProcess | None = None
        self._transactions = Transactions(self._new_duckdb)
        self._watchers: tuple[Watch, ...] = ()

    def __enter__(self) -> Lake:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Lake {self.database.display_url}>"

    @property
    def database(self) -> Database:
        """The catalog."""
        return self.site.database

    @property
    def data_path(self) -> str:
        """The folder of the lake's files."""
        return self.site.data_path

    @property
    def clock(self) -> Clock:
        """The clock."""
        return self.site.clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        self.site = replace(self.site, clock=clock)

    @property
    def compute(self) -> Compute:
        """The engine and its settings."""
        return spark_compute(self.warehouses, self.refresh_timeout, self._tell if self._watchers else None)

    # Metadata

    def reader(self) -> AbstractContextManager[LakeReader]:
        """The catalog as of one moment."""
        return self.site.reader()

    def snapshots(self) -> tuple[Snapshot, ...]:
        """All live snapshots, oldest first."""
        with self.reader() as reader:
            return reader.snapshots()

    def tables(self, snapshot: int | None = None) -> tuple[TableName, ...]:
        """The names of all tables."""
        with self.reader() as reader:
            at = reader.latest().id if snapshot is None else reader.snapshot(snapshot).id
            return tuple(table.name for table in reader.tables(at))

    def touched(self, name: str, start: int, end: int | None = None) -> lake_changes.Touched:
        """Whether commits in (start, end] changed the table, and how many rows at most, without opening a file."""
        with self.reader() as reader:
            last = reader.latest().id if end is None else end
            table = reader.find_table(rows.resolve_text(reader, name, last), last)
            return lake_changes.touched(reader, table.id, start, last)

    # Rows

    def table(self, name: str, snapshot: int | None = None, *, rowid: str | None = None) -> Frame:
        """The table at a snapshot (default: the newest), with its row ids in the column `rowid` if given."""
        self._transactions.refuse("table()")
        return spark_frames().read(self.describe(name, snapshot), rowid)

    def changes(
        self, name: str, start: int, end: int | None = None, *, rowid: str = "rowid", weight: str = "__w"
    ) -> Frame:
        """The net changes in (start, end]: the table's columns, the row id, and a weight: +1 for inserted, -1 for deleted.

        Other names for the two can be given where the table has columns of these names.
        """
        self._transactions.refuse("changes()")
        return spark_frames().read_changes(self.describe_changes(name, start, end), rowid, weight)

    def append(self, name: str, frame: Frame) -> int:
        """Add rows, columns matched by name; returns the new snapshot."""
        self._transactions.refuse("append()")
        return rows.append(self.site, name, frame)

    def overwrite(self, name: str, frame: Frame) -> int:
        """Replace all rows in one commit."""
        self._transactions.refuse("overwrite()")
        return rows.overwrite(self.site, name, frame)

    def delete(self, name: str, where: str) -> int:
        """Delete the rows that match a Spark SQL condition; returns the new snapshot, or the newest one if none matched."""
        self._transactions.refuse("delete()")
        return rows.delete(self.site, name, where)

    def update(self, name: str, assignments: Mapping[str, str], where: str = "true") -> int:
        """Set columns to Spark SQL expressions in rows that match a condition; rows keep their ids."""
        self._transactions.refuse("update()")
        return rows.update(self.site, name, assignments, where)

    # SQL

    def sql(
        self,
        text: str,
        *,
        params: ParameterValues | None = None,
        engine: str | None = None,
        dialect: str | None = None,
    ) -> Result:
        """Run any statement or script; the last statement's result.

        Each statement is its own transaction, except between BEGIN and COMMIT and in a block of `transaction`. `params` are the
        values of ? and $1 in order, or of $name by name. Queries and changes of rows run on DuckDB, or on Spark with
        engine="spark"; `dialect` says how names and strings are quoted, "duckdb" by default.
        """
        return run_sql(self.site, self.compute, self._start_duckdb, self._transactions, text, params, engine, dialect)

    def transaction(self) -> AbstractContextManager[None]:
        """A block whose `sql` statements in this thread are one transaction, and one snapshot of the lake.

        The end of the block commits. An exception, or 60 seconds without a statement, rolls back.
        """
        return self._transactions.around(self.site)

    # Dynamic tables

    def refresh(self, *names: str) -> tuple[RefreshRecord, ...]:
        """Refresh dynamic tables and their upstreams to the newest snapshot; without names, all."""
        self._transactions.refuse("refresh()")
        return refresh(self.site, self.compute, [parse_name(name) for name in names])

    def cancel(self, name: str) -> bool:
        """Cancel the running or requested refresh of a dynamic table, in any process; whether there was one."""
        self._transactions.refuse("cancel()")
        return cancel(self.site, parse_name(name))

    def versions(
        self, name: str | None = None, *, retention_days: float = DEFAULTS.retention_days
    ) -> tuple[VersionStatus, ...]:
        """The versions of dynamic tables, newest first; `retention_days` is that of the lake's maintenance."""
        return versions(self.site, parse_name(name) if name is not None else None, retention_days)

    def restore(self, name: str, *, version: int | None = None, timestamp: datetime | str | None = None) -> Restored:
        """Restore a version of a dynamic table by number or time, and suspend the table."""
        self._transactions.refuse("restore()")
        compute, statement = self.compute, restoration(parse_name(name), version, timestamp)
        return interruptible(compute.cancellation, lambda: restore(self.site, compute, statement))

    def verify(self, name: str) -> Verification:
        """Run a dynamic table's query at its data snapshot and compare the result with the table."""
        self._transactions.refuse("verify()")
        compute = self.compute
        return interruptible(compute.cancellation, lambda: verify(self.site, compute, parse_name(name)))

    def explain(self, what: str) -> Explanation:
        """What the next refresh would do, for a dynamic table by name or for a CREATE statement."""
        self._transactions.refuse("explain()")
        with quoting(what):
            return explain(self.site, self.compute, _to_explain(what))

    def status(self) -> tuple[TableStatus, ...]:
        """All dynamic tables with their lag and last refresh."""
        return status(self.site)

    def history(self, name: str | None = None, limit: int | None = None) -> tuple[RefreshRecord, ...]:
        """Refreshes, newest first."""
        return load_history(self.site, parse_name(name) if name else None, limit)

    def profile(self, job_id: str | None = None, *, table: str | None = None, tag: str | None = None) -> JobProfile:
        """The duration, reads, writes and SQL of one refresh, by its id, its table, or its tag in Spark."""
        return profile(self.site, job_id, table=parse_name(table) if table is not None else None, tag=tag)

    def tick(self) -> Tick:
        """One pass of the scheduler."""
        self._transactions.refuse("tick()")
        served = None if self.served is None else tuple(each.name for each in self.served)
        compute = self.compute
        stopping = compute.cancellation
        return interruptible(
            stopping, lambda: tick(Refresher(self.site, compute), served, stopping=lambda: stopping.requested)
        )

    def maintain(
        self, *names: str, dry_run: bool = False, only: Sequence[str] | None = None, rules: Rules | None = None
    ) -> tuple[StepResult, ...]:
        """Run maintenance: history, compact, expire, cleanup, orphans; with names, only compact these tables."""
        self._transactions.refuse("maintain()")
        # Imported here because it loads Arrow, which commands that only read metadata don't need.
        from headwater.maintain.steps import maintain

        compactor, cancellation = table_compactor(self.site, self.warehouses), Cancellation()
        work = partial(maintain, compactor, names, only=only, dry_run=dry_run, rules=rules)
        return interruptible(cancellation, lambda: work(stopped=lambda: cancellation.requested))

    def adopt(self, *, restored: bool = False, take_over: bool = False, copy_data: str | None = None) -> Adoption:
        """Make catalog and data folder name each other again, after the lake was copied, moved or restored.

        `restored`: a backup was restored on purpose. `take_over`: the catalog that the data folder names is gone. `copy_data`:
        a new folder for this lake's own copy of the files.
        """
        self.site, adoption = carry_out(
            self.site, plan_adoption(self.site, AdoptOptions(restored, take_over, copy_data))
        )
        self._end_duckdb()
        return adoption

    @contextmanager
    def watched(self, watch: Watch) -> Iterator[None]:
        """While the block runs, call `watch` with progress events of refreshes, from any thread."""
        self._watchers = (*self._watchers, watch)
        try:
            yield
        finally:
            self._watchers = tuple(each for each in self._watchers if each is not watch)

    # Descriptions of tables

    def describe(self, name: str, snapshot: int | None = None) -> TableAt:
        """The description of the table at a snapshot, for reading."""
        return rows.describe(self.site, name, snapshot)

    def describe_for_writing(
        self, name: str, *, keeps_row_ids: bool = False
    ) -> tuple[TableAt, WriteTarget, tuple[SortKey, ...]]:
        """The table at the newest snapshot, how its files are written, and the columns that they are sorted by."""
        return rows.describe_for_writing(self.site, name, keeps_row_ids=keeps_row_ids)

    def describe_changes(self, name: str, start: int, end: int | None = None) -> TableChanges:
        """Where the changes of a table in (start, end] are."""
        return rows.describe_changes(self.site, name, start, end)

    def commit(self, wanted: Commit) -> Committed:
        """Commit operations; see `headwater.commit`."""
        self._transactions.refuse("commit()")
        return commit(self.site, wanted)

    def close(self) -> None:
        """End the DuckDB process and close the connections. The Spark session belongs to the process and stays open."""
        self._transactions.close()
        self._end_duckdb()
        self.database.close()

    def _end_duckdb(self) -> None:
        if self._duckdb is not None:
            self._duckdb.close()
            self._duckdb = None

    def _start_duckdb(self) -> DuckDBProcess:
        """The DuckDB process of `sql`, started on first use."""
        if self._duckdb is None:
            self._duckdb = self._new_duckdb()
        return self._duckdb

    def _new_duckdb(self) -> DuckDBProcess:
        return DuckDBProcess(self.database.url, self.data_path)

    def _tell(self, event: ProgressEvent) -> None:
        for watch in self._watchers:
            watch(event)


def _to_explain(what: str) -> ObjectName | CreateDynamicTable:
    """A name, or the one CREATE DYNAMIC TABLE of a script."""
    try:
        return parse_name(what)
    except SqlSyntaxError:
        if all(statement.verb != "CREATE" for statement in split(what)):
            raise
    statements = parse(what)
    if len(statements) != 1 or not isinstance(statements[0], CreateDynamicTable):
        raise InvalidRequest("only CREATE DYNAMIC TABLE can be explained", hint="Pass one such statement.")
    return statements[0]
