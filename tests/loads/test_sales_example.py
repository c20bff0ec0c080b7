"""The example's files have the rows and revenues that its story tells, and its configs are read."""

from __future__ import annotations

import csv
import runpy
from decimal import Decimal
from pathlib import Path

from headwater.loads.dataset_config import read_dataset_config
from headwater.loads.table_config import read_table_config
from tests.house.repository import ROOT

SALES = ROOT / "examples" / "tables" / "sales"


def _written(folder: Path) -> dict[str, list[dict[str, str]]]:
    found = {}
    for path in runpy.run_path(str(SALES / "make_sales.py"))["write_sales"](folder):
        with path.open(encoding="utf-8", newline="") as file:
            found[path.name] = list(csv.DictReader(file))
    return found


def test_the_files_are_those_of_january(tmp_path: Path) -> None:
    files = _written(tmp_path)
    assert list(files) == [f"sales_2024-01-{day:02}.csv" for day in range(1, 32)]
    assert sorted(path.name for path in tmp_path.iterdir()) == list(files)
    assert sum(map(len, files.values())) == 2239
    for name, rows in files.items():
        assert {f"sales_{row['date']}.csv" for row in rows} == {name}
        assert all(int(row["quantity"]) > 0 and Decimal(row["price"]) > 0 for row in rows)
        assert list(rows[0]) == ["date", "product_id", "quantity", "price", "customer_id", "region"]


def test_the_first_days_have_their_rows_and_revenues(tmp_path: Path) -> None:
    days = list(_written(tmp_path).values())[:3]
    revenues = [sum(int(row["quantity"]) * Decimal(row["price"]) for row in rows) for rows in days]
    assert [len(rows) for rows in days] == [88, 85, 60]
    assert revenues == [Decimal("109076.01"), Decimal("119808.98"), Decimal("91806.56")]


def test_the_files_are_the_same_each_time(tmp_path: Path) -> None:
    assert _written(tmp_path / "a") == _written(tmp_path / "b")


def test_the_configs_are_read() -> None:
    path = SALES / "configs" / "sales_table.yaml"
    table = read_table_config(path.read_text(encoding="utf-8"), path.name)
    assert (table.name, table.storage.base_path, table.partitioning.pattern.text) == (
        "sales",
        "data/tables/sales/",
        "{date}.parquet",
    )
    assert (table.compaction.trigger.type, table.compaction.trigger.delay_days) == ("manual", 7)
    assert (table.compaction.strategy.type, table.compaction.strategy.lookback_months) == ("monthly", 1)
    assert table.notes == ()
    assert table.ingestion.dataset_config == "examples/tables/sales/configs/sales_dataset.yaml"
    text = (ROOT / table.ingestion.dataset_config).read_text(encoding="utf-8")
    dataset = read_dataset_config(text, "sales_dataset.yaml")
    assert [(c.name, c.type and c.type.type, c.transforms) for c in dataset.columns] == [
        ("date", "date", ()),
        ("quantity", "int32", ()),
        ("price", "float64", ()),
        ("region", "varchar", ("upper",)),
    ]
    assert [str(each) for each in dataset.filters] == ["quantity > 0", "price > 0"]
