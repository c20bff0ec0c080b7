"""Values of parameters: bound, never written into the text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

import headwater
from headwater.core.errors import (
    DefinitionRefused,
    InvalidRequest,
    Position,
    QueryFailed,
    SqlUnsupported,
)
from headwater.service.lake import Lake
from tests.duck import Duck

HOSTILE = "'; DROP TABLE t; -- $1 ? \" é\n"
MOMENT = datetime(2024, 2, 29, 23, 59, 59, 123456)
EAST = timezone(timedelta(hours=5, minutes=30))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with headwater.connect(tmp_path_factory.mktemp("parameters")) as lake:
        lake.sql("CREATE TABLE t (a INTEGER, b VARCHAR); INSERT INTO t VALUES (1, 'x'), (2, NULL)")
        yield lake


@pytest.mark.parametrize(
    ("value", "type_name"),
    [
        (None, '"NULL"'),
        (True, "BOOLEAN"),
        (7, "INTEGER"),
        (2**63 - 1, "BIGINT"),
        (-(2**127), "HUGEINT"),
        (0.1, "DOUBLE"),
        (float("-inf"), "DOUBLE"),
        (Decimal("1.50"), "DECIMAL(3,2)"),
        (Decimal("-0.001"), "DECIMAL(4,3)"),
        (Decimal("9" * 38), "DECIMAL(38,0)"),
        ("", "VARCHAR"),
        (HOSTILE, "VARCHAR"),
        (b"\0\xff'", "BLOB"),
        (date(1, 1, 1), "DATE"),
        (time(1, 2, 3, 4), "TIME"),
        (MOMENT, "TIMESTAMP"),
        (UUID(int=2**127 + 5), "UUID"),
        ([1, None, 3], "INTEGER[]"),
        ([], '"NULL"[]'),
        ([[Decimal("1.1")], None], "DECIMAL(2,1)[][]"),
        (
            {"a b": 1, "c": [date(2024, 1, 1)], "d": {"e": HOSTILE}},
            'STRUCT("a b" INTEGER, c DATE[], d STRUCT(e VARCHAR))',
        ),
    ],
    ids=repr,
)
def test_a_value_keeps_its_type(lake: Lake, value: object, type_name: str) -> None:
    result = lake.sql("SELECT $1 AS v, typeof($1) AS t", params=[value])
    ((found, found_type),) = result.rows
    assert (str(found) if isinstance(value, UUID) else found) == (str(value) if isinstance(value, UUID) else value)
    assert found_type == type_name


def test_a_moment_with_a_zone_is_that_moment_and_nan_stays_nan(lake: Lake) -> None:
    ((moment, kind, nan),) = lake.sql(
        "SELECT $at, typeof($at), isnan($nan)", params={"at": MOMENT.replace(tzinfo=EAST), "nan": float("nan")}
    ).rows
    assert (moment, kind, nan) == (MOMENT.replace(tzinfo=EAST).astimezone(UTC), "TIMESTAMP WITH TIME ZONE", True)


def test_intervals_and_the_largest_integers_are_those_of_duckdb(lake: Lake) -> None:
    given = [timedelta(days=2, seconds=3, microseconds=4), 2**128 - 1]
    text = "SELECT typeof($1), $1 = INTERVAL '2 days 3.000004 seconds', typeof($2), $2::VARCHAR"
    assert lake.sql(text, params=given).rows == (("INTERVAL", True, "UHUGEINT", str(2**128 - 1)),)


def test_values_of_numpy_and_pandas_are_those_of_python(lake: Lake) -> None:
    given = [
        np.int64(5),
        np.float64(0.5),
        np.array([1, 2]),
        pd.Timestamp(MOMENT),
        pd.NaT,
        pd.NA,
        Decimal("1E+5"),
        (1, 2),
    ]
    (row,) = lake.sql(f"SELECT {', '.join('?' * len(given))}", params=given).rows
    assert row == (5, 0.5, [1, 2], MOMENT, None, None, Decimal("100000"), [1, 2])


NAN = float("nan")
LEAST = Decimal("1E-38")
DAY = datetime(2024, 1, 1)


@pytest.mark.parametrize(
    ("value", "text", "type_name"),
    [
        (np.datetime64("2024-01-01T00:00:00.000001", "ns"), "2024-01-01 00:00:00.000001", "TIMESTAMP"),
        (np.datetime64("1969-12-31T23:59:59.999999", "ns"), "1969-12-31 23:59:59.999999", "TIMESTAMP"),
        (np.datetime64("2024-01-01T01", "h"), "2024-01-01 01:00:00", "TIMESTAMP"),
        (np.datetime64("2024-02-29"), "2024-02-29", "DATE"),
        (np.datetime64("NaT", "ns"), None, '"NULL"'),
        (np.timedelta64(-2000, "ns"), "-1 day 23:59:59.999998", "INTERVAL"),
        (pd.Timedelta("1us"), "00:00:00.000001", "INTERVAL"),
        (pd.Series([DAY, pd.NaT]).astype("M8[ns]").values[0], "2024-01-01 00:00:00", "TIMESTAMP"),
        (pd.Series([DAY, pd.NaT]).astype("M8[ns]").values, "['2024-01-01 00:00:00', NULL]", "TIMESTAMP[]"),
        (np.array([[1000]], "m8[ns]"), "[['00:00:00.000001']]", "INTERVAL[][]"),
        ([np.datetime64("2024-01-01", "ns"), DAY], "['2024-01-01 00:00:00', '2024-01-01 00:00:00']", "TIMESTAMP[]"),
        (LEAST, "." + "0" * 37 + "1", "DECIMAL(38,38)"),
        (-LEAST, "-." + "0" * 37 + "1", "DECIMAL(38,38)"),
        ([LEAST, Decimal("1E-37")], f"[.{'0' * 37}1, .{'0' * 36}10]", "DECIMAL(38,38)[]"),
        ({"a": [LEAST]}, "{'a': [." + "0" * 37 + "1]}", "STRUCT(a DECIMAL(38,38)[])"),
        ([1, 0.5, None], "[1.0, 0.5, NULL]", "DOUBLE[]"),
        ([[2**53], [0.5]], "[[9007199254740992.0], [0.5]]", "DOUBLE[][]"),
        ([Decimal("1.5"), 0.1], "[1.5, 0.1]", "DOUBLE[]"),
        ([Decimal("1E-30"), 1], f"[0.{'0' * 29}1, 1.{'0' * 30}]", "DECIMAL(31,30)[]"),
        ([{"a": 1}, {"a": Decimal("0.5")}], "[{'a': 1.0}, {'a': 0.5}]", "STRUCT(a DECIMAL(2,1))[]"),
        ([1, -1, 2**64], "[1, -1, 18446744073709551616]", "HUGEINT[]"),
        (np.array([1.5, NAN]), "[1.5, nan]", "DOUBLE[]"),
        (np.array([NAN, NAN]), "[nan, nan]", "DOUBLE[]"),
        ({"a": [{"b": NAN}, None]}, "{'a': [{'b': nan}, NULL]}", "STRUCT(a STRUCT(b DOUBLE)[])"),
        ({"key": [1, 2], "value": [NAN, 2.0]}, "{1=nan, 2=2.0}", "MAP(INTEGER, DOUBLE)"),
    ],
    ids=repr,
)
def test_a_value_keeps_what_duckdb_would_round(lake: Lake, value: object, text: str | None, type_name: str) -> None:
    assert lake.sql("SELECT $1::VARCHAR, typeof($1)", params=[value]).rows == ((text, type_name),)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([2**53 + 1, 0.5], "$1[1]"),
        ([0.5, 1, 2**53 + 1], "$1[3]"),
        ([0.5, Decimal("0.1")], "$1[2]"),
        ([0.5, Decimal("9" * 38)], "$1[2]"),
        ([1, "a"], "$1[2]"),
        ((1, "a"), "$1[2]"),
        (["a", None, True], "$1[3]"),
        ([True, 1], "$1[2]"),
        ([1, True], "$1[2]"),
        ([Decimal("9" * 38), Decimal("0.1")], "$1[2]"),
        ([2**127, 1], "$1[2]"),
        ([DAY, DAY.date()], "$1[2]"),
        ([DAY, DAY.replace(tzinfo=EAST)], "$1[2]"),
        (["a", UUID(int=1)], "$1[2]"),
        ([[1], None, [2, "a"]], "$1[3][2]"),
        ([[1], [2], ["a"]], "$1[3][1]"),
        ([{"a": 1}, {"a": "x"}], "$1[2]"),
        ([{"a": 1}, {"b": 1}], "$1[2]"),
        ([[], "a"], "$1[2]"),
        ({"key": [1, "a"], "value": [1, 2]}, "$1[2]"),
    ],
    ids=repr,
)
def test_a_list_without_one_type_for_its_elements_is_refused(lake: Lake, value: object, path: str) -> None:
    with pytest.raises(InvalidRequest, match="can't be passed in one list") as refused:
        lake.sql("SELECT $1", params=[value])
    assert refused.value.message.startswith(f"{path} ")


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        (pd.Timedelta("1ns"), "microseconds"),
        (np.datetime64(1, "ns"), "microseconds"),
        (np.array([1000, 1], "M8[ns]"), "microseconds"),
        (np.timedelta64(1500, "ns"), "microseconds"),
        (np.timedelta64(3, "M"), "microseconds"),
        (np.timedelta64(3), "microseconds"),
        (np.timedelta64(2**62, "s"), "microseconds"),
        (np.datetime64("20000-01-01"), "9999"),
        (np.array([(1, 2)], [("a", "i8"), ("b", "M8[ns]")]), "fields"),
        (2**128, "128 bits"),
        (Decimal("NaN"), "finite"),
        (Decimal("1" * 39), "38 digits"),
        (Decimal("1E-39"), "38 digits"),
        (pd.Timestamp(1), "microseconds"),
        ({1: 2}, "keys"),
        ("\ud800", "surrogate"),
        ("a\0b", "U+0000"),
        ({"a": [None, "\0"]}, "U+0000"),
        ({"a\0": 1}, "U+0000"),
        pytest.param(object(), "object", id="object"),
        ([{"a": {1}}], "set"),
    ],
    ids=repr,
)
def test_a_value_without_an_equal_one_is_refused(lake: Lake, value: object, detail: str) -> None:
    with pytest.raises(InvalidRequest, match="can't be passed") as refused:
        lake.sql("SELECT ?", params=[value])
    assert detail in str(refused.value.detail)


def test_values_are_bound_in_every_kind_of_statement(lake: Lake, duck: Duck) -> None:
    lake.sql(
        "CREATE TABLE made AS SELECT ? AS d, ? AS s WHERE '?' <> '$1' -- ?\n;"
        "INSERT INTO made VALUES (?::DECIMAL(3, 2), ?);UPDATE made SET s = s || ? WHERE d > ?; DELETE FROM made WHERE s = ?",
        params=[Decimal("1.50"), HOSTILE, 2, "b", "!", Decimal("1.9"), HOSTILE],
    )
    duck.attach(f"sqlite:{lake.database.url.database}", lake.data_path)
    assert duck.execute("FROM made") == [(Decimal("2.00"), "b!")]
    assert duck.columns("FROM made") == [("d", "DECIMAL(3,2)"), ("s", "VARCHAR")]
    params = {"Least": 1, "name": None, "n": 1}
    assert lake.sql(
        "SELECT a FROM t WHERE a > $least AND b IS NOT DISTINCT FROM $name LIMIT $n", params=params
    ).rows == ((2,),)
    assert lake.sql("SELECT $2, $1, $2", params=[1, "b"]).rows == (("b", 1, "b"),)
    # None of these is a parameter but ?:: and $"x y".
    text = """SELECT a$1, [7, 8][1:1], $$?$$, '$1', "?", ?::VARCHAR /* ? */ FROM (SELECT 1 AS a$1, 2 AS "?")"""
    assert lake.sql(text, params=[5]).rows == ((1, [7], "?", "$1", 2, "5"),)
    assert lake.sql('SELECT $"x y" + 1', params={"X y": 1}).rows == ((2,),)
    lake.sql("BEGIN; INSERT INTO made VALUES ($1, $2); DELETE FROM made WHERE s = $3; COMMIT", params=[3, "c", "b!"])
    assert duck.execute("FROM made") == [(Decimal("3.00"), "c")]


def test_bytes_with_zeros_are_stored_and_compared(lake: Lake) -> None:
    lake.sql("CREATE TABLE zeros (b BLOB); INSERT INTO zeros VALUES (?), (?)", params=[b"a\0b", b"a"])
    assert lake.sql("SELECT b FROM zeros WHERE b = ?", params=[b"a\0b"]).rows == ((b"a\0b",),)
    assert lake.sql("SELECT b FROM zeros WHERE b = ? || ?", params=[b"a", b""]).rows == ((b"a",),)


def test_parameters_without_spaces_between_them_are_bound(lake: Lake, duck: Duck) -> None:
    lake.sql("CREATE TABLE tight (a VARCHAR,b VARCHAR);INSERT INTO tight VALUES ($1,$2),($2,$1)", params=["x", "y"])
    lake.sql(
        "BEGIN;INSERT INTO tight VALUES ($a,$b);UPDATE tight SET b=$b||$b WHERE a=$b;COMMIT",
        params={"a": "p", "b": "y"},
    )
    duck.attach(f"sqlite:{lake.database.url.database}", lake.data_path)
    assert sorted(duck.execute("FROM tight")) == [("p", "y"), ("x", "y"), ("y", "yy")]
    assert lake.sql("SELECT $1+$1,coalesce($2,$1),$t$ $1,$2 $t$", params=[2, None]).rows == ((4, 2, " $1,$2 "),)


@pytest.mark.parametrize(
    ("text", "params", "message", "position"),
    [
        ("SELECT 1,\n ?", None, "parameter ? has no value", (2, 2)),
        ("SELECT ?;\nSELECT ?", [1], "parameter ? has no value", (2, 8)),
        ("SELECT $1, $3", [1, 2], "parameter $3 has no value", (1, 12)),
        ("SELECT $0", [1], "parameter $0 has no value", (1, 8)),
        ("SELECT $a, $b", {"a": 1}, "parameter $b has no value", (1, 12)),
        ("SELECT $a", [1], "$a has no value", (1, 8)),
        ("SELECT ?", {"a": 1}, "parameter ? has no value", (1, 8)),
        ("SELECT ?", [1, 2], "value 2 is not used", (1, 1)),
        ("SELECT $2", [1, 2], "value 1 is not used", (1, 1)),
        ("SELECT $a", {"a": 1, "b": 2}, 'parameter "b" is not used', (1, 1)),
        ("SELECT ?, $1", [1], "? and $1 can't be combined", (1, 11)),
        ("SELECT 1", [1], "the statement has no parameters", None),
        ("SELECT ?", "a", "the parameters are not a list or a dict", None),
        ("SELECT $a", {"a": 1, "A": 2}, "'A' can't name a parameter", (1, 1)),
    ],
)
def test_wrong_counts_and_names_are_refused_with_their_place(
    lake: Lake, text: str, params: Any, message: str, position: tuple[int, int] | None
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        lake.sql(text, params=params)
    assert refused.value.message == message
    assert refused.value.position == (position and Position(*position))
    assert refused.value.hint


def test_definitions_have_no_parameters(lake: Lake) -> None:
    for text, error in (
        ("CREATE DYNAMIC TABLE d AS SELECT a FROM t WHERE a > ?", DefinitionRefused),
        ("CREATE VIEW v AS SELECT a FROM t WHERE a > ?", SqlUnsupported),
        ("CREATE TABLE u (a INTEGER DEFAULT ?)", SqlUnsupported),
    ):
        with pytest.raises(error, match="parameters") as refused:
            lake.sql(text, params=[1])
        assert refused.value.position == Position(1, text.index("?") + 1)
        assert "Write the value" in str(refused.value.hint)
    assert [table.name for table in lake.tables() if table.name in ("d", "u")] == []


def test_a_statement_that_fails_shows_its_place_and_no_text_of_ours(lake: Lake) -> None:
    with pytest.raises(QueryFailed) as failed:
        lake.sql("SELECT a\nFROM t WHERE a = ?::INTEGER", params=["secret"])
    assert failed.value.position == Position(2, 19)


def test_values_are_bound_on_spark_too(lake: Lake, spark: object) -> None:
    at = MOMENT.replace(tzinfo=EAST)
    given = {
        "i": 7,
        "s": HOSTILE,
        "d": Decimal("1.50"),
        "day": date(2024, 2, 29),
        "at": MOMENT,
        "moment": at,
        "u": UUID(int=5),
        "b": b"\0\xff",
        "l": [1, 3],
        "o": {"x": "y"},
        "n": None,
        "t": True,
        "f": 0.1,
    }
    names = ", ".join(f":{name} AS {name}" for name in given)
    types = ", ".join(f"typeof(:{name})" for name in ("d", "day", "at", "moment", "l"))
    ((*values, decimal, day, naive, aware, array),) = lake.sql(
        f"SELECT {names}, {types} FROM t WHERE a = :i - 6", params=given, engine="spark"
    ).rows
    # Spark puts the literal into the text of the query, where TIMESTAMP has no zone.
    expected = {**given, "moment": at.astimezone(UTC).replace(tzinfo=None), "u": str(UUID(int=5))}
    assert dict(zip(given, values, strict=True)) == expected
    assert [decimal, day, naive, aware, array] == [
        "decimal(3,2)",
        "date",
        "timestamp_ntz",
        "timestamp_ntz",
        "array<int>",
    ]
    assert lake.sql("SELECT a, ? AS s FROM t WHERE a < ? ORDER BY a", params=[HOSTILE, 2], engine="spark").rows == (
        (1, HOSTILE),
    )
    assert lake.sql("SELECT array(?, ?) AS l", params=[1, None], engine="spark").rows == (([1, None],),)
    with pytest.raises(InvalidRequest, match="values of one type"):
        lake.sql("SELECT ? AS l", params=[[1, None]], engine="spark")
    for text, position in (("SELECT :i, :j", Position(1, 12)), ("SELECT ?", Position(1, 8))):
        with pytest.raises(InvalidRequest, match="has no value") as refused:
            lake.sql(text, params={"i": 1}, engine="spark")
        assert refused.value.position == position
