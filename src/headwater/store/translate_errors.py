"""Translate database errors, and decide by SQLSTATE, never by text, whether a retry can help."""

from __future__ import annotations

from sqlalchemy import exc

from headwater.core.errors import (
    HeadwaterError,
    NotALake,
    StoreBusy,
    StoreDenied,
    StoreFailed,
    StoreFull,
    StoreUnreachable,
)
from headwater.store.catalog_files import catalog_fault

_RETRY = frozenset({"40001", "40P01"})
_DENIED = frozenset({"28000", "28P01", "42501"})
_SQLITE_DENIED = frozenset({"SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH"})
# libpq returns no SQLSTATE for a failed login. This text only decides on the error to report.
_REFUSED_LOGIN = "authentication failed"
_BUSY = frozenset({"55P03", "57014"})
_FULL = "53100"
_UNREACHABLE_CLASSES = ("08", "57P", "3D")


def sqlstate(error: BaseException) -> str | None:
    """The five-letter code of a PostgreSQL error."""
    origin = getattr(error, "orig", error)
    return getattr(origin, "sqlstate", None)


def worth_retrying(error: exc.DBAPIError) -> bool:
    """Whether a retry of the transaction may succeed: after conflicts, not after lost connections."""
    if sqlstate(error) in _RETRY:
        return True
    return isinstance(error, exc.IntegrityError) and not _is_refused(error)


def _is_refused(error: exc.SQLAlchemyError) -> bool:
    """Whether a trigger of the catalog refuses changes, as in a catalog that another one has replaced."""
    return getattr(getattr(error, "orig", None), "sqlite_errorname", None) == "SQLITE_CONSTRAINT_TRIGGER"


def connection_lost(error: exc.DBAPIError) -> bool:
    """Whether the connection was lost, so that the outcome is unknown."""
    if error.connection_invalidated:
        return True
    state = sqlstate(error)
    if state is not None:
        return state.startswith(("08", "57P"))
    return isinstance(error, exc.OperationalError | exc.InterfaceError) and not _is_sqlite(error)


# SQLite's errors whose cause the file system may show.
_OF_FILES = frozenset({"SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM"})


def translate(error: exc.SQLAlchemyError, where: str, file: str | None = None) -> HeadwaterError:
    """The error for the user; `where` names the database without its password, `file` is that of SQLite."""
    if _sqlite_code(error) in _OF_FILES and file is not None and (fault := catalog_fault(file)):
        return fault
    state = sqlstate(error)
    cause = _cause(error)
    if _is_refused(error):
        return StoreDenied(f"the catalog {where} can't be changed", detail=f"{cause}.", hint="Use the new catalog.")
    if state in _DENIED or _REFUSED_LOGIN in cause or _sqlite_code(error) in _SQLITE_DENIED:
        return StoreDenied(
            f"access to the catalog {where} is denied",
            detail=cause,
            hint="Check user, password and grants, or file permissions.",
        )
    if state in _BUSY or _sqlite_code(error) in ("SQLITE_BUSY", "SQLITE_LOCKED"):
        return StoreBusy(f"the catalog {where} is busy", detail=cause, hint="Try again; another writer holds the lock.")
    if state == _FULL or _sqlite_code(error) == "SQLITE_FULL":
        return StoreFull(
            f"no space left for the catalog {where}",
            detail=cause,
            hint="Free some space; nothing was changed.",
        )
    if _sqlite_code(error) == "SQLITE_CANTOPEN":
        return StoreDenied(
            f"the catalog {where} cannot be opened", detail=cause, hint="Check that the folder exists and is writable."
        )
    if _sqlite_code(error) == "SQLITE_NOTADB":
        return not_a_database(where)
    if isinstance(error, exc.DBAPIError) and error.connection_invalidated and _is_sqlite(error):
        return StoreUnreachable(
            f"the process that had opened the catalog {where} ended",
            detail="What it had not committed is rolled back.",
            hint="Try again; the next statement starts another process.",
        )
    if (state is not None and state.startswith(_UNREACHABLE_CLASSES)) or (
        isinstance(error, exc.DBAPIError) and connection_lost(error)
    ):
        return StoreUnreachable(
            f"can't connect to the catalog {where}",
            detail=cause,
            hint="Check host, port and database name, and that the server is running.",
        )
    return StoreFailed(f"the catalog {where} failed", detail=cause, hint="Check the detail; nothing was changed.")


def not_a_database(where: str) -> NotALake:
    """The error for a file that is not a SQLite database."""
    return NotALake(
        f"{where} is not a lake",
        detail="The file is not a SQLite database.",
        hint="Use a folder or a new file name.",
    )


def _cause(error: exc.SQLAlchemyError) -> str:
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _is_sqlite(error: exc.DBAPIError) -> bool:
    return type(error.orig).__module__ == "sqlite3"


def _sqlite_code(error: exc.SQLAlchemyError) -> str | None:
    name = getattr(getattr(error, "orig", None), "sqlite_errorname", None)
    return "_".join(name.split("_")[:2]) if name else None
