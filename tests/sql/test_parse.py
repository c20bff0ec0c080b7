"""Text in, statements out."""

from __future__ import annotations

import pytest

from headwater.core.errors import InvalidRequest, Position, SqlError, SqlSyntaxError, SqlUnsupported
from headwater.core.schema import Column, SortKey
from headwater.sql.parse import parse
from headwater.sql.split import split
from headwater.sql.statements import (
    AddColumn,
    ChangeColumnType,
    CommentOnColumn,
    CommentOnTable,
    CreateSchema,
    CreateTable,
    CreateView,
    DropColumn,
    DropDefault,
    DropNotNull,
    DropSchema,
    DropTable,
    DropView,
    ObjectName,
    PartitionKey,
    RenameColumn,
    RenameTable,
    RenameView,
    SchemaName,
    SetDefault,
    SetNotNull,
    SetPartitioning,
    SetSorting,
    Statement,
)

T = ObjectName("t")
V = ObjectName("v")
A = Column("a", "int32")

STATEMENTS: dict[str, Statement] = {
    "CREATE SCHEMA s": CreateSchema(SchemaName("s")),
    "create schema if not exists lake.s": CreateSchema(SchemaName("s", "lake"), if_not_exists=True),
    "DROP SCHEMA s": DropSchema(SchemaName("s")),
    "DROP SCHEMA s RESTRICT": DropSchema(SchemaName("s")),
    "DROP SCHEMA IF EXISTS lake.s CASCADE": DropSchema(SchemaName("s", "lake"), if_exists=True, cascade=True),
    "CREATE TABLE t (a INT)": CreateTable(T, (A,)),
    "CREATE TABLE t (a INT NULL,)": CreateTable(T, (A,)),
    "CREATE TABLE IF NOT EXISTS lake.s.t (a INT)": CreateTable(ObjectName("t", "s", "lake"), (A,), if_not_exists=True),
    "CREATE OR REPLACE TABLE t (a INT)": CreateTable(T, (A,), or_replace=True),
    'CREATE TABLE "we""ird; name" ("../x" INT)': CreateTable(ObjectName('we"ird; name'), (Column("../x", "int32"),)),
    "CREATE TABLE Größe (Ä INT)": CreateTable(ObjectName("Größe"), (Column("Ä", "int32"),)),
    "CREATE TABLE t (comment INT, date DATE)": CreateTable(T, (Column("comment", "int32"), Column("date", "date"))),
    "CREATE TABLE t (a INT NOT NULL DEFAULT 5)": CreateTable(T, (Column("a", "int32", nullable=False, default="5"),)),
    "CREATE TABLE t (a INT DEFAULT 5 NOT NULL)": CreateTable(T, (Column("a", "int32", nullable=False, default="5"),)),
    "CREATE TABLE t (a INT) PARTITIONED BY (a, year(ts), MONTH(ts), day(ts), hour(ts), bucket(8, b))": CreateTable(
        T,
        (A,),
        partitioned_by=(
            PartitionKey("a"),
            PartitionKey("ts", "year"),
            PartitionKey("ts", "month"),
            PartitionKey("ts", "day"),
            PartitionKey("ts", "hour"),
            PartitionKey("b", "bucket(8)"),
        ),
    ),
    "CREATE TABLE t (a INT) PARTITIONED BY (a) SORTED BY (a DESC)": CreateTable(
        T, (A,), partitioned_by=(PartitionKey("a"),), sorted_by=(SortKey("a", descending=True),)
    ),
    "DROP TABLE t": DropTable(T),
    "DROP TABLE IF EXISTS s.t": DropTable(ObjectName("t", "s"), if_exists=True),
    "ALTER TABLE s.t RENAME TO u": RenameTable(ObjectName("t", "s"), "u"),
    "ALTER TABLE t ADD COLUMN a INT": AddColumn(T, A),
    "ALTER TABLE t ADD a INT": AddColumn(T, A),
    "ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT DEFAULT -1": AddColumn(
        T, Column("a", "int32", default="-1"), if_not_exists=True
    ),
    "ALTER TABLE t DROP COLUMN a": DropColumn(T, "a"),
    "ALTER TABLE t DROP COLUMN IF EXISTS a": DropColumn(T, "a", if_exists=True),
    "ALTER TABLE t RENAME COLUMN a TO b": RenameColumn(T, "a", "b"),
    "ALTER TABLE t RENAME a TO b": RenameColumn(T, "a", "b"),
    "ALTER TABLE t ALTER COLUMN a SET DATA TYPE BIGINT": ChangeColumnType(T, "a", Column("a", "int64")),
    "ALTER TABLE t ALTER a TYPE BIGINT": ChangeColumnType(T, "a", Column("a", "int64")),
    "ALTER TABLE t ALTER a SET DEFAULT 'x'": SetDefault(T, "a", "x"),
    "ALTER TABLE t ALTER a SET DEFAULT NULL": SetDefault(T, "a", None),
    "ALTER TABLE t ALTER a SET DEFAULT now()": SetDefault(T, "a", "now()", default_is_expression=True),
    "ALTER TABLE t ALTER a DROP DEFAULT": DropDefault(T, "a"),
    "ALTER TABLE t ALTER a SET NOT NULL": SetNotNull(T, "a"),
    "ALTER TABLE t ALTER a DROP NOT NULL": DropNotNull(T, "a"),
    "ALTER TABLE t SET PARTITIONED BY (a)": SetPartitioning(T, (PartitionKey("a"),)),
    "ALTER TABLE t SET PARTITIONED /* by what? */ BY (a)": SetPartitioning(T, (PartitionKey("a"),)),
    "ALTER TABLE t RESET PARTITIONED BY": SetPartitioning(T),
    "ALTER TABLE t SET SORTED BY (a, b DESC, c NULLS FIRST, date_trunc('day', ts) DESC NULLS LAST)": SetSorting(
        T,
        (
            SortKey("a"),
            SortKey("b", descending=True),
            SortKey("c", nulls_first=True),
            SortKey("date_trunc('day', ts)", descending=True),
        ),
    ),
    'ALTER TABLE t SET SORTED BY ("a", B, "a b")': SetSorting(T, (SortKey("a"), SortKey('"B"'), SortKey('"a b"'))),
    "ALTER TABLE t RESET SORTED BY": SetSorting(T),
    "COMMENT ON TABLE t IS 'it''s'": CommentOnTable(T, "it's"),
    "COMMENT ON TABLE t IS NULL": CommentOnTable(T, None),
    "COMMENT ON COLUMN t.a IS 'x'": CommentOnColumn(T, "a", "x"),
    "COMMENT ON COLUMN lake.s.t.a IS ''": CommentOnColumn(ObjectName("t", "s", "lake"), "a", ""),
    "CREATE VIEW v AS SELECT 1": CreateView(V, "SELECT 1"),
    "CREATE VIEW v (x, y) AS SELECT 1,  ';' -- two": CreateView(V, "SELECT 1,  ';'", ("x", "y")),
    "CREATE OR REPLACE VIEW v AS WITH q AS (FROM t) FROM q": CreateView(
        V, "WITH q AS (FROM t) FROM q", or_replace=True
    ),
    "CREATE VIEW IF NOT EXISTS v AS (SELECT 1) UNION ALL SELECT 2": CreateView(
        V, "(SELECT 1) UNION ALL SELECT 2", if_not_exists=True
    ),
    "CREATE VIEW v AS VALUES (1)": CreateView(V, "VALUES (1)"),
    "DROP VIEW v": DropView(V),
    "DROP VIEW IF EXISTS v": DropView(V, if_exists=True),
    "ALTER VIEW s.v RENAME TO w": RenameView(ObjectName("v", "s"), "w"),
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_each_statement_is_understood(text: str) -> None:
    assert parse(text) == (STATEMENTS[text],)


@pytest.mark.parametrize("text", ["", "  \n\t", ";", "-- nothing\n;; /* here */ ;"])
def test_an_empty_script_has_no_statements(text: str) -> None:
    assert parse(text) == ()


def test_a_script_is_its_statements_in_order() -> None:
    script = "CREATE SCHEMA s;\n-- now a table\nCREATE TABLE s.t (a INT);;\nDROP VIEW v"
    assert parse(script) == (
        CreateSchema(SchemaName("s")),
        CreateTable(ObjectName("t", "s"), (A,)),
        DropView(V),
    )


def test_a_script_is_split_without_being_parsed() -> None:
    pieces = split("select ';';\n\n  INSERT INTO t VALUES (1) -- one\n; ")
    assert [(piece.verb, piece.text, piece.position) for piece in pieces] == [
        ("SELECT", "select ';'", Position(1, 1)),
        ("INSERT", "INSERT INTO t VALUES (1)", Position(3, 3)),
    ]


def test_spark_quotes_names_with_backquotes_and_strings_with_either_quote() -> None:
    (table,) = parse('CREATE TABLE `a b` (`x.y` STRING DEFAULT "it\'s")', "spark")
    assert table == CreateTable(ObjectName("a b"), (Column("x.y", "varchar", default="it's"),))
    (view,) = parse("CREATE VIEW v AS SELECT `a` FROM t", "spark")
    assert view == CreateView(V, "SELECT `a` FROM t", dialect="spark")
    assert parse("CREATE DATABASE s", "spark") == (CreateSchema(SchemaName("s")),)


def test_spark_puts_nulls_first_when_ascending() -> None:
    (sorting,) = parse("ALTER TABLE t SET SORTED BY (a, b DESC, c NULLS LAST)", "spark")
    assert sorting == SetSorting(T, (SortKey("a", nulls_first=True), SortKey("b", descending=True), SortKey("c")))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT 1", "SELECT"),
        ("insert into t values (1)", "INSERT"),
        ("SHOW TABLES", "SHOW"),
        ("PRAGMA version", "PRAGMA"),
        ("ATTACH 'x' AS y", "ATTACH"),
        ("CREATE TEMP TABLE t (a INT)", "CREATE TEMP"),
        ("CREATE OR REPLACE FUNCTION f() AS 1", "CREATE OR REPLACE FUNCTION"),
        ("CREATE INDEX i ON t (a)", "CREATE INDEX"),
        ("ALTER SEQUENCE s RESTART", "ALTER SEQUENCE"),
        ("DROP INDEX i", "DROP INDEX"),
        ("COMMENT ON VIEW v IS 'x'", "COMMENT ON VIEW"),
        ("CREATE", "CREATE"),
    ],
)
def test_any_other_statement_is_refused_by_its_kind(text: str, kind: str) -> None:
    with pytest.raises(SqlUnsupported) as caught:
        parse(text)
    assert caught.value.message == f'statement "{kind}" is not supported'
    assert caught.value.position == Position(1, 1)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("CREATE TABLE t (a INT PRIMARY KEY)", "PRIMARY KEY is not supported", 23),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a))", "PRIMARY KEY is not supported", 24),
        ("CREATE TABLE t (a INT UNIQUE)", "UNIQUE is not supported", 23),
        ("CREATE TABLE t (a INT CHECK (a > 0))", "CHECK is not supported", 23),
        ("CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES u (a))", "FOREIGN KEY is not supported", 24),
        ("CREATE TABLE t (a INT REFERENCES u (a))", "FOREIGN KEY is not supported", 23),
        ("CREATE TABLE t (a INT CONSTRAINT c NOT NULL)", "named constraints is not supported", 23),
        ("CREATE TABLE t (a INT GENERATED ALWAYS AS (1))", "GENERATED is not supported", 23),
        ("CREATE TABLE t (a INT AS (1))", "GENERATED is not supported", 23),
        ("CREATE TABLE t (a TEXT DEFAULT 'x' COLLATE NOCASE)", "COLLATE is not supported", 36),
        ("CREATE TABLE t AS SELECT 1", "CREATE TABLE AS is not supported", 16),
        ("CREATE TABLE t (a INT) USING delta", "USING in CREATE TABLE is not supported", 24),
        ("CREATE TABLE t (a INT) PARTITIONED BY (truncate(4, a))", 'tables can\'t be partitioned by "truncate"', 40),
        ("CREATE OR REPLACE SCHEMA s", "a schema can't be replaced", 8),
        ("CREATE VIEW v AS DROP TABLE t", 'a view can\'t be created from "DROP"', 18),
        ("CREATE VIEW v AS WITH q AS (DELETE FROM t) SELECT 1", "a view must be a query that only reads", 18),
        ("CREATE VIEW v AS SELECT ?", "a view can't contain parameters", 18),
        ("DROP TABLE t CASCADE", "CASCADE is not supported for a table", 14),
        ("DROP TABLE t, u", "DROP of several objects is not supported", 13),
        ("ALTER TABLE IF EXISTS t RENAME TO u", "IF EXISTS is not supported after ALTER", 13),
        (
            "ALTER TABLE t ADD COLUMN a INT, ADD COLUMN b INT",
            "several changes in one ALTER TABLE are not supported",
            31,
        ),
        ("ALTER TABLE t ADD COLUMN a INT NOT NULL", 'column "a" can\'t be added as NOT NULL', 26),
        ("ALTER TABLE t ADD COLUMN s.a INT", "fields of a struct can't be altered", 26),
        ("ALTER TABLE t ADD COLUMNS (a INT)", "ADD COLUMNS is not supported", 19),
        ("ALTER TABLE t ALTER a TYPE INT USING b", "USING is not supported", 32),
        ("ALTER TABLE t CLUSTER BY (a)", 'ALTER TABLE with "CLUSTER" is not supported', 15),
        ("ALTER TABLE t SET SORTED BY (sum(a))", 'the sort key "sum(a)" is not an expression over a single row', 30),
    ],
)
def test_what_a_lake_does_not_have_is_refused_where_it_stands(text: str, message: str, column: int) -> None:
    with pytest.raises(SqlUnsupported) as caught:
        parse(text)
    assert (caught.value.message, caught.value.position) == (message, Position(1, column))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("5", 'expected a statement, found "5"', 1, 1),
        ("CREATE TABLE t (a INT", 'expected ")", the statement ends', 1, 22),
        ("CREATE TABLE t (a INT)\n  x", 'expected the end of the statement, found "x"', 2, 3),
        ("CREATE TABLE t ()", 'expected the name of the column, found ")"', 1, 17),
        ("CREATE TABLE (a INT)", 'expected the name of the table, found "("', 1, 14),
        ('CREATE TABLE "" (a INT)', "the name of the table is empty", 1, 14),
        ("CREATE TABLE select (a INT)", '"select" is a reserved word', 1, 14),
        ("CREATE TABLE a.b.c.d (x INT)", "the name of the table has 4 parts", 1, 14),
        ("CREATE TABLE t (a INT,\n  A INT)", 'column "A" is specified more than once', 2, 3),
        ("CREATE TABLE t (a INT DEFAULT 1 DEFAULT 2)", "the column has two defaults", 1, 33),
        ("CREATE TABLE t (a INT DEFAULT)", "expected the default", 1, 30),
        ("CREATE TABLE t (a INT DEFAULT 1 +)", "syntax error", 1, 33),
        ("CREATE TABLE t (a INT FOO)", 'expected NOT NULL, DEFAULT or ",", found "FOO"', 1, 23),
        ("CREATE OR REPLACE TABLE IF NOT EXISTS t (a INT)", "OR REPLACE and IF NOT EXISTS can't be combined", 1, 25),
        ("CREATE TABLE t (a INT) PARTITIONED BY ()", "expected the name of the column", 1, 40),
        ("CREATE TABLE t (a INT) PARTITIONED BY (bucket(0, a))", "the number of buckets must be at least 1", 1, 40),
        ("CREATE VIEW v AS\nSELECT a FROM t WHERE", "syntax error", 2, 17),
        ("CREATE VIEW v AS\nSELECT b b b FROM t", "syntax error", 2, 12),
        ("CREATE VIEW v AS", "expected the query, the statement ends", 1, 17),
        ("ALTER TABLE t RENAME TO s.u", "expected the end of the statement", 1, 26),
        ("COMMENT ON COLUMN a IS 'x'", 'column "a" has no table', 1, 19),
        ("COMMENT ON TABLE t IS 5", "expected the comment as a string", 1, 23),
        ("SELECT 1;\nCREATE TABLE t (a 'x)", "the text ends inside", 2, 19),
        ("/* never closed", "the text ends inside", 1, 1),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        parse(text)
    assert caught.value.message.startswith(message)
    assert caught.value.position == Position(line, column)
    assert caught.value.hint


def test_a_mistake_in_a_late_statement_is_counted_from_the_start_of_the_script() -> None:
    with pytest.raises(SqlError) as caught:
        parse("DROP TABLE t;\nDROP TABLE u;\n  DROP TABLE 5")
    assert caught.value.position == Position(3, 14)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        parse("DROP TABLE t", "oracle")
