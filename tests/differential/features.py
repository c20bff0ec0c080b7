"""What the histories together must have done: names of features, each counted."""

from __future__ import annotations

from tests.differential.domains import SCALARS

_INTEGERS = ("int8", "int16", "int32", "int64")
_PAIRS = tuple((old, new) for place, old in enumerate(_INTEGERS) for new in _INTEGERS[place + 1 :])
PROMOTIONS = (*_PAIRS, *((f"u{old}", f"u{new}") for old, new in _PAIRS), ("float32", "float64"))
TRANSFORMS = ("identity", "year", "month", "day", "hour", "bucket")

_ROWS = (
    "inlined insert",
    "inlined delete",
    "inlined delete from a file",
    "inlined update",
    "file insert",
    "first delete file",
    "partial delete file",
    "whole-file delete",
    "truncate",
    "update with row lineage",
    "merge into",
    "multi-table transaction",
    "insert and delete in one transaction",
    "delete and reinsert",
    "update that changes nothing",
    "update of no row",
)
_UPKEEP = (
    "flush",
    "flush after deletes or updates",
    "merge adjacent files",
    "rewrite data files",
    "expire snapshots",
    "cleanup old files",
    "checkpoint",
    "change of inlining limit",
)
_LAYOUT = (*(f"partition by {transform}" for transform in TRANSFORMS), "change of partitioning", "sorted table")
_FOREIGN = tuple(f"add files: {kind}" for kind in ("plain", "missing columns", "extra columns", "hive", "nested"))
_SHAPE = (
    "add column",
    "add column with default",
    "drop column",
    "re-add a dropped name",
    "rename column",
    *(f"promote {old} to {new}" for old, new in PROMOTIONS),
    "set default",
    "drop default",
    "set not null",
    "drop not null",
    "struct field added",
    "struct field dropped",
    "struct field renamed",
    "rename table",
    "drop and re-create table",
    "create or replace table",
    "create table as",
    "view created",
    "view replaced",
    "view dropped",
    "schema created",
    "schema dropped",
    "comment on table",
    "comment on column",
    "weird table name",
)
_TYPES = (*(f"type {name}" for name in SCALARS), "type struct", "type list", "type map", "type nested in nested")

DUCK = (*_ROWS, *_UPKEEP, *_LAYOUT, *_FOREIGN, *_SHAPE, *_TYPES)
OURS = (
    "our append",
    "our partitioned append",
    "our delete",
    "our delete from inlined rows",
    "our second delete of a file",
    "our whole-file delete",
    "our update",
    "our replace",
    "our create table",
    "our drop table",
    "our rename table",
    "our add column",
    "our add column with default",
    "our drop column",
    "our rename column",
    *(f"our promote {old} to {new}" for old, new in PROMOTIONS),
    "our set default",
    "our drop default",
    "our set not null",
    "our drop not null",
    "our create schema",
    "our drop schema",
    "our create view",
    "our drop view",
    "our set partitioning",
    "our several tables in one commit",
    "our compaction",
    "our expiry",
    "our cleanup",
    "our write after theirs",
    "their write after ours",
    *(f"our {name}" for name in _TYPES),
)
