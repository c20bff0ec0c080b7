"""Graphs of tables by id: each table with those directly before it, which are refreshed first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

Graph = Mapping[int, Collection[int]]


def upstream_first(graph: Graph) -> tuple[int, ...]:
    """The tables in topological order, without those on a cycle and their downstreams.

    >>> upstream_first({3: {2}, 2: {1}, 1: set(), 4: {5}, 5: {4}})
    (1, 2, 3)
    """
    order: list[int] = []
    sorter = TopologicalSorter(graph)
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        order += ready
        sorter.done(*ready)
    return tuple(order)


def find_cycle(graph: Graph) -> tuple[int, ...]:
    """A cycle of tables, each directly before the next; empty if there is none.

    >>> find_cycle({1: {2}, 2: {1}, 3: {1}})
    (1, 2, 1)
    """
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return ()


def shortest_cycle(graph: Graph, start: int) -> list[int]:
    """The shortest cycle through a table; empty if there is none.

    >>> shortest_cycle({1: {2, 3}, 2: {3}, 3: {1}}, 1)
    [1, 3, 1]
    """
    came_from: dict[int, int] = {}
    left = [start]
    for here in left:
        for up in sorted(graph[here]):
            if up == start:
                path = [start, here]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if up not in came_from:
                came_from[up] = here
                left.append(up)
    return []


def without_cycles(reads: Graph, follows: Graph) -> dict[int, set[int]]:
    """The tables before each one, by reads and by AFTER; where that makes a cycle, AFTER is ignored for the tables on it.

    >>> without_cycles({1: {2}, 2: set()}, {1: set(), 2: {1}})
    {1: {2}, 2: set()}
    """
    followed = dict(follows)
    while True:
        graph = {id: {*above, *followed[id]} for id, above in reads.items()}
        cycle = find_cycle(graph)
        if not any(followed[id] for id in cycle):
            return graph
        followed |= {id: set() for id in cycle}


def with_upstreams(graph: Graph, start: Iterable[int]) -> set[int]:
    """The given tables and all their upstreams.

    >>> sorted(with_upstreams({1: set(), 2: {1}, 3: {2}, 4: set()}, [2]))
    [1, 2]
    """
    found: set[int] = set()
    left = list(start)
    while left:
        id = left.pop()
        if id in graph and id not in found:
            found.add(id)
            left += graph[id]
    return found


def downstream_of(graph: Graph, start: Collection[int]) -> set[int]:
    """All downstream tables of the given ones.

    >>> sorted(downstream_of({1: set(), 2: {1}, 3: {2}, 4: set()}, {1}))
    [2, 3]
    """
    found: set[int] = set()
    while more := {
        id for id, above in graph.items() if id not in found and any(up in start or up in found for up in above)
    }:
        found |= more
    return found


def components(graph: Mapping[int, set[int]]) -> list[dict[int, set[int]]]:
    """The connected components of the graph.

    >>> components({1: set(), 2: {1}, 4: set()})
    [{1: set(), 2: {1}}, {4: set()}]
    """
    beside: dict[int, set[int]] = {id: above & graph.keys() for id, above in graph.items()}
    for id, above in graph.items():
        for up in above & graph.keys():
            beside[up].add(id)
    parts: list[dict[int, set[int]]] = []
    seen: set[int] = set()
    for id in graph:
        part: dict[int, set[int]] = {}
        left = [id]
        while left:
            each = left.pop()
            if each not in seen:
                seen.add(each)
                part[each] = graph[each]
                left += beside[each]
        if part:
            parts.append(part)
    return parts
