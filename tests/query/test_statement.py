"""What is read, what is written, what is refused."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from headwater.core.errors import Position, SqlUnsupported
from headwater.query.statement import Read, Write, classify
from headwater.sql.split import split
from headwater.sql.statements import ObjectName

READS = (
    "SELECT 1",
    "(SELECT 1) UNION ALL (SELECT 2)",
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "WITH RECURSIVE a(n) USING KEY (n) AS (SELECT 1), b AS MATERIALIZED (FROM a) FROM b",
    "WITH insert AS (SELECT 1 AS into) SELECT * FROM insert",
    "FROM t SELECT a WHERE b = 'INSERT INTO x'",
    "SELECT delete FROM t -- DELETE FROM t",
    "VALUES (1), (2)",
    "TABLE t",
    "DESCRIBE t",
    "DESC t",
    "SHOW TABLES",
    "SUMMARIZE t",
    "PIVOT t ON c USING sum(a)",
    "EXPLAIN SELECT 1",
    "EXPLAIN DELETE FROM t",
    "EXPLAIN ANALYZE SELECT 1",
    "EXPLAIN (ANALYZE, FORMAT json) FROM t",
    "COPY t TO 'x.csv'",
    "COPY (SELECT 1) TO 'x.parquet' (FORMAT parquet)",
    "COPY t (a, b) TO 'x.csv'",
    "CALL lake.snapshots()",
    "CALL ducklake_table_info('lake')",
    "SELECT commit FROM t",
)

T = ObjectName("t")
WRITES = (
    ("INSERT INTO t VALUES (1)", T),
    ("insert or replace into t BY NAME SELECT 1 AS a", T),
    ('INSERT INTO lake."Sh op"."T" (a) SELECT 1', ObjectName("T", "Sh op", "lake")),
    ("WITH x AS (SELECT 1), y AS (FROM x) INSERT INTO s.t FROM y", ObjectName("t", "s")),
    ("WITH x AS (SELECT 1) DELETE FROM t USING x", T),
    ("UPDATE t SET a = 1", T),
    ("UPDATE s.t AS u SET a = v.a FROM v WHERE v.id = u.id", ObjectName("t", "s")),
    ("DELETE FROM t WHERE a IN (SELECT a FROM u)", T),
    ("MERGE INTO t USING s USING (id) WHEN MATCHED THEN UPDATE WHEN NOT MATCHED BY SOURCE THEN DELETE", T),
    ("MERGE INTO t AS x USING s ON x.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (s.a)", T),
    ("TRUNCATE t", T),
    ("TRUNCATE TABLE t", T),
    ("CREATE TABLE t AS SELECT 1", T),
    ("CREATE OR REPLACE TABLE t AS FROM u", T),
    ("CREATE TABLE IF NOT EXISTS s.t (a, b) AS SELECT 1, 2", ObjectName("t", "s")),
    ("COPY t FROM 'x.csv'", T),
    ("COPY t (a, b) FROM 'x.csv' (HEADER)", T),
)

REFUSED = (
    ("ATTACH 'x.db'", "ATTACH", "read_csv"),
    ("DETACH lake", "DETACH", "read_csv"),
    ("SET threads = 1", "SET", "settings"),
    ("RESET threads", "RESET", "settings"),
    ("PRAGMA enable_profiling", "PRAGMA", "settings"),
    ("INSTALL httpfs", "INSTALL", "read_csv"),
    ("LOAD httpfs", "LOAD", "read_csv"),
    ("USE memory", "USE", "schema.table"),
    ("BEGIN", "BEGIN", "in one script"),
    ("COMMIT", "COMMIT", "in one script"),
    ("ROLLBACK", "ROLLBACK", "in one script"),
    ("CREATE TEMP TABLE t AS SELECT 1", "CREATE TEMP", "CREATE TABLE"),
    ("CREATE INDEX i ON t (a)", "CREATE INDEX", "CREATE TABLE"),
    ("CREATE OR REPLACE MACRO m() AS 1", "CREATE MACRO", "CREATE TABLE"),
    ("CREATE SEQUENCE s", "CREATE SEQUENCE", "CREATE TABLE"),
    ("CREATE TYPE e AS ENUM ('a')", "CREATE TYPE", "CREATE TABLE"),
    ("CREATE SECRET (TYPE s3)", "CREATE SECRET", "CREATE TABLE"),
    ("EXPORT DATABASE 'x'", "EXPORT", "COPY"),
    ("IMPORT DATABASE 'x'", "IMPORT", "COPY"),
    ("COPY FROM DATABASE a TO b", "COPY", "SELECT"),
    ("VACUUM", "VACUUM", "maintenance"),
    ("CHECKPOINT", "CHECKPOINT", "maintenance"),
    ("UPDATE EXTENSIONS", "UPDATE", "SELECT"),
    ("CALL ducklake_expire_snapshots('lake')", "expire_snapshots", "maintenance"),
    ("CALL pragma_version()", "CALL", "snapshots"),
    ("FROM lake.merge_adjacent_files()", "merge_adjacent_files", "maintenance"),
    ("FROM \"postgres_execute\"('m', 'DROP TABLE x')", "postgres_execute", "maintenance"),
    ("EXPLAIN ANALYZE DELETE FROM t", "EXPLAIN ANALYZE", "ANALYZE"),
    ("EXPLAIN (ANALYZE) WITH x AS (SELECT 1) INSERT INTO t FROM x", "EXPLAIN ANALYZE", "ANALYZE"),
)


@pytest.mark.parametrize("sql", READS)
def test_a_statement_that_only_reads(sql: str) -> None:
    (piece,) = split(sql)
    assert classify(piece) == Read()


@pytest.mark.parametrize(("sql", "table"), WRITES, ids=[sql for sql, _ in WRITES])
def test_a_statement_that_writes_names_its_table(sql: str, table: ObjectName) -> None:
    (piece,) = split(sql)
    assert classify(piece) == Write((table,))


@pytest.mark.parametrize(("sql", "table"), WRITES, ids=[sql for sql, _ in WRITES])
def test_sqlglot_finds_the_same_target_wherever_it_can_parse(sql: str, table: ObjectName) -> None:
    try:
        tree = sqlglot.parse_one(sql, dialect="duckdb")
    except sqlglot.ParseError:
        return
    if not isinstance(tree, exp.Command):
        target = tree.expressions[0] if isinstance(tree, exp.TruncateTable) else tree.this
        found = target.find(exp.Table)
        assert (found.name, found.db or None, found.catalog or None) == (table.name, table.schema, table.catalog)


@pytest.mark.parametrize(("sql", "named", "hint"), REFUSED, ids=[sql for sql, _, _ in REFUSED])
def test_the_rest_is_refused_by_name_with_a_hint(sql: str, named: str, hint: str) -> None:
    _, piece = split(f"SELECT 1;\n  {sql}")
    with pytest.raises(SqlUnsupported) as refused:
        classify(piece)
    assert named in refused.value.message
    assert refused.value.hint is not None
    assert hint in refused.value.hint
    assert refused.value.position is not None
    assert refused.value.position.line == 2
    if refused.value.message.startswith("statement"):
        assert refused.value.position == Position(2, 3)
