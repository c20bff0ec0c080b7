"""Filter large scans by the key ranges of few rows, so that Spark skips files, row groups and pages without these keys.

    Δ ⋈_{a=b} R   =   Δ ⋈_{a=b} σ_{b within the ranges of Δ.a}(R)

This also applies to the right side of a left, semi or anti join with few rows on the left, and to the left side of a semi join
with few rows on the right. The filter only saves reads; the join decides which rows match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.plan.nodes import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    UnionAll,
    Values,
    Window,
    column,
    inputs,
    with_inputs,
)
from headwater.plan.restrict import equalities


@dataclass(frozen=True, slots=True)
class KeyRanges:
    """The ranges that contain a column's values; `nulls` is whether it may be NULL."""

    type: str
    pairs: tuple[tuple[exp.Expr, exp.Expr], ...]
    nulls: bool

    def test(self, name: str, *, nulls: bool) -> exp.Expr:
        """The condition that a column of the same type is in one of the ranges."""
        tests: list[exp.Expr] = [
            exp.Between(this=column(name), low=low.copy(), high=high.copy()) for low, high in self.pairs
        ]
        if nulls and self.nulls:
            tests.append(exp.Is(this=column(name), expression=exp.null()))
        return exp.or_(*tests) if tests else exp.false()


@dataclass(frozen=True, slots=True)
class ScanFacts:
    """Facts about scans: the key ranges of small ones, and the column types of all.

    `mark` is a column of a relation and the value that it must have; rows with another value are never pruned.
    """

    spans: Callable[[Scan], Mapping[str, KeyRanges]]
    types: Callable[[Scan], Mapping[str, str]]
    mark: tuple[str, str, int] | None = None


def prune_scans(plan: Node, known: ScanFacts) -> Node:
    """The plan with filters on scans of which only some rows can match."""
    return _narrowed(plan, known)[0]


def _narrowed(plan: Node, known: ScanFacts) -> tuple[Node, dict[str, KeyRanges]]:
    """The plan and the known key ranges of its columns."""
    if isinstance(plan, Scan):
        return plan, dict(known.spans(plan))
    below = [_narrowed(node, known) for node in inputs(plan)]
    plan = with_inputs(plan, tuple(node for node, _ in below))
    match plan:
        case Join():
            return _join(plan, below[0][1], below[1][1], known)
        case Project():
            found = below[0][1]
            items = ((name, item.name) for name, item in plan.items if isinstance(item, exp.Column))
            return plan, {name: found[source] for name, source in items if source in found}
        case Filter() | Window():
            return plan, below[0][1]
        case Aggregate():
            return plan, {name: spans for name, spans in below[0][1].items() if name in plan.keys}
        case UnionAll():
            return plan, _either(plan, [spans for _, spans in below])
        case _:
            return plan, {}


def _join(
    plan: Join, left: dict[str, KeyRanges], right: dict[str, KeyRanges], known: ScanFacts
) -> tuple[Join, dict[str, KeyRanges]]:
    inner, semi = plan.kind is JoinKind.INNER, plan.kind is JoinKind.SEMI
    for one, other, nulls in equalities(plan):
        if one in left and plan.kind is not JoinKind.FULL:
            plan = replace(plan, right=_cut(plan.right, other, left[one], nulls, known))
            if inner:
                right.setdefault(other, left[one])
        if other in right and (inner or semi):
            plan = replace(plan, left=_cut(plan.left, one, right[other], nulls, known))
            left.setdefault(one, right[other])
    if inner:
        return plan, {**right, **left}
    return plan, left if plan.kind is not JoinKind.FULL else {}


def _cut(node: Node, name: str, spans: KeyRanges, nulls: bool, known: ScanFacts) -> Node:
    """The node with the column filtered by the ranges, as close to the scans as possible; unchanged if that is impossible."""
    match node:
        case Scan():
            same = known.types(node).get(name) == spans.type and name not in known.spans(node)
            return _within(node, spans.test(name, nulls=nulls), known) if same else node
        case Filter():
            return replace(node, input=_cut(node.input, name, spans, nulls, known))
        case Project():
            item = dict(node.items)[name]
            if not isinstance(item, exp.Column):
                return node
            return replace(node, input=_cut(node.input, item.name, spans, nulls, known))
        case Aggregate() if name in node.keys:
            return replace(node, input=_cut(node.input, name, spans, nulls, known))
        case Window() if name in node.partition:
            return replace(node, input=_cut(node.input, name, spans, nulls, known))
        case UnionAll():
            place = node.columns.index(name)
            cut = (_cut(branch, branch.columns[place], spans, nulls, known) for branch in node.inputs)
            return replace(node, inputs=tuple(cut))
        case Join():
            if name in node.left.columns and node.kind is not JoinKind.FULL:
                return replace(node, left=_cut(node.left, name, spans, nulls, known))
            if name in node.right.columns and node.kind is JoinKind.INNER:
                return replace(node, right=_cut(node.right, name, spans, nulls, known))
            return node
        case _:
            return node


def _within(scan: Scan, test: exp.Expr, known: ScanFacts) -> Node:
    if known.mark is None or known.mark[0] != scan.relation:
        return Filter(scan, test)
    _, name, value = known.mark
    other = exp.Not(this=exp.NullSafeEQ(this=column(name), expression=exp.Literal.number(value)))
    marked = scan if name in scan.columns else replace(scan, items=(*scan.items, (name, name)))
    return Project(Filter(marked, exp.or_(test, other)), tuple((kept, column(kept)) for kept in scan.columns))


def _either(plan: UnionAll, branches: list[dict[str, KeyRanges]]) -> dict[str, KeyRanges]:
    found = {}
    for place, name in enumerate(plan.columns):
        each = [
            spans.get(branch.columns[place])
            for branch, spans in zip(plan.inputs, branches, strict=True)
            if not isinstance(branch, Values) or branch.rows
        ]
        some = [spans for spans in each if spans is not None]
        if some and len(some) == len(each) and len({spans.type for spans in some}) == 1:
            pairs = tuple(dict.fromkeys(pair for spans in some for pair in spans.pairs))
            found[name] = KeyRanges(some[0].type, pairs, any(spans.nulls for spans in some))
    return found
