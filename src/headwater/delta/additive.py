"""Aggregates that are updated from changed rows, without reading their groups again.

    COUNT, SUM, AVG    stored value + value over inserted rows − value over deleted rows
    MIN, MAX           the extreme of the stored value and the inserted rows; the group is recomputed if the stored
                       extreme was deleted and no inserted row is as extreme, or if the inserted rows are uncertain

    AVG of integers    as Spark adds them, as floats: exact while the sum of their absolute values is below 2⁵³;
                       a group with a greater sum is recomputed

A group exists while it has rows (n = COUNT(*)), whatever its sums. SUM and AVG are NULL without values (c = COUNT(x)).
Values over deleted rows are subtracted, not multiplied by the weight: Spark rounds such products.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.delta.algebra import W, plain, sql
from headwater.delta.derivation import Derivation, StepKind
from headwater.delta.target_changes import TARGET, Changes, Replace, Swap, target
from headwater.plan.nodes import (
    Aggregate,
    Filter,
    Item,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    UnionAll,
    column,
    replace_node,
)
from headwater.plan.restrict import KeyScan, restrict

_WHOLE = frozenset({"int8", "int16", "int32", "int64"})
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
# Spark's averages of integers are exact below this sum.
_EXACT = 2**53
_AGAIN = "__again"
_SAME = "__same"
# Spark divides a DECIMAL(38, 2) by a count to the six digits of its AVG in one step; other scales would round twice.
_AVERAGED_SCALE = 2
_MOST_DIGITS = 38
_KEPT_SCALE = 6


@dataclass(frozen=True, slots=True)
class Part:
    """A stored value of a group: a column of the aggregate, and the aggregate function that computes it."""

    name: str
    function: str
    value: str
    type: str = "bigint"

    @property
    def extreme(self) -> bool:
        return self.function in ("MIN", "MAX")

    @property
    def text(self) -> str:
        return f"{self.function}({self.value})"

    def over(self, condition: str) -> str:
        """The part over the rows that satisfy a condition."""
        return f"{self.text} FILTER(WHERE {condition})"


@dataclass(frozen=True, slots=True)
class Additive:
    """A grouping whose stored parts are updated from changes; `stored` are the columns of the result that store `needed`.

    `rows` is the part that counts a group's rows, `counts` has the part that counts the values of each sum. `shown` computes
    the query's aggregates from the parts. `bounded` are the parts that must stay below the limit of exact floats.
    """

    core: Aggregate
    parts: tuple[Part, ...]
    rows: str
    counts: Mapping[str, str]
    shown: tuple[Item, ...]
    bounded: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[str, ...]:
        return (*self.core.keys, *(part.name for part in self.parts))

    @property
    def extremes(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.extreme)

    @property
    def may_be_lost(self) -> bool:
        """Whether a group may have to be recomputed."""
        return bool(self.extremes or self.bounded)


def prepare(core: Aggregate, types: Mapping[str, str]) -> Additive | None:
    """The grouping with the state that its updates need; None if an aggregate can't be updated from changes."""
    parts = _Parts(core)
    rows = parts.add("COUNT", "*")
    shown: list[Item] = []
    for name, expression in core.items:
        made = _shown(expression, types, parts)
        if made is None:
            return None
        shown.append((name, sql(made)))
    found = Additive(parts.extended, tuple(parts.found), rows, parts.counts, tuple(shown), tuple(parts.bounded))
    # Without keys, the groups to recompute are unknown.
    return found if core.keys or not found.may_be_lost else None


