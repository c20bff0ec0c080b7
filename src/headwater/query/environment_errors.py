"""Failures of the environment that DuckDB reports: of the lake's files, by the system's error number, and of its catalog."""

from __future__ import annotations

import errno
import os
import re

from headwater.core.errors import HeadwaterError
from headwater.core.file_faults import fault_of, file_error
from headwater.lake import data_path
from headwater.lake.moved_catalog import moved_error
from headwater.query.process import StatementFailed
from headwater.store.database import Database

# DuckDB puts the path of a file in double quotes.
_PATH = re.compile(r'"(/[^"]*)"')


def environment_error(failed: StatementFailed, database: Database, folder: str) -> HeadwaterError | None:
    """The error in place of DuckDB's if the lake's files or its catalog are the cause; `folder` is the lake's data path.

    A file of the user's, as of COPY, stays DuckDB's error, with a hint.
    """
    if failed.errno is not None:
        named = _PATH.search(failed.message)
        if named is not None and named[1].startswith(folder):
            return _of_lake(named[1], failed.errno, folder)
        failed.hint = fault_of(failed.errno).remedy if failed.errno != errno.ENOENT else "Check the path of the file."
        return None
    # On PostgreSQL a failed commit may have succeeded, and the catalog may not answer.
    if not failed.committing or database.kind != "sqlite":
        return None
    with database.read() as connection:
        moved = moved_error(connection)
    return moved or database.file_fault()


def _of_lake(path: str, number: int, folder: str) -> HeadwaterError:
    if number == errno.ENOENT and not os.path.isdir(folder):
        return data_path.missing(folder)
    return file_error(path, number)
