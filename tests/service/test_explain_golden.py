"""What EXPLAIN says of definitions of every kind, word for word.

HEADWATER_GOLDEN=write writes the files of tests/golden/delta instead; read their diff before you commit it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from pathlib import Path
from textwrap import dedent

import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.core.errors import HeadwaterError
from headwater.service.lake import Lake
from tests.fakes.clock import FakeClock

FOLDER = Path(__file__).parent.parent / "golden" / "delta"
WRITE = os.environ.get("HEADWATER_GOLDEN") == "write"

SHOP = """
    CREATE TABLE regions (id INTEGER, name VARCHAR);
    CREATE TABLE customers (id INTEGER, name VARCHAR, region INTEGER);
    CREATE TABLE orders (
        id INTEGER, customer INTEGER, amount DECIMAL(10, 2), price DOUBLE, tags VARCHAR[], placed_at TIMESTAMPTZ
    );
    INSERT INTO regions VALUES (1, 'north'), (2, 'south'), (3, NULL), (3, NULL);
    INSERT INTO customers SELECT i, 'customer ' || i, i % 4 FROM range(20) t(i);
    INSERT INTO customers VALUES (20, NULL, NULL), (20, NULL, NULL);
    INSERT INTO orders
        SELECT i, i % 25, i * 1.5, i / 7, ['a', 'b'], TIMESTAMPTZ '2026-01-31 00:00:00Z' + i * INTERVAL 1 HOUR
        FROM range(60) t(i);
    INSERT INTO orders VALUES (60, NULL, NULL, NULL, NULL, NULL), (60, NULL, NULL, NULL, [], NULL);
"""
CHANGE = """
    INSERT INTO orders VALUES
        (61, 1, 20, 2.5, ['c'], TIMESTAMPTZ '2026-02-01 12:00:00Z'), (62, NULL, NULL, NULL, NULL, NULL);
    UPDATE orders SET amount = amount + 1 WHERE id = 7;
    DELETE FROM orders WHERE id IN (9, 60);
    UPDATE customers SET region = 2 WHERE id = 5;
