"""Warehouses of a configuration file: what is known, what is refused, and who serves what."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.cli.settings import load
from headwater.core.errors import InvalidRequest
from headwater.core.warehouse import Warehouse, together
from tests.surface.conftest import Cli

FILE = """
spark_memory = "2g"
[warehouses.nightly]
pool = "batch"
[warehouses.Big]
master = "spark://host:7077"
memory = "16g"
conf = { "spark.executor.cores" = 4, "spark.speculation" = true }
"""


def test_a_warehouse_has_of_the_default_one_what_it_does_not_say(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    found = load({}, {}, tmp_path)
    assert found.problems == ()
    assert found.warehouses == (
        Warehouse("default", memory="2g"),
        Warehouse("nightly", memory="2g", pool="batch"),
        Warehouse(
            "big",
            "spark://host:7077",
            "16g",
            conf=(("spark.executor.cores", "4"), ("spark.speculation", "true")),
        ),
    )
    assert found.warehouses[2].settings == {
        "spark.master": "spark://host:7077",
        "spark.executor.memory": "16g",
        "spark.executor.cores": "4",
        "spark.speculation": "true",
    }


def test_a_process_serves_warehouses_of_one_driver(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    known = load({}, {}, tmp_path).warehouses
    assert [each.name for each in together(known)] == ["default", "nightly"]
    assert [each.name for each in together(known, ["BIG"])] == ["big"]
    with pytest.raises(InvalidRequest, match="several Spark drivers"):
        together(known, ["nightly", "big"])
    with pytest.raises(InvalidRequest, match='"other" is not known') as refused:
        together(known, ["other"])
    assert refused.value.hint == "The warehouses are default, nightly, big."
    with pytest.raises(InvalidRequest, match='warehouses "other", "more" are not known'):
        together(known, ["other", "big", "more"])


def test_what_is_wrong_with_warehouses_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(
        """
        [warehouses.a]
        master = "sc://host:15002"
        colour = "red"
        [warehouses.b]
        master = "yarn"
        memory = "much"
        pool = 4
        conf = "x"
        [warehouses."c d"]
        """
    )
    problems = load({}, {}, tmp_path).problems
    words = ("unknown key 'colour'", "Spark Connect", "pool must", "'yarn'", "'much'", "conf must", "'c d'")
    for word, problem in zip(words, problems, strict=True):
        assert word in problem


def test_a_worker_of_an_unknown_warehouse_does_not_start(cli: Cli, shop: Path) -> None:
    ran = cli("worker", "--once", "--warehouse", "big")
    assert ran.code == 1
    assert '- warehouse: warehouse "big" is not known (The only warehouse is default.)' in ran.err
    assert cli("cancel", "tot", "-o", "csv").out == "name,cancelled\ntot,false\n"
