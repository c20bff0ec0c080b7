"""Copy the catalog to PostgreSQL."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import note
from headwater.cli.open_lake import open_lake
from headwater.lake.open_site import postgresql_address
from headwater.service.copy_catalog import copy_catalog as copy


@command
def copy_catalog(
    call: Call,
    to: Annotated[str, typer.Option("--to", metavar="URL", help="An empty database: postgresql://user@host/database.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check both databases and show what would be copied.")
    ] = False,
) -> None:
    """Copy the catalog of a lake from SQLite to PostgreSQL; its data files stay where they are."""
    with open_lake(call.settings) as lake:
        found = copy(lake.site, postgresql_address(to), dry_run=dry_run)
        data_path = lake.data_path
    state = "to copy" if dry_run else "copied"
    call.show(("table", "rows", "state"), [(each.name, each.rows, state) for each in found.tables])
    for name, snapshot in found.dynamic_tables:
        goes_on = "gets its first refresh" if snapshot is None else f"goes on from data snapshot {snapshot}"
        note(f"dynamic table {name} {goes_on}")
    if dry_run:
        note("nothing was copied")
        return
    note(f"the catalog is in {found.address}; the data stays in {data_path}")
    note(
        'next: set lake = "postgresql://…" in headwater.toml or HEADWATER_LAKE; the old catalog can\'t be changed anymore'
    )
