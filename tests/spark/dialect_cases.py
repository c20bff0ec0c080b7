"""Expressions and queries in DuckDB's dialect for every part of it that definitions may use, over values that hurt."""

from __future__ import annotations

from headwater.core.names import TableName
from headwater.core.schema import Column, Schema
from headwater.sql.bind import SourceTable
from headwater.sql.statements import ObjectName

ROWS = 24
# Name, DuckDB's type, DuckLake's, and values that are repeated until there are enough.
COLUMNS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("i", "INTEGER", "int32", ("NULL", "0", "-1", "1", "7", "-7", "2147483647", "-2147483648", "3", "-3")),
    ("k", "INTEGER", "int32", ("3", "0", "NULL", "-2", "1", "2147483647", "-1")),
    ("j", "BIGINT", "int64", ("9223372036854775807", "-9223372036854775808", "NULL", "0", "9007199254740993", "-5")),
    ("sh", "SMALLINT", "int16", ("32767", "-32768", "NULL", "0", "5")),
    ("n", "DECIMAL(10,2)", "decimal(10,2)", ("0.01", "-2.50", "2.50", "NULL", "0", "99999999.99", "-0.99", "1.005")),
    ("m", "DECIMAL(6,4)", "decimal(6,4)", ("0", "NULL", "-0.0001", "99.9999", "3.3333", "1")),
    (
        "x",
        "DOUBLE",
        "float64",
        (
            "0",
            "NULL",
            "-0.0::DOUBLE",
            "1.5",
            "-2.5",
            "2.5",
            "0.49999999999999994",
            "1e300",
            "-1e-300",
            "'nan'",
            "'inf'",
        ),
    ),
    ("y", "DOUBLE", "float64", ("0", "2", "'-0.0'", "NULL", "'-inf'", "-0.5", "1e300")),
    ("f", "FLOAT", "float32", ("0.1", "NULL", "'-0.0'", "16777217", "'nan'")),
    (
        "s",
        "VARCHAR",
        "varchar",
        (
            "'ß'",
            "''",
            "NULL",
            "' a b '",
            "'Straße ΑΣ'",
            "'e\u0301x'",
            "'\U0001f926\U0001f3fc\u200d♂️'",
            "'\u00a0\u3000\tin\u2003 '",
            "'a%b_c'",
            "'it''s \\ n'",
            "'line\nbreak'",
            "'0012'",
            "'Z'",
            "'a'",
        ),
    ),
    ("u", "VARCHAR", "varchar", ("'a'", "'ß'", "NULL", "''", "'b'", "'%'")),
    (
        "d",
        "DATE",
        "date",
        ("'2024-02-29'", "'2023-12-31'", "NULL", "'1970-01-01'", "'0001-01-01'", "'1582-10-14'", "'9999-12-31'"),
    ),
    (
        "ts",
        "TIMESTAMP",
        "timestamp",
        (
            "'1969-12-31 23:59:59.999999'",
            "'2024-01-31 12:30:45.5'",
            "NULL",
            "'2021-03-28 02:30:00'",
            "'1582-10-10 00:00:00.000001'",
            "'9999-12-31 23:59:59'",
        ),
    ),
    (
        "tz",
        "TIMESTAMPTZ",
        "timestamptz",
        ("'2024-01-31 23:30:00-05'", "NULL", "'1969-12-31 23:59:59.999999+00'", "'2021-03-28 02:30:00+02'"),
    ),
    ("b", "BOOLEAN", "boolean", ("true", "false", "NULL")),
)
TABLE = SourceTable(
    1,
    TableName("main", "t"),
    Schema(
        tuple(
            Column(name, lake, number)
            for number, (name, lake) in enumerate([("id", "int32"), *((c[0], c[2]) for c in COLUMNS)], 1)
        )
    ),
)


class OneTable:
    """A lake with just that table."""

    def find(self, name: ObjectName) -> SourceTable | None:
        return TABLE if name.name.lower() == "t" else None


