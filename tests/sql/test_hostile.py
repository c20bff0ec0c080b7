"""Text that means harm ends in an error with code, position and hint, and in nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.core.errors import SqlSyntaxError
from headwater.sql.parse import parse
from headwater.sql.statements import CommentOnTable, CreateTable, ObjectName
from tests.sql.refusal import refusal

VIEW = "CREATE VIEW v AS SELECT "


@pytest.mark.parametrize(
    "text",
    [
        VIEW + "(" * 5000 + "1" + ")" * 5000,
        VIEW + "(SELECT " * 5000 + "1" + ")" * 5000,
        VIEW + "NOT " * 50_000 + "1",
        VIEW + "- " * 50_000 + "1",
        VIEW + "CASE WHEN 1 THEN " * 5000 + "1" + " END" * 5000,
        VIEW + "[" * 5000,
        "CREATE TABLE t (a INT DEFAULT " + "(" * 5000 + "1" + ")" * 5000 + ")",
        "CREATE TABLE t " + "(" * 5000,
        "(" * 5000,
    ],
    ids=lambda text: text[:40],
)
def test_nesting_without_end_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SqlSyntaxError, match="nested too deeply") as caught:
        parse(text)
    assert caught.value.position


def test_nesting_as_people_write_it_is_parsed() -> None:
    assert len(parse(VIEW + "(SELECT " * 30 + "1" + ")" * 30)) == 1


@pytest.mark.parametrize("text", [" " * 10_000_000, "DROP TABLE t;" * 800_000, "é" * 600_000])
def test_text_beyond_a_megabyte_is_refused_unread(text: str) -> None:
    with pytest.raises(SqlSyntaxError, match="too long"):
        parse(text)


def test_a_long_script_of_many_statements_is_parsed() -> None:
    assert len(parse("DROP TABLE t;\n" * 10_000)) == 10_000


@pytest.mark.parametrize("text", ["DROP TABLE \0", "DROP TABLE t\ud800", 'DROP TABLE "\udfff"'])
def test_characters_that_no_catalog_stores_are_refused(text: str) -> None:
    with pytest.raises(SqlSyntaxError, match="is not allowed in SQL"):
        parse(text)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a;b", "--", "x'; DROP TABLE t; --", "😀", "a\nb", "%s", "{x}", "`"]
)
def test_a_quoted_name_is_a_name_whatever_it_holds(name: str) -> None:
    (table,) = parse(f'CREATE TABLE "{name}" ("{name}" INT)')
    assert isinstance(table, CreateTable)
    assert (table.name, table.columns[0].name) == (ObjectName(name), name)


def test_a_string_is_a_string_whatever_it_holds() -> None:
    comment = "'; DROP TABLE t; --"
    (statement,) = parse("COMMENT ON TABLE t IS '" + comment.replace("'", "''") + "'")
    assert statement == CommentOnTable(ObjectName("t"), comment)


_WORDS = """
    CREATE ALTER DROP COMMENT ON TABLE VIEW SCHEMA COLUMN IF NOT EXISTS OR REPLACE AS SELECT FROM WITH VALUES SET RESET
    PARTITIONED SORTED BY RENAME TO ADD TYPE DATA DEFAULT NULL INT DECIMAL STRUCT ARRAY MAP TIMESTAMP ZONE t a b "q" 's'
    5 1e9 ( ) [ ] { } < > , . ; : - + * / = ? $1 $$ ' " ` -- /* */ é 😀 IS CASCADE USING DESC NULLS FIRST CASE END
"""
scripts = st.lists(st.sampled_from([*_WORDS.split(), "\n"]), max_size=30).map(" ".join) | st.text(max_size=60)


@settings(deadline=None)
@given(scripts, st.sampled_from(["duckdb", "spark"]))
def test_any_text_is_parsed_or_refused_with_all_that_a_user_needs(text: str, dialect: str) -> None:
    error = refusal(text, dialect)
    assert error is None or (error.code and error.position and error.hint)
