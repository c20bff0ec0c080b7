"""Pairs of queries that are the same, written otherwise."""

from __future__ import annotations

# Pairs that mean the same, and whose difference is of a kind that planning makes.
SAME: tuple[tuple[str, str], ...] = (
    (
        "SELECT a FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1",
        "SELECT a FROM (SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM t) WHERE n = 1",
    ),
    ("SELECT a FROM t", "SELECT x.A FROM T AS x"),
    ("SELECT a AS one FROM t", "SELECT a AS other FROM t"),
    ("SELECT a FROM t", "SELECT a FROM (SELECT a, b FROM (SELECT * FROM t))"),
    ("SELECT a + 1 AS x FROM t", "SELECT y + 1 AS x FROM (SELECT a AS y, b FROM t)"),
    ("SELECT a FROM t WHERE a > 1 AND b > 1", "SELECT a FROM t WHERE b > 1 AND a > 1"),
    ("SELECT a FROM t WHERE a = 1 OR b = 2", "SELECT a FROM t WHERE 2 = b OR 1 = a"),
    ("SELECT a FROM t WHERE a > 1 AND b > 1", "SELECT a FROM (SELECT a, b FROM t WHERE b > 1) WHERE a > 1"),
    ("SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE a > 1 AND a IS NOT NULL"),
    ("SELECT t.a, u.b FROM t JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM u JOIN t ON u.a = t.a"),
    ("SELECT t.a, u.b FROM t JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM t, u WHERE t.a = u.a"),
    (
        "SELECT t.a, u.b FROM t JOIN u ON t.a = u.a AND t.b > 1",
        "SELECT t.a, u.b FROM (SELECT * FROM t WHERE b > 1) t JOIN u ON t.a = u.a",
    ),
    (
        "SELECT t.a, u.b, v.c FROM t JOIN u ON t.a = u.a JOIN v ON u.b = v.b",
        "SELECT t.a, u.b, v.c FROM v JOIN u ON u.b = v.b JOIN t ON t.a = u.a",
    ),
    ("SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a", "SELECT t.a, u.b FROM u RIGHT JOIN t ON t.a = u.a"),
    (
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND u.b > 1",
        "SELECT t.a, u.b FROM t LEFT JOIN (SELECT * FROM u WHERE b > 1) u ON t.a = u.a",
    ),
    (
        "SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a WHERE t.b > 1",
        "SELECT t.a, u.b FROM (SELECT * FROM t WHERE b > 1) t LEFT JOIN u ON t.a = u.a",
    ),
    (
        "SELECT a FROM t WHERE a IN (SELECT a FROM u)",
        "SELECT t.a FROM t LEFT SEMI JOIN u ON t.a = u.a",
    ),
    (
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)",
        "SELECT t.a FROM t LEFT SEMI JOIN u ON t.a = u.a",
    ),
    (
        "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a)",
        "SELECT t.a FROM t LEFT ANTI JOIN u ON t.a = u.a",
    ),
    (
        "SELECT a FROM t WHERE a NOT IN (SELECT a FROM u)",
        "SELECT t.a FROM t LEFT ANTI JOIN u ON t.a = u.a OR (t.a = u.a) IS NULL",
    ),
    (
        "SELECT a FROM t WHERE b > 1 AND a IN (SELECT a FROM u)",
        "SELECT a FROM (SELECT t.a, t.b FROM t LEFT SEMI JOIN u ON t.a = u.a) WHERE b > 1",
    ),
    (
        "SELECT a FROM t WHERE a = (SELECT max(a) FROM u)",
        "SELECT t.a FROM t LEFT JOIN (SELECT max(a) AS x FROM u) ON TRUE WHERE t.a = x",
    ),
    ("SELECT DISTINCT a FROM t", "SELECT a FROM t GROUP BY a"),
    ("SELECT count(*) AS n FROM t", "SELECT count(1) AS n FROM t"),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY a",
        "SELECT a, n FROM (SELECT count(*) AS n, a FROM t GROUP BY a)",
    ),
    (
        "SELECT a, sum(b) AS n FROM t GROUP BY a HAVING sum(b) > 1",
        "SELECT a, n FROM (SELECT a, sum(b) AS n FROM t GROUP BY a) WHERE n > 1",
    ),
    (
        "SELECT a + 1 AS x, count(*) AS n FROM t GROUP BY 1",
        "SELECT y AS x, count(*) AS n FROM (SELECT a + 1 AS y FROM t) GROUP BY y",
    ),
    ("SELECT a, b, count(*) AS n FROM t GROUP BY a, b", "SELECT a, b, count(*) AS n FROM t GROUP BY b, a"),
    (
        "SELECT sum(a) FILTER (WHERE b > 1) AS n, b FROM t GROUP BY b",
        "SELECT n, b FROM (SELECT b, sum(a) FILTER (WHERE b > 1) AS n FROM t GROUP BY b)",
    ),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a)",
        "SELECT a, count(*) AS n FROM t GROUP BY GROUPING SETS ((a), ())",
    ),
    (
        "SELECT a, b, grouping(a) AS g FROM t GROUP BY CUBE (a, b)",
        "SELECT a, b, grouping(a) AS g FROM t GROUP BY GROUPING SETS ((), (b, a), (b), (a))",
    ),
    (
        "SELECT s, count(*) AS n, grouping(s) AS g FROM t GROUP BY ROLLUP (s) HAVING s IS NOT NULL OR count(*) > 1",
        "SELECT k, n, CAST(CASE x WHEN 7 THEN 0 WHEN 3 THEN 1 END AS TINYINT) AS g FROM ("
        "SELECT k, x, count(*) AS n FROM (SELECT CASE WHEN x IN (7, 9) THEN s END AS k, x FROM t "
        "CROSS JOIN (SELECT 3 AS x UNION ALL SELECT 7)) GROUP BY k, x) WHERE k IS NOT NULL OR n > 1",
    ),
    (
        "SELECT count(DISTINCT a + 1) AS n, count(DISTINCT upper(s)) AS m, sum(c) AS x FROM t WHERE a > 1",
        "SELECT n, m, x FROM (SELECT sum(c) AS x, count(DISTINCT s) AS m, count(DISTINCT a) AS n "
        "FROM (SELECT upper(s) AS s, c, a + 1 AS a FROM t WHERE a > 1))",
    ),
    (
        "SELECT a, b, count(DISTINCT c) AS n, count(DISTINCT s) FILTER (WHERE d > 0) AS m FROM t GROUP BY ROLLUP (a, b)",
        "SELECT a, b, n, m FROM (SELECT a, b, count(DISTINCT s) FILTER (WHERE d > 0) AS m, count(DISTINCT c) AS n "
        "FROM t GROUP BY GROUPING SETS ((a, b), (a), ()))",
    ),
    ("SELECT a FROM t UNION SELECT a FROM u", "SELECT a FROM (SELECT a FROM t UNION ALL SELECT a FROM u) GROUP BY a"),
    (
        "SELECT a FROM t UNION ALL SELECT a FROM u",
        "SELECT x AS a FROM (SELECT a AS x FROM t UNION ALL SELECT a FROM u)",
    ),
    ("SELECT a FROM t EXCEPT SELECT a FROM u", "SELECT x FROM (SELECT a AS x FROM t) EXCEPT SELECT a AS x FROM u"),
    ("SELECT a FROM t INTERSECT SELECT a FROM u", "(SELECT a FROM t) INTERSECT (SELECT a FROM u)"),
    (
        "WITH w AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT x.n, y.a FROM w x JOIN w y ON x.a = y.n",
        "SELECT x.n, y.a FROM (SELECT a, count(*) AS n FROM t GROUP BY a) x "
        "JOIN (SELECT a, count(*) AS n FROM t GROUP BY a) y ON x.a = y.n",
    ),
    (
        "SELECT a FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) > 1",
        "SELECT a FROM (SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM t) WHERE n > 1",
    ),
    (
        "SELECT a, sum(b) OVER w AS n FROM t WINDOW w AS (PARTITION BY a ORDER BY c)",
        "SELECT a, sum(b) OVER (PARTITION BY a ORDER BY c) AS n FROM t",
    ),
    ("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM (SELECT a FROM t ORDER BY a ASC NULLS FIRST LIMIT 3)"),
    ("SELECT a FROM t ORDER BY b LIMIT 3", "SELECT a FROM (SELECT a, b FROM t ORDER BY b ASC NULLS FIRST LIMIT 3)"),
    ("SELECT a FROM t ORDER BY a", "SELECT a FROM t"),
    ("SELECT explode(m) AS e FROM t", "SELECT e FROM t LATERAL VIEW explode(m) x AS e"),
    ("SELECT nvl(a, b) AS x FROM t", "SELECT coalesce(a, b) AS x FROM t"),
    ("SELECT isnull(a) AS x FROM t", "SELECT a IS NULL AS x FROM t"),
    ("SELECT a FROM t WHERE a BETWEEN 1 AND 3", "SELECT a FROM t WHERE a >= 1 AND a <= 3"),
    (
        "SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a) AS x FROM t",
        "SELECT t.a, if(z IS NULL, 0L, x) AS x FROM t "
        "LEFT JOIN (SELECT a, count(*) AS x, true AS z FROM u GROUP BY a) u ON u.a = t.a",
    ),
    (
        "SELECT a, (SELECT sum(b) + 1 FROM u WHERE u.a = t.a) AS x FROM t",
        "SELECT t.a, if(z IS NULL, NULL, x) AS x FROM t "
        "LEFT JOIN (SELECT a, sum(b) + 1 AS x, true AS z FROM u GROUP BY a) u ON u.a = t.a",
    ),
    (
        "SELECT a, (SELECT max(b) FROM u) AS x FROM t",
        "SELECT t.a, x FROM t LEFT JOIN (SELECT max(b) AS x FROM u) ON true",
    ),
    ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE b > 1)", "SELECT a FROM t LEFT SEMI JOIN u ON u.b > 1"),
    ("SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u)", "SELECT a FROM t LEFT ANTI JOIN u ON true"),
    (
        "SELECT a, EXISTS (SELECT 1 FROM u WHERE b > 1) AS x FROM t WHERE b > 1 OR NOT EXISTS (SELECT 1 FROM u)",
        "SELECT a, (SELECT count(*) FROM u WHERE b > 1) > 0 AS x FROM t WHERE b > 1 OR NOT (SELECT count(*) FROM u) > 0",
    ),
    (
        "SELECT a, (SELECT max(b) FROM u) - (SELECT min(b) FROM u) AS x FROM t",
        "SELECT t.a, y - z AS x FROM t CROSS JOIN (SELECT max(b) AS y FROM u) CROSS JOIN (SELECT min(b) AS z FROM u)",
    ),
    (
        "SELECT a FROM t WHERE b > 1 OR NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.c AND u.b = 2)",
        "SELECT t.a FROM t LEFT JOIN (SELECT a, true AS z FROM u WHERE b = 2 GROUP BY a) u ON u.a = t.c "
        "WHERE t.b > 1 OR z IS NULL",
    ),
    (
        "SELECT a, EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b <=> t.b) AS x FROM t",
        "SELECT t.a, z IS NOT NULL AS x FROM t LEFT JOIN (SELECT a, b, true AS z FROM u GROUP BY a, b) u "
        "ON u.a = t.a AND t.b <=> u.b",
    ),
    (
        "SELECT t.a, u.b FROM t FULL JOIN u ON t.a = u.a WHERE t.b > 1",
        "SELECT t.a, u.b FROM (SELECT * FROM t WHERE b > 1) t LEFT JOIN u ON t.a = u.a",
    ),
)
