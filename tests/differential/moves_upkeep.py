"""Steps of DuckDB that keep the lake in shape, lay it out, or bring in foreign files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from headwater.core.names import quote
from tests.differential.domains import Type
from tests.differential.draft import Draft, Offer, Offers, Step, text_literal, values
from tests.differential.duck_side import partition_by
from tests.differential.model import Batch, ModelColumn, ModelTable

DATED = {"date", "timestamp", "timestamptz"}
TIMED = {"timestamp", "timestamptz"}
SPLITTABLE = {"int32", "int64", "varchar", "date", "uuid", "decimal(9,2)", "int16"}
# Types whose Parquet form reads back as another type, so that add_data_files refuses the file.
NOT_ADDABLE = {"timestamp_s", "json"}
CALLS = {
    "expire snapshots": "CALL ducklake_expire_snapshots('lake', versions => @versions@)",
    "cleanup old files": "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
}


def lake_offers(draft: Draft) -> Offers:
    """What could be done to the lake as a whole."""
    lake = draft.lake
    inlined = [batch for table in lake.tables for batch in table.batches if batch.home == "inlined"]
    if inlined:
        changed = any(batch.changed for batch in inlined)
        feature = "flush after deletes or updates" if changed else "flush"
        yield Offer((feature,), partial(_flush, draft, feature))
    for feature, call in CALLS.items():
        yield Offer((feature,), partial(Step, (feature,), (call,)))
    yield Offer(("checkpoint",), lambda: _checkpoint(draft))
    # With a view in the lake, DuckDB crashes on a limit for all tables.
    if not lake.views:
        yield Offer(("change of inlining limit",), lambda: _limit(draft))


def offers(draft: Draft, table: ModelTable) -> Offers:
    """What could be done to this table's files and layout."""
    files = table.of_home("file")
    if len(files) > 1:
        yield Offer(("merge adjacent files",), lambda: _merge_adjacent(table))
    # DuckDB then reads the inlined rows too, by columns that they may not have had, and fails.
    if any(batch.deletes for batch in files) and not any(batch.home == "inlined" for batch in table.batches):
        yield Offer(("rewrite data files",), lambda: _rewrite(table))
    for column in table.columns:
        for transform in _transforms(column, table):
            yield _partition(draft, table, column, transform)
    if table.partitioning:
        yield Offer(("change of partitioning",), lambda: _reset(draft, table))
    else:
        yield from _foreign(draft, table)
    if not table.sorted:
        yield Offer(("sorted table",), lambda: _sort(draft, table))


def _flushed(draft: Draft) -> None:
    for table in draft.lake.tables:
        for batch in table.batches:
            if batch.home == "inlined":
                batch.home, batch.deletes = "file", batch.changed
        table.batches = [batch for batch in table.batches if batch.keys]


def _flush(draft: Draft, feature: str) -> Step:
    _flushed(draft)
    return Step((feature,), ("CALL ducklake_flush_inlined_data('lake')",))


def _checkpoint(draft: Draft) -> Step:
    _flushed(draft)
    for table in draft.lake.tables:
        together(table)
    return Step(("checkpoint",), ("CHECKPOINT",))


def _limit(draft: Draft) -> Step:
    draft.lake.limit = draft.rng.choice([limit for limit in (0, 0, 4, 10) if limit != draft.lake.limit])
    return Step(
        ("change of inlining limit",), (f"CALL lake.set_option('data_inlining_row_limit', {draft.lake.limit})",)
    )


def together(table: ModelTable) -> None:
    whole = [batch for batch in table.of_home("file") if not batch.deletes]
    rest = [batch for batch in table.batches if batch not in whole]
    table.batches = [*rest, Batch("file", [key for batch in whole for key in batch.keys])] if whole else rest


def _merge_adjacent(table: ModelTable) -> Step:
    together(table)
    name, schema = text_literal(table.name.name), text_literal(table.name.schema)
    return Step(("merge adjacent files",), (f"CALL ducklake_merge_adjacent_files('lake', {name}, schema => {schema})",))


def _rewrite(table: ModelTable) -> Step:
    for batch in table.of_home("file"):
        batch.deletes = False
    name, schema = text_literal(table.name.name), text_literal(table.name.schema)
    return Step(
        ("rewrite data files",),
        (f"CALL ducklake_rewrite_data_files('lake', {name}, schema => {schema}, delete_threshold => 0.01)",),
        tolerates="Failed to read inlined-data aggregates",
    )