def changes(rule: Additive, root: Node, derivation: Derivation) -> Changes | None:
    """The changes of the affected groups: their stored parts, merged with the parts over changed rows."""
    core, keys = rule.core, rule.core.keys
    change = derivation.delta(core.input)
    if change is None:
        return None
    partial = derivation.shared(StepKind.PARTIAL, Aggregate(change, keys, _partials(rule)))
    if not keys:
        new = replace_node(root, core, _grouped(rule, _beside(rule, partial, _held_scan(rule))))
        return Replace(tuple(derivation.steps), new, target(root.columns))
    touched = KeyScan(partial)
    held = restrict(_held_scan(rule, FILE_ID, POSITION), {_held(key): key for key in keys}, touched)
    certain = derivation.certain(core.input)
    merged = _beside(rule, partial, derivation.shared(StepKind.HELD, held), FILE_ID, POSITION, certain=certain)
    alive = f"{rule.rows} > 0"
    if not rule.may_be_lost:
        new = replace_node(root, core, _grouped(rule, Filter(merged, sql(f"{alive} AND NOT {_SAME}"))))
        gone = Project(Filter(merged, sql(f"{POSITION} IS NOT NULL AND NOT {_SAME}")), plain((FILE_ID, POSITION)))
        return Swap(tuple(derivation.steps), new, gone)
    found = derivation.shared(StepKind.MERGED, merged)
    again = derivation.shared(StepKind.AGAIN, Project(Filter(found, sql(f"{alive} AND {_AGAIN}")), plain(keys)))
    anew = Aggregate(restrict(core.input, {key: key for key in keys}, KeyScan(again)), keys, core.items)
    followed = _grouped(rule, Filter(found, sql(f"{alive} AND NOT {_AGAIN}")))
    new = UnionAll((replace_node(root, core, followed), replace_node(root, core, anew)), root.columns)
    stored = dict(zip(rule.stored, keys, strict=False))
    return Replace(tuple(derivation.steps), new, restrict(target(root.columns), stored, touched))


class _Parts:
    """The parts that aggregates need; a part that the query selects itself is not added again."""

    def __init__(self, core: Aggregate) -> None:
        self._core = core
        self._asked = {_text(expression): name for name, expression in core.items}
        self.found: list[Part] = []
        self.counts: dict[str, str] = {}
        self.bounded: list[str] = []

    def add(self, function: str, value: str, type: str = "bigint") -> str:
        """Add a part, and return the name of its column."""
        part = Part("", function, value, type)
        known = next((held.name for held in self.found if held.text == part.text), None)
        if known is None:
            known = self._asked.get(_text(sql(part.text)), f"__{function.lower()}_{len(self.found)}")
            self.found.append(Part(known, function, value, type))
        return known

    def add_sum(self, value: str, type: str) -> str:
        name = self.add("SUM", value, type)
        self.counts[name] = self.add("COUNT", value)
        return name

    def add_mean(self, value: str, type: str) -> str:
        """The average of integers from its parts, equal to Spark's."""
        # A 64-bit sum could overflow where Spark's average does not.
        whole = value if type != "int64" else f"CAST({value} AS DECIMAL(20, 0))"
        total = "decimal(30,0)" if type == "int64" else "bigint"
        name = self.add_sum(whole, total)
        self.bounded.append(self.add_sum(f"ABS({whole if type == 'int64' else f'CAST({value} AS BIGINT)'})", total))
        count = self.counts[name]
        return f"CASE WHEN {count} > 0 THEN CAST({name} AS DOUBLE) / {count} END"

    @property
    def extended(self) -> Aggregate:
        own = self._core.columns
        more = tuple((part.name, sql(part.text)) for part in self.found if part.name not in own)
        return Aggregate(self._core.input, self._core.keys, (*self._core.items, *more))


def _shown(expression: exp.Expr, types: Mapping[str, str], parts: _Parts) -> str | None:
    """The aggregate as an expression over its parts, which this function adds."""
    condition = None
    if isinstance(expression, exp.Filter):
        expression, condition = expression.this, expression.expression.this
    argument = expression.this if isinstance(expression, exp.Count | exp.Sum | exp.Avg | exp.Min | exp.Max) else None
    if argument is None or expression.expressions or expression.args.get("distinct"):
        return None
    if not isinstance(argument, exp.Column | exp.Star | exp.Literal):
        return None
    constant = not isinstance(argument, exp.Column)
    value = "1" if constant else argument.sql("spark")
    if condition is not None:
        value = f"CASE WHEN {condition.sql('spark')} THEN {value} END"
    if isinstance(expression, exp.Count):
        return parts.add("COUNT", "*" if value == "1" else value)
    if constant:
        return None
    if isinstance(expression, exp.Min | exp.Max):
        return parts.add(type(expression).__name__.upper(), value, types.get(argument.name, ""))
    total = _total(types.get(argument.name, ""))
    if total is None:
        return None
    if isinstance(expression, exp.Sum):
        return parts.add_sum(value, total)
    if types[argument.name] in _WHOLE:
        return parts.add_mean(value, types[argument.name])
    digits = _DECIMAL.fullmatch(types[argument.name])
    if digits is None or int(digits[2]) != _AVERAGED_SCALE:
        return None
    name = parts.add_sum(value, total)
    mean = f"DECIMAL({min(int(digits[1]) + 4, 38)}, {int(digits[2]) + 4})"
    count = parts.counts[name]
    return f"CASE WHEN {count} > 0 THEN CAST(CAST({name} AS DECIMAL(38, {digits[2]})) / {count} AS {mean}) END"


