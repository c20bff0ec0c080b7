"""The packages, their signs and their order."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.house.repository import ROOT, packages, project


def contracts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project()["tool"]["importlinter"]["contracts"]
    return found


def test_every_package_has_its_place_in_the_layers() -> None:
    (layers,) = (contract["layers"] for contract in contracts() if contract["type"] == "layers")
    placed = {name.strip("() ") for layer in layers for name in layer.split("|")}
    assert {package.name for package in packages()} <= placed


def test_the_layers_are_exhaustive_so_that_a_new_package_must_be_placed() -> None:
    assert all(contract["exhaustive"] for contract in contracts() if contract["type"] == "layers")


def test_the_design_page_lists_every_package_from_the_top_down() -> None:
    (layers,) = (contract["layers"] for contract in contracts() if contract["type"] == "layers")
    page = (ROOT / "docs" / "internals" / "packages.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    # Packages in brackets are not built yet.
    assert rows[1:] == [name.strip() for layer in layers for name in layer.split("|") if "(" not in name]


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_the_docstring_of_each_package_says_job_in_out_never_and_nothing_else(package: Path) -> None:
    module = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    assert len(module.body) == 1, "the __init__.py of a package holds its docstring alone"
    sign = ast.get_docstring(module) or ""
    assert all(word in sign for word in ("Job:", "In:", "Out:", "Never:"))
