"""What has no plan says why, and where."""

from __future__ import annotations

import pytest

from headwater.plan.lower import NotPlanned, lower
from tests.plan.small_tables import RELATIONS, over_sources

_SEVERAL = "a scalar subquery may return several rows"
_EQUALITIES = "a correlated subquery of this kind supports only equality conditions"
_NO_JOIN = "a correlated subquery can't be written as a join here"
_LIMIT = "LIMIT without ORDER BY has no stable result"

REFUSED = [
    ("SELECT id FROM a LIMIT 3", _LIMIT),
    ("SELECT id FROM a OFFSET 3", _LIMIT),
    ("SELECT id FROM (SELECT id FROM a LIMIT 3) ORDER BY id LIMIT 1", _LIMIT),
    ("SELECT id FROM a UNION ALL SELECT id FROM c LIMIT 3", _LIMIT),
    ("SELECT id FROM a WHERE k IN ((SELECT k FROM c) LIMIT 1)", _LIMIT),
    ("SELECT id FROM a ORDER BY id LIMIT 1 + 1", "LIMIT and OFFSET are supported only with number literals"),
    ("SELECT id FROM a ORDER BY ALL LIMIT 1", "ORDER BY ALL with LIMIT is not supported"),
    ("SELECT DISTINCT k FROM a ORDER BY k + 1 LIMIT 1", "ORDER BY uses an expression that is not in SELECT DISTINCT"),
    (
        "SELECT id, explode(array(k)) AS x FROM a ORDER BY x LIMIT 1",
        "ORDER BY … LIMIT by a column that is computed in the same SELECT",
    ),
    (
        "SELECT id, k FROM a UNION ALL SELECT id, k FROM c ORDER BY id + k LIMIT 1",
        "ORDER BY … LIMIT after a set operation supports only output columns",
    ),
    (
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
        "a recursive WITH is not supported",
    ),
    ("SELECT * FROM a PIVOT (sum(v) FOR k IN (1, 2))", "PIVOT and UNPIVOT are not supported"),
    ("SELECT * FROM a TABLESAMPLE (10 PERCENT)", "TABLESAMPLE has no stable result"),
    ("SELECT * FROM range(3)", "table functions in FROM are not supported"),
    (
        "SELECT * FROM a, LATERAL (SELECT w FROM c WHERE c.k = a.k)",
        "LATERAL subqueries and functions are not supported",
    ),
    ("SELECT * FROM lists, LATERAL explode(list) AS t(x)", "LATERAL subqueries and functions are not supported"),
    ("SELECT stack(2, 1, 2)", "the table function stack is not supported"),
    ("SELECT id, json_tuple(k, 'a') FROM a", "the table function json_tuple is not supported"),
    ("SELECT explode(list) FROM lists", "a generator function needs AS with column names"),
    (
        "SELECT explode(list) + 1 AS x FROM lists",
        "a generator function must stand alone in SELECT or in LATERAL VIEW",
    ),
    (
        "SELECT explode(list) AS x, explode(list) AS y FROM lists",
        "several generator functions in one SELECT are not supported",
    ),
    ("SELECT id, (SELECT w FROM c) FROM a", _SEVERAL),
    ("SELECT id, (SELECT w FROM c WHERE c.k = a.k) FROM a", _SEVERAL),
    ("SELECT id, (SELECT max(w) FROM c GROUP BY k) FROM a", _SEVERAL),
    ("SELECT id, (SELECT max(w) FROM c WHERE c.k = a.k GROUP BY k) FROM a", _SEVERAL),
    ("SELECT id, (SELECT 1 UNION ALL SELECT 2) FROM a", _SEVERAL),
    (
        "SELECT id, (SELECT explode(collect_list(w)) AS x FROM c) FROM a",
        "a generator function must stand alone in SELECT or in LATERAL VIEW",
    ),
    ("SELECT id, (SELECT sum(w) FROM c WHERE c.k < a.k) FROM a", _EQUALITIES),
    ("SELECT id, (SELECT sum(w) FROM c WHERE a.k = 1) FROM a", _EQUALITIES),
    ("SELECT id, (SELECT sum(w) FROM c WHERE c.k = a.k OR c.id = a.id) FROM a", _EQUALITIES),
    ("SELECT id, (SELECT sum(w) FROM c WHERE c.k + a.k = 3) FROM a", _EQUALITIES),
    (
        "SELECT id, (SELECT collect_list(w) FROM c WHERE c.k = a.k) FROM a",
        "the result of this aggregate over no rows is not known",
    ),
    (
        "SELECT id, (SELECT sum(w) FROM c WHERE c.k = a.k HAVING count(*) > 1) FROM a",
        "HAVING, QUALIFY or LIMIT in a correlated subquery is not supported",
    ),
    ("SELECT id, (SELECT w FROM c WHERE c.k = a.k ORDER BY w LIMIT 1) FROM a", _SEVERAL),
    ("SELECT id, (SELECT id + 1) FROM a", _NO_JOIN),
    ("SELECT id, (SELECT max(w) + a.v FROM c) FROM a", _NO_JOIN),
    ("SELECT id, (SELECT sum(a.v) FROM c) FROM a", _NO_JOIN),
    ("SELECT id FROM a WHERE v > 2 OR EXISTS (SELECT 1 FROM c WHERE c.k < a.k)", _EQUALITIES),
    (
        "SELECT id FROM a WHERE v > 2 OR k NOT IN (SELECT k FROM c)",
        "IN (SELECT …) is supported only where NULL counts as false",
    ),
    ("SELECT id, k IN (SELECT k FROM c) AS found FROM a", "IN (SELECT …) is supported only where NULL counts as false"),
    (
        "SELECT id FROM a WHERE (k IN (SELECT k FROM c)) IS NULL",
        "IN (SELECT …) is supported only where NULL counts as false",
    ),
    ("SELECT id FROM a WHERE k = ANY (SELECT k FROM c)", "ANY and ALL of a subquery are not supported"),
    (
        "SELECT id FROM a WHERE EXISTS (SELECT count(*) FROM c WHERE c.k = a.k)",
        "an aggregate without GROUP BY in a correlated EXISTS or IN is not supported",
    ),
    (
        "SELECT id FROM a WHERE v IN (SELECT max(w) FROM c WHERE c.k = a.k)",
        "an aggregate without GROUP BY in a correlated EXISTS or IN is not supported",
    ),
    (
        "SELECT id FROM a WHERE v IN (SELECT w FROM c WHERE c.k = a.k ORDER BY w LIMIT 1)",
        "LIMIT in a correlated subquery is not supported",
    ),
    (
        "SELECT id FROM a WHERE k IN (SELECT rank() OVER (ORDER BY w) FROM c WHERE c.k = a.k)",
        "a window function in a correlated subquery is not supported",
    ),
    (
        "SELECT id FROM a WHERE k IN (SELECT k FROM c WHERE c.k = a.v UNION ALL SELECT 1)",
        "a set operation in a correlated subquery is not supported",
    ),
    (
        "SELECT id FROM a WHERE v IN (SELECT sum(w) FROM c WHERE c.k = a.k GROUP BY ROLLUP (id))",
        "grouping sets in a correlated subquery are not supported",
    ),
    (
        "SELECT id FROM a WHERE EXISTS"
        " (SELECT 1 FROM c WHERE c.k = a.k AND EXISTS (SELECT 1 FROM b WHERE b.id = c.id AND b.v = a.v))",
        _NO_JOIN,
    ),
    ("SELECT id FROM a WHERE EXISTS (SELECT k FROM c GROUP BY k HAVING count(*) > a.v)", _NO_JOIN),
    ("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM c JOIN b ON b.k = a.k)", _NO_JOIN),
    (
        "SELECT id FROM a WHERE EXISTS (SELECT 1 FROM (SELECT * FROM c WHERE c.k = a.k) x)",
        "a column's table is not in FROM",
    ),
    ("SELECT a.id FROM a JOIN c ON a.k = (SELECT max(k) FROM b)", "a subquery in ON is not supported"),
    (
        "SELECT a.id FROM a, c FULL JOIN b ON b.k = c.k",
        "RIGHT or FULL JOIN after a comma or CROSS JOIN is not supported",
    ),
    (
        "SELECT k FROM a FULL JOIN b USING (k) JOIN c USING (k)",
        "USING or NATURAL among several joins, one of them RIGHT or FULL, is not supported",
    ),
    (
        "SELECT x.id FROM b z JOIN (a x JOIN c y USING (k)) ON z.id = y.id",
        "USING or NATURAL within parentheses is not supported",
    ),
    ("SELECT k, v FROM a GROUP BY k", "a column is neither in GROUP BY nor in an aggregate"),
    ("SELECT k, count(*) FROM a", "a column is neither in GROUP BY nor in an aggregate"),
    ("SELECT k, my_own(v) FROM a GROUP BY k", "an unknown function may be an aggregate"),
    ("SELECT grouping(k), count(*) FROM a GROUP BY k", "grouping() needs GROUPING SETS, ROLLUP or CUBE"),
    ("SELECT count(*) FROM a GROUP BY (k, v)", "GROUP BY a row of several values is not supported"),
    ("SELECT 'x' AS x, count(*) FROM a GROUP BY ROLLUP (1)", "grouping sets of constants are not supported"),
    ("SELECT 1 AS one, count(*) FROM a GROUP BY ALL", "GROUP BY ALL with constants is not supported"),
    (
        "SELECT count(*) FROM a GROUP BY CUBE (id, k, v, id + 1, k + 1, v + 1, id + 2, k + 2)",
        "more than 128 grouping sets are not supported",
    ),
    ("SELECT * FROM (SELECT id, id FROM a)", "a star could not be expanded into columns"),
    ("SELECT struct(*) FROM a", "a star could not be expanded into columns"),
    ("SELECT id FROM a UNION SELECT id, k FROM a", "the sides of a set operation differ in the number of columns"),
    ("SELECT 1 FROM nowhere", "a table in FROM is unknown"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_a_query_without_a_plan_says_why(text: str, reason: str) -> None:
    with pytest.raises(NotPlanned) as refused:
        lower(over_sources(text), RELATIONS)
    assert refused.value.reason == reason
    assert refused.value.sql


@pytest.mark.parametrize(
    "text", ["SELECT", "SELECT nothing FROM hw_source_1", "DROP TABLE x", "SELECT 1; SELECT 2", "SELECT ((", ""]
)
def test_what_is_no_query_is_not_planned(text: str) -> None:
    with pytest.raises(NotPlanned):
        lower(text, RELATIONS)


def test_the_line_is_that_of_the_fragment() -> None:
    with pytest.raises(NotPlanned) as refused:
        lower("SELECT id\nFROM hw_source_1\nWHERE id > 1\n  OR k NOT IN (\nSELECT k FROM hw_source_2)", RELATIONS)
    assert (refused.value.line, refused.value.sql) == (4, "k IN (SELECT hw_source_2.k AS k FROM hw…")


def test_a_column_that_is_nowhere_is_told_in_our_words() -> None:
    with pytest.raises(NotPlanned) as refused:
        lower("SELECT id\nFROM hw_source_1\nWHERE nothing > 1", RELATIONS)
    assert (refused.value.reason, refused.value.line) == ("column 'nothing' could not be resolved", 3)


def test_a_query_that_grows_without_bound_is_not_planned() -> None:
    queries = ["t0 AS (SELECT id FROM hw_source_1)"]
    queries += [f"t{n} AS (SELECT x.id FROM t{n - 1} x, t{n - 1} y)" for n in range(1, 20)]
    with pytest.raises(NotPlanned, match="too large"):
        lower(f"WITH {', '.join(queries)} SELECT * FROM t19", RELATIONS)


def test_a_query_of_too_many_brackets_is_not_planned() -> None:
    with pytest.raises(NotPlanned, match="nested too deeply"):
        lower(f"SELECT {'(' * 5000}1{')' * 5000} FROM hw_source_1", RELATIONS)
