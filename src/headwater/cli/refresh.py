"""Refresh and verify dynamic tables."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.command import Call, command
from headwater.cli.exit_codes import FAILED, note
from headwater.cli.open_lake import open_lake
from headwater.cli.output import Format
from headwater.cli.progress import shown_progress
from headwater.core.display_name import display_name
from headwater.core.errors import RefreshFailed
from headwater.core.refresh_record import RefreshRecord
from headwater.refresh.verify import Verification
from headwater.service import render
from headwater.service.lake import Lake
from headwater.service.refresh import refresh as run
from headwater.sql.parse_names import parse_name

NamesArgument = Annotated[list[str] | None, typer.Argument(help="Dynamic tables (default: all).")]
VERIFIED = ("name", "equal", "data_snapshot", "missing", "unexpected")


@command
def refresh(call: Call, names: NamesArgument = None) -> int | None:
    """Refresh dynamic tables and their upstream tables to the newest snapshot."""
    reported: list[RefreshRecord] = []

    def report(outcome: RefreshRecord) -> None:
        reported.append(outcome)
        note(_line(outcome))

    with open_lake(call.settings) as lake:
        wanted = _wanted(lake, names)
        try:
            with shown_progress(call, lake, "refreshing …"):
                outcomes = run(lake.site, lake.compute, wanted, report)
        except RefreshFailed:
            if reported:
                _show(call, reported)
            raise
    _show(call, outcomes)
    return None if all(outcome.succeeded for outcome in outcomes) else FAILED


@command
def verify(
    call: Call,
    names: Annotated[list[str] | None, typer.Argument(help="Dynamic tables.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All dynamic tables.")] = False,
) -> int | None:
    """Run the queries and compare the results with the tables; exit code 1 and the differing rows if a table differs."""
    if bool(names) == every:
        raise typer.BadParameter("pass names, or --all")
    found: list[Verification] = []
    with open_lake(call.settings) as lake:
        wanted = names or [display_name(each.name) for each in lake.status()]
        for name in wanted:
            with shown_progress(call, lake, f"verifying {name} …"):
                found.append(lake.verify(name))
    if call.output is Format.table:
        call.show(VERIFIED, [_summary(each) for each in found])
        for each in found:
            if not each.equal:
                typer.echo(f"\n{display_name(each.name)}")
                call.show_result(render.verification(each))
    else:
        call.show((*VERIFIED, "missing_rows", "unexpected_rows"), [(*_summary(each), *_rows(each)) for each in found])
    return None if all(each.equal for each in found) else FAILED


def _wanted(lake: Lake, names: list[str] | None) -> list[Any]:
    return [parse_name(name) for name in names or [display_name(each.name) for each in lake.status()]]


def _line(outcome: RefreshRecord) -> str:
    did = outcome.action if outcome.succeeded else outcome.state
    rows = f", +{outcome.rows_inserted} -{outcome.rows_deleted} rows" if outcome.succeeded else ""
    why = f": {outcome.error.message}" if outcome.error else f": {outcome.reason}" if outcome.reason else ""
    return f"{display_name(outcome.name)} {did}{rows} in {outcome.seconds:.1f} s{why}"


def _show(call: Call, outcomes: Any) -> None:
    call.show_result(render.outcomes(outcomes))


def _summary(each: Verification) -> tuple[Any, ...]:
    return (each.name, each.equal, each.data_snapshot, each.missing, each.unexpected)


def _rows(each: Verification) -> tuple[Any, ...]:
    return tuple(
        [dict(zip(each.columns, row, strict=True)) for row in rows]
        for rows in (each.missing_rows, each.unexpected_rows)
    )
