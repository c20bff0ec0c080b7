"""The tables that definitions read, under their present names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from headwater.core.display_name import display_name
from headwater.core.format import format_time
from headwater.core.names import TableName
from headwater.lake.dropped_tables import dropped_tables
from headwater.lake.reader import LakeReader
from headwater.registry.definitions import Dependency, DynamicTable


@dataclass(frozen=True, slots=True)
class CurrentSource:
    """A table that a definition reads, under its present name, or its last one if it was dropped.

    `replaced` tells that another table now has the name by which the definition knew a dropped one.
    """

    id: int
    name: TableName
    dropped: bool = False
    dropped_at: datetime | None = None
    replaced: bool = False

    def __str__(self) -> str:
        name = display_name(self.name)
        if not self.dropped:
            return name
        return f"{name} (dropped{f' at {format_time(self.dropped_at)}' if self.dropped_at else ''})"


def current_sources(reader: LakeReader, tables: Iterable[DynamicTable]) -> dict[int, tuple[CurrentSource, ...]]:
    """The sources of each dynamic table, by its id."""
    every = tuple(tables)
    present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    gone = dropped_tables(reader, {source.id for table in every for source in table.sources} - present.keys())
    by_name = {name.folded: id for id, name in present.items()}
    views = {view.name.folded: view.name for view in reader.views(reader.latest().id)}

    def current(source: Dependency) -> CurrentSource:
        if source.id in present:
            return CurrentSource(source.id, present[source.id])
        last = gone.get(source.id)
        name = source.name.folded
        if name in by_name or name in views:
            heir = by_name.get(name, source.id)
            # A renamed table that was dropped has nothing to do with what has its former name now.
            replaced = last is not None and not last.name.same(source.name)
            return CurrentSource(heir, present[heir] if name in by_name else views[name], replaced=replaced)
        return CurrentSource(source.id, last.name if last else source.name, True, last.dropped_at if last else None)

    return {table.id: tuple(current(source) for source in table.sources) for table in every}
