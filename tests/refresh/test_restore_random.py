"""Random histories of refreshes, restores, new definitions, foreign writes and expiry: each version has its own rows.

HEADWATER_RESTORES is the number of histories.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest

import headwater
from headwater.core.errors import InvalidRequest, SnapshotMissing
from headwater.maintain.expire import expire, remove_snapshots
from headwater.maintain.pins import find_pins
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.fix_seed import COUNTED
from tests.refresh.followed import Bench, bag

pytestmark = pytest.mark.usefixtures("small_spark")

HISTORIES = int(os.environ.get("HEADWATER_RESTORES") or 2)
STEPS = 9
DEFINITIONS = (
    "SELECT k, CAST(avg(x) AS DECIMAL(14,6)) AS m FROM t GROUP BY k",
    "SELECT k, CAST(sum(x) AS DECIMAL(14,6)) AS m FROM t WHERE x > 3 GROUP BY k",
    "SELECT a.k, CAST(a.x + b.x AS DECIMAL(14,6)) AS m FROM t a LEFT JOIN t b ON a.k = b.k AND a.x < b.x",
)
TOTAL = "SELECT count(*) AS n, sum(m) AS s FROM d"
COUNTS = COUNTED.setdefault("restored versions", Counter())


class _History:
    """One lake with t, d over t and total over d, and what d and total showed as each version."""

    def __init__(self, bench: Bench, random: Random) -> None:
        self.bench = bench
        self.random = random
        self.definition = random.choice(DEFINITIONS)
        self.rows: dict[str, dict[int, Counter[tuple[Any, ...]]]] = {"d": {}, "total": {}}
        self.suspended: set[str] = set()
        self.foreign = False
        bench.table("k INTEGER, x DECIMAL(10,2)", "(1, 1), (1, 2), (2, 4), (NULL, NULL), (9, 0), (9, 0)")
        bench.define(self.definition)
        bench.define(TOTAL, "total")
        self.remember()

    def remember(self) -> None:
        """Note what each table shows; a version never shows anything else."""
        for status in self.bench.lake.status():
            name = status.name.name
            assert status.version is not None
            if not (name == "d" and self.foreign):
                assert self.rows[name].setdefault(status.version, self.shown(name)) == self.shown(name)

    def shown(self, name: str) -> Counter[tuple[Any, ...]]:
        return bag(self.bench.lake.sql(f"SELECT * FROM {name}").rows)

    def change(self) -> None:
        one, other, third, fourth, key, value = self.random.choices(["NULL", *map(str, range(8))], k=6)
        self.bench.do(
            *self.random.sample(
                [
                    f"INSERT INTO t VALUES ({one}, {other}), ({third}, {fourth})",
                    f"DELETE FROM t WHERE k = {key}",
                    f"UPDATE t SET x = {value} WHERE k = {key}",
                ],
                2,
            )
        )

    def refresh(self) -> None:
        self.bench.do(*(f"ALTER DYNAMIC TABLE {name} RESUME" for name in sorted(self.suspended)))
        self.suspended, self.foreign = set(), False
        for outcome in self.bench.lake.refresh("d", "total"):
            assert outcome.succeeded
            COUNTS[f"refresh {outcome.action}"] += 1
        self.bench.agrees(self.definition)
        self.bench.agrees(TOTAL, "total")
        self.remember()

    def restore(self) -> None:
        name, other = self.random.choice([("d", "total"), ("d", "total"), ("total", "d")])
        listed = self.bench.lake.versions(name)
        assert {each.version for each in listed} <= self.rows[name].keys()
        chosen = self.random.choice(listed)
        before = self.shown(name), self.shown(other)
        if not chosen.restorable:
            with pytest.raises((SnapshotMissing, InvalidRequest)):
                self.bench.lake.restore(name, version=chosen.version)
            assert (self.shown(name), self.shown(other)) == before
            COUNTS["refused"] += 1
            return
        self.bench.lake.restore(name, version=chosen.version)
        assert (self.shown(name), self.shown(other)) == (self.rows[name][chosen.version], before[1])
        self.suspended.add(name)
        self.foreign = self.foreign and name != "d"
        self.remember()
        COUNTS["restored"] += 1

    def redefine(self) -> None:
        if not (self.suspended or self.foreign):
            self.definition = self.random.choice(DEFINITIONS)
            self.bench.do(f"CREATE OR ALTER DYNAMIC TABLE d CARDINALITY_THRESHOLD = 1 AS {self.definition}")
            self.remember()

    def write_elsewhere(self) -> None:
        self.bench.elsewhere(
            self.random.choice(["INSERT INTO d VALUES (7, 7)", "DELETE FROM d WHERE k = 1", "DELETE FROM d"])
        )
        self.foreign = True

    def merge_elsewhere(self) -> None:
        self.bench.elsewhere("CALL ducklake_merge_adjacent_files('lake', 'd')")

    def expire(self) -> None:
        """Any snapshots that nothing pins; a version that no remaining one shows can't be restored."""
        lake = self.bench.lake
        if self.random.random() < 0.3:
            # All that maintenance may expire; nothing is pinned for suspended tables.
            expire(lake.database, lake.data_path, lake.clock.now() + timedelta(hours=2), timedelta(0))
        else:
            with lake.reader() as reader:
                pins = find_pins(reader, lake.database.kind, lake.clock.now(), timedelta(days=1))
                free = [snapshot.id for snapshot in reader.snapshots()[:-1] if not pins.hold(snapshot.id)]
            gone = [snapshot for snapshot in free if self.random.random() < 0.5]
            lake.database.transact(lambda work: remove_snapshots(work, lake.data_path, gone, lake.clock.now()))
        live = {snapshot.id for snapshot in lake.snapshots()}
        for each in lake.versions():
            assert each.restorable or each.version not in live, each

    def run(self) -> None:
        steps: list[tuple[int, Callable[[], None]]] = [
            (4, self.refresh),
            (5, self.restore),
            (1, self.redefine),
            (1, self.write_elsewhere),
            (1, self.merge_elsewhere),
            (3, self.expire),
        ]
        for _ in range(STEPS):
            (step,) = self.random.choices([step for _, step in steps], [weight for weight, _ in steps])
            if self.random.random() < 0.7:
                self.change()
            step()
        self.refresh()
        for name in ("d", "total"):
            self.bench.verify_at_end(name)
        self.bench.verified()


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (number, "sqlite") if number % 2 == 0 else pytest.param(number, "postgres", marks=pytest.mark.postgres)
        for number in range(HISTORIES)
    ],
)
def test_versions_come_back_whatever_happens_in_between(
    number: int, kind: str, seed: int, new_catalog: Callable[[str], Catalog], duck: Duck
) -> None:
    catalog = new_catalog(kind)
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        _History(Bench(lake, duck, catalog), Random(f"{seed} {number}")).run()
