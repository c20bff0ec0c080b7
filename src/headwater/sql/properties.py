"""The properties of a dynamic table: one table from which parsing, canonical text, ALTER and the documentation follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from headwater.core.errors import Position, SqlError
from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.core.refresh_record import RefreshMode
from headwater.sql.column_definitions import parse_partition_keys
from headwater.sql.cursor import Cursor, short
from headwater.sql.dynamic_freshness import (
    LONGEST_DAYS,
    largest_unit,
    parse_refresh,
    parse_schedule,
    parse_target_lag,
)
from headwater.sql.parse_names import parse_names
from headwater.sql.query import QUERY_DIALECTS
from headwater.sql.render_names import Quotes, quote_of, render_name, render_partition_keys
from headwater.sql.statements import ObjectName, PartitionKey
from headwater.sql.tokens import TokenKind

T = TypeVar("T", bound=str)
LARGEST_PRIORITY = 999_999_999


class Initialize(StrEnum):
    """When a table gets its first rows."""

    ON_CREATE = "ON_CREATE"
    ON_SCHEDULE = "ON_SCHEDULE"


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties of a definition; None means not given."""

    freshness: Freshness | None = None
    refresh_mode: RefreshMode | None = None
    initialize: Initialize | None = None
    deduplication: bool | None = None
    cardinality_threshold: float | None = None
    warehouse: str | None = None
    comment: str | None = None
    data_retention_days: int | None = None
    priority: int | None = None
    auto_compact: bool | None = None
    # The tables of AFTER, and their position in the statement.
    after: tuple[ObjectName, ...] | None = None
    dialect: str | None = None
    partitioned_by: tuple[PartitionKey, ...] | None = None
    cluster_by: tuple[str, ...] | None = None
    after_position: Position | None = field(default=None, compare=False)

    def given(self) -> dict[str, Any]:
        """The values that are given, by field."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.compare}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Property:
    """A property as SQL names it, and the field of `Properties` that it fills.

    `render` gives the canonical text of a value, None if another property of the field has it. `values`, `default` and
    `meaning` are for the documentation.
    """

    name: str
    field: str
    parse: Callable[[Cursor], object]
    render: Callable[[Any, Quotes], str | None]
    values: str
    meaning: str
    default: str | None = None
    aliases: tuple[str, ...] = ()
    # Whether "=" may stand before the value.
    equals: bool = True
    # Whether ALTER can change it, and whether a change needs new data files.
    settable: bool = True
    rewrites_files: bool = False


def parse_properties(cursor: Cursor) -> Properties:
    """Parse the properties up to AS or the end, each at most once, with or without commas between them."""
    given: dict[str, Any] = {}
    names: dict[str, str] = {}
    comma = False
    while comma or not (cursor.done or cursor.at_words("AS")):
        start = cursor.here
        name = _parse_name(cursor)
        found = BY_NAME[name]
        if found.field in names:
            both = (
                f"{names[found.field]} and {name} can't be combined"
                if names[found.field] != name
                else f"{name} is specified more than once"
            )
            raise cursor.syntax(both, hint="Keep one of them.", token=start)
        names[found.field] = name
        if found.equals:
            cursor.take_symbol("=")
        if found.field == "after":
            given["after_position"] = cursor.position
        given[found.field] = found.parse(cursor)
        comma = cursor.take_symbol(",")
    return Properties(**given)


def parse_property_names(cursor: Cursor) -> tuple[str, ...]:
    """The canonical names of the properties that UNSET lists."""
    names: list[str] = []
    while not names or cursor.take_symbol(","):
        start = cursor.here
        name = BY_NAME[_parse_name(cursor)].name
        if name in names:
            raise cursor.syntax(f"{name} is specified more than once", hint="Keep one of them.", token=start)
        names.append(name)
    return tuple(names)


def render_properties(properties: Properties, quotes: Quotes) -> list[str]:
    """The canonical text of the given properties.

    >>> render_properties(Properties(freshness=TargetLag(300), priority=3), Quotes("duckdb"))
    ["TARGET_LAG = '5 minutes'", 'PRIORITY = 3']
    """
    given = properties.given()
    texts = ((each, each.render(given[each.field], quotes)) for each in PROPERTIES if each.field in given)
    return [f"{each.name} {'= ' if each.equals else ''}{text}" for each, text in texts if text is not None]


def _parse_name(cursor: Cursor) -> str:
    for name in BY_NAME:
        if cursor.take_words(*name.split()):
            return name
    if cursor.at_words("SELECT") or cursor.at_words("WITH"):
        raise cursor.syntax("AS is missing before the query", hint="Write AS SELECT ….")
    if cursor.here.kind is not TokenKind.WORD or cursor.at_words("AS"):
        raise cursor.unexpected("a property")
    raise _unknown(cursor)


def _unknown(cursor: Cursor) -> SqlError:
    word = cursor.here.text
    close = get_close_matches(word.upper(), BY_NAME, n=1)
    meant = f"Did you mean {close[0]}? " if close else ""
    return cursor.unsupported(
        f'property "{short(word)}" is not known', hint=f"{meant}The properties are {', '.join(BY_NAME)}."
    )


# Parsers and renderers of values


def _choice(name: str, choices: Sequence[T]) -> Callable[[Cursor], T]:
    """A parser for one of these words, quoted or not, in any case."""
    by_word = {choice.upper(): choice for choice in choices}

    def parse_choice(cursor: Cursor) -> T:
        found = by_word.get(cursor.here.text.strip().upper())
        if found is None:
            raise _refused(cursor, name, f"Use {', '.join(choices[:-1])} or {choices[-1]}.")
        cursor.advance()
        return found

    return parse_choice


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
    """Names of tables in one string, separated by commas."""
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


def _render_target_lag(freshness: Freshness, _quotes: Quotes) -> str | None:
    match freshness:
        case TargetLag(seconds):
            number, unit = largest_unit(seconds)
            return f"'{number} {unit.lower()}{'s' if number > 1 else ''}'"
        case Downstream():
            return "DOWNSTREAM"
        case _:
            return None


def _render_refresh(freshness: Freshness, _quotes: Quotes) -> str | None:
    match freshness:
        case Interval(seconds, start_at):
            start = "" if start_at is None else f"START WITH TIMESTAMP '{start_at.isoformat(sep=' ')}' "
            number, unit = largest_unit(seconds)
            return f"{start}INTERVAL {number} {unit}"
        case OnDemand():
            return "ON DEMAND"
        case _:
            return None


def _render_schedule(freshness: Freshness, quotes: Quotes) -> str | None:
    return quotes.string(freshness.expression) if isinstance(freshness, Cron) else None


def _render_plain(value: object, _quotes: Quotes) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


def _render_text(value: str, quotes: Quotes) -> str:
    return quotes.string(value)


def _render_name(value: str, quotes: Quotes) -> str:
    return quotes.name(value)


def _render_after(names: tuple[ObjectName, ...], quotes: Quotes) -> str:
    # Names within the string are quoted in one way, whatever the dialect around it.
    return quotes.string(", ".join(render_name(name, quote_of("duckdb")) for name in names))


def _render_partition_keys(keys: tuple[PartitionKey, ...], quotes: Quotes) -> str:
    return f"({render_partition_keys(keys, quotes.name)})"


def _render_columns(columns: tuple[str, ...], quotes: Quotes) -> str:
    return f"({', '.join(map(quotes.name, columns))})"


# In the order of the canonical text.
PROPERTIES: tuple[Property, ...] = (
    Property(
        "TARGET_LAG",
        "freshness",
        parse_target_lag,
        _render_target_lag,
        "`'5 minutes'`, DOWNSTREAM",
        "the lag that the table may have, or refreshed when a table that reads it is",
    ),
    Property(
        "REFRESH",
        "freshness",
        parse_refresh,
        _render_refresh,
        "`INTERVAL 1 HOUR`, ON DEMAND",
        "refreshed at an interval, or on request only",
        default="ON DEMAND",
        equals=False,
    ),
    Property("SCHEDULE", "freshness", parse_schedule, _render_schedule, "`'*/5 * * * *'`", "refreshed by cron, in UTC"),
    Property(
        "REFRESH_MODE",
        "refresh_mode",
        _choice("REFRESH_MODE", tuple(RefreshMode)),
        _render_plain,
        "AUTO, FULL, INCREMENTAL",
        "AUTO refreshes incrementally if that is possible and cheaper; INCREMENTAL refuses a query that can't be refreshed "
        "incrementally, with the reason",
        default="AUTO",
    ),
    Property(
        "INITIALIZE",
        "initialize",
        _choice("INITIALIZE", tuple(Initialize)),
        _render_plain,
        "ON_CREATE, ON_SCHEDULE",
        "ON_CREATE fills the table before the statement returns, and creates nothing if that fails; with ON_SCHEDULE the "
        "first refresh fills it, and reading it earlier is an error",
        default="ON_CREATE",
        settable=False,
    ),
    Property(
        "DEDUPLICATION",
        "deduplication",
        _truth("DEDUPLICATION"),
        _render_plain,
        "TRUE, FALSE",
        "stored without effect: rows equal to the stored ones are never written. `deduplication_ratio` in the history is the "
        "share of such rows",
    ),
    Property(
        "CARDINALITY_THRESHOLD",
        "cardinality_threshold",
        _threshold,
        _render_plain,
        "0 to 1",
        "if the sources have more inserted and deleted rows than this share of their rows, the refresh is full; an updated "
        "row counts twice",
        default="0.3",
    ),
    Property(
        "WAREHOUSE",
        "warehouse",
        _warehouse,
        _render_name,
        "a warehouse",
        "where it is refreshed; unknown names are refused",
        default="DEFAULT",
        aliases=("VCLUSTER",),
    ),
    Property(
        "COMMENT", "comment", lambda cursor: cursor.string("comment"), _render_text, "text", "shown by SHOW CREATE"
    ),
    Property(
        "DATA_RETENTION_TIME_IN_DAYS",
        "data_retention_days",
        _whole("DATA_RETENTION_TIME_IN_DAYS", LONGEST_DAYS),
        _render_plain,
        f"0 to {LONGEST_DAYS:,}",
        "minimum retention of the lake's snapshots",
    ),
    Property(
        "PRIORITY",
        "priority",
        _whole("PRIORITY", LARGEST_PRIORITY),
        _render_plain,
        f"0 to {LARGEST_PRIORITY:,}",
        "tables with a higher priority start first within a pass",
        default="0",
    ),
    Property(
        "AUTO_COMPACT",
        "auto_compact",
        _truth("AUTO_COMPACT"),
        _render_plain,
        "TRUE, FALSE",
        "whether maintenance compacts the table without naming it",
        default="TRUE",
    ),
    Property(
        "AFTER",
        "after",
        _after,
        _render_after,
        "`'table'`, `'table, schema.table'`",
        "tables that must be up to date first",
    ),
    Property(
        "DIALECT",
        "dialect",
        _choice("DIALECT", QUERY_DIALECTS),
        _render_plain,
        ", ".join(QUERY_DIALECTS),
        "dialect of the query",
        default=QUERY_DIALECTS[0],
        settable=False,
    ),
    Property(
        "PARTITIONED BY",
        "partitioned_by",
        parse_partition_keys,
        _render_partition_keys,
        "`(column)`, `(year(c))`, month, day, hour, `bucket(8, c)`",
        "how its files are split",
        equals=False,
        settable=False,
        rewrites_files=True,
    ),
    Property(
        "CLUSTER BY",
        "cluster_by",
        _cluster_keys,
        _render_columns,
        "`(column, …)`",
        "how rows are sorted within files",
        equals=False,
        settable=False,
        rewrites_files=True,
    ),
)
# Also by their aliases.
BY_NAME = {name: each for each in PROPERTIES for name in (each.name, *each.aliases)}
