"""A dynamic table that copies another by the copy engine, created without Spark."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshRecord, RefreshTrigger
from headwater.core.schema import number
from headwater.core.semantics import definition_session
from headwater.lake import operations as op
from headwater.lake.uuid7 import uuid7
from headwater.refresh.compute import Compute
from headwater.refresh.run import Refresher
from headwater.registry import definitions, frontiers, install
from headwater.registry.definitions import Dependency, DynamicTable
from headwater.service.lake import Lake
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.parse import parse
from tests.fakes.copy_engine import COLUMNS, CopyEngine, stored_rows


def make_copied_table(lake: Lake) -> int:
    """The table t, and d that copies it and waits for its first refresh."""
    install.install(lake.database)
    lake.sql("CREATE TABLE t (i INT, v VARCHAR)")
    (statement,) = parse("CREATE DYNAMIC TABLE d AS SELECT i, v FROM t")
    assert isinstance(statement, CreateDynamicTable)
    name = TableName("main", "d")
    source = Dependency(lake.describe("t").table.id, TableName("main", "t"))

    def rows(committed: Committed) -> tuple[sa.Executable, ...]:
        table = DynamicTable(
            committed.tables[name], name, 1, statement, definition_session(), datetime.now(UTC), (source,)
        )
        return definitions.insert_stmts(table)

    created = op.CreateTableOp(name, number(COLUMNS), str(uuid7()))
    return lake.commit(Commit(lake.snapshots()[-1].id, (created,), rows=rows)).tables[name]


def check_copy(lake: Lake, table_id: int) -> None:
    """The table as readers see it is its source at the data snapshot."""
    expected = Counter(row for _, _, row in stored_rows(lake.describe("t", frontier_of(lake, table_id).snapshot)))
    assert Counter(row for _, _, row in stored_rows(lake.describe("d"))) == expected


def refresh_copy(lake: Lake, table_id: int) -> RefreshRecord:
    """Refresh the table to the newest snapshot, in this process."""
    tool = Refresher(lake.site, Compute(CopyEngine))
    return tool.refresh(table_id, lake.snapshots()[-1].id, datetime.now(UTC), RefreshTrigger.MANUAL)


def frontier_of(lake: Lake, table_id: int) -> frontiers.Frontier:
    """The frontier of a table that has one."""
    with lake.reader() as reader:
        found = frontiers.find(reader.connection, table_id)
        assert found is not None
        return found
