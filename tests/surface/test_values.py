"""Values as Python, JSON, CSV and notebooks show them: nothing is lost, and nothing is what another language can't read."""

from __future__ import annotations

import json
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
