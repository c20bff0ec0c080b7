"""The file systems that hold a lake's files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
from pyarrow import fs

from headwater.core.errors import FileDamaged
from headwater.core.file_faults import file_error

# Arrow raises some of these without the system's error number.
_NUMBERS = {FileNotFoundError: errno.ENOENT, PermissionError: errno.EACCES}


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file as the file system lists it."""

    path: str
    bytes: int
    modified_at: datetime | None


def filesystem(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of the path, and the path inside it."""
    if "://" in path:
        return fs.FileSystem.from_uri(path)  # type: ignore[no-any-return]
    return fs.LocalFileSystem(), path


def create(path: str) -> pa.NativeFile:
    """Create a file to write to, and its folders."""
    with file_errors(path):
        store, inner = filesystem(path)
        store.create_dir(inner.rpartition("/")[0] or "/", recursive=True)
        return store.open_output_stream(inner)


def open_input(path: str) -> pa.NativeFile:
    """Open a file for random reads."""
    with file_errors(path):
        store, inner = filesystem(path)
        return store.open_input_file(inner)


def exists(path: str) -> bool:
    """Whether the file exists."""
    with file_errors(path):
        store, inner = filesystem(path)
        return bool(store.get_file_info(inner).type == fs.FileType.File)


def delete(path: str) -> None:
    """Delete the file if it exists."""
    with file_errors(path):
        store, inner = filesystem(path)
        try:
            store.delete_file(inner)
        except FileNotFoundError:
            return


def list_files(folder: str) -> Iterator[StoredFile]:
    """All files below a folder; none if the folder does not exist."""
    with file_errors(folder):
        store, inner = filesystem(folder)
        found = store.get_file_info(fs.FileSelector(inner, recursive=True, allow_not_found=True))
    prefix = folder[: len(folder) - len(inner)]
    return (StoredFile(prefix + info.path, info.size, info.mtime) for info in found if info.type == fs.FileType.File)


@contextmanager
def file_errors(path: str) -> Iterator[None]:
    """Translate errors of the file system and the Parquet reader into errors of the lake."""
    try:
        yield
    except OSError as error:
        number = error.errno or next((number for kind, number in _NUMBERS.items() if isinstance(error, kind)), None)
        if isinstance(error, pa.ArrowException) or number is None:
            raise damaged(path, str(error)) from error
        raise file_error(path, number, os.strerror(number)) from error
    except pa.ArrowInvalid as error:
        raise damaged(path, str(error)) from error


def damaged(path: str, reason: str) -> FileDamaged:
    """The error for a file that does not match the catalog."""
    first = (reason.strip().splitlines() or ["unknown"])[0].rstrip(".")
    error = FileDamaged(
        f'file "{path}" is damaged',
        detail=f"It can't be read as Parquet: {first}.",
        hint="Restore the file from a backup.",
    )
    error.path = path
    return error
