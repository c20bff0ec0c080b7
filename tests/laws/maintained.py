"""A random plan as a table that is kept by changes alone, over a few batches."""

from __future__ import annotations

from collections import Counter
from functools import partial
from random import Random

from sqlglot import exp

from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.refresh_record import Strategy
from headwater.delta.incremental_plan import IncrementalPlan, changes, plan_incremental
from headwater.delta.target_changes import TARGET, Append, Changes, Replace, Swap, mapped
from headwater.plan import prune_scans
from headwater.plan.nodes import Node, Window, walk
from tests.laws.bench import Bench
from tests.laws.plans import TABLES, Gardener, Held, changed, grown, rows

BATCHES = 3


def begin(seed: int) -> tuple[Random, dict[str, Held], Node]:
    """Tables and a plan over them."""
    random = Random(seed)
    tables = {table: rows(random, len(columns)) for table, columns in TABLES.items()}
    gardener = Gardener(random)
    crowned = random.random() < 0.4
    return random, tables, gardener.crowned(random.randint(1, 2)) if crowned else gardener.plan(random.randint(1, 3))


def keep(bench: Bench, seed: int) -> Counter[Strategy]:
    random, tables, plan = begin(seed)
    bench.moment = random.choice((0, 1, 3))
    kept = plan_incremental(plan, {name: "int64" for node in walk(plan) for name in node.columns})
    bench.change(tables, tables)
    stored = list(bench.bag(kept.root).elements())
    seen: Counter[Strategy] = Counter()
    for _ in range(BATCHES):
        only_inserts = random.random() < 0.3
        before, tables = (
            tables,
            {table: _next(random, held, len(TABLES[table]), only_inserts) for table, held in tables.items()},
        )
        touched = bench.change(before, tables)
        bench.moment_before, bench.moment = bench.moment, random.choice((bench.moment, 1, 3))
        clock = bench.moment != bench.moment_before
        bench.load(TARGET, (*kept.root.columns, FILE_ID, POSITION), [(*row, 0, at) for at, row in enumerate(stored)])
        found = changes(kept, touched, inserts_only=only_inserts, clock=clock)
        if found is not None:
            strategy, change = found
            seen[strategy] += 1
            if seed % 3 == 0:
                change = mapped(change, partial(prune_scans.prune_scans, known=bench.known(change)))
            stored = land(bench, stored, kept, change)
        assert Counter(stored) == bench.bag(kept.root), f"seed {seed}: {kept} {found}"
        if _has_one_answer(plan):
            assert Counter(row[: kept.visible] for row in stored) == bench.bag(plan), f"seed {seed}: {kept} {found}"
    return seen


def land(
    bench: Bench, stored: list[tuple[object, ...]], kept: IncrementalPlan, change: Changes
) -> list[tuple[object, ...]]:
    """The rows after the change, found by the places or names that it gives."""
    if isinstance(change, Append):
        return stored + bench.rows(change.rows, change.steps)
    if isinstance(change, Replace | Swap):
        gone = {row[-1] for row in bench.rows(change.gone, change.steps)}
        return [row for at, row in enumerate(stored) if at not in gone] + bench.rows(change.new, change.steps)
    net = bench.net(change.delta, change.steps)
    places = [kept.root.columns.index(name) for name in change.match]
    result = Counter(stored)
    for row, weight in net.items():
        assert not change.unique or abs(weight) == 1, "two rows of one name"
        if weight < 0:
            name = tuple(row[place] for place in places)
            held = [other for other in set(stored) if tuple(other[place] for place in places) == name]
            assert len(held) == 1, "a row that goes is there"
            result[held[0]] += weight
        else:
            result[row] += weight
    return list(result.elements())


def _next(random: Random, held: Held, width: int, only_inserts: bool) -> Held:
    if random.random() < 0.25:
        return held
    return grown(random, held, width) if only_inserts else changed(random, held, width)


def _has_one_answer(plan: Node) -> bool:
    """Whether no window leaves a tie open, nor two of them number the copies of a row in ways that do not fit together."""
    windows = [node for node in walk(plan) if isinstance(node, Window)]
    return sum(len(node.items) for node in windows) < 2 and not any(map(_open, windows))


def _open(window: Window) -> bool:
    return any(
        isinstance(item.this, exp.RowNumber) and len(item.args["order"].expressions) < len(window.input.columns)
        for _, item in window.items
    )
