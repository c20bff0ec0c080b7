"""A random plan and a random change: the old result plus the delta is the new result."""

from __future__ import annotations

from random import Random

from headwater.delta.algebra import old
from headwater.delta.derivation import Derivation
from headwater.delta.laws import LAWS
from headwater.plan.expand_full_joins import expand_full_joins
from headwater.plan.nodes import relations
from headwater.plan.push_filters import push_filters
from tests.laws.bench import Bench
from tests.laws.plans import TABLES, Gardener, changed, rows


def check(bench: Bench, seed: int) -> None:
    """Check the plan of a seed under the change of that seed."""
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
