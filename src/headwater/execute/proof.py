"""Whether two queries mean the same to Spark: their optimized plans, compared but for what does not matter.

What does not matter: names, projections that only compute, the order of columns inside, which side of an equality stands
first, a join beside a relation of one row against a scalar subquery, a right join against the left join of swapped sides.
Whatever else differs, or is not understood here, counts as different.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame

# Fields of an expression that say how it is named or held, not what it means.
_COSMETIC = frozenset(
    """
    class deterministic evalContext exprId metadata name nonInheritableMetadataKeys nullable num-children qualifier
    queryContext resultId sameOrderExpressions
    """.split()  # noqa: SIM905
)
# Those whose name is what they mean.
_NAMED = frozenset({"GetStructField", "GetArrayStructFields", "PythonUDF", "NamedLambdaVariable"})


# Rules of the optimizer that write down what follows from other conditions, each time in other places.
_NOT_WANTED = ("InferFiltersFromConstraints", "InferWindowGroupLimit", "MergeScalarSubqueries")
# What a session needs whose plans are compared here; the second setting keeps long lists of IN readable.
SETTINGS = {
    "spark.sql.optimizer.excludedRules": ",".join(
        f"org.apache.spark.sql.catalyst.optimizer.{rule}" for rule in _NOT_WANTED
    ),
    "spark.sql.optimizer.inSetConversionThreshold": "1000000",
}
# Expressions that hold more than their JSON tells.
_SECRETIVE = frozenset(
    """
    CsvToStructs InSet JsonToStructs LikeAll LikeAny NotLikeAll NotLikeAny PythonUDF ScalaUDF SchemaOfCsv SchemaOfJson
    StructsToCsv StructsToJson
    """.split()  # noqa: SIM905
)
# Types whose values the JSON writes so that two can't be the same text.
_PLAIN = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "date", "timestamp", "timestamp_ntz"}
)
# Conditions that are never true of NULL.
_COMPARISONS = frozenset(
    {"EqualTo", "GreaterThan", "GreaterThanOrEqual", "LessThan", "LessThanOrEqual", "Like", "StartsWith"}
)


_UNSEEN = re.compile(r"\btry_\w+|\bescape\b")


class _Unknown(Exception):
    """A part of a plan that is not compared here."""


def same_meaning(one: DataFrame, other: DataFrame) -> bool:
    """Whether Spark, having optimized both, would compute the same rows of the same types."""
    types = [[field.dataType for field in frame.schema.fields] for frame in (one, other)]
    if types[0] != types[1]:
        return False
    try:
        return meaning(one) == meaning(other)
    except _Unknown:
        return False


def same_words(one: str, other: str) -> bool:
    """Whether two texts agree in the words that Spark's plans do not show: try_add is an Add to them, ESCAPE is nothing."""
    found = [frozenset(_UNSEEN.findall(text.lower())) for text in (one, other)]
    return found[0] == found[1]


def meaning(frame: DataFrame) -> str:
    """What a query computes, as text."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    found = _Reader(_leaves(plan)).plan(_tree(iter(json.loads(plan.toJSON()))))
    return f"{found.text} -> {', '.join(found.columns)}"


@dataclass(frozen=True, slots=True)
class _Tree:
    kind: str
    held: Mapping[str, Any]
    children: tuple[_Tree, ...]


@dataclass(frozen=True, slots=True)
class _Test:
    """A condition that rows pass, and the values that are not NULL in a row that passes."""

    text: str
    present: frozenset[str] = frozenset()
    only_presence: bool = False


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a relation is, what each of its attributes is, and its columns in order; `single` if it has exactly one row.

    It is an inner join of `parts`, and its rows have passed `tests`: where Spark writes a test, and whether it writes one
    that others imply, does not matter.
    """

    parts: tuple[str, ...]
    attributes: Mapping[int, str]
    columns: tuple[str, ...]
    single: bool = False
    tests: frozenset[_Test] = frozenset()

    @property
    def text(self) -> str:
        return self.beside(frozenset())

    def beside(self, others: frozenset[_Test]) -> str:
        """The relation without the tests that the others make idle."""
        tests = _needed(self.tests, others)
        parts = " x ".join(sorted(self.parts))
        return f"[{parts} where {' and '.join(tests)}]" if tests else f"[{parts}]"

    def padded(self, partner: str) -> _Meaning:
        """The same on the side of a join that may have no row for the other side's: its values are then NULL."""
        known = {id: f"padded({partner}, {value})" for id, value in self.attributes.items()}
        return replace(self, attributes=known, columns=tuple(f"padded({partner}, {value})" for value in self.columns))


