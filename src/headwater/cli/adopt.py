"""Adopt a lake that was copied, moved or restored."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import USAGE, note
from headwater.cli.open_lake import open_lake
from headwater.service.adopt import AdoptionPlan, AdoptOptions, IncompleteTable, carry_out, plan_adoption


@command
def adopt(
    call: Call,
    restored: Annotated[
        bool, typer.Option("--restored", help="The lake, or its catalog, was restored from a backup on purpose.")
    ] = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="The catalog that the data folder names is gone; use its data folder.")
    ] = False,
    copy_data: Annotated[
        str | None, typer.Option("--copy-data", metavar="DIR", help="Copy the lake's files to a folder of its own.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Adopt without asking.")] = False,
) -> int | None:
    """Make catalog and data folder name each other again, after the lake was copied, moved or restored."""
    with open_lake(call.settings) as lake:
        plan = plan_adoption(lake.site, AdoptOptions(restored, take_over, copy_data))
        _describe(plan)
        if not plan.needed:
            note("there is nothing to adopt")
            return None
        if not yes and not _confirmed():
            note("nothing was changed")
            return USAGE
        _site, done = carry_out(lake.site, plan)
    call.show(
        ("verdict", "lake_id", "data_path", "files_copied"),
        [(str(done.verdict), done.lake_id, done.data_path, done.copied)],
    )
    return None


def _confirmed() -> bool:
    if not _is_interactive():
        note("add --yes to adopt it")
        return False
    return typer.confirm("adopt it?", err=True)


def _is_interactive() -> bool:
    return sys.stdin.isatty()


def _describe(plan: AdoptionPlan) -> None:
    report = plan.report
    note(f"verdict: {report.verdict}. {report.meaning}")
    note(f"catalog: {report.catalog}")
    note(f"data folder: {report.folder}")
    if report.named != report.folder:
        note(f"data folder in the catalog: {report.named}")
    if report.marked_catalog not in (None, report.catalog):
        note(f"catalog in the data folder: {report.marked_catalog}")
    if not plan.needed:
        return
    note(f"after adoption: {'a lake of its own' if plan.new_id else 'the same lake'}, its data in {plan.folder}")
    if plan.copies:
        note(f"files to copy: {plan.copies}")
    for table in plan.incomplete:
        note(_loss(table))


def _loss(table: IncompleteTable) -> str:
    effect = "its next refresh recomputes all rows" if table.dynamic else "snapshots that need them can't be read"
    return f"warning: {table.files} files of table {table.name} are missing; {effect}"
