"""Upgrade or drop Headwater's tables in the catalog."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import USAGE, note
from headwater.cli.open_lake import open_lake
from headwater.service.migrate import upgrade
from headwater.service.uninstall import our_tables
from headwater.service.uninstall import uninstall as take_out


@command
def migrate(
    call: Call, dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run.")] = False
) -> None:
    """Upgrade the registry to this release; a SQLite catalog is copied first."""
    with open_lake(call.settings) as lake:
        found = upgrade(lake.site, dry_run=dry_run)
    if found.backup:
        note(f"the previous catalog is stored in {found.backup}")
    state = "pending" if dry_run else "done"
    call.show(("revision", "state"), [(revision, state) for revision in found.revisions])
    if not found.revisions:
        note("the registry is up to date")


@command
def uninstall(
    call: Call, yes: Annotated[bool, typer.Option("--yes", help="Drop the tables; without it, list them.")] = False
) -> int | None:
    """Drop the headwater_* tables; dynamic tables stay as plain DuckLake tables."""
    with open_lake(call.settings) as lake:
        names = take_out(lake.site) if yes else our_tables(lake.site)
    call.show(("table", "state"), [(name, "dropped" if yes else "there") for name in names])
    if yes or not names:
        return None
    note("nothing was dropped; --yes drops definitions and history permanently")
    return USAGE
