"""The canonical text of Spark's optimized plans. Plans with equal texts compute the same rows."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.execute.canonical_value import (
    CanonicalConstant,
    Counted,
    Padded,
    composed,
    met,
    negated,
    some,
    widened,
)
from headwater.execute.plan_patterns import asks_for_a_row, constant_rows, counts_rows, ids_in, is_one
from headwater.execute.plan_tree import Tree, Unknown, class_of, expression, flat, id_of, outputs, tree

# Conditions that are never true if an operand is NULL.
_COMPARISONS = frozenset(
    {"EqualTo", "GreaterThan", "GreaterThanOrEqual", "LessThan", "LessThanOrEqual", "Like", "StartsWith"}
)


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on rows, and the values that are not NULL in rows that satisfy it."""

    text: str
    present: frozenset[str] = frozenset()
    only_presence: bool = False


@dataclass(frozen=True, slots=True)
class CanonicalPlan:
    """The canonical texts of a relation, its attributes and its columns; `single` if it has exactly one row.

    The relation is an inner join of `parts`, filtered by `tests`. The text does not depend on where the plan has a test, nor
    on tests that other tests imply.
    """

    parts: tuple[str, ...]
    attributes: Mapping[int, str]
    columns: tuple[str, ...]
    single: bool = False
    tests: frozenset[Test] = frozenset()

    @property
    def text(self) -> str:
        return self.beside(frozenset())

    def beside(self, others: frozenset[Test]) -> str:
        """The text of the relation without the tests that `others` imply."""
        tests = _needed(self.tests, others)
        parts = " x ".join(sorted(self.parts))
        return f"[{parts} where {' and '.join(tests)}]" if tests else f"[{parts}]"

    def padded(self, partner: str) -> CanonicalPlan:
        """The relation as the side of an outer join whose columns may be padded with NULL."""
        known = {id: Padded.of(partner, value) for id, value in self.attributes.items()}
        return replace(self, attributes=known, columns=tuple(Padded.of(partner, value) for value in self.columns))


def _needed(tests: frozenset[Test], others: frozenset[Test] = frozenset()) -> list[str]:
    present = {value for test in tests | others if not test.only_presence for value in test.present}
    return sorted(test.text for test in tests if not (test.only_presence and test.present <= present))


