"""What there is to see of dynamic tables: DESC, SHOW, status, history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.core.warehouse import DEFAULT
from headwater.lake.names import CATALOG, resolve_schema
from headwater.lake.site import Site
from headwater.refresh.outcome import RefreshOutcome
from headwater.registry import history, install, workers
from headwater.registry.definitions import Awaited, written
from headwater.registry.history import Refresh
from headwater.registry.workers import Worker
from headwater.schedule.due import waiting
from headwater.schedule.lag import effective_lag, lags
from headwater.service.condition import matcher
from headwater.service.find import find_dynamic
from headwater.service.result import Result
from headwater.service.states import Observed, observe
from headwater.sql.dynamic_statements import ShowRefreshHistory
from headwater.sql.statements import ObjectName, SchemaName


@dataclass(frozen=True, slots=True)
class TableStatus:
    """A dynamic table at a glance; lags in seconds."""

    name: TableName
    state: str
    freshness: str
    lag: float
    target_lag: float | None
    refresh_mode: str
    data_snapshot: int | None
    data_time: datetime | None
    last_action: str | None
    last_state: str | None
    last_refresh: datetime | None
    last_error: str | None
    suspended_reason: str | None
    sources: tuple[TableName, ...]
    warehouse: str = DEFAULT
    # Why nobody refreshes it on schedule, though it is not suspended.
    waiting_reason: str | None = None
    # The tables that it comes after by AFTER, those that the lake still has.
    after: tuple[TableName, ...] = ()

    @property
    def late(self) -> bool:
        """Whether the lag has passed its target."""
        return self.target_lag is not None and self.lag > self.target_lag


STATUS = (
    "schema_name",
    "name",
    "state",
    "freshness",
    "lag",
    "target_lag",
    "refresh_mode",
    "data_snapshot",
    "last_action",
    "last_state",
    "last_refresh",
    "suspended_reason",
    "waiting_reason",
)
HISTORY = (
    "workspace_name",
    "schema_name",
    "name",
    "virtual_cluster",
    "start_time",
    "end_time",
    "duration",
    "state",
    "refresh_trigger",
    "suspended_reason",
    "refresh_mode",
    "error_message",
    "source_tables",
    "stats",
    "completion_target",
    "job_id",
)


def status(site: Site) -> tuple[TableStatus, ...]:
    """All dynamic tables, by schema and name."""
    now = site.clock.now()
    with site.reader() as reader:
        _, observed = observe(reader)
        times = {snapshot.id: snapshot.time for snapshot in reader.snapshots()} if observed else {}
        last = history.last(reader.connection) if observed else {}
        living = workers.living(reader.connection, site.database.kind) if observed else ()
    states = [each.state for each in observed]
    targets, behind, waits = effective_lag(states), lags(states, now), waiting(states, now)
    return tuple(
        _status(
            each,
            last.get(each.table.id),
            behind[each.table.id],
            targets.get(each.table.id),
            times,
            _unserved(each, living) or waits.get(each.table.id),
        )
        for each in observed
    )


def show_tables(site: Site, like: str | None, schema: SchemaName | None) -> Result:
    """SHOW DYNAMIC TABLES."""
    wanted = resolve_schema(schema).casefold() if schema else None
    rows = [
        _status_row(each)
        for each in status(site)
        if (wanted is None or each.name.schema.casefold() == wanted) and (like is None or _like(each.name.name, like))
    ]
    return Result(STATUS, tuple(rows))


def describe(site: Site, name: ObjectName) -> Result:
    """DESC DYNAMIC TABLE: its columns, then its properties."""
    with site.reader() as reader:
        table = find_dynamic(reader, name)
        at = reader.latest().id
        schema = reader.schema(reader.find_table(table.name, at), at)
    seen = next(each for each in status(site) if each.name == table.name)
    comments = {output.name.casefold(): output.comment for output in table.statement.columns}
    rows: list[tuple[str, str, str | None]] = [
        (column.name, column.type_text(), comments.get(column.name.casefold())) for column in schema
    ]
    rows.append(("", "", None))
    facts: dict[str, Any] = dict(zip(STATUS, _status_row(seen), strict=True)) | {
        "warehouse": seen.warehouse,
        "sources": ", ".join(map(str, seen.sources)),
        **({"after": ", ".join(map(_awaited, table.after))} if table.after else {}),
        "definition_version": table.version,
        "created_at": table.created_at.isoformat(),
        "query": table.statement.query,
    }
    rows += [(f"# {key}", "" if value is None else str(value), None) for key, value in facts.items()]
    return Result(("column_name", "data_type", "comment"), tuple(rows))


def show_create(site: Site, name: ObjectName) -> Result:
    """SHOW CREATE DYNAMIC TABLE: the definition under the table's present name."""
    with site.reader() as reader:
        table = find_dynamic(reader, name)
    name = ObjectName(table.name.name, table.name.schema)
    statement = replace(table.statement, name=name, or_replace=False, or_alter=False, if_not_exists=False)
    return Result(("statement",), ((written(statement)[0],),))


def load_history(site: Site, name: ObjectName | None = None, limit: int | None = None) -> tuple[Refresh, ...]:
    """Refreshes, newest first."""
    with site.reader() as reader:
        if not install.is_installed(reader.connection):
            return ()
        ids = [find_dynamic(reader, name).id] if name else None
        return history.load(reader.connection, ids, limit)


