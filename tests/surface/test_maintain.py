"""headwater maintain: what it says, what it does, how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.core.errors import FileMissing
from headwater.maintain.arrow_compactor import ArrowCompactor
from tests.surface.conftest import Cli

COLUMNS = "step,table,state,snapshots,files,files_after,bytes,rows"


@pytest.fixture
def many(cli: Cli) -> None:
    """A lake with five files of one table."""
    cli("init")
    rows = ";".join(["INSERT INTO t SELECT i FROM range(20) r(i)"] * 5)
    assert cli("sql", f"CREATE TABLE t (i INTEGER); {rows}").code == 0


@pytest.mark.usefixtures("many")
def test_a_dry_run_says_what_would_be_done(cli: Cli) -> None:
    ran = cli("maintain", "--dry-run", "--only", "compact,expire", "-o", "csv")
    lines = [line.split(",") for line in ran.out.splitlines()]
    assert ran.code == 0
    assert ",".join(lines[0][:8]) == COLUMNS
    assert [line[:6] for line in lines[1:]] == [
        ["compact", "main.t", "planned", "", "5", "1"],
        ["expire", "", "planned", "0", "", ""],
    ]
    assert cli("maintain", "t", "-o", "json").rows[0]["files"] == 5
    assert cli("maintain", "t", "-o", "json").rows[0]["files"] == 0


@pytest.mark.usefixtures("many")
def test_wrong_words_and_failures_are_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = cli("maintain", "--only", "vacuum")
    assert ran.code == 1
    assert 'maintenance step "vacuum" does not exist' in ran.err
    assert cli("maintain", "nothing").code == 1
    assert "retention_days" in cli("maintain", "--retention-days", "many").err

    def missing(_self: object, _work: object) -> None:
        raise FileMissing('file "x" is missing')

    monkeypatch.setattr(ArrowCompactor, "rewrite", missing)
    ran = cli("maintain", "-o", "json")
    assert ran.code == 1
    assert {row["step"]: row["state"] for row in ran.rows} == {
        "history": "done",
        "compact": "failed",
        "expire": "done",
        "cleanup": "done",
        "orphans": "done",
    }
    assert "HW-LAKE-006" in ran.err


def test_without_a_lake_there_is_nothing_to_do(cli: Cli, folder: Path) -> None:
    assert cli("maintain").code == 1
