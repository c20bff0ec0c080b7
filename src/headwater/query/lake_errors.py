"""Errors of DuckDB about the lake's tables and snapshots, as errors of Headwater."""

from __future__ import annotations

from difflib import get_close_matches

from headwater.core.display_name import display_name
from headwater.core.errors import HeadwaterError
from headwater.core.names import DEFAULT_SCHEMA, TableName, folded
from headwater.lake.reader import LakeReader
from headwater.query.environment_errors import environment_error
from headwater.query.process import StatementFailed
from headwater.store.database import Database


def lake_error(failed: StatementFailed, database: Database, folder: str) -> HeadwaterError | None:
    """The error in place of DuckDB's; None if DuckDB's is right, with a similar name of the lake if a table is unknown.

    `folder` is the lake's data path.
    """
    if failed.missing_snapshot is not None:
        with database.read() as connection:
            error = LakeReader(connection, folder).missing_snapshot(failed.missing_snapshot)
        error.position = failed.position
        return error
    if failed.missing_table is not None:
        with database.read() as connection:
            reader = LakeReader(connection, folder)
            at = reader.latest().id
            names = [*(table.name for table in reader.tables(at)), *(view.name for view in reader.views(at))]
        similar = similar_name(failed.missing_table, names)
        failed.detail = f"Did you mean {display_name(similar)}?" if similar else None
    return environment_error(failed, database, folder)


def similar_name(name: str, known: list[TableName]) -> TableName | None:
    """The table or view of this name in another schema than `main`, or else that of the most similar name.

    >>> known = [TableName("main", "customers"), TableName("shop", "orders")]
    >>> similar_name("Orders", known) == similar_name("order", known) == known[1]
    True
    >>> similar_name("customers", known), similar_name("nope", known)
    (None, None)
    """
    same = [each for each in known if folded(each.name) == folded(name)]
    if same:
        # A table of this name in `main` was found, but not at the snapshot of AT.
        return None if any(folded(each.schema) == DEFAULT_SCHEMA for each in same) else same[0]
    by_name = {folded(each.name): each for each in known}
    close = get_close_matches(folded(name), by_name, n=1)
    return by_name[close[0]] if close else None
