"""The examples that the product was asked for with, as they were written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import headwater
from headwater.core.errors import HeadwaterError
from headwater.service.lake import Lake
from tests.fix_db import Catalog

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


def test_order_details(lake: Lake) -> None:
    lake.sql(
        """
        CREATE TABLE orders (order_id INT, order_date DATE, amount DECIMAL(10, 2), customer_id INT);
        CREATE TABLE customers (customer_id INT, customer_name STRING, customer_segment STRING, customer_region STRING);
        INSERT INTO orders VALUES (1, DATE '2024-01-01', 10, 1), (2, DATE '2024-01-02', 20, 2), (3, NULL, NULL, NULL);
        INSERT INTO customers VALUES (1, 'Ann', 'retail', 'north'), (2, 'Bob', 'trade', 'south');
        """
    )
    create = """
        CREATE DYNAMIC TABLE lake.dynamic.order_details
        TARGET_LAG = '5 minutes'
        AS
        SELECT
            o.order_id,
            o.order_date,
            o.amount,
            c.customer_name,
            c.customer_segment,
            c.customer_region
        FROM lake.orders o
        JOIN lake.customers c ON o.customer_id = c.customer_id;
        """
    with pytest.raises(HeadwaterError, match="CREATE SCHEMA"):
        lake.sql(create)
    lake.sql("CREATE SCHEMA dynamic")
    lake.sql(create)
    lake.sql(
        "UPDATE customers SET customer_region = 'west' WHERE customer_id = 2; INSERT INTO orders VALUES (4, NULL, 5, 1)"
    )
    lake.refresh("dynamic.order_details")
    found = lake.sql("SELECT order_id, customer_region FROM dynamic.order_details ORDER BY 1").rows
    assert found == ((1, "north"), (2, "west"), (4, "north"))
    assert lake.verify("lake.dynamic.order_details").equal


def test_events_by_minute(lake: Lake) -> None:
    lake.sql(
        """
        CREATE TABLE event_tb ( event STRING, process DOUBLE, event_time TIMESTAMP );
        INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2023-09-20 14:43:13'),
            ('event-0', 20.0, TIMESTAMP '2023-09-19 11:40:13'), ('event-1', 21.0, TIMESTAMP '2023-09-19 14:30:14'),
            ('event-1', 22.0, TIMESTAMP '2023-09-20 14:20:15');
        CREATE dynamic TABLE IF NOT EXISTS event_gettime AS SELECT event, process, YEAR(event_time) event_year,
            MONTH(event_time) event_month, DAY(event_time) event_day, hour(event_time) event_hour,
            minute(event_time) event_minute FROM event_tb;
        REFRESH dynamic TABLE event_gettime;
        CREATE dynamic TABLE IF NOT EXISTS event_group_minute AS SELECT event, event_hour, event_minute,
            SUM(process) process_sum FROM event_gettime GROUP BY event, event_hour, event_minute;
        refresh dynamic table event_group_minute;
        --Manually insert data
        INSERT INTO event_tb VALUES ('event-0', 20.0, TIMESTAMP '2024-01-20 14:43:13');
        REFRESH dynamic TABLE event_gettime, event_group_minute;
        """
    )
    found = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name='event_gettime';")
    newest = dict(zip(found.columns, found.rows[0], strict=True))
    assert newest["state"] == "SUCCEED"
    assert newest["stats"].startswith('{"rows_inserted": 1, "rows_deleted": 0, ')
    assert lake.sql("SELECT * FROM event_group_minute ORDER BY ALL").rows == (
        ("event-0", 11, 40, 20.0),
        ("event-0", 14, 43, 40.0),
        ("event-1", 14, 20, 22.0),
        ("event-1", 14, 30, 21.0),
    )
    assert all(lake.verify(name).equal for name in ("event_gettime", "event_group_minute"))


def test_event_types_every_minute(lake: Lake) -> None:
    lake.sql(
        """
        CREATE SCHEMA ecommerce_events_history;
        CREATE TABLE ecommerce_events_history.ecommerce_events_multicategorystore_live AS
            SELECT unnest(['view', 'purchase', 'view', 'add_to_cart']) AS event_type;
        CREATE DYNAMIC TABLE event_type_count REFRESH interval 1 minute vcluster default as SELECT event_type,
            COUNT(*) AS events_count FROM lake.ecommerce_events_history.ecommerce_events_multicategorystore_live
            GROUP BY event_type; --Initialize DYNAMIC TABLE data
        REFRESH DYNAMIC TABLE event_type_count;
        """
    )
    assert lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name='event_type_count';").rows
    assert lake.sql("SELECT * FROM event_type_count ORDER BY 1").rows == (
        ("add_to_cart", 1),
        ("purchase", 1),
        ("view", 2),
    )


HOSTILE = (
    "CREATE DYNAMIC TABLE x AS SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
    "CREATE DYNAMIC TABLE x AS SELECT '" + "a" * 10_000_000 + "'",
    'CREATE DYNAMIC TABLE "a; DROP TABLE t" AS SELECT * FROM nowhere',
    "CREATE DYNAMIC TABLE x COMMENT = 'a\\'; DROP TABLE t; --' AS SELECT * FROM t; DROP TABLE t2",
    "CREATE DYNAMIC TABLE x AS SELECT * FROM parquet.`/etc/passwd`",
    "CREATE DYNAMIC TABLE x AS SELECT * FROM t; garbage",
    "CREATE DYNAMIC TABLE x AS SELECT reflect('java.lang.System', 'exit', 1)",
    "CREATE DYNAMIC TABLE x AS INSERT INTO t SELECT 1",
    "CREATE DYNAMIC TABLE x AS SELECT 1 AS `__hw_tag`",
    "CREATE DYNAMIC TABLE x AS SELECT '${env:HOME}' AS h",
    "CREATE DYNAMIC TABLE x AS WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM nope",
    "CREATE DYNAMIC TABLE \0 AS SELECT 1",
)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_text_is_refused_and_changes_nothing(lake: Lake, number: int) -> None:
    lake.sql("CREATE TABLE t (x INT)")
    before = lake.snapshots()
    with pytest.raises(HeadwaterError) as caught:
        lake.sql(HOSTILE[number])
    assert caught.value.hint
    assert lake.tables()[0].name == "t"
    assert lake.snapshots() == before or number == 5


def test_odd_names_are_names(lake: Lake) -> None:
    for name in ('we"ird; DROP TABLE t', "../up", "größe 漢", "a.b", "' OR 1=1 --"):
        quoted = '"' + name.replace('"', '""') + '"'
        lake.sql(f'CREATE TABLE {quoted} ("x y" INT); INSERT INTO {quoted} VALUES (1)')
        dynamic = '"d ' + name.replace('"', '""') + '"'
        lake.sql(f"CREATE DYNAMIC TABLE `d {name}` AS SELECT `x y` AS `a b` FROM `{name}`", dialect="spark")
        assert lake.sql(f"SELECT * FROM {dynamic}").rows == ((1,),)
        assert lake.verify(dynamic).equal
    assert len(lake.status()) == 5
