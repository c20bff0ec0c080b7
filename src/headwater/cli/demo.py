"""Show what Headwater does."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.progress import watched_wait
from headwater.demo.run import demo as run


def demo(
    folder: Annotated[str | None, typer.Argument(help="Folder for the lake (default: a temporary folder).")] = None,
    seconds: Annotated[float, typer.Option(min=1, help="How long the shop changes, in seconds.")] = 60.0,
) -> None:
    """Run a shop whose data changes continuously, with seven dynamic tables over it, then verify the tables."""
    raise typer.Exit(run(folder, seconds, typer.echo, watched_wait))
