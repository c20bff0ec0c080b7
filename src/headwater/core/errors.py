"""Every error of Headwater.

HeadwaterError
├── SqlError                     HW-SQL-…     text that can't be understood or isn't supported
│   ├── SqlSyntaxError           HW-SQL-001
│   └── SqlUnsupported           HW-SQL-002
├── NotFound                     HW-NAME-001  a name that nothing answers to
├── AlreadyExists                HW-NAME-002
├── InvalidRequest               HW-USE-001   a call that makes no sense, whatever the lake holds
├── StoreError                   HW-STORE-…   the catalog database
│   ├── StoreUnreachable         HW-STORE-001
│   ├── StoreDenied              HW-STORE-002
│   ├── StoreBusy                HW-STORE-003
│   ├── StoreFailed              HW-STORE-004
│   └── StoreFull                HW-STORE-005 no room left for the catalog
├── LakeError                    HW-LAKE-…    what the lake holds
│   ├── CatalogVersionRefused    HW-LAKE-001
│   ├── FeatureRefused           HW-LAKE-002  encrypted files, Puffin deletes, types without a lossless mapping
│   ├── SnapshotMissing          HW-LAKE-003
│   ├── RangeGone                HW-LAKE-004  the changes asked for have been expired
│   ├── TableReplaced            HW-LAKE-005  another table carries the name now
│   ├── FileMissing              HW-LAKE-006
│   ├── FileDamaged              HW-LAKE-007
│   ├── FileDenied               HW-LAKE-008
│   ├── NotALake                 HW-LAKE-009
│   └── DiskFull                 HW-LAKE-010  no room left for files, the lake's or those that Spark computes with
├── EngineError                  HW-RUN-001   Spark failed for a reason of its own
│   ├── EngineOutOfMemory        HW-RUN-002   what it computed does not fit into Spark's memory
│   ├── EngineLost               HW-RUN-003   Spark's process is gone
│   └── ResultTooLarge           HW-RUN-004   a result does not fit into Spark's driver
├── QueryError                   HW-QUERY-…   SQL that DuckDB runs
│   ├── QueryFailed              HW-QUERY-001 DuckDB refused the statement or failed at it
│   └── QueryWorkerDied          HW-QUERY-002 the process that ran it is gone
├── DynamicTableError            HW-DT-…
│   ├── DefinitionRefused        HW-DT-001    a definition that can't be kept fresh
│   ├── DynamicTableReadOnly     HW-DT-002    only refreshes change a dynamic table's rows
│   ├── NotInitialized           HW-DT-003    read before its first refresh
│   ├── RefreshFailed            HW-DT-004    the old content stays
│   ├── RefreshRunning           HW-DT-005    somebody else holds the table's lease
│   ├── StateBroken              HW-DT-006    what a table's files carry does not fit its rows
│   ├── RefreshTimedOut          HW-DT-007    it ran longer than refresh_timeout allows
│   └── RefreshCancelled         HW-DT-008    a person ended it
├── RegistryTooNew               HW-REG-001   a newer Headwater made this lake's registry
├── MaintenanceRunning           HW-MAINT-001 somebody else maintains the lake
└── CommitError                  HW-COMMIT-…
    ├── CommitConflict           HW-COMMIT-001  surely not landed: another commit came between
    ├── CommitRejected           HW-COMMIT-002  surely not landed: a requirement does not hold
    │   └── LeaseLost            HW-COMMIT-004  the right to change the table has expired or is another's
    └── CommitUnknown            HW-COMMIT-003  may have landed; settle by its token
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from headwater.core.excerpt import Excerpt


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a SQL text, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class HeadwaterError(Exception):
    """What a user is told: message says what, detail why, hint what to do."""

    code: ClassVar[str] = "HW-000"

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

    def __str__(self) -> str:
        where = f" ({self.position})" if self.position else ""
        lines = [f"error[{self.code}]: {self.message}{where}"]
        if self.detail:
            lines.append(f"detail: {self.detail}")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


@contextmanager
def without_position() -> Iterator[None]:
    """Around work on a text that is not the user's script: a place in it would mislead."""
    try:
        yield
    except HeadwaterError as error:
        error.position = None
        raise


class SqlError(HeadwaterError):
    """The SQL text is at fault."""

    code = "HW-SQL-000"


class SqlSyntaxError(SqlError):
    """The text can't be parsed."""

    code = "HW-SQL-001"


class SqlUnsupported(SqlError):
    """The text is SQL, but not one that Headwater runs."""

    code = "HW-SQL-002"


class NotFound(HeadwaterError):
    """Nothing answers to this name."""

    code = "HW-NAME-001"


class AlreadyExists(HeadwaterError):
    """The name is taken."""

    code = "HW-NAME-002"


class InvalidRequest(HeadwaterError):
    """The call makes no sense, whatever the lake holds."""

    code = "HW-USE-001"


class StoreError(HeadwaterError):
    """The catalog database is at fault."""

    code = "HW-STORE-000"


class StoreUnreachable(StoreError):
    """No connection to the catalog database."""

    code = "HW-STORE-001"


