"""What can't be kept fresh is refused with code, position and hint."""

from __future__ import annotations

import pytest

from headwater.core.errors import DefinitionRefused, HeadwaterError, InvalidRequest, NotFound, Position, SqlSyntaxError
from headwater.sql.bind import bind
from tests.sql.small_lake import SmallLake


def refusal(text: str, dialect: str = "spark", origin: Position = Position(1, 1)) -> HeadwaterError:  # noqa: B008
    with pytest.raises(HeadwaterError) as caught:
        bind(text, SmallLake(), dialect=dialect, origin=origin)
    return caught.value


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "the query is empty", 1),
        (" ; ", "the query is empty", 1),
        ("SELECT 1; SELECT 2", "the query is more than one statement", 11),
        ("INSERT INTO t SELECT 1", "the query of a dynamic table must only read", 1),
        ("DROP TABLE t", "the query of a dynamic table must only read", 1),
        ("TABLE t", "the query of a dynamic table must only read", 1),
        ("SELECT ? FROM t", "the query of a dynamic table can't contain parameters", 8),
        ("SELECT a, :x FROM t", "the query of a dynamic table can't contain parameters", 11),
        ("SELECT '${x}'", "the query of a dynamic table can't contain parameters", 9),
        ("SELECT 1 AS __HW_x", 'the query of a dynamic table can\'t contain the reserved prefix "__hw_"', 13),
        ("SELECT 1 AS hw_source_1", 'the name "hw_source_1" is reserved', 13),
        ("WITH `HW_source_1` AS (SELECT 1) SELECT 2", 'the name "HW_source_1" is reserved', 6),
        ("SELECT * FROM t |> WHERE a", "pipe syntax is not supported", 17),
        ("SELECT TRANSFORM(a) USING 'cat' FROM t", "TRANSFORM … USING is not supported", 18),
        ("SELECT * FROM t VERSION AS OF 3", '"t VERSION AS OF 3" is not the name of a table or view', 15),
        ("SELECT * FROM a.b.c.d", '"a.b.c.d" is not the name of a table or view', 15),
        ("SELECT * FROM IDENTIFIER('t')", "IDENTIFIER() is not supported", 15),
        ("SELECT * FROM read_files('x')", 'the table function "read_files" is not supported', 15),
        ("SELECT year(now()) FROM t", 'a column with the clock function "now" has no name', 13),
        ("SELECT * FROM (SELECT now() + a FROM t)", 'a column with the clock function "now" has no name', 23),
        ("SELECT user FROM (SELECT user FROM t)", '"user" can be a column or a function', 8),
        ("SELECT shop.orders.id FROM shop.orders, old.orders", '"shop.orders.id" is ambiguous', 8),
        ("SELECT shop.orders.id FROM shop.orders, t shop", '"shop.orders.id" is ambiguous', 8),
        ("SELECT 1 FROM shop.loop", 'view "shop"."loop" reads itself', 15),
        ("SELECT 1 FROM shop.deep0", "views are nested deeper than 32 levels", 15),
        ("SELECT 1 FROM shop.wide0", "the query is too long once its views are expanded", 15),
    ],
)
def test_definitions_that_are_refused(text: str, message: str, column: int) -> None:
    error = refusal(text)
    assert isinstance(error, DefinitionRefused)
    assert (error.message, error.position) == (message, Position(1, column))
    assert error.hint


@pytest.mark.parametrize(
    ("text", "what", "column"),
    [
        *(
            (f"SELECT a, {name}(a) FROM t", f'the function "{name}"', 11)
            for name in ("rand", "random", "randn", "uuid", "shuffle", "version", "user", "current_user")
        ),
        ("SELECT uniform(1, 2)", 'the function "uniform"', 8),
        ("SELECT monotonically_increasing_id()", 'the function "monotonically_increasing_id"', 8),
        ("SELECT spark_partition_id()", 'the function "spark_partition_id"', 8),
        ("SELECT input_file_name()", 'the function "input_file_name"', 8),
        ("SELECT input_file_block_start()", 'the function "input_file_block_start"', 8),
        ("SELECT system.builtin.RAND()", 'the function "rand"', 23),
        ("SELECT `rand`()", 'the function "rand"', 8),
        ("SELECT current_database(), 1", 'the function "current_database"', 8),
        ("SELECT id FROM shop.orders WHERE current_user = 'x'", 'the function "current_user"', 34),
        ("SELECT session_user", 'the function "session_user"', 8),
        ("SELECT user", 'the function "user"', 8),
        ("SELECT current_catalog", 'the function "current_catalog"', 8),
        ("SELECT DATE 'today'", "'today' as a date", 13),
        ("SELECT * FROM t TABLESAMPLE (5 ROWS) x", "TABLESAMPLE", 17),
    ],
)
def test_what_changes_by_itself_is_refused_unless_it_is_wanted(text: str, what: str, column: int) -> None:
    error = refusal(text)
    assert (error.code, error.message) == ("HW-DT-001", f"{what} is not deterministic")
    assert error.position == Position(1, column)
    assert error.hint == "Set REFRESH_MODE = FULL if that is intended."
    assert bind(text, SmallLake(), allow_random=True)


def test_columns_may_be_called_as_functions_are() -> None:
    assert bind("SELECT user, t.version FROM t WHERE t.uuid = 1", SmallLake())


@pytest.mark.parametrize(
    "text", ["SELECT a FROM t UNION SELECT x\n FROM shop.gone", "SELECT x FROM\n (SELECT 1 FROM nix)"]
)
def test_unknown_tables_are_refused_where_they_stand(text: str) -> None:
    error = refusal(text, origin=Position(4, 7))
    assert isinstance(error, NotFound)
    name = "shop.gone" if "gone" in text else "nix"
    assert error.message == f'table or view "{name}" does not exist'
    assert error.position == Position(5, text.splitlines()[1].index(name) + 1)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("SELECT 'x", 8),
        ("SELECT", 1),
        ("SELECT a FROM t GROUP x", 23),
        ("SELECT map('a')", 1),
        ("SELECT " + "(" * 40, 40),
        ("SELECT \0", 8),
        ("SELECT " + "NOT " * 50_000 + "1", 1),
    ],
)
def test_text_that_is_no_sql_is_a_syntax_error_in_its_script(text: str, column: int) -> None:
    error = refusal(text, origin=Position(3, 11))
    assert isinstance(error, SqlSyntaxError)
    assert error.position == Position(3, column + 10)


@pytest.mark.parametrize(
    ("name", "message", "where"),
    [
        ("broken", 'table or view "shop.gone" does not exist', 'It is at line 2, column 6 of view "shop"."broken".'),
        ("lucky", 'the function "rand" is not deterministic', "line 1, column 8"),
        ("ducky", 'the function "log" has no exact translation to Spark', "line 1, column 8"),
    ],
)
def test_what_is_wrong_in_a_view_is_told_at_the_name_of_the_view(name: str, message: str, where: str) -> None:
    error = refusal(f"SELECT 1\nFROM shop.{name}")
    assert (error.message, error.position) == (message, Position(2, 6))
    assert where in (error.detail or "")


def test_a_dialect_that_nobody_knows_is_refused() -> None:
    assert isinstance(refusal("SELECT 1", dialect="cobol"), InvalidRequest)
