"""What definitions may use of DuckDB's dialect gives on Spark what DuckDB gives, value for value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from headwater.core.semantics import definition_session
from headwater.sql.bind import bind
from tests.duck import Duck, DuckError
from tests.spark.dialect_cases import EXPRESSIONS, QUERIES, ROWS, OneTable, statements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILURES = (DuckError, PySparkException, Py4JError)
NOW = datetime(2026, 11, 15, tzinfo=UTC)
Row = tuple[Any, ...]


@pytest.fixture
def both(small_spark: SparkSession, duck: Duck) -> Iterator[tuple[Duck, SparkSession]]:
    """DuckDB and Spark, each with the table of values that hurt."""
    duck.batch(statements())
    session = small_spark.newSession()
    for name, value in definition_session().items():
        if name.startswith("spark.sql."):
            session.conf.set(name, value)
    session.createDataFrame(duck.arrow("SELECT * FROM t")).createOrReplaceTempView("hw_source_1")
    yield duck, session
    duck.execute("DROP TABLE memory.main.t")


def test_expressions_have_the_values_that_duckdb_gives(both: tuple[Duck, SparkSession]) -> None:
    found = {text: list(_differences(both, text)) for text in EXPRESSIONS}
    assert {text: rows for text, rows in found.items() if rows} == {}


def test_queries_have_the_rows_that_duckdb_gives(both: tuple[Duck, SparkSession]) -> None:
    found = {}
    for text in QUERIES:
        ours, theirs = Counter(_on_spark(both[1], text)), Counter(_on_duck(both[0], text))
        if ours != theirs:
            found[text] = (ours - theirs, theirs - ours)
    assert found == {}


@pytest.mark.parametrize("text", ["sum(j)", "sum(j * 1)"])
def test_sums_that_spark_can_not_hold_fail(both: tuple[Duck, SparkSession], text: str) -> None:
    query = f"SELECT {text} AS v FROM t WHERE j > 0"
    assert _on_duck(both[0], query)[0][0] > 2**63
    with pytest.raises(FAILURES, match="OVERFLOW"):
        _on_spark(both[1], query)


def _differences(both: tuple[Duck, SparkSession], text: str) -> Iterator[tuple[int, Any, Any]]:
    """The rows for which an expression differs: where DuckDB gives a value, Spark must give the same."""
    duck, spark = both
    query = f"SELECT id, {text} AS v FROM t"
    try:
        theirs, ours = dict(_on_duck(duck, query)), dict(_on_spark(spark, query))
    except FAILURES:
        theirs, ours = {}, {}
        for number in range(ROWS):
            one = f"{query} WHERE id = {number}"
            try:
                theirs[number] = _on_duck(duck, one)[0][1]
            except DuckError:
                continue
            try:
                ours[number] = _on_spark(spark, one)[0][1]
            except FAILURES as error:
                ours[number] = f"fails: {str(error).splitlines()[0][:60]}"
        assert theirs, f"{text} never succeeds in DuckDB"
    for number, value in theirs.items():
        if ours[number] != value:
            yield number, value, ours[number]


def _on_duck(duck: Duck, query: str) -> list[Row]:
    return [tuple(map(_plain, row)) for row in duck.execute(query)]


def _on_spark(spark: SparkSession, query: str) -> list[Row]:
    sql = bind(query, OneTable(), dialect="duckdb").at(NOW)
    table = spark.sql(sql).toArrow()
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return [tuple(map(_plain, row)) for row in rows]


def _plain(value: Any) -> Any:
    """A value as both engines are compared by it: numbers by value, moments in UTC."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case Decimal() if value == value.to_integral_value():
            return int(value)
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
    return value
