"""The data folder of a lake: the one beside its catalog if that has the lake's marker, else the one that the catalog names."""

from __future__ import annotations

import os

import sqlalchemy as sa

from headwater.core.errors import InvalidRequest
from headwater.lake.binding import catalog_file_id, has_other_catalog, same_file, stored_lake_id
from headwater.lake.data_path import refuse_url
from headwater.lake.marker import read_marker
from headwater.lake.paths import as_folder
from headwater.lake.reader import read_option
from headwater.store.database import Database


def find_folder(connection: sa.Connection, database: Database, given: str | None, beside: str | None) -> str:
    """The data folder, given as an argument or found; `beside` is the one that an embedded catalog has by default."""
    stored = read_option(connection, "data_path")
    named = as_folder(stored) if stored else None
    if named is not None:
        refuse_url(named)
    lake_id = stored_lake_id(connection)
    found = _find(database, lake_id, named, beside)
    if not given or given == found:
        return found
    if ("://" in found or os.path.isdir(found)) and not _has_marker(given, lake_id):
        raise InvalidRequest(
            f'the lake\'s data is not in "{given}"',
            detail=f'The catalog says that it is in "{found}".',
            hint="Omit data_path; it is needed only for a new lake, or after its data was moved.",
        )
    return given


def _find(database: Database, lake_id: str | None, named: str | None, beside: str | None) -> str:
    if beside is None or beside == named:
        assert named is not None
        return named
    if named is None or (_has_marker(beside, lake_id) and (same_file(beside, named) or not _names(named, database))):
        return beside
    if not os.path.isdir(named):
        return beside if os.path.isdir(beside) else named
    # Before lakes had markers: a copy is used with its own files.
    copied = lake_id is None and named != beside and os.path.isdir(beside) and has_other_catalog(database, named)
    return beside if copied else named


def _names(folder: str, database: Database) -> bool:
    """Whether the folder's marker names this very catalog."""
    found = read_marker(folder) if "://" not in folder else None
    return found is not None and found.marker.catalog == catalog_file_id(database)


def _has_marker(folder: str, lake_id: str | None) -> bool:
    if lake_id is None or "://" in folder:
        return False
    found = read_marker(folder)
    return found is not None and lake_id in (found.marker.lake_id, found.marker.previous_id)