def _total(type: str) -> str | None:
    """Spark's type of a sum; None if the sum is not exact."""
    if type in _WHOLE:
        return "bigint"
    found = _DECIMAL.fullmatch(type)
    if found is None:
        return None
    digits, scale = int(found[1]) + 10, int(found[2])
    # Addition and subtraction need two more digits. If these exceed the maximum, Spark reduces the scale to six digits.
    exact = scale <= _KEPT_SCALE or max(digits, 10 + scale) + 2 <= _MOST_DIGITS
    return f"decimal({min(digits, _MOST_DIGITS)},{scale})" if exact else None


def _partials(rule: Additive) -> tuple[Item, ...]:
    """The parts over inserted rows minus those over deleted rows; for MIN and MAX, both parts."""
    items: list[Item] = []
    for part in rule.parts:
        came, went = part.over(f"{W} > 0"), part.over(f"{W} < 0")
        if part.extreme:
            items += [(_came(part), sql(came)), (_went(part), sql(went))]
        else:
            items.append((_came(part), sql(f"COALESCE({came}, 0) - COALESCE({went}, 0)")))
    return tuple(items)


def _held_scan(rule: Additive, *more: str) -> Scan:
    """The stored groups of the table."""
    stored = ((_held(need), name) for need, name in zip(rule.needed, rule.stored, strict=True))
    return Scan(TARGET, (*stored, *((name, name) for name in more)))


def _beside(rule: Additive, partial: Scan, held: Scan, *more: str, certain: bool = True) -> Project:
    """The affected groups, each merged with its stored row."""
    keys = rule.core.keys
    tests = [exp.NullSafeEQ(this=column(key), expression=column(_held(key))) for key in keys]
    joined = Join(JoinKind.LEFT, partial, held, exp.and_(*tests, copy=False) if tests else None)
    return Project(joined, (*plain(keys), *_merged(rule, certain=certain), *plain(more)))


def _merged(rule: Additive, *, certain: bool) -> tuple[Item, ...]:
    def summed(part: Part) -> str:
        return f"COALESCE({_held(part.name)}, 0) + {_came(part)}"

    items: dict[str, str] = {}
    for part in rule.parts:
        if part.function == "COUNT":
            broken = "raise_error('error[HW-DT-006]: a group would have fewer than no rows')"
            items[part.name] = f"CASE WHEN {summed(part)} < 0 THEN {broken} ELSE {summed(part)} END"
        elif part.function == "SUM":
            count = next(held for held in rule.parts if held.name == rule.counts[part.name])
            items[part.name] = f"CASE WHEN {summed(count)} > 0 THEN CAST({summed(part)} AS {part.type}) END"
        else:
            more = "LEAST" if part.function == "MIN" else "GREATEST"
            items[part.name] = f"{more}({_held(part.name)}, {_came(part)})"
    items[_SAME] = " AND ".join(f"({items[part.name]}) IS NOT DISTINCT FROM {_held(part.name)}" for part in rule.parts)
    if rule.may_be_lost:
        lost = [f"({_lost(part, certain=certain)})" for part in rule.extremes]
        lost += [f"COALESCE({items[name]}, 0) >= {_EXACT}" for name in rule.bounded]
        items[_AGAIN] = " OR ".join(lost)
    return tuple((name, sql(text)) for name, text in items.items())


def _lost(part: Part, *, certain: bool) -> str:
    """The condition that the stored extreme was deleted and no certain inserted row is as extreme."""
    held, came, went = _held(part.name), _came(part), _went(part)
    within, less = ("<=", ">") if part.function == "MIN" else (">=", "<")
    gone = f"{went} IS NOT NULL AND ({held} IS NULL OR {went} {within} {held})"
    doubt = "" if certain else f" OR {went} {within} {came}"
    return f"{gone} AND ({held} IS NULL OR {came} IS NULL OR {came} {less} {held}{doubt})"


def _grouped(rule: Additive, merged: Node) -> Project:
    """Merged parts as the columns of the grouping."""
    shown = dict(rule.shown)
    return Project(merged, tuple((name, shown.get(name, column(name))) for name in rule.core.columns))


def _held(name: str) -> str:
    return f"__held_{name}"


def _came(part: Part) -> str:
    return f"__came_{part.name}"


def _went(part: Part) -> str:
    return f"__went_{part.name}"


def _text(expression: exp.Expr) -> str:
    return expression.sql("spark")
