"""Many worlds: the shipped scheduler, registry, refresh and commit, with time, network and engine that go wrong by seed."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.simulation.lake import make_lake
from tests.simulation.story import Stage

SEED = int(os.environ.get("HEADWATER_SEED", "20261115"))
WORLDS = int(os.environ.get("HEADWATER_WORLDS", "24"))
PARTS = 4
SIZES = (1, 2, 3, 4)


@pytest.fixture(scope="module")
def templates() -> Iterator[dict[int, Path]]:
    # In memory where there is such a place: nothing of it has to last.
    folder = Path(mkdtemp(prefix="hw-sim-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    made = {size: folder / str(size) for size in SIZES}
    for size, place in made.items():
        make_lake(place, size)
    yield made
    shutil.rmtree(folder)


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_goes_wrong_nothing_is_lost_or_doubled(
    templates: dict[int, Path], part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(templates[SIZES[0]].parent / f"world{part}")
    seen: Counter[str] = Counter()
    for seed in range(SEED + part, SEED + WORLDS, PARTS):
        size = SIZES[seed % len(SIZES)]
        seen += stage.live_through(seed, templates[size], size)
    with capsys.disabled():
        print(f"\n{WORLDS // PARTS} worlds from seed {SEED + part}: {dict(sorted(seen.items()))}")  # noqa: T201


def test_a_world_happens_the_same_way_again(templates: dict[int, Path]) -> None:
    stage = Stage(templates[SIZES[0]].parent / "again")
    tales = []
    for _ in range(2):
        seen = stage.live_through(SEED, templates[4], 4)
        tales.append((stage.told, seen))
    assert tales[0] == tales[1]
    assert tales[0][0]
