"""Queries that nearly mean the same are never called equal, and those that surely do are."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from headwater.execute.equivalence import SETTINGS, same_meaning, same_words
from tests.spark.proof_joined import JOINED_AND_GROUPED
from tests.spark.proof_nested import ORDERED_AND_NESTED, UNSEEN
from tests.spark.proof_same import SAME

COLUMNS = "a INT, b INT, c BIGINT, d DECIMAL(10,2), f DOUBLE, s STRING, m ARRAY<INT>, p STRUCT<x: INT, y: INT>"
RELATIONS = ("t", "u", "v")
DIFFERENT = (*JOINED_AND_GROUPED, *ORDERED_AND_NESTED)


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return bench(spark)


def bench(spark: SparkSession) -> SparkSession:
    """Relations of unknown content, in a session that optimizes as the study of a definition does."""
    made = spark.newSession()
    for name, value in SETTINGS.items():
        made.conf.set(name, value)
    for relation in RELATIONS:
        made.createDataFrame(made.sparkContext.emptyRDD(), COLUMNS).createOrReplaceTempView(relation)
    return made


@pytest.mark.parametrize(("one", "other"), [*DIFFERENT, *(pair for pairs in UNSEEN.values() for pair in pairs)])
def test_queries_that_differ_are_not_called_equal(session: SparkSession, one: str, other: str) -> None:
    assert not _proven(session, one, other)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_queries_that_are_written_otherwise_are_called_equal(session: SparkSession, one: str, other: str) -> None:
    assert _proven(session, one, other)


def test_the_pairs_are_told_apart_by_what_they_are_and_not_for_want_of_understanding(session: SparkSession) -> None:
    """What is not understood is never equal, not even to itself."""
    understood = [pair for pair in DIFFERENT[::4] if all(_is_understood(session, query) for query in pair)]
    assert len(understood) > 0.9 * len(DIFFERENT[::4])


def _proven(session: SparkSession, one: str, other: str) -> bool:
    return same_words(one, other) and same_meaning(session.sql(one), session.sql(other))


def _is_understood(session: SparkSession, query: str) -> bool:
    return same_meaning(session.sql(query), session.sql(query))
