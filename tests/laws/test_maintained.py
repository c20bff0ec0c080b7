"""A table that is kept by changes alone equals its query after every batch, in what it shows and in what it remembers."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from headwater.core.refresh_record import Strategy
from tests.laws.bench import Bench
from tests.laws.maintained import keep

DEFAULT_SEED = 20261115
SEED = int(os.environ.get("HEADWATER_SEED", DEFAULT_SEED))
PLANS = int(os.environ.get("HEADWATER_PLANS", "3000")) // 5
# So many plans meet every strategy in each part: with the default seed surely, with others very probably.
ENOUGH = 600 if SEED == DEFAULT_SEED else 1000
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_a_table_kept_by_changes_alone_equals_its_query(part: int) -> None:
    bench = Bench()
    seen: Counter[Strategy] = Counter()
    for seed in range(SEED + part, SEED + PLANS, PARTS):
        seen += keep(bench, seed)
    assert set(seen) == set(Strategy) or PLANS < ENOUGH, seen
