"""No function of the incremental list gives a time zone to a timestamp or date without one, but those that are told."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from sqlglot import parse_one
from sqlglot.errors import SqlglotError

from headwater.core.schema import Column, Schema
from headwater.core.semantics import definition_session
from headwater.delta.deterministic_functions import NAMED, SCALAR
from headwater.sql.restate import restate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = {"n": "timestamp", "z": "timestamptz", "d": "date", "s": "varchar", "i": "int32", "t": "time"}
VALUES = {
    "n": "TIMESTAMP_NTZ '2026-01-02 23:30:00'", "z": "TIMESTAMP_LTZ '2026-01-02 23:30:00Z'", "d": "DATE '2026-01-02'",
    "s": "'2026-01-02 23:30:00'", "i": "1", "t": "TIME '10:00:00'",
}  # fmt: skip
CALLS = ["({x})", "('DAY', {x})", "({x}, 'CET')"]
LONG_CALLS = [
    "(array({x}))",
    "({x}, 'MM')",
    "({x}, d)",
    "(s, 'yyyy')",
    "({x}, {x}, {x})",
    "(s, {x})",
    "(i, i, i, i, i, i)",
]
# Their result is one moment by definition, or by name.
ZONED = frozenset(
    {"make_timestamp_ltz", "timestamp_micros", "timestamp_millis", "timestamp_seconds", "to_timestamp_ltz"}
)
_ZONE = re.compile(r"\btimestamp\b")


@pytest.fixture
def session(small_spark: SparkSession) -> SparkSession:
    """A session of new definitions, with a row of each type."""
    session = small_spark.newSession()
    for name, value in definition_session().items():
        if name.startswith("spark.sql."):
            session.conf.set(name, value)
    session.sql(f"SELECT {', '.join(f'{value} AS {name}' for name, value in VALUES.items())}").createOrReplaceTempView(
        "r"
    )
    return session


def type_of(session: SparkSession, expression: str) -> str | None:
    """The type of an expression in a definition; None if Spark refuses it."""
    schema = Schema(tuple(Column(name, type, place) for place, (name, type) in enumerate(COLUMNS.items(), 1)))
    try:
        return session.sql(restate(f"SELECT {expression} AS q FROM r", {"r": schema})).schema[0].dataType.simpleString()
    except PySparkException:
        return None


def is_listed(name: str) -> bool:
    """Whether a function of Spark is in the incremental list."""
    if name in NAMED:
        return True
    return any(type(_parsed(f"{name}({given})")).__name__ in SCALAR for given in ("a", "a, b", "HOUR, 1, a"))


def _parsed(call: str) -> object:
    try:
        return parse_one(f"SELECT {call}", read="spark").selects[0]
    except (SqlglotError, AttributeError, IndexError, TypeError, ValueError):  # too few arguments
        return None


def test_every_function_of_the_list_keeps_timestamps_without_a_zone(session: SparkSession) -> None:
    names = [row[0] for row in session.sql("SHOW SYSTEM FUNCTIONS").collect() if row[0].isidentifier()]
    listed = sorted(filter(is_listed, names))
    assert len(listed) > 160
    calls = CALLS + LONG_CALLS if os.environ.get("HEADWATER_LONG") else CALLS
    understood, zoned = set(), set()
    for name in listed:
        for call in calls:
            for x in "nd" if os.environ.get("HEADWATER_LONG") else "n":
                if (found := type_of(session, name + call.format(x=x))) is not None:
                    understood.add(name)
                    zoned |= {name} if _ZONE.search(found) else set()
    assert zoned <= ZONED
    assert {"date_trunc", "from_utc_timestamp", "to_utc_timestamp"} <= understood


@pytest.mark.parametrize("x", list("nzds"))
def test_functions_of_dates_and_times_keep_the_kind_of_their_argument(session: SparkSession, x: str) -> None:
    calls = """
        date_trunc('DAY', {x}) | from_utc_timestamp({x}, 'CET') | to_utc_timestamp({x}, 'CET') | timestampadd(HOUR, 1, {x})
        | dateadd(DAY, 1, {x}) | window({x}, '1 hour').start | session_window({x}, '1 hour').start
        | coalesce(date_trunc('DAY', {x}), {x}) | greatest({x}, timestampadd(HOUR, 1, {x}))
    """
    moments = {type_of(session, call.strip().format(x=x)) for call in calls.split("|")}
    if x == "s":
        # GREATEST compares no string with a timestamp.
        moments.discard(None)
    assert moments == {"timestamp" if x == "z" else "timestamp_ntz"}
    assert {type_of(session, f"{call}({x})") for call in ("timestamp", "to_timestamp", "try_to_timestamp")} == {
        "timestamp_ntz"
    }
    if x != "s":
        assert type_of(session, f"{x} + INTERVAL '1' HOUR") == ("timestamp" if x == "z" else "timestamp_ntz")
    for call in ("trunc({x}, 'MM')", "last_day({x})", "to_date({x})", "date_add({x}, 1)", "add_months({x}, 1)"):
        assert type_of(session, call.format(x=x)) == "date"


def test_what_stays_different_is_as_the_reference_says(session: SparkSession) -> None:
    text = {
        "current_timestamp()": "timestamp",
        "now()": "timestamp",
        "localtimestamp()": "timestamp_ntz",
        "timestamp_seconds(i)": "timestamp",
        "TIMESTAMP '2026-01-02 03:04:05Z'": "timestamp",
        "TIMESTAMP '2026-01-02 03:04:05'": "timestamp_ntz",
        "CAST('2026-01-02 03:04:05+02:00' AS TIMESTAMP)": "timestamp_ntz",
        "CAST(z AS TIMESTAMP)": "timestamp_ntz",
        "make_timestamp(2026, 1, 2, 3, 4, 5, 'CET')": "timestamp_ntz",
        "CAST(i AS TIMESTAMP)": None,
        "coalesce(z, n)": "timestamp",
        "make_timestamp(d, t)": "timestamp_ntz",
        "d + make_dt_interval(0, 1)": "timestamp",
    }
    assert {call: type_of(session, call) for call in text} == text
    texts = ("make_timestamp(2026, 1, 2, 3, 4, 5, 'CET')", "CAST('2026-01-02 03:04:05+02:00' AS TIMESTAMP)")
    found = session.sql(f"SELECT {', '.join(f'CAST({each} AS STRING)' for each in texts)}").collect()
    assert [tuple(row) for row in found] == [("2026-01-02 03:04:05", "2026-01-02 03:04:05")]
