"""AFTER: the tables that its names stand for, and the circles that they must not close."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from headwater.core.errors import DefinitionRefused, HeadwaterError, NotFound, Position
from headwater.core.names import TableName
from headwater.lake.names import resolve
from headwater.lake.reader import LakeReader
from headwater.refresh.find import upstreams
from headwater.registry.definitions import Awaited, DynamicTable
from headwater.sql.dynamic_statements import Properties


def find_after(reader: LakeReader, table: TableName, properties: Properties) -> tuple[Awaited, ...]:
    """The tables that a definition is to come after, each once; refuses names that stand for none."""
    at, position = reader.latest().id, properties.after_position
    found: dict[int, Awaited] = {}
    for name in properties.after or ():
        try:
            wanted = resolve(name, reader, at)
        except HeadwaterError as error:
            raise NotFound(error.message, detail="AFTER names it.", hint=error.hint, position=position) from error
        if wanted.same(table):
            raise _circle([table, table], ["comes after"], position)
        known = next((each for each in reader.tables(at) if each.name.same(wanted)), None)
        if known is not None:
            found[known.id] = Awaited(known.id, known.name)
        elif reader.find_view(wanted, at):
            raise DefinitionRefused(
                f"AFTER names {wanted}, which is a view",
                detail="A view has no rows of its own that could change.",
                hint="Name the tables that it reads.",
                position=position,
            )
        else:
            raise NotFound(
                f"no table {wanted}",
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
    """Refuse a definition by which a table would come after itself, through what tables read and what they come after.

    The positions are those of its query and of its AFTER.
    """
    known = {table.id: table for table in tables} | {new.id: new}
    reads = upstreams(known.values())
    if any(source.id == new.id for source in new.sources):
        reads[new.id].add(new.id)
    way = _way_back(_before_all(known, new, reads), new.id)
    if way:
        steps = ["reads" if up in reads[id] else "comes after" for id, up in pairwise(way)]
        position = query_at if steps[0] == "reads" else after_at
        raise _circle([known[id].name for id in way], steps, position)


def heirs(tables: Iterable[DynamicTable], name: TableName) -> tuple[int, ...]:
    """The ids of tables that are gone, bore this name, and are still to be come after."""
    return tuple(sorted({each.id for table in tables for each in table.after if each.gone and each.name.same(name)}))


def _before_all(known: dict[int, DynamicTable], new: DynamicTable, reads: dict[int, set[int]]) -> dict[int, set[int]]:
    """What comes before each table once the new one is there, which takes the place of one of its name that is gone."""
    return {
        id: reads[id]
        | {each.id for each in table.after if each.id in known}
        | {new.id for each in table.after if each.gone and each.name.same(new.name)}
        for id, table in known.items()
    }


def _way_back(above: dict[int, set[int]], start: int) -> list[int]:
    """A way from a table over what comes before it back to itself, the shortest; empty if there is none."""
    came_from: dict[int, int] = {}
    left = [start]
    for here in left:
        for up in sorted(above[here]):
            if up == start:
                way = [start, here]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if up not in came_from:
                came_from[up] = here
                left.append(up)
    return []


def _circle(way: list[TableName], steps: list[str], position: Position | None) -> DefinitionRefused:
    told = ", ".join(f"{name} {step} {above}" for name, step, above in zip(way, steps, way[1:], strict=False))
    reads_alone = all(step == "reads" for step in steps)
    return DefinitionRefused(
        f"{way[0]} would {'read' if reads_alone else 'come after'} itself",
        detail=f"{told}.",
        hint="Break the circle.",
        position=position,
    )