class StoreDenied(StoreError):
    """The catalog database refuses the user, or the file system the catalog file."""

    code = "HW-STORE-002"


class StoreBusy(StoreError):
    """A lock of the catalog could not be had in time."""

    code = "HW-STORE-003"


class StoreFailed(StoreError):
    """The catalog database failed for a reason of its own."""

    code = "HW-STORE-004"


class StoreFull(StoreError):
    """No room is left where the catalog database keeps its data."""

    code = "HW-STORE-005"


class LakeError(HeadwaterError):
    """What the lake holds is at fault."""

    code = "HW-LAKE-000"


class CatalogVersionRefused(LakeError):
    """The catalog is of a DuckLake version that Headwater does not know."""

    code = "HW-LAKE-001"


class FeatureRefused(LakeError):
    """The table uses a DuckLake feature that Headwater can't represent exactly."""

    code = "HW-LAKE-002"


class SnapshotMissing(LakeError):
    """No such snapshot: never made, expired, or damaged by another client."""

    code = "HW-LAKE-003"


class RangeGone(LakeError):
    """The changes asked for begin at a snapshot that has been expired."""

    code = "HW-LAKE-004"


class TableReplaced(LakeError):
    """Another table carries the name now, so there are no changes from one to the other."""

    code = "HW-LAKE-005"


class FileMissing(LakeError):
    """The catalog lists a file that is not there."""

    code = "HW-LAKE-006"
    path: str | None = None


class FileDamaged(LakeError):
    """A file of the lake can't be read as what the catalog says it is."""

    code = "HW-LAKE-007"
    path: str | None = None


class FileDenied(LakeError):
    """The file system refuses to read or write a file of the lake."""

    code = "HW-LAKE-008"


class NotALake(LakeError):
    """The place holds something else than a DuckLake catalog."""

    code = "HW-LAKE-009"


class DiskFull(LakeError):
    """No room is left for files."""

    code = "HW-LAKE-010"


class EngineError(HeadwaterError):
    """Spark failed for a reason of its own."""

    code = "HW-RUN-001"


class EngineOutOfMemory(EngineError):
    """What Spark computed does not fit into its memory."""

    code = "HW-RUN-002"


class EngineLost(EngineError):
    """Spark's process ended while it computed; the next refresh starts another."""

    code = "HW-RUN-003"


class ResultTooLarge(EngineError):
    """A result that Spark's driver was to hold is larger than it may be."""

    code = "HW-RUN-004"


class QueryError(HeadwaterError):
    """SQL that DuckDB runs."""

    code = "HW-QUERY-000"


class QueryFailed(QueryError):
    """DuckDB refused the statement or failed at it; what it did has been rolled back."""

    code = "HW-QUERY-001"


class QueryWorkerDied(QueryError):
    """The process that ran the statement is gone."""

    code = "HW-QUERY-002"


class DynamicTableError(HeadwaterError):
    """A dynamic table."""

    code = "HW-DT-000"


class DefinitionRefused(DynamicTableError):
    """A definition that can't be kept fresh."""

    code = "HW-DT-001"
    # What is wrong of its query, where the place is not known yet.
    excerpt: Excerpt | None = None


class DynamicTableReadOnly(DynamicTableError):
    """Only refreshes change the rows of a dynamic table."""

    code = "HW-DT-002"


class NotInitialized(DynamicTableError):
    """The dynamic table has not had its first refresh."""

    code = "HW-DT-003"


class RefreshFailed(DynamicTableError):
    """A refresh failed; the content of before stays."""

    code = "HW-DT-004"


class RefreshRunning(DynamicTableError):
    """Somebody else refreshes the table at this moment."""

    code = "HW-DT-005"


class StateBroken(DynamicTableError):
    """What a table's files carry to follow changes does not fit its rows: it has to be computed in full."""

    code = "HW-DT-006"


class RefreshTimedOut(DynamicTableError):
    """A refresh ran longer than it may; the content of before stays."""

    code = "HW-DT-007"


class RefreshCancelled(DynamicTableError):
    """A person ended the refresh; the content of before stays."""

    code = "HW-DT-008"


class RegistryTooNew(HeadwaterError):
    """A newer Headwater made the registry of this lake."""

    code = "HW-REG-001"


class MaintenanceRunning(HeadwaterError):
    """Somebody else maintains this lake at this moment."""

    code = "HW-MAINT-001"


class CommitError(HeadwaterError):
    """A commit did not go through, or may not have."""

    code = "HW-COMMIT-000"


class CommitConflict(CommitError):
    """Surely not landed: a commit in between touches the same objects."""

    code = "HW-COMMIT-001"


class CommitRejected(CommitError):
    """Surely not landed: something that had to be true is not."""

    code = "HW-COMMIT-002"


class LeaseLost(CommitRejected):
    """Surely not landed: the lease under which it was computed has expired or is another's."""

    code = "HW-COMMIT-004"


class CommitUnknown(CommitError):
    """The connection broke while committing; the token settles what happened."""

    code = "HW-COMMIT-003"

    def __init__(self, message: str, *, token: str, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.token = token