def _transforms(column: ModelColumn, table: ModelTable) -> list[str]:
    kind = column.type.name
    found = []
    if kind in SPLITTABLE:
        found.append("identity")
        # Filters on the column miss files from before: DuckDB looks for the bucket in every file. So never the key.
        # Buckets of UUIDs crash it.
        if column.name != table.key and kind != "uuid":
            found.append("bucket(3)")
    if kind in DATED:
        found += ["year", "month", "day"]
    if kind in TIMED:
        found += ["hour"]
    return found


def _partition(draft: Draft, table: ModelTable, column: ModelColumn, transform: str) -> Offer:
    change = ("change of partitioning",) if table.partitioning else ()
    feature = f"partition by {transform.partition('(')[0]}"

    def make() -> Step:
        table.partitioning = ((column.name, transform),)
        column.pinned = True
        sql = partition_by(str(table.name), table.partitioning)
        return Step((feature, *change, *draft.type_features(table)), (sql, draft.insert(table, "file")))

    return Offer((feature, *change), make)


def _reset(draft: Draft, table: ModelTable) -> Step:
    table.partitioning = ()
    return Step(
        ("change of partitioning",), (f"ALTER TABLE {table.name} RESET PARTITIONED BY", draft.insert(table, "file"))
    )


def _sort(draft: Draft, table: ModelTable) -> Step:
    table.sorted = True
    table.column(table.key).pinned = True
    order = draft.rng.choice(("ASC", "DESC NULLS LAST"))
    sql = f"ALTER TABLE {table.name} SET SORTED BY ({quote(table.key)} {order})"
    return Step(("sorted table", *draft.type_features(table)), (sql, draft.insert(table, "file")))


def _foreign(draft: Draft, table: ModelTable) -> Offers:
    if any(_has(column.type, NOT_ADDABLE) for column in table.columns):
        return
    nested = any(column.type.parts for column in table.columns)
    kinds = ["nested" if nested else "plain", "extra columns"]
    if any(_may_miss(table, column) for column in table.columns):
        kinds.append("missing columns")
    if any(_in_path(table, column) for column in table.columns):
        kinds.append("hive")
    for kind in kinds:
        yield Offer((f"add files: {kind}",), partial(_add_files, draft, table, kind))


def _has(kind: Type, names: set[str]) -> bool:
    return kind.name in names or any(_has(part, names) for _, part in kind.parts)


def _may_miss(table: ModelTable, column: ModelColumn) -> bool:
    return column.name != table.key and column.nullable


def _in_path(table: ModelTable, column: ModelColumn) -> bool:
    # DuckDB does not undo the escapes of a hive folder's column name, and takes it for a part of the same name.
    parts = {name.casefold() for other in table.columns for name in _part_names(other.type)}
    plain = column.name.isalnum() and column.name.isascii() and column.name.casefold() not in parts
    return plain and column.type.name in {"varchar", "int64", "date"}


def _part_names(kind: Type) -> Iterator[str]:
    for name, part in kind.parts:
        yield name
        yield from _part_names(part)


def _add_files(draft: Draft, table: ModelTable, kind: str) -> Step:
    keys, rows = draft.rows(table, draft.rng.randint(2, 4))
    listed = [quote(column.name) for column in table.columns]
    missing = {c.name for c in table.columns if kind == "missing columns" and _may_miss(table, c)}
    if missing:
        missing = set(draft.some(sorted(missing), 2))
    wanted = [name for name, column in zip(listed, table.columns, strict=True) if column.name not in missing]
    if kind == "extra columns":
        wanted.append("42 AS surplus")
    place = f"@ext@/{draft.lake.next_file}"
    draft.lake.next_file += 1
    source = f"SELECT {', '.join(wanted)} FROM (VALUES {values(table, rows)}) AS v({', '.join(listed)})"
    if kind == "hive":
        column = draft.rng.choice([column for column in table.columns if _in_path(table, column)])
        copy = f"COPY ({source}) TO '{place}' (FORMAT parquet, PARTITION_BY ({quote(column.name)}))"
        found, options = f"{place}/**/*.parquet", "hive_partitioning => true"
    else:
        copy = f"COPY ({source}) TO '{place}.parquet' (FORMAT parquet)"
        found, options = f"{place}.parquet", "allow_missing => true, ignore_extra_columns => true"
    table.batches.append(Batch("file", keys))
    where = f"{text_literal(table.name.name)}, '{found}', schema => {text_literal(table.name.schema)}"
    features = (f"add files: {kind}", *(() if kind == "missing columns" else draft.type_features(table)))
    return Step(features, (copy, f"CALL ducklake_add_data_files('lake', {where}, {options})"))
