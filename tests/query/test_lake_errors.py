"""Tables that DuckDB does not find, with similar names of the lake only."""

from __future__ import annotations

import pytest

from headwater.core.errors import HeadwaterError, QueryFailed
from headwater.service.lake import Lake


def failure(lake: Lake, text: str) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as raised:
        lake.sql(text)
    return raised.value


@pytest.fixture
def shop(lake: Lake) -> Lake:
    lake.sql("CREATE SCHEMA shop; CREATE TABLE shop.orders (id INTEGER); CREATE TABLE customers (id INTEGER)")
    lake.sql("CREATE VIEW order_totals AS SELECT count(*) AS n FROM shop.orders")
    return lake


@pytest.mark.parametrize(
    ("statement", "detail"),
    [
        ("SELECT * FROM nope", None),
        ("INSERT INTO nope VALUES (1)", None),
        ("DESCRIBE duckdb_table", None),
        ("SELECT * FROM information_schema.nope", None),
        ("SELECT * FROM orders", "Did you mean shop.orders?"),
        ("DELETE FROM shop.orderz", "Did you mean shop.orders?"),
        ("SELECT 1 FROM customers JOIN order_total USING (n)", "Did you mean main.order_totals?"),
        ("BEGIN; SELECT * FROM Customer; COMMIT", "Did you mean main.customers? The transaction was rolled back."),
    ],
)
def test_an_unknown_table_is_compared_with_names_of_the_lake(shop: Lake, statement: str, detail: str | None) -> None:
    error = failure(shop, statement)
    assert isinstance(error, QueryFailed)
    assert "does not exist" in error.message
    assert error.detail == detail


def test_a_table_that_did_not_exist_yet_is_not_compared(shop: Lake) -> None:
    error = failure(shop, "SELECT * FROM customers AT (VERSION => 1)")
    assert (error.message, error.detail) == ("table with name customers does not exist at version 1", None)
