"""The keys and the marker by which a catalog and its data folder name each other, and the gate that compares them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from headwater.core.errors import LakeNotAdopted, StoreFailed
from headwater.lake import catalog as c
from headwater.lake.data_path import has_files, require_data_path
from headwater.lake.lake_verdict import (
    BOUND_BY_WRITE,
    MEANINGS,
    WRITABLE,
    FolderFacts,
    LakeEvidence,
    LakeKeys,
    LakeVerdict,
    judge,
)
from headwater.lake.marker import (
    FoundMarker,
    Marker,
    NotedSnapshot,
    forget_previous,
    note_snapshot,
    read_marker,
    write_marker,
)
from headwater.lake.mounts import path_in_file_system
from headwater.lake.moved_catalog import refuse_moved
from headwater.lake.paths import as_folder
from headwater.store.database import Database
from headwater.store.instant import parse_instant

LAKE_ID = "headwater_lake_id"
GENERATION = "headwater_lake_generation"
MARKER_FILE_ID = "headwater_lake_marker_inode"
RESTORED_AT = "headwater_lake_restored_at"

_DATA_PATH = "data_path"
_KEYS = (_DATA_PATH, LAKE_ID, GENERATION, MARKER_FILE_ID)


@dataclass(frozen=True, slots=True)
class CatalogState:
    """What the catalog says about its data folder and its snapshots."""

    named: str
    keys: LakeKeys | None
    identity: str
    newest: int
    noted_at: datetime | None


@dataclass(frozen=True, slots=True)
class BindingReport:
    """The verdict on a lake, with its places: the catalog, the folder in use, and the folder that the catalog names."""

    verdict: LakeVerdict
    catalog: str
    folder: str
    named: str
    marker: Marker | None
    keys: LakeKeys | None

    @property
    def writable(self) -> bool:
        return self.verdict in WRITABLE

    @property
    def meaning(self) -> str:
        return MEANINGS[self.verdict]

    @property
    def marked_catalog(self) -> str | None:
        """The catalog that the folder's marker names."""
        if self.marker is None:
            return None
        name = self.marker.catalog_name
        return name if "://" in name else os.path.normpath(self.folder + name)


@dataclass(frozen=True, slots=True)
class Examined:
    """The evidence of one moment, with what a report or a new binding needs besides."""

    state: CatalogState
    found: FoundMarker | None
    folder: FolderFacts
    verdict: LakeVerdict


