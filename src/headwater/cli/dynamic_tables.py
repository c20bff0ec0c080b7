"""Create, change and drop dynamic tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from headwater.cli.command import Call, command, text_of
from headwater.cli.exit_codes import FAILED, warn
from headwater.cli.open_lake import open_lake
from headwater.cli.options import FileOption, NameArgument
from headwater.cli.progress import shown_progress
from headwater.core.caret import quoting
from headwater.core.errors import HeadwaterError, InvalidRequest, Position
from headwater.core.names import quote
from headwater.service.result import Result
from headwater.service.statements import run_dynamic
from headwater.service.versions import restoration
from headwater.sql.dynamic_statements import (
    CreateDynamicTable,
    DropDynamicTable,
    DynamicStatement,
    ResumeDynamicTable,
    SuspendDynamicTable,
    UndropDynamicTable,
)
from headwater.sql.parse import parse
from headwater.sql.parse_names import parse_name
from headwater.sql.statements import Statement

IfExists = Annotated[bool, typer.Option("--if-exists", help="Do not fail if the table does not exist.")]


@command
def create(
    call: Call,
    text: Annotated[str | None, typer.Argument(help="CREATE DYNAMIC TABLE …; - reads stdin.")] = None,
    file: FileOption = None,
) -> None:
    """Create dynamic tables and run their first refresh."""
    script = text_of(text, file)
    with quoting(script):
        _create(call, parse(script))


def _create(call: Call, statements: Sequence[Statement | DynamicStatement]) -> None:
    created = [statement for statement in statements if isinstance(statement, CreateDynamicTable)]
    if not created or len(created) != len(statements):
        raise InvalidRequest(
            "the statement is not CREATE DYNAMIC TABLE", hint="Run any other statement with headwater sql."
        )
    _carry_out(call, created)


@command
def alter(
    call: Call,
    name: NameArgument,
    change: Annotated[str, typer.Argument(help="The change, such as \"SET TARGET_LAG = '5 minutes'\".")],
) -> None:
    """Change a dynamic table: SET, UNSET, RENAME TO, SWAP WITH, ADD COLUMN and so on."""
    found = parse_name(name)
    quoted = ".".join(quote(part) for part in (found.catalog, found.schema, found.name) if part)
    before = f"ALTER DYNAMIC TABLE {quoted} "
    with quoting(change), _positions_after(before):
        statements = parse(before + change)
        if len(statements) != 1 or not isinstance(statements[0], DynamicStatement):
            raise InvalidRequest("only one change is supported", hint="Run scripts with headwater sql.")
        _carry_out(call, [statements[0]])


@contextmanager
def _positions_after(before: str) -> Iterator[None]:
    """Count the positions of errors from the end of the text before the user's."""
    try:
        yield
    except HeadwaterError as error:
        if error.position is not None and error.source_line is None and error.position.line == 1:
            error.position = Position(1, max(error.position.column - len(before), 1))
        raise


@command
def drop(call: Call, name: NameArgument, if_exists: IfExists = False) -> None:
    """Drop a dynamic table."""
    _carry_out(call, [DropDynamicTable(parse_name(name), if_exists)])


@command
def undrop(call: Call, name: NameArgument) -> None:
    """Recreate a dropped dynamic table from its definition."""
    _carry_out(call, [UndropDynamicTable(parse_name(name))])


@command
def restore(
    call: Call,
    name: NameArgument,
    version: Annotated[
        int | None, typer.Option("--version", help="The version, as headwater versions lists it.")
    ] = None,
    timestamp: Annotated[
        str | None, typer.Option("--timestamp", help="A time, such as '2026-01-31 08:00:00', in UTC by default.")
    ] = None,
) -> None:
    """Restore an earlier version of a dynamic table, and suspend the table."""
    _carry_out(call, [restoration(parse_name(name), version, timestamp)])


@command
def suspend(call: Call, name: NameArgument, if_exists: IfExists = False) -> None:
    """Stop scheduled refreshes of a dynamic table and of its downstream tables."""
    _carry_out(call, [SuspendDynamicTable(parse_name(name), if_exists)])


@command
def cancel(
    call: Call, names: Annotated[list[str], typer.Argument(metavar="NAME", help="Names of dynamic tables.")]
) -> int | None:
    """Cancel running and requested refreshes, in any process; exit code 1 if there was nothing to cancel."""
    with open_lake(call.settings) as lake:
        ended = [(name, lake.cancel(name)) for name in names]
    call.show(("name", "cancelled"), ended)
    return None if any(found for _, found in ended) else FAILED


@command
def resume(call: Call, name: NameArgument, if_exists: IfExists = False) -> None:
    """Resume scheduled refreshes."""
    _carry_out(call, [ResumeDynamicTable(parse_name(name), if_exists)])


def _carry_out(call: Call, statements: Sequence[DynamicStatement], waiting: str = "running …") -> None:
    results: list[Result] = []
    try:
        with open_lake(call.settings) as lake, shown_progress(call, lake, waiting):
            for statement in statements:
                results.append(run_dynamic(lake.site, lake.compute, statement))
    finally:
        # If a statement fails, those before it have taken effect.
        for result in results:
            warn(result.warnings)
        if results:
            call.show(results[-1].columns, [row for result in results for row in result.rows])
