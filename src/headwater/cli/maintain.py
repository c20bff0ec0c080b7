"""Run maintenance."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note
from headwater.cli.open_lake import open_lake
from headwater.cli.open_site import warn_of_clock
from headwater.cli.options import HistoryDaysOption, RetentionDaysOption
from headwater.cli.progress import shown_progress
from headwater.core.cancellation import Cancellation
from headwater.maintain.step_result import StepResult
from headwater.maintain.steps import Rules
from headwater.maintain.steps import maintain as run
from headwater.service.interruptible import interruptible
from headwater.service.render import maintenance
from headwater.service.wiring import table_compactor


@command
def maintain(
    call: Call,
    names: Annotated[list[str] | None, typer.Argument(help="Tables to compact; without names, all steps run.")] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="STEPS", help="Comma-separated steps: history, compact, expire, cleanup, orphans."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done.")] = False,
    retention_days: RetentionDaysOption = None,
    history_days: HistoryDaysOption = None,
) -> int | None:
    """Compact files, expire old snapshots, and delete unused files and old history."""
    cancellation = Cancellation()
    with open_lake(call.settings) as lake:
        warn_of_clock(lake.site)
        work = partial(
            run,
            table_compactor(lake.site, lake.warehouses),
            names or (),
            only=[step.strip() for step in only.split(",")] if only is not None else None,
            dry_run=dry_run,
            rules=Rules(call.settings.history_days, call.settings.retention_days),
            report=_say,
            stopped=lambda: cancellation.requested,
        )
        with shown_progress(call, lake, "running maintenance …"):
            found = interruptible(cancellation, work)
        call.show_result(maintenance(found))
    return FAILED if any(each.error is not None for each in found) else None


def _say(each: StepResult) -> None:
    if each.error is not None:
        note(str(each.error))
