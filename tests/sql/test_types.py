"""Type names of DuckDB and Spark, and what DuckDB makes of them."""

from __future__ import annotations

import pytest

from headwater.core.errors import SqlError, SqlSyntaxError, SqlUnsupported
from headwater.core.reserved import RESERVED
from headwater.core.schema import Column
from headwater.core.types import SCALARS, is_known
from headwater.sql.parse import parse
from headwater.sql.render import render_type
from headwater.sql.statements import CreateTable
from headwater.sql.type_names import SCALAR_NAMES
from tests.duck import Duck

# Names of Spark that DuckDB does not know.
SPARK_ONLY = {"BYTE", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"}
OF_DUCKDB = [
    *sorted(SCALAR_NAMES.keys() - SPARK_ONLY),
    "varchar",
    "VARCHAR(10)",
    "CHARACTER VARYING(3)",
    "DOUBLE PRECISION",
    "FLOAT(3)",
    "DECIMAL",
    "NUMERIC",
    "DEC(5)",
    "DECIMAL(38, 38)",
    "TIME",
    "TIME WITH TIME ZONE",
    "TIMESTAMP",
    "DATETIME",
    "TIMESTAMP WITH TIME ZONE",
    "TIMESTAMP WITHOUT TIME ZONE",
    "TIMESTAMP(0)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP(9)",
    "INT[]",
    "INT ARRAY",
    "INT[][]",
    "MAP(VARCHAR, INT[])",
    "STRUCT(a INT, b TEXT)",
    "ROW(a INT)",
    "STRUCT(a STRUCT(b MAP(INT, DECIMAL(10, 2)))[])[]",
]


def type_of(text: str, dialect: str = "duckdb") -> Column:
    (table,) = parse(f"CREATE TABLE t (c {text})", dialect)
    assert isinstance(table, CreateTable)
    return table.columns[0]


def test_names_mean_what_duckdb_takes_them_for(duck: Duck) -> None:
    theirs = [rows[0][0] for rows in duck.batch([f"SELECT typeof(NULL::{text})" for text in OF_DUCKDB])]
    # DuckDB leaves names unquoted where it can; we never do.
    ours = [render_type(type_of(text)).replace('"', "") for text in OF_DUCKDB]
    assert dict(zip(OF_DUCKDB, ours, strict=True)) == dict(zip(OF_DUCKDB, theirs, strict=True))


def test_reserved_words_are_duckdbs(duck: Duck) -> None:
    rows = duck.execute("SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'")
    assert {word for (word,) in rows} == RESERVED


def test_each_scalar_of_ducklake_has_a_name() -> None:
    assert {type_of(name).type for name in SCALAR_NAMES} == SCALARS


@pytest.mark.parametrize(
    ("text", "duckdb", "spark"),
    [
        ("STRING", "varchar", "varchar"),
        ("LONG", "int64", "int64"),
        ("BYTE", "int8", "int8"),
        ("TIMESTAMP", "timestamp", "timestamptz"),
        ("TIMESTAMP_NTZ", "timestamp", "timestamp"),
        ("TIMESTAMP_LTZ", "timestamptz", "timestamptz"),
        ("TIMESTAMP WITH LOCAL TIME ZONE", "timestamptz", "timestamptz"),
        ("DECIMAL", "decimal(18,3)", "decimal(10,0)"),
        ("DECIMAL(7)", "decimal(7,0)", "decimal(7,0)"),
        ("ARRAY<INT>", "list<int32>", "list<int32>"),
        ("INT[]", "list<int32>", "list<int32>"),
        ("LIST(INT)", "list<int32>", "list<int32>"),
        ("MAP<STRING, ARRAY<MAP<INT, INT>>>", *["map<varchar, list<map<int32, int32>>>"] * 2),
        ("STRUCT<a: INT, b: STRING>", "struct<a: int32, b: varchar>", "struct<a: int32, b: varchar>"),
        ("STRUCT<a INT>[]", "list<struct<a: int32>>", "list<struct<a: int32>>"),
    ],
)
def test_both_dialects_take_the_names_of_both(text: str, duckdb: str, spark: str) -> None:
    assert (type_of(text).type_text(), type_of(text, "spark").type_text()) == (duckdb, spark)


def test_the_parts_of_nested_types_have_ducklakes_names() -> None:
    assert type_of("MAP(INT, STRUCT(x INT)[])") == Column(
        "c",
        "map",
        children=(
            Column("key", "int32"),
            Column(
                "value",
                "list",
                children=(Column("element", "struct", children=(Column("x", "int32"),)),),
            ),
        ),
    )


@pytest.mark.parametrize("text", [*SCALAR_NAMES, "DECIMAL(3,1)", "STRUCT(a INT[])", "MAP(INT, INT)"])
def test_every_type_is_one_that_ducklake_has(text: str) -> None:
    assert all(is_known(part.type) for part in type_of(text).walk())


@pytest.mark.parametrize("text", ["FOO", "BIT", "ENUM('a')", "UNION(a INT)", "INT[3]", "VOID", "TIME_NS", "BIGNUM"])
def test_a_type_that_ducklake_lacks_is_refused(text: str) -> None:
    with pytest.raises(SqlUnsupported):
        type_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "DECIMAL(39, 2)",
        "DECIMAL(3, 5)",
        "DECIMAL(0, 0)",
        "DECIMAL(10, -2)",
        "DECIMAL(1, 2, 3)",
        "DECIMAL(99999999999999999999)",
        "TIMESTAMP(4)",
        "STRUCT()",
        "STRUCT(a INT, A INT)",
        "STRUCT",
        "MAP(INT)",
        "MAP(INT, INT, INT)",
        "ARRAY<INT",
        "ARRAY<INT)",
        "INT[",
        "5",
        "'INT'",
    ],
)
def test_a_malformed_type_is_a_mistake(text: str) -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        type_of(text)
    assert caught.value.position
    assert caught.value.hint


@pytest.mark.parametrize("text", ["INT" + "[]" * 5000, "ARRAY<" * 5000 + "INT" + ">" * 5000])
def test_a_type_nested_without_end_is_a_mistake(text: str) -> None:
    with pytest.raises(SqlError, match="nested"):
        type_of(text)
