"""Lakes whose identity is tested."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from tests.catalog.identity import fill


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A lake of the test's own, in the folder `home`."""
    with headwater.connect(tmp_path / "home") as lake:
        fill(lake)
    return tmp_path / "home"
