"""Failures of a SQLite catalog's file system, found by questions to the operating system.

SQLite's errors name neither the file nor the cause, and those that DuckDB reports are often about the failed rollback.
The catalog is not opened: to close it would free all locks that this process holds on it.
"""

from __future__ import annotations

import os

from headwater.core.errors import StoreDenied, StoreError, StoreFull, StoreUnreachable
from headwater.core.file_faults import fault_of

# A commit of the smallest change needs this much for the journal and new pages.
LEAST_FREE_BYTES = 256 * 1024


def catalog_fault(path: str) -> StoreError | None:
    """Why the catalog can't be written now; None if its file system shows no cause."""
    folder = os.path.dirname(path) or "."
    try:
        stats = os.statvfs(folder)
    except FileNotFoundError:
        return _missing(path)
    except OSError as error:
        return folder_error(folder, error)
    if stats.f_flag & os.ST_RDONLY:
        return StoreDenied(
            f'the catalog "{path}" is on a read-only file system',
            detail="Headwater can read the lake, but not change it.",
            hint="Mount the file system for writing, or copy the lake to another one.",
        )
    if not os.path.exists(path) and _may(folder, os.R_OK | os.X_OK):
        return _missing(path)
    denied = next((each for each in (folder, path) if not _may(each, os.R_OK | os.W_OK)), None)
    if denied is not None:
        return StoreDenied(
            f'permission denied for the catalog "{path}"',
            detail=f'This user can\'t write to "{denied}".',
            hint="Grant this user access to the catalog and its folder, where SQLite creates its journal.",
        )
    if stats.f_bavail * stats.f_frsize < LEAST_FREE_BYTES:
        return StoreFull(
            f'no space left for the catalog "{path}"',
            detail="The file system is full, or a quota is exceeded.",
            hint="Free some space; nothing was changed.",
        )
    return None


def folder_error(folder: str, error: OSError) -> StoreDenied:
    """The error for a folder that can't be created or entered."""
    fault = fault_of(error.errno, error.strerror)
    return StoreDenied(f'the folder "{folder}" can\'t be used', detail=fault.fact, hint=fault.remedy)


def _may(path: str, mode: int) -> bool:
    """Whether the effective user has the rights, where the system can tell."""
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _missing(path: str) -> StoreUnreachable:
    return StoreUnreachable(
        f'the catalog "{path}" does not exist',
        detail="It was moved or deleted, or its file system is not mounted.",
        hint="Mount the file system, or restore the catalog from a backup.",
    )
