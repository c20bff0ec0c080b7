"""The command `headwater`: the table of commands, each imported when it runs."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from headwater.cli.collection import pause_collection
from headwater.cli.exit_codes import FAILED, note
from headwater.cli.interrupts import cancel_on_signals, leave
from headwater.cli.loading import shown_loading
from headwater.cli.options import DataPathOption, LakeOption
from headwater.cli.sql_argument import SqlArgumentCommand
from headwater.cli.standard_output import OutputFailed, check_output, fail_output, prepare_output
from headwater.core.own_program import declare_own_program
from headwater.core.version import VERSION


@dataclass(frozen=True, slots=True)
class Command:
    """A command, the function or Typer app that runs it as `module:name` in headwater.cli, and its help."""

    name: str
    target: str
    help: str


# In the order of the help text; each help is the docstring of the target.
COMMANDS = (
    Command("init", "init:init", "Create a lake, or prepare an existing one, and write headwater.toml."),
    Command(
        "demo",
        "demo:demo",
        "Run a shop whose data changes continuously, with seven dynamic tables over it, then verify the tables.",
    ),
    Command("sql", "sql:sql", "Run SQL and print the rows of the last statement."),
    Command("create", "dynamic_tables:create", "Create dynamic tables and run their first refresh."),
    Command(
        "alter",
        "dynamic_tables:alter",
        "Change a dynamic table: SET, UNSET, RENAME TO, SWAP WITH, ADD COLUMN and so on.",
    ),
    Command("drop", "dynamic_tables:drop", "Drop a dynamic table."),
    Command("undrop", "dynamic_tables:undrop", "Recreate a dropped dynamic table from its definition."),
    Command(
        "versions",
        "versions:versions",
        "List the versions of dynamic tables, newest first; json and csv have more columns than the table.",
    ),
    Command(
        "restore", "dynamic_tables:restore", "Restore an earlier version of a dynamic table, and suspend the table."
    ),
    Command(
        "suspend", "dynamic_tables:suspend", "Stop scheduled refreshes of a dynamic table and of its downstream tables."
    ),
    Command("resume", "dynamic_tables:resume", "Resume scheduled refreshes."),
    Command("list", "status:list_", "List all dynamic tables."),
    Command("describe", "describe:describe", "Show a dynamic table's columns and properties."),
    Command("status", "status:status", "Show the lag of dynamic tables; exit code 3 if one exceeds its target lag."),
    Command(
        "history", "history:history", "Show refreshes, newest first; json and csv have more columns than the table."
    ),
    Command(
        "profile",
        "profile:profile",
        "Show what one refresh did: its phases, what it read and wrote, and the SQL that it ran.",
    ),
    Command("graph", "graph:graph", "Show the dependencies of dynamic tables, with their lag."),
    Command(
        "explain",
        "explain:explain",
        "Show what the next refresh would do and why: mode, action, files to read, and what is refreshed first.",
    ),
    Command("validate", "explain:validate", "Check a CREATE DYNAMIC TABLE statement without creating anything."),
    Command("refresh", "refresh:refresh", "Refresh dynamic tables and their upstream tables to the newest snapshot."),
    Command(
        "cancel",
        "dynamic_tables:cancel",
        "Cancel running and requested refreshes, in any process; exit code 1 if there was nothing to cancel.",
    ),
    Command(
        "verify",
        "refresh:verify",
        "Run the queries and compare the results with the tables; exit code 1 and the differing rows if a table differs.",
    ),
    Command(
        "worker",
        "worker:worker",
        "Refresh dynamic tables on schedule until SIGTERM or SIGINT; a second signal exits at once.",
    ),
    Command("workers", "workers:workers", "List running workers."),
    Command("compute", "compute:compute", "The background process that computes for commands."),
    Command(
        "maintain", "maintain:maintain", "Compact files, expire old snapshots, and delete unused files and old history."
    ),
    Command(
        "doctor", "doctor:doctor", "Check Python, Java, Spark, DuckDB, the catalog, the data path and the registry."
    ),
    Command(
        "adopt",
        "adopt:adopt",
        "Make catalog and data folder name each other again, after the lake was copied, moved or restored.",
    ),
    Command(
        "copy-catalog",
        "copy_catalog:copy_catalog",
        "Copy the catalog of a lake from SQLite to PostgreSQL; its data files stay where they are.",
    ),
    Command("migrate", "migrate:migrate", "Upgrade the registry to this release; a SQLite catalog is copied first."),
    Command(
        "uninstall", "migrate:uninstall", "Drop the headwater_* tables; dynamic tables stay as plain DuckLake tables."
    ),
    Command("config", "config:config", "The settings in effect."),
)


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and help, and imports the one that runs."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command of the arguments, imported."""
        name, found, rest = super().resolve_command(ctx, args)
        if not found:
            return name, None, rest
        with shown_loading():
            return name, load(next(each for each in COMMANDS if each.name == name)), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and leave if it is interrupted."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            leave()


app = typer.Typer(
    name="headwater", cls=LazyGroup, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
)


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

    Data goes to stdout, everything else to stderr. Exit codes: 0 ok, 1 failed, 2 usage, 3 lag breached, 4 conflict,
    130 cancelled by Ctrl-C.
    """
    ctx.obj = {"lake": lake, "data_path": data_path}


def _stand_in() -> None:
    """Stands for a command in the help until the command is imported."""


for each in COMMANDS:
    app.command(each.name, help=each.help)(_stand_in)


def load(command: Command) -> Any:
    """The command, imported."""
    module, _, name = command.target.partition(":")
    found = getattr(import_module(f"headwater.cli.{module}"), name)
    parent = typer.Typer(rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        parent.add_typer(found, name=command.name)
    else:
        parent.command(command.name, cls=SqlArgumentCommand)(found)
    return get_group(parent).commands[command.name]


def main() -> None:
    """Run one command; errors show no traceback unless HEADWATER_DEBUG is set."""
    prepare_output()
    pause_collection()
    declare_own_program()
    cancel_on_signals()
    # Py4J logs a traceback to the root logger when Java ends; the error of the command says so.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        app()
    except SystemExit:
        check_output()
        raise
    except OutputFailed as error:
        fail_output(error)
    except Exception as error:
        if os.environ.get("HEADWATER_DEBUG"):
            raise
        note(
            f"error: {type(error).__name__}: {error}\nhint: This is a bug in Headwater; HEADWATER_DEBUG=1 shows the traceback."
        )
        sys.exit(FAILED)
