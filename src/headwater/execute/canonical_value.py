"""The canonical text of Spark's expressions, which does not depend on their names.

Operands can be constant, for example in a branch for one grouping set or in rows without a partner in a join. This module
folds such operands, because the two plans that are compared may express the same value differently.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.execute.plan_tree import Tree, Unknown

# Fields of an expression that do not affect its value.
_COSMETIC = frozenset(
    """
    class deterministic evalContext exprId metadata name nonInheritableMetadataKeys nullable num-children qualifier
    queryContext resultId sameOrderExpressions
    """.split()  # noqa: SIM905
)
# Expressions whose name affects their value.
_NAMED = frozenset({"GetStructField", "GetArrayStructFields", "PythonUDF", "NamedLambdaVariable"})
# Expressions with fields that their JSON lacks.
_SECRETIVE = frozenset(
    """
    CsvToStructs InSet JsonToStructs LikeAll LikeAny NotLikeAll NotLikeAny PythonUDF ScalaUDF SchemaOfCsv SchemaOfJson
    StructsToCsv StructsToJson
    """.split()  # noqa: SIM905
)
# Types whose different values have different texts in JSON.
PLAIN = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "date", "timestamp", "timestamp_ntz"}
)
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    "EqualTo": operator.eq,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqual": operator.ge,
    "LessThan": operator.lt,
    "LessThanOrEqual": operator.le,
}


class CanonicalConstant(str):
    """The text of NULL, a boolean or an integer."""

    __slots__ = ("type", "value")
    value: int | None
    type: str

    @classmethod
    def of(cls, value: int | None, type: str) -> CanonicalConstant:
        """The constant with the same text as a literal of Spark; the text of NULL does not depend on the type."""
        told = str(bool(value)).lower() if type == "boolean" else str(value)
        text = "NULL" if value is None else _text("Literal", {"dataType": type, "value": told}, ())
        made = cls(text)
        made.value, made.type = value, type
        return made


class Padded(str):
    """The text of a value that is NULL in rows without a partner in an outer join."""

    __slots__ = ("partner", "value")
    partner: str
    value: str

    @classmethod
    def of(cls, partner: str, value: str) -> Padded:
        """The value of the partner, or NULL."""
        made = cls(f"padded({partner}, {value})")
        made.partner, made.value = partner, value
        return made


class Counted(str):
    """The text of the number of rows of a relation."""

    __slots__ = ("rows",)
    rows: str

    @classmethod
    def of(cls, text: str, rows: str) -> Counted:
        """The text, marked as the number of rows of the relation `rows`."""
        made = cls(text)
        made.rows = rows
        return made


def some(rows: str) -> str:
    """The text of EXISTS over rows."""
    return f"some({rows})"


def met(partner: str) -> str:
    """The text of whether a row has the partner."""
    return f"met({partner})"


def negated(condition: str) -> str:
    """The text of NOT of a condition."""
    return _text("Not", {}, [condition])


def composed(node: Tree, parts: Sequence[str]) -> str:
    """The text of an expression over the texts of its children."""
    found = _known(node, parts)
    if found is not None:
        return found
    if node.kind == "CaseWhen":
        # The field of branches repeats the children.
        return _case(parts)
    match node.kind:
        case "EqualTo" | "EqualNullSafe":
            return f"{node.kind}({', '.join(sorted(parts))})"
    if node.kind in _SECRETIVE or (node.kind == "Like" and node.held.get("escapeChar") not in ("\\", None)):
        raise Unknown(node.kind)
    if node.kind == "Literal" and not _is_plain(node):
        raise Unknown(f"a constant of type {node.held['dataType']}")
    ignored = _COSMETIC - {"name"} if node.kind in _NAMED else _COSMETIC
    if node.kind == "AggregateExpression":
        # The field of the filter repeats a child.
        ignored |= {"filter"}
    told = {name: value for name, value in node.held.items() if name not in ignored and not _is_child(value)}
    return _text(node.kind, told, parts)


def _text(kind: str, told: Mapping[str, Any], parts: Sequence[str]) -> str:
    return f"{kind}({', '.join([json.dumps(told, sort_keys=True), *parts])})"


def _known(node: Tree, parts: Sequence[str]) -> str | None:
    """The folded text of an expression; None if its operands don't allow it."""
    match node.kind, parts:
        case "Literal", _:
            return _constant(node)
        case (("And" | "Or"), _):
            return _junction(node.kind, parts)
        case "If", [CanonicalConstant() as condition, yes, no]:
            return yes if condition.value else no
        case "If", [condition, CanonicalConstant(value=None), Padded() as no] if condition == negated(met(no.partner)):
            return no
        case "IsNull", [CanonicalConstant() as known]:
            return _truth(known.value is None)
        case "IsNotNull", [CanonicalConstant() as known]:
            return _truth(known.value is not None)
        case "IsNull", [Padded(value=CanonicalConstant(value=int())) as padded]:
            return negated(met(padded.partner))
        case "IsNotNull", [Padded(value=CanonicalConstant(value=int())) as padded]:
            return met(padded.partner)
        case "Not", [CanonicalConstant() as known]:
            return _truth(None if known.value is None else not known.value)
        case "In", [CanonicalConstant(value=None), *_]:
            return _truth(None)
        case "In", [CanonicalConstant() as known, *listed] if all(
            isinstance(each, CanonicalConstant) for each in listed
        ):
            return _in(known, listed)
        case "Coalesce", _:
            return _first(parts)
        case "Cast", [CanonicalConstant() as known]:
            return _cast(known, node.held["dataType"])
        case "ShiftRight", [CanonicalConstant(value=int(one)) as known, CanonicalConstant(value=int(other))] if (
            one >= 0 <= other < 32
        ):
            return CanonicalConstant.of(one >> other, known.type)
        case "BitwiseAnd", [CanonicalConstant(value=int(one)) as known, CanonicalConstant(value=int(other))]:
            return CanonicalConstant.of(one & other, known.type)
        case "GreaterThan", [Counted() as counted, CanonicalConstant(value=0)]:
            return some(counted.rows)
        case "LessThanOrEqual", [Counted() as counted, CanonicalConstant(value=0)]:
            return negated(some(counted.rows))
        case kind, [CanonicalConstant(value=int(one)), CanonicalConstant(value=int(other))] if kind in _COMPARED:
            return _truth(_COMPARED[kind](one, other))
        case kind, [CanonicalConstant(value=None), _] | [_, CanonicalConstant(value=None)] if kind in _COMPARED:
            return _truth(None)
    return None


