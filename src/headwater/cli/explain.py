"""Explain refreshes and validate definitions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.command import Call, command, text_of
from headwater.cli.open_lake import open_lake
from headwater.cli.options import FileOption
from headwater.cli.output import Format
from headwater.cli.progress import shown_progress
from headwater.core.caret import quoting
from headwater.core.errors import InvalidRequest
from headwater.refresh.explain import Explanation
from headwater.service.explain import explain as plan
from headwater.service.render import explanation
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.parse import parse

VerboseOption = Annotated[bool, typer.Option("--verbose", help="Show the SQL too.")]


@command
def explain(
    call: Call,
    what: Annotated[
        str | None, typer.Argument(metavar="[NAME|TEXT]", help="A dynamic table, or a CREATE DYNAMIC TABLE statement.")
    ] = None,
    file: FileOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Show what the next refresh would do and why: mode, action, files to read, and what is refreshed first."""
    text = text_of(what, file)
    with open_lake(call.settings) as lake:
        with shown_progress(call, lake, "planning the refresh …"):
            found = lake.explain(text)
        _show(call, found, verbose=verbose)


@command
def validate(
    call: Call,
    text: Annotated[str | None, typer.Argument(help="CREATE DYNAMIC TABLE …; - reads stdin.")] = None,
    file: FileOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Check a CREATE DYNAMIC TABLE statement without creating anything."""
    statement = text_of(text, file)
    with quoting(statement):
        found = parse(statement)
    if len(found) != 1 or not isinstance(found[0], CreateDynamicTable):
        raise InvalidRequest("the text is not a single CREATE DYNAMIC TABLE statement", hint="Pass one such statement.")
    with quoting(statement), open_lake(call.settings) as lake:
        with shown_progress(call, lake, "checking the definition …"):
            checked = plan(lake.site, lake.compute, found[0])
        _show(call, checked, verbose=verbose)


def _show(call: Call, found: Explanation, *, verbose: bool) -> None:
    if call.output is Format.table:
        call.show_result(explanation(found, with_sql=verbose))
        return
    facts = _facts(found)
    call.show(tuple(facts), [tuple(facts.values())])


def _facts(found: Explanation) -> dict[str, Any]:
    columns = [{"name": name, "type": type_name} for name, type_name in found.columns]
    facts = {name: getattr(found, name) for name in type(found).__dataclass_fields__}
    return facts | {"columns": columns or None, "upstreams": [_facts(each) for each in found.upstreams]}
