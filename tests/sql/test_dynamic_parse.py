"""Statements about dynamic tables: text in, values out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headwater.core.errors import Position, SqlError, SqlSyntaxError, SqlUnsupported
from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.sql.dynamic import is_dynamic
from headwater.sql.dynamic_statements import (
    AddDynamicColumn,
    CancelRefresh,
    CreateDynamicTable,
    DescribeDynamicTable,
    DropDynamicTable,
    DynamicStatement,
    ExplainDynamicTable,
    NamedOutput,
    RefreshDynamicTable,
    RenameDynamicColumn,
    RenameDynamicTable,
    RestoreDynamicTable,
    ResumeDynamicTable,
    SetDynamicTable,
    ShowCreateDynamicTable,
    ShowDynamicTables,
    ShowJobProfile,
    ShowRefreshHistory,
    ShowTableVersions,
    SuspendDynamicTable,
    SwapDynamicTable,
    UndropDynamicTable,
    UnsetDynamicTable,
    VerifyDynamicTable,
)
from headwater.sql.parse import parse
from headwater.sql.properties import Properties
from headwater.sql.split import split
from headwater.sql.statements import ObjectName, PartitionKey, SchemaName

T = ObjectName("t")
U = ObjectName("u")
LAKE_T = ObjectName("t", "s", "lake")
CREATED = CreateDynamicTable(T, "SELECT 1")

STATEMENTS: dict[str, DynamicStatement] = {
    "CREATE DYNAMIC TABLE t AS SELECT 1": CREATED,
    "create dynamic table lake.s.t as select 1": CreateDynamicTable(LAKE_T, "select 1"),
    "CREATE OR REPLACE DYNAMIC TABLE t AS SELECT 1": CreateDynamicTable(T, "SELECT 1", or_replace=True),
    "CREATE OR ALTER DYNAMIC TABLE t AS SELECT 1": CreateDynamicTable(T, "SELECT 1", or_alter=True),
    "CREATE DYNAMIC TABLE IF NOT EXISTS t AS SELECT 1": CreateDynamicTable(T, "SELECT 1", if_not_exists=True),
    "CREATE DYNAMIC TABLE t (a, B COMMENT 'it''s', comment) AS SELECT 1, 2, 3": CreateDynamicTable(
        T, "SELECT 1, 2, 3", (NamedOutput("a"), NamedOutput("B", "it's"), NamedOutput("comment"))
    ),
    "CREATE DYNAMIC TABLE t AS WITH q AS (SELECT 1 AS x) SELECT x FROM q": CreateDynamicTable(
        T, "WITH q AS (SELECT 1 AS x) SELECT x FROM q"
    ),
    "CREATE DYNAMIC TABLE t AS (SELECT 1) UNION ALL VALUES (2)": CreateDynamicTable(
        T, "(SELECT 1) UNION ALL VALUES (2)"
    ),
    "ALTER DYNAMIC TABLE t SUSPEND": SuspendDynamicTable(T),
    "ALTER DYNAMIC TABLE IF EXISTS t SUSPEND": SuspendDynamicTable(T, if_exists=True),
    "ALTER DYNAMIC TABLE t RESUME": ResumeDynamicTable(T),
    "ALTER DYNAMIC TABLE IF EXISTS t RESUME": ResumeDynamicTable(T, if_exists=True),
    "ALTER DYNAMIC TABLE t REFRESH": RefreshDynamicTable((T,)),
    "ALTER DYNAMIC TABLE t CANCEL REFRESH": CancelRefresh(T),
    "REFRESH DYNAMIC TABLE t": RefreshDynamicTable((T,)),
    "REFRESH DYNAMIC TABLE t, lake.s.t, u": RefreshDynamicTable((T, LAKE_T, U)),
    "ALTER DYNAMIC TABLE s.t RENAME TO u": RenameDynamicTable(ObjectName("t", "s"), "u"),
    "ALTER DYNAMIC TABLE t SWAP WITH s.u": SwapDynamicTable(T, ObjectName("u", "s")),
    "ALTER DYNAMIC TABLE t SET TARGET_LAG = DOWNSTREAM": SetDynamicTable(T, Properties(freshness=Downstream())),
    "ALTER DYNAMIC TABLE t SET REFRESH INTERVAL 1 HOUR, COMMENT 'x'": SetDynamicTable(
        T, Properties(freshness=Interval(3600), comment="x")
    ),
    "ALTER DYNAMIC TABLE t UNSET COMMENT": UnsetDynamicTable(T, ("COMMENT",)),
    "ALTER DYNAMIC TABLE t UNSET target_lag, VCLUSTER, PARTITIONED BY, cluster by": UnsetDynamicTable(
        T, ("TARGET_LAG", "WAREHOUSE", "PARTITIONED BY", "CLUSTER BY")
    ),
    "ALTER DYNAMIC TABLE t ADD COLUMN price * 2 AS twice": AddDynamicColumn(T, "price * 2", "twice"),
    "ALTER DYNAMIC TABLE t ADD CAST(a AS INT) AS b": AddDynamicColumn(T, "CAST(a AS INT)", "b"),
    "ALTER DYNAMIC TABLE t ADD COLUMN CASE WHEN a THEN f(a, 1) END AS b": AddDynamicColumn(
        T, "CASE WHEN a THEN f(a, 1) END", "b"
    ),
    "ALTER DYNAMIC TABLE t RENAME COLUMN a TO b": RenameDynamicColumn(T, "a", "b"),
    "ALTER DYNAMIC TABLE t RENAME a TO b": RenameDynamicColumn(T, "a", "b"),
    "DROP DYNAMIC TABLE t": DropDynamicTable(T),
    "DROP DYNAMIC TABLE IF EXISTS lake.s.t RESTRICT": DropDynamicTable(LAKE_T, if_exists=True),
    "UNDROP DYNAMIC TABLE t": UndropDynamicTable(T),
    "DESC DYNAMIC TABLE t": DescribeDynamicTable(T),
    "describe dynamic table t": DescribeDynamicTable(T),
    "SHOW CREATE DYNAMIC TABLE t": ShowCreateDynamicTable(T),
    "SHOW DYNAMIC TABLES": ShowDynamicTables(),
    "SHOW DYNAMIC TABLES LIKE 'a%' IN lake.s": ShowDynamicTables("a%", SchemaName("s", "lake")),
    "SHOW DYNAMIC TABLES IN SCHEMA s": ShowDynamicTables(None, SchemaName("s")),
    "EXPLAIN DYNAMIC TABLE t": ExplainDynamicTable(T),
    "EXPLAIN REFRESH DYNAMIC TABLE t": ExplainDynamicTable(T, refresh=True),
    "EXPLAIN CREATE DYNAMIC TABLE t AS SELECT 1": ExplainDynamicTable(CREATED),
    "EXPLAIN CREATE OR ALTER DYNAMIC TABLE t AS SELECT ';'": ExplainDynamicTable(
        CreateDynamicTable(T, "SELECT ';'", or_alter=True)
    ),
    "SHOW DYNAMIC TABLE JOB PROFILE 'a-1'": ShowJobProfile("a-1"),
    "SHOW DYNAMIC TABLE JOB PROFILE FOR s.t": ShowJobProfile(table=ObjectName("t", "s")),
    "SHOW DYNAMIC TABLE REFRESH HISTORY": ShowRefreshHistory(),
    "SHOW DYNAMIC TABLE REFRESH HISTORY FOR s.t": ShowRefreshHistory(ObjectName("t", "s")),
    "SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name='my_dy'": ShowRefreshHistory(None, "name='my_dy'"),
    "SHOW DYNAMIC TABLE REFRESH HISTORY FOR t WHERE state IN ('FAILED', 'SKIPPED') LIMIT 5": ShowRefreshHistory(
        T, "state IN ('FAILED', 'SKIPPED')", 5
    ),
    "SHOW DYNAMIC TABLE REFRESH HISTORY LIMIT 0": ShowRefreshHistory(limit=0),
    "SHOW DYNAMIC TABLE VERSIONS": ShowTableVersions(),
    "SHOW DYNAMIC TABLE VERSIONS FOR s.t": ShowTableVersions(ObjectName("t", "s")),
    "VERIFY DYNAMIC TABLE t": VerifyDynamicTable(T),
    "RESTORE DYNAMIC TABLE t TO VERSION 7": RestoreDynamicTable(T, 7),
    "RESTORE DYNAMIC TABLE t TO (VERSION => 7)": RestoreDynamicTable(T, 7),
    "RESTORE DYNAMIC TABLE t TO TIMESTAMP '2026-01-31 08:00:00'": RestoreDynamicTable(
        T, timestamp="2026-01-31 08:00:00"
    ),
    "RESTORE DYNAMIC TABLE t TO (TIMESTAMP => '2026-01-31')": RestoreDynamicTable(T, timestamp="2026-01-31"),
}

MIDNIGHT = datetime(2026, 1, 31, tzinfo=UTC)
FRESHNESS: dict[str, Freshness] = {
    "TARGET_LAG = '5 minutes'": TargetLag(300),
    "target_lag='5 minute'": TargetLag(300),
    "TARGET_LAG '1 hour'": TargetLag(3600),
    "TARGET_LAG = '30 s'": TargetLag(30),
    "TARGET_LAG = '1second'": TargetLag(1),
    "TARGET_LAG = '1 day'": TargetLag(86_400),
    "TARGET_LAG = 2 days": TargetLag(172_800),
    "TARGET_LAG = '10' MINUTES": TargetLag(600),
    "TARGET_LAG = DOWNSTREAM": Downstream(),
    "TARGET_LAG = 'downstream'": Downstream(),
    "REFRESH INTERVAL 1 MINUTE": Interval(60),
    "refresh interval '1' minutes": Interval(60),
    "REFRESH INTERVAL '90 seconds'": Interval(90),
    "REFRESH START WITH '2026-01-31' INTERVAL 1 DAY": Interval(86_400, MIDNIGHT),
    "REFRESH INTERVAL 1 DAY START WITH TIMESTAMP '2026-01-31 00:00:00'": Interval(86_400, MIDNIGHT),
    "REFRESH START WITH TIMESTAMP '2026-01-31T02:00:00+02:00' INTERVAL 3 HOURS": Interval(10_800, MIDNIGHT),
    "REFRESH ON DEMAND": OnDemand(),
    "SCHEDULE = '*/5 * * * *'": Cron("*/5 * * * *"),
    "SCHEDULE '0  9-17 * * MON-FRI'": Cron("0 9-17 * * MON-FRI"),
    "SCHEDULE = 'USING CRON 0 0 L * * UTC'": Cron("0 0 L * *"),
    "SCHEDULE = 'using cron 0 0 * * THU'": Cron("0 0 * * THU"),
}

PROPERTIES: dict[str, Properties] = {
    **{text: Properties(freshness=freshness) for text, freshness in FRESHNESS.items()},
    "REFRESH_MODE = AUTO": Properties(refresh_mode="AUTO"),
    "REFRESH_MODE incremental": Properties(refresh_mode="INCREMENTAL"),
    "REFRESH_MODE = 'full'": Properties(refresh_mode="FULL"),
    "INITIALIZE = ON_CREATE": Properties(initialize="ON_CREATE"),
    "INITIALIZE on_schedule": Properties(initialize="ON_SCHEDULE"),
    "DEDUPLICATION = TRUE": Properties(deduplication=True),
    "DEDUPLICATION false": Properties(deduplication=False),
    "CARDINALITY_THRESHOLD = 0.3": Properties(cardinality_threshold=0.3),
    "CARDINALITY_THRESHOLD .5": Properties(cardinality_threshold=0.5),
    "CARDINALITY_THRESHOLD = 1": Properties(cardinality_threshold=1.0),
    "WAREHOUSE = Big": Properties(warehouse="Big"),
    "WAREHOUSE DEFAULT": Properties(warehouse="default"),
    "VCLUSTER = 'Default'": Properties(warehouse="default"),
    "VCLUSTER big": Properties(warehouse="big"),
    "PARTITIONED BY (a, day(b), bucket(4, c))": Properties(
        partitioned_by=(PartitionKey("a"), PartitionKey("b", "day"), PartitionKey("c", "bucket(4)"))
    ),
    "CLUSTER BY (a, B)": Properties(cluster_by=("a", "B")),
    "COMMENT = 'it''s'": Properties(comment="it's"),
    "COMMENT ''": Properties(comment=""),
    "DATA_RETENTION_TIME_IN_DAYS = 0": Properties(data_retention_days=0),
    "AUTO_COMPACT = FALSE": Properties(auto_compact=False),
    "PRIORITY = 10": Properties(priority=10),
    "AFTER = 'load'": Properties(after=(ObjectName("load"),)),
    "AFTER 'shop.load, \"it''s\" ,lake.shop.b'": Properties(
        after=(ObjectName("load", "shop"), ObjectName("it's"), ObjectName("b", "shop", "lake"))
    ),
    "DIALECT = duckdb": Properties(dialect="duckdb"),
    "DIALECT 'Snowflake'": Properties(dialect="snowflake"),
    "REFRESH interval 1 minute vcluster default": Properties(freshness=Interval(60), warehouse="default"),
    "PRIORITY = 1, TARGET_LAG = '1 hour' REFRESH_MODE = FULL,COMMENT 'x'": Properties(
        freshness=TargetLag(3600), refresh_mode="FULL", comment="x", priority=1
    ),
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_each_statement_is_understood_and_known_for_ours(text: str) -> None:
    assert parse(text) == (STATEMENTS[text],)
    assert all(is_dynamic(piece) for piece in split(text))


@pytest.mark.parametrize("text", [text for text in STATEMENTS if "''" not in text])
def test_each_statement_is_understood_in_sparks_words_too(text: str) -> None:
    assert parse(text, "spark") == (STATEMENTS[text],)
    assert all(is_dynamic(piece) for piece in split(text, "spark"))


@pytest.mark.parametrize("text", PROPERTIES)
def test_each_property_is_understood_in_each_spelling(text: str) -> None:
    assert parse(f"CREATE DYNAMIC TABLE t {text} AS SELECT 1") == (
        CreateDynamicTable(T, "SELECT 1", properties=PROPERTIES[text]),
    )
    assert parse(f"ALTER DYNAMIC TABLE t SET {text}") == (SetDynamicTable(T, PROPERTIES[text]),)


@pytest.mark.parametrize("dialect", ["duckdb", "spark"])
def test_the_query_is_kept_to_the_letter_and_its_place_known(dialect: str) -> None:
    query = "SELECT  a, -- the first;\n  ';' AS b /* and */\nFROM t\t"
    (create,) = parse(f"DROP TABLE x;\nCREATE DYNAMIC TABLE t\nAS  {query} ; DROP TABLE y", dialect)[1:2]
    assert isinstance(create, CreateDynamicTable)
    assert (create.query, create.query_position) == (query.strip(), Position(3, 5))


def test_sparks_strings_and_names_are_its_own() -> None:
    (create,) = parse(
        "CREATE DYNAMIC TABLE `a b` (`x.y` COMMENT \"it's\") COMMENT 'it\\'s' AS SELECT 'a\\';b', `c`", "spark"
    )
    assert create == CreateDynamicTable(
        ObjectName("a b"), "SELECT 'a\\';b', `c`", (NamedOutput("x.y", "it's"),), Properties(comment="it's")
    )


def test_the_examples_of_the_seeds_are_understood() -> None:
    script = """
        CREATE DYNAMIC TABLE lake.dynamic.order_details
        TARGET_LAG = '5 minutes'
        AS
        SELECT
            o.order_id, c.customer_name
        FROM lake.orders o
        JOIN lake.customers c ON o.customer_id = c.customer_id;
        CREATE DYNAMIC TABLE event_type_count REFRESH interval 1 minute vcluster default as SELECT event_type,
        COUNT(*) AS events_count FROM clickzetta_sample_data.ecommerce_events_history.live GROUP BY event_type;
        --Initialize DYNAMIC TABLE data
        REFRESH DYNAMIC TABLE event_type_count;
        SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name='event_type_count';
        CREATE dynamic TABLE IF NOT EXISTS event_gettime AS SELECT event, process, YEAR(event_time) event_year,
        hour(event_time) event_hour FROM event_tb; REFRESH dynamic TABLE event_gettime;
        CREATE dynamic TABLE IF NOT EXISTS event_group_minute AS SELECT event, SUM(process) process_sum
        FROM event_gettime GROUP BY event; refresh dynamic table event_group_minute;
    """
    for dialect in ("duckdb", "spark"):
        details, count, refresh, history, *rest = parse(script, dialect)
        assert isinstance(details, CreateDynamicTable)
        assert details.name == ObjectName("order_details", "dynamic", "lake")
        assert details.properties == Properties(freshness=TargetLag(300))
        assert isinstance(count, CreateDynamicTable)
        assert count.properties == Properties(freshness=Interval(60), warehouse="default")
        assert refresh == RefreshDynamicTable((ObjectName("event_type_count"),))
        assert history == ShowRefreshHistory(None, "name='event_type_count'")
        assert [type(statement) for statement in rest] == [CreateDynamicTable, RefreshDynamicTable] * 2


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE dynamic (a INT)",
        "DESC dynamic",
        "DESC dynamic.t",
        "SHOW CREATE TABLE dynamic",
        "SHOW TABLES",
        "SELECT dynamic table",
        "DROP TABLE dynamic",
        'CREATE "DYNAMIC" TABLE t AS SELECT 1',
        "EXPLAIN SELECT 1",
        "CREATE OR DYNAMIC TABLE t",
        "5",
    ],
)
@pytest.mark.parametrize("dialect", ["duckdb", "spark"])
def test_other_statements_are_known_for_not_ours(text: str, dialect: str) -> None:
    assert not any(is_dynamic(piece) for piece in split(text, dialect))


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("CREATE DYNAMIC TABLE t FOO = 1 AS SELECT 1", 'property "FOO" is not known', 24),
        ("ALTER DYNAMIC TABLE t SET FOO = 1", 'property "FOO" is not known', 27),
        ("ALTER DYNAMIC TABLE t UNSET COMMENT, FOO", 'property "FOO" is not known', 38),
        ("CREATE DYNAMIC TABLE t AS DROP TABLE u", 'a dynamic table can\'t be created from "DROP"', 27),
        ("ALTER DYNAMIC TABLE IF EXISTS t REFRESH", "IF EXISTS is not supported for this change", 21),
        ("ALTER DYNAMIC TABLE t DROP COLUMN a", 'ALTER DYNAMIC TABLE with "DROP" is not supported', 23),
        ("ALTER DYNAMIC TABLE t", "ALTER DYNAMIC TABLE has no action", 22),
        (
            "ALTER DYNAMIC TABLE t ADD COLUMN a AS b, ADD COLUMN c AS d",
            "several changes in one ALTER DYNAMIC TABLE are not supported",
            40,
        ),
        ("DROP DYNAMIC TABLE t CASCADE", "CASCADE is not supported for a dynamic table", 22),
        ("DROP DYNAMIC TABLE t, u", "DROP of several objects is not supported", 21),
        (
            "CREATE DYNAMIC TABLE t PARTITIONED BY (truncate(4, a)) AS SELECT 1",
            'tables can\'t be partitioned by "truncate"',
            40,
        ),
    ],
)
def test_what_dynamic_tables_do_not_have_is_refused_where_it_stands(text: str, message: str, column: int) -> None:
    with pytest.raises(SqlUnsupported) as caught:
        parse(text)
    assert (caught.value.code, caught.value.message) == ("HW-SQL-002", message)
    assert caught.value.position == Position(1, column)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("CREATE DYNAMIC TABLE t", "expected AS and the query, the statement ends", 23),
        ("CREATE DYNAMIC TABLE t AS", "expected the query, the statement ends", 26),
        ("CREATE DYNAMIC TABLE t SELECT 1", "AS is missing before the query", 24),
        ("CREATE DYNAMIC TABLE t 5", 'expected a property, found "5"', 24),
        ("CREATE DYNAMIC TABLE t PRIORITY = 1, AS SELECT 1", 'expected a property, found "AS"', 38),
        ("CREATE DYNAMIC TABLE t PRIORITY =", "expected the value of PRIORITY, the statement ends", 34),
        ("CREATE DYNAMIC VIEW v AS SELECT 1", 'expected TABLE, found "VIEW"', 16),
        ("CREATE DYNAMIC TABLE select AS SELECT 1", '"select" is a reserved word', 22),
        ("CREATE DYNAMIC TABLE a.b.c.d AS SELECT 1", "the name of the dynamic table has 4 parts", 22),
        ('CREATE DYNAMIC TABLE "" AS SELECT 1', "the name of the dynamic table is empty", 22),
        ("CREATE DYNAMIC TABLE t (a INT) AS SELECT 1", 'expected COMMENT, "," or ")", found "INT"', 27),
        ("CREATE DYNAMIC TABLE t (a, A) AS SELECT 1", 'column "A" is specified more than once', 28),
        (
            "CREATE OR REPLACE DYNAMIC TABLE IF NOT EXISTS t AS SELECT 1",
            "OR REPLACE and IF NOT EXISTS can't be combined",
            33,
        ),
        (
            "CREATE OR ALTER DYNAMIC TABLE IF NOT EXISTS t AS SELECT 1",
            "OR ALTER and IF NOT EXISTS can't be combined",
            31,
        ),
        ("ALTER DYNAMIC TABLE t SET", "expected a property, the statement ends", 26),
        ("ALTER DYNAMIC TABLE t UNSET", "expected a property, the statement ends", 28),
        ("ALTER DYNAMIC TABLE t UNSET VCLUSTER, WAREHOUSE", "WAREHOUSE is specified more than once", 39),
        ("ALTER DYNAMIC TABLE t ADD COLUMN AS b", "expected the expression", 34),
        ("ALTER DYNAMIC TABLE t ADD COLUMN a", "expected AS, the statement ends", 35),
        ("ALTER DYNAMIC TABLE t SUSPEND now", 'expected the end of the statement, found "now"', 31),
        ("SHOW DYNAMIC TABLE REFRESH", "expected HISTORY, the statement ends", 27),
        ("SHOW DYNAMIC TABLE REFRESH HISTORY WHERE LIMIT 5", "expected the condition", 42),
        ("SHOW DYNAMIC TABLE REFRESH HISTORY LIMIT -1", "expected the limit as a whole number", 42),
        ("SHOW DYNAMIC TABLES LIKE a", "expected the pattern as a string", 26),
        ("RESTORE DYNAMIC TABLE t", "expected TO", 24),
        ("RESTORE DYNAMIC TABLE t TO 5", "expected VERSION or TIMESTAMP", 28),
        ("RESTORE DYNAMIC TABLE t TO (VERSION 5)", 'expected "=>"', 37),
        ("RESTORE DYNAMIC TABLE t TO TIMESTAMP 'noon'", '"noon" is not a timestamp', 38),
        ("REFRESH DYNAMIC TABLE t,", "expected the name of the dynamic table", 25),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, message: str, column: int) -> None:
    refused(text, message, column)


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("TARGET_LAG = '0 minutes'", "TARGET_LAG is shorter than a second", "'0"),
        ("TARGET_LAG = '-5 minutes'", 'TARGET_LAG can\'t be "-5 minutes"', "'-5"),
        ("TARGET_LAG = -5 minutes", 'TARGET_LAG can\'t be "-5 minutes"', "-5"),
        ("TARGET_LAG = 5", 'TARGET_LAG can\'t be "5"', "5"),
        ("TARGET_LAG = '5 fortnights'", 'TARGET_LAG can\'t be "5 fortnights"', "'5"),
        ("TARGET_LAG = '1.5 hours'", 'TARGET_LAG can\'t be "1.5 hours"', "'1.5"),
        ("TARGET_LAG = '٣ hours'", 'TARGET_LAG can\'t be "٣ hours"', "'٣"),
        ("TARGET_LAG = ''", 'TARGET_LAG can\'t be ""', "''"),
        ("TARGET_LAG = '36501 days'", "TARGET_LAG is longer than 36,500 days", "'36501"),
        (f"TARGET_LAG = '{'9' * 5000} s'", "TARGET_LAG is longer than 36,500 days", "'999"),
        ("TARGET_LAG = UPSTREAM", "expected a duration such as '5 minutes', found \"UPSTREAM\"", "UPSTREAM"),
        ("REFRESH 5 MINUTES", 'expected INTERVAL, START WITH or ON DEMAND, found "5"', "5"),
        ("REFRESH START WITH '2026-01-31'", "expected INTERVAL", None),
        ("REFRESH START WITH 'noon' INTERVAL 1 DAY", '"noon" is not a timestamp', "'noon"),
        ("REFRESH START WITH '0001-01-01T00:00:00+05:00' INTERVAL 1 DAY", '"0001', "'0001"),
        ("REFRESH INTERVAL 0 MINUTE", "INTERVAL is shorter than a second", "0 M"),
        ("REFRESH INTERVAL 1 MONTH", 'INTERVAL can\'t be "1 MONTH"', "1 M"),
        (
            "SCHEDULE = '* * * * * *'",
            'the schedule "* * * * * *" does not have the five fields of a cron expression',
            "'*",
        ),
        ("SCHEDULE = '* * * *'", 'the schedule "* * * *" does not have the five fields of a cron expression', "'*"),
        ("SCHEDULE = '@daily'", 'the schedule "@daily" does not have the five fields of a cron expression', "'@"),
        ("SCHEDULE = '61 * * * *'", 'the schedule "61 * * * *" is not a cron expression', "'61"),
        ("SCHEDULE = 'R * * * *'", 'the schedule "R * * * *" is not a cron expression', "'R"),
        ("SCHEDULE = '0 0 31 2 *'", 'the schedule "0 0 31 2 *" never occurs', "'0"),
        (f"SCHEDULE = '{'1' * 5000} * * * *'", 'the schedule "111', "'1"),
        ("SCHEDULE = 'USING CRON 0 0 * * * Asia/Tokyo'", 'the schedule "USING CRON', "'USING"),
        ("SCHEDULE = 5", "expected the schedule as a string", "5"),
        ("REFRESH_MODE = SOMETIMES", 'REFRESH_MODE can\'t be "SOMETIMES"', "SOMETIMES"),
        ("INITIALIZE = LATER", 'INITIALIZE can\'t be "LATER"', "LATER"),
        ("DEDUPLICATION = 1", 'DEDUPLICATION can\'t be "1"', "1"),
        ("CARDINALITY_THRESHOLD = 1.1", 'CARDINALITY_THRESHOLD can\'t be "1.1"', "1.1"),
        ("CARDINALITY_THRESHOLD = -1", 'CARDINALITY_THRESHOLD can\'t be "-"', "-1"),
        ("WAREHOUSE = 5", "expected the name of the warehouse", "5"),
        ("WAREHOUSE = ''", "expected the name of the warehouse", "''"),
        ("CLUSTER BY (f(a))", 'expected ")", found "("', "(a)"),
        ("COMMENT = x", "expected the comment as a string", "x"),
        ("DATA_RETENTION_TIME_IN_DAYS = 40000", 'DATA_RETENTION_TIME_IN_DAYS can\'t be "40000"', "40000"),
        ("DATA_RETENTION_TIME_IN_DAYS = 1.5", 'DATA_RETENTION_TIME_IN_DAYS can\'t be "1.5"', "1.5"),
        ("PRIORITY = 'high'", 'PRIORITY can\'t be "high"', "'high"),
        ("AFTER = load", 'AFTER can\'t be "load"', "load"),
        ("AFTER = ''", 'AFTER can\'t be ""', "''"),
        ("AFTER = 'a b'", 'AFTER can\'t be "a b"', "'a b"),
        ("AFTER = 'a, '", 'AFTER can\'t be "a,"', "'a, "),
        ("AFTER = 'a; b'", 'AFTER can\'t be "a; b"', "'a; b"),
        ("AFTER = '\"a'", 'AFTER can\'t be ""a"', "'\"a"),
        ("AFTER = 'a, b, a'", "AFTER names a table more than once", "'a, b"),
        ("AFTER =", "expected the value of AFTER, the statement ends", None),
        ("DIALECT = oracle", 'DIALECT can\'t be "oracle"', "oracle"),
        ("PRIORITY = 1 PRIORITY = 2", "PRIORITY is specified more than once", "PRIORITY = 2"),
        ("COMMENT 'a', COMMENT 'a'", "COMMENT is specified more than once", "COMMENT 'a'$"),
        ("WAREHOUSE = a VCLUSTER b", "WAREHOUSE and VCLUSTER can't be combined", "VCLUSTER"),
        ("TARGET_LAG = '1 day' SCHEDULE = '* * * * *'", "TARGET_LAG and SCHEDULE can't be combined", "SCHEDULE"),
        ("REFRESH INTERVAL 1 DAY TARGET_LAG = '1 day'", "REFRESH and TARGET_LAG can't be combined", "TARGET_LAG"),
    ],
    ids=lambda text: str(text)[:40],
)
def test_a_wrong_value_is_shown_where_it_is(text: str, message: str, at: str | None) -> None:
    before = "ALTER DYNAMIC TABLE t SET "
    place = len(text) if at is None else text.rindex(at.removesuffix("$"))
    refused(before + text, message, len(before) + place + 1)


def refused(text: str, message: str, column: int) -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        parse(text)
    assert caught.value.message.startswith(message)
    assert (caught.value.code, caught.value.position) == ("HW-SQL-001", Position(1, column))
    assert caught.value.hint


def test_a_wrong_value_comes_with_those_allowed() -> None:
    assert hint("SET REFRESH_MODE = SOMETIMES") == "Use AUTO, INCREMENTAL or FULL."
    assert hint("SET INITIALIZE = LATER") == "Use ON_CREATE or ON_SCHEDULE."
    assert hint("SET DIALECT = oracle") == "Use spark, duckdb or snowflake."
    assert hint("SET PRIORITY = x") == "Use a whole number from 0 to 999999999."


def test_the_place_of_after_is_known_but_makes_no_other_statement() -> None:
    (one,) = parse("ALTER DYNAMIC TABLE t SET PRIORITY = 1 AFTER = 'a'")
    (other,) = parse("ALTER DYNAMIC TABLE t SET PRIORITY = 1\n  AFTER 'a'")
    assert one == other
    assert isinstance(one, SetDynamicTable)
    assert one.properties.after_position == Position(1, 48)
    (unset,) = parse("ALTER DYNAMIC TABLE t UNSET AFTER")
    assert unset == UnsetDynamicTable(T, ("AFTER",))


def test_an_unknown_property_comes_with_the_one_meant() -> None:
    assert hint("SET TARGET_LAGG = '1 day'").startswith(
        "Did you mean TARGET_LAG? The properties are TARGET_LAG, REFRESH, "
    )
    assert hint("SET refreshmode = FULL").startswith("Did you mean REFRESH_MODE? ")
    assert hint("SET xyz = 1").startswith("The properties are ")


def hint(action: str) -> str:
    with pytest.raises(SqlError) as caught:
        parse(f"ALTER DYNAMIC TABLE t {action}")
    return caught.value.hint or ""


@pytest.mark.parametrize("before", ["", "EXPLAIN "])
@pytest.mark.parametrize("opening", ["(", "(SELECT ", "f(", "["])
@pytest.mark.parametrize("dialect", ["duckdb", "spark"])
def test_a_query_nested_without_end_is_a_syntax_error(before: str, opening: str, dialect: str) -> None:
    with pytest.raises(SqlSyntaxError, match="nested too deeply") as caught:
        parse(f"{before}CREATE DYNAMIC TABLE t AS SELECT {opening * 5000}1{')' * 5000}", dialect)
    assert caught.value.position


@pytest.mark.parametrize("name", ["../../etc/passwd", "a;b", "x'; DROP TABLE t; --", "😀", "a\nb", "%s", "Größe", "`"])
def test_a_quoted_name_is_a_name_whatever_it_holds(name: str) -> None:
    (create,) = parse(
        f'CREATE DYNAMIC TABLE "{name}" ("{name}") WAREHOUSE = "{name}" CLUSTER BY ("{name}") AS SELECT 1'
    )
    assert create == CreateDynamicTable(
        ObjectName(name), "SELECT 1", (NamedOutput(name),), Properties(warehouse=name, cluster_by=(name,))
    )
