"""What following changes costs, against computing in full: TPC-H, eleven views, changes of 0.01 to 10 % of orders and lines.

    make bench NAME=refresh                                        scale factor 1, changes scattered over all rows
    WHERE=recent make bench NAME=refresh                           changes side by side, as those of recent data are
    SCALE=0.1 SHARES=0.001 VIEWS=few,many make bench NAME=refresh

Before anything is timed, each view has followed WARM small changes. Per view and share: the refresh; the same table with
REFRESH_MODE = FULL; the bare Spark query written to files (the least that any way to compute in full costs); and DuckDB
making the same rows from the same lake. The bytes are those that Spark read for the refresh (those that the driver read
itself are not among them), over those of all sources. Of the chain, all three tables are timed.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import headwater
from bench.machine import machine
from headwater.core.schema import Schema
from headwater.execute.spark_engine import SparkEngine
from headwater.lake.values import WriteTarget
from headwater.refresh.check_definition import check_definition, resolve_definition
from headwater.service.lake import Lake
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.parse import parse

SCALE = float(os.environ.get("SCALE", "1"))
SHARES = [float(share) for share in os.environ.get("SHARES", "0.0001,0.001,0.01,0.1").split(",")]
WHERE = os.environ.get("WHERE", "scattered")
WARM = int(os.environ.get("WARM", "4"))
TABLES = ("customer", "lineitem", "orders", "supplier", "nation")
VIEWS: Mapping[str, str] = {
    "single": "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS q, sum(l_extendedprice) AS p, avg(l_discount) AS d, "
    "count(*) AS n FROM lineitem GROUP BY l_returnflag, l_linestatus",
    "few": "SELECT c_mktsegment, sum(l_extendedprice * (1 - l_discount)) AS revenue, count(*) AS n FROM lineitem "
    "JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey GROUP BY c_mktsegment",
    "many": "SELECT c_custkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, count(*) AS n FROM lineitem "
    "JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey GROUP BY c_custkey",
    "wide": "SELECT o_orderkey, o_totalprice, o_orderdate, c_name, c_mktsegment FROM orders "
    "JOIN customer ON o_custkey = c_custkey",
    "left": "SELECT c_custkey, c_name, o_orderkey, o_totalprice FROM customer LEFT JOIN orders ON o_custkey = c_custkey",
    "anti": "SELECT c_custkey, c_name FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE o_custkey = c_custkey)",
    "uniques": "SELECT l_suppkey, count(DISTINCT l_partkey) AS parts FROM lineitem GROUP BY l_suppkey",
    "latest": "SELECT o_custkey, o_orderkey, o_orderdate FROM orders "
    "QUALIFY row_number() OVER (PARTITION BY o_custkey ORDER BY o_orderdate DESC, o_orderkey DESC) = 1",
    "windowed": "SELECT o_orderkey, o_custkey, "
    "rank() OVER (PARTITION BY o_custkey ORDER BY o_totalprice DESC) AS place FROM orders",
    "top": "SELECT o_orderkey, o_totalprice FROM orders ORDER BY o_totalprice DESC, o_orderkey LIMIT 100",
    "chain": "SELECT c_mktsegment, count(*) AS n, sum(revenue) AS revenue FROM chain2 GROUP BY c_mktsegment",
}
CHAIN = {
    "chain1": "SELECT l_orderkey, sum(l_extendedprice) AS revenue FROM lineitem GROUP BY l_orderkey",
    "chain2": "SELECT o_orderkey, c_mktsegment, revenue FROM chain1 JOIN orders ON l_orderkey = o_orderkey "
    "JOIN customer ON o_custkey = c_custkey",
}


def main() -> None:
    print(machine())
    chosen = chosen_views()
    with tempfile.TemporaryDirectory() as folder, headwater.connect(f"{folder}/lake") as lake:
        load(lake, folder)
        made = ([*CHAIN] if "chain" in chosen else []) + chosen
        for name in made:
            took = timed(lambda name=name: lake.sql(f"CREATE DYNAMIC TABLE {name} AS {(VIEWS | CHAIN)[name]}"))
            print(f"created {name:9} in {took:6.2f} s", flush=True)
        for name in made:
            lake.sql(f"CREATE DYNAMIC TABLE full_{name} REFRESH_MODE = FULL AS {_over_full((VIEWS | CHAIN)[name])}")
        # The first refreshes of a session pay for its warmth, which a worker's have behind them.
        for turn in range(WARM):
            change(lake, 0.0001, turn)
            for name in (*made, *(f"full_{name}" for name in chosen if turn == 0)):
                lake.refresh(name)
        totals: dict[float, list[tuple[float, float]]] = {}
        for turn, share in enumerate(SHARES, WARM):
            change(lake, share, turn)
            for name in chosen:
                source_bytes = lake.explain(name).source_bytes
                outcomes, took = _refreshed(lake, name)
                _, full = _refreshed(lake, f"full_{name}")
                bare = sum(bare_seconds(lake, each) for each in ((*CHAIN, name) if name == "chain" else (name,)))
                duck = _duckdb(folder, name)
                totals.setdefault(share, []).append((full / took, bare / took))
                print(
                    f"{share:7.2%} {name:9} {outcomes:27} {took:6.2f} s, full {full:6.2f} s ({full / took:5.1f} x), "
                    f"bare {bare:6.2f} s ({bare / took:5.1f} x), duckdb {duck:6.2f} s ({duck / took:5.1f} x), "
                    f"reads {_bytes_read(lake, name) / 2**20:6.1f} of {source_bytes / 2**20:6.1f} MiB",
                    flush=True,
                )
        for share, ratios in totals.items():
            full, bare = (math.exp(sum(map(math.log, each)) / len(ratios)) for each in zip(*ratios, strict=True))
            print(f"{share:7.2%} geometric mean {full:5.1f} x faster than full, {bare:5.1f} x than bare", flush=True)
        wrong = [name for name in made if not lake.verify(name).equal]
        print(f"verified: {'all equal' if not wrong else f'DIFFERENT: {wrong}'}")


def chosen_views() -> list[str]:
    """The views named by VIEWS, or all."""
    return [name for name in os.environ.get("VIEWS", ",".join(VIEWS)).split(",") if name]


def load(lake: Lake, folder: str) -> None:
    """TPC-H's tables into the lake."""
    tool = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run([tool, "parquet", "-s", str(SCALE), f"--output-dir={folder}/tpch"], check=True, capture_output=True)
    for table in TABLES:
        lake.sql(f"CREATE TABLE {table} AS SELECT * FROM read_parquet('{folder}/tpch/{table}.parquet')")


