"""Other dialects are accepted as far as the mapping to Spark is known to be exact."""

from __future__ import annotations

import pytest
import sqlglot

from headwater.core.errors import DefinitionRefused, NotFound, Position
from headwater.sql.bind import bind
from tests.sql.small_lake import SmallLake

T = "`hw_source_1` AS `t`"
Y = "`hw_source_1` AS `typed`"
SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ('SELECT "a" FROM t', f"SELECT `a` FROM {T}"),
        ("FROM t", f"SELECT * FROM {T}"),
        ("SELECT a FROM main.t AS x ORDER BY x.a", "SELECT a FROM `hw_source_1` AS x ORDER BY x.a NULLS LAST"),
        ("SELECT main.t.a FROM main.t ORDER BY a DESC", f"SELECT `t`.a FROM {T} ORDER BY a DESC"),
        (
            "SELECT row_number() OVER (PARTITION BY a ORDER BY b) AS r, lag(a) OVER (ORDER BY b DESC) AS l FROM t",
            "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b NULLS LAST) AS r,"
            f" LAG(a) OVER (ORDER BY b DESC) AS l FROM {T}",
        ),
        ("SELECT a / 2 AS q FROM t", f"SELECT CAST(a AS DOUBLE) / 2 AS q FROM {T}"),
        (
            "SELECT a / b AS q FROM t",
            "SELECT CASE WHEN b = 0 THEN CAST(a AS DOUBLE) * POWER(CAST(b AS DOUBLE), -1)"
            f" ELSE CAST(a AS DOUBLE) / b END AS q FROM {T}",
        ),
        ("SELECT a % 3 AS r, a % b AS q FROM t", f"SELECT a % 3 AS r, a % NULLIF(b, 0) AS q FROM {T}"),
        (
            "SELECT avg(x), avg(DISTINCT n::DOUBLE) FROM typed",
            f"SELECT AVG(x), AVG(DISTINCT CAST(n AS DOUBLE)) FROM {Y}",
        ),
        ("SELECT a || '-' || b AS k FROM t", f"SELECT a || '-' || b AS k FROM {T}"),
        (
            "WITH c AS (SELECT s AS k, ceil(n) AS n FROM typed) SELECT q.k || n::INT FROM (SELECT * FROM c) q",
            "WITH c AS (SELECT s AS k, CEIL(n) AS n FROM `hw_source_1` AS `typed`)"
            " SELECT q.k || CAST(n AS INT) FROM (SELECT * FROM c) AS q",
        ),
        (
            "SELECT sum(a), count(*), count(DISTINCT b), min(a), max(a) FROM t GROUP BY ALL",
            f"SELECT SUM(a), COUNT(*), COUNT(DISTINCT b), MIN(a), MAX(a) FROM {T} GROUP BY ALL",
        ),
        (
            "SELECT coalesce(a, b), nullif(a, b), greatest(a, b), if(a, b, 1), CASE a WHEN 1 THEN 2 END FROM t",
            f"SELECT COALESCE(a, b), NULLIF(a, b), GREATEST(a, b), IF(a, b, 1), CASE a WHEN 1 THEN 2 END FROM {T}",
        ),
        (
            "SELECT trim(a), substring(a, 2, 3), replace(a, 'x', 'y'), length(a), concat_ws(',', a, b) FROM t",
            f"SELECT TRIM('{SPACES}' FROM a), SUBSTRING(a, 2, 3), REPLACE(a, 'x', 'y'), LENGTH(a), CONCAT_WS(',', a, b) FROM {T}",
        ),
        (
            "SELECT year(m), extract(month FROM m), CAST(date_trunc('month', m) AS DATE), m::TIMESTAMP FROM typed",
            "SELECT YEAR(m), EXTRACT(MONTH FROM m), CAST(DATE_TRUNC('MONTH', m) AS DATE), CAST(m AS TIMESTAMP_NTZ)"
            f" FROM {Y}",
        ),
        ("SELECT * EXCLUDE (a) FROM t", f"SELECT * EXCEPT (a) FROM {T}"),
        ("SELECT 'it''s \\ n' AS s", "SELECT 'it\\'s \\\\ n' AS s"),
        ("SELECT current_date AS d, now() AS n", "SELECT __hw_clock_date() AS d, __hw_clock_timestamp() AS n"),
        ("SELECT today()", "SELECT __hw_clock_date() AS `current_date()`"),
        ("WITH t AS MATERIALIZED (SELECT a FROM t) FROM t", f"WITH t AS (SELECT a FROM {T}) SELECT * FROM t"),
        (
            "SELECT id FROM shop.big",
            "SELECT id FROM (SELECT id, amount FROM `hw_source_1` AS `orders` WHERE amount > 10) AS `big`",
        ),
    ],
)
def test_duckdb_becomes_spark(text: str, sql: str) -> None:
    result = bind(text, SmallLake(), dialect="duckdb")
    assert result.text == text
    assert result.sql == sql
    assert sqlglot.parse_one(result.sql, dialect="spark")


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("SELECT iff(a, b, 1), nvl(a, b) FROM t", f"SELECT IF(a, b, 1), COALESCE(a, b) FROM {T}"),
        (
            "SELECT m::TIMESTAMP, m::TIMESTAMP_LTZ, n % n, trim(s) FROM typed",
            f"SELECT CAST(m AS TIMESTAMP_NTZ), CAST(m AS TIMESTAMP_LTZ), n % n, TRIM(s) FROM {Y}",
        ),
        (
            "SELECT a FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b DESC) = 1",
            "SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC NULLS FIRST) AS _w"
            f" FROM {T}) AS _t WHERE _w = 1",
        ),
    ],
)
def test_snowflake_becomes_spark(text: str, sql: str) -> None:
    assert bind(text, SmallLake(), dialect="snowflake").sql == sql


