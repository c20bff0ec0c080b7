"""Render statements about dynamic tables as canonical text: `parse(render_dynamic(s, d), d)` is `s`."""

from __future__ import annotations

from typing import assert_never

from headwater.sql.dynamic_statements import (
    AddDynamicColumn,
    CancelRefresh,
    CreateDynamicTable,
    DescribeDynamicTable,
    DropDynamicTable,
    DynamicStatement,
    ExplainDynamicTable,
    NamedOutput,
    RefreshDynamicTable,
    RenameDynamicColumn,
    RenameDynamicTable,
    RestoreDynamicTable,
    ResumeDynamicTable,
    SetDynamicTable,
    ShowCreateDynamicTable,
    ShowDynamicTables,
    ShowJobProfile,
    ShowRefreshHistory,
    ShowTableVersions,
    SuspendDynamicTable,
    SwapDynamicTable,
    UndropDynamicTable,
    UnsetDynamicTable,
    VerifyDynamicTable,
)
from headwater.sql.properties import render_properties
from headwater.sql.render_names import Quotes, render_name
from headwater.sql.statements import ObjectName, SchemaName


def render_dynamic(statement: DynamicStatement, dialect: str = "duckdb") -> str:
    """The statement in the dialect of its query, with every name quoted.

    >>> render_dynamic(SuspendDynamicTable(ObjectName("daily", "shop"), if_exists=True))
    'ALTER DYNAMIC TABLE IF EXISTS "shop"."daily" SUSPEND'
    """
    return _Renderer(dialect).statement(statement)


class _Renderer:
    """Renders with the quotes of one dialect."""

    def __init__(self, dialect: str) -> None:
        self._quotes = Quotes(dialect)
        self._quote, self._string = self._quotes.name, self._quotes.string

    def statement(self, statement: DynamicStatement) -> str:
        match statement:
            case CreateDynamicTable():
                return self._create(statement)
            case RefreshDynamicTable(names):
                return f"REFRESH DYNAMIC TABLE {', '.join(self._name(name) for name in names)}"
            case DropDynamicTable(name, if_exists):
                return f"DROP DYNAMIC TABLE {_if_exists(if_exists)}{self._name(name)}"
            case UndropDynamicTable(name):
                return f"UNDROP DYNAMIC TABLE {self._name(name)}"
            case DescribeDynamicTable(name):
                return f"DESCRIBE DYNAMIC TABLE {self._name(name)}"
            case ShowCreateDynamicTable(name):
                return f"SHOW CREATE DYNAMIC TABLE {self._name(name)}"
            case ShowDynamicTables():
                return self._show(statement)
            case ShowRefreshHistory():
                return self._history(statement)
            case ShowJobProfile(job_id, table):
                of = f"FOR {self._name(table)}" if table is not None else self._string(job_id or "")
                return f"SHOW DYNAMIC TABLE JOB PROFILE {of}"
            case ShowTableVersions(table):
                return f"SHOW DYNAMIC TABLE VERSIONS{'' if table is None else f' FOR {self._name(table)}'}"
            case ExplainDynamicTable(target, refresh):
                if isinstance(target, CreateDynamicTable):
                    return f"EXPLAIN {self._create(target)}"
                return f"EXPLAIN {'REFRESH ' if refresh else ''}DYNAMIC TABLE {self._name(target)}"
            case VerifyDynamicTable(name):
                return f"VERIFY DYNAMIC TABLE {self._name(name)}"
            case RestoreDynamicTable(name, version, timestamp):
                to = f"VERSION {version}" if timestamp is None else f"TIMESTAMP {self._string(timestamp)}"
                return f"RESTORE DYNAMIC TABLE {self._name(name)} TO {to}"
            case SuspendDynamicTable(name, if_exists) | ResumeDynamicTable(name, if_exists):
                action = "SUSPEND" if isinstance(statement, SuspendDynamicTable) else "RESUME"
                return f"ALTER DYNAMIC TABLE {_if_exists(if_exists)}{self._name(name)} {action}"
            case _:
                return f"ALTER DYNAMIC TABLE {self._name(statement.name)} {self._action(statement)}"

    def _action(self, statement: _Action) -> str:
        match statement:
            case CancelRefresh():
                return "CANCEL REFRESH"
            case RenameDynamicTable(_, new_name):
                return f"RENAME TO {self._quote(new_name)}"
            case SwapDynamicTable(_, other):
                return f"SWAP WITH {self._name(other)}"
            case SetDynamicTable(_, properties):
                return f"SET {' '.join(render_properties(properties, self._quotes))}"
            case UnsetDynamicTable(_, names):
                return f"UNSET {', '.join(names)}"
            case AddDynamicColumn(_, expression, column):
                return f"ADD COLUMN {expression} AS {self._quote(column)}"
            case RenameDynamicColumn(_, column, new_name):
                return f"RENAME COLUMN {self._quote(column)} TO {self._quote(new_name)}"
            case _:
                assert_never(statement)

    def _create(self, table: CreateDynamicTable) -> str:
        verb = "CREATE OR REPLACE" if table.or_replace else "CREATE OR ALTER" if table.or_alter else "CREATE"
        outputs = f" ({', '.join(self._output(column) for column in table.columns)})" if table.columns else ""
        head = (
            f"{verb} DYNAMIC TABLE {'IF NOT EXISTS ' if table.if_not_exists else ''}{self._name(table.name)}{outputs}"
        )
        return "\n".join((head, *render_properties(table.properties, self._quotes), "AS", table.query))

    def _output(self, column: NamedOutput) -> str:
        comment = "" if column.comment is None else f" COMMENT {self._string(column.comment)}"
        return self._quote(column.name) + comment

    def _show(self, show: ShowDynamicTables) -> str:
        like = "" if show.like is None else f" LIKE {self._string(show.like)}"
        schema = "" if show.schema is None else f" IN {self._name(show.schema)}"
        return f"SHOW DYNAMIC TABLES{like}{schema}"

    def _history(self, history: ShowRefreshHistory) -> str:
        table = "" if history.table is None else f" FOR {self._name(history.table)}"
        where = "" if history.where is None else f" WHERE {history.where}"
        limit = "" if history.limit is None else f" LIMIT {history.limit}"
        return f"SHOW DYNAMIC TABLE REFRESH HISTORY{table}{where}{limit}"

    def _name(self, name: ObjectName | SchemaName) -> str:
        return render_name(name, self._quote)


_Action = (
    CancelRefresh
    | RenameDynamicTable
    | SwapDynamicTable
    | SetDynamicTable
    | UnsetDynamicTable
    | AddDynamicColumn
    | RenameDynamicColumn
)


def _if_exists(found: bool) -> str:
    return "IF EXISTS " if found else ""
