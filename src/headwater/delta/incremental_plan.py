"""The incremental plan of a query: the state columns that its table stores, and how its changes are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.core.refresh_record import Strategy
from headwater.delta import additive, latest, top_n
from headwater.delta.additive import Additive
from headwater.delta.algebra import plain
from headwater.delta.derivation import Derivation
from headwater.delta.identity import Identifier, carried
from headwater.delta.latest import Latest
from headwater.delta.laws import KEYED, LAWS
from headwater.delta.target_changes import Append, Apply, Changes, Replace, follows, mapped, target, without_weight
from headwater.delta.ties import add_tie_breakers
from headwater.delta.top_n import TopNRule
from headwater.delta.top_operator import core_of, path_to, storable
from headwater.plan.clock_markers import reads_clock
from headwater.plan.expand_full_joins import expand_full_joins
from headwater.plan.join_order import join_from_delta
from headwater.plan.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    SetOperation,
    TopN,
    UnionAll,
    Values,
    Window,
    replace_node,
    walk,
    with_inputs,
)
from headwater.plan.push_filters import push_filters
from headwater.plan.restrict import restrict

LAYOUT = "__layout"


@dataclass(frozen=True, slots=True)
class KeyRule:
    """Recompute the rows of affected keys; `key` are columns of the result, in the order of the operator's key."""

    core: Node
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowRule:
    """Insert and delete single rows; `ids` are the columns that identify a row, None if only all columns together do."""

    ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class IncrementalPlan:
    """The incremental plan of a query: its first `visible` columns are the query's, the others are state."""

    root: Node
    visible: int
    rule: KeyRule | Additive | TopNRule | Latest | RowRule

    @property
    def state(self) -> tuple[str, ...]:
        return self.root.columns[self.visible :]

    @property
    def strategy(self) -> Strategy:
        """The strategy for changes with inserts and deletes."""
        match self.rule:
            case Additive():
                return Strategy.ADDITIVE
            case KeyRule(key=key):
                return Strategy.AFFECTED_KEYS if key else Strategy.RECOMPUTE
            case _:
                return Strategy.ROW_DELTA

    @property
    def key(self) -> tuple[str, ...]:
        """The columns by which changes find rows of the result."""
        match self.rule:
            case KeyRule(key=key) | TopNRule(stored=key):
                return key
            case Latest() as rule:
                return rule.key
            case Additive(stored=stored, core=core):
                return stored[: len(core.keys)]
            case RowRule(ids=ids):
                return ids or ()


def plan_incremental(root: Node, types: Mapping[str, str]) -> IncrementalPlan:
    """The query with its state; `types` are the types of the columns below a grouping or a window at the top."""
    identifier = Identifier()
    root = add_tie_breakers(push_filters(expand_full_joins(root)), identifier)
    core = core_of(root)
    if any(isinstance(node, Filter) and reads_clock(node.predicate) for node in path_to(root, core)):
        # The keys depend on the clock, so they change even if the rows below don't.
        return _by_rows(root, identifier)
    if isinstance(core, Aggregate) and not _filtered(root, core):
        merged = additive.prepare(core, types)
        if merged is not None:
            lifted = _lifted(root, core, merged.core, merged.needed)
            return IncrementalPlan(lifted.root, len(root.columns), replace(merged, stored=lifted.columns))
    if isinstance(core, TopN) and not _filtered(root, core) and (names := top_n.ordered_by(core)):
        lifted = _lifted(root, core, core, names)
        return IncrementalPlan(lifted.root, len(root.columns), TopNRule(core, lifted.columns))
    if (
        isinstance(core, Window)
        and latest.keeps_first(path_to(root, core), core)
        and _storable(latest.needed(core), types)
    ):
        lifted = _lifted(root, core, core, latest.needed(core))
        return IncrementalPlan(lifted.root, len(root.columns), Latest(core, lifted.columns))
    if isinstance(core, Aggregate | Window | SetOperation | TopN):
        lifted = _lifted(root, core, core, _key(core))
        return IncrementalPlan(lifted.root, len(root.columns), KeyRule(core, lifted.columns))
    return _by_rows(root, identifier)


def _by_rows(root: Node, identifier: Identifier) -> IncrementalPlan:
    found = identifier.of(root)
    if found is None:
        return IncrementalPlan(root, len(root.columns), RowRule(None))
    state = (name for name in found.ids if name not in root.columns)
    named = Project(found.node, plain((*root.columns, *state)))
    return IncrementalPlan(named, len(root.columns), RowRule(found.ids))


