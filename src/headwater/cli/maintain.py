"""Keep a lake tidy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note

if TYPE_CHECKING:
    from headwater.maintain.steps import StepResult

RetentionOption = Annotated[
    str | None,
    typer.Option(metavar="DAYS", help="How long to keep snapshots; HEADWATER_RETENTION_DAYS; 7 by default."),
]


@command
def maintain(
    call: Call,
    names: Annotated[
        list[str] | None, typer.Argument(help="Tables to compact, and nothing else; without, all steps run.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="STEPS", help="Some of history, compact, expire, cleanup, orphans, with commas."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    retention_days: RetentionOption = None,
    history_days: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="How long to keep the history; HEADWATER_HISTORY_DAYS; 7 by default."),
    ] = None,
) -> int | None:
    """Compact files, expire old snapshots, delete files that nothing needs, and forget old history."""
    with call.lake() as lake:
        from headwater.maintain.steps import Rules
        from headwater.maintain.steps import maintain as run
        from headwater.service.render import maintenance
        from headwater.service.wiring import tidier

        rules = Rules(call.settings.history_days, call.settings.retention_days)
        steps = [step.strip() for step in only.split(",")] if only is not None else None
        found = run(
            tidier(lake.site, lake.warehouses), names or (), only=steps, dry_run=dry_run, rules=rules, report=_say
        )
        call.show_result(maintenance(found))
    return FAILED if any(each.error is not None for each in found) else None


def _say(each: StepResult) -> None:
    if each.error is not None:
        note(str(each.error))
