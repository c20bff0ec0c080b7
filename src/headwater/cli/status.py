"""List dynamic tables and their lag."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any

import typer

from headwater.cli import brief
from headwater.cli.command import Call, command
from headwater.cli.exit_codes import LAG_BREACHED
from headwater.cli.open_site import open_site, warn_of_clock
from headwater.cli.options import WideOption
from headwater.core.table_status import TableStatus
from headwater.refresh.find import find_dynamic
from headwater.service.status import status as load_status
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
    "refreshing_since",
)


@command
def list_(call: Call) -> None:
    """List all dynamic tables."""
    with open_site(call.settings) as site:
        found = load_status(site)
    call.show(LIST, [_row(each, LIST) for each in found])


@command
def status(
    call: Call,
    name: Annotated[str | None, typer.Argument(help="One dynamic table (default: all).")] = None,
    wide: WideOption = False,
) -> int | None:
    """Show the lag of dynamic tables; exit code 3 if one exceeds its target lag."""
    with open_site(call.settings) as site:
        found = load_status(site)
        warn_of_clock(site)
        if name is not None:
            with site.reader() as reader:
                wanted = find_dynamic(reader, parse_name(name)).name
            found = tuple(each for each in found if each.name == wanted)
        now = site.clock.now()
    rows = [brief.status_row(each, now) for each in found]
    call.show_brief(brief.STATUS, rows, STATUS, [_row(each, STATUS) for each in found], wide=wide)
    return LAG_BREACHED if any(each.late for each in found) else None


def _row(each: TableStatus, columns: Sequence[str]) -> list[Any]:
    special: dict[str, Any] = {
        "schema_name": each.name.schema,
        "name": each.name.name,
        "lag": timedelta(seconds=round(each.lag)),
        "target_lag": None if each.target_lag is None else timedelta(seconds=round(each.target_lag)),
    }
    return [special[column] if column in special else getattr(each, column) for column in columns]