class LakeGate:
    """Refuses writes to a lake whose catalog and data folder do not name each other; `folder` ends in a slash."""

    def __init__(self, database: Database, folder: str) -> None:
        self._database = database
        self._folder = folder
        self._embedded = database.kind == "sqlite"
        self._catalog_name = catalog_name(database, folder)
        self._opened_as = catalog_file_id(self._database)
        # The ids of the lake and of its catalog, as the last write found them.
        self._bound_as: tuple[str, str] | None = None

    def check(self, connection: sa.Connection) -> bool:
        """Raise LakeNotAdopted unless the verdict allows writes; false if the next write must bind the lake first."""
        if catalog_file_id(self._database) != self._opened_as:
            raise StoreFailed(
                f"the catalog {self._database.display_url} was replaced while this process had it open",
                detail="Nothing was changed.",
                hint="Open the lake again.",
            )
        examined = self.examine(connection)
        if examined.verdict not in WRITABLE:
            # Another process may have bound the lake after the marker was read and before the catalog was.
            examined = self.examine(connection)
        if examined.verdict not in WRITABLE:
            refuse_moved(connection)
            require_data_path(connection, self._folder)
            raise not_adopted(self._report(examined))
        keys, found = examined.state.keys, examined.found
        if keys is not None and found is not None:
            self._bound_as = keys.lake_id, examined.state.identity
        return examined.verdict not in BOUND_BY_WRITE

    def prepare(self, connection: sa.Connection) -> str | None:
        """Bind a lake that was moved, restored in place, or never marked, unless another process has done so."""
        examined = self.examine(connection)
        if examined.verdict not in BOUND_BY_WRITE:
            return None
        restored = examined.verdict is LakeVerdict.RESTORED_IN_PLACE
        keep_named = examined.folder.is_mounted_elsewhere
        return self.bind(connection, restored=restored, keep_named=keep_named).generation

    def renew(self, connection: sa.Connection) -> str:
        """Give catalog and marker a new generation, by which copies of the catalog that were made before are told apart."""
        return self.bind(connection, keep_named=True).generation

    def confirm(self, token: str) -> None:
        """Record that the catalog has the generation `token`: the one before is from now on that of an older copy."""
        if self._bound_as is not None:
            forget_previous(self._folder, *self._bound_as, token)

    def note_snapshot(self, snapshot_id: int, at: datetime) -> None:
        """Record in the marker that this snapshot was committed."""
        if self._bound_as is not None:
            note_snapshot(self._folder, *self._bound_as, NotedSnapshot(snapshot_id, at))

    def report(self, connection: sa.Connection) -> BindingReport:
        """The verdict and the places, to show."""
        return self._report(self.examine(connection))

    def _report(self, examined: Examined) -> BindingReport:
        return BindingReport(
            examined.verdict,
            self._database.url.database or "" if self._embedded else self._database.display_url.strip('"'),
            self._folder,
            examined.state.named,
            examined.found.marker if examined.found else None,
            examined.state.keys,
        )

    def examine(self, connection: sa.Connection) -> Examined:
        """Compare the catalog with the marker."""
        found = read_marker(self._folder)
        noted = found.marker.snapshot if found else None
        state = read_state(connection, noted.id if noted else None, self._opened_as)
        evidence = LakeEvidence(
            self._embedded,
            state.keys,
            found,
            state.identity,
            self._name_by(found),
            state.newest,
            state.noted_at,
            self._compare_folders(state, found),
        )
        verdict = judge(evidence)
        if verdict is LakeVerdict.NO_MARKER and not os.path.isdir(self._folder) and not has_files(connection):
            # A folder that never had a file may be made anew.
            verdict = LakeVerdict.UNMARKED
        return Examined(state, found, evidence.folder, verdict)

    def refuse_other_lake(self, connection: sa.Connection) -> None:
        """Raise LakeNotAdopted if the folder is another lake's, of which nothing may even be read."""
        report = self.report(connection)
        if report.verdict is LakeVerdict.OTHER_LAKE:
            raise not_adopted(report)

    def bind_new(self, connection: sa.Connection) -> str:
        """Bind a catalog that is being created; refuses a folder that belongs to an existing catalog."""
        report = self.report(connection)
        marker = report.marker
        if marker is not None and marker.catalog_name != self._catalog_name and _exists(report.marked_catalog):
            raise not_adopted(replace(report, verdict=LakeVerdict.OTHER_LAKE))
        return self.bind(connection).generation

    def bind(
        self, connection: sa.Connection, *, new_id: bool = False, restored: bool = False, keep_named: bool = False
    ) -> Marker:
        """In a write transaction, give catalog and marker a new generation, and the catalog this folder; `confirm` it after.

        `new_id` makes it another lake than the one that it was copied from. `restored` keeps the files that the catalog
        does not know from being removed soon. `keep_named` leaves the folder that the catalog names.
        """
        state = self.examine(connection).state
        keys = state.keys
        lake_id = keys.lake_id if keys is not None and not new_id else str(uuid.uuid4())
        newest = connection.execute(_NEWEST).one()
        marker = Marker(
            lake_id,
            str(uuid.uuid4()),
            state.identity,
            self._catalog_name,
            keys.lake_id if keys is not None else None,
            keys.generation if keys is not None else None,
            path_in_file_system(self._folder),
            NotedSnapshot(newest.snapshot_id, newest.snapshot_time),
        )
        written = write_marker(self._folder, marker)
        values = {
            _DATA_PATH: state.named if keep_named else self._folder,
            LAKE_ID: lake_id,
            GENERATION: marker.generation,
            MARKER_FILE_ID: written.file,
        }
        if restored:
            values[RESTORED_AT] = datetime.now(UTC).isoformat()
        _set_keys(connection, values)
        self._bound_as = lake_id, state.identity
        return marker

    def _name_by(self, found: FoundMarker | None) -> str:
        """The catalog's name: the one in the marker if that leads to the same file, as after a mount."""
        if found is None or not self._embedded or found.marker.catalog_name == self._catalog_name:
            return self._catalog_name
        same = same_file(self._folder + found.marker.catalog_name, self._database.url.database or "")
        return found.marker.catalog_name if same else self._catalog_name

    def _compare_folders(self, state: CatalogState, found: FoundMarker | None) -> FolderFacts:
        folder, named = self._folder, state.named
        if folder == named or same_file(folder, named):
            return FolderFacts(is_named=True)
        keys = state.keys
        if keys is None:
            is_original = has_other_catalog(self._database, named)
        else:
            original = read_marker(named) if os.path.isdir(named) else None
            is_original = original is not None and original.marker.lake_id == keys.lake_id
        # A binding that was not committed says where the folder is now, not where the catalog knows it.
        committed = found is not None and keys is not None and found.marker.generation == keys.generation
        at_binding = found.marker.path_in_file_system if found is not None and committed else None
        inside = path_in_file_system(folder)
        mounted = inside is not None and (inside == at_binding or _ends_with(named, inside))
        return FolderFacts(False, mounted or (not self._embedded and not is_original), is_original)


