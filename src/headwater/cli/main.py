"""The command `headwater`."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from headwater.cli.command import DataPathOption, LakeOption
from headwater.cli.config import config
from headwater.cli.demo import demo
from headwater.cli.doctor import doctor
from headwater.cli.dynamic_tables import alter, cancel, create, drop, restore, resume, suspend, undrop
from headwater.cli.exit_codes import FAILED, note
from headwater.cli.explain import explain, profile, validate
from headwater.cli.graph import graph
from headwater.cli.init import init
from headwater.cli.maintain import maintain
from headwater.cli.migrate import migrate, uninstall
from headwater.cli.refresh import refresh, verify
from headwater.cli.sql import sql
from headwater.cli.status import describe, history, list_, status
from headwater.cli.worker import worker, workers
from headwater.core.version import VERSION

# In the order of the help text.
COMMANDS = (
    *(init, demo, sql, create, alter, drop, undrop, restore, suspend, resume),
    *(list_, describe, status, history, profile, graph),
    *(explain, validate, refresh, cancel, verify),
    *(worker, workers, maintain, doctor, migrate, uninstall),
)

app = typer.Typer(name="headwater", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headwater {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    ctx: typer.Context,
    lake: LakeOption = None,
    data_path: DataPathOption = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Dynamic tables on a DuckLake: tables that stay equal to their queries.

    Data goes to stdout, everything else to stderr. Exit codes: 0 ok, 1 failed, 2 usage, 3 lag breached, 4 conflict.
    """
    ctx.obj = {"lake": lake, "data_path": data_path}


for each in COMMANDS:
    app.command(each.__name__.rstrip("_"))(each)
app.add_typer(config, name="config")


def main() -> None:
    """Run one command; errors show no traceback unless HEADWATER_DEBUG is set."""
    try:
        app()
    except Exception as error:
        if os.environ.get("HEADWATER_DEBUG"):
            raise
        note(
            f"error: {type(error).__name__}: {error}\nhint: This is a bug in Headwater; HEADWATER_DEBUG=1 shows the traceback."
        )
        sys.exit(FAILED)
