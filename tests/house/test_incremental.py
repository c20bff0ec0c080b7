"""The page of what is incremental says what the code does."""

from __future__ import annotations

from docs.write_incremental import PAGE, page


def test_the_page_of_laws_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"
