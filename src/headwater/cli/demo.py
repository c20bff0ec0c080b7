"""Show what Headwater does."""

from __future__ import annotations

from typing import Annotated

import typer


def demo(
    folder: Annotated[str | None, typer.Argument(help="Where to make the lake; a temporary folder by default.")] = None,
    seconds: Annotated[float, typer.Option(min=1, help="How long the shop changes.")] = 40.0,
) -> None:
    """Run a shop whose data changes all the time, with seven dynamic tables that follow; then verify them."""
    from headwater.demo.run import demo as run

    raise typer.Exit(run(folder, seconds, typer.echo))
