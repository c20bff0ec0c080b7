"""Values of parameters as literals of Spark."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.classic.column import Column as ClassicColumn

from headwater.core.errors import InvalidRequest


def parameter_literals(session: SparkSession, parameters: Mapping[str, Any]) -> list[Column] | dict[str, Column] | None:
    """The arguments of `session.sql`: a list if the names are 1, 2, …; None if there are no parameters."""
    if not parameters:
        return None
    literals = {name: _literal(session, value) for name, value in parameters.items()}
    if all(name.isdigit() for name in literals):
        return [literals[str(place)] for place in range(1, len(literals) + 1)]
    return literals


def _literal(session: SparkSession, value: Any) -> Column:
    match value:
        case bool():
            return f.lit(value)
        case int() if not -(2**63) <= value < 2**63:
            return f.lit(Decimal(value))
        case UUID():
            return f.lit(str(value))
        case datetime(tzinfo=None):
            # PySpark would read it in the time zone of the machine.
            return _java(session, "LocalDateTime", value.isoformat())
        case date() if not isinstance(value, datetime):
            return _java(session, "LocalDate", value.isoformat())
        case list():
            _refuse_mixture(value)
            return f.array(*(_literal(session, each) for each in value))
        case dict():
            return f.struct(*(_literal(session, each).alias(name) for name, each in value.items()))
        case _:
            return f.lit(value)


def _refuse_mixture(values: list[Any]) -> None:
    """Refuse a list that needs casts to one type of its elements, which Spark allows in queries only."""
    if None in values or len({_type_key(value) for value in values}) > 1:
        raise InvalidRequest(
            "a list for Spark has values of one type and none that is None",
            hint="Write array(?, ?) with a parameter for each value.",
        )


def _type_key(value: Any) -> object:
    match value:
        case bool():
            return bool
        case int():
            return int, next((bits for bits in (31, 63) if -(2**bits) <= value < 2**bits), 127)
        case Decimal():
            parts = value.as_tuple()
            return Decimal, len(parts.digits), parts.exponent
        case _:
            return type(value)


def _java(session: SparkSession, class_name: str, text: str) -> Column:
    jvm: Any = session._jvm
    parsed = getattr(jvm.java.time, class_name).parse(text)
    return ClassicColumn(getattr(jvm, "org.apache.spark.sql.functions").lit(parsed))
