"""Maintenance, refreshes, writers and readers of DuckDB all at once: nobody misses a file, and contents are exact."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

import headwater
from headwater.maintain import expire
from headwater.maintain.choose_files import Policy
from headwater.maintain.step_result import FAILED
from headwater.maintain.steps import Rules
from headwater.registry import frontiers, install
from headwater.service.lake import Lake
from tests.chaos.shop import QUERIES, change, expanded, open_shop
from tests.duck import Duck, DuckError
from tests.fix_db import Catalog

SECONDS = float(os.environ.get("HEADWATER_TOGETHER", "6"))
# Longer than any reader here takes, and than a refresh.
RULES = Rules(retention_days=10 / 86_400, grace=timedelta(seconds=30), policy=Policy(min_files=2, deleted_share=0.1))


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("catalog_kind", ["postgres"])
def test_maintenance_refreshes_writers_and_readers_get_along(
    catalog: Catalog, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expire, "YOUNGEST", timedelta(seconds=10))
    over = threading.Event()
    done: Counter[str] = Counter()
    wrong: list[BaseException] = []

    def again_and_again(work: Callable[[Random], None]) -> threading.Thread:
        def run() -> None:
            random = Random(f"{seed} {work.__name__}")
            try:
                while not over.is_set():
                    work(random)
                    done[work.__name__] += 1
            except BaseException as error:  # noqa: BLE001 -- told by the test itself
                wrong.append(error)
                over.set()

        thread = threading.Thread(target=run, name=work.__name__)
        thread.start()
        return thread

    with headwater.connect(catalog.url, catalog.data_path) as lake, Duck() as writer, Duck() as reader:
        install.install(lake.database)
        open_shop(lake, "1 second")
        for duck in (writer, reader):
            duck.attach(catalog.duck_uri, catalog.data_path)

        def write(random: Random) -> None:
            statement = change(random)
            try:
                writer.execute(statement)
            except DuckError as error:
                # Whoever deletes from files that are being compacted and comes second is refused, and tries again.
                if not any(word in error.message for word in ("has compacted it", "has flushed the inlined data")):
                    raise
                done["writes refused"] += 1
                return
            if statement.startswith("DELETE"):
                assert writer.execute(statement.replace("DELETE", "SELECT count(*)")) == [(0,)], f"lost: {statement}"
            time.sleep(0.05)

        def refresh(_random: Random) -> None:
            for outcome in lake.tick().outcomes:
                assert outcome.error is None, outcome.error
            time.sleep(0.2)

        def maintain(_random: Random) -> None:
            for step in lake.maintain(rules=RULES):
                assert step.state != FAILED, step
                done[f"maintain {step.step} files"] += step.files or 0
            time.sleep(0.5)

        def read(random: Random) -> None:
            _read(lake, reader, random, done)

        threads = [again_and_again(work) for work in (write, refresh, maintain, read)]
        over.wait(SECONDS)
        over.set()
        for thread in threads:
            thread.join()
        if wrong:
            raise wrong[0]
        lake.refresh()
        for name in QUERIES:
            assert lake.verify(name).equal
            assert reader.execute(f"({expanded(name)}) EXCEPT ALL SELECT * FROM {name}") == []
        assert {"write", "read", "maintain"} <= done.keys()
        print(f"\nseed {seed}, {SECONDS:g} s: {dict(done)}")  # noqa: T201


def _read(lake: Lake, reader: Duck, random: Random, done: Counter[str]) -> None:
    """Read a table as it is, and compare a dynamic table at its version with its query at its data snapshot."""
    name = random.choice(list(QUERIES))
    reader.execute(f"SELECT * FROM {name}")
    with lake.reader() as catalog:
        at = catalog.latest().id
        table = next(t for t in catalog.tables(at) if t.name.name == name)
        frontier = frontiers.find(catalog.connection, table.id)
    assert frontier is not None
    shown = f"SELECT * FROM {name} AT (VERSION => {frontier.lake_snapshot})"
    query = expanded(name, f" AT (VERSION => {frontier.snapshot})")
    try:
        found = reader.execute(f"({query}) EXCEPT ALL ({shown})") + reader.execute(f"({shown}) EXCEPT ALL ({query})")
    except DuckError as error:
        # The table has moved on, and the snapshots that it was made from have been expired since.
        if "No snapshot found" not in error.message:
            raise
        done["snapshots that were gone"] += 1
        return
    assert found == [], (name, frontier)
    done["comparisons"] += 1
