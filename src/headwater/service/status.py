"""The status of dynamic tables."""

from __future__ import annotations

from headwater.core.table_status import TableStatus
from headwater.lake.site import Site
from headwater.refresh.current_sources import current_sources
from headwater.registry import history, leases, workers
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
            leased=leases.holders(reader.connection, site.database.kind),
            times={snapshot.id: snapshot.time for snapshot in reader.snapshots()},
            sources=current_sources(reader, [each.table for each in inputs]),
        )