def change(lake: Lake, share: float, turn: int) -> None:
    """A third of the share each: orders deleted with their lines, orders and lines updated, new ones that are copies."""
    gone, moved, copied = (_some(share / 3, 3 * turn + part) for part in range(3))
    lake.sql(f"DELETE FROM lineitem WHERE l_orderkey IN (SELECT o_orderkey FROM orders WHERE {gone})")
    lake.sql(f"DELETE FROM orders WHERE {gone}")
    lake.sql(
        f"UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_orderkey IN (SELECT o_orderkey FROM orders WHERE {moved})"
    )
    lake.sql(f"UPDATE orders SET o_totalprice = o_totalprice + 1, o_custkey = o_custkey + 1 WHERE {moved}")
    shift = 100_000_000 * (turn + 1)
    lake.sql(
        f"INSERT INTO lineitem SELECT * REPLACE (l_orderkey + {shift} AS l_orderkey) FROM lineitem "
        f"WHERE l_orderkey IN (SELECT o_orderkey FROM orders WHERE {copied})"
    )
    lake.sql(f"INSERT INTO orders SELECT * REPLACE (o_orderkey + {shift} AS o_orderkey) FROM orders WHERE {copied}")


def _some(share: float, place: int) -> str:
    """A part of the orders that no other place has: side by side, as changes of recent data are, or scattered over all."""
    if WHERE == "recent":
        last, width = 6_000_000 * SCALE, 6_000_000 * SCALE * share
        return f"o_orderkey > {last - (place + 1) * width:.0f} AND o_orderkey <= {last - place * width:.0f}"
    every = max(3, round(1 / share))
    return f"hash(o_orderkey) % {every} = {place % every}"


def _refreshed(lake: Lake, name: str) -> tuple[str, float]:
    started = time.perf_counter()
    outcome = lake.refresh(name)[-1]
    return f"{outcome.action} {outcome.strategy or ''}", time.perf_counter() - started


def _bytes_read(lake: Lake, name: str) -> float:
    return lake.history(name)[0].stats.bytes_read or 0


def _over_full(query: str) -> str:
    """The query over tables that are computed in full themselves."""
    for name in CHAIN:
        query = query.replace(f"FROM {name}", f"FROM full_{name}")
    return query


def bare_seconds(lake: Lake, name: str) -> float:
    """The query as Spark runs it, written to files that nobody will read."""
    (statement,) = parse(f"CREATE DYNAMIC TABLE scratch AS {(VIEWS | CHAIN)[name]}")
    assert isinstance(statement, CreateDynamicTable)
    checked = check_definition(lake.site, lake.compute, resolve_definition(lake.site, statement))
    with tempfile.TemporaryDirectory() as folder:
        target = WriteTarget(f"{folder}/", Schema(checked.columns))
        return timed(lambda: SparkEngine().write(checked.query, target, ()))


def _duckdb(folder: str, name: str) -> float:
    """DuckDB in a process of its own, its caches warm."""
    script = Path(__file__).with_name("duckdb_recompute.py")
    query = json.dumps({"lake": f"{folder}/lake", "sql": VIEWS[name]})
    done = subprocess.run([sys.executable, script, query], check=True, capture_output=True, text=True)
    return float(done.stdout)


def timed(work: Callable[[], object]) -> float:
    """The seconds that it took."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