def _truth(value: bool | None) -> CanonicalConstant:
    return CanonicalConstant.of(value, "boolean")


def _constant(node: Tree) -> CanonicalConstant | None:
    value, type = node.held["value"], str(node.held["dataType"])
    if value is None:
        return CanonicalConstant.of(None, type)
    if type == "boolean":
        return _truth(value == "true")
    return CanonicalConstant.of(int(value), type) if type in _BITS else None


def _junction(kind: str, parts: Sequence[str]) -> str:
    """AND or OR without neutral and duplicate operands, or the constant that decides it."""
    neutral, deciding = _truth(kind == "And"), _truth(kind == "Or")
    left = sorted({part for part in parts if part != neutral})
    if deciding in left:
        return deciding
    return f"{kind}({', '.join(left)})" if len(left) > 1 else left[0] if left else neutral


def _in(known: CanonicalConstant, listed: Sequence[str]) -> CanonicalConstant:
    values = [each.value for each in listed if isinstance(each, CanonicalConstant)]
    return _truth(True if known.value in values else None if None in values else False)


def _first(parts: Sequence[str]) -> str | None:
    """COALESCE without constant NULLs; None if nothing changes."""
    left = [part for part in parts if part != CanonicalConstant.of(None, "")]
    if not left or len(left) == len(parts):
        return None if left else CanonicalConstant.of(None, "")
    return left[0] if len(left) == 1 or isinstance(left[0], CanonicalConstant) else _text("Coalesce", {}, left)


def _cast(known: CanonicalConstant, type: str) -> CanonicalConstant | None:
    if known.value is None:
        return CanonicalConstant.of(None, type)
    if known.type not in _BITS or type not in _BITS:
        return None
    most = 1 << (_BITS[type] - 1)
    return CanonicalConstant.of(known.value, type) if -most <= known.value < most else None


def _case(parts: Sequence[str]) -> str:
    """CASE without branches that are never taken, and without those after a branch that is always taken."""
    left: list[str] = []
    otherwise: str = parts[-1] if len(parts) % 2 else CanonicalConstant.of(None, "")
    for condition, value in zip(parts[::2], parts[1::2], strict=False):
        if not isinstance(condition, CanonicalConstant):
            left += [condition, value]
        elif condition.value:
            otherwise = value
            break
    return _text("CaseWhen", {}, [*left, otherwise]) if left else otherwise


def widened(node: Tree) -> Tree:
    """The operand of a cast from an integer column to a wider type, which keeps values distinct; else the node itself."""
    if node.kind != "Cast" or node.children[0].kind != "AttributeReference":
        return node
    bits = [_BITS.get(str(each.held["dataType"]), 0) for each in (node.children[0], node)]
    return node.children[0] if 0 < bits[0] <= bits[1] else node


def _is_plain(literal: Tree) -> bool:
    """Whether no other constant of its type has the same text, as in lists, whose elements have no quotes."""
    kind = str(literal.held["dataType"])
    return kind in PLAIN or kind.startswith(("decimal", "interval")) or kind == "string"


def _is_child(value: Any) -> bool:
    """Whether a field only has the indexes of children."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, list) and all(isinstance(v, int) for v in value))
