"""Copy a lake's SQLite catalog to PostgreSQL; its data files stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from headwater.core.errors import CopyFailed, InvalidRequest, RefreshRunning
from headwater.core.names import TableName
from headwater.lake.binding import LakeGate
from headwater.lake.copy_catalog import CopiedTable, copy_lake, copy_rows, is_copy, lake_tables
from headwater.lake.moved_catalog import mark_moved, refuse_moved
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.refresh.find import all_tables
from headwater.refresh.recover import recover
from headwater.registry import frontiers, install, leases, tables, workers
from headwater.store.database import Database, LostRace, OutcomeUnknown, has_table
from headwater.store.migrate import VERSION_TABLE


@dataclass(frozen=True, slots=True)
class CatalogCopy:
    """What was copied, or would be: the tables, and the data snapshot from which each dynamic table goes on."""

    address: str
    tables: tuple[CopiedTable, ...]
    dynamic_tables: tuple[tuple[TableName, int | None], ...]


def copy_catalog(site: Site, address: sa.URL, *, dry_run: bool = False) -> CatalogCopy:
    """Copy all tables in one transaction, compare them, and let nothing change the old catalog afterwards."""
    if site.database.kind != "sqlite" or address.get_backend_name() != "postgresql":
        raise InvalidRequest(
            "only a SQLite catalog can be copied, and only to PostgreSQL",
            detail=f"The lake's catalog is {site.database.display_url}.",
            hint="Use --to postgresql://user@host/database, and pg_dump to copy a PostgreSQL database.",
        )
    target = Database(address)
    try:
        return _preview(site, target) if dry_run else _copy(site, target)
    finally:
        target.close()


def _preview(site: Site, target: Database) -> CatalogCopy:
    with site.reader() as reader, target.read() as there:
        _check(reader.connection, there, target)
        return CatalogCopy(target.display_url, _counted(reader.connection), _dynamic_tables(reader))


def _counted(here: sa.Connection) -> tuple[CopiedTable, ...]:
    names = sorted(lake_tables(here) - {tables.worker.name, VERSION_TABLE})
    count = sa.select(sa.func.count())
    return tuple(CopiedTable(name, here.execute(count.select_from(sa.table(name))).scalar_one()) for name in names)


def _copy(site: Site, target: Database) -> CatalogCopy:
    with site.reader() as reader, target.read() as there:
        refuse_moved(reader.connection)
        installed = install.is_installed(reader.connection)
        interrupted = is_copy(reader.connection, there)
    # After a copy that was interrupted between its two commits, the data folder names the new catalog.
    if not interrupted:
        site.database.admit()
        if installed:
            recover(site.database, site.clock.now())

    def work(here: sa.Connection) -> CatalogCopy:
        # Both transactions are open until all is compared: nobody changes the old catalog, and nobody sees half a copy.
        found = _written(target, lambda there: _copy_tables(site, here, there, target))
        mark_moved(here, lake_tables(here), target.display_url.strip('"'))
        return found

    return _written(site.database, work)


def _written(database: Database, work: Callable[[sa.Connection], CatalogCopy]) -> CatalogCopy:
    try:
        return database.write_ungated(work)
    except (LostRace, OutcomeUnknown) as error:
        raise CopyFailed(
            f"the copy could not be committed to {database.display_url}",
            detail="Another program wrote to the database, or the connection was lost during the commit.",
            hint="Make sure that nothing else uses the new database, and run the command again.",
        ) from error


def _copy_tables(site: Site, here: sa.Connection, there: sa.Connection, target: Database) -> CatalogCopy:
    _check(here, there, target)
    if lake_tables(there):
        # An earlier run ended between its two commits.
        return CatalogCopy(target.display_url, _counted(here), _dynamic_tables(LakeReader(here, site.data_path)))
    copied = [*copy_lake(here, there)]
    if has_table(here, tables.dynamic_table.name):
        copied += _copy_registry(here, there)
    # From here on the data folder names the new catalog.
    LakeGate(target, site.data_path).bind(there)
    return CatalogCopy(target.display_url, tuple(copied), _dynamic_tables(LakeReader(here, site.data_path)))


def _copy_registry(here: sa.Connection, there: sa.Connection) -> Iterator[CopiedTable]:
    """Our tables but those of workers, which have ended."""
    install.install_in(there)
    for table in tables.metadata.sorted_tables:
        if table is not tables.worker:
            yield copy_rows(here, there, table)


def _check(here: sa.Connection, there: sa.Connection, target: Database) -> None:
    """Refuse to copy under running work, or into a database that has a lake."""
    refuse_moved(here)
    if (used := sorted(lake_tables(there))) and not is_copy(here, there):
        raise CopyFailed(
            f"the database {target.display_url} is not empty",
            detail=f'It has the table "{used[0]}" and {len(used) - 1} more of a lake.',
            hint="Create another database for the copy.",
        )
    if not has_table(here, tables.dynamic_table.name):
        return
    install.is_installed(here)
    if alive := workers.living(here, "sqlite"):
        raise CopyFailed(f"worker {alive[0].process} serves this lake", hint="Stop all workers, then copy the catalog.")
    left = {each.table_id for each in leases.abandoned(here, "sqlite")}
    if held := {id: by for id, by in leases.holders(here, "sqlite").items() if id not in left}:
        raise RefreshRunning(
            f"process {next(iter(held.values()))} refreshes a table or maintains the lake",
            hint="Wait until it ends, then copy the catalog.",
        )


def _dynamic_tables(reader: LakeReader) -> tuple[tuple[TableName, int | None], ...]:
    held = frontiers.load(reader.connection) if install.is_installed(reader.connection) else {}
    return tuple((table.name, held[table.id].snapshot if table.id in held else None) for table in all_tables(reader))
