"""What the next refresh of a dynamic table would do, and why; also for one that does not exist yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.core.names import TableName
from headwater.delta.plan import RefreshAction
from headwater.refresh.prepare import Held, Idle, prepare
from headwater.service.create import check
from headwater.service.find import find_dynamic
from headwater.service.result import Result
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.statements import ObjectName

if TYPE_CHECKING:
    from headwater.service.lake import Lake


@dataclass(frozen=True, slots=True)
class Explanation:
    """The plan of a refresh: what it does and why, the SQL that Spark runs, and what that reads."""

    name: TableName
    refresh_mode: str
    action: str
    reason: str
    sql: str | None
    sources: tuple[TableName, ...]
    files: int
    bytes: int
    columns: tuple[tuple[str, str], ...] = ()

    def result(self) -> Result:
        """One property a row."""
        rows: list[tuple[str, str]] = [
            ("name", str(self.name)),
            ("refresh_mode", self.refresh_mode),
            ("action", self.action),
            ("reason", self.reason),
            ("sources", ", ".join(map(str, self.sources))),
            ("files", str(self.files)),
            ("bytes", str(self.bytes)),
        ]
        if self.columns:
            rows.append(("columns", ", ".join(f"{name} {type_name}" for name, type_name in self.columns)))
        if self.sql:
            rows.append(("sql", self.sql))
        return Result(("property", "value"), tuple(rows))


def explain(lake: Lake, target: ObjectName | CreateDynamicTable) -> Explanation:
    """The plan for a table, or for a definition that is checked but not created."""
    if isinstance(target, CreateDynamicTable):
        return _new(lake, target)
    with lake.reader() as reader:
        table = find_dynamic(reader, target)
        prepared = prepare(reader, table, reader.latest().id, lake.clock.now())
    mode = table.statement.properties.refresh_mode or "AUTO"
    if isinstance(prepared, Idle):
        names = tuple(source.name for source in table.sources)
        return Explanation(table.name, mode, RefreshAction.NO_DATA, prepared.reason, None, names, 0, 0)
    if isinstance(prepared, Held):
        action = "SKIPPED" if prepared.suspended else "FULL"
        reason = prepared.reason if prepared.suspended else f"{prepared.reason} and is refreshed first"
        return Explanation(table.name, mode, action, reason, None, (), 0, 0)
    read = prepared.sources.values() if prepared.plan.sql else ()
    return Explanation(
        table.name,
        mode,
        prepared.plan.action,
        prepared.plan.reason,
        prepared.plan.sql,
        tuple(source.name for source in prepared.bound.sources),
        sum(len(at.files) for at in read),
        sum(at.bytes for at in read),
    )


def _new(lake: Lake, statement: CreateDynamicTable) -> Explanation:
    checked = check(lake, statement)
    read = checked.query.sources.values()
    return Explanation(
        checked.name,
        statement.properties.refresh_mode or "AUTO",
        "REINITIALIZE",
        "first refresh",
        checked.query.sql,
        tuple(source.name for source in checked.bound.sources),
        sum(len(at.files) for at in read),
        sum(at.bytes for at in read),
        tuple((column.name, column.type_text()) for column in checked.columns),
    )
