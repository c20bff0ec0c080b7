"""Pairs of queries that differ in their columns, joins, conditions and groups."""

from __future__ import annotations

# Pairs that differ in their rows or types for some content of the relations, or fail for other content.
JOINED_AND_GROUPED: tuple[tuple[str, str], ...] = (
    # Relations and columns.
    ("SELECT a FROM t", "SELECT a FROM u"),
    ("SELECT a FROM t", "SELECT b FROM t"),
    ("SELECT a, b FROM t", "SELECT b, a FROM t"),
    ("SELECT a FROM t", "SELECT c FROM t"),
    ("SELECT a FROM T", "SELECT a FROM U"),
    ("SELECT p.x FROM t", "SELECT p.y FROM t"),
    ("SELECT named_struct('x', a) AS q FROM t", "SELECT named_struct('y', a) AS q FROM t"),
    # Joins.
    ("SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM u LEFT JOIN t ON t.a = u.a"),
    ("SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM t RIGHT JOIN u ON t.a = u.a"),
    ("SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM t JOIN u ON t.a = u.a"),
    ("SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM t FULL JOIN u ON t.a = u.a"),
    ("SELECT t.a, u.b FROM t JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM t JOIN u ON t.a <=> u.a"),
    ("SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a <=> u.a"),
    (
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND u.b > 1",
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a WHERE u.b > 1",
    ),
    (
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND t.b > 1",
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a WHERE t.b > 1",
    ),
    (
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND u.b IS NULL",
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a WHERE u.b IS NULL",
    ),
    (
        "SELECT t.a, u.b FROM t FULL JOIN u ON t.a = u.a AND t.b > 1",
        "SELECT t.a, u.b FROM (SELECT * FROM t WHERE b > 1) t FULL JOIN u ON t.a = u.a",
    ),
    (
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND t.a IS NOT NULL",
        "SELECT t.a, u.b FROM (SELECT * FROM t WHERE a IS NOT NULL) t LEFT JOIN u ON t.a = u.a",
    ),
    ("SELECT t.a FROM t JOIN u ON t.a = u.a", "SELECT t.a FROM t LEFT SEMI JOIN u ON t.a = u.a"),
    ("SELECT t.a FROM t LEFT SEMI JOIN u ON t.a = u.a", "SELECT t.a FROM t LEFT ANTI JOIN u ON t.a = u.a"),
    ("SELECT t.a FROM t LEFT ANTI JOIN u ON t.a = u.a", "SELECT t.a FROM t LEFT ANTI JOIN u ON t.a <=> u.a"),
    ("SELECT x.a FROM t x JOIN t y ON x.a = y.b", "SELECT y.a FROM t x JOIN t y ON x.a = y.b"),
    ("SELECT x.a, y.a FROM t x JOIN t y ON x.a < y.b", "SELECT x.a, y.a FROM t x JOIN t y ON x.a > y.b"),
    ("SELECT x.a FROM t x JOIN t y ON x.a = y.b", "SELECT x.a FROM t x JOIN t y ON x.b = y.a"),
    (
        "SELECT x.b FROM t x LEFT JOIN t y ON x.a = y.a WHERE y.b = 1",
        "SELECT y.b FROM t x LEFT JOIN t y ON x.a = y.a WHERE x.b = 1",
    ),
    (
        "SELECT x.a, z.b FROM t x JOIN t y ON x.a = y.b JOIN t z ON y.a = z.b",
        "SELECT x.a, z.b FROM t x JOIN t y ON x.a = y.b JOIN t z ON x.a = z.b",
    ),
    (
        "SELECT t.a, v.b FROM t LEFT JOIN u ON t.a = u.a LEFT JOIN v ON u.b = v.b",
        "SELECT t.a, v.b FROM t LEFT JOIN u ON t.a = u.a LEFT JOIN v ON t.b = v.b",
    ),
    (
        "SELECT t.a, u.b, v.b FROM t LEFT JOIN (u JOIN v ON u.a = v.a) ON t.a = u.a",
        "SELECT t.a, u.b, v.b FROM t LEFT JOIN u ON t.a = u.a LEFT JOIN v ON u.a = v.a",
    ),
    ("SELECT t.a FROM t CROSS JOIN u", "SELECT t.a FROM t JOIN u ON t.a = u.a"),
    # What a join pads is NULL, whatever it was made of.
    (
        "SELECT t.a, x FROM t LEFT JOIN (SELECT a, 1 AS x FROM u) u ON t.a = u.a",
        "SELECT t.a, 1 AS x FROM t LEFT JOIN u ON t.a = u.a",
    ),
    (
        "SELECT t.a, x FROM t LEFT JOIN (SELECT a, coalesce(b, 0) AS x FROM u) u ON t.a = u.a",
        "SELECT t.a, coalesce(u.b, 0) AS x FROM t LEFT JOIN u ON t.a = u.a",
    ),
    (
        "SELECT x, u.b FROM (SELECT a, coalesce(b, 0) AS x FROM t) t FULL JOIN u ON t.a = u.a",
        "SELECT coalesce(t.b, 0) AS x, u.b FROM t FULL JOIN u ON t.a = u.a",
    ),
    (
        "SELECT t.a, x FROM t LEFT JOIN (SELECT a, 1 AS x FROM u) u ON t.a = u.a LEFT JOIN v ON t.b = v.b",
        "SELECT t.a, x FROM t LEFT JOIN u ON t.a = u.a LEFT JOIN (SELECT b, 1 AS x FROM v) v ON t.b = v.b",
    ),
    (
        "SELECT t.a, u.b IS NULL AS x FROM t LEFT JOIN u ON t.a = u.a",
        "SELECT t.a, x IS NULL AS x FROM t LEFT JOIN (SELECT a, 1 AS x FROM u) u ON t.a = u.a",
    ),
    ("SELECT t.a FROM t CROSS JOIN u", "SELECT t.a FROM t"),
    # Conditions.
    ("SELECT a FROM t WHERE a > 1 AND b > 1", "SELECT a FROM t WHERE a > 1 OR b > 1"),
    ("SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE a >= 1"),
    ("SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE a > 2"),
    ("SELECT a FROM t WHERE a > b", "SELECT a FROM t WHERE b > a"),
    ("SELECT a FROM t WHERE a > 1", "SELECT a FROM t"),
    ("SELECT a FROM t WHERE a = b", "SELECT a FROM t WHERE a <=> b"),
    ("SELECT a FROM t WHERE a = 1", "SELECT a FROM t WHERE a IN (1, 2)"),
    ("SELECT a FROM t WHERE a IN (1, 2)", "SELECT a FROM t WHERE a IN (1, 3)"),
    ("SELECT a FROM t WHERE a IN (1, 2)", "SELECT a FROM t WHERE a NOT IN (1, 2)"),
    ("SELECT a FROM t WHERE a NOT IN (1, 2)", "SELECT a FROM t WHERE a IS NULL OR a NOT IN (1, 2)"),
    ("SELECT a FROM t WHERE a IS NULL", "SELECT a FROM t WHERE a IS NOT NULL"),
    ("SELECT a FROM t WHERE a IS NOT NULL", "SELECT a FROM t WHERE b IS NOT NULL"),
    ("SELECT a FROM t WHERE NOT (a = 1)", "SELECT a FROM t WHERE NOT (a <=> 1)"),
    ("SELECT a FROM t WHERE coalesce(a, 0) > 1 AND a IS NOT NULL", "SELECT a FROM t WHERE coalesce(a, 2) > 1"),
    ("SELECT a FROM t WHERE s LIKE 'x%'", "SELECT a FROM t WHERE s LIKE '%x'"),
    ("SELECT a FROM t WHERE s LIKE 'x_y'", "SELECT a FROM t WHERE s RLIKE 'x_y'"),
    ("SELECT a FROM t WHERE s LIKE ANY ('x_', '_y')", "SELECT a FROM t WHERE s LIKE ALL ('x_', '_y')"),
    ("SELECT a FROM t WHERE a BETWEEN 1 AND 3", "SELECT a FROM t WHERE a BETWEEN 1 AND 4"),
    ("SELECT a FROM t WHERE s = 'x'", "SELECT a FROM t WHERE s = 'X'"),
    ("SELECT a FROM t WHERE s COLLATE UTF8_LCASE = 'x'", "SELECT a FROM t WHERE s COLLATE UNICODE_CI = 'x'"),
    ("SELECT a FROM t WHERE s COLLATE UTF8_LCASE = 'x'", "SELECT a FROM t WHERE s = 'x'"),
    # Values.
    ("SELECT a + b AS x FROM t", "SELECT a - b AS x FROM t"),
    ("SELECT a - b AS x FROM t", "SELECT b - a AS x FROM t"),
    ("SELECT a + 1 AS x FROM t", "SELECT a + 2 AS x FROM t"),
    ("SELECT 1 AS x FROM t", "SELECT 2 AS x FROM t"),
    ("SELECT 1 AS x FROM t", "SELECT 1L AS x FROM t"),
    ("SELECT '1' AS x FROM t", "SELECT 1 AS x FROM t"),
    ("SELECT NULL AS x, a FROM t", "SELECT 'null' AS x, a FROM t"),
    ("SELECT CAST(NULL AS STRING) AS x, a FROM t", "SELECT 'null' AS x, a FROM t"),
    ("SELECT map('x', 'y,z') AS x FROM t", "SELECT map('x', 'y', 'z', 'z') AS x FROM t"),
    ("SELECT 0.0D AS x FROM t", "SELECT -0.0D AS x FROM t"),
    ("SELECT DATE '2020-01-01' AS x FROM t", "SELECT DATE '2020-01-02' AS x FROM t"),
    ("SELECT CAST(d AS DECIMAL(5,1)) AS x FROM t", "SELECT CAST(d AS DECIMAL(5,2)) AS x FROM t"),
    (
        "SELECT CAST(CAST(d AS DECIMAL(8,1)) AS STRING) AS x FROM t",
        "SELECT CAST(CAST(d AS DECIMAL(8,2)) AS STRING) AS x FROM t",
    ),
    ("SELECT round(f, 1) AS x FROM t", "SELECT round(f, 2) AS x FROM t"),
    ("SELECT round(f) AS x FROM t", "SELECT bround(f) AS x FROM t"),
    ("SELECT CASE WHEN a > 1 THEN b END AS x FROM t", "SELECT CASE WHEN a > 1 THEN b ELSE 0 END AS x FROM t"),
    (
        "SELECT CASE WHEN a > 1 THEN b WHEN b > 1 THEN a END AS x FROM t",
        "SELECT CASE WHEN b > 1 THEN a WHEN a > 1 THEN b END AS x FROM t",
    ),
    ("SELECT CASE a WHEN 1 THEN b END AS x FROM t", "SELECT CASE b WHEN 1 THEN a END AS x FROM t"),
    ("SELECT coalesce(a, b) AS x FROM t", "SELECT coalesce(b, a) AS x FROM t"),
    ("SELECT coalesce(a, b) AS x FROM t", "SELECT nullif(a, b) AS x FROM t"),
    ("SELECT greatest(a, b) AS x FROM t", "SELECT least(a, b) AS x FROM t"),
    ("SELECT concat(s, 'x') AS x FROM t", "SELECT concat('x', s) AS x FROM t"),
    ("SELECT substring(s, 1, 2) AS x FROM t", "SELECT substring(s, 2, 1) AS x FROM t"),
    ("SELECT element_at(m, 1) AS x FROM t", "SELECT try_element_at(m, 1) AS x FROM t"),
    ("SELECT m[0] AS x FROM t", "SELECT m[1] AS x FROM t"),
    ("SELECT m[0] AS x FROM t", "SELECT get(m, 0) AS x FROM t"),
    ("SELECT transform(m, e -> e + 1) AS x FROM t", "SELECT transform(m, e -> e + 2) AS x FROM t"),
    ("SELECT transform(m, (e, i) -> e) AS x FROM t", "SELECT transform(m, (e, i) -> i) AS x FROM t"),
    ("SELECT sort_array(m) AS x FROM t", "SELECT sort_array(m, false) AS x FROM t"),
    ("SELECT to_json(p) AS x FROM t", "SELECT to_json(p, map('ignoreNullFields', 'false')) AS x FROM t"),
    ("SELECT date_trunc('YEAR', s) AS x FROM t", "SELECT date_trunc('MONTH', s) AS x FROM t"),
    # Grouping.
    ("SELECT a FROM t", "SELECT DISTINCT a FROM t"),
    ("SELECT count(a) AS n FROM t", "SELECT count(*) AS n FROM t"),
    ("SELECT count(a) AS n FROM t", "SELECT count(DISTINCT a) AS n FROM t"),
    ("SELECT count(a, b) AS n FROM t", "SELECT count(a) AS n FROM t"),
    ("SELECT sum(c) AS n FROM t", "SELECT sum(DISTINCT c) AS n FROM t"),
    ("SELECT sum(a) AS n FROM t", "SELECT sum(b) AS n FROM t"),
    ("SELECT min(a) AS n FROM t", "SELECT max(a) AS n FROM t"),
    ("SELECT a, count(*) AS n FROM t GROUP BY a", "SELECT a, count(*) AS n FROM t GROUP BY a, b"),
    ("SELECT a, count(*) AS n FROM t GROUP BY a", "SELECT b, count(*) AS n FROM t GROUP BY b"),
    ("SELECT count(*) AS n FROM t", "SELECT count(*) AS n FROM t GROUP BY a"),
    ("SELECT count(*) AS n FROM t", "SELECT count(*) AS n FROM t GROUP BY 'x'"),
    (
        "SELECT a, sum(b) AS n FROM t GROUP BY a HAVING sum(b) > 1",
        "SELECT a, sum(b) AS n FROM t WHERE b > 1 GROUP BY a",
    ),
    ("SELECT a, sum(b) AS n FROM t GROUP BY a HAVING sum(b) > 1", "SELECT a, sum(b) AS n FROM t GROUP BY a"),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY a HAVING count(*) > 1",
        "SELECT a, count(*) AS n FROM t GROUP BY a HAVING count(b) > 1",
    ),
    (
        "SELECT sum(a) FILTER (WHERE b > 1) AS n FROM t",
        "SELECT sum(a) FILTER (WHERE b > 2) AS n FROM t",
    ),
    ("SELECT sum(a) FILTER (WHERE b > 1) AS n FROM t", "SELECT sum(a) AS n FROM t WHERE b > 1"),
    (
        "SELECT sum(a) FILTER (WHERE b > 1) AS n, count(*) AS m FROM t",
        "SELECT sum(a) AS n, count(*) AS m FROM t WHERE b > 1",
    ),
    ("SELECT first(a) AS n FROM t", "SELECT first(a, true) AS n FROM t"),
    ("SELECT percentile(a, 0.5) AS n FROM t", "SELECT percentile(a, 0.25) AS n FROM t"),
    ("SELECT a, sum(b) AS n FROM t GROUP BY a", "SELECT a, sum(b) OVER (PARTITION BY a) AS n FROM t"),
    (
        "SELECT x.n FROM (SELECT a, count(*) AS n FROM t GROUP BY a) x JOIN (SELECT a, count(*) AS n FROM u GROUP BY a) y "
        "ON x.a = y.a",
        "SELECT y.n FROM (SELECT a, count(*) AS n FROM t GROUP BY a) x JOIN (SELECT a, count(*) AS n FROM u GROUP BY a) y "
        "ON x.a = y.a",
    ),
    # Grouping sets.
    (
        "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a)",
        "SELECT a, count(*) AS n FROM t GROUP BY a",
    ),
    (
        "SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (a, b)",
        "SELECT a, b, count(*) AS n FROM t GROUP BY CUBE (a, b)",
    ),
    (
        "SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (a, b)",
        "SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (b, a)",
    ),
    (
        "SELECT a, b, count(*) AS n FROM t GROUP BY a, ROLLUP (b)",
        "SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (a, b)",
    ),
    (
        "SELECT a, b, count(*) AS n FROM t GROUP BY GROUPING SETS ((a), (b))",
        "SELECT a, b, count(*) AS n FROM t GROUP BY GROUPING SETS ((a, b))",
    ),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY GROUPING SETS ((a), (a))",
        "SELECT a, count(*) AS n FROM t GROUP BY GROUPING SETS ((a))",
    ),
    (
        "SELECT a, grouping(a) AS g FROM t GROUP BY CUBE (a, b)",
        "SELECT a, grouping(b) AS g FROM t GROUP BY CUBE (a, b)",
    ),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a) HAVING grouping(a) = 1",
        "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a) HAVING a IS NULL",
    ),
    (
        "SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (a, b) HAVING grouping(a) = 0",
        "SELECT a, b, count(*) AS n FROM t GROUP BY ROLLUP (a, b) HAVING grouping(b) = 0",
    ),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a) HAVING a IS NOT NULL",
        "SELECT a, count(*) AS n FROM t WHERE a IS NOT NULL GROUP BY ROLLUP (a)",
    ),
    (
        "SELECT a, b, sum(c) AS n FROM t GROUP BY ROLLUP (a, b)",
        "SELECT a, b, sum(d) AS n FROM t GROUP BY ROLLUP (a, b)",
    ),
    (
        "SELECT a, sum(a) AS n FROM t GROUP BY GROUPING SETS ((a), (b))",
        "SELECT a, a * count(*) AS n FROM t GROUP BY GROUPING SETS ((a), (b))",
    ),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a)",
        "SELECT a, count(*) AS n FROM t GROUP BY a UNION ALL SELECT NULL, count(*) AS n FROM t",
    ),
    (
        "SELECT count(*) AS n FROM t GROUP BY GROUPING SETS (())",
        "SELECT count(*) AS n FROM t GROUP BY GROUPING SETS ((), ())",
    ),
    (
        # A key that is NULL in the data meets one that the set leaves out.
        "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a)",
        "SELECT a, count(*) AS n FROM (SELECT CASE WHEN x = 0 THEN a END AS a FROM t "
        "CROSS JOIN (SELECT 0 AS x UNION ALL SELECT 1)) GROUP BY a",
    ),
    (
        "SELECT a, n FROM (SELECT a, x, count(*) AS n FROM (SELECT CASE WHEN x = 0 THEN a END AS a, x FROM t "
        "CROSS JOIN (SELECT 0 AS x UNION ALL SELECT 1)) GROUP BY a, x)",
        "SELECT a, n FROM (SELECT a, x, count(*) AS n FROM (SELECT CASE WHEN x = 0 THEN a END AS a, x FROM t "
        "CROSS JOIN (SELECT 0 AS x UNION ALL SELECT 0)) GROUP BY a, x)",
    ),
    # Several distinct aggregates.
    (
        "SELECT count(DISTINCT a) AS n, count(DISTINCT b) AS m FROM t",
        "SELECT count(DISTINCT b) AS n, count(DISTINCT a) AS m FROM t",
    ),
    (
        "SELECT count(DISTINCT a) AS n, count(DISTINCT b) AS m FROM t",
        "SELECT count(DISTINCT a) AS n, count(b) AS m FROM t",
    ),
    (
        "SELECT count(DISTINCT a) AS n, sum(DISTINCT c) AS m FROM t GROUP BY b",
        "SELECT count(DISTINCT a) AS n, sum(c) AS m FROM t GROUP BY b",
    ),
    (
        "SELECT count(DISTINCT a) AS n, count(DISTINCT c) FILTER (WHERE b > 1) AS m FROM t",
        "SELECT count(DISTINCT a) FILTER (WHERE b > 1) AS n, count(DISTINCT c) AS m FROM t",
    ),
    (
        "SELECT count(DISTINCT a) AS n, count(DISTINCT c) FILTER (WHERE b > 1) AS m FROM t",
        "SELECT count(DISTINCT a) AS n, count(DISTINCT c) FILTER (WHERE b > 2) AS m FROM t",
    ),
    (
        "SELECT count(DISTINCT a) AS n, count(DISTINCT b) AS m, sum(c) AS s FROM t",
        "SELECT count(DISTINCT a) AS n, count(DISTINCT b) AS m, sum(DISTINCT c) AS s FROM t",
    ),
    (
        "SELECT count(DISTINCT a, b) AS n, count(DISTINCT c) AS m FROM t",
        "SELECT count(DISTINCT a) AS n, count(DISTINCT c) AS m FROM t",
    ),
)
