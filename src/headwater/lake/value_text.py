"""Parse DuckDB's text of a value.

Catalogs store defaults, bounds and inlined rows as text. The parsed values are those that Arrow accepts: dates as days, times
of day and timestamps as microseconds (also for years beyond 9999 and for DuckDB's infinities), maps as pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ctypes import c_float
from decimal import Decimal
from typing import Any
from uuid import UUID

from headwater.core.errors import FeatureRefused
from headwater.core.names import folded
from headwater.core.schema import Column
from headwater.core.types import INTEGERS, decimal_parts

_DATE = r"(-?\d+)-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?"
_DAY = re.compile(rf"{_DATE}( \(BC\))?")
_CLOCK = re.compile(_TIME)
_MOMENT = re.compile(rf"{_DATE}( \(BC\))?[ T]{_TIME}( \(BC\))?(?:Z|([+-]\d\d)(?::?(\d\d))?)?")
_BOOLEANS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
_SECOND = 1_000_000
_DAY_MICROS = 86_400 * _SECOND
_FIRST_MOMENT = -(2**63 - 1)
_LAST_MOMENT = 2**63 - 1
_LAST_DAY = 2**31 - 1


def parse(column: Column, text: str) -> Any:
    """Parse a value of the column's type.

    >>> parse(Column("a", "date"), "1970-01-02")
    1
    >>> parse(Column("l", "list", children=(Column("element", "varchar"),)), "[x, NULL, 'a, b']")
    ['x', None, 'a, b']
    """
    match column.type:
        case "struct":
            return _struct(column, text)
        case "list":
            return [_part(column.children[0], item) for item in _items(text, "[", "]")]
        case "map":
            key, value = column.children
            return [(_part(key, k), _part(value, v)) for k, v in _pairs(text, "=")]
        case _:
            return scalar(column.type, text)


def scalar(type_name: str, text: str) -> Any:
    """Parse a value of a scalar type."""
    if type_name in INTEGERS:
        number = int(text)
        return Decimal(number) if type_name == "uint64" else number
    if decimal_parts(type_name) is not None:
        return Decimal(text)
    match type_name:
        case "varchar" | "json":
            return text
        case "uuid":
            return str(UUID(text))
        case "boolean":
            return _boolean(text)
        case "float32":
            return c_float(float(text)).value
        case "float64":
            return float(text)
        case "date":
            return _days(text)
        case "time":
            return _micros_of_day(text)
        case "timestamp" | "timestamptz" | "timestamp_s" | "timestamp_ms" | "timestamp_ns":
            return _micros(text)
        case "blob":
            return unescape_blob(text)
        case _:
            raise FeatureRefused(
                f'text of type "{type_name}" can\'t be read',
                detail=f"The catalog contains {text!r}.",
                hint="Change the column's type.",
            )


def _boolean(text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise ValueError(f"{text!r} is neither true nor false")
    return _BOOLEANS[text.lower()]


def unescape_blob(text: str) -> bytes:
    r"""Parse DuckDB's text of a BLOB.

    >>> unescape_blob(r'a\x00\x27')
    b"a\x00'"
    """
    parts = re.split(r"\\x([0-9A-Fa-f]{2})", text)
    return b"".join(bytes.fromhex(part) if i % 2 else part.encode() for i, part in enumerate(parts))


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar, for any year.

    >>> days_from_civil(2000, 3, 1)
    11017
    """
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def _days(text: str) -> int:
    if text in ("infinity", "-infinity"):
        return _LAST_DAY if text == "infinity" else -_LAST_DAY
    match = _matched(_DAY, text)
    return _civil(match[1], match[2], match[3], bool(match[4]))


def _civil(year: str, month: str, day: str, before_christ: bool) -> int:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        raise ValueError(f"{year}-{month}-{day} is not a valid date")
    return days_from_civil(1 - int(year) if before_christ else int(year), int(month), int(day))


