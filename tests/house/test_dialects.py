"""Whatever definitions may use of another dialect has a case with data."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlglot
from sqlglot import exp

from headwater.core.errors import DefinitionRefused
from headwater.sql.bind import bind
from headwater.sql.exact_functions import CAST_TO, INTEGERS, JOINS, PARTS_OF_DATES, SHARED, WHOLE_DAYS
from tests.spark.dialect_cases import EXPRESSIONS, QUERIES, OneTable

TEXTS = (*(f"SELECT id, {text} AS v FROM t" for text in EXPRESSIONS), *QUERIES)
# What Snowflake's dialect takes, but reads otherwise than DuckDB's does; so it is with backslashes.
OTHERWISE = (exp.Localtimestamp, exp.Mod, exp.Ordered, exp.Trim)


def _nodes() -> Iterator[exp.Expr]:
    for text in TEXTS:
        yield from sqlglot.parse_one(text, dialect="duckdb").walk()


def test_every_function_that_is_taken_has_a_case_with_data() -> None:
    found = {type(node) for node in _nodes()}
    assert sorted(missing.__name__ for missing in SHARED - found) == []


def test_every_type_unit_and_join_that_is_taken_has_a_case_with_data() -> None:
    nodes = list(_nodes())
    casts = {node.args["to"].this for node in nodes if isinstance(node, exp.Cast)}
    parts = {node.this.name.upper() for node in nodes if isinstance(node, exp.Extract)}
    units = {node.args["unit"].name.upper() for node in nodes if isinstance(node, exp.TimestampTrunc)}
    joins = {node.args.get("kind", "") for node in nodes if isinstance(node, exp.Join)}
    # Words of Snowflake's; DuckDB's TIMESTAMP is TIMESTAMPNTZ here.
    assert (CAST_TO | INTEGERS) - casts == {exp.DType.TIMESTAMP, exp.DType.TIMESTAMPLTZ}
    assert PARTS_OF_DATES - parts == set()
    assert (WHOLE_DAYS | PARTS_OF_DATES) - units == set()
    assert JOINS - joins == set()


@pytest.mark.parametrize("text", TEXTS)
def test_snowflake_is_read_as_duckdb_is_or_not_at_all(text: str) -> None:
    """No Snowflake is at hand: what its dialect shares with DuckDB's is tested there."""
    theirs = sqlglot.parse_one(text, dialect="duckdb")
    if theirs.find(*OTHERWISE) or "\\" in text:
        return
    try:
        ours = bind(text, OneTable(), dialect="snowflake").sql
    except DefinitionRefused:
        return
    assert ours.replace("NOT s LIKE", "s NOT LIKE") == bind(text, OneTable(), dialect="duckdb").sql
