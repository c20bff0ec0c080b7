"""A flag outranks the environment, that the file, that the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.cli.settings import load
from headwater.core.errors import InvalidRequest
from tests.surface.conftest import Cli


def test_the_first_of_flag_environment_file_and_default_wins(tmp_path: Path) -> None:
    def origin(flags: dict[str, str | None], environment: dict[str, str]) -> tuple[str | None, str]:
        found = load(flags, environment, tmp_path).values["lake"]
        return found.text, found.origin

    assert origin({}, {}) == ("lake", "default")
    file = tmp_path / "headwater.toml"
    file.write_text('lake = "here/lake"')
    assert origin({}, {}) == (str(tmp_path / "here/lake"), f"file {file}")
    assert origin({}, {"HEADWATER_PG_URL": "postgresql://h/d"}) == ("postgresql://h/d", "environment HEADWATER_PG_URL")
    assert origin({}, {"HEADWATER_LAKE": "env"}) == ("env", "environment HEADWATER_LAKE")
    assert origin({"lake": "flag"}, {"HEADWATER_LAKE": "env"}) == ("flag", "flag")


def test_another_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("poll_interval = 0.5\nlog_level = 'DEBUG'")
    found = load({}, {"HEADWATER_CONFIG": "other.toml"}, tmp_path)
    assert (found.poll_interval, found.log_level, found.problems) == (0.5, "debug", ())
    assert load({}, {"HEADWATER_CONFIG": "absent.toml"}, tmp_path).problems


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(
        "lak = 'x'\ndata_path = true\npoll_interval = 'soon'\nhistory_days = -1\nretention_days = 1e9\n"
        "maintenance_interval = -2\nlog_level = 'loud'"
    )
    found = load({}, {}, tmp_path)
    words = ('unknown key "lak"', "data_path", "'soon'", "'-1'", "retention_days", "'-2'", "'loud'")
    for word, problem in zip(words, found.problems, strict=True):
        assert word in problem
    with pytest.raises(InvalidRequest, match="not valid"):
        found.check()


def test_limits_are_amounts(tmp_path: Path) -> None:
    found = load({"refresh_timeout": "0.5", "spark_memory": "lots"}, {}, tmp_path)
    assert [problem.partition(" ")[0] for problem in found.problems] == ["refresh_timeout", "spark_memory"]
    found = load({}, {"HEADWATER_REFRESH_TIMEOUT": "900", "HEADWATER_SPARK_MEMORY": "1500m"}, tmp_path)
    assert (found.problems, found.refresh_timeout) == ((), 900.0)
    assert found.warehouses[0].settings == {"spark.driver.memory": "1500m"}
    assert load({}, {}, tmp_path).refresh_timeout is None


def test_where_a_worker_is_heard_is_checked_without_showing_addresses(tmp_path: Path) -> None:
    file = tmp_path / "headwater.toml"
    file.write_text("metrics_port = 9464\nalert_webhook = 'https://a/s3cret  http://b:8/x'\nalert_overdue_after = 0")
    found = load({"metrics_host": "::"}, {}, tmp_path)
    assert found.problems == ()
    assert (found.metrics_port, found.metrics_host, found.alert_overdue_after) == (9464, "::", 0.0)
    assert found.alert_webhooks == ("https://a/s3cret", "http://b:8/x")
    file.write_text(
        "metrics_port = 0\nmetrics_host = ''\nalert_webhook = 'https://a/ ftp://b/s3cret'\nalert_overdue_after = -1"
    )
    problems = load({}, {}, tmp_path).problems
    assert problems == (
        "metrics_port '0' is not a port from 1 to 65535",
        "metrics_host is empty; use 0.0.0.0 or :: for all addresses",
        "alert_webhook: address 2 is not http(s)://host/… without a user",
        "alert_overdue_after '-1' is not a number of seconds",
    )


def test_config_show_prints_origins_and_no_password(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_LAKE", "postgresql://me:hunter2@host/lake")
    monkeypatch.setenv("HEADWATER_ALERT_WEBHOOK", "https://hooks.example/s3cret")
    ran = cli("config", "show", "-o", "csv", "--data-path", "d")
    assert ran.out.splitlines() == [
        "key,value,origin",
        "lake,postgresql://me:***@host/lake,environment HEADWATER_LAKE",
        "data_path,d,flag",
        "poll_interval,5,default",
        "history_days,7,default",
        "retention_days,7,default",
        "maintenance_interval,3600,default",
        "refresh_timeout,0,default",
        "spark_memory,,default",
        "compute_idle,0,environment HEADWATER_COMPUTE_IDLE",
        "metrics_port,,default",
        "metrics_host,127.0.0.1,default",
        "alert_webhook,***,environment HEADWATER_ALERT_WEBHOOK",
        "alert_overdue_after,3600,default",
        "log_level,info,default",
    ]
    given = cli("config", "show", "-o", "csv", "--lake", "postgresql://host/lake?user=me&password=hunter2")
    assert given.out.splitlines()[1] == "lake,postgresql://host/lake?user=me&password=***,flag"
    (folder / "headwater.toml").write_text("colour = 1")
    ran = cli("config", "show")
    assert ran.code == 1
    assert 'unknown key "colour"' in ran.err
    assert 'unknown key "colour"' in cli("list").err


def test_the_lake_may_be_named_before_or_after_the_command(cli: Cli) -> None:
    for arguments in (("--lake", "nowhere", "list"), ("list", "--lake", "nowhere")):
        ran = cli(*arguments)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == (
            'error[HW-LAKE-009]: no lake in "nowhere"\nhint: Run headwater init, or choose another lake with --lake.\n'
        )
