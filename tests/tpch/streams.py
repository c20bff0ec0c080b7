"""The tables of TPC-H in a lake, and the streams of changes that refresh them."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

from headwater.service.lake import Lake

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
STREAMS = ("RF1", "RF2", "RF3")
SCALE = "0.01"
LAST_KEY = 60_000
# Of 32 order keys 8 are used: so many keys are 40 orders.
KEYS = 160


def generate(folder: Path) -> Path:
    """The tables as Parquet files."""
    tool = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
    subprocess.run([tool, "parquet", "-s", SCALE, f"--output-dir={folder}"], check=True, stdout=subprocess.DEVNULL)
    return folder


def load(lake: Lake, files: Path, cycles: int) -> None:
    """All rows but the orders that `cycles` rounds of RF1 will bring."""
    for table in TABLES:
        key = {"lineitem": "l_orderkey", "orders": "o_orderkey"}.get(table)
        which = f" WHERE {key} <= {LAST_KEY - KEYS * cycles}" if key else ""
        lake.sql(f"CREATE TABLE {table} AS SELECT * FROM read_parquet('{files}/{table}.parquet'){which}")


def change(lake: Lake, files: Path, stream: str, cycle: int, cycles: int) -> None:
    """One stream of one cycle, counted from 0."""
    match stream:
        case "RF1":
            first = LAST_KEY - KEYS * (cycles - cycle)
            lake.sql(_INSERTS.format(files=files, first=first, last=first + KEYS))
        case "RF2":
            lake.sql(_DELETES.format(last=KEYS * (cycle + 1)))
        case "RF3":
            lake.sql(_UPDATES.format(cycle=cycle, last=LAST_KEY - KEYS * (cycles - cycle - 1)))


_INSERTS = """
    INSERT INTO orders FROM read_parquet('{files}/orders.parquet') WHERE o_orderkey > {first} AND o_orderkey <= {last};
    INSERT INTO lineitem FROM read_parquet('{files}/lineitem.parquet') WHERE l_orderkey > {first} AND l_orderkey <= {last}
"""
_DELETES = """
    DELETE FROM orders WHERE o_orderkey <= {last};
    DELETE FROM lineitem WHERE l_orderkey <= {last}
"""
# Some rows change twice, some come and go again, some lose their keys, some are there twice.
_UPDATES = """
    UPDATE lineitem SET l_quantity = l_quantity % 50 + 1, l_extendedprice = l_extendedprice + 1.25, l_discount = 0.06
        WHERE l_orderkey % 101 = {cycle};
    UPDATE lineitem SET l_quantity = l_quantity + 40, l_receiptdate = l_commitdate + 3 WHERE l_orderkey % 307 = {cycle};
    UPDATE lineitem SET l_suppkey = l_suppkey % 100 + 1, l_shipmode = 'MAIL' WHERE l_orderkey % 211 = {cycle};
    UPDATE lineitem SET l_discount = NULL, l_suppkey = NULL WHERE l_orderkey % 1999 = {cycle};
    UPDATE lineitem SET l_shipmode = 'AIR', l_shipinstruct = 'DELIVER IN PERSON',
        l_quantity = CASE l_linenumber WHEN 1 THEN 1 ELSE 15 END WHERE l_partkey % 67 = {cycle};
    INSERT INTO lineitem FROM lineitem WHERE l_orderkey % 1499 = {cycle};
    UPDATE orders SET o_custkey = o_custkey % 1500 + 1, o_orderpriority = '1-URGENT' WHERE o_orderkey % 97 = {cycle};
    UPDATE orders SET o_custkey = NULL WHERE o_orderkey % 1009 = {cycle};
    UPDATE orders SET o_totalprice = o_totalprice + 1000 WHERE o_orderkey > {last} - 40 AND o_orderkey <= {last};
    INSERT INTO orders SELECT o_orderkey + 100000, COLUMNS(* EXCLUDE o_orderkey) FROM orders WHERE o_orderkey < 2000;
    DELETE FROM orders WHERE o_orderkey > 100000;
    UPDATE customer SET c_mktsegment = 'BUILDING', c_acctbal = c_acctbal + 500 WHERE c_custkey % 53 = {cycle};
    UPDATE customer SET c_nationkey = (c_nationkey + 6) % 25, c_phone = '13' || substr(c_phone, 3) WHERE c_custkey % 71 = {cycle};
    UPDATE part SET p_type = 'PROMO ANODIZED BRASS', p_size = 15 WHERE p_partkey % 41 = {cycle};
    UPDATE part SET p_type = 'ECONOMY ANODIZED STEEL', p_name = 'forest green', p_brand = 'Brand#23', p_container = 'MED BOX',
        p_size = 9 WHERE p_partkey % 67 = {cycle};
    UPDATE partsupp SET ps_supplycost = ps_supplycost / 2, ps_availqty = ps_availqty % 100 WHERE ps_partkey % 43 = {cycle};
    UPDATE partsupp SET ps_supplycost = NULL WHERE ps_partkey % 499 = {cycle};
    UPDATE supplier SET s_nationkey = (s_nationkey + 7) % 25 WHERE s_suppkey % 19 = {cycle};
    UPDATE supplier SET s_nationkey = 20 WHERE s_suppkey % 37 = {cycle};
    UPDATE supplier SET s_comment = 'Customer Complaints' WHERE s_suppkey % 31 = {cycle};
    UPDATE nation SET n_regionkey = (n_regionkey + 1) % 5 WHERE n_nationkey % 13 = {cycle}
"""
