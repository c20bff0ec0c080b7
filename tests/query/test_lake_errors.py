"""What DuckDB does not find in the lake: tables, with similar names of the lake only, and snapshots."""

from __future__ import annotations

import pytest

from headwater.core.errors import HeadwaterError, QueryFailed, SnapshotMissing
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


def test_a_missing_snapshot_is_the_same_error_in_all_statements(shop: Lake) -> None:
    newest = shop.snapshots()[-1].id
    expected = shop.snapshots()[-1].id + 90
    message = f"snapshot {expected} does not exist"
    detail = f"The lake has snapshots 0 to {newest}; some in between may have been expired."
    for statement in (
        f"SELECT * FROM customers AT (VERSION => {expected})",
        f"SELECT 1;\nFROM customers AT (VERSION => {expected})",
        f"INSERT INTO customers SELECT * FROM customers AT (VERSION => {expected})",
        f"FROM ducklake_table_changes('lake', 'main', 'customers', 1, {expected})",
        f"BEGIN; FROM customers AT (VERSION => {expected}); COMMIT",
    ):
        error = failure(shop, statement)
        assert isinstance(error, SnapshotMissing), statement
        assert (error.message, error.code) == (message, "HW-LAKE-003")
        assert (error.detail or "").startswith(detail)
        assert error.hint == "Choose a snapshot that the lake still has."
        assert error.position is not None
    error = failure(shop, "SELECT 1;\nFROM customers AT (TIMESTAMP => TIMESTAMP '2001-02-03')")
    assert isinstance(error, SnapshotMissing)
    assert error.message.startswith("there is no snapshot at 2001-02-03 00:00:00")
    assert error.position is not None
    assert error.position.line == 2
    with pytest.raises(SnapshotMissing) as read:
        shop.table("customers", snapshot=expected)
    assert (read.value.message, read.value.detail) == (message, detail)
