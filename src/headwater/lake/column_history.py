"""The versions of a table's columns, and which columns a file of an older version has."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

import sqlalchemy as sa

from headwater.core.names import folded
from headwater.core.schema import Column, Schema
from headwater.lake import catalog as c

_VERSIONS = sa.select(c.column).where(c.column.c.table_id == c.TABLE_ID)


@dataclass(frozen=True, slots=True)
class ColumnVersion:
    """One row of ducklake_column."""

    field_id: int
    begin: int
    end: int | None
    order: int
    parent: int | None
    column: Column

    def visible(self, at: int) -> bool:
        return self.begin <= at and (self.end is None or at < self.end)


class ColumnHistory:
    """Every version of every column of one table."""

    def __init__(self, versions: tuple[ColumnVersion, ...]) -> None:
        self._versions = versions
        self._edges = sorted({v.begin for v in versions} | {v.end for v in versions if v.end is not None})
        self._gaps: dict[tuple[int, Schema], tuple[frozenset[int], tuple[tuple[int, str], ...]]] = {}

    @staticmethod
    def load(connection: sa.Connection, table_id: int) -> ColumnHistory:
        """Read the history from the catalog."""
        rows = connection.execute(_VERSIONS, {"of_table": table_id}).all()
        return ColumnHistory(tuple(_version(row) for row in rows))

    def schema_at(self, at: int) -> Schema:
        """The columns that snapshot `at` shows, in order."""
        children: defaultdict[int | None, list[ColumnVersion]] = defaultdict(list)
        for version in self._versions:
            if version.visible(at):
                children[version.parent].append(version)

        def build(parent: int | None) -> tuple[Column, ...]:
            ordered = sorted(children[parent], key=lambda v: v.order)
            return tuple(
                Column(
                    name=v.column.name,
                    type=v.column.type,
                    field_id=v.field_id,
                    children=build(v.field_id),
                    nullable=v.column.nullable,
                    default=v.column.default,
                    default_is_expression=v.column.default_is_expression,
                    initial_default=v.column.initial_default,
                )
                for v in ordered
            )

        return Schema(build(None))

    def reused(self, schema: Schema) -> frozenset[int]:
        """The columns and struct fields of `schema` whose name another column or field of the same parent has ever had."""
        bearers: defaultdict[tuple[int | None, str], set[int]] = defaultdict(set)
        for version in self._versions:
            bearers[version.parent, folded(version.column.name)].add(version.field_id)
        shared = {field_id for bearing in bearers.values() if len(bearing) > 1 for field_id in bearing}
        return frozenset(column.field_id for column in schema.walk() if column.field_id in shared)

    def dropped(self, name: str) -> int | None:
        """The snapshot that dropped the last column or field of this name; None if there was none, or if it still exists."""
        wanted = name.casefold()
        bearers = {v.field_id for v in self._versions if v.column.name.casefold() == wanted}
        ends = [v.end for v in self._versions if v.field_id in bearers]
        gone = [end for end in ends if end is not None]
        remaining = {v.field_id for v in self._versions if v.end is None}
        return max(gone) if gone and not bearers & remaining else None

    def late_defaults(self, schema: Schema) -> tuple[Column, ...]:
        """The columns of `schema` that were added after the table was created, with a default for existing rows."""
        first = {v.field_id: min(w.begin for w in self._versions if w.field_id == v.field_id) for v in self._versions}
        born = min(first.values(), default=0)
        return tuple(c for c in schema if c.initial_default is not None and first[c.field_id] > born)

    def widened(self, schema: Schema, type_name: str) -> frozenset[int]:
        """The leaf columns of `schema` that now have this type and earlier had another one."""
        held: defaultdict[int, set[str]] = defaultdict(set)
        for version in self._versions:
            held[version.field_id].add(version.column.type)
        return frozenset(
            leaf.field_id for leaf in schema.leaves() if leaf.type == type_name and len(held[leaf.field_id]) > 1
        )

    def gaps(self, written_at: int, schema: Schema) -> tuple[frozenset[int], tuple[tuple[int, str], ...]]:
        """The columns of `schema` that a file written at a snapshot lacks, and its leaf columns of another type.

        A file has the columns that the table had at the file's begin_snapshot. This also holds for files that the extension
        flushes or merges, but not for files that it rewrites: these have the columns of the old file (see `data_files`).
        """
        key = (bisect_right(self._edges, written_at), schema)
        if key not in self._gaps:
            then = {v.field_id: v.column.type for v in self._versions if v.visible(written_at)}
            absent = frozenset(column.field_id for column in schema if column.field_id not in then)
            older_types = tuple(
                (leaf.field_id, then[leaf.field_id])
                for leaf in schema.leaves()
                if leaf.field_id in then and then[leaf.field_id] != leaf.type
            )
            self._gaps[key] = (absent, older_types)
        return self._gaps[key]


def _version(row: sa.Row[tuple[object, ...]]) -> ColumnVersion:
    # The extension writes NULL for "no default", and 'NULL' with quotes for a text column whose default is the word NULL.
    default = None if row.default_value in (None, "NULL") else row.default_value
    return ColumnVersion(
        field_id=row.column_id,
        begin=row.begin_snapshot,
        end=row.end_snapshot,
        order=row.column_order,
        parent=row.parent_column,
        column=Column(
            name=row.column_name,
            type=row.column_type,
            nullable=row.nulls_allowed is not False,
            default=default,
            default_is_expression=row.default_value_type == "expression",
            initial_default=row.initial_default,
        ),
    )
