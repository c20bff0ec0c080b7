"""Steps that Headwater performs."""

from __future__ import annotations

from functools import partial
from typing import Any

from headwater.core.names import TableName, quote
from tests.differential import features, ours
from tests.differential.domains import draw_default, scalar, text
from tests.differential.draft import COLUMN_NAMES, PLAIN_NAMES, WEIRD_NAMES, Draft, Offer, Offers, Step
from tests.differential.model import Batch, ModelColumn, ModelTable
from tests.differential.moves_rows import settable
from tests.differential.moves_shape import MOST_TABLES, with_default
from tests.differential.moves_upkeep import together


def lake_offers(draft: Draft) -> Offers:
    """What we could make or drop."""
    lake = draft.lake
    if len(lake.tables) < MOST_TABLES:
        yield Offer(("our create table",), lambda: create(draft))
    if len(lake.tables) > 1:
        yield Offer(("our drop table",), lambda: _drop_table(draft))
        yield Offer(("our several tables in one commit",), lambda: _several(draft))
    if len(lake.schemas) < 4:
        yield Offer(("our create schema",), lambda: _create_schema(draft))
    if "ours" in lake.schemas and not any(n.schema == "ours" for n in (*(t.name for t in lake.tables), *lake.views)):
        yield Offer(("our drop schema",), lambda: _drop_schema(draft))
    if lake.tables:
        yield Offer(("our create view",), lambda: _create_view(draft))
    yield Offer(("our expiry",), lambda: _step("our expiry", ours.Expire()))
    yield Offer(("our cleanup",), lambda: _step("our cleanup", ours.CleanUp()))
    if lake.views:
        yield Offer(("our drop view",), lambda: _step("our drop view", ours.DropView(lake.views.pop())))


def offers(draft: Draft, table: ModelTable) -> Offers:
    """What we could do to this table."""
    kinds = draft.type_features(table, "our ")
    feature = "our partitioned append" if table.partitioning else "our append"
    yield Offer((feature, *kinds), lambda: _append(draft, table, feature))
    yield Offer(("our replace",), lambda: _replace(draft, table))
    for batch in table.of_home("inlined"):
        yield Offer(
            ("our delete from inlined rows",), partial(_delete, draft, table, batch, "our delete from inlined rows")
        )
    for batch in table.of_home("file"):
        if len(batch.keys) > 1:
            which = "our second delete of a file" if batch.deletes else "our delete"
            yield Offer((which,), partial(_delete, draft, table, batch, which))
        yield Offer(("our whole-file delete",), partial(_delete, draft, table, batch, "our whole-file delete"))
    if len(table.of_home("file")) > 1 or any(batch.deletes for batch in table.of_home("file")):
        yield Offer(("our compaction",), lambda: _compact(table))
    if table.keys:
        yield Offer(("our update",), lambda: _update(draft, table))
    yield from _shape(draft, table)


def create(draft: Draft) -> Step:
    """A new table with rows, in two commits of which this is the first."""
    name = draft.lake.free_table_name(draft.rng, PLAIN_NAMES + WEIRD_NAMES, draft.rng.choice(draft.lake.schemas))
    table = draft.new_table(name, ours=True)
    draft.lake.tables.append(table)
    table.inlines = True
    table.columns = [column for column in table.columns if column.type.name != "struct"] or table.columns[:1]
    if len(table.columns) == 1:
        table.columns.append(ModelColumn("v", scalar("varchar")))
    columns = tuple(column.type.column(column.name) for column in table.columns)
    return _step("our create table", ours.CreateTable(name, columns))


def _step(feature: str, *operations: ours.Operation, also: tuple[str, ...] = ()) -> Step:
    return Step((feature, *also), operations=operations)


def _fresh(draft: Draft, table: ModelTable) -> ours.Append:
    keys, rows = draft.rows(table, draft.rng.randint(1, 5))
    table.batches.append(Batch("file", keys))
    return ours.Append(table.name, tuple(column.name for column in table.columns), rows)


