"""From CREATE TABLE to what changed, on a lake in a temporary folder."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence

import headwater


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, headwater.connect(folder) as lake:
        print(f"A lake in {folder}: a catalog in SQLite and a folder for Parquet files.\n")
        lake.sql("""
            CREATE SCHEMA shop;
            CREATE TABLE shop.orders (id BIGINT NOT NULL, customer VARCHAR, amount DOUBLE);
        """)
        orders = lake.table("shop.orders")

        def append(rows: Sequence[tuple[int, str, float]]) -> int:
            return lake.append("shop.orders", orders.sparkSession.createDataFrame(rows, orders.schema))

        first = append([(1, "ada", 9.5), (2, "bob", 3.0), (3, "cleo", 7.25)])
        print(f"Snapshot {first} has three orders:")
        lake.table("shop.orders").orderBy("id").show()

        append([(4, "ada", 1.0)])
        lake.update("shop.orders", {"amount": "amount * 2"}, where="customer = 'ada'")
        last = lake.delete("shop.orders", "id = 2")
        print(f"Snapshot {last}, after an insert, an update and a delete:")
        lake.table("shop.orders").orderBy("id").show()

        print(f"What changed after snapshot {first}; __w is -1 for a row lost and +1 for a row gained:")
        lake.changes("shop.orders", first).orderBy("id", "__w").show()

        print(f"And the table as it was at snapshot {first}:")
        lake.table("shop.orders", snapshot=first).orderBy("id").show()


if __name__ == "__main__":
    main()
