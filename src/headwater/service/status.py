"""The status of dynamic tables and their history."""

from __future__ import annotations

from headwater.core.refresh_record import RefreshRecord
from headwater.core.table_status import TableStatus
from headwater.lake.site import Site
from headwater.refresh.current_sources import current_sources
from headwater.refresh.find import find_dynamic
from headwater.registry import history, install, workers
from headwater.sql.statements import ObjectName
from headwater.worker.table_states import load_table_inputs
from headwater.worker.table_statuses import table_statuses


def status(site: Site) -> tuple[TableStatus, ...]:
    """All dynamic tables, by schema and name."""
    now = site.clock.now()
    with site.reader() as reader:
        _, inputs = load_table_inputs(reader)
        if not inputs:
            return ()
        return table_statuses(
            inputs,
            now,
            workers.living(reader.connection, site.database.kind),
            last=history.last(reader.connection),
            times={snapshot.id: snapshot.time for snapshot in reader.snapshots()},
            sources=current_sources(reader, [each.table for each in inputs]),
        )


def load_history(site: Site, name: ObjectName | None = None, limit: int | None = None) -> tuple[RefreshRecord, ...]:
    """Refreshes, newest first."""
    with site.reader() as reader:
        if not install.is_installed(reader.connection):
            return ()
        ids = [find_dynamic(reader, name).id] if name else None
        return history.load(reader.connection, ids, limit)
