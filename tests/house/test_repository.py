"""What the repository says of itself is true, and it says nothing of the machine it was written on."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import headwater
from tests.house.repository import ROOT, files, make_targets, project

# Folders where people keep their own things, and hosts that packages come from; spelled so that this file passes.
MACHINE_PATH = re.compile(r"(?<![\w.:/$}])/(?:" + "|".join(("work", "opt", "root", "home", "Users", "mnt")) + r")/\w")
REGISTRY = re.compile(
    "|".join(("pypi" + r"\.org", "python" + r"hosted\.", "registry" + r"\.npmjs", "artifact" + "ory"))
)
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/README.md")


def text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def found(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files()
        for number, line in enumerate((text_of(path) or "").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    assert found(MACHINE_PATH) == []


def test_no_file_names_a_package_registry() -> None:
    assert found(REGISTRY) == []


def test_the_version_is_said_once_and_the_same() -> None:
    assert headwater.__version__ == project()["project"]["version"]
    assert f"## {headwater.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_every_make_command_in_the_pages_exists(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    commands = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", page, re.MULTILINE))
    assert commands <= make_targets().keys()


def test_every_target_explains_itself() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(phony.split()) == make_targets().keys()
    assert all(make_targets().values())


def anchors(page: Path) -> set[str]:
    """What `#…` in a link to the page may name: GitHub's names of its headings."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S), re.M
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("bench/**/*.md")), *(ROOT / name for name in PAGES[:4])],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_every_link_to_a_file_or_heading_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    for link in (link for link in links if "://" not in link):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_what_continuous_integration_runs_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
