"""Give the elements of a list one type that holds them all exactly, or refuse the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from headwater.core.errors import InvalidRequest

MOST_DIGITS = 38
_NUMBERS = frozenset({"int", "float", "decimal"})
# From here on, DuckDB has UHUGEINT and does not cast to or from other integers.
_UHUGEINT = 2**127


def with_one_type(elements: Sequence[Any], paths: Sequence[str]) -> list[Any]:
    """Encoded elements with one type; an error names the path of the first one that doesn't fit.

    >>> with_one_type([["int", "1"], None, ["decimal", "1.50"]], ["$1[1]", "$1[2]", "$1[3]"])
    [['decimal', '1.00'], None, ['decimal', '1.50']]
    """
    present = [(each, path) for each, path in zip(elements, paths, strict=True) if each is not None]
    kinds = [_kind(each) for each, _ in present]
    if set(kinds) <= _NUMBERS:
        changed = iter(_numbers(present, set(kinds)))
    elif odd := next((place for place, kind in enumerate(kinds) if kind != kinds[0]), None):
        raise _refused(present[odd][1], present[0][1])
    elif kinds[0] == "list":
        changed = _lists(present)
    elif kinds[0] == "dict":
        changed = _dicts(present)
    else:
        return list(elements)
    return [None if each is None else next(changed) for each in elements]


def _kind(value: Any) -> str:
    """The kind of an encoded value; a time with a zone differs from one without."""
    if not isinstance(value, list):
        return type(value).__name__
    kind = str(value[0])
    return f"{kind} with zone" if kind in ("datetime", "time") and _has_zone(value[1]) else kind


def _has_zone(text: str) -> bool:
    clock = text[text.find("T") + 1 :]
    return "+" in clock or "-" in clock


def _numbers(present: Sequence[tuple[Any, str]], kinds: set[str]) -> Iterator[Any]:
    if "float" in kinds:
        return _doubles(present)
    return _decimals(present) if "decimal" in kinds else _integers(present)


def _doubles(present: Sequence[tuple[Any, str]]) -> Iterator[Any]:
    first = next(path for (kind, _), path in present if kind == "float")
    for (kind, text), path in present:
        if kind == "float":
            yield [kind, text]
        elif abs(exact := Decimal(text)) < 2**1023 and Decimal(float(exact)) == exact:
            yield ["float", float(exact).hex()]
        else:
            raise _refused(path, first)


def _decimals(present: Sequence[tuple[Any, str]]) -> Iterator[Any]:
    scale, whole, before = 0, 0, present[0][1]
    for (_, text), path in present:
        digits, _, fraction = text.lstrip("-").partition(".")
        scale, whole = max(scale, len(fraction)), max(whole, len(digits.lstrip("0")))
        if scale + whole > MOST_DIGITS:
            raise _refused(path, before)
    for (_, text), _ in present:
        yield ["decimal", f"{Decimal(text):.{scale}f}"]


def _integers(present: Sequence[tuple[Any, str]]) -> Iterator[Any]:
    for each, path in present:
        if (int(each[1]) >= _UHUGEINT) != (int(present[0][0][1]) >= _UHUGEINT):
            raise _refused(path, present[0][1])
        yield each


def _lists(present: Sequence[tuple[Any, str]]) -> Iterator[Any]:
    inner = [(each, f"{path}[{place}]") for (_, body), path in present for place, each in enumerate(body, 1)]
    changed = iter(with_one_type([each for each, _ in inner], [path for _, path in inner]))
    for (_, body), _ in present:
        yield ["list", [next(changed) for _ in body]]


def _dicts(present: Sequence[tuple[Any, str]]) -> Iterator[Any]:
    names = list(present[0][0][1])
    for (_, body), path in present:
        if set(body) != set(names):
            raise _refused(path, present[0][1])
    columns = [with_one_type([body[name] for (_, body), _ in present], [path for _, path in present]) for name in names]
    for values in zip(*columns, strict=True):
        yield ["dict", dict(zip(names, values, strict=True))]


def _refused(path: str, before: str) -> InvalidRequest:
    return InvalidRequest(
        f"{path} can't be passed in one list with {before}",
        detail="The elements of a list have one type, and none holds both values exactly.",
        hint="Pass elements of one type, or a parameter for each.",
    )
