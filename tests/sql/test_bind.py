"""A query in Spark's dialect keeps its text but for the names of tables, views and clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

from headwater.sql.bind import BoundQuery, SourceTable, bind
from tests.sql.small_lake import OBJECTS, SmallLake

BIG = "(SELECT id, amount FROM `hw_source_1` AS `orders` WHERE amount > 10)"
WEIRD = "`we``ird.\"näme' 😀`"


def bound(text: str, dialect: str = "spark") -> BoundQuery:
    result = bind(text, SmallLake(), dialect=dialect)
    assert result.text == text
    assert sqlglot.parse_one(result.sql, dialect="spark")
    assert sqlglot.parse_one(result.at(datetime(2026, 1, 2, tzinfo=UTC)), dialect="spark")
    return result


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("SELECT 1", "SELECT 1"),
        ("VALUES (1), (2)", "VALUES (1), (2)"),
        ("SELECT * FROM shop.orders", "SELECT * FROM `hw_source_1` AS `orders`"),
        ("SELECT * FROM lake.shop.orders", "SELECT * FROM `hw_source_1` AS `orders`"),
        ("SELECT * FROM SHOP.Orders", "SELECT * FROM `hw_source_1` AS `Orders`"),
        ("FROM t SELECT a", "FROM `hw_source_1` AS `t` SELECT a"),
        ("SELECT  a\nFROM t x", "SELECT  a\nFROM `hw_source_1` x"),
        ("SELECT k FROM t AS x(k, l, m)", "SELECT k FROM `hw_source_1` AS x(k, l, m)"),
        ("-- what\nSELECT a FROM t; -- for", "SELECT a FROM `hw_source_1` AS `t`"),
        ("SELECT x.a FROM t x, t AS y", "SELECT x.a FROM `hw_source_1` x, `hw_source_1` AS y"),
        ("SELECT a FROM (t)", "SELECT a FROM (`hw_source_1` AS `t`)"),
        (
            "SELECT o.id FROM shop.orders o LEFT JOIN shop.customers USING (id)",
            "SELECT o.id FROM `hw_source_1` o LEFT JOIN `hw_source_2` AS `customers` USING (id)",
        ),
        (
            "SELECT * FROM (shop.orders JOIN shop.customers c ON true)",
            "SELECT * FROM (`hw_source_1` AS `orders` JOIN `hw_source_2` c ON true)",
        ),
        (f"SELECT x FROM main.{WEIRD} -- t", f"SELECT x FROM `hw_source_1` AS {WEIRD}"),
        (f"SELECT '😀', x FROM {WEIRD}, t", f"SELECT '😀', x FROM `hw_source_1` AS {WEIRD}, `hw_source_2` AS `t`"),
        (
            "SELECT a /* FROM t */ FROM /* t */ main /* . */ . -- t\n t WHERE a = 1",
            "SELECT a /* FROM t */ FROM /* t */ `hw_source_1` AS `t` WHERE a = 1",
        ),
        (
            "SELECT 'FROM t', r'\\t' FROM t",
            "SELECT 'FROM t', r'\\t' FROM `hw_source_1` AS `t`",
        ),
        ("SELECT /*+ BROADCAST(t) */ a FROM t", "SELECT /*+ BROADCAST(t) */ a FROM `hw_source_1` AS `t`"),
        ("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM `hw_source_1` AS `t` ORDER BY a LIMIT 3"),
        (
            "SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2)) p",
            "SELECT * FROM `hw_source_1` AS `t` PIVOT (sum(a) FOR b IN (1, 2)) p",
        ),
    ],
)
def test_tables_are_read_by_the_names_of_their_scans(text: str, sql: str) -> None:
    assert bound(text).sql == sql


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        (
            "WITH orders AS (SELECT * FROM shop.orders) SELECT * FROM orders",
            "WITH orders AS (SELECT * FROM `hw_source_1` AS `orders`) SELECT * FROM orders",
        ),
        (
            "WITH t AS (SELECT * FROM t) SELECT * FROM T JOIN main.t u",
            "WITH t AS (SELECT * FROM `hw_source_1` AS `t`) SELECT * FROM T JOIN `hw_source_1` u",
        ),
        (
            "WITH x AS (SELECT a FROM t), t AS (SELECT a FROM x) SELECT * FROM t, x",
            "WITH x AS (SELECT a FROM `hw_source_1` AS `t`), t AS (SELECT a FROM x) SELECT * FROM t, x",
        ),
        (
            "SELECT (WITH t AS (SELECT 2 AS a) SELECT a FROM t), a FROM t",
            "SELECT (WITH t AS (SELECT 2 AS a) SELECT a FROM t), a FROM `hw_source_1` AS `t`",
        ),
        (
            "WITH t AS (WITH t AS (SELECT a FROM t) SELECT a FROM t) SELECT (SELECT max(a) FROM t)",
            "WITH t AS (WITH t AS (SELECT a FROM `hw_source_1` AS `t`) SELECT a FROM t) SELECT (SELECT max(a) FROM t)",
        ),
        (
            "(WITH t AS (SELECT 1 AS a) SELECT a FROM t) UNION ALL SELECT a FROM t",
            "(WITH t AS (SELECT 1 AS a) SELECT a FROM t) UNION ALL SELECT a FROM `hw_source_1` AS `t`",
        ),
        (
            "WITH t AS (SELECT 1 AS a) SELECT a FROM t UNION ALL SELECT a FROM t",
            "WITH t AS (SELECT 1 AS a) SELECT a FROM t UNION ALL SELECT a FROM t",
        ),
        (
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
        ),
    ],
)
def test_common_table_expressions_hide_tables_where_they_are_visible(text: str, sql: str) -> None:
    assert bound(text).sql == sql


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        (
            "SELECT a FROM t WHERE a IN (SELECT id FROM shop.orders) AND EXISTS (SELECT 1 FROM t u WHERE u.a = t.a)",
            "SELECT a FROM `hw_source_1` AS `t` WHERE a IN (SELECT id FROM `hw_source_2` AS `orders`)"
            " AND EXISTS (SELECT 1 FROM `hw_source_1` u WHERE u.a = t.a)",
        ),
        (
            "SELECT (SELECT max(id) FROM shop.orders) AS m FROM (SELECT a FROM t) q",
            "SELECT (SELECT max(id) FROM `hw_source_1` AS `orders`) AS m FROM (SELECT a FROM `hw_source_2` AS `t`) q",
        ),
        (
            "SELECT a FROM t UNION ALL SELECT id FROM shop.orders EXCEPT (SELECT 1 INTERSECT SELECT a FROM t)",
            "SELECT a FROM `hw_source_1` AS `t` UNION ALL SELECT id FROM `hw_source_2` AS `orders`"
            " EXCEPT (SELECT 1 INTERSECT SELECT a FROM `hw_source_1` AS `t`)",
        ),
        (
            "SELECT a, z FROM t LATERAL VIEW OUTER explode(b) e AS z",
            "SELECT a, z FROM `hw_source_1` AS `t` LATERAL VIEW OUTER explode(b) e AS z",
        ),
        (
            "SELECT * FROM t, LATERAL (SELECT id FROM shop.orders WHERE id = t.a) q, range(3) r, (VALUES (1)) v(k)",
            "SELECT * FROM `hw_source_1` AS `t`, LATERAL (SELECT id FROM `hw_source_2` AS `orders` WHERE id = t.a) q,"
            " range(3) r, (VALUES (1)) v(k)",
        ),
        ("SELECT col FROM explode(array(1, 2))", "SELECT col FROM explode(array(1, 2))"),
    ],
)
def test_tables_are_found_wherever_a_query_reads(text: str, sql: str) -> None:
    assert bound(text).sql == sql


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("SELECT shop.orders.id FROM shop.orders", "SELECT `orders`.id FROM `hw_source_1` AS `orders`"),
        ("SELECT lake.shop.orders.s.f FROM shop.orders", "SELECT `orders`.s.f FROM `hw_source_1` AS `orders`"),
        ("SELECT Shop . orders.* FROM lake.shop.orders", "SELECT `orders`.* FROM `hw_source_1` AS `orders`"),
        ("SELECT main.t.a + 1 AS n FROM t", "SELECT `t`.a + 1 AS n FROM `hw_source_1` AS `t`"),
        ("SELECT orders.s.f, s.f.g FROM shop.orders", "SELECT orders.s.f, s.f.g FROM `hw_source_1` AS `orders`"),
        ("SELECT shop.big.id FROM shop.big", f"SELECT `big`.id FROM {BIG} AS `big`"),
        (
            "SELECT 1 FROM shop.orders WHERE EXISTS (SELECT 1 FROM t WHERE t.a = shop.orders.id)",
            "SELECT 1 FROM `hw_source_1` AS `orders` WHERE EXISTS (SELECT 1 FROM `hw_source_2` AS `t` WHERE"
            " t.a = `orders`.id)",
        ),
        ("SELECT shop.orders.id FROM shop.orders o", "SELECT shop.orders.id FROM `hw_source_1` o"),
    ],
)
def test_columns_under_their_schemas_are_shortened(text: str, sql: str) -> None:
    assert bound(text).sql == sql


@pytest.mark.parametrize(
    ("text", "sql", "views"),
    [
        ("SELECT * FROM shop.big", f"SELECT * FROM {BIG} AS `big`", ["big"]),
        ("SELECT x.id FROM shop.big x, shop.big", f"SELECT x.id FROM {BIG} x, {BIG} AS `big`", ["big"]),
        (
            "SELECT name FROM shop.bigger",
            f"SELECT name FROM (SELECT b.id AS id, c.name FROM {BIG} AS b JOIN `hw_source_2` c ON c.id = b.id)"
            " AS `bigger`",
            ["big", "bigger"],
        ),
        (
            "SELECT k FROM shop.named",
            "SELECT k FROM (SELECT id, amount FROM `hw_source_1` AS `orders`) AS `named`(`k`, `v w`)",
            ["named"],
        ),
        (
            "SELECT n.k FROM shop.named n",
            "SELECT n.k FROM (SELECT * FROM (SELECT id, amount FROM `hw_source_1` AS `orders`) AS `named`(`k`, `v w`))"
            " n",
            ["named"],
        ),
        (
            "SELECT * FROM shop.duck",
            "SELECT * FROM (SELECT `id`, CAST(amount AS DOUBLE) / 2 AS half FROM `hw_source_1` AS `orders`"
            " ORDER BY id NULLS LAST) AS `duck`",
            ["duck"],
        ),
        (
            "WITH t AS (SELECT 1 AS a) SELECT * FROM shop.cte JOIN t",
            "WITH t AS (SELECT 1 AS a) SELECT * FROM (WITH t AS (SELECT a FROM `hw_source_1` AS `t`) SELECT a FROM t)"
            " AS `cte` JOIN t",
            ["cte"],
        ),
    ],
)
def test_views_are_expanded(text: str, sql: str, views: list[str]) -> None:
    result = bound(text)
    assert result.sql == sql
    assert [view.name.name for view in result.views] == views


def test_a_table_has_one_scan_however_often_it_is_read() -> None:
    result = bound("SELECT a.id FROM shop.orders a JOIN lake.shop.orders b JOIN shop.big JOIN shop.customers c")
    assert [(source.table_id, source.relation) for source in result.sources] == [(1, "hw_source_1"), (2, "hw_source_2")]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("SELECT current_date()", "SELECT __hw_clock_date() AS `current_date()`"),
        ("SELECT current_date", "SELECT __hw_clock_date() AS `current_date()`"),
        ("SELECT curdate ( ) AS d", "SELECT __hw_clock_date() AS d"),
        ("SELECT now()", "SELECT __hw_clock_timestamp() AS `now()`"),
        ("SELECT `now`(), builtin.now() n", "SELECT __hw_clock_timestamp() AS `now()`, __hw_clock_timestamp() n"),
        ("SELECT Current_Timestamp x", "SELECT __hw_clock_timestamp() x"),
        ("SELECT current_timestamp()", "SELECT __hw_clock_timestamp() AS `current_timestamp()`"),
        ("SELECT localtimestamp", "SELECT __hw_clock_local() AS `localtimestamp()`"),
        ("SELECT system.builtin.localtimestamp()", "SELECT __hw_clock_local() AS `localtimestamp()`"),
        (
            "SELECT unix_timestamp(), unix_timestamp(a) FROM t",
            "SELECT __hw_clock_seconds() AS `unix_timestamp(current_timestamp(), yyyy-MM-dd HH:mm:ss)`,"
            " unix_timestamp(a) FROM `hw_source_1` AS `t`",
        ),
        (
            "SELECT current_date AS current_date FROM t",
            "SELECT __hw_clock_date() AS current_date FROM `hw_source_1` AS `t`",
        ),
        (
            "SELECT year(current_date()) AS y FROM t WHERE a < now() GROUP BY current_date HAVING max(b) < now()",
            "SELECT year(__hw_clock_date()) AS y FROM `hw_source_1` AS `t` WHERE a < __hw_clock_timestamp()"
            " GROUP BY __hw_clock_date() HAVING max(b) < __hw_clock_timestamp()",
        ),
        (
            "SELECT a FROM t JOIN shop.today ON d = current_date",
            "SELECT a FROM `hw_source_1` AS `t` JOIN (SELECT id, __hw_clock_date() AS d FROM `hw_source_2` AS `orders`)"
            " AS `today` ON d = __hw_clock_date()",
        ),
        (
            "SELECT a FROM t WHERE a IN (SELECT date_add(current_date(), 1)) UNION SELECT date_add(current_date(), 1)",
            "SELECT a FROM `hw_source_1` AS `t` WHERE a IN (SELECT date_add(__hw_clock_date(), 1))"
            " UNION SELECT date_add(__hw_clock_date(), 1)",
        ),
    ],
)
def test_clock_functions_become_markers(text: str, sql: str) -> None:
    result = bound(text)
    assert result.sql == sql
    assert result.uses_clock


@pytest.mark.parametrize("text", ["SELECT 'now()' AS s FROM t", "SELECT t.a AS now FROM t", "SELECT other.now()"])
def test_what_only_looks_like_a_clock_is_left_alone(text: str) -> None:
    assert not bound(text).uses_clock


def test_markers_become_literals_of_one_moment_in_utc() -> None:
    result = bound("SELECT now() a, current_date() b, localtimestamp() c, unix_timestamp() d")
    moment = datetime(2026, 1, 1, 23, 30, 0, 250, tzinfo=timezone(timedelta(hours=-2)))
    assert result.at(moment) == (
        "SELECT TIMESTAMP_LTZ '2026-01-02 01:30:00.000250Z' a, DATE '2026-01-02' b,"
        " TIMESTAMP_NTZ '2026-01-02 01:30:00.000250' c, 1767317400L d"
    )


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("SELECT * FROM t", [None]),
        ("SELECT count(*) FROM t", [()]),
        ("SELECT A FROM t", [(1,)]),
        ("SELECT user FROM t", [(3,)]),
        ("SELECT t.* FROM t", [None]),
        ("SELECT struct(*) FROM t", [None]),
        ("SELECT count(x) FROM t x", [None]),
        ("SELECT k FROM t AS x(k, l, m)", [None]),
        ("SELECT sum(a) AS b FROM t GROUP BY ALL", [(1,)]),
        ("SELECT a FROM t WHERE b > 1", [(1, 2)]),
        ("SELECT a FROM t ORDER BY `USER`", [(1, 3)]),
        ("SELECT sum(a) OVER (PARTITION BY b) FROM t", [(1, 2)]),
        ("SELECT transform(array(a), x -> x + b) FROM t", [(1, 2)]),
        ("SELECT s.f.g FROM shop.orders", [(5,)]),
        ("SELECT o.s.f FROM shop.orders o", [(5,)]),
        ("SELECT lake.shop.orders.s.f FROM shop.orders", [(5,)]),
        ("SELECT z FROM shop.orders o LATERAL VIEW explode(o.note) e AS z", [(4,)]),
        ("SELECT amount FROM shop.orders JOIN shop.customers USING (id)", [(1, 3), (1,)]),
        ("SELECT amount FROM shop.orders NATURAL JOIN shop.customers", [None, None]),
        ("SELECT o.amount, c.name FROM shop.orders o JOIN shop.customers c ON o.customer_id = c.id", [(2, 3), (1, 2)]),
        ("SELECT id FROM shop.orders, shop.customers", [(1,), (1,)]),
        ("SELECT * FROM (SELECT id FROM shop.orders), t", [(1,), None]),
        ("SELECT * FROM shop.bigger", [(1, 3), (1, 2)]),
        ("SELECT x.a FROM t x, t y WHERE y.b = 1", [(1, 2)]),
        ("SELECT * FROM (SELECT a, b FROM t) PIVOT (sum(a) FOR b IN (1, 2))", [None]),
        ("SELECT (SELECT max(amount) FROM shop.orders o WHERE o.id = t.a) FROM t", [(1, 3), (1,)]),
    ],
)
def test_sources_carry_the_columns_that_matter(text: str, columns: list[tuple[int, ...] | None]) -> None:
    assert [source.columns for source in bound(text).sources] == columns


@pytest.mark.parametrize(
    "text",
    [
        "SELECT o.amount, c.name FROM shop.orders o JOIN shop.customers c ON o.customer_id = c.id WHERE region > 1",
        "SELECT amount FROM shop.orders JOIN shop.customers USING (id) ORDER BY name",
        "WITH x AS (SELECT a AS k, b FROM t) SELECT k, count(*) FROM x WHERE b > 1 GROUP BY ALL HAVING max(b) > 2",
        "SELECT * FROM shop.bigger JOIN t ON t.a = bigger.id",
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM shop.orders o WHERE o.id = b AND note = a)",
        "SELECT id FROM shop.orders UNION SELECT a FROM t EXCEPT SELECT region FROM shop.customers",
        "SELECT sum(q.n) OVER (PARTITION BY q.k ORDER BY q.m) FROM (SELECT a AS n, b AS k, user AS m FROM t) q",
    ],
)
def test_no_column_is_missed_that_sqlglot_finds(text: str) -> None:
    result = bound(text)
    tables = {source.relation: source.table_id for source in result.sources}
    schemas = {found.id: found.schema for found in OBJECTS if isinstance(found, SourceTable)}
    known = {relation: {column.name: "int" for column in schemas[id]} for relation, id in tables.items()}
    tree = qualify(sqlglot.parse_one(result.sql, dialect="spark"), dialect="spark", schema=known)
    found = {
        (table.name, column.name)
        for table in tree.find_all(exp.Table)
        for column in tree.find_all(exp.Column)
        if table.name in tables and column.table == table.alias_or_name
    }
    ours = {
        (source.relation, column.name)
        for source in result.sources
        for column in schemas[source.table_id]
        if source.columns is None or column.field_id in source.columns
    }
    assert {(relation, name) for relation, name in found if name in known[relation]} <= ours
