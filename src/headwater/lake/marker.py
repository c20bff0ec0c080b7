"""The file in a lake's data folder that names the catalog the folder belongs to.

It is rewritten in place: its inode tells the folder from a copy. A copy of hard links has the same inode, until it is adopted,
which gives it a file of its own. Readers and writers lock it, since a note of a snapshot
changes it while other processes read it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from headwater.core.file_faults import file_error

MARKER_FILE = "headwater-lake.json"
# FS_IOC_GETVERSION of Linux.
_GET_VERSION = 0x80087601
# The file is padded to this size, so that a rewrite needs no other disk block.
_SIZE = 1024


@dataclass(frozen=True, slots=True)
class NotedSnapshot:
    """The newest snapshot that a writer committed."""

    id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Marker:
    """The contents of the file.

    `catalog` identifies the catalog's database, and `catalog_name` is its path from the data folder, or its address without a
    password. `previous_id` and `previous_generation` are set until the catalog is known to have the new ones.
    """

    lake_id: str
    generation: str
    catalog: str
    catalog_name: str
    previous_id: str | None = None
    previous_generation: str | None = None
    path_in_file_system: str | None = None
    snapshot: NotedSnapshot | None = None


@dataclass(frozen=True, slots=True)
class FoundMarker:
    """A marker, and the file that it was read from as `device:inode:version`, the version where the file system has one."""

    marker: Marker
    file: str


def is_same_file(one: str, other: str) -> bool:
    """Whether two ids name one file; a version that one of them lacks does not count.

    >>> is_same_file("1:2:a", "1:2:"), is_same_file("1:2:a", "1:2:b")
    (True, False)
    """
    (*place, version), (*other_place, other_version) = one.split(":"), other.split(":")
    return place == other_place and (version == other_version or not (version and other_version))


def read_marker(folder: str) -> FoundMarker | None:
    """The marker of a data folder; None if there is none, or its contents are lost."""
    try:
        descriptor = os.open(folder + MARKER_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise file_error(folder + MARKER_FILE, error.errno, error.strerror) from error
    try:
        _lock(descriptor, fcntl.LOCK_SH)
        return _read(descriptor)
    finally:
        os.close(descriptor)


def write_marker(folder: str, marker: Marker) -> FoundMarker:
    """Create or rewrite the marker; it is on disk when this returns."""
    path = folder + MARKER_FILE
    try:
        os.makedirs(folder, exist_ok=True)
        _unlink_shared(path)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            _lock(descriptor, fcntl.LOCK_EX)
            _write(descriptor, marker)
            os.fsync(descriptor)
            found = FoundMarker(marker, _file_id(descriptor))
        finally:
            os.close(descriptor)
        _sync_folder(folder)
    except OSError as error:
        raise file_error(folder + MARKER_FILE, error.errno, error.strerror) from error
    return found


def _unlink_shared(path: str) -> None:
    """Remove the marker if another folder has the same file, by a hard link: that folder's must not change."""
    with suppress(FileNotFoundError):
        if os.stat(path).st_nlink > 1:
            os.unlink(path)


def note_snapshot(folder: str, lake_id: str, catalog: str, snapshot: NotedSnapshot) -> None:
    """Record a newer snapshot in the marker of this lake and catalog.

    It calls no fsync and raises no error: without the note, the marker names an older snapshot of the same catalog.
    """

    def change(marker: Marker) -> Marker:
        known = marker.snapshot
        return marker if known is not None and known.id >= snapshot.id else replace(marker, snapshot=snapshot)

    _update(folder, lake_id, catalog, change)


def forget_previous(folder: str, lake_id: str, catalog: str, generation: str) -> None:
    """Record that the catalog has this generation, and no longer the previous one; raises no error."""

    def change(marker: Marker) -> Marker:
        known = marker.generation == generation
        return replace(marker, previous_id=None, previous_generation=None) if known else marker

    _update(folder, lake_id, catalog, change)


def remove_marker(folder: str) -> None:
    """Remove the marker, if there is one."""
    try:
        os.unlink(folder + MARKER_FILE)
    except FileNotFoundError:
        return
    except OSError as error:
        raise file_error(folder + MARKER_FILE, error.errno, error.strerror) from error


def _update(folder: str, lake_id: str, catalog: str, change: Callable[[Marker], Marker]) -> None:
    try:
        descriptor = os.open(folder + MARKER_FILE, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    try:
        _lock(descriptor, fcntl.LOCK_EX)
        found = _read(descriptor)
        if found is None or (found.marker.lake_id, found.marker.catalog) != (lake_id, catalog):
            return
        if (changed := change(found.marker)) != found.marker:
            _write(descriptor, changed)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> FoundMarker | None:
    marker = _parse(os.pread(descriptor, max(os.fstat(descriptor).st_size, 1), 0))
    return None if marker is None else FoundMarker(marker, _file_id(descriptor))


def _parse(text: bytes) -> Marker | None:
    try:
        values = json.loads(text)
        noted = values.pop("snapshot")
        snapshot = None if noted is None else NotedSnapshot(noted["id"], datetime.fromisoformat(noted["at"]))
        return Marker(**values, snapshot=snapshot)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _write(descriptor: int, marker: Marker) -> None:
    values = asdict(marker)
    if marker.snapshot is not None:
        values["snapshot"]["at"] = marker.snapshot.at.isoformat()
    text = json.dumps(values, indent=1).encode().ljust(_SIZE - 1) + b"\n"
    os.pwrite(descriptor, text, 0)
    if os.fstat(descriptor).st_size != len(text):
        os.ftruncate(descriptor, len(text))


def _file_id(descriptor: int) -> str:
    status = os.fstat(descriptor)
    return f"{status.st_dev}:{status.st_ino}:{_inode_version(descriptor)}"


def _inode_version(descriptor: int) -> str:
    """What tells a file from an earlier one that had the same inode; empty where the file system does not say."""
    try:
        return str(int.from_bytes(fcntl.ioctl(descriptor, _GET_VERSION, bytes(8))[:4], sys.byteorder))
    except OSError:
        return ""


def _lock(descriptor: int, kind: int) -> None:
    try:
        fcntl.flock(descriptor, kind)
    except OSError as error:
        # A file system without locks has at most one writer.
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EBADF, errno.EINVAL):
            raise


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
