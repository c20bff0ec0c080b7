"""Steps of DuckDB that change what tables, views and schemas look like."""

from __future__ import annotations

from functools import partial

from headwater.core.names import TableName, quote
from tests.differential import features
from tests.differential.domains import INT, TEXT, Type, draw_default, expression, scalar, text
from tests.differential.draft import (
    COLUMN_NAMES,
    PLAIN_NAMES,
    WEIRD_NAMES,
    Draft,
    Offer,
    Offers,
    Step,
)
from tests.differential.duck_side import definition
from tests.differential.model import Batch, ModelColumn, ModelTable

FIELD_TYPES = (INT, TEXT, scalar("decimal(9,2)"), scalar("int64"))
FIELD_NAMES = ("f", "g h", "Z", "größe")
MOST_TABLES = 4


def lake_offers(draft: Draft) -> Offers:
    """What could be made or dropped."""
    lake = draft.lake
    if len(lake.tables) < MOST_TABLES:
        yield Offer(("weird table name",), lambda: _create(draft, WEIRD_NAMES, "weird table name"))
    if len(lake.schemas) < 3:
        yield Offer(("schema created",), lambda: _create_schema(draft))
    if _empty_schema(draft):
        yield Offer(("schema dropped",), lambda: _drop_schema(draft))
    if lake.views:
        yield Offer(("view replaced",), lambda: _view(draft, replace=True))
        yield Offer(("view dropped",), lambda: _drop_view(draft))
    elif lake.tables:
        yield Offer(("view created",), lambda: _view(draft, replace=False))


def offers(draft: Draft, table: ModelTable) -> Offers:
    """What could be altered about this table."""
    yield Offer(("add column",), lambda: _add(draft, table, "add column"))
    yield Offer(("add column with default",), lambda: _add(draft, table, "add column with default"))
    if table.gone_names:
        yield Offer(("re-add a dropped name",), lambda: _add(draft, table, "re-add a dropped name"))
    free = [column for column in table.columns if not column.pinned]
    droppable = [column for column in free if column.name != table.key]
    if droppable and len(table.columns) > 2:
        yield Offer(("drop column",), lambda: _drop(draft, table, draft.rng.choice(droppable)))
    if free:
        yield Offer(("rename column",), lambda: _rename(draft, table, draft.rng.choice(free)))
    # Never the key: a flush after a promotion loses the column's bounds, and DuckDB's filters go by them.
    for column in droppable:
        for old, new in features.PROMOTIONS:
            if old == column.type.name:
                yield Offer((f"promote {old} to {new}",), partial(_promote, table, column, new))
    yield from _constraints(draft, table)
    for column in table.columns:
        if column.type.name == "struct":
            yield from _fields(draft, table, column)
    yield from _whole(draft, table)


def _alter(table: ModelTable, action: str) -> str:
    return f"ALTER TABLE {table.name} {action}"


def with_default(draft: Draft, kind: Type) -> bool:
    """Whether ADD COLUMN takes a default of this type."""
    return not kind.parts and kind.name != "blob"


def _add(draft: Draft, table: ModelTable, feature: str) -> Step:
    name = draft.rng.choice(table.gone_names) if "re-add" in feature else table.free_name(draft.rng, COLUMN_NAMES)
    kind = draft.pick_type(ours=False, inlines=table.inlines)
    default = None
    if "default" in feature:
        while not with_default(draft, kind):
            kind = draft.pick_type(ours=False, inlines=table.inlines)
        default = draw_default(draft.rng, kind)
    table.columns.append(ModelColumn(name, kind, default=default))
    if name in table.gone_names:
        table.gone_names.remove(name)
    column = kind.column(name, default=None if default is None else text(default))
    return Step((feature,), (_alter(table, f"ADD COLUMN {definition(column)}"),))


def _drop(draft: Draft, table: ModelTable, column: ModelColumn) -> Step:
    table.columns.remove(column)
    table.gone_names.append(column.name)
    return Step(("drop column",), (_alter(table, f"DROP COLUMN {quote(column.name)}"),))


def _rename(draft: Draft, table: ModelTable, column: ModelColumn) -> Step:
    old, column.name = column.name, table.free_name(draft.rng, COLUMN_NAMES)
    if old == table.key:
        table.key = column.name
    return Step(("rename column",), (_alter(table, f"RENAME COLUMN {quote(old)} TO {quote(column.name)}"),))


