"""List the versions of dynamic tables."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.open_site import open_site
from headwater.cli.output import Format
from headwater.service.versions import VERSIONS, version_row
from headwater.service.versions import versions as load_versions
from headwater.sql.parse_names import parse_name

# The columns of versions that fit a terminal; the first version of each table is the current one.
BRIEF_VERSIONS = ("schema_name", "name", "version", "created_at", "restored_from", "restorable_until", "reason")


@command
def versions(
    call: Call, name: Annotated[str | None, typer.Argument(help="One dynamic table (default: all).")] = None
) -> None:
    """List the versions of dynamic tables, newest first; json and csv have more columns than the table."""
    with open_site(call.settings) as site:
        wanted = None if name is None else parse_name(name)
        found = load_versions(site, wanted, call.settings.retention_days)
    rows = [dict(zip(VERSIONS, version_row(each), strict=True)) for each in found]
    columns = BRIEF_VERSIONS if call.output is Format.table else VERSIONS
    call.show(columns, [[row[column] for column in columns] for row in rows])
