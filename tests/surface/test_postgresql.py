"""The same commands on a lake whose catalog is PostgreSQL."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

import headwater
from headwater.core.clock import SystemClock
from headwater.registry import workers
from headwater.registry.workers import Worker
from tests.postgres import Postgres
from tests.surface.conftest import Cli


def test_a_lake_on_postgresql_from_init_to_uninstall(
    cli: Cli, folder: Path, postgres: Postgres, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.url(postgres_database)
    ran = cli("init", url, "--data-path", str(folder / "data"))
    assert ran.code == 0, ran.err
    assert url not in (folder / "headwater.toml").read_text() or ":" not in url.split("@")[0].split("//")[1]
    monkeypatch.setenv("HEADWATER_PG_URL", url)
    assert cli("sql", "CREATE TABLE t (i INT); INSERT INTO t VALUES (1), (NULL)").code == 0
    assert cli("sql", "SELECT count(*) AS n FROM t", "-o", "csv").out == "n\n2\n"
    assert cli("list", "-o", "json").rows == []
    assert cli("doctor").code == 0
    assert "up to date" in cli("migrate", "--dry-run").err

    other = Worker(str(uuid.uuid4()), "elsewhere", 1, "0", SystemClock().now())
    with headwater.connect(url) as lake:
        lake.database.write(lambda connection: connection.execute(workers.register_stmt(other, "postgresql")))
        ran = cli("worker", "--pg-url", url, "--duckdb-path", str(folder / "data"), "--once")
        assert ran.code == 0, ran.err
        assert [row["host"] for row in cli("workers", "-o", "json").rows] == ["elsewhere"]
        ran = cli("uninstall", "--yes")
        assert ran.code == 1
        assert "worker elsewhere:1 serves this lake" in ran.err
        lake.database.write(lambda connection: connection.execute(workers.unregister_stmt(other.id)))
    assert cli("uninstall", "--yes").code == 0
    assert cli("workers", "-o", "csv").out.count("\n") == 1
    assert cli("sql", "SELECT count(*) AS n FROM t", "-o", "csv").out == "n\n2\n"
