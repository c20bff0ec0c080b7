"""Render results as rows under column names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from headwater.core.names import TableName
from headwater.maintain.step_result import COLUMNS, StepResult
from headwater.refresh.explain import Explanation
from headwater.refresh.outcome import RefreshOutcome
from headwater.refresh.verify import Verification
from headwater.service.profile import JobProfile
from headwater.service.result import Result


def explanation(found: Explanation) -> Result:
    """One property a row."""
    rows: list[tuple[str, str]] = [
        ("name", str(found.name)),
        ("refresh_mode", found.refresh_mode),
        ("action", found.action),
        ("reason", found.reason),
        *([("strategy", found.strategy)] if found.strategy else []),
        *([("not incremental because", found.blocked)] if found.blocked else []),
        ("sources", ", ".join(map(str, found.sources))),
        ("files", str(found.files)),
        ("bytes", str(found.bytes)),
        *([("bytes of all sources", str(found.source_bytes))] if found.source_bytes else []),
    ]
    if found.columns:
        rows.append(("columns", ", ".join(f"{name} {type_name}" for name, type_name in found.columns)))
    if found.state:
        rows.append(("state", ", ".join(f"{name} {type_name}" for name, type_name in found.state)))
    if found.sql:
        rows.append(("sql", found.sql))
    return Result(("property", "value"), tuple(rows))


def verification(found: Verification) -> Result:
    """The differing rows, each missing or unexpected; one line if there are none."""
    if found.equal:
        return Result(("status", "data_snapshot"), (("equal", found.data_snapshot),))
    rows = [("missing", *row) for row in found.missing_rows] + [("unexpected", *row) for row in found.unexpected_rows]
    return Result(("difference", *found.columns), tuple(rows))


def job_profile(found: JobProfile) -> Result:
    """One property a row, those that are known."""
    phases = {f"{phase.name}_seconds": phase.seconds for phase in found.phases}
    rows: list[tuple[str, str]] = []
    for name in JobProfile.__slots__:
        value: Any = getattr(found, name)
        if name == "phases":
            rows += [(phase, str(seconds)) for phase, seconds in phases.items()]
        elif name == "sources":
            rows.append((name, ", ".join(map(str, value))))
        elif isinstance(value, datetime):
            rows.append((name, value.isoformat()))
        elif value is not None:
            rows.append((name, str(value)))
    return Result(("property", "value"), tuple(rows))


def outcomes(found: Iterable[RefreshOutcome]) -> Result:
    """One row for each refresh."""
    columns = ("name", "state", "action", "reason", "rows_inserted", "rows_deleted", "data_snapshot", "seconds")
    return Result(
        columns,
        tuple(
            (
                str(o.name),
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
        return str(value)
    return round(value, 3) if isinstance(value, float) else value
