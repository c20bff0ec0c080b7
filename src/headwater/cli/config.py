"""The settings in effect."""

from __future__ import annotations

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note

config = typer.Typer(no_args_is_help=True, help="The settings in effect.")


@command
def show(call: Call) -> int | None:
    """Print each setting with its origin: flag, environment, file or default."""
    settings = call.settings
    call.show(("key", "value", "origin"), [(key, value.shown, value.origin) for key, value in settings.values.items()])
    for problem in settings.problems:
        note(f"error: {problem}")
    return FAILED if settings.problems else None


config.command("show")(show)
