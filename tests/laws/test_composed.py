"""Any plan, any change: what the plan was plus its delta is what the plan is."""

from __future__ import annotations

import os

import pytest

from tests.laws.bench import Bench
from tests.laws.composed import check

SEED = int(os.environ.get("HEADWATER_SEED", "20261115"))
PLANS = int(os.environ.get("HEADWATER_PLANS", "1000"))
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_the_old_result_plus_its_delta_is_the_new_result(part: int) -> None:
    bench = Bench()
    for seed in range(SEED + part, SEED + PLANS, PARTS):
        check(bench, seed)
