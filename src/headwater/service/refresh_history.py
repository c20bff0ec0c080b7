"""The history of refreshes."""

from __future__ import annotations

import json
from typing import Any

from headwater.core.refresh_record import RefreshRecord
from headwater.lake.resolve_names import CATALOG
from headwater.lake.site import Site
from headwater.refresh.find import find_dynamic
from headwater.registry import history, install
from headwater.sql.statements import ObjectName

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
    "reason",
)


def load_history(site: Site, name: ObjectName | None = None, limit: int | None = None) -> tuple[RefreshRecord, ...]:
    """Refreshes, newest first."""
    with site.reader() as reader:
        if not install.is_installed(reader.connection):
            return ()
        ids = [find_dynamic(reader, name).id] if name else None
        return history.load(reader.connection, ids, limit)


def history_row(refresh: RefreshRecord) -> tuple[Any, ...]:
    """A refresh under the column names of SHOW."""
    stats: dict[str, float] = {"rows_inserted": refresh.rows_inserted, "rows_deleted": refresh.rows_deleted}
    if refresh.runs > 1:
        stats["runs"] = refresh.runs
    stats |= refresh.stats.measured()
    if (ratio := refresh.deduplication_ratio) is not None:
        stats["deduplication_ratio"] = round(ratio, 4)
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
        None if refresh.error is None else str(refresh.error),
        json.dumps(sources),
        json.dumps(stats),
        refresh.completion_target,
        refresh.id,
        refresh.reason,
    )
