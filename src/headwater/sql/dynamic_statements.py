"""The statements about dynamic tables, as values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headwater.core.errors import Position
from headwater.sql.properties import Properties
from headwater.sql.statements import ObjectName, SchemaName


@dataclass(frozen=True, slots=True)
class NamedOutput:
    """A column name in the definition; the query determines the type."""

    name: str
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class CreateDynamicTable:
    """CREATE DYNAMIC TABLE; `query` is the text as written, found at `query_position` of the script."""

    name: ObjectName
    query: str
    columns: tuple[NamedOutput, ...] = ()
    properties: Properties = field(default_factory=Properties)
    or_replace: bool = False
    or_alter: bool = False
    if_not_exists: bool = False
    query_position: Position = field(default=Position(1, 1), compare=False)

    def as_definition(self, name: ObjectName) -> CreateDynamicTable:
        """The definition of the table of this name, without OR REPLACE, OR ALTER and IF NOT EXISTS."""
        return replace(self, name=name, or_replace=False, or_alter=False, if_not_exists=False)


@dataclass(frozen=True, slots=True)
class SuspendDynamicTable:
    """ALTER DYNAMIC TABLE … SUSPEND."""

    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ResumeDynamicTable:
    """ALTER DYNAMIC TABLE … RESUME."""

    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RefreshDynamicTable:
    """REFRESH DYNAMIC TABLE of one or several tables; ALTER DYNAMIC TABLE … REFRESH."""

    names: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class CancelRefresh:
    """ALTER DYNAMIC TABLE … CANCEL REFRESH."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class RenameDynamicTable:
    """ALTER DYNAMIC TABLE … RENAME TO; the table stays in its schema."""

    name: ObjectName
    new_name: str


@dataclass(frozen=True, slots=True)
class SwapDynamicTable:
    """ALTER DYNAMIC TABLE … SWAP WITH: the two tables exchange their names."""

    name: ObjectName
    other: ObjectName


@dataclass(frozen=True, slots=True)
class SetDynamicTable:
    """ALTER DYNAMIC TABLE … SET; properties that are None don't change."""

    name: ObjectName
    properties: Properties


@dataclass(frozen=True, slots=True)
class UnsetDynamicTable:
    """ALTER DYNAMIC TABLE … UNSET, with the canonical names of properties, such as TARGET_LAG."""

    name: ObjectName
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddDynamicColumn:
    """ALTER DYNAMIC TABLE … ADD COLUMN expression AS column, with the expression as written."""

    name: ObjectName
    expression: str
    column: str


@dataclass(frozen=True, slots=True)
class RenameDynamicColumn:
    """ALTER DYNAMIC TABLE … RENAME COLUMN."""

    name: ObjectName
    column: str
    new_name: str


@dataclass(frozen=True, slots=True)
class DropDynamicTable:
    """DROP DYNAMIC TABLE."""

    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class UndropDynamicTable:
    """UNDROP DYNAMIC TABLE."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class DescribeDynamicTable:
    """DESCRIBE DYNAMIC TABLE."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class ShowCreateDynamicTable:
    """SHOW CREATE DYNAMIC TABLE."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class ShowDynamicTables:
    """SHOW DYNAMIC TABLES, optionally by a pattern for the name and by schema."""

    like: str | None = None
    schema: SchemaName | None = None


@dataclass(frozen=True, slots=True)
class ExplainDynamicTable:
    """EXPLAIN of a table's definition, of its next refresh, or of CREATE DYNAMIC TABLE."""

    target: ObjectName | CreateDynamicTable
    refresh: bool = False


@dataclass(frozen=True, slots=True)
class ShowRefreshHistory:
    """SHOW DYNAMIC TABLE REFRESH HISTORY, with the condition as written."""

    table: ObjectName | None = None
    where: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ShowJobProfile:
    """SHOW DYNAMIC TABLE JOB PROFILE of a job by its id, or of the latest job of a table; one of the two is given."""

    job_id: str | None = None
    table: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class VerifyDynamicTable:
    """VERIFY DYNAMIC TABLE: recompute and compare."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class ShowTableVersions:
    """SHOW DYNAMIC TABLE VERSIONS, of one table or of all."""

    table: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class RestoreDynamicTable:
    """RESTORE DYNAMIC TABLE to a version or to a timestamp (ISO 8601); one of the two is given."""

    name: ObjectName
    version: int | None = None
    timestamp: str | None = None


DynamicStatement = (
    CreateDynamicTable
    | SuspendDynamicTable
    | ResumeDynamicTable
    | RefreshDynamicTable
    | CancelRefresh
    | RenameDynamicTable
    | SwapDynamicTable
    | SetDynamicTable
    | UnsetDynamicTable
    | AddDynamicColumn
    | RenameDynamicColumn
    | DropDynamicTable
    | UndropDynamicTable
    | DescribeDynamicTable
    | ShowCreateDynamicTable
    | ShowDynamicTables
    | ExplainDynamicTable
    | ShowRefreshHistory
    | ShowJobProfile
    | ShowTableVersions
    | VerifyDynamicTable
    | RestoreDynamicTable
)
