"""The laws bite: each rule, broken on purpose in one way, is found out by the same random plans that the right one passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import duckdb
import pytest
from sqlglot import exp

from headwater.delta import additive, derivation, identity, incremental_plan, latest, ties, top_n
from headwater.delta.algebra import W, added, plain, weighted
from headwater.delta.derivation import Derivation
from headwater.delta.laws import LAWS
from headwater.delta.target_changes import Replace, Swap
from headwater.plan import join_order, prune_scans, restrict
from headwater.plan.clock_markers import earlier
from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Explode,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    SetOperation,
    TopN,
    UnionAll,
    Window,
    inputs,
    walk,
)
from tests.fix_seed import COUNTED
from tests.laws import composed, maintained
from tests.laws.bench import Bench

# Searched where the stored seed does not kill; more than enough: most mutants die within a few dozen.
SEEDS = range(20261115, 20261115 + 3000)
# The first seed that kills each mutant. To renew one, take what the summary of the run says.
KILLED_BY: Mapping[str, int] = {
    "inner join of ΔR with L_new": 20261152,
    "inner join without ΔR": 20261115,
    "left, semi, anti without − op(A, R_old)": 20261159,
    "semi and anti without ΔR": 20261120,
    "filter lets all through": 20261121,
    "filter forgets what the clock took": 20261204,
    "filter at the old clock": 20261150,
    "project loses weights": 20261123,
    "explode loses weights": 20261123,
    "expand loses weights": 20261149,
    "union forgets its last branch": 20261121,
    "aggregate keeps old groups": 20261133,
    "window keeps old partitions": 20261142,
    "top n keeps old rows": 20261119,
    "set operation keeps old rows": 20261115,
    "set operation ignores ΔR": 20261115,
    "keys that are NULL are no keys": 20261115,
    "additive counts only what came": 20261123,
    "a group dies when its sum is 0": 20261135,
    "a sum of no values is 0": 20261135,
    "an extreme that went is not looked for": 20261219,
    "rows that came and went again are taken for there": 20261150,
    "groups that HAVING hid are added to": 20261137,
    "joined rows are named by the left alone": 20261193,
    "ties are left open": 20261381,
    "everything is append only": 20261188,
    "touched groups do not go": 20261119,
    "first rows that went are not missed": 20261124,
    "first rows that stayed are forgotten": 20261116,
    "latest rows that went are not looked for": 20261121,
    "latest rows that others follow stay": 20261121,
    "latest rows that fell behind stay": 20261121,
    "any condition on a number is the first": 20261790,
    "scans are cut where joins pad": 20261217,
    "scans are cut without their NULLs": 20261118,
    "scans are cut too short": 20261118,
    "a join leads with what it pads": 20261220,
    "keys are those that came last": 20261118,
}

Broken = Callable[[Any, Derivation], Node | None]


def _right(node: Node, derivation: Derivation) -> Node | None:
    found: Node | None = LAWS[type(node)](node, derivation)
    return found


def _inner_with_new_left(node: Join, derivation: Derivation) -> Node | None:
    if node.kind is not JoinKind.INNER:
        return _right(node, derivation)
    left, right = derivation.delta(node.left), derivation.delta(node.right)
    terms = [replace(node, left=left) if left else None, replace(node, right=right) if right else None]
    return added(Project(term, plain((*node.columns, W))) for term in terms if term)


def _inner_without_right(node: Join, derivation: Derivation) -> Node | None:
    if node.kind is not JoinKind.INNER:
        return _right(node, derivation)
    left = derivation.delta(node.left)
    return left and Project(replace(node, left=left), plain((*node.columns, W)))


def _outer_without_what_went(node: Join, derivation: Derivation) -> Node | None:
    right = derivation.delta(node.right)
    if node.kind is JoinKind.INNER or right is None:
        return _right(node, derivation)
    left = derivation.delta(node.left)
    hit = Join(JoinKind.SEMI, derivation.old(node.left), right, node.predicate)
    first = Project(replace(node, left=left), plain((*node.columns, W))) if left else None
    return added([first, weighted(replace(node, left=hit), 1)])


def _semi_ignores_right(node: Join, derivation: Derivation) -> Node | None:
    if node.kind not in (JoinKind.SEMI, JoinKind.ANTI):
        return _right(node, derivation)
    left = derivation.delta(node.left)
    return left and Project(replace(node, left=left), plain((*node.columns, W)))


def _filter_lets_all_through(node: Filter, derivation: Derivation) -> Node | None:
    return derivation.delta(node.input)


def _filter_forgets_what_the_clock_took(node: Filter, derivation: Derivation) -> Node | None:
    found = _right(node, derivation)
    if isinstance(found, UnionAll) and derivation.clock:
        return replace(found, inputs=found.inputs[:-1])
    return found


def _filter_at_the_old_clock(node: Filter, derivation: Derivation) -> Node | None:
    return _right(replace(node, predicate=earlier(node.predicate)), derivation)


def _weights_lost(node: Project | Explode | Expand, derivation: Derivation) -> Node | None:
    found = _right(node, derivation)
    return found and weighted(Project(found, plain(node.columns)), 1)


def _last_branch_forgotten(node: UnionAll, derivation: Derivation) -> Node | None:
    change = derivation.delta(replace(node.inputs[0]))
    if change is None:
        return None
    pairs = zip((*node.columns, W), plain(change.columns), strict=True)
    return Project(change, tuple((name, value) for name, (_, value) in pairs))


def _only_what_came(node: Aggregate | Window | TopN | SetOperation, derivation: Derivation) -> Node | None:
    found = _right(node, derivation)
    return found.inputs[0] if isinstance(found, UnionAll) else found


def _keys_of_the_left_alone(node: SetOperation, derivation: Derivation) -> Node | None:
    return _right(node, derivation) if derivation.delta(node.left) is not None else None


COMPOSED: Mapping[str, tuple[type, Broken]] = {
    "inner join of ΔR with L_new": (Join, _inner_with_new_left),
    "inner join without ΔR": (Join, _inner_without_right),
    "left, semi, anti without − op(A, R_old)": (Join, _outer_without_what_went),
    "semi and anti without ΔR": (Join, _semi_ignores_right),
    "filter lets all through": (Filter, _filter_lets_all_through),
    "filter forgets what the clock took": (Filter, _filter_forgets_what_the_clock_took),
    "filter at the old clock": (Filter, _filter_at_the_old_clock),
    "project loses weights": (Project, _weights_lost),
    "explode loses weights": (Explode, _weights_lost),
    "expand loses weights": (Expand, _weights_lost),
    "union forgets its last branch": (UnionAll, _last_branch_forgotten),
    "aggregate keeps old groups": (Aggregate, _only_what_came),
    "window keeps old partitions": (Window, _only_what_came),
    "top n keeps old rows": (TopN, _only_what_came),
    "set operation keeps old rows": (SetOperation, _only_what_came),
    "set operation ignores ΔR": (SetOperation, _keys_of_the_left_alone),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_a_broken_law_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, broken = COMPOSED[name]
    monkeypatch.setattr(composed, "LAWS", MappingProxyType({**LAWS, kind: broken}))
    _dies(name, composed.check)


def test_keys_that_are_null_are_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restrict.exp, "NullSafeEQ", exp.EQ)
    _dies("keys that are NULL are no keys", composed.check)


def _counts_grow_only(rule: additive.Additive) -> Any:
    return tuple(
        (name, exp.maybe_parse(value.sql("spark").partition(" - ")[0], dialect="spark"))
        for name, value in _partials(rule)
    )


def _sums_decide_life(rule: additive.Additive, root: Node, derivation: Derivation) -> Any:
    sums = [part.name for part in rule.parts if part.function == "SUM"]
    broken = replace(rule, rows=sums[0]) if sums and rule.core.keys else rule
    return _changes(broken, root, derivation)


def _sum_of_nothing_is_zero(rule: additive.Additive, certain: bool) -> Any:
    sums = {part.name for part in rule.parts if part.function == "SUM"}
    items = _merged(rule, certain=certain)
    return tuple((name, value.args["ifs"][0].args["true"] if name in sums else value) for name, value in items)


def _filter_does_not_matter(_root: Node, _core: Node) -> bool:
    return False


def _ids_of_the_left(self: identity.Identifier, node: Node) -> Any:
    found = _of(self, node)
    return replace(found, ids=found.ids[:1]) if found is not None and isinstance(node, Join) else found


def _nothing_goes(*args: Any) -> Any:
    found = _changes(*args)
    return replace(found, gone=Filter(found.gone, exp.false())) if isinstance(found, Replace | Swap) else found


def _what_an_outer_join_pads_is_cut(plan: Join, left: Any, right: Any, known: Any) -> Any:
    found, spans = _join(plan, left, right, known)
    for one, other, nulls in restrict.equalities(found):
        if other in right:
            found = replace(found, left=prune_scans._cut(found.left, one, right[other], nulls, known))
    return found, spans


def _all_joins_are_inner(plan: Node) -> Any:
    return _flat(replace(plan, kind=JoinKind.INNER) if isinstance(plan, Join) and plan.kind is JoinKind.LEFT else plan)


def _rows_that_went_are_not_missed(rule: top_n.TopNRule, root: Node, derivation: Derivation) -> Any:
    found = _top_changes(rule, root, derivation)
    steps = found and tuple(
        replace(step, node=Filter(step.node, exp.false())) if "lost" in step.name else step for step in found.steps
    )
    return found and replace(found, steps=steps)


def _only_what_came_is_first(rule: top_n.TopNRule, root: Node, derivation: Derivation) -> Any:
    found = _top_changes(rule, root, derivation)
    return found and replace(found, new=found.new.inputs[1])


def _without_step(hint: str) -> Any:
    """Latest rows, with a step of theirs that is always empty."""

    def broken(rule: latest.Latest, root: Node, derivation: Derivation) -> Any:
        found = _latest_changes(rule, root, derivation)
        steps = found and tuple(
            replace(step, node=Filter(step.node, exp.false())) if hint in step.name else step for step in found.steps
        )
        return found and replace(found, steps=steps)

    return broken


def _what_falls_behind_stays(every: Node, rule: latest.Latest) -> Any:
    """What the table has stands before what went."""
    found = _placed(every, rule)
    found.items[0][1].args["order"].expressions[-1].set("desc", True)
    return found


def _nulls_are_nowhere(self: prune_scans.KeyRanges, name: str, *, nulls: bool) -> Any:
    return _test(self, name, nulls=False)


def _bounds_are_outside(self: prune_scans.KeyRanges, name: str, *, nulls: bool) -> Any:
    return exp.and_(
        _test(self, name, nulls=nulls), exp.Not(this=_test(replace(self, pairs=self.pairs[:1]), name, nulls=False))
    )


_flat, _top_changes = join_order._flat, top_n.changes
_latest_changes, _placed = latest.changes, latest._placed
_join, _test = prune_scans._join, prune_scans.KeyRanges.test
_partials, _merged, _changes = additive._partials, additive._merged, additive.changes
_of = identity.Identifier.of

KEPT: Mapping[str, tuple[Any, str, Any]] = {
    "additive counts only what came": (additive, "_partials", _counts_grow_only),
    "a group dies when its sum is 0": (additive, "changes", _sums_decide_life),
    "a sum of no values is 0": (additive, "_merged", _sum_of_nothing_is_zero),
    "an extreme that went is not looked for": (additive, "_lost", lambda _part, certain: "false"),
    "rows that came and went again are taken for there": (derivation.Derivation, "certain", lambda _self, _node: True),
    "groups that HAVING hid are added to": (incremental_plan, "_filtered", _filter_does_not_matter),
    "joined rows are named by the left alone": (identity.Identifier, "of", _ids_of_the_left),
    "ties are left open": (ties, "_total", lambda order, _ids: order),
    "everything is append only": (incremental_plan, "_monotone", lambda _root: True),
    "touched groups do not go": (additive, "changes", _nothing_goes),
    "first rows that went are not missed": (top_n, "changes", _rows_that_went_are_not_missed),
    "first rows that stayed are forgotten": (top_n, "changes", _only_what_came_is_first),
    "latest rows that went are not looked for": (latest, "changes", _without_step("again")),
    "latest rows that others follow stay": (latest, "changes", _without_step("leading")),
    "latest rows that fell behind stay": (latest, "_placed", _what_falls_behind_stays),
    "any condition on a number is the first": (latest, "_is_first", lambda _predicate, _name: True),
    "scans are cut where joins pad": (prune_scans, "_join", _what_an_outer_join_pads_is_cut),
    "scans are cut without their NULLs": (prune_scans.KeyRanges, "test", _nulls_are_nowhere),
    "scans are cut too short": (prune_scans.KeyRanges, "test", _bounds_are_outside),
    "a join leads with what it pads": (join_order, "_flat", _all_joins_are_inner),
    "keys are those that came last": (derivation.Derivation, "old", lambda self, node: node),
}


def _has(*kinds: type[Node]) -> Callable[[Node], bool]:
    return lambda node: isinstance(node, kinds)


def _joins_what_is_padded(node: Node) -> bool:
    return _is_join(node, JoinKind.INNER) and any(_is_join(below, JoinKind.LEFT) for below in inputs(node))


def _is_join(node: Node, kind: JoinKind) -> bool:
    return isinstance(node, Join) and node.kind is kind


def _asks_more_of_a_window(node: Node) -> bool:
    return isinstance(node, Filter) and isinstance(node.input, Window) and isinstance(node.predicate, exp.And)


# What a plan must hold for a mutant to show in it, of all in a module or of one: most hold none, and would be run for nothing.
NEEDED: Mapping[object, Callable[[Node], bool]] = {
    additive: _has(Aggregate),
    identity.Identifier: _has(Join),
    ties: _has(Window, TopN),
    top_n: _has(TopN),
    latest: _has(Window),
    "any condition on a number is the first": _asks_more_of_a_window,
    prune_scans: _has(Join),
    join_order: _joins_what_is_padded,
}


@pytest.mark.parametrize("name", KEPT)
def test_a_broken_way_to_keep_a_table_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, what, broken = KEPT[name]
    monkeypatch.setattr(where, what, broken)
    needed = NEEDED.get(name) or NEEDED.get(where, lambda _node: True)

    def run(bench: Bench, seed: int) -> None:
        if any(map(needed, walk(maintained.begin(seed)[2]))):
            maintained.keep(bench, seed)

    _dies(name, run)


@pytest.mark.parametrize("name", KILLED_BY)
def test_the_seed_that_kills_a_mutant_passes_the_right_rules(name: str) -> None:
    (maintained.keep if name in KEPT else composed.check)(Bench(), KILLED_BY[name])


def _dies(name: str, run: Callable[[Bench, int], object]) -> None:
    """The stored seed kills the mutant, or else another one, which the summary of the run tells."""
    bench = Bench()
    if name in KILLED_BY and _kills(run, bench, KILLED_BY[name]):
        return
    found = next((seed for seed in SEEDS if _kills(run, bench, seed)), None)
    if found is None:
        pytest.fail("the mutant survived")
    COUNTED.setdefault("KILLED_BY in tests/laws/test_mutants.py is out of date", Counter())[name] = found


def _kills(run: Callable[[Bench, int], object], bench: Bench, seed: int) -> bool:
    try:
        run(bench, seed)
    except (AssertionError, duckdb.Error, IndexError, ValueError):
        return True
    return False