def _micros_of_day(text: str) -> int:
    match = _matched(_CLOCK, text)
    return _clock(match[1], match[2], match[3], match[4])


def _clock(hours: str, minutes: str, seconds: str, fraction: str | None) -> int:
    micros = int(((fraction or "") + "000000")[:6])
    if int(hours) > 24 or int(minutes) > 59 or int(seconds) > 59:
        raise ValueError(f"{hours}:{minutes}:{seconds} is not a valid time")
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * _SECOND + micros


def _micros(text: str) -> int:
    if text in ("infinity", "-infinity"):
        return _LAST_MOMENT if text == "infinity" else _FIRST_MOMENT
    m = _matched(_MOMENT, text)
    days = _civil(m[1], m[2], m[3], bool(m[4] or m[9]))
    offset = 0
    if m[10]:
        offset = (abs(int(m[10])) * 60 + int(m[11] or 0)) * 60 * _SECOND * (-1 if m[10].startswith("-") else 1)
    return days * _DAY_MICROS + _clock(m[5], m[6], m[7], m[8]) - offset


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text.strip())
    if match is None:
        raise FeatureRefused(
            f"{text!r} is not a date or time in DuckDB's format", hint="Report this as a bug, with the table's DDL."
        )
    return match


def _part(column: Column, item: tuple[str, bool]) -> Any:
    text, quoted = item
    return None if not quoted and text.upper() == "NULL" else parse(column, text)


def _struct(column: Column, text: str) -> dict[str, Any]:
    by_name = {folded(name): item for (name, _), item in _pairs(text, ":")}
    missing = ("NULL", False)
    return {child.name: _part(child, by_name.get(folded(child.name), missing)) for child in column.children}


def _pairs(text: str, between: str) -> Iterator[tuple[tuple[str, bool], tuple[str, bool]]]:
    for raw in _split(_inside(text, "{", "}"), ","):
        key, value = _split(raw, between, most=1)
        yield _unquote(key), _unquote(value)


def _items(text: str, opening: str, closing: str) -> Iterator[tuple[str, bool]]:
    return (_unquote(raw) for raw in _split(_inside(text, opening, closing), ","))


def _inside(text: str, opening: str, closing: str) -> str:
    text = text.strip()
    if not (text.startswith(opening) and text.endswith(closing)):
        raise FeatureRefused(
            f"{text!r} is not a nested value in DuckDB's format", hint="Flush the table's inlined data."
        )
    return text[1:-1]


def _split(text: str, separator: str, most: int | None = None) -> list[str]:
    """Split at separators outside quotes and brackets."""
    if not text.strip():
        return []
    parts: list[str] = []
    start, depth, quoted, at = 0, 0, "", 0
    while at < len(text):
        letter = text[at]
        if quoted:
            at += letter == "\\"
            quoted = "" if letter == quoted else quoted
        elif letter in "'\"":
            quoted = letter
        elif letter in "[{(":
            depth += 1
        elif letter in "]})":
            depth -= 1
        elif letter == separator and depth == 0 and (most is None or len(parts) < most):
            parts.append(text[start:at])
            start = at + 1
        at += 1
    parts.append(text[start:])
    return parts


def _unquote(raw: str) -> tuple[str, bool]:
    """The text without outer spaces, quotes and escapes, and whether it had quotes.

    Nested values keep their quotes, because they are parsed again. DuckDB joins quoted runs: ``'it''s'`` is ``its``.
    """
    text = raw.strip()
    if text[:1] in ("[", "{", "("):
        return text, False
    plain: list[str] = []
    quoted, seen, at = "", False, 0
    while at < len(text):
        letter = text[at]
        if quoted and letter == "\\" and at + 1 < len(text):
            at += 1
            plain.append(text[at])
        elif quoted:
            if letter == quoted:
                quoted = ""
            else:
                plain.append(letter)
        elif letter in "'\"":
            quoted, seen = letter, True
        else:
            plain.append(letter)
        at += 1
    return "".join(plain), seen
