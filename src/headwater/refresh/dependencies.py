"""Dependencies of a table: the tables that it reads and those that AFTER names, without cycles."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from headwater.core.errors import DefinitionRefused, HeadwaterError, NotFound, Position
from headwater.core.names import TableName
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.registry.definitions import AfterDependency, DynamicTable
from headwater.schedule.graph import find_cycle, shortest_cycle, with_upstreams, without_cycles
from headwater.sql.properties import Properties


def upstreams(tables: Iterable[DynamicTable]) -> dict[int, set[int]]:
    """The dynamic tables that each one reads directly, including replacements of dropped ones."""
    known = {table.id: table for table in tables}
    by_name = {table.name.folded: table.id for table in known.values()}
    return {
        table.id: {
            found
            for source in table.sources
            if (found := source.id if source.id in known else by_name.get(source.name.folded)) is not None
            and found != table.id
        }
        for table in known.values()
    }


def before(tables: Iterable[DynamicTable]) -> dict[int, set[int]]:
    """The dynamic tables that come before each one: those that it reads, and those that AFTER names.

    If concurrent changes have created a cycle, AFTER is ignored within it.
    """
    known = {table.id: table for table in tables}
    followed = {id: {each.id for each in table.after if each.id in known} for id, table in known.items()}
    return without_cycles(upstreams(known.values()), followed)


def closure(tables: dict[int, DynamicTable], wanted: Iterable[int]) -> dict[int, set[int]]:
    """The wanted dynamic tables and all before them, directly or indirectly, each with those directly before it.

    Refuses a cycle, which two concurrent changes can create.
    """
    above = before(tables.values())
    graph = {id: above[id] for id in with_upstreams(above, wanted)}
    if cycle := find_cycle(graph):
        names = [str(tables[id].name) for id in cycle]
        raise DefinitionRefused(
            f"{names[0]} reads itself",
            detail=f"Each of these tables is read by the next: {', '.join(names)}.",
            hint="Change the query of one of them with CREATE OR REPLACE DYNAMIC TABLE.",
        )
    return graph


def find_after(reader: LakeReader, table: TableName, properties: Properties) -> tuple[AfterDependency, ...]:
    """The tables that AFTER names, each once; refuses names that do not exist."""
    at, position = reader.latest().id, properties.after_position
    found: dict[int, AfterDependency] = {}
    for name in properties.after or ():
        try:
            wanted = resolve(name, reader, at)
        except HeadwaterError as error:
            raise NotFound(error.message, detail="AFTER names it.", hint=error.hint, position=position) from error
        if wanted.same(table):
            raise _circle([table, table], ["comes after"], position)
        known = next((each for each in reader.tables(at) if each.name.same(wanted)), None)
        if known is not None:
            found[known.id] = AfterDependency(known.id, known.name)
        elif reader.find_view(wanted, at):
            raise DefinitionRefused(
                f"AFTER names {wanted}, which is a view",
                detail="A view has no rows of its own.",
                hint="Name the tables that it reads.",
                position=position,
            )
        else:
            raise NotFound(
                f"table {wanted} does not exist",
                detail="AFTER names it.",
                hint="Check the name and the schema, or create it first.",
                position=position,
            )
    return tuple(found.values())


def refuse_circle(
    tables: Iterable[DynamicTable],
    new: DynamicTable,
    *,
    query_at: Position | None = None,
    after_at: Position | None = None,
) -> None:
    """Refuse a definition by which a table would depend on itself, through its sources or AFTER.

    The positions are those of its query and of its AFTER.
    """
    known = {table.id: table for table in tables} | {new.id: new}
    reads = upstreams(known.values())
    if any(source.id == new.id for source in new.sources):
        reads[new.id].add(new.id)
    way = shortest_cycle(_before_all(known, new, reads), new.id)
    if way:
        steps = ["reads" if up in reads[id] else "comes after" for id, up in pairwise(way)]
        position = query_at if steps[0] == "reads" else after_at
        raise _circle([known[id].name for id in way], steps, position)


def dropped_ids(tables: Iterable[DynamicTable], name: TableName) -> tuple[int, ...]:
    """The ids of dropped tables of this name that AFTER of other tables still names."""
    return tuple(sorted({each.id for table in tables for each in table.after if each.dropped and each.name.same(name)}))


def _before_all(known: dict[int, DynamicTable], new: DynamicTable, reads: dict[int, set[int]]) -> dict[int, set[int]]:
    """The tables before each table once the new one exists, which replaces a dropped one of its name."""
    return {
        id: reads[id]
        | {each.id for each in table.after if each.id in known}
        | {new.id for each in table.after if each.dropped and each.name.same(new.name)}
        for id, table in known.items()
    }


def _circle(way: list[TableName], steps: list[str], position: Position | None) -> DefinitionRefused:
    told = ", ".join(f"{name} {step} {above}" for name, step, above in zip(way, steps, way[1:], strict=False))
    reads_alone = all(step == "reads" for step in steps)
    return DefinitionRefused(
        f"{way[0]} would {'read' if reads_alone else 'come after'} itself",
        detail=f"{told}.",
        hint="Break the cycle.",
        position=position,
    )