def _needed(tests: frozenset[_Test], others: frozenset[_Test] = frozenset()) -> list[str]:
    present = {value for test in tests | others if not test.only_presence for value in test.present}
    return sorted(test.text for test in tests if not (test.only_presence and test.present <= present))


def _tree(nodes: Iterator[Mapping[str, Any]]) -> _Tree:
    held = next(nodes)
    children = tuple(_tree(nodes) for _ in range(held["num-children"]))
    return _Tree(held["class"].rpartition(".")[2], held, children)


def _expression(nodes: list[Mapping[str, Any]]) -> _Tree:
    return _tree(iter(nodes))


def _leaves(plan: Any) -> dict[int, str]:
    """What the leaves of a plan are, subqueries included, by the id of their first column."""
    names: dict[int, str] = {}
    below = plan.subqueriesAll()
    for tree in (plan, *(below.apply(place) for place in range(below.size()))):
        leaves = tree.collectLeaves()
        for place in range(leaves.size()):
            leaf = leaves.apply(place)
            if leaf.output().isEmpty():
                continue
            first = int(leaf.output().apply(0).exprId().id())
            if leaf.nodeName() == "LogicalRDD":
                names[first] = f"relation {leaf.rdd().id()}"
            elif leaf.nodeName() == "LocalRelation" and _has_plain_columns(leaf):
                names[first] = f"rows {leaf.data().toString()}"
    return names


def _has_plain_columns(leaf: Any) -> bool:
    columns = leaf.output()
    kinds = (columns.apply(place).dataType().typeName() for place in range(columns.size()))
    return all(kind in _PLAIN or kind.startswith("decimal") for kind in kinds)


