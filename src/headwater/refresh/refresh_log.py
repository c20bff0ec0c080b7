"""What one refresh writes down about itself: its row in the history, from RUNNING to how it ended, and whom it answers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.core.errors import HeadwaterError, LeaseLost, StoreError
from headwater.delta.refresh_plan import RefreshPlan
from headwater.lake.site import Site
from headwater.refresh.outcome import RefreshOutcome, outcome_from_history
from headwater.registry import definitions, history, refresh_sql, requests
from headwater.registry.definitions import DynamicTable
from headwater.registry.history import Refresh


class RefreshLog:
    """The rows of one refresh, known by its id; `profile` is what it cost so far."""

    def __init__(self, site: Site, trigger: str, asked: frozenset[str]) -> None:
        self._database = site.database
        self._clock = site.clock
        self._trigger = trigger
        self._asked = asked
        self._began = time.perf_counter()
        self.profile: dict[str, float] = {}
        self.begin()

    def begin(self) -> None:
        """Be another refresh from now on, which nobody has heard of yet."""
        self.id = str(uuid.uuid4())
        self._started_at = self._clock.now()
        self._announced = False
        self._aims_at: int | None = None
        self._plan_id: str | None = None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def announce(self, table: DynamicTable, plan: RefreshPlan, snapshot: int, sql: str | None = None) -> None:
        """Show that the refresh runs, and by which SQL.

        While its lease is held, the data snapshot that it aims at is not expired.
        """
        plan_id = refresh_sql.plan_id(sql) if sql else None
        if self._announced and (snapshot, plan_id) == (self._aims_at, self._plan_id):
            return
        self._plan_id = plan_id
        running = self.outcome(table, history.RUNNING, action=plan.action, reason=plan.reason, data_snapshot=snapshot)
        row = replace(self.row(table, running), ended_at=None)
        stored_sql = [refresh_sql.store_sql_stmt(sql, self._database.kind)] if sql else []
        statement = history.finish_if_running_stmt(row) if self._announced else history.insert_stmt(row)
        self._database.execute(*stored_sql, statement)
        self._announced, self._aims_at = True, snapshot
        crash_point("announced")

    def skipped(self, table: DynamicTable, state: str, reason: str) -> RefreshOutcome:
        """Say that it did not come to pass, and why."""
        outcome = self.outcome(table, state, reason=reason)
        self._database.execute(self._finish_or_insert_stmt(self.row(table, outcome)), *self.answer_stmts(self.id))
        return outcome

    def record_no_data(self, connection: sa.Connection, row: Refresh) -> str:
        """Note that there was nothing to do; the id of the row that says so."""
        if not self._announced:
            return history.record_idle(connection, row)
        connection.execute(self._finish_or_insert_stmt(row))
        return self.id

    def find_committed(self, table: DynamicTable) -> RefreshOutcome | None:
        """How an attempt before this one ended, if its commit landed after all; refuses to go on where another took over."""
        if not self._announced:
            return None
        with self._database.read() as connection:
            found = history.find(connection, self.id)
        if found is None or found.state == history.RUNNING:
            return None
        if found.state != history.SUCCEED:
            raise LeaseLost(
                "the lease of this table had expired, and another process has ended this refresh",
                hint="Wait for the process that holds the lease, or refresh again.",
            )
        return outcome_from_history(found, table.name)

    def lease_lost(self, table: DynamicTable, lost: LeaseLost) -> RefreshOutcome:
        """Leave the table, and whom it answers, to the one who holds its lease now."""
        outcome = self.outcome(table, history.SKIPPED, reason=lost.message)
        with suppress(StoreError):
            self._database.execute(history.finish_if_running_stmt(self.row(table, outcome)))
        return outcome

    def cancelled(self, table: DynamicTable, error: HeadwaterError) -> RefreshOutcome:
        """Say that a person ended it; who asked for it is answered."""
        return self._ended_by(table, self.outcome(table, history.CANCELLED, error=error))

    def failed(self, table: DynamicTable, error: HeadwaterError) -> RefreshOutcome:
        """Say so in the history, unless the commit landed after all: then its row, in the same transaction, says that."""
        return self._ended_by(table, self.outcome(table, history.FAILED, error=error))

    def _ended_by(self, table: DynamicTable, outcome: RefreshOutcome) -> RefreshOutcome:
        with suppress(StoreError):
            self._database.execute(self._finish_or_insert_stmt(self.row(table, outcome)), *self.answer_stmts(self.id))
            crash_point("failure-recorded")
            with self._database.read() as connection:
                found = history.find(connection, self.id)
            if found and found.state == history.SUCCEED:
                return outcome_from_history(found, table.name)
        return outcome

    def _finish_or_insert_stmt(self, row: Refresh) -> sa.Executable:
        """The statement that says how it ended, unless the row that it was announced by says that it is over already."""
        return history.finish_if_running_stmt(row) if self._announced else history.insert_stmt(row)

    def success_stmts(self, table: DynamicTable, refresh_id: str | None = None) -> Iterable[sa.Executable]:
        """What goes with every refresh that succeeded."""
        if table.failures or table.retry_at:
            yield definitions.count_failure_stmt(table.id, 0, None)
        yield from self.answer_stmts(refresh_id or self.id)

    def answer_stmts(self, refresh_id: str) -> Iterable[sa.Executable]:
        """Close the requests for the sake of which it ran, if any."""
        if self._asked:
            yield requests.answer_stmt(self._asked, self._clock.now(), refresh_id)

    def finish_stmt(self, table: DynamicTable, outcome: RefreshOutcome) -> sa.Executable:
        """The statement that says how it ended."""
        return history.finish_stmt(self.row(table, outcome))

    def row(self, table: DynamicTable, outcome: RefreshOutcome) -> Refresh:
        return Refresh(
            id=self.id,
            table_id=table.id,
            name=table.name,
            warehouse=table.warehouse,
            state=outcome.state,
            trigger=self._trigger,
            started_at=self._started_at,
            ended_at=self._clock.now(),
            action=outcome.action,
            strategy=outcome.strategy,
            reason=outcome.reason,
            error=str(outcome.error) if outcome.error else None,
            suspended_reason=table.suspension.reason if table.suspension else None,
            sources=tuple(source.name for source in table.sources),
            rows_inserted=outcome.rows_inserted,
            rows_deleted=outcome.rows_deleted,
            data_snapshot=outcome.data_snapshot,
            lake_snapshot=outcome.lake_snapshot,
            profile=self.profile,
            plan_id=self._plan_id,
        )

    def outcome(self, table: DynamicTable, state: str, **rest: object) -> RefreshOutcome:
        return RefreshOutcome(
            table.id,
            table.name,
            state,
            refresh_id=self.id,
            seconds=self.seconds,
            trigger=self._trigger,
            warehouse=table.warehouse,
            profile=self.profile,
            **rest,  # type: ignore[arg-type]
        )
