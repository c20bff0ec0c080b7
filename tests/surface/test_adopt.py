"""`headwater adopt`, and what other commands say before it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import headwater
from headwater.cli import adopt
from tests import arrow_lake
from tests.surface.conftest import Cli


@pytest.fixture
def copy(folder: Path) -> Path:
    """A copy of a lake."""
    with headwater.connect(folder / "lake") as lake:
        lake.sql("CREATE TABLE t (i INTEGER)")
        arrow_lake.append(lake, "t", [(1,)])
    return shutil.copytree(folder / "lake", folder / "copy")


def test_commands_that_write_name_the_verdict_and_the_command(cli: Cli, copy: Path) -> None:
    ran = cli("sql", "CREATE TABLE u (i INTEGER)", "--lake", "copy")
    assert ran.code == 1
    assert ran.err == (
        f"error[HW-ADOPT-001]: this lake must be adopted before it can be changed: copy\n"
        f'detail: The lake is a copy of another one, which still exists. Its catalog is "{copy}/catalog.sqlite", its data'
        f' folder "{copy}/data/". The catalog names the data folder "{copy.with_name("lake")}/data/".\n'
        f"hint: Run headwater adopt to make it a lake of its own.\n"
    )
    assert cli("status", "--lake", "copy").code == 0
    assert cli("maintain", "--dry-run", "--lake", "copy").code == 0
    worker = cli("worker", "--once", "--lake", "copy")
    assert worker.code == 1
    assert "headwater adopt" in worker.err
    checks = {each["check"]: each for each in json.loads(cli("doctor", "--lake", "copy", "-o", "json").out)}
    assert checks["marker"]["result"] == "failed"
    assert "headwater adopt" in checks["marker"]["hint"]
    assert "data path" not in checks


def test_adopt_shows_what_it_found_and_asks(cli: Cli, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = cli("adopt", "--lake", "copy")
    assert ran.code == 2
    assert ran.err == (
        "verdict: copy. The lake is a copy of another one, which still exists.\n"
        f"catalog: {copy}/catalog.sqlite\n"
        f"data folder: {copy}/data/\n"
        f"data folder in the catalog: {copy.with_name('lake')}/data/\n"
        f"after adoption: a lake of its own, its data in {copy}/data/\n"
        "add --yes to adopt it\nnothing was changed\n"
    )
    monkeypatch.setattr(adopt, "_is_interactive", lambda: True)
    assert cli("adopt", "--lake", "copy", stdin="n\n").code == 2
    assert cli("sql", "CREATE TABLE u (i INTEGER)", "--lake", "copy").code == 1
    ran = cli("adopt", "--lake", "copy", "-o", "json", stdin="y\n")
    assert ran.code == 0
    # The answer is echoed to stdout, since stdin is no terminal here.
    (done,) = json.loads(ran.out[ran.out.index("[") :])
    assert (done["verdict"], done["data_path"], done["files_copied"]) == ("copy", f"{copy}/data/", 0)
    assert cli("sql", "CREATE TABLE u (i INTEGER)", "--lake", "copy").code == 0
    with headwater.connect(copy) as mine, headwater.connect(copy.with_name("lake")) as original:
        assert [table.name for table in mine.tables()] == ["t", "u"]
        assert [table.name for table in original.tables()] == ["t"]


def test_adopt_refuses_flags_that_contradict(cli: Cli, copy: Path) -> None:
    ran = cli("adopt", "--lake", "copy", "--restored", "--take-over", "--yes")
    assert ran.code == 1
    assert "HW-USE-001" in ran.err
