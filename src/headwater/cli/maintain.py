"""Run maintenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note

if TYPE_CHECKING:
    from headwater.maintain.step_result import StepResult

RetentionOption = Annotated[
    str | None,
    typer.Option(metavar="DAYS", help="Days to keep snapshots (env HEADWATER_RETENTION_DAYS, default 7)."),
]


@command
def maintain(
    call: Call,
    names: Annotated[list[str] | None, typer.Argument(help="Tables to compact; without names, all steps run.")] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="STEPS", help="Comma-separated steps: history, compact, expire, cleanup, orphans."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done.")] = False,
    retention_days: RetentionOption = None,
    history_days: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="Days to keep the history (env HEADWATER_HISTORY_DAYS, default 7)."),
    ] = None,
) -> int | None:
    """Compact files, expire old snapshots, and delete unused files and old history."""
    with call.lake() as lake:
        from headwater.maintain.steps import Rules
        from headwater.maintain.steps import maintain as run
        from headwater.service.render import maintenance
        from headwater.service.wiring import table_compactor

        rules = Rules(call.settings.history_days, call.settings.retention_days)
        steps = [step.strip() for step in only.split(",")] if only is not None else None
        found = run(
            table_compactor(lake.site, lake.warehouses),
            names or (),
            only=steps,
            dry_run=dry_run,
            rules=rules,
            report=_say,
        )
        call.show_result(maintenance(found))
    return FAILED if any(each.error is not None for each in found) else None


def _say(each: StepResult) -> None:
    if each.error is not None:
        note(str(each.error))
