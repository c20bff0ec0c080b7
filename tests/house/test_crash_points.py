"""Every point at which a process can be killed is in the code once, is named, and is used by the test that kills there."""

from __future__ import annotations

import re

from headwater.core.crash import POINTS, UPKEEP
from tests.crash.situations import SITUATIONS
from tests.house.repository import ROOT


def test_the_points_of_the_code_are_those_that_are_named_each_once() -> None:
    files = sorted((ROOT / "src").rglob("*.py"))
    found = [name for file in files for name in re.findall(r'crash_point\("([^"]+)"\)', file.read_text())]
    assert sorted(found) == sorted(POINTS + UPKEEP)


def test_a_worker_is_killed_at_every_point() -> None:
    assert set(SITUATIONS) == set(POINTS)