def _append(draft: Draft, table: ModelTable, feature: str) -> Step:
    also = (*draft.type_features(table, "our "), *draft.wrote(table, "ours"))
    return _step(feature, _fresh(draft, table), also=also)


def _replace(draft: Draft, table: ModelTable) -> Step:
    table.remove(table.keys)
    added = _fresh(draft, table)
    return _step("our replace", ours.Replace(added.table, added.columns, added.rows), also=draft.wrote(table, "ours"))


def _where(table: ModelTable, keys: list[int]) -> ours.Where:
    return ours.Where(table.key, "in", tuple(keys)) if len(keys) > 1 else ours.Where(table.key, "=", keys[0])


def _delete(draft: Draft, table: ModelTable, batch: Batch, feature: str) -> Step:
    distinct = sorted(set(batch.keys))
    keys = distinct if "whole" in feature else draft.some(distinct, max(1, min(3, len(distinct) - 1)))
    batch.deletes = batch.home == "file"
    table.remove(keys)
    return _step(feature, ours.Delete(table.name, _where(table, keys)), also=draft.wrote(table, "ours"))


def _compact(table: ModelTable) -> Step:
    for batch in table.of_home("file"):
        batch.deletes = False
    together(table)
    return _step("our compaction", ours.Compact(table.name))


def _update(draft: Draft, table: ModelTable) -> Step:
    keys = draft.some(table.keys, 3)
    column = settable(draft, table)
    change: dict[str, Any] = {column.name: table.value(draft.rng, column)}
    moved = [key for batch in table.batches for key in batch.keys if key in set(keys)]
    for batch in table.of_home("file"):
        batch.deletes = batch.deletes or bool(set(keys) & set(batch.keys))
    table.remove(keys)
    table.batches.append(Batch("file", moved))
    return _step("our update", ours.Update(table.name, _where(table, keys), change), also=draft.wrote(table, "ours"))


def _several(draft: Draft) -> Step:
    first, second = draft.rng.sample(draft.lake.tables, 2)
    operations: list[ours.Operation] = [_fresh(draft, first)]
    if second.keys:
        keys = draft.some(second.keys, 2)
        second.remove(keys)
        operations.append(ours.Delete(second.name, _where(second, keys)))
    else:
        operations.append(_fresh(draft, second))
    return _step("our several tables in one commit", *operations)


def _drop_table(draft: Draft) -> Step:
    table = draft.rng.choice(draft.lake.tables)
    draft.lake.tables.remove(table)
    return _step("our drop table", ours.DropTable(table.name))


def _create_schema(draft: Draft) -> Step:
    name = next(name for name in ("ours", "ours too", "ours 3", "ours 4") if name not in draft.lake.schemas)
    draft.lake.schemas.append(name)
    return _step("our create schema", ours.CreateSchema(name))


def _drop_schema(draft: Draft) -> Step:
    draft.lake.schemas.remove("ours")
    return _step("our drop schema", ours.DropSchema("ours"))


def _create_view(draft: Draft) -> Step:
    table = draft.rng.choice(draft.lake.tables)
    view = TableName(draft.rng.choice(draft.lake.schemas), "our view")
    if view not in draft.lake.views:
        draft.lake.views.append(view)
    return _step("our create view", ours.CreateView(view, f"SELECT {quote(table.key)} AS one FROM {table.name}"))