def statements() -> list[str]:
    """What makes the table in DuckDB."""
    types = ", ".join(f"{name} {duck}" for name, duck, _, _ in COLUMNS)
    rows = [
        f"({number}, {', '.join(values[number % len(values)] for *_, values in COLUMNS)})" for number in range(ROWS)
    ]
    return [f"CREATE OR REPLACE TABLE memory.main.t (id INTEGER, {types})", f"INSERT INTO t VALUES {', '.join(rows)}"]


# Of one row each.
EXPRESSIONS = (
    # Numbers
    "i + k", "i - k", "i * k", "j + i", "j - i", "j * k", "sh + sh", "sh * i", "n + m", "n - m", "n * m", "n + i", "n * k",
    "x + y", "x - y", "x * y", "f::DOUBLE + x", "f::DOUBLE * n", "i + 1.5", "n * 2", "-i", "-j", "-n", "-x", "-sh",
    "i % k", "j % k", "n % m", "n % i", "x % 2", "n % 0.3", "i % -3", "sh % k", "j % 0", "i % (k + 1)", "x % 0.7",
    "i / k", "j / k", "n / m", "x / y", "i / 2", "x / 0", "n / 0.0", "i / (k - 3)", "x / (y / n)", "f::DOUBLE / y", "-1 / y",
    "abs(i)", "abs(j)", "abs(n)", "abs(x)", "abs(sh)",
    "ceil(n)", "floor(n)", "ceil(m)", "floor(-m)", "ceil(CAST(i AS DECIMAL(12,1)) + 0.5)", "round(n)", "round(m)",
    "round(x)", "round(i)", "round(j)", "abs(f::DOUBLE)", "f IS NULL", "f", "(i + 1) * 2",
    "greatest(i, k)", "least(i, k)", "greatest(x, y)", "least(x, y)", "greatest(s, u)", "least(d, DATE '2000-01-01')",
    # Comparisons
    "i = k", "i <> k", "i < k", "i <= k", "i > k", "i >= k", "x = y", "x <> y", "x < y", "x >= y", "x = x", "f::DOUBLE = x",
    "j = x", "j <> y", "n = x",
    "i = n", "j > n", "s = u", "s < u", "s >= u", "d = ts", "ts < d", "tz >= ts", "tz > d", "d = '2024-02-29'", "i = 7.0",
    "i IS NULL", "s IS NOT NULL", "i IS DISTINCT FROM k", "i IS NOT DISTINCT FROM k", "x IS NOT DISTINCT FROM y",
    "i BETWEEN k AND 7", "i NOT BETWEEN -1 AND 1", "s BETWEEN 'Z' AND 'b'", "i IN (1, NULL, 7)", "i NOT IN (1, 7)",
    "s IN ('ß', '')", "b AND i > 0", "b OR i > 0", "NOT b", "b IS TRUE", "b IS NOT FALSE", "true", "NULL", "(i, k) = (1, 3)",
    "s LIKE '%a%'", "s LIKE '_'", "s LIKE ''", "s NOT LIKE '%\n%'", "s LIKE '__x'", "s LIKE '%ß%'",
    # Text
    "s || u", "s || '-' || u", "s || i", "i || '-' || j", "s || NULL", "concat_ws('-', s, u, 'x')", "concat_ws(u, s, i, NULL)",
    "length(s)", "length(s || u)", "trim(s)", "ltrim(s)", "rtrim(s)", "trim(s, 'a ')", "ltrim(s, 'ß\u00a0')", "rtrim(s, 'cb')",
    "trim(s, '')", "replace(s, 'a', 'bb')", "replace(s, '', 'x')", "replace(s, u, 'ß')", "replace(s, 'ß', '')",
    "substring(s, 1, 2)", "substring(s, 2)", "substring(s, 3, 0)", "substring(s, 100, 5)", "substring(s, 1, 2147483647)",
    "'it''s \\ ß'", "''",
    # Dates and moments
    "year(d)", "month(d)", "day(d)", "year(ts)", "month(ts)", "day(ts)", "hour(ts)", "minute(ts)", "second(ts)", "hour(tz)",
    "day(tz)", "second(tz)",
    *(f"extract({part} FROM {of})" for part in ("year", "quarter", "month", "day") for of in ("d", "ts", "tz")),
    *(f"extract({part} FROM {of})" for part in ("hour", "minute") for of in ("ts", "tz")),
    *(
        f"CAST(date_trunc('{unit}', {of}) AS {to})"
        for unit in ("year", "quarter", "month", "week", "day")
        for of, to in (("d", "DATE"), ("ts", "TIMESTAMP"), ("tz", "TIMESTAMPTZ"))
    ),
    *(f"CAST(date_trunc('{unit}', ts) AS TIMESTAMP)" for unit in ("hour", "minute")),
    # Casts
    "ts::DATE", "tz::DATE", "d::TIMESTAMP", "tz::TIMESTAMP", "ts::TIMESTAMPTZ", "d::TIMESTAMPTZ", "d::DATE",
    "i::DOUBLE", "j::DOUBLE", "n::DOUBLE", "f::DOUBLE", "i::DECIMAL(12,2)", "n::DECIMAL(4,1)", "m::DECIMAL(10,3)",
    "j::DECIMAL(20,0)", "i::BIGINT", "j::INT", "sh::INT", "round(x)::INT", "round(x)::BIGINT", "ceil(n)::INT", "floor(m)::INT",
    "round(n)::BIGINT", "length(s)::INT", "NULL::DATE", "'2024-02-29'::DATE", "DATE '0001-01-01'", "'-12.50'::DECIMAL(5,1)",
    "'2.675'::DOUBLE", "'-12'::INT", "TIMESTAMP '2024-01-31 01:02:03.000009'", "'1999-12-31'::TIMESTAMP",
    "'2024-01-31 00:00:00'::TIMESTAMPTZ", "TRY_CAST(j AS INT)", "TRY_CAST(n AS DECIMAL(4,1))", "TRY_CAST(round(x) AS INT)",
    "TRY_CAST(ts AS DATE)", "2.5::DECIMAL(5,1)", "9223372036854775807", "0.1 + 0.2", "1e2 + 1",
    # Choices
    "coalesce(i, k, 5)", "coalesce(s, u)", "nullif(i, k)", "nullif(s, 'ß')", "nullif(x, y)", "if(b, i, k)",
    "CASE WHEN i > k THEN s WHEN b THEN u END", "CASE i WHEN 0 THEN 'zero' WHEN NULL THEN 'never' ELSE 'other' END",
    # The clock
    "now() > TIMESTAMPTZ '2020-01-01 00:00:00'", "current_timestamp > tz", "current_date > DATE '2020-01-01'",
    "localtimestamp > TIMESTAMP '2020-01-01 00:00:00'",
)  # fmt: skip

