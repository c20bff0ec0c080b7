"""Prove that two queries are equivalent, by a comparison of their optimized plans.

The comparison ignores names, projections that only compute, the order of inner columns, and the order of the sides of an
equality. It treats as equal: a join with a one-row relation and a scalar subquery; a right join and the left join with swapped
sides; grouping sets and a join with their numbers; EXISTS as a value and a left join with the distinct keys and a flag.
Plans with any other difference, or with parts that this package does not support, are not proven equivalent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame

from headwater.execute.canonical_plan import Reader
from headwater.execute.canonical_value import PLAIN
from headwater.execute.plan_tree import Unknown, tree

# Optimizer rules whose effect depends on how the query is written.
_NOT_WANTED = (
    "catalyst.optimizer.InferFiltersFromConstraints",
    "catalyst.optimizer.InferWindowGroupLimit",
    "execution.planmerging.MergeSubplans",
)
# The settings of a session whose plans are compared. The second one prevents InSet, whose JSON lacks the values.
SETTINGS = {
    "spark.sql.optimizer.excludedRules": ",".join(f"org.apache.spark.sql.{rule}" for rule in _NOT_WANTED),
    "spark.sql.optimizer.inSetConversionThreshold": "1000000",
}
# Words of SQL that leave no trace in the plan.
_UNSEEN = re.compile(r"\btry_\w+|\bescape\b")


def same_meaning(one: DataFrame, other: DataFrame) -> bool:
    """Whether the optimized plans of both compute the same rows, of the same types."""
    types = [[field.dataType for field in frame.schema.fields] for frame in (one, other)]
    if types[0] != types[1]:
        return False
    try:
        return meaning(one) == meaning(other)
    except Unknown:
        return False


def same_words(one: str, other: str) -> bool:
    """Whether two queries have the same words that leave no trace in plans: try_add becomes Add there, ESCAPE vanishes."""
    found = [frozenset(_UNSEEN.findall(text.lower())) for text in (one, other)]
    return found[0] == found[1]


def meaning(frame: DataFrame) -> str:
    """The canonical text of a query."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    nodes = json.loads(plan.toJSON())
    _complete(nodes, plan)
    found = Reader(_leaves(plan)).branches(tree(iter(nodes)))
    return " and ".join(sorted(f"{branch.text} -> {', '.join(branch.columns)}" for branch in found))


def _complete(nodes: list[dict[str, Any]], plan: Any) -> None:
    """Add the projections of Expand, which Spark's JSON lacks if they are in a Scala Vector."""
    expands = [node for node in nodes if node["class"].endswith(".Expand")]
    if any(node["projections"] is None for node in expands):
        for node, known in zip(expands, _of_kind(plan, "Expand"), strict=True):
            rows = _all(known.projections())
            node["projections"] = [[json.loads(each.toJSON()) for each in _all(row)] for row in rows]


def _of_kind(plan: Any, kind: str) -> Iterator[Any]:
    """The nodes of one kind in a plan, parents first."""
    if plan.nodeName() == kind:
        yield plan
    for below in _all(plan.children()):
        yield from _of_kind(below, kind)


def _all(sequence: Any) -> list[Any]:
    """The elements of a Scala sequence."""
    return [sequence.apply(place) for place in range(sequence.size())]


def _leaves(plan: Any) -> dict[int, str]:
    """The texts of a plan's leaves, including those of subqueries, by the id of their first column."""
    names: dict[int, str] = {}
    for each in (plan, *_all(plan.subqueriesAll())):
        for leaf in _all(each.collectLeaves()):
            if leaf.output().isEmpty():
                continue
            first = int(leaf.output().apply(0).exprId().id())
            if leaf.nodeName() == "LogicalRDD":
                names[first] = f"relation {leaf.rdd().id()}"
            elif leaf.nodeName() == "LocalRelation" and _has_plain_columns(leaf):
                names[first] = f"rows {leaf.data().toString()}"
    return names


def _has_plain_columns(leaf: Any) -> bool:
    kinds = (each.dataType().typeName() for each in _all(leaf.output()))
    return all(kind in PLAIN or kind.startswith("decimal") for kind in kinds)
