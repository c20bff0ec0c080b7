"""The demo, shortened: every table follows the shop and equals its query."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import headwater
from headwater.demo.run import demo
from headwater.demo.shop import DYNAMIC_TABLES, Shop

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_every_table_of_the_demo_follows_the_shop_and_equals_its_query(spark: SparkSession, tmp_path: Path) -> None:
    said: list[str] = []
    assert demo(str(tmp_path), 6.0, said.append) == 0
    text = "\n".join(said)
    assert set(re.findall(r"^  (\w+) +at snapshot \d+: equal$", text, re.MULTILINE)) == set(DYNAMIC_TABLES)
    assert "Refreshes: " in text
    with headwater.connect(tmp_path) as lake:
        refreshed = {name: sum(each.runs for each in lake.history(f"shop.{name}")) for name in DYNAMIC_TABLES}
        assert all(count > 1 for count in refreshed.values()), refreshed
        assert {status.data_snapshot for status in lake.status()} == {lake.status()[0].data_snapshot}


def test_what_happens_in_the_shop_is_the_same_for_the_same_seed() -> None:
    one, other = Shop(3), Shop(3)
    assert one.opening() == other.opening()
    assert [one.next_change() for _ in range(50)] == [other.next_change() for _ in range(50)]