@pytest.mark.parametrize(
    ("dialect", "text", "what", "column"),
    [
        ("duckdb", "SELECT concat(a, b) FROM t", 'the function "concat"', 8),
        ("duckdb", "SELECT s || x FROM typed", '"s || x"', 8),
        ("duckdb", "SELECT concat_ws(',', s, m) FROM typed", 'the function "concat_ws"', 8),
        ("duckdb", "SELECT s, upper(s) FROM typed", 'the function "upper"', 11),
        ("duckdb", "SELECT lower(s) FROM typed", 'the function "lower"', 8),
        ("duckdb", "SELECT ceil(x) FROM typed", 'the function "ceil"', 8),
        ("duckdb", "SELECT floor(x) FROM typed", 'the function "floor"', 8),
        ("duckdb", "SELECT avg(n) FROM typed", 'the function "avg"', 8),
        ("duckdb", "SELECT x % n FROM typed", '"x % n"', 8),
        ("duckdb", "SELECT w * n FROM typed", '"w * n"', 8),
        ("duckdb", "SELECT n + f FROM typed", '"f"', 12),
        ("duckdb", "SELECT s::DATE FROM typed", "the cast to DATE", 8),
        ("duckdb", "SELECT TRY_CAST(s AS DOUBLE) FROM typed", "the cast to DOUBLE", 8),
        ("duckdb", "SELECT x::DECIMAL(10, 2) FROM typed", "the cast to DECIMAL(10, 2)", 8),
        ("duckdb", "SELECT '1_000'::DOUBLE FROM typed", "the cast to DOUBLE", 8),
        ("duckdb", "SELECT x AS s FROM typed ORDER BY s || 'a'", "\"s || 'a'\"", 35),
        ("duckdb", "SELECT a, log(a) FROM t", 'the function "log"', 11),
        ("duckdb", "SELECT dayofweek(a) FROM t", 'the function "dayofweek"', 8),
        ("duckdb", "SELECT a[1] FROM t", '"a[1]"', 8),
        ("duckdb", "SELECT nonsense(a) FROM t", 'the function "nonsense"', 8),
        ("duckdb", "SELECT substring(a, 0, 2) FROM t", 'the function "substring"', 8),
        ("duckdb", "SELECT round(a, 2) FROM t", 'the function "round"', 8),
        ("duckdb", "SELECT extract(second FROM a) FROM t", 'the function "extract"', 8),
        ("duckdb", "SELECT date_trunc('month', a) FROM t", 'the function "date_trunc"', 8),
        ("duckdb", "SELECT CAST(x AS INT) FROM typed", "the cast to INT", 8),
        ("duckdb", "SELECT a::VARCHAR FROM t", "the cast to TEXT", 8),
        ("duckdb", "SELECT a // b FROM t", '"a // b"', 8),
        ("duckdb", "SELECT a FROM t, range(3)", 'the function "range"', 18),
        ("duckdb", "SELECT a FROM t WHERE a LIKE 'x\\%'", "\"a LIKE 'x\\%'\"", 23),
        ("duckdb", "SELECT current_user", 'the function "current_user"', 8),
        ("snowflake", "SELECT a / b FROM t", '"a / b"', 8),
        ("snowflake", "SELECT avg(a) FROM t", 'the function "avg"', 8),
        ("snowflake", "SELECT greatest(a, b) FROM t", 'the function "greatest"', 8),
    ],
)
def test_what_differs_is_refused_by_name(dialect: str, text: str, what: str, column: int) -> None:
    with pytest.raises(DefinitionRefused) as caught:
        bind(text, SmallLake(), dialect=dialect, origin=Position(2, 5))
    assert caught.value.message == f"{what} has no exact translation to Spark"
    assert caught.value.position == Position(2, column + 4)
    assert caught.value.hint == f"Write the query in Spark's dialect, without DIALECT = '{dialect}'."