class _Reader:
    def __init__(self, leaves: Mapping[int, str]) -> None:
        self._leaves = leaves
        self._seen: Counter[str] = Counter()

    def plan(self, node: _Tree) -> _Meaning:
        match node.kind:
            case "LogicalRDD" | "LocalRelation" | "OneRowRelation":
                return self._leaf(node)
            case "Project":
                return self._project(node)
            case "Filter":
                below = self.plan(node.children[0])
                tests = self._conjuncts(node.held["condition"], below.attributes)
                return replace(below, tests=below.tests | tests)
            case "Join":
                return self._join(node)
            case "Aggregate":
                return self._aggregate(node)
            case "Window":
                return self._window(node)
            case "Union":
                return self._union(node)
            case "Generate":
                return self._generate(node)
            case "GlobalLimit" | "LocalLimit" | "Offset":
                return self._limit(node)
            case "Sort":
                # Without a limit above it, an order changes nothing that is stored.
                return self.plan(node.children[0])
            case _:
                raise _Unknown(node.kind)

    def _leaf(self, node: _Tree) -> _Meaning:
        output = [_expression(each) for each in node.held.get("output", [])]
        known = self._leaves.get(_id(output[0])) if output else node.kind
        if known is None:
            raise _Unknown(node.kind)
        name = self._numbered(known)
        attributes = {
            _id(attribute): f"{name}.{place}:{attribute.held['dataType']}" for place, attribute in enumerate(output)
        }
        return _Meaning((name,), attributes, tuple(attributes.values()), node.kind == "OneRowRelation")

    def _limit(self, node: _Tree) -> _Meaning:
        (child,) = node.children
        below = self.plan(child)
        # Columns may be computed between the order and the limit.
        while child.kind == "Project":
            (child,) = child.children
        ordered = child.kind == "Sort"
        count = self._any(node.held.get("limitExpr", node.held.get("offsetExpr")), below.attributes)
        order = self._any(child.held["order"], below.attributes) if ordered else ""
        return _Meaning((f"{node.kind}({count}, {order}, {below.text})",), below.attributes, below.columns)

    def _project(self, node: _Tree) -> _Meaning:
        below = self.plan(node.children[0])
        known = dict(below.attributes)
        columns = []
        for each in node.held["projectList"]:
            item = _expression(each)
            meaning = self._value(item, below.attributes)
            known[_id(item)] = meaning
            columns.append(meaning)
        return replace(below, attributes=known, columns=tuple(columns))

    def _join(self, node: _Tree) -> _Meaning:
        kind = _object(node.held["joinType"])
        sides = node.children
        if kind == "RightOuter":
            kind, sides = "LeftOuter", (sides[1], sides[0])
        left = self.plan(sides[0])
        condition = node.held.get("condition")
        # What stands alone is read on its own, as a scalar subquery is: its leaves do not count among the others.
        alone = _Reader(self._leaves).plan(sides[1])
        if alone.single and (kind in ("Inner", "Cross") or (kind == "LeftOuter" and not condition and not alone.tests)):
            return self._beside_one_row(left, alone, condition)
        right = self.plan(sides[1])
        known = {**left.attributes, **right.attributes}
        tests = self._conjuncts(condition, known) if condition else frozenset()
        # Where a side's row needs a partner to count, what the condition compares in it is not NULL anyway.
        second = right.beside(tests) if kind in ("LeftSemi", "LeftOuter", "LeftAnti") else right.text
        if kind == "FullOuter":
            left = left.padded(_hash(left.text))
        if kind in ("FullOuter", "LeftOuter"):
            right = right.padded(_hash(right.text))
            known = {**left.attributes, **right.attributes}
        columns = left.columns if kind in ("LeftSemi", "LeftAnti") else (*left.columns, *right.columns)
        if sides != node.children:
            columns = (*right.columns, *left.columns)
        if kind in ("Inner", "Cross"):
            return _Meaning((*left.parts, *right.parts), known, columns, tests=left.tests | right.tests | tests)
        told = " and ".join(_needed(tests))
        if kind in ("LeftSemi", "LeftAnti"):
            # Both choose among left rows, as a test does: in which order does not matter.
            bare = replace(left, tests=frozenset())
            return _Meaning((f"{kind}({bare.text}, {second}, {told})",), known, columns, tests=left.tests)
        return _Meaning((f"{kind}({left.text}, {second}, {told})",), known, columns)

    def _beside_one_row(self, left: _Meaning, alone: _Meaning, condition: Any) -> _Meaning:
        """Rows beside a single one are rows that know its values."""
        one = replace(alone, tests=frozenset())
        scalars = {id: _scalar(value, one) for id, value in alone.attributes.items()}
        known = {**left.attributes, **scalars}
        tests = self._conjuncts(condition, known) if condition else frozenset()
        if any(not test.only_presence for test in alone.tests):
            raise _Unknown("a single row that may not be there")
        present = {_scalar(value, one) for test in alone.tests for value in test.present}
        renamed = frozenset(_Test(f"IsNotNull({{}}, {value})", frozenset({value}), True) for value in present)
        more = tuple(_scalar(value, one) for value in alone.columns)
        return replace(left, attributes=known, columns=(*left.columns, *more), tests=left.tests | tests | renamed)

    def _numbered(self, name: str) -> str:
        """The name, told apart from others that are the same relation."""
        self._seen[name] += 1
        return f"{name}#{self._seen[name]}"

    def _aggregate(self, node: _Tree) -> _Meaning:
        inner = _Reader(self._leaves)
        below = inner.plan(node.children[0])
        keys = sorted({inner._value(_expression(each), below.attributes) for each in node.held["groupingExpressions"]})
        name = self._numbered(f"group {_hash(f'[{keys}] of {below.text}')}")
        known, columns = {}, []
        for each in node.held["aggregateExpressions"]:
            item = _expression(each)
            value = inner._of_group(item, below.attributes, frozenset(keys), name)
            known[_id(item)] = value
            columns.append(value)
        return _Meaning((name,), known, tuple(columns), not keys)

    def _of_group(self, node: _Tree, known: Mapping[int, str], keys: frozenset[str], group: str) -> str:
        """An expression over groups: keys and aggregates are what it is made of."""
        if node.kind == "Alias":
            return self._of_group(node.children[0], known, keys, group)
        text = self._value(node, known)
        if text in keys or node.kind == "AggregateExpression":
            return f"{group}.{_hash(text)}"
        if node.kind == "AttributeReference":
            raise _Unknown("a column that is no key")
        return _composed(node, [self._of_group(child, known, keys, group) for child in node.children])

    def _window(self, node: _Tree) -> _Meaning:
        below = self.plan(node.children[0])
        known, columns = dict(below.attributes), list(below.columns)
        for each in node.held["windowExpressions"]:
            item = _expression(each)
            known[_id(item)] = meaning = f"window({self._value(item, below.attributes)})"
            columns.append(meaning)
        # Rows that pass a test afterwards are others than those that it was computed over.
        rows = (f"Window({below.text})",)
        return _Meaning(rows, known, tuple(columns))

    def _union(self, node: _Tree) -> _Meaning:
        branches = [self.plan(child) for child in node.children]
        if node.held.get("byName"):
            raise _Unknown("union by name")
        width = len(branches[0].columns)
        told = (f"{branch.text}[{', '.join(branch.columns)}]" for branch in branches)
        rows = (f"Union({', '.join(told)})",)
        name = self._numbered(f"union {_hash(rows[0])}")
        columns = tuple(f"{name}.{place}" for place in range(width))
        # A union's attributes are those of its first branch.
        first = _outputs(node.children[0])
        return _Meaning(rows, dict(zip(first, columns, strict=True)), columns)

    def _generate(self, node: _Tree) -> _Meaning:
        below = self.plan(node.children[0])
        generator = self._value(_expression(node.held["generator"]), below.attributes)
        name = self._numbered(f"generated {_hash(f'{generator} of {below.text}')}")
        known, columns = dict(below.attributes), list(below.columns)
        for place, each in enumerate(node.held["generatorOutput"]):
            known[_id(_expression(each))] = meaning = f"{name}.{place}"
            columns.append(meaning)
        rows = (f"Generate({generator}, {node.held['outer']}, {below.text})",)
        return _Meaning(rows, known, tuple(columns))

    def _conjuncts(self, nodes: list[Mapping[str, Any]], known: Mapping[int, str]) -> frozenset[_Test]:
        return frozenset(self._test(part, known) for part in _flat(_expression(nodes), "And"))

    def _test(self, node: _Tree, known: Mapping[int, str]) -> _Test:
        present: frozenset[str] = frozenset()
        if node.kind in _COMPARISONS or node.kind == "IsNotNull":
            present = frozenset(self._value(child, known) for child in node.children)
        return _Test(self._value(node, known), present, node.kind == "IsNotNull")

    def _any(self, value: Any, known: Mapping[int, str]) -> str:
        if isinstance(value, list) and value and isinstance(value[0], dict) and "num-children" in value[0]:
            return self._value(_expression(value), known)
        if isinstance(value, list):
            return f"[{', '.join(self._any(each, known) for each in value)}]"
        return json.dumps(value, sort_keys=True)

    def _value(self, node: _Tree, known: Mapping[int, str]) -> str:
        """What an expression is, over what its attributes are."""
        match node.kind:
            case "AttributeReference":
                try:
                    return known[_id(node)]
                except KeyError:
                    raise _Unknown(node.held["name"]) from None
            case "Alias":
                return self._value(node.children[0], known)
            case "And" | "Or":
                return _composed(node, sorted({self._value(part, known) for part in _flat(node, node.kind)}))
            case "ScalarSubquery":
                if node.held.get("outerAttrs") or node.children:
                    raise _Unknown("correlated subquery")
                below = _Reader(self._leaves).plan(_tree(iter(node.held["plan"])))
                return _scalar(below.columns[0], below)
            case "ListQuery" | "Exists" | "DynamicPruningSubquery":
                raise _Unknown(node.kind)
        return _composed(node, [self._value(child, known) for child in node.children])