"""
# What differs from run to run, or with each definition that is added before another.
VARYING = {
    r"CAST\(\d+ AS BIGINT\) AS __layout": "CAST(<mark> AS BIGINT) AS __layout",
    r"\bsnapshot \d+": "snapshot <id>",
    r"(?m)^(bytes|bytes of all sources): [1-9]\d*$": r"\1: <some>",
}

DEFINITIONS = {
    "filter_project": "SELECT id, amount * 2 AS twice FROM orders WHERE amount > 10",
    "grouped": """
        SELECT customer, sum(amount) AS total, count(*) AS orders, avg(amount) AS mean
        FROM orders GROUP BY customer""",
    "min_max": "SELECT customer, min(amount) AS least, max(placed_at) AS latest FROM orders GROUP BY customer",
    "no_keys": "SELECT count(*) AS orders, sum(amount) AS total FROM orders",
    "inner_join": "SELECT o.id, c.name, o.amount FROM orders o JOIN customers c ON o.customer = c.id",
    "three_way_grouped": """
        SELECT r.name, count(*) AS orders, sum(o.amount) AS total
        FROM orders o JOIN customers c ON o.customer = c.id JOIN regions r ON c.region = r.id
        GROUP BY r.name""",
    "left_join": "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id",
    "full_join": "SELECT o.id, c.name FROM orders o FULL JOIN customers c ON o.customer = c.id",
    "semi_join": """
        SELECT c.id, c.name FROM customers c
        WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id AND o.amount > 10)""",
    "anti_join": """
        SELECT c.id, c.name FROM customers c
        WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id)""",
    "not_in": "SELECT id, name FROM customers WHERE id NOT IN (SELECT customer FROM orders WHERE amount > 10)",
    "count_distinct": "SELECT customer, count(DISTINCT amount) AS amounts FROM orders GROUP BY customer",
    "groups_having": "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer HAVING count(*) > 2",
    "union_all": "SELECT id, amount FROM orders WHERE amount > 50 UNION ALL SELECT id, NULL FROM customers",
    "union_distinct": "SELECT customer AS id FROM orders UNION SELECT id FROM customers",
    "intersected": "SELECT customer AS id FROM orders INTERSECT SELECT id FROM customers",
    "except_all": "SELECT id FROM customers EXCEPT ALL SELECT customer FROM orders",
    "latest_per_key": """
        SELECT customer, id, amount FROM orders
        QUALIFY row_number() OVER (PARTITION BY customer ORDER BY placed_at DESC) = 1""",
    "ranked": "SELECT id, customer, rank() OVER (PARTITION BY customer ORDER BY amount DESC) AS place FROM orders",
    "order_limit": "SELECT id, amount FROM orders ORDER BY amount DESC LIMIT 3",
    "scalar_subquery": "SELECT id, amount FROM orders WHERE amount > (SELECT max(amount) / 2 FROM orders)",
    "correlated_subquery": """
        SELECT c.id, (SELECT sum(o.amount) FROM orders o WHERE o.customer = c.id) AS total FROM customers c""",
    "exploded": "SELECT id, explode(tags) AS tag FROM orders",
    "by_the_clock": "SELECT id, placed_at FROM orders WHERE placed_at > current_timestamp() - INTERVAL 1 DAY",
    "rolled_up": "SELECT customer, count(*) AS orders FROM orders GROUP BY ROLLUP (customer)",
    "blocked_function": """
        SELECT customer,
               collect_list(amount) AS amounts
        FROM orders GROUP BY customer""",
    "blocked_float": """
        SELECT customer,
               sum(price) AS total
        FROM orders GROUP BY customer HAVING sum(price) > 1""",
    "blocked_limit": """
        SELECT id, amount
        FROM orders
        LIMIT 3""",
    "in_full": "SELECT id, amount FROM orders WHERE amount > 10",
    "random_in_full": "SELECT id, rand() AS dice FROM orders",
    "unchanged": "SELECT id, name FROM regions",
}
FULL = {"in_full", "random_in_full"}
# Definitions that are not created.
NEW = {
    "new_filter_project": DEFINITIONS["filter_project"],
    "new_three_way_grouped": DEFINITIONS["three_way_grouped"],
    "new_blocked_limit": DEFINITIONS["blocked_limit"],
    "new_refused": """
        SELECT id,
               rand() AS dice
        FROM orders""",
}
EXPLAINED = DEFINITIONS | NEW
CREATED_AT = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Lake]:
    """A shop with all tables, an hour after they were created; meanwhile orders and customers have changed."""
    folder = tmp_path_factory.mktemp("explained")
    with headwater.connect(str(folder), f"{folder}/data/") as opened:
        opened.clock = clock = FakeClock(CREATED_AT)
        opened.sql(SHOP)
        for name in DEFINITIONS:
            opened.sql(create(name))
        opened.sql(CHANGE)
        clock.ahead += timedelta(hours=1)
        yield opened


def create(name: str) -> str:
    mode = " REFRESH_MODE = FULL" if name in FULL else ""
    return f"CREATE DYNAMIC TABLE {name} TARGET_LAG = '1 hour'{mode} AS\n{dedent(EXPLAINED[name]).strip()}"


def explain(lake: Lake, name: str) -> str:
    """The definition, and what EXPLAIN says of the table, or of its CREATE."""
    statement = create(name)
    try:
        found = lake.sql(f"EXPLAIN {statement}" if name in NEW else f"EXPLAIN DYNAMIC TABLE {name}")
    except HeadwaterError as error:
        return f"{statement}\n\n{error}\n"
    facts = (f"{fact}:\n{value}" if "\n" in value else f"{fact}: {value}" for fact, value in found.rows)
    return "\n".join((statement, "", *facts, ""))


def steady(text: str, data_path: str) -> str:
    """The text with a fixed word for all that varies."""
    for varying, word in VARYING.items():
        text = re.sub(varying, word, text)
    return text.replace(data_path, "<data>/")


@pytest.mark.parametrize("name", EXPLAINED)
def test_explain_says_what_it_said(lake: Lake, name: str) -> None:
    golden, said = FOLDER / f"{name}.txt", steady(explain(lake, name), lake.data_path)
    if WRITE:
        FOLDER.mkdir(exist_ok=True)
        golden.write_text(said, encoding="utf-8")
        return
    before = golden.read_text(encoding="utf-8") if golden.exists() else ""
    if said != before:
        diff = "\n".join(unified_diff(before.splitlines(), said.splitlines(), golden.name, "EXPLAIN", lineterm=""))
        pytest.fail(f"EXPLAIN says something else; if that is right, HEADWATER_GOLDEN=write:\n{diff}", pytrace=False)


def test_every_definition_has_its_file_and_every_file_its_definition() -> None:
    assert {path.name for path in FOLDER.iterdir()} ^ {f"{name}.txt" for name in EXPLAINED} == set()
