"""latest row per key     σ_{place = 1}(ω(X))        ω numbers the rows of each key in a total order

At the top of a query; V are the stored rows of the table. For each key, only the first inserted and the first deleted row
matter, and all rows of X that V lacks are ordered after the key's row in V:

    first of (inserted, deleted, V) is inserted    it is the key's new row
                                       in V        nothing changes
                                       deleted     the key is recomputed: its row was deleted, or is no longer the first

An inserted row is ordered before an equal deleted one: such an update leaves it the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.delta.algebra import W, plain, reordered, sql
from headwater.delta.derivation import Derivation, StepKind
from headwater.delta.target_changes import Changes, Swap, target
from headwater.plan.nodes import Filter, Node, Project, UnionAll, Window, column, conjuncts, replace_node
from headwater.plan.restrict import KeyScan, plain_scan, restrict

_RANK = "__rank"
_PLACE = "__place"
_CAME, _WENT, _HELD = 0, 1, 2
# The place of a key's stored row.
_IN_FILE, _IN_PLACE = "__in_file", "__in_place"
_PLACES = ((_IN_FILE, FILE_ID), (_IN_PLACE, POSITION))


@dataclass(frozen=True, slots=True)
class Latest:
    """The first row of each key; `stored` are the columns of the result with the key, then those with the order."""

    core: Window
    stored: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        return self.stored[: len(self.core.partition)]


def needed(core: Window) -> tuple[str, ...]:
    """The columns of the key and of the order."""
    return (*core.partition, *(key.this.name for key in _order(core)))


def keeps_first(path: list[Node], core: Window) -> bool:
    """Whether the operators above a window filter by the first row of each partition, and by nothing else."""
    filters = [node for node in path if isinstance(node, Filter)]
    if len(filters) != 1 or len(core.items) != 1 or not core.partition:
        return False
    name, number = core.items[0]
    if not isinstance(number.this, exp.RowNumber) or not all(isinstance(key.this, exp.Column) for key in _order(core)):
        return False
    for node in reversed(path):
        if isinstance(node, Filter):
            return _is_first(node.predicate, name)
        assert isinstance(node, Project)
        name = next((item for item, value in node.items if isinstance(value, exp.Column) and value.name == name), "")
    return False


def changes(rule: Latest, root: Node, derivation: Derivation) -> Changes | None:
    """The first of the stored, inserted and deleted rows of each key; recomputed if that is a deleted row."""
    core, keys = rule.core, rule.core.partition
    change = derivation.delta(core.input)
    if change is None:
        return None
    moved, touched = change, plain_scan(change, set(keys))
    if touched is None:
        moved = touched = derivation.shared(StepKind.MOVED, change)

    def first(sign: str, rank: int) -> Project:
        rows = Project(Filter(moved, sql(f"{W} {sign} 0")), plain(core.input.columns))
        return _ranked(replace_node(root, core.input, rows), root.columns, rank)

    on = dict(zip(rule.key, keys, strict=True))
    held = _ranked(restrict(target(root.columns), on, KeyScan(touched)), root.columns, _HELD)
    every = UnionAll((first(">", _CAME), first("<", _WENT), held), held.columns)
    leading = derivation.shared(
        StepKind.LEADING, Filter(_placed(every, rule), sql(f"{_PLACE} = 1 AND {_RANK} <> {_HELD}"))
    )
    went = derivation.shared(StepKind.AGAIN, Project(Filter(leading, sql(f"{_RANK} = {_WENT}")), plain(rule.key)))
    come = Project(Filter(leading, sql(f"{_RANK} = {_CAME}")), plain(root.columns))
    anew = replace_node(root, core.input, restrict(core.input, dict(zip(keys, rule.key, strict=True)), KeyScan(went)))
    gone = Project(
        Filter(leading, sql(f"{_IN_PLACE} IS NOT NULL")), ((FILE_ID, column(_IN_FILE)), (POSITION, column(_IN_PLACE)))
    )
    return Swap(tuple(derivation.steps), UnionAll((come, anew), root.columns), gone)


def _order(core: Window) -> list[exp.Ordered]:
    return list(core.items[0][1].args["order"].expressions)


def _is_first(predicate: exp.Expr, name: str) -> bool:
    """Whether the condition selects the row number 1 in a column."""
    match conjuncts(predicate):
        case [exp.EQ(this=exp.Column() as one, expression=exp.Literal() as other)]:
            return one.name == name and _is_number(other, 1)
        case [exp.EQ(this=exp.Literal() as other, expression=exp.Column() as one)]:
            return one.name == name and _is_number(other, 1)
        case [exp.LTE(this=exp.Column() as one, expression=exp.Literal() as other)]:
            return one.name == name and _is_number(other, 1)
        case [exp.LT(this=exp.Column() as one, expression=exp.Literal() as other)]:
            return one.name == name and _is_number(other, 2)
        case _:
            return False


def _is_number(literal: exp.Literal, number: int) -> bool:
    return not literal.is_string and literal.this == str(number)


def _placed(every: Node, rule: Latest) -> Window:
    """The rows of each key, numbered in the order over the stored columns, with the place of the stored row."""
    stored: Mapping[str, str] = dict(zip(needed(rule.core), rule.stored, strict=True))
    order = [reordered(key, stored[key.this.name]) for key in _order(rule.core)]
    order.append(exp.Ordered(this=column(_RANK), desc=False, nulls_first=True))
    key = [column(name) for name in rule.key]
    number = exp.Window(this=exp.RowNumber(), partition_by=key, order=exp.Order(expressions=order))
    places = ((name, exp.Window(this=exp.Max(this=column(held)), partition_by=key)) for name, held in _PLACES)
    return Window(every, rule.key, ((_PLACE, number), *places))


def _ranked(node: Node, columns: tuple[str, ...], rank: int) -> Project:
    nowhere = exp.cast(exp.null(), "bigint")
    places = ((name, column(name) if rank == _HELD else nowhere) for name in (FILE_ID, POSITION))
    return Project(node, (*plain(columns), *places, (_RANK, exp.Literal.number(rank))))
