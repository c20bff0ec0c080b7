"""Defaults in the words that DuckLake stores."""

from __future__ import annotations

import pytest

from headwater.core.errors import SqlUnsupported
from headwater.sql.parse import parse
from headwater.sql.statements import SetDefault
from tests.duck import Duck

LITERALS = ["'dd'", "''", "'it''s'", "$$q$$", "'NULL'", "5", "-5", "(5)", "1.50", "5.", "1e3", "-1.5e3", "1_000"]
EXPRESSIONS = [
    "now()",
    "current_date",
    "1 + 2",
    "DATE '2020-01-01'",
    "[1, 2]",
    "{'a': 1}",
    "E'\\n'",
    "CASE WHEN 1 > 0 THEN 1 END",
]


def default_of(text: str, dialect: str = "duckdb") -> tuple[str | None, bool]:
    (statement,) = parse(f"ALTER TABLE t ALTER c SET DEFAULT {text}", dialect)
    assert isinstance(statement, SetDefault)
    return statement.default, statement.default_is_expression


@pytest.mark.parametrize("catalog_kind", ["sqlite"], indirect=True)
def test_literals_are_stored_as_ducklake_stores_them(duck_lake: Duck) -> None:
    duck_lake.batch([f"CREATE TABLE t{i} (c VARCHAR DEFAULT {text})" for i, text in enumerate(LITERALS)])
    stored = duck_lake.execute(
        "SELECT default_value FROM __ducklake_metadata_lake.ducklake_column "
        "WHERE default_value_type = 'literal' ORDER BY table_id"
    )
    assert [default_of(text) for text in LITERALS] == [(value, False) for (value,) in stored]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_any_other_constant_is_an_expression_kept_as_written(text: str) -> None:
    assert default_of(text) == (text, True)


def test_truth_values_are_literals_and_null_is_none() -> None:
    assert [default_of(text) for text in ("TRUE", "false", "NULL")] == [
        ("true", False),
        ("false", False),
        (None, False),
    ]


@pytest.mark.parametrize("text", ["other", "t.other", "(SELECT 1)", "sum(1)", "count(*)", "?", "row_number() OVER ()"])
def test_what_is_no_constant_is_refused(text: str) -> None:
    with pytest.raises(SqlUnsupported, match="is not a constant expression") as caught:
        default_of(text)
    assert caught.value.position
    assert caught.value.hint


def test_spark_defaults_are_carried_over_only_if_they_mean_the_same() -> None:
    assert default_of("current_timestamp()", "spark") == ("CURRENT_TIMESTAMP", True)
    assert default_of('"x"', "spark") == ("x", False)
    with pytest.raises(SqlUnsupported, match="translated"):
        default_of("log(100)", "spark")
