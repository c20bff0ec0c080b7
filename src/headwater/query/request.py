"""A script of plain SQL as one request: checked, locked, run, and retried after a conflict."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from headwater.core.errors import DynamicTableReadOnly, InvalidRequest, Position, StoreError
from headwater.core.names import DEFAULT_SCHEMA, TableName, folded
from headwater.lake.data_path import require_data_path
from headwater.lake.reader import LakeReader
from headwater.query.lake_errors import lake_error
from headwater.query.process import Answer, DuckDBProcess, StatementFailed
from headwater.query.statement import Write, classify
from headwater.sql.split import ScriptStatement
from headwater.sql.statements import ObjectName
from headwater.store.database import Database

TRIES = 10
_PAUSE = 0.05
_METADATA = "__ducklake_metadata_"
_OTHER_CATALOGS = frozenset({"memory", "system", "temp"})


def execute(
    duckdb: DuckDBProcess,
    database: Database,
    pieces: Sequence[ScriptStatement],
    *,
    refuse: Callable[[ObjectName], str | None],
    limit: int | None = None,
    parameters: Sequence[Mapping[str, Any]] = (),
) -> list[Answer]:
    """Run the statements in one transaction, and return the result of each.

    `parameters` has the encoded values of each statement's parameters. `refuse` returns the qualified name of the dynamic table
    that a name refers to, if it does.
    """
    writes = [(piece, name) for piece in pieces if isinstance(kind := classify(piece), Write) for name in kind.tables]
    locks = {lock_name(piece, name, duckdb.name) for piece, name in writes}
    # A single SELECT needs no transaction, and without one it blocks writers of a SQLite catalog for a shorter time.
    transaction = bool(writes) or len(pieces) > 1
    if writes:
        database.admit()
    with database.locked(locks) if locks else nullcontext():
        for piece, name in writes:
            refuse_dynamic(piece, refuse(name))
        if writes and not os.path.isdir(duckdb.data_path):
            with database.read() as connection:
                require_data_path(connection, duckdb.data_path)
        texts = [piece.text for piece in pieces]
        try:
            answers = _try(
                lambda: duckdb.run(texts, transaction=transaction, limit=limit, parameters=parameters), pieces
            )
        except StatementFailed as error:
            if (cause := lake_error(error, database, duckdb.data_path)) is None:
                raise
            raise cause from error
        if writes:
            note_newest(database)
        return answers


def note_newest(database: Database) -> None:
    """Tell the database's gate of the snapshot that DuckDB committed."""
    if database.gate is None:
        return
    # Without the note, the marker names an older snapshot, which is harmless; the change is committed.
    with suppress(StoreError):
        with database.read() as connection:
            newest = LakeReader(connection, "").latest()
        database.gate.note_snapshot(newest.id, newest.time)


def refuse_dynamic(piece: ScriptStatement, dynamic: str | None) -> None:
    """Refuse a change of the rows of the dynamic table of this name."""
    if dynamic is not None:
        raise DynamicTableReadOnly(
            f"dynamic table {dynamic} can't be changed by {piece.verb}",
            detail="Only refreshes change its rows.",
            hint="Change its sources, or its definition with ALTER DYNAMIC TABLE.",
            position=piece.position,
        )


def lock_name(piece: ScriptStatement, name: ObjectName, lake: str) -> str:
    """The name under which writers of a table lock it; refuses writes to other catalogs."""
    return folded(str(_qualified(piece, name, lake)))


def _qualified(piece: ScriptStatement, name: ObjectName, lake: str) -> TableName:
    """The table's name in the lake; refuses writes to other catalogs."""
    schema = name.schema or DEFAULT_SCHEMA
    catalog = name.catalog
    if catalog is None and (folded(schema) in _OTHER_CATALOGS | {folded(lake)} or folded(schema).startswith(_METADATA)):
        # If the lake has a schema of this name, DuckDB refuses the name as ambiguous.
        schema, catalog = DEFAULT_SCHEMA, schema
    if catalog is not None and folded(catalog) != folded(lake):
        raise InvalidRequest(
            f'catalog "{catalog}" can\'t be written to', hint=f'Write to tables of "{lake}".', position=piece.position
        )
    return TableName(schema, name.name)


def _try(run: Callable[[], list[Answer]], pieces: Sequence[ScriptStatement]) -> list[Answer]:
    for attempt in range(TRIES):
        try:
            return run()
        except StatementFailed as error:
            if not error.conflict or attempt == TRIES - 1:
                error.position = position_in_script(pieces[error.index].position, error.position)
                raise
            time.sleep(_PAUSE * 1.5**attempt * random.uniform(0.5, 1))
    raise AssertionError("the last try returns or raises")


def position_in_script(start: Position, within: Position | None) -> Position:
    """Convert a position in a statement to one in its script."""
    if within is None:
        return start
    return Position(start.line + within.line - 1, within.column + (start.column - 1 if within.line == 1 else 0))
