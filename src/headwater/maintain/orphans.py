"""Find orphaned files: files under the data path that are not in the catalog, left by writers that did not commit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.lake import storage
from headwater.lake.locations import table_locations
from headwater.lake.marker import MARKER_FILE
from headwater.lake.paths import resolve
from headwater.lake.storage import StoredFile
from headwater.store.database import Database

# Longer than any writer takes from its first file to its commit, because files of such writers are not orphans.
DEFAULT_AGE = timedelta(days=1)
_AT_ONCE = 500
# The data path may have files of other programs.
_NAMED = re.compile(r"ducklake-[0-9a-f-]+(-delete)?\.parquet")


def find_orphans(
    database: Database, data_path: str, now: datetime, older_than: timedelta = DEFAULT_AGE
) -> tuple[StoredFile, ...]:
    """Files of at least this age with a DuckLake file name that are not in the catalog, nor scheduled for deletion."""
    # Listed before the catalog is read, which then has the files that are committed in between.
    found = _own_files(storage.list_files(data_path), data_path)
    with database.read() as connection:
        known = catalogued_paths(connection, data_path) | _scheduled_paths(connection, data_path)
    return tuple(
        file
        for file in found
        if _NAMED.fullmatch(file.path.rpartition("/")[2])
        and file.path not in known
        and file.modified_at is not None
        and now - file.modified_at >= older_than
    )


def _own_files(files: Iterable[StoredFile], data_path: str) -> tuple[StoredFile, ...]:
    """The files without those below a folder that is another lake's data folder."""
    found = tuple(files)
    markers = (file.path for file in found if file.path.endswith(f"/{MARKER_FILE}"))
    others = tuple(path.removesuffix(MARKER_FILE) for path in markers if path != data_path + MARKER_FILE)
    return tuple(file for file in found if not file.path.startswith(others)) if others else found


def remove_orphans(
    database: Database, data_path: str, now: datetime, older_than: timedelta = DEFAULT_AGE
) -> tuple[StoredFile, ...]:
    """Remove the files; returns the removed ones."""
    orphans = find_orphans(database, data_path, now, older_than)
    remove_files(database, orphans)
    return orphans


def remove_files(database: Database, files: Sequence[StoredFile]) -> None:
    """Delete the files, as long as the lake may be written to."""
    for start in range(0, len(files), _AT_ONCE):
        database.admit()
        for file in files[start : start + _AT_ONCE]:
            storage.delete(file.path)


def catalogued_paths(connection: sa.Connection, data_path: str) -> set[str]:
    """The paths of all files that are visible at a snapshot."""
    locations = table_locations(connection, data_path)
    known: set[str] = set()
    for files in (c.data_file, c.delete_file):
        query = sa.select(files.c.table_id, files.c.path, files.c.path_is_relative)
        known.update(
            resolve(locations.get(row.table_id, data_path), row.path, row.path_is_relative)
            for row in connection.execute(query)
        )
    return known


def _scheduled_paths(connection: sa.Connection, data_path: str) -> set[str]:
    scheduled = c.files_scheduled_for_deletion
    query = sa.select(scheduled.c.data_file_id, scheduled.c.path, scheduled.c.path_is_relative)
    return {resolve(data_path, row.path, row.path_is_relative) for row in connection.execute(query)}
