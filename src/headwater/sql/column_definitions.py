"""Column definitions, partition keys and sort keys."""

from __future__ import annotations

from dataclasses import replace

from headwater.core.names import folded
from headwater.core.schema import Column, SortKey
from headwater.sql import expressions
from headwater.sql.cursor import Cursor
from headwater.sql.statements import PartitionKey
from headwater.sql.tokens import TokenKind
from headwater.sql.type_names import parse_type

# The words that can follow a default in a column's definition.
_AFTER_DEFAULT = (
    "NOT",
    "DEFAULT",
    "PRIMARY",
    "UNIQUE",
    "CHECK",
    "REFERENCES",
    "CONSTRAINT",
    "COLLATE",
    "GENERATED",
    "COMMENT",
)
_TABLE_CONSTRAINTS = ("PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT")
_TRANSFORMS = ("year", "month", "day", "hour", "bucket")
_REFUSED = {
    "CONSTRAINT": ("named constraints", "Remove the constraint; a lake supports only NOT NULL."),
    "PRIMARY": ("PRIMARY KEY", "Remove it; a lake does not enforce keys."),
    "UNIQUE": ("UNIQUE", "Remove it; a lake does not enforce keys."),
    "CHECK": ("CHECK", "Remove it; a lake supports only NOT NULL constraints."),
    "FOREIGN": ("FOREIGN KEY", "Remove it; a lake does not enforce keys."),
    "REFERENCES": ("FOREIGN KEY", "Remove it; a lake does not enforce keys."),
    "GENERATED": ("GENERATED", "Compute the column in a view."),
    "AS": ("GENERATED", "Compute the column in a view."),
    "COLLATE": ("COLLATE", "Remove it; a lake compares text byte by byte."),
    "COMMENT": ("COMMENT in a column's definition", "Use COMMENT ON COLUMN."),
}


def parse_column(cursor: Cursor) -> Column:
    """One column: name, type, NULL or NOT NULL, DEFAULT."""
    _refuse(cursor, _TABLE_CONSTRAINTS)
    column = parse_type(cursor, cursor.identifier("column"))
    defaulted = False
    while not (cursor.done or cursor.at_symbol(",", ")")):
        _refuse(cursor, tuple(_REFUSED))
        if cursor.take_words("NOT", "NULL"):
            column = replace(column, nullable=False)
        elif cursor.take_words("NULL"):
            pass
        elif cursor.at_words("DEFAULT"):
            if defaulted:
                raise cursor.syntax("the column has two defaults", hint="Keep one of them.")
            cursor.advance()
            text, is_expression = parse_default(cursor)
            column, defaulted = replace(column, default=text, default_is_expression=is_expression), True
        else:
            raise cursor.unexpected('NOT NULL, DEFAULT or ","')
    return column


def parse_columns(cursor: Cursor) -> tuple[Column, ...]:
    """The columns of CREATE TABLE, in parentheses; names are unique."""
    seen: set[str] = set()

    def one() -> Column:
        start = cursor.here
        column = parse_column(cursor)
        if folded(column.name) in seen:
            raise cursor.syntax(
                f'column "{column.name}" is specified more than once', hint="Rename one of them.", token=start
            )
        seen.add(folded(column.name))
        return column

    return cursor.listed(one)


def parse_default(cursor: Cursor) -> tuple[str | None, bool]:
    """Parse the value of DEFAULT: the text of `Column.default`, and whether it is an expression."""
    return expressions.default(cursor.span("default", lambda: any(cursor.at_words(word) for word in _AFTER_DEFAULT)))


def parse_partition_keys(cursor: Cursor) -> tuple[PartitionKey, ...]:
    """The keys of PARTITIONED BY, in parentheses: a column, or year(c), month(c), day(c), hour(c), bucket(n, c)."""
    return cursor.listed(lambda: _partition_key(cursor))


def parse_sort_keys(cursor: Cursor) -> tuple[SortKey, ...]:
    """The keys of SORTED BY, in parentheses. The dialect decides on the default of NULLS FIRST or LAST."""
    return cursor.listed(lambda: _sort_key(cursor))


def _partition_key(cursor: Cursor) -> PartitionKey:
    start = cursor.here
    if cursor.ahead(1).kind is not TokenKind.SYMBOL or cursor.ahead(1).text != "(":
        return PartitionKey(cursor.identifier("column"))
    name = cursor.identifier("transform").lower()
    if name not in _TRANSFORMS:
        raise cursor.unsupported(
            f'tables can\'t be partitioned by "{name}"', hint=f"Use one of {', '.join(_TRANSFORMS)}.", token=start
        )
    cursor.expect_symbol("(")
    if name == "bucket":
        if (buckets := cursor.integer("number of buckets")) < 1:
            raise cursor.syntax("the number of buckets must be at least 1", hint="bucket(8, column)", token=start)
        name = f"bucket({buckets})"
        cursor.expect_symbol(",")
    key = PartitionKey(cursor.identifier("column"), name)
    cursor.expect_symbol(")")
    return key


def _sort_key(cursor: Cursor) -> SortKey:
    stops = (("ASC",), ("DESC",), ("NULLS", "FIRST"), ("NULLS", "LAST"))
    expression = expressions.sort_expression(
        cursor.span("sort key", lambda: any(cursor.at_words(*words) for words in stops))
    )
    descending = not cursor.take_words("ASC") and cursor.take_words("DESC")
    nulls_first = cursor.dialect == "spark" and not descending
    if cursor.take_words("NULLS", "FIRST"):
        nulls_first = True
    elif cursor.take_words("NULLS", "LAST"):
        nulls_first = False
    return SortKey(expression, descending, nulls_first)


def _refuse(cursor: Cursor, words: tuple[str, ...]) -> None:
    for word in words:
        if cursor.at_words(word):
            what, hint = _REFUSED[word]
            raise cursor.unsupported(f"{what} is not supported", hint=hint)
