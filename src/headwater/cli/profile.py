"""Show what one refresh did."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.command import Call, command
from headwater.cli.open_site import open_site
from headwater.cli.output import Format
from headwater.service.profile import job_profile, profile_facts
from headwater.service.profile import profile as load_profile
from headwater.sql.parse_names import parse_name


@command
def profile(
    call: Call,
    job_id: Annotated[str | None, typer.Argument(metavar="[JOB_ID]", help="A job_id of the history.")] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", help="The newest job of this dynamic table that processed changes."),
    ] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="The job whose Spark jobs have this tag.")] = None,
) -> None:
    """Show what one refresh did: its phases, what it read and wrote, and the SQL that it ran."""
    with open_site(call.settings) as site:
        wanted = None if table is None else parse_name(table)
        found = load_profile(site, job_id, table=wanted, tag=tag)
    if call.output is Format.table:
        call.show_result(job_profile(found))
        return
    facts = profile_facts(found)
    call.show(tuple(facts), [tuple(facts.values())])
