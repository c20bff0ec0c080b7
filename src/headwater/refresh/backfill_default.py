"""The value of a new column in existing rows, if it is the same in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from headwater.core.errors import HeadwaterError
from headwater.core.schema import Column
from headwater.lake.defaults import check_default
from headwater.lake.values import TableAt
from headwater.plan.nodes import Node
from headwater.plan.origin import ConstantColumn, OfSource, origin

# Types whose SQL literal and catalog default have the same text.
_SAME_TEXT = frozenset({"boolean", "int8", "int16", "int32", "int64", "varchar"})
# Spark has rules of its own for these in a literal.
_ESCAPED = frozenset("\\'\"")


def backfill_default(root: Node, name: str, column: Column, sources: Mapping[str, TableAt]) -> Column | None:
    """The column with its first default: a constant of the query, or that of the source's column; None if it has none."""
    match origin(root, name):
        case ConstantColumn(text=text) if text is None or (column.type in _SAME_TEXT and not _ESCAPED & set(text)):
            first = text
        case OfSource(relation=relation, column=source) if found := sources[relation].schema.find(source):
            first = found.initial_default
        case _:
            return None
    try:
        check_default(replace(column, default=first))
    except HeadwaterError:
        return None
    return replace(column, initial_default=first)
