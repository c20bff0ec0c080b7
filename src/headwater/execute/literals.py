"""Values and types as Spark SQL. A query as text takes one call to Java; as Column objects, one call for each part."""

from __future__ import annotations

from pyspark.sql import types as t

from headwater.core.names import backquote


def string(text: str) -> str:
    r"""The text as a literal.

    >>> string("it's \\"), string("\n")
    ("'it\\'s \\\\'", "decode(X'0a', 'UTF-8')")
    """
    if text.isprintable():
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"decode(X'{text.encode().hex()}', 'UTF-8')"


def number(value: int) -> str:
    """A BIGINT as a literal. The smallest one has no literal of its own, and is a cast.

    >>> number(5), number(-(2**63))
    ('5L', "CAST('-9223372036854775808' AS BIGINT)")
    """
    return f"{value}L" if value > -(2**63) else f"CAST('{value}' AS BIGINT)"


def type_text(data_type: t.DataType) -> str:
    """The type as CAST takes it.

    >>> type_text(t.ArrayType(t.StructType([t.StructField("a b", t.LongType())])))
    'ARRAY<STRUCT<`a b`: bigint>>'
    """
    match data_type:
        case t.StructType():
            return (
                f"STRUCT<{', '.join(f'{backquote(field.name)}: {type_text(field.dataType)}' for field in data_type)}>"
            )
        case t.ArrayType():
            return f"ARRAY<{type_text(data_type.elementType)}>"
        case t.MapType():
            return f"MAP<{type_text(data_type.keyType)}, {type_text(data_type.valueType)}>"
        case t.TimestampType():
            # The word "timestamp" depends on the session.
            return "timestamp_ltz"
        case _:
            return data_type.simpleString()
