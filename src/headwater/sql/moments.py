"""Whether expressions of a query are timestamps with a time zone, timestamps without one, or dates.

Types are followed by name, not by scope: a name that stands for columns of several kinds has no kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from sqlglot import exp

from headwater.core.schema import Column, Schema
from headwater.sql.table_references import column_parts


class Moment(Enum):
    """The kind of an expression's values, or of the timestamps and dates in them."""

    ZONED = "timestamp with time zone"
    UNZONED = "timestamp without time zone"
    DATE = "date"
    OTHER = "neither a timestamp nor a date"
    UNKNOWN = "unknown"


_TYPES = {"timestamptz": Moment.ZONED, "date": Moment.DATE} | dict.fromkeys(
    ("timestamp", "timestamp_s", "timestamp_ms"), Moment.UNZONED
)
# In sqlglot, Spark's TIMESTAMP is TIMESTAMPTZ; under TIMESTAMP_NTZ it has no time zone.
_CASTS = {
    exp.DType.TIMESTAMPTZ: Moment.UNZONED,
    exp.DType.TIMESTAMPNTZ: Moment.UNZONED,
    exp.DType.TIMESTAMPLTZ: Moment.ZONED,
    exp.DType.DATE: Moment.DATE,
}
_ZONED = frozenset(
    """
    current_timestamp make_timestamp_ltz now timestamp_micros timestamp_millis timestamp_seconds to_timestamp_ltz
    try_make_timestamp_ltz try_to_timestamp_ltz __hw_clock_timestamp __hw_before_clock_timestamp
    """.split()  # noqa: SIM905
)
_UNZONED = frozenset(
    """
    convert_timezone localtimestamp make_timestamp make_timestamp_ntz str_to_time timestamp_from_parts to_timestamp
    to_timestamp_ntz try_make_timestamp try_make_timestamp_ntz try_to_timestamp __hw_clock_local __hw_before_clock_local
    """.split()  # noqa: SIM905
)
_DATES = frozenset(
    """
    add_months current_date date_from_unix_date date_trunc last_day make_date next_day ts_or_ds_add ts_or_ds_to_date
    try_to_date unix_to_date __hw_clock_date __hw_before_clock_date
    """.split()  # noqa: SIM905
)
# Functions with the kind of all their arguments; others have no timestamps unless an argument does.
_SAME = (
    exp.AnyValue, exp.Array, exp.Bracket, exp.Coalesce, exp.Explode, exp.First, exp.FirstValue, exp.Greatest, exp.Lag,
    exp.LastValue, exp.Lead, exp.Least, exp.Max, exp.Min, exp.Nullif, exp.Paren, exp.Posexplode, exp.TimestampTrunc,
)  # fmt: skip


class Moments:
    """The kinds of the expressions of one query over relations.

    >>> from sqlglot import parse_one
    >>> schema = Schema((Column("day", "date", 1), Column("at", "timestamp", 2), Column("seen", "timestamptz", 3)))
    >>> tree = parse_one("SELECT at AS x, max(seen), x + INTERVAL '1' HOUR, date(at) FROM r", dialect="spark")
    >>> [Moments(tree, {"r": schema}).of(each).name for each in tree.selects]
    ['UNZONED', 'ZONED', 'UNZONED', 'DATE']
    """

    def __init__(self, tree: exp.Expr, relations: Mapping[str, Schema]) -> None:
        self._relations = relations
        self._names: defaultdict[str, set[Moment]] = defaultdict(set)
        self._aliases: defaultdict[str, set[str]] = defaultdict(set)
        for table in tree.find_all(exp.Table):
            self._aliases[table.alias_or_name.casefold()].add(table.name)
        for schema in relations.values():
            for column in _all(schema):
                self._names[column.name.casefold()].add(_kind(column))
        # Inner queries first, whose aliases the outer ones use.
        naming = list(tree.find_all(exp.Alias, exp.Lambda, exp.TableAlias, exp.SetOperation))[::-1]
        before = -1
        # Aliases may be of aliases, so their kinds spread until none is new.
        while before != (before := sum(map(len, self._names.values()))):
            for name, kind in self._named(naming):
                if kind is not None:
                    self._names[name.casefold()].add(kind)

    def of(self, node: exp.Expr) -> Moment:
        """The kind of an expression."""
        return self._of(node) or Moment.UNKNOWN

    def _of(self, node: exp.Expr) -> Moment | None:
        """The kind of an expression; None if it depends on names whose kind isn't known yet."""
        match node:
            case exp.Column():
                return self._column(node)
            case exp.Alias() | exp.Window():
                return self._of(node.this)
            case exp.Cast():
                to = _CASTS.get(node.args["to"].this, Moment.OTHER)
                # The literal TIMESTAMP '…Z' has a time zone, CAST('…Z' AS TIMESTAMP) has none.
                literal = not isinstance(node, exp.TryCast) and isinstance(node.this, exp.Literal)
                return Moment.ZONED if literal and to is Moment.UNZONED and has_zone(node.this.name) else to
            case exp.AtTimeZone() | exp.FromTimeZone():
                return self._of(timestamp_argument(node))
            case exp.Case():
                return _joint(self._of(each) for each in (*node.args["ifs"], *_present(node, "default")))
            case exp.If():
                return _joint(self._of(each) for each in (*_present(node, "true"), *_present(node, "false")))
            case exp.Add() | exp.Sub():
                return _sum(self._of(node.this), self._of(node.expression), node)
            case exp.Dot():
                return self._known(node.expression.name)
            case exp.Literal() | exp.Null() | exp.Boolean() | exp.Interval() | exp.Var():
                return Moment.OTHER
            case exp.Identifier():
                # The parameter of a lambda.
                return Moment.UNKNOWN
        name = _name(node)
        for names, kind in ((_ZONED, Moment.ZONED), (_UNZONED, Moment.UNZONED), (_DATES, Moment.DATE)):
            if name in names:
                return kind
        found = _joint(self._of(child) for child in node.iter_expressions())
        if isinstance(node, _SAME):
            return found
        return Moment.UNKNOWN if found is Moment.ZONED else Moment.OTHER if found is Moment.DATE else found

    def _column(self, column: exp.Column) -> Moment | None:
        parts = column_parts(column)
        relations = self._aliases.get(parts[0].name.casefold(), set()) if len(parts) == 2 else set()
        if len(relations) == 1 and (schema := self._relations.get(*relations)):
            found = schema.find(parts[1].name)
            return _kind(found) if found is not None else self._known(parts[1].name)
        return self._known(parts[-1].name)

    def _known(self, name: str) -> Moment | None:
        kinds = self._names.get(name.casefold())
        if not kinds:
            return None
        return Moment.UNKNOWN if Moment.ZONED in kinds and len(kinds) > 1 else _joint(kinds)

    def _named(self, naming: Iterable[exp.Expr]) -> Iterator[tuple[str, Moment | None]]:
        """The names that the query gives, with the kinds of what they stand for."""
        for node in naming:
            match node:
                case exp.Alias():
                    yield node.alias, self._of(node.this)
                case exp.Lambda():
                    yield from ((each.name, Moment.UNKNOWN) for each in node.expressions)
                case exp.TableAlias() if node.columns:
                    kinds = self._columns(node.parent)
                    yield from (
                        (each.name, kinds[place] if place < len(kinds) else Moment.UNKNOWN)
                        for place, each in enumerate(node.columns)
                    )
                case exp.SetOperation():
                    names = node.named_selects
                    yield from zip(names, self._columns(node.expression), strict=False)

    def _columns(self, source: exp.Expr | None) -> list[Moment | None]:
        """The kinds of the columns of something in FROM, as far as they are written."""
        match source:
            case exp.Table() if source.name in self._relations:
                return [_kind(column) for column in self._relations[source.name]]
            case exp.Lateral():
                return [self._of(source.this)] * 8
            case exp.Subquery() | exp.CTE():
                return self._columns(source.this)
            case exp.Query() if not source.is_star:
                return [self._of(each) for each in source.selects]
        return []


