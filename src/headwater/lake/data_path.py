"""The folder of a lake's files: that it is a local folder, and that it is there."""

from __future__ import annotations

import os

import sqlalchemy as sa

from headwater.core.errors import DataPathMissing, InvalidRequest
from headwater.core.file_faults import file_error
from headwater.lake import catalog as c


def refuse_url(data_path: str) -> None:
    """Refuse a data path on an object store, which Headwater does not support yet."""
    scheme, found, _ = data_path.partition("://")
    if found:
        raise InvalidRequest(
            f'data_path "{data_path}" is not a folder',
            detail=f'Headwater stores a lake\'s files in a local or network file system, not on "{scheme}://".',
            hint="Use a folder that every machine of the lake mounts at the same path.",
        )


def require_data_path(connection: sa.Connection, data_path: str) -> None:
    """Refuse to go on without the folder if the catalog lists files in it: writers would create another one there."""
    try:
        os.stat(data_path)
    except (FileNotFoundError, NotADirectoryError):
        if has_files(connection):
            raise missing(data_path) from None
    except OSError as error:
        raise file_error(data_path, error.errno, error.strerror) from error


def missing(data_path: str) -> DataPathMissing:
    """The error for a folder that does not exist."""
    error = DataPathMissing(
        f'the lake\'s data path "{data_path}" does not exist',
        detail="The catalog lists files in it. It was moved or deleted, or its file system is not mounted.",
        hint="Mount the file system or restore the folder, then run it again; nothing was changed.",
    )
    error.path = data_path
    return error


def has_files(connection: sa.Connection) -> bool:
    """Whether the catalog lists a file under the data path."""
    schema, table = c.schema, c.table
    relative = (
        sa.select(table.c.table_id)
        .join(schema, schema.c.schema_id == table.c.schema_id)
        .where(table.c.path_is_relative, schema.c.path_is_relative)
    )
    listed = c.data_file
    query = sa.select(listed.c.data_file_id).where(listed.c.path_is_relative, listed.c.table_id.in_(relative))
    return connection.execute(query.limit(1)).first() is not None