QUERIES = (
    "FROM t ORDER BY i LIMIT 3 OFFSET 100",
    "SELECT id, s FROM t ORDER BY s, id LIMIT 5",
    "SELECT id, x FROM t ORDER BY x DESC, id LIMIT 7 OFFSET 2",
    "SELECT id, row_number() OVER (ORDER BY i, id) AS r FROM t",
    "SELECT id, rank() OVER (PARTITION BY b ORDER BY x DESC) AS r, dense_rank() OVER (ORDER BY s) AS q FROM t",
    "SELECT id, lag(i) OVER (ORDER BY id) AS a, lead(s, 2) OVER (ORDER BY id DESC) AS z, "
    "lag(i, 1, 0) OVER (ORDER BY id) AS y FROM t",
    "SELECT id, sum(k) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a, "
    "sum(k) OVER (ORDER BY sh) AS z, count(*) OVER (PARTITION BY x) AS y FROM t",
    "SELECT b, count(*) AS c, count(i) AS d, count(DISTINCT s) AS e, count(DISTINCT x) AS g FROM t GROUP BY b",
    "SELECT x, count(*) AS c FROM t GROUP BY x",
    "SELECT b, sum(i) AS a, sum(n) AS c, sum(m) AS d, sum(DISTINCT k) AS e, sum(sh) AS g FROM t GROUP BY ALL",
    "SELECT sum(i) AS a, sum(n) AS c, count(*) AS d, min(s) AS e, avg(i::DOUBLE) AS f FROM t WHERE false",
    "SELECT b, min(i) AS a, max(i) AS c, min(x) AS d, max(x) AS e, min(s) AS g, max(s) AS h, min(d) AS k, max(tz) AS l "
    "FROM t GROUP BY b",
    "SELECT b, avg(i::DOUBLE) AS a, avg(DISTINCT k::DOUBLE) AS c, avg(y) AS d FROM t GROUP BY b",
    "SELECT b, sum(i) FILTER (WHERE k > 0) AS a, count(*) FILTER (WHERE s LIKE '%a%') AS c FROM t GROUP BY b HAVING sum(k) > 0",
    "SELECT f, count(*) AS c FROM t GROUP BY f",
    "SELECT min(f::DOUBLE) AS a, count(DISTINCT f) AS d, sum(f) FILTER (WHERE id < 3) AS e FROM t",
    "SELECT DISTINCT b, sh FROM t",
    "SELECT * EXCLUDE (i, x) FROM t WHERE i > 0",
    "SELECT k FROM t UNION SELECT i FROM t",
    "SELECT k FROM t UNION ALL SELECT i FROM t",
    "SELECT k FROM t EXCEPT SELECT i FROM t",
    "SELECT k FROM t EXCEPT ALL SELECT i FROM t",
    "SELECT k FROM t INTERSECT SELECT i FROM t",
    "SELECT k FROM t INTERSECT ALL SELECT i FROM t",
    "SELECT a.id, c.s FROM t a JOIN t c ON a.i = c.k",
    "SELECT a.id, c.s FROM t a INNER JOIN t c ON a.s = c.u",
    "SELECT a.id, c.s FROM t a LEFT JOIN t c ON a.x = c.y",
    "SELECT a.id, c.s FROM t a RIGHT JOIN t c ON a.d = c.ts",
    "SELECT a.id, c.s FROM t a FULL OUTER JOIN t c ON a.i = c.k AND a.b",
    "SELECT a.id, c.id AS other FROM t a CROSS JOIN t c WHERE a.id < 3",
    "SELECT a.id FROM t a SEMI JOIN t c ON a.i = c.k",
    "SELECT a.id FROM t a ANTI JOIN t c ON a.i = c.k",
    "SELECT id, a.s FROM t a JOIN (SELECT id, k FROM t) c USING (id)",
    "SELECT id, k FROM (SELECT id, i FROM t) NATURAL JOIN (SELECT id, k FROM t)",
    "SELECT id FROM t WHERE i IN (SELECT k FROM t WHERE k IS NOT NULL)",
    "SELECT id FROM t WHERE i NOT IN (SELECT k FROM t)",
    "SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t c WHERE c.k = a.i)",
    "SELECT id, (SELECT max(k) FROM t) AS m FROM t",
    "WITH c AS MATERIALIZED (SELECT id, n * 2 AS n FROM t), e AS (SELECT id, ceil(n) AS n FROM c) SELECT * FROM e",
    "SELECT v.a, v.z || 'x' AS z FROM (SELECT a, s AS z FROM (VALUES (1, 'ß'), (NULL, NULL)) AS q(a, s2) JOIN t ON id = a) v",
    "SELECT id, s FROM t QUALIFY row_number() OVER (PARTITION BY b ORDER BY i DESC, id) = 1",
)  # fmt: skip
