"""Show refreshes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from headwater.cli import brief
from headwater.cli.command import Call, command
from headwater.cli.open_site import open_site
from headwater.cli.options import WideOption
from headwater.cli.output import Format
from headwater.service.refresh_history import HISTORY, history_row, load_history
from headwater.sql.parse_names import parse_name

# The history columns of a table; json and csv have more.
WIDE = (
    "schema_name",
    "name",
    "start_time",
    "duration",
    "state",
    "refresh_trigger",
    "refresh_mode",
    "rows",
    "reason",
    "error_message",
)
_JSON = ("source_tables", "stats")


@command
def history(
    call: Call,
    name: Annotated[str | None, typer.Argument(help="One dynamic table (default: all).")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Number of refreshes.")] = 20,
    wide: WideOption = False,
) -> None:
    """Show refreshes, newest first; json and csv have more columns than the table."""
    with open_site(call.settings) as site:
        refreshes = load_history(site, parse_name(name) if name else None, limit)
        now = site.clock.now()
    found = [dict(zip(HISTORY, history_row(refresh), strict=True)) for refresh in refreshes]
    for row in found:
        row.update({key: json.loads(row[key]) for key in _JSON})
        row["rows"] = f"+{row['stats']['rows_inserted']} -{row['stats']['rows_deleted']}"
    columns: Sequence[str] = WIDE if call.output is Format.table else HISTORY
    every = [[row[column] for column in columns] for row in found]
    call.show_brief(brief.HISTORY, [brief.history_row(each, now) for each in refreshes], columns, every, wide=wide)
