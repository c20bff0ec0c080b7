"""The engine finds correlated scalar subqueries in Spark's plans."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from headwater.execute import spark_engine

VALUE = "(SELECT max(b) FROM u WHERE u.a = t.a)"


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    made = spark.newSession()
    for relation in ("t", "u"):
        made.createDataFrame(made.sparkContext.emptyRDD(), "a INT, b INT").createOrReplaceTempView(relation)
    return made


@pytest.mark.parametrize(
    ("query", "correlated"),
    [
        ("SELECT a FROM t", False),
        ("SELECT (SELECT max(b) FROM u) FROM t", False),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", False),
        ("SELECT a FROM t WHERE a IN (SELECT (SELECT max(b) FROM t) FROM u)", False),
        (f"SELECT {VALUE} FROM t", True),
        (f"SELECT a FROM t WHERE b > {VALUE}", True),
        (f"WITH c AS (SELECT {VALUE} AS m FROM t) SELECT m FROM c UNION ALL SELECT b FROM u", True),
        (f"SELECT a FROM u WHERE a IN (SELECT {VALUE} FROM t)", True),
        (f"SELECT (SELECT max({VALUE}) FROM t)", True),
        ("SELECT (SELECT first(v) FROM LATERAL (SELECT t.a AS v)) FROM t", True),
    ],
)
def test_a_scalar_subquery_is_correlated_if_it_reads_columns_of_the_query_around_it(
    session: SparkSession, query: str, correlated: bool
) -> None:
    assert spark_engine._has_correlated_value(session.sql(query)) is correlated
