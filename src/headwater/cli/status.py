"""List dynamic tables, their lag and their refreshes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any

import typer

from headwater.cli import brief
from headwater.cli.command import Call, command
from headwater.cli.exit_codes import LAG_BREACHED
from headwater.cli.open_lake import open_lake, warn_of_clock
from headwater.cli.options import NameArgument
from headwater.cli.output import Format
from headwater.core.table_status import TableStatus
from headwater.refresh.find import find_dynamic
from headwater.service import show
from headwater.service.show import HISTORY, VERSIONS, history_row, version_row
from headwater.sql.parse_names import parse_name

LIST = ("schema_name", "name", "state", "freshness", "refresh_mode", "last_refresh", "sources")
STATUS = (
    "schema_name",
    "name",
    "state",
    "lag",
    "target_lag",
    "late",
    "version",
    "data_snapshot",
    "data_time",
    "last_action",
    "last_state",
    "last_refresh",
    "last_error",
    "suspended_reason",
    "waiting_reason",
)
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
# The columns of versions that fit a terminal; the first version of each table is the current one.
BRIEF_VERSIONS = ("schema_name", "name", "version", "created_at", "restored_from", "restorable_until", "reason")
_JSON = ("source_tables", "stats")


WideOption = Annotated[bool, typer.Option("--wide", help="All columns, in a table too.")]


@command
def list_(call: Call) -> None:
    """List all dynamic tables."""
    with open_lake(call.settings) as lake:
        found = lake.status()
    call.show(LIST, [_row(each, LIST) for each in found])


@command
def describe(call: Call, name: NameArgument) -> None:
    """Show a dynamic table's columns and properties."""
    with open_lake(call.settings) as lake:
        result = show.describe(lake.site, parse_name(name))
    call.show(result.columns, result.rows)


@command
def status(
    call: Call,
    name: Annotated[str | None, typer.Argument(help="One dynamic table (default: all).")] = None,
    wide: WideOption = False,
) -> int | None:
    """Show the lag of dynamic tables; exit code 3 if one exceeds its target lag."""
    with open_lake(call.settings) as lake:
        found = lake.status()
        warn_of_clock(lake)
        if name is not None:
            with lake.reader() as reader:
                wanted = find_dynamic(reader, parse_name(name)).name
            found = tuple(each for each in found if each.name == wanted)
        now = lake.clock.now()
    rows = [brief.status_row(each, now) for each in found]
    call.show_brief(brief.STATUS, rows, STATUS, [_row(each, STATUS) for each in found], wide=wide)
    return LAG_BREACHED if any(each.late for each in found) else None


@command
def history(
    call: Call,
    name: Annotated[str | None, typer.Argument(help="One dynamic table (default: all).")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Number of refreshes.")] = 20,
    wide: WideOption = False,
) -> None:
    """Show refreshes, newest first; json and csv have more columns than the table."""
    with open_lake(call.settings) as lake:
        refreshes, now = lake.history(name, limit), lake.clock.now()
    found = [dict(zip(HISTORY, history_row(refresh), strict=True)) for refresh in refreshes]
    for row in found:
        row.update({key: json.loads(row[key]) for key in _JSON})
        row["rows"] = f"+{row['stats']['rows_inserted']} -{row['stats']['rows_deleted']}"
    columns: Sequence[str] = WIDE if call.output is Format.table else HISTORY
    every = [[row[column] for column in columns] for row in found]
    call.show_brief(brief.HISTORY, [brief.history_row(each, now) for each in refreshes], columns, every, wide=wide)


@command
def versions(
    call: Call, name: Annotated[str | None, typer.Argument(help="One dynamic table (default: all).")] = None
) -> None:
    """List the versions of dynamic tables, newest first; json and csv have more columns than the table."""
    with open_lake(call.settings) as lake:
        found = lake.versions(name, retention_days=call.settings.retention_days)
    rows = [dict(zip(VERSIONS, version_row(each), strict=True)) for each in found]
    columns = BRIEF_VERSIONS if call.output is Format.table else VERSIONS
    call.show(columns, [[row[column] for column in columns] for row in rows])


def _row(each: TableStatus, columns: Sequence[str]) -> list[Any]:
    special: dict[str, Any] = {
        "schema_name": each.name.schema,
        "name": each.name.name,
        "lag": timedelta(seconds=round(each.lag)),
        "target_lag": None if each.target_lag is None else timedelta(seconds=round(each.target_lag)),
    }
    return [special[column] if column in special else getattr(each, column) for column in columns]
