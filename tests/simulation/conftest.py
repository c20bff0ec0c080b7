"""The lakes that worlds begin with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.simulation.lake import DYNAMIC, make_lake


@pytest.fixture(scope="module")
def templates() -> Iterator[dict[int, Path]]:
    """A lake by the number of its dynamic tables."""
    # In memory where there is such a place: nothing of it has to last.
    folder = Path(mkdtemp(prefix="hw-sim-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    made = {size: folder / str(size) for size in range(1, len(DYNAMIC) + 1)}
    for size, place in made.items():
        make_lake(place, size)
    yield made
    shutil.rmtree(folder)