def _composed(node: _Tree, parts: list[str]) -> str:
    """An expression over what its children are."""
    match node.kind:
        case "And" | "Or" | "EqualTo" | "EqualNullSafe":
            return f"{node.kind}({', '.join(sorted(parts))})"
    if node.kind in _SECRETIVE or (node.kind == "Like" and node.held.get("escapeChar") not in ("\\", None)):
        raise _Unknown(node.kind)
    if node.kind == "Literal" and not _is_plain(node):
        raise _Unknown(f"a constant of type {node.held['dataType']}")
    ignored = _COSMETIC - {"name"} if node.kind in _NAMED else _COSMETIC
    if node.kind == "CaseWhen":
        # Its branches are its children, and told there.
        ignored |= {"branches", "elseValue"}
    told = {name: value for name, value in node.held.items() if name not in ignored and not _is_child(value)}
    return f"{node.kind}({', '.join([json.dumps(told, sort_keys=True), *parts])})"


def _is_plain(literal: _Tree) -> bool:
    """Whether the text of a constant is that of no other: NULL and 'null' are written alike, parts of lists without quotes."""
    kind = str(literal.held["dataType"])
    return (
        kind in _PLAIN
        or kind.startswith(("decimal", "interval"))
        or (kind == "string" and literal.held["value"] not in (None, "null"))
    )


