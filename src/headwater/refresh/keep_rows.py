"""Keep rows when a definition or a source changes only in its columns.

The files stay as they are, with row ids and state. At most the columns of the table change, in the commit of the new
definition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.core.internal_columns import ROW_ID
from headwater.core.schema import Column, Schema, number
from headwater.delta.incremental_plan import IncrementalPlan
from headwater.delta.state_layout import StateLayout
from headwater.lake.values import Partitioning, TableAt
from headwater.plan.fingerprint import Fingerprint, Relations, meaning
from headwater.plan.origin import OfSource, origin
from headwater.refresh.backfill_default import backfill_default
from headwater.refresh.engine import Engine
from headwater.refresh.layout import prove_plan, stored_plan
from headwater.refresh.prepare import Prepared, PreviousDefinition
from headwater.refresh.target import Target
from headwater.refresh.target_columns import named, reshaping
from headwater.sql.bind import BoundQuery


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The columns and the layout of the rows under the new definition, and the reason why they can stay."""

    columns: tuple[Column, ...]
    layout: StateLayout
    reason: str


def keep_rows(engine: Callable[[], Engine], prepared: Prepared, target: Target) -> KeptRows | None:
    """How the stored rows serve the new definition without being rewritten; None if they can't."""
    previous, known, at = prepared.previous, prepared.layout, target.at
    if previous is None or known is None:
        return None
    columns = named(engine().columns(prepared.query), prepared.table.statement)
    shown, layout, places = len(columns), known, list[int | Column](range(len(columns)))
    if not _same_text(prepared, previous):
        found = _compared(engine(), prepared, previous, known, columns)
        if found is None:
            return None
        shown, layout, places = found
    if shown != len(at.schema):
        return None
    fitted = _fitted(columns, places, at.schema, target.free)
    if fitted is None or not _keeps(at.schema, fitted, target.writing.partitioning):
        return None
    told = reshaping(at, fitted) or "rows and columns are unchanged"
    return KeptRows(fitted, layout, f"{prepared.plan.reason}: {told}")


def _same_text(prepared: Prepared, previous: PreviousDefinition) -> bool:
    """Whether the text of the query is the same and binds to the same objects."""
    assert prepared.frontier is not None
    return prepared.bound.sql == previous.bound.sql and prepared.frontier.identity.same_sources(prepared.identity)


def _compared(
    engine: Engine, prepared: Prepared, previous: PreviousDefinition, known: StateLayout, columns: Sequence[Column]
) -> tuple[int, StateLayout, list[int | Column]] | None:
    """The number of columns of the table, its layout, and for each new column its place there or its value."""
    old = stored_plan(previous.bound, previous.sources, known)
    layout = prove_plan(engine, prepared.bound, prepared.query, prepared.table.version, known.mark)
    new = stored_plan(prepared.bound, prepared.sources, layout)
    if old is None or new is None:
        return None
    one = meaning(old.root, _relations(previous.bound, previous.sources))
    other = meaning(new.root, _relations(prepared.bound, prepared.sources))
    if one.rows != other.rows:
        return None
    state = _state(known, layout, old, new, one, other)
    if state is None:
        return None
    free = {one.columns[name]: place for place, name in reversed([*enumerate(old.root.columns[: old.visible])])}
    places: list[int | Column] = []
    for name, column in zip(new.root.columns[: new.visible], columns, strict=True):
        place = free.pop(other.columns[name], None)
        added = _added(new, name, column, prepared, previous) if place is None else None
        if place is None and added is None:
            return None
        places.append(place if place is not None else added)  # type: ignore[arg-type]
    return old.visible, replace(layout, state=state), places


def _state(
    known: StateLayout,
    layout: StateLayout,
    old: IncrementalPlan,
    new: IncrementalPlan,
    one: Fingerprint,
    other: Fingerprint,
) -> tuple[Column, ...] | None:
    """The columns of the files that hold the new plan's state; None if they do not hold all of it."""
    held = {one.columns[name]: column for name, column in zip(old.state, known.state, strict=True)}
    found = [held.get(other.columns[name]) for name in new.state]
    same = (column and column.type == wanted.type for column, wanted in zip(found, layout.state, strict=True))
    return tuple(column for column in found if column) if all(same) else None


def _added(
    new: IncrementalPlan, name: str, column: Column, prepared: Prepared, previous: PreviousDefinition
) -> Column | None:
    """The column with its default in all existing rows, if they have one."""
    found = origin(new.root, name)
    if isinstance(found, OfSource):
        at = prepared.sources[found.relation]
        source = at.schema.find(found.column)
        # A column that the source already had may have any values.
        if source is None or source.field_id in previous.fields[at.table.id]:
            return None
    return backfill_default(new.root, name, column, prepared.sources)


def _fitted(
    columns: Sequence[Column], places: Sequence[int | Column], schema: Schema, free: int
) -> tuple[Column, ...] | None:
    """The existing columns under the new names, and the added ones with field ids; None if a type differs."""
    new = iter(number(tuple(place for place in places if isinstance(place, Column)), free))
    fitted = []
    for column, place in zip(columns, places, strict=True):
        found = replace(schema.columns[place], name=column.name) if isinstance(place, int) else next(new)
        if found.type_text() != column.type_text():
            return None
        fitted.append(found)
    return tuple(fitted)


def _keeps(schema: Schema, columns: Sequence[Column], partitioning: Partitioning | None) -> bool:
    """Whether the partition columns stay the same."""
    before, after = ({column.field_id: column.name for column in some} for some in (schema, columns))
    fields = partitioning.fields if partitioning else ()
    return all(before.get(field.field_id) == after.get(field.field_id) for field in fields)


def _relations(bound: BoundQuery, sources: Mapping[str, TableAt]) -> Relations:
    """The relations and columns by the catalog's ids, types and first defaults."""
    return {
        source.relation: (
            str(source.table_id),
            {ROW_ID: ROW_ID}
            | {c.name: repr((c.field_id, c.type_text(), c.initial_default)) for c in sources[source.relation].schema},
        )
        for source in bound.sources
    }
