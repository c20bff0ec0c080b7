"""The table in FROM that a column of a query belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from headwater.core.names import TableName, folded
from headwater.sql.statements import ObjectName
from headwater.sql.table_references import column_parts

_ROWS = (exp.Select, exp.SetOperation)
_RELATIONS = (exp.Table, exp.Subquery, exp.Lateral, exp.Unnest, exp.Values)
# In these clauses a name may stand for an expression of the SELECT list or for a column.
_SEES_OUTPUTS = (exp.Group, exp.Having, exp.Order, exp.Qualify, exp.Sort, exp.Cluster, exp.Distribute)


@dataclass(frozen=True, slots=True)
class RenamedSource:
    """A table that a query reads: its name today, and its columns by the names that the query uses and today's names.

    `renamed` tells whether the table itself has another name than in the query.
    """

    name: TableName
    renamed: bool
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def changed_columns(self) -> dict[str, str]:
        """The columns with another name today, by the folded name in the query."""
        return {folded(before): today for before, today in self.columns if before != today}


FindSource = Callable[[ObjectName], RenamedSource | None]


@dataclass(frozen=True, slots=True, eq=False)
class SourceReference:
    """A table in FROM, and what it is today."""

    table: exp.Table
    source: RenamedSource

    @property
    def alias(self) -> str:
        return folded(self.table.alias_or_name)

    @property
    def rows(self) -> exp.Expr | None:
        """The SELECT with this FROM."""
        return rows_around(self.table)

    @property
    def changed(self) -> dict[str, str]:
        """The renamed columns; none if the alias names the columns by position, as in `orders AS o (a, b)`."""
        return {} if self._lists_columns else self.source.changed_columns

    @property
    def is_edited(self) -> bool:
        return self.source.renamed or bool(self.changed)

    def has(self, name: str) -> bool:
        """Whether the query knows a column of this folded name."""
        return not self._lists_columns and any(folded(before) == name for before, _ in self.source.columns)

    @property
    def _lists_columns(self) -> bool:
        alias = self.table.args.get("alias")
        return alias is not None and bool(alias.args.get("columns"))


@dataclass(frozen=True, slots=True)
class ColumnOwner:
    """The table of a column, None for another relation; `at` is the place of the column's name behind its qualifiers."""

    reference: SourceReference | None
    at: int = 0
    certain: bool = True


class ColumnOwners:
    """Finds the table of each column of one query, without the columns of its subqueries and views."""

    def __init__(self, references: Sequence[SourceReference], find: FindSource) -> None:
        self._references = references
        self._find = find

    def owner(self, column: exp.Column) -> ColumnOwner:
        """The table that a column belongs to."""
        names = [part.name for part in column_parts(column)]
        for length in (3, 2):
            if len(names) > length and (found := self.qualified_by(column, names[:length])):
                return ColumnOwner(found, length)
        qualifier = folded(names[0])
        for rows in rows_outwards(column) if len(names) > 1 else ():
            same = self._with_alias(rows, qualifier)
            if same:
                return ColumnOwner(same[0] if len(same) == 1 else None, 1, len(same) == 1)
            if qualifier in self._other_aliases(rows):
                return ColumnOwner(None)
        # Without a qualifier, or a column of struct type before its fields.
        return self._by_name(column, qualifier)

    def qualified_by(self, column: exp.Column, path: Sequence[str]) -> SourceReference | None:
        """The edited table without alias that a path of schema and name stands for, in the innermost SELECT with one."""
        *before, name = path
        for rows in rows_outwards(column):
            same = [each for each in self._with_alias(rows, folded(name)) if not each.table.alias]
            if same:
                found = self._find(ObjectName(name, *reversed(before)))
                return next((each for each in same if found == each.source and each.is_edited), None)
        return None

    def is_hidden(self, column: exp.Column, reference: SourceReference) -> bool:
        """Whether the table's alias means another relation at the column, or more than one."""
        for rows in rows_outwards(column):
            same = self._with_alias(rows, reference.alias)
            if same or reference.alias in self._other_aliases(rows):
                return same != [reference] or reference.alias in self._other_aliases(rows)
        return True

    def is_alone(self, column: exp.Column, reference: SourceReference) -> bool:
        """Whether no other relation can have a column of any name there."""
        rows = rows_around(column)
        others = [each for each in self._references if each.rows is rows and each is not reference]
        return rows is not None and rows is reference.rows and not others and not self._others(rows)

    def _by_name(self, column: exp.Column, name: str) -> ColumnOwner:
        certain = True
        for rows in rows_outwards(column):
            if isinstance(rows, exp.SetOperation) or _is_output(column, rows, name):
                return ColumnOwner(None)
            owners = [each for each in self._references if each.rows is rows and each.has(name)]
            if owners:
                clear = certain and len(owners) == 1 and not _may_be_output(column, rows, name)
                return ColumnOwner(owners[0], 0, clear)
            certain = certain and not self._others(rows)
        return ColumnOwner(None)

    def _with_alias(self, rows: exp.Expr, alias: str) -> list[SourceReference]:
        return [each for each in self._references if each.rows is rows and each.alias == alias]

    def _others(self, rows: exp.Expr) -> list[exp.Expr]:
        """The relations in FROM whose columns are not known: subqueries, common table expressions, views, functions."""
        known = {id(each.table) for each in self._references if each.source.columns}
        return [
            node
            for node in rows.find_all(*_RELATIONS)
            if id(node) not in known
            and (isinstance(node.parent, exp.From | exp.Join) or node.arg_key == "laterals")
            and rows_around(node) is rows
        ]

    def _other_aliases(self, rows: exp.Expr) -> set[str]:
        return {folded(node.alias_or_name) for node in self._others(rows)}


def rows_around(node: exp.Expr) -> exp.Expr | None:
    """The innermost SELECT or set operation around a node."""
    found: exp.Expr | None = node.find_ancestor(*_ROWS)
    return found


def rows_outwards(node: exp.Expr) -> Iterator[exp.Expr]:
    """The SELECTs and set operations that contain a node, from the innermost."""
    rows = rows_around(node)
    while rows is not None:
        yield rows
        rows = rows_around(rows)


def _is_output(column: exp.Column, rows: exp.Expr, name: str) -> bool:
    """Whether a name in ORDER BY is that of an output."""
    order = column.find_ancestor(exp.Order, exp.Window, *_ROWS)
    return (
        isinstance(order, exp.Order)
        and order.parent is rows
        and any(folded(each.alias_or_name) == name for each in rows.expressions)
    )


def _may_be_output(column: exp.Column, rows: exp.Expr, name: str) -> bool:
    """Whether a name may be that of a computed output."""
    clause = column.find_ancestor(*_SEES_OUTPUTS, *_ROWS)
    return isinstance(clause, _SEES_OUTPUTS) and any(
        isinstance(each, exp.Alias)
        and folded(each.alias) == name
        and not (isinstance(each.this, exp.Column) and folded(each.this.name) == name)
        for each in rows.expressions
    )
