"""The table references of a query, and the qualified columns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from headwater.core.names import folded

Scope = frozenset[str]


def table_references(tree: exp.Expr) -> list[exp.Table]:
    """The tables and views that a query reads, without common table expressions and table functions.

    >>> import sqlglot
    >>> text = "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b, range(3)"
    >>> [table.name for table in table_references(sqlglot.parse_one(text, dialect="spark"))]
    ['b']
    """
    found: list[exp.Table] = []
    todo: list[tuple[exp.Expr, Scope]] = [(tree, frozenset())]
    while todo:
        node, visible = todo.pop()
        if isinstance(node, exp.Table) and not _is_common(node, visible) and not isinstance(node.this, exp.Func):
            found.append(node)
        with_ = node.args.get("with_")
        if isinstance(with_, exp.With):
            for cte in with_.expressions:
                own = visible | {folded(cte.alias)}
                todo.append((cte, own if with_.recursive else visible))
                visible = own
        todo += [(child, visible) for child in node.iter_expressions() if child is not with_]
    return sorted(found, key=start)


def _is_common(table: exp.Table, visible: Scope) -> bool:
    return not table.args.get("db") and folded(table.name) in visible


def name_parts(table: exp.Table) -> list[exp.Expr]:
    """The identifiers of a table's name, outermost first."""
    return [table.args[key] for key in ("catalog", "db", "this") if table.args.get(key)]


def column_parts(column: exp.Column) -> list[exp.Expr]:
    """The identifiers of a column reference, including qualifiers and nested fields.

    >>> import sqlglot
    >>> [part.name for part in column_parts(sqlglot.parse_one("a.b.c.d.e", dialect="spark").find(exp.Column))]
    ['a', 'b', 'c', 'd', 'e']
    """
    parts = [column.args[key] for key in ("catalog", "db", "table", "this") if column.args.get(key)]
    node: exp.Expr = column
    while isinstance(node.parent, exp.Dot) and node.arg_key == "this":
        node = node.parent
        parts.append(node.expression)
    return parts


def selects_around(node: exp.Expr) -> Iterator[exp.Select]:
    """The SELECTs that contain a node, from the innermost."""
    select = node.find_ancestor(exp.Select)
    while select is not None:
        yield select
        select = select.find_ancestor(exp.Select)


def start(node: exp.Expr) -> int:
    """The offset of the first word below a node."""
    return min((part.meta["start"] for part in node.walk() if "start" in part.meta), default=0)
