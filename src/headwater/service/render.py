"""Render results as rows under column names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwater.core.display_name import display_name
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshAction, RefreshRecord
from headwater.maintain.step_result import COLUMNS, StepResult
from headwater.refresh.explain import Explanation
from headwater.refresh.restore import Restored
from headwater.refresh.verify import Verification
from headwater.service.creation import Creation
from headwater.service.result import Result

CREATION = ("status", "schema_name", "name", "refresh_mode", "reason", "rows", "duration", "next_refresh")


def explanation(found: Explanation, *, with_sql: bool = True) -> Result:
    """One property a row; with the SQL of the table and of those that are refreshed first, unless it is left out."""
    rows: list[tuple[str, str]] = [
        ("name", display_name(found.name)),
        ("refresh_mode", found.refresh_mode),
        ("action", found.action),
        ("reason", found.reason),
        *([("strategy", found.strategy)] if found.strategy else []),
        *(
            ("refreshed first", f"{display_name(each.name)}: {_planned(each)}")
            for each in found.upstreams
            if each.action != RefreshAction.NO_DATA
        ),
        *([("not incremental because", found.blocked)] if found.blocked else []),
        ("sources", ", ".join(map(display_name, found.sources))),
        ("files", str(found.files)),
        ("bytes", str(found.bytes)),
        *([("bytes of all sources", str(found.source_bytes))] if found.source_bytes else []),
    ]
    if found.columns:
        rows.append(("columns", ", ".join(f"{name} {type_name}" for name, type_name in found.columns)))
    if found.state:
        rows.append(("state", ", ".join(f"{name} {type_name}" for name, type_name in found.state)))
    if with_sql:
        rows += [(f"sql of {display_name(each.name)}", each.sql) for each in found.upstreams if each.sql]
        rows += [("sql", found.sql)] if found.sql else []
    return Result(("property", "value"), tuple(rows))


def _planned(found: Explanation) -> str:
    """What a refresh would do, and why."""
    return f"{found.action}{f' {found.strategy}' if found.strategy else ''}, {found.reason}"


def creation(found: Creation) -> Result:
    """One line, with a warning if the table is refreshed in full although that was not asked for."""
    row = (
        found.status,
        found.name.schema,
        found.name.name,
        found.mode,
        found.reason,
        found.rows,
        found.duration,
        found.next_refresh,
    )
    return Result(CREATION, (row,), warnings=found.warnings)


def verification(found: Verification) -> Result:
    """The differing rows, each missing or unexpected; one line if there are none."""
    if found.equal:
        return Result(("status", "data_snapshot"), (("equal", found.data_snapshot),))
    rows = [("missing", *row) for row in found.missing_rows] + [("unexpected", *row) for row in found.unexpected_rows]
    return Result(("difference", *found.columns), tuple(rows))


def restored(found: Restored) -> Result:
    """One line."""
    did = ("restored", found.number, found.restored_from, found.record.rows_inserted, found.record.rows_deleted)
    return Result(("status", "version", "restored_from", "rows_inserted", "rows_deleted"), (did,))


def outcomes(found: Iterable[RefreshRecord]) -> Result:
    """One row for each refresh."""
    columns = ("name", "state", "action", "reason", "rows_inserted", "rows_deleted", "data_snapshot", "seconds")
    return Result(
        columns,
        tuple(
            (
                display_name(o.name),
                o.state,
                o.action,
                o.reason or (o.error.message.splitlines()[0] if o.error else None),
                o.rows_inserted,
                o.rows_deleted,
                o.data_snapshot,
                round(o.seconds, 3),
            )
            for o in found
        ),
    )


def maintenance(found: Sequence[StepResult]) -> Result:
    """The outcomes as rows."""
    rows = tuple(tuple(_shown(getattr(each, column)) for column in COLUMNS) for each in found)
    return Result(COLUMNS, rows)


def _shown(value: object) -> object:
    if isinstance(value, TableName):
        return display_name(value)
    return round(value, 3) if isinstance(value, float) else value
