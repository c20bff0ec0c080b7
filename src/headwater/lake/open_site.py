"""Open the catalog and the data folder of a lake, or create them."""

from __future__ import annotations

import os

import sqlalchemy as sa

from headwater.core.clock import SystemClock
from headwater.core.errors import InvalidRequest, NotALake
from headwater.lake.binding import LakeGate
from headwater.lake.create_catalog import create_catalog
from headwater.lake.data_path import refuse_url, require_data_path
from headwater.lake.find_folder import find_folder
from headwater.lake.moved_catalog import refuse_moved
from headwater.lake.paths import as_folder
from headwater.lake.reader import check_version
from headwater.lake.site import Site
from headwater.lake.taken_folder import refuse_nested, refuse_taken
from headwater.store.catalog_files import folder_error
from headwater.store.database import Database, has_table
from headwater.store.translate_errors import not_a_database

CATALOG_FILE = "catalog.sqlite"
DATA_FOLDER = "data"
SQLITE_HEADER_BYTES = 100


def open_site(path_or_url: str | os.PathLike[str], data_path: str | os.PathLike[str] | None = None) -> Site:
    """The lake in a folder, a SQLite catalog file or a PostgreSQL database; created where there is none.

    A folder holds `catalog.sqlite` and `data/`. A PostgreSQL database needs `data_path` when the lake is new.
    """
    url, beside = _locate(os.fspath(path_or_url))
    given = _folder(os.fspath(data_path)) if data_path is not None else None
    _check_file(url)
    if (folder := given or beside) and url.database and beside and not os.path.exists(url.database):
        refuse_taken(url, folder)
    database = Database(url)
    try:
        return Site(database, _open(database, given, beside))
    except BaseException:
        database.close()
        raise


def open_existing_site(place: str, data_path: str | None = None) -> Site:
    """Open an existing lake; unlike `open_site`, never creates one."""
    if place and _is_absent(place):
        raise NotALake(f'no lake in "{place}"', hint="Run headwater init, or choose another lake with --lake.")
    return open_site(place, data_path)


def _locate(place: str) -> tuple[sa.URL, str | None]:
    """The catalog's URL, and the data folder beside it if it is embedded."""
    if not place or place.startswith("ducklake:"):
        raise InvalidRequest(f"{place!r} is not the location of a lake", hint="Use a folder or postgresql://…")
    if place.startswith(("postgresql://", "postgres://")):
        return sa.make_url(place.replace("postgres://", "postgresql://", 1)), None
    if place.startswith("sqlite:///"):
        place = place.removeprefix("sqlite:///")
    elif "://" in place:
        scheme = place.partition("://")[0]
        raise InvalidRequest(
            f"a lake's catalog can't be on \"{scheme}://\"", hint="Use a folder or postgresql://user@host/database."
        )
    path = os.path.abspath(os.path.expanduser(place))
    if os.path.isdir(path) or not (os.path.exists(path) or path.endswith((".sqlite", ".db", ".ducklake"))):
        path = os.path.join(path, CATALOG_FILE)
    return sa.URL.create("sqlite", database=path), as_folder(os.path.join(os.path.dirname(path), DATA_FOLDER))


def _folder(data_path: str) -> str:
    refuse_url(data_path)
    return as_folder(data_path)


def postgresql_address(place: str) -> sa.URL:
    """The address of a PostgreSQL database; refuses other places."""
    url, _ = _locate(place) if "://" in place else (sa.URL.create("sqlite"), None)
    if url.get_backend_name() != "postgresql":
        raise InvalidRequest(f"{place!r} is not a PostgreSQL database", hint="Use postgresql://user@host/database.")
    return url


def _is_absent(place: str) -> bool:
    path = place.removeprefix("sqlite:///")
    if "://" in path or path.startswith("ducklake:"):
        return False
    path = os.path.expanduser(path)
    return not os.path.isfile(os.path.join(path, CATALOG_FILE) if os.path.isdir(path) else path)


def _check_file(url: sa.URL) -> None:
    """Refuse a file that is too short for a database, which SQLite would overwrite; SQLite itself refuses longer ones.

    The file is not opened: to close it would free all locks that this process holds on it.
    """
    path = url.database or ""
    if url.get_backend_name() == "sqlite" and os.path.isfile(path) and 0 < os.path.getsize(path) < SQLITE_HEADER_BYTES:
        raise not_a_database(f'"{path}"')


def _open(database: Database, given: str | None, beside: str | None) -> str:
    """Check or create the catalog, and give its database a gate; returns the data path."""
    if not database.has_table("ducklake_metadata"):
        _create(database, given or beside)
    with database.read() as connection:
        refuse_moved(connection)
        check_version(connection)
        folder = find_folder(connection, database, given, beside)
        require_data_path(connection, folder)
        database.gate = gate = LakeGate(database, folder)
        gate.refuse_other_lake(connection)
    return folder


def _create(database: Database, data_path: str | None) -> None:
    if data_path is None:
        raise InvalidRequest(
            f"no lake in {database.display_url}, and no data_path to create one",
            hint="Call connect(url, data_path='…') once; the catalog stores the path.",
        )
    try:
        os.makedirs(data_path, exist_ok=True)
    except OSError as error:
        raise folder_error(data_path, error) from error

    gate = LakeGate(database, data_path) if "://" not in data_path else None
    if gate is not None:
        refuse_nested(data_path)

    def work(connection: sa.Connection) -> str | None:
        # Another process may have created it while this one waited for the lock.
        if has_table(connection, "ducklake_metadata"):
            return None
        create_catalog(connection, data_path, SystemClock().now())
        return None if gate is None else gate.bind_new(connection)

    generation = database.write_ungated(work)
    if gate is not None and generation is not None:
        gate.confirm(generation)
