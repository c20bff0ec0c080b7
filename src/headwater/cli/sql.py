"""Run SQL."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.command import Call, command, text_of
from headwater.cli.exit_codes import warn
from headwater.cli.open_lake import open_lake
from headwater.cli.options import FileOption
from headwater.cli.params import ParamOption, parse_params
from headwater.cli.progress import shown_progress


@command
def sql(
    call: Call,
    text: Annotated[str | None, typer.Argument(help="One or more statements; - reads stdin.")] = None,
    file: FileOption = None,
    engine: Annotated[str | None, typer.Option(help="duckdb (default) or spark.")] = None,
    param: ParamOption = None,
    null: Annotated[str, typer.Option("--null", metavar="TEXT", help="The text for NULL in CSV (default: none).")] = "",
    dialect: Annotated[str | None, typer.Option(help="Dialect of names and strings: duckdb or spark.")] = None,
) -> None:
    """Run SQL and print the rows of the last statement."""
    script = text_of(text, file)
    with open_lake(call.settings) as lake, shown_progress(call, lake, "running …"):
        result = lake.sql(script, params=parse_params(param), engine=engine, dialect=dialect)
    warn(result.warnings)
    if result.columns:
        call.show(result.columns, result.rows, null)
