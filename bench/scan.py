"""Spark on a lake's table against Spark on the same Parquet files: scan, scan with 1 % deleted, staging of new files.

    make bench NAME=scan

Six million rows shaped like TPC-H lineitem, in six files. Each case runs in turns; the best of several rounds counts.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

from pyspark.sql import DataFrame

import headwater
from bench.machine import machine
from headwater.execute.session import spark_session
from headwater.execute.stage import stage

ROWS = 6_000_000
ROUNDS = 5
COLUMNS = """
    id AS l_orderkey, CAST(id % 200000 AS BIGINT) AS l_partkey, CAST(id % 10000 AS BIGINT) AS l_suppkey,
    CAST(id % 7 AS INT) AS l_linenumber, CAST(id % 50 AS DECIMAL(15,2)) AS l_quantity,
    CAST((id * 7919 % 10000000) / 100 AS DECIMAL(15,2)) AS l_extendedprice, CAST((id % 11) / 100 AS DECIMAL(15,2)) AS l_discount,
    CAST((id % 9) / 100 AS DECIMAL(15,2)) AS l_tax, element_at(array('A','N','R'), CAST(id % 3 AS INT) + 1) AS l_returnflag,
    IF(id % 2 = 0, 'O', 'F') AS l_linestatus, date_add(DATE '1992-01-01', CAST(id % 2500 AS INT)) AS l_shipdate,
    date_add(DATE '1992-02-01', CAST(id % 2500 AS INT)) AS l_commitdate, concat('comment ', hash(id)) AS l_comment
"""


def main() -> None:
    print(machine())
    spark = spark_session()
    with tempfile.TemporaryDirectory() as folder, headwater.connect(f"{folder}/lake") as lake:
        source = spark.range(0, ROWS, 1, 6).selectExpr(*_split(COLUMNS))
        lake.sql(
            f"CREATE TABLE whole ({_definition(source)}); CREATE TABLE holed ({_definition(source)})", dialect="spark"
        )
        for name in ("whole", "holed"):
            for part in range(6):
                first = part * ROWS // 6
                lake.append(name, spark.range(first, first + ROWS // 6, 1, 2).selectExpr(*_split(COLUMNS)))
        lake.delete("holed", "l_orderkey % 100 = 17")
        files = [entry.file.path for entry in lake.describe("whole").files]
        size = lake.describe("whole").bytes / 2**20
        print(f"{ROWS} rows in {len(files)} files, {size:.0f} MB; the second table has 1 % deleted in each file")

        scans = {
            "spark.read.parquet": lambda: spark.read.parquet(*files),
            "lake.table": lambda: lake.table("whole"),
            "lake.table, 1 % deleted": lambda: lake.table("holed"),
            "lake.table with row ids": lambda: lake.table("whole", rowid="r"),
        }
        _race("all columns", {name: lambda make=make: _all(make()) for name, make in scans.items()})
        _race("one aggregate", {name: lambda make=make: _sum(make()) for name, make in scans.items()})

        whole = spark.read.parquet(*files)
        _, target, _ = lake.describe_for_writing("whole")
        _race(
            "writing all rows",
            {
                "df.write.parquet": lambda: whole.write.mode("overwrite").parquet(f"{folder}/plain"),
                "stage": lambda: stage(whole, target),
            },
        )


def _race(title: str, cases: dict[str, Callable[[], object]]) -> None:
    best = dict.fromkeys(cases, float("inf"))
    for _ in range(ROUNDS):
        for name, run in cases.items():
            began = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - began)
    first = next(iter(best.values()))
    for name, seconds in best.items():
        print(f"{title:>18}: {name:26} {seconds:6.2f} s  {seconds / first:5.2f} x", flush=True)


def _all(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _sum(frame: DataFrame) -> None:
    frame.selectExpr("sum(l_extendedprice)").collect()


def _definition(frame: DataFrame) -> str:
    return ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in frame.schema)


def _split(text: str) -> list[str]:
    """The expressions of a list, cut at commas outside brackets."""
    parts, depth, last = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[last:place])
            last = place + 1
    return [*parts, text[last:]]


if __name__ == "__main__":
    main()
