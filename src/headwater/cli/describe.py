"""Show a dynamic table's columns and properties."""

from __future__ import annotations

from headwater.cli.command import Call, command
from headwater.cli.open_site import open_site
from headwater.cli.options import NameArgument
from headwater.service import show
from headwater.sql.parse_names import parse_name


@command
def describe(call: Call, name: NameArgument) -> None:
    """Show a dynamic table's columns and properties."""
    with open_site(call.settings) as site:
        result = show.describe(site, parse_name(name))
    call.show(result.columns, result.rows)
