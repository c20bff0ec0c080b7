"""Pages for contributors name files and functions that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.house.repository import ROOT

PAGES = sorted((ROOT / "docs" / "internals").glob("*.md"))
SOURCE = ROOT / "src" / "headwater"
# `refresh/run.py: Refresher.refresh`, `src/headwater/core/errors.py`, `tests/fakes/`
_MENTION = re.compile(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)(?:: ([A-Za-z_.]+))?`")


def _file(name: str) -> Path:
    """The file or folder of a mention, which may leave src/headwater out."""
    return ROOT / name if (ROOT / name).exists() else SOURCE / name


def _names(file: Path) -> set[str]:
    """Functions and classes of a module, and methods as Class.method."""
    found = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_exists(page: Path) -> None:
    for name, function in _MENTION.findall(page.read_text(encoding="utf-8")):
        file = _file(name)
        assert file.exists(), name
        if function:
            assert function in _names(file), f"{name}: {function}"


def test_a_refresh_is_at_most_25_functions() -> None:
    text = (ROOT / "docs" / "internals" / "a-refresh.md").read_text(encoding="utf-8")
    steps = [int(number) for number in re.findall(r"^\| (\d+) \| `", text, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    assert 10 < len(steps) <= 25