class Reader:
    """Reads the tree of a plan; `leaves` has the texts of its leaves by the id of their first column."""

    def __init__(self, leaves: Mapping[int, str], mark: str = "") -> None:
        self._leaves = leaves
        self._mark = mark
        self._seen: Counter[str] = Counter()

    def plan(self, node: Tree) -> CanonicalPlan:
        """The relation of a node."""
        found = self.branches(node)
        return found[0] if len(found) == 1 else self._together(found)

    def branches(self, node: Tree) -> list[CanonicalPlan]:
        """The relation of a node as branches of a union, such as one branch for each grouping set."""
        match node.kind:
            case "Project":
                return [self._project(node, below) for below in self.branches(node.children[0])]
            case "Filter":
                return self._kept(self.branches(node.children[0]), node.held["condition"])
            case "Expand":
                return [each for below in self.branches(node.children[0]) for each in self._expand(node, below)]
            case "Aggregate":
                return self._aggregate(node)
            case "Join" if class_of(node.held["joinType"]) in ("Inner", "Cross"):
                rows = constant_rows(node.children[1])
                return [self._join(node)] if rows is None else self._beside_rows(node, rows)
            case "Sort":
                # Without a limit above it, an order does not change the stored rows.
                return self.branches(node.children[0])
            case _:
                return [self._relation(node)]

    def _relation(self, node: Tree) -> CanonicalPlan:
        match node.kind:
            case "LogicalRDD" | "LocalRelation" | "OneRowRelation":
                return self._leaf(node)
            case "Join":
                return self._join(node)
            case "Window":
                return self._window(node)
            case "Union":
                return self._union(node)
            case "Generate":
                return self._generate(node)
            case "GlobalLimit" | "LocalLimit" | "Offset":
                return self._limit(node)
            case _:
                raise Unknown(node.kind)

    def _together(self, branches: Sequence[CanonicalPlan]) -> CanonicalPlan:
        """The union of the branches as one relation."""
        ordered = sorted(branches, key=lambda branch: branch.text)
        name = self._numbered(f"union {_hash(str([branch.text for branch in ordered]))}")

        def told(values: Iterable[str]) -> str:
            return f"{name}.{_hash(_each(list(values)))}"

        shared = set.intersection(*(set(branch.attributes) for branch in ordered))
        known = {id: told(branch.attributes[id] for branch in ordered) for id in shared}
        columns = tuple(map(told, zip(*(branch.columns for branch in ordered), strict=True)))
        return CanonicalPlan((name,), known, columns)

    def _kept(self, branches: Sequence[CanonicalPlan], condition: Any) -> list[CanonicalPlan]:
        """The branches filtered by a condition, without those in which it is never true."""
        kept = []
        for below in branches:
            tests = self._conjuncts(condition, below.attributes)
            if not any(isinstance(test.text, CanonicalConstant) for test in tests):
                kept.append(replace(below, tests=below.tests | tests))
        if not kept:
            raise Unknown("a relation without rows")
        return kept

    def _expand(self, node: Tree, below: CanonicalPlan) -> list[CanonicalPlan]:
        ids = outputs(node)
        found = []
        if node.held["projections"] is None:  # of a subquery
            raise Unknown(node.kind)
        for projection in node.held["projections"]:
            values = [self._value(expression(each), below.attributes) for each in projection]
            known = {**below.attributes, **dict(zip(ids, values, strict=True))}
            found.append(replace(below, attributes=known, columns=tuple(values)))
        return found

    def _beside_rows(self, node: Tree, rows: Sequence[Sequence[Tree]]) -> list[CanonicalPlan]:
        """The cross join with constant rows: one branch for each of them."""
        ids = outputs(node.children[1])
        found = []
        for below in self.branches(node.children[0]):
            for row in rows:
                values = [self._value(each, {}) for each in row]
                known = {**below.attributes, **dict(zip(ids, values, strict=True))}
                found.append(replace(below, attributes=known, columns=(*below.columns, *values)))
        condition = node.held.get("condition")
        return self._kept(found, condition) if condition else found

    def _leaf(self, node: Tree) -> CanonicalPlan:
        output = [expression(each) for each in node.held.get("output", [])]
        known = self._leaves.get(id_of(output[0])) if output else node.kind
        if known is None:
            raise Unknown(node.kind)
        name = self._numbered(known)
        attributes = {
            id_of(attribute): f"{name}.{place}:{attribute.held['dataType']}" for place, attribute in enumerate(output)
        }
        return CanonicalPlan((name,), attributes, tuple(attributes.values()), node.kind == "OneRowRelation")

    def _limit(self, node: Tree) -> CanonicalPlan:
        (child,) = node.children
        below = self.plan(child)
        # The plan may compute columns between the sort and the limit.
        while child.kind == "Project":
            (child,) = child.children
        ordered = child.kind == "Sort"
        count = self._any(node.held.get("limitExpr", node.held.get("offsetExpr")), below.attributes)
        order = self._any(child.held["order"], below.attributes) if ordered else ""
        return CanonicalPlan((f"{node.kind}({count}, {order}, {below.text})",), below.attributes, below.columns)

    def _project(self, node: Tree, below: CanonicalPlan) -> CanonicalPlan:
        known = dict(below.attributes)
        columns = []
        for each in node.held["projectList"]:
            item = expression(each)
            meaning = self._value(item, below.attributes)
            known[id_of(item)] = meaning
            columns.append(meaning)
        return replace(below, attributes=known, columns=tuple(columns))

    def _join(self, node: Tree) -> CanonicalPlan:
        kind = class_of(node.held["joinType"])
        sides = node.children
        if kind == "RightOuter":
            kind, sides = "LeftOuter", (sides[1], sides[0])
        left = self.plan(sides[0])
        condition = node.held.get("condition")
        if condition and len(condition) == 1 and condition[0].get("value") == "true":
            condition = None
        if kind == "ExistenceJoin":
            return self._existence(node, left)
        if kind in ("LeftSemi", "LeftAnti") and not condition:
            found = self._some(sides[1])
            return replace(left, tests=left.tests | {Test(found if kind == "LeftSemi" else negated(found))})
        # A separate reader, as for a scalar subquery, so that its leaves are numbered on their own.
        alone = Reader(self._leaves).plan(sides[1])
        if alone.single and (kind in ("Inner", "Cross") or (kind == "LeftOuter" and not condition and not alone.tests)):
            return self._beside_one_row(left, alone, condition)
        if kind == "LeftOuter" and sides == node.children and condition:
            flagged = self._flagged(left, sides[1], condition)
            if flagged is not None:
                return flagged
        right = self.plan(sides[1])
        known = {**left.attributes, **right.attributes}
        tests = self._conjuncts(condition, known) if condition else frozenset()
        # Only rows that satisfy the condition matter on this side. Tests for NOT NULL that the condition implies are left out.
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
            return CanonicalPlan((*left.parts, *right.parts), known, columns, tests=left.tests | right.tests | tests)
        told = " and ".join(_needed(tests))
        if kind in ("LeftSemi", "LeftAnti"):
            # A semi or anti join filters the left rows, as a test does; filters commute.
            bare = replace(left, tests=frozenset())
            return CanonicalPlan((f"{kind}({bare.text}, {second}, {told})",), known, columns, tests=left.tests)
        return CanonicalPlan((f"{kind}({left.text}, {second}, {told})",), known, columns)

    def _some(self, node: Tree) -> str:
        """The text of an uncorrelated EXISTS."""
        while node.kind in ("GlobalLimit", "LocalLimit") and is_one(expression(node.held["limitExpr"])):
            (node,) = node.children
        return some(_hash(Reader(self._leaves).plan(node).text))

    def _existence(self, node: Tree, left: CanonicalPlan) -> CanonicalPlan:
        """The left rows with a flag for whether the other side has a matching row."""
        flag = id_of(expression(node.held["joinType"]["exists"]))
        below = self._inside().plan(node.children[1])
        known = {**left.attributes, **below.attributes}
        condition = node.held.get("condition")
        tests = self._conjuncts(condition, known) if condition else frozenset()
        found = met(_partner(below, tests))
        return replace(left, attributes={**left.attributes, flag: found}, columns=(*left.columns, found))

    def _flagged(self, left: CanonicalPlan, side: Tree, condition: Any) -> CanonicalPlan | None:
        """A left join with distinct keys and a constant on all of the keys, read as EXISTS; None if it is another join."""
        projects = []
        while side.kind == "Project":
            projects.append(side.held["projectList"])
            (side,) = side.children
        if side.kind != "Aggregate":
            return None
        inner = self._inside()
        below = inner.plan(side.children[0])
        keys = {inner._value(expression(each), below.attributes) for each in side.held["groupingExpressions"]}
        known, columns = below.attributes, below.columns
        for items in (side.held["aggregateExpressions"], *reversed(projects)):
            made = {id_of(item): inner._value(item, known) for item in map(expression, items)}
            known, columns = made, tuple(made.values())
        flags = {value for value in columns if isinstance(value, CanonicalConstant) and value.value is not None}
        both = {**left.attributes, **known}
        tests = self._conjuncts(condition, both)
        tied = {
            both[id_of(key)]
            for part in flat(expression(condition), "And")
            if part.kind in ("EqualTo", "EqualNullSafe")
            for key, other in (map(widened, part.children), map(widened, part.children[::-1]))
            if key.kind == "AttributeReference" and id_of(key) in known and ids_in(other) <= left.attributes.keys()
        }
        if not flags or keys != tied or not set(columns) <= keys | flags:
            return None
        right = CanonicalPlan((), known, columns).padded(_partner(below, tests))
        known = {**left.attributes, **right.attributes}
        return replace(left, attributes=known, columns=(*left.columns, *right.columns))

    def _inside(self) -> Reader:
        """A reader for the inner relation of EXISTS, whose names differ from those of the outer relations."""
        return Reader(self._leaves, f"{self._mark}inner ")

    def _beside_one_row(self, left: CanonicalPlan, alone: CanonicalPlan, condition: Any) -> CanonicalPlan:
        """The join with a relation of one row, read as rows with scalar subqueries."""
        one = replace(alone, tests=frozenset())
        scalars = {id: _scalar(value, one) for id, value in alone.attributes.items()}
        known = {**left.attributes, **scalars}
        tests = self._conjuncts(condition, known) if condition else frozenset()
        if any(not test.only_presence for test in alone.tests):
            raise Unknown("a single row that may not be there")
        present = {_scalar(value, one) for test in alone.tests for value in test.present}
        renamed = frozenset(Test(f"IsNotNull({{}}, {value})", frozenset({value}), True) for value in present)
        more = tuple(_scalar(value, one) for value in alone.columns)
        return replace(left, attributes=known, columns=(*left.columns, *more), tests=left.tests | tests | renamed)

    def _numbered(self, name: str) -> str:
        """The name with a number, which differs for each use of the same relation."""
        self._seen[name] += 1
        return f"{self._mark}{name}#{self._seen[name]}"

    def _aggregate(self, node: Tree) -> list[CanonicalPlan]:
        inner = Reader(self._leaves)
        grouping = [expression(each) for each in node.held["groupingExpressions"]]
        found = [
            (below, tuple(inner._value(key, below.attributes) for key in grouping))
            for below in inner.branches(node.children[0])
        ]
        # Branches with different constants for the same key share no group.
        columns = zip(*(keys for _, keys in found), strict=True)
        places = [
            place for place, each in enumerate(columns) if all(isinstance(key, CanonicalConstant) for key in each)
        ]
        apart: dict[tuple[int | None, ...], list[tuple[CanonicalPlan, tuple[str, ...]]]] = {}
        for below, keys in sorted(found, key=lambda each: (each[0].text, each[1])):
            told = tuple(key.value for place in places if isinstance(key := keys[place], CanonicalConstant))
            apart.setdefault(told, []).append((below, keys))
        return [self._group(node, inner, branches) for branches in apart.values()]

    def _group(
        self, node: Tree, inner: Reader, branches: Sequence[tuple[CanonicalPlan, tuple[str, ...]]]
    ) -> CanonicalPlan:
        """The groups of a union of branches."""
        values = [set(each) for each in zip(*(keys for _, keys in branches), strict=True)]
        told = [_each(each) for each in zip(*(keys for _, keys in branches), strict=True)]
        # A constant key adds no groups, but with any key, an empty relation has no group.
        keys = sorted({text for text, each in zip(told, values, strict=True) if not _is_constant(each)})
        rows = _each([below.text for below, _ in branches])
        kept = keys or ["constant"] if told else []
        name = self._numbered(f"group {_hash(f'[{kept}] of {rows}')}")
        known, columns = {}, []
        for each in node.held["aggregateExpressions"]:
            item = expression(each)
            value = inner._of_group(item, [below.attributes for below, _ in branches], frozenset(keys), name)
            if not told and len(branches) == 1 and counts_rows(item):
                value = Counted.of(value, _hash(rows))
            known[id_of(item)] = value
            columns.append(value)
        return CanonicalPlan((name,), known, tuple(columns), not told)

    def _of_group(self, node: Tree, known: Sequence[Mapping[int, str]], keys: frozenset[str], group: str) -> str:
        """The text of an expression over groups, composed of keys and aggregates."""
        if node.kind == "Alias":
            return self._of_group(node.children[0], known, keys, group)
        values = [self._value(node, each) for each in known]
        if _is_constant(set(values)):
            return values[0]
        text = _each(values)
        if text in keys or node.kind == "AggregateExpression":
            return f"{group}.{_hash(text)}"
        if node.kind == "AttributeReference":
            raise Unknown("a column that is no key")
        return composed(node, [self._of_group(child, known, keys, group) for child in node.children])

    def _window(self, node: Tree) -> CanonicalPlan:
        below = self.plan(node.children[0])
        known, columns = dict(below.attributes), list(below.columns)
        for each in node.held["windowExpressions"]:
            item = expression(each)
            known[id_of(item)] = meaning = f"window({self._value(item, below.attributes)})"
            columns.append(meaning)
        # The text includes the tests below, because window functions don't commute with filters.
        rows = (f"Window({below.text})",)
        return CanonicalPlan(rows, known, tuple(columns))

    def _union(self, node: Tree) -> CanonicalPlan:
        branches = [self.plan(child) for child in node.children]
        if node.held.get("byName"):
            raise Unknown("union by name")
        width = len(branches[0].columns)
        told = (f"{branch.text}[{', '.join(branch.columns)}]" for branch in branches)
        rows = (f"Union({', '.join(told)})",)
        name = self._numbered(f"union {_hash(rows[0])}")
        columns = tuple(f"{name}.{place}" for place in range(width))
        # A union has the attributes of its first branch.
        first = outputs(node.children[0])
        return CanonicalPlan(rows, dict(zip(first, columns, strict=True)), columns)

    def _generate(self, node: Tree) -> CanonicalPlan:
        below = self.plan(node.children[0])
        generator = self._value(expression(node.held["generator"]), below.attributes)
        name = self._numbered(f"generated {_hash(f'{generator} of {below.text}')}")
        known, columns = dict(below.attributes), list(below.columns)
        for place, each in enumerate(node.held["generatorOutput"]):
            known[id_of(expression(each))] = meaning = f"{name}.{place}"
            columns.append(meaning)
        rows = (f"Generate({generator}, {node.held['outer']}, {below.text})",)
        return CanonicalPlan(rows, known, tuple(columns))

    def _conjuncts(self, nodes: list[Mapping[str, Any]], known: Mapping[int, str]) -> frozenset[Test]:
        tests = frozenset(self._test(part, known) for part in flat(expression(nodes), "And"))
        return frozenset(test for test in tests if not (isinstance(test.text, CanonicalConstant) and test.text.value))

    def _test(self, node: Tree, known: Mapping[int, str]) -> Test:
        present: frozenset[str] = frozenset()
        if node.kind in _COMPARISONS or node.kind == "IsNotNull":
            present = frozenset(self._value(child, known) for child in node.children)
        return Test(self._value(node, known), present, node.kind == "IsNotNull")

    def _any(self, value: Any, known: Mapping[int, str]) -> str:
        if isinstance(value, list) and value and isinstance(value[0], dict) and "num-children" in value[0]:
            return self._value(expression(value), known)
        if isinstance(value, list):
            return f"[{', '.join(self._any(each, known) for each in value)}]"
        return json.dumps(value, sort_keys=True)

    def _value(self, node: Tree, known: Mapping[int, str]) -> str:
        """The text of an expression over the texts of its attributes."""
        match node.kind:
            case "AttributeReference":
                try:
                    return known[id_of(node)]
                except KeyError:
                    raise Unknown(node.held["name"]) from None
            case "Alias":
                return self._value(node.children[0], known)
            case "And" | "Or":
                return composed(node, [self._value(part, known) for part in flat(node, node.kind)])
            case "ScalarSubquery":
                if node.held.get("outerAttrs") or node.children:
                    raise Unknown("correlated subquery")
                below = Reader(self._leaves).plan(tree(iter(node.held["plan"])))
                return _scalar(below.columns[0], below)
            case "IsNull" | "IsNotNull" if asks_for_a_row(node.children[0]):
                found = self._some(tree(iter(node.children[0].held["plan"])))
                return found if node.kind == "IsNotNull" else negated(found)
            case "ListQuery" | "Exists" | "DynamicPruningSubquery":
                raise Unknown(node.kind)
        return composed(node, [self._value(child, known) for child in node.children])


def _scalar(value: str, row: CanonicalPlan) -> str:
    """The text of a value of a one-row relation. It is hashed, because that relation numbers its leaves separately."""
    found = f"scalar {_hash(f'{value} of {row.text}')}"
    return Counted.of(found, value.rows) if isinstance(value, Counted) and not row.tests else found


def _partner(rows: CanonicalPlan, tests: frozenset[Test]) -> str:
    """The text of the inner rows and the condition of an EXISTS."""
    return _hash(f"{rows.beside(tests)} on {_needed(tests)}")


def _is_constant(values: set[str]) -> bool:
    return len(values) == 1 and all(isinstance(value, CanonicalConstant) for value in values)


def _each(values: Sequence[str]) -> str:
    """The text of a value that has these texts in the branches of a union."""
    return values[0] if len(values) == 1 else f"each({', '.join(values)})"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