def not_adopted(report: BindingReport) -> LakeNotAdopted:
    """The error for a lake that must be adopted before it may be written to."""
    places = [f'Its catalog is "{report.catalog}", its data folder "{report.folder}".']
    if report.named != report.folder:
        places.append(f'The catalog names the data folder "{report.named}".')
    if (marked := report.marked_catalog) is not None and marked != report.catalog:
        places.append(f'The data folder names the catalog "{marked}".')
    error = LakeNotAdopted(
        "the data folder is that of another lake"
        if report.verdict is LakeVerdict.OTHER_LAKE
        else f"this lake must be adopted before it can be changed: {report.verdict}",
        detail=" ".join([report.meaning, *places]),
        hint=ADVICE[report.verdict],
    )
    error.verdict = report.verdict
    return error


_RUN = "Run headwater adopt"
ADVICE = {
    **dict.fromkeys(LakeVerdict, f"{_RUN}."),
    LakeVerdict.COPY: f"{_RUN} to make it a lake of its own.",
    LakeVerdict.COPY_OR_MOVED: f"{_RUN} to make it a lake of its own, or {_RUN[4:]} --restored if it was moved.",
    LakeVerdict.DIFFERENT_TIMES: f"{_RUN} --restored if a backup was restored on purpose; otherwise put back the other part.",
    LakeVerdict.SECOND_CATALOG: f"{_RUN} --copy-data DIR to give it files of its own, or {_RUN[4:]} --take-over if the other"
    " catalog is gone.",
    LakeVerdict.COPIED_BEFORE_MARKED: f"{_RUN} to make it a lake of its own; add --copy-data DIR if it has no files of its own.",
    LakeVerdict.OTHER_LAKE: "Put the lake's own data folder back.",
}

_NEWEST = (
    sa.select(c.snapshot.c.snapshot_id, c.snapshot.c.snapshot_time).order_by(c.snapshot.c.snapshot_id.desc()).limit(1)
)


def read_state(connection: sa.Connection, noted: int | None, file_id: str | None) -> CatalogState:
    """The catalog's side, in one statement; `file_id` identifies the catalog of a file."""
    row: tuple[Any, ...] = tuple(
        connection.exec_driver_sql(_STATE[connection.dialect.name], (-1 if noted is None else noted,)).one()
    )
    named, lake_id, generation, marker_file, newest, noted_at, *database = row
    keys = None if lake_id is None else LakeKeys(lake_id, generation or "", marker_file or "")
    identity = ":".join(map(str, database)) if file_id is None else file_id
    if isinstance(noted_at, str):
        noted_at = parse_instant(noted_at)
    return CatalogState(as_folder(named or "/"), keys, identity, newest, noted_at)


