"""Schema versions of Headwater's tables, with Alembic."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from headwater.core.errors import RegistryVersionRefused
from headwater.store.database import Database, has_table

VERSION_TABLE = "headwater_schema_version"
_REVISION = sa.text(f"SELECT version_num FROM {VERSION_TABLE}")


def installed(connection: sa.Connection) -> str | None:
    """The revision of the database; None if it has none of Headwater's tables."""
    if not has_table(connection, VERSION_TABLE):
        return None
    return str(connection.execute(_REVISION).scalar_one())


def migrate(database: Database, scripts: Path, head: str) -> tuple[str, ...]:
    """Upgrade the database to the revision `head` in one transaction; returns the revisions that ran."""
    with database.read() as connection:
        if installed(connection) == head:
            return ()
    # A copy of a lake may be upgraded before it is adopted: only its own catalog changes.
    return database.write_ungated(lambda connection: run(connection, scripts, head))


def pending(connection: sa.Connection, scripts: Path, head: str) -> tuple[str, ...]:
    """The revisions that are still to run, oldest first."""
    found = installed(connection)
    return () if found == head else tuple(revision for revision in _between(scripts, found, head))


def run(connection: sa.Connection, scripts: Path, head: str) -> tuple[str, ...]:
    """Upgrade in a transaction of the caller's."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    revisions = pending(connection, scripts, head)
    directory = ScriptDirectory(str(scripts))
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "transactional_ddl": False})
    with Operations.context(context):
        for revision in revisions:
            directory.get_revision(revision).module.upgrade()
    if revisions:
        context._ensure_version_table()
        table = context._version
        connection.execute(sa.delete(table))
        connection.execute(sa.insert(table).values(version_num=head))
    return revisions


def _between(scripts: Path, found: str | None, head: str) -> list[str]:
    from alembic.script import ScriptDirectory

    revisions = [revision.revision for revision in ScriptDirectory(str(scripts)).walk_revisions("base", head)]
    if found is not None and found not in revisions:
        raise RegistryVersionRefused(
            f'the registry of this lake is at revision "{found}", which this release does not support',
            detail=f"A newer release of Headwater wrote it. This release supports revisions up to {head}.",
            hint="Upgrade Headwater to that release, or to a newer one.",
        )
    newer = revisions if found is None else revisions[: revisions.index(found)]
    return newer[::-1]