def _scalar(value: str, row: _Meaning) -> str:
    """A value of a relation with one row; its leaves are counted apart, so they are hidden here."""
    return f"scalar {_hash(f'{value} of {row.text}')}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _flat(node: _Tree, kind: str) -> Iterator[_Tree]:
    if node.kind != kind:
        yield node
        return
    for child in node.children:
        yield from _flat(child, kind)


def _id(attribute: _Tree) -> int:
    return int(attribute.held["exprId"]["id"])


def _object(value: Mapping[str, Any]) -> str:
    return str(value.get("object") or value.get("product-class")).rpartition(".")[2].rstrip("$")


def _is_child(value: Any) -> bool:
    """Whether a field only says which child it is."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, list) and all(isinstance(v, int) for v in value))


def _outputs(node: _Tree) -> list[int]:
    """The ids of a relation's columns."""
    match node.kind:
        case "Project":
            return [_id(_expression(each)) for each in node.held["projectList"]]
        case "Aggregate":
            return [_id(_expression(each)) for each in node.held["aggregateExpressions"]]
        case "LogicalRDD" | "LocalRelation":
            return [_id(_expression(each)) for each in node.held["output"]]
        case "Join" if _object(node.held["joinType"]) not in ("LeftSemi", "LeftAnti"):
            return [id for child in node.children for id in _outputs(child)]
        case "Window":
            return _outputs(node.children[0]) + [_id(_expression(each)) for each in node.held["windowExpressions"]]
        case "Generate" | "Expand":
            raise _Unknown(node.kind)
        case _:
            return _outputs(node.children[0])
