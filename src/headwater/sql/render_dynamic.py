"""Statements about dynamic tables to canonical text: `parse(render_dynamic(s, d), d)` is `s`."""

from __future__ import annotations

from typing import assert_never

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.sql.dynamic_freshness import UNITS
from headwater.sql.dynamic_statements import (
    AddDynamicColumn,
    CancelRefresh,
    CreateDynamicTable,
    DescribeDynamicTable,
    DropDynamicTable,
    DynamicStatement,
    ExplainDynamicTable,
    NamedOutput,
    Properties,
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
    SuspendDynamicTable,
    SwapDynamicTable,
    UndropDynamicTable,
    UnsetDynamicTable,
    VerifyDynamicTable,
)
from headwater.sql.render_names import quote_of, render_name, render_partition_keys
from headwater.sql.statements import ObjectName, SchemaName


def render_dynamic(statement: DynamicStatement, dialect: str = "duckdb") -> str:
    """The statement in the dialect that its query is written in, every name quoted.

    >>> render_dynamic(SuspendDynamicTable(ObjectName("daily", "shop"), if_exists=True))
    'ALTER DYNAMIC TABLE IF EXISTS "shop"."daily" SUSPEND'
    """
    return _Renderer(dialect).statement(statement)


class _Renderer:
    """Renders with the quotes of one dialect."""

    def __init__(self, dialect: str) -> None:
        self._quote = quote_of(dialect)
        self._string = _doubled if dialect == "duckdb" else _backslashed

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
                return f"SET {' '.join(self._properties(properties))}"
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
        return "\n".join((head, *self._properties(table.properties), "AS", table.query))

    def _output(self, column: NamedOutput) -> str:
        comment = "" if column.comment is None else f" COMMENT {self._string(column.comment)}"
        return self._quote(column.name) + comment

    def _properties(self, given: Properties) -> list[str]:
        texts = {
            "REFRESH_MODE": given.refresh_mode,
            "INITIALIZE": given.initialize,
            "DEDUPLICATION": None if given.deduplication is None else str(given.deduplication).upper(),
            "CARDINALITY_THRESHOLD": given.cardinality_threshold,
            "WAREHOUSE": None if given.warehouse is None else self._quote(given.warehouse),
            "COMMENT": None if given.comment is None else self._string(given.comment),
            "DATA_RETENTION_TIME_IN_DAYS": given.data_retention_days,
            "PRIORITY": given.priority,
            "AUTO_COMPACT": None if given.auto_compact is None else str(given.auto_compact).upper(),
            "AFTER": None if given.after is None else self._string(_names(given.after)),
            "DIALECT": given.dialect,
        }
        found = [f"{name} = {text}" for name, text in texts.items() if text is not None]
        if given.partitioned_by is not None:
            found.append(f"PARTITIONED BY ({render_partition_keys(given.partitioned_by, self._quote)})")
        if given.cluster_by is not None:
            found.append(f"CLUSTER BY ({', '.join(self._quote(column) for column in given.cluster_by)})")
        return found if given.freshness is None else [self._freshness(given.freshness), *found]

    def _freshness(self, freshness: Freshness) -> str:
        match freshness:
            case TargetLag(seconds):
                number, unit = _in_largest_unit(seconds)
                return f"TARGET_LAG = '{number} {unit.lower()}{'s' if number > 1 else ''}'"
            case Downstream():
                return "TARGET_LAG = DOWNSTREAM"
            case Interval(seconds, start_at):
                start = "" if start_at is None else f"START WITH TIMESTAMP '{start_at.isoformat(sep=' ')}' "
                number, unit = _in_largest_unit(seconds)
                return f"REFRESH {start}INTERVAL {number} {unit}"
            case Cron(expression):
                return f"SCHEDULE = {self._string(expression)}"
            case OnDemand():
                return "REFRESH ON DEMAND"
            case _:
                assert_never(freshness)

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


def _names(names: tuple[ObjectName, ...]) -> str:
    """Names within a string are quoted in one way, whatever the dialect around it."""
    return ", ".join(render_name(name, quote_of("duckdb")) for name in names)


def _in_largest_unit(seconds: int) -> tuple[int, str]:
    """A duration in the largest unit that it is a whole number of.

    >>> _in_largest_unit(7200), _in_largest_unit(90)
    ((2, 'HOUR'), (90, 'SECOND'))
    """
    unit = next(unit for unit, length in UNITS.items() if seconds % length == 0)
    return seconds // UNITS[unit], unit


def _if_exists(found: bool) -> str:
    return "IF EXISTS " if found else ""


def _doubled(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _backslashed(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