def _promote(table: ModelTable, column: ModelColumn, new: str) -> Step:
    old = column.promote(scalar(new)).name
    # DuckDB keys its cached statistics by next_file_id, which a promotion does not advance.
    sql = _alter(table, f"ALTER COLUMN {quote(column.name)} TYPE {column.type.sql}")
    return Step((f"promote {old} to {new}",), (sql,), fresh=True)


def _constraints(draft: Draft, table: ModelTable) -> Offers:
    key = table.column(table.key)
    # DuckDB judges by the stats, which exist once rows have been written.
    if key.nullable and table.batches:
        yield Offer(("set not null",), lambda: _nullable(table, key, nullable=False))
    if not key.nullable:
        yield Offer(("drop not null",), lambda: _nullable(table, key, nullable=True))
    scalars = [c for c in table.columns if c.scalar and c.name != table.key and c.type.name != "blob"]
    if scalars:
        yield Offer(("set default",), lambda: _default(draft, table, draft.rng.choice(scalars)))
    if defaulted := [column for column in scalars if column.default is not None]:
        yield Offer(("drop default",), lambda: _no_default(table, draft.rng.choice(defaulted)))


def _nullable(table: ModelTable, column: ModelColumn, *, nullable: bool) -> Step:
    column.nullable = nullable
    verb = "drop" if nullable else "set"
    return Step((f"{verb} not null",), (_alter(table, f"ALTER COLUMN {quote(column.name)} {verb.upper()} NOT NULL"),))


def _default(draft: Draft, table: ModelTable, column: ModelColumn) -> Step:
    column.default = draw_default(draft.rng, column.narrow or column.type)
    [key] = draft.lake.new_keys(1)
    limit = draft.lake.limit_of(table)
    table.batches.append(Batch("inlined" if limit else "file", [key]))
    value = expression(text(column.default))
    return Step(
        ("set default",),
        (
            _alter(table, f"ALTER COLUMN {quote(column.name)} SET DEFAULT {value}"),
            f"INSERT INTO {table.name} ({quote(table.key)}) VALUES ({key})",
        ),
    )


def _no_default(table: ModelTable, column: ModelColumn) -> Step:
    column.default = None
    return Step(("drop default",), (_alter(table, f"ALTER COLUMN {quote(column.name)} DROP DEFAULT"),))


def _fields(draft: Draft, table: ModelTable, column: ModelColumn) -> Offers:
    parts = column.type.parts
    free = [name for name in FIELD_NAMES if name.casefold() not in {part.casefold() for part, _ in parts}]
    if free:
        yield Offer(("struct field added",), lambda: _add_field(draft, table, column, draft.rng.choice(free)))
        yield Offer(("struct field renamed",), lambda: _rename_field(draft, table, column, draft.rng.choice(free)))
    if len(parts) > 1:
        yield Offer(("struct field dropped",), lambda: _drop_field(draft, table, column))


def _add_field(draft: Draft, table: ModelTable, column: ModelColumn, name: str) -> Step:
    kind = draft.rng.choice(FIELD_TYPES)
    column.type = Type("struct", (*column.type.parts, (name, kind)))
    action = f"ADD COLUMN {quote(column.name)}.{quote(name)} {kind.sql}"
    return Step(("struct field added",), (_alter(table, action),))


def _rename_field(draft: Draft, table: ModelTable, column: ModelColumn, name: str) -> Step:
    old = draft.rng.choice(column.type.parts)[0]
    column.type = Type("struct", tuple((name if part == old else part, kind) for part, kind in column.type.parts))
    action = f"RENAME COLUMN {quote(column.name)}.{quote(old)} TO {quote(name)}"
    return Step(("struct field renamed",), (_alter(table, action),))


def _drop_field(draft: Draft, table: ModelTable, column: ModelColumn) -> Step:
    old = draft.rng.choice(column.type.parts)[0]
    column.type = Type("struct", tuple(part for part in column.type.parts if part[0] != old))
    return Step(("struct field dropped",), (_alter(table, f"DROP COLUMN {quote(column.name)}.{quote(old)}"),))


