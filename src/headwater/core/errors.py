"""Every error of Headwater.

HeadwaterError
├── SqlError                     HW-SQL-…     text that can't be parsed or is not supported
│   ├── SqlSyntaxError           HW-SQL-001
│   └── SqlUnsupported           HW-SQL-002
├── NotFound                     HW-NAME-001  no object of this name
├── AlreadyExists                HW-NAME-002
├── InvalidRequest               HW-USE-001   invalid arguments
├── StoreError                   HW-STORE-…   the catalog database
│   ├── StoreUnreachable         HW-STORE-001
│   ├── StoreDenied              HW-STORE-002
│   ├── StoreBusy                HW-STORE-003
│   ├── StoreFailed              HW-STORE-004
│   ├── StoreFull                HW-STORE-005 no disk space for the catalog
│   └── CopyFailed               HW-STORE-006 a copy of the catalog can't be made, or differs from it
├── LakeError                    HW-LAKE-…    the lake's catalog and files
│   ├── CatalogVersionRefused    HW-LAKE-001
│   ├── FeatureRefused           HW-LAKE-002  encrypted files, Puffin deletes, types without a lossless mapping
│   ├── SnapshotMissing          HW-LAKE-003
│   ├── RangeGone                HW-LAKE-004  the requested changes have been expired
│   ├── TableReplaced            HW-LAKE-005  the table was dropped or replaced
│   ├── FileMissing              HW-LAKE-006
│   ├── FileDamaged              HW-LAKE-007
│   ├── FileDenied               HW-LAKE-008
│   ├── NotALake                 HW-LAKE-009
│   ├── DiskFull                 HW-LAKE-010  no disk space for files of the lake or of Spark
│   ├── FileFailed               HW-LAKE-011  another failure of the file system, such as a read-only one
│   ├── DataPathMissing          HW-LAKE-012  the folder of the lake's files does not exist
│   └── LakeNotAdopted           HW-ADOPT-001 catalog and data folder do not name each other
├── EngineError                  HW-RUN-001   Spark failed
│   ├── EngineOutOfMemory        HW-RUN-002   the computation does not fit into Spark's memory
│   ├── EngineLost               HW-RUN-003   the Spark process ended
│   └── ResultTooLarge           HW-RUN-004   a result does not fit into the memory of Spark's driver
├── QueryError                   HW-QUERY-…   SQL that DuckDB runs
│   ├── QueryFailed              HW-QUERY-001 DuckDB rejected the statement or failed to run it
│   ├── QueryWorkerDied          HW-QUERY-002 the process that ran the statement ended
│   └── TransactionEnded         HW-QUERY-003 the transaction was rolled back before this statement
├── DynamicTableError            HW-DT-…
│   ├── DefinitionRefused        HW-DT-001    a definition that can't be used for a dynamic table
│   ├── DynamicTableReadOnly     HW-DT-002    only refreshes change a dynamic table's rows
│   ├── NotInitialized           HW-DT-003    read before its first refresh
│   ├── RefreshFailed            HW-DT-004    the table keeps its previous contents
│   ├── RefreshRunning           HW-DT-005    another process holds the table's lease
│   ├── StateBroken              HW-DT-006    a table's state columns do not match its rows
│   ├── RefreshTimedOut          HW-DT-007    the refresh exceeded refresh_timeout
│   └── RefreshCancelled         HW-DT-008    a user cancelled the refresh
├── LoadError                    HW-LOAD-…    files loaded into tables
│   └── ConfigInvalid            HW-LOAD-001  a YAML config that can't be used
├── RegistryVersionRefused       HW-REG-001   another release wrote this lake's registry
├── MaintenanceRunning           HW-MAINT-001 another process runs maintenance
└── CommitError                  HW-COMMIT-…
    ├── CommitConflict           HW-COMMIT-001  not committed: a concurrent commit conflicts
    ├── CommitRejected           HW-COMMIT-002  not committed: a requirement does not hold
    │   └── LeaseLost            HW-COMMIT-004  not committed: the lease expired or another process holds it
    └── CommitUnknown            HW-COMMIT-003  may have been committed; its token decides
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from headwater.core.excerpt import Excerpt


@dataclass(frozen=True, slots=True)
class Position:
    """A line and a column of a SQL text, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class HeadwaterError(Exception):
    """The base class of all errors: the message says what failed, the detail why, and the hint what to do."""

    code: ClassVar[str] = "HW-000"
    # The line of the user's text that has the position, with a caret below it; see `core.caret`.
    source_line: str | None = None
    # The part of a query that is wrong, until its position is known.
    excerpt: Excerpt | None = None

    def __init__(
        self,
        message: str,
        *,
        detail: str | None = None,
        hint: str | None = None,
        position: Position | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position

    def body(self) -> dict[str, str | None]:
        """The error as data: its code, message with the position, detail and hint."""
        where = f" ({self.position})" if self.position else ""
        return {"code": self.code, "message": f"{self.message}{where}", "detail": self.detail, "hint": self.hint}

    def __str__(self) -> str:
        return self._text(None)

    def with_source_line(self) -> str:
        """The text of the error, with the line that it is about."""
        return self._text(self.source_line)

    def _text(self, source_line: str | None) -> str:
        lines = [f"error[{self.code}]: {self.body()['message']}"]
        if source_line:
            lines.append(source_line)
        if self.detail:
            lines.append(f"detail: {self.detail}")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


@contextmanager
def without_position() -> Iterator[None]:
    """Remove positions from errors about a text that is not the user's script."""
    try:
        yield
    except HeadwaterError as error:
        error.position = None
        raise


class SqlError(HeadwaterError):
    """An error in the SQL text."""

    code = "HW-SQL-000"


class SqlSyntaxError(SqlError):
    """The text can't be parsed."""

    code = "HW-SQL-001"


class SqlUnsupported(SqlError):
    """The SQL is valid, but Headwater does not support it."""

    code = "HW-SQL-002"


class NotFound(HeadwaterError):
    """No object of this name exists."""

    code = "HW-NAME-001"


class AlreadyExists(HeadwaterError):
    """An object of this name already exists."""

    code = "HW-NAME-002"


class InvalidRequest(HeadwaterError):
    """The arguments of the call are invalid."""

    code = "HW-USE-001"


class StoreError(HeadwaterError):
    """An error of the catalog database."""

    code = "HW-STORE-000"


class StoreUnreachable(StoreError):
    """The catalog database can't be reached."""

    code = "HW-STORE-001"


class StoreDenied(StoreError):
    """The catalog database denies access to the user, or the file system to the catalog file."""

    code = "HW-STORE-002"


class StoreBusy(StoreError):
    """A lock on the catalog could not be acquired in time."""

    code = "HW-STORE-003"


class StoreFailed(StoreError):
    """The catalog database failed for another reason."""

    code = "HW-STORE-004"


class StoreFull(StoreError):
    """No disk space is left for the catalog database."""

    code = "HW-STORE-005"


class CopyFailed(StoreError):
    """The catalog can't be copied to another database, or the copy differs; nothing was copied."""

    code = "HW-STORE-006"


class LakeError(HeadwaterError):
    """An error in the lake's catalog or files."""

    code = "HW-LAKE-000"
    # The file or folder that failed, if the error is about one.
    path: str | None = None


class CatalogVersionRefused(LakeError):
    """The catalog has a DuckLake version that Headwater does not support."""

    code = "HW-LAKE-001"


class FeatureRefused(LakeError):
    """The table uses a DuckLake feature that Headwater can't represent exactly."""

    code = "HW-LAKE-002"


class SnapshotMissing(LakeError):
    """The snapshot does not exist, has been expired, or was damaged by another client."""

    code = "HW-LAKE-003"


class RangeGone(LakeError):
    """The requested changes begin at a snapshot that has been expired."""

    code = "HW-LAKE-004"


class TableReplaced(LakeError):
    """The table was dropped or replaced within the range, so its changes are not defined."""

    code = "HW-LAKE-005"


class FileMissing(LakeError):
    """The catalog lists a file that does not exist."""

    code = "HW-LAKE-006"


class FileDamaged(LakeError):
    """A file of the lake can't be read, or does not match the catalog."""

    code = "HW-LAKE-007"


class FileDenied(LakeError):
    """The file system denies access to a file of the lake."""

    code = "HW-LAKE-008"


class NotALake(LakeError):
    """The location does not contain a DuckLake catalog."""

    code = "HW-LAKE-009"


class DiskFull(LakeError):
    """No disk space is left for files of the lake or of Spark."""

    code = "HW-LAKE-010"


class FileFailed(LakeError):
    """The file system can't read or write a file for another reason; the detail says which."""

    code = "HW-LAKE-011"


class DataPathMissing(LakeError):
    """The folder of the lake's files does not exist, although the catalog lists files in it."""

    code = "HW-LAKE-012"


class LakeNotAdopted(LakeError):
    """The catalog and the data folder do not name each other; the lake can be read, but not changed before it is adopted."""

    code = "HW-ADOPT-001"
    # What the comparison of catalog and data folder shows.
    verdict: str | None = None


class EngineError(HeadwaterError):
    """Spark failed."""

    code = "HW-RUN-001"


class EngineOutOfMemory(EngineError):
    """The computation does not fit into Spark's memory."""

    code = "HW-RUN-002"


class EngineLost(EngineError):
    """The Spark process ended during a computation; the next refresh starts another."""

    code = "HW-RUN-003"


class ResultTooLarge(EngineError):
    """A result does not fit into the memory of Spark's driver."""

    code = "HW-RUN-004"


class QueryError(HeadwaterError):
    """An error in SQL that DuckDB runs."""

    code = "HW-QUERY-000"


class QueryFailed(QueryError):
    """DuckDB rejected the statement or failed to run it; its changes are rolled back."""

    code = "HW-QUERY-001"


class QueryWorkerDied(QueryError):
    """The process that ran the statement has ended."""

    code = "HW-QUERY-002"


class TransactionEnded(QueryError):
    """The transaction was rolled back: after an error, after 60 idle seconds, or with its process or connection."""

    code = "HW-QUERY-003"


class DynamicTableError(HeadwaterError):
    """An error of a dynamic table."""

    code = "HW-DT-000"


class DefinitionRefused(DynamicTableError):
    """The definition can't be used for a dynamic table."""

    code = "HW-DT-001"
    # The parts of the column's name that the query's sources do not have.
    unknown_column: tuple[str, ...] = ()


class DynamicTableReadOnly(DynamicTableError):
    """Only refreshes change the rows of a dynamic table."""

    code = "HW-DT-002"


class NotInitialized(DynamicTableError):
    """The dynamic table has not been refreshed yet."""

    code = "HW-DT-003"


class RefreshFailed(DynamicTableError):
    """A refresh failed; the table keeps its previous contents."""

    code = "HW-DT-004"


class RefreshRunning(DynamicTableError):
    """Another refresh of the table is running."""

    code = "HW-DT-005"


class StateBroken(DynamicTableError):
    """The state columns of a table do not match its rows; it must be refreshed in full."""

    code = "HW-DT-006"


class RefreshTimedOut(DynamicTableError):
    """A refresh exceeded its timeout; the table keeps its previous contents."""

    code = "HW-DT-007"


class RefreshCancelled(DynamicTableError):
    """A user cancelled the refresh; the table keeps its previous contents."""

    code = "HW-DT-008"


class LoadError(HeadwaterError):
    """An error of loading files into a table."""

    code = "HW-LOAD-000"


class ConfigInvalid(LoadError):
    """A YAML config can't be used."""

    code = "HW-LOAD-001"
    # The file of the config, as it was named.
    path: str | None = None


class RegistryVersionRefused(HeadwaterError):
    """The registry of this lake has a revision that this release does not support."""

    code = "HW-REG-001"


class MaintenanceRunning(HeadwaterError):
    """Another process is running maintenance on this lake."""

    code = "HW-MAINT-001"


class CommitError(HeadwaterError):
    """A commit failed, or its outcome is unknown."""

    code = "HW-COMMIT-000"


class CommitConflict(CommitError):
    """Nothing was committed: a concurrent commit changed the same objects."""

    code = "HW-COMMIT-001"


class CommitRejected(CommitError):
    """Nothing was committed: a requirement does not hold."""

    code = "HW-COMMIT-002"


class LeaseLost(CommitRejected):
    """Nothing was committed: the lease expired, or another process holds it."""

    code = "HW-COMMIT-004"


class CommitUnknown(CommitError):
    """The connection was lost during the commit; the token shows whether it succeeded."""

    code = "HW-COMMIT-003"

    def __init__(self, message: str, *, token: str, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.token = token


def error_from_body(
    code: str | None, message: str, detail: str | None = None, hint: str | None = None
) -> HeadwaterError:
    """The error that gave this body; of a code that is not known, a HeadwaterError.

    >>> type(error_from_body("HW-DT-007", "the refresh ran longer than 5 seconds")).__name__
    'RefreshTimedOut'
    """
    kinds = [kind for kind in globals().values() if isinstance(kind, type) and issubclass(kind, HeadwaterError)]
    kind = next((each for each in kinds if each.code == code and each is not CommitUnknown), HeadwaterError)
    return kind(message, detail=detail, hint=hint)


def error_from_text(text: str) -> HeadwaterError | None:
    """The inverse of `str(error)`; None for another text.

    >>> error = RefreshTimedOut("the refresh ran longer than 5 seconds", hint="Raise refresh_timeout.")
    >>> error_from_text(str(error)).body() == error.body()
    True
    """
    code, closed, rest = text.removeprefix("error[").partition("]: ")
    if not (closed and text.startswith("error[")):
        return None
    rest, _, hint = rest.partition("\nhint: ")
    message, _, detail = rest.partition("\ndetail: ")
    return error_from_body(code, message, detail or None, hint or None)
