"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.output import Format

LakeOption = Annotated[
    str | None,
    typer.Option("--lake", metavar="PATH|URL", help="Folder or postgresql://… (env HEADWATER_LAKE, default ./lake)."),
]
DataPathOption = Annotated[
    str | None,
    typer.Option(
        "--data-path", metavar="PATH", help="Folder for the data files of a new lake (env HEADWATER_DATA_PATH)."
    ),
]
HistoryDaysOption = Annotated[
    str | None,
    typer.Option(metavar="DAYS", help="Days to keep the history (env HEADWATER_HISTORY_DAYS, default 7)."),
]
RetentionDaysOption = Annotated[
    str | None,
    typer.Option(metavar="DAYS", help="Days to keep snapshots (env HEADWATER_RETENTION_DAYS, default 7)."),
]
OutputOption = Annotated[Format, typer.Option("--output", "-o", help="Output format of rows.")]
FileOption = Annotated[
    Path | None, typer.Option("--file", "-f", help="Read the text from a file; - reads stdin.", allow_dash=True)
]
NameArgument = Annotated[str, typer.Argument(help="The dynamic table, as name or schema.name.")]
