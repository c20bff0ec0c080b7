"""The columns of its sources that a query may depend on, possibly more than it does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from headwater.core.errors import HeadwaterError
from headwater.core.names import folded
from headwater.core.schema import Schema
from headwater.sql.grammar import SparkQueries
from headwater.sql.table_references import column_parts, name_parts
from headwater.sql.tokens import TokenKind, tokenize

# Clauses that may read columns without naming them.
_READS_UNNAMED = (exp.Pivot,)
_ROWS = (exp.Select, exp.SetOperation)


def referenced_columns(sql: str, relations: Mapping[str, Schema]) -> dict[str, tuple[int, ...] | None]:
    """The field ids of the columns of each relation; None stands for all columns, including future ones.

    A name counts for every relation that has such a column, unless it is qualified by an alias.

    >>> from headwater.core.schema import Column
    >>> schema = Schema((Column("a", "int32", 1), Column("b", "int32", 2)))
    >>> referenced_columns("SELECT x.a FROM t x JOIN u ON x.a = u.b", {"t": schema, "u": schema})
    {'t': (1,), 'u': (2,)}
    """
    try:
        tokens = tokenize(sql, "spark").tokens
        tree = sqlglot.parse_one(sql, dialect=SparkQueries)
    except (HeadwaterError, SqlglotError):
        return dict.fromkeys(relations)
    for hint in list(tree.find_all(exp.Hint)):
        hint.pop()
    if tree.find(*_READS_UNNAMED):
        return dict.fromkeys(relations)
    exposed = _exposed(tree, relations)
    names = _names(tree, exposed)
    # A word that sqlglot parsed as a keyword may be a column name.
    known = {node.meta["start"] for node in tree.find_all(exp.Identifier) if "start" in node.meta}
    anybodys = names.anybodys | {
        folded(token.text)
        for token in tokens
        if token.kind in (TokenKind.WORD, TokenKind.QUOTED) and token.start not in known
    }
    whole = {relation for name in names.anybodys for relation in exposed.get(name, ())} | set(_whole(tree, relations))
    return {
        relation: None
        if relation in whole
        else tuple(
            column.field_id
            for column in schema
            if folded(column.name) in anybodys | names.structs | names.qualified[relation]
        )
        for relation, schema in relations.items()
    }


@dataclass(slots=True)
class _Names:
    """Unqualified names, qualifiers that may be struct columns, and names qualified by a relation."""

    anybodys: set[str] = field(default_factory=set)
    structs: set[str] = field(default_factory=set)
    qualified: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def _exposed(tree: exp.Expr, relations: Mapping[str, Schema]) -> dict[str, set[str]]:
    """Maps each alias to the relations that have it anywhere in the query."""
    found: dict[str, set[str]] = defaultdict(set)
    for table in tree.find_all(exp.Table):
        if table.name in relations and len(name_parts(table)) == 1:
            found[folded(table.alias_or_name)].add(table.name)
    return found


def _names(tree: exp.Expr, exposed: Mapping[str, set[str]]) -> _Names:
    names = _Names()
    for node in tree.find_all(exp.Column, exp.Identifier):
        if isinstance(node, exp.Column):
            first, *rest = [folded(part.name) for part in column_parts(node)]
            (names.structs if rest else names.anybodys).add(first)
            for relation in exposed.get(first, ()) if rest else ():
                names.qualified[relation].add(rest[0])
        elif not isinstance(node.parent, exp.Column | exp.Alias | exp.TableAlias | exp.Table | exp.Dot):
            names.anybodys.add(folded(node.name))
    return names


def _whole(tree: exp.Expr, relations: Mapping[str, Schema]) -> Iterator[str]:
    """The relations that a star, a natural join or a list of column aliases covers."""
    for star in tree.find_all(exp.Star):
        if not isinstance(star.parent, exp.Count):
            yield from _read_by(star.find_ancestor(exp.Select), relations)
    for join in tree.find_all(exp.Join):
        if join.args.get("method"):
            yield from _read_by(join.find_ancestor(exp.Select), relations)
    for table in tree.find_all(exp.Table):
        alias = table.args.get("alias")
        if table.name in relations and alias is not None and alias.args.get("columns"):
            yield table.name


def _read_by(select: exp.Select | None, relations: Mapping[str, Schema]) -> Iterator[str]:
    """The relations in the FROM of a SELECT, but not in that of its subqueries; all if there is no SELECT."""
    if select is None:
        yield from relations
        return
    for table in select.find_all(exp.Table):
        if table.name in relations and table.find_ancestor(*_ROWS) is select:
            yield table.name