def show_history(site: Site, statement: ShowRefreshHistory) -> Result:
    """SHOW DYNAMIC TABLE REFRESH HISTORY."""
    rows = [history_row(refresh) for refresh in load_history(site, statement.table)]
    if statement.where is not None:
        holds = matcher(statement.where, HISTORY)
        rows = [row for row in rows if holds(dict(zip(HISTORY, row, strict=True)))]
    return Result(HISTORY, tuple(rows[: statement.limit]))


def outcomes(found: Iterable[RefreshOutcome]) -> Result:
    """What refreshes did, one a row."""
    columns = ("name", "state", "action", "reason", "rows_inserted", "rows_deleted", "data_snapshot", "seconds")
    return Result(
        columns,
        tuple(
            (
                str(o.name),
                o.state,
                o.action,
                o.reason or (o.error.message.splitlines()[0] if o.error else None),
                o.rows_inserted,
                o.rows_deleted,
                o.data_snapshot,
                round(o.seconds, 3),
            )
            for o in found
        ),
    )


def history_row(refresh: Refresh) -> tuple[Any, ...]:
    """A refresh in the words of FEATURES A6."""
    stats: dict[str, float] = {"rows_inserted": refresh.rows_inserted or 0, "rows_deleted": refresh.rows_deleted or 0}
    if refresh.runs > 1:
        stats["runs"] = refresh.runs
    stats |= refresh.profile
    unchanged = refresh.profile.get("rows_unchanged")
    if unchanged is not None and (computed := unchanged + stats["rows_inserted"]):
        stats["deduplication_ratio"] = round(unchanged / computed, 4)
    sources = [{"workspace": CATALOG, "schema": s.schema, "table_name": s.name} for s in refresh.sources]
    return (
        CATALOG,
        refresh.name.schema,
        refresh.name.name,
        refresh.warehouse.upper(),
        refresh.started_at,
        refresh.ended_at,
        refresh.took,
        refresh.state,
        refresh.trigger,
        refresh.suspended_reason,
        refresh.action,
        refresh.error,
        json.dumps(sources),
        json.dumps(stats),
        refresh.completion_target,
        refresh.id,
    )


def freshness_text(freshness: Freshness) -> str:
    """How fresh, in few words."""
    match freshness:
        case TargetLag():
            return f"target lag {_span(freshness.seconds)}"
        case Downstream():
            return "downstream"
        case Interval():
            return f"every {_span(freshness.seconds)}"
        case Cron():
            return f"cron {freshness.expression}"
        case OnDemand():
            return "on demand"


def _status(
    each: Observed,
    last: Refresh | None,
    lag: float,
    target: float | None,
    times: dict[int, datetime],
    waits: str | None,
) -> TableStatus:
    table = each.table
    snapshot = each.frontier.snapshot if each.frontier else None
    state = "SUSPENDED" if table.suspension else "ACTIVE" if each.frontier else "NOT INITIALIZED"
    return TableStatus(
        name=table.name,
        state=state,
        freshness=freshness_text(table.freshness),
        lag=lag,
        target_lag=target,
        refresh_mode=table.statement.properties.refresh_mode or "AUTO",
        data_snapshot=snapshot,
        data_time=times.get(snapshot) if snapshot is not None else None,
        last_action=last.action if last else None,
        last_state=last.state if last else None,
        last_refresh=(last.ended_at or last.started_at) if last else None,
        last_error=last.error if last else None,
        suspended_reason=table.suspension.reason if table.suspension else None,
        sources=tuple(source.name for source in table.sources),
        warehouse=table.warehouse,
        waiting_reason=waits,
        after=tuple(awaited.name for awaited in table.after if not awaited.gone),
    )


def _unserved(each: Observed, living: Sequence[Worker]) -> str | None:
    """Says so where workers live, or are expected to, but none for the table's warehouse."""
    warehouse = each.table.warehouse
    expected = bool(living) or warehouse != DEFAULT
    if not expected or each.table.suspension or any(worker.serves(warehouse) for worker in living):
        return None
    return f'no living worker serves warehouse "{warehouse}"'


def _awaited(each: Awaited) -> str:
    return f"{each.name} (dropped, not waited for)" if each.gone else str(each.name)


def _status_row(each: TableStatus) -> tuple[Any, ...]:
    return (
        each.name.schema,
        each.name.name,
        each.state,
        each.freshness,
        timedelta(seconds=round(each.lag)),
        None if each.target_lag is None else timedelta(seconds=round(each.target_lag)),
        each.refresh_mode,
        each.data_snapshot,
        each.last_action,
        each.last_state,
        each.last_refresh,
        each.suspended_reason,
        each.waiting_reason,
    )


def _span(seconds: int) -> str:
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds % length == 0:
            return f"{seconds // length} {unit}" + ("s" if seconds > length else "")
    return f"{seconds} s"


def _like(name: str, pattern: str) -> bool:
    """SQL's LIKE, without regard to case."""
    shell = "".join({"%": "*", "_": "?"}.get(c, f"[{c}]" if c in "*?[" else c) for c in pattern.lower())
    return fnmatchcase(name.lower(), shell)
