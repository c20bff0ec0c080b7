"""The judge itself: steps that only reshape a table or its files change no row."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from tests.differential import oracle
from tests.differential.canonical import NAN, canonical
from tests.differential.history import History, histories
from tests.differential.run import run
from tests.duck import Duck
from tests.fix_db import Catalog

NUMBER = 12
QUIET = ("altered_table:", "merge_adjacent:", "inline_flush:", "rewrite_delete:")


@pytest.mark.slow
def test_reshaping_a_table_or_its_files_changes_no_row(
    seed: int, duck: Duck, catalog_kind: str, new_catalog: Callable[[str], Catalog]
) -> None:
    compared = 0
    for history in histories(seed, NUMBER, with_ours=False)[0]:
        lake = new_catalog(catalog_kind)
        duck.attach(lake.duck_uri, lake.data_path)
        run(history, duck, None, Path(lake.data_path).parent / "foreign")
        compared += _check(history, duck)
    assert compared > NUMBER


def _check(history: History, duck: Duck) -> int:
    made = dict(duck.execute(f"SELECT snapshot_id, changes_made FROM {oracle.META}.ducklake_snapshot_changes"))
    compared = 0
    for start, end in pairwise(oracle.snapshots(duck)):
        if end - start > 1 or not all(kind.startswith(QUIET) for kind in made[end].split(",")):
            continue
        before = {table.id: table.name for table in oracle.tables(duck, start)}
        for table in oracle.tables(duck, end):
            compared += 1
            old, new = oracle.contents_of(duck, [(before[table.id], start), (table.name, end)], row_ids=True)
            row_id = (oracle.Field(0, "rowid", "int64"),)
            shapes = [row_id + oracle.fields(duck, table.id, version) for version in (start, end)]
            assert [field.name for field in shapes[1]] == [name for name, _ in new.columns]
            change = oracle.expected_changes(old.bag, shapes[0], new.bag, shapes[1])
            assert change == Counter(), f"{table.name} in ({start}, {end}] by {made[end]}\n{history.script()}"
    return compared


def test_values_compare_as_what_they_mean() -> None:
    spark = pa.table(
        {
            "f": pa.array([float("nan"), -0.0], pa.float32()),
            "u": pa.array([Decimal(2**64 - 1), None], pa.decimal128(20, 0)),
            "t": pa.array([0, -1], pa.timestamp("us", tz="UTC")),
            "s": pa.array([{"a": [1, None]}, None], pa.struct([("a", pa.list_(pa.int64()))])),
        }
    )
    duckdb = pa.table(
        {
            "f": pa.array([0.0, float("nan")], pa.float32()),
            "u": pa.array([None, 2**64 - 1], pa.uint64()),
            "t": pa.array([-1000, 0], pa.timestamp("ns")),
            "s": pa.array([None, {"a": [1, None]}], pa.struct([("a", pa.list_(pa.int32()))])),
        }
    )
    assert canonical(spark) == canonical(duckdb) == {(NAN, 2**64 - 1, 0, ((1, None),)): 1, (0.0, None, -1, None): 1}


def test_wrong_statistics_are_told(duck: Duck, new_catalog: Callable[[str], Catalog]) -> None:
    lake = new_catalog("sqlite")
    duck.attach(lake.duck_uri, lake.data_path)
    duck.batch(["CREATE TABLE t (i INTEGER, v VARCHAR)", "INSERT INTO t SELECT i, 'x' FROM range(20) r(i)"])
    [table] = oracle.tables(duck, 2)
    assert oracle.wrong_stats(duck, table, 2) == []
    duck.detach()
    with closing(sqlite3.connect(Path(lake.url, "catalog.sqlite"))) as catalog, catalog:
        catalog.execute("UPDATE ducklake_table_column_stats SET max_value = '7' WHERE column_id = 1")
    duck.attach(lake.duck_uri)
    assert oracle.wrong_stats(duck, table, 2) == ['"main"."t".i: a value above 7']
