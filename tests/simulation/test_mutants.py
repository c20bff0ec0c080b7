"""Worlds find out every guard that is broken on purpose, most of them within a few dozen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.simulation.mutants import MUTANTS, broken
from tests.simulation.story import Stage

WORLDS = int(os.environ.get("HEADWATER_MUTANTS", "0"))
# Those that a few worlds are enough for.
QUICK = (
    "leases are taken from who holds them",
    "what the dead left running stays",
    "everybody is taken for dead",
    "nothing is pinned",
)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_guard_is_found_out(
    templates: dict[int, Path], mutant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if not WORLDS and mutant not in QUICK:
        pytest.skip("takes up to a minute: make test-long SUITE=mutants")
    stage = Stage(templates[1].parent / "broken")
    with broken(mutant):
        for seed in range(1, 1 + (WORLDS or 8)):
            size = 1 + seed % len(templates)
            try:
                stage.live_through(seed, templates[size], size)
            except AssertionError as found:
                with capsys.disabled():
                    print(f"\n{mutant}: world {seed}, {str(found).splitlines()[0]}")  # noqa: T201
                return
    pytest.fail(f"no world found out that {mutant}")