def marked(maintained: IncrementalPlan, mark: int) -> IncrementalPlan:
    """The plan with a column that marks the layout of the state columns; the plan itself if it has no state."""
    if not maintained.state:
        return maintained
    root = maintained.root
    literal = exp.cast(exp.Literal.number(mark), "bigint")
    return replace(maintained, root=Project(root, (*plain(root.columns), (LAYOUT, literal))))


def changes(
    maintained: IncrementalPlan, changed: frozenset[str], *, inserts_only: bool = False, clock: bool = False
) -> tuple[Strategy, Changes] | None:
    """The changes of the result after changes of some relations or of the clock; None if there are none."""
    found = _changes(maintained, changed, inserts_only=inserts_only, clock=clock)
    if found is None:
        return None
    light = follows(found[1])
    return found[0], mapped(found[1], lambda node: join_from_delta(node, light))


def _changes(
    maintained: IncrementalPlan, changed: frozenset[str], *, inserts_only: bool, clock: bool
) -> tuple[Strategy, Changes] | None:
    derivation = Derivation(changed, LAWS, clock)
    root = maintained.root
    match maintained.rule:
        case Additive() as rule:
            return _named(Strategy.ADDITIVE, additive.changes(rule, root, derivation))
        case TopNRule(core=core) as rule:
            if not derivation.certain(core.input):
                return _recomputed(root, core, (), derivation)
            return _named(Strategy.ROW_DELTA, top_n.changes(rule, root, derivation))
        case Latest(core=core) as rule:
            if not derivation.certain(core.input):
                return _recomputed(root, core, rule.key, derivation)
            return _named(Strategy.ROW_DELTA, latest.changes(rule, root, derivation))
        case KeyRule(core=core, key=key):
            return _recomputed(root, core, key, derivation)
        case RowRule(ids=ids):
            delta = derivation.delta(root)
            if delta is None:
                return None
            steps = tuple(derivation.steps)
            if inserts_only and not clock and _monotone(root):
                return Strategy.APPEND_ONLY, Append(steps, without_weight(delta, root.columns))
            whole = root.columns
            return Strategy.ROW_DELTA, Apply(steps, delta, whole if ids is None else ids, ids is not None)


def _recomputed(
    root: Node, core: Node, key: tuple[str, ...], derivation: Derivation
) -> tuple[Strategy, Changes] | None:
    found = KEYED[type(core)](core, derivation)
    if found is None:
        return None
    gone: Node = target(root.columns)
    if found.keys is not None:
        gone = restrict(gone, dict(zip(key, found.keys.columns, strict=True)), found.keys)
    strategy = Strategy.RECOMPUTE if found.keys is None else Strategy.AFFECTED_KEYS
    return strategy, Replace(tuple(derivation.steps), replace_node(root, core, found.now), gone)


def _named(strategy: Strategy, found: Changes | None) -> tuple[Strategy, Changes] | None:
    return None if found is None else (strategy, found)


def _filtered(root: Node, core: Node) -> bool:
    return any(isinstance(node, Filter) for node in path_to(root, core))


def _storable(names: tuple[str, ...], types: Mapping[str, str]) -> bool:
    """Whether these columns can be state; columns without a type in `types` are row ids."""
    return all(storable(types[name]) for name in names if name in types)


def _key(core: Aggregate | Window | SetOperation | TopN) -> tuple[str, ...]:
    match core:
        case Aggregate():
            return core.keys
        case Window():
            return core.partition
        case SetOperation():
            return core.columns
        case TopN():
            return ()


@dataclass(frozen=True, slots=True)
class _Lifted:
    root: Node
    columns: tuple[str, ...]


def _lifted(root: Node, core: Node, instead: Node, wanted: tuple[str, ...]) -> _Lifted:
    """The plan over another core, with wanted columns of the core added after the plan's own."""
    node, names = instead, wanted
    for above in reversed(path_to(root, core)):
        if isinstance(above, Project):
            items, names = carried(above.items, names)
            node = Project(node, items)
        else:
            node = with_inputs(above, (node,))
    if node.columns[: len(root.columns)] != root.columns:
        raise AssertionError("a core keeps its own columns first")
    return _Lifted(node, names)


def _monotone(root: Node) -> bool:
    """Whether inserted rows of the inputs only insert rows into the result."""
    return all(
        isinstance(node, Scan | Values | Project | Filter | UnionAll | Explode)
        or (isinstance(node, Join) and node.kind is JoinKind.INNER)
        for node in walk(root)
    )
