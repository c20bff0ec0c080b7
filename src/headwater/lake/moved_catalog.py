"""A SQLite catalog that was copied to another database: nothing may change it anymore."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.core.errors import StoreDenied
from headwater.lake import catalog as c
from headwater.lake.reader import read_option

MOVED_TO = "headwater_moved_to"


def mark_moved(connection: sa.Connection, tables: frozenset[str], address: str) -> None:
    """Refuse each change by any client: those that have the catalog open would write into it for days."""
    connection.execute(sa.insert(c.ducklake_metadata).values(key=MOVED_TO, value=address))
    text = sa.literal(f"this catalog was copied to {address}, which replaces it").compile(
        dialect=connection.dialect, compile_kwargs={"literal_binds": True}
    )
    quote = connection.dialect.identifier_preparer.quote
    for table in sorted(tables):
        for verb in ("INSERT", "UPDATE", "DELETE"):
            trigger = quote(f"headwater_moved_{verb.lower()}_{table}")
            connection.exec_driver_sql(
                f"CREATE TRIGGER {trigger} BEFORE {verb} ON {quote(table)} BEGIN SELECT RAISE(ABORT, {text}); END"
            )


def refuse_moved(connection: sa.Connection) -> None:
    """Refuse a catalog that another one has replaced."""
    if error := moved_error(connection):
        raise error


def moved_error(connection: sa.Connection) -> StoreDenied | None:
    """The error for a catalog that another one has replaced; None for others."""
    address = read_option(connection, MOVED_TO)
    if address is None:
        return None
    return StoreDenied(
        "this catalog was copied to another database, which replaces it",
        detail=f"The lake is on {address} now. This catalog stays as it was at the copy.",
        hint="Set lake to the new address, in headwater.toml or HEADWATER_LAKE.",
    )
