"""The catalogued files of a lake: which are missing from a data folder, and copies of them from another one."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from headwater.core.errors import DiskFull, FileDenied, HeadwaterError, LakeError
from headwater.lake import catalog as c
from headwater.lake.locations import table_locations


@dataclass(frozen=True, slots=True)
class CataloguedFile:
    """A file of a table, by its path from the data folder."""

    table_id: int
    path: str


def catalogued_files(connection: sa.Connection) -> tuple[CataloguedFile, ...]:
    """All files in the data folder that a snapshot shows; not those that were added from elsewhere."""
    locations = table_locations(connection, "")
    found = []
    for files in (c.data_file, c.delete_file):
        query = sa.select(files.c.table_id, files.c.path).where(files.c.path_is_relative)
        for row in connection.execute(query):
            path = locations.get(row.table_id, "") + row.path
            if not os.path.isabs(path):
                found.append(CataloguedFile(row.table_id, path))
    return tuple(found)


def missing_from(folder: str, files: Iterable[CataloguedFile]) -> tuple[CataloguedFile, ...]:
    """The files that the folder does not have."""
    return tuple(file for file in files if not os.path.isfile(folder + file.path))


def copy_files(files: Iterable[CataloguedFile], source: str, target: str) -> int:
    """Copy files that the source has and the target does not have; returns how many."""
    copied = 0
    for file in files:
        wanted = target + file.path
        if os.path.exists(wanted) or not os.path.isfile(source + file.path):
            continue
        partial = f"{wanted}.partial"
        try:
            os.makedirs(os.path.dirname(wanted), exist_ok=True)
            shutil.copyfile(source + file.path, partial)
            os.replace(partial, wanted)
        except OSError as error:
            raise _failed(wanted, error) from error
        copied += 1
    return copied


def _failed(path: str, error: OSError) -> HeadwaterError:
    if isinstance(error, PermissionError):
        return FileDenied(f'permission denied for file "{path}"', hint="Grant this user access to both data folders.")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f'no space left for file "{path}"', hint="Free some space, and run headwater adopt again.")
    return LakeError(f'file "{path}" can\'t be copied', detail=f"{error.strerror or error}.")
