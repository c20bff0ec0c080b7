"""Make the lake of one release, to be opened by all later ones: python -m tests.lakes.make NAME.

It writes tests/lakes/NAME with a SQLite catalog, a dump of a PostgreSQL catalog, and the data folder of each. The lake is made
in a folder that no machine has for long, so that whoever opens it finds its data beside the catalog, not where it was made.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import headwater
from tests.postgres import program_folder, run_postgres

MADE_IN = Path("/var/lib/headwater-lake")
BASES = """
CREATE TABLE customers (id INT, name VARCHAR, region VARCHAR);
CREATE TABLE orders (id INT, customer INT, amount DECIMAL(9, 2), placed_at TIMESTAMP);
CREATE TABLE loads (day DATE);
CREATE SCHEMA marts;
INSERT INTO customers VALUES (1, 'Ada', 'north'), (2, 'Bo', 'south'), (3, NULL, 'south'), (NULL, 'Cy', NULL);
INSERT INTO orders VALUES
  (1, 1, 10.00, '2026-01-01 08:00:00'), (2, 1, 20.50, '2026-01-01 09:00:00'), (3, 2, NULL, '2026-01-02 08:00:00'),
  (4, NULL, 5.00, NULL), (5, 3, 7.25, '2026-01-03 10:00:00'), (5, 3, 7.25, '2026-01-03 10:00:00');
INSERT INTO loads VALUES ('2026-01-01');
CREATE VIEW big AS SELECT * FROM orders WHERE amount > 6;
"""
TABLES = (
    "CREATE DYNAMIC TABLE details TARGET_LAG = '5 minutes' AS"
    " SELECT o.id, o.amount, c.name, c.region FROM orders o LEFT JOIN customers c ON o.customer = c.id",
    "CREATE DYNAMIC TABLE marts.by_region TARGET_LAG = '10 minutes' WAREHOUSE = default AS"
    " SELECT region, count(*) AS n, sum(amount) AS total, avg(amount) AS mean FROM details GROUP BY region",
    "CREATE DYNAMIC TABLE latest TARGET_LAG = DOWNSTREAM AS SELECT customer, id, amount FROM ("
    " SELECT *, row_number() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC) AS rank FROM orders) WHERE rank = 1",
    "CREATE DYNAMIC TABLE top TARGET_LAG = '1 hour' AS SELECT id, amount FROM big ORDER BY amount DESC, id LIMIT 2",
    "CREATE DYNAMIC TABLE daily REFRESH INTERVAL 60 MINUTE AFTER = 'loads' PARTITIONED BY (day) AS"
    " SELECT CAST(placed_at AS DATE) AS day, count(*) AS orders FROM orders GROUP BY 1",
    "CREATE DYNAMIC TABLE whole REFRESH_MODE = FULL TARGET_LAG = '1 hour' AS SELECT region, max(name) AS last FROM customers"
    " GROUP BY region",
    'CREATE DYNAMIC TABLE quoted TARGET_LAG = \'1 hour\' AS SELECT "id", date_trunc(\'MONTH\', "placed_at") AS "month"'
    ' FROM "orders" WHERE "amount" > 6',
    "CREATE DYNAMIC TABLE at_rest TARGET_LAG = '1 hour' AS SELECT id FROM customers",
)
# Between the refreshes, and after the last one: what a later release has to pick up.
CHANGES = """
INSERT INTO orders VALUES (6, 2, 99.99, '2026-01-04 08:00:00'), (7, 1, 1.00, '2026-01-04 09:00:00');
UPDATE customers SET region = 'west' WHERE id = 1;
DELETE FROM orders WHERE id = 5;
"""
PENDING = """
INSERT INTO orders VALUES (8, 3, 12.00, '2026-01-05 08:00:00'), (8, 3, 12.00, '2026-01-05 08:00:00');
UPDATE orders SET amount = 11.00 WHERE id = 1;
DELETE FROM orders WHERE id = 2;
INSERT INTO loads VALUES ('2026-01-02');
UPDATE customers SET name = 'Bob' WHERE id = 2;
"""


def fill(lake: headwater.service.lake.Lake) -> None:
    """A lake with a past: refreshes, a compaction, a new definition, a suspended table, and changes that nobody has seen."""
    lake.sql(BASES)
    for statement in TABLES:
        lake.sql(statement)
    lake.sql(CHANGES)
    lake.refresh()
    lake.sql("CREATE OR ALTER DYNAMIC TABLE at_rest TARGET_LAG = '1 hour' AS SELECT id, name FROM customers")
    lake.sql("ALTER DYNAMIC TABLE at_rest SUSPEND")
    lake.sql("INSERT INTO orders VALUES (9, 2, 3.00, '2026-01-04 10:00:00')")
    lake.refresh("details", "marts.by_region", "latest", "top", "daily", "whole")
    lake.restore("details", version=lake.versions("details")[-1].version)
    lake.sql("ALTER DYNAMIC TABLE details RESUME")
    lake.maintain(only=["compact"])
    lake.sql(PENDING)


def make(place: Path) -> None:
    """Both lakes of this release."""
    place.mkdir(parents=True)
    with headwater.connect(MADE_IN) as lake:
        fill(lake)
    shutil.copy(MADE_IN / "catalog.sqlite", place)
    shutil.copytree(MADE_IN / "data", place / "data")
    shutil.rmtree(MADE_IN)
    with run_postgres() as server:
        database = server.new_database()
        with headwater.connect(server.url(database), MADE_IN / "data") as lake:
            fill(lake)
        dump = [program_folder() / "pg_dump", "--inserts", "--no-owner", "--no-privileges", server.url(database)]
        (place / "postgres.sql").write_bytes(subprocess.run(dump, check=True, capture_output=True).stdout)
        shutil.copytree(MADE_IN / "data", place / "postgres-data")
    shutil.rmtree(MADE_IN)


if __name__ == "__main__":
    make(Path(__file__).parent / sys.argv[1])
