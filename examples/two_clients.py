"""One lake, two clients: DuckDB and Headwater on Spark take turns changing it, and agree on every snapshot."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import headwater
from headwater.service.lake import Lake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class DuckDB:
    """DuckDB on the same lake, in a process of its own."""

    def __init__(self, folder: str) -> None:
        self._command = [sys.executable, str(Path(__file__).with_name("duckdb_side.py"))]
        self._command += [f"{folder}/catalog.sqlite", f"{folder}/data/"]

    def run(self, script: str) -> list[Any]:
        """The rows of the last statement."""
        done = subprocess.run(self._command, input=script, text=True, stdout=subprocess.PIPE, check=True)
        return list(json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        duck = DuckDB(folder)
        print(
            "DuckDB makes the lake and a table, and changes it: small changes stay in the catalog, large ones become files."
        )
        duck.run("""
            CREATE TABLE orders (id INTEGER, customer VARCHAR, amount DECIMAL(10, 2));
            INSERT INTO orders VALUES (1, 'ada', 9.50), (2, 'bob', 3.00), (3, NULL, 7.25);
            INSERT INTO orders SELECT i, 'customer ' || i % 50, i / 4 FROM range(1000, 3000) AS t(i);
            UPDATE orders SET amount = amount * 2 WHERE id % 100 = 0;
            DELETE FROM orders WHERE id = 2
        """)
        with headwater.connect(folder) as lake:
            print("Headwater opens it. Spark starts, which takes some seconds …", flush=True)
            change_from_our_side(lake)
            print("DuckDB goes on: a delete in our files, small inserts, then it flushes and compacts.")
            duck.run("""
                DELETE FROM orders WHERE id BETWEEN 5000 AND 5010;
                INSERT INTO orders VALUES (9001, 'eve', 1.00, 'web');
                CALL ducklake_flush_inlined_data('lake');
                CALL ducklake_merge_adjacent_files('lake');
                CALL ducklake_rewrite_data_files('lake', 'orders', delete_threshold => 0.001)
            """)
            return compare(lake, duck)


def change_from_our_side(lake: Lake) -> None:
    """Appends, an update, a delete and a new column."""
    print("Headwater adds a column and 500 rows, updates some (they keep their row ids) and deletes others.")
    lake.sql("ALTER TABLE orders ADD COLUMN channel VARCHAR DEFAULT 'shop'")
    spark = lake.table("orders").sparkSession
    rows = spark.range(5000, 5500).selectExpr(
        "CAST(id AS INT) id", "'fay' customer", "CAST(id / 8 AS DECIMAL(10,2)) amount"
    )
    lake.append("orders", rows)
    lake.update("orders", {"amount": "amount + 1", "channel": "'web'"}, where="id % 250 = 0")
    lake.delete("orders", "id < 1010 AND id <> 1")


def compare(lake: Lake, duck: DuckDB) -> int:
    """Every snapshot as both clients see it, and what changed between two of them."""
    print(f"\n{'snapshot':>8}  {'rows in DuckDB':>14}  {'in Spark':>8}  {'amount in DuckDB':>16}  {'in Spark':>12}")
    snapshots = [snapshot.id for snapshot in lake.snapshots() if snapshot.id > 0]
    agreed = [compare_snapshot(lake, duck, snapshot) for snapshot in snapshots]
    first, last = snapshots[1], snapshots[-1]
    changes = lake.changes("orders", first, last)
    gained, lost = changes.where("__w > 0").count(), changes.where("__w < 0").count()
    net = bag(changes.selectExpr("id", "amount", "__w"))
    after, before = (bag(lake.table("orders", snapshot=s).selectExpr("id", "amount", "1")) for s in (last, first))
    after.subtract(before)
    exact = {row: n for row, n in after.items() if n} == {row: n for row, n in net.items() if n}
    print(f"\nFrom snapshot {first} to {last}: {gained} rows gained, {lost} lost;", end=" ")
    print("exactly the difference of the two." if exact else "NOT the difference of the two.")
    print("Both clients agree on every snapshot." if all(agreed) else "The clients do NOT agree.")
    return 0 if all(agreed) and exact else 1


def compare_snapshot(lake: Lake, duck: DuckDB, snapshot: int) -> bool:
    """One line of the table."""
    ((theirs, their_sum),) = duck.run(f"SELECT count(*), sum(amount) FROM orders AT (VERSION => {snapshot})")
    ((ours, our_sum),) = lake.table("orders", snapshot=snapshot).selectExpr("count(*)", "sum(amount)").collect()
    same = ours == theirs and str(our_sum) == str(their_sum)
    verdict = "agree" if same else "DIFFER"
    print(f"{snapshot:8}  {theirs:14}  {ours:8}  {their_sum!s:>16}  {our_sum!s:>12}  {verdict}", flush=True)
    return same


def bag(frame: DataFrame) -> Counter[tuple[int, Decimal]]:
    """Rows of (id, amount, weight) as a signed bag."""
    rows: Counter[tuple[int, Decimal]] = Counter()
    for id, amount, weight in frame.collect():
        rows[id, amount] += weight
    return rows


if __name__ == "__main__":
    sys.exit(main())
