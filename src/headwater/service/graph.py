"""The graph of dynamic tables, under their current names."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.core.names import TableName
from headwater.core.table_status import TableStatus
from headwater.lake.site import Site
from headwater.refresh.find import all_tables
from headwater.service.status import status


@dataclass(frozen=True, slots=True)
class Node:
    """A table of the graph, what it reads, and what else AFTER names; `status` is None for one that is not dynamic."""

    name: TableName
    reads: tuple[TableName, ...]
    status: TableStatus | None
    after: tuple[TableName, ...] = ()


def graph(site: Site) -> tuple[Node, ...]:
    """All dynamic tables and all that they read or come after, by name."""
    with site.reader() as reader:
        tables = all_tables(reader)
        present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    seen = {each.name: each for each in status(site)}
    reads = {
        table.name: tuple(sorted(present.get(source.id, source.name) for source in table.sources)) for table in tables
    }
    after = {
        table.name: tuple(sorted({each.name for each in table.after if not each.dropped} - {*reads[table.name]}))
        for table in tables
    }
    above = (name for of in (reads, after) for names in of.values() for name in names)
    names = sorted({*reads, *above})
    return tuple(Node(name, reads.get(name, ()), seen.get(name), after.get(name, ())) for name in names)
