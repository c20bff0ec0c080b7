"""Values as Python, JSON, CSV and notebooks show them: nothing is lost, and nothing is what another language can't read."""

from __future__ import annotations

import json
from datetime import date, time, timedelta, timezone
from pathlib import Path
from uuid import UUID

import headwater
from headwater.service.result import Result
from tests.surface.conftest import Cli

KEY = "0d9f4c0e-9f0b-4a7e-8f2e-6a4f3c0a7f11"
EVERY = f"""
SELECT 170141183460469231731687303715884105::HUGEINT AS huge, sum(i::BIGINT) AS total, '{KEY}'::UUID AS id,
  MAP {{'a': 1, 'b': NULL}} AS counts, MAP {{[1, 2]: '{KEY}'::UUID}} AS nested, [{{'id': '{KEY}'::UUID, 'm': MAP {{1: 2::HUGEINT}}}}] AS list,
  '00101'::BIT AS bits, NULL::UUID AS nothing
FROM range(4) t(i)
"""  # noqa: E501


def test_python_gets_the_types_that_python_has(folder: Path) -> None:
    with headwater.connect("lake") as lake:
        (row,) = lake.sql(EVERY).rows
        assert lake.sql("SELECT 1::HUGEINT AS i WHERE false").rows == ()
    assert row == (
        170141183460469231731687303715884105,
        6,
        UUID(KEY),
        {"a": 1, "b": None},
        {(1, 2): UUID(KEY)},
        [{"id": UUID(KEY), "m": {1: 2}}],
        "00101",
        None,
    )
    assert (type(row[0]), type(row[1]), type(row[5][0]["m"][1])) == (int, int, int)


def test_maps_of_spark_are_dicts_too(shop: Path) -> None:
    with headwater.connect(shop) as lake:
        query = "SELECT map('a', id) AS m, array(map(id, 'x')) AS l FROM orders WHERE id = 1"
        assert lake.sql(query, engine="spark").rows == (({"a": 1}, [{1: "x"}]),)


def test_json_has_what_json_allows(folder: Path, cli: Cli) -> None:
    headwater.connect("lake").close()
    query = (
        "SELECT 'nan'::DOUBLE AS nan, '-inf'::FLOAT AS low, INTERVAL '14 months -3 days 1.5 seconds' AS i, MAP {1: 'x'} AS m,"
        " MAP {'k': ['inf'::DOUBLE]} AS s, 5::HUGEINT AS h, NULL AS n, MAP {[1]: 2} AS k"
    )
    ran = cli("sql", query, "-o", "json")

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    assert json.loads(ran.out, parse_constant=refuse) == [
        {
            "nan": "NaN",
            "low": "-Infinity",
            "i": "P1Y2M-3DT1.5S",
            "m": {"1": "x"},
            "s": {"k": ["Infinity"]},
            "h": 5,
            "n": None,
            "k": {"[1]": 2},
        }
    ]
    assert "P1Y2M-3DT1.5S" in cli("sql", query).out


def test_csv_tells_null_from_an_empty_text(folder: Path, cli: Cli) -> None:
    headwater.connect("lake").close()
    query = "SELECT * FROM (VALUES (NULL, '', 'NULL'), (1, 'a,\"b\"', NULL)) t(a, b, c)"
    assert cli("sql", query, "-o", "csv").out == 'a,b,c\n,"",NULL\n1,"a,""b""",\n'
    assert cli("sql", query, "-o", "csv", "--null", "NULL").out == 'a,b,c\nNULL,"","NULL"\n1,"a,""b""",NULL\n'
    Path("all.csv").write_text(cli("sql", query, "-o", "csv", "--null", "NULL").out, encoding="utf-8")
    read = cli(
        "sql",
        "FROM read_csv('all.csv', nullstr = 'NULL', allow_quoted_nulls = false, all_varchar = true)",
        "-o",
        "json",
    )
    assert [list(row.values()) for row in read.rows] == [[None, "", "NULL"], ["1", 'a,"b"', None]]


