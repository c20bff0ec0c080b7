"""Steps of DuckDB that change rows."""

from __future__ import annotations

from headwater.core.names import quote
from tests.differential.domains import literal
from tests.differential.draft import Draft, Offer, Offers, Step, key_in, transaction, values
from tests.differential.model import Batch, ModelColumn, ModelTable


def offers(draft: Draft, table: ModelTable) -> Offers:
    """What could be done to the rows of this table."""
    limit = draft.lake.limit_of(table)
    if limit:
        yield _insert(draft, table, "inlined insert", "inlined")
    yield _insert(draft, table, "file insert", "file")
    yield from _deletes(draft, table, limit)
    if table.keys:
        yield Offer(("truncate",), lambda: _truncate(draft, table))
        yield Offer(("insert and delete in one transaction",), lambda: _insert_and_delete(draft, table, limit))
        yield Offer(("delete and reinsert",), lambda: _delete_and_reinsert(draft, table, limit))
        yield Offer(("inlined update" if limit else "update with row lineage",), lambda: _update(draft, table, limit))
        yield Offer(("merge into",), lambda: _merge(draft, table, limit))
        yield Offer(("update that changes nothing",), lambda: _same(draft, table, limit))
    yield Offer(("update of no row",), lambda: _none(draft, table))
    others = [other for other in draft.lake.tables if other is not table]
    if others:
        yield Offer(("multi-table transaction",), lambda: _several(draft, table, draft.rng.choice(others)))


def settable(draft: Draft, table: ModelTable) -> ModelColumn:
    """A column other than the key."""
    return draft.rng.choice([column for column in table.columns if column.name != table.key])


def home_for(limit: int, count: int) -> str:
    """Where so many rows go."""
    return "inlined" if count <= limit else "file"


def _insert(draft: Draft, table: ModelTable, feature: str, home: str) -> Offer:
    def make() -> Step:
        wrote = draft.wrote(table, "duck")
        return Step((feature, *draft.type_features(table), *wrote), (draft.insert(table, home),))

    return Offer((feature, *draft.type_features(table)), make)


def _deletes(draft: Draft, table: ModelTable, limit: int) -> Offers:
    for batch in table.of_home("inlined"):
        yield _delete(draft, table, "inlined delete", batch)
    for batch in table.of_home("file"):
        if limit:
            if len(batch.keys) > 1:
                yield _delete(draft, table, "inlined delete from a file", batch)
            continue
        if len(batch.keys) > 1:
            yield _delete(draft, table, "partial delete file" if batch.deletes else "first delete file", batch)
        yield _delete(draft, table, "whole-file delete", batch, whole=True)


def _delete(draft: Draft, table: ModelTable, feature: str, batch: Batch, *, whole: bool = False) -> Offer:
    def make() -> Step:
        distinct = sorted(set(batch.keys))
        keys = distinct if whole else draft.some(distinct, max(1, min(3, len(distinct) - 1)))
        if batch.home == "file" and not draft.lake.limit_of(table):
            batch.deletes = True
        table.remove(keys)
        wrote = draft.wrote(table, "duck")
        return Step((feature, *wrote), (f"DELETE FROM {table.name} WHERE {key_in(table, keys)}",))

    return Offer((feature,), make)


def _truncate(draft: Draft, table: ModelTable) -> Step:
    table.remove(table.keys)
    return Step(("truncate",), (draft.rng.choice((f"TRUNCATE {table.name}", f"DELETE FROM {table.name}")),))


def _move(draft: Draft, table: ModelTable, keys: list[int], limit: int) -> None:
    """Rows that are updated leave their batch for a new one."""
    moved = [key for batch in table.batches for key in batch.keys if key in set(keys)]
    if not limit:
        for batch in table.of_home("file"):
            batch.deletes = batch.deletes or bool(set(keys) & set(batch.keys))
    table.remove(keys)
    table.batches.append(Batch(home_for(limit, len(moved)), moved, changed=True))