def _shape(draft: Draft, table: ModelTable) -> Offers:
    yield Offer(("our rename table",), lambda: _rename_table(draft, table))
    yield Offer(("our add column",), lambda: _add(draft, table, "our add column"))
    yield Offer(("our add column with default",), lambda: _add(draft, table, "our add column with default"))
    free = [column for column in table.columns if not column.pinned]
    droppable = [column for column in free if column.name != table.key]
    if droppable and len(table.columns) > 2:
        yield Offer(("our drop column",), lambda: _drop(table, draft.rng.choice(droppable)))
    if free:
        yield Offer(("our rename column",), lambda: _rename(draft, table, draft.rng.choice(free)))
    for column in droppable:
        for old, new in features.PROMOTIONS:
            if old == column.type.name:
                yield Offer((f"our promote {old} to {new}",), partial(_promote, table, column, new))
    scalars = [c for c in table.columns if c.scalar and c.name != table.key and c.type.name != "blob"]
    if scalars:
        yield Offer(("our set default",), lambda: _default(draft, table, draft.rng.choice(scalars)))
    if defaulted := [column for column in scalars if column.default is not None]:
        yield Offer(("our drop default",), lambda: _no_default(table, draft.rng.choice(defaulted)))
    key = table.column(table.key)
    if table.batches or not key.nullable:
        feature = "our set not null" if key.nullable else "our drop not null"
        yield Offer((feature,), lambda: _nullable(table, key, feature))
    yield Offer(("our set partitioning",), lambda: _partition(draft, table))


def _rename_table(draft: Draft, table: ModelTable) -> Step:
    old = table.name
    table.name = draft.lake.free_table_name(draft.rng, PLAIN_NAMES + WEIRD_NAMES, old.schema)
    return _step("our rename table", ours.RenameTable(old, table.name.name))


def _add(draft: Draft, table: ModelTable, feature: str) -> Step:
    name = table.free_name(draft.rng, COLUMN_NAMES)
    kind = draft.pick_type(ours=True, inlines=table.inlines)
    default = None
    if "default" in feature:
        while not with_default(draft, kind):
            kind = draft.pick_type(ours=True, inlines=table.inlines)
        default = draw_default(draft.rng, kind)
    table.columns.append(ModelColumn(name, kind, default=default))
    column = kind.column(name, default=None if default is None else text(default))
    return _step(feature, ours.AddColumn(table.name, column))


def _drop(table: ModelTable, column: ModelColumn) -> Step:
    table.columns.remove(column)
    table.gone_names.append(column.name)
    return _step("our drop column", ours.DropColumn(table.name, column.name))


def _rename(draft: Draft, table: ModelTable, column: ModelColumn) -> Step:
    old, column.name = column.name, table.free_name(draft.rng, COLUMN_NAMES)
    if old == table.key:
        table.key = column.name
    return _step("our rename column", ours.RenameColumn(table.name, old, column.name))


def _promote(table: ModelTable, column: ModelColumn, new: str) -> Step:
    old = column.promote(scalar(new)).name
    return _step(f"our promote {old} to {new}", ours.PromoteColumn(table.name, column.name, new))


def _default(draft: Draft, table: ModelTable, column: ModelColumn) -> Step:
    column.default = draw_default(draft.rng, column.narrow or column.type)
    return _step("our set default", ours.SetDefault(table.name, column.name, text(column.default)))


def _no_default(table: ModelTable, column: ModelColumn) -> Step:
    column.default = None
    return _step("our drop default", ours.SetDefault(table.name, column.name, None))


def _nullable(table: ModelTable, key: ModelColumn, feature: str) -> Step:
    key.nullable = not key.nullable
    return _step(feature, ours.SetNullable(table.name, key.name, key.nullable))


def _partition(draft: Draft, table: ModelTable) -> Step:
    choices = [(table.key, "identity")]
    choices += [(c.name, "bucket(3)") for c in table.columns if c.type.name == "varchar"]
    choices += [(c.name, "month") for c in table.columns if c.type.name in {"date", "timestamp", "timestamptz"}]
    choices += [(c.name, "hour") for c in table.columns if c.type.name in {"timestamp", "timestamptz"}]
    chosen = draft.rng.choice(choices)
    table.column(chosen[0]).pinned = True
    table.partitioning = (chosen,)
    return _step("our set partitioning", ours.SetPartitioning(table.name, table.partitioning))
