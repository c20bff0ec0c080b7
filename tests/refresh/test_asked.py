"""Refreshes that people ask for: served by who saw the request, and patient with others who refresh the same tables."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

import headwater
from headwater.core.refresh_record import RefreshRecord
from headwater.lake.site import Site
from headwater.refresh.run import Refresher
from headwater.registry import leases, requests, workers
from headwater.registry.requests import Request
from headwater.registry.workers import Worker
from headwater.service.lake import Lake
from headwater.service.refresh import refresh
from headwater.sql.parse_names import parse_name
from headwater.worker import passes
from headwater.worker.tick import tick
from tests.duck import Duck
from tests.fakes.clock import FakeClock
from tests.fix_db import Catalog
from tests.refresh.conftest import DETAILS

Check = Callable[[Lake, str, str], None]
TOTAL = f"SELECT count(*) AS n, sum(amount) AS s FROM ({DETAILS})"
pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def chain(shop: Lake) -> Lake:
    """Details, and two tables that read it."""
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT count(*) AS n, sum(amount) AS s FROM details")
    shop.sql("CREATE DYNAMIC TABLE names AS SELECT name, count(*) AS n FROM details GROUP BY name")
    return shop


@pytest.mark.parametrize("ahead", [-3600.0, 3600.0])
def test_the_clock_of_whoever_asks_may_be_wrong(shop: Lake, catalog: Catalog, fresh: Check, ahead: float) -> None:
    clock = FakeClock()
    clock.ahead = timedelta(seconds=ahead)
    me = Worker("w", "elsewhere", 1, "0", shop.clock.now())
    shop.database.execute(workers.register_stmt(me, shop.database.kind))
    shop.sql("INSERT INTO orders VALUES (70, 1, 7); DELETE FROM orders WHERE id = 1")
    with headwater.connect(catalog.url, catalog.data_path) as other, ThreadPoolExecutor(1) as pool:
        person = Lake(other.database, other.data_path, clock)
        asked = pool.submit(person.refresh, "details")
        while not _open(shop):
            assert not asked.done()
        assert [outcome.name.name for outcome in shop.tick().outcomes] == ["details"]
        assert [(o.state, o.rows_inserted, o.rows_deleted) for o in asked.result(60)] == [("SUCCEED", 1, 1)]
    assert shop.tick().outcomes == ()
    fresh(shop, "details", DETAILS)


def test_a_pass_does_not_serve_what_was_asked_after_its_snapshot(chain: Lake, fresh: Check) -> None:
    asked: list[str] = []

    def ask(name: str) -> None:
        request, statement = requests.request_stmt(chain.describe(name).table.id, chain.clock.now(), "me")
        chain.database.execute(statement)
        asked.append(request)

    def report(outcome: object) -> None:
        if len(asked) == 1:
            chain.sql("INSERT INTO orders VALUES (71, 2, 7), (71, 2, 7)")
            ask("total")

    chain.sql("INSERT INTO orders VALUES (70, 1, 7)")
    ask("total")
    assert [o.name.name for o in tick(Refresher(chain.site, chain.compute), report=report).outcomes] == [
        "details",
        "total",
    ]
    assert [request.id for request in _open(chain)] == asked[1:]
    assert [o.name.name for o in tick(Refresher(chain.site, chain.compute)).outcomes] == ["details", "total"]
    assert _open(chain) == ()
    fresh(chain, "total", TOTAL)


def test_a_request_is_gone_with_its_table(chain: Lake, catalog: Catalog, duck: Duck) -> None:
    for name in ("total", "details"):
        chain.database.execute(requests.request_stmt(chain.describe(name).table.id, chain.clock.now(), "me")[1])
        duck.attach(catalog.duck_uri, catalog.data_path)
        duck.execute(f"DROP TABLE {name}")
        duck.detach()
        tick(Refresher(chain.site, chain.compute))
        assert _open(chain) == ()


def test_a_refresh_waits_for_whoever_refreshes_its_upstream(chain: Lake, fresh: Check) -> None:
    chain.sql("INSERT INTO orders VALUES (70, 1, 7); UPDATE orders SET amount = NULL WHERE id = 2")
    lease = leases.take(chain.database, chain.describe("details").table.id)
    assert lease is not None
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(chain.refresh, "total")
        threading.Event().wait(1)
        assert not waiting.done()
        leases.give_back(chain.database, lease)
        assert [(o.state, o.rows_inserted, o.rows_deleted) for o in waiting.result(60)] == [("SUCCEED", 1, 1)]
    fresh(chain, "total", TOTAL)


def test_what_is_on_schedule_does_not_wait(chain: Lake) -> None:
    chain.sql("ALTER DYNAMIC TABLE details SET TARGET_LAG = '1 second'; INSERT INTO orders VALUES (70, 1, 7)")
    threading.Event().wait(1)
    lease = leases.take(chain.database, chain.describe("details").table.id)
    assert lease is not None
    assert [(o.state, o.leased) for o in chain.tick().outcomes] == [("SKIPPED", True)]


def test_two_threads_refresh_tables_that_share_an_upstream(chain: Lake, catalog: Catalog, fresh: Check) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as other, ThreadPoolExecutor(3) as pool:
        for number in range(4):
            chain.sql(f"INSERT INTO orders VALUES (8{number}, 1, {number}), (NULL, NULL, 1)")
            ran = [
                pool.submit(lake.refresh, name) for lake, name in ((chain, "total"), (chain, "names"), (other, "total"))
            ]
            assert [[o.state for o in each.result(120)] for each in ran] == [["SUCCEED"]] * 3
            fresh(chain, "total", TOTAL)
            fresh(chain, "names", f"SELECT name, count(*) AS n FROM ({DETAILS}) GROUP BY name")


@pytest.mark.parametrize("first", ["NO_DATA", "SKIPPED"])
def test_a_refresh_that_was_overtaken_goes_to_the_newer_snapshot(
    chain: Lake, catalog: Catalog, fresh: Check, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    if first == "SKIPPED":
        chain.refresh()
    chain.sql("INSERT INTO orders VALUES (70, 1, 7)")
    lease = leases.take(chain.database, chain.describe("details").table.id)
    assert lease is not None

    def overtake(site: Site, _table_id: int, _stopping: object) -> None:
        leases.give_back(site.database, lease)
        with headwater.connect(catalog.url, catalog.data_path) as other:
            other.sql("INSERT INTO orders VALUES (71, 1, 7)")
            other.refresh("details")
            other.sql("DELETE FROM orders WHERE id < 3")

    monkeypatch.setattr(passes, "wait_for_lease", overtake)
    reported: list[RefreshRecord] = []
    (outcome,) = refresh(chain.site, chain.compute, [parse_name("total")], reported.append)
    assert (outcome.state, outcome.rows_inserted, outcome.rows_deleted) == ("SUCCEED", 1, 1)
    assert [o.name.name for o in reported] == ["details", "total", "details", "total"]
    assert [o.action or o.state for o in reported[:2]] == ["NO_DATA", first]
    fresh(chain, "total", TOTAL)


def _open(lake: Lake) -> tuple[Request, ...]:
    with lake.reader() as reader:
        return tuple(each for found in requests.open_requests(reader.connection).values() for each in found)
