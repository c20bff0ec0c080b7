"""The history row of one refresh, from SETUP to its end, and the requests that it answers."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from headwater.core.cancellation import cancelled_by_caller
from headwater.core.crash import crash_point
from headwater.core.errors import HeadwaterError, LeaseLost, StoreError
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshStats, RefreshTrigger
from headwater.delta.refresh_plan import RefreshPlan
from headwater.lake.site import Site
from headwater.registry import definitions, history, refresh_sql, requests
from headwater.registry.definitions import DynamicTable


class RefreshLog:
    """Writes the record of one refresh, which answers the requests with these ids and should end by `completion_target`."""

    def __init__(
        self,
        site: Site,
        trigger: RefreshTrigger,
        request_ids: frozenset[str] = frozenset(),
        started_at: datetime | None = None,
        completion_target: datetime | None = None,
    ) -> None:
        self._completion_target = completion_target
        self._database = site.database
        self._clock = site.clock
        self._trigger = trigger
        self._request_ids = request_ids
        self.begin(started_at)

    def begin(self, started_at: datetime | None = None) -> None:
        """Start a new record."""
        self.id = str(uuid.uuid4())
        self.stats = RefreshStats()
        self._started_at = started_at or self._clock.now()
        self._announced = False
        self._state = RefreshState.SETUP
        self._target_snapshot: int | None = None
        self.plan_id: str | None = None

    def measure(self, **values: float | None) -> None:
        """Add measured values to the stats."""
        self.stats = self.stats.with_measured(**values)

    def record(self, table: DynamicTable, state: RefreshState, **facts: object) -> RefreshRecord:
        """The record of this refresh if it ends now."""
        return RefreshRecord(
            id=self.id,
            table_id=table.id,
            name=table.name,
            warehouse=table.warehouse,
            state=state,
            trigger=self._trigger,
            started_at=self._started_at,
            ended_at=self._clock.now(),
            suspended_reason=table.suspension.reason if table.suspension else None,
            sources=tuple(source.name for source in table.sources),
            stats=self.stats,
            completion_target=self._completion_target,
            plan_id=self.plan_id,
            **facts,  # type: ignore[arg-type]
        )

    def ended(self, record: RefreshRecord, lake_snapshot: int) -> RefreshRecord:
        """The record with the commit's snapshot, and with the time and the stats of its end."""
        return replace(record, lake_snapshot=lake_snapshot, ended_at=self._clock.now(), stats=self.stats)

    def announce(self, table: DynamicTable, plan: RefreshPlan, snapshot: int, sql: str | None = None) -> None:
        """Record that the refresh is set up, and its SQL.

        While its lease is held, its data snapshot is not expired.
        """
        plan_id = refresh_sql.plan_id(sql) if sql else None
        if self._announced and (snapshot, plan_id) == (self._target_snapshot, self.plan_id):
            return
        self.plan_id = plan_id
        begun = self.record(table, RefreshState.SETUP, action=plan.action, reason=plan.reason, data_snapshot=snapshot)
        begun = replace(begun, ended_at=None)
        stored_sql = [refresh_sql.store_sql_stmt(sql, self._database.kind)] if sql else []
        statement = history.finish_if_unfinished_stmt(begun) if self._announced else history.insert_stmt(begun)
        self._database.execute(*stored_sql, statement)
        self._announced, self._target_snapshot = True, snapshot
        self._state = RefreshState.SETUP
        crash_point("announced")

    def enter(self, state: RefreshState) -> None:
        """Show others the state of the refresh, once it is announced; without the database, it goes on."""
        if not self._announced or state is self._state:
            return
        self._state = state
        with suppress(HeadwaterError):
            self._database.execute(history.enter_stmt(self.id, state))
        crash_point("state-entered")

    def skipped(self, table: DynamicTable, state: RefreshState, reason: str) -> RefreshRecord:
        """Record that the refresh did not run, and why."""
        record = self.record(table, state, reason=reason)
        self._database.execute(self._finish_or_insert_stmt(record), *self.answer_stmts(self.id))
        return record

    def record_no_data(self, connection: sa.Connection, record: RefreshRecord) -> str:
        """Record that there was nothing to do; returns the id of the row."""
        if not self._announced:
            return history.record_idle(connection, record)
        connection.execute(self._finish_or_insert_stmt(record))
        return self.id

    def find_committed(self, connection: sa.Connection, table: DynamicTable) -> RefreshRecord | None:
        """The record of a previous attempt that was committed; refuses to continue if another process took over."""
        found = history.find(connection, self.id) if self._announced else None
        if found is None or found.unfinished:
            return None
        if not found.succeeded:
            raise LeaseLost(
                "the lease of this table had expired, and another process has ended this refresh",
                hint="Wait for the process that holds the lease, or refresh again.",
            )
        return replace(found, name=table.name)

    def lease_lost(self, table: DynamicTable, lost: LeaseLost) -> RefreshRecord:
        """Leave the table and the requests to the process that holds the lease now."""
        record = self.record(table, RefreshState.SKIPPED, reason=lost.message)
        with suppress(StoreError):
            self._database.execute(history.finish_if_unfinished_stmt(record))
        return record

    def cancelled(self, table: DynamicTable, error: HeadwaterError) -> RefreshRecord:
        """Record that a user cancelled the refresh, and answer the requests."""
        return self._unsuccessful(table, self.record(table, RefreshState.CANCELLED, error=error))

    def interrupted(self, table: DynamicTable) -> None:
        """Record that the caller cancelled the refresh, before the work itself has ended."""
        if self._announced:
            record = self.record(table, RefreshState.CANCELLED, error=cancelled_by_caller())
            with suppress(StoreError):
                self._database.execute(history.finish_if_unfinished_stmt(record))

    def failed(self, table: DynamicTable, error: HeadwaterError) -> RefreshRecord:
        """Record the failure, unless the refresh was committed after all: its row says so."""
        return self._unsuccessful(table, self.record(table, RefreshState.FAILED, error=error))

    def _unsuccessful(self, table: DynamicTable, record: RefreshRecord) -> RefreshRecord:
        with suppress(StoreError):
            self._database.execute(self._finish_or_insert_stmt(record), *self.answer_stmts(self.id))
            crash_point("failure-recorded")
            with self._database.read() as connection:
                found = history.find(connection, self.id)
            if found and found.succeeded:
                return replace(found, name=table.name)
        return record

    def _finish_or_insert_stmt(self, record: RefreshRecord) -> sa.Executable:
        """The statement that writes the record, unless its row has ended already."""
        return history.finish_if_unfinished_stmt(record) if self._announced else history.insert_stmt(record)

    def success_stmts(self, table: DynamicTable, refresh_id: str | None = None) -> Iterable[sa.Executable]:
        """The statements that every successful refresh needs."""
        if table.failures or table.retry_at:
            yield definitions.count_failure_stmt(table.id, 0, None)
        yield from self.answer_stmts(refresh_id or self.id)

    def answer_stmts(self, refresh_id: str) -> Iterable[sa.Executable]:
        """The statements that answer the requests, if there are any."""
        if self._request_ids:
            yield requests.answer_stmt(self._request_ids, self._clock.now(), refresh_id)
