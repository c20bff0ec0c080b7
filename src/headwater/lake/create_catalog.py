"""A new, empty lake: the catalog tables and snapshot 0."""

from __future__ import annotations

import uuid
from datetime import datetime

import sqlalchemy as sa

from headwater.core.version import VERSION as HEADWATER_VERSION
from headwater.lake import catalog as c
from headwater.lake.snapshot_changes import Entry, render


def create_catalog(connection: sa.Connection, data_path: str, now: datetime) -> None:
    """Create the catalog tables and the schema `main`; `data_path` ends in a slash."""
    c.metadata.create_all(connection, checkfirst=False)
    settings = {
        "version": c.VERSION,
        "created_by": f"Headwater {HEADWATER_VERSION}",
        "data_path": data_path,
        "encrypted": "false",
    }
    connection.execute(
        sa.insert(c.ducklake_metadata), [{"key": key, "value": value} for key, value in settings.items()]
    )
    connection.execute(
        sa.insert(c.snapshot).values(
            snapshot_id=0, snapshot_time=now, schema_version=0, next_catalog_id=1, next_file_id=0
        )
    )
    connection.execute(
        sa.insert(c.snapshot_changes).values(
            snapshot_id=0, changes_made=render([Entry.named("created_schema", "main")])
        )
    )
    connection.execute(
        sa.insert(c.schema).values(
            schema_id=0,
            schema_uuid=str(uuid.uuid4()),
            begin_snapshot=0,
            schema_name="main",
            path="main/",
            path_is_relative=True,
        )
    )
