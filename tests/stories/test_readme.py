"""What README.md, the other pages and the examples show is what happens."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import headwater
from tests.duck import Duck

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
CSV = "id,customer,amount,day\n1,ada,9.5,2026-01-01\n2,bob,3,2026-01-01\n3,ada,4,2026-01-02\n"


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_example_of_the_readme_runs_and_duckdb_reads_its_table(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    duck: Duck,
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = blocks("README.md", "python")
    exec(example, {})
    assert capsys.readouterr().out.splitlines() == ["(('ada', 10.0), ('bob', 7.0))", "True"]
    duck.attach("sqlite:" + str(tmp_path / "my-lake" / "catalog.sqlite"))
    assert sorted(duck.execute("FROM lake.totals")) == [("ada", 10.0), ("bob", 7.0)]


def test_the_quick_start_in_python_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.csv").write_text(CSV, encoding="utf-8")
    (example,) = blocks("docs/get-started/quickstart.md", "python")
    exec(example, {})
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1] == "True"
    assert "2026-01-02" in shown
    assert "104.0" in shown


def test_the_examples_of_the_python_page_run_one_after_the_other(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for example in blocks("docs/reference/python.md", "python"):
        exec(example, names)
    shown = capsys.readouterr().out
    assert "('customer', 'amount')\n(('ada', 9.5), ('bob', 3.0))" in shown
    assert "True 0 0 () ()" in shown
    names["lake"].close()


def test_the_statements_of_the_sql_page_run_one_after_the_other(spark: SparkSession, tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "lake") as lake:
        for script in blocks("docs/reference/sql.md", "sql"):
            lake.sql(script)
        assert {str(status.name) for status in lake.status()} == {
            '"shop"."daily_sales"',
            '"shop"."first_orders"',
            '"shop"."order_details"',
            '"shop"."revenue"',
            '"shop"."sales_by_region"',
        }
        assert all(lake.verify(str(status.name)).equal for status in lake.status())


def test_the_calls_of_the_page_on_dataframes_run(spark: SparkSession, tmp_path: Path) -> None:
    _, read, changes, write, definitions = blocks("docs/guides/dataframes.md", "python")
    with headwater.connect(tmp_path / "lake") as lake:
        names: dict[str, Any] = {"lake": lake}
        exec(definitions, names)
        for n in range(18):
            lake.sql("INSERT INTO shop.orders (id, amount) VALUES (?, ?)", params=[n, n / 2 if n else None])
        exec(read, names)
        exec(changes, names)
        exec(write, names | {"frame": lake.table("shop.orders")})
        # Each row twice before they are replaced by each once; the one without an amount is deleted.
        expected = tuple((n, n / 2 if n != 7 else 7.0, "shop") for n in range(1, 18))
        assert lake.sql("SELECT id, amount, channel FROM shop.orders ORDER BY id").rows == expected


@pytest.mark.spark
def test_two_clients_agree_on_every_snapshot(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "two_clients.py"))
    assert example["main"]() == 0
    assert "Both clients agree on every snapshot." in capsys.readouterr().out
