"""The repository as the house tests see it."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "headwater"


def packages() -> tuple[Path, ...]:
    """The folders of the package that hold code."""
    return tuple(sorted(path.parent for path in PACKAGE.glob("*/__init__.py")))


def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def files() -> tuple[Path, ...]:
    """All files that are, or would be, in the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git clone, so there is no list of its files")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    return tuple(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())


def make_targets() -> dict[str, str]:
    """The targets of the Makefile with what they say of themselves."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    documented = (line.partition(" ## ") for line in lines if " ## " in line and not line.startswith(("\t", "#")))
    return {target.partition(":")[0]: text for target, _, text in documented}
