"""SHOW and DESC for dynamic tables."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any

from headwater.core.display_name import display_name
from headwater.core.names import folded
from headwater.core.table_status import TableStatus
from headwater.lake.resolve_names import resolve_schema
from headwater.lake.site import Site
from headwater.refresh.current_definition import current_definition
from headwater.refresh.find import find_dynamic
from headwater.registry.definitions import AfterDependency, written
from headwater.service.refresh_history import HISTORY, history_row, load_history
from headwater.service.result import Result
from headwater.service.status import status
from headwater.service.versions import VERSIONS, VersionStatus, version_row
from headwater.sql.dynamic_statements import ShowRefreshHistory
from headwater.sql.row_filter import matcher
from headwater.sql.statements import ObjectName, SchemaName

STATUS = (
    "schema_name",
    "name",
    "state",
    "freshness",
    "lag",
    "target_lag",
    "refresh_mode",
    "version",
    "data_snapshot",
    "last_action",
    "last_state",
    "last_refresh",
    "suspended_reason",
    "waiting_reason",
    "refreshing_since",
)


def show_tables(site: Site, like: str | None, schema: SchemaName | None) -> Result:
    """SHOW DYNAMIC TABLES."""
    wanted = folded(resolve_schema(schema)) if schema else None
    rows = [
        _status_row(each)
        for each in status(site)
        if (wanted is None or folded(each.name.schema) == wanted) and (like is None or _like(each.name.name, like))
    ]
    return Result(STATUS, tuple(rows))


def describe(site: Site, name: ObjectName) -> Result:
    """DESC DYNAMIC TABLE: its columns, then its properties."""
    with site.reader() as reader:
        table = find_dynamic(reader, name)
        at = reader.latest().id
        schema = reader.schema(reader.find_table(table.name, at), at)
        current = current_definition(reader, table)
    seen = next(each for each in status(site) if each.name == table.name)
    comments = {folded(output.name): output.comment for output in table.statement.columns}
    rows: list[tuple[str, str, str | None]] = [
        (column.name, column.type_text(), comments.get(folded(column.name))) for column in schema
    ]
    rows.append(("", "", None))
    facts: dict[str, Any] = dict(zip(STATUS, _status_row(seen), strict=True)) | {
        "warehouse": seen.warehouse,
        "sources": ", ".join(map(str, current.sources)),
        **({"after": ", ".join(map(_awaited, table.after))} if table.after else {}),
        "definition_version": table.version,
        "created_at": table.created_at.isoformat(),
        "query": current.statement.query,
    }
    rows += [(f"# {key}", "" if value is None else str(value), None) for key, value in facts.items()]
    return Result(("column_name", "data_type", "comment"), tuple(rows))


def show_create(site: Site, name: ObjectName) -> Result:
    """SHOW CREATE DYNAMIC TABLE: the definition under the present names of the table and of what it reads."""
    with site.reader() as reader:
        table = find_dynamic(reader, name)
        current = current_definition(reader, table)
    name = ObjectName(table.name.name, table.name.schema)
    comments = (f"-- {problem}\n" for problem in current.problems)
    return Result(("statement",), (("".join((*comments, written(current.statement.as_definition(name))[0])),),))


def show_history(site: Site, statement: ShowRefreshHistory) -> Result:
    """SHOW DYNAMIC TABLE REFRESH HISTORY."""
    rows = [history_row(refresh) for refresh in load_history(site, statement.table)]
    if statement.where is not None:
        holds = matcher(statement.where, HISTORY)
        rows = [row for row in rows if holds(dict(zip(HISTORY, row, strict=True)))]
    return Result(HISTORY, tuple(rows[: statement.limit]))


def show_versions(found: Iterable[VersionStatus]) -> Result:
    """SHOW DYNAMIC TABLE VERSIONS."""
    return Result(VERSIONS, tuple(map(version_row, found)))


def _awaited(each: AfterDependency) -> str:
    shown = display_name(each.name)
    return f"{shown} (dropped, ignored)" if each.dropped else shown


def _status_row(each: TableStatus) -> tuple[Any, ...]:
    return (
        each.name.schema,
        each.name.name,
        each.state,
        each.freshness,
        timedelta(seconds=round(each.lag)),
        None if each.target_lag is None else timedelta(seconds=round(each.target_lag)),
        each.refresh_mode,
        each.version,
        each.data_snapshot,
        each.last_action,
        each.last_state,
        each.last_refresh,
        each.suspended_reason,
        each.waiting_reason,
        each.refreshing_since,
    )


def _like(name: str, pattern: str) -> bool:
    """SQL's LIKE, without regard to case."""
    shell = "".join({"%": "*", "_": "?"}.get(c, f"[{c}]" if c in "*?[" else c) for c in folded(pattern))
    return fnmatchcase(folded(name), shell)
