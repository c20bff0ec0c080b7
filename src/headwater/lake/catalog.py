"""The 28 tables of a DuckLake 1.0 catalog, with the column types that the DuckDB extension creates on each database."""

from __future__ import annotations

import uuid
from typing import Any

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, MetaData, Table

from headwater.store.instant import Instant

VERSION = "1.0"


class Flag(sa.types.TypeDecorator[bool]):
    """A boolean; SQLite catalogs store it as 0 or 1 in a BIGINT."""

    impl = sa.Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        return dialect.type_descriptor(sa.Boolean() if dialect.name == "postgresql" else BigInteger())

    def process_bind_param(self, value: bool | None, dialect: sa.Dialect) -> Any:
        return value if value is None or dialect.name == "postgresql" else int(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> bool | None:
        return None if value is None else bool(value)


class Uuid(sa.types.TypeDecorator[str]):
    """A UUID as text; PostgreSQL catalogs store it in type UUID."""

    impl = sa.String
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        return dialect.type_descriptor(sa.UUID() if dialect.name == "postgresql" else sa.VARCHAR())

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> Any:
        return uuid.UUID(value) if value is not None and dialect.name == "postgresql" else value

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> str | None:
        return None if value is None else str(value)


metadata = MetaData()

_INTEGER, _TEXT, _FLAG, _INSTANT, _UUID = BigInteger, sa.VARCHAR, Flag, Instant, Uuid
_KINDS: dict[str, Any] = {"": _INTEGER, "t": _TEXT, "f": _FLAG, "i": _INSTANT, "u": _UUID}


def _table(name: str, columns: str, *, key: str | None = None, required: tuple[str, ...] = ()) -> Table:
    """A catalog table from a compact list of ``name`` or ``name:kind``."""
    parts = [part.partition(":") for part in columns.split()]
    return Table(
        name,
        metadata,
        *(
            Column(
                column,
                _KINDS[kind](),
                primary_key=column == key,
                autoincrement=False,
                nullable=column != key and column not in required,
            )
            for column, _, kind in parts
        ),
    )


ducklake_metadata = _table("ducklake_metadata", "key:t value:t scope:t scope_id", required=("key", "value"))
snapshot = _table(
    "ducklake_snapshot", "snapshot_id snapshot_time:i schema_version next_catalog_id next_file_id", key="snapshot_id"
)
snapshot_changes = _table(
    "ducklake_snapshot_changes",
    "snapshot_id changes_made:t author:t commit_message:t commit_extra_info:t",
    key="snapshot_id",
)
schema = _table(
    "ducklake_schema",
    "schema_id schema_uuid:u begin_snapshot end_snapshot schema_name:t path:t path_is_relative:f",
    key="schema_id",
)
table = _table(
    "ducklake_table",
    "table_id table_uuid:u begin_snapshot end_snapshot schema_id table_name:t path:t path_is_relative:f",
)
view = _table(
    "ducklake_view",
    "view_id view_uuid:u begin_snapshot end_snapshot schema_id view_name:t dialect:t sql:t column_aliases:t",
)
tag = _table("ducklake_tag", "object_id begin_snapshot end_snapshot key:t value:t")
column_tag = _table("ducklake_column_tag", "table_id column_id begin_snapshot end_snapshot key:t value:t")
data_file = _table(
    "ducklake_data_file",
    "data_file_id table_id begin_snapshot end_snapshot file_order path:t path_is_relative:f file_format:t record_count "
    "file_size_bytes footer_size row_id_start partition_id encryption_key:t mapping_id partial_max",
    key="data_file_id",
)
file_column_stats = _table(
    "ducklake_file_column_stats",
    "data_file_id table_id column_id column_size_bytes value_count null_count min_value:t max_value:t contains_nan:f "
    "extra_stats:t",
)
file_variant_stats = _table(
    "ducklake_file_variant_stats",
    "data_file_id table_id column_id variant_path:t shredded_type:t column_size_bytes value_count null_count min_value:t "
    "max_value:t contains_nan:f extra_stats:t",
)
delete_file = _table(
    "ducklake_delete_file",
    "delete_file_id table_id begin_snapshot end_snapshot data_file_id path:t path_is_relative:f format:t delete_count "
    "file_size_bytes footer_size encryption_key:t partial_max",
    key="delete_file_id",
)
column = _table(
    "ducklake_column",
    "column_id begin_snapshot end_snapshot table_id column_order column_name:t column_type:t initial_default:t "
    "default_value:t nulls_allowed:f parent_column default_value_type:t default_value_dialect:t",
)
table_stats = _table("ducklake_table_stats", "table_id record_count next_row_id file_size_bytes")
table_column_stats = _table(
    "ducklake_table_column_stats",
    "table_id column_id contains_null:f contains_nan:f min_value:t max_value:t extra_stats:t",
)
partition_info = _table("ducklake_partition_info", "partition_id table_id begin_snapshot end_snapshot")
partition_column = _table(
    "ducklake_partition_column", "partition_id table_id partition_key_index column_id transform:t"
)
file_partition_value = _table(
    "ducklake_file_partition_value", "data_file_id table_id partition_key_index partition_value:t"
)
files_scheduled_for_deletion = _table(
    "ducklake_files_scheduled_for_deletion", "data_file_id path:t path_is_relative:f schedule_start:i"
)
inlined_data_tables = _table("ducklake_inlined_data_tables", "table_id table_name:t schema_version")
column_mapping = _table("ducklake_column_mapping", "mapping_id table_id type:t")
name_mapping = _table(
    "ducklake_name_mapping", "mapping_id column_id source_name:t target_field_id parent_column is_partition:f"
)
schema_versions = _table("ducklake_schema_versions", "begin_snapshot schema_version table_id")
macro = _table("ducklake_macro", "schema_id macro_id macro_name:t begin_snapshot end_snapshot")
macro_impl = _table("ducklake_macro_impl", "macro_id impl_id dialect:t sql:t type:t")
macro_parameters = _table(
    "ducklake_macro_parameters",
    "macro_id impl_id column_id parameter_name:t parameter_type:t default_value:t default_value_type:t",
)
sort_info = _table("ducklake_sort_info", "sort_id table_id begin_snapshot end_snapshot")
sort_expression = _table(
    "ducklake_sort_expression",
    "sort_id table_id sort_key_index expression:t dialect:t sort_direction:t null_order:t",
)


# Parameters of statements that are built once: building a statement takes several times as long as running it.
AT = sa.bindparam("at", type_=BigInteger())
TABLE_ID = sa.bindparam("of_table", type_=BigInteger())


def visible(versioned: Table, at: int | sa.ColumnElement[int] = AT) -> sa.ColumnElement[bool]:
    """The rows of a versioned table that snapshot `at` shows."""
    begin, end = versioned.c.begin_snapshot, versioned.c.end_snapshot
    return sa.and_(begin <= at, sa.or_(end.is_(None), end > at))


def live(versioned: Table) -> sa.ColumnElement[bool]:
    """The rows of a versioned table that no snapshot has ended."""
    return versioned.c.end_snapshot.is_(None)
