"""Restate a query after the tables that it reads, or their columns, were renamed.

What the query computes stays the same, including the names of its columns. Text that no rename affects stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.snowflake import Snowflake
from sqlglot.dialects.spark import Spark

from headwater.core.errors import Position
from headwater.core.names import DEFAULT_SCHEMA, TableName, backquote, folded, quote
from headwater.core.reserved import RESERVED
from headwater.sql.column_owners import (
    ColumnOwner,
    ColumnOwners,
    FindSource,
    SourceReference,
    rows_around,
)
from headwater.sql.query import ParsedQuery, parse_query
from headwater.sql.splice import Edit, splice
from headwater.sql.statements import ObjectName
from headwater.sql.table_references import column_parts, name_parts, table_references
from headwater.sql.tokens import TokenKind

_WORDS = RESERVED.union(*(map(folded, dialect.Tokenizer.KEYWORDS) for dialect in (Spark, DuckDB, Snowflake)))


def rename_sources(text: str, dialect: str, find: FindSource, *, double_quoted_names: bool = False) -> str:
    """The query with today's names; `find` gives the table that a name in the query stands for, or None for a view.

    `double_quoted_names` says what double quotes enclose in Spark's dialect.

    >>> from headwater.sql.column_owners import RenamedSource
    >>> columns = (("id", "order_id"), ("amount", "amount"))
    >>> orders = RenamedSource(TableName("main", "sales"), True, columns)
    >>> rename_sources("SELECT o.id, amount FROM orders o -- all", "spark", lambda name: orders)
    'SELECT o.order_id AS id, amount FROM sales o -- all'
    >>> rename_sources("SELECT sum(orders.amount) AS s FROM orders", "spark", lambda name: orders)
    'SELECT sum(orders.amount) AS s FROM sales AS orders'
    >>> rename_sources("SELECT * FROM orders", "spark", lambda name: orders)
    'SELECT * FROM (SELECT order_id AS id, amount FROM sales) AS orders'
    """
    query = parse_query(text, dialect, Position(1, 1), double_quoted_names=double_quoted_names)
    references = [
        SourceReference(table, found)
        for table in table_references(query.tree)
        if (found := find(_object_name(table))) is not None
    ]
    if not any(each.is_edited for each in references):
        return text
    return splice(text, _Restated(query, references, find).edits(), 0, len(text))


@dataclass(slots=True)
class _Uses:
    """Where renamed columns are used.

    `direct` are the uses whose table is certain. A table in `whole` is replaced by a subquery with the old names.
    """

    direct: list[tuple[exp.Column, SourceReference, int]] = field(default_factory=list)
    whole: set[SourceReference] = field(default_factory=set)


class _Restated:
    """The edits of one query."""

    def __init__(self, query: ParsedQuery, references: Sequence[SourceReference], find: FindSource) -> None:
        self._query = query
        self._references = references
        self._owners = ColumnOwners(references, find)
        self._quoted = backquote if query.dialect == "spark" else quote
        words = (token for token in query.tokens if token.kind in (TokenKind.WORD, TokenKind.QUOTED))
        self._words = [folded(token.text) for token in words]
        self._common = {folded(cte.alias) for cte in query.tree.find_all(exp.CTE)}

    def edits(self) -> Iterator[Edit]:
        uses = self._uses()
        for reference in self._references:
            yield from self._table_edits(reference, reference in uses.whole)
        yield from self._qualifier_edits()
        for column, reference, at in uses.direct:
            if reference not in uses.whole:
                yield self._column_edit(column, reference, at)

    def _table_edits(self, reference: SourceReference, whole: bool) -> Iterator[Edit]:
        table, source = reference.table, reference.source
        parts = name_parts(table)
        begin, end = parts[0].meta["start"], parts[-1].meta["end"] + 1
        name = self._query.text[begin:end]
        if source.renamed:
            name = self._table_name(source.name, qualified=len(parts) > 1)
        alias = "" if table.alias else f" AS {self._name(table.name)}"
        if whole:
            columns = ", ".join(self._output(before, today) for before, today in source.columns)
            yield Edit(begin, end, f"(SELECT {columns} FROM {name}){alias}")
        elif source.renamed:
            yield Edit(begin, end, name + alias if self._needs_alias(reference) else name)

    def _needs_alias(self, reference: SourceReference) -> bool:
        """Whether columns may be qualified by the table's former name, or its new name means something else."""
        old, new = folded(reference.table.name), folded(reference.source.name.name)
        return old != new and (self._words.count(old) > 1 or new in self._words)

    def _qualifier_edits(self) -> Iterator[Edit]:
        """The edits that shorten shop.orders.id to orders.id where shop.orders has another name today."""
        for column in self._query.tree.find_all(exp.Column):
            parts = column_parts(column)
            for length in (3, 2):
                path = [part.name for part in parts[:length]]
                if len(parts) > length and self._owners.qualified_by(column, path):
                    yield Edit(parts[0].meta["start"], parts[length - 1].meta["end"] + 1, self._name(path[-1]))
                    break

    def _column_edit(self, column: exp.Column, reference: SourceReference, at: int) -> Edit:
        parts = column_parts(column)
        before = parts[at].name
        text = self._name(reference.changed[folded(before)])
        if at == 0 and not self._owners.is_alone(column, reference):
            text = f"{self._name(reference.table.alias_or_name)}.{text}"
        if isinstance(column.parent, exp.Select) and column.arg_key == "expressions" and at == len(parts) - 1:
            text += f" AS {self._name(before)}"
        return Edit(parts[at].meta["start"], parts[at].meta["end"] + 1, text)

    def _uses(self) -> _Uses:
        uses = _Uses()
        changed = {name for each in self._references for name in each.changed}
        for column in self._query.tree.find_all(exp.Column):
            names = [folded(part.name) for part in column_parts(column)]
            if changed.intersection(names):
                self._use(column, names, self._owners.owner(column), uses)
        uses.whole |= {each for each in self._references if each.changed and self._reads_unnamed(each)}
        others = set(self._other_names())
        uses.whole |= {each for each in self._references if not others.isdisjoint(each.changed)}
        return uses

    def _use(self, column: exp.Column, names: Sequence[str], owner: ColumnOwner, uses: _Uses) -> None:
        reference = owner.reference
        if not owner.certain:
            uses.whole |= {each for each in self._references if not each.changed.keys().isdisjoint(names)}
        elif reference is None or names[owner.at] not in reference.changed:
            return
        elif _names_no_output(column) and not self._owners.is_hidden(column, reference):
            uses.direct.append((column, reference, owner.at))
        else:
            uses.whole.add(reference)

    def _reads_unnamed(self, reference: SourceReference) -> bool:
        """Whether a star, a natural join or a pivot reads columns of the table without naming them."""
        rows = reference.rows
        if rows is None or self._query.tree.find(exp.Pivot) or _is_in_brackets(reference.table):
            return True
        stars = (star for star in rows.find_all(exp.Star) if not isinstance(star.parent, exp.Count))
        natural = (join for join in rows.find_all(exp.Join) if join.args.get("method"))
        return any(rows_around(node) is rows for nodes in (stars, natural) for node in nodes)

    def _other_names(self) -> Iterator[str]:
        """The names in the text that are not in a column, such as those of USING."""
        known = set()
        for node in self._query.tree.find_all(exp.Identifier):
            known.add(node.meta.get("start"))
            if not isinstance(node.parent, exp.Column | exp.Alias | exp.TableAlias | exp.Table | exp.Dot):
                yield folded(node.name)
        for token in self._query.tokens:
            if token.kind in (TokenKind.WORD, TokenKind.QUOTED) and token.start not in known:
                yield folded(token.text)

    def _output(self, before: str, today: str) -> str:
        return self._name(today) if before == today else f"{self._name(today)} AS {self._name(before)}"

    def _table_name(self, name: TableName, *, qualified: bool) -> str:
        plain = not qualified and name.schema == DEFAULT_SCHEMA and folded(name.name) not in self._common
        return self._name(name.name) if plain else f"{self._name(name.schema)}.{self._name(name.name)}"

    def _name(self, name: str) -> str:
        """The name, quoted if it must be."""
        plain = name.isascii() and name.isidentifier() and name == folded(name) and name not in _WORDS
        return name if plain else self._quoted(name)


def _object_name(table: exp.Table) -> ObjectName:
    *before, name = [part.name for part in name_parts(table)]
    return ObjectName(name, *reversed(before))


def _is_in_brackets(table: exp.Table) -> bool:
    """Whether the table stands in brackets that may have an alias of their own, as in `(a JOIN b) AS c`."""
    return isinstance(table.find_ancestor(exp.Subquery, exp.Select, exp.SetOperation), exp.Subquery)


def _names_no_output(column: exp.Column) -> bool:
    """Whether no output of the SELECT is named after the text of an expression with the column, as in `SELECT a + 1`."""
    node: exp.Expr = column
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        node = node.parent
    if node is column or node.parent is None or node.arg_key != "expressions":
        return True
    return isinstance(node, exp.Alias | exp.Aliases | exp.Dot)