def test_the_hint_for_a_view_does_not_speak_of_a_dialect_that_nobody_gave() -> None:
    with pytest.raises(DefinitionRefused) as caught:
        bind("SELECT * FROM shop.ducky", SmallLake())
    assert caught.value.hint == "Rewrite the view, or read the tables behind it in Spark's dialect."


def test_unknown_tables_are_refused_where_they_stand_in_the_original() -> None:
    with pytest.raises(NotFound) as caught:
        bind("FROM t\nJOIN gone USING (a)", SmallLake(), dialect="duckdb")
    assert caught.value.position == Position(2, 6)


def test_long_chains_of_subqueries_are_read_at_once() -> None:
    chain = ", ".join(f"c{n} AS (SELECT a.n + b.n AS n FROM c{n - 1} a, c{n - 1} b)" for n in range(1, 60))
    query = f"WITH c0 AS (SELECT b AS n FROM t), {chain} SELECT n || '' FROM c59"
    assert bind(query, SmallLake(), dialect="duckdb").sql.endswith("SELECT n || '' FROM c59")
    stars = ", ".join(f"c{n} AS (SELECT a.*, b.a AS b{n} FROM c{n - 1} a, c{n - 1} b)" for n in range(1, 60))
    query = f"WITH c0 AS (SELECT a FROM t), {stars} SELECT a || '' FROM c59"
    assert bind(query, SmallLake(), dialect="duckdb").sql.endswith("SELECT a || '' FROM c59")


def test_divisions_in_divisions_end_somewhere() -> None:
    assert bind("SELECT a / (b / (a / (b / a))) AS q FROM t", SmallLake(), dialect="duckdb")
    assert bind(f"SELECT a{' / 2' * 50} AS q FROM t", SmallLake(), dialect="duckdb")
    with pytest.raises(DefinitionRefused, match="nested deeper than 4"):
        bind(f"SELECT a{' / b' * 50} AS q FROM t", SmallLake(), dialect="duckdb")
