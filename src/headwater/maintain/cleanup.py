"""Delete files that no snapshot needs, after a delay for running readers."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.lake import catalog as c
from headwater.lake import storage
from headwater.lake.paths import resolve
from headwater.maintain.orphans import catalogued_paths
from headwater.store.database import Database

# Longer than queries and refreshes take.
GRACE = timedelta(days=1)
_AT_ONCE = 500


def find_old_files(database: Database, data_path: str, now: datetime, grace: timedelta = GRACE) -> dict[str, int]:
    """The ids of files that were scheduled for deletion before the grace period, by path."""
    with database.read() as connection:
        found = _scheduled(connection, data_path, now - grace)
        # A safeguard: a file that is visible at a snapshot is never deleted, even if it is scheduled.
        known = catalogued_paths(connection, data_path) if found else set()
    return {path: file_id for path, file_id in found.items() if path not in known}


def clean_up(database: Database, data_path: str, now: datetime, grace: timedelta = GRACE) -> tuple[str, ...]:
    """Delete the files, then their catalog rows. After a crash in between, the next run deletes the rest."""
    found = list(find_old_files(database, data_path, now, grace).items())
    for start in range(0, len(found), _AT_ONCE):
        part = found[start : start + _AT_ONCE]
        database.admit()
        for path, _id in part:
            # A file that was added from elsewhere may be shared with other lakes.
            if path.startswith(data_path):
                storage.delete(path)
        crash_point("files-deleted")
        database.transact(partial(_forget, ids=[file_id for _path, file_id in part], before=now - grace))
        crash_point("cleaned-up")
    return tuple(path for path, _id in found)


def _scheduled(connection: sa.Connection, data_path: str, before: datetime) -> dict[str, int]:
    rows = c.files_scheduled_for_deletion
    query = sa.select(rows.c.data_file_id, rows.c.path, rows.c.path_is_relative, rows.c.schedule_start)
    return {
        resolve(data_path, row.path, row.path_is_relative): row.data_file_id
        for row in connection.execute(query)
        if row.schedule_start <= before
    }


def _forget(connection: sa.Connection, ids: list[int], before: datetime) -> None:
    rows = c.files_scheduled_for_deletion
    connection.execute(sa.delete(rows).where(rows.c.data_file_id.in_(ids), rows.c.schedule_start <= before))
