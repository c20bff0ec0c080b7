"""Dynamic tables for tests, and what they must hold: their query with everything expanded, computed by DuckDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.refresh.find import all_tables
from headwater.registry import frontiers
from headwater.service.lake import Lake
from tests.differential.canonical import Bag, canonical
from tests.duck import Duck

# Queries that mean the same in Spark and in DuckDB, over relations with the columns id, k and v.
SHAPES = (
    "SELECT id, k, v FROM {0} WHERE v > 3 OR v IS NULL",
    "SELECT k AS id, max(k) AS k, sum(v) AS v FROM {0} GROUP BY k",
    "SELECT a.id, a.k, b.v FROM {0} a JOIN {1} b ON a.k = b.k",
    "SELECT id, k, v FROM {0} UNION ALL SELECT id, k, v FROM {1}",
    "SELECT DISTINCT k AS id, k, v FROM {0}",
    "SELECT a.id, a.k, b.v FROM {0} a LEFT JOIN {1} b ON a.id = b.id",
    "SELECT id, k, v FROM {0} WHERE k NOT IN (SELECT k FROM {1} WHERE v = 7 AND k IS NOT NULL)",
)


@dataclass(frozen=True)
class Definition:
    """A dynamic table: a shape over sources, which are base tables or other definitions."""

    name: str
    shape: str
    sources: tuple[str, ...]

    @property
    def query(self) -> str:
        return self.shape.format(*self.sources)

    def expanded(self, others: Mapping[str, Definition], snapshot: int) -> str:
        """The query over base tables as of one snapshot."""
        inner = [
            f"({others[source].expanded(others, snapshot)})"
            if source in others
            else f"{source} AT (VERSION => {snapshot})"
            for source in self.sources
        ]
        # AT stands before an alias, so each base table is wrapped.
        wrapped = [text if text.startswith("(") else f"(SELECT * FROM {text})" for text in inner]
        return self.shape.format(
            *(text + ("" if _aliased(self.shape, i) else f" s{i}") for i, text in enumerate(wrapped))
        )


def _aliased(shape: str, number: int) -> bool:
    return any(f"{{{number}}} {alias}" in shape for alias in "ab")


def check_all(lake: Lake, duck: Duck, graph: Mapping[str, Definition], *, newest: bool = True) -> None:
    """Every dynamic table equals its expanded query at its data snapshot, in its version and (`newest`) as readers see it."""
    with lake.reader() as reader:
        held = frontiers.load(reader.connection)
        tables = {table.name.name: held[table.id] for table in all_tables(reader) if table.id in held}
    for name, frontier in tables.items():
        expected = _bag(duck, graph[name].expanded(graph, frontier.snapshot))
        found = _bag(duck, f"SELECT * FROM {name} AT (VERSION => {frontier.lake_snapshot})")
        assert found == expected, f"{name} at data snapshot {frontier.snapshot}: {_difference(found, expected)}"
        if newest:
            assert _bag(duck, f"SELECT * FROM {name}") == expected, f"{name} as readers see it"


def _bag(duck: Duck, query: str) -> Bag:
    return canonical(duck.arrow(f"SELECT id::BIGINT, k::BIGINT, v::BIGINT FROM ({query})"))


def _difference(found: Bag, expected: Bag) -> str:
    return f"has {Counter(found - expected)}, lacks {Counter(expected - found)}"
