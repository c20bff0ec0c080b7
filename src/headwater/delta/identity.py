"""Row ids for the rows of a result, composed of the row ids of the sources, which updates preserve.

    scan: its row id        filter, project, window, semi, anti: the input's        join: both sides', NULL where padded
    union all: the branch, then the input's        grouping: the keys

Other operators have no row ids, because equal rows of their results can't be distinguished; the row's values identify it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.core.internal_columns import ROW_ID
from headwater.delta.algebra import plain
from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Filter,
    Item,
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
    column,
)

_BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Identified:
    """A plan with row ids in the columns `names`; `row_ids` if all of them are row ids of the lake."""

    node: Node
    ids: tuple[str, ...]
    row_ids: bool = True


class Identifier:
    """Adds row ids to plans; each scan gets one column of row ids."""

    def __init__(self) -> None:
        self._given = 0

    def of(self, node: Node) -> Identified | None:
        """The plan with row ids among its columns; None if its rows have none."""
        match node:
            case Scan():
                known = next((name for name, source in node.items if source == ROW_ID), None)
                if known is not None:
                    return Identified(node, (known,))
                name = self._fresh("rowid")
                return Identified(replace(node, items=(*node.items, (name, ROW_ID))), (name,))
            case Values(rows=rows):
                return Identified(node, ()) if len(rows) == 1 else None
            case Project():
                return self._project(node)
            case Filter() | Window() | TopN() | Expand():
                below = self.of(node.input)
                if below is None:
                    return None
                above = replace(node, input=below.node)
                if isinstance(node, Expand):
                    return Identified(above, (*below.ids, node.set_id), False)
                return replace(below, node=above)
            case Join(kind=JoinKind.SEMI | JoinKind.ANTI):
                below = self.of(node.left)
                return below and replace(below, node=replace(node, left=below.node))
            case Join():
                left, right = self.of(node.left), self.of(node.right)
                if left is None or right is None:
                    return None
                joined = replace(node, left=left.node, right=right.node)
                return Identified(joined, (*left.ids, *right.ids), left.row_ids and right.row_ids)
            case UnionAll():
                return self._union(node)
            case Aggregate():
                return Identified(node, node.keys, False)
            case SetOperation():
                return Identified(node, node.columns, False) if not node.all else None
            case _:
                return None

    def _project(self, node: Project) -> Identified | None:
        below = self.of(node.input)
        if below is None:
            return None
        items, ids = carried(node.items, below.ids)
        return replace(below, node=Project(below.node, items), ids=ids)

    def _union(self, node: UnionAll) -> Identified | None:
        """Only branches with row ids of the lake, because all branches need the same types."""
        found = [self.of(branch) for branch in node.inputs]
        branches = [branch for branch in found if branch is not None and branch.row_ids]
        if len(branches) < len(found):
            return None
        width = max(len(branch.ids) for branch in branches)
        tag, ids = self._fresh(_BRANCH), tuple(self._fresh("rowid") for _ in range(width))
        nothing = exp.cast(exp.null(), "bigint")
        named = []
        for place, (branch, original) in enumerate(zip(branches, node.inputs, strict=True)):
            values = [column(name) for name in branch.ids] + [nothing] * (width - len(branch.ids))
            items: tuple[Item, ...] = (
                *plain(original.columns),
                (tag, exp.cast(exp.Literal.number(place), "bigint")),
                *zip(ids, values, strict=True),
            )
            named.append(Project(branch.node, items))
        return Identified(UnionAll(tuple(named), (*node.columns, tag, *ids)), (tag, *ids))

    def _fresh(self, stem: str) -> str:
        self._given += 1
        return f"__{stem}_{self._given}"


def carried(items: tuple[Item, ...], wanted: tuple[str, ...]) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """The items of a projection with the wanted columns of its input added, and the names of these in its result."""
    names = []
    for name in wanted:
        found = next((item for item, value in items if isinstance(value, exp.Column) and value.name == name), None)
        if found is None:
            items = (*items, (name, column(name)))
        names.append(found or name)
    return items, tuple(names)