def test_a_notebook_shows_a_table(folder: Path) -> None:
    with headwater.connect("lake") as lake:
        shown = lake.sql("SELECT '<script>' AS \"<a>\", NULL AS n FROM range(60)")._repr_html_()
    assert shown.startswith(
        "<table><thead><tr><th>&lt;a&gt;</th><th>n</th></tr></thead><tbody><tr><td>&lt;script&gt;</td>"
    )
    assert (shown.count("<em>NULL</em>"), shown.endswith("<p>50 of 60 rows</p>")) == (50, True)
    assert Result((), ())._repr_html_() == "<table><thead><tr></tr></thead><tbody></tbody></table>"


LARGEST = 2**128 - 1


def test_integers_of_128_bits_are_right_alone_and_nested(folder: Path, cli: Cli) -> None:
    with headwater.connect("lake") as lake:
        result = lake.sql(
            f"SELECT {LARGEST}::UHUGEINT AS u, ({-(2**127)})::HUGEINT AS h, [{LARGEST}::UHUGEINT, NULL] AS l,"
            f" {{'a': {2**127}::UHUGEINT, 'b': [{2**127 - 1}::HUGEINT]}} AS s,"
            f" MAP {{{LARGEST}::UHUGEINT: {LARGEST - 1}::UHUGEINT}} AS m, [{LARGEST}::UHUGEINT, 1::UHUGEINT]::UHUGEINT[2] AS f,"
            f" '{10**40}'::BIGNUM AS b, '-{10**40}'::BIGNUM AS c"
        )
        assert lake.sql(f"SELECT union_value(n := {LARGEST}::UHUGEINT) AS o").rows == ((LARGEST,),)
        many = lake.sql(
            f"SELECT CASE WHEN i % 3 > 0 THEN {2**127}::UHUGEINT + i::UHUGEINT END FROM range(200000) t(i)"
        ).rows
        assert lake.sql("SELECT [i::UHUGEINT] AS l, []::UUID[] AS e FROM range(1) t(i) WHERE i > 0").rows == ()
        assert lake.sql("SELECT []::UHUGEINT[] AS l, []::UUID[] AS e").rows == (([], []),)
    assert result.rows == (
        (
            LARGEST,
            -(2**127),
            [LARGEST, None],
            {"a": 2**127, "b": [2**127 - 1]},
            {LARGEST: LARGEST - 1},
            [LARGEST, 1],
            10**40,
            -(10**40),
        ),
    )
    assert {type(value) for value in result.rows[0][:2]} == {int}
    assert [int(result.arrow().column(place)[0].as_py()) for place in (0, 1)] == [LARGEST, -(2**127)]
    assert [int(result.df().iat[0, place]) for place in (0, 1)] == [LARGEST, -(2**127)]
    assert many == tuple((2**127 + i if i % 3 else None,) for i in range(200_000))
    query = f"SELECT {LARGEST}::UHUGEINT AS u, [{LARGEST}::UHUGEINT] AS l"
    assert json.loads(cli("sql", query, "-o", "json").out) == [{"u": LARGEST, "l": [LARGEST]}]
    assert cli("sql", query, "-o", "csv").out == f"u,l\n{LARGEST},[{LARGEST}]\n"
    assert cli("sql", query).out.split()[-2:] == [str(LARGEST), f"[{LARGEST}]"]


OUTSIDE = (
    "DATE 'infinity'",
    "DATE '-infinity'",
    "TIMESTAMP '-infinity'",
    "TIMESTAMPTZ 'infinity'",
    "TIMESTAMP_S 'infinity'",
    "TIMESTAMP_MS '-infinity'",
    "TIMESTAMP_NS 'infinity'",
    "DATE '0044-03-15 (BC)'",
    "DATE '5000000-01-01'",
    "TIMESTAMP '290000-01-01'",
    "TIMESTAMP '0044-03-15 (BC) 01:02:03.5'",
    "TIMESTAMPTZ '290000-12-31 23:59:59'",
    "TIME '24:00:00'",
    "'24:00:00+01'::TIMETZ",
)


