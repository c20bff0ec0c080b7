"""The guide "Move from SQLite to PostgreSQL", as it stands."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

import headwater
from tests.duck import Duck
from tests.postgres import Postgres
from tests.surface.conftest import DIFFERENCES, LATER, Cli, Ran

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "move-to-postgresql.md"


def _run(line: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Ran | None:
    """Run one line of the guide, as a shell would."""
    words = shlex.split(os.path.expandvars(line))
    if words[0] == "export":
        monkeypatch.setenv(*words[1].split("=", 1))
        return None
    assert words[0] == "headwater", line
    return cli(*words[1:])


@pytest.mark.usefixtures("shop")
def test_the_guide_moves_a_lake_and_its_dynamic_tables_go_on(
    cli: Cli, folder: Path, postgres: Postgres, postgres_database: str, monkeypatch: pytest.MonkeyPatch, duck: Duck
) -> None:
    url = postgres.url(postgres_database)
    monkeypatch.setenv("POSTGRESQL_URL", url)
    assert cli("sql", LATER).code == 0
    old = cli("status", "-o", "json").rows
    text = re.sub(r"\bsales_by_day\b", "tot", GUIDE.read_text(encoding="utf-8"))
    blocks = [block.strip() for block in re.findall(r"^ *```sh\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)]
    assert blocks[0] == "createdb lake"
    said = [_run(line, cli, monkeypatch) for block in blocks[1:] for line in block.splitlines()]
    ran = [each for each in said if each is not None]
    assert [each.code for each in ran] == [0] * len(ran), [each.err for each in ran if each.code]
    dry, copied, doctor, status, refreshed, verified = ran
    assert "nothing was copied" in dry.err
    assert 'dynamic table "main"."big" goes on from data snapshot' in copied.err
    assert postgres.password not in copied.err + copied.out
    assert "clock" in doctor.out
    assert "big" in status.out
    assert refreshed.out.count("SUCCEED") == 2
    assert "equal" in verified.out
    again = cli("status", "-o", "json").rows
    assert [row["name"] for row in again] == [row["name"] for row in old]
    duck.attach(postgres.duck_uri(postgres_database))
    duck.execute("USE lake")
    assert duck.execute(DIFFERENCES) == []
    refused = cli("sql", "SELECT 1", "--lake", str(folder / "lake"))
    assert refused.code == 1
    assert "was copied to another database" in refused.err
    assert postgres.password not in refused.err
    with headwater.connect(url) as lake:
        assert lake.data_path == f"{folder}/lake/data/"


def test_the_wrong_target_is_refused(cli: Cli, folder: Path) -> None:
    headwater.connect(folder / "lake").close()
    for target in ("elsewhere", "mysql://host/lake"):
        ran = cli("copy-catalog", "--lake", "lake", "--to", target)
        assert ran.code == 1
        assert "error[HW-USE-001]" in ran.err
