"""Install and check the registry's tables."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from headwater.core.errors import RegistryVersionRefused
from headwater.store import migrate
from headwater.store.database import Database

HEAD = "0008"
SCRIPTS = Path(__file__).with_name("migrations")


def install(database: Database) -> tuple[str, ...]:
    """Create our tables, or upgrade them to this release's revision; returns the revisions that ran."""
    return migrate.migrate(database, SCRIPTS, HEAD)


def install_in(connection: sa.Connection) -> None:
    """The same in a transaction of the caller's."""
    migrate.run(connection, SCRIPTS, HEAD)


def pending(connection: sa.Connection) -> tuple[str, ...]:
    """The revisions that `install` would run."""
    return migrate.pending(connection, SCRIPTS, HEAD)


def is_installed(connection: sa.Connection) -> bool:
    """Whether our tables exist at this release's revision; refuses those of a newer release."""
    found = migrate.installed(connection)
    if found is None:
        return False
    if found != HEAD:
        pending(connection)
        raise RegistryVersionRefused(
            f'the registry of this lake is at revision "{found}", and this release needs "{HEAD}"',
            detail="An older release of Headwater wrote it.",
            hint="Run headwater migrate, which upgrades the registry.",
        )
    return True
