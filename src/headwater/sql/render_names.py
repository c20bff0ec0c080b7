"""Render names with the quotes of a dialect."""

from __future__ import annotations

from collections.abc import Callable

from headwater.core.names import backquote, quote
from headwater.sql.statements import ObjectName, PartitionKey, SchemaName

Quote = Callable[[str], str]


class Quotes:
    """How a dialect quotes names and strings.

    >>> Quotes("spark").name("a`b"), Quotes("duckdb").string("it's")
    ('`a``b`', "'it''s'")
    """

    def __init__(self, dialect: str) -> None:
        self.name = quote_of(dialect)
        self.string = _doubled if dialect == "duckdb" else _backslashed


def quote_of(dialect: str) -> Quote:
    """The function that quotes a name in the dialect.

    >>> quote_of("spark")("a`b")
    '`a``b`'
    """
    return quote if dialect == "duckdb" else backquote


def render_name(name: ObjectName | SchemaName, quoted: Quote = quote) -> str:
    """The name with all its parts.

    >>> render_name(ObjectName("orders", "shop"))
    '"shop"."orders"'
    """
    schema = name.schema if isinstance(name, ObjectName) else None
    return ".".join(quoted(part) for part in (name.catalog, schema, name.name) if part is not None)


def render_partition_keys(keys: tuple[PartitionKey, ...], quoted: Quote = quote) -> str:
    """The keys in the syntax of PARTITIONED BY, without parentheses.

    >>> render_partition_keys((PartitionKey("a"), PartitionKey("b", "bucket(8)")))
    '"a", bucket(8, "b")'
    """
    return ", ".join(_partition_key(key, quoted) for key in keys)


def _partition_key(key: PartitionKey, quoted: Quote) -> str:
    if key.transform == "identity":
        return quoted(key.column)
    name, _, rest = key.transform.partition("(")
    return f"{name}({rest.removesuffix(')') + ', ' if rest else ''}{quoted(key.column)})"


def _doubled(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _backslashed(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