def _update(draft: Draft, table: ModelTable, limit: int) -> Step:
    keys = draft.some(table.keys, 3)
    column = settable(draft, table)
    value = literal(table.value(draft.rng, column), column.type)
    _move(draft, table, keys, limit)
    sql = f"UPDATE {table.name} SET {quote(column.name)} = {value} WHERE {key_in(table, keys)}"
    feature = "inlined update" if limit else "update with row lineage"
    return Step((feature, *draft.wrote(table, "duck")), (sql,))


def _same(draft: Draft, table: ModelTable, limit: int) -> Step:
    keys = draft.some(table.keys, 2)
    column = quote(settable(draft, table).name)
    _move(draft, table, keys, limit)
    sql = f"UPDATE {table.name} SET {column} = {column} WHERE {key_in(table, keys)}"
    return Step(("update that changes nothing",), (sql,))


def _none(draft: Draft, table: ModelTable) -> Step:
    column = quote(settable(draft, table).name)
    return Step(("update of no row",), (f"UPDATE {table.name} SET {column} = NULL WHERE {quote(table.key)} = -1",))


def _merge(draft: Draft, table: ModelTable, limit: int) -> Step:
    matched = draft.some(table.keys, 2)
    fresh, rows = draft.rows(table, draft.rng.randint(1, 2))
    every = [*(table.row(draft.rng, key) for key in matched), *rows]
    column = quote(settable(draft, table).name)
    listed = ", ".join(quote(part.name) for part in table.columns)
    if draft.rng.random() < 0.6:
        action = f"UPDATE SET {column} = s.{column}"
        _move(draft, table, matched, limit)
    else:
        action = "DELETE"
        table.remove(matched)
    table.batches.append(Batch(home_for(limit, len(fresh)), fresh))
    sql = (
        f"MERGE INTO {table.name} AS t USING (VALUES {values(table, tuple(every))}) AS s({listed})"
        f" ON t.{quote(table.key)} = s.{quote(table.key)} WHEN MATCHED THEN {action}"
        f" WHEN NOT MATCHED THEN INSERT ({listed}) VALUES ({', '.join('s.' + quote(p.name) for p in table.columns)})"
    )
    return Step(("merge into",), (sql,))


def _insert_and_delete(draft: Draft, table: ModelTable, limit: int) -> Step:
    old = draft.some(table.keys, 2)
    insert = draft.insert(table, "inlined" if limit and draft.rng.random() < 0.5 else "file")
    fresh = table.batches[-1]
    gone = [*draft.some(sorted(set(fresh.keys)), 2), *old]
    if not limit:
        for batch in table.of_home("file"):
            batch.deletes = batch.deletes or bool(set(old) & set(batch.keys))
    table.remove(gone)
    return Step(
        ("insert and delete in one transaction",),
        transaction(insert, f"DELETE FROM {table.name} WHERE {key_in(table, gone)}"),
    )


def _delete_and_reinsert(draft: Draft, table: ModelTable, limit: int) -> Step:
    keys = draft.some(table.keys, 2)
    rows = tuple(table.row(draft.rng, key) for key in keys)
    if not limit:
        for batch in table.of_home("file"):
            batch.deletes = batch.deletes or bool(set(keys) & set(batch.keys))
    table.remove(keys)
    table.batches.append(Batch(home_for(limit, len(keys)), list(keys)))
    listed = ", ".join(quote(column.name) for column in table.columns)
    return Step(
        ("delete and reinsert",),
        transaction(
            f"DELETE FROM {table.name} WHERE {key_in(table, keys)}",
            f"INSERT INTO {table.name} ({listed}) VALUES {values(table, rows)}",
        ),
    )


def _several(draft: Draft, first: ModelTable, second: ModelTable) -> Step:
    statements = [draft.insert(first, "inlined" if draft.lake.limit_of(first) else "file")]
    if second.keys:
        keys = draft.some(second.keys, 2)
        second.remove(keys)
        statements.append(f"DELETE FROM {second.name} WHERE {key_in(second, keys)}")
    statements.append(draft.insert(second, "file"))
    return Step(("multi-table transaction",), transaction(*statements))
