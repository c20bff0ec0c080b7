"""The name of a table as a user writes it."""

from __future__ import annotations

from headwater.core.names import TableName, quote
from headwater.core.reserved import RESERVED


def display_name(name: TableName) -> str:
    """The name with quotes only where SQL needs them.

    >>> display_name(TableName("shop", "orders")), display_name(TableName("main", "Order")), display_name(TableName("a.b", "1"))
    ('shop.orders', 'main."Order"', '"a.b"."1"')
    """
    return ".".join(map(_quoted_if_needed, (name.schema, name.name)))


def _quoted_if_needed(part: str) -> str:
    plain = part.isascii() and part.isidentifier() and part.lower() not in RESERVED
    return part if plain else quote(part)
