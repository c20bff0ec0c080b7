"""Seeded random histories of a lake: what DuckDB does to it, and what Headwater does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from tests.differential import moves_ours, moves_rows, moves_shape, moves_upkeep
from tests.differential.draft import PLAIN_NAMES, Draft, Offer, Step
from tests.differential.model import ModelTable


@dataclass(frozen=True, slots=True)
class History:
    """Steps in their order, the seed that they came from, and the keys that each table must end with."""

    seed: int
    steps: tuple[Step, ...]
    final_keys: tuple[tuple[str, str, tuple[int, ...]], ...]

    def script(self) -> str:
        """The steps as text, for a person who looks into a failure."""
        lines = [f"-- seed {self.seed}"]
        for number, step in enumerate(self.steps):
            lines.append(f"-- {number}: {', '.join(step.features)}")
            lines.extend(f"{sql};" for sql in step.statements)
            lines.extend(f"-- ours: {operation}" for operation in step.operations)
        return "\n".join(lines)


def generate(seed: int, counts: Counter[str], *, with_ours: bool) -> History:
    """A history of 8 to 25 steps; `counts` steers it to what is rare so far, and is counted up."""
    draft = Draft(Random(seed), counts, with_ours)
    steps: list[Step] = []

    def add(step: Step) -> None:
        draft.count(step)
        steps.append(step)

    if draft.rng.random() < 0.5:
        draft.lake.limit = 0
        add(Step(("change of inlining limit",), ("CALL lake.set_option('data_inlining_row_limit', 0)",)))
    for _ in range(draft.rng.randint(1, 3)):
        add(_first(draft))
    for _ in range(draft.rng.randint(8, 25) - len(steps)):
        add(draft.choose(_offers(draft)).make())
    return History(seed, tuple(steps), tuple(_final(table) for table in draft.lake.tables))


def histories(seed: int, number: int, *, with_ours: bool) -> tuple[list[History], Counter[str]]:
    """So many histories that together cover everything, with their counters."""
    counts: Counter[str] = Counter()
    made = [generate(seed * 1_000_003 + place, counts, with_ours=with_ours) for place in range(number)]
    return made, counts


def _first(draft: Draft) -> Step:
    if draft.with_ours and draft.rng.random() < 0.4:
        return moves_ours.create(draft)
    name = draft.lake.free_table_name(draft.rng, PLAIN_NAMES, "main")
    table = draft.new_table(name, ours=False)
    draft.lake.tables.append(table)
    statements = (*draft.create_sql(table), draft.insert(table, "file"))
    return Step(("file insert", *draft.type_features(table)), statements)


def _offers(draft: Draft) -> list[Offer]:
    found = [*moves_upkeep.lake_offers(draft), *moves_shape.lake_offers(draft)]
    if draft.with_ours:
        found.extend(moves_ours.lake_offers(draft))
    for table in draft.lake.tables:
        for kind in (moves_rows, moves_upkeep, moves_shape, *((moves_ours,) if draft.with_ours else ())):
            found.extend(kind.offers(draft, table))
    return found


def _final(table: ModelTable) -> tuple[str, str, tuple[int, ...]]:
    keys = sorted(key for batch in table.batches for key in batch.keys)
    return str(table.name), table.key, tuple(keys)