def test_dates_and_times_that_python_lacks_are_the_text_of_duckdb(folder: Path, cli: Cli) -> None:
    texts = ", ".join(f"({each})::VARCHAR" for each in OUTSIDE)
    values = ", ".join(f"{each} AS c{place}" for place, each in enumerate(OUTSIDE))
    nested = ", ".join(f"[{each}, NULL] AS l{place}" for place, each in enumerate(OUTSIDE))
    with headwater.connect("lake") as lake:
        (expected,) = lake.sql(f"SELECT {texts}").rows
        assert lake.sql(f"SELECT {values}").rows == (expected,)
        assert lake.sql(f"SELECT {nested}").rows == (tuple([text, None] for text in expected),)
        mixed = lake.sql("FROM (VALUES (DATE '2020-01-02'), (NULL), (DATE 'infinity'))").rows
    assert mixed == ((date(2020, 1, 2),), (None,), ("infinity",))
    assert list(json.loads(cli("sql", f"SELECT {values}", "-o", "json").out)[0].values()) == list(expected)
    assert cli("sql", f"SELECT {values}", "-o", "csv").out.splitlines()[1] == ",".join(expected)
    assert "  ".join(cli("sql", f"SELECT {values}").out.splitlines()[-1].split()) == "  ".join(
        " ".join(expected).split()
    )


def test_times_keep_their_offset(folder: Path, cli: Cli) -> None:
    query = "SELECT '12:00:00+05'::TIMETZ AS t, [{'x': '01:02:03.5-05:30:15'::TIMETZ}, NULL] AS l, NULL::TIMETZ AS n"
    west = timezone(-timedelta(hours=5, minutes=30, seconds=15))
    with headwater.connect("lake") as lake:
        result = lake.sql(query)
    assert result.rows == (
        (time(12, tzinfo=timezone(timedelta(hours=5))), [{"x": time(1, 2, 3, 500_000, tzinfo=west)}, None], None),
    )
    # Two times with other offsets are equal if they are the same instant.
    assert [result.rows[0][0].utcoffset(), result.rows[0][1][0]["x"].utcoffset()] == [
        timedelta(hours=5),
        west.utcoffset(None),
    ]
    assert result.arrow().column("t").to_pylist() == ["12:00:00+05"]
    shown = "12:00:00+05:00"
    assert json.loads(cli("sql", query, "-o", "json").out)[0] == {
        "t": shown,
        "l": [{"x": "01:02:03.500000-05:30:15"}, None],
        "n": None,
    }
    assert cli("sql", query, "-o", "csv").out.splitlines()[1].startswith(f"{shown},")
    assert shown in cli("sql", query).out


def test_structs_without_names_are_tuples(folder: Path, cli: Cli) -> None:
    query = "SELECT (1, 2) AS a, row(1, 'a') AS b, [row(NULL, [row(3)])] AS c, MAP {row(1, 2): 'x'} AS d"
    with headwater.connect("lake") as lake:
        assert lake.sql(query).rows == (((1, 2), (1, "a"), [(None, [(3,)])], {(1, 2): "x"}),)
        assert lake.sql("SELECT CASE WHEN i = 1 THEN (i, 2) END FROM range(2) t(i)").rows == ((None,), ((1, 2),))
    assert json.loads(cli("sql", query, "-o", "json").out) == [
        {"a": [1, 2], "b": [1, "a"], "c": [[None, [[3]]]], "d": {"[1, 2]": "x"}}
    ]
    assert cli("sql", "SELECT (1, 2) AS a", "-o", "csv").out == 'a\n"[1, 2]"\n'
    assert "[1, 2]" in cli("sql", query).out
