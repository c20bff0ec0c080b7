"""Take Headwater's own tables out of a catalog; what is left is a plain DuckLake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from headwater.core.errors import InvalidRequest
from headwater.registry import tables, workers

if TYPE_CHECKING:
    from headwater.service.lake import Lake

PREFIX = "headwater_"


def our_tables(lake: Lake) -> tuple[str, ...]:
    """The tables that `uninstall` would drop."""
    with lake.reader() as reader:
        return _ours(reader.connection)


def uninstall(lake: Lake) -> tuple[str, ...]:
    """Drop the registry, whatever its revision; dynamic tables stay as ordinary tables. The tables that are gone."""

    def work(connection: sa.Connection) -> tuple[str, ...]:
        names = _ours(connection)
        if tables.worker.name in names and (alive := workers.living(connection, lake.database.kind)):
            raise InvalidRequest(
                f"worker {alive[0].host}:{alive[0].pid} serves this lake", hint="Stop all workers first."
            )
        for name in names:
            sa.Table(name, sa.MetaData()).drop(connection)
        return names

    return lake.database.write(work)


def _ours(connection: sa.Connection) -> tuple[str, ...]:
    return tuple(sorted(name for name in sa.inspect(connection).get_table_names() if name.startswith(PREFIX)))
