"""The pages of what is incremental say what the code does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docs.write_incremental import PAGES


@pytest.mark.parametrize(("path", "page"), PAGES.items(), ids=lambda part: getattr(part, "name", ""))
def test_the_page_is_current(path: Path, page: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8") == page(), "run make docs"