def timestamp_argument(node: exp.Expr) -> exp.Expr:
    """The timestamp that date_trunc or from_utc_timestamp gets; sqlglot adds a cast to that of the latter."""
    given: exp.Expr = node.this
    added = (
        isinstance(node, exp.AtTimeZone | exp.FromTimeZone) and type(given) is exp.Cast and "start" not in given.meta
    )
    return given.this if added else given


def has_zone(text: str) -> bool:
    """Whether the text of a timestamp names a time zone, after the time.

    >>> [has_zone(text) for text in ("2026-01-02", "2026-01-02 03:04:05.6", "2026-01-02T03:04Z", "2026-01-02 03:04-02:00")]
    [False, False, True, True]
    """
    _, _, time = text.strip().replace("T", " ", 1).partition(" ")
    return any(not (letter.isdigit() or letter in ":.") for letter in time.strip())


def _sum(left: Moment | None, right: Moment | None, node: exp.Expr) -> Moment | None:
    """The kind of a sum or difference; a date plus a time is a timestamp without time zone, because the date is cast."""
    if left is Moment.DATE and right is Moment.OTHER:
        return Moment.UNZONED if has_time(node.expression) else Moment.DATE
    if isinstance(node, exp.Sub) and right not in (Moment.OTHER, None):
        return Moment.UNKNOWN if Moment.UNKNOWN in (left, right) else Moment.OTHER
    return _joint((left, right))


def has_time(node: exp.Expr) -> bool:
    """Whether an interval has a unit smaller than a day.

    >>> from sqlglot import parse_one
    >>> [has_time(parse_one(f"INTERVAL {each}", read="spark")) for each in ("'1' HOUR", "2 DAYS", "'1 2' DAY TO HOUR")]
    [True, False, True]
    """
    words = " ".join(part.name for part in node.find_all(exp.Literal, exp.Var)).lower().split()
    return any(word.startswith(("hour", "minute", "second", "milli", "micro", "nano")) for word in words)


def _joint(kinds: Iterable[Moment | None]) -> Moment | None:
    """The kind of a value that may be of any of these kinds."""
    found = set(kinds)
    for kind in (Moment.UNKNOWN, None, Moment.ZONED, Moment.UNZONED, Moment.DATE):
        if kind in found:
            return kind
    return Moment.OTHER


def _name(node: exp.Expr) -> str:
    """The name of a function; sqlglot's if it has a class for it."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return type(node).sql_name().lower() if isinstance(node, exp.Func) else ""


def _present(node: exp.Expr, key: str) -> list[exp.Expr]:
    return [node.args[key]] if node.args.get(key) is not None else []


def _all(columns: Iterable[Column]) -> Iterator[Column]:
    for column in columns:
        yield column
        yield from _all(column.children)


def _kind(column: Column) -> Moment:
    """The kind of a column's type, or of the types in it."""
    if column.children:
        kinds = {_kind(child) for child in column.children}
        if Moment.ZONED in kinds and kinds & {Moment.UNZONED, Moment.UNKNOWN}:
            return Moment.UNKNOWN
        return _joint(kinds) or Moment.OTHER
    return _TYPES.get(column.type, Moment.OTHER)
