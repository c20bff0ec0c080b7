"""A catalog as comparable rows: ids kept, what no two lakes share left out."""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.service.lake import Lake

_LEFT_OUT = {
    "snapshot_time",
    "schedule_start",
    "schema_uuid",
    "table_uuid",
    "view_uuid",
    "file_size_bytes",
    "footer_size",
    "column_size_bytes",
    "author",
    "commit_message",
    "commit_extra_info",
    # Ours moves with a change of type as well, or DuckDB would read cached statistics in the wrong type.
    "next_file_id",
}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Our compactions count as flushes too, so that no small delete gets lost (lake/write_compaction.py).
_MARKED = re.compile(r"^((?:merge_adjacent|rewrite_delete):\d+),inline_flush:\d+$")


def dump(lake: Lake) -> dict[str, list[tuple[Any, ...]]]:
    """Every catalog table's rows, sorted."""
    found = {}
    with lake.reader() as reader:
        for table in c.metadata.sorted_tables:
            rows = reader.connection.execute(sa.select(table)).mappings().all()
            found[table.name] = sorted((_row(dict(row)) for row in rows), key=repr)
    found["ducklake_metadata"] = [
        row
        for row in found["ducklake_metadata"]
        if row[0][1] not in ("created_by", "data_path") and not row[0][1].startswith("headwater_")
    ]
    return found


def _row(row: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _value(value)) for name, value in row.items() if name not in _LEFT_OUT)


def _value(value: Any) -> Any:
    return _MARKED.sub(r"\1", _UUID.sub("<uuid>", value)) if isinstance(value, str) else value
