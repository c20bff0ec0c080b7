"""Double quotes enclose names in new definitions, and strings in those whose session says so."""

from __future__ import annotations

import pytest

from headwater.core.errors import DefinitionRefused, Position
from headwater.core.excerpt import Excerpt
from headwater.core.semantics import SqlMode, definition_session, session_of, sql_mode
from headwater.sql.add_column import add_column
from headwater.sql.bind import bind, placed
from headwater.sql.split import split
from headwater.sql.statements import ObjectName
from headwater.sql.tables_named import tables_named
from tests.sql.small_lake import SmallLake

STRINGS = SqlMode(double_quoted_names=False, unzoned_timestamps=False)
AS_STRINGS = {"spark.sql.ansi.enabled": "true", "spark.version": "4.2.0"}


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ('SELECT "a" FROM t', "SELECT `a` FROM `hw_source_1` AS `t`"),
        ('SELECT 1 FROM t WHERE "a" = \'"a"\'', "SELECT 1 FROM `hw_source_1` AS `t` WHERE `a` = '\"a\"'"),
        ('SELECT "t"."a" FROM "main"."t"', "SELECT `t`.`a` FROM `hw_source_1` AS `t`"),
        ('SELECT main."t"."a" FROM "t"', "SELECT `t`.`a` FROM `hw_source_1` AS `t`"),
        (
            'SELECT x."b" FROM t "x" JOIN t AS y ON "x"."a" = "y"."a"',
            "SELECT x.`b` FROM `hw_source_1` `x` JOIN `hw_source_1` AS y ON `x`.`a` = `y`.`a`",
        ),
        ('SELECT "a b`""c" FROM (SELECT a AS "a b`""c" FROM t)', None),
        ('SELECT a -- "a"\n, /* "b" */ r"b" FROM t', 'SELECT a -- "a"\n, /* "b" */ r"b" FROM `hw_source_1` AS `t`'),
        ('SELECT "upper"("b") FROM t', "SELECT `upper`(`b`) FROM `hw_source_1` AS `t`"),
        ('SELECT /*+ BROADCAST("t") */ a FROM t', 'SELECT /*+ BROADCAST("t") */ a FROM `hw_source_1` AS `t`'),
    ],
)
def test_a_name_in_double_quotes_is_a_name_in_the_bound_query(text: str, sql: str | None) -> None:
    if sql is None:
        sql = 'SELECT `a b``"c` FROM (SELECT a AS `a b``"c` FROM `hw_source_1` AS `t`)'
    assert bind(text, SmallLake()).sql == sql


@pytest.mark.parametrize(
    "text", ['SELECT "a" FROM t', "SELECT a FROM t WHERE \"it's\" = '\"'", 'SELECT "a\\"b" FROM t']
)
def test_a_definition_of_an_older_session_keeps_its_strings(text: str) -> None:
    assert bind(text, SmallLake(), mode=STRINGS).sql == text.replace("FROM t", "FROM `hw_source_1` AS `t`")


def test_columns_in_double_quotes_are_columns_that_the_query_reads() -> None:
    (source,) = bind('SELECT "a" FROM t WHERE "b" = 1', SmallLake()).sources
    assert source.columns == (1, 2)
    (source,) = bind('SELECT a FROM t WHERE "b" = "c"', SmallLake(), mode=STRINGS).sources
    assert source.columns == (1,)


def test_a_stored_session_keeps_the_meaning_of_its_text_and_takes_the_rest_of_this_release() -> None:
    old = session_of(AS_STRINGS)
    assert sql_mode(old) == STRINGS
    assert old["spark.version"] == definition_session()["spark.version"] != AS_STRINGS["spark.version"]
    assert session_of(old) == old
    assert session_of(definition_session()) == definition_session()


def test_an_unknown_name_in_double_quotes_gets_the_hint_for_strings() -> None:
    def hint(text: str, words: str) -> tuple[Position | None, str | None]:
        bound = bind(text, SmallLake())
        error = DefinitionRefused("Spark can't run the query", hint="Correct it.")
        error.excerpt = Excerpt.of(bound.sql, bound.sql.index(words), words)
        error.unknown_column = (words,)
        with pytest.raises(DefinitionRefused), placed(bound, "spark", Position(1, 1)):
            raise error
        return error.position, error.hint

    strings = "Double quotes enclose names; write a string in single quotes."
    assert hint('SELECT a FROM t WHERE a = "x"', "`x`") == (Position(1, 27), strings)
    assert hint("SELECT a FROM t WHERE a = `x`", "`x`") == (Position(1, 27), "Correct it.")
    assert hint("SELECT a FROM t WHERE a = x", "x") == (Position(1, 27), "Correct it.")
    assert hint('SELECT "b", missing FROM t', "missing") == (Position(1, 13), "Correct it.")


def test_the_end_of_the_list_is_found_by_what_double_quotes_enclose() -> None:
    assert add_column('SELECT a, "FROM" FROM t', "b", "c", double_quoted_names=True) == (
        'SELECT a, "FROM", b AS `c` FROM t'
    )
    assert add_column('SELECT "it\'s" AS x FROM t', '"b"', "c", double_quoted_names=True) == (
        'SELECT "it\'s" AS x, "b" AS `c` FROM t'
    )


def test_the_tables_of_a_script_in_sparks_dialect_may_be_in_double_quotes() -> None:
    (piece,) = split('SELECT "a" FROM "main"."t" AS "x"', "spark")
    assert tables_named(piece, "spark") == (ObjectName("t", "main"),)
