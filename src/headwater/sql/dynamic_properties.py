"""The properties of a dynamic table, in any order."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from headwater.core.errors import SqlError
from headwater.core.refresh_record import RefreshMode
from headwater.sql.column_definitions import parse_partition_keys
from headwater.sql.cursor import Cursor, short
from headwater.sql.dynamic_freshness import LONGEST_DAYS, parse_refresh, parse_schedule, parse_target_lag
from headwater.sql.dynamic_statements import Properties
from headwater.sql.parse_names import parse_names
from headwater.sql.statements import ObjectName
from headwater.sql.tokens import TokenKind

INITIALIZE = ("ON_CREATE", "ON_SCHEDULE")
QUERY_DIALECTS = ("spark", "duckdb", "snowflake")


def parse_properties(cursor: Cursor) -> Properties:
    """All properties up to AS or the end, each at most once, with or without commas between them."""
    given: dict[str, Any] = {}
    names: dict[str, str] = {}
    comma = False
    while comma or not (cursor.done or cursor.at_words("AS")):
        start = cursor.here
        name = _property_name(cursor)
        field, parse_value = _PROPERTIES[name]
        if field in names:
            both = (
                f"{names[field]} and {name} can't be combined"
                if names[field] != name
                else f"{name} is specified more than once"
            )
            raise cursor.syntax(both, hint="Keep one of them.", token=start)
        names[field] = name
        if name not in _WITHOUT_EQUALS:
            cursor.take_symbol("=")
        if field == "after":
            given["after_position"] = cursor.position
        given[field] = parse_value(cursor)
        comma = cursor.take_symbol(",")
    return Properties(**given)


def parse_property_names(cursor: Cursor) -> tuple[str, ...]:
    """The canonical names of the properties that UNSET lists."""
    names: list[str] = []
    while not names or cursor.take_symbol(","):
        start = cursor.here
        name = _property_name(cursor)
        name = "WAREHOUSE" if name == "VCLUSTER" else name
        if name in names:
            raise cursor.syntax(f"{name} is specified more than once", hint="Keep one of them.", token=start)
        names.append(name)
    return tuple(names)


def _property_name(cursor: Cursor) -> str:
    for name in _PROPERTIES:
        if cursor.take_words(*name.split()):
            return name
    if cursor.at_words("SELECT") or cursor.at_words("WITH"):
        raise cursor.syntax("AS is missing before the query", hint="Write AS SELECT ….")
    if cursor.here.kind is not TokenKind.WORD or cursor.at_words("AS"):
        raise cursor.unexpected("a property")
    raise _unknown(cursor)


def _unknown(cursor: Cursor) -> SqlError:
    word = cursor.here.text
    close = get_close_matches(word.upper(), _PROPERTIES, n=1)
    meant = f"Did you mean {close[0]}? " if close else ""
    return cursor.unsupported(
        f'property "{short(word)}" is not known', hint=f"{meant}The properties are {', '.join(_PROPERTIES)}."
    )


def _choice(name: str, choices: tuple[str, ...]) -> Callable[[Cursor], str]:
    """One of some words, quoted or not, in the case of `choices`."""
    by_word = {choice.upper(): choice for choice in choices}

    def parse_choice(cursor: Cursor) -> str:
        found = by_word.get(cursor.here.text.strip().upper())
        if found is None:
            raise _refused(cursor, name, f"Use {', '.join(choices[:-1])} or {choices[-1]}.")
        cursor.advance()
        return found

    return parse_choice


def _refresh_mode(cursor: Cursor) -> RefreshMode:
    return RefreshMode(_choice("REFRESH_MODE", tuple(RefreshMode))(cursor))


def _truth(name: str) -> Callable[[Cursor], bool]:
    parse_word = _choice(name, ("TRUE", "FALSE"))
    return lambda cursor: parse_word(cursor) == "TRUE"


def _whole(name: str, largest: int) -> Callable[[Cursor], int]:
    def parse_whole(cursor: Cursor) -> int:
        token = cursor.here
        is_whole = (
            token.kind is TokenKind.NUMBER and token.text.isascii() and token.text.isdigit() and len(token.text) <= 9
        )
        if not is_whole or int(token.text) > largest:
            raise _refused(cursor, name, f"Use a whole number from 0 to {largest}.")
        return int(cursor.advance().text)

    return parse_whole


def _threshold(cursor: Cursor) -> float:
    start = cursor.here
    before = "." if cursor.take_symbol(".") else ""
    token = cursor.here
    try:
        number = float(before + token.text) if token.kind is TokenKind.NUMBER else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise cursor.syntax(
            f'CARDINALITY_THRESHOLD can\'t be "{short(before + token.text)}"',
            hint="Use a fraction of the rows from 0 to 1, such as 0.3.",
            token=start,
        )
    cursor.advance()
    return number


def _warehouse(cursor: Cursor) -> str:
    if cursor.take_words("DEFAULT"):
        return "default"
    is_text = cursor.here.kind is TokenKind.STRING and cursor.here.text
    name = cursor.advance().text if is_text else cursor.identifier("warehouse")
    return "default" if name.lower() == "default" else name


def _cluster_keys(cursor: Cursor) -> tuple[str, ...]:
    return cursor.listed(lambda: cursor.identifier("column"))


def _after(cursor: Cursor) -> tuple[ObjectName, ...]:
    """Names of tables in one string, with commas between them."""
    token = cursor.here
    hint = "Use the names of tables in quotes, such as 'shop.load, shop.other'."
    if token.kind is not TokenKind.STRING:
        raise _refused(cursor, "AFTER", hint)
    try:
        names = parse_names(token.text)
    except SqlError as error:
        raise cursor.syntax(f'AFTER can\'t be "{short(token.text)}"', detail=f"{error.message}.", hint=hint) from error
    if len(set(names)) < len(names):
        raise cursor.syntax("AFTER names a table more than once", hint="Keep one of them.")
    cursor.advance()
    return names


def _refused(cursor: Cursor, name: str, hint: str) -> SqlError:
    if cursor.done:
        return cursor.unexpected(f"the value of {name}")
    return cursor.syntax(f'{name} can\'t be "{short(cursor.here.text)}"', hint=hint)


# Each property by its name: the field of `Properties` that it fills, and how its value is parsed.
_PROPERTIES: dict[str, tuple[str, Callable[[Cursor], object]]] = {
    "TARGET_LAG": ("freshness", parse_target_lag),
    "REFRESH": ("freshness", parse_refresh),
    "SCHEDULE": ("freshness", parse_schedule),
    "REFRESH_MODE": ("refresh_mode", _refresh_mode),
    "INITIALIZE": ("initialize", _choice("INITIALIZE", INITIALIZE)),
    "DEDUPLICATION": ("deduplication", _truth("DEDUPLICATION")),
    "CARDINALITY_THRESHOLD": ("cardinality_threshold", _threshold),
    "WAREHOUSE": ("warehouse", _warehouse),
    "VCLUSTER": ("warehouse", _warehouse),
    "PARTITIONED BY": ("partitioned_by", parse_partition_keys),
    "CLUSTER BY": ("cluster_by", _cluster_keys),
    "COMMENT": ("comment", lambda cursor: cursor.string("comment")),
    "DATA_RETENTION_TIME_IN_DAYS": ("data_retention_days", _whole("DATA_RETENTION_TIME_IN_DAYS", LONGEST_DAYS)),
    "PRIORITY": ("priority", _whole("PRIORITY", 999_999_999)),
    "AUTO_COMPACT": ("auto_compact", _truth("AUTO_COMPACT")),
    "AFTER": ("after", _after),
    "DIALECT": ("dialect", _choice("DIALECT", QUERY_DIALECTS)),
}
_WITHOUT_EQUALS = ("REFRESH", "PARTITIONED BY", "CLUSTER BY")
