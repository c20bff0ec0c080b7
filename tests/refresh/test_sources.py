"""What happens to a dynamic table when its sources change shape."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headwater.core.errors import FeatureRefused, NotFound, RefreshFailed, SnapshotMissing
from headwater.maintain.expire import remove_snapshots
from headwater.refresh.find import find_dynamic
from headwater.registry import frontiers
from headwater.service.lake import Lake
from headwater.sql.parse_names import parse_name
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.refresh.conftest import DETAILS

Check = Callable[[Lake, str, str], None]
pytestmark = pytest.mark.usefixtures("spark")


def test_only_rows_that_changed_are_written(shop: Lake, fresh: Check) -> None:
    before = shop.snapshots()[-1].id
    ids = {tuple(row)[:3]: row.rid for row in shop.table("details", rowid="rid").collect()}
    shop.sql("UPDATE orders SET amount = 21 WHERE id = 2; INSERT INTO orders VALUES (3, 2, 5)")
    (outcome,) = shop.refresh("details")
    assert (outcome.action, outcome.rows_inserted, outcome.rows_deleted) == ("FULL", 2, 1)
    fresh(shop, "details", DETAILS)
    changes = sorted((tuple(row)[:2], row["__w"]) for row in shop.changes("details", before).drop("rowid").collect())
    assert changes == [((2, "ann"), -1), ((2, "ann"), 1), ((3, "bob"), 1)]
    kept = {tuple(row)[:3]: row.rid for row in shop.table("details", rowid="rid").collect()}
    assert all(kept[row] == ids[row] for row in ids if row[0] in (1, 4))


def test_nothing_changed_is_no_data_and_no_snapshot(shop: Lake) -> None:
    before = shop.snapshots()[-1].id
    assert [outcome.action for outcome in shop.refresh("details")] == ["NO_DATA"]
    shop.sql("CREATE TABLE other (x INTEGER); INSERT INTO other VALUES (1)")
    assert [outcome.action for outcome in shop.refresh("details")] == ["NO_DATA"]
    assert shop.status()[0].data_snapshot == shop.snapshots()[-1].id
    assert shop.snapshots()[-1].id == before + 2
    idle = [refresh for refresh in shop.history("details") if refresh.action == "NO_DATA"]
    assert [(refresh.runs, refresh.took) for refresh in idle] == [(2, None)]
    newest = shop.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR details LIMIT 1")
    assert newest.rows[0][newest.columns.index("duration")] is None


def test_a_change_that_cancels_out_writes_nothing(shop: Lake, fresh: Check) -> None:
    shop.sql("INSERT INTO orders VALUES (9, 1, 1); DELETE FROM orders WHERE id = 9")
    before = shop.snapshots()[-1].id
    (outcome,) = shop.refresh("details")
    assert (outcome.action, outcome.rows_inserted, outcome.rows_deleted) == ("NO_DATA", 0, 0)
    assert shop.snapshots()[-1].id == before
    fresh(shop, "details", DETAILS)


def test_columns_that_the_query_reads_make_it_start_anew(shop: Lake, fresh: Check) -> None:
    shop.sql("ALTER TABLE orders ADD COLUMN note VARCHAR")
    assert [outcome.action for outcome in shop.refresh("details")] == ["NO_DATA"]
    shop.sql("ALTER TABLE orders RENAME COLUMN note TO remark")
    assert [outcome.action for outcome in shop.refresh("details")] == ["NO_DATA"]
    # Every row changes, and no change feed says so.
    shop.sql("ALTER TABLE customers DROP COLUMN name; ALTER TABLE customers ADD COLUMN name VARCHAR DEFAULT 'nobody'")
    (outcome,) = shop.refresh("details")
    assert (outcome.action, outcome.reason) == (
        "REINITIALIZE",
        'columns of "main"."customers" that the query reads changed',
    )
    fresh(shop, "details", DETAILS)
    shop.sql("ALTER TABLE orders ALTER COLUMN id SET DATA TYPE BIGINT")
    assert [outcome.action for outcome in shop.refresh("details")] == ["REINITIALIZE"]
    assert shop.table("details").schema[0].dataType.simpleString() == "bigint"
    assert shop.table("details").columns == ["id", "name", "amount"]
    fresh(shop, "details", DETAILS)
    shop.sql("INSERT INTO orders VALUES (8, 1, 1, NULL)")
    assert [outcome.action for outcome in shop.refresh("details")] == ["INCREMENTAL"]
    fresh(shop, "details", DETAILS)


def test_a_source_may_be_renamed_replaced_or_dropped(shop: Lake, fresh: Check) -> None:
    shop.sql(
        "ALTER TABLE customers RENAME TO clients; INSERT INTO clients VALUES (3, 'cy'); INSERT INTO orders VALUES (5, 3, 1)"
    )
    assert [outcome.action for outcome in shop.refresh("details")] == ["INCREMENTAL"]
    fresh(shop, "details", DETAILS.replace("customers", "clients"))
    shop.sql("DROP TABLE clients")
    with pytest.raises(RefreshFailed, match='table or view "customers" does not exist'):
        shop.refresh("details")
    assert shop.table("details").count() == 6
    assert shop.history("details")[0].state == "FAILED"
    shop.sql("CREATE TABLE customers (id INTEGER, name VARCHAR); INSERT INTO customers VALUES (1, 'new')")
    (outcome,) = shop.refresh("details")
    assert (outcome.action, outcome.reason) == ("REINITIALIZE", '"main"."customers" replaced another table')
    fresh(shop, "details", DETAILS)


def test_a_definition_keeps_to_its_columns_when_they_are_renamed(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE DYNAMIC TABLE every AS SELECT * FROM customers")
    shop.sql("ALTER TABLE customers RENAME COLUMN name TO label; INSERT INTO customers VALUES (4, 'dee')")
    shop.sql("INSERT INTO orders VALUES (40, 4, 4)")
    assert [outcome.action for outcome in shop.refresh("details", "every")] == ["INCREMENTAL", "FULL"]
    fresh(shop, "details", DETAILS.replace("c.name", "c.label"))
    fresh(shop, "every", "SELECT * FROM customers")
    assert shop.table("every").columns == ["id", "name"]
    # Another column takes the old name: it is not the one that the definition means.
    shop.sql(
        "ALTER TABLE customers ADD COLUMN name VARCHAR DEFAULT 'someone'; INSERT INTO customers VALUES (5, 'eve', 'x')"
    )
    assert [outcome.action for outcome in shop.refresh("details")] == ["INCREMENTAL"]
    fresh(shop, "details", DETAILS.replace("c.name", "c.label"))
    assert shop.verify("details").equal


def test_views_are_expanded_and_watched(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE VIEW cheap AS SELECT id, amount FROM orders WHERE amount < 15")
    query = "SELECT count(*) AS n, sum(amount) AS total FROM cheap"
    shop.sql(f"CREATE DYNAMIC TABLE sums AS {query}")
    fresh(shop, "sums", query)
    shop.sql("INSERT INTO orders VALUES (7, 1, 14)")
    assert [outcome.action for outcome in shop.refresh("sums")] == ["INCREMENTAL"]
    fresh(shop, "sums", query)
    shop.sql("CREATE OR REPLACE VIEW cheap AS SELECT id, amount FROM orders WHERE amount < 12")
    (outcome,) = shop.refresh("sums")
    assert (outcome.action, outcome.reason) == ("REINITIALIZE", "a view that the query reads changed")
    fresh(shop, "sums", query)


def test_foreign_writes_are_found_and_repaired(shop: Lake, catalog: Catalog, duck: Duck, fresh: Check) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute("DELETE FROM details WHERE id = 1; INSERT INTO details VALUES (99, 'x', 1)")
    found = shop.verify("details")
    assert (found.equal, found.missing, found.unexpected) == (False, 1, 1)
    (outcome,) = shop.refresh("details")
    assert outcome.action == "REINITIALIZE"
    assert outcome.reason is not None
    assert "another client wrote to the table" in outcome.reason
    assert shop.verify("details").equal
    fresh(shop, "details", DETAILS)
    assert [outcome.action for outcome in shop.refresh("details")] == ["NO_DATA"]


def test_expired_snapshots_make_it_start_anew(shop: Lake, catalog: Catalog, duck: Duck, fresh: Check) -> None:
    shop.sql("INSERT INTO orders VALUES (6, 1, 1)")
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute("INSERT INTO orders VALUES (7, 2, 1)")
    duck.execute("CALL ducklake_expire_snapshots('lake', older_than => now() + INTERVAL 1 DAY)")
    (outcome,) = shop.refresh("details")
    assert (outcome.action, outcome.reason) == ("REINITIALIZE", "snapshots since the last refresh have been expired")
    fresh(shop, "details", DETAILS)


def test_an_upstream_that_moved_on_is_not_taken_for_what_was_read(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT name, sum(amount) AS s FROM details GROUP BY name")
    with shop.reader() as reader:
        frontier = frontiers.find(reader.connection, find_dynamic(reader, parse_name("total")).id)
    assert frontier is not None
    (read,) = frontier.identity.read.values()
    shop.sql("INSERT INTO orders VALUES (6, 1, 1), (6, 1, 1); DELETE FROM orders WHERE id = 2")
    shop.refresh("details")
    # As another client may, or our own maintenance where a table has failed for long.
    shop.database.transact(lambda connection: remove_snapshots(connection, shop.data_path, [read], shop.clock.now()))
    with pytest.raises(SnapshotMissing, match="can't be verified"):
        shop.verify("total")
    (outcome,) = shop.refresh("total")
    assert (outcome.state, outcome.action) == ("SUCCEED", "FULL")
    fresh(shop, "total", f"SELECT name, sum(amount) AS s FROM ({DETAILS}) GROUP BY name")
    assert shop.verify("total").equal


def test_a_definition_over_nothing_known_is_refused_with_its_place(lake: Lake) -> None:
    with pytest.raises(NotFound) as caught:
        lake.sql("CREATE DYNAMIC TABLE t AS\nSELECT *\nFROM nowhere")
    assert str(caught.value.position) == "line 3, column 6"
    assert lake.tables() == ()


def test_rows_that_came_and_went_are_not_forgotten_in_between(lake: Lake, catalog: Catalog, duck: Duck) -> None:
    """A version holds only for snapshots at which the query really gave its rows."""
    lake.sql(
        "CREATE TABLE t (x INTEGER); CREATE TABLE s (x INTEGER); INSERT INTO t VALUES (1); INSERT INTO s VALUES (1)"
    )
    lake.sql("CREATE DYNAMIC TABLE u AS SELECT x FROM t; CREATE DYNAMIC TABLE v AS SELECT x FROM s")
    lake.sql("CREATE DYNAMIC TABLE w AS SELECT x FROM u")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT w.x AS x, v.x AS y FROM w CROSS JOIN v")
    lake.sql("INSERT INTO t VALUES (2)")
    lake.refresh("v")
    lake.sql("ALTER DYNAMIC TABLE v SUSPEND; ALTER DYNAMIC TABLE d RESUME")
    lake.sql("DELETE FROM t WHERE x = 2; INSERT INTO s VALUES (2)")
    assert [outcome.action for outcome in lake.refresh("u", "w")] == ["NO_DATA", "NO_DATA"]
    assert [outcome.state for outcome in lake.refresh("d")] == ["UPSTREAM_SUSPENDED"]
    duck.attach(catalog.duck_uri, catalog.data_path)
    at = next(each.data_snapshot for each in lake.status() if each.name.name == "d")
    both = f"(SELECT * FROM t AT (VERSION => {at})) t CROSS JOIN (SELECT * FROM s AT (VERSION => {at})) s"
    assert sorted(duck.execute("FROM d")) == sorted(duck.execute(f"SELECT t.x, s.x FROM {both}"))
    lake.sql("ALTER DYNAMIC TABLE v RESUME")
    lake.refresh("d")
    assert sorted(duck.execute("FROM d")) == [(1, 1), (1, 2)]


def test_a_foreign_write_that_takes_itself_back_is_settled_once(shop: Lake, catalog: Catalog, duck: Duck) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute("INSERT INTO details VALUES (99, 'x', 1)")
    duck.execute("DELETE FROM details WHERE id = 99")
    assert [(o.action, o.rows_inserted, o.rows_deleted) for o in shop.refresh("details")] == [("REINITIALIZE", 0, 0)]
    assert [o.action for o in shop.refresh("details")] == ["NO_DATA"]


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
@pytest.mark.parametrize("inlined", [True, False])
def test_a_column_without_a_spark_type_hinders_only_queries_that_read_it(
    lake: Lake, fresh: Check, duck: Duck, catalog: Catalog, inlined: bool
) -> None:
    lake.sql("CREATE TABLE t (big HUGEINT, a INT, span INTERVAL, b VARCHAR); CREATE TABLE huge (big HUGEINT)")
    rows = "VALUES (170141183460469231731687303715884105727, 1, INTERVAL 1 DAY, 'x'), (NULL, NULL, NULL, NULL)"
    queries = {
        "sums": "SELECT b, sum(a) AS a FROM t GROUP BY b",
        "counted": "SELECT count(*) AS n FROM t",
        "ones": "SELECT 1 AS one FROM t x JOIN huge y ON true",
        "lonely": "SELECT count(*) AS n FROM huge",
    }
    lake.sql(f"INSERT INTO t {rows}; INSERT INTO huge VALUES (1), (NULL)")
    if not inlined:
        _flush(duck, catalog)
    for name, query in queries.items():
        assert lake.explain(f"CREATE DYNAMIC TABLE {name} AS {query}").sql
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query}")
    lake.sql(
        f"INSERT INTO t {rows}; UPDATE t SET a = 7 WHERE b IS NULL; DELETE FROM t WHERE a = 1; INSERT INTO t {rows}"
    )
    lake.sql("INSERT INTO huge VALUES (2); DELETE FROM huge WHERE big = 1")
    if not inlined:
        _flush(duck, catalog)
    assert {outcome.action for outcome in lake.refresh(*queries)} == {"FULL"}
    for name, query in queries.items():
        fresh(lake, name, query)
        assert lake.verify(name).equal
    assert lake.sql("SELECT max(a) AS a FROM t", engine="spark").rows == ((7,),)
    for query, named in {"SELECT * FROM t": "big", "SELECT a FROM t WHERE span IS NULL": "span"}.items():
        with pytest.raises(FeatureRefused, match=f'column "{named}" has type .* which Spark can\'t hold exactly'):
            lake.sql(f"CREATE DYNAMIC TABLE odd AS {query}")
    lake.sql("ALTER TABLE huge ADD COLUMN more INTERVAL; INSERT INTO huge VALUES (3, INTERVAL 2 HOURS)")
    assert [outcome.action for outcome in lake.refresh("lonely")] == ["FULL"]
    fresh(lake, "lonely", queries["lonely"])


def _flush(duck: Duck, catalog: Catalog) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute("CALL ducklake_flush_inlined_data('lake')")
    duck.detach()
