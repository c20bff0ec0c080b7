"""Any plan, any change: what the plan was plus its delta is what the plan is."""

from __future__ import annotations

import os
from random import Random

import pytest

from headwater.delta.algebra import old
from headwater.delta.derivation import Derivation
from headwater.delta.laws import LAWS
from headwater.plan.expand_full_joins import expand_full_joins
from headwater.plan.nodes import relations
from headwater.plan.push_filters import push_filters
from tests.laws.bench import Bench
from tests.laws.plans import TABLES, Gardener, changed, rows

SEED = int(os.environ.get("HEADWATER_SEED", "20261115"))
PLANS = int(os.environ.get("HEADWATER_PLANS", "2000"))
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_the_old_result_plus_its_delta_is_the_new_result(part: int) -> None:
    bench = Bench()
    for seed in range(SEED + part, SEED + PLANS, PARTS):
        check(bench, seed)


def check(bench: Bench, seed: int) -> None:
    random = Random(seed)
    before = {table: rows(random, len(columns)) for table, columns in TABLES.items()}
    after = {
        table: held if random.random() < 0.25 else changed(random, held, len(TABLES[table]))
        for table, held in before.items()
    }
    touched = bench.change(before, after)
    plan = Gardener(random).plan(random.randint(1, 4))
    bench.moment_before, bench.moment = random.randint(0, 4), random.randint(0, 4)
    clock = bench.moment_before != bench.moment
    derivation = Derivation(touched, LAWS, clock)
    delta = derivation.delta(push_filters(expand_full_joins(plan)))
    was, now = bench.bag(old(plan, touched, clock=clock)), bench.bag(plan)
    found = bench.net(delta, derivation.steps) if delta is not None else {}
    expected = {row: now[row] - was[row] for row in now | was if now[row] != was[row]}
    assert found == expected, f"seed {seed}: {plan}\n{bench.text(delta, derivation.steps) if delta else 'no delta'}"
    assert delta is not None or clock or not relations(plan) & touched
