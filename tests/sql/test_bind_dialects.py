"""Other dialects are accepted as far as the mapping to Spark is known to be exact."""

from __future__ import annotations

import pytest
import sqlglot

from headwater.core.errors import DefinitionRefused, NotFound, Position
from headwater.sql.bind import bind
from tests.sql.small_lake import SmallLake

T = "`hw_source_1` AS `t`"


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
        ("SELECT a / b AS q FROM t", f"SELECT CAST(a AS DOUBLE) / b AS q FROM {T}"),
        (
            "SELECT avg(a), avg(DISTINCT b) FROM t",
            f"SELECT AVG(CAST(a AS DOUBLE)), AVG(DISTINCT CAST(b AS DOUBLE)) FROM {T}",
        ),
        ("SELECT a || '-' || b AS k FROM t", f"SELECT a || '-' || b AS k FROM {T}"),
        (
            "SELECT sum(a), count(*), count(DISTINCT b), min(a), max(a) FROM t GROUP BY ALL",
            f"SELECT SUM(a), COUNT(*), COUNT(DISTINCT b), MIN(a), MAX(a) FROM {T} GROUP BY ALL",
        ),
        (
            "SELECT coalesce(a, b), nullif(a, b), greatest(a, b), if(a, b, 1), CASE a WHEN 1 THEN 2 END FROM t",
            f"SELECT COALESCE(a, b), NULLIF(a, b), GREATEST(a, b), IF(a, b, 1), CASE a WHEN 1 THEN 2 END FROM {T}",
        ),
        (
            "SELECT upper(a), trim(a), substring(a, 2, 3), replace(a, 'x', 'y'), length(a), concat_ws(',', a, b) FROM t",
            f"SELECT UPPER(a), TRIM(a), SUBSTRING(a, 2, 3), REPLACE(a, 'x', 'y'), LENGTH(a), CONCAT_WS(',', a, b) FROM {T}",
        ),
        (
            "SELECT year(a), extract(month FROM a), CAST(date_trunc('month', a) AS DATE), a::TIMESTAMP FROM t",
            "SELECT YEAR(a), EXTRACT(MONTH FROM a), CAST(DATE_TRUNC('MONTH', a) AS DATE), CAST(a AS TIMESTAMP_NTZ)"
            f" FROM {T}",
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
        ("duckdb", "SELECT a || b FROM t", '"a || b"', 8),
        ("duckdb", "SELECT a, log(a) FROM t", 'the function "log"', 11),
        ("duckdb", "SELECT dayofweek(a) FROM t", 'the function "dayofweek"', 8),
        ("duckdb", "SELECT a[1] FROM t", '"a[1]"', 8),
        ("duckdb", "SELECT nonsense(a) FROM t", 'the function "nonsense"', 8),
        ("duckdb", "SELECT substring(a, 0, 2) FROM t", 'the function "substring"', 8),
        ("duckdb", "SELECT round(a, 2) FROM t", 'the function "round"', 8),
        ("duckdb", "SELECT extract(second FROM a) FROM t", 'the function "extract"', 8),
        ("duckdb", "SELECT date_trunc('month', a) FROM t", 'the function "date_trunc"', 8),
        ("duckdb", "SELECT CAST(a AS INT) FROM t", "the cast to INT", 8),
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
    assert caught.value.message == f"{what} has no mapping to Spark that is known to be exact"
    assert caught.value.position == Position(2, column + 4)
    assert "Spark's dialect" in (caught.value.hint or "")


def test_unknown_tables_are_refused_where_they_stand_in_the_original() -> None:
    with pytest.raises(NotFound) as caught:
        bind("FROM t\nJOIN gone USING (a)", SmallLake(), dialect="duckdb")
    assert caught.value.position == Position(2, 6)
