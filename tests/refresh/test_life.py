"""The life of a dynamic table: created, suspended, failing, renamed, dropped."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

import headwater
from headwater.core.errors import (
    AlreadyExists,
    DefinitionRefused,
    DynamicTableReadOnly,
    HeadwaterError,
    InvalidRequest,
    NotFound,
    NotInitialized,
    Position,
    RefreshFailed,
    SnapshotMissing,
)
from headwater.lake.data_files import partition_values
from headwater.maintain.expire import remove_snapshots
from headwater.registry import workers
from headwater.registry.workers import Worker
from headwater.service.lake import Lake
from tests.fakes.clock import FakeClock
from tests.fix_db import Catalog
from tests.refresh.conftest import DETAILS

Check = Callable[[Lake, str, str], None]
pytestmark = pytest.mark.usefixtures("spark")


def test_only_refreshes_change_its_rows(shop: Lake) -> None:
    before = shop.snapshots()[-1].id
    for statement in (
        "INSERT INTO details VALUES (1, 'x', 1)",
        "UPDATE details SET id = 2",
        "DELETE FROM main.details",
        "TRUNCATE details",
        "DROP TABLE details",
        "ALTER TABLE details ADD COLUMN x INTEGER",
        "CREATE OR REPLACE TABLE details (x INTEGER)",
        "CREATE OR REPLACE TABLE details AS SELECT 1 AS x",
    ):
        with pytest.raises(DynamicTableReadOnly):
            shop.sql(statement)
    with pytest.raises(DynamicTableReadOnly):
        shop.delete("details", "true")
    assert shop.snapshots()[-1].id == before


def test_create_says_what_is_wrong_and_leaves_nothing(shop: Lake) -> None:
    before = shop.snapshots()[-1].id
    for statement, error in {
        "CREATE DYNAMIC TABLE details AS SELECT 1 AS x": AlreadyExists,
        "CREATE DYNAMIC TABLE orders AS SELECT 1 AS x": AlreadyExists,
        "CREATE OR REPLACE DYNAMIC TABLE orders AS SELECT 1 AS x": AlreadyExists,
        "CREATE OR REPLACE DYNAMIC TABLE details AS SELECT * FROM details": DefinitionRefused,
        "CREATE DYNAMIC TABLE t AS SELECT rand() AS r": DefinitionRefused,
        "CREATE DYNAMIC TABLE t AS SELECT missing FROM orders": DefinitionRefused,
        "CREATE DYNAMIC TABLE t AS SELECT id, id FROM orders": DefinitionRefused,
        "CREATE DYNAMIC TABLE t (a, b) AS SELECT id FROM orders": DefinitionRefused,
        "CREATE DYNAMIC TABLE t REFRESH_MODE = INCREMENTAL AS SELECT first(id) AS id FROM orders": DefinitionRefused,
        "CREATE DYNAMIC TABLE t WAREHOUSE = big AS SELECT id FROM orders": InvalidRequest,
        "CREATE DYNAMIC TABLE nowhere.t AS SELECT id FROM orders": NotFound,
        "CREATE DYNAMIC TABLE t AS SELECT 1 / (id - id) AS x FROM orders": HeadwaterError,
    }.items():
        with pytest.raises(error):
            shop.sql(statement)
    assert shop.snapshots()[-1].id == before
    assert [str(each.name) for each in shop.status()] == ['"main"."details"']
    assert shop.sql("CREATE DYNAMIC TABLE IF NOT EXISTS details AS SELECT 1 AS x").rows[0][0] == "exists"


def test_what_spark_finds_wrong_has_its_place_in_the_script(shop: Lake) -> None:
    shop.sql("CREATE VIEW seen AS SELECT id FROM orders")
    create = "-- first\nCREATE DYNAMIC TABLE t AS\n"
    for query, place in {
        "SELECT id, missing FROM orders": Position(3, 12),
        "SELECT o.id,\n  '\N{WAVING HAND SIGN}' AS hi, o.missing FROM orders o": None,
        "SELECT o.id,\n  o.missing FROM orders o -- missing": Position(4, 3),
        "SELECT id, id + array(id) AS bad FROM orders": Position(3, 12),
        "SELECT id FROM orders WHERE lowerr(id) = 'lowerr(id)'": Position(3, 29),
        "SELECT missing FROM seen": Position(3, 8),
    }.items():
        with pytest.raises(DefinitionRefused, match="Spark can't run the query") as caught:
            shop.sql(create + query)
        assert caught.value.position == place, query
    with pytest.raises(DefinitionRefused) as caught:
        shop.sql("SELECT id,\n missing FROM orders", engine="spark")
    assert caught.value.position == Position(2, 2)
    duckdb = "CREATE DYNAMIC TABLE t DIALECT = duckdb AS FROM (SELECT id AS n FROM orders) s SELECT n, "
    for column, found in {"missing": Position(1, len(duckdb) + 1), "id": None}.items():
        with pytest.raises(DefinitionRefused) as caught:
            shop.sql(duckdb + column)
        assert caught.value.position == found
    with pytest.raises(DefinitionRefused, match="Spark can't run the query") as caught:
        shop.sql("ALTER DYNAMIC TABLE details ADD COLUMN missing + 1 AS more")
    assert caught.value.position is None


def test_a_table_on_schedule_has_no_rows_to_read_before_its_first_refresh(shop: Lake, fresh: Check) -> None:
    query = "SELECT count(*) AS n FROM orders"
    shop.sql(f"CREATE DYNAMIC TABLE late TARGET_LAG = '1 hour' INITIALIZE = ON_SCHEDULE AS {query}")
    with pytest.raises(NotInitialized, match="has not been refreshed yet") as refused:
        shop.sql("SELECT * FROM late")
    assert refused.value.hint == 'Run REFRESH DYNAMIC TABLE "main"."late", or wait for its schedule.'
    assert [(o.name.name, o.action) for o in shop.tick().outcomes] == [("late", "REINITIALIZE")]
    fresh(shop, "late", query)


@pytest.mark.parametrize(
    ("freshness", "later", "rest"),
    [
        ("", (), ""),
        ("TARGET_LAG = '1 hour'", ("ALTER DYNAMIC TABLE late SUSPEND",), ""),
        ("TARGET_LAG = DOWNSTREAM", (), ", or wait until a table that reads it is due"),
        ("SCHEDULE = '0 3 * * *'", (), ", or wait for its schedule"),
    ],
)
def test_the_hint_names_only_refreshes_that_will_come(
    shop: Lake, freshness: str, later: tuple[str, ...], rest: str
) -> None:
    shop.sql(f"CREATE DYNAMIC TABLE late {freshness} INITIALIZE = ON_SCHEDULE AS SELECT id FROM orders")
    for statement in later:
        shop.sql(statement)
    with pytest.raises(NotInitialized) as refused:
        shop.sql("SELECT * FROM late")
    assert refused.value.hint == f'Run REFRESH DYNAMIC TABLE "main"."late"{rest}.'


def test_names_comments_partitions_and_order_of_the_definition(shop: Lake, fresh: Check) -> None:
    shop.sql(
        "CREATE DYNAMIC TABLE p (customer COMMENT 'who', total) PARTITIONED BY (customer) CLUSTER BY (total) "
        "AS SELECT customer, sum(amount) FROM orders GROUP BY customer"
    )
    query = "SELECT customer, sum(amount) FROM orders GROUP BY customer"
    fresh(shop, "p", query)
    with shop.reader() as reader:
        at = reader.latest().id
        table = reader.tables(at)[-1]
        assert table.name.name == "p"
        assert len(partition_values(reader.connection, table)) == 3
    shop.sql("INSERT INTO orders VALUES (9, 9, 9); DELETE FROM orders WHERE customer = 2")
    assert [(o.rows_inserted, o.rows_deleted) for o in shop.refresh("p")] == [(1, 1)]
    fresh(shop, "p", query)
    described = {row[0]: row[1:] for row in shop.sql("DESC DYNAMIC TABLE p").rows}
    assert described["customer"] == ("int32", "who")
    again = shop.sql("SHOW CREATE DYNAMIC TABLE p").rows[0][0]
    shop.sql("DROP DYNAMIC TABLE p")
    shop.sql(again)
    fresh(shop, "p", query)


def test_replaced_renamed_swapped_and_dropped(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT sum(amount) AS s FROM details")
    shop.sql("ALTER DYNAMIC TABLE details RENAME TO facts; INSERT INTO orders VALUES (10, 1, 1)")
    assert [o.action for o in shop.refresh("total", "facts")] == ["INCREMENTAL", "INCREMENTAL"]
    fresh(shop, "facts", DETAILS)
    fresh(shop, "total", "SELECT sum(amount) AS s FROM orders")
    shop.sql("ALTER DYNAMIC TABLE facts RENAME TO details")
    shop.sql("CREATE OR REPLACE DYNAMIC TABLE details AS SELECT id, amount FROM orders WHERE id > 1")
    fresh(shop, "details", "SELECT id, amount FROM orders WHERE id > 1")
    (outcome,) = shop.refresh("total")
    assert (outcome.action, outcome.reason) == ("INCREMENTAL", '"main"."details" changed')
    fresh(shop, "total", "SELECT sum(amount) AS s FROM orders WHERE id > 1")
    shop.sql("ALTER DYNAMIC TABLE details SWAP WITH total")
    fresh(shop, "total", "SELECT id, amount FROM orders WHERE id > 1")
    shop.sql("ALTER DYNAMIC TABLE details SWAP WITH total; ALTER DYNAMIC TABLE total RENAME COLUMN s TO revenue")
    assert shop.table("total").columns == ["revenue"]
    assert [o.action for o in shop.refresh("total")] == ["NO_DATA"]
    shop.sql("DROP DYNAMIC TABLE details")
    with pytest.raises(RefreshFailed):
        shop.refresh("total")
    assert shop.sql("DROP DYNAMIC TABLE IF EXISTS details").rows == (("absent",),)


def test_suspension_cascades_and_spares_what_a_person_suspended(shop: Lake) -> None:
    shop.sql("CREATE DYNAMIC TABLE a AS SELECT * FROM details; CREATE DYNAMIC TABLE b AS SELECT * FROM a")
    states = lambda: {each.name.name: each.state for each in shop.status()}  # noqa: E731
    shop.sql("ALTER DYNAMIC TABLE b SUSPEND; ALTER DYNAMIC TABLE details SUSPEND")
    assert states() == {"a": "SUSPENDED", "b": "SUSPENDED", "details": "SUSPENDED"}
    shop.sql("ALTER DYNAMIC TABLE details RESUME")
    assert states() == {"a": "ACTIVE", "b": "SUSPENDED", "details": "ACTIVE"}


def test_a_failing_table_keeps_its_rows_and_is_suspended_in_the_end(catalog: Catalog, fresh: Check) -> None:
    clock = FakeClock()
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.clock = clock
        lake.sql("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d TARGET_LAG = '1 second' AS SELECT 10 / x AS y FROM t")
        lake.sql("CREATE DYNAMIC TABLE e TARGET_LAG = '1 second' AS SELECT y + 1 AS z FROM d")
        lake.sql("INSERT INTO t VALUES (0)")
        seen = []
        for _ in range(6):
            clock.ahead += timedelta(minutes=10)
            seen.append({o.name.name: o.state for o in lake.tick().outcomes})
        assert seen[0] == {"d": "FAILED", "e": "UPSTREAM_FAILED"}
        assert [states.get("d") for states in seen] == ["FAILED"] * 5 + [None]
        found = {each.name.name: each for each in lake.status()}
        assert found["d"].state == "SUSPENDED"
        assert "5 consecutive refreshes failed" in str(found["d"].suspended_reason)
        assert lake.table("d").collect()[0].y == 10
        lake.sql("DELETE FROM t WHERE x = 0; ALTER DYNAMIC TABLE d RESUME")
        clock.ahead += timedelta(seconds=60)
        lake.sql("INSERT INTO t VALUES (5)")
        clock.ahead += timedelta(seconds=60)
        assert {o.name.name: o.state for o in lake.tick().outcomes} == {"d": "SUCCEED", "e": "SUCCEED"}
        fresh(lake, "e", "SELECT 10 / x + 1 AS z FROM t")


def test_two_refreshes_at_once_are_one(shop: Lake, catalog: Catalog, fresh: Check) -> None:
    shop.sql("INSERT INTO orders VALUES (20, 1, 1)")
    before = shop.snapshots()[-1].id
    outcomes = []

    def go() -> None:
        with headwater.connect(catalog.url, catalog.data_path) as other:
            outcomes.extend(other.refresh("details"))

    threads = [threading.Thread(target=go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(o.state for o in outcomes if o.action == "INCREMENTAL") == ["SUCCEED"]
    assert {o.state for o in outcomes} <= {"SUCCEED", "SKIPPED"}
    assert shop.snapshots()[-1].id == before + 1
    fresh(shop, "details", DETAILS)


def test_the_clock_of_a_query_is_one_value_for_the_pass(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1), (2)")
    lake.sql("CREATE DYNAMIC TABLE c AS SELECT x, current_timestamp() AS at FROM t")
    assert len({row["at"] for row in lake.table("c").collect()}) == 1
    first = lake.table("c").collect()[0]["at"]
    assert [o.action for o in lake.refresh("c")] == ["FULL"]
    assert lake.table("c").collect()[0]["at"] > first
    assert lake.verify("c").equal


def test_what_reads_the_clock_is_due_once_per_target_lag(catalog: Catalog) -> None:
    clock = FakeClock()
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.clock = clock
        lake.sql("CREATE TABLE t (x INTEGER, at TIMESTAMPTZ)")
        lake.sql(f"INSERT INTO t VALUES (1, TIMESTAMPTZ '{clock.now()}'), (2, TIMESTAMPTZ '{clock.now()}')")
        lake.sql(
            "CREATE DYNAMIC TABLE recent TARGET_LAG = '1 hour' AS"
            " SELECT x FROM t WHERE at > current_timestamp() - INTERVAL 30 MINUTES"
        )
        lake.sql("CREATE DYNAMIC TABLE n TARGET_LAG = '1 hour' AS SELECT count(*) AS n FROM recent")
        lake.sql("CREATE DYNAMIC TABLE other TARGET_LAG = '1 hour' AS SELECT x FROM t")
        assert (lake.table("n").collect()[0].n, lake.tick().outcomes) == (2, ())
        clock.ahead += timedelta(seconds=3600)
        assert {each.name.name: each.late for each in lake.status()} == {"recent": True, "n": True, "other": False}
        assert [(o.name.name, o.state) for o in lake.tick().outcomes] == [("recent", "SUCCEED"), ("n", "SUCCEED")]
        assert (lake.table("recent").collect(), lake.table("n").collect()[0].n) == ([], 0)
        assert lake.verify("recent").equal
        assert not any(each.late for each in lake.status())
        assert lake.tick().outcomes == ()


def test_history_is_kept_and_can_be_asked(shop: Lake) -> None:
    shop.sql("INSERT INTO orders VALUES (30, 1, 1); REFRESH DYNAMIC TABLE details")
    found = shop.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR details WHERE refresh_mode = 'INCREMENTAL' LIMIT 5")
    row = dict(zip(found.columns, found.rows[0], strict=True))
    assert (row["state"], row["refresh_trigger"], row["name"], row["virtual_cluster"]) == (
        "SUCCEED",
        "MANUAL",
        "details",
        "DEFAULT",
    )
    stats = json.loads(row["stats"])
    assert (stats["rows_inserted"], stats["rows_deleted"]) == (1, 0)
    assert stats["jobs"] >= 1
    assert stats["compute_seconds"] > 0
    assert {"plan_seconds", "rows_read", "bytes_read"} <= set(stats)
    assert '"table_name": "orders"' in row["source_tables"]
    assert [r.trigger for r in shop.history("details")] == ["MANUAL", "CREATION"]


def test_rows_that_come_out_as_they_were_are_not_written_and_counted(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (k INTEGER, x INTEGER); INSERT INTO t VALUES (1, 1), (1, 1), (2, 1), (3, 1)")
    query = "SELECT k, count(DISTINCT x) AS n FROM t GROUP BY k"
    lake.sql(f"CREATE DYNAMIC TABLE followed CARDINALITY_THRESHOLD = 1 AS {query}")
    lake.sql(f"CREATE DYNAMIC TABLE computed REFRESH_MODE = FULL AS {query}")
    lake.sql("INSERT INTO t VALUES (1, 1), (2, 2), (3, 1)")
    for name, share, strategy in (("followed", 2 / 3, "AFFECTED_KEYS"), ("computed", 2 / 3, None)):
        (outcome,) = lake.refresh(name)
        assert (outcome.strategy, outcome.rows_inserted, outcome.rows_deleted) == (strategy, 1, 1)
        assert lake.verify(name).equal
        assert _stats(lake, name)["rows_unchanged"] == 2
        assert _stats(lake, name).get("affected_keys") == (3 if strategy else None)
        assert _stats(lake, name)["deduplication_ratio"] == pytest.approx(share, abs=1e-4)


def _stats(lake: Lake, name: str) -> dict[str, float]:
    found = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {name} LIMIT 1")
    told: dict[str, float] = json.loads(dict(zip(found.columns, found.rows[0], strict=True))["stats"])
    return told


def test_an_earlier_version_can_be_restored(shop: Lake, fresh: Check) -> None:
    first = shop.snapshots()[-1].id
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT sum(amount) AS s FROM details")
    shop.sql("DELETE FROM orders WHERE id < 3; INSERT INTO orders VALUES (50, 1, 50)")
    shop.refresh("total")
    assert shop.table("details").count() == 4
    assert shop.sql(f"SELECT count(*) FROM details AT (VERSION => {first})").rows == ((5,),)
    shop.sql(f"RESTORE DYNAMIC TABLE details TO VERSION {first}")
    assert shop.verify("details").equal
    assert sorted(row.id for row in shop.table("details").collect()) == [1, 2, 3, 3, 4]
    assert {each.name.name: each.state for each in shop.status()} == {"details": "SUSPENDED", "total": "ACTIVE"}
    assert [o.state for o in shop.refresh("total")] == ["UPSTREAM_SUSPENDED"]
    shop.sql("ALTER DYNAMIC TABLE details RESUME")
    assert [o.state for o in shop.refresh("total")] == ["SUCCEED"]
    fresh(shop, "details", DETAILS)
    fresh(shop, "total", "SELECT sum(amount) AS s FROM orders")
    with pytest.raises(SnapshotMissing, match="had no version at snapshot 1"):
        shop.sql("RESTORE DYNAMIC TABLE details TO VERSION 1")
    for wrong in ("VERSION 99999", "TIMESTAMP '2131-01-01'"):
        with pytest.raises(SnapshotMissing, match=r"does not exist|is in the future|no snapshot as old"):
            shop.sql(f"RESTORE DYNAMIC TABLE details TO {wrong}")
    assert {each.state for each in shop.status()} == {"ACTIVE"}
    with shop.reader() as reader:
        gone = [snapshot.id for snapshot in reader.snapshots()[:2]]
    shop.database.transact(lambda connection: remove_snapshots(connection, shop.data_path, gone, shop.clock.now()))
    with pytest.raises(SnapshotMissing, match="snapshot 1 does not exist\n"):
        shop.sql("RESTORE DYNAMIC TABLE details TO VERSION 1")


def test_a_dropped_table_comes_back_with_its_definition(shop: Lake, fresh: Check) -> None:
    with pytest.raises(NotFound):
        shop.sql("UNDROP DYNAMIC TABLE details")
    shop.sql("DROP DYNAMIC TABLE details; INSERT INTO orders VALUES (60, 1, 6); UNDROP DYNAMIC TABLE details")
    fresh(shop, "details", DETAILS)
    with pytest.raises(AlreadyExists):
        shop.sql("UNDROP DYNAMIC TABLE details")


def test_a_schema_takes_its_dynamic_tables_along(shop: Lake) -> None:
    shop.sql("CREATE SCHEMA s; CREATE DYNAMIC TABLE s.d AS SELECT count(*) AS n FROM orders")
    shop.sql("DROP SCHEMA s CASCADE")
    assert [each.name.name for each in shop.status()] == ["details"]
    shop.sql("CREATE SCHEMA s; UNDROP DYNAMIC TABLE s.d")
    assert shop.verify("s.d").equal


def test_a_definition_can_change_while_the_table_stays(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT count(*) AS n FROM details")
    table_id = shop.describe("details").table.id
    shop.sql("ALTER DYNAMIC TABLE details ADD COLUMN o.amount * 2 AS twice")
    query = (
        "SELECT o.id, c.name, o.amount, o.amount * 2 AS twice FROM orders o LEFT JOIN customers c ON o.customer = c.id"
    )
    fresh(shop, "details", query)
    assert shop.history("details")[0].reason == "the definition changed"
    shop.sql(f"CREATE OR ALTER DYNAMIC TABLE details TARGET_LAG = '1 hour' AS {DETAILS} WHERE o.id > 1")
    fresh(shop, "details", f"{DETAILS} WHERE o.id > 1")
    newest = shop.history("details")[0]
    assert (newest.action, newest.rows_inserted, newest.rows_deleted) == ("REINITIALIZE", 0, 1)
    assert shop.describe("details").table.id == table_id
    before = shop.describe("details")
    for wrong in (
        "ALTER DYNAMIC TABLE details ADD COLUMN nonsense AS x",
        "CREATE OR ALTER DYNAMIC TABLE details AS SELECT x FROM t",
    ):
        with pytest.raises(HeadwaterError):
            shop.sql(wrong)
    assert shop.describe("details") == before
    shop.sql("CREATE OR ALTER DYNAMIC TABLE details AS SELECT id, name, amount FROM (" + DETAILS + ") WHERE id <> 2")
    assert [o.action for o in shop.refresh("total")] == ["FULL"]
    fresh(shop, "total", "SELECT count(*) AS n FROM orders WHERE id <> 2")


def test_a_worker_serves_what_a_person_asks_for(shop: Lake, catalog: Catalog, fresh: Check) -> None:
    over = threading.Event()
    served = []

    def work() -> None:
        with headwater.connect(catalog.url, catalog.data_path) as other:
            while not over.wait(0.1):
                served.extend(other.tick().outcomes)

    me = Worker("w", "elsewhere", 1, "0", shop.clock.now())
    shop.database.write(lambda connection: connection.execute(workers.register_stmt(me, shop.database.kind)))
    thread = threading.Thread(target=work)
    thread.start()
    try:
        shop.sql("INSERT INTO orders VALUES (70, 1, 7)")
        assert [(o.state, o.action, o.rows_inserted) for o in shop.refresh("details")] == [
            ("SUCCEED", "INCREMENTAL", 1)
        ]
        assert [o.action for o in shop.refresh("details")] == ["NO_DATA"]
        shop.sql("DROP TABLE customers")
        with pytest.raises(RefreshFailed, match='table or view "customers" does not exist'):
            shop.refresh("details")
    finally:
        over.set()
        thread.join()
    assert [o.name.name for o in served] == ["details"] * 3
    shop.database.write(lambda connection: connection.execute(workers.unregister_stmt(me.id)))
    shop.sql("CREATE TABLE customers (id INTEGER, name VARCHAR)")
    assert [o.action for o in shop.refresh("details")] == ["REINITIALIZE"]
    fresh(shop, "details", DETAILS)


def test_days_that_do_not_change_are_refreshed_again_and_again(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)")
    lake.sql("CREATE DYNAMIC TABLE c AS SELECT x, date_trunc('YEAR', current_date()) AS year FROM t")
    lake.sql("CREATE DYNAMIC TABLE e AS SELECT * FROM c")
    for _ in range(3):
        assert [o.action for o in lake.refresh("c")] == ["FULL"]
    assert [(o.action, o.rows_inserted) for o in lake.refresh("e")] == [("NO_DATA", 0)]
    assert lake.verify("c").equal


def test_what_reads_a_table_follows_it_when_its_definition_changes_at_one_snapshot(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT count(*) AS n FROM details")
    shop.refresh("total")
    for least in (1, 2, 3):
        shop.sql(f"CREATE OR ALTER DYNAMIC TABLE details AS {DETAILS} WHERE o.id > {least}")
        shop.refresh("total")
        fresh(shop, "total", f"SELECT count(*) AS n FROM orders WHERE id > {least}")
    shop.sql(
        "ALTER DYNAMIC TABLE details SUSPEND; ALTER DYNAMIC TABLE total RESUME; INSERT INTO orders VALUES (80, 1, 1)"
    )
    assert [o.state for o in shop.refresh("total")] == ["UPSTREAM_SUSPENDED"]
    shop.sql("CREATE OR ALTER DYNAMIC TABLE total AS SELECT count(*) + 1 AS n FROM details")
    assert shop.table("total").collect()[0].n == 2
    assert shop.verify("total").equal


def test_maps_with_null_values_are_compared_by_their_values(lake: Lake) -> None:
    lake.sql("CREATE TABLE m (id INTEGER, m MAP(VARCHAR, INTEGER), l STRUCT(n MAP(VARCHAR, INTEGER))[])")
    lake.sql("CREATE DYNAMIC TABLE m1 AS SELECT * FROM m; CREATE DYNAMIC TABLE m2 AS SELECT * FROM m1")
    lake.sql(
        "INSERT INTO m VALUES (1, MAP {'j': 5, 'k': 1}, [{'n': MAP {'a': NULL}}, NULL]), "
        "(2, MAP {'j': NULL, 'k': 9}, NULL), (3, MAP {'a': NULL}, []), (4, MAP {}, NULL)"
    )
    lake.refresh("m2")
    lake.sql("UPDATE m SET m = MAP {'j': 1, 'k': 1} WHERE id = 1; UPDATE m SET m = MAP {'a': 1} WHERE id = 3")
    assert [(o.rows_inserted, o.rows_deleted) for o in lake.refresh("m1", "m2")] == [(2, 2), (2, 2)]
    rows = {name: lake.sql(f"SELECT * FROM {name} ORDER BY id").rows for name in ("m", "m1", "m2")}
    assert rows["m1"] == rows["m"] == rows["m2"]
    assert rows["m"][1][1] == {"j": None, "k": 9}
    assert lake.verify("m1").equal
    assert lake.verify("m2").equal


def test_a_definition_that_fails_is_taken_back(shop: Lake, fresh: Check) -> None:
    before = shop.sql("SHOW CREATE DYNAMIC TABLE details").rows
    with pytest.raises(RefreshFailed):
        shop.sql("ALTER DYNAMIC TABLE details ADD COLUMN 1 / (o.id - 1) AS bad")
    assert shop.sql("SHOW CREATE DYNAMIC TABLE details").rows == before
    assert [o.action for o in shop.refresh("details")] == ["NO_DATA"]
    for query in (DETAILS, "SELECT o.amount AS id, o.id AS amount FROM orders o", "SELECT id, 5 AS k FROM orders"):
        shop.sql(f"CREATE OR ALTER DYNAMIC TABLE details AS {query}")
        fresh(shop, "details", query)


def test_what_comes_back_is_followed_again(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT count(*) AS n FROM details; DROP DYNAMIC TABLE details")
    with pytest.raises(RefreshFailed):
        shop.refresh("total")
    shop.sql("UNDROP DYNAMIC TABLE details; INSERT INTO orders VALUES (90, 1, 1)")
    with pytest.raises(InvalidRequest, match="has been replaced"):
        shop.verify("total")
    shop.refresh("total")
    fresh(shop, "total", "SELECT count(*) AS n FROM orders")
    shop.sql("CREATE DYNAMIC TABLE e AS SELECT id FROM orders; ALTER DYNAMIC TABLE e SWAP WITH details")
    shop.sql("ALTER DYNAMIC TABLE total ADD COLUMN max(amount) AS most")
    fresh(shop, "total", "SELECT count(*) AS n, max(amount) AS most FROM orders")


def test_a_clock_is_verified_right_after_creation(lake: Lake) -> None:
    lake.sql("CREATE DYNAMIC TABLE c AS SELECT current_timestamp() AS at")
    assert lake.verify("c").equal
