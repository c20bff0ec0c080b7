"""Remove Headwater's tables from a catalog; a plain DuckLake remains."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.core.errors import InvalidRequest
from headwater.lake.binding import forget_binding
from headwater.lake.marker import remove_marker
from headwater.lake.site import Site
from headwater.registry import tables, workers

PREFIX = "headwater_"


def our_tables(site: Site) -> tuple[str, ...]:
    """The tables that `uninstall` would drop."""
    with site.reader() as reader:
        return _ours(reader.connection)


def uninstall(site: Site) -> tuple[str, ...]:
    """Drop the registry of any revision; dynamic tables stay as plain tables. Returns the dropped tables."""

    def work(connection: sa.Connection) -> tuple[str, ...]:
        names = _ours(connection)
        if tables.worker.name in names and (alive := workers.living(connection, site.database.kind)):
            raise InvalidRequest(f"worker {alive[0].process} serves this lake", hint="Stop all workers first.")
        for name in names:
            sa.Table(name, sa.MetaData()).drop(connection)
        forget_binding(connection)
        return names

    names = site.database.write(work)
    if "://" not in site.data_path:
        remove_marker(site.data_path)
    return names


def _ours(connection: sa.Connection) -> tuple[str, ...]:
    return tuple(sorted(name for name in sa.inspect(connection).get_table_names() if name.startswith(PREFIX)))
