"""Whether two queries mean the same to Spark: their optimized plans, compared but for what does not matter.

What does not matter: names, projections that only compute, the order of columns inside, which side of an equality stands
first, a join beside a relation of one row against a scalar subquery, a right join against the left join of swapped sides,
grouping sets against a join with their numbers, EXISTS as a value against a left join with the distinct keys and a flag.
Whatever else differs, or is not understood here, counts as different.
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

# Rules of the optimizer that write down what follows from other conditions, each time in other places.
_NOT_WANTED = (
    "catalyst.optimizer.InferFiltersFromConstraints",
    "catalyst.optimizer.InferWindowGroupLimit",
    "execution.planmerging.MergeSubplans",
)
# What a session needs whose plans are compared here; the second setting keeps long lists of IN readable.
SETTINGS = {
    "spark.sql.optimizer.excludedRules": ",".join(f"org.apache.spark.sql.{rule}" for rule in _NOT_WANTED),
    "spark.sql.optimizer.inSetConversionThreshold": "1000000",
}
# Words that plans do not show.
_UNSEEN = re.compile(r"\btry_\w+|\bescape\b")


def same_meaning(one: DataFrame, other: DataFrame) -> bool:
    """Whether Spark, having optimized both, would compute the same rows of the same types."""
    types = [[field.dataType for field in frame.schema.fields] for frame in (one, other)]
    if types[0] != types[1]:
        return False
    try:
        return meaning(one) == meaning(other)
    except Unknown:
        return False


def same_words(one: str, other: str) -> bool:
    """Whether two texts agree in the words that Spark's plans do not show: try_add is an Add to them, ESCAPE is nothing."""
    found = [frozenset(_UNSEEN.findall(text.lower())) for text in (one, other)]
    return found[0] == found[1]


def meaning(frame: DataFrame) -> str:
    """What a query computes, as text."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    nodes = json.loads(plan.toJSON())
    _complete(nodes, plan)
    found = Reader(_leaves(plan)).branches(tree(iter(nodes)))
    return " and ".join(sorted(f"{branch.text} -> {', '.join(branch.columns)}" for branch in found))


def _complete(nodes: list[dict[str, Any]], plan: Any) -> None:
    """Spark leaves projections out that it holds in vectors: they are asked for one by one."""
    expands = [node for node in nodes if node["class"].endswith(".Expand")]
    if any(node["projections"] is None for node in expands):
        for node, known in zip(expands, _of_kind(plan, "Expand"), strict=True):
            rows = _all(known.projections())
            node["projections"] = [[json.loads(each.toJSON()) for each in _all(row)] for row in rows]


def _of_kind(plan: Any, kind: str) -> Iterator[Any]:
    """Nodes of a plan, each before those below it."""
    if plan.nodeName() == kind:
        yield plan
    for below in _all(plan.children()):
        yield from _of_kind(below, kind)


def _all(sequence: Any) -> list[Any]:
    """What a sequence of Scala's holds."""
    return [sequence.apply(place) for place in range(sequence.size())]


def _leaves(plan: Any) -> dict[int, str]:
    """What the leaves of a plan are, subqueries included, by the id of their first column."""
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