def restored_at(connection: sa.Connection) -> datetime | None:
    """When the lake was restored from a backup; None if it never was."""
    stored = connection.scalar(_key(RESTORED_AT))
    return datetime.fromisoformat(stored) if stored else None


def stored_lake_id(connection: sa.Connection) -> str | None:
    """The lake's id; None if it was never bound."""
    stored: str | None = connection.scalar(_key(LAKE_ID))
    return stored


def forget_binding(connection: sa.Connection) -> None:
    """Remove the keys from a copied catalog, so that it can be bound to a folder of its own."""
    _delete_keys(connection, (LAKE_ID, GENERATION, MARKER_FILE_ID, RESTORED_AT))


def catalog_name(database: Database, folder: str) -> str:
    """How the marker names the catalog: by the path from the folder, or by its address without the password."""
    if database.kind != "sqlite":
        return database.display_url.strip('"')
    return os.path.relpath(os.path.realpath(database.url.database or ""), os.path.realpath(folder))


def catalog_file_id(database: Database) -> str | None:
    """The catalog file as `device:inode`; None on PostgreSQL."""
    if database.kind != "sqlite":
        return None
    try:
        status = os.stat(database.url.database or "")
    except OSError:
        return ""
    return f"{status.st_dev}:{status.st_ino}"


def _set_keys(connection: sa.Connection, values: Mapping[str, str]) -> None:
    _delete_keys(connection, tuple(values))
    connection.execute(sa.insert(c.ducklake_metadata), [{"key": key, "value": value} for key, value in values.items()])


def _delete_keys(connection: sa.Connection, keys: tuple[str, ...]) -> None:
    stored = c.ducklake_metadata.c
    connection.execute(sa.delete(c.ducklake_metadata).where(stored.key.in_(keys), stored.scope.is_(None)))


def _key(key: str) -> sa.Select[Any]:
    stored = c.ducklake_metadata.c
    return sa.select(stored.value).where(stored.key == key, stored.scope.is_(None))


def _state_query(parameter: str, *more: str) -> str:
    keys = (f"(SELECT value FROM ducklake_metadata WHERE key = '{key}' AND scope IS NULL)" for key in _KEYS)
    newest = "(SELECT max(snapshot_id) FROM ducklake_snapshot)"
    noted = f"(SELECT snapshot_time FROM ducklake_snapshot WHERE snapshot_id = {parameter})"
    return "SELECT " + ", ".join((*keys, newest, noted, *more))


# For the driver, since it runs in each write transaction: SQLAlchemy's statements take several times as long as the query.
_STATE = {
    "sqlite": _state_query("?"),
    "postgresql": _state_query(
        "%s",
        "(SELECT system_identifier FROM pg_control_system())",
        "(SELECT oid FROM pg_database WHERE datname = current_database())",
        "CAST(CAST('ducklake_snapshot' AS regclass) AS oid)",
    ),
}


def _exists(catalog: str | None) -> bool:
    """Whether the catalog exists, as far as that can be seen from here."""
    return catalog is not None and ("://" in catalog or os.path.exists(catalog))


def same_file(one: str, other: str) -> bool:
    """Whether both paths lead to the same file or folder."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def has_other_catalog(database: Database, named: str) -> bool:
    """Whether the folder that a copied catalog names has a catalog beside it that is not this one."""
    path = database.url.database
    if database.kind != "sqlite" or path is None:
        return False
    other = os.path.join(os.path.dirname(os.path.normpath(named)), os.path.basename(path))
    return os.path.isdir(named) and os.path.isfile(other) and not same_file(other, path)


def _ends_with(path: str, part: str) -> bool:
    """Whether the path is the part, or below another folder."""
    return os.path.normpath(path).endswith(os.path.normpath(part))