def _whole(draft: Draft, table: ModelTable) -> Offers:
    yield Offer(("rename table",), lambda: _rename_table(draft, table))
    yield Offer(("drop and re-create table",), lambda: _again(draft, table, replace=False))
    yield Offer(("create or replace table",), lambda: _again(draft, table, replace=True))
    limit = draft.lake.limit
    count = sum(len(batch.keys) for batch in table.batches)
    if len(draft.lake.tables) < MOST_TABLES and table.inlines and (not limit or count > limit):
        yield Offer(("create table as",), lambda: _create_as(draft, table))
    yield Offer(("comment on table",), lambda: _comment(draft, table, f"TABLE {table.name}", "comment on table"))
    column = draft.rng.choice(table.columns).name
    yield Offer(
        ("comment on column",),
        lambda: _comment(draft, table, f"COLUMN {table.name}.{quote(column)}", "comment on column"),
    )


def _comment(draft: Draft, table: ModelTable, target: str, feature: str) -> Step:
    comment = draft.rng.choice(("NULL", "'it''s é'", "''"))
    return Step((feature,), (f"COMMENT ON {target} IS {comment}",))


def _rename_table(draft: Draft, table: ModelTable) -> Step:
    old = table.name
    table.name = draft.lake.free_table_name(draft.rng, PLAIN_NAMES + WEIRD_NAMES, old.schema)
    return Step(("rename table",), (f"ALTER TABLE {old} RENAME TO {quote(table.name.name)}",))


def _again(draft: Draft, table: ModelTable, *, replace: bool) -> Step:
    made = draft.new_table(table.name, ours=False)
    draft.lake.tables[draft.lake.tables.index(table)] = made
    verb = "CREATE OR REPLACE TABLE" if replace else "CREATE TABLE"
    drop = () if replace else (f"DROP TABLE {table.name}",)
    feature = "create or replace table" if replace else "drop and re-create table"
    sql = (*drop, *draft.create_sql(made, verb), draft.insert(made, "file"))
    return Step((feature, *draft.type_features(made)), sql)


def _create(draft: Draft, names: tuple[str, ...], feature: str) -> Step:
    name = draft.lake.free_table_name(draft.rng, names, draft.rng.choice(draft.lake.schemas))
    made = draft.new_table(name, ours=False)
    draft.lake.tables.append(made)
    return Step((feature, *draft.type_features(made)), (*draft.create_sql(made), draft.insert(made, "file")))


def _create_as(draft: Draft, table: ModelTable) -> Step:
    name = draft.lake.free_table_name(draft.rng, PLAIN_NAMES + WEIRD_NAMES, draft.rng.choice(draft.lake.schemas))
    keys = [key for batch in table.batches for key in batch.keys]
    columns = [ModelColumn(column.name, column.type) for column in table.columns]
    draft.lake.tables.append(ModelTable(name, table.key, columns, batches=[Batch("file", keys)] if keys else []))
    return Step(("create table as",), (f"CREATE TABLE {name} AS SELECT * FROM {table.name}",))


def _create_schema(draft: Draft) -> Step:
    name = next(name for name in ("other", "Sch ema", "third") if name not in draft.lake.schemas)
    draft.lake.schemas.append(name)
    return Step(("schema created",), (f"CREATE SCHEMA {quote(name)}",))


def _empty_schema(draft: Draft) -> str | None:
    used = {table.name.schema for table in draft.lake.tables} | {view.schema for view in draft.lake.views} | {"main"}
    return next((schema for schema in draft.lake.schemas if schema not in used), None)


def _drop_schema(draft: Draft) -> Step:
    name = _empty_schema(draft)
    assert name is not None
    draft.lake.schemas.remove(name)
    return Step(("schema dropped",), (f"DROP SCHEMA {quote(name)}",))


def _view(draft: Draft, *, replace: bool) -> Step:
    table = draft.rng.choice(draft.lake.tables)
    if replace:
        name = draft.rng.choice(draft.lake.views)
    else:
        name = TableName(draft.rng.choice(draft.lake.schemas), draft.rng.choice(("seen", "V iew")))
        draft.lake.views.append(name)
    verb = "CREATE OR REPLACE VIEW" if replace else "CREATE VIEW"
    feature = "view replaced" if replace else "view created"
    return Step((feature,), (f"{verb} {name} AS SELECT {quote(table.key)} AS one, 'it''s' AS two FROM {table.name}",))


def _drop_view(draft: Draft) -> Step:
    name = draft.lake.views.pop()
    return Step(("view dropped",), (f"DROP VIEW {name}",))
