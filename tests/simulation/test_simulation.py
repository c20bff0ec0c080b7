"""Many worlds: the shipped scheduler, registry, refresh and commit, with time, network and engine that go wrong by seed."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.simulation.story import Stage

SEED = int(os.environ.get("HEADWATER_SEED", "20261115"))
WORLDS = int(os.environ.get("HEADWATER_WORLDS", "24"))
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_goes_wrong_nothing_is_lost_or_doubled(
    templates: dict[int, Path], part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(templates[1].parent / f"world{part}")
    seen: Counter[str] = Counter()
    first, last = (SEED + place * WORLDS // PARTS for place in (part, part + 1))
    for seed in range(first, last):
        size = 1 + seed % len(templates)
        seen += stage.live_through(seed, templates[size], size)
    with capsys.disabled():
        print(f"\n{last - first} worlds from seed {first}: {dict(sorted(seen.items()))}")  # noqa: T201


def test_a_world_happens_the_same_way_again(templates: dict[int, Path]) -> None:
    stage = Stage(templates[1].parent / "again")
    tales = []
    for _ in range(2):
        seen = stage.live_through(SEED, templates[4], 4)
        tales.append((stage.told, seen))
    assert tales[0] == tales[1]
    assert tales[0][0]
