"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.output import Format
from headwater.core.settings import BY_NAME


def setting_option(name: str, metavar: str | None = None, *flags: str) -> Any:
    """The option that sets a setting; `command` takes its value."""
    return typer.Option(*flags, metavar=metavar, help=BY_NAME[name].option_help)


LakeOption = Annotated[str | None, setting_option("lake", "PATH|URL", "--lake")]
DataPathOption = Annotated[str | None, setting_option("data_path", "PATH", "--data-path")]
HistoryDaysOption = Annotated[str | None, setting_option("history_days", "DAYS")]
RetentionDaysOption = Annotated[str | None, setting_option("retention_days", "DAYS")]
OutputOption = Annotated[Format, typer.Option("--output", "-o", help="Output format of rows.")]
FileOption = Annotated[
    Path | None, typer.Option("--file", "-f", help="Read the text from a file; - reads stdin.", allow_dash=True)
]
NameArgument = Annotated[str, typer.Argument(help="The dynamic table, as name or schema.name.")]
WideOption = Annotated[bool, typer.Option("--wide", help="All columns, in a table too.")]
