"""Planning, which is pure, done once for all worlds: they have the same few definitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.delta.derivation import Step
from headwater.delta.display_sql import display_changes as real_explained
from headwater.delta.incremental_plan import IncrementalPlan
from headwater.delta.incremental_plan import changes as real_changes
from headwater.delta.state_layout import StateLayout
from headwater.delta.target_changes import Changes
from headwater.lake.values import TableAt
from headwater.plan.lower import lower as real_lower
from headwater.plan.nodes import Node
from headwater.plan.render import render as real_render
from headwater.refresh.layout import stored_plan as real_kept
from headwater.sql.bind import BoundQuery, SchemaSource, SourceTable, SourceView
from headwater.sql.bind import bind as real_bind
from headwater.sql.statements import ObjectName
from tests.laws.bench import Bench

Found = SourceTable | SourceView | None

_roots: dict[object, Node] = {}
_kept: dict[object, IncrementalPlan | None] = {}
# With what each was made of, so that no other takes its identity.
_changes: dict[object, tuple[IncrementalPlan, tuple[Any, Changes] | None]] = {}
_texts: dict[object, tuple[Node, Sequence[Step], str]] = {}
_written: dict[int, tuple[Node, str]] = {}
_told: dict[object, tuple[Changes, str]] = {}
# What each query was bound to, with what its names stood for.
_bound: defaultdict[object, list[tuple[dict[ObjectName, Found], BoundQuery]]] = defaultdict(list)


class _Noting:
    """Remembers what names stand for."""

    def __init__(self, source: SchemaSource) -> None:
        self._source = source
        self.found: dict[ObjectName, Found] = {}

    def find(self, name: ObjectName) -> Found:
        self.found[name] = self._source.find(name)
        return self.found[name]


def bind(text: str, source: SchemaSource, **given: Any) -> BoundQuery:
    known = _bound[text, tuple(sorted(given.items()))]
    for found, bound in known:
        if all(source.find(name) == each for name, each in found.items()):
            return bound
    noting = _Noting(source)
    known.append((noting.found, real_bind(text, noting, **given)))
    return known[-1][1]


def explained(changes: Changes, names: Mapping[str, str]) -> str:
    key = (id(changes), tuple(sorted(names.items())))
    if key not in _told:
        _told[key] = (changes, real_explained(changes, names))
    return _told[key][1]


def lower(sql: str, relations: Mapping[str, Sequence[str]]) -> Node:
    key = (sql, tuple((name, tuple(columns)) for name, columns in sorted(relations.items())))
    if key not in _roots:
        _roots[key] = real_lower(sql, relations)
    return _roots[key]


def render(node: Node) -> str:
    if id(node) not in _written:
        _written[id(node)] = (node, real_render(node))
    return _written[id(node)][1]


def kept(bound: BoundQuery, sources: Mapping[str, TableAt], layout: StateLayout | None) -> IncrementalPlan | None:
    columns = tuple((relation, at.schema.names) for relation, at in sorted(sources.items()))
    key = (bound.sql, columns, layout and layout.text())
    if key not in _kept:
        _kept[key] = real_kept(bound, sources, layout)
    return _kept[key]


def changes(plan: IncrementalPlan, changed: frozenset[str], *, inserts_only: bool, clock: bool) -> Any:
    key = (id(plan), changed, inserts_only, clock)
    if key not in _changes:
        _changes[key] = (plan, real_changes(plan, changed, inserts_only=inserts_only, clock=clock))
    return _changes[key][1]


class PlannedBench(Bench):
    """Writes each plan down once."""

    def text(self, node: Node, steps: Sequence[Step] = ()) -> str:
        key = (id(node), id(steps))
        if key not in _texts:
            _texts[key] = (node, steps, super().text(node, steps))
        return _texts[key][2]
