"""The rooms, their signs and their order."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.house.repository import ROOT, project, rooms


def contracts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project()["tool"]["importlinter"]["contracts"]
    return found


def test_every_room_has_its_place_in_the_layers() -> None:
    (layers,) = (contract["layers"] for contract in contracts() if contract["type"] == "layers")
    placed = {name.strip("() ") for layer in layers for name in layer.split("|")}
    assert {room.name for room in rooms()} <= placed


def test_the_layers_are_exhaustive_so_that_a_new_room_must_be_placed() -> None:
    assert all(contract["exhaustive"] for contract in contracts() if contract["type"] == "layers")


def test_the_design_page_lists_every_room_from_the_top_down() -> None:
    (layers,) = (contract["layers"] for contract in contracts() if contract["type"] == "layers")
    page = (ROOT / "docs" / "internals" / "packages.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    assert rows[1:] == [name.strip("() ") for layer in layers for name in layer.split("|")]


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.name)
def test_the_sign_on_each_door_says_job_in_out_never_and_nothing_else(room: Path) -> None:
    module = ast.parse((room / "__init__.py").read_text(encoding="utf-8"))
    assert len(module.body) == 1, "the __init__.py of a room holds its docstring alone"
    sign = ast.get_docstring(module) or ""
    assert all(word in sign for word in ("Job:", "In:", "Out:", "Never:"))
